"""Building tables side by side: which goes first, and how long all of them take."""

from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from heapq import heappop, heappush

from tbgen.core.material import Material


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
    graph = TopologicalSorter({one: [needed for needed in one.successors() if needed in order] for one in order})
    graph.prepare()
    ready: list[tuple[float, str, Material]] = []
    running: list[tuple[float, str, Material]] = []
    now = 0.0
    while graph.is_active():
        for material in graph.get_ready():
            heappush(ready, (-order[material], material.name, material))
        while ready and len(running) < workers:
            _, name, material = heappop(ready)
            heappush(running, (now + seconds[name], name, material))
        now, _, done = heappop(running)
        graph.done(done)
    return now
