"""What is kept of a match: the ledger and the standings."""

import errno
import fcntl
import os
from fractions import Fraction
from pathlib import Path
from unittest.mock import Mock

import pytest

from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.referee.game_files import replaced
from tbgen.referee.match import announce
from tbgen.referee.match.ledger import TORN, Entry, Ledger
from tbgen.referee.match.standings import Standings, parse_sprt
from tbgen.rules.scoring import Exponential, Komi, scoring
from tbgen.rules.statistics import Sprt
from tests.support.nfs import nfs
from tests.support.planting import links_of_another_user, plant

# The ledger

GAME = """\
[Event "x"]
[Round "{round}"]
[White "A"]
[Black "B"]
[Result "1/2-1/2"]
[Termination "normal"]
[RMobilityResult "-G1.5"]

1. e4 {{+0.1/3 0.1s}} 1/2-1/2

"""


def entries(path: Path) -> list[Entry]:
    with Ledger(path) as ledger:
        ledger.accept()
        return ledger.entries


def test_a_ledger_is_read_back(tmp_path: Path) -> None:
    path, before = tmp_path / "m.pgn", os.umask(0o002)
    assert entries(path) == []
    os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o664
    with Ledger(path) as ledger:
        ledger.add(GAME.format(round="1.1"))
        ledger.add(GAME.format(round="1.2"))
    assert entries(path) == [Entry(f"1.{n}", "A", "B", outcome.parse("-G1.5"), "normal") for n in (1, 2)]


@pytest.mark.parametrize("kind", ["hard link", "link"])
def test_nobody_can_have_a_match_write_elsewhere(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim, path = tmp_path / "victim", tmp_path / "m.pgn"
    victim.write_text(GAME.format(round="1.1"))
    plant(kind, path, victim)
    if kind == "link":
        assert [entry.round for entry in entries(path)] == ["1.1"]
    links_of_another_user(monkeypatch)
    with pytest.raises((BadInput, PermissionError)), Ledger(path):
        pass


def test_wherever_it_breaks_off(tmp_path: Path) -> None:
    path = tmp_path / "m.pgn"
    one, two = GAME.format(round="1.1"), GAME.format(round="1.2")
    for cut in range(len(two)):
        path.write_text(one + two[:cut], encoding="utf-8")
        with Ledger(path) as ledger:
            whole = "1/2-1/2" in two[:cut].partition("\n\n")[2]
            assert [entry.round for entry in ledger.entries] == (["1.1", "1.2"] if whole else ["1.1"])
            assert ledger.torn == (None if whole or not cut else two[:cut].encode())
            assert path.read_text() == one + two[:cut]
            ledger.accept()
            ledger.add(GAME.format(round="1.3"))
        assert path.read_text() == one + (two if whole else "") + GAME.format(round="1.3")
        if ledger.torn:
            assert ledger.torn_at is not None
            assert ledger.torn_at.name.startswith(f"m.pgn{TORN}")
            assert ledger.torn_at.read_bytes() == ledger.torn


def test_what_broke_off_is_never_thrown_away(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "m.pgn", tmp_path / "elsewhere"
    (tmp_path / f"m.pgn{TORN}").symlink_to(elsewhere)
    for broken in ('[Event "x"]', '[Event "y"]'):
        path.write_text(GAME.format(round="1.1") + broken)
        assert [entry.round for entry in entries(path)] == ["1.1"]
    assert sorted(found.name for found in tmp_path.iterdir()) == [
        "m.pgn",
        *(f"m.pgn{TORN}{n}" for n in ("", ".2", ".3")),
    ]
    assert (tmp_path / f"m.pgn{TORN}.2").read_text() == '[Event "x"]'
    assert (tmp_path / f"m.pgn{TORN}.3").read_text() == '[Event "y"]'


def test_only_a_file_can_be_resumed_from(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for other in (path, Path("/dev/null")):
        with pytest.raises(BadInput, match=f"not a file that a match could be taken up from: {other}"), Ledger(other):
            pass


def test_other_games_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.pgn"
    for text in (
        '[Event "x"]\n[Round "1.1"]\n[White "A"]\n[Black "B"]\n\n1. e4 1-0\n\n',
        '[Event "x"]\n\n1. e4 {\n\n' + GAME.format(round="1.1"),
        GAME.format(round="1.1") + '[RMobilityResult "bad"]\n\n1. e4 *\n\n',
    ):
        path.write_text(text)
        with pytest.raises(BadInput, match=r"m\.pgn:"), Ledger(path):
            pass
        assert path.read_text() == text


@pytest.mark.parametrize(
    "data",
    [
        b"My notes.\nOn two lines.\n",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)),
        b"8/8/8/4k3/8/8/8/K6R w - -\n",
        b'[Event "a book"]\n\n1. e4 e5 *\n',
        b'[Event "x"]\n[Round "1.1"]\n',  # a first game that breaks off: nothing says that a match wrote it
        GAME.format(round="1.1").encode() + b"My notes",
        GAME.format(round="1.1").encode() + b"[Eve of battle]",
    ],
)
def test_what_no_match_has_written_is_left_alone(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "m.pgn"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=r"not a (PGN that a match|game of a match)"), Ledger(path):
        pass
    assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_written_before_it_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "m.pgn"
    for text in (GAME.format(round="1.1").rstrip("\n"), GAME.format(round="1.1") + '[Event "x"]'):
        path.write_text(text)
        with Ledger(path):
            pass
        assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(_: int, data: bytes) -> int:
        if len(data) < 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        return 5

    with Ledger(tmp_path / "m.pgn") as ledger:
        monkeypatch.setattr(os, "write", write)
        with pytest.raises(OSError, match=r"No space left on device: '.*/m\.pgn'"):
            ledger.add("1. e4 *\n\n")


def test_one_match_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "m.pgn"
    with Ledger(path), pytest.raises(BadInput, match="another match"), Ledger(path):
        pass
    assert entries(path) == []


# The standings


def entry(white: str, black: str, result: str, termination: str = "normal") -> Entry:
    return Entry("1", white, black, outcome.parse(result), termination)


def test_the_table() -> None:
    standings = Standings("ABC", Exponential())
    standings.add(entry("A", "B", "G0.0"))
    standings.add(entry("B", "A", "G0.5"))
    standings.add(entry("A", "C", "-G0.5"))
    standings.add(entry("C", "B", "-G0.0", "time forfeit"))
    first, second, third = standings.lines()
    assert (first.player, second.player, third.player) == ("B", "A", "C")
    assert first.score == first.mobility == Fraction(7, 4)
    assert first.balance == (1,)
    assert second.balance == (-2,)
    assert first.against == (None, Fraction(3, 4), Fraction(1))
    assert (first.forfeits, third.forfeits) == (0, 1)
    assert first.elo.value > 0 > third.elo.value
    assert standings.as_dict()["table"][0]["balance"] == {"G0.5": 1}


def test_players_who_are_level_share_a_place() -> None:
    standings = Standings("ABC", scoring("classical"), "balance")
    for white, black in (("A", "B"), ("B", "A"), ("A", "C"), ("C", "A"), ("B", "C"), ("C", "B")):
        standings.add(entry(white, black, "G2.0"))
    assert [line.place for line in standings.lines()] == [1, 1, 1]
    standings.add(entry("C", "A", "G0.5"))
    assert [(line.place, line.player) for line in standings.lines()] == [(1, "C"), (2, "A"), (3, "B")]


def test_the_tiebreak_decides() -> None:
    games = [entry("A", "C", "G0.5"), entry("A", "C", "-G1.0"), entry("A", "C", "-G1.0"), entry("B", "C", "G1.0")]
    games += [entry("B", "C", "-G4.0")] * 2
    order = {}
    for tiebreak in ("mobility", "balance"):
        standings = Standings("ABC", scoring("classical"), tiebreak)
        for game in games:
            standings.add(game)
        order[tiebreak] = [line.player for line in standings.lines()]
    assert order["balance"].index("A") < order["balance"].index("B")
    assert order["mobility"].index("B") < order["mobility"].index("A")


def test_a_komi_of_its_own() -> None:
    standings = Standings("AB", scoring("komi", komi="G2.25"))
    assert standings.account.points(entry("A", "B", "G2.0")) == 1
    assert standings.account.points(entry("A", "B", "G2.0")._replace(komi=Komi.parse("G1.75"))) == 0


def test_the_direct_encounter_goes_first() -> None:
    direct = Standings("ABC", scoring("classical"), "direct")
    for white, black, result in (("A", "B", "G0.0"), ("B", "C", "G0.0"), ("B", "C", "G3.0"), ("A", "C", "-G0.0")):
        direct.add(entry(white, black, result))
    assert direct.ranking() == [["B"], ["C"], ["A"]]


def test_level_players_are_told_apart_by_one_tiebreak_after_the_other() -> None:
    games = (("A", "B", "G0.0"), ("A", "C", "-G0.0"), ("B", "C", "G0.0"), ("A", "C", "G2.0"), ("B", "A", "-G2.0"))
    found = {}
    for tiebreak in ("", "direct", "mobility", "sonneborn-berger", "wins", "forfeits"):
        standings = Standings("ABC", scoring("classical"), tiebreak)
        for white, black, result in games:
            standings.add(entry(white, black, result))
        found[tiebreak] = standings.ranking()
    assert found[""] == found["mobility"] == found["wins"] == found["forfeits"] == [["A"], ["B", "C"]]
    assert found["direct"] == [["A"], ["B"], ["C"]]
    assert found["sonneborn-berger"] == [["A"], ["C"], ["B"]]


def test_sonneborn_berger() -> None:
    standings = Standings("ABC", scoring("classical"))
    for white, black, result in (("A", "B", "G0.0"), ("B", "C", "G0.0"), ("A", "C", "G5.0")):
        standings.add(entry(white, black, result))
    assert standings.sonneborn_berger("A") == 1 * 1 + Fraction(1, 2) * Fraction(1, 2)
    assert standings.sonneborn_berger("C") == Fraction(1, 2) * Fraction(3, 2)


def test_all_scorings_side_by_side() -> None:
    standings = Standings("AB", scoring("winner"))
    standings.add(entry("A", "B", "G5.5"))
    found = standings.by_scoring("A")
    assert found["RMobility Winner"] == found["Full Points"] == 1
    assert found["Classical"] == found["Over The Board"] == Fraction(1, 2)
    assert found["Harmonic"] == Fraction(13, 24)
    assert set(standings.as_dict()["table"][0]["scorings"]) == set(found)
    for name in ("exponential", "winner"):
        standings = Standings("ABC", scoring(name))
        standings.add(entry("A", "B", "G5.5"))
        lines = standings.lines()
        for heads, rows in (announce.crosstable(standings, lines), announce.scorings(standings, lines)):
            assert len(set(heads)) == len(heads)
            assert {len(row) for row in rows} == {len(heads)}
        assert ("r-mobility" in announce.crosstable(standings, lines)[0]) == (name == "winner")
        assert standings.scoring.title not in {row[0] for row in announce.scorings(standings, lines)[1]}


def test_the_komi_of_an_opening_counts_in_the_table_of_all_scorings() -> None:
    # "The komi is read from the opening" and "Tournament results output always contains all tables with all possible
    # scoring conventions."
    for name in ("exponential", "full", "komi"):
        standings = Standings("AB", scoring(name))
        standings.add(entry("A", "B", "G1.5")._replace(komi=Komi.parse("G1.0")))
        assert standings.by_scoring("A")["Komi"] == 0
        assert standings.by_scoring("A")["Full Points"] == (0 if name == "full" else 1)
    usual = Standings("AB", Exponential())
    usual.add(entry("A", "B", "G1.5"))
    assert usual.by_scoring("A")["Komi"] == 1


def test_elo_superiority_and_the_test_are_told_of_each_scoring() -> None:
    # "ELO an LOS are using the usual calculation, with the r-Mobility points of the corresponding scoring."
    standings = Standings("AB", Exponential(), sprt=parse_sprt(["elo0=0", "elo1=50"]))
    winner = Standings("AB", scoring("winner"), sprt=parse_sprt(["elo0=0", "elo1=50"]))
    for number in range(20):
        for each in (standings, winner):
            each.add(entry("A", "B", ("G3.5", "G5.0", "-G3.0")[number % 3])._replace(round=f"{number + 1}.1"))
    heads, rows = announce.scorings(standings, standings.lines())
    first = {row[0]: row[1:] for row in rows if row[1] == "A"}
    line, sprt = winner.lines()[0], winner.sprt
    assert heads[1:] == ["player", "points", "Elo", "LOS", "LLR"]
    assert sprt is not None
    assert first["RMobility Winner"] == [
        "A", "14.0", f"{line.elo.value:+.1f} ± {line.elo.margin:.1f}", f"{100 * line.los:.1f} %", f"{sprt.llr:.2f}"
    ]  # fmt: skip
    described, directly = standings.as_dict(), winner.as_dict()
    others, own = ({row["player"]: row for row in each["table"]}["A"] for each in (described, directly))
    assert others["others"]["RMobility Winner"] == {key: own[key] for key in ("elo", "los")}
    assert described["sprt"]["others"]["RMobility Winner"]["llr"] == directly["sprt"]["llr"]
    assert set(described["sprt"]["others"]) == set(described["table"][0]["scorings"]) - {"Exponential"}


def test_points_have_the_decimals_that_tell_them_apart() -> None:
    for result, shown in (("G3.5", ["0.5039", "0.4961"]), ("G9.5", ["0.500001", "0.499999"])):
        standings = Standings("AB", Exponential())
        standings.add(entry("A", "B", result))
        score = announce.crosstable(standings, standings.lines())[0].index("score")
        assert [row[score] for row in announce.crosstable(standings, standings.lines())[1]] == shown
        assert announce.score_line(standings) == f"A {shown[0]} – {shown[1]} B"
    rows = announce.scorings(standings, standings.lines())[1]
    assert [row[2] for row in rows if row[0] == "Classical"] == ["0.5", "0.5"]


def test_the_cutoff_of_a_match_counts_in_the_table_of_all_scorings() -> None:
    standings = Standings("AB", Exponential(), cutoff=9)
    standings.add(entry("A", "B", "G5.5"))
    assert standings.by_scoring("A")["RMobility Winner"] == Fraction(1, 2)


def test_results_by_colour_and_pairs() -> None:
    standings = Standings("AB", scoring("classical"))
    for number, (white, black, result) in enumerate((("A", "B", "G0.0"), ("B", "A", "G3.0"), ("A", "B", "G1.0"))):
        standings.add(entry(white, black, result)._replace(round=f"{number // 2 + 1}.{number % 2 + 1}"))
    first = standings.lines()[0]
    assert (first.player, str(first.as_white), str(first.as_black), first.pairs) == (
        "A",
        "1-1-0",
        "0-1-0",
        (0, 0, 0, 1, 0),
    )


@pytest.mark.parametrize("tiebreak", ["fame", "direct,fame"])
def test_no_tiebreak(tiebreak: str) -> None:
    with pytest.raises(BadInput, match="no such tiebreak: 'fame'"):
        Standings("AB", Exponential(), tiebreak)


def test_a_sequential_test_counts_for_the_first() -> None:
    standings = Standings("AB", scoring("classical"), sprt=parse_sprt(["elo0=0", "elo1=50"]))
    assert isinstance(standings.sprt, Sprt)
    standings.add(entry("A", "B", "G0.0"))
    standings.add(entry("B", "A", "-G0.0"))
    standings.add(entry("B", "A", "G0.0"))
    assert (standings.sprt.wins, standings.sprt.losses) == (2, 1)
    assert standings.sprt.llr > 0
    assert standings.as_dict()["sprt"]["verdict"] == "continue"


@pytest.mark.parametrize("words", [["elo2=5"], ["elo0"], ["elo0=x"], ["elo0=5", "elo1=0"], ["alpha=0"], ["model=x"]])
def test_no_sequential_test(words: list[str]) -> None:
    with pytest.raises(BadInput):
        parse_sprt(words)


def test_a_sequential_test_takes_two() -> None:
    with pytest.raises(BadInput, match="two engines"):
        Standings("ABC", Exponential(), sprt=parse_sprt([]))


def test_a_match_is_not_written_over_on_a_network_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.pgn"
    monkeypatch.setattr(fcntl, "flock", nfs(fcntl.flock))
    with Ledger(path), pytest.raises(BadInput, match="a match is writing to"), replaced(path):
        pass
    with replaced(path) as stream:
        stream.write(b"x")


def test_a_system_without_locks_says_of_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", Mock(side_effect=OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))))
    with pytest.raises(OSError, match=r"m\.pgn"), Ledger(tmp_path / "m.pgn"):
        pass
