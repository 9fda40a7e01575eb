"""Writing contents to a file. Readers never load this."""

from tbgen.store.write.table import write_table

__all__ = ["write_table"]
