"""What can be proved of a single position, whatever its men: by tables, else by holding, else by local tables.

`position.py` is the way there, `solution.py` what is found, in words and as JSON; `plans.py` tells what local tables
take.
`strategy.py` turns what local tables say into replies, and `certify.py` writes these as a certificate, which
tbgen/beyond/checker.py verifies without anything of this. `games.py` proves the draws of games.
"""

from tbgen.beyond.prove.position import solve
from tbgen.beyond.prove.solution import Solution

__all__ = ["Solution", "solve"]
