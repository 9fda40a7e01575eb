"""What a side can be sure of with any number of men on the board, by holding: Marxen's virtual pieces, and more.

Some men of both sides move, the others stand still (`graph.py`). The defender answers the attacker's moves with quiet
moves of his free men; what he can hold so is worked out backwards for all arrangements (`hold.py`). Moves that lead out
of that, exits, break through unless tables know better (`exits.py`). A goal of the defender's own may be forced first
(`way.py`). Which men and which bound: `search.py`; a move in milliseconds: `quick.py`. What
comes out is a strategy (`strategy.py`), which makes a claim (`claims.py`). A checker that shares nothing with this room
verifies claims (tbgen/beyond/checker.py).
"""

from tbgen.beyond.holding.claims import Claim, claims
from tbgen.beyond.holding.quick import hold_quickly
from tbgen.beyond.holding.search import Proof, prove

__all__ = ["Claim", "Proof", "claims", "hold_quickly", "prove"]
