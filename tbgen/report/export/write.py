"""Columns written to a file: a plain HDF5 dataset each, or the columns of a CSV."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, Final

import h5py

from tbgen.report.export import COLUMNS
from tbgen.report.export.rows import Columns
from tbgen.store.write.hdf5 import Image

_CHUNK: Final = 1 << 14
"""Rows that are compressed together."""
_LEVEL: Final = 4


def as_csv(stream: BinaryIO, pieces: Iterable[Columns], notes: Mapping[str, str]) -> int:
    """Returns how many rows there are. A CSV has no room for the notes."""
    count = 0
    for nth, columns in enumerate(pieces):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([columns] if nth == 0 else [])
        plain = [column.astype(str) if column.dtype.kind == "S" else column for column in columns.values()]
        writer.writerows(zip(*(column.tolist() for column in plain), strict=True))
        stream.write(text.getvalue().encode("ascii"))
        count += len(plain[0])
    return count


def as_hdf5(stream: BinaryIO, pieces: Iterable[Columns], notes: Mapping[str, str]) -> int:
    """Returns how many rows there are. The notes are attributes of the file."""
    image, count = Image(stream), 0
    with ThreadPoolExecutor(1) as hdf5:  # interrupts do not reach its thread

        def call(what: Callable[..., Any], *given: Any) -> Any:
            found = hdf5.submit(what, *given).result()
            image.save()
            return found

        store = call(h5py.File, image, "w")
        try:
            call(store.attrs.update, notes)
            for columns in pieces:
                count += call(_append, store, columns)
        finally:
            hdf5.submit(store.close).result()
        image.save()
    stream.truncate(image.size)
    return count


def _append(store: h5py.File, columns: Columns) -> int:
    for name, column in columns.items():
        if name not in store:
            made = store.create_dataset(
                name, (0,), column.dtype, maxshape=(None,), chunks=(_CHUNK,), shuffle=True, compression=_LEVEL
            )
            made.attrs["meaning"] = COLUMNS[name]
        dataset = store[name]
        start = len(dataset)
        dataset.resize(start + len(column), axis=0)
        dataset[start:] = column
    return len(column)
