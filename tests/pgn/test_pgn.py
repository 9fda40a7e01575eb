"""PGN files taken apart: into games, tags and moves, and nothing lost on the way."""

import contextlib
import io
import random
import re
import tracemalloc

import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.errors import BadInput
from tbgen.rules.pgn import split as pgn
from tbgen.rules.pgn.moves import BadMoves, place, read
from tbgen.rules.pgn.split import BadLine, Unit, units
from tbgen.rules.pgn.tags import TagSection, written
from tests.support.places import GAMES_PGN

GAMES = GAMES_PGN.read_bytes()
SIMPLE = b'[Event "a"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'

# What a broken file may be made of.
pieces = st.sampled_from(
    [
        *(b'[Event "x"]\n', b'[White "y"]\n', b"[Legacy]\n", b"[broken\n", b"\n[Event ", b'"]'),
        *(b"1. e4 e5", b" 1-0\n", b"*\n\n", b"text", b" ", b"{", b"}", b";", b"%", b"(", b")"),
        *(b"\n", b"\n\n", b"\r\n", b"\r", b"\0", b"\xff\xfe", b"\xef\xbb\xbf"),
    ]
)
files = st.lists(pieces, max_size=30).map(b"".join)


def split(data: bytes) -> list[Unit]:
    return list(units(io.BytesIO(data)))


PASTED = (
    '[Event “a – b”]\n[Site\xa0“c”]\n[Result "½-½"]\n\n1. e4 {½ – “so”} e5 2. Nf3 ½–½\n\n'
    "1. e4 e5 ½-½\n\n1…e5 2. ♘f3 1–0\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_games_as_people_paste_them(encoding: str) -> None:
    """Bytes stay, but are read as if they had been typed."""
    data = PASTED.replace("♘", "N").encode(encoding) if encoding != "utf-8" else PASTED.encode()
    if encoding == "cp1252":
        data = data.replace(b"\x93", b'"').replace(b"\x94", b'"').replace(b"\xa0", b" ")
    games = split(data)
    assert b"".join(unit.data for unit in games) == data
    sections = [TagSection(unit.data) for unit in games]
    assert [read(section.text)[:2] for section in sections] == [
        (["1.", "e4", "e5", "2.", "Nf3"], "1/2-1/2"), (["1.", "e4", "e5"], "1/2-1/2"), (["1...e5", "2.", "Nf3"], "1-0"),
    ]  # fmt: skip
    assert sections[0].headers["Result"] == "1/2-1/2"
    assert sections[0].headers["Site"] == "c"
    changed = sections[0].changed({"Result": "1/2-1/2", "Site": "d"})
    assert b'[Result "1/2-1/2"]' in changed
    assert b'[Site "d"]' in changed
    assert "{½ – “so”}".encode() in changed or encoding != "utf-8"


@given(files)
def test_games_put_together_make_the_file(data: bytes) -> None:
    line = 1
    for unit in split(data):
        assert unit.line == line
        line += unit.data.count(b"\n")
    assert b"".join(unit.data for unit in split(data)) == data


@given(files, st.integers(1, 40), st.integers(1, 60))
def test_long_lines_and_games_in_pieces(data: bytes, line: int, game: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgn, "_LINE", line)
        patch.setattr(pgn, "LONGEST", game)
        found = split(data)
    assert b"".join(unit.data for unit in found) == data
    assert all(len(unit.data) <= max(line, game) for unit in found)


def test_the_games_of_a_file() -> None:
    found = split(GAMES)
    assert [unit.number for unit in found] == list(range(1, 9))
    assert all(unit.data.startswith(b"[Event ") for unit in found)
    stream = io.StringIO(GAMES.decode())
    for unit in found:
        game = chess.pgn.read_game(stream)
        assert game is not None
        assert GAMES.split(b"\n")[unit.line - 1] == f'[Event "{game.headers["Event"]}"]'.encode()


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
def test_a_broken_game_spoils_no_other(newline: bytes) -> None:
    for broken in (
        b'[Event "b"]\n\n1. e4 {never closed\n\n',
        b'[Event "b"]\n\n1. e4 (never closed\n',
        b'[Event "b"]\n[White "brok\n',
        b'[Event "b"]\n[White "no moves"]\n\n',
        b'[Event "b"]\n',
        b'[Event "b"]\n\n1. e4 ; { no comment in braces\n\n',
        b'[Event "b"]\n\n% { nor this\n1. e4\n\n',
        b"what is this?\n",
        b"what is this?\n\nand { that?\n\n",
    ):
        data = (SIMPLE + broken + SIMPLE + SIMPLE).replace(b"\n", newline)
        found = split(data)
        simple = SIMPLE.replace(b"\n", newline)
        assert [unit.data for unit in found] == [simple, broken.replace(b"\n", newline), simple, simple]
        numbers = [1, 1, 2, 3] if b"what" in broken else [1, 2, 3, 4]
        assert [unit.number for unit in found] == numbers
        assert [unit.fault is None for unit in found] == [True, b"what" not in broken, True, True]


@pytest.mark.parametrize(
    "text",
    [
        b"1. e4 {a comment\n\nwith an empty line\n[%clk 1:00]\n[Not \"a tag\"]\n} e5 1-0\n",
        b"1. e4\n\n1... e5 1-0\n\n",  # an empty line among the moves
        b"1. e4 {[%clk 1:00:00]} e5 {\n[%eval 0.2]} 1-0",
        b"{a comment; and more} 1. e4 ; {\n 1-0\n",
        b"\n\n\n1. e4 1-0\n",
        b"% an escape\n1. e4 1-0\n",
    ],
)  # fmt: skip
def test_one_game(text: bytes) -> None:
    data = b'[Event "a"]\n\n[White "after an empty line"]\n\n' + text
    assert split(data) == [Unit(1, 1, data)]


def test_games_without_tags() -> None:
    found = split(b"1. e4 e5 1-0\n\n1. d4 d5\n2. c4 *\n\n*\n\ngarbage\n\n" + SIMPLE)
    assert [(unit.number, unit.line, unit.fault) for unit in found] == [
        (1, 1, None),
        (2, 3, None),
        (3, 6, None),
        (3, 8, "text behind it that is no game"),
        (4, 10, None),
    ]


def test_a_byte_order_mark_in_the_middle() -> None:
    """As files have that were put together."""
    mark = b"\xef\xbb\xbf"
    for first in (SIMPLE, SIMPLE.rstrip() + b"\n"):
        for second in (SIMPLE, b"1. d4 1-0\n", b'% an escape\n[Event "b"]\n\n1. d4 1-0\n'):
            if first == SIMPLE or b"[" in second[:1]:
                found = split(first + mark + second)
                assert [(unit.number, unit.fault, unit.data) for unit in found] == [
                    (1, None, first),
                    (2, None, mark + second),
                ]
                assert read(found[1].data[TagSection(found[1].data).end :].decode("latin-1")).result == "1-0"
    section = TagSection(b"% an escape\n" + mark + b'[Event "b"]\n\n1. d4 1-0\n')
    assert section.headers == {"Event": "b"}
    assert section.changed({"Event": None}) == b"% an escape\n" + mark + b"\n1. d4 1-0\n"


def test_a_byte_order_mark_and_an_empty_file() -> None:
    assert [unit.number for unit in split(b"\xef\xbb\xbf" + SIMPLE + SIMPLE)] == [1, 2]
    assert split(b"") == []
    assert [unit.fault for unit in split(b"\n\n")] == [None]


def test_what_is_too_long() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pgn, "LONGEST", 1 << 20)
        found = split(SIMPLE + b'[Event "b"]\n\n' + b"1. e4 e5\n" * 300_000 + SIMPLE)
    assert [unit.number for unit in found] == [1, 2, 2, 2, 3]
    assert [unit.fault for unit in found] == [None, "longer than 1 MiB", "", "", None]


def test_many_short_lines_take_no_more_memory_than_their_bytes() -> None:
    source = io.BytesIO(b"1. e4\n" + b"1\n" * 120_000)
    tracemalloc.start()
    try:
        (unit,) = units(source)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(unit.data)
    finally:
        tracemalloc.stop()


# Tags


@pytest.mark.parametrize(
    "tags",
    [b'[FEN "%s"]', b'[FEN "%s', b"[%s]", b'[%s "x"]'],
    ids=["a value", "a value without an end", "a name", "a name with a value"],
)
@pytest.mark.parametrize("piece", [b"8/", b'\\"', b"\xe2", b"\xe2\x80"], ids=ascii)
def test_a_long_tag_takes_little_memory(tags: bytes, piece: bytes) -> None:
    """A pattern that remembers each character takes 170 bytes for it."""
    game = tags % (piece * (1 << 16)) + b"\n\n*\n"
    _take_little(game, 20)


def _take_little(game: bytes, share: int) -> None:
    """Split and read a game; the peak is at most this many times its length."""
    tracemalloc.start()
    try:
        with contextlib.suppress(BadInput):
            for unit in split(game):
                unit.check()
                read(TagSection(unit.data).text)
        assert tracemalloc.get_traced_memory()[1] < share * len(game)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("tag", [b"[a]", b"[a]\n", b'[a "b"]', b'[a "b"c"]\n'])
def test_a_game_has_a_thousand_tags_at_most(tag: bytes) -> None:
    """Each takes a hundred times the memory of its text."""
    assert TagSection(tag * 1000 + b"\n\n*\n").headers["a"] in ("", "b", 'b"c')
    with pytest.raises(BadLine, match="at most 1,000 tags"):
        TagSection(tag * 1001 + b"\n\n*\n")
    _take_little(tag * (1 << 16) + b"\n\n*\n", 40)


def test_tags_in_every_form() -> None:
    section = TagSection(
        b'\xef\xbb\xbf[Event "a \\"b\\" \\\\ c"]\r\n  [ White  "J. "Jack" D." ] \r\n\r\n% [Not "one"]\r\n'
        b'[Black "\xfc"][Round "1"]\r\n[Legacy]\r\n[Black "again"]\r\n[Site "\xc3\xbc"]\r\n'
        b'[A"1"] [B] [C\t"3"]\r\r\n[Time/Control "x"]\n[_d.e "x"]\n[\xe9v "x"]\n1. e4 1-0'
    )
    assert section.headers == {
        "Event": 'a "b" \\ c', "White": 'J. "Jack" D.', "Black": "ü", "Round": "1", "Legacy": "", "Site": "ü",
        "A": "1", "B": "", "C": "3", "Time/Control": "x", "_d.e": "x", "év": "x",
    }  # fmt: skip
    assert section.lines == 12


def test_tags_of_unusual_names_do_not_end_a_game() -> None:
    data = b'[Event "a"]\n[Time/Control "x"]\n[_d.e "x"]\n[\xe9v "x"]\n[Legacy]\n[White "x"]\n\n1. e4 1-0\n'
    assert split(data) == [Unit(1, 1, data)]


def test_tags_that_say_how_to_read_a_game_are_known_in_any_case() -> None:
    section = TagSection(b'[fen "a"]\n[WHITE "b"]\n[White "c"]\n[event "d"]\n[legacy]\n\n*')
    assert section.headers == {
        "fen": "a", "FEN": "a", "WHITE": "b", "White": "c", "event": "d", "legacy": "", "Legacy": ""
    }  # fmt: skip
    # They are others' all the same.
    assert section.changed({"FEN": "x", "Legacy": None}).startswith(b'[fen "a"]\n[WHITE ')


@pytest.mark.parametrize("line", ['[White "Ann]', "[White]]", "[", '[White "Ann"] 1. e4', "[?]", "[White Ann]"])
def test_no_tags(line: str) -> None:
    with pytest.raises(BadLine, match="not a tag: ") as caught:
        TagSection(f'[Event "a"]\n\n{line}\n'.encode())
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'[A "1"]\n\n1-0\n', b'[A "1"]\n[X "x"]\n[Y "y"]\n\n1-0\n'),
        (b'[A "1"]\r\n\r\n1-0\r\n', b'[A "1"]\r\n[X "x"]\r\n[Y "y"]\r\n\r\n1-0\r\n'),
        (b'[Y "old"]\n[A "1"]\n\n1-0\n', b'[Y "y"]\n[A "1"]\n[X "x"]\n\n1-0\n'),
        (b'[A "1"] [Y "old"] [B "2"]\n1-0\n', b'[A "1"] [Y "y"] [B "2"]\n[X "x"]\n1-0\n'),
        (b'[A "1"]\n[Y "old"] \n[Y "twice"]\n[Z "go"]\n\n', b'[A "1"]\n[Y "y"] \n[X "x"]\n\n'),
        (b'[Z "go"][A "1"][Z "go"]\n\n', b'[A "1"]\n[X "x"]\n[Y "y"]\n\n'),
        (b'[Y "y"][X "x"]\n[Z "go"] [Z "go"]\n[Y "a"][Z "go"] \n[A "1"]\n\n', b'[Y "y"][X "x"]\n[A "1"]\n\n'),
        (b'[A "1"]\n\n[B "2"]\n\n1-0\n', b'[A "1"]\n\n[B "2"]\n[X "x"]\n[Y "y"]\n\n1-0\n'),
        (b'[A "1"]', b'[A "1"]\n[X "x"]\n[Y "y"]\n'),
        (b'[A "1"]\n[Z "go"]', b'[A "1"]\n[X "x"]\n[Y "y"]\n'),
        (b'[X  "x" ]\n[ Y"\\y" ]\n[Y"y"]\n\n', b'[X  "x" ]\n[Y "y"]\n\n'),
        (b'[ Y"y" ][X\t"x"]\t\r\n\r\n', b'[ Y"y" ][X\t"x"]\t\r\n\r\n'),
        (b"1. e4 1-0\n", b'[X "x"]\n[Y "y"]\n\n1. e4 1-0\n'),
        (b"\xef\xbb\xbf1. e4 1-0\n", b'\xef\xbb\xbf[X "x"]\n[Y "y"]\n\n1. e4 1-0\n'),
        (b"% an escape\n[Z \"go\"]\n1. e4\xff\n", b'% an escape\n[X "x"]\n[Y "y"]\n1. e4\xff\n'),
    ],
)  # fmt: skip
def test_changed(before: bytes, after: bytes) -> None:
    wanted = {"X": "x", "Y": "y", "Z": None}
    changed = TagSection(before).changed(wanted)
    assert changed == after
    assert TagSection(changed).changed(wanted) == changed


names = st.sampled_from(["White", "X", "Y", "Z", "B_1"])
values = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8)
lines = st.builds(
    lambda name, value, end: written(name, value) + end,
    names, values, st.sampled_from([b"\n", b"\r\n", b" \n", b"\n\n", b"\n% no [tag\n"]),
)  # fmt: skip


@given(st.lists(lines, min_size=1).map(b"".join), st.binary(max_size=20), st.dictionaries(names, values))
def test_all_else_stays(tags: bytes, rest: bytes, wanted: dict[str, str]) -> None:
    data = tags + b"\nmoves " + rest
    section = TagSection(data)
    assert data[section.end :].startswith(b"moves ")
    changed = section.changed(wanted)
    assert changed.endswith(b"\nmoves " + rest)
    assert TagSection(changed).headers == {**section.headers, **wanted}

    def others(data: bytes) -> list[bytes]:
        return [line for line in data.splitlines() if not any(line.startswith(f"[{name} ".encode()) for name in wanted)]

    assert others(changed) == others(data)


# Moves


def mainline(text: str) -> list[str]:
    return [token for token in read(text).tokens if not re.match(r"\d+\.|\$|[!?]", token)]


def test_comments_and_variations() -> None:
    found = read(
        "{first} 1. e4 {a (b} $14 e5! (1... c5 {) ( [x]} (1... e6) 2. Nf3) 2. Nf3{close}(2. f4 (2. d4))2...Nc6 ; ( {\n"
        "% ) }\n3. Bb5 {Draw by\nagreement } 1/2-1/2\n\n"
    )
    assert found.tokens == ["1.", "e4", "$14", "e5!", "2.", "Nf3", "2...Nc6", "3.", "Bb5"]
    assert (found.result, found.comment) == ("1/2-1/2", "Draw by\nagreement ")
    assert read("1. e4 {early} e5 *").comment == ""
    assert read("1. e4 $1{late}(1. d4)*") == (["1.", "e4", "$1"], "*", "")


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("", "neither moves nor a result", 0),
        ("1. e4 e5\n2. Nf3\n\n", "the moves end without a result: 1-0, 0-1, 1/2-1/2 or *", 1),
        ("1. e4\n{1-0\n", "a comment is not closed", 1),
        ("1. e4 ; {\n{x} {1-0\n", "a comment is not closed", 1),
        ("1. e4 1-0\n{", "a comment is not closed", 1),
        ("1. e4\n{a {b} c} 1-0\n", "a comment is closed that was not opened, or comments are nested", 1),
        ("1. e4\n\n} 1-0\n", "a comment is closed that was not opened, or comments are nested", 2),
        ("1. e4 (1. d4 1-0", "a variation is not closed", 0),
        ("1. e4 )1-0", "a variation is closed that was not opened", 0),
        ("1. e4 1-0\n(1. d4)\nmore", "text behind the result: more", 2),
        ("1. e4\n" + "x" * 100 + " 1-0", "not a move: xxxxxxxxxxxxxxxxxxxx...", 1),
    ],
)
def test_bad_moves(text: str, message: str, line: int) -> None:
    with pytest.raises(BadMoves) as caught:
        read(text)
    assert str(caught.value) == message
    assert text.count("\n", 0, caught.value.at) == line or "variation" in message


texts = st.lists(
    st.sampled_from(["e4", "1.", "$3", "(", ")", "{c}", "{c\nd}", ";e\n", "\n%f\n", " ", "\n", "!?"]), max_size=30
).map(" ".join)


@given(texts)
def test_the_place_of_a_token(text: str) -> None:
    text += " *"
    try:
        tokens = [*read(text).tokens, "*"]
    except BadMoves:
        return
    for index, token in enumerate(tokens):
        assert text[place(text, index) :].startswith(token)


def test_the_main_line_is_that_of_python_chess() -> None:
    data = GAMES.replace(b' G3.0"', b'"')  # it knows no seventh field
    stream = io.StringIO(data.decode())
    for unit in split(data):
        section = TagSection(unit.data)
        game: chess.pgn.GameNode | None = chess.pgn.read_game(stream)
        assert isinstance(game, chess.pgn.Game)
        told = {name: value.replace("\\", "") for name, value in game.headers.items()}  # it keeps escapes
        assert section.headers.items() <= told.items()
        board = game.board()
        for token in mainline(unit.data[section.end :].decode("latin-1")):
            game = game.next()
            assert game is not None
            assert board.push_san(token) == game.move
        assert game.next() is None


def test_damaged_files() -> None:
    chance = random.Random(0)
    for _ in range(300):
        data = bytearray(GAMES)
        for _ in range(3):
            at = chance.randrange(len(data))
            data[at : at + chance.choice([0, 1, 1, 50])] = chance.choice(
                [b"", b"{", b"\0", b'[Event "z"]\n', b"\n\n", b'"']
            )
        found = split(bytes(data))
        assert b"".join(unit.data for unit in found) == data
        whole = [unit.data for unit in found if unit.data in GAMES]
        assert len(whole) >= 2  # three wounds do not spoil eight games and those behind them
