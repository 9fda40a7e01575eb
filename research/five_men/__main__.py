"""Collect what tables of five men hold, and write the pages on them: see `research/run five_men --help`."""

from research.five_men.collect import main

main()
