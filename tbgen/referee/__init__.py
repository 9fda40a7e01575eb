"""Games judged and games played: rules and probe together."""
