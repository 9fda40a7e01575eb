"""A report on two materials under both rules."""

from pathlib import Path

import pytest

from tbgen.core.material import parse
from tbgen.report.document import Document
from tbgen.report.make import ALL, Request, make
from tbgen.report.write import write


@pytest.fixture(scope="module")
def document(small_tables: Path) -> Document:
    return make(ALL, Request(small_tables, ("r", "wg"), (parse("KBvK"), parse("KvK"))))


@pytest.fixture(scope="module")
def html(document: Document) -> str:
    return write(document, "html")
