"""Is a finished table right? Every position is compared with what its legal moves lead to, forwards only.

The verifier shares nothing of the solver's propagation: no un-moves, no queues, no order of levels. What it shares
lies below: squares and numbers, and what each man attacks. It finds and counts moves in its own way (moves.py).

What is checked
---------------
For a legal position p of level L > 1 and each record that can stand there (levels 2 to L, in either side's
hands), what the table says, outcome and distance, must be what the best legal move makes of it:

* a reset to q pays the fresh value of q, one ply later;
* a quiet move to q replaces a record of a level above q's own: q is worth its fresh value, one ply later;
* any other quiet move leaves the record: q is worth what the table says of q under that record, one ply later,
  or the record stands.

The mover takes the best outcome. If that is the record, it stands and the distance is 0; the mover takes the
shortest way to anything better and the longest to anything worse. Mate and stalemate are worth themselves.
A double step that gives a right to capture en passant is looked at one ply deeper. In the whole game every
move leaves the record unless it leads to something of a lower level than p's own. So p's own goal is the only
record to check: for records of lower levels the comparison is the same, with more outcomes made equal.

Why that is enough
------------------
Take a game with a fixed record, the layers of lower records and the tables that resets lead to being right.
Say the table gives p more than the record to White. Then White has a move that keeps at least as much, and if
exactly as much at a distance one smaller; Black has none that leaves less, or as much at a distance that is
not smaller. Distances are no smaller than 0, so White's play gets out of the layer with at least that much;
and Black has moves that never leave more, while staying for ever pays only the record. So the outcome is
right. Where the table says that the record stands, either side can stay or do better for ever, so the table
is right there too. Distances follow from the outcomes: if two sets of distances both fit, take the smallest
distance in which they differ. It follows from smaller distances, in which they agree: a
contradiction. So layer by layer (a fresh value belongs to the layer of p's own goal), slice by slice, exactly one
table passes. Any other table fails at some position.

A table can be altered without a change of values: an entry or a staircase at a number without a legal position; a
staircase that no position has; a step that changes nothing. So the staircases must be canonical: all different,
all used, none empty, each in rising order. Every step has an outcome that counts at its level, differs from the
step before, and has a level that a record can have there. That leaves one way to write them, but for their
numbers.
"""
