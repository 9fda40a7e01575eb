"""The tables over HTTP and in the browser."""
