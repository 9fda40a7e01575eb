"""Tables that readers in several languages are given."""

from pathlib import Path

import pytest

from tests.support.later import make_later


@pytest.fixture(scope="session")
def later(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("later")
    make_later(place)
    return place
