"""Tables with a byte that has changed since they were written."""

from tbgen.store.format import head as heads


def damaged(data: bytes, section: str) -> bytes:
    """The last byte of a section is another. Whoever reads that part of it notices."""
    at = heads.parse(data[: heads.SIZE]).sections[section].end - 1
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
