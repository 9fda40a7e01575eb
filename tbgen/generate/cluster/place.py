"""The directory through which the processes of a cluster hand tables to each other: all must see the same one."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tbgen._version import __version__
from tbgen.generate.cluster.client import ClusterFailure
from tbgen.store.leftovers import TOKEN, held

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Place:
    """A directory of tables, as all tasks of a run are told."""

    directory: str
    token: str
    """The name of a file in the directory, which shows workers that they see the same directory."""
    version: str = __version__


@contextmanager
def shared(directory: Path) -> Iterator[Place]:
    """The place of a run, which ends with the context."""
    directory.mkdir(parents=True, exist_ok=True)
    token = directory / f"{TOKEN}{secrets.token_hex(8)}"
    with held(token):
        yield Place(str(directory.resolve()), token.name)


def check_workers(client: "Client", place: Place) -> None:
    """Ask every worker whether it can take part; ClusterFailure names one that cannot."""
    answers = client.run(check_place, place, on_error="return")
    if not answers:
        raise ClusterFailure("the cluster has no workers")
    for address, answer in answers.items():  # an error is an answer as well: the worker may lack tbgen
        if answer is not None:
            raise ClusterFailure(f"worker {address} cannot take part: {answer}")


def check_place(place: Place) -> str | None:
    """Why a worker cannot take part; None if it can."""
    if place.version != __version__:
        return f"it has tbgen {__version__}, not {place.version}"
    directory = Path(place.directory)
    if not (directory / place.token).exists():
        return f"it does not see {place.directory}, which has to be the same directory on every machine"
    if not os.access(directory, os.W_OK):
        return f"it may not write to {place.directory}"
    return None
