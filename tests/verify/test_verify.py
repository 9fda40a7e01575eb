"""The verifier passes what the solver makes, and finds any single thing that is altered in it."""

import math
from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Final

import chess
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tbgen.core.material import Material, every, parse, with_dependencies
from tbgen.core.outcome import BASE
from tbgen.core.table_contents import MOVER_HOLDS, OPPONENT_HOLDS, Contents, Steps
from tbgen.core.table_rules import TableRules
from tbgen.index.exits import exits_of
from tbgen.index.layout import layout_of
from tbgen.index.positions import fen
from tbgen.retro.export import finish
from tbgen.retro.solver import solve_table
from tbgen.system.parallel import pieces
from tbgen.verify import table as verified_table
from tbgen.verify import units
from tbgen.verify.run import Finding, Verdict, verify
from tbgen.verify.units import Memory

RULES = ("r", "wg")
SMALL = [material.name for men in (2, 3) for material in every(men)]
LARGE = ("KRvKN", "KPvKP", "KRvKR", "KNNvK")


@cache
def table(name: str, rules: str, threads: int = 1) -> Contents:
    return finish(solve_table(exits_of(parse(name), answers(name, rules)), rules=TableRules(rules), threads=threads))


def answers(name: str, rules: str) -> dict[Material, NDArray[np.int32]]:
    return {other: table(other.name, rules).entries for other in parse(name).successors()}


def check(contents: Contents, **options: Any) -> Verdict:
    return verify(contents, exits_of(contents.material, answers(contents.material.name, contents.rules)), **options)


def legal(contents: Contents) -> int:
    return int(np.count_nonzero(contents.entries))


# --- right tables ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", SMALL)
def test_small_tables_are_right(name: str, rules: str) -> None:
    contents = table(name, rules)
    done: list[int] = []
    verdict = verify(contents, exits_of(parse(name), answers(name, rules)), report=done.append)
    assert verdict == Verdict(legal(contents), 0, [])
    assert sum(done) == len(contents.entries)


@pytest.mark.full
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", LARGE)
def test_larger_tables_are_right(name: str, rules: str) -> None:
    for material in with_dependencies([parse(name)]):
        table(material.name, rules, 2)
    contents = table(name, rules, 2)
    assert check(contents, threads=2) == Verdict(legal(contents), 0, [])


class OnlyParts:
    """A table of which only ranges can be had, like one that lies in a file."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self.material, self.rules = contents.material, contents.rules
        self.asked: list[range] = []

    def part(self, start: int, end: int) -> Contents:
        self.asked.append(range(start, end))
        return self._contents.part(start, end)


@pytest.fixture
def small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more of a table in memory than must be."""
    monkeypatch.setattr(units, "_LEAST", 1)
    monkeypatch.setattr(units, "_KEPT", 0)
    monkeypatch.setattr(units, "pieces", partial(pieces, size=1000))


@pytest.mark.usefixtures("small_units")
@pytest.mark.parametrize("sample", [None, 5000])
def test_a_table_need_not_be_in_memory(sample: int | None) -> None:
    contents = table("KPvK", "r")
    parts = OnlyParts(contents)
    verdict = verify(parts, exits_of(parse("KPvK"), answers("KPvK", "r")), sample=sample)
    assert verdict == Verdict(sample or legal(contents), 0, [])
    assert max(map(len, parts.asked)) < len(contents.entries) // 20
    if sample is None:
        assert len(parts.asked) == layout_of(contents.material).slices, "none is read twice"


@pytest.mark.parametrize("room", [0.0, math.inf])
def test_what_has_no_room_in_memory_is_not_kept(monkeypatch: pytest.MonkeyPatch, room: float) -> None:
    """Units of short slices are in no files."""
    monkeypatch.setattr(units, "_LEAST", 1)
    fetch, kept = units.Units.fetch, []

    def noted(here: units.Units, needed: Set[int]) -> None:
        fetch(here, needed)
        kept.append(sum(len(held.entries) for held in here._held.values()))

    monkeypatch.setattr(units.Units, "fetch", noted)
    contents = table("KPvK", "r")
    verdict = verify(contents, exits_of(parse("KPvK"), answers("KPvK", "r")), memory=Memory(room=room))
    assert verdict == Verdict(legal(contents), 0, [])
    assert (max(kept) < len(contents.entries) // 4) == (room == 0.0)


@pytest.mark.usefixtures("small_units")
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_an_alteration_is_found_in_whatever_part_it_is(data: st.DataObject) -> None:
    an_alteration_is_found(data)


def an_alteration_is_found(data: st.DataObject, **how: Memory) -> None:
    contents = table("KPvK", "r")
    places = np.flatnonzero(contents.staircases)
    place = int(places[data.draw(st.integers(0, len(places) - 1))])
    column = data.draw(st.sampled_from(["entries", "staircases"]))
    old = int(getattr(contents, column)[place])
    other = int(contents.staircases[data.draw(st.integers(0, len(contents.staircases) - 1))])
    changed = altered(contents, column, place, old + 1 if column == "entries" else other)
    if changed is not None:
        found = check(changed, limit=1000, **how)
        assert found.wrong
        assert place in {finding.number for finding in found.examples}


_FEW: Final = Memory(numbers=6 << 10)
"""Six units are kept."""


@pytest.fixture
def parts_of_slices(small_units: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, and slices are divided into units."""
    monkeypatch.setattr(verified_table, "_BITS", 10)


@pytest.mark.usefixtures("parts_of_slices")
@pytest.mark.parametrize("rules", ["r", "wg"])
@pytest.mark.parametrize("name", ["KNvK", "KPvK", "KQvK"])
def test_a_slice_need_not_be_in_memory(name: str, rules: str) -> None:
    contents = table(name, rules)
    parts = OnlyParts(contents)
    verdict = verify(parts, exits_of(parse(name), answers(name, rules)), threads=2, memory=_FEW)
    assert verdict == Verdict(legal(contents), 0, [])
    assert max(map(len, parts.asked)) == 1 << 10
    assert {one for part in parts.asked for one in part} == set(range(len(contents.entries)))


@pytest.mark.usefixtures("parts_of_slices")
@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
def test_no_part_is_read_twice_where_all_can_be_kept(name: str) -> None:
    contents = table(name, "r")
    parts, size = OnlyParts(contents), len(contents.entries)
    room = Memory(numbers=size + (1 << 10))
    verdict = verify(parts, exits_of(parse(name), answers(name, "r")), threads=2, memory=room)
    assert verdict == Verdict(legal(contents), 0, [])
    assert sum(map(len, parts.asked)) == size


@pytest.mark.usefixtures("parts_of_slices")
@pytest.mark.parametrize("sample", [1, 3000])
def test_a_sample_of_divided_slices(sample: int) -> None:
    contents = table("KPvK", "r")
    verdict = verify(OnlyParts(contents), exits_of(parse("KPvK"), answers("KPvK", "r")), sample=sample, memory=_FEW)
    assert verdict == Verdict(sample, 0, [])


@pytest.mark.usefixtures("parts_of_slices")
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_an_alteration_is_found_in_whatever_part_of_a_slice_it_is(data: st.DataObject) -> None:
    an_alteration_is_found(data, memory=_FEW)


# --- samples --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["KNvK", "KPvK"])
@pytest.mark.parametrize("sample", [1, 100, 20_000])
def test_a_sample_has_as_many_positions_as_asked_for(name: str, sample: int) -> None:
    contents = table(name, "r")
    done: list[int] = []
    verdict = verify(contents, exits_of(parse(name), answers(name, "r")), sample=sample, seed=5, report=done.append)
    assert (verdict, sum(done)) == (Verdict(sample, 0, []), len(contents.entries))


def test_a_sample_larger_than_the_table_is_all_of_it() -> None:
    contents = table("KPvK", "r")
    assert check(contents, sample=10**6) == Verdict(legal(contents), 0, [])


def test_a_sample_depends_on_its_seed_alone() -> None:
    contents = table("KNvK", "r")
    some = np.random.default_rng(3).integers(1, 1000, len(contents.entries))
    wrong = replace(contents, entries=np.where(contents.entries, contents.entries + some, 0).astype(np.int32))
    first, again, other = (check(wrong, sample=50, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert 45 <= first.wrong <= 50 == first.checked
    assert [f.number for f in first.examples] == sorted(f.number for f in first.examples)


# --- wrong tables ---------------------------------------------------------------------------------------------


def altered(contents: Contents, column: str, place: int, value: int) -> Contents | None:
    """The table with one number changed; None where it is not."""
    if column in ("entries", "staircases"):
        changed = getattr(contents, column).copy()
        steps = contents.steps
        contents = replace(contents, **{column: changed})
    else:
        changed = getattr(contents.steps, column).copy()
        steps = contents.steps._replace(**{column: changed})
        contents = replace(contents, steps=steps)
    place %= len(changed)
    bounds = np.iinfo(changed.dtype)
    value = min(max(value, bounds.min), bounds.max)
    if changed[place] == value:
        return None
    changed[place] = value
    return contents


@dataclass(frozen=True)
class Change:
    """One way to alter a number in a column."""

    column: str
    to: Callable[[int, int], int]
    """From what stands there and a random number."""


CHANGES = {
    "another outcome": Change("entries", lambda old, new: (new % 60 - 30 or 1) * 0x4000 ^ (old & 0xFFFF)),
    "the other side's outcome": Change("entries", lambda old, new: (-(old >> 16) << 16) | (old & 0xFFFF)),
    "a level more or less": Change("entries", lambda old, new: old + (1 - 2 * (new & 1) << 16)),
    "a ply more or less": Change("entries", lambda old, new: old + 1 - 2 * (new & 1)),
    "another distance": Change("entries", lambda old, new: old & ~0xFFFF | new & 0xFFFF),
    "any entry": Change("entries", lambda old, new: new),
    "no entry": Change("entries", lambda old, new: 0),
    "another staircase": Change("staircases", lambda old, new: new % 446),
    "any staircase": Change("staircases", lambda old, new: new),
    "no staircase": Change("staircases", lambda old, new: 0),
    "the other holder": Change("holder", lambda old, new: 1 - old),
    "no holder": Change("holder", lambda old, new: 2 + new % 254),
    "a step a level higher or lower": Change("level", lambda old, new: old + 1 - 2 * (new & 1)),
    "a step at another level": Change("level", lambda old, new: new & 0xFF),
    "a step's other outcome": Change("outcome", lambda old, new: old + 1 - 2 * (new & 1)),
    "a step's outcome for the other side": Change("outcome", lambda old, new: -old),
    "a step with any outcome": Change("outcome", lambda old, new: new & 0xFFFF),
    "a step a ply longer or shorter": Change("distance", lambda old, new: old + 1 - 2 * (new & 1)),
    "a step with another distance": Change("distance", lambda old, new: new & 0xFFFF),
    "a step given to the neighbour": Change("start", lambda old, new: old + 1 - 2 * (new & 1)),
    "any start": Change("start", lambda old, new: new % 2000),
}


@pytest.mark.parametrize("how", CHANGES)
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_alteration_is_found(how: str, data: st.DataObject) -> None:
    change = CHANGES[how]
    rules = data.draw(st.sampled_from(RULES)) if change.column in ("entries", "staircases") else "r"
    contents = table(data.draw(st.sampled_from(["KNvK", "KBvK", "KRvK"])), rules)
    whole = contents.steps._asdict() | {"entries": contents.entries, "staircases": contents.staircases}
    place = data.draw(st.integers(0, len(whole[change.column]) - 1))
    value = change.to(int(whole[change.column][place]), data.draw(st.integers(-(2**31), 2**31 - 1)))
    changed = altered(contents, change.column, place, value)
    if changed is not None:
        verdict = check(changed)
        assert verdict.wrong
        assert verdict.examples
        assert all(map(str, verdict.examples))


@pytest.mark.parametrize("threads", [1, 3])
def test_the_altered_position_is_among_the_first_found(threads: int) -> None:
    contents = table("KPvK", "r")
    place = int(np.flatnonzero(contents.entries)[100_000])
    changed = altered(contents, "entries", place, int(contents.entries[place]) + 1)
    assert changed is not None
    verdict = check(changed, threads=threads, limit=1000)
    found = {finding.number: finding for finding in verdict.examples}
    assert len(found) == verdict.wrong
    assert list(found) == sorted(found)
    assert found[place].stored is not None


@pytest.mark.parametrize("by", [-2, -1, 1])
def test_an_outcome_beyond_the_scale_is_found(by: int) -> None:
    """Even where it is a right one but for bits for which keys have no room."""
    contents = table("KRvK", "r")
    mates = np.flatnonzero((contents.entries >> 16 == BASE) & (contents.entries & 0xFFFF != 0))
    place = int(mates[7])
    changed = altered(contents, "entries", place, int(contents.entries[place]) + by * 2**30)
    assert changed is not None
    assert place in {finding.number for finding in check(changed, limit=100).examples}


def test_an_entry_of_no_position_is_found() -> None:
    contents = table("KRvK", "r")
    place = int(np.flatnonzero(contents.entries == 0)[77])
    for column in ("entries", "staircases"):
        changed = altered(contents, column, place, 1)
        assert changed is not None
        assert check(changed) == Verdict(
            legal(contents), 1, [Finding("an entry or a staircase, but no legal position", place)]
        )


def with_staircase(contents: Contents, steps: list[tuple[int, int, int, int]]) -> tuple[Contents, int]:
    """The table with one more staircase, of no position, and its number."""
    old = contents.steps
    columns = (
        np.concatenate((column, [step[nth] for step in steps])).astype(column.dtype)
        for nth, column in enumerate(old[1:])
    )
    start = np.append(old.start, old.start[-1] + len(steps))
    return replace(contents, steps=Steps(start, *columns)), len(old.start) - 1


def staircase(contents: Contents, number: int) -> list[tuple[int, int, int, int]]:
    begin, end = contents.steps.start[number : number + 2]
    return [tuple(int(column[at]) for column in contents.steps[1:]) for at in range(begin, end)]  # type: ignore[misc]


def test_a_dictionary_in_another_form_is_found() -> None:
    contents = table("KNvK", "r")
    place = int(np.flatnonzero(contents.staircases == 1)[5])
    steps = staircase(contents, 1)
    (holder, level, outcome, distance), last = steps[0], steps[-1]
    too_high = int(np.abs(contents.steps.level).max()) + 40
    forms = {
        "no position has it": [(OPPONENT_HOLDS, 3, -400, 7)],
        "says the same as another": steps,
        "has no steps": [],
        "a step repeats the one before": [steps[0], (holder, level + 1, outcome, distance), *steps[1:]],
        "the staircase has a step out of reach": [*steps, (OPPONENT_HOLDS, too_high, -5, 3)],
        "a step is worth no more than the record to the side behind": [
            *steps, (MOVER_HOLDS, too_high, BASE - too_high, 3)
        ],
        "a step lies below all records": [(OPPONENT_HOLDS, 1, 100, 3), *steps],
        "steps are not in order": [*steps, (last[0], last[1], last[2], last[3] + 1)],
        "a step has no holder": [(2, level, outcome, distance), *steps[1:]],
        "a step has no outcome": [(OPPONENT_HOLDS, level, 0, 3)],
        "a step takes no moves": [(holder, level, outcome, 0), *steps[1:]],
    }  # fmt: skip
    for problem, form in forms.items():
        changed, number = with_staircase(contents, form)
        if problem != "no position has it":
            staircases = contents.staircases.copy()
            staircases[place] = number
            changed = replace(changed, staircases=staircases)
        verdict = check(changed, limit=100)
        assert problem in {finding.problem for finding in verdict.examples}, problem


def test_tables_that_are_wrong_altogether_are_found() -> None:
    r, wg = table("KBvK", "r"), table("KBvK", "wg")
    assert check(replace(r, rules="wg")).wrong
    assert check(replace(wg, rules="r")).wrong
    assert check(replace(r, staircases=np.zeros_like(r.staircases))).wrong
    with pytest.raises(ValueError, match="KBvK has not as many entries as numbers"):
        check(replace(r, entries=r.entries[:-1]))
    assert check(replace(r, entries=np.zeros_like(r.entries))).wrong == legal(r)


@pytest.mark.parametrize(
    ("name", "rules"),
    [("KBvK", "r"), ("KPvK", "r"), ("KPvK", "wg"), pytest.param("KPvKP", "r", marks=pytest.mark.full)],
)
def test_positions_whose_moves_lead_to_no_table_at_hand_are_counted(name: str, rules: str) -> None:
    """Captures in passing included; and with each table less there is no position more that counts as checked."""
    contents, others = table(name, rules), answers(name, rules)
    unchecked = [0]
    for gone in list(others):
        del others[gone]
        verdict = verify(contents, exits_of(parse(name), others))
        assert (verdict.wrong, verdict.examples) == (0, [])
        assert verdict.checked + verdict.unchecked == legal(contents)
        unchecked.append(verdict.unchecked)
    assert unchecked == sorted(unchecked)
    assert unchecked[1] > 0
    assert verify(contents, exits_of(parse(name), others), sample=300).checked < 300


def test_a_move_to_no_table_at_hand_counts_even_where_another_mates() -> None:
    layout, others = layout_of(parse("KPvK")), answers("KPvK", "r")
    del others[parse("KQvK")]
    boards = (
        chess.Board(fen(layout, number))
        for slice_, (pawn,) in enumerate(layout.pawns.squares.tolist())
        if chess.square_rank(pawn) == 6
        for number in layout.numbers_in(slice_)
    )
    promoting = sum(board.is_valid() and any(move.promotion for move in board.legal_moves) for board in boards)
    verdict = verify(table("KPvK", "r"), exits_of(layout.material, others))
    assert (verdict.wrong, verdict.unchecked) == (0, promoting)


def test_a_position_is_worth_no_less_than_the_moves_that_can_be_followed() -> None:
    """The other moves can only make it worth more. Here what is stored of a position with a capture is another one's,
    of the same level, and in itself sound."""
    contents = table("KBvK", "r")
    layout = layout_of(contents.material)
    alike: dict[int, list[int]] = {}
    for number in np.flatnonzero(contents.entries)[::8].tolist():
        board = chess.Board(fen(layout, number))
        if any(map(board.is_capture, board.legal_moves)):
            alike.setdefault(2 * board.legal_moves.count() + (not board.is_check()), []).append(number)
    altered = replace(contents, entries=contents.entries.copy(), staircases=contents.staircases.copy())
    for numbers in alike.values():
        worst = min(numbers, key=lambda number: int(contents.entries[number]))
        altered.entries[numbers] = contents.entries[worst]
        altered.staircases[numbers] = contents.staircases[worst]
    verdict = verify(altered, exits_of(altered.material, {}), limit=5000)
    assert {finding.number for finding in verdict.examples} & {one for numbers in alike.values() for one in numbers}


def test_a_wrong_successor_is_found() -> None:
    name = "KPvK"
    others = answers(name, "r")
    queens = parse("KQvK")
    others[queens] = others[queens].copy()
    place = int(np.flatnonzero(others[queens] >> 16 == -BASE)[3])
    others[queens][place] = 0
    assert verify(table(name, "r"), exits_of(parse(name), others)).wrong
    others[queens] = others[queens][:-1]
    with pytest.raises(ValueError, match="KQvK"):
        verify(table(name, "r"), exits_of(parse(name), others))


def test_a_finding_says_what_was_found() -> None:
    finding = Finding("worth something else", 7, record=(OPPONENT_HOLDS, 3), expected=(BASE - 4, 5), stored=(-BASE, 0))
    assert str(finding) == (
        "number 7: worth something else, the opponent holding level 3, expected +G2.0 in 5, stored -G0.0 in 0"
    )
    assert str(Finding("no position has it", staircase=9)) == "staircase 9: no position has it"
