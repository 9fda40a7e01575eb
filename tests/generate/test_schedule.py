"""How long tables take that are built side by side."""

import json
from graphlib import TopologicalSorter

import pytest

from tbgen.cli.main import main
from tbgen.core.material import Material, every, parse, with_dependencies
from tbgen.generate.schedule import priorities, seconds_on


@pytest.fixture
def four() -> list[Material]:
    return with_dependencies(every(4))


def test_one_worker_takes_the_sum_and_very_many_take_the_longest_chain(four: list[Material]) -> None:
    seconds = {material.name: 1.0 + index % 7 for index, material in enumerate(four)}
    chains: dict[Material, float] = {}
    needs = {material: [one for one in material.successors() if one in four] for material in four}
    for material in TopologicalSorter(needs).static_order():
        chains[material] = seconds[material.name] + max((chains[one] for one in needs[material]), default=0.0)
    longest = max(chains.values())
    assert seconds_on(1, four, seconds) == pytest.approx(sum(seconds.values()))
    assert seconds_on(1000, four, seconds) == longest == max(priorities(four, seconds).values())
    some = [seconds_on(workers, four, seconds) for workers in (1, 2, 4, 8)]
    assert some == sorted(some, reverse=True)
    assert all(taken >= max(longest, sum(seconds.values()) / n) for taken, n in zip(some, (1, 2, 4, 8), strict=True))


def test_a_table_waits_for_those_that_it_needs() -> None:
    tables = [parse(name) for name in ("KvK", "KNvK", "KBvK", "KBNvK")]
    seconds = {"KvK": 1.0, "KNvK": 5.0, "KBvK": 2.0, "KBNvK": 1.0}
    assert seconds_on(2, tables, seconds) == 1 + 5 + 1
    assert seconds_on(1, tables, seconds) == 1 + 5 + 2 + 1


def test_plan_tells_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--all", "3", "--workers", "3", "--threads", "1", "--json"]) == 0
    *rows, clock = map(json.loads, capsys.readouterr().out.splitlines())
    assert (len(rows), clock["workers"], clock["threads"]) == (6, 3, 1)
    assert 0 < clock["least_seconds"] <= clock["seconds"]
    assert main(["plan", "KBNvK", "--workers", "3", "--threads", "1", "--memory", "1G"]) == 0
    out = capsys.readouterr().out
    assert "\n3 workers of 1 thread, at the pace of this machine: " in out
    assert "954 MiB of memory are enough for each of them." in out
    assert main(["plan", "KBNvK", "--memory", "240M"]) == 0
    assert "\n4 tables should have more memory than 229 MiB; the most: KBNvK, " in capsys.readouterr().out
