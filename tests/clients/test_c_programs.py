"""The C client's programs, and its library as it is installed."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.c_client import CLIENT, SANITIZED, STRICT, run, there_is
from tests.support.places import FAKE_ENGINE
from tests.support.runs import BISHOP

pytestmark = pytest.mark.skipif(not there_is("gcc", "make"), reason="no C compiler (Debian: apt install gcc make)")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the client, made and installed."""
    place = tmp_path_factory.mktemp("installed")
    for path in CLIENT.iterdir():
        if path.suffix in (".c", ".h") or path.name == "Makefile":
            (place / path.name).write_bytes(path.read_bytes())
    flags = "CFLAGS=-O3 -Wall -Wextra -Werror -pedantic"
    run(["make", "-C", place, "--silent", "install", f"PREFIX={place}/there", flags])
    return place / "there"


def test_the_library_is_found_by_pkg_config(installed: Path, tmp_path: Path) -> None:
    told = (installed / "lib" / "pkgconfig" / "rmtb.pc").read_text()
    assert f"prefix={installed}\n" in told
    assert "Version: 1." in told
    source = tmp_path / "uses.c"
    source.write_text(
        "#include <rmtb.h>\n#include <stdio.h>\nint main(void) { puts(rmtb_strerror(RMTB_DAMAGED)); return 0; }\n"
    )
    flags = [f"-I{installed}/include", f"-L{installed}/lib", f"-Wl,-rpath,{installed}/lib"]
    run(["gcc", *flags, source, "-lrmtb", "-o", tmp_path / "uses"])
    assert run([tmp_path / "uses"]) == "a table is damaged\n"


def test_fens_are_adjudicated(installed: Path, small_tables: Path) -> None:
    program = installed / "bin" / "rmtb-adjudicate"
    fens = f'{BISHOP}\n8/8/8/4KBk1/8/8/8/8 b - - 7 30 G1.0\n\nno "FEN"\n' + "8" * 5000 + "\n" + BISHOP
    text = run([program, small_tables], fens, code=1).splitlines()
    assert text[:3] == [
        f"{BISHOP}: G1.5 in 4, record G3.5, best g5h5",
        "8/8/8/4KBk1/8/8/8/8 b - - 7 30 G1.0: G1.0 stands, best g5h4",
        'no "FEN": this is not a FEN',
    ]
    assert text[3].endswith("this is not a FEN")
    assert text[4] == text[0]
    found = [json.loads(line) for line in run([program, "--json", "--moves", small_tables], fens, code=1).splitlines()]
    assert found[0] == {
        "fen": BISHOP, "gscore": "G1.5", "winner": "white", "dtg": 4, "record": "G3.5", "stands": False,
        "moves": [
            {"uci": uci, "reset": False, "gscore": "G1.5", "dtg": dtg, "record": "G3.5"}
            for uci, dtg in (("g5h5", 4), ("g5h4", 2), ("g5h6", 2))
        ],
    }  # fmt: skip
    assert found[1]["stands"]
    assert found[2] == {"fen": 'no "FEN"', "error": "this is not a FEN", "code": 1}


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_each_line_has_one_answer_that_no_terminal_obeys(
    installed: Path, small_tables: Path, options: list[str]
) -> None:
    program = installed / "bin" / "rmtb-adjudicate"
    lines = {
        BISHOP: BISHOP,
        f"\0{BISHOP}": f"\\x00{BISHOP}",
        f"{BISHOP}\0": f"{BISHOP}\\x00",
        "\0" * 3000: None,
        "8" * 1022 + "\0" + "8" * 5000: None,
        f"\x1b[2J\a{BISHOP}\x7f\x9b": f"\\x1b[2J\\x07{BISHOP}\\x7f\\xc2\\x9b",
        f"\r{BISHOP}": f"\\x0d{BISHOP}",
        BISHOP.replace(" ", "\t"): BISHOP,
        f"{BISHOP}\r": BISHOP,
    }
    found = run([program, *options, small_tables], "\n".join(lines), code=1)
    assert all(line.isascii() and line.isprintable() for line in found.split("\n"))
    for (line, shown), told in zip(lines.items(), found.splitlines(), strict=True):
        fen, error = (
            (json.loads(told)["fen"], json.loads(told).get("error"))
            if options
            else (told.partition(": ")[0], "this is not a FEN" if told.endswith(": this is not a FEN") else None)
        )
        assert shown in (fen, None), line
        assert (error == "this is not a FEN") == (shown != BISHOP), line


def test_wrong_options_and_places_are_told(installed: Path, tmp_path: Path) -> None:
    program = installed / "bin" / "rmtb-adjudicate"
    for words in ([], ["--rules", "x", tmp_path], ["--jsn", tmp_path], [tmp_path / "nowhere"]):
        with pytest.raises(AssertionError, match="rmtb-adjudicate"):
            run([program, *words], "", code=2)


def test_a_filter_answers_where_tables_do(installed: Path, small_tables: Path) -> None:
    program = [installed / "bin" / "rmtb-uci", small_tables, "--", sys.executable, FAKE_ENGINE]

    def say(*lines: str) -> list[str]:
        return run(program, "".join(f"{line}\n" for line in (*lines, "quit"))).splitlines()

    said = say("uci", "isready", f"position fen {BISHOP}", "go movetime 10")
    assert {"id name fake", "uciok", "readyok", "bestmove g5h5"} <= {*said}
    assert "info string G1.5 in 4 plies, record G3.5" in said
    held = say(f"position fen {BISHOP} moves g5h4 e5f6", "go infinite", "stop")
    assert held[0] == "info string G1.5 in 28 plies, record G2.5"
    assert "bestmove h4g3" in held
    assert not any(line.startswith("bestmove") for line in say(f"position fen {BISHOP}", "go infinite"))
    assert say("position startpos moves e2e4", "go movetime 10")[-1].startswith("bestmove ")
    # A FEN may bear a record; a capture wipes it out.
    assert "info string G1.0 in 0 plies, record G1.0" in say("position fen 8/8/8/4KBk1/8/8/8/8 b - - 7 30 G1.0", "go")
    taken = say("position fen 8/8/8/4K3/6Bk/8/8/8 b - - 7 30 G1.0 moves h4g4", "go")
    assert taken[0].endswith("record -G6.5")


@pytest.fixture(scope="module")
def checked_filter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A filter that ends where something undefined is done."""
    program = tmp_path_factory.mktemp("checked") / "rmtb-uci"
    run(["gcc", "-std=c99", *STRICT, *SANITIZED, CLIENT / "rmtb-uci.c", CLIENT / "rmtb.c", "-o", program])
    return program


@pytest.mark.parametrize("blank", ["  ", "\t", " \t ", "\v", "\0"], ids=ascii)
def test_words_to_a_filter_may_stand_apart(checked_filter: Path, small_tables: Path, blank: str) -> None:
    """So it knows the position and the rights that the engine behind it is told."""

    def say(*lines: str) -> list[str]:
        sent = "".join(f"{blank}{line.replace(' ', blank)}{blank}\n" for line in lines)
        program = [checked_filter, small_tables, "--", sys.executable, FAKE_ENGINE]
        return run(program, f"{sent}quit\n").splitlines()

    assert "info string G1.5 in 4 plies, record G3.5" in say(f"position fen {BISHOP}", "go movetime 5")
    for rights in ("Q", "A"):
        said = say(f"position fen {BISHOP}", f"position fen 4k3/8/8/8/8/8/8/R3K3 w {rights} - 0 1", "go movetime 5")
        assert not any(line.startswith("info string G") for line in said)
        assert said[-1].startswith("bestmove ")


def test_castling_keeps_the_filter_silent(installed: Path, small_tables: Path) -> None:
    program = [installed / "bin" / "rmtb-uci", small_tables, "--", sys.executable, FAKE_ENGINE]
    castles = "position fen 8/8/8/8/8/8/6k1/4K2R b K - 5 9 moves"
    for moves, knows in (("", False), ("g2f3 e1g1", False), ("g2h1", True)):
        said = run(program, f"{castles} {moves}\ngo movetime 5\nquit\n").splitlines()
        assert any(line.startswith("info string G") for line in said) == knows
