"""Tables as files: whole, in parts, and listed with their digests."""

import asyncio
import errno
import hashlib
import os
import shutil
from pathlib import Path
from typing import BinaryIO
from unittest.mock import Mock

import httpx
import pytest

from tbgen.errors import CorruptTable
from tbgen.web.server import downloads
from tbgen.web.server.app import make_app
from tbgen.web.server.problem import Problem
from tbgen.web.server.service import Service, Settings
from tbgen.web.server.table_registry import look
from tests.support.patience import PATIENCE
from tests.support.serving import Server, serving, wait_for


def test_the_list_has_digests(client: httpx.Client, small_tables: Path) -> None:
    found = client.get("/v1/tables").json()["tables"]
    assert {one["file"] for one in found} == {path.name for path in small_tables.glob("*.h5")}
    for one in found[:5]:
        data = (small_tables / one["file"]).read_bytes()
        assert one["bytes"] == len(data)
        assert one["body_sha256"] == hashlib.sha256(data[4096:]).hexdigest()
        assert one["file_sha256"] == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [("bytes=0-", 0, None), ("bytes=100-199", 100, 200), ("bytes=-10", -10, None), ("bytes=5-99999999", 5, None)],
)
def test_parts_of_a_file(client: httpx.Client, small_tables: Path, asked: str, start: int, end: int | None) -> None:
    data = (small_tables / "KBvK.r.h5").read_bytes()
    answer = client.get("/v1/tables/KBvK.r.h5", headers={"range": asked})
    assert answer.status_code == 206
    assert answer.content == data[start:end]
    first = len(data) + start if start < 0 else start
    assert answer.headers["content-range"] == f"bytes {first}-{first + len(answer.content) - 1}/{len(data)}"


def test_the_whole_file(client: httpx.Client, small_tables: Path, server: Server) -> None:
    data = (small_tables / "KBvK.r.h5").read_bytes()
    answer = client.get("/v1/tables/KBvK.r.h5")
    assert (answer.status_code, answer.content) == (200, data)
    tag = answer.headers["etag"]
    assert client.get("/v1/tables/KBvK.r.h5", headers={"if-none-match": tag}).status_code == 304
    for headers in ({"range": "bytes=1-2", "if-range": '"other"'}, {"range": "bytes=1-2,5-6"}, {"range": "lines=1"}):
        assert client.get("/v1/tables/KBvK.r.h5", headers=headers).status_code == 200
    assert client.get("/v1/tables/KBvK.r.h5", headers={"range": "bytes=1-2", "if-range": tag}).content == data[1:3]
    past = client.get("/v1/tables/KBvK.r.h5", headers={"range": f"bytes={len(data)}-"})
    assert (past.status_code, past.headers["content-range"]) == (416, f"bytes */{len(data)}")
    head = client.head("/v1/tables/KBvK.r.h5")
    assert (head.status_code, head.headers["content-length"], head.content) == (200, str(len(data)), b"")
    wait_for(lambda: server.holds("KBvK.r.h5") <= 1)  # the last answer may have come before its file is closed


def test_a_range_that_no_file_has_is_the_whole_file(client: httpx.Client, small_tables: Path, server: Server) -> None:
    data = (small_tables / "KBvK.r.h5").read_bytes()
    nines = "9" * 5000
    for asked in (f"bytes={nines}-", f"bytes=-{nines}", f"bytes=0-{nines}"):
        answer = client.get("/v1/tables/KBvK.r.h5", headers={"range": asked})
        assert (answer.status_code, answer.content) == (200, data)
    wait_for(lambda: server.holds("KBvK.r.h5") <= 1)  # the last answer may have come before its file is closed


def test_only_tables_can_be_had(client: httpx.Client) -> None:
    for name in ("..%2Fconftest.py", "KQQvK.r.h5", ".KBvK.r.h5.lock", "%2Fetc%2Fpasswd"):
        assert client.get(f"/v1/tables/{name}").status_code == 404


def test_a_pipe_with_the_name_of_a_table_is_not_served(small_tables: Path, tmp_path: Path) -> None:
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    os.mkfifo(tmp_path / "KNvK.r.h5")
    (tmp_path / "KPvK.r.h5").symlink_to("KPvK.r.h5")
    with serving(tmp_path) as served, httpx.Client(base_url=served.url, timeout=PATIENCE) as client:
        listed = {one["file"] for one in client.get("/v1/tables").json()["tables"]}
        assert "KBvK.r.h5" in listed
        assert "KNvK.r.h5" not in listed
        assert client.get("/v1/tables/KNvK.r.h5").status_code == 503
        assert client.get("/v1/tables/KBvK.r.h5").status_code == 200


def test_a_list_that_took_a_while_is_not_kept_for_later_tables(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another table comes, and is seen, while digests are computed."""
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    service, digest = Service(Settings(tmp_path)), hashlib.file_digest
    app = make_app(service)

    def late(file: BinaryIO, kind: str) -> object:
        if not (tmp_path / "KNNvK.r.h5").exists():
            shutil.copy(small_tables / "KNNvK.r.h5", tmp_path)
            service.served.refresh()
        return digest(file, kind)

    monkeypatch.setattr(hashlib, "file_digest", late)

    async def listed() -> list[list[str]]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
            answers = [await client.get("/v1/tables") for _ in range(2)]
        return [[one["file"] for one in answer.json()["tables"]] for answer in answers]

    first, second = asyncio.run(listed())
    service.close()
    assert "KNNvK.r.h5" not in first
    assert "KNNvK.r.h5" in second


def test_a_table_that_cannot_be_opened_now_is_there_all_the_same(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system may have no more open files for a while."""
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    none_left = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    with monkeypatch.context() as short:
        short.setattr("tbgen.web.server.table_registry.file_digest", Mock(side_effect=CorruptTable("x")))
        state = look(tmp_path)
    (table,) = (one for one in look(tmp_path, state).tables.values() if one.path.parent == tmp_path)
    assert table.sha256
    with monkeypatch.context() as short:
        short.setattr(os, "open", Mock(side_effect=none_left))
        with pytest.raises(Problem) as raised:
            downloads._open(table)
    assert (raised.value.status, raised.value.retry_after) == (503, 3)
    table.path.unlink()
    with pytest.raises(Problem, match="no table of KBvK is here"):
        downloads._open(table)
