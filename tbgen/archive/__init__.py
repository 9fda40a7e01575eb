"""Packed tables, to keep or to send: one side to move is left out where that can be told from the other.

`format` is the file, `split` says which numbers it keeps, `block` packs those; `pack` makes a packed file, `unpack`
makes the table again, with the verifier's kernels. docs/archive.md describes all of it."""
