"""Draw the picture that those show who link to an explorer: tbgen/pages/static/preview.png, with Debian's chromium."""

import shutil

import chess
from playwright.sync_api import sync_playwright

from tbgen.look import palette
from tbgen.look.board import picture
from tbgen.pages.modules import STATIC

_WIDTH, _HEIGHT = 1200, 630
"""What such pictures measure as a rule."""
_PAGE = """<style>
body {{ margin: 0; display: flex; align-items: center; gap: 48px; padding: 33px 48px;
    font: 34px/1.35 system-ui, sans-serif; background: {paper}; color: {ink}; }}
svg {{ flex: none; }} h1 {{ font-size: 60px; margin: 0 0 24px; }} p {{ margin: 0 0 20px; }}
b {{ background: {w2}; color: {weak}; border-radius: 8px; padding: 0 12px; }}
</style>
{board}<div><h1>Endgames without draws</h1><p>Who leaves whom how few moves?</p>
<p><b>G1.5</b> White forces one legal move, not in check, in 4 plies.</p></div>"""


def main() -> None:
    board = chess.Board("8/8/8/4KBk1/8/8/8/8 b - - 0 1")
    drawn = picture(board, size=_HEIGHT - 66, coordinates=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
        page.set_content(_PAGE.format(board=drawn, **palette(), weak=palette()["on-weak"]))
        page.screenshot(path=STATIC / "preview.png")
        browser.close()


if __name__ == "__main__":
    main()
