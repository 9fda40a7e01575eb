"""Material as algebra: spellings, order, and what can become of it."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbgen.core import material
from tbgen.core.material import Material
from tbgen.errors import BadInput
from tests.support.boards import material_on, random_boards

SMALL = [found for men in (2, 3, 4) for found in material.every(men)]
LARGER = [material.parse(name) for name in ("KQRvKP", "KPPvKP", "KNNvKP", "KRPvKB", "KRPvKRP", "KQQQvKP", "KPPPvKPP")]

sides = st.text(alphabet=material.PIECES, max_size=4)


def name_of(one: Material) -> str:
    return one.name


@pytest.mark.parametrize(("men", "count"), [(2, 1), (3, 5), (4, 30), (5, 110)])
def test_how_many_there_are(men: int, count: int) -> None:
    found = material.every(men)
    assert len(set(found)) == len(found) == count
    assert all(one.men == men and one.is_normal for one in found)


def test_the_small_ones_by_name() -> None:
    names = "KvK KQvK KRvK KBvK KNvK KPvK"
    names += " KQQvK KQRvK KQBvK KQNvK KQPvK KRRvK KRBvK KRNvK KRPvK KBBvK KBNvK KBPvK KNNvK KNPvK KPPvK"
    names += " KQvKQ KQvKR KQvKB KQvKN KQvKP KRvKR KRvKB KRvKN KRvKP KBvKB KBvKN KBvKP KNvKN KNvKP KPvKP"
    assert {one.name for one in SMALL} == set(names.split())


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("KvKB", "KBvK"), ("kbk", "KBvK"), ("KBK", "KBvK"), ("kvbk", None), ("KBvK", "KBvK"), ("kb-k", "KBvK"),
        ("K_KB", "KBvK"), (" krvkn ", "KRvKN"), ("KN v KR", "KRvKN"), ("KN – KR", "KRvKN"), ("KNKR", "KRvKN"),
        ("KKQ", "KQvK"), ("KK", "KvK"), ("kvk", "KvK"), ("KPNRBQvK", "KQRBNPvK"), ("KvKPQ", "KQPvK"),
        ("KPvKN", "KNvKP"), ("KPRvKPR", "KRPvKRP"), ("KNvKPP", "KPPvKN"), ("\tKRPvKB\n", "KRPvKB"),
    ],
)  # fmt: skip
def test_spellings(words: str, name: str | None) -> None:
    if name is None:
        with pytest.raises(BadInput):
            material.parse(words)
    else:
        assert material.parse(words).name == name


@given(sides, sides, st.randoms(use_true_random=False), st.sampled_from(["v", "V", "-", "", " v ", "_"]), st.booleans())
def test_any_order_of_letters_and_sides_is_understood(
    first: str, second: str, shuffler: random.Random, between: str, lower: bool
) -> None:
    expected = material.parse(f"K{first}vK{second}")
    assert Counter(expected.first) + Counter(expected.second) == Counter(first + second)
    assert {Counter(expected.first).total(), Counter(expected.second).total()} == {len(first), len(second)}
    halves = ["".join(shuffler.sample(side, len(side))) for side in (first, second)]
    shuffler.shuffle(halves)
    words = f"K{halves[0]}{between}K{halves[1]}"
    assert material.parse(words.lower() if lower else words) == expected


@given(sides, sides)
def test_the_normal_form_is_one_of_both_and_always_the_same(first: str, second: str) -> None:
    one = Material(*("".join(sorted(side, key=material.PIECES.index)) for side in (first, second)))
    assert one.swapped.swapped == one
    assert one.normal in (one, one.swapped)
    assert one.normal == one.swapped.normal == one.normal.normal == material.parse(one.name)
    assert one.is_normal or one.swapped.is_normal
    assert (one.is_normal and one.swapped.is_normal) == one.even == (one == one.swapped)
    assert len(one.normal.first) >= len(one.normal.second)
    assert (one.men, one.pawns) == (2 + len(first + second), (first + second).count("P"))
    assert str(one) == one.name


@pytest.mark.parametrize(
    "words",
    ["", "K", "v", "KQ", "QvQ", "KvKvK", "KKK", "KXvK", "KvvK", "KQ+K", "KRvKN.h5", "../KvK", "KBvK\0", "K\u0392vK"],
)
def test_what_is_no_material_is_refused(words: str) -> None:
    with pytest.raises(BadInput):
        material.parse(words)


@given(st.one_of(st.text(), st.text(alphabet="KQRBNPvkqrbnp -_")))
def test_any_text_is_a_material_or_refused(words: str) -> None:
    try:
        found = material.parse(words)
    except BadInput:
        return
    assert found.is_normal
    assert material.parse(found.name) == found


# --- what a material turns into --------------------------------------------------------------------

MenOfSides = tuple[Counter[str], Counter[str]]


def men_after_one_move(men: MenOfSides) -> Iterator[MenOfSides]:
    """By the rules of chess: the mover takes a man or none, and a pawn that moves to the last rank promotes."""
    for mover in (0, 1):
        own, enemy = men[mover], men[1 - mover]
        for taken, promoted in itertools.product(["", *enemy], ["", *"QRBN"]):
            if promoted and not own["P"]:
                continue
            if promoted and taken == "P":  # no pawn stands on the last rank
                continue
            own_after, enemy_after = Counter(own), enemy - Counter(taken or None)
            if promoted:
                own_after = own - Counter("P") + Counter(promoted)
            yield (own_after, enemy_after) if mover == 0 else (enemy_after, own_after)


def successors_by_the_rules(one: Material) -> set[Material]:
    found = {
        material.parse("v".join("K" + "".join(side.elements()) for side in men))
        for men in men_after_one_move((Counter(one.first), Counter(one.second)))
    }
    return found - {one}


@pytest.mark.parametrize("one", [*SMALL, *material.every(5)[::7], *LARGER], ids=name_of)
def test_successors_are_those_of_the_rules(one: Material) -> None:
    found = one.successors()
    assert len(set(found)) == len(found)
    assert set(found) == successors_by_the_rules(one)
    assert found == sorted(found, key=material.build_key)


@pytest.mark.parametrize("one", [*SMALL, *LARGER], ids=name_of)
def test_moves_of_python_chess_lead_nowhere_else(one: Material) -> None:
    known = {one, *one.successors()}
    for board in random_boards(one, 60):
        assert material_on(board) == one
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            assert material_on(after) in known, (board.fen(), move.uci())


# --- build order -----------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([*SMALL, *LARGER]), max_size=4))
def test_dependencies_come_first_and_none_is_missing(wanted: list[Material]) -> None:
    order = material.with_dependencies(wanted)
    assert len(set(order)) == len(order)
    assert set(wanted) <= set(order)
    place = {one: at for at, one in enumerate(order)}
    assert all(place[before] < place[one] for one in order for before in one.successors())
    needed = set(wanted).union(*(one.successors() for one in order))
    assert set(order) == needed, "nothing is built in vain"


def test_all_small_materials_depend_on_each_other_only() -> None:
    assert material.with_dependencies(material.every(4)) == [*material.every(2), *material.every(3), *material.every(4)]


def test_what_a_pawn_needs() -> None:
    names = [one.name for one in material.with_dependencies([material.parse("KPvK")])]
    assert names == ["KvK", "KQvK", "KRvK", "KBvK", "KNvK", "KPvK"]
