"""Text from outside: how it is read and shown, and that no other module does either."""

import ast
import codecs
import errno
import json
import os

import pytest

from tbgen.cli.limits import failure_of
from tbgen.system.text import counted, decoded, from_json, lines, named, shown, to_json, typed, wrapped
from tests.support.runs import EVIL, ROOT


def test_bytes_are_text() -> None:
    assert [decoded(data) for data in (b"Gr\xc3\xbcn", b"Gr\xfcn", b"", b"\xff\x00")] == ["Grün", "Grün", "", "ÿ\0"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Ünal [red] 棋", "Ünal [red] 棋"),
        (EVIL, r"a\x1b[2J\x1b]0;owned\x07\u202egnp\x9b31m[red]"),
        ("two\r\nlines\t\x7f", r"two\r\nlines\t\x7f"),
        (os.fsdecode(b"bad\xff"), r"bad\xff"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_is_shown(words: str, expected: str) -> None:
    assert shown(words) == expected


def test_what_is_pasted_is_as_if_typed() -> None:
    dashes = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d\x96\x97"
    spaces = "\xa0\u2003\u2009\u202f\u3000"
    assert typed(dashes) == "-" * len(dashes)
    assert typed(spaces) == " " * len(spaces)
    assert (
        typed("\u201ca\u201d \u201eb\u201c \xabc\xbb \x93d\x94 \u200b\ufeff1\u2026e5 N\xd7f3 \xbd")
        == '"a" "b" "c" "d" 1...e5 Nxf3 1/2'
    )
    assert typed("Grün, 棋") == "Grün, 棋"


def test_errors_of_the_system_get_a_name() -> None:
    for given, said in (
        (OSError(errno.ENOSPC, "full"), "full: x"),
        (OSError(errno.ENOSPC, "full", "y"), "full: y"),
        (OSError("it leads past its end"), "it leads past its end"),
    ):
        with pytest.raises(OSError) as caught, named("x"):  # noqa: PT011
            raise given
        assert failure_of(caught.value)[0] == said


def test_one_is_one() -> None:
    assert [counted(count, "table") for count in (0, 1, 2, 1234)] == ["0 tables", "1 table", "2 tables", "1,234 tables"]


@pytest.mark.parametrize("width", range(18, 100))
def test_numbers_stay_with_what_they_count(width: int) -> None:
    words = "in 97.83 % of 1,234,567 positions White mates within 43 plies, or 1 ply: 31. Kb4 Kc6 32... Kd5 33. Qe8"
    found = wrapped(words, width, "  ")
    assert all(len(line) <= width and line.startswith("  ") for line in found)
    assert " ".join(line.strip() for line in found) == words
    starts, ends = ([line.split()[place] for line in found] for place in (0, -1))
    assert not {"%", "plies,", "ply:", "Kb4", "Kd5", "Qe8"} & {*starts}
    assert not {"97.83", "43", "1", "31.", "32...", "33."} & {*ends}


def test_json_is_ascii_and_has_no_half_characters() -> None:
    given = {"file": os.fsdecode(b"bad\xff"), "half": "\ud83d", "whole": "\U0001f600ü\u2028"}
    words = to_json(given)
    assert words.isascii()
    found = json.loads(words)
    assert found == {"file": r"bad\xff", "half": r"\ud83d", "whole": given["whole"]}
    json.dumps(found, ensure_ascii=False).encode()


def test_json_of_editors_that_mark_their_text() -> None:
    assert from_json(codecs.BOM_UTF8 + b"[1]") == [1]


def test_json_that_is_shown_is_still_json() -> None:
    """What `shown` made of a character would be no JSON."""
    given = "".join(map(chr, range(0x200)))
    assert json.loads(shown(to_json(given))) == given


def test_lines_are_bounded() -> None:
    class Source:
        def __init__(self, data: bytes) -> None:
            self.data = data

        def readline(self, limit: int, /) -> bytes:
            assert 0 < limit <= 1 << 16
            at = self.data.find(b"\n") + 1 or len(self.data)
            found, self.data = self.data[: min(at, limit)], self.data[min(at, limit) :]
            return found

    data = b"\xef\xbb\xbfabc\r\n\n" + b"x" * 200_000 + b"\nabcd\nabcde\nab"
    assert list(lines(Source(data), 4)) == [
        ("abc", True), ("", True), ("xxxx", False), ("abcd", True), ("abcd", False), ("ab", True)
    ]  # fmt: skip


def test_nobody_else_prints_or_decodes() -> None:
    """`tbgen/system/text.py` decides; this finds the modules that go round it."""
    found = []
    for path in sorted((ROOT / "tbgen").rglob("*.py")):
        if path.name == "text.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="print")):
                    found.append(f"{path}:{node.lineno}: print")
                case ast.Attribute(value=ast.Name(id="sys"), attr="stdin"):
                    found.append(f"{path}:{node.lineno}: sys.stdin")
                case ast.Attribute(value=ast.Attribute(value=ast.Name(id="sys")), attr="write" | "buffer"):
                    found.append(f"{path}:{node.lineno}: writes past it")
                case ast.Attribute(value=ast.Name(id="json"), attr="dumps") if path.parent.name != "generate":
                    found.append(f"{path}:{node.lineno}: json.dumps")
    assert not found
