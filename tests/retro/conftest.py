"""Fixtures of the solver."""

import pytest

from tbgen.retro import solver


@pytest.fixture
def always_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """All threads on one slice, however small."""
    monkeypatch.setattr(solver, "TEAM_FROM", 1)
    monkeypatch.setattr(solver, "_teams", lambda *_: 1)
