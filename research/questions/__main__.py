"""Take the figures that answer questions, and write their page: see `research/run questions --help`."""

from research.questions.figures import main

main()
