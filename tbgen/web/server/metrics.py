"""What is counted, in the format of Prometheus."""

from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)
OTHER: Final = "other"
"""The route of what has none."""


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("tbgen_requests", "Requests answered", ["route", "status"], registry=self._registry)
        self._seconds = Histogram(
            "tbgen_request_seconds", "Time to the end of the answer", ["route"],
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self.at_work = Gauge("tbgen_requests_at_work", "Requests begun and not ended", registry=self._registry)
        self.positions = Counter("tbgen_positions", "Positions answered", registry=self._registry)
        self.hits = Counter("tbgen_kept_answers", "Answers that were there already", registry=self._registry)
        self.refused = Counter("tbgen_refused", "Requests refused for a limit", ["why"], registry=self._registry)
        self._by_route: dict[tuple[str, int], Callable[[], None]] = {}
        self._timers: dict[str, Callable[[float], None]] = {}

    def gauge(self, name: str, words: str, read: Callable[[], float]) -> None:
        """A value that is read when somebody asks."""
        Gauge(name, words, registry=self._registry).set_function(read)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Children are looked up once: with their labels that takes longer than counting."""
        count = self._by_route.get((route, status))
        if count is None:
            count = self._by_route[route, status] = self._requests.labels(route, str(status)).inc
            self._timers[route] = self._seconds.labels(route).observe
        count()
        self._timers[route](seconds)

    def render(self) -> bytes:
        return generate_latest(self._registry)
