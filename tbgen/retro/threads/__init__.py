"""Threads that work on one slice together: who does what, and the sets that they share."""
