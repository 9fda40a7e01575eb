"""Slim tables, to keep or to send: a table with one side to move, which is probed as any other.

`make` writes a slim table from a whole one; `unpack` makes the whole one again, with the verifier's kernels.
docs/archive.md describes both.
"""
