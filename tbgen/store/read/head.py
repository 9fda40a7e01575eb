"""The head of a file, which HDF5 wrote before the chunks, read as if it were forged: nothing is read from other files,
all filters are this program's own, and the type and size of everything are checked before memory is taken for it.
ValueError says what is wrong."""

import math
import zlib
from functools import cache
from typing import Any, Final

import h5py
import numpy as np
from h5py import h5, h5a, h5d, h5g, h5l, h5o, h5s, h5t, h5z
from numpy.typing import NDArray

_MOST_NOTES: Final = 1000
_LONGEST_NOTE: Final = 4096
"""Bytes."""
_DENSEST: Final = 1032
"""The most bytes that zlib can store in one."""


class Head:
    """The head of a file of `size` bytes."""

    def __init__(self, file: h5py.File, size: int) -> None:
        self._groups = {"": file["/"].id}
        self._size = size

    def _member(self, group: str, name: str, kind: type) -> Any:
        """A member of a group, but no link: HDF5 would follow one into other files."""
        raw, inside = name.encode("ascii"), self._groups[group]
        if inside.links.get_info(raw).type != h5l.TYPE_HARD:
            raise ValueError(f"{name} leads elsewhere")
        found = h5o.open(inside, raw)
        if not isinstance(found, kind):
            raise ValueError(f"{name} is something else")
        return found

    def enter(self, group: str) -> None:
        """Open a group, so that its members can be named."""
        self._groups[group] = self._member("", group, h5g.GroupID)

    def notes(self, group: str = "") -> dict[str, int | float | str]:
        """The attributes of the file or of a group, in the order in which they lie there. Those of types that this
        version does not know are left out."""
        at = self._groups[group]
        count = h5a.get_num_attrs(at)
        if count > _MOST_NOTES:
            raise ValueError(f"it has {count} attributes")
        opened = [h5a.open(at, index=number, order=h5.ITER_NATIVE) for number in range(count)]
        return {_text(note.name): _value(note) for note in opened if _is_plain(note)}

    def _dataset(self, path: str, kind: str) -> Any:
        group, _, name = path.rpartition("/")
        found = self._member(group, name, h5d.DatasetID)
        if not found.get_type().equal(_type(kind)):
            raise ValueError(f"{path} is not of numbers of its kind")
        return found

    def shape(self, path: str, kind: str) -> tuple[int, ...]:
        """The shape of a dataset of this type."""
        shape: tuple[int, ...] = self._dataset(path, kind).shape
        return shape

    def column(self, path: str, kind: str, *shape: int) -> NDArray[Any]:
        """A dataset of exactly this shape and type."""
        found = self._dataset(path, kind)
        if found.shape != shape:
            raise ValueError(f"{path} has the wrong size")
        size, made = math.prod(shape) * np.dtype(kind).itemsize, found.get_create_plist()
        packed = made.get_layout() == h5d.CHUNKED
        if size > self._size * (_DENSEST if packed else 1):
            raise ValueError(f"{path} is larger than the file can hold")
        if packed and len(shape) == 1:
            return self._inflated(path, np.dtype(kind), shape[0], found, made)
        if made.get_layout() not in (h5d.CONTIGUOUS, h5d.COMPACT) or made.get_external_count():
            raise ValueError(f"{path} is stored in a way that is not known")
        values = np.empty(shape, kind)
        if size:
            found.read(h5s.ALL, h5s.ALL, values)
        return values

    def _inflated(self, path: str, kind: np.dtype[Any], length: int, found: Any, made: Any) -> NDArray[Any]:
        """A compressed column, inflated within bounds: HDF5 would inflate its pieces to whatever size they claim."""
        filters = [made.get_filter(number)[0] for number in range(made.get_nfilters())]
        (width,) = made.get_chunk()
        if filters != [h5z.FILTER_SHUFFLE, h5z.FILTER_DEFLATE] or not 0 < width <= max(length, 1):
            raise ValueError(f"{path} is stored in a way that is not known")
        values = np.empty(length, kind)
        for at in range(0, length, width):
            if not 0 < found.get_chunk_info_by_coord((at,)).size <= self._size:
                raise ValueError(f"a piece of {path} is not there")
            mask, stored = found.read_direct_chunk((at,))
            raw = np.frombuffer(_inflate(stored, width * kind.itemsize), np.uint8)
            if mask:
                raise ValueError(f"a piece of {path} is stored in a way that is not known")
            piece = np.ascontiguousarray(raw.reshape(kind.itemsize, width).T).reshape(-1).view(kind)
            values[at : at + width] = piece[: length - at]
        return values


@cache
def _type(kind: str) -> h5t.TypeID:
    return h5t.py_create(np.dtype(kind))


def _inflate(stored: bytes, size: int) -> bytes:
    """The inflated bytes; ValueError unless there are exactly `size`."""
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(stored, size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(raw) != size or not stream.eof:
        raise ValueError(f"a piece of it is not {size} bytes long")
    return raw


def _is_plain(note: h5a.AttrID) -> bool:
    """Whether an attribute is one number or a short text."""
    kind = note.get_type()
    return (
        note.get_space().get_simple_extent_type() == h5s.SCALAR
        and kind.get_size() <= _LONGEST_NOTE
        and (
            isinstance(kind, h5t.TypeIntegerID | h5t.TypeFloatID)
            or (isinstance(kind, h5t.TypeStringID) and not kind.is_variable_str())
        )
    )


def _value(note: h5a.AttrID) -> int | float | str:
    value = np.empty((), note.dtype)
    note.read(value)
    plain = value.item()
    return _text(plain) if isinstance(plain, bytes) else plain


def _text(stored: bytes) -> str:
    text = stored.decode("utf-8")
    if not text.isprintable():
        raise ValueError("a text in it cannot be shown")
    return text
