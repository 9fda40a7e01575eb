"""Digests of tables: `tbgen info --digests` prints them, `tbgen verify --digests FILE` compares them."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tbgen.cli.limits import failure_of
from tbgen.core.material import Material, parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, CorruptTable, TbgenError
from tbgen.store import open_table
from tbgen.store.directory import Listed
from tbgen.system.text import lines, say, to_json

if TYPE_CHECKING:
    from tbgen.cli.progress import TableProgress

Wanted = Sequence[Listed]

_LONGEST: Final = 1000
_LINE: Final = re.compile(r"(?P<material>\S+) +(?P<rules>\S+) +(?P<digest>[0-9a-f]{64})")


def line_of(material: Material, rules: TableRules, digest: str) -> str:
    return f"{material.name} {rules} {digest}"


def read_digests(path: Path) -> dict[tuple[Material, TableRules], str]:
    """Read what `tbgen info --digests` has printed; lines that begin with # are comments."""
    found = {}
    try:
        with path.open("rb") as file:
            for number, line in enumerate(lines(file, _LONGEST), 1):
                if not line.text.strip() or line.text.startswith("#"):
                    continue
                match = _LINE.fullmatch(line.text.strip())
                if match is None:
                    raise BadInput(f"{path}, line {number}: not a digest such as tbgen info --digests prints")
                found[parse(match["material"]), TableRules.of(match["rules"])] = match["digest"]
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return found


def print_digests(wanted: Wanted, *, threads: int, json: bool, quiet: bool) -> int:
    """Print a line per table. Returns the exit code."""
    code = 0
    with _progress(wanted, quiet=quiet) as progress:
        for material, rules, found in _each(wanted, threads, progress):
            if isinstance(found, str):
                lines = [line_of(material, rules, found)]
            else:
                problem, code = failure_of(found)
                lines = [f"# {material} ({rules}): {problem}"]
            progress.show([to_json(_as_dict(material, rules, found))] if json else lines)
    return code


def compare_digests(wanted: Wanted, listed: Path, *, threads: int, json: bool, quiet: bool) -> int:
    """Print whether each table says the same. Returns the exit code: that of a damaged table if one says something
    else."""
    known = read_digests(listed)
    there = [one for one in wanted if one[1:] in known]
    if not there:
        raise BadInput(f"{listed} has no digest of {'this table' if len(wanted) == 1 else 'any of these tables'}")
    codes = [0]
    with _progress(there, quiet=quiet) as progress:
        for material, rules, found in _each(there, threads, progress):
            if isinstance(found, str):
                same = found == known[material, rules]
                codes.append(0 if same else CorruptTable.exit_code)
                said = "says the same" if same else f"says SOMETHING ELSE than {listed} has: digest {found}"
            else:
                said, code = failure_of(found)
                codes.append(code)
            row = _as_dict(material, rules, found) | {"same": found == known[material, rules]}
            progress.show([to_json(row)] if json else [f"{material} ({rules}): {said}"])
    if len(there) < len(wanted) and not json:
        say(f"{len(wanted) - len(there)} of {len(wanted)} tables not compared: {listed} has no digest of them")
    return max(codes)


def _progress(wanted: Wanted, *, quiet: bool) -> "TableProgress":
    from tbgen.cli.progress import TableProgress

    return TableProgress([one.material for one in wanted], quiet=quiet)


def _each(
    wanted: Wanted, threads: int, progress: "TableProgress"
) -> Iterator[tuple[Material, TableRules, str | TbgenError]]:
    """The digest of each table, or the error if there is none."""
    for path, material, rules in wanted:
        progress.began(material)
        try:
            with open_table(path, threads=threads) as table:
                found: str | TbgenError = table.digest(partial(progress.checked, material))
        except TbgenError as error:
            found = error
        progress.finished(material)
        yield material, rules, found


def _as_dict(material: Material, rules: TableRules, found: str | TbgenError) -> dict[str, str | bool | None]:
    digest, problem = (found, None) if isinstance(found, str) else (None, str(found))
    return {"material": material.name, "rules": rules, "digest": digest, "error": problem}
