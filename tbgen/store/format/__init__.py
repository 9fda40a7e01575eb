"""The format of a file: what reader and writer share (docs/format.md)."""
