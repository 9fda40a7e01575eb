"""Tables that come, change and go while the server has them."""

import asyncio
import os
import shutil
import threading
from pathlib import Path

import httpx
import pytest

from tbgen.probe import Tablebase
from tbgen.serve.served import Served
from tbgen.serve.service import Service, Settings
from tbgen.store import open_table
from tbgen.store.write import write_table
from tests.support.serving import PROBE, serving, wait_for


def test_tables_that_appear_change_and_go(small_tables: Path, tmp_path: Path) -> None:
    with serving(tmp_path, bundled=False) as server, httpx.Client(base_url=server.url) as client:
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
        "tbgen.serve.served.Tablebase",
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
