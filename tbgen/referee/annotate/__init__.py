"""Games told ply by ply: what was scored, which record stood, what the tables knew, and who gave it away."""
