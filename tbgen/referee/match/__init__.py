"""Engines play each other."""
