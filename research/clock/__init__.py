"""Exact values under the 50-move rule: the halfmove clock is part of the position.

In a slice with clock c a game ends after 100 - c plies at the latest, and the record stands; captures and pawn moves
lead to clock 0, in slices that are solved already. So a slice is solved backwards: a hundred layers, each from the one
after it, every record in every layer. A slice holds a value per position and record twice, so this is for few men.

`graph` lists the moves of a slice, forwards, by the verifier's kernels; `layers` has one step back; `solve` goes
through slices and tables. Repetition is not looked at: it ends a game with the record, as the clock does.
"""
