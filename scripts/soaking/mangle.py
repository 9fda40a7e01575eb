"""Damaging texts: files, pipes and command lines may hold anything."""

import random
from collections.abc import Sequence
from typing import Final

_ODD: Final = (
    b"\0", b"\x1b[2J", b"\x1b]0;title\x07", b"\x9b2J", b"\xc2\x9b2J", b"\xff", b"\xfe\xff", b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf", "\u202e".encode(), "\u2028".encode(), "\u00a0".encode(), "\u0664".encode(), "\U0001f600".encode(),
    b"\r", b"\n", b"\r\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\\", b"\"", b"'", b"{", b"}", b"(",
    b")", b";", b"%",
    b"[", b"]", b"$", b"-", b"--", b"/", b"0", b"-1", b"1e9", b"nan", b"inf", b"9" * 30, b"9" * 400, b"\xc2\xb2",
    b"G1.0", b"-G0.5",
)  # fmt: skip
_LONG: Final = 1 << 19
"""Bytes of a part that is repeated to great length."""


def mangled(draw: random.Random, text: bytes, others: Sequence[bytes] = ()) -> bytes:
    """A text with one to a few things changed."""
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        text = _changed(draw, text, others)
    return text


def _changed(draw: random.Random, text: bytes, others: Sequence[bytes]) -> bytes:
    at = draw.randrange(len(text) + 1)
    end = min(len(text), at + draw.choice((1, 1, 2, 5, 20, 200)))
    match draw.randrange(11):
        case 0:
            return text[:at] + draw.choice(_ODD) + text[at:]
        case 1:
            return text[:at] + draw.choice(_ODD) + text[end:]
        case 2:
            return text[:at] + text[end:]
        case 3:
            return text[:end] + text[at:]
        case 4:
            return text[:at] + bytes([draw.randrange(256)]) + text[end:]
        case 5:
            return text[:at] + bytes(byte ^ 1 << draw.randrange(8) for byte in text[at:end]) + text[end:]
        case 6:
            return text[:at]
        case 7:
            words = text.split(b" ")
            one, two = draw.randrange(len(words)), draw.randrange(len(words))
            words[one], words[two] = words[two], words[one]
            return b" ".join(words)
        case 8:
            other = draw.choice(others) if others else text
            return text[:at] + other[draw.randrange(len(other) + 1) :]
        case 9 if draw.random() < 0.1:
            return text[:at] + _long(draw) + text[at:]
        case 10 if text:
            digits = [place for place, byte in enumerate(text) if 48 <= byte < 58]
            if digits:
                at = draw.choice(digits)
                return text[:at] + draw.choice((b"0", b"-1", b"99999999999", b"1.5", b"")) + text[at + 1 :]
    return text[:at] + bytes(draw.randrange(256) for _ in range(draw.choice((1, 3, 30)))) + text[at:]


def _long(draw: random.Random) -> bytes:
    piece = draw.choice(_ODD)
    return piece * draw.randrange(1, _LONG // len(piece))
