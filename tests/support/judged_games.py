"""Games made for tests of `tbgen adjudicate`, and what becomes of them."""

from tbgen.referee.adjudicate.game import Judge, Judged
from tbgen.referee.adjudicate.settings import Settings
from tbgen.rules.pgn.split import Unit
from tbgen.rules.pgn.tags import TagSection

BISHOP = "8/8/8/4KBk1/8/8/8/8 b - - 7 30"
"""Black to move has three moves: G3.5."""


def game(moves: str, **tags: str) -> bytes:
    lines = {"White": "Ann", "Black": "Bob", "Result": moves.rsplit(maxsplit=1)[-1], **tags}
    return "".join(f'[{name} "{value}"]\n' for name, value in lines.items()).encode() + f"\n{moves}\n".encode()


def judged(data: bytes, settings: Settings | None = None) -> Judged:
    with Judge(settings or Settings()) as judge:
        return judge.judge(Unit(7, 100, data))


def tags(data: bytes, settings: Settings | None = None) -> dict[str, str]:
    found = judged(data, settings)
    assert found.fault is None
    assert found.verdict is not None
    return TagSection(found.data).headers


def result(data: bytes, settings: Settings | None = None) -> tuple[str, str]:
    found = tags(data, settings)
    return found["RMobilityResult"], found["RMobilityTermination"]
