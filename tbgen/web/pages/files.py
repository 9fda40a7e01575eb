"""The files of a folder that any web host serves: what each is, and how to get it."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from tbgen.system.text import counted, size_of
from tbgen.web.pages.frame import Links, page

_RULES: Final = {"r": "resets", "wg": "no resets"}


def listing(rows: Sequence[Mapping[str, Any]], url: str | None, links: Links) -> str:
    """`rows`: what the catalogue says of each table. `url`: where the folder is."""
    lines = "".join(map(_row, rows))
    total = size_of(sum(row["bytes"] for row in rows))
    torrent = '<li><a href="../tables.torrent">tables.torrent</a>: all of them from many</li>' if url else ""
    whole = next((row["material"] for row in reversed(rows) if row["form"] == "whole"), "KBvK")
    body = f"""<h1>Files</h1>
<p>{counted(len(rows), "table")}, {total}. Each holds all positions of one material, whichever side is White.</p>
<pre class="scroll" tabindex="0" role="region" aria-label="Commands">pip install tbgen
tbgen fetch {whole} --from <span id="here">{escape(url or "THIS-FOLDER")}</span></pre>
<p>That brings a table and all that it leads to, and compares every byte with its digest.</p>
<ul><li><a href="../catalogue.json">catalogue.json</a>: what each file is, for programs</li>
<li><a href="../manifest.json">manifest.json</a>: licence, versions, digests and checks, to be cited</li>
<li><a href="../SHA256SUMS">SHA256SUMS</a>: for <code>sha256sum -c SHA256SUMS</code></li>{torrent}
<li><a href="static/rmtb.js">rmtb.js</a>: reads tables from here, in browsers, Node and Deno; MIT licence</li>
</ul>
<div class="scroll" tabindex="0" role="region" aria-label="Tables"><table>
<thead><tr><th scope="col">table</th><th scope="col">rules</th><th scope="col">form</th>
<th scope="col" class="number">size</th><th scope="col">SHA-256</th></tr></thead><tbody>{lines}</tbody></table></div>"""
    return page(links, "tbgen: files", body, here="Files", script="here.js")


def _row(row: Mapping[str, Any]) -> str:
    return (
        f'<tr><th scope="row"><a href="../{row["name"]}">{row["material"]}</a></th><td>{_RULES[row["rules"]]}</td>'
        f'<td>{row["form"]}</td><td class="number">{size_of(row["bytes"])}</td>'
        f"<td><code>{row['sha256']}</code></td></tr>"
    )
