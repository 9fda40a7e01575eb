"""How kernels become machine code: all that one calls goes into a single piece, which is optimised once.

numba makes machine code of each kernel by itself, with a way in for Python, and puts what a kernel calls into it anew:
the innermost of ten levels are optimised ten times, and are nearly never called from Python. Here a kernel that others
call is only translated for them; the one that Python calls is optimised with all of these. The solver compiles in a
third of the time, and runs as fast.

An index counts from the start of an array, as in C: numba would look whether it is negative at each access, to add the
array's length to it.

All names of numba that its manual does not have are taken here (scripts/private_names.py lists them).
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

from numba import types
from numba.core import event, ir
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
from numba.core.compiler_machinery import LoweringPass, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from numba.core.typed_passes import AnnotateTypes

from tbgen.compiler.references import Reference, as_passed, say_unwritten

__all__ = ["Kernel", "NullCache", "dumps", "listen", "parts_of", "put_together"]

_FOR_KERNELS: Final = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Without ways in for Python and C."""
_NO_COUNTS: Final[dict[str, Any]] = {"_nrt": False}
"""Callers hold the arrays that kernels work on, so kernels need not count references. Counting takes an atomic step
per array of a bundle and call, half of the time of the solver's inner loops."""


class _Translated(JITCodeLibrary):
    """The code of a kernel, and of those that it calls, as other kernels take it in."""

    codegen: Any = SimpleNamespace(set_env=lambda name, env: None)
    """What numba tells what Python needs to know of a function that can run."""

    def add_ir_module(self, module: Any) -> None:
        say_unwritten(module.functions)
        super().add_ir_module(module)

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


@register_pass(mutates_CFG=False, analysis_only=False)
class _Translate(LoweringPass):
    _name = "translate"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        state.library = _Translated(state.targetctx.codegen(), state.func_id.func_qualname)
        return True


def _from_the_start(index: Any) -> Any:
    """The type of an index that is not negative."""
    if isinstance(index, types.Integer):
        return types.uintp
    if isinstance(index, types.BaseTuple):
        return types.Tuple([_from_the_start(part) for part in index])
    return index


@register_pass(mutates_CFG=False, analysis_only=False)
class _CountFromTheStart(LoweringPass):
    """Gives all indices of arrays that are no constants a type that is never negative."""

    _name = "count_from_the_start"

    def __init__(self) -> None:
        LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        types_of = state.calltypes
        for step, signature in list(types_of.items()):
            reads = isinstance(step, ir.Expr) and step.op == "getitem"
            if (reads or isinstance(step, ir.SetItem)) and isinstance(signature.args[0], types.Array):
                array, index, *value = signature.args
                del types_of[step]  # numba lets none be replaced
                types_of[step] = signature.replace(args=(array, _from_the_start(index), *value))
        return True


class _ForPython(CompilerBase):
    added: tuple[Any, ...] = (_CountFromTheStart,)

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        for step in self.added:
            passes.add_pass_after(step, AnnotateTypes)
        passes.finalize()
        return [passes]


class _ForKernels(_ForPython):
    added = (*_ForPython.added, _Translate)


class Kernel(CPUDispatcher):
    """A compiled function, twice: as Python calls it, and as other kernels do."""

    def __init__(self, function: Any, options: dict[str, Any], cache: Any) -> None:
        options = options | _NO_COUNTS
        super().__init__(function, targetoptions=options, pipeline_class=_ForPython)
        self._cache = cache
        self._for_kernels = CPUDispatcher(
            function, targetoptions={**options, **_FOR_KERNELS}, pipeline_class=_ForKernels
        )

    def compile(self, sig: Any) -> Any:
        return super().compile(tuple(map(as_passed, sig)))

    def add_overload(self, cres: Any) -> None:
        """Have calls with bundles find the kernel that takes references to them."""
        super().add_overload(cres)
        given = [kind.bundle if isinstance(kind, Reference) else kind for kind in cres.signature.args]
        self._insert([kind._code for kind in given], cres.entry_point, cres.objectmode)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """numba asks this where a kernel calls another, and the next two. No kernel is made for a constant alone: LLVM
        puts it in."""
        return self._for_kernels.get_call_template(tuple(as_passed(types.unliteral(kind)) for kind in args), kws)

    def get_overload(self, sig: Any) -> Any:
        return self._for_kernels.get_overload(sig)

    @property
    def is_compiling(self) -> bool:
        """Whether a call is one of itself."""
        return bool(super().is_compiling or self._for_kernels.is_compiling)


def parts_of(result: Any) -> tuple[Any, ...]:
    """Return what a compiled kernel is made of, to be written to a file."""
    parts: tuple[Any, ...] = result._reduce()
    return parts


def put_together(target_context: Any, parts: tuple[Any, ...]) -> Any:
    """Return the compiled kernel that is made of these parts."""
    return CompileResult._rebuild(target_context, *parts)


class _Listener(event.Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell

    def on_start(self, event: event.Event) -> None:
        pass

    def on_end(self, event: event.Event) -> None:
        self._tell()


def listen(tell: Callable[[], None]) -> None:
    """Have `tell` called whenever this process has compiled a kernel, until it ends."""
    event.register("numba:compile", _Listener(tell))
