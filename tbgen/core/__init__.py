"""The words of the field, as data: materials, outcomes, positions, the contents of a table."""
