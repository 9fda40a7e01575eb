"""Squares, symmetries, attacks and moves: tables and kernels over arrays."""
