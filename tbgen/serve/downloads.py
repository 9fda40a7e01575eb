"""The files themselves: a list of all with their digests, and each in parts or whole, for `tbgen fetch`."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from tbgen.serve.api import shelved
from tbgen.serve.problem import Problem, missing
from tbgen.serve.question import check_names, params_of
from tbgen.serve.served import Shelved
from tbgen.serve.service import Job, Service
from tbgen.store import stamp_of

_BLOCK: Final = 1 << 18
_KIND: Final = "application/x-hdf5"
_RANGE: Final = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})\Z")
"""One range. Whoever asks for several, or for one that no file has, gets the whole file, as HTTP allows."""


class Downloads:
    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[BaseRoute]:
        return [Route("/v1/tables", self.manifest), Route("/v1/tables/{name}", self.table)]

    async def manifest(self, request: Request) -> Response:
        return await self._service.answered(request, self._manifest)

    def _manifest(self, request: Request) -> Job:
        check_names(params_of(request.scope["query_string"]))
        tables = [shelved(one) for one in self._service.served.state.tables.values() if one.sha256]
        return Job(lambda: {"digest": "sha256 of all bytes behind the first 512", "tables": tables}, kind=None)

    async def table(self, request: Request) -> Response:
        name = request.path_params["name"]
        found = next((one for one in self._service.served.state.tables.values() if one.path.name == name), None)
        if found is None:
            raise Problem(404, "not_found", "no such file is here", "/v1/tables lists them")
        return _send(request, found)


def _send(request: Request, table: Shelved) -> Response:
    """The very file that the digest is of, whatever bears its name now."""
    try:
        # not blocking: by now a pipe may have the name
        handle = os.open(table.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        raise missing(table.path.name) from None
    with ExitStack() as stack:
        stack.callback(os.close, handle)
        if stamp_of(os.fstat(handle)) != table.stamp or not table.sha256:
            raise Problem(503, "changing", "this table is being replaced", "ask again in a few seconds", 3)
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
