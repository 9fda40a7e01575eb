"""Writing contents to a file."""
