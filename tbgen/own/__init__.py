"""A single position's own table: the slices that can come up from it, and no others, by the solver of all tables.

`slices.py` lists the placements of pawns that can come up, and numbers positions; `solve.py` solves them, with bounds
where resets lead to materials that no table covers.
"""

from tbgen.own.slices import own_layout
from tbgen.own.solve import Bounds, solve_position

__all__ = ["Bounds", "own_layout", "solve_position"]
"""What `tbgen solve` needs."""
