"""The format of a file: what reader and writer must agree on (docs/format.md)."""
