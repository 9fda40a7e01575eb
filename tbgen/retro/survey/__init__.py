"""The survey of all positions before the sweep: legality, level, and what moves out of the slice pay."""
