"""Sizes that must grow with what they are for."""

from tbgen.sizes import FIRST_LINKS, links_for


def test_links_have_room_for_half_the_numbers() -> None:
    slots = [links_for(numbers) for numbers in (1, 29_589_504, 59_179_008, 710_148_096)]
    assert slots[0] >= FIRST_LINKS
    assert slots == sorted(slots)
    assert all(2 * one >= numbers for one, numbers in zip(slots, (1, 29_589_504, 59_179_008, 710_148_096), strict=True))
    assert links_for(1 << 40) == slots[-1] < 1 << 31, "positions point at them with 32 bits"
