"""A report as a page: it needs nothing from outside, no script to be read, and draws what the tables say."""

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import chess
import pytest

from tbgen.report.charts import Bar, HeatMap, Stack, View
from tbgen.report.document import Document, Exhibit, Exhibits, Line, Lines, Section, Step, Table, columns, lines
from tbgen.report.html.charts import MANY, figure, heat, stack
from tbgen.report.write import write

VOID = {"meta", "input", "use", "rect", "path", "circle", "link", "br"}


class Page(HTMLParser):
    """What a page is made of; elements must be closed in the order of their opening."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def values(self, name: str) -> list[str]:
        return [value for _, other, value in self.attributes if other == name]


def test_the_page_needs_no_network(html: str) -> None:
    without_names = re.sub(r'xmlns(:\w+)?="[^"]*"', "", html)
    assert "://" not in without_names
    assert "@import" not in html
    page = Page(html)
    assert not {"link", "img", "iframe"} & page.seen.keys()
    assert not [value for tag, name, value in page.attributes if tag == "script" and name == "src"]


def test_links_within_the_page_lead_somewhere(html: str) -> None:
    page = Page(html)
    targets = Counter(page.values("id"))
    assert max(targets.values()) == 1
    wanted = {value.removeprefix("#") for tag, name, value in page.attributes if name == "href"}
    assert len([name for name in wanted if name.startswith("line-")]) > 10
    assert wanted <= targets.keys()
    assert set(re.findall(r"url\(#([^)]+)\)", html)) <= targets.keys()


def test_the_page_is_accessible(html: str) -> None:
    page = Page(html)
    assert '<html lang="en">' in html
    assert "prefers-color-scheme: dark" in html
    assert 'name="viewport"' in html
    assert page.seen["th"] == len(page.values("scope"))
    pictures = [value for tag, name, value in page.attributes if tag == "svg" and name == "role"]
    assert pictures.count("img") == page.seen["svg"] - 1  # the board that others refer to is hidden
    for tag, name, value in page.attributes:
        if (tag, name) == ("svg", "aria-label"):
            assert value


def test_words_from_outside_are_no_markup() -> None:
    table = Table("t", "<b>", columns(("a", "<i>"), ("b", "&", "fen")), (("<script>", "1|2"),), note="<u>")
    document = Document("<title>", (Section("s", "<s>", (table, Lines("l", "none", ()))),))
    page = Page(write(document, "html"))
    assert not {"i", "u"} & page.seen.keys()
    assert page.seen["script"] == 1
    assert "1/2" in write(document, "md")


def test_pictures_are_there(html: str) -> None:
    page = Page(html)
    charts = {"holders", "gscores", "distances", "longest", "kinds", "holders-beside", "differences"}
    assert {value.removeprefix("chart-") for value in page.values("id") if value.startswith("chart-")} == charts
    assert html.count('class="panel"') == 3


def test_a_line_tells_the_player_every_position(document: Document, html: str) -> None:
    for line in lines(document):
        found = re.search(rf'id="line-{re.escape(line.key)}" [^>]*data-start="(\d+)" data-steps="([^"]*)"', html)
        assert found
        board = chess.Board(line.fen)
        levels, moves = [int(found[1])], []
        for step in found[2].split():
            uci, level = step.split(":")
            moves.append(board.san(chess.Move.from_uci(uci)))
            levels.append(int(level))
            board.push_uci(uci)
        assert moves == [step.san for step in line.steps]
        assert levels[-1] == 512 - abs(line.outcome), "a line ends in the goal that decides"
        assert board.legal_moves.count() * 2 + (not board.is_check()) == levels[-1]


def test_a_pawn_that_can_be_taken_in_passing_is_told(small_tables: Path) -> None:
    from tbgen.report.html.lines import lines as lines_of

    line = Line("k", "t", "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", 400, (Step("d4", 400), Step("Ke7", 400)))
    told = "".join(lines_of(Lines("l", "lines", (line,))))
    assert re.search(r'data-steps="d2d4:\d+:d3 e8e7:\d+"', told)


@pytest.mark.parametrize(
    ("share", "words"),
    [(0.00049, "·"), (0.0005, "0.1"), (0.0994, "9.9"), (0.0996, "10"), (0.994, "99"), (0.996, ">99"), (1.0, "100")],
)
def test_figures_of_a_heat_map(share: float, words: str) -> None:
    assert figure(share) == words


def test_a_heat_map_hides_nothing() -> None:
    chart = HeatMap("k", "title", ("KvK",), ("G0.0", "G0.5", "G1.0"), (View("all", ((0.0, 1e-9, 0.62),)),))
    told = "".join(heat(chart))
    assert '<td></td><td class="h0">·</td><td class="h6">62</td>' in told
    assert "fieldset" not in told, "one view needs no choice"
    signed = HeatMap("k", "title", ("KvK",), ("G0.0", "G0.5"), (View("all", ((-0.2, 0.004),)),), scale="difference")
    assert '<td class="n4">−20</td><td class="p1">+0.4</td>' in "".join(heat(signed))


def test_a_heat_map_of_plies() -> None:
    """Nothing on the way is a figure; that nobody can force it is none."""
    chart = HeatMap("k", "title", ("KvK",), ("G0.0", "G0.5"), (View("all", ((None, 0),)),), scale="plies")
    told = "".join(heat(chart))
    assert '<td></td><td class="h0">0</td>' in told
    assert "300 and more" in told
    assert "%" not in told


@pytest.mark.parametrize("count", [MANY - 1, MANY])
def test_a_chart_of_many_rows_scrolls_and_is_filtered(count: int) -> None:
    names = tuple(map(str, range(count)))
    bars = Stack("bars", "title", (("w0", "mates"),), tuple(Bar(name, (1.0,)) for name in names))
    cells = HeatMap("cells", "title", names, ("G0.0",), (View("all", ((0.5,),) * count),))
    for chart, drawn in ((bars, stack(bars)), (cells, heat(cells))):
        told = "".join(drawn)
        assert (f'data-of="chart-{chart.key}"' in told) == (count >= MANY)
        assert ('class="scroll" tabindex="0"' in told) == (count >= MANY)


MATE = Line("KRvK-G0.0", "KRvK: G0.0 in 1 ply", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", 512, (Step("Ra8#", 512),))


def test_a_finding_is_a_card_that_leads_to_its_line() -> None:
    exhibits = Exhibits("e", "What is surprising", (Exhibit("A <rook> mates", "At once:", MATE),))
    document = Document("t", (Section("s", "Surprising", (exhibits, Lines("l", "Lines", (MATE,)))),))
    html, page = write(document, "html"), Page(write(document, "html"))
    assert "<h3>A &lt;rook&gt; mates</h3>" in html
    assert '<a href="#line-KRvK-G0.0">White to move: play 1 ply</a>' in html
    assert "line-KRvK-G0.0" in page.values("id")
    assert html.index('class="player"') < html.index('class="exhibits"'), "the board stands beside the cards"
    told = "### A <rook> mates\n\nAt once:\n\nWhite to move: `7k/8/6K1/8/8/8/8/R7 w - - 0 1`"
    assert told in write(document, "md")
    assert "At once:\nWhite to move: 7k/8/6K1/8/8/8/8/R7 w - - 0 1" in write(document, "text")


def test_a_line_stands_on_a_page_once() -> None:
    """Where it is first, whatever else leads to it."""
    blocks = tuple(Lines(key, "Lines", (MATE,)) for key in ("one", "other"))
    page = Page(write(Document("t", tuple(Section(one.key, one.title, (one,)) for one in blocks)), "html"))
    assert page.values("id").count("line-KRvK-G0.0") == 1


def test_bars_are_in_proportion() -> None:
    """What is twelve times as much is drawn twelve times as long."""
    told = "".join(stack(Stack("k", "title", (("w0", "mates"), ("w3", "more")), (Bar("KvK", (0.62, 0.05)),))))
    assert [float(share) for share in re.findall(r"flex:([0-9.]+)", told)] == [0.62, 0.05]
    assert 'aria-label="KvK: mates 62.00 %, more 5.00 %"' in told


def test_figures_of_findings_stand_out() -> None:
    findings = ("In all positions, 12,345 positions & <0.1 % of 3 plies; small; plies",)
    page = write(Document("t", (Section("s", "S", (), findings),)), "html")
    assert re.findall("<strong>(.*?)</strong>", page) == ["12,345 positions", "&lt;0.1 %", "3 plies"]
