"""Processes that cannot be started, told in one line."""

import errno

import pytest

from tbgen.errors import TbgenError
from tbgen.referee.workers import started


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError("AF_UNIX path too long"), "AF_UNIX path too long"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "No such file or directory"),
        (EOFError(), "their server has gone"),
    ],
)
def test_why_no_processes_can_be_started(error: Exception, why: str) -> None:
    with pytest.raises(TbgenError, match=rf"^no processes can be started: {why} \("), started():
        raise error
