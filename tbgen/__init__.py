"""Generator of r-mobility chess endgame tablebases."""

__version__ = "0.1.0"
