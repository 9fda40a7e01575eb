"""What has to be built, in which order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tbgen.core.material import Material, with_dependencies
from tbgen.core.table_rules import TableRules
from tbgen.store import Stamp, check_file, stamp_of, table_path


@dataclass(frozen=True)
class Plan:
    directory: Path
    rules: TableRules
    todo: tuple[Material, ...]
    """Every table after those that it depends on."""
    present: tuple[Material, ...]
    replaced: Mapping[Material, Stamp] = field(default_factory=dict)
    """Tables that are there and are to be built again, with their stamps. One with another stamp has been built since,
    and stays."""


def make_plan(materials: list[Material], directory: Path, rules: TableRules, *, rebuild: bool = False) -> Plan:
    """All tables that these materials need and that are not in the directory; with `rebuild` the named ones in any
    case.

    CorruptTable if something other than a file has the name of one of them."""
    needed = with_dependencies(materials)
    again = set(materials) if rebuild else set()
    there = [m for m in needed if check_file(table_path(directory, m, rules))]
    replaced = {m: stamp_of(table_path(directory, m, rules).stat()) for m in there if m in again}
    present = [m for m in there if m not in again]
    todo = [m for m in needed if m not in present]
    return Plan(directory, rules, tuple(todo), tuple(present), replaced)
