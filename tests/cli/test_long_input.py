"""No error is longer than three lines of a terminal, whatever was given."""

import sys
from pathlib import Path

import pytest

from tbgen.cli.main import main
from tbgen.core.material import parse
from tbgen.core.outcome import parse as parse_outcome
from tbgen.errors import LONGEST_MESSAGE, BadInput, TbgenError, brief, quoted
from tbgen.rules.fen import read_fen
from tbgen.rules.rulesets import rule_set
from tests.support.places import FAKE_ENGINE
from tests.support.runs import BISHOP

MANY = 50_000
LONG = {
    "brackets": "[" * MANY,
    "letters": "x" * MANY,
    "escapes": "\x1b[2J" * MANY,
    "lines": "a\n" * MANY,
    "digits": "9" * MANY,
    "wide": "漢" * MANY,
}
COMMANDS = (
    "{}", "--{}", "probe {}", "probe --{} K", "probe --men {} FEN", "probe --men X={} FEN", "probe --men X=W{} FEN",
    "probe --men {}=W FEN", "probe --record {} FEN", "probe --rules {} FEN", "probe --tables {} FEN", "solve {}",
    "solve --time {} FEN", "solve --memory {} FEN", "build {}", "build --threads {} KvK", "plan K{}vK", "info {}",
    "verify --digests {} KvK", "report {}", "report stats -o {}", "export {}", "export KvK --columns {}",
    "export KvK --dtg {}", "export KvK -o {}", "adjudicate {}", "sheet {}", "annotate {}", "check {}", "match {}",
    "match --engine {}", "fetch --from {} KvK", "fetch --from http://{} KvK", "publish {}", "pack {}", "unpack {}",
    "uci --{}", "completion {}",
)  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TBGEN_MEN", raising=False)


def assert_short(said: str) -> None:
    lines = said.splitlines()
    assert lines
    for line in lines:
        assert len(line) <= LONGEST_MESSAGE, line[:1000]
        assert line.startswith("tbgen: ")
        assert line.isprintable()


@pytest.mark.parametrize("command", COMMANDS)
def test_of_a_command_line(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for what, given in LONG.items():
        words = [BISHOP if word == "FEN" else word.replace("{}", given) for word in command.split()]
        assert main(words), what
        assert_short(capsys.readouterr().err)


@pytest.mark.parametrize("name", ["a.epd", "a.pgn"])
@pytest.mark.parametrize("text", [b"\0" * MANY, b"8/8/8 w - - " * MANY, b"[" * MANY, b"K" * MANY + b" a b c;"], ids=str)
def test_of_files(name: str, text: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    Path(name).write_bytes(text)
    Path("certificate").write_bytes(text)
    engine = ["--engine", f"cmd={sys.executable}", f"arg={FAKE_ENGINE}"]
    for words in (
        ["match", *engine, "name=a", *engine, "name=b", "--each", "tc=1", "--openings", name, "-o", "m.pgn"],
        ["adjudicate", name, "-o", "out.pgn"],
        ["annotate", name, "-o", "out.pgn"],
        ["check", "certificate"],
        ["verify", "--digests", name, "KvK"],
        ["probe", "--men", name, BISHOP],
    ):
        assert main(words), words
        assert_short(capsys.readouterr().err)


def test_the_beginning_and_the_end_of_a_long_message_stay() -> None:
    said = brief(f"no such thing: {'x' * MANY} (write it so)")
    assert said.startswith("no such thing: xxx")
    assert said.endswith("xxx (write it so)")
    assert len(said) <= LONGEST_MESSAGE
    assert brief(said) == said


@pytest.mark.parametrize("given", LONG.values(), ids=LONG)
def test_of_the_library(given: str) -> None:
    assert len(quoted(given)) < 70
    assert quoted(given).isprintable()
    for read in (parse, parse_outcome, read_fen, rule_set):
        with pytest.raises(BadInput) as caught:
            read(given)
        assert len(str(caught.value)) < 300, read
        assert str(caught.value).isprintable()


def test_what_is_short_is_quoted_whole() -> None:
    assert [quoted(words) for words in ("a", "it's", "\0", 5, "x" * 60)] == [
        "'a'", '"it\'s"', r"'\x00'", "5", f"'{'x' * 60}'",
    ]  # fmt: skip
    assert quoted("x" * 61) == f"'{'x' * 60}...'"
    assert issubclass(BadInput, TbgenError)
