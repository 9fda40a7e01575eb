"""What goes wrong, as those who asked are told: a status, a word for programs, one line for people and what to do."""

from typing import Any, Final

from tbgen.core.material import MEN_IN_TABLES, Material
from tbgen.core.table_rules import TableRules
from tbgen.errors import (
    MEN_EXPECTED,
    BadInput,
    CorruptTable,
    MissingTable,
    OutOfRoom,
    TbgenError,
    UnsupportedPosition,
    brief,
)
from tbgen.probe import OnlyBounds
from tbgen.web.server.log import LOG

_MOST_MEN: Final = "tables hold up to six men"


class Problem(Exception):
    """A request that is not answered as it was meant."""

    def __init__(self, status: int, code: str, message: str, hint: str = "", retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.hint = hint
        self.retry_after = retry_after
        """Seconds."""

    @property
    def headers(self) -> dict[str, str]:
        wait = {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
        return {"cache-control": "no-store", **wait}

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "message": brief(str(self)), "hint": self.hint}


def missing(name: str) -> Problem:
    """`name` of the table's file."""
    material, _, rules = name.removesuffix(".h5").partition(".")
    option = f" --rules {rules}" if rules != TableRules.RESET else ""
    men, hint = sum(map(str.isupper, material)), f"tbgen build{option} {material}"
    if men > MEN_IN_TABLES:
        hint = _MOST_MEN
    elif men > MEN_EXPECTED:
        hint = f"tbgen plan{option} {material} says what building takes"
    return Problem(404, "missing_table", f"no table of {material} is here", hint)


def missing_material(material: Material, rules: TableRules) -> Problem:
    return missing(f"{material.normal.name}.{rules}.h5")


def problem_of(error: Exception) -> Problem:
    """The answer to who asked. Names of files stay here, in the log: who asks over a network has no use for them."""
    match error:
        case Problem():
            return error
        case OnlyBounds():
            return Problem(404, "only_bounds", str(error), "/v1/probe has them as white and black")
        case MissingTable(table=str(name)) if name:
            return missing(name)
        case UnsupportedPosition():
            return Problem(422, "unsupported_position", str(error), f"{_MOST_MEN} and no castling")
        case BadInput():
            return Problem(400, "bad_input", str(error), "/v1/openapi.json says what is taken")
        case CorruptTable():
            LOG.tell_once(error)
            return Problem(503, "corrupt_table", "a table that this needs is damaged", "tbgen verify names it")
        case OutOfRoom() | MemoryError():
            LOG.tell_once(error)
            return Problem(503, "out_of_room", "the server has no room for more", "ask again later", 10)
        case TbgenError():
            LOG.tell_once(error)
            return Problem(503, "failed", "this could not be worked out", "the server's log says why")
    return Problem(500, "internal", "the server made a mistake", "the server's log says which")
