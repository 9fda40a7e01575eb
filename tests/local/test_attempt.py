"""What an attempt makes of a plan that comes to nothing."""

import errno
from pathlib import Path
from typing import Any

import chess
import pytest

from tbgen.beyond.local import attempt as attempts
from tbgen.beyond.local.choose import Part
from tbgen.beyond.local.solve import LocalTables, solve_plan
from tbgen.core.position import goal
from tbgen.errors import OutOfRoom
from tbgen.probe import open_tablebase
from tests.support.local_tables import BOTH_RACE, MEMORY

pytestmark = pytest.mark.usefixtures("no_bundle")


@pytest.mark.parametrize("why", [OutOfRoom("there is no room"), OSError(errno.ENOSPC, "No space left on device")])
@pytest.mark.parametrize("most", [0, 1])
def test_what_a_smaller_plan_has_proved_stands(
    most: int, why: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = list[int]()

    def cramped(plan: list[Part], *args: Any, **options: Any) -> LocalTables:
        tried.append(len(plan))
        if len(plan) > most:
            raise why
        return solve_plan(plan, *args, **options)

    monkeypatch.setattr(attempts, "solve_plan", cramped)
    board, means = chess.Board(BOTH_RACE), attempts.Means(tmp_path, MEMORY, 3600, 1)
    with open_tablebase(tmp_path) as tables:
        if most == 0:
            with pytest.raises(OutOfRoom, match=r"(?i)no (room|space left on device)"):
                attempts.attempt(board, goal(board), tables, means)
        else:
            found = attempts.attempt(board, goal(board), tables, means)
            assert found.answer is not None
            assert [len(found.plan), tried[0]] == [1, 1]
            assert tried[1] > 1
