"""Compiling the kernels once, on all cores, before the first build."""

import gc
import multiprocessing
import os
import re
import shutil
from collections.abc import Callable, Container
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Final

from tbgen.compiler import code_cache
from tbgen.compiler.jit import SOLVER, STORE, VERIFIER, Group
from tbgen.compiler.pipeline import listen
from tbgen.retro import precompile as solver
from tbgen.store.read import precompile as reader
from tbgen.store.write import precompile as writer
from tbgen.system.safe_files import PRIVATE_DIRECTORY, make_place
from tbgen.system.signals import deaf
from tbgen.verify import precompile as verifier

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

_DONE: Final = "warm"
"""A file in a group's cache. It names all files that the parts of the group need, with their directories; not those of
other groups, which a process has used for other parts: they come and go with the other group's version."""
_NAME: Final = re.compile(rb"[\w-][\w.-]*/[\w-][\w.-]*")
"""Of a file, with its directory; what is damaged might name anything."""
_ROOM: Final = 64 << 20
"""Bytes of disk for machine code, with a margin."""
_KERNELS: Final = {"sweep": 258, "verify": 118, "survey": 83, "finish": 24, "read": 17, "write": 9}
"""Kernels of each part, about: they tell how far compiling is."""
_NEARLY: Final = 0.99
_GARBAGE: Final = 100_000
"""New objects until garbage is looked for: the compiler makes millions that stay, and a tenth of the time is saved."""
_PERIOD: Final = 1.0
"""Seconds from one report to the next."""
_GROUPS: Final[tuple[tuple[Group, dict[str, Callable[[], None]]], ...]] = (
    (SOLVER, solver.PARTS),
    (VERIFIER, verifier.PARTS),
    (STORE, {**writer.PARTS, **reader.PARTS}),
)
VERIFYING: Final = VERIFIER, STORE
"""Those groups whose kernels verify a table: no solver."""
_PARTS: Final = {part: compiles for _, parts in _GROUPS for part, compiles in parts.items()}


def cold_parts(wanted: Container[Group] | None = None) -> list[str]:
    """Parts, of these groups or of all, that have to be compiled and can be kept: this version has not been compiled
    here yet, or a file is damaged.

    Reads all files, in a few hundredths of a second: so all cores together compile again what is damaged."""
    groups = [(group, parts) for group, parts in _GROUPS if wanted is None or group in wanted]
    return [part for group, parts in groups if not _is_warm(group) and _can_keep(group.cache) for part in parts]


def _is_warm(group: Group) -> bool:
    names = code_cache.read(group.cache / _DONE)
    if names is None:
        return False
    whole = [
        _NAME.fullmatch(name) is not None and code_cache.read(group.cache.parent / os.fsdecode(name)) is not None
        for name in names.splitlines()
    ]
    if not all(whole):
        code_cache.damaged(group.cache)
    return all(whole)


def _can_keep(cache: Path) -> bool:
    """Whether machine code can be kept there; a message says so if not."""
    if not code_cache.trusts(cache):
        return False
    try:
        make_place(cache, PRIVATE_DIRECTORY)
        if shutil.disk_usage(cache).free < _ROOM:
            raise OSError(0, "the disk is full")
    except OSError as error:
        code_cache.lost(cache, error)
        return False
    return True


def warm_up(
    processes: int, report: Callable[[float], None] = lambda share: None, wanted: Container[Group] | None = None
) -> None:
    """Compile each cold part, of these groups or of all, in a process of its own; `report` is called every second with
    the share that is done.

    If such a process dies or cannot start, the rest is compiled when it is needed: systems may lack processes, threads
    or shared memory."""
    parts = cold_parts(wanted)
    if not parts:
        return
    names: dict[str, set[str]] = {}
    with suppress(BrokenProcessPool, OSError, RuntimeError, ImportError):
        _compile_apart(parts, processes, report, names)
    _mark(names)


def _compile_apart(
    parts: list[str], processes: int, report: Callable[[float], None], names: dict[str, set[str]]
) -> None:
    """Put the files that each part needs into `names` once it is compiled."""
    others, context = multiprocessing.active_children(), multiprocessing.get_context("spawn")
    with deaf():  # a lock that was half made would be left behind
        compiled, expected = context.Value("q"), sum(_KERNELS[part] for part in parts)
        made = ProcessPoolExecutor(min(processes, len(parts)), context, _begin, (compiled,))
    with made as pool:
        try:
            with deaf():  # a compiler that was half started would complain
                waiting = {pool.submit(_compile, part) for part in parts}
            while waiting:
                done, waiting = wait(waiting, _PERIOD)
                names.update(one.result() for one in done)
                report(min(_NEARLY, compiled.value / expected) if waiting else 1.0)
        except BaseException:
            for child in multiprocessing.active_children():
                if child not in others:
                    child.kill()  # the compiler does not listen, and the pool would wait for it
            raise


def _mark(used: dict[str, set[str]]) -> None:
    """Keep what the groups need whose parts are all compiled, by the files that the process of each part has used."""
    for group, parts in _GROUPS:
        if parts.keys() <= used.keys():
            foreign = {other.cache.name for other, _ in _GROUPS} - {group.cache.name}
            names = set().union(*(used[part] for part in parts))
            needed = sorted(name for name in names if name.partition("/")[0] not in foreign)
            code_cache.write(group.cache / _DONE, "\n".join(needed).encode())


def _begin(compiled: "Synchronized[int]") -> None:
    """What a process that compiles does first. `compiled` counts the kernels of all of them."""
    _end_with_parent()
    gc.set_threshold(_GARBAGE)

    def count() -> None:
        with compiled.get_lock():
            compiled.value += 1

    listen(count)


def _end_with_parent() -> None:
    """Have this process end when its parent does, however that ends."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    Thread(target=watch, name="parent", daemon=True).start()


def _compile(part: str) -> tuple[str, set[str]]:
    """Compile a part. Returns its name, and the files that it needs."""
    code_cache.hush()
    _PARTS[part]()
    return part, code_cache.used
