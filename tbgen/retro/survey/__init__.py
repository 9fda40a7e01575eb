"""The first look at every position: legality, level, and what moves out of the slice pay."""
