"""Options and profiles that all tests share."""

import os

import pytest
from hypothesis import settings

# The first example of a property compiles the kernels under it: no deadline.
settings.register_profile("tbgen", deadline=None)
settings.register_profile("tbgen-ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("tbgen-ci" if os.environ.get("CI") else "tbgen")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long checks as well")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--full"):
        return
    long = [item for item in items if item.get_closest_marker("full")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("full")]
