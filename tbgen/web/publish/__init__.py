"""A folder of tables that any web host serves: `site` makes it, `torrent` the file that spreads it from many.

docs/publish.md describes what is in it; `tbgen/web/server/host.py` and clients/js read it."""
