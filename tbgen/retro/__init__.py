"""The solver: from the moves of one material to what both sides can force, under every record.

A table is solved slice by slice (a slice: the pawns stand still), those first that the pawns of others lead to. The
way of a slice, in the order of the folders; each knows only those above it:

    room       room on disk for arrays as they are filled
    threads    several threads in one kernel: barriers and ranges (team), 64 positions as bits of a word (lanes), eight
               words in one step (lines), sets of positions (sets), what a thread has lately found (memo), arrays in
               files (ahead), progress and errors (counters)
    values     what a position is worth, packed: outcome and distance (keys), what moves out of the slice pay (payoff),
               both in 16 bits (codes), what it is worth under each record (staircase)
    graph      the positions of a slice and their quiet moves, forwards (slice) and backwards (predecessors); whether
               all moves of a position lead into a set (proof); both for 64 lanes together (block)
    survey     every position before the sweep: whether it is legal, its level (survey, count_moves), and what its
               resets pay in tables and slices that are solved already (resets, en_passant)
    sweep      level by level of the record (levels): what the side without it can escape to, from scratch (escape) or
               where something has changed (review, changes), then all positions are settled from which a goal of this
               level can be forced (settle). Both spread from seeds (seeds) in rounds by distance (rounds) to
               predecessors (notify, tell), and to positions of which all moves fail (prove). Rounds write values to a
               log (log), which is merged into the arrays of what is known of each position (state); those of open
               positions get shorter, as others are closed (cells). What changes goes into the staircases (steps), in
               the order of the staircases where many are new (cases)
    snapshot   what is kept of a large slice now and then, so that a stopped build goes on inside it
    slice_solver   a slice from its survey to its entries; all slices of a table share a job
    solver     all slices of a table in order, on all threads, with what its resets lead to
    export     from links to numbered staircases: the contents that are written to disk

What others may call: `solver.solve_table`, `export.finish`, `checkpoint`, `link_log` and `snapshot.links_of` (where a
table lies meanwhile, and how a stopped build goes on) and `precompile`. pyproject.toml has them as layers.

docs/theory.md says why it is right. The verifier (tbgen/verify) does not know any of this, so that it can tell.
"""
