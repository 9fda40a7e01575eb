"""Draw what those show who link to an explorer, with Debian's chromium: the picture
tbgen/web/pages/static/preview.png, and the men of tbgen/drawing/men.npz, of which a server makes a picture of any
position."""

import shutil

import chess
import chess.svg
import numpy as np
from playwright.sync_api import Browser, sync_playwright

from tbgen.drawing import palette, png
from tbgen.drawing.board import picture
from tbgen.web.pages.modules import STATIC

_PIXELS = """async ([svg, side]) => {
  const picture = new Image();
  picture.src = "data:image/svg+xml;base64," + btoa(svg);
  await picture.decode();
  const canvas = new OffscreenCanvas(side, side), drawn = canvas.getContext("2d");
  drawn.drawImage(picture, 0, 0, side, side);
  return [...drawn.getImageData(0, 0, side, side).data];
}"""
_PAGE = """<style>
body {{ margin: 0; display: flex; align-items: center; gap: 48px; padding: 33px 48px;
    font: 34px/1.35 system-ui, sans-serif; background: {paper}; color: {ink}; }}
svg {{ flex: none; }} h1 {{ font-size: 60px; margin: 0 0 24px; }} p {{ margin: 0 0 20px; }}
b {{ background: {w2}; color: {weak}; border-radius: 8px; padding: 0 12px; }}
</style>
{board}<div><h1>Endgames without draws</h1><p>Who leaves whom how few moves?</p>
<p><b>G1.5</b> White forces one legal move, not in check, in 4 plies.</p></div>"""


def draw_preview(browser: Browser) -> None:
    board = chess.Board("8/8/8/4KBk1/8/8/8/8 b - - 0 1")
    drawn = picture(board, size=png.HEIGHT - 66, coordinates=False)
    page = browser.new_page(viewport={"width": png.WIDTH, "height": png.HEIGHT})
    page.set_content(_PAGE.format(board=drawn, **palette(), weak=palette()["on-weak"]))
    page.screenshot(path=STATIC / "preview.png")


def draw_men(browser: Browser) -> None:
    page = browser.new_page()
    found = {}
    for symbol in "KQRBNPkqrbnp":
        man = chess.Piece.from_symbol(symbol)
        pixels = page.evaluate(_PIXELS, [chess.svg.piece(man, size=png.SIDE), png.SIDE])
        found[png.name(man)] = np.array(pixels, np.uint8).reshape(png.SIDE, png.SIDE, 4)
    np.savez_compressed(png.MEN, allow_pickle=False, **found)


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        draw_preview(browser)
        draw_men(browser)
        browser.close()


if __name__ == "__main__":
    main()
