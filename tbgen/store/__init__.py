"""Tables on disk: one HDF5 file per material and rule set, described in docs/format.md.

`write` stands apart: who only reads does not load the encoder."""

from tbgen.store.directory import (
    BUNDLED,
    Stamp,
    build_some,
    check_file,
    find_any,
    find_table,
    list_slim,
    list_tables,
    readable_tables,
    slim_path,
    stamp_of,
    table_path,
    way_to_some,
)
from tbgen.store.lock import building
from tbgen.store.read.bulk import Bulk
from tbgen.store.read.file_digest import file_digest
from tbgen.store.read.table import PIECE, LeftOut, SlimFile, TableFile, open_table

__all__ = [
    "BUNDLED",
    "PIECE",
    "Bulk",
    "LeftOut",
    "SlimFile",
    "Stamp",
    "TableFile",
    "build_some",
    "building",
    "check_file",
    "file_digest",
    "find_any",
    "find_table",
    "list_slim",
    "list_tables",
    "open_table",
    "readable_tables",
    "slim_path",
    "stamp_of",
    "table_path",
    "way_to_some",
]
