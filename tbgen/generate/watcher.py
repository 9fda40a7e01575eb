"""Whoever is told how a build goes."""

from typing import Final

from tbgen.core.material import Material


class Watcher:
    """Passes over what it hears. Others listen to some of it."""

    def began(self, material: Material) -> None:
        """This table comes next."""

    def found(self, material: Material, numbers: int) -> None:
        """A stopped build had solved `numbers`."""

    def noted(self, material: Material, line: str) -> None:
        """What its user should know of a build that goes on all the same."""

    def solved(self, material: Material, numbers: int) -> None:
        """`numbers` more numbers are solved."""

    def at_round(self, material: Material, level: int, distance: int) -> None:
        """It has come to this level of the record, and there to what lies this many plies away; 0 if it does something
        else than to go on by plies."""

    def at_stage(self, material: Material, what: str) -> None:
        """All of it is solved, and this comes next."""

    def written(self, material: Material, numbers: int) -> None:
        """The writer has gone through `numbers` more numbers. It goes through all of them twice."""

    def waits(self, material: Material) -> None:
        """Another process is building this table."""

    def finished(self, material: Material) -> None:
        """This table is there."""


NOBODY: Final = Watcher()
