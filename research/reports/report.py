"""Reports that answer a question of their own: see `research/run reports --help`."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from research.memory import require_memory
from research.reports import checks, kings, komi, stalemates, zugzwangs
from tbgen.index import layout_of
from tbgen.report.census import Census
from tbgen.report.document import Section
from tbgen.report.make import Reports, Request, chosen_materials, progress, tablebase_of, take_censuses

EPILOG: Final = """\
reports:
  stalemates   how often stalemate can be forced, and who would win if the stalemated side lost
  checks       which side forces G1.0, G1.5 and G2.0: whom perpetual check favours
  komi         who wins with a cutoff and a komi, the side to move drawn by lot
  kings        whether bare kings at G8.5 twice running leave a record that stands, as rule set C has it
  zugzwangs    positions in which either side would rather not move, record by record

examples:
  research/run reports stalemates KNNvK KBBvK
  research/run reports zugzwangs KvK KPvK --format csv
"""

_ZUGZWANGS: Final = 16
"""Bytes that each number of a table takes whose zugzwangs are looked for."""


def _of_censuses(section: Callable[[Sequence[Census]], Section]) -> Callable[[Request], Iterator[Section]]:
    """Return a report that takes nothing but how often each outcome is forced."""
    return lambda request: iter([section(take_censuses(request))])


def _kings(request: Request) -> Iterator[Section]:
    with tablebase_of(request, request.rules[0]) as tablebase:
        yield kings.section(*kings.find(tablebase))


def _zugzwangs(request: Request) -> Iterator[Section]:
    materials = chosen_materials(request, request.rules)
    tick = progress(request, "looking for zugzwangs", materials)
    require_memory({material: _ZUGZWANGS * layout_of(material).size for material in materials})
    sections = []
    for material in materials:
        with tablebase_of(request, request.rules[0]) as tablebase:
            sections.append(zugzwangs.find(tablebase.table(material), tick))
    yield zugzwangs.section(sections)


REPORTS: Final[Reports] = {
    "stalemates": _of_censuses(stalemates.of),
    "checks": _of_censuses(checks.of),
    "komi": _of_censuses(komi.of),
    "kings": _kings,
    "zugzwangs": _zugzwangs,
}
