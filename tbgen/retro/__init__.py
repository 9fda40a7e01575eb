"""The solver: from the moves of one material to what both sides can force, under every record."""
