"""The `tbgen` command: wiring only, one module a subcommand."""
