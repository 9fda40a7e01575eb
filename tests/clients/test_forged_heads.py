"""Forged heads, with right checksums: the readers in Python, C and JavaScript refuse each in their way."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from soaking.forge import relined, says

from tbgen.errors import CorruptTable
from tbgen.store import BUNDLED, open_table
from tbgen.store.format import head as heads
from tests.support.c_client import SANITIZED, ask, compiled, there_is
from tests.support.js_client import ask as ask_js
from tests.support.js_client import needs_node
from tests.support.runs import BISHOP

NAME: Final = "KBvK.r.h5"
SOUND: Final = (BUNDLED / NAME).read_bytes()
LINES: Final = SOUND[len(heads.MAGIC) : heads.SIZE].rstrip(b"\0").decode("ascii").splitlines(keepends=True)[:-1]

HUGE: Final = 1 << 62
NUMBERS: Final = ("", -1, "1.5", "x", "0x10", "1e3", HUGE, "9" * 30, "\x1b[2J")
VALUES: Final[dict[str, tuple[object, ...]]] = {
    "format": ("", "1", "2.0", "x.0"),
    "material": ("", "K", "KB", "KvKB", "KQvK", "KBvK KBvK", "KBBvK", "kbk", "KPPPPPPPPvK", "\x1b[2J"),
    "rules": ("", "x", "R", "wg"),
    "bound": ("", "x", "exact", "worst"),
    "keeps": ("", "none", "BOTH"),
    "men": ("", "KkN", "KkBB", "kKB", "Kk", "KkQ", "KkP", "KkBp", "__proto__"),
    "man K": ("", "W", "K"),
    "man B": ("", "R", "B B"),
    "numbers": (*NUMBERS, 0, 59137, 591360000),
    "chunk": (*NUMBERS, 0, 1, 3 << 12, 1 << 13, 1 << 15, 1 << 24),
    "group": (*NUMBERS, 0, 1, 1 << 30),
    "order": (
        "",
        "1",
        "x",
        "1 " * 13 + "1",
        " ".join("0" * 14),
        f"{1 << 31} " * 13 + "1",
        "1.5 " * 13 + "1",
        "1  2",
        "-1",
    ),
    "distances": (*NUMBERS, 256),
    "distance_bytes": (*NUMBERS, 0, 3),
    "shape_bytes": (*NUMBERS, 4),
    "form_bytes": (*NUMBERS, 9),
    "longest": (*NUMBERS, 0, 16383),
    "size": (*NUMBERS, 0, 4095),
    "rows": ("", "x", "1.5", "-1", "0x0", "0 0", 255, 8, 256, 264, 2048, (1 << 64) - 1, 59136 << 16),
    "section index": ("", "1", "1 2 3", "0 8", "4096 0", "-1 8", "x y", f"{HUGE} {HUGE}", f"4096 {HUGE}"),
    "section shapes": (f"{HUGE} 1", "4096 100"),
    "section chunks": ("", "4096 0", f"4096 {HUGE}", "4096 100", "x y"),
}
"""What no sound head of KBvK has on these lines. Rows of 8 and of 256 swap sides, which have other men."""


def line(name: str, value: object) -> Callable[[str], str]:
    return lambda lines: says(lines, name, value)


def twice(text: str) -> Callable[[str], str]:
    return lambda lines: f"{lines}{text}"


def forgeries() -> dict[str, Callable[[str], str]]:
    """Changes of the lines between the first and the last."""
    found = {f"{name} {value}"[:60]: line(name, value) for name, values in VALUES.items() for value in values}
    for text in LINES:
        name = " ".join(text.split()[: 2 if text.startswith(("man ", "section ")) else 1])
        found |= {f"{name} twice": twice(text), f"{name} in two ways": twice(f"{name} 1 2\n")}
        if name in VALUES and name != "section shapes":
            found[f"no {name}"] = lambda lines, text=text: lines.replace(text, "", 1)  # type: ignore[misc]
    return found | {"a name of JavaScript's twice": twice("__proto__ 1\n__proto__ 1\n")}


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Directories with a forged table each."""
    place, found = tmp_path_factory.mktemp("forged"), {}
    for number, (what, change) in enumerate(forgeries().items()):
        found[what] = place / str(number)
        found[what].mkdir()
        forgery = relined(SOUND, change)
        assert forgery != SOUND, what
        (found[what] / NAME).write_bytes(forgery)
    return found


def read(path: Path) -> None:
    """Read and check a table: this reader counts where slices begin, and believes no rows."""
    with open_table(path) as table:
        table.digest()
        table.check()


def test_python_refuses_them(forged: dict[str, Path]) -> None:
    taken = []
    for what, directory in forged.items():
        try:
            read(directory / NAME)
        except CorruptTable:
            continue
        taken.append(what)
    assert taken == []


@pytest.mark.skipif(not there_is("gcc"), reason="no C compiler (Debian: apt install gcc)")
def test_c_refuses_them(forged: dict[str, Path], tmp_path: Path) -> None:
    driver = compiled(tmp_path, "driver.c", *SANITIZED)
    assert ask([driver], BUNDLED, "r", [(BISHOP, None)])[0].error == "ok"
    said = {what: ask([driver], where, "r", [(BISHOP, None)], wants="")[0].error for what, where in forged.items()}
    assert {what: error for what, error in said.items() if error not in ("damaged", "unsupported")} == {}


@needs_node
def test_javascript_refuses_them(forged: dict[str, Path]) -> None:
    (sound,) = ask_js(BUNDLED, [("probe", BISHOP, {})])
    assert sound["gscore"] == "G1.5"
    place = next(iter(forged.values())).parent
    answers = ask_js(f"{place}/", [("probe", BISHOP, {})] * len(forged), anew=True)
    assert {what: one for what, one in zip(forged, answers, strict=True) if one.get("code") != "corrupt_table"} == {}
    assert all(one["message"].isprintable() for one in answers)
