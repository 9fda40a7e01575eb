"""Requests with an `Upgrade` that the server does not follow: they are answered as without it."""

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tbgen.web.server.parser import Parser
from tests.support.runs import BISHOP
from tests.support.serving import PROBE, Server

UPGRADES = (
    "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n",
    "Upgrade: websocket\r\nConnection: keep-alive, upgrade\r\n",
)
GET = "GET /v1/materials/KvK HTTP/1.1\r\nhost: x\r\n\r\n"
LAST = "GET /robots.txt HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"


def announced(body: str) -> str:
    return f"content-length: {len(body)}\r\n\r\n{body}"


def chunked(body: str) -> str:
    return (
        f"transfer-encoding: chunked\r\n\r\n3\r\n{body[:3]}\r\n{len(body) - 3:x};x\r\n{body[3:]}\r\n0\r\nend: 1\r\n\r\n"
    )


def heard(server: Server, pieces: list[str]) -> str:
    with socket.create_connection(("127.0.0.1", server.port), 30) as connection:
        for piece in pieces:
            connection.sendall(piece.encode())
            time.sleep(0.1 if len(pieces) < 9 else 0.001)
        found = b""
        while data := connection.recv(1 << 16):
            found += data
    return found.decode()


@pytest.mark.parametrize("upgrade", UPGRADES)
@pytest.mark.parametrize("with_body", [announced, chunked])
@pytest.mark.parametrize("cut", ["nowhere", "before the body", "within the body", "everywhere"])
def test_a_body_is_never_a_request(server: Server, upgrade: str, with_body: Callable[[str], str], cut: str) -> None:
    post = f"POST /v1/batch HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n{upgrade}{with_body(GET)}"
    data = post * 2 + LAST
    at = {"before the body": post.index("\r\n\r\n") + 4, "within the body": post.index("GET") + 9}.get(cut, len(data))
    pieces = list(data) if cut == "everywhere" else [data[:at], data[at:]]
    found = heard(server, pieces)
    assert re.findall(r"HTTP/1.1 (\d+)", found) == ["200"] * 3
    assert found.count('{"fen": "GET /v1/materials/KvK HTTP/1.1", "error"') == 2
    assert "KvK.r.h5" not in found


@pytest.mark.parametrize("upgrade", UPGRADES)
def test_requests_behind_one_with_upgrade_are_answered(server: Server, upgrade: str) -> None:
    data = f"GET {PROBE} HTTP/1.1\r\nhost: x\r\n{upgrade}\r\n" * 3 + GET + LAST
    for pieces in ([data], list(data)):
        found = heard(server, pieces)
        assert re.findall(r"HTTP/1.1 (\d+)", found) == ["200"] * 5
        assert found.count("G1.5") == 3


def test_what_asks_for_a_tunnel_gets_none(server: Server) -> None:
    found = heard(server, ["CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n" + GET + LAST])
    assert re.findall(r"HTTP/1.1 (\d+)", found)[0] in ("400", "404", "405")


@pytest.mark.parametrize("with_body", [announced, chunked])
def test_an_upgrade_changes_nothing_that_the_application_hears(with_body: Callable[[str], str]) -> None:
    """Wherever pieces end."""
    body = with_body("GET / H")
    data = f"POST /a?b HTTP/1.1\r\nx: y\r\n{body}GET /c HTTP/1.1\r\n\r\n".encode()
    with_upgrade = data.replace(b"x: y", b"x: y\r\nconnection: upgrade\r\nupgrade: h2c")
    plain = [event for event in events(data, len(data)) if event[0] != "header"]
    for size in (1, 2, 3, 7, 50, len(data)):
        assert [event for event in events(with_upgrade, size) if event[0] != "header"] == plain


class _Told:
    """What a parser tells, pieces of one thing together."""

    def __init__(self) -> None:
        self.events: list[tuple[str, bytes]] = []

    def __getattr__(self, name: str) -> object:
        def tell(*words: bytes) -> None:
            kind, word = name.removeprefix("on_"), b": ".join(words)
            if self.events and self.events[-1][0] == kind in ("url", "body"):
                word = self.events.pop()[1] + word
            self.events.append((kind, word))

        return tell


def events(data: bytes, size: int) -> list[tuple[str, bytes]]:
    told = _Told()
    parser = Parser(told)
    for at in range(0, len(data), size):
        parser.feed_data(data[at : at + size])
    return told.events


@pytest.mark.skipif(not shutil.which("curl"), reason="no curl here: scripts/programs installs it")
def test_curl_that_asks_for_http2(server: Server, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(f"{BISHOP}\n")
    command = ["curl", "-s", "-H", "content-type: text/plain", "--data-binary", f"@{tmp_path}/one.txt"]
    told = [
        subprocess.run([*command, how, f"{server.url}/v1/batch"], capture_output=True, check=True, timeout=60).stdout
        for how in ("--http1.1", "--http2")
    ]
    assert told[0] == told[1] != b""
