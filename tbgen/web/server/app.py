"""The application: all addresses together, what goes wrong, and the look at the directory every other second."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from tbgen.errors import TbgenError
from tbgen.web.pages import frame
from tbgen.web.server.api import Api
from tbgen.web.server.downloads import Downloads
from tbgen.web.server.limits import Guard
from tbgen.web.server.log import LOG, tell_request
from tbgen.web.server.pages import Pages
from tbgen.web.server.problem import Problem, problem_of
from tbgen.web.server.service import Service, encoded
from tbgen.web.server.unread import Unread

_LOOK_EVERY: Final = 2.0
"""Seconds."""
_HINTS: Final = {404: "/v1/openapi.json lists all addresses", 405: "/v1/openapi.json says which methods there are"}
_CODES: Final = {404: "not_found", 405: "method_not_allowed"}
_PROGRAMS: Final = ("/v1/", "/standard")
"""Where these addresses begin, programs ask."""
_HINT_OF_PAGES: Final = "Board, Materials and Game, above, are the pages that there are."
_ASKED_WRONG: Final = (400, 404, 405)
"""The hints of these are for programs."""
_ROBOTS: Final = "User-agent: *\nDisallow: /v1/\nDisallow: /standard\nDisallow: /*?\n"


def make_app(service: Service) -> ASGIApp:
    settings = service.settings

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(_watch(service))
        try:
            yield
        finally:
            watching.cancel()
            service.close()

    app = Starlette(
        routes=_routes(service),
        exception_handlers={
            HTTPException: _refused,
            ClientDisconnect: _gone,
            **dict.fromkeys((Problem, TbgenError, MemoryError, Exception), _failed),
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    service.guard = Guard(app, settings.limits, service.metrics, tell_request if settings.access_log else None)
    guarded: ASGIApp = service.guard
    if settings.cors:  # around the limits: a page of another site is to see that it has to wait, too
        methods, shown = ["GET", "POST"], ["ETag", "Retry-After"]
        guarded = CORSMiddleware(guarded, allow_origins=settings.cors, allow_methods=methods, expose_headers=shown)
    return Unread(guarded, service.guard)


def _routes(service: Service) -> list[BaseRoute]:
    return [
        Route("/robots.txt", robots),
        *Api(service).routes(),
        *Downloads(service).routes(),
        *Pages(service).routes(),
    ]


async def robots(request: Request) -> Response:
    return PlainTextResponse(_ROBOTS, headers={"cache-control": "public, max-age=86400"})


async def _watch(service: Service) -> None:
    before = ""
    while True:
        await asyncio.sleep(_LOOK_EVERY)
        try:
            await service.refresh()
            trouble = service.served.state.trouble
        except Exception as error:  # the next look may do better
            trouble = f"the tables cannot be listed: {error}"
        if trouble and trouble != before:
            LOG.tell(trouble)
        before = trouble


def _answer(request: Request, problem: Problem) -> Response:
    """A page for who looks at pages, else what programs read."""
    if not request.url.path.startswith(_PROGRAMS) and "text/html" in request.headers.get("accept", ""):
        hint = _HINT_OF_PAGES if problem.status in _ASKED_WRONG else problem.hint
        body = frame.page(
            frame.SERVED, "tbgen: no answer", f"<h1>No answer</h1>{frame.problem('', str(problem), hint)}"
        )
        return Response(body, problem.status, media_type="text/html", headers=problem.headers)
    return Response(
        encoded({"error": problem.as_dict()}), problem.status, media_type="application/json", headers=problem.headers
    )


async def _failed(request: Request, error: Exception) -> Response:
    return _answer(request, problem_of(error))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "refused")
    hint = _HINTS.get(error.status_code, "")
    found = _answer(request, Problem(error.status_code, code, error.detail, hint))
    found.headers.update(error.headers or {})
    return found


async def _gone(request: Request, error: Exception) -> Response:
    """Nobody hears this."""
    return Response(status_code=400)
