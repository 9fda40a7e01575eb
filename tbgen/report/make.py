"""A report is made from tables: sections, each from a count of all their entries."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from tbgen.core.material import Material, build_key
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, MissingTable
from tbgen.index import layout_of
from tbgen.probe import Tablebase
from tbgen.report import compare, compare_section, potential, records, stats
from tbgen.report.census import Census, Tick, take
from tbgen.report.distances import distances
from tbgen.report.document import Document, Section
from tbgen.report.pairs import one_colour
from tbgen.report.records import Longest
from tbgen.store import build_some, check_file, find_any, readable_tables
from tbgen.system.command_name import called_as

ALL: Final = "all"
_TITLE: Final = "What the tables know"


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

    def command(self, program: str, name: str) -> str:
        """Return what to type for the report of this name."""
        words = [program, name, *(material.name for material in self.materials)]
        words += [f"--rules {' '.join(self.rules)}"] if self.rules != (TableRules.RESET,) else []
        words += [f"--limit {self.limit}"] if self.limit != 1 else []
        return " ".join(words)


Reports = Mapping[str, Callable[[Request], Iterator[Section]]]
"""What makes the sections of each report, by its name."""


def make(name: str, request: Request) -> Document:
    """Make the report that has this name in `REPORTS`."""
    return make_document(name, request, REPORTS, "tbgen report")


def make_document(name: str, request: Request, reports: Reports, program: str) -> Document:
    """Make one of these reports, which this program writes."""
    title = _TITLE if name == ALL else f"{_TITLE}: {name}"
    return Document(title, tuple(reports[name](request)), request.command(program, name))


def _stats(request: Request) -> Iterator[Section]:
    censuses = take_censuses(request)
    yield stats.section(censuses, distances(censuses))


def _records(request: Request) -> Iterator[Section]:
    ways: list[Longest] = []
    take_censuses(request, ways)
    yield records.section(ways)


def _compare(request: Request, censuses: tuple[Sequence[Census], Sequence[Census]] | None = None) -> Iterator[Section]:
    if len(request.rules) != 2:
        raise BadInput(f"two sets of rules are needed to compare, as in: {called_as()} report compare --rules r wg")
    materials = chosen_materials(request, request.rules)
    found = []
    one, other = request.rules
    tick = progress(request, "comparing", materials)
    for material in materials:
        with tablebase_of(request, one) as first, tablebase_of(request, other) as second:
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
        counted = _shares(asked, take_censuses(asked))
    yield potential.section([*counted, *(row for one in lacking for row in potential.without_table(one))])


def _shares(request: Request, censuses: Sequence[Census]) -> list[potential.Shares]:
    """Each material, and behind one with a pair of bishops its halves: those on both colours, and on one."""
    found = []
    for census in censuses:
        whole = potential.shares(census)
        found.append(whole)
        on_one = one_colour(layout_of(census.material))
        if on_one is not None:
            with tablebase_of(request, census.rules) as tablebase:
                tick = progress(request, "counting pairs of bishops", [census.material])
                one = whole.one_colour(take(tablebase.table(census.material), tick, on_one).weights)
            found += [whole.both_colours(one), one]
    return found


def _all(request: Request) -> Iterator[Section]:
    """Each table is read once for all but the comparison."""
    ways: list[Longest] = []
    censuses = take_censuses(request, ways)
    beside: list[Census] = []
    if len(request.rules) == 2:
        common = tuple(chosen_materials(request, request.rules))
        beside = take_censuses(replace(request, rules=(request.rules[1],), materials=common))
    yield stats.section(censuses, distances(censuses, beside))
    yield records.section(ways)
    if beside:
        there = {census.material for census in beside}
        yield from _compare(request, ([one for one in censuses if one.material in there], beside))
    yield potential.section(_shares(request, censuses))


REPORTS: Final[Reports] = {
    "stats": _stats,
    "records": _records,
    "compare": _compare,
    "potential": _potential,
    ALL: _all,
}


def chosen_materials(request: Request, rules: Sequence[TableRules]) -> list[Material]:
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


def take_censuses(request: Request, ways: list[Longest] | None = None) -> list[Census]:
    """Count all tables; with a list for them, find the records as well."""
    rules = request.rules[0]
    materials = chosen_materials(request, [rules])
    found = []
    tick = progress(request, "counting", materials)
    for material in materials:
        with tablebase_of(request, rules) as tablebase:
            table = tablebase.table(material)
            census = take(table, tick)
            if ways is not None:
                ways += records.find(table, census, request.limit, tablebase)
        found.append(census)
    return found


def progress(request: Request, what: str, materials: Sequence[Material]) -> Tick:
    return partial(request.report, what, sum(layout_of(material).size for material in materials))


def tablebase_of(request: Request, rules: TableRules) -> Tablebase:
    """A new one for each material: an open table keeps its shapes in memory."""
    return Tablebase(request.directory, rules, threads=request.threads)
