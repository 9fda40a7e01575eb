"""Files that commands write: whole or not at all, and never through anybody else's."""

import errno
import fcntl
import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from tbgen.system import output_files
from tests.support.nfs import nfs
from tests.support.planting import links_of_another_user

OLD = b"what was there"
NEW = b"what is new" * 1000


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    before = os.umask(0o027)
    yield
    os.umask(before)


def names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def mode(path: str) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def test_a_new_file() -> None:
    output_files.replace(Path("f"), NEW)
    assert Path("f").read_bytes() == NEW
    assert mode("f") == 0o640
    assert names() == ["f"]


@pytest.mark.parametrize("link", ["f", "f.new"])
def test_what_is_renewed_is_no_link(link: str) -> None:
    Path("other").write_bytes(OLD)
    Path(link).symlink_to("other")
    output_files.renew(Path("f"), [NEW, OLD])
    assert Path("f").read_bytes() == NEW + OLD
    assert Path("other").read_bytes() == OLD
    assert not Path("f").is_symlink()
    assert names() == ["f", "other"]


def test_what_is_renewed_stays_until_all_is_there() -> None:
    Path("f").write_bytes(OLD)

    def parts() -> Iterator[bytes]:
        yield NEW
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        output_files.renew(Path("f"), parts())
    assert Path("f").read_bytes() == OLD
    output_files.renew(Path("f"), [NEW])
    assert Path("f").read_bytes() == NEW
    assert names() == ["f"]


@pytest.mark.parametrize("kept", [0o600, 0o664, 0o755])
def test_permissions_are_kept(kept: int) -> None:
    Path("f").write_bytes(OLD)
    Path("f").chmod(kept)
    output_files.replace(Path("f"), NEW)
    assert Path("f").read_bytes() == NEW
    assert mode("f") == kept


def test_nobody_may_read_what_takes_the_place_of_a_private_file(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("f").write_bytes(OLD)
    Path("f").chmod(0o600)
    monkeypatch.setattr(os, "fchmod", lambda handle, mode: None)  # not even before it has been told
    with output_files.replacing(Path("f")):
        assert [mode(name) for name in names()] == [0o600, 0o600]


def test_until_the_end_nothing_changes() -> None:
    Path("f").write_bytes(OLD)
    with output_files.replacing(Path("f")) as stream:
        stream.write(NEW)
        stream.flush()
        assert Path("f").read_bytes() == OLD
    assert Path("f").read_bytes() == NEW


def test_two_at_once_do_not_mix() -> None:
    with output_files.replacing(Path("f")) as one, output_files.replacing(Path("f")) as other:
        for _ in range(10_000):
            one.write(b"one ")
            other.write(b"other ")
    assert Path("f").read_bytes() == b"one " * 10_000  # it ended last
    assert names() == ["f"]


def test_files_of_other_names_are_let_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("f.part").write_bytes(OLD)
    Path("g.part").symlink_to("h")
    Path("h").write_bytes(OLD)
    output_files.replace(Path("f"), NEW)
    output_files.replace(Path("g"), NEW)
    assert Path("f.part").read_bytes() == Path("h").read_bytes() == OLD
    assert names() == ["f", "f.part", "g", "g.part", "h"]
    # even where somebody has guessed the name
    monkeypatch.setattr(output_files.secrets, "token_hex", lambda size: "0")
    for guessed in (Path(".f.0.part"), Path(".g.0.part")):
        guessed.symlink_to("h")
        with pytest.raises(FileExistsError):
            output_files.replace(Path(guessed.name[1]), OLD)
        assert guessed.is_symlink()
    assert Path("f").read_bytes() == Path("g").read_bytes() == NEW
    assert Path("h").read_bytes() == OLD


def write_and_raise(data: bytes, error: type[BaseException]) -> None:
    with output_files.replacing(Path("f")) as stream:
        stream.write(data)
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError, OSError])
def test_what_fails_leaves_nothing(error: type[BaseException]) -> None:
    for before in ([], ["f"]):
        with pytest.raises(error):
            write_and_raise(NEW, error)
        assert names() == before
        assert not before or Path("f").read_bytes() == OLD
        Path("f").write_bytes(OLD)


def test_what_killed_runs_left_goes() -> None:
    code = """
import os, sys
from pathlib import Path
from tbgen.system import output_files
with output_files.replacing(Path("f")) as stream:
    stream.write(b"half")
    stream.flush()
    print("written", flush=True)
    sys.stdin.read()
"""
    runs = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)
    ]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == b"written\n"
    runs[0].kill()
    runs[0].communicate()
    Path(".f.part").write_bytes(OLD)
    for digit in "0123456789":
        Path(f".f.{digit * 16}.part").symlink_to(".f.part")
    assert len(names()) == 13
    output_files.replace(Path("f"), NEW)
    output_files.replace(Path("g"), NEW)
    assert len(names()) == 14, "one is still being written, and others are not ours"
    runs[1].communicate()
    assert runs[1].returncode == 0
    assert Path("f").read_bytes() == b"half"
    assert [name for name in names() if not Path(name).is_symlink()] == [".f.part", "f", "g"]
    assert len(names()) == 13


def test_a_file_that_another_run_sweeps_before_it_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other run takes it for one that a killed run has left."""
    call = fcntl.flock

    def late(handle: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", call)
        output_files.sweep(Path.cwd(), lambda name: name == "f")
        call(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    output_files.replace(Path("f"), NEW)
    assert Path("f").read_bytes() == NEW
    assert names() == ["f"]


@pytest.mark.parametrize("write", [lambda path: output_files.replace(path, NEW), output_files.append])
@pytest.mark.parametrize("kind", ["f", "pipe"])
def test_the_link_of_another_user_is_not_followed(
    kind: str, write: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody may plant one in a directory such as /tmp; the kernel does not look at it where a file is replaced."""
    Path("f").write_bytes(OLD)
    os.mkfifo("pipe")
    Path("link").symlink_to(kind)
    links_of_another_user(monkeypatch)
    with pytest.raises(PermissionError, match="another user's link: 'link'"):
        write(Path("link"))
    assert Path("f").read_bytes() == OLD
    assert names() == ["f", "link", "pipe"]


def test_appending() -> None:
    for _ in range(2):
        with os.fdopen(output_files.append(Path("f")), "wb") as stream:
            stream.write(OLD)
    assert Path("f").read_bytes() == 2 * OLD
    Path("other").hardlink_to("f")
    with pytest.raises(PermissionError, match="remove it: 'f'"):
        output_files.append(Path("f"))
    os.close(output_files.append(Path("/dev/null")))


@pytest.mark.parametrize("step", ["fsync", "replace", "fchmod"])
def test_wherever_it_fails(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("f").write_bytes(OLD)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "some inner name")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space left on device: 'f'"):
        output_files.replace(Path("f"), NEW)
    assert names() == ["f"]
    assert Path("f").read_bytes() == OLD


def test_an_interrupt_where_the_disk_is_full_as_well() -> None:
    """What is still in the buffer is not tried."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limit[1]))
        with pytest.raises(KeyboardInterrupt):
            write_and_raise(b"a little", KeyboardInterrupt)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert names() == []


def test_a_full_disk() -> None:
    Path("f").write_bytes(OLD)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limit[1]))
    try:
        with pytest.raises(OSError, match="File too large: 'f'"):
            output_files.replace(Path("f"), NEW)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert names() == ["f"]
    assert Path("f").read_bytes() == OLD


def test_what_a_link_names_is_replaced() -> None:
    Path("there").mkdir()
    Path("there/f").write_bytes(OLD)
    Path("link").symlink_to("there/f")
    Path("chain").symlink_to("link")
    Path("dangling").symlink_to("there/g")
    output_files.replace(Path("chain"), NEW)
    output_files.replace(Path("dangling"), NEW)
    assert Path("there/f").read_bytes() == Path("there/g").read_bytes() == NEW
    assert Path("chain").is_symlink()
    assert Path("link").is_symlink()
    assert Path("dangling").is_symlink()
    assert sorted(path.name for path in Path("there").iterdir()) == ["f", "g"]


def test_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("loop").symlink_to("loop")
    for target, error in (
        (".", IsADirectoryError),
        ("nowhere/f", FileNotFoundError),
        ("/dev/fd/999", FileNotFoundError),
        ("loop", OSError),
        ("x" * 300, OSError),
    ):
        with pytest.raises(error) as caught:
            output_files.replace(Path(target), NEW)
        assert caught.value.filename == target
    Path("f").write_bytes(OLD)
    monkeypatch.setattr(os, "access", lambda path, how: False)
    with pytest.raises(PermissionError, match="Permission denied: 'f'"):
        output_files.replace(Path("f"), NEW)
    assert Path("f").read_bytes() == OLD
    assert names() == ["f", "loop"]


def test_what_another_process_removes_meanwhile_is_no_longer_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("f").write_bytes(OLD)

    def removed(path: Path, how: int) -> bool:
        path.unlink()
        return False

    monkeypatch.setattr(os, "access", removed)
    output_files.replace(Path("f"), NEW)
    assert Path("f").read_bytes() == NEW


def test_a_name_as_long_as_may_be() -> None:
    name = "ü" * 127
    output_files.replace(Path(name), NEW)
    assert names() == [name]


def test_devices_and_pipes() -> None:
    output_files.replace(Path("/dev/null"), NEW)
    assert Path("/dev/null").is_char_device()
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        output_files.replace(Path("/dev/full"), NEW)
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        output_files.replace(Path("pipe"), NEW)
        assert reader.communicate()[0] == NEW
    assert Path("pipe").is_fifo()


CODE = """
import sys
from pathlib import Path
from tbgen.system import output_files
output_files.replace(Path(sys.argv[1]), b"new\\n")
"""


@pytest.mark.parametrize("target", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_descriptors_stay_those_of_others(target: str, kind: str) -> None:
    """A file behind one may have been written to before, and will be written to again."""
    Path("link").symlink_to("/dev/stdout")
    write = f"'{sys.executable}' -c '{CODE}' {target}"
    lines = f"{{ echo before; {write}; echo behind; }}"
    where = "> out" if kind == "file" else "| cat > out"
    subprocess.run(["sh", "-c", f"{lines} {where}"], check=True)
    assert Path("out").read_text() == "before\nnew\nbehind\n"
    assert names() == ["link", "out"]


def test_nothing_set_aside_is_lost() -> None:
    Path("f.torn").symlink_to("g")
    assert [output_files.write_aside(Path("f.torn"), data) for data in (b"1", b"2")] == [
        Path("f.torn.2"),
        Path("f.torn.3"),
    ]
    assert (Path("f.torn.2").read_bytes(), Path("f.torn.3").read_bytes()) == (b"1", b"2")
    assert names() == ["f.torn", "f.torn.2", "f.torn.3"]


def test_what_cannot_be_set_aside_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left on device: 'f'"):
        output_files.write_aside(Path("f"), NEW)
    assert names() == []


def test_what_is_taken_in_is_not_swept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run sweeps between the link and its way to the target."""
    Path("there").write_bytes(NEW)
    call = os.replace

    def late(source: Path, target: Path) -> None:
        output_files.sweep(Path.cwd(), lambda name: name == "f")
        call(source, target)

    monkeypatch.setattr(os, "replace", late)
    output_files.take_in(Path("there"), Path("f"))
    assert Path("f").read_bytes() == NEW
    assert names() == ["f", "there"]


def test_leftovers_go_where_only_what_may_be_written_to_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As NFS has it."""
    left = Path(f".f.{'0' * 16}.part")
    left.touch()
    monkeypatch.setattr(fcntl, "flock", nfs(fcntl.flock))
    output_files.sweep(Path(), lambda name: True)
    assert not left.exists()


@pytest.mark.parametrize("write", [output_files.replace, output_files.write_aside])
def test_an_interrupt_just_when_a_file_is_made(write: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    call = output_files.create

    def interrupted(path: Path, *, mode: int) -> int:
        made = call(path, mode=mode)
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(output_files, "create", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(Path("f"), NEW)
    assert names() == []


def test_an_interrupt_just_when_a_file_is_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("there").write_bytes(NEW)
    call = os.link

    def interrupted(source: Path, target: Path) -> None:
        call(source, target)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "link", interrupted)
    with pytest.raises(KeyboardInterrupt):
        output_files.take_in(Path("there"), Path("f"))
    assert names() == ["there"]


def test_a_file_that_is_not_ours_yet_is_not_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt comes before it is known that there is one of that name."""
    Path("f").write_bytes(OLD)
    monkeypatch.setattr(output_files, "create", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        output_files.write_aside(Path("f"), NEW)
    assert Path("f").read_bytes() == OLD
