"""A report for programs: JSON, CSV, PGN."""

import csv
import io
from typing import Any

from tbgen._version import __version__
from tbgen.core import outcome
from tbgen.errors import BadInput
from tbgen.report.document import Document, Line, Table, lines, plain, tables
from tbgen.report.lines import pgn
from tbgen.system.text import to_json


def as_json(document: Document) -> str:
    """One object: `findings` in words, `tables` by key, each a list of objects, and `lines` by key."""
    found = {
        "title": document.title,
        "program": f"tbgen {__version__}",
        "command": document.command,
        "findings": list(document.findings),
        "tables": {table.key: _rows(table) for table in tables(document)},
        "lines": {line.key: _line(line) for line in lines(document)},
    }
    return to_json(found, indent=1) + "\n"


def as_csv(document: Document, key: str | None = None) -> str:
    """One table: the one with this key, or else the first."""
    named = {table.key: table for table in tables(document)}
    if key is not None and key not in named:
        raise BadInput(f"no such table: {key} (there are: {', '.join(named)})")
    table = named[key] if key is not None else next(iter(named.values()))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([column.key for column in table.columns])
    for row in table.rows:
        writer.writerow([plain(value, column.kind) for value, column in zip(row, table.columns, strict=True)])
    return buffer.getvalue()


def as_pgn(document: Document, *, record_in_fen: bool = False) -> str:
    games = [pgn(line, record_in_fen=record_in_fen) for line in lines(document)]
    if not games:
        raise BadInput("no lines to write as PGN: they are in the reports records and compare")
    return "\n\n".join(games) + "\n"


def _rows(table: Table) -> list[dict[str, Any]]:
    return [
        {column.key: plain(value, column.kind) for value, column in zip(row, table.columns, strict=True)}
        for row in table.rows
    ]


def _line(line: Line) -> dict[str, Any]:
    return {
        "title": line.title,
        "rules": line.rules,
        "fen": line.fen,
        "gscore": outcome.text(line.outcome),
        "dtg": len(line.steps),
        "moves": [{"san": step.san, "record": outcome.text(step.record)} for step in line.steps],
    }
