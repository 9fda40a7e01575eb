"""What browsers are served besides pages, and which modules a script imports: a page that names them gets them all at
once, and not each after the one that asks for it."""

import re
from functools import cache
from pathlib import Path
from typing import Final

from tbgen import drawing

STATIC: Final = Path(__file__).parent / "static"
"""What browsers run and show."""
_BESIDE: Final = STATIC / "rmtb.js"
_READER: Final = _BESIDE if _BESIDE.exists() else Path(__file__).parents[3] / "clients/js/rmtb.js"
"""The module that reads tables in browsers: where the package is installed, and in its sources."""
FROM_ELSEWHERE: Final = {path.name: path for path in (drawing.SHEET, _READER)}
"""What lies elsewhere and is served as if it were in STATIC."""
_IMPORTED: Final = re.compile(r'^import .* from "\./([^"]+)";$', re.MULTILINE)


@cache
def imported(script: str) -> tuple[str, ...]:
    """All modules that a script needs, by their names in STATIC."""
    found = [script]
    for name in found:  # which grows meanwhile
        text = FROM_ELSEWHERE.get(name, STATIC / name).read_text(encoding="utf-8")
        found += [other for other in _IMPORTED.findall(text) if other not in found]
    return tuple(found[1:])
