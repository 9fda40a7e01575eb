"""Files whose checksums are right and whose contents cannot be: refused in a line, before any memory is taken."""

import os
import random
import shutil
import socket
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest

from tbgen.cli.main import main
from tbgen.errors import CorruptTable
from tbgen.material import parse
from tbgen.store import open_table
from tbgen.store.format import seal
from tbgen.store.read.open_file import _Whole
from tbgen.store.write import write_table
from tests.support.contents import random_contents

LITTLE = 24 << 20
"""Bytes."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with columns that are long enough to be compressed."""
    path = tmp_path_factory.mktemp("sound") / "table"
    write_table(path, random_contents(parse("KBvK"), seed=4, staircases=3000), {"seconds": 1.0})
    with h5py.File(path) as file:
        assert file["shapes/steps"].chunks
    return path


def sealed_again(path: Path, **changes: int) -> None:
    with path.open("r+b") as file:
        stamp = seal.make_seal(file, seal.parse(file.read(seal.SIZE)).head)
        file.seek(0)
        file.write(stamp._replace(**changes).render())


def read_all(path: Path) -> None:
    with open_table(path) as table:
        table.header["legal"]
        table.look(5)
        table.part(0, table.size)


def assert_refused(path: Path, read: Callable[[Path], None] = read_all) -> str:
    """What it says."""
    tracemalloc.start()
    try:
        with pytest.raises(CorruptTable, match=str(path)) as caught:
            read(path)
        assert tracemalloc.get_traced_memory()[1] < LITTLE
    finally:
        tracemalloc.stop()
    assert str(caught.value).isprintable()
    return str(caught.value)


def another(name: str, values: object, **how: object) -> Callable[[h5py.File], None]:
    """A dataset in place of one that was there."""

    def change(file: h5py.File) -> None:
        del file[name]
        file.create_dataset(name, data=values, **how)

    return change


def large(name: str, shape: tuple[int, ...], kind: str, **how: object) -> Callable[[h5py.File], None]:
    """One that claims to be large."""

    def change(file: h5py.File) -> None:
        del file[name]
        file.create_dataset(name, shape, kind, **how)

    return change


def changed(name: str, change_to: Callable[[np.ndarray], object]) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        values = file[name][:]
        change_to(values)
        file[name][:] = values

    return change


def noted(name: str, value: object, group: str = "/") -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        del file[group].attrs[name]
        file[group].attrs[name] = value

    return change


def linked(name: str, link: object) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        file.move(name, "elsewhere")
        file[name] = link

    return change


def a_group(file: h5py.File) -> None:
    del file["order"]
    file.create_group("order")


def no_group(file: h5py.File) -> None:
    del file["shapes"]
    file["shapes"] = [1, 2, 3]


def virtual(file: h5py.File) -> None:
    count, steps = len(file["shapes/steps"]), file["shapes/steps"][:]
    del file["shapes/steps"]
    file["elsewhere"] = steps
    layout = h5py.VirtualLayout((count,), "u1")
    layout[:] = h5py.VirtualSource(".", "elsewhere", (count,))
    file.create_virtual_dataset("shapes/steps", layout)


def external(file: h5py.File) -> None:
    count = len(file["shapes/odd"])
    del file["shapes/odd"]
    file.create_dataset("shapes/odd", (count,), "u1", external=[("/dev/zero", 0, count)])


def bomb(file: h5py.File) -> None:
    count = len(file["shapes/odd"])
    del file["shapes/odd"]
    made = file.create_dataset("shapes/odd", (count,), "u1", chunks=(count,), compression="gzip", shuffle=True)
    made.id.write_direct_chunk((0,), zlib.compress(bytes(300 << 20)))


def missing_piece(file: h5py.File) -> None:
    count = len(file["shapes/odd"])
    del file["shapes/odd"]
    file.create_dataset("shapes/odd", (count,), "u1", chunks=(count,), compression="gzip", shuffle=True)


def many_notes(file: h5py.File) -> None:
    for number in range(1001):
        file["facts"].attrs[f"n{number}"] = 1


HUGE = (1 << 62) - 1
FORGERIES: dict[str, Callable[[h5py.File], None]] = {
    "men without end": noted("material", np.bytes_("KPPPPPPPPvKPPPPPPPP")),
    "not a material": noted("material", np.bytes_("K\x1b[2J")),
    "a material spelt oddly": noted("material", np.bytes_("kbk")),
    "rules": noted("rules", np.bytes_("\x1b[2J")),
    "text of any length": noted("rules", "r"),
    "no text": noted("rules", np.bytes_(b"\xff")),
    "a long text": noted("program", np.bytes_("x" * 50_000)),
    "a number for a name": noted("program", 5),
    "more numbers": noted("size", HUGE),
    "a number of numbers": noted("size", [59136, 59136]),
    "a text for a number": noted("legal", np.bytes_("many")),
    "fewer than none": noted("legal", -1),
    "a fraction": noted("staircases", 1e300),
    "not a number": noted("steps", float("nan")),
    "wide chunks": noted("chunk_width", 1 << 40),
    "odd chunks": noted("chunk_width", 3 << 12),
    "no chunks": noted("chunk_width", 0),
    "planes to escape to": noted("escape_planes", 1 << 40),
    "planes below none": noted("escape_planes", -(1 << 40)),
    "planes of distances": noted("distance_planes", 1 << 40),
    "no plane of distances": noted("distance_planes", 0),
    "many notes": many_notes,
    "a note that clears the screen": noted("seconds", np.bytes_("\x1b[2J"), "facts"),
    "an order without end": another("order", np.ones(64, "<u4")),
    "an order that repeats": changed("order", lambda order: order.fill(1)),
    "an order that leaves the chunk": changed("order", lambda order: order.fill(1 << 31)),
    "an order of other numbers": another("order", np.ones(14, "<f8")),
    "a group": a_group,
    "no group": no_group,
    "more chunks": large("chunks", (HUGE, 5), "u1", chunks=(1, 5)),
    "long chunks": large("chunks", (4, HUGE), "u1", chunks=(1, 5)),
    "short chunks": large("chunks", (4, 1), "u1", chunks=(1, 1)),
    "flat chunks": large("chunks", (4,), "u1"),
    "more places": large("chunk_places", (HUGE, 2), "<u8", chunks=(1, 2)),
    "places past numbers": changed("chunk_places", lambda places: places.fill(2**64 - 1)),
    "places past the end": changed("chunk_places", lambda places: places.fill(1 << 40)),
    "places in the head": changed("chunk_places", lambda places: places.fill(512)),
    "chunks of any length": changed("chunk_places", lambda places: places[:, 1].fill(1 << 40)),
    "more checksums": large("chunk_crc32", (HUGE,), "<u4", chunks=(5,)),
    "more shapes": large("shapes/steps", (HUGE,), "u1", chunks=(5,)),
    "shapes of another kind": large("shapes/steps", (5,), "S60000"),
    "fewer outcomes": another("shapes/outcome", np.zeros(3, "<i2")),
    "longer levels": large("shapes/level", (HUGE,), "u1", chunks=(5,)),
    "fewer sources": another("shapes/source", np.zeros(3, "u1")),
    "unknown sources": changed("shapes/source", lambda source: source.fill(4)),
    "unknown holders": changed("shapes/holder", lambda holder: holder.fill(2)),
    "outcomes past the best": changed("shapes/outcome", lambda outcome: outcome[1:].fill(513)),
    "steps past the worst": changed("shapes/step_outcome", lambda outcome: outcome.fill(-513)),
    "a staircase without a position": changed("shapes/steps", lambda steps: steps.fill(1)),
    "another filter": large("shapes/odd", (5,), "u1", chunks=(5,), compression="lzf"),
    "a bomb": bomb,
    "a missing piece": missing_piece,
    "a soft link": linked("order", h5py.SoftLink("/elsewhere")),
    "an external link": linked("order", h5py.ExternalLink("table", "/elsewhere")),
    "a group by an external link": linked("shapes", h5py.ExternalLink("table", "/elsewhere")),
    "a virtual dataset": virtual,
    "bytes of another file": external,
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_head_is_refused(sound: Path, tmp_path: Path, what: str) -> None:
    path = tmp_path / "table"
    shutil.copy(sound, path)
    with h5py.File(path, "r+") as file:
        FORGERIES[what](file)
    sealed_again(path)
    assert_refused(path)


@pytest.mark.parametrize("name", ["format", "program", "material", "rules", "size", "legal", "steps", "chunk_width"])
def test_what_is_left_out(sound: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "table"
    shutil.copy(sound, path)
    with h5py.File(path, "r+") as file:
        del file.attrs[name]
    sealed_again(path)
    if name == "format":  # the first bytes have it as well
        read_all(path)
    else:
        assert_refused(path)


@pytest.mark.parametrize(
    "changes", [{"head": 0}, {"head": 511}, {"head": 10**17}, {"head": -5}, {"head": 10**60}, {"size": 10**60}]
)
def test_forged_first_bytes(sound: Path, tmp_path: Path, changes: dict[str, int]) -> None:
    path = tmp_path / "table"
    shutil.copy(sound, path)
    sealed_again(path, **changes)
    assert_refused(path)


def test_first_bytes_forged_while_open(sound: Path, tmp_path: Path) -> None:
    path = tmp_path / "table"
    shutil.copy(sound, path)
    with open_table(path) as table:
        sealed_again(path, head=10**17)
        assert_refused(path, lambda path: table.check())


def test_any_head_is_read_or_refused(sound: Path, tmp_path: Path) -> None:
    path, whole = tmp_path / "table", sound.read_bytes()
    head, draw = seal.parse(whole[: seal.SIZE]).head, random.Random(12)
    for _ in range(150):
        forged = bytearray(whole)
        for _ in range(draw.choice((1, 1, 2, 8))):
            at = draw.randrange(seal.SIZE, head - 8)
            forged[at : at + 8] = draw.choice((b"\xff" * 8, bytes(8), draw.randbytes(8)))
        path.write_bytes(forged)
        sealed_again(path)
        with suppress(CorruptTable):
            read_all(path)


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        before = Path.cwd()
        os.chdir(path.parent)  # such names must be short
        try:
            made.bind(path.name)
        finally:
            os.chdir(before)


def a_loop(path: Path) -> None:
    path.symlink_to(path.name)


ODD: dict[str, Callable[[Path], None]] = {
    "is a pipe": a_pipe,
    "is a directory": Path.mkdir,
    "is a socket": a_socket,
    "is a device": lambda path: path.symlink_to("/dev/zero"),
    "is a symbolic link to nothing": lambda path: path.symlink_to("nowhere"),
    "cannot be read": a_loop,
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_file(tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody waits for it, nobody takes it for a table, and nobody writes over it."""
    path = tmp_path / "KvK.r.h5"
    ODD[what](path)
    before = path.lstat()
    assert what in assert_refused(path)
    for command in (
        ["probe", "8/8/8/4K1k1/8/8/8/8 b - - 0 1"],
        ["info"],
        ["verify", "KvK"],
        ["build", "KBvK"],
        ["build", "KvK", "--force"],
        ["build", "KvK", "--dry-run"],
        ["report", "stats"],
    ):
        assert main([*command, "--tables", str(tmp_path)]) == CorruptTable.exit_code, command
        said = capsys.readouterr()
        assert f"{path} {what}" in said.out + said.err
    assert path.lstat() == before
    assert list(tmp_path.iterdir()) == [path]


def test_hdf5_is_told_where_a_file_ends(sound: Path) -> None:
    """It would ask for more for ever."""
    size = sound.stat().st_size
    with sound.open("rb") as file:
        window = _Whole(file.fileno(), size)
        window.seek(size)
        with pytest.raises(OSError, match="past its end"):
            window.readinto(bytearray(1))
        assert window.readinto(bytearray()) == 0
