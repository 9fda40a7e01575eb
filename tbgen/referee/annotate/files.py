"""Whole files of games, told and written as they come. What cannot be told is passed on as it is."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import BinaryIO

from tbgen.errors import BadInput
from tbgen.pgn.split import BadLine, about, units
from tbgen.referee.annotate.game import Teller, Told
from tbgen.text import LineReader


def tell(source: LineReader, teller: Teller, most: int | None = None) -> Iterator[tuple[bytes, Told | None, str]]:
    """Of each game its bytes, what there is to tell, and why there is nothing or what is left out, with the line. Of a
    game in pieces only the first has words."""
    for unit in units(source):
        if unit.fault == "":
            yield unit.data, None, ""
            continue
        try:
            told = teller.tell(unit, most)
        except BadLine as error:
            yield unit.data, None, about(unit.line + error.line, unit.number, error)
        except BadInput as error:
            yield unit.data, None, about(unit.line, unit.number, error)
        else:
            yield told.data, told, about(unit.line, unit.number, told.note) if told.note else ""


def has_more(source: LineReader, most: int) -> bool:
    """Whether there are more games and texts between games than `tell` is to give."""
    return next(islice(units(source), most, None), None) is not None


def annotate(source: LineReader, target: BinaryIO, teller: Teller, watch: Callable[[Told | None, str], None]) -> int:
    """Gives the number of games that could not be told."""
    faults = 0
    for data, told, fault in tell(source, teller):
        target.write(data)
        watch(told, fault)
        faults += told is None and bool(fault)
    return faults
