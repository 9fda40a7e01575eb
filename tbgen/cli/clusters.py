"""Options for work in more than one process, and the cluster that they name."""

import argparse
from contextlib import nullcontext
from typing import TYPE_CHECKING

from tbgen.cli.common import add_memory, address, at_once
from tbgen.cli.parser import Group
from tbgen.errors import BadInput
from tbgen.system.parallel import cores

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from distributed import Client


def add_work(parser: argparse.ArgumentParser, verb: str, one: str) -> Group:
    """What a command may take of the machine, or of several. `verb`: what is done with `one`, of which there may be
    several at once."""
    group = parser.add_argument_group("work")
    group.add_argument(
        "--threads", type=at_once, metavar="N", help=f"threads per {one} (default: all cores, which workers share)"
    )
    group.add_argument("--workers", type=at_once, metavar="N", help=f"{verb} N {one}s at once, each in its own process")
    group.add_argument(
        "--scheduler", type=address, metavar="ADDRESS", help=f"{verb} on a dask cluster, such as tcp://host:8786"
    )
    add_memory(group)
    return group


def check_cluster(args: argparse.Namespace) -> None:
    if args.workers and args.scheduler:
        raise BadInput("--workers starts a cluster, --scheduler names one: give one of them")


def threads_each(args: argparse.Namespace) -> int:
    """Threads for each of those that are at work at once on this machine."""
    threads: int = args.threads or max(1, cores() // (args.workers or 1))
    return threads


def memory_each(args: argparse.Namespace) -> int:
    """Bytes for each of those that are at work at once."""
    memory: int = args.memory // (args.workers or 1)
    return memory


def client_of(args: argparse.Namespace) -> "AbstractContextManager[Client | None]":
    """A client of the cluster that the options ask for, if they ask for one."""
    if not args.workers and not args.scheduler:
        return nullcontext()
    from tbgen.generate.cluster.client import connect, local_cluster

    return local_cluster(args.workers) if args.workers else connect(args.scheduler)
