"""From contents to a file."""
