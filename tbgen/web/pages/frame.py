"""What all pages have."""

from collections.abc import Iterable
from html import escape
from typing import Final, NamedTuple
from urllib.parse import quote

from tbgen._version import __version__
from tbgen.core import outcome
from tbgen.core.table_rules import TableRules
from tbgen.system.text import counted
from tbgen.web.pages.modules import imported

RULES: Final = (
    (TableRules.RESET, "resets by captures and pawn moves"),
    (TableRules.WHOLE_GAME, "no resets (whole game)"),
)
_BOARD: Final = "board-sheet"
"""The styles of a board that can be played on: static/board.js puts them on, no page waits for them."""
_LATER: Final = ' fetchpriority="low"'
"""Of scripts: a page says what it knows without them, as soon as its styles are there."""
_ENDS: Final = {0: "checkmate", 1: "stalemate"}
"""By level."""


class Links(NamedTuple):
    """Where things are, seen from a page."""

    pages: tuple[tuple[str, str], ...]
    """Addresses and names: what each page leads to. The first is the board."""
    static: str
    """The folder of scripts and styles, with its slash."""
    materials: str
    """The list of materials, with `{rules}` in it."""
    material: str
    """One of them, with `{name}` and `{rules}`."""
    footer: str
    """What there is for programs."""

    def board(self, fen: str, rules: str, *more: str) -> str:
        """A position's address, ready to stand in an attribute. It names the rules: a server has usual ones of its
        own."""
        words = [f"fen={quote(fen.replace(' ', '_'), safe='/-')}", f"rules={rules}", *more]
        return escape(f"{self.pages[0][0]}?" + "&".join(words))


SERVED: Final = Links(
    (("/", "Board"), ("/materials", "Materials"), ("/game", "Your game")),
    "/static/",
    "/materials?rules={rules}",
    "/materials/{name}?rules={rules}",
    '<a href="/v1/openapi.json">Interface for programs</a>',
)


def page(links: Links, title: str, body: str, *, here: str = "", script: str = "", head: str = "") -> str:
    """`here`: the name of the page that this is, or belongs to. `head`: what else its head has."""
    nav = "".join(
        f'<a href="{path}"{" aria-current=page" if name == here else ""}>{name}</a>' for path, name in links.pages
    )
    static = links.static
    board = (
        f'<link rel="stylesheet" id="{_BOARD}" media="print" href="{static}chessground/chessground.css">'
        if script
        else ""
    )
    code = f'<script type="module" src="{static}{script}"{_LATER}></script>' if script else ""
    names = imported(script) if script else ()
    code += "".join(f'<link rel="modulepreload" href="{static}{name}"{_LATER}>' for name in names)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="tbgen {__version__}">
{head}<link rel="icon" href="{static}icon.svg">
{board}<link rel="stylesheet" href="{static}look.css"><link rel="stylesheet" href="{static}style.css">{code}</head>
<body><a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="{links.pages[0][0]}">tbgen</a><nav aria-label="Pages">{nav}</nav></header>
<main id="main">{body}</main>
<footer><p>R-mobility endgame tables. {links.footer}. This page stores
nothing and asks no other site. tbgen {__version__}, GPL-3.0-or-later.</p></footer></body></html>
"""


def problem(title: str, message: str, more: str = "") -> str:
    told = f"<p>{escape(more)}</p>" if more else ""
    return f'<div class="problem" role="alert"><p><strong>{escape(title)}</strong> {escape(message)}</p>{told}</div>'


def options(chosen: str, known: Iterable[tuple[str, str]] = RULES) -> str:
    """What there is to choose from, as values with words."""
    return "".join(
        f'<option value="{one}"{" selected" if one == chosen else ""}>{told}</option>' for one, told in known
    )


def meaning(value: int) -> str:
    """What a G-score is on the board."""
    level = outcome.level(value)
    if level in _ENDS:
        return _ENDS[level]
    return f"{counted(level >> 1, 'legal move')}, {'not in check' if level & 1 else 'in check'}"
