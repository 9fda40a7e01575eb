"""From a file to what it says."""
