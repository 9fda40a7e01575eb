"""The pages, and what they are made of: `part=1` gives the panel alone, for the script to put in place."""

import asyncio
import io
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from tbgen.errors import BadInput
from tbgen.index import layout_of
from tbgen.material import parse
from tbgen.probe import Tablebase
from tbgen.serve.problem import Problem, missing_material, problem_of
from tbgen.serve.question import check_names, params_of, rules_of, switch
from tbgen.serve.served import Shelved
from tbgen.serve.service import COST_OF_LINE, Job, Service
from tbgen.serve.view import explorer, materials
from tbgen.serve.work import QUICK, SLOW
from tbgen.table_rules import TableRules
from tbgen.text import decoded

if TYPE_CHECKING:
    from tbgen.referee.annotate.game import Told

_STATIC: Final = Path(__file__).parent / "static"
_HTML: Final = "text/html"
_PGN: Final = "application/x-chess-pgn"
_PLIES: Final = 2000
"""Of a game that is told."""
_GAMES: Final = 50
_BY_CURL: Final = f'curl --data-binary @games.pgn -H "content-type: {_PGN}"'
"""Without a type, curl says that it sends a form."""
_COUNTED_UNASKED: Final = 20 << 20
"""Numbers of a table that is counted for the map without being asked for: a few seconds of work each."""


class Static(StaticFiles):
    def file_response(self, path: object, stat_result: object, scope: Scope, status_code: int = 200) -> Response:
        found = super().file_response(path, stat_result, scope, status_code)  # type: ignore[arg-type]
        found.headers["cache-control"] = "public, max-age=300"
        return found


class Pages:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._counting: asyncio.Task[None] | None = None

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.explorer),
            Route("/materials", self.materials),
            Route("/materials/{material}", self.material),
            Route("/game", self.game, methods=["GET", "POST"]),
            Route("/v1/annotate", self.annotate, methods=["POST"]),
            Mount("/static", Static(directory=_STATIC)),
        ]

    async def explorer(self, request: Request) -> Response:
        return await self._service.answered(request, self._explorer)

    def _explorer(self, request: Request) -> Job:
        params = params_of(request.scope["query_string"])
        check_names(params, "fen", "rules", "line", "part")
        rules = rules_of(params, self._service.settings.rules)
        fen = params.get("fen") or explorer.START
        with_line = switch(params, "line")
        write = explorer.panel if switch(params, "part") else explorer.whole

        def make(there: Tablebase) -> str:
            return write(fen, rules, there, with_line=with_line)

        kind, cost = (SLOW, COST_OF_LINE) if with_line else (QUICK, 0)
        return Job(lambda: self._service.ask(rules, make), kind, _HTML, cost)

    # Materials

    async def materials(self, request: Request) -> Response:
        rules = self._rules(request)
        tables = [one for one in self._service.served.state.tables.values() if one.rules == rules and one.sha256]
        if self._counting is None or self._counting.done():
            self._counting = asyncio.create_task(self._count(tables))
        body = materials.listing(tables, self._service.studies, rules)
        return Response(body, media_type=_HTML, headers={"cache-control": "no-cache"})

    async def _count(self, tables: list[Shelved]) -> None:
        """One after the other, the small ones first."""
        for one in sorted(tables, key=lambda one: one.size):
            if layout_of(one.material).size <= _COUNTED_UNASKED:
                try:
                    await self._service.study(None, one)
                except Problem:
                    continue  # its own page says why

    async def material(self, request: Request) -> Response:
        rules = self._rules(request)
        try:
            material = parse(request.path_params["material"])
            found = self._service.served.state.tables.get((material, rules))
            if found is None:
                raise missing_material(material, rules)
            study = await self._service.study(request, found)
        except (Problem, BadInput) as error:
            is_none = isinstance(error, BadInput)
            told = Problem(404, "", str(error)) if is_none else problem_of(error)
            title = "No such material." if is_none else "Not yet."
            body = materials.waiting(request.path_params["material"], title, str(told), told.hint)
            return Response(body, told.status, media_type=_HTML, headers=told.headers)
        return await self._service.answered(
            request, lambda _: Job(lambda: materials.one(material.name, rules, study), None, _HTML)
        )

    def _rules(self, request: Request) -> TableRules:
        params = params_of(request.scope["query_string"])
        check_names(params, "rules")
        return rules_of(params, self._service.settings.rules)

    # Games

    async def game(self, request: Request) -> Response:
        from tbgen.serve.view import game  # late: a server that starts needs none of it

        if request.method != "POST":
            return Response(game.games(None, "", []), media_type=_HTML)
        pgn, rules = await self._sent(request)
        told = await self._tell(request, pgn, rules)
        body = game.games(rules, decoded(pgn), [(one, fault) for _, one, fault in told if one or fault])
        # Whoever comes back from the board is to find the game: what may not be kept has to be sent again.
        return Response(body, media_type=_HTML, headers={"cache-control": "private, no-cache"})

    async def annotate(self, request: Request) -> Response:
        pgn, rules = await self._sent(request)
        told = await self._tell(request, pgn, rules)
        faults = [fault for _, one, fault in told if one is None and fault]
        if faults and not any(one for _, one, _ in told):  # all of it would come back as it was, as if it were told
            raise Problem(400, "bad_input", f"no game that can be read; line {faults[0]}", _BY_CURL)
        headers = {"cache-control": "no-store", "content-disposition": 'attachment; filename="annotated.pgn"'}
        return Response(b"".join(data for data, _, _ in told), media_type=_PGN, headers=headers)

    async def _sent(self, request: Request) -> tuple[bytes, TableRules | None]:
        """What a form sent, or a program: then the PGN alone is the body. No rules: each game has its own."""
        body = await request.body()
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        given: Mapping[str, str] = params_of(request.scope["query_string"])
        if media == "application/x-www-form-urlencoded":
            try:
                fields = dict(parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=4))
            except ValueError:
                raise Problem(400, "bad_input", "a form that cannot be read", _BY_CURL) from None
            if "pgn" not in fields:
                raise Problem(400, "bad_input", "a form without the field pgn", _BY_CURL)
            check_names(fields, "pgn", "rules")
            body, given = fields.get("pgn", "").replace("\r\n", "\n").encode("utf-8", "replace"), fields
        elif media not in (_PGN, "text/plain"):
            raise Problem(415, "unsupported_media_type", f"games are {_PGN} or text/plain", _BY_CURL)
        return body, rules_of(given, None)

    async def _tell(
        self, request: Request, pgn: bytes, rules: TableRules | None
    ) -> list[tuple[bytes, "Told | None", str]]:
        from tbgen.referee.annotate.files import has_more, tell  # late: a server that starts needs none of it
        from tbgen.referee.annotate.game import Teller

        service = self._service
        service.charge(request, COST_OF_LINE + len(pgn) / 1000)

        def work() -> list[tuple[bytes, "Told | None", str]]:
            if has_more(io.BytesIO(pgn), _GAMES):
                raise Problem(413, "too_many_games", f"more than {_GAMES} games", "tbgen annotate takes any number")
            with ExitStack() as stack:
                tables = cache(lambda rules: stack.enter_context(service.served.tablebase(rules)))
                return list(tell(io.BytesIO(pgn), Teller(tables, rules, service.settings.rules), _PLIES))

        found: list[tuple[bytes, Told | None, str]] = await service.work.do(SLOW, work)
        return found
