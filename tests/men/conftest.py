"""Tables with men beyond chess, built by the command."""

from pathlib import Path

import pytest

from tests.support.runs import tbgen

BUILT = ("KXvKC", "KCvK", "KHvK", "KJvK")


@pytest.fixture(scope="session")
def fairy_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with these, and all that they lead to, under both rules. X is a man that only users define."""
    directory = tmp_path_factory.mktemp("fairy")
    for rules in ("r", "wg"):
        options = ("--men", "X=WDN Wizard", "--rules", rules, "--tables", directory, "--quiet")
        run = tbgen("build", *BUILT, *options)
        assert run.returncode == 0, run.stderr
    return directory
