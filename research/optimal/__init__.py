"""How many moves of each position are best: in chess, where a win, a draw and a loss are all there is, and in
r-mobility, where outcomes are told apart.

Best is what keeps the outcome, however long it takes; the record is the position's own goal. A capture or pawn move
pays the fresh outcome of its table; a quiet move what the staircase of the next position says.
"""
