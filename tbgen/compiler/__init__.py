"""Kernels: the decorators that compile them, and the cache of their machine code."""
