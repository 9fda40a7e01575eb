"""Write the outcomes of whole-game mobility: see `research/run whole_game --help`."""

from research.whole_game.table import main

main()
