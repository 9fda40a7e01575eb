"""clients/js/rmtb.js believes neither hosts nor files."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tbgen.store import BUNDLED
from tests.support.js_client import FEW, PAWN, ask, needs_node, positions, run
from tests.support.patience import PATIENCE
from tests.support.range_host import Answer, Asked, Host, hosting


def lying(change: Callable[[Answer, Asked, Host], Answer]) -> Callable[[Host, Asked], Answer]:
    """As it should be, but for the tables' parts."""
    return lambda host, asked: change(host.parts(asked), asked, host) if asked.part else host.parts(asked)


def ranged(answer: Answer, value: str) -> Answer:
    return answer._replace(headers={**answer.headers, "Content-Range": value})


HOSTILE: dict[str, tuple[str, Callable[[Answer, Asked, Host], Answer]]] = {
    "another part": ("another part", lambda answer, asked, host: ranged(answer, "bytes 1-32768/88412")),
    "another size": ("bytes, not", lambda answer, asked, host: ranged(answer, f"bytes 0-32767/{1 << 40}")),
    "no sense": ("another part", lambda answer, asked, host: ranged(answer, "bytes all")),
    "shorter": ("ends too early", lambda answer, asked, host: answer._replace(body=answer.body[:-9], length=32759)),
    "breaks off": ("ends too early", lambda answer, asked, host: answer._replace(body=answer.body[:-9], length=None)),
    "longer": (
        "more than was asked",
        lambda answer, asked, host: answer._replace(body=answer.body + b"x", length=None),
    ),
    "endless": ("more than was asked", lambda answer, asked, host: answer._replace(endless=True)),
    "endless whole": ("no parts of files", lambda answer, asked, host: Answer(200, {}, b"", None, endless=True)),
    "compressed part": (
        "compresses",
        lambda answer, asked, host: answer._replace(headers={**answer.headers, "Content-Encoding": "gzip"}),
    ),
    "broken transfer": ("no answer", lambda answer, asked, host: Answer(200, {"Content-Encoding": "gzip"}, b"no", 2)),
    "zeros": ("not a table", lambda answer, asked, host: answer._replace(body=bytes(len(answer.body)))),
    "a page": ("not a table", lambda answer, asked, host: Answer(200, {}, b"<p>Log in", 9)),
    "an error": ("status 500", lambda answer, asked, host: Answer(500, {}, b"", 0)),
    "no such part": ("status 416", lambda answer, asked, host: Answer(416, {}, b"", 0)),
    "silence": ("no answer in time", lambda answer, asked, host: (host.closing.wait(PATIENCE), answer)[1]),
    "nobody": ("no answer", lambda answer, asked, host: Answer(302, {"Location": "http://127.0.0.1:1/"}, b"", 0)),
    "in circles": ("no answer", lambda answer, asked, host: Answer(302, {"Location": asked.name}, b"", 0)),
}


@needs_node
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_host_gives_an_error(name: str) -> None:
    said, change = HOSTILE[name]
    with hosting(BUNDLED, lying(change)) as host:
        begun, timeout = time.monotonic(), 1 if name == "silence" else PATIENCE
        (found,) = ask(host.url, [("probe", PAWN, {})], timeout=1000 * timeout, whole=1 << 20)
        assert found["code"] in ("host", "corrupt_table"), found
        assert said in found["message"]
        assert "\n" not in found["message"]
        assert time.monotonic() - begun < PATIENCE
        assert host.sent < 32 << 20  # what fits into buffers on the way


@needs_node
def test_another_origin_is_not_believed() -> None:
    """Even if it has the table."""
    with (
        hosting(BUNDLED) as other,
        hosting(
            BUNDLED, lying(lambda answer, asked, host: Answer(302, {"Location": f"{other.url}{asked.name}"}, b"", 0))
        ) as host,
    ):
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])
        assert (found["code"], "another host" in found["message"]) == ("host", True)


@needs_node
def test_redirects_within_a_host_are_followed(tmp_path: Path) -> None:
    (tmp_path / "there").symlink_to(BUNDLED)
    with hosting(
        tmp_path,
        lambda host, asked: (
            host.parts(asked)
            if asked.name.startswith("there")
            else Answer(302, {"Location": f"/there/{asked.name}"}, b"", 0)
        ),
    ) as host:
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])
        assert found["gscore"] == "G1.5"


@needs_node
@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"{}",
        b"[]",
        b'{"tables": {}}',
        b'{"tables": [{"name": "KBvK.r.h5"}]}',
        b'{"tables": [{"name": "KBvK.r.h5", "bytes": -1, "sha256": 5}]}',
        b'{"tables": [{"name": "KBvK.r.h5", "bytes": 1e300, "sha256": 5, "head": 7}]}',
        b'{"tables": [null, 5, {"name": "../KBvK.r.h5", "bytes": 44170}]}',
        b'{"tables": [{"name": "KBvK.r.h5", "bytes": 44171}]}',
        b'{"tables": [{"name": "KBvK.r.h5", "bytes": 44170, "head": "tbgen endgame table\\ncrc32 00000000\\n"}]}',
    ],
)
def test_a_wrong_catalogue_leads_nowhere(body: bytes) -> None:
    with hosting(BUNDLED) as host:
        host.extra["catalogue.json"] = body
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})], timeout=1000 * PATIENCE)
        if body != b'{"tables": [{"name": "KBvK.r.h5"}]}':  # it is enough to find a table
            assert found["code"] in ("host", "corrupt_table", "missing_table"), found
        assert {asked.name for asked in host.asked} <= {"catalogue.json", "KBvK.r.h5"}


@needs_node
def test_a_host_of_another_origin_may_hide_which_part_it_gives() -> None:
    with hosting(BUNDLED, lying(lambda answer, asked, host: answer._replace(headers={}))) as host:
        fens = [fen for fen, _ in positions(FEW, 20, 8)]
        assert not [answer for answer in ask(host.url, [("moves", fen, {}) for fen in fens]) if "code" in answer]
        host.extra["catalogue.json"] = b'{"tables": [{"name": "KBvK.r.h5", "bytes": 44171}]}'
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])
        assert (found["code"], "44171 bytes" in found["message"]) == ("corrupt_table", True)


@needs_node
def test_an_endless_catalogue_is_left() -> None:
    endless = Answer(200, {}, b"[", None, endless=True)
    with hosting(BUNDLED, lambda host, asked: endless if asked.part is None else host.parts(asked)) as host:
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {})])
        assert (found["code"], "16777216" in found["message"]) == ("host", True)


@needs_node
def test_whoever_waits_no_more_hears_so() -> None:
    with hosting(BUNDLED, lying(HOSTILE["silence"][1])) as host:
        (found,) = ask(host.url, [("probe", "8/8/8/4KBk1/8/8/8/8 b - - 0 1", {"patience": 200})])
        assert found["name"] == "TimeoutError"


def check_damage(name: str, count: int) -> None:
    given = [list(each) for each in positions((name.partition(".")[0],), 4, 2)]
    (found,) = run("damage.mjs", str(BUNDLED / name), str(count), "1", given=given)
    assert not found["wrong"]
    assert found["right"] > count / 10
    assert found["refused"] > count / 2


@needs_node
@pytest.mark.parametrize("name", ["KBvK.r.h5", "KPvK.r.h5", "KNvK.wg.h5"])
def test_a_damaged_file_gives_the_right_answer_or_an_error(name: str) -> None:
    check_damage(name, 200)


@pytest.mark.full
@needs_node
@pytest.mark.parametrize("name", ["KBvK.r.h5", "KPvK.r.h5", "KNvK.wg.h5"])
def test_ten_thousand_damaged_files(name: str) -> None:
    check_damage(name, 10_000)
