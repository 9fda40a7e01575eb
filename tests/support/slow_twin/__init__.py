"""The slow twin: an r-mobility solver by brute force, the judge of the fast one.

It imports nothing of the solver it judges. Moves, legality, checks and en passant come from python-chess, or, with men
that python-chess does not know, from `fairy`; results come from the definition of the game, over every position and
every record:

* A slice is one material with all its pawns on fixed squares.
* In the layer of record r, a move to q with a goal better than r pays v(q), the fresh value of q.
  A capture or a pawn move pays v(q) too (rules "r"), or lets r survive (rules "wg").
  Every other move stays in the layer. Infinite play pays r.
* A layer is solved by cutting play off after 0, 1, 2 ... plies, with r standing at the cut, until one more ply
  changes nothing.

The one liberty taken for speed is symmetry: of the placements that mirror or turn into each other only the least
is solved, and the side with more men is called White.

`goals` says what is played for, `placements` which positions are alike, `slice` solves one slice, and `twin`
answers for any position.
"""
