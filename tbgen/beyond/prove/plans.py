"""What a plan of local tables takes, in words and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from tbgen.beyond.local.choose import Part
from tbgen.beyond.local.stages import Cost
from tbgen.system.text import counted, size_of, time_of


def materials_of(plan: Sequence[Part]) -> str:
    """The position's own material, and how many others."""
    *others, root = plan
    count = len(root.slices)
    parts = f", and {counted(len(others), 'part')} that it leads to" if others else ""
    return f"{root.material.normal} ({counted(count, 'placement')} of pawns){parts}"


def parts_as_dicts(plan: Sequence[Part]) -> list[dict[str, Any]]:
    """What programs are told of the parts."""
    return [
        {"material": part.material.normal.name, "slices": len(part.slices), "numbers": part.numbers} for part in plan
    ]


def as_dict(plan: Sequence[Part], cost: Cost) -> dict[str, Any]:
    """What programs are told of a plan."""
    parts = [
        {**words, "exact": part.exact, "times": part.times}
        for words, part in zip(parts_as_dicts(plan), plan, strict=True)
    ]
    return {"parts": parts, **cost._asdict(), "cpu_seconds": round(cost.cpu_seconds, 3)}


def lines(number: int, plan: Sequence[Part], cost: Cost, threads: int) -> Iterator[str]:
    """What people are told of a plan. `number` counts the plans from 1."""
    time = time_of(cost.cpu_seconds / threads)
    yield f"{'Then' if number > 1 else 'First'} {materials_of(plan)}:"
    yield f"  {size_of(cost.memory)} of memory, {size_of(cost.scratch)} of disk, about {time}"
    for part in reversed(plan):
        how = "" if part.exact else ", solved twice" if part.times > 1 else ", for one side"
        yield f"  {part.material.normal.name:<9}{len(part.slices):>6,} slices {part.numbers:>15,} numbers{how}"
    if not plan[-1].exact:
        yield "  What some captures or promotions lead to is not known: the answer may be bounds."
