"""What the bytes of a table add up to, as the file itself says it."""

from pathlib import Path

from tbgen.errors import CorruptTable
from tbgen.store.directory import check_file
from tbgen.store.format import head


def file_digest(path: Path) -> str:
    """SHA-256 of all bytes behind the head, which says so and is checked; the rest is not read."""
    check_file(path)
    try:
        return head.sha256_of(path)
    except (head.BadHead, OSError) as error:
        raise CorruptTable(f"{path}: {error}") from error
