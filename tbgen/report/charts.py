"""Pictures as data. Only pages draw them: what they show is in tables as well, for the other forms."""

from dataclasses import dataclass
from typing import Literal

Scale = Literal["share", "difference", "plies"]
"""What the figures of a heat map are."""


@dataclass(frozen=True)
class View:
    """One way to fill a heat map."""

    title: str
    rows: tuple[tuple[float | None, ...], ...]
    """None where there is nothing."""


@dataclass(frozen=True)
class HeatMap:
    """Figures by row and column."""

    key: str
    title: str
    labels: tuple[str, ...]
    """The labels of rows."""
    columns: tuple[str, ...]
    views: tuple[View, ...]
    """The reader chooses one."""
    note: str = ""
    scale: Scale = "share"


@dataclass(frozen=True)
class Bar:
    """One whole, in parts."""

    label: str
    shares: tuple[float, ...]
    under: str = ""
    """The rules, where a label has a bar for each of two."""


@dataclass(frozen=True)
class Stack:
    """Bars of 100 % each."""

    key: str
    title: str
    parts: tuple[tuple[str, str], ...]
    """Class and name of each part, in order."""
    bars: tuple[Bar, ...]
    note: str = ""


@dataclass(frozen=True)
class Curve:
    """Shares of placements by distance, in steps of two plies from 3 on: White's and Black's."""

    white: tuple[float, ...]
    black: tuple[float, ...]


@dataclass(frozen=True)
class Panel:
    """The distances of one material."""

    label: str
    words: str
    curves: tuple[Curve, ...]
    """One, or one for each of two sets of rules."""


@dataclass(frozen=True)
class Distances:
    """Small pictures of the same kind."""

    key: str
    title: str
    panels: tuple[Panel, ...]
    rules: tuple[str, ...]
    note: str = ""


Chart = HeatMap | Stack | Distances
