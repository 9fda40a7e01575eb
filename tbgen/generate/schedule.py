"""Building tables side by side: which goes first, and how long all of them take."""

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

from tbgen.material import Material


def priorities(todo: Iterable[Material], costs: Mapping[str, float]) -> dict[Material, float]:
    """The cost of the longest chain of tables that begins with each table: those with the costliest chains go first.
    `todo`: each behind those that it depends on."""
    tables = list(todo)
    ahead: dict[Material, float] = dict.fromkeys(tables, 0.0)
    for material in reversed(tables):
        ahead[material] += costs.get(material.name, 1.0)
        for needed in material.successors():
            if needed in ahead:
                ahead[needed] = max(ahead[needed], ahead[material])
    return ahead


def seconds_on(workers: int, todo: Iterable[Material], seconds: Mapping[str, float]) -> float:
    """How long building takes with so many workers, each of which takes so many seconds for a table."""
    order = priorities(todo, seconds)
    left = {material: sum(needed in order for needed in set(material.successors())) for material in order}
    ready: list[tuple[float, str, Material]] = []
    running: list[tuple[float, str, Material]] = []
    now = 0.0

    def give_out(material: Material) -> None:
        heappush(ready, (-order[material], material.name, material))

    for material in order:
        if not left[material]:
            give_out(material)
    waiting: dict[Material, list[Material]] = {}
    for material in order:
        for needed in set(material.successors()):
            if needed in order:
                waiting.setdefault(needed, []).append(material)
    while ready or running:
        while ready and len(running) < workers:
            _, name, material = heappop(ready)
            heappush(running, (now + seconds[name], name, material))
        now, _, done = heappop(running)
        for material in waiting.get(done, ()):
            left[material] -= 1
            if not left[material]:
                give_out(material)
    return now
