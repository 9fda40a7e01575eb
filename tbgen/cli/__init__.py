"""The `tbgen` command: wiring only, one module per subcommand."""
