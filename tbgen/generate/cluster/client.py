"""A client of a cluster: one that is there, or one of processes of this machine."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, Final

from tbgen.errors import BadInput, TbgenError
from tbgen.system.signals import deaf

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE: Final = 10
"""Seconds to wait for a scheduler."""
_SETTINGS: Final = {
    "distributed.worker.multiprocessing-method": "spawn",  # numba does not survive a fork
    # A worker that died starts again. After 15 s, the default, a busy machine would do without it for good.
    "distributed.deploy.lost-worker-timeout": "1 day",
}
"""Of a cluster in processes of this machine."""


class ClusterFailure(TbgenError):
    """The cluster is not there, or no longer, or cannot do what was asked."""


@contextmanager
def connect(address: str) -> Iterator["Client"]:
    """A client of the scheduler at this address."""
    _require()
    from distributed import Client

    for logger in ("distributed", "distributed.client"):  # this program reports the same in one line
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterFailure(f"no dask scheduler answers at {address}: {error}") from None
    with client:
        yield client


@contextmanager
def local_cluster(workers: int) -> Iterator["Client"]:
    """A client of a cluster in processes of this machine, which end with the context."""
    _require()
    import dask
    from distributed import Client, LocalCluster

    resource_tracker.ensure_running()  # where it starts later, it lets signals through again
    # memory is limited by DiskArrays, which knows what is on disk
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(_SETTINGS))
        with deaf():  # a process that was half started would complain; later this one ends them
            cluster = LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, memory_limit=None,
                dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False}, silence_logs=logging.CRITICAL,
            )  # fmt: skip
            stack.enter_context(cluster)
        yield stack.enter_context(Client(cluster, set_as_default=False))


def _require() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise BadInput('more than one process takes dask.distributed: pip install "tbgen[cluster]"') from None
