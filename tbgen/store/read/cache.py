"""A cache with a budget of memory: what was unused for longest is dropped first."""

import threading
from collections import OrderedDict
from typing import Final, Generic, TypeVar

DEFAULT_BUDGET: Final = 256 << 20

T = TypeVar("T")


class Cache(Generic[T]):
    """Safe for threads. A hit takes no lock: the interpreter's own is enough for it."""

    def __init__(self, budget: int = DEFAULT_BUDGET) -> None:
        self.budget = budget
        self.used = 0
        self._held: OrderedDict[int, tuple[T, int]] = OrderedDict()
        self._changing = threading.Lock()

    def get(self, key: int) -> T | None:
        try:
            found = self._held[key]
            self._held.move_to_end(key)
        except KeyError:  # it was never there, or another thread has just dropped it
            return None
        return found[0]

    def put(self, key: int, value: T, size: int) -> None:
        with self._changing:
            self._drop(key)
            self._held[key] = value, size
            self.used += size
            while self.used > self.budget and len(self._held) > 1:
                # in one step: an iterator would fail where a hit comes between
                self.used -= self._held.popitem(last=False)[1][1]

    def take(self, key: int) -> T | None:
        """Remove a value and return it."""
        with self._changing:
            found = self._held.get(key)
            self._drop(key)
        return found[0] if found else None

    def drop(self, first: int, last: int) -> None:
        """Forget all keys in a range, both ends included."""
        with self._changing:
            for key in [key for key in list(self._held) if first <= key <= last]:
                self._drop(key)

    def _drop(self, key: int) -> None:
        found = self._held.pop(key, None)
        if found is not None:
            self.used -= found[1]
