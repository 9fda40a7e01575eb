"""Tables that come, change and go while the server has them."""

import asyncio
import os
import re
import shutil
import threading
import time
from collections import Counter
from itertools import count
from pathlib import Path

import httpx
import pytest

from tbgen.errors import CorruptTable
from tbgen.probe import Tablebase
from tbgen.store import open_table
from tbgen.store.format.schema import INDEX
from tbgen.store.write import write_table
from tbgen.web.server.log import Log
from tbgen.web.server.service import Service, Settings
from tbgen.web.server.table_registry import Served
from tests.support.damaged import damaged
from tests.support.patience import PATIENCE
from tests.support.runs import BISHOP
from tests.support.serving import PROBE, serving, start, wait_for


def test_tables_that_appear_change_and_go(small_tables: Path, tmp_path: Path) -> None:
    with (
        serving(tmp_path, bundled=False, log=[]) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        assert client.get("/v1/health").status_code == 503
        assert client.get(PROBE).status_code == 404
        shutil.copy(small_tables / "KBvK.r.h5", tmp_path / "new")
        (tmp_path / "new").rename(tmp_path / "KBvK.r.h5")
        wait_for(lambda: client.get("/v1/health").status_code == 200)
        first = client.get(PROBE)
        assert first.json()["gscore"] == "G1.5"
        (tmp_path / "new").write_bytes((small_tables / "KNvK.r.h5").read_bytes())
        (tmp_path / "new").rename(tmp_path / "KBvK.r.h5")
        wait_for(lambda: client.get(PROBE).status_code == 503)
        shutil.copy(small_tables / "KBvK.r.h5", tmp_path / "new")
        (tmp_path / "new").rename(tmp_path / "KBvK.r.h5")
        wait_for(lambda: client.get(PROBE).status_code == 200)
        (tmp_path / "KBvK.r.h5").unlink()
        wait_for(lambda: client.get(PROBE).status_code == 404)
        held = [str(path.readlink()) for path in Path(f"/proc/{server.process.pid}/fd").iterdir() if path.is_symlink()]
        assert not [name for name in held if ".h5" in name], "none that is there, and none that is gone"


def test_a_tablebase_that_is_replaced_is_closed_when_the_last_has_gone(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    closed: list[Tablebase] = []
    monkeypatch.setattr(Tablebase, "close", lambda self: closed.append(self))  # noqa: PLW0108
    served = Served(tmp_path)
    with served.tablebase(served.state.tables[next(iter(served.state.tables))].rules) as tablebase:
        os.utime(tmp_path / "KBvK.r.h5", (1, 1))
        served.refresh()
        assert tablebase not in closed
    assert closed == [tablebase]


def test_an_old_answer_never_bears_the_new_tag(
    small_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks while tables are opened anew still has the old state, and what is asked then is not kept for later."""
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    served = Served(tmp_path)
    before, seen = served.state, []
    monkeypatch.setattr(
        "tbgen.web.server.table_registry.Tablebase",
        lambda *words: (seen.append(served.state), Tablebase(*words))[1],  # type: ignore[func-returns-value]
    )
    with open_table(tmp_path / "KBvK.r.h5") as table:
        write_table(tmp_path / "KBvK.r.h5", table.part(0, table.size), {"attractions": 17})
    assert served.refresh()
    assert seen == [before]
    assert served.state.tag != before.tag
    served.close()


def test_only_the_thread_of_the_event_loop_forgets(small_tables: Path, tmp_path: Path) -> None:
    service = Service(Settings(tmp_path))
    threads = []
    service.work.cache.clear = lambda: threads.append(threading.get_ident())  # type: ignore[method-assign]
    shutil.copy(small_tables / "KBvK.r.h5", tmp_path)
    asyncio.run(service.refresh())
    service.close()
    assert threads == [threading.get_ident()]


# The log


def test_each_cause_is_told_once_for_each_state_of_its_file(small_tables: Path, tmp_path: Path) -> None:
    directory = tmp_path / "a\x1b[2Jb"
    directory.mkdir()
    table = directory / "KBvK.r.h5"
    right = (small_tables / "KBvK.r.h5").read_bytes()
    log: list[str] = []
    number = count(1)
    with (
        serving(directory, bundled=False, log=log) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):

        def probed() -> httpx.Response:
            """The answer to a question that has no kept one."""
            return client.get(f"/v1/probe?fen=8/8/8/4KBk1/8/8/8/8_b_-_-_0_{next(number)}")

        for _ in range(2):
            table.write_bytes(damaged(right, INDEX))
            wait_for(lambda: probed().status_code == 503)
            for _ in range(5):
                assert probed().json()["error"]["code"] == "corrupt_table"
                assert client.post("/v1/batch", json={"fens": [BISHOP]}).status_code == 200
            time.sleep(2.5)
            assert probed().status_code == 503
            table.write_bytes(right)
            wait_for(lambda: probed().status_code == 200)
    assert len(log) >= 2
    assert {re.fullmatch(r"tbgen: .*a\\x1b\[2Jb/KBvK\.r\.h5(: | )(.*)", line) is not None for line in log} == {True}
    assert max(Counter(log).values()) == 2, "once for each time that it was damaged"


def test_tables_of_an_earlier_version_hide_no_new_ones(small_tables: Path, tmp_path: Path) -> None:
    log: list[str] = []
    with (
        serving(tmp_path, bundled=False, log=log) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        for name in ("own", "local"):
            (tmp_path / name).mkdir()
        (tmp_path / "own" / "KPvK.r.abc.h5").touch()
        for _ in range(3):
            pawn = client.get("/v1/probe", params={"fen": "8/2P5/8/8/8/1k6/8/K7 w - - 0 1"})
            assert pawn.json()["error"]["code"] == "failed"
        time.sleep(5)
        (tmp_path / "new").write_bytes((small_tables / "KBvK.r.h5").read_bytes())
        (tmp_path / "new").rename(tmp_path / "KBvK.r.h5")
        wait_for(lambda: client.get(PROBE).status_code == 200)
    trouble = (
        f"tbgen: an earlier tbgen kept tables in {tmp_path / 'own'}: remove it (tbgen solve --keep makes them again)"
    )
    assert log == [trouble] * 2, "by the answer, and by the look at the directory"


def test_lines_of_the_log_are_short(capsys: pytest.CaptureFixture[str]) -> None:
    log = Log()
    for _ in range(3):
        log.tell_once(CorruptTable("x\n" * 10_000))
    told = capsys.readouterr().err
    assert told.startswith("tbgen: x\\nx")
    assert (told.count("\n"), len(told) < 600) == (1, True)


def test_requests_are_told_where_that_is_asked(small_tables: Path) -> None:
    server = start(small_tables, "--access-log")
    assert httpx.get(server.url + PROBE).status_code == 200
    assert httpx.post(f"{server.url}/v1/nothing?{'x%1b' * 2500}").status_code == 404
    server.process.terminate()
    told, errors = server.process.communicate(timeout=PATIENCE)
    first, second = told.splitlines()
    assert re.fullmatch(rf'20\S+ 127\.0\.0\.1 "GET {re.escape(PROBE)}" 200 \d+\.\d ms', first)
    assert '"POST /v1/nothing?x%1bx%1b' in second
    assert len(second) < 600
    assert errors == ""
