"""Tables with men beyond chess."""

from pathlib import Path

import pytest

from tbgen.board.men import defined
from tbgen.cli.progress import warm_up_visibly
from tbgen.core.material import parse, with_dependencies
from tests.support.small_tables import make

MEN = defined(["X=WDN Wizard"])
BUILT = [parse(name, men=MEN) for name in ("KXvKC", "KHvK", "KJvK")]


@pytest.fixture(scope="session")
def fairy_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with these, and all that they lead to, under both rules; users alone define X. Kernels are
    compiled by then."""
    warm_up_visibly(1, quiet=True)
    directory = tmp_path_factory.mktemp("fairy")
    for rules in ("r", "wg"):
        make(directory, with_dependencies(BUILT), rules)
    return directory
