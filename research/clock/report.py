"""The reports on the 50-move rule: see `research/run clock --help`."""

from collections.abc import Iterator, Sequence
from typing import Final

from research.clock import fifty, solve
from tbgen.core.material import with_dependencies
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.report.document import Section
from tbgen.report.make import Reports, Request, chosen_materials, progress, tablebase_of

EPILOG: Final = """\
reports:
  fifty        what the 50-move rule takes away: solved anew with the clock, up to four men (a minute a table at most)
  cursed       mates that it prevents, and those that rule set C saves

examples:
  research/run clock fifty KBvK      the table with the 50-move rule's clock, from some clocks on
  research/run clock cursed KRvK KPvK
"""


def _fifty(request: Request) -> Iterator[Section]:
    yield fifty.section([w for (w,) in _with_the_clock(request, ("W",))])


def _cursed(request: Request) -> Iterator[Section]:
    yield fifty.cursed_section([(w, c) for w, c in _with_the_clock(request, ("W", "C"))])


def _with_the_clock(request: Request, rule_sets: Sequence[str]) -> Iterator[list[fifty.Kept]]:
    """Yield each material under these rule sets. All that its resets lead to is solved first."""
    if request.rules != (TableRules.RESET,):
        raise BadInput("the 50-move rule is laid beside tables of the rules r")
    materials = chosen_materials(request, request.rules)
    if materials[-1].men > fifty.MOST_MEN:
        raise BadInput(f"{materials[-1]} has too many men: with the clock {fifty.MOST_MEN} are solved")
    solvers = [solve.Solver(getattr(solve, name), fifty.SHOWN) for name in rule_sets]
    needed = with_dependencies(materials)
    tick = progress(request, "solving with the clock", needed)
    for material in needed:
        with tablebase_of(request, TableRules.RESET) as tablebase:
            table = tablebase.table(material)
            results = [fifty.kept(solver, table) for solver in solvers]
            tick(table.size)
        if material in materials:
            yield results


REPORTS: Final[Reports] = {"fifty": _fifty, "cursed": _cursed}
