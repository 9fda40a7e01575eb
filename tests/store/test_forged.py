"""Files whose checksums are right and whose contents cannot be: refused in a line, before any memory is taken."""

import json
import os
import random
import socket
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from soaking.forge import Parts, Stored, bomb, deflated, forged, relined, says

from tbgen.cli.main import main
from tbgen.core.material import parse
from tbgen.core.table_contents import no_positions
from tbgen.errors import CorruptTable
from tbgen.store import open_table
from tbgen.store.format import head as heads
from tbgen.store.format.local import Bound, LocalNotes
from tbgen.store.format.schema import COUNT, FORMS_PER_PAGE, SHAPE_BLOCK
from tbgen.store.write import write_table
from tests.support.contents import random_contents

LITTLE = 24 << 20
"""Bytes."""
RULES = ("r", "wg")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Tables with staircases, without them, and of a few slices."""
    place = tmp_path_factory.mktemp("sound")
    for rules, staircases in zip(RULES, (3000, 0), strict=True):
        contents = random_contents(parse("KBvK"), rules=rules, seed=4, staircases=staircases)
        write_table(place / rules, contents, {"seconds": 1.0})
    notes = LocalNotes(Bound.WORST, "0123456789abcdef", ((8, 35), (16, 35)), (parse("KPvK"),), ())
    contents = no_positions(parse("KPvKP"), notes.layout(parse("KPvKP")).size)
    write_table(place / "local", contents, {}, local=notes)
    return {path.name: path.read_bytes() for path in place.iterdir()}


Answers = tuple[list[object], str]


def read_all(path: Path) -> Answers:
    """Some positions, one by one, and all of them."""
    with open_table(path) as table:
        found: list[object] = []
        for number in range(0, table.size, 499):
            look = table.look(number)
            found.append((look, table.steps_of(look[2])))
        return found, table.digest()


def check(path: Path) -> None:
    with open_table(path) as table:
        table.check()


@contextmanager
def taking_little(most: int = LITTLE) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def assert_refused(path: Path, read: Callable[[Path], object] = read_all) -> str:
    """What it says."""
    with taking_little(), pytest.raises(CorruptTable, match=str(path)) as caught:
        read(path)
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < len(str(path)) + 300
    return said


def written(place: Path, data: bytes) -> Path:
    path = place / "table"
    path.write_bytes(data)
    return path


# --- the head -------------------------------------------------------------------------------------------------

HUGE = (1 << 62) - 1
VALUES: dict[str, list[object]] = {
    "format": ["", "1", "1.0.0", "x.0", "2.0", "1.-1"],
    "material": ["", "K", "KPPPPPPPPvKPPPPPPPP", "kbk", "KvKB", "KNvK", "KBvK KBvK", "\x1b[2J", "KQQQQvK", "ö"],
    "rules": ["", "x", "R", "\x1b[2J"],
    "bound": ["", "x", "exact", "worst"],
    "keeps": ["", "first", "BOTH"],
    "men": ["", "KkN", "KkBB", "kKB"],
    "man B": ["", "R", "B B"],
    "man K": ["W"],
    "numbers": ["", 0, 59135, 59137, HUGE, 1 << 62, 10**60, "9" * 3000, -1, "59136.0", "5e4", "0x10", "59136 59136"],
    "legal": ["", 59137, HUGE, 1 << 62, -1, "many"],
    "staircases": ["", -1, "nan", "1e300", 1 << 63],
    "steps": ["", -1, "inf"],
    "chunk": ["", 0, 3 << 12, 1 << 13, 1 << 15, 1 << 40, HUGE],
    "group": ["", 0, 1, 1 << 40, HUGE],
    "order": [
        "",
        "1",
        "1 " * 13 + "1",
        " ".join(["0"] * 14),
        f"{1 << 31} " * 14,
        "1 " * 64,
        "x " * 14,
        f"{HUGE} " * 14,
    ],
    "distances": ["", 0, 256, 1 << 40],
    "distance_bytes": ["", 0, 3, 1 << 40],
    "shape_bytes": ["", 4, 1 << 40],
    "form_bytes": ["", 9, 1 << 40],
    "longest": ["", 0, 16383, 1 << 40, HUGE],
    "size": ["", 0, 4095, HUGE, 10**60, -5],
    "sha256": ["", "x", "0" * 63, "0" * 65, "A" * 64],
    "section index": ["", "1", "1 2 3", "0 8", "4096 0", "-1 8", f"4096 {HUGE}", f"{HUGE} {HUGE}", "x y", "5000 156"],
    "section shapes": ["4096 0", "0 100", f"{HUGE} 1", "4096 100"],
    "section notes": ["4096 0", "4096 3", "4096 100", f"4096 {HUGE}"],
    "section chunks": ["4096 0", f"4096 {HUGE}", "4096 100", f"{HUGE} {HUGE}"],
}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", VALUES)
def test_no_line_says_what_cannot_be(sound: dict[str, bytes], tmp_path: Path, name: str, rules: str) -> None:
    for value in VALUES[name]:
        forgery = relined(sound[rules], lambda lines, value=value: says(lines, name, value))
        assert forgery != sound[rules]
        assert_refused(written(tmp_path, forgery))


@pytest.mark.parametrize("rules", RULES)
def test_a_line_that_is_not_there_or_twice(sound: dict[str, bytes], tmp_path: Path, rules: str) -> None:
    """Programs would differ in which of them they take."""
    lines = sound[rules][len(heads.MAGIC) : heads.SIZE].rstrip(b"\0").decode("ascii").splitlines(keepends=True)[:-1]
    for at in range(len(lines)):
        without, twice = "".join([*lines[:at], *lines[at + 1 :]]), "".join([*lines, lines[at]])
        for text in (without, twice):
            assert_refused(written(tmp_path, relined(sound[rules], lambda _, text=text: text)))


def another(name: str, value: object) -> Callable[[str], str]:
    return lambda lines: says(lines, name, value)


HARMLESS: dict[str, Callable[[str], str]] = {
    "lines in another order": lambda lines: "".join(reversed(lines.splitlines(keepends=True))),
    "lines of a later version": lambda lines: f"{says(lines, 'format', '1.7')}colour red\nmore 1 2\n",
    "a section of a later version": lambda lines: f"{lines}section colours 4096 100\n",
    "another program": another("program", "chess 9"),
    "more staircases": another("staircases", HUGE),
    "fewer legal positions": another("legal", 0),
    "longer chunks": another("longest", 1 << 15),
    "one section over another": another("section slices", "4096 5000"),
}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("what", HARMLESS)
def test_lines_that_do_no_harm(sound: dict[str, bytes], tmp_path: Path, what: str, rules: str) -> None:
    right = read_all(written(tmp_path, sound[rules]))
    longest = heads.parse(sound[rules][: heads.SIZE]).longest
    change = another("longest", longest + 1) if what == "longer chunks" else HARMLESS[what]
    path = written(tmp_path, relined(sound[rules], change))
    with taking_little():
        assert read_all(path) == right
        check(path)


def test_places_of_slices_are_compared_by_who_checks_a_table(sound: dict[str, bytes], tmp_path: Path) -> None:
    """This program counts them; others believe the file."""
    pawns = tmp_path / "pawns"
    write_table(pawns, random_contents(parse("KPvKP"), seed=1, staircases=0, legal=0.001), {})
    parts = Parts(pawns.read_bytes())
    parts.sections["slices"] = parts.sections["slices"][:-16] + bytes(16)
    for data in (
        parts.together(),
        relined(sound["r"], another("rows", 33)),
        relined(sound["r"], another("rows", "")),
    ):
        assert "wrong slices" in assert_refused(written(tmp_path, data), check)


def test_a_head_that_is_too_long(sound: dict[str, bytes], tmp_path: Path) -> None:
    path = written(tmp_path, relined(sound["r"], lambda lines: f"{lines}more {'x' * heads.SIZE}\n"))
    assert "first bytes are damaged" in assert_refused(path)


def test_a_head_that_is_forged_while_the_file_is_open(sound: dict[str, bytes], tmp_path: Path) -> None:
    path = written(tmp_path, sound["r"])
    with open_table(path) as table:
        path.write_bytes(relined(sound["r"], another("size", HUGE)))
        assert_refused(path, lambda path: table.check())
        path.write_bytes(relined(sound["r"], another("sha256", "0" * 64)))
        assert_refused(path, lambda path: table.check())


# --- what lies behind it --------------------------------------------------------------------------------------


def edit(part: str, change: Callable[[bytes], bytes]) -> Callable[[Parts], None]:
    """Change the first of the lists, pages or chunks, inflated."""

    def edited(parts: Parts) -> None:
        found = getattr(parts, part)
        found[0] = change(found[0])

    return edited


def blocks(parts: Parts) -> list[int]:
    """How many shapes each block of the first list has."""
    count = int.from_bytes(parts.counts[0], "little")
    return [min(SHAPE_BLOCK, count - at) for at in range(0, count, SHAPE_BLOCK)]


def column(plane: int, values: bytes) -> Callable[[Parts], None]:
    """Planes of the list of shapes, from its first shape on: two of outcomes, distances, forms."""

    def edited(parts: Parts) -> None:
        raw = bytearray(parts.lists[0])
        count = blocks(parts)[0]
        raw[plane * count : plane * count + len(values)] = values
        parts.lists[0] = bytes(raw)

    return edited


def said(count: Callable[[int], int]) -> Callable[[Parts], None]:
    """The list says that it has so many shapes, given how many it has."""

    def edited(parts: Parts) -> None:
        parts.counts[0] = count(int.from_bytes(parts.counts[0], "little")).to_bytes(COUNT, "little")

    return edited


def page(steps: list[int], how: int = 0, outcome: int = 1, count: int | None = None) -> Callable[[Parts], None]:
    """A page of forms whose steps are all alike."""
    raw = (len(steps) if count is None else count).to_bytes(2, "little") + bytes(steps)
    planes = (outcome % (1 << 16)).to_bytes(2, "little")
    raw += b"".join(bytes([value]) * sum(steps) for value in (how, 5, *planes))
    return edit("pages", lambda _: raw)


def wide_forms(number: int) -> Callable[[Parts], None]:
    """All shapes have a form of this number, which has eight bytes."""

    def edited(parts: Parts) -> None:
        raw, made = parts.lists[0], b""
        for count in blocks(parts):
            made += raw[: 3 * count] + b"".join(bytes([byte]) * count for byte in number.to_bytes(8, "little"))
            raw = raw[(3 + parts.head.form_bytes) * count :]
        parts.lists[0] = made
        parts.head = parts.head._replace(form_bytes=8)

    return edited


def held_more(parts: Parts) -> None:
    """Every shape stores one distance more, and every chunk has room for it."""
    raw, width, at = bytearray(parts.lists[0]), parts.head.chunk, 0
    held = set[int]()
    for count in blocks(parts):
        here = slice(at + 2 * count, at + 3 * count)
        raw[here] = bytes(byte + 1 for byte in raw[here])
        held |= {*raw[here]}
        at += (3 + parts.head.form_bytes) * count
    parts.lists[0] = bytes(raw)
    parts.chunks = [chunk + bytes(width) for chunk in parts.chunks]
    parts.head = parts.head._replace(distances=max(held), longest=parts.head.longest + width)


def indexed(name: str, value: int) -> Callable[[Parts], None]:
    def edited(parts: Parts) -> None:
        parts.change_index = lambda index: index[name].fill(value)

    return edited


def swapped_lengths(parts: Parts) -> None:
    def change(index: np.ndarray) -> None:
        index["length"][0, :2] = index["length"][0, 1::-1]

    parts.change_index = change


def told(notes: bytes) -> Callable[[Parts], None]:
    def edited(parts: Parts) -> None:
        parts.notes = notes

    return edited


def noted(facts: object) -> Callable[[Parts], None]:
    return told(json.dumps({"facts": facts}).encode("ascii"))


FORGERIES: dict[str, Callable[[Parts], None]] = {
    "a list that inflates without end": edit("lists", lambda _: bomb()),
    "a list that is none": edit("lists", lambda _: Stored(b"no list")),
    "a list without bytes": edit("lists", lambda _: Stored(b"")),
    "a list cut short": edit("lists", lambda raw: raw[:-1]),
    "a list that says more than it has": said(lambda count: count + 1),
    "a list that says less than it has": said(lambda count: count - 1),
    "a list that says it has none": said(lambda count: 0),
    "a list that says more than a group has": said(lambda count: (1 << 32) - 1),
    "a list of some shapes": edit("lists", lambda _: b""),
    "a list that ends in its middle": edit("lists", lambda raw: Stored(deflated(raw)[: len(deflated(raw)) // 2])),
    "outcomes past the best": column(1, b"\x7f"),
    "outcomes past the worst": column(1, b"\xfb" * 5),
    "shapes without a distance": column(2, b"\0"),
    "shapes with more distances than the file": column(2, b"\xff"),
    "shapes with more distances than their forms": held_more,
    "index: chunks past numbers": indexed("first", (1 << 64) - 1),
    "index: chunks past the end": indexed("first", 1 << 40),
    "index: chunks a byte on": indexed("first", 1),
    "index: lists past numbers": indexed("shapes", (1 << 64) - 1),
    "index: lists past the end": indexed("shapes", 1 << 40),
    "index: a list of any length": indexed("shapes_length", (1 << 32) - 1),
    "index: no list": indexed("shapes_length", 0),
    "index: chunks of any length": indexed("length", (1 << 32) - 1),
    "index: chunks of no length": indexed("length", 0),
    "index: chunks of another length": swapped_lengths,
    "index: another checksum of chunks": indexed("crc32", 7),
    "index: another checksum of lists": indexed("shapes_crc32", 7),
    "a chunk of numbers beyond": edit("chunks", lambda raw: b"\xff" * len(raw)),
    "a chunk cut short": edit("chunks", lambda raw: raw[:16000]),
    "a chunk without distances": edit("chunks", lambda raw: raw[:16400]),
    "a chunk that is none": edit("chunks", lambda _: Stored(b"no chunk")),
    "a chunk without bytes": edit("chunks", lambda _: Stored(b"")),
    "a chunk that ends in its middle": edit("chunks", lambda raw: Stored(deflated(raw)[:500])),
    "notes that are none": told(b"notes"),
    "notes without bytes": told(b""),
    "notes in a list": told(b"[]"),
    "notes that say nothing": told(b"{}"),
    "notes nested deep": told(b"[" * 100_000),
    "notes nested deep in their place": told(b'{"facts":' * 100_000),
    "notes of a long number": told(b'{"facts": {"a": ' + b"1" * 100_000 + b"}}"),
    "notes in another coding": told('{"facts": {}}'.encode("utf-16")[:-1]),
    "notes that are no text": told(b'{"facts": {"a": "\xff"}}'),
    "notes without end": told(b" " * (1 << 24)),
    "facts in a list": noted([]),
    "many facts": noted({f"n{number}": 1 for number in range(1001)}),
    "a fact that clears the screen": noted({"seconds": "\x1b[2J"}),
    "a fact with such a name": noted({"\x1b[2J": 1}),
    "a fact that is no number": noted({"seconds": float("nan")}),
    "a fact without end": noted({"seconds": float("inf")}),
    "a fact beyond numbers": noted({"seconds": 1 << 63}),
    "a long fact": noted({"longest": "x" * 50_000}),
    "a fact in facts": noted({"seconds": {"seconds": 1}}),
    "a fact that is unknown": noted({"seconds": None}),
}
OF_FORMS: dict[str, Callable[[Parts], None]] = {
    "forms of no page": wide_forms(FORMS_PER_PAGE * 1000),
    "forms past numbers": wide_forms((1 << 63) - 1),
    "forms below none": wide_forms(1 << 63),
    "forms in the page of another file": wide_forms((1 << 40) * FORMS_PER_PAGE),
    "forms that their page does not have": wide_forms(FORMS_PER_PAGE - 1),
    "a page that inflates without end": edit("pages", lambda _: bomb()),
    "a page that is none": edit("pages", lambda _: Stored(b"no page")),
    "a page of nothing": edit("pages", lambda _: Stored(b"")),
    "a page of no forms": page([]),
    "a page of more forms than it has": page([0, 1], count=900),
    "a page of more forms than a page has": page([0] * (FORMS_PER_PAGE + 1)),
    "a page cut short": edit("pages", lambda raw: raw[:-1]),
    "a page with more behind it": edit("pages", lambda raw: raw + b"\0"),
    "a form of too many steps": page([0, 255]),
    "forms of the most steps": page([254] * 1000),
    "an unknown holder": page([0, 1], how=2 << 2),
    "an unknown source": page([0, 1], how=255),
    "an outcome past the best": page([0, 1], outcome=513),
    "an outcome past the worst": page([0, 1], outcome=-513),
}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("what", FORGERIES)
def test_forged_parts_are_refused(sound: dict[str, bytes], tmp_path: Path, what: str, rules: str) -> None:
    parts = Parts(sound[rules])
    FORGERIES[what](parts)
    assert_refused(written(tmp_path, parts.together()))


@pytest.mark.parametrize("what", OF_FORMS)
def test_forged_forms_are_refused(sound: dict[str, bytes], tmp_path: Path, what: str) -> None:
    parts = Parts(sound["r"])
    OF_FORMS[what](parts)
    assert_refused(written(tmp_path, parts.together()))


def test_chunks_that_inflate_without_end(sound: dict[str, bytes], tmp_path: Path) -> None:
    """They say of positions what their first bytes do, and no more of them is inflated than a chunk can have."""
    parts = Parts(sound["r"])
    parts.chunks = [bomb()] * len(parts.chunks)
    longest = 16384 * (1 + 3 + 2 * 255)
    parts.head = parts.head._replace(distances=255, shape_bytes=3, distance_bytes=2, longest=longest)
    path = written(tmp_path, parts.together())
    with open_table(path) as table:
        with taking_little():
            assert table.look(5) == (0, 0, 0)
        with taking_little((3 + len(parts.chunks)) * longest):
            table.digest()


@pytest.mark.parametrize("rules", RULES)
def test_any_forgery_is_read_or_refused(sound: dict[str, bytes], tmp_path: Path, rules: str) -> None:
    for number in range(100):
        _, data = forged(random.Random(f"{rules} {number}"), sound[rules])
        path = written(tmp_path, data)
        with taking_little(), suppress(CorruptTable):
            read_all(path)
            check(path)


LOCAL: dict[str, dict[str, object]] = {
    "no placement": {"slices": []},
    "a placement of too few pawns": {"slices": [[8], [16]]},
    "a placement of too many": {"slices": [[8, 35, 36], [16, 35, 36]]},
    "another placement of too many": {"slices": [[8, 35], [16, 35], [17, 35]]},
    "a placement twice": {"slices": [[8, 35], [8, 35]]},
    "pawns on a square": {"slices": [[8, 8], [16, 35]]},
    "pawns on the last rank": {"slices": [[8, 56], [16, 35]]},
    "pawns off the board": {"slices": [[8, 1 << 70], [16, 35]]},
    "pawns nowhere": {"slices": [[8, None], [16, 35]]},
    "a placement that is none": {"slices": [8, 35]},
    "placements without end": {"slices": [[float("inf"), 35], [16, 35]]},
    "placements of a name": {"slices": "ab"},
    "a key that clears the screen": {"key": "\x1b[2J"},
    "a key in a list": {"key": ["0"]},
    "a long key": {"key": "0" * 100_000},
    "an unknown material": {"complete": ["KXvK"]},
    "a material spelt oddly": {"complete": ["kvk"]},
    "a material that clears the screen": {"complete": ["\x1b[2J"]},
    "materials without end": {"complete": 5},
    "a table of no name": {"tables": ["KPvK"]},
    "a table of a long name": {"tables": ["x" * 100_000]},
    "a table with a number": {"tables": [5]},
    "tables nested deep": {"tables": [[[]]]},
}


@pytest.mark.parametrize("what", [*LOCAL, "no notes", "other notes"])
def test_forged_notes_of_a_local_table_are_refused(sound: dict[str, bytes], tmp_path: Path, what: str) -> None:
    parts = Parts(sound["local"])
    notes = json.loads(parts.notes)
    path = written(tmp_path, parts.together())
    read_all(path)
    check(path)
    if what in LOCAL:
        notes["local"] |= LOCAL[what]
    elif what == "no notes":
        del notes["local"]
    else:
        notes["local"] = 5
    parts.notes = json.dumps(notes).encode("ascii")
    assert_refused(written(tmp_path, parts.together()))


@pytest.mark.parametrize(
    "change", [{"bound": "complete"}, {"rules": "wg"}, {"material": "KvK"}, {"bound": "x"}], ids=str
)
def test_a_forged_head_of_a_local_table_is_refused(
    sound: dict[str, bytes], tmp_path: Path, change: dict[str, str]
) -> None:
    parts = Parts(sound["local"])
    parts.head = parts.head._replace(**change)
    assert_refused(written(tmp_path, parts.together()))


# --- what is no file ------------------------------------------------------------------------------------------


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        before = Path.cwd()
        os.chdir(path.parent)  # such names must be short
        try:
            made.bind(path.name)
        finally:
            os.chdir(before)


def a_loop(path: Path) -> None:
    path.symlink_to(path.name)


ODD: dict[str, Callable[[Path], None]] = {
    "is a pipe": a_pipe,
    "is a directory": Path.mkdir,
    "is a socket": a_socket,
    "is a device": lambda path: path.symlink_to("/dev/zero"),
    "is a symbolic link to nothing": lambda path: path.symlink_to("nowhere"),
    "cannot be read": a_loop,
}


def _all_but_read(path: Path) -> list[int]:
    """What the system says of it, but when it was last read: who follows a link reads it."""
    there = path.lstat()
    return [*there[:7], there.st_mtime_ns, there.st_ctime_ns]


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_file(tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody waits for it, nobody takes it for a table, and nobody writes over it."""
    path = tmp_path / "KvK.r.h5"
    ODD[what](path)
    before = _all_but_read(path)
    assert what in assert_refused(path)
    for command in (
        ["probe", "8/8/8/4K1k1/8/8/8/8 b - - 0 1"],
        ["info"],
        ["verify", "KvK"],
        ["build", "KBvK"],
        ["build", "KvK", "--force"],
        ["build", "KvK", "--dry-run"],
        ["report", "stats"],
    ):
        assert main([*command, "--tables", str(tmp_path)]) == CorruptTable.exit_code, command
        said = capsys.readouterr()
        assert f"{path} {what}" in said.out + said.err
    assert _all_but_read(path) == before
    assert list(tmp_path.iterdir()) == [path]
