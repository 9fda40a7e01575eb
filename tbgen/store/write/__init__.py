"""Writing contents to a file. Readers never load this."""

from tbgen.store.write.table import Slim, write_table

__all__ = ["Slim", "write_table"]
