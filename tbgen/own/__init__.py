"""A single position's own tables: the slices that can come up from it, and no others, by the solver of all tables.

`slices.py` lists the placements of pawns that can come up, and numbers positions; `choice.py` says which materials to
solve, and `plan.py` how many of them fit; `complete.py` reads the slices of complete tables that these lead to;
`solve.py` solves them, with bounds where resets lead to materials that no table covers, `cluster.py` in several
processes; `shelf.py` keeps them as files, and `search.py` finds those that a plan need not solve again.
"""
