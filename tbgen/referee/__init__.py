"""Games judged, games played, and a player: rules and probe together."""
