"""A report in the form that was asked for."""

from tbgen.errors import BadInput
from tbgen.report import write_data, write_text
from tbgen.report.document import Document, without_detail
from tbgen.report.write_markdown import markdown


def write(
    document: Document,
    form: str,
    *,
    table: str | None = None,
    details: bool = False,
    record_in_fen: bool = False,
    width: int | None = None,
) -> str:
    """`text` or `md` (long tables only with details), `csv` (one table), `json`, `pgn` or `html`. `width`: of the
    terminal that text goes to, if it does."""
    for_people = document if details else without_detail(document)
    match form:
        case "text":
            return write_text.text(for_people, width)
        case "md":
            return markdown(for_people)
        case "csv":
            return write_data.as_csv(document, table)
        case "json":
            return write_data.as_json(document)
        case "pgn":
            return write_data.as_pgn(document, record_in_fen=record_in_fen)
        case "html":
            from tbgen.report.html.page import page  # late: only pages need it

            return page(document)
    raise BadInput(f"no such form: {form}")
