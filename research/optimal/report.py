"""The report on best moves: see `research/run optimal --help`."""

from collections.abc import Iterator
from typing import Final

from research.memory import require_memory
from research.optimal import tree
from research.optimal.count import count
from tbgen.core.material import Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.index import layout_of
from tbgen.report.document import Section
from tbgen.report.make import Reports, Request, chosen_materials, progress, tablebase_of
from tbgen.system.thresholds import ENTRY

EPILOG: Final = """\
reports:
  tree         how many moves are best, in chess and in r-mobility

examples:
  research/run optimal tree KvK KNvK KPvK
"""

_TREE: Final = 24
"""Bytes that each number of a table takes whose best moves are counted."""


def _bytes_of(material: Material) -> int:
    """Return what a table takes in memory with those that its resets lead to."""
    successors = sum(ENTRY * layout_of(successor).size for successor in material.successors())
    return _TREE * layout_of(material).size + successors


def _tree(request: Request) -> Iterator[Section]:
    materials = chosen_materials(request, (TableRules.RESET,))
    if request.rules != (TableRules.RESET,):
        raise BadInput("best moves are counted under the rules r")
    tick = progress(request, "counting best moves", materials)
    require_memory({material: _bytes_of(material) for material in materials})
    counts = []
    for material in materials:
        with tablebase_of(request, TableRules.RESET) as tablebase:
            table = tablebase.table(material)
            reached = {successor: tablebase.table(successor).entries() for successor in material.successors()}
            counts.append((material, count(table.layout, table.part(0, table.size), reached)))
            tick(table.size)
    yield tree.section(counts)


REPORTS: Final[Reports] = {"tree": _tree}
