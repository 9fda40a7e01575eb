"""Local tables: the slices that can come up from one position, and no others, by the solver of all tables.

A part is told by White's men and Black's. On the way from a position to its answer: `attempt.py` begins and ends;
`stages.py` says how much is solved; `choose.py` which parts, by the `walks.py` of pawns and the `resets.py` that lead
on; `solve.py` solves them, or `cluster.py` in several processes, with what `complete.py` reads; `files.py` keeps them,
and swaps colours where a file has them the other way; `view.py` asks them.
"""
