"""Solve many positions, and count what is exact: see `research/run sure --help`."""

from research.sure.survey import main

main()
