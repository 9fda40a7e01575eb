"""Whole files of games, told and written as they come. What cannot be told is passed on as it is."""

from collections.abc import Callable
from typing import BinaryIO

from tbgen.errors import BadInput
from tbgen.referee.annotate.game import Teller, Told
from tbgen.rules.pgn import moves, san
from tbgen.rules.pgn.split import BadLine, Unit, about, units
from tbgen.rules.pgn.tags import TagSection
from tbgen.system.text import LineReader


def tell(unit: Unit, teller: Teller, most: int | None = None) -> tuple[bytes, Told | None, str]:
    """Of a game its bytes, what there is to tell, and why there is nothing or what is left out, with the line. Of a
    game in pieces only the first has words."""
    if unit.fault == "":
        return unit.data, None, ""
    try:
        told = teller.tell(unit, most)
    except BadLine as error:
        return unit.data, None, about(unit.line + error.line, unit.number, error)
    except BadInput as error:
        return unit.data, None, about(unit.line, unit.number, error)
    return told.data, told, about(unit.line, unit.number, told.note) if told.note else ""


def moves_in(unit: Unit) -> int:
    """How many moves there are to tell; none where they cannot be read."""
    if unit.fault is not None:
        return 0
    text = unit.data[TagSection(unit.data).end :].decode("latin-1")
    try:
        return sum(san.step(token) is not None for token in moves.read(text).tokens)
    except BadInput:
        return 0


def annotate(source: LineReader, target: BinaryIO, teller: Teller, watch: Callable[[Told | None, str], None]) -> int:
    """Gives the number of games that could not be told."""
    faults = 0
    for data, told, fault in (tell(unit, teller) for unit in units(source)):
        target.write(data)
        watch(told, fault)
        faults += told is None and bool(fault)
    return faults
