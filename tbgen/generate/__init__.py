"""What to build in which order, and building it."""
