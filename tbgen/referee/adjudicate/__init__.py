"""Games that have been played, and what they come to."""
