"""How sphinx makes the documentation site; scripts/site lays the pages before it."""

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from tbgen._version import __version__
from tbgen.look import palette

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


def setup(app: Sphinx) -> None:
    app.add_lexer("staircase", TextLexer)  # the drawing in theory.md
