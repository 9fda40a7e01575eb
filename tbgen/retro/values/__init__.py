"""What positions are worth, packed: keys, codes for them, payoffs of resets, staircases."""
