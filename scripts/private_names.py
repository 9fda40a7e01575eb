"""Say which private names of other packages are missing here, a line each.

A package may drop what its manual does not have. So each package whose private names tbgen takes has an upper bound in
pyproject.toml, at the newest version that was tried, and one module takes them all. A name is private if it begins
with an underscore, or if the manual has neither it nor its module.
"""

import inspect
import platform
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final, NamedTuple


class Taken(NamedTuple):
    """The private names of a package that tbgen takes."""

    package: str
    module: str
    """The one that takes them."""
    names: tuple[str, ...]
    """Each with its module and class."""


TAKEN: Final = (
    Taken(
        "chess",
        "tbgen/referee/match/figures.py",
        ("chess.engine:_parse_uci_info", "chess.engine:_parse_xboard_post"),
    ),
    Taken(
        "python",
        "tbgen/cli/parser.py",
        (
            "argparse:ArgumentParser._actions",
            "argparse:ArgumentParser._negative_number_matcher",
            "argparse:RawDescriptionHelpFormatter._fill_text",
        ),
    ),
    Taken(
        "numba",
        "tbgen/compiler/pipeline.py",
        (
            "numba.core.caching:NullCache",
            "numba.core.codegen:JITCodeLibrary._final_module",
            "numba.core.codegen:JITCodeLibrary._finalized",
            "numba.core.codegen:JITCodeLibrary._get_module_for_linking",
            "numba.core.codegen:JITCodeLibrary._linking_libraries",
            "numba.core.compiler:CompileResult._rebuild",
            "numba.core.compiler:CompileResult._reduce",
            "numba.core.compiler_machinery:LoweringPass",
            "numba.core.cpu:CPUTargetOptions._nrt",
            "numba.core.registry:CPUDispatcher._cache",
            "numba.core.registry:CPUDispatcher._insert",
            "numba.core.serialize:dumps",
            "numba.core.types:Type._code",
        ),
    ),
)


def is_there(name: str) -> bool:
    """Whether a module has a name, and a class an attribute: one of its own, or one that it gives to its objects."""
    module, _, path = name.partition(":")
    try:
        owner: Any = import_module(module)
    except ImportError:
        return False
    for part in path.split("."):
        given = inspect.isclass(owner) and any(part in _given_by(base) for base in owner.__mro__)
        if not given and not hasattr(owner, part):
            return False
        owner = getattr(owner, part, None)
    return True


def _given_by(base: type) -> tuple[str, ...]:
    """The names that a class's methods of its own speak of."""
    methods = [one for one in vars(base).values() if inspect.isfunction(one)]
    return tuple(name for method in methods for name in method.__code__.co_names)


def missing() -> Iterator[str]:
    """Yield a line for each name that the installed version of its package lacks."""
    for package, module, names in TAKEN:
        for name in names:
            if not is_there(name):
                installed = platform.python_version() if package == "python" else version(package)
                yield f"{package} {installed} has no {name.replace(':', '.')}, which {module} takes"


if __name__ == "__main__":
    lines = list(missing())
    print(*lines, sep="\n", end="\n" * bool(lines))
    sys.exit(bool(lines))
