"""Run a notebook and keep in it what its cells show, or write it as a page for the documentation site.

    .venv/bin/python scripts/notebooks.py run docs/examples/first_steps.ipynb
    .venv/bin/python scripts/notebooks.py page docs/examples/first_steps.ipynb >page.md

Cells run here as in Jupyter, which is not needed: what they print is kept, and what the last line of a cell comes to,
as HTML or a picture where it can be shown so.
"""

import argparse
import ast
import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

_PICTURES: Final = ("image/svg+xml", "text/html")
"""How the page shows what can be shown in several ways, the best one first."""


def run(notebook: dict[str, Any], names: dict[str, Any] | None = None) -> None:
    """Run all cells, and put what they show in the place of what they showed. `names`: those that cells find."""
    names = {} if names is None else names
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(code, 1):
        cell["execution_count"] = number
        cell["outputs"] = list(_shown("".join(cell["source"]), names, number))


def _shown(source: str, names: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """What a cell prints, and what its last line comes to."""
    tree = ast.parse(source)
    last = next((line for line in tree.body[-1:] if isinstance(line, ast.Expr)), None)
    tree.body = [line for line in tree.body if line is not last]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last is not None else None
    if printed.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}
    for figure in _figures():
        yield {"output_type": "display_data", "data": {"image/svg+xml": _lines(figure)}, "metadata": {}}
    if value is not None:
        data = {kind: _lines(text) for kind, text in _forms(value)}
        yield {"output_type": "execute_result", "execution_count": number, "data": data, "metadata": {}}


def _forms(value: Any) -> Iterator[tuple[str, str]]:
    """A value in each way in which it can be shown."""
    if hasattr(value, "_repr_html_"):
        yield "text/html", value._repr_html_()
    if hasattr(value, "_repr_svg_"):
        yield "image/svg+xml", value._repr_svg_()
    yield "text/plain", repr(value)


def _figures() -> Iterator[str]:
    """What matplotlib has drawn, if a cell uses it."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    for number in pyplot.get_fignums() if pyplot else ():
        drawn = io.StringIO()
        pyplot.figure(number).savefig(drawn, format="svg", metadata={"Date": None})
        pyplot.close(number)
        yield drawn.getvalue()[drawn.getvalue().index("<svg") :]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def page(notebook: dict[str, Any]) -> Iterator[str]:
    """The notebook as Markdown for MyST."""
    yield "```{raw} html\n<style>.shown svg {max-width: 100%; height: auto}</style>\n```"
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield source
            continue
        yield f"```python\n{source}\n```"
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                yield f"```\n{''.join(output['text'])}```"
                continue
            data = output["data"]
            pictures = [kind for kind in _PICTURES if kind in data]
            if pictures:
                yield f"````{{raw}} html\n<div class='shown'>{''.join(data[pictures[0]])}</div>\n````"
            else:
                yield f"```\n{''.join(data['text/plain'])}\n```"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("notebook", type=Path, metavar="FILE")
    words = parser.parse_args()
    notebook = json.loads(words.notebook.read_text(encoding="utf-8"))
    if words.what == "page":
        print("\n\n".join(page(notebook)))
        return
    run(notebook)
    words.notebook.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{words.notebook} shows what it says", file=sys.stderr)


if __name__ == "__main__":
    main()
