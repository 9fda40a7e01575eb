"""Options, profiles and tables that all tests share."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tbgen.cli import display
from tests.support import memory
from tests.support.costs import (  # noqa: F401
    pytest_runtest_setup,
    pytest_runtest_teardown,
    pytest_terminal_summary,
)
from tests.support.heaviest import HEAVIEST

# The first example of a property compiles the kernels under it, and a machine may be busy: no deadline.
settings.register_profile("tbgen", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("tbgen-ci", settings.get_profile("tbgen"), derandomize=True, print_blob=True)
settings.load_profile("tbgen-ci" if os.environ.get("CI") else "tbgen")


# A shell starts background jobs with interrupts ignored, and so would every program that a test starts from one:
# tests that interrupt them would wait in vain. A handler here becomes the default there.
signal.signal(signal.SIGINT, signal.default_int_handler)
# The same for `nohup`, which has hangups ignored.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


# What takes more than a minute says how far it is, on a slow machine also where a test wants it to say nothing.
display.EVERY = 1e6  # type: ignore[misc]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long checks as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    place = {Path(__file__).parent / "tests" / name: place for place, name in enumerate(HEAVIEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))
    if config.getoption("--full"):
        return
    long = [item for item in items if item.get_closest_marker("full")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


@pytest.fixture(scope="module", autouse=True)
def release_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give back what a file of tests has kept: the process goes on with others."""
    yield
    memory.release(request.module)


@pytest.fixture(scope="session")
def small_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of all tables of two and three men under both rules, and KNNvK. Kernels are compiled by then."""
    from tests.support.small_tables import make_small_tables

    directory = tmp_path_factory.mktemp("tables")
    make_small_tables(directory)
    return directory


@pytest.fixture
def no_bundle(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package without tables of its own: what a directory lacks is missing."""
    monkeypatch.setattr("tbgen.store.directory.BUNDLED", tmp_path_factory.mktemp("bundled"))


@pytest.fixture(scope="session")
def four_men(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that holds KPvKP and KNNvK, and all that they lead to: minutes of work."""
    from tests.support.four_men import make_four_men

    directory = tmp_path_factory.mktemp("four")
    make_four_men(directory)
    return directory
