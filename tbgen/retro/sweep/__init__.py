"""Level by level: what is worth what under the record, and what is settled with it."""
