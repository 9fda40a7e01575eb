"""Writing contents to a file. Readers never load this."""

from tbgen.store.write.encode import Census
from tbgen.store.write.table import Slim, write_table

__all__ = ["Census", "Slim", "write_table"]
