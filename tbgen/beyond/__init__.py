"""Positions of more men than tables have: what a side is sure of, and proofs of it."""
