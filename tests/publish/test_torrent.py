"""The torrent, read by a reader of its own that knows BEP 3 and 19."""

import hashlib
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tbgen.web.publish.torrent import Pieces, torrent


def read(data: bytes, at: int = 0) -> tuple[Any, int]:
    """What is bencoded there, and where it ends."""
    kind = data[at : at + 1]
    if kind == b"i":
        end = data.index(b"e", at)
        return int(data[at + 1 : end]), end + 1
    if kind in (b"l", b"d"):
        found, at = [], at + 1
        while data[at : at + 1] != b"e":
            one, at = read(data, at)
            found.append(one)
        if kind == b"l":
            return found, at + 1
        assert found[::2] == sorted({*found[::2]})
        return dict(zip(found[::2], found[1::2], strict=True)), at + 1
    colon = data.index(b":", at)
    end = colon + 1 + int(data[at:colon])
    return data[colon + 1 : end], end


@pytest.mark.parametrize("url", ["https://example.org/tables", "http://h:8000/~me/my%20tables"])
@pytest.mark.parametrize("sizes", [(1,), (1 << 18,), (300_000, 5, 700_000), (1 << 19, 1 << 18)])
def test_clients_find_every_byte(url: str, sizes: tuple[int, ...]) -> None:
    data = [bytes([number + 1]) * size for number, size in enumerate(sizes)]
    pieces = Pieces(sum(sizes))
    for one in data:
        for at in range(0, len(one), 100_000):
            pieces.add(one[at : at + 100_000])
    files = [(f"K{number}.r.h5", size) for number, size in enumerate(sizes)]
    made = torrent(url, files, pieces)
    found, end = read(made)
    assert end == len(made)
    info = found[b"info"]
    assert [(one[b"path"][0].decode(), one[b"length"]) for one in info[b"files"]] == files
    assert found[b"url-list"][0].decode() + quote(info[b"name"].decode(), safe="~") == url
    length, together = info[b"piece length"], b"".join(data)
    sums = [hashlib.sha1(together[at : at + length]).digest() for at in range(0, len(together), length)]
    assert info[b"pieces"] == b"".join(sums)


def test_pieces_are_as_many_as_a_client_likes() -> None:
    assert Pieces(1).length == 1 << 18
    assert Pieces(10**9).length == 1 << 19
    assert Pieces(10**14).length == 1 << 24


def test_equal_folders_have_equal_torrents(small_tables: Path) -> None:
    made = [torrent("https://example.org/x", [("KvK.r.h5", 5)], Pieces(5)) for _ in range(2)]
    assert made[0] == made[1]
