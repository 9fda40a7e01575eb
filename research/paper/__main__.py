"""Make the article: see `research/run paper --help`."""

from research.paper.article import main

main()
