"""Engines from a JSON file: with the keys of a command line, or Cute Chess's own `engines.json`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from tbgen.errors import BadInput, quoted
from tbgen.system.text import from_json

_CUTE: Final = {"command": "cmd", "workingDirectory": "dir", "protocol": "proto", "restart": "restart", "name": "name"}
"""What Cute Chess calls it, and what we do."""
_IGNORED: Final = frozenset({"stderrFile", "timeoutScaleFactor", "validateClaims", "debug", "variants"})
"""What else it writes, which means nothing here."""


def read_engines(path: Path) -> dict[str, dict[str, str]]:
    """What a file says of engines, by their names."""
    try:
        told = from_json(path.read_bytes())
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
    if not isinstance(told, list) or not all(isinstance(one, dict) for one in told):
        raise BadInput(f'{path} has to be a list of engines: [{{"name": ..., "cmd": ...}}, ...]')
    found: dict[str, dict[str, str]] = {}
    for number, one in enumerate(told, start=1):
        try:
            given = dict(_pairs(one))
        except BadInput as error:
            raise BadInput(f"{path}: engine {number}: {error}") from None
        program = given.get("cmd", "").split(maxsplit=1)
        name = given.get("name") or Path(program[0] if program else "engine").name
        if name in found:
            raise BadInput(f"{path}: two engines have the name {quoted(name)}")
        found[name] = given
    return found


def _pairs(one: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in one.items():
        if key == "options":
            yield from _options(value)
        elif key == "initStrings":
            if not isinstance(value, list):
                raise BadInput(f"initStrings is a list of texts, not {quoted(value)}")
            yield "initstr", "\\n".join(map(_word, value))
        elif key == "restart" and value == "auto":
            pass  # as the engine likes: it is not started again
        elif key == "workingDirectory" and not value:
            pass
        elif key not in _IGNORED:
            yield _CUTE.get(key, key), _word(value)


def _options(told: Any) -> Iterator[tuple[str, str]]:
    """Options as an object, or as Cute Chess lists them."""
    if isinstance(told, dict):
        told = [{"name": name, "value": value} for name, value in told.items()]
    for option in told if isinstance(told, list) else [told]:
        if not isinstance(option, dict) or not isinstance(option.get("name"), str):
            raise BadInput("options are an object, or a list of objects with name and value")
        if option.get("type") != "button" and option.get("value") != option.get("default", _NOTHING):
            yield f"option.{option['name']}", _word(option.get("value"))


_NOTHING: Final = object()


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise BadInput(f"neither a text nor a number: {quoted(value)}")
