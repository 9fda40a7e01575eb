"""PGN files as bytes: games, tags and moves, read and changed where they stand."""
