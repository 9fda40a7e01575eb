"""An engine that plays from the tables."""
