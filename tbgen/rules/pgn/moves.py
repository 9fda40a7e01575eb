"""The moves of a game, from the text behind its tags. Comments and variations are not looked into."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple, NoReturn

from tbgen.errors import BadInput
from tbgen.rules.pgn.split import RESULTS
from tbgen.system.text import decoded, typed

_PLAIN: Final = re.compile(r"[^{}();%$\[\]<>]*\Z")
"""A text without comments and variations: only white space separates its tokens."""

_COMMENT: Final = re.compile(r"\{[^}]*\}?|;[^\n]*|^%[^\n]*", re.MULTILINE)
_SIGNS: Final = re.compile(rf"({_COMMENT.pattern})|[^\x00-\x7f]+", re.MULTILINE)
"""A comment, or bytes that are not ASCII."""
_FIGURES: Final = str.maketrans(dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBN KQRBN ", strict=True)))
_TOKEN: Final = re.compile(r"[()]|\$\d+|[^\s()$]+")
_NOT_A_LINE_END: Final = re.compile(r"[^\n]")
_SHOWN: Final = 20
_LONGEST: Final = 64
"""Characters of a token. What is longer is no move."""


class BadMoves(BadInput):
    """Moves that cannot be read."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at
        """Where in the text."""


class Moves(NamedTuple):
    """What was played."""

    tokens: list[str]
    """Moves, their numbers and annotations, in order."""
    result: str
    comment: str
    """The last one, if it stands right before the result."""


def text_of(data: bytes) -> str:
    """The bytes behind the tags as text, byte by byte; outside comments, signs are those of a keyboard."""
    text = data.decode("latin-1")
    return text if text.isascii() else _SIGNS.sub(_typed, text)


def _typed(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    signs = decoded(match[0].encode("latin-1"))
    return typed(signs).translate(_FIGURES).encode().decode("latin-1")


def read(text: str) -> Moves:
    """The tokens of the main line."""
    if _PLAIN.match(text):
        tokens, comment = text.split(), ""
    else:
        tokens, comment = _main_line(text), _last_comment(text)
    if not tokens:
        raise BadMoves("neither moves nor a result", len(text))
    result = tokens.pop()
    if result not in RESULTS:
        _complain_of_end(text, [*tokens, result])
    if tokens and max(map(len, tokens)) > _LONGEST:
        index = next(index for index, token in enumerate(tokens) if len(token) > _LONGEST)
        raise BadMoves(f"not a move: {shown(tokens[index])}", place(text, index))
    return Moves(tokens, result, comment)


def place(text: str, index: int) -> int:
    """Find where in the text a token of the main line stands."""
    return next(islice(places(text), index, None), len(text))


def places(text: str) -> Iterator[int]:
    """Find where in the text the tokens of the main line stand, the result included."""
    return (match.start() for match in _tokens(_blank(text)))


def _main_line(text: str) -> list[str]:
    if text.rfind("{") > text.rfind("}"):
        for match in _COMMENT.finditer(text):
            if match[0].startswith("{") and not match[0].endswith("}"):
                raise BadMoves("a comment is not closed", match.start())
    bare = _COMMENT.sub(" ", text)
    if "}" in bare:
        raise BadMoves("a comment is closed that was not opened, or comments are nested", _blank(text).find("}"))
    if "(" not in bare and ")" not in bare:
        return _TOKEN.findall(bare)
    try:
        return [match[0] for match in _tokens(bare)]
    except BadMoves as error:
        raise BadMoves(str(error), len(text)) from None


def _tokens(bare: str) -> Iterator[re.Match[str]]:
    """The tokens outside variations, of a text without comments."""
    depth = 0
    for match in _TOKEN.finditer(bare):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
            if depth < 0:
                raise BadMoves("a variation is closed that was not opened", match.start())
        elif not depth:
            yield match
    if depth:
        raise BadMoves("a variation is not closed", len(bare))


def _blank(text: str) -> str:
    """The text with white space for every comment, so that all else stays in its place."""
    return _COMMENT.sub(lambda match: _NOT_A_LINE_END.sub(" ", match[0]), text)


def _last_comment(text: str) -> str:
    end = text.rstrip()
    for result in RESULTS:
        if end.endswith(result):
            end = end.removesuffix(result).rstrip()
            break
    return end[end.rfind("{") + 1 : -1] if end.endswith("}") else ""


def _complain_of_end(text: str, tokens: list[str]) -> NoReturn:
    """Say why the last token is no result."""
    last = next((index for index, token in enumerate(tokens) if token in RESULTS), None)
    if last is None:
        raise BadMoves("the moves end without a result: 1-0, 0-1, 1/2-1/2 or *", len(text.rstrip()))
    raise BadMoves(f"text behind the result: {shown(tokens[last + 1])}", place(text, last + 1))


def shown(token: str) -> str:
    """A token as it may stand in a message."""
    return ascii(token if len(token) <= _SHOWN else f"{token[:_SHOWN]}...")[1:-1]
