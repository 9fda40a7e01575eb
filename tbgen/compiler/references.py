"""Bundles of arrays pass from kernel to kernel by reference.

numba passes a named tuple field by field, and an array as seven values: 270 for what a worker of the solver has. Two
thirds of all that was compiled took such bundles apart and put them together again. Here a kernel gets the address of a
bundle, and loads what it needs.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

import hashlib
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import (
    NativeValue,
    lower_builtin,
    lower_cast,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)


class Reference(types.BaseNamedTuple):
    """The type of a bundle's address. Its fields are the bundle's; those that are bundles themselves are references."""

    def __init__(self, bundle: Any) -> None:
        self.bundle, self.fields, self.instance_class = bundle, bundle.fields, bundle.instance_class
        self.types = tuple(map(as_passed, bundle))
        # all of the bundle's name would be in the names of all kernels
        super().__init__(f"{bundle.instance_class.__name__}_{hashlib.sha256(bundle.name.encode()).hexdigest()[:8]}")

    @property
    def key(self) -> Any:
        return self.bundle

    def __getitem__(self, index: int) -> Any:
        return self.types[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)


def as_passed(kind: Any) -> Any:
    """The type that a kernel gets for an argument of this type. Bundles without arrays are passed by value."""
    by_value = not isinstance(kind, types.BaseNamedTuple) or isinstance(kind, Reference) or not _has_arrays(kind)
    return kind if by_value else Reference(kind)


def _has_arrays(kind: Any) -> bool:
    return any(map(_has_arrays, kind)) if isinstance(kind, types.BaseTuple) else isinstance(kind, types.Array)


def say_unwritten(functions: list[ir.Function]) -> None:
    """Tell LLVM that no function writes to the bundles that it gets, as tuples do not change.

    The verifier takes a tenth less."""
    for function in functions:
        for argument in function.args[2:]:  # the first two are for what it returns, and for errors
            if isinstance(argument.type, ir.PointerType) and isinstance(argument.type.pointee, ir.Aggregate):
                argument.add_attribute("noalias")


@register_model(Reference)
class _Address(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Reference) -> None:
        super().__init__(manager, kind, manager.lookup(kind.bundle).get_value_type().as_pointer())


@lower_getattr_generic(Reference)
def _field(context, builder, kind, address, name):
    return _load(builder, kind, address, kind.fields.index(name))


@lower_builtin("static_getitem", Reference, types.IntegerLiteral)
def _item(context, builder, signature, arguments):
    return _load(builder, signature.args[0], *arguments)


def _load(builder, kind, address, index):
    there = cgutils.gep_inbounds(builder, address, 0, index)
    return there if isinstance(kind[index], Reference) else builder.load(there)


@lower_cast(types.BaseNamedTuple, Reference)
def _refer(context, builder, bundle, reference, value):
    return _stored(builder, value)


@unbox(Reference)
def _refer_to_what_python_has(kind, bundle, c):
    native = c.unbox(kind.bundle, bundle)
    return NativeValue(_stored(c.builder, native.value), is_error=native.is_error, cleanup=native.cleanup)


def _stored(builder, value):
    address = cgutils.alloca_once(builder, value.type)
    builder.store(value, address)
    return address
