"""The house has one direction. A room may import from the rooms that it names here, all of which stand above it.

A room is a module at the top of the package, a folder, or, in the folders that have rooms of their own, what lies in
them. Imports count wherever they are written: within functions, and under `if TYPE_CHECKING:` too.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.heaviest import HEAVIEST

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tbgen"
MODULES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
SUPPORT = ROOT / "tests" / "support"
JUDGES = [*sorted((SUPPORT / "slow_twin").glob("*.py")), SUPPORT / "plain_referee.py", SUPPORT / "placements.py"]
LONGEST_MODULE = 400

ROOMS = {
    # What everybody speaks of. No kernels yet, and nothing that takes long to import.
    "_version": "",
    "called": "",
    "errors": "",
    "turns": "",
    "repeat": "",
    "sizes": "",
    "machine": "",
    "where": "errors",
    "meant": "",
    "text": "errors",
    "columns": "text",
    "safe_files": "",
    "interrupts": "",
    "files": "interrupts safe_files",
    "packed": "errors",
    "outcome": "errors text",
    "table_rules": "errors",
    "men": "errors",
    # How everything looks that is drawn.
    "look": "outcome text men",
    "material": "errors text meant men",
    "position": "errors outcome men",
    "certificate": "outcome text",
    "contents": "material table_rules turns",
    "arrays": "",
    # What kernels are made of. Solver and verifier share this, and nothing else that is compiled.
    "bundles": "",
    "compiling": "bundles",
    "kept": "compiling files safe_files text",
    "jit": "compiling kept files safe_files where",
    "intrinsics": "",
    "steps": "jit",
    "board": "jit intrinsics men",
    "index": "turns jit intrinsics board material men",
    # The solver, in the order in which it works (tbgen/retro/__init__.py).
    "retro": "",
    "retro/room": "arrays jit intrinsics",
    "retro/threads": "arrays jit intrinsics board",
    "retro/values": "arrays sizes outcome contents jit intrinsics retro/room",
    "retro/graph": "jit intrinsics men board index retro/threads",
    "retro/survey": (
        "arrays jit intrinsics outcome material contents board index retro/threads retro/values retro/graph"
    ),
    "retro/sweep": (
        "arrays jit intrinsics turns outcome contents retro/room retro/threads retro/values retro/graph retro/survey"
    ),
    "retro/checkpoint": "arrays index retro/values",
    "retro/link_log": "jit retro/room retro/values",
    "retro/snapshot": "arrays turns jit intrinsics retro/threads retro/values retro/sweep retro/checkpoint",
    "retro/job": "table_rules index retro/threads retro/values retro/survey retro/checkpoint",
    "retro/slice_solver": (
        "errors turns sizes table_rules retro/threads retro/values retro/graph retro/survey retro/sweep "
        "retro/checkpoint retro/snapshot retro/job"
    ),
    "retro/solver": (
        "sizes table_rules material index retro/threads retro/survey retro/checkpoint retro/job retro/slice_solver"
    ),
    "retro/export": "arrays jit turns contents retro/values retro/job retro/checkpoint",
    "retro/precompile": (
        "arrays table_rules material index retro/threads retro/values retro/graph retro/survey retro/sweep retro/job "
        "retro/export retro/link_log"
    ),
    # Tables on disk: two ways that share the format only. Neither knows how tables are made.
    "store/format": "turns outcome material contents index",
    "store/directory": "called errors table_rules men material store/format",
    "store/lock": "safe_files",
    "store/local": "errors table_rules material safe_files store/directory store/format",
    "store/read": (
        "arrays errors turns outcome table_rules men material contents jit steps index store/directory store/format "
        "store/local"
    ),
    "store/write": (
        "_version arrays turns sizes files material contents jit index store/lock store/format "
        "text safe_files"
    ),
    "store": "store/directory store/lock store/read",
    "store/own_memory": "sizes",
    "store/mapped": "arrays text",
    "store/disk_arrays": "arrays repeat errors text sizes safe_files store/own_memory store/mapped",
    "store/compressed": "errors text turns contents",
    "store/entry_cache": "errors sizes table_rules material store store/disk_arrays",
    "store/reach": "sizes material index store store/disk_arrays store/entry_cache",
    "store/leftovers": "table_rules material store/directory store/lock safe_files store/local",
    # Tables made by many processes.
    "cluster": "_version errors interrupts store/leftovers",
    # The second opinion. It knows nothing of the solver, nor the solver of it.
    "verify": (
        "arrays errors turns outcome table_rules men material contents jit intrinsics steps board index store/format "
        "store store/disk_arrays store/entry_cache store/local"
    ),
    # Slim tables, to be kept or sent, and whole ones made again from them by forward moves.
    "slim": (
        "arrays errors turns table_rules material contents index store/format store/read store "
        "store/write verify"
    ),
    # What men alone say of a position's worth.
    "potential": "men material",
    # Tables made: plan, forecast, solver, writer, for one process or many.
    "generate": (
        "_version arrays errors turns interrupts sizes files outcome table_rules material contents kept compiling jit "
        "index cluster retro/values retro/checkpoint retro/snapshot retro/job retro/solver retro/export retro/link_log "
        "retro/precompile store store/read store/write store/disk_arrays store/mapped store/compressed "
        "store/entry_cache store/reach store/leftovers "
        "text verify safe_files potential"
    ),
    # The game around the tables.
    "rules": "errors outcome table_rules men position text meant",
    # Tables asked. No solver, and no compiler either.
    "probe": (
        "errors where outcome table_rules men look material position contents board index store/format store rules "
        "text store/local"
    ),
    # More men than tables have: what a side is sure of by holding. The checker knows nothing of the prover.
    "fortress": "outcome men position certificate board probe errors text",
    "checker": "errors outcome probe text",
    "local": (
        "arrays errors sizes table_rules material contents index cluster retro/checkpoint retro/solver retro/export "
        "store/format store/lock store/local store store/write store/disk_arrays generate probe text"
    ),
    "prove": "errors files packed turns outcome men position certificate local fortress probe rules text",
    "pgn": "errors outcome rules text",
    "referee": "",
    "referee/workers": "errors interrupts",
    "referee/syzygy": "errors outcome rules",
    "referee/game_files": "errors files packed text",
    "referee/adjudicate": (
        "errors interrupts columns outcome table_rules position probe rules text pgn referee/workers "
        "referee/syzygy referee/game_files"
    ),
    "referee/match": (
        "errors interrupts files packed columns outcome probe rules text pgn referee/workers referee/syzygy "
        "safe_files"
    ),
    "referee/annotate": "errors outcome table_rules probe rules text pgn",
    "referee/player": "_version fortress potential errors outcome table_rules position probe rules text",
    "report": (
        "_version called errors look potential columns turns outcome table_rules men material position contents board "
        "index store probe rules text"
    ),
    # Tables as columns for other programs.
    "export": "outcome contents index store store/write",
    # Pages for people, from tables or a server.
    "pages": (
        "_version errors files look outcome table_rules men material probe rules text pgn report referee/annotate "
        "referee/match"
    ),
    # The tables over HTTP.
    "serve": (
        "_version errors files look outcome table_rules men material position index probe rules referee/annotate "
        "report pages store text pgn safe_files store/leftovers store/local store/directory store/format where"
    ),
    # A folder of tables for any web host.
    "publish": (
        "_version errors turns where files material table_rules probe report pages serve store/directory store/format "
        "store text"
    ),
    # Wiring.
    "cli": (
        "_version called errors where files packed interrupts columns outcome table_rules men material position index "
        "store/directory store store/disk_arrays store/entry_cache store/leftovers cluster verify slim generate "
        "probe checker rules text pgn referee/syzygy referee/game_files referee/adjudicate referee/match "
        "referee/player referee/annotate report pages export publish serve meant store/local local prove sizes turns "
        "repeat"
    ),
    # `tbgen/__init__.py` hands on the public names. Nobody in the house asks there.
    "tbgen": "_version errors probe prove rules",
}  # fmt: skip

# Foreign packages with the only rooms that may import them.
ONLY_IN = {
    "h5py": "store/write export",
    "numba": "bundles compiling jit intrinsics retro/room retro/threads",
    "llvmlite": "bundles jit intrinsics retro/threads",
    "chess": (
        "men look position certificate probe fortress checker local prove rules pgn referee/syzygy referee/adjudicate "
        "referee/annotate referee/match referee/player report pages serve cli"
    ),
    "networkx": "referee/match",
    "rich": "cli",
    "shtab": "cli",
    "distributed": "cluster generate local cli",  # the other three for the type of a client only
    "dask": "cluster",
    "starlette": "serve",
    "uvicorn": "serve",
    "prometheus_client": "serve",
}


def room_of(path: Path) -> str:
    """The room that a module of the package belongs to."""
    parts = [part.removesuffix(".py") for part in path.relative_to(PACKAGE).parts]
    if parts[0] in ("__init__", "__main__"):
        return {"__init__": "tbgen", "__main__": "cli"}[parts[0]]
    inner = "/".join(parts[:2])
    return inner if inner in ROOMS or (_has_rooms(parts[0]) and parts[1] != "__init__") else parts[0]


def _has_rooms(folder: str) -> bool:
    return any(room.startswith(f"{folder}/") for room in ROOMS)


def room_named(name: str) -> str:
    """The room that something belongs to that is imported as `tbgen.name`."""
    parts = name.split(".")
    inner = "/".join(parts[:2])
    return inner if inner in ROOMS else parts[0] if parts[0] in ROOMS else "tbgen"


def imports(source: str, path: Path) -> Iterator[tuple[int, str]]:
    """(line, full dotted name) of everything imported in a module's source."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(source, str(path))):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield node.lineno, alias.name
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package[: len(package) + 1 - level] if level else ()
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
        where = f"{path.relative_to(ROOT)}:{line}: {room} imports {name}"
        if top != "tbgen":
            if room not in ONLY_IN.get(top, room).split():
                yield f"{where}, which is for {ONLY_IN[top]} only"
        elif (target := room_named(rest)) != room and target not in ROOMS.get(room, "").split():
            yield f"{where}: {target} is not among the rooms that it may import from"


def module_id(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_module_has_a_room(path: Path) -> None:
    assert room_of(path) in ROOMS, "add the room to the table"


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_imports_only_from_rooms_that_the_table_allows(path: Path) -> None:
    assert not list(faults(path.read_text(encoding="utf-8"), path))


@pytest.mark.parametrize("path", MODULES, ids=module_id)
def test_module_is_not_too_long(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("room", ROOMS)
def test_the_table_goes_one_way_and_says_no_more_than_is_so(room: str) -> None:
    above = list(ROOMS)[: list(ROOMS).index(room)]
    assert not set(ROOMS[room].split()) - set(above), "no circles: these rooms stand below, or are none"
    used = {
        room_named(name.removeprefix("tbgen."))
        for path in MODULES
        if room_of(path) == room
        for _, name in imports(path.read_text(encoding="utf-8"), path)
        if name.startswith("tbgen.")
    }
    assert not set(ROOMS[room].split()) - used, "nothing is imported from these any more"


def test_no_modules_import_each_other() -> None:
    """Nor do several in a circle, within rooms either. What a function imports when it is called is left out."""
    names = {name_of(path): path for path in MODULES}
    ahead = {
        name: {
            next(stem for stem in stems(imported) if stem in names)
            for _, imported in imports(without_functions(path.read_text(encoding="utf-8")), path)
            if imported.startswith("tbgen.")
        }
        - {name}
        for name, path in names.items()
    }
    try:
        TopologicalSorter(ahead).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def stems(name: str) -> Iterator[str]:
    """`tbgen.probe.Result`, `tbgen.probe`, `tbgen`."""
    while name:
        yield name
        name = name.rpartition(".")[0]


def without_functions(source: str) -> str:
    """A module without what its functions do: their imports come later."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [ast.Pass()]
    return ast.unparse(tree)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_test_imports_another(path: Path) -> None:
    """What several tests need lies in tests/support."""
    names = [name for _, name in imports(path.read_text(encoding="utf-8"), path)]
    assert not [name for name in names if any(part.startswith("test_") for part in name.split(".")[:-1])]


def test_tests_lie_in_folders_as_rooms_do() -> None:
    assert len(list((ROOT / "tests").glob("*.py"))) <= 10


def test_the_heaviest_tests_are_there() -> None:
    assert not [name for name in HEAVIEST if ROOT / "tests" / name not in TESTS]


@pytest.mark.parametrize("path", JUDGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_judge_shares_no_code_with_what_it_judges(path: Path) -> None:
    assert not [name for _, name in imports(path.read_text(encoding="utf-8"), path) if name.startswith("tbgen")]


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
        ("board/attacks.py", "if TYPE_CHECKING:\n    import chess", 1),
        ("board/__init__.py", "from .squares import mirror", 0),
        ("board/__init__.py", "from ..index import layout", 1),
        ("board/attacks.py", "importlib.import_module('tbgen.store')", 1),
        ("retro/sweep/levels.py", "import h5py, chess", 2),
        ("retro/sweep/levels.py", "from tbgen.retro.sweep import escape", 0),
        ("retro/sweep/levels.py", "from tbgen.retro.graph.slice import BLOCK", 0),
        ("retro/sweep/levels.py", "from tbgen.retro import solver", 1),
        ("retro/graph/slice.py", "from tbgen.retro.sweep.state import SliceState", 1),
        ("retro/values/keys.py", "from tbgen.verify.values import Dictionary", 1),
        ("retro/solver.py", "from tbgen.verify import run", 1),
        ("verify/run.py", "from tbgen.retro.graph.slice import make_graph", 1),
        ("verify/run.py", "from tbgen import retro", 1),
        ("verify/run.py", "import chess.pgn", 1),
        ("store/format/schema.py", "from tbgen import __version__", 1),
        ("store/write/table.py", "from tbgen._version import __version__", 0),
        ("store/write/hdf5.py", "import h5py", 0),
        ("store/read/chunk.py", "from tbgen.store.format.schema import ESCAPE", 0),
        ("store/read/chunk.py", "from tbgen.store.write.encode import LEVEL", 1),
        ("store/write/encode.py", "from tbgen.store.read import chunk", 1),
        ("store/read/table.py", "from tbgen import open_tablebase", 1),
        ("store/read/table.py", "from tbgen.retro import solver", 1),
        ("generate/table.py", "from tbgen.retro.solver import solve_table", 0),
        ("generate/table.py", "from tbgen.retro.sweep.state import SliceState", 1),
        ("generate/plan.py", "from tbgen.probe import Tablebase", 1),
        ("probe/tablebase.py", "from tbgen.generate import plan", 1),
        ("probe/tablebase.py", "from tbgen.retro import solver", 1),
        ("rules/game.py", "from tbgen.probe import Tablebase", 1),
        ("rules/game.py", "import chess", 0),
        ("referee/match/bout.py", "from tbgen.generate import plan", 1),
        ("referee/match/bout.py", "from tbgen.referee.player import uci", 1),
        ("report/records.py", "from tbgen.retro import solver", 1),
        ("cli/main.py", "from tbgen.generate import plan", 0),
        ("cli/main.py", "import numba", 1),
        ("outcome.py", "from tbgen.errors import BadInput", 0),
        ("outcome.py", "from tbgen.jit import jit", 1),
        ("__init__.py", "from .probe import open_tablebase", 0),
        ("__init__.py", "from .retro import solver", 1),
    ],
)
def test_the_walk_sees(module: str, source: str, count: int) -> None:
    assert len(list(faults(source, PACKAGE / module))) == count


def test_a_probe_does_not_import_the_compiler() -> None:
    code = """
import sys
import tbgen.cli.main, tbgen.cli.probe, tbgen.probe
heavy = {"numba", "llvmlite", "distributed"} & sys.modules.keys()
assert not heavy, f"imported: {heavy}"
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
