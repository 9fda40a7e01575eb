"""The command of a study that writes reports: `tbgen report` with reports of its own."""

from typing import Final

from tbgen.board import men
from tbgen.cli import report
from tbgen.cli.main import guard
from tbgen.cli.parser import Parser
from tbgen.report.document import Document
from tbgen.report.make import Reports, Request, make_document

RUN: Final = "research/run"


def run_reports(study: str, reports: Reports, epilog: str) -> int:
    """Read the command line, write the report that it names, and return the exit code."""
    program = f"{RUN} {study}"
    parser = Parser(program, f"Reports of the study {study}, written as tbgen report writes its own.")
    parser.epilog = epilog
    report.add_arguments(parser, tuple(reports))

    def make(name: str, request: Request) -> Document:
        return make_document(name, request, reports, program)

    def write() -> int:
        args = parser.parse_intermixed_args()
        men.use(getattr(args, "men", ()))
        return report.run(args, make)

    return guard(write)
