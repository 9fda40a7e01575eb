"""The part of the machine that this process may use."""

import os
from pathlib import Path

import pytest

from tbgen.system.machine import memory

MACHINE = 64 << 30


@pytest.fixture(autouse=True)
def large_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": MACHINE >> 12, "SC_PAGE_SIZE": 1 << 12}.__getitem__)


def process(place: Path, groups: str, *mounts: str, **limits: str) -> Path:
    """A directory as /proc has for a process; `limits` name files below `groups/` by their text."""
    (place / "cgroup").write_text(groups)
    lines = [mount.replace("/sys", str(place / "sys")) for mount in mounts]
    (place / "mountinfo").write_text("".join(f"{line}\n" for line in lines))
    for name, words in limits.items():
        path = place / "sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{words}\n")
    return place


V1 = "35 31 0:32 / /sys/memory rw,relatime - cgroup cgroup rw,memory"
V2 = "26 20 0:23 / /sys rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate"


def test_a_machine_without_limits_has_all_of_its_memory(tmp_path: Path) -> None:
    assert memory(tmp_path) == MACHINE, "no control groups at all"
    unlimited = {"memory/job/memory.limit_in_bytes": "9223372036854771712", "user/memory.max": "max"}
    groups = "4:memory:/job\n3:cpu,cpuacct:/\n0::/user\n"
    assert memory(process(tmp_path, groups, V1, V2, **unlimited)) == MACHINE


@pytest.mark.parametrize(
    ("groups", "mount", "limits"),
    [
        ("0::/user/job\n", V2, {"user/job/memory.max": "3000"}),
        ("0::/user/job\n", V2, {"user/job/memory.max": "max", "user/memory.max": "3000"}),
        ("0::/\n", V2, {"memory.max": "3000"}),
        ("0::/../job\n", V2, {"memory.max": "3000"}),
        ("0::/user/job\n", V2.replace(" / ", " /user "), {"job/memory.max": "3000"}),
        ("4:memory:/job\n0::/\n", V1, {"memory/job/memory.limit_in_bytes": "3000"}),
        ("4:hugetlb,memory:/a:b/job\n", V1, {"memory/a:b/memory.limit_in_bytes": "3000"}),
        ("4:memory:/docker/1f\n", V1.replace(" / ", " /docker/1f "), {"memory/memory.limit_in_bytes": "3000"}),
        ("4:memory:/docker/1f\n", V1.replace(" / ", " /elsewhere "), {"memory/memory.limit_in_bytes": "3000"}),
    ],
)
def test_a_control_group_leaves_less(tmp_path: Path, groups: str, mount: str, limits: dict[str, str]) -> None:
    assert memory(process(tmp_path, groups, mount, **limits)) == 3000


def test_a_limit_above_the_machine_is_none(tmp_path: Path) -> None:
    assert memory(process(tmp_path, "0::/\n", V2, **{"memory.max": str(MACHINE + 1)})) == MACHINE


def test_this_machine_has_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert 1 << 26 < memory() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
