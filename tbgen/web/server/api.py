"""The interface for programs, `/v1/...`, and the one in the shape of lila-tablebase."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from tbgen._version import __version__
from tbgen.core.material import parse, with_dependencies
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput, MissingTable, quoted
from tbgen.probe import Tablebase
from tbgen.probe.numbering import Signature, material_of, signature
from tbgen.store import SlimFile
from tbgen.system.text import decoded, from_json
from tbgen.web.server import answers, lila, many
from tbgen.web.server.openapi import document
from tbgen.web.server.problem import Problem, missing_material
from tbgen.web.server.question import Question, asked, check_names, params_of, rules_of, switch
from tbgen.web.server.quotas import client_of
from tbgen.web.server.service import COST_OF_LINE, JSON, Job, Service, encoded
from tbgen.web.server.table_registry import Shelved
from tbgen.web.server.work import QUICK, SLOW

PGN: Final = "application/x-chess-pgn"
NDJSON: Final = "application/x-ndjson"
_AT_ONCE: Final = 2500
"""Positions of a batch that are answered in one go, by columns."""
_WITH_MOVES: Final = 200
"""The same with moves, which come one by one."""
_PER_REQUEST: Final = 50
_WITH_MOVES_PER_REQUEST: Final = 5
"""Positions of a batch that cost as much as a request."""
_LINE: Final[dict[str, Any]] = {"kind": SLOW, "cost": COST_OF_LINE}
_MARKS: Final = {JSON: b",", "text/plain": b"\n"}
"""What stands between positions. There is none within one."""
Ask = Callable[[Question, Tablebase], Any]
_BATCH: Final = ("fens", "record", "rules", "moves")


class Api:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._started = time.monotonic()
        self._document = encoded(document(service.settings.limits))
        self._known: set[tuple[Signature, TableRules]] = set()
        """Men whose table is open: to ask it takes no longer than to hand the question to a thread."""

    def routes(self) -> list[BaseRoute]:
        return [
            self._kept("/v1/probe", "probe", self._probe),
            self._kept("/v1/moves", "moves", self._moves),
            self._kept("/v1/line", "line", self._line),
            self._kept("/v1/staircase", "staircase", partial(self._about, answers.staircase)),
            Route("/v1/batch", self.batch, methods=["POST"]),
            self._kept("/v1/materials", "materials", self._materials),
            self._kept("/v1/materials/{material}", "material", self._material),
            Route("/v1/materials/{material}/stats", self.stats),
            Route("/v1/materials/{material}/records", self.records),
            Route("/v1/health", self.health),
            Route("/v1/metrics", self.metrics),
            Route("/v1/openapi.json", self.openapi),
            self._kept("/standard", "standard", partial(self._about, lila.standard)),
            self._kept("/standard/mainline", "mainline", partial(self._about, lila.mainline, **_LINE)),
        ]

    def _kept(self, path: str, name: str, plan: Callable[[Request], Job]) -> Route:
        """An address whose answers are kept. The name is what metrics call it."""

        async def answer(request: Request) -> Response:
            return await self._service.answered(request, plan)

        answer.__name__ = name
        return Route(path, answer)

    # Positions

    def _asked(self, request: Request, *more: str) -> tuple[Question, dict[str, str]]:
        self._service.metrics.positions.inc()
        params = params_of(request.scope["query_string"])
        return asked(params, self._service.settings.rules, *more), params

    def _job(self, question: Question, make: Ask, **how: Any) -> Job:
        return Job(lambda: self._service.ask(question.rules, partial(make, question)), **how)

    def _about(self, make: Ask, request: Request, **how: Any) -> Job:
        question, _ = self._asked(request)
        return self._job(question, make, **how)

    def _probe(self, request: Request) -> Job:
        question, _ = self._asked(request)
        men = (signature(question.board), question.rules)
        if question.board.ep_square is None and men in self._known:
            return self._job(question, _position, kind=None)

        def make(question: Question, there: Tablebase) -> str:
            found = _position(question, there)
            if not _slim(question, there):
                self._known.add(men)
            return found

        return self._job(question, make)

    def _moves(self, request: Request) -> Job:
        question, params = self._asked(request, "fens")
        return self._job(question, partial(answers.moves, fens=switch(params, "fens")))

    def _line(self, request: Request) -> Job:
        question, params = self._asked(request, "format")
        form = params.get("format", "json")
        if form not in ("json", "pgn"):
            raise BadInput(f"format is json or pgn, not {quoted(form)}")
        if form == "pgn":
            return self._job(question, answers.line_as_pgn, media=PGN, **_LINE)
        return self._job(question, answers.line, **_LINE)

    # Many positions

    async def batch(self, request: Request) -> Response:
        service = self._service
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media not in _MARKS:
            raise Problem(415, "unsupported_media_type", "a batch is application/json or text/plain",
                          'curl --json \'{"fens": ["8/8/8/4KBk1/8/8/8/8 b - - 0 1"]}\'')  # fmt: skip
        body = await request.body()
        most = service.settings.limits.positions
        positions = body.count(_MARKS[media]) + 1  # or a few less: what it costs to read them is known before
        if positions > 2 * most:
            raise _too_many(most)
        service.charge(request, positions / _PER_REQUEST)
        wanted = await service.do(request, QUICK, partial(self._batch, media, body, request.scope["query_string"]))
        if len(wanted.fens) > most:
            raise _too_many(most)
        if wanted.moves:
            service.charge(request, len(wanted.fens) / _WITH_MOVES_PER_REQUEST)
        service.metrics.positions.inc(len(wanted.fens))
        size = _WITH_MOVES if wanted.moves else _AT_ONCE
        pieces = [wanted.fens[at : at + size] for at in range(0, len(wanted.fens), size)]

        def answer(fens: list[str]) -> bytes:
            with service.served.tablebase(wanted.rules) as there:
                return many.lines(fens, wanted.record, wanted.rules, there, with_moves=wanted.moves)

        first = await service.do(request, QUICK, partial(answer, pieces[0])) if pieces else b""

        async def stream() -> AsyncIterator[bytes]:
            yield first
            for fens in pieces[1:]:
                yield await service.work.do(QUICK, partial(answer, fens), client_of(request.scope))

        return StreamingResponse(stream(), media_type=NDJSON, headers={"cache-control": "no-store"})

    def _batch(self, media: str, body: bytes, query: bytes) -> "_Batch":
        """One FEN a line, with all else in the query; or an object, which outranks the query."""
        params = params_of(query)
        check_names(params, "record", "rules", "moves")
        moves, rules = switch(params, "moves"), rules_of(params, self._service.settings.rules)
        if media != JSON:
            fens = [line.strip() for line in decoded(body).split("\n") if line.strip()]
            return _Batch(fens, params.get("record"), rules, moves)
        given = from_json(body)
        if not isinstance(given, dict) or not isinstance(given.get("fens"), list):
            raise BadInput('a batch is an object with a list of FENs: {"fens": [...]}')
        check_names(given, *_BATCH)
        if not all(isinstance(fen, str) for fen in given["fens"]):
            raise BadInput("fens are texts")
        if not isinstance(given.get("moves", False), bool):
            raise BadInput("moves is true or false")
        if not all(isinstance(given.get(name, ""), str) for name in ("record", "rules")):
            raise BadInput("record and rules are texts")
        record = given.get("record", params.get("record"))
        return _Batch(given["fens"], record, rules_of(given, rules), given.get("moves", moves))

    # Tables

    async def stats(self, request: Request) -> Response:
        return await self._study(request, "stats")

    async def records(self, request: Request) -> Response:
        return await self._study(request, "records")

    def _materials(self, request: Request) -> Job:
        params = params_of(request.scope["query_string"])
        check_names(params, "rules")
        only = rules_of(params, self._service.settings.rules) if "rules" in params else None
        tables = [one for one in self._service.served.state.tables.values() if only in (None, one.rules)]
        return Job(lambda: {"materials": list(map(shelved, tables))})

    def _material(self, request: Request) -> Job:
        one = self._named(request)
        there = self._service.served.state.tables
        needs = [other for other in with_dependencies([one.material]) if other != one.material]
        missing = [other.name for other in needs if (other, one.rules) not in there]
        return Job(lambda: shelved(one) | {"needs": [other.name for other in needs], "missing": missing}, kind=None)

    async def _study(self, request: Request, part: str) -> Response:
        state = self._service.served.state
        found = await self._service.study(request, self._named(request))
        return await self._service.answered(request, lambda _: Job(lambda: found[part], kind=None), state)

    def _named(self, request: Request) -> Shelved:
        params = params_of(request.scope["query_string"])
        check_names(params, "rules")
        rules = rules_of(params, self._service.settings.rules)
        try:
            material = parse(request.path_params["material"])
        except BadInput as error:
            raise Problem(404, "no_such_material", str(error), "/v1/materials lists those that are here") from None
        found = self._service.served.state.tables.get((material, rules))
        if found is None:
            raise missing_material(material, rules)
        return found

    # The server

    async def health(self, request: Request) -> Response:
        tables = len(self._service.served.state.tables)
        found = {
            "status": "ok" if tables else "empty",
            "version": __version__,
            "tables": tables,
            "tag": self._service.served.state.tag,
            "seconds": round(time.monotonic() - self._started, 1),
        }
        return Response(encoded(found), 200 if tables else 503, media_type=JSON, headers={"cache-control": "no-store"})

    async def metrics(self, request: Request) -> Response:
        media = "text/plain; version=0.0.4"
        body = await self._service.do(request, QUICK, self._service.metrics.render)
        return Response(body, media_type=media, headers={"cache-control": "no-store"})

    async def openapi(self, request: Request) -> Response:
        return Response(self._document, media_type=JSON, headers={"cache-control": "public, max-age=3600"})


def _too_many(most: int) -> Problem:
    return Problem(413, "too_many_positions", f"more than {most:,} positions", "send them in several batches")


class _Batch(NamedTuple):
    fens: list[str]
    record: str | None
    rules: TableRules
    moves: bool


def shelved(one: Shelved) -> dict[str, Any]:
    """What there is to say of a table without opening it."""
    return {
        "material": one.material.name,
        "rules": one.rules.value,
        "men": one.material.men,
        "file": one.path.name,
        "bytes": one.size,
        "body_sha256": one.sha256,
    }


def _position(question: Question, there: Tablebase) -> str:
    return answers.position(question, there) + "\n"


def _slim(question: Question, there: Tablebase) -> bool:
    """Whether the position's table is slim: half of its answers take milliseconds."""
    with suppress(MissingTable):
        return isinstance(there.table(material_of(question.board).normal), SlimFile)
    return False
