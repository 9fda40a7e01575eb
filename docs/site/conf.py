"""How sphinx makes the documentation site; scripts/site lays the pages before it."""

import re
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from tbgen._version import __version__
from tbgen.drawing import palette

project = "tbgen"
author = "the tbgen contributors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
autodoc_member_order = "bysource"
nitpick_ignore_regex = [("py:.*", ".*")]  # names in signatures that the page does not explain are no links
myst_heading_anchors = 3
# A file that is a page of its own is shown; any other file that a page links to is downloaded.
myst_url_schemes = {"http": None, "https": None, "page": "{{path}}"}
highlight_language = "none"
default_role = "code"  # backticks in the program's own words
html_theme = "furo"
html_theme_options = {
    f"{when}_css_variables": {
        "color-background-primary": colours["paper"],
        "color-background-secondary": colours["shade"],
        "color-background-border": colours["line"],
        "color-foreground-primary": colours["ink"],
        "color-foreground-secondary": colours["faint"],
        "color-foreground-muted": colours["faint"],
        "color-brand-primary": colours["link"],
        "color-brand-content": colours["link"],
        "font-stack": "system-ui, sans-serif",
    }
    for when, colours in (("light", palette()), ("dark", palette(dark=True)))
}
html_title = f"tbgen {release}"
html_copy_source = False
html_show_copyright = False


FOR_EVERYBODY = (
    (r"<pre>", '<pre tabindex="0">'),  # what scrolls can be reached by keys
    (r'<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    (r'<th class="[^"]*"><p></p></th>', "<td></td>"),
    (r'role="heading"', 'role="heading" aria-level="2"'),
    (r'<div id="search-results">', '<h1>Search</h1><div id="search-results">'),
    (r'<aside class="sidebar-drawer"', '<aside aria-label="Pages" class="sidebar-drawer"'),
    (r'<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer'),
)
"""What the theme leaves out, and axe misses."""


def finish(app: Sphinx, fault: Exception | None) -> None:
    for path in [] if fault else Path(app.outdir).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for wrong, right in FOR_EVERYBODY:
            text = re.sub(wrong, right, text)
        path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.add_lexer("staircase", TextLexer)  # the drawing in theory.md
    app.connect("build-finished", finish)
