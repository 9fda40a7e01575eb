"""The house has one direction: a module imports only from rooms above its own.

Imports count wherever they are written, within functions too; what stands under
`if TYPE_CHECKING:` does not.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tbgen"
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST_MODULE = 400

# From the ground up.
ROOMS = (
    "errors",
    "text",
    "files",
    "turns",
    "sizes",
    "kept",
    "jit",
    "outcome",
    "material",
    "position",
    "board",
    "index",
    "retro",
    "store",
    "build",
    "probe",
    "rules",
    "referee",
    "report",
    "cli",
)

# What a room knows nothing of, although it lies above.
UNKNOWN_TO = {
    "kept": {"errors", "turns"},
    "jit": {"errors"},
    "outcome": {"jit"},
    "material": {"jit"},
    "position": {"jit", "material"},
    "store": {"retro"},
    "probe": {"retro", "build"},
    "rules": {"index", "retro", "store", "build", "probe"},
    "referee": {"retro", "build"},
    "report": {"retro"},
}

# Foreign packages with the only rooms that may import them.
ONLY_IN = {
    "h5py": {"store"},
    "numba": {"kept", "jit", "board", "index", "retro", "store", "build", "probe"},
    "llvmlite": {"jit", "board", "index", "retro"},
    "chess": {"position", "probe", "rules", "referee", "report", "cli"},
    "rich": {"build", "report", "cli"},
    "distributed": {"build", "cli"},
    "matplotlib": {"report"},
}

# `tbgen/__init__.py` hands on the public names; from it the rooms take the version only.
PUBLIC = "tbgen"
PUBLIC_ROOMS = {"errors", "outcome", "material", "probe", "rules"}


def room_of(path: Path) -> str:
    """The room that a module of the package belongs to."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return {"__init__": PUBLIC, "__main__": "cli"}.get(first, first)


def is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that can run: as `ast.walk`, without the bodies of `if TYPE_CHECKING:`."""
    yield node
    children: Iterator[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and is_type_checking(node.test):
        children = iter(node.orelse)
    for child in children:
        yield from walk(child)


def imports(source: str, path: Path) -> Iterator[tuple[int, str]]:
    """(line, full dotted name) of everything imported in a module's source."""
    package = ["tbgen", *path.relative_to(PACKAGE).parent.parts]
    for node in walk(ast.parse(source, str(path))):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield node.lineno, alias.name
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package[: len(package) + 1 - level] if level else []
                stem = ".".join([*base, *([module] if module else [])])
                for alias in names:
                    yield node.lineno, f"{stem}.{alias.name}"
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield node.lineno, ".".join([*package, name[1:]]) if name[0] == "." else name


def faults(source: str, path: Path) -> Iterator[str]:
    """What a module imports against the table, one line each."""
    room = room_of(path)
    for line, name in imports(source, path):
        top, _, rest = name.partition(".")
        target = rest.partition(".")[0]
        where = f"{path.relative_to(ROOT)}:{line}: {room} imports {name}"
        if top != "tbgen":
            if room not in ONLY_IN.get(top, {room}):
                yield f"{where}, which is for {', '.join(sorted(ONLY_IN[top]))} only"
        elif target in ("__version__", room):
            continue
        elif target not in ROOMS:
            if room not in (PUBLIC, "cli"):
                yield f"{where}: the public names are not for use within the package"
        elif room == PUBLIC:
            if target not in PUBLIC_ROOMS:
                yield f"{where}, which is not public"
        elif ROOMS.index(target) > ROOMS.index(room):
            yield f"{where}, which lies below"
        elif target in UNKNOWN_TO.get(room, ()):
            yield f"{where}, of which it knows nothing"


def module_id(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_module_has_a_room(path: Path) -> None:
    assert room_of(path) in (*ROOMS, PUBLIC), "add the room to the table: ROOMS, UNKNOWN_TO"


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_imports_only_from_rooms_above(path: Path) -> None:
    assert not list(faults(path.read_text(encoding="utf-8"), path))


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_module_is_not_too_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize(
    ("module", "source", "count"),
    [
        ("board/attacks.py", "from tbgen.jit import jit", 0),
        ("board/attacks.py", "from ..jit import jit", 0),
        ("board/attacks.py", "from . import squares", 0),
        ("board/attacks.py", "from ..store import schema", 1),
        ("board/attacks.py", "from .. import store", 1),
        ("board/attacks.py", "from tbgen import store, jit", 1),
        ("board/attacks.py", "def f():\n    import tbgen.probe", 1),
        ("board/attacks.py", "if TYPE_CHECKING:\n    import chess", 0),
        ("board/attacks.py", "if TYPE_CHECKING:\n    pass\nelse:\n    import chess", 1),
        ("board/__init__.py", "from .squares import mirror", 0),
        ("board/__init__.py", "from ..index import layout", 1),
        ("board/attacks.py", "importlib.import_module('tbgen.store')", 1),
        ("retro/sweep.py", "import h5py, chess", 2),
        ("retro/verify.py", "import chess.pgn", 1),
        ("store/schema.py", "from tbgen import __version__", 0),
        ("store/schema.py", "import h5py", 0),
        ("store/schema.py", "from tbgen import open_tablebase", 1),
        ("store/schema.py", "from tbgen.retro import solve", 1),
        ("build/plan.py", "from tbgen.retro import solve", 0),
        ("build/plan.py", "from tbgen.probe import Tablebase", 1),
        ("probe/tablebase.py", "from tbgen.build import plan", 1),
        ("probe/tablebase.py", "from tbgen.retro import solve", 1),
        ("rules/game.py", "from tbgen.probe import Tablebase", 1),
        ("rules/game.py", "import chess", 0),
        ("referee/match.py", "from tbgen.build import plan", 1),
        ("report/records.py", "from tbgen.retro import solve", 1),
        ("cli/main.py", "from tbgen.build import plan", 0),
        ("outcome.py", "from tbgen.errors import BadInput", 0),
        ("outcome.py", "from tbgen.jit import jit", 1),
        ("__init__.py", "from .probe import open_tablebase", 0),
        ("__init__.py", "from .retro import solve", 1),
    ],
)
def test_the_walk_sees(module: str, source: str, count: int) -> None:
    assert len(list(faults(source, PACKAGE / module))) == count


def test_a_probe_does_not_import_the_compiler() -> None:
    code = """
import sys
import tbgen.cli.main, tbgen.cli.probe, tbgen.probe
heavy = {"numba", "llvmlite", "matplotlib", "distributed"} & sys.modules.keys()
assert not heavy, f"imported: {heavy}"
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
