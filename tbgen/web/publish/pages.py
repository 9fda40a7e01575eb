"""The explorer in the folder: the pages of `tbgen serve`, as files. The board asks the tables beside it from within the
browser; what whole tables know is counted here, once per table."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tbgen._version import __version__
from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.probe import open_tablebase
from tbgen.report.study import study
from tbgen.system.output_files import replace
from tbgen.system.text import from_json, to_json
from tbgen.web.pages import explorer, files, materials
from tbgen.web.pages.frame import Links
from tbgen.web.pages.modules import FROM_ELSEWHERE, STATIC
from tbgen.web.server.board import board

INDEX: Final = "index.html"
FOLDER: Final = "pages"
_PROGRAM: Final = f"tbgen {__version__}"
_OURS: Final = b'<meta name="generator" content="tbgen '
_FIRST: Final = 4096
"""Bytes of a page, in which it says who made it."""
_UNCOUNTED: Final = "Slim tables are not counted; publish whole ones beside them for that."
_MADE: Final = (".html", ".json")
Begin = Callable[[str, int], None]


def check(site: Path) -> None:
    """BadInput where somebody else's page is."""
    with suppress(FileNotFoundError), (site / INDEX).open("rb") as page:
        if _OURS not in page.read(_FIRST):
            raise BadInput(f"{site / INDEX} is a page of yours: move it away, or publish with --no-pages")


class Pages:
    """Of the tables in a folder, as its catalogue lists them."""

    def __init__(self, site: Path, rows: list[dict[str, Any]], url: str | None, begin: Begin) -> None:
        self._site, self._url, self._begin = site, url, begin
        self._rows = sorted(rows, key=lambda row: (row["rules"], len(row["material"]), row["material"], row["form"]))
        self._rules = [rules for rules in TableRules if any(row["rules"] == rules for row in rows)]

    def write(self) -> None:
        """Write all, and remove those of tables that have gone."""
        folder = self._site / FOLDER
        made = []
        for name, data in self._all():
            _put(folder / name, data)
            made.append(name)
        _put(self._site / INDEX, self._explorer().encode())
        for path in folder.iterdir():
            if path.suffix in _MADE and path.name not in made:
                path.unlink()

    def _explorer(self) -> str:
        """With the first answer in it, if it is there: who comes to look need not wait for scripts and tables."""
        rules = self._rules[0]
        with open_tablebase(self._site, rules) as tablebase:
            told = board(explorer.START, rules, tablebase, with_line=False)
        return explorer.published(self._links(f"{FOLDER}/"), rules, self._url, told if "answer" in told else None)

    def _all(self) -> Iterator[tuple[str, bytes]]:
        for path in (*STATIC.rglob("*"), *FROM_ELSEWHERE.values()):
            if path.is_file():
                name = path.relative_to(STATIC) if path.is_relative_to(STATIC) else path.name
                yield f"static/{name}", path.read_bytes()
        links = self._links("")
        known = [{"name": row["name"], "bytes": row["bytes"]} for row in self._rows]
        yield "tables.json", (to_json({"tables": known}) + "\n").encode()
        yield "files.html", files.listing(self._rows, self._url, links).encode()
        for rules in self._rules:
            studies = dict(self._studies(rules))
            for name, found in studies.items():
                yield f"{name}.{rules}.json", (to_json(found) + "\n").encode()
                yield f"{name}.{rules}.html", materials.one(name, rules, found, links, self._rules_of(name)).encode()
            tables = {row["material"]: row for row in self._rows if row["rules"] == rules}
            shown = [
                materials.Row(parse(name), row["bytes"], studies.get(name), name in studies)
                for name, row in tables.items()
            ]
            yield f"materials.{rules}.html", materials.listing(shown, rules, links, self._rules, _UNCOUNTED).encode()

    def _studies(self, rules: TableRules) -> Iterator[tuple[str, dict[str, Any]]]:
        """By material: as counted before for the same file, else counted."""
        with open_tablebase(self._site, rules) as tablebase:
            for row in self._rows:
                if row["rules"] != rules or row["form"] != "whole":
                    continue
                key = {"program": _PROGRAM, "sha256": row["sha256"]}
                found = self._known(f"{row['material']}.{rules}.json", key)
                if found is None:
                    self._begin(f"counting {row['name']}", 1)
                    found = key | study(self._site / row["name"], tablebase)
                yield row["material"], found

    def _known(self, name: str, key: dict[str, Any]) -> dict[str, Any] | None:
        with suppress(OSError, BadInput, TypeError):
            found: dict[str, Any] = from_json((self._site / FOLDER / name).read_bytes())
            if found.items() >= key.items():
                return found
        return None

    def _rules_of(self, material: str) -> list[TableRules]:
        """Of which rules there is a page of a material."""
        there = {row["rules"] for row in self._rows if row["material"] == material and row["form"] == "whole"}
        return [rules for rules in self._rules if rules in there]

    def _links(self, down: str) -> Links:
        """Seen from the pages' folder, or from above it; `down` leads there."""
        usual = self._rules[0]
        return Links(
            (
                (INDEX if down else f"../{INDEX}", "Board"),
                (f"{down}materials.{usual}.html", "Materials"),
                (f"{down}files.html", "Files"),
            ),
            f"{down}static/",
            f"{down}materials.{{rules}}.html",
            f"{down}{{name}}.{{rules}}.html",
            f'<a href="{down}files.html">Tables for programs</a>',
        )


def _put(path: Path, data: bytes) -> None:
    """What has not changed keeps its date, so that browsers and mirrors need not ask for it again."""
    with suppress(OSError):
        if path.read_bytes() == data:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, data)
