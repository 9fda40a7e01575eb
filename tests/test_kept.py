"""Machine code on disk: what is damaged is noticed, said in a line and compiled again."""

import fcntl
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tbgen.compiler import code_cache, jit
from tbgen.compiler.jit import Group
from tbgen.generate import precompile
from tests.support.patience import PATIENCE
from tests.support.planting import plant

# A kernel of its own, so that nothing large has to be compiled.
PROGRAM = """
import sys
from tbgen.compiler import code_cache
from tbgen.compiler.jit import kernel

@kernel
def doubled(number):
    return 2 * number

print(doubled(21), doubled(1.5), len(code_cache.used))
print(sum(doubled._cache_hits.values()), sum(doubled._cache_misses.values()))
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def start(program: Path, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, program],
        env={**os.environ, "TBGEN_CACHE": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(program: Path, cache: Path) -> tuple[int, int, list[str]]:
    """How many kernels were found and how many compiled, and what was said."""
    process = start(program, cache)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    first, second = out.splitlines()
    assert first.split()[:2] == ["42", "3.0"]
    hits, misses = map(int, second.split())
    return hits, misses, err.splitlines()


def files(cache: Path) -> list[Path]:
    return sorted(cache.glob(f"kernels-*/*{code_cache.SUFFIX}"))


def test_compiled_once(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert run(program, cache) == (0, 2, [])
    assert len(files(cache)) == 2
    assert run(program, cache) == (2, 0, [])
    program.write_text(PROGRAM.replace("2 * number", "number + number"))
    assert run(program, cache) == (0, 2, [])


def flipped(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 4
    path.write_bytes(whole)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut off": lambda path: os.truncate(path, path.stat().st_size // 2),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "a changed bit": flipped,
}


def test_damage_is_noticed(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(program, cache)
    for how, damage in DAMAGE.items():
        for path in files(cache):
            damage(path)
        hits, misses, said = run(program, cache)
        assert (hits, misses) == (0, 2), how
        assert said == [f"tbgen: compiled code in {files(cache)[0].parent} is damaged; compiling it again"]
    assert run(program, cache) == (2, 0, [])


def test_a_file_for_something_else_is_not_used(program: Path, tmp_path: Path) -> None:
    """However it came to have that name."""
    cache = tmp_path / "cache"
    run(program, cache)
    one, other = files(cache)
    one.write_bytes(other.read_bytes())
    assert run(program, cache)[:2] == (1, 1)


def test_where_nothing_can_be_kept(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.write_text("not a directory")
    hits, misses, said = run(program, cache)
    assert (hits, misses) == (0, 2)
    assert len(said) == 1
    assert f"cannot be kept in {cache}/kernels-" in said[0]
    assert "Not a directory" in said[0]


def test_a_full_disk(program: Path, tmp_path: Path) -> None:
    """Nothing half written is left, and a later run goes on."""
    cache = tmp_path / "cache"
    limited = tmp_path / "limited.py"
    limited.write_text(
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n" + PROGRAM
    )
    hits, misses, said = run(limited, cache)
    assert (hits, misses) == (0, 2)
    assert len(said) == 1
    assert "File too large" in said[0]
    assert not [path for path in cache.rglob("*") if path.is_file()]
    assert run(program, cache) == (0, 2, [])


def test_several_at_once(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    together = [start(program, cache) for _ in range(3)]
    for process in together:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "")
        assert out.startswith("42 3.0")
    assert run(program, cache) == (2, 0, [])
    assert not list(cache.rglob("*.part"))


def test_halves_are_swept(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(program, cache)
    directory = files(cache)[0].parent
    left, held = (directory / f".x.{digit * 16}.part" for digit in "01")
    left.touch()
    with held.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        run(program, cache)
        assert not left.exists()
        assert held.exists()


def test_a_clock_that_jumps_costs_nothing(program: Path, tmp_path: Path) -> None:
    """Seen from ten days ahead, no cache has been used for ten days."""
    cache = tmp_path / "cache"
    run(program, cache)
    ago = time.time() - 10 * 86400
    for directory in cache.iterdir():
        os.utime(directory, (ago, ago))
    assert run(program, cache) == (2, 0, [])


def test_caches_that_others_have_replaced_go(tmp_path: Path) -> None:
    caches = [tmp_path / f"kernels-any-{n}" for n in range(30)]
    for n, cache in enumerate((*caches, tmp_path / "kernels-solver-0")):
        cache.mkdir()
        os.utime(cache, (n, n))
    jit._sweep(caches[0], "any")
    assert {path.name for path in tmp_path.iterdir()} == {
        "kernels-solver-0", *(cache.name for cache in (caches[0], *caches[-16:]))
    }  # fmt: skip


@pytest.mark.parametrize(("mode", "above"), [(0o777, False), (0o720, False), (0o1777, False), (0o777, True)])
def test_what_others_may_write_is_neither_read_nor_written(
    mode: int, above: bool, program: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "above" / "cache"
    run(program, cache)
    before = {path: path.read_bytes() for path in files(cache)}
    directory = files(cache)[0].parent
    place = cache.parent if above else directory
    place.chmod(mode)
    hits, misses, said = run(program, cache)
    assert (hits, misses) == (0, 2)
    (line,) = said
    assert f"compiled code in {directory} is not used: {place} is another user's, or others may write to it" in line
    assert {path: path.read_bytes() for path in files(cache)} == before
    for path in files(cache):
        path.unlink()
    run(program, cache)
    assert not files(cache)


def test_what_is_another_users_is_neither_read_nor_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_cache, "_said", set())
    assert code_cache.write(tmp_path / "one", b"one")
    code_cache._loose.cache_clear()
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert code_cache.read(tmp_path / "one") is None
    assert not code_cache.write(tmp_path / "other", b"other")
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    code_cache._loose.cache_clear()


def test_a_directory_such_as_tmp_may_be_above(program: Path, tmp_path: Path) -> None:
    cache = tmp_path / "above" / "cache"
    cache.parent.mkdir()
    cache.parent.chmod(0o1777)
    run(program, cache)
    assert run(program, cache) == (2, 0, [])
    assert {stat.S_IMODE(path.stat().st_mode) for path in (cache, *cache.iterdir())} == {0o700}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files(cache)} == {0o600}


@pytest.mark.parametrize("how", ["link", "hard link", "writable", "forged"])
def test_a_file_that_others_may_have_written_is_not_run(how: str, program: Path, tmp_path: Path) -> None:
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    run(program, cache)
    for n, path in enumerate(files(cache)):
        if how == "writable":
            path.chmod(0o660)
        elif how == "forged":
            assert code_cache.write(path, b"no pickle")
        else:
            other = path.rename(elsewhere.with_name(f"{n}"))
            plant(how, path, other)
    hits, misses, said = run(program, cache)
    assert (hits, misses) == (0, 2)
    assert said == [f"tbgen: compiled code in {files(cache)[0].parent} is damaged; compiling it again"]
    assert run(program, cache) == (2, 0, [])


def look_at(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be one group of kernels, of two parts, kept there."""
    parts = dict.fromkeys(("first", "second"), lambda: None)
    monkeypatch.setattr(precompile, "_GROUPS", ((Group([], "", cache), parts),))


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache as after a first build, of two files."""
    monkeypatch.setattr(code_cache, "_said", set())
    cache = tmp_path / "kernels"
    cache.mkdir()
    look_at(cache, monkeypatch)
    for name in ("one", "other"):
        assert code_cache.write(cache / name, name.encode())
    assert code_cache.write(cache / "warm", b"kernels/one\nkernels/other")
    return cache


def test_a_whole_cache_is_warm(compiled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert precompile.cold_parts() == []
    assert not capsys.readouterr().err


def test_a_group_stays_warm_when_another_has_a_new_version(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that compiles parts of both has used files of both."""
    others = compiled.with_name("others")
    groups = [(Group([], "", place), {place.name: lambda: None}) for place in (compiled, others)]
    monkeypatch.setattr(precompile, "_GROUPS", tuple(groups))
    others.mkdir()
    assert code_cache.write(others / "old", b"old")
    precompile._mark({name: {"kernels/one", "others/old"} for name in ("kernels", "others")})
    assert precompile.cold_parts() == []
    (others / "old").unlink()
    assert precompile.cold_parts() == ["others"]
    ours, theirs = (group for group, _ in groups)
    assert precompile.cold_parts([ours]) == []
    assert precompile.cold_parts([theirs]) == ["others"]


@pytest.mark.parametrize("name", ["one", "other", "warm"])
@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_cache_is_not_warm(compiled: Path, name: str, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    DAMAGE[how](compiled / name)
    assert precompile.cold_parts() == ["first", "second"]
    assert capsys.readouterr().err == f"tbgen: compiled code in {compiled} is damaged; compiling it again\n"


@pytest.mark.parametrize(
    "names", [b"\xff\xfe", b"kernels/\0", b"../victim", b"kernels/../../victim", b"/etc/passwd", b"x"]
)
def test_a_list_of_names_that_is_none_is_not_believed(
    compiled: Path, names: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    victim = compiled.parent.parent / "victim"
    victim.write_bytes(b"mine")
    assert code_cache.write(compiled / "warm", b"kernels/one\n" + names)
    assert precompile.cold_parts() == ["first", "second"]
    assert capsys.readouterr().err == f"tbgen: compiled code in {compiled} is damaged; compiling it again\n"
    assert victim.read_bytes() == b"mine"


@pytest.mark.parametrize("name", ["one", "other", "warm"])
def test_a_cache_with_a_file_gone_is_not_warm(compiled: Path, name: str) -> None:
    """A mark without the files as well."""
    (compiled / name).unlink()
    assert precompile.cold_parts() == ["first", "second"]


def test_what_cannot_be_kept_is_not_compiled_beforehand(
    compiled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (compiled / "warm").unlink()
    monkeypatch.setattr(precompile, "_ROOM", 1 << 62)
    assert precompile.cold_parts() == []
    assert "cannot be kept" in capsys.readouterr().err
    look_at(compiled / "one" / "below", monkeypatch)
    assert precompile.cold_parts() == []
