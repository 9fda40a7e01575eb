"""The files themselves: a list of all with their digests, and each in parts or whole, for `tbgen fetch`."""

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from tbgen.store import Stamp, stamp_of
from tbgen.web.server.api import shelved
from tbgen.web.server.problem import Problem, missing
from tbgen.web.server.question import check_names, params_of
from tbgen.web.server.service import JSON, Job, Service, encoded
from tbgen.web.server.table_registry import Shelved
from tbgen.web.server.work import QUICK, SLOW

_BLOCK: Final = 1 << 18
_PATIENCE: Final = 1.0
"""Seconds that a list waits for digests."""
_KIND: Final = "application/x-hdf5"
_RANGE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})\Z")
"""One range. Whoever asks for several, or for one that no file has, gets the whole file, as HTTP allows."""


class Downloads:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._sums: dict[tuple[str, Stamp], str] = {}
        """SHA-256 of whole files."""
        self._adding: asyncio.Task[None] | None = None

    def routes(self) -> list[BaseRoute]:
        return [Route("/v1/tables", self.manifest), Route("/v1/tables/{name}", self.table)]

    async def manifest(self, request: Request) -> Response:
        """Reading all bytes of all tables takes its time: what is not read yet has no digest of the file."""
        check_names(params_of(request.scope["query_string"]))
        state = self._service.served.state
        tables = [one for one in state.tables.values() if one.sha256]
        if any(_name(one) not in self._sums for one in tables):
            if self._adding is None or self._adding.done():
                self._adding = asyncio.create_task(self._add_up(tables))
            await asyncio.wait((self._adding,), timeout=_PATIENCE)
        if all(_name(one) in self._sums for one in tables):
            return await self._service.answered(request, lambda _: Job(partial(self._listed, tables)), state)
        body = await self._service.do(request, QUICK, lambda: encoded(self._listed(tables)))
        return Response(body, media_type=JSON, headers={"cache-control": "no-store"})

    def _listed(self, tables: list[Shelved]) -> dict[str, Any]:
        return {"tables": [shelved(one) | {"file_sha256": self._sums.get(_name(one))} for one in tables]}

    async def _add_up(self, tables: list[Shelved]) -> None:
        """One after the other, the small ones first."""
        for gone in self._sums.keys() - {_name(one) for one in tables}:
            del self._sums[gone]

        def add(one: Shelved) -> None:
            with os.fdopen(_open(one), "rb") as file:
                self._sums[_name(one)] = hashlib.file_digest(file, "sha256").hexdigest()

        for one in sorted(tables, key=lambda one: one.size):
            if _name(one) not in self._sums:
                with suppress(Problem, OSError):  # another list will have it
                    await self._service.do(None, SLOW, partial(add, one), ("sum", *_name(one)))

    async def table(self, request: Request) -> Response:
        name = request.path_params["name"]
        found = next((one for one in self._service.served.state.tables.values() if one.path.name == name), None)
        if found is None:
            raise Problem(404, "not_found", "no such file is here", "/v1/tables lists them")
        return _send(request, found)


def _name(table: Shelved) -> tuple[str, Stamp]:
    """Another one when the file is another."""
    return table.path.name, table.stamp


def _open(table: Shelved) -> int:
    """The very file that the digest is of, whatever bears its name now."""
    try:
        # not blocking: by now a pipe may have the name
        handle = os.open(table.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise missing(table.path.name) from None
    except OSError:
        raise Problem(503, "unreadable", "this table cannot be read now", "ask again in a few seconds", 3) from None
    if stamp_of(os.fstat(handle)) != table.stamp or not table.sha256:
        os.close(handle)
        raise Problem(503, "changing", "this table is being replaced", "ask again in a few seconds", 3)
    return handle


def _send(request: Request, table: Shelved) -> Response:
    handle = _open(table)
    with ExitStack() as stack:
        stack.callback(os.close, handle)
        tag = f'"{table.sha256}"'
        headers = {"etag": tag, "accept-ranges": "bytes", "cache-control": "public, no-cache"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        span = _span(request, tag, table.size)
        if span is not None and not span:
            return Response(status_code=416, headers={"content-range": f"bytes */{table.size}", **headers})
        part = range(table.size) if span is None else span
        headers["content-length"] = str(len(part))
        if span is not None:
            headers["content-range"] = f"bytes {part.start}-{part.stop - 1}/{table.size}"
        if request.method == "HEAD":
            return Response(status_code=200, headers=headers, media_type=_KIND)
        status = 200 if span is None else 206
        closing = stack.pop_all()  # when all is sent
        return _Download(_pieces(handle, part), closing, status_code=status, headers=headers, media_type=_KIND)


def _span(request: Request, tag: str, size: int) -> range | None:
    """The bytes that are asked for; None for all, an empty range for what is not there."""
    match = _RANGE.match(request.headers.get("range", ""))
    if match is None or match[0] == "bytes=-" or request.headers.get("if-range", tag) != tag:
        return None
    first, last = match.groups()
    if not first:
        return range(max(0, size - int(last)), size)
    return range(int(first), min(size, int(last) + 1 if last else size))


async def _pieces(handle: int, part: range) -> AsyncIterator[bytes]:
    at = part.start
    while at < part.stop:
        data = await asyncio.to_thread(os.pread, handle, min(_BLOCK, part.stop - at), at)
        if not data:
            raise OSError("the file has become shorter")
        yield data
        at += len(data)


class _Download(StreamingResponse):
    """Closes its file when it is sent, or cannot be."""

    def __init__(self, content: AsyncIterator[bytes], closing: ExitStack, **options: Any) -> None:
        super().__init__(content, **options)
        self._closing = closing

    async def __call__(self, *args: Any) -> None:
        with self._closing:
            await super().__call__(*args)
