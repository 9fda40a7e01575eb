"""The server as a process: where it listens, which signals end it, and how."""

import http.client
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tbgen.cli.main import main
from tests.support.patience import PATIENCE
from tests.support.runs import BISHOP
from tests.support.serving import Server, serving, start


def test_sigterm_finishes_what_is_begun(small_tables: Path) -> None:
    with serving(small_tables) as server:
        body = json.dumps({"fens": [BISHOP] * 3_000, "moves": True})
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.request("POST", "/v1/batch", body, {"content-type": "application/json"})
        answer = connection.getresponse()
        answer.read(100)
        server.process.send_signal(signal.SIGTERM)
        rest = answer.read()
        assert rest.count(b"\n") >= 2_999
        assert rest.endswith(b"\n")
        connection.close()


def test_ctrl_c_has_its_exit_code(small_tables: Path) -> None:
    process = start(small_tables).process
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (130, "")


def test_a_second_signal_breaks_off_what_the_first_lets_end(small_tables: Path) -> None:
    """Without a traceback."""
    server = start(small_tables)
    process = server.process
    body = json.dumps({"fens": [BISHOP] * 10_000, "moves": True})
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("POST", "/v1/batch", body, {"content-type": "application/json"})
    answer = connection.getresponse()
    assert (answer.status, len(answer.read(100))) == (200, 100)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    connection.close()
    assert (process.returncode, errors) == (130, "")


def test_a_terminal_that_is_closed_ends_it(small_tables: Path) -> None:
    with serving(small_tables) as server:
        server.process.send_signal(signal.SIGHUP)
        assert server.process.wait(timeout=PATIENCE) == 0


def test_what_cannot_be_listened_at(server: Server, small_tables: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--port", str(server.port)], ["--host", "no.such.host.invalid"], ["--host", "a" * 64]):
        assert main(["serve", "--tables", str(small_tables), *words]) == 1
        errors = capsys.readouterr().err
        assert errors.startswith("tbgen: cannot listen at ")
        assert errors.count("\n") == 1


def test_it_is_bound_to_this_machine(server: Server) -> None:
    assert server.url.startswith("http://127.0.0.1:")


def test_as_many_files_as_the_system_allows() -> None:
    code = """
import resource
from tbgen.web.server.run import _open_more_files
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (64, most))
_open_more_files()
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, most)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
