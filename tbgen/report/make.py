"""From tables to a document."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tbgen import machine
from tbgen.called import called_as
from tbgen.errors import BadInput, MissingTable, OutOfRoom
from tbgen.index import layout_of
from tbgen.material import Material, build_key, with_dependencies
from tbgen.probe import Tablebase
from tbgen.report import checks, compare, compare_section, kings, komi, potential, records, stalemates, stats, zugzwangs
from tbgen.report.census import Census, Tick, take
from tbgen.report.distances import distances
from tbgen.report.document import Document, Section
from tbgen.report.pairs import one_colour
from tbgen.report.records import Longest
from tbgen.sizes import ENTRY, PROGRAM
from tbgen.store import build_some, check_file, find_any, readable_tables
from tbgen.table_rules import TableRules
from tbgen.text import size_of

if TYPE_CHECKING:
    from tbgen.report.fifty import Kept

ALL: Final = "all"
_TITLE: Final = "What the tables know"
_ZUGZWANGS: Final = 16
_TREE: Final = 24
"""Bytes per number of a table whose zugzwangs are looked for, or whose best moves are counted, as a whole."""


@dataclass(frozen=True)
class Request:
    """What is to be reported of which tables."""

    directory: Path
    rules: tuple[TableRules, ...] = (TableRules.RESET,)
    """One set of rules, or the two to compare."""
    materials: tuple[Material, ...] = ()
    """All there are, if none are named."""
    limit: int = 1
    """Record positions of each kind."""
    threads: int = 1
    """How many decode a table that is read."""
    report: Callable[[str, int, int], None] = lambda what, total, numbers: None
    """Told what is at work, how many numbers it has, and how many more of them are done."""

    def command(self, what: str) -> str:
        """What to type for it."""
        words = ["tbgen report", what, *(material.name for material in self.materials)]
        words += [f"--rules {' '.join(self.rules)}"] if self.rules != (TableRules.RESET,) else []
        words += [f"--limit {self.limit}"] if self.limit != 1 else []
        return " ".join(words)


def make(what: str, request: Request) -> Document:
    """The report of a name in `REPORTS`."""
    title = _TITLE if what == ALL else f"{_TITLE}: {what}"
    return Document(title, tuple(REPORTS[what](request)), request.command(what))


def _stats(request: Request) -> Iterator[Section]:
    censuses = _censuses(request)
    yield stats.section(censuses, distances(censuses))


def _records(request: Request) -> Iterator[Section]:
    ways: list[Longest] = []
    _censuses(request, ways)
    yield records.section(ways)


def _compare(request: Request, censuses: tuple[Sequence[Census], Sequence[Census]] | None = None) -> Iterator[Section]:
    if len(request.rules) != 2:
        raise BadInput(f"two sets of rules are needed to compare, as in: {called_as()} report compare --rules r wg")
    materials = _materials(request, request.rules)
    found = []
    one, other = request.rules
    tick = _ticks(request, "comparing", materials)
    for material in materials:
        with _tablebase(request, one) as first, _tablebase(request, other) as second:
            tables = first.table(material), second.table(material)
            found.append(compare.compare(tables, (first, second), tick))
    yield compare_section.section(found, censuses)


def _potential(request: Request) -> Iterator[Section]:
    """The rule needs no table: of a material that is named and has none, it speaks alone."""
    rules = request.rules[0]
    lacking = [one for one in request.materials if not check_file(find_any(request.directory, one, rules))]
    present = tuple(one for one in request.materials if one not in lacking)
    counted: list[potential.Shares] = []
    if present or not lacking:
        asked = replace(request, materials=present)
        counted = _shares(asked, _censuses(asked))
    yield potential.section([*counted, *(row for one in lacking for row in potential.without_table(one))])


def _counted(section: Callable[[Sequence[Census]], Section]) -> Callable[[Request], Iterator[Section]]:
    """A report that takes nothing but how often each outcome is forced."""
    return lambda request: iter([section(_censuses(request))])


def _kings(request: Request) -> Iterator[Section]:
    with _tablebase(request, request.rules[0]) as tablebase:
        yield kings.section(*kings.find(tablebase))


def _zugzwangs(request: Request) -> Iterator[Section]:
    materials = _materials(request, request.rules)
    tick, found = _ticks(request, "looking for zugzwangs", materials), []
    _check_memory({material: _ZUGZWANGS * layout_of(material).size for material in materials})
    for material in materials:
        with _tablebase(request, request.rules[0]) as tablebase:
            found.append(zugzwangs.find(tablebase.table(material), tick))
    yield zugzwangs.section(found)


def _tree(request: Request) -> Iterator[Section]:
    from tbgen.optimal.count import count  # late: it takes a compiler
    from tbgen.report import tree

    materials = _materials(request, (TableRules.RESET,))
    if request.rules != (TableRules.RESET,):
        raise BadInput("best moves are counted under the rules r")
    tick, found = _ticks(request, "counting best moves", materials), []
    _check_memory(
        {
            material: _TREE * layout_of(material).size
            + sum(ENTRY * layout_of(one).size for one in material.successors())
            for material in materials
        }
    )
    for material in materials:
        with _tablebase(request, TableRules.RESET) as tablebase:
            table = tablebase.table(material)
            reached = {one: tablebase.table(one).entries() for one in material.successors()}
            found.append((material, count(table.layout, table.part(0, table.size), reached)))
            tick(table.size)
    yield tree.section(found)


def _check_memory(tables: Mapping[Material, int]) -> None:
    """Raise OutOfRoom if the program has no memory for one of these tables, each of which takes so many bytes."""
    allowed = machine.memory()
    for material, table in tables.items():
        needed = PROGRAM + table
        if needed > allowed:
            raise OutOfRoom(
                f"{material} takes {size_of(needed)} of memory here, and there are {size_of(allowed)}: name others"
            )


def _fifty(request: Request) -> Iterator[Section]:
    from tbgen.report import fifty  # late: it takes a compiler

    yield fifty.section([w for (w,) in _with_the_clock(request, ("W",))])


def _cursed(request: Request) -> Iterator[Section]:
    from tbgen.report import fifty

    yield fifty.cursed_section([(w, c) for w, c in _with_the_clock(request, ("W", "C"))])


def _with_the_clock(request: Request, rule_sets: Sequence[str]) -> Iterator[list["Kept"]]:
    """Each material under these rule sets. All that its resets lead to is solved first."""
    from tbgen.clock import solve
    from tbgen.report import fifty

    if request.rules != (TableRules.RESET,):
        raise BadInput("the 50-move rule is laid beside tables of the rules r")
    wanted = _materials(request, request.rules)
    if wanted[-1].men > fifty.MOST_MEN:
        raise BadInput(f"{wanted[-1]} has too many men: with the clock {fifty.MOST_MEN} are solved")
    solvers = [solve.Solver(getattr(solve, name), fifty.SHOWN) for name in rule_sets]
    needed = with_dependencies(wanted)
    tick = _ticks(request, "solving with the clock", needed)
    for material in needed:
        with _tablebase(request, TableRules.RESET) as tablebase:
            table = tablebase.table(material)
            found = [fifty.kept(solver, table) for solver in solvers]
            tick(table.size)
        if material in wanted:
            yield found


def _shares(request: Request, censuses: Sequence[Census]) -> list[potential.Shares]:
    """Each material, and behind one with a pair of bishops its halves: those on both colours, and on one."""
    found = []
    for census in censuses:
        whole = potential.shares(census)
        found.append(whole)
        on_one = one_colour(layout_of(census.material))
        if on_one is not None:
            with _tablebase(request, census.rules) as tablebase:
                tick = _ticks(request, "counting pairs of bishops", [census.material])
                one = whole.one_colour(take(tablebase.table(census.material), tick, on_one).weights)
            found += [whole.both_colours(one), one]
    return found


def _all(request: Request) -> Iterator[Section]:
    """Each table is read once for all but the comparison."""
    ways: list[Longest] = []
    censuses = _censuses(request, ways)
    beside: list[Census] = []
    if len(request.rules) == 2:
        common = tuple(_materials(request, request.rules))
        beside = _censuses(replace(request, rules=(request.rules[1],), materials=common))
    yield stats.section(censuses, distances(censuses, beside))
    yield records.section(ways)
    if beside:
        there = {census.material for census in beside}
        yield from _compare(request, ([one for one in censuses if one.material in there], beside))
    yield potential.section(_shares(request, censuses))


REPORTS: Final[Mapping[str, Callable[[Request], Iterator[Section]]]] = {
    "stats": _stats,
    "records": _records,
    "compare": _compare,
    "potential": _potential,
    "stalemates": _counted(stalemates.of),
    "checks": _counted(checks.of),
    "komi": _counted(komi.of),
    "tree": _tree,
    "kings": _kings,
    "zugzwangs": _zugzwangs,
    "fifty": _fifty,
    "cursed": _cursed,
    ALL: _all,
}


def _materials(request: Request, rules: Sequence[TableRules]) -> list[Material]:
    """Those named, or all that are there under each of the rules, in build order."""
    if request.materials:
        return sorted(set(request.materials), key=build_key)
    there = [{one.material for one in readable_tables(request.directory) if one.rules == name} for name in rules]
    found = sorted(set.intersection(*there), key=build_key)
    if not found:
        wanted = " and ".join(rules)
        raise MissingTable(
            f"no tables for {wanted} in {request.directory} (to build some: {build_some(request.directory)})"
        )
    return found


def _censuses(request: Request, ways: list[Longest] | None = None) -> list[Census]:
    """Count all tables; with a list for them, find the records as well."""
    rules = request.rules[0]
    materials = _materials(request, [rules])
    found = []
    tick = _ticks(request, "counting", materials)
    for material in materials:
        with _tablebase(request, rules) as tablebase:
            table = tablebase.table(material)
            census = take(table, tick)
            if ways is not None:
                ways += records.find(table, census, request.limit, tablebase)
        found.append(census)
    return found


def _ticks(request: Request, what: str, materials: Sequence[Material]) -> Tick:
    return partial(request.report, what, sum(layout_of(material).size for material in materials))


def _tablebase(request: Request, rules: TableRules) -> Tablebase:
    """A new one for each material: an open table keeps its shapes in memory."""
    return Tablebase(request.directory, rules, threads=request.threads)
