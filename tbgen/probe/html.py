"""A result as notebooks show it. The board is not part of a result: python-chess shows that."""

from collections.abc import Iterable
from html import escape

from tbgen.probe.result import Result
from tbgen.probe.words import record_sentence, sentence


def html(result: Result) -> str:
    """The verdict, then the moves and the line as far as they were asked for."""
    parts = [
        f"<p><b>{escape(result.material)}</b>: {escape(sentence(result))}<br>{escape(record_sentence(result))}</p>"
    ]
    if result.moves is not None:
        rows = ((move.uci, move.gscore, str(move.dtg) if move.dtg else "record stands") for move in result.moves)
        parts.append(_table(("move", "outcome", "plies"), rows))
    if result.line:
        parts.append(_table(("line", "record"), ((move.san, move.record_gscore) for move in result.line)))
    return "".join(parts)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    def line(cells: Iterable[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table>{line(heads, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"
