"""`tbgen fetch`, also on connections that break and from servers that say anything."""

import errno
import json
import multiprocessing
import os
import re
import shutil
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tbgen.cli.main import main
from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import OutOfRoom, TbgenError
from tbgen.store import building, open_table
from tbgen.web.server import http_client
from tbgen.web.server.fetch import Mirrors, fetch, wanted
from tbgen.web.server.host import Remote, TableHost
from tests.support.planting import plant
from tests.support.serving import Server, serving


def beside(path: Path, table: Remote) -> Path:
    return path.with_name(f".{path.name}.{table.digest[:16]}.0123.coming")


def at(url: str) -> Mirrors:
    return Mirrors([TableHost(url)])


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_fetch(server: Server, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["fetch", "KPvK", "--from", f"{server.url}/", "--tables", str(tmp_path)]
    assert main([*words, "--dry-run"]) == 0
    assert "6 tables" in capsys.readouterr().out
    assert not files(tmp_path)
    assert main(words) == 0
    names = {f"{name}.r.h5" for name in ("KPvK", "KQvK", "KRvK", "KBvK", "KNvK", "KvK")}
    assert files(tmp_path) == {name: data for name, data in files(small_tables).items() if name in names}
    capsys.readouterr()
    assert main(words) == 0
    assert "0 tables" in capsys.readouterr().out
    assert main(["fetch", "KvK", "--from", server.url, "--tables", str(tmp_path / "new"), "--dry-run"]) == 0
    assert capsys.readouterr().out.startswith("1 table, 11.5 KiB to come\n")
    assert main(["fetch", "--all", "2", "--rules", "wg", "--from", server.url, "--tables", str(tmp_path), "-q"]) == 0
    assert (tmp_path / "KvK.wg.h5").exists()


def test_fetch_says_what_is_wrong(
    server: Server, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(code: int, *words: str) -> str:
        assert main(["fetch", *words, "--tables", str(tmp_path / "new")]) == code
        errors = capsys.readouterr().err
        assert errors.count("\n") == 1
        return errors

    assert "lacks KRvKR" in refused(4, "KRvKR", "--from", server.url)
    assert "not the address" in refused(2, "KRvK", "--from", "example.org")
    for url in ("http://[", "http://x y/", "http://\u00e9/", "ftp://x", "http://x:99999", "http://?", "http://x/#y"):
        assert "not the address" in refused(2, "KRvK", "--from", url)
    assert "cannot be reached" in refused(1, "KRvK", "--from", "http://127.0.0.1:9/")
    assert "no host has such a name" in refused(1, "KRvK", "--from", f"http://{'a' * 64}/")
    assert "name a material" in refused(2, "--from", server.url)
    assert "404" in refused(1, "KRvK", "--from", f"{server.url}/v1")
    (tmp_path / "new").mkdir()
    shutil.copy(small_tables / "KBvK.wg.h5", tmp_path / "new" / "x")
    (tmp_path / "new" / "KvK.r.h5").write_bytes(b"no table")
    assert "is not a table" in refused(5, "KRvK", "--from", server.url)


def test_no_room_no_start(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tables of a call count, but for what has come of them."""
    usage, tables = shutil.disk_usage(tmp_path), at(server.url)
    needed = wanted(tables, [parse("KBvK")], TableRules.RESET, tmp_path).left
    words = ["fetch", "KBvK", "--from", server.url, "--tables", str(tmp_path / "new"), "-q"]
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=needed - 1))
    assert main(words) == OutOfRoom.exit_code
    said = capsys.readouterr().err
    assert re.fullmatch(r"tbgen: make room in .*new: \S+ KiB have yet to come, \S+ KiB are free\n", said)
    assert not files(tmp_path)
    assert main([*words, "--dry-run"]) == 0
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=needed))
    assert main(words) == 0
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage._replace(free=0))
    assert main(words) == 0


def test_a_disk_that_fills_up_meanwhile(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*words: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tbgen.web.server.fetch._receive", full)
    words = ["fetch", "KvK", "--from", server.url, "--tables", str(tmp_path), "-q"]
    assert main(words) == OutOfRoom.exit_code
    assert capsys.readouterr().err == f"tbgen: No space left on device: {tmp_path / 'KvK.r.h5'}\n"


def test_more_than_there_can_be_begins_from_nothing(server: Server, small_tables: Path, tmp_path: Path) -> None:
    table = tmp_path / "KvK.r.h5"
    offered = TableHost(server.url).tables()["KvK.r.h5"]
    beside(table, offered).write_bytes(bytes(offered.size + 5))
    assert wanted(at(server.url), [parse("KvK")], TableRules.RESET, tmp_path).left == offered.size
    fetch(at(server.url), offered, tmp_path)
    assert table.read_bytes() == (small_tables / table.name).read_bytes()


def test_what_has_come_of_another_table_goes_if_it_may(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered, other = TableHost(server.url).tables()["KvK.r.h5"], tmp_path / ".KvK.r.h5.0123.coming"
    other.touch()
    with monkeypatch.context() as sticky:
        call = Path.unlink

        def unlink(path: Path, missing_ok: bool = False) -> None:
            if path == other:
                raise PermissionError
            call(path, missing_ok)

        sticky.setattr(Path, "unlink", unlink)
        table = fetch(at(server.url), offered, tmp_path)
    assert {*tmp_path.iterdir()} == {table, other}
    table.unlink()
    fetch(at(server.url), offered, tmp_path)
    assert {*tmp_path.iterdir()} == {table}


@pytest.mark.parametrize("kind", ["pipe", "socket", "directory"])
def test_what_is_no_file_is_refused(kind: str, server: Server, tmp_path: Path) -> None:
    """In the place of a table; a pipe would be waited for."""
    plant(kind, tmp_path / "KvK.r.h5", tmp_path)
    assert fetched(server, tmp_path) == 5


@pytest.mark.parametrize("kind", ["link", "dangling link", "hard link", "pipe", "socket", "directory"])
def test_only_what_a_fetch_has_left_is_gone_on_with(
    kind: str, server: Server, small_tables: Path, tmp_path: Path
) -> None:
    """Where somebody has planted something else, that stays or goes, and the table comes all the same."""
    victim, place = tmp_path / "victim", tmp_path / "tables"
    place.mkdir()
    if kind != "dangling link":
        victim.write_bytes(b"mine")
    offered = TableHost(server.url).tables()["KvK.r.h5"]
    plant(kind, beside(place / "KvK.r.h5", offered), victim)
    plant(kind, place / f".KvK.r.h5.{offered.digest[:16]}.coming", victim)
    assert fetched(server, place) == 0
    assert (place / "KvK.r.h5").read_bytes() == (small_tables / "KvK.r.h5").read_bytes()
    assert not (place / "KvK.r.h5").is_symlink()
    assert victim.exists() == (kind != "dangling link")
    assert kind == "dangling link" or victim.read_bytes() == b"mine"


def fetched(server: Server, place: Path) -> int | None:
    fetching = multiprocessing.get_context("spawn").Process(target=fetches, args=(server.url, place))
    fetching.start()
    fetching.join(60)
    fetching.kill()
    return fetching.exitcode


@pytest.mark.parametrize("command", ["fetch", "pack", "unpack"])
def test_what_killed_runs_have_left_goes(command: str, server: Server, small_tables: Path, tmp_path: Path) -> None:
    """As with `tbgen build`; but what may be gone on with stays, and so does what a process holds."""
    for name in ("KvK.r.h5", "KBvK.r.h5"):
        shutil.copy(small_tables / name, tmp_path)
    left = [
        ".KBvK.r.h5.lock", ".KNvK.r.h5.lock", ".KBvK.r.h5.0123.half", ".KBvK.r.h5.4567.89ab.coming",
    ]  # fmt: skip
    stays = {".KNvK.r.h5.4567.89ab.coming", ".KRvK.r.h5.lock"}
    for name in (*left, *stays):
        (tmp_path / name).touch()
    words = {
        "fetch": ["KvK", "--from", server.url],
        "pack": ["KvK"],
        "unpack": [str(tmp_path / "KBvK.r.slim.h5")],
    }
    if command == "unpack":
        assert main(["pack", "KBvK", "--tables", str(tmp_path), "-q"]) == 0
        for name in left:
            (tmp_path / name).touch()
    with building(tmp_path / "KRvK.r.h5"):
        assert main([command, *words[command], "--tables", str(tmp_path), "-q"]) == 0
        assert {name for name in files(tmp_path) if name.startswith(".")} == stays


def fetches(url: str, directory: Path) -> None:
    sys.exit(main(["fetch", "KvK", "--from", url, "--tables", str(directory), "-q"]))


LISTED = {"file": "KvK.r.h5", "bytes": 9, "body_sha256": "0" * 64}


def listing(**changes: object) -> bytes:
    return answering(json.dumps({"tables": [{**LISTED, **changes}]}).encode())


def answering(body: bytes, head: str = "200 OK", length: int | None = None) -> bytes:
    length = len(body) if length is None else length
    return f"HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n".encode() + body


@contextmanager
def saying(answer: bytes, *, resets: bool = False, again: bytes = b"", **others: bytes) -> Iterator[str]:
    """The address of a server that says just this, or what others tell it to say of a table. `resets`: half a second
    later the connection is lost. `again`: what it says then, for as long as somebody listens. It has no catalogue."""
    others = {"catalogue.json": answering(b"", "404 Not Found"), **others}
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    there, _ = listening.accept()
                    with there, suppress(ConnectionError):
                        asked = there.recv(1 << 16)
                        there.sendall(next((others[name] for name in others if name.encode() in asked), answer))
                        while again:
                            time.sleep(0.01)
                            there.sendall(again)
                        if resets:
                            time.sleep(0.5)
                            there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_a_list_on_a_connection_that_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with saying(answering(b"{", length=500), resets=True) as url:
        assert main(["fetch", "KvK", "--from", url, "--tables", str(tmp_path), "-q"]) == 1
    assert capsys.readouterr().err == f"tbgen: {url} broke off in its list of tables\n"


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"HTTP", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 99999 ?\r\n\r\n",
        answering(b""), answering(b"[]"), answering(b'{"tables": 5}'), answering(b'{"tables": [5]}'),
        answering(b"[" * 5000), answering(b"\xff"), answering(b'{"tables": []}', length=500),
        listing(bytes=float("inf")), listing(bytes="9"), listing(bytes=True), listing(body_sha256=7),
        listing(body_sha256=""), listing(file=None), listing(file="K" * 9999), listing(file="../KvK.r.h5"),
        *(answering(b"", f"302 Found\r\nLocation: {to}") for to in ("http://[", "file:///etc", "x://y", "/", "")),
    ],
)  # fmt: skip
def test_whatever_a_server_says_is_one_line(answer: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with saying(answer) as url:
        assert main(["fetch", "KvK", "--from", url, "--tables", str(tmp_path), "-q"]) in (1, 4)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert url in said
    assert not files(tmp_path)


class Breaking:
    """A way to a server on which connections break after so many bytes, or on which bytes change."""

    def __init__(self, server: Server, lets_through: int, *, flip: bool = False) -> None:
        self._server = server
        self._lets_through = lets_through
        self._flip = flip
        self.connections = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                there, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            with there, socket.create_connection(("127.0.0.1", self._server.port)) as on:
                asked = b""
                while b"\r\n\r\n" not in asked:
                    asked += there.recv(1 << 16)
                on.sendall(asked)
                left = self._lets_through if b"/v1/tables/" in asked else 1 << 30
                while left and (data := on.recv(min(left, 1 << 16))):
                    left -= len(data)
                    if self._flip and b"/v1/tables/" in asked and not data.endswith(b"\r\n\r\n"):
                        data = data[:-1] + bytes([data[-1] ^ 1])
                    there.sendall(data)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()


PART = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx"


@pytest.mark.parametrize(
    ("answer", "part", "again"),
    [
        (b"", b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nX: ", b"", b"x"),
        (answering(b"", length=1 << 20), b"", b" "),
        (b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", b"", b"x"),
        (listing(bytes=1 << 20), PART, b""),
    ],
    ids=["continue", "head", "list", "redirect", "a byte per answer"],
)
def test_a_server_that_never_comes_to_an_end(
    answer: bytes, part: bytes, again: bytes, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(http_client, "_WAIT", 0.3)
    with saying(answer, again=again, **({"KvK": part} if part else {})) as url:
        assert main(["fetch", "KvK", "--from", url, "--tables", str(tmp_path), "-q"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert url in said


def test_a_table_that_comes_too_slowly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(http_client, "_WAIT", 0.3)
    with saying(listing(bytes=1 << 20), again=b"x", KvK=PART) as url:
        host = TableHost(url)
        with pytest.raises(TbgenError, match="too little came from the server"):
            fetch(Mirrors([host]), host.tables()["KvK.r.h5"], tmp_path)


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("ftp://127.0.0.1/", "leads to ftp"),
        ("http://localhost:{port}/v1/tables", "leads to another host, 'localhost'"),
        ("http://127.0.0.1:{port}/v1/tables", ""),
    ],
)
def test_where_a_server_sends_to(
    to: str, said: str, server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sent = answering(b"", f"302 Found\r\nLocation: {to.format(port=server.port)}")
    with saying(sent) as url:
        words = ["fetch", "KvK", "--from", url, "--tables", str(tmp_path), "--dry-run"]
        assert main(words) == (1 if said else 0)
        errors = capsys.readouterr().err
        assert said in errors
        assert errors.count("\n") == bool(said)
        if "localhost" in to:
            assert main([*words, "--elsewhere"]) == 0


@contextmanager
def breaking(server: Server, lets_through: int, *, flip: bool = False) -> Iterator[Breaking]:
    found = Breaking(server, lets_through, flip=flip)
    try:
        yield found
    finally:
        found.close()


def test_a_fetch_goes_on_where_it_was(server: Server, small_tables: Path, tmp_path: Path) -> None:
    with breaking(server, 30_000) as way:
        assert main(["fetch", "KBvK", "--from", way.url, "--tables", str(tmp_path), "-q"]) == 0
        assert way.connections > 3
    assert files(tmp_path) == {name: (small_tables / name).read_bytes() for name in ("KBvK.r.h5", "KvK.r.h5")}


def test_a_server_that_sends_nothing_is_given_up_and_asked_again_later(
    server: Server, small_tables: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    size = (small_tables / "KBvK.r.h5").stat().st_size
    with serving(small_tables) as there:
        plan = wanted(at(there.url), [parse("KBvK")], TableRules.RESET, tmp_path)
        table = plan.coming[-1]
        come = beside(tmp_path / table.name, table)
        come.write_bytes((small_tables / table.name).read_bytes()[:1000])
        with breaking(server, 10) as way:
            assert main(["fetch", "KBvK", "--from", way.url, "--tables", str(tmp_path), "-q"]) == 1
            assert "run this again to go on" in capsys.readouterr().err
        assert come.stat().st_size == 1000
        assert not list(tmp_path.glob("[!.]*"))
        came: list[int] = []
        fetch(at(there.url), table, tmp_path, came.append)
    assert sum(came) == size - 1000
    with open_table(tmp_path / table.name) as opened:
        opened.check()
    assert {path.name for path in tmp_path.glob("*KBvK*")} == {"KBvK.r.h5"}


def test_bytes_that_change_on_the_way_are_noticed(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with breaking(server, 1 << 29, flip=True) as way:
        assert main(["fetch", "KvK", "--from", way.url, "--tables", str(tmp_path), "-q"]) == 5
    assert "not what it should be" in capsys.readouterr().err
    assert not files(tmp_path)
