"""What tests/support/memory.py gives back."""

from functools import cache
from types import ModuleType

from tests.support import memory
from tests.support.slow_twin.placements import least_image, man


def test_what_functions_keep_is_forgotten() -> None:
    made = list[int]()

    @cache
    def kept(number: int) -> int:
        made.append(number)
        return number

    module = ModuleType("tests.of_something")
    module.kept = kept
    kept(7)
    least_image((man(2, 0), man(3, 9)))
    memory.release(module)
    kept(7)
    assert made == [7, 7]
    assert least_image.cache_info().currsize == 0
