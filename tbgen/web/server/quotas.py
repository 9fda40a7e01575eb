"""What one client may have of what all clients share."""

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import MutableMapping
from functools import lru_cache
from typing import Any, Final

from tbgen.web.server.problem import Problem

_CLIENTS: Final = 10_000
"""Clients that are remembered. The longest silent is forgotten first: its bucket is full again."""
_NETWORK: Final = 64
"""Bits of an IPv6 address that tell clients apart: the others are one client's to choose."""


def client_of(scope: MutableMapping[str, Any]) -> str:
    """Whose request it is."""
    client = scope.get("client")
    return client_at(client[0]) if client else ""


@lru_cache(_CLIENTS)
def client_at(address: str) -> str:
    if ":" not in address:
        return address
    try:
        found = ipaddress.IPv6Address(address)
    except ValueError:  # what a proxy calls it
        return address
    return str(found.ipv4_mapped or ipaddress.IPv6Network((int(found), _NETWORK), strict=False))


class Share:
    """So many of a thing for all clients together, and for each a part of them."""

    def __init__(self, most: int, each: int) -> None:
        self._most = most
        self._each = each
        self._held: Counter[str] = Counter()
        self.used = 0

    def take(self, client: str, amount: int = 1) -> None:
        if self.used + amount > self._most:
            raise Problem(503, "busy", "too much is asked at the moment", "ask again a little later", 1)
        if self._held[client] + amount > self._each:
            raise Problem(429, "too_many_requests", "you ask for too much at once", "wait for answers before more", 1)
        self.used += amount
        self._held[client] += amount

    def give(self, client: str, amount: int = 1) -> None:
        self.used -= amount
        self._held[client] -= amount
        if not self._held[client]:
            del self._held[client]


class Buckets:
    """What each client may still ask for: as much as it likes for ten seconds' worth, then so much a second."""

    _DEPTH: Final = 10.0

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._depth = rate * self._DEPTH
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str, cost: float, *, begun: bool = False) -> float:
        """Seconds to wait before asking again: 0 where it was taken. Whoever has anything left may owe the rest, and as
        much again for a request that has `begun`: what it costs is found out by and by. What costs more than all takes
        all."""
        if not self._rate:
            return 0.0
        now = time.monotonic()
        left, at = self._left.get(client, (self._depth, now))
        left = min(self._depth, left + (now - at) * self._rate)
        cost = min(cost, self._depth)
        wait = 0.0 if left > (-self._depth if begun else 0) else (cost - left) / self._rate
        self._left[client] = left - (0.0 if wait else cost), now
        self._left.move_to_end(client)
        if len(self._left) > _CLIENTS:
            self._left.popitem(last=False)
        return wait
