"""Threads that work on one slice together: how they share the work, and the sets that they share."""
