"""Lay rules for mating potential beside the tables: see `research/run potential --help`."""

from research.potential.fit import main

main()
