"""The pages, and what their scripts ask for."""

import asyncio
import io
import os
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from tbgen.board.men import known
from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.drawing.png import can_draw, png
from tbgen.errors import BadInput, TbgenError
from tbgen.index import layout_of
from tbgen.probe import Tablebase
from tbgen.rules.fen import read_fen
from tbgen.system.text import decoded
from tbgen.web.pages import explorer, materials
from tbgen.web.pages.frame import SERVED
from tbgen.web.pages.modules import FROM_ELSEWHERE, STATIC
from tbgen.web.server.board import board
from tbgen.web.server.problem import Problem, missing_material, problem_of
from tbgen.web.server.question import check_names, fields_of, params_of, rules_of, switch
from tbgen.web.server.service import COST_OF_LINE, COST_OF_PAGE, JSON, Job, Service
from tbgen.web.server.table_registry import Shelved
from tbgen.web.server.work import QUICK, SLOW

if TYPE_CHECKING:
    from tbgen.referee.annotate.game import Told
    from tbgen.rules.pgn.split import Unit

_HTML: Final = "text/html"
_PNG: Final = "image/png"
_PGN: Final = "application/x-chess-pgn"
_PLIES: Final = 2000
"""How many of a game are told."""
_GAME: Final = 1 << 18
"""Bytes of a game."""
_GAMES: Final = 50
_MOVES: Final = 10_000
"""How many of all games together are told."""
_BYTES_PER_REQUEST: Final = 1000
_MOVES_PER_REQUEST: Final = 10
"""To read so many bytes costs as much as a request, and so does to tell so many moves."""
_SHOWN: Final = 1 << 20
"""Bytes of games that are shown."""
_PIECE: Final = 1 << 16
_Shown = TypeVar("_Shown")
_BY_CURL: Final = f'curl --data-binary @games.pgn -H "content-type: {_PGN}"'
"""Without a type, curl says that it sends a form."""
_MOVE: Final = 5
"""Characters of a move and its comma. It takes as long as a position."""
_RULES: Final = tuple(TableRules)
_UNCOUNTED: Final = "Large tables are counted when their page is opened."
_COUNTED_UNASKED: Final = 20 << 20
"""Numbers of a table that is counted for the map without being asked for: a few seconds of work each."""


class Static(StaticFiles):
    def __init__(self) -> None:
        super().__init__(directory=STATIC)

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        there = FROM_ELSEWHERE.get(path)
        return (str(there), there.stat()) if there else super().lookup_path(path)

    def file_response(self, path: object, stat_result: object, scope: Scope, status_code: int = 200) -> Response:
        found = super().file_response(path, stat_result, scope, status_code)  # type: ignore[arg-type]
        found.headers["cache-control"] = "public, max-age=300"
        return found


class Pages:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._counting: asyncio.Task[None] | None = None
        self._uncountable: set[tuple[str, str]] = set()

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.explorer),
            Route("/v1/board", self.board),
            Route(explorer.PICTURE, self.picture),
            Route("/materials", self.materials),
            Route("/materials/{material}", self.material),
            Route("/game", self.game, methods=["GET", "POST"]),
            Route("/v1/annotate", self.annotate, methods=["POST"]),
            Mount("/static", GZipMiddleware(Static())),
        ]

    async def explorer(self, request: Request) -> Response:
        return await self._service.answered(request, self._explorer)

    def _explorer(self, request: Request) -> Job:
        params = params_of(request.scope["query_string"])
        is_challenge = params.pop("challenge", None) is not None
        return self._board(params, partial(explorer.served, url=self._service.settings.url, secret=is_challenge), _HTML)

    async def board(self, request: Request) -> Response:
        return await self._service.answered(
            request, lambda asked: self._board(params_of(asked.scope["query_string"]), lambda told: told, JSON)
        )

    def _board(self, params: dict[str, str], show: Callable[[dict[str, Any]], Any], media: str) -> Job:
        check_names(params, "fen", "moves", "rules", "line")
        rules = rules_of(params, self._service.settings.rules)
        fen, moves = params.get("fen") or explorer.START, params.get("moves", "")
        with_line = switch(params, "line")

        def make(there: Tablebase) -> Any:
            return show(board(fen, rules, there, moves=moves, with_line=with_line))

        kind, cost = (SLOW, COST_OF_LINE) if with_line else (QUICK, COST_OF_PAGE)
        return Job(lambda: self._service.ask(rules, make), kind, media, cost + len(moves) / _MOVE)

    async def picture(self, request: Request) -> Response:
        return await self._service.answered(request, self._picture)

    def _picture(self, request: Request) -> Job:
        """Of a position, for those who show links."""
        params = params_of(request.scope["query_string"])
        check_names(params, "fen")
        board = read_fen(params.get("fen", explorer.START).replace("_", " "), men=known()).board
        if not can_draw(board):
            raise Problem(404, "no_picture", "there is no picture of men beyond chess")
        return Job(lambda: png(board), QUICK, _PNG, COST_OF_PAGE)

    # Materials

    async def materials(self, request: Request) -> Response:
        rules = self._rules(request)
        tables = [one for one in self._service.served.state.tables.values() if one.rules == rules and one.sha256]
        to_go = [one for one in tables if self._is_to_be_counted(one)]
        if to_go and (self._counting is None or self._counting.done()):
            self._counting = asyncio.create_task(self._count(to_go))
        studies = self._service.studies
        rows = [materials.Row(one.material, one.size, studies.get(_key(one))) for one in tables]
        listing = partial(materials.listing, rows, rules, SERVED, _RULES, _UNCOUNTED, counting=len(to_go))
        body = await self._service.do(request, QUICK, listing)
        return Response(body, media_type=_HTML, headers={"cache-control": "no-cache"})

    def _is_to_be_counted(self, one: Shelved) -> bool:
        is_left = _key(one) not in self._service.studies and _key(one) not in self._uncountable
        return is_left and layout_of(one.material).size <= _COUNTED_UNASKED

    async def _count(self, tables: list[Shelved]) -> None:
        """One after the other, the small ones first."""
        for one in sorted(tables, key=lambda one: one.size):
            try:
                await self._service.study(None, one)
            except Problem as error:
                if error.code != "too_slow":  # else it is being counted still
                    self._uncountable.add(_key(one))  # its own page says why

    async def material(self, request: Request) -> Response:
        rules, state = self._rules(request), self._service.served.state
        try:
            material = parse(request.path_params["material"])
            found = state.tables.get((material, rules))
            if found is None:
                raise missing_material(material, rules)
            study = await self._service.study(request, found)
        except (Problem, BadInput) as error:
            is_none = isinstance(error, BadInput)
            told = Problem(404, "", str(error)) if is_none else problem_of(error)
            title = "No such material." if is_none else "Not yet."
            late = told.code == "too_slow"
            body = materials.waiting(request.path_params["material"], title, str(told), told.hint, counting=late)
            return Response(body, told.status, media_type=_HTML, headers=told.headers)
        return await self._service.answered(
            request,
            lambda _: Job(lambda: materials.one(material.name, rules, study, SERVED, _RULES), None, _HTML),
            state,
        )

    def _rules(self, request: Request) -> TableRules:
        params = params_of(request.scope["query_string"])
        check_names(params, "rules")
        return rules_of(params, self._service.settings.rules)

    # Games

    async def game(self, request: Request) -> Response:
        from tbgen.web.pages import game  # late: a server that starts needs none of it

        if request.method != "POST":
            return Response(game.games(None, "", [], None), media_type=_HTML)
        sent = await self._sent(request)
        # Whoever comes back from the board is to find the game: what may not be kept has to be sent again.
        status, headers = 200, {"cache-control": "private, no-cache"}
        told: list[tuple[Told | None, str]] = []
        refused = None
        try:
            if len(sent.pgn) > _SHOWN:
                more = f"more than {_SHOWN >> 20} MiB of games: paste fewer"
                raise Problem(413, "too_large", more, "The program takes any number: tbgen annotate")
            found = await self._each_game(request, sent, _AS_PAGE, lambda _, told, fault: (told, fault))
            told = [one for one in found if any(one)]
        except (Problem, TbgenError, MemoryError) as error:  # the page stays, with what was typed
            refused = problem_of(error)
            status, headers = refused.status, refused.headers
        text = decoded(sent.pgn[:_SHOWN])
        why = None if refused is None else (str(refused), refused.hint)
        body = await self._service.do(request, QUICK, lambda: game.games(sent.rules, text, told, why).encode())
        headers = {**headers, "content-length": str(len(body))}
        return StreamingResponse(_pieces(body), status, headers, _HTML)

    async def annotate(self, request: Request) -> Response:
        sent = await self._sent(request)
        found = await self._each_game(request, sent, _AS_PGN, lambda data, told, fault: (data, told is not None, fault))
        faults = [fault for _, is_told, fault in found if fault and not is_told]
        if faults and not any(is_told for _, is_told, _ in found):  # all of it would come back as it was, as if told
            raise Problem(400, "bad_input", f"no game that can be read; line {faults[0]}", _BY_CURL)
        headers = {"cache-control": "no-store", "content-disposition": 'attachment; filename="annotated.pgn"'}
        return Response(b"".join(data for data, _, _ in found), media_type=_PGN, headers=headers)

    async def _sent(self, request: Request) -> "_Sent":
        """What a form sent, or a program: then the PGN alone is the body."""
        body = await request.body()
        media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media == "application/x-www-form-urlencoded":
            fields = await self._service.do(request, QUICK, partial(fields_of, body))
            if "pgn" not in fields:
                raise Problem(400, "bad_input", "a form without the field pgn", _BY_CURL)
            check_names(fields, "pgn", "rules", "example")
            rules = {"rules": decoded(fields["rules"])} if fields.get("rules") else {}
            if "example" in fields:
                from tbgen.web.pages.game import EXAMPLE  # late: a server that starts needs none of it

                return _Sent(EXAMPLE, rules_of(rules, None))
            return _Sent(fields["pgn"].replace(b"\r\n", b"\n"), rules_of(rules, None))
        if media not in (_PGN, "text/plain"):
            raise Problem(415, "unsupported_media_type", f"games are {_PGN} or text/plain", _BY_CURL)
        params = params_of(request.scope["query_string"])
        check_names(params, "rules")
        return _Sent(body, rules_of(params, None))

    async def _each_game(
        self, request: Request, sent: "_Sent", needs: "_Needs", show: "Callable[[bytes, Told | None, str], _Shown]"
    ) -> list["_Shown"]:
        """Game by game: between two others have their turn, and who has left gets no further one."""
        from tbgen.referee.annotate.files import tell  # late: a server that starts needs none of it
        from tbgen.referee.annotate.game import Teller

        service = self._service
        service.charge(request, COST_OF_LINE + len(sent.pgn) / _BYTES_PER_REQUEST)
        units, moves = await service.do(request, QUICK, partial(_units, sent.pgn))
        service.charge(request, moves / _MOVES_PER_REQUEST)
        service.guard.hold(request.scope, needs.byte * len(sent.pgn) + needs.move * moves)

        def work(unit: "Unit") -> "_Shown":
            with ExitStack() as stack:
                tables = cache(lambda rules: stack.enter_context(service.served.tablebase(rules)))
                return show(*tell(unit, Teller(tables, sent.rules, service.settings.rules, chess_only=True), _PLIES))

        return [await service.do(request, SLOW, partial(work, unit)) for unit in units]


def _key(one: Shelved) -> tuple[str, str]:
    return one.path.name, one.sha256 or ""


class _Needs(NamedTuple):
    """Bytes of memory for what is told."""

    byte: int
    """Of games."""
    move: int


_AS_PGN: Final = _Needs(2, 100)
_AS_PAGE: Final = _Needs(12, 1600)
"""HTML has five bytes and more for some characters."""


class _Sent(NamedTuple):
    pgn: bytes
    rules: TableRules | None
    """None: each game has its own."""


def _units(pgn: bytes) -> tuple[list["Unit"], int]:
    """The games, and how many moves they have together."""
    from tbgen.referee.annotate.files import moves_in
    from tbgen.rules.pgn.split import units  # late: a server that starts needs none of it

    found = list(islice(units(io.BytesIO(pgn)), _GAMES + 1))
    if len(found) > _GAMES:
        raise Problem(413, "too_many_games", f"more than {_GAMES} games", "tbgen annotate takes any number")
    if any(len(unit.data) > _GAME for unit in found):
        raise Problem(413, "too_large", f"a game of more than {_GAME >> 10} KiB", "tbgen annotate takes it")
    moves = sum(map(moves_in, found))
    if moves > _MOVES:
        raise Problem(413, "too_many_moves", f"more than {_MOVES:,} moves", "tbgen annotate takes any number")
    return found, moves


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(body), _PIECE):
        yield body[at : at + _PIECE]
