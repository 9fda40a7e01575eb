"""A slice as a graph: its positions, and their quiet moves forwards and backwards."""
