"""The cache of chunks under threads that hit, fill and empty it at once."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from tbgen.store.read.cache import Cache

BUDGET = 8
KEYS = 12


def fill(cache: Cache[int], end: threading.Event) -> None:
    key = 0
    while not end.is_set():
        cache.put(key % KEYS, key % KEYS, 1)
        key += 1
        if key % 50 == 0:
            cache.drop(3, 5)
            assert cache.take(key % KEYS) in (None, key % KEYS)


def hit(cache: Cache[int], end: threading.Event) -> None:
    while not end.is_set():
        for key in range(KEYS):
            assert cache.get(key) in (None, key)


def test_threads_share_a_cache() -> None:
    before, cache, end = sys.getswitchinterval(), Cache[int](BUDGET), threading.Event()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            threads = [pool.submit(one, cache, end) for one in (fill, hit, hit, hit)]
            timer = threading.Timer(1.0, end.set)
            timer.start()
            for one in threads:
                one.result()
    finally:
        end.set()
        sys.setswitchinterval(before)
    assert cache.used == sum(cache.get(key) is not None for key in range(KEYS)) <= BUDGET


def test_what_was_unused_for_longest_is_dropped_first() -> None:
    cache = Cache[str](3)
    for key in range(3):
        cache.put(key, str(key), 1)
    cache.get(0)
    cache.put(3, "3", 1)
    assert [cache.get(key) for key in range(4)] == ["0", None, "2", "3"]
    cache.put(4, "4", 9)
    assert (cache.get(4), cache.used) == ("4", 9)
