"""The description of the interface, as OpenAPI has it. Tests compare every answer with it."""

from typing import Any, Final

from tbgen._version import __version__
from tbgen.web.server.limits import Limits
from tbgen.web.server.question import SWITCHES

_FEN: Final = "8/8/8/4KBk1/8/8/8/8 b - - 0 1"

_TEXT: Final = {"type": "string"}
_WHOLE: Final = {"type": "integer", "minimum": 0}
_SHARE: Final = {"type": "number", "minimum": 0}
_TRUTH: Final = {"type": "boolean"}
_GSCORE: Final = {
    "type": "string",
    "pattern": r"^-?G\d{1,3}\.[05]$",
    "description": "G1.5 where White holds it, -G1.5 where Black does: the same in a position and in its moves",
}
_PLIES: Final = _WHOLE | {"description": "plies until the goal that decides is on the board; 0: the record stands"}
_RULES: Final = {"type": "string", "enum": ["r", "wg"]}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return schema | {"type": [schema["type"], "null"]}


def _object(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


_POSITION: Final = {
    "fen": _TEXT,
    "material": _TEXT,
    "gscore": _GSCORE,
    "winner": {"type": "string", "enum": ["white", "black"]},
    "dtg": _PLIES,
    "exact": _TRUTH,
    "record": _GSCORE,
    "stands": _TRUTH,
    "late": _TRUTH | {"description": "halfmove clock and dtg add up to more than 100: the 50-move rule may come first"},
    "moves": _list(_ref("Move")),
    "line": _list(_ref("Step")),
    "dropped": _GSCORE,
}
_SURE: Final = {
    "gscore": _GSCORE,
    "winner": _POSITION["winner"],
    "dtg": _PLIES,
    "white": _GSCORE | {"description": "what White is sure of, where local tables know only bounds"},
    "black": _GSCORE,
}
_TABLE: Final = {
    "material": _TEXT, "rules": _RULES, "men": _WHOLE, "file": _TEXT, "bytes": _WHOLE,
    "body_sha256": _TEXT | {"description": "of all bytes behind the head, as it says; empty for a damaged file"},
}  # fmt: skip
_LISTED: Final = _TABLE | {
    "file_sha256": _or_null(_TEXT) | {"description": "of the whole file, as sha256sum says; null until it is known"}
}
_LILA_VALUE: Final = {
    "category": {
        "type": "string",
        "enum": ["win", "maybe-win", "unknown", "cursed-win", "blessed-loss", "maybe-loss", "loss"],
    },
    **{name: {"type": ["integer", "null"]} for name in ("dtz", "precise_dtz", "dtc", "dtm", "dtw")},
    "gscore": _or_null(_GSCORE),
    "record": _or_null(_GSCORE),
    "late": {"type": ["boolean", "null"]},
    **dict.fromkeys(("checkmate", "stalemate", "variant_win", "variant_loss", "insufficient_material"), _TRUTH),
}

_MOVE_FEN: Final = _TEXT | {"description": "after the move, with the record as seventh field; with fens=true"}
_PROBLEM: Final = _object({"code": _TEXT, "message": _TEXT, "hint": _TEXT})

SCHEMAS: Final = {
    "Error": _object({"error": _PROBLEM}),
    "Position": _object(_POSITION, ("moves", "line", "dropped")),
    "Move": _object(
        {
            "uci": _TEXT,
            "san": _TEXT,
            "gscore": _or_null(_GSCORE),
            "dtg": _or_null(_PLIES),
            "reset": _TRUTH,
            "record": _or_null(_GSCORE),
            "missing": _TEXT | {"description": "the file of the table that this needs; then nothing is known of it"},
            "fen": _MOVE_FEN,
        },
        ("missing", "fen"),
    ),
    "Bounds": _object(
        {"fen": _TEXT, "material": _TEXT, **_SURE, "late": _POSITION["late"], "record": _GSCORE}
        | {"moves": _list(_ref("BoundsMove")), "dropped": _GSCORE},
        ("gscore", "winner", "dtg", "late", "moves", "dropped"),
    ),
    "BoundsMove": _object(
        {"uci": _TEXT, "san": _TEXT, "reset": _TRUTH, "record": _GSCORE, **_SURE, "fen": _MOVE_FEN},
        ("gscore", "winner", "dtg", "fen"),
    ),
    "Probe": {"oneOf": [_ref("Position"), _ref("Bounds")]},
    "Step": _object({"uci": _TEXT, "san": _TEXT, "record": _GSCORE, "fen": _TEXT}, ("fen",)),
    "Stair": _object({"record": _GSCORE, "gscore": _GSCORE, "dtg": _PLIES}),
    "Board": _object(
        {
            "fen": _TEXT | {"description": "in full, with its record"},
            "rules": _RULES,
            "check": _TRUTH,
            "men": {"type": "object", "additionalProperties": _TEXT, "description": "names of men beyond chess"},
            "steps": _list(_object({"fen": _TEXT, "uci": _or_null(_TEXT), "san": _or_null(_TEXT)}))
            | {"description": "how moves led there"},
            "answer": _ref("Probe"),
            "staircase": _list(_ref("Stair")),
            "line": _list(_ref("Step")),
            "line_error": _PROBLEM,
            "beyond": _list(_ref("Move")) | {"description": "its moves, where no table has the position"},
            "error": _PROBLEM,
            "lacks": _TEXT | {"description": "what men on a board lack to be a position"},
        },
        ("check", "men", "steps", "answer", "staircase", "line", "line_error", "beyond", "error", "lacks"),
    ),
    "Staircase": _object(
        {
            "fen": _TEXT,
            "material": _TEXT,
            "gscore": _GSCORE,
            "record": _GSCORE,
            "staircase": _list(_ref("Stair")),
        }
    ),
    "Batch": _object(
        {"fens": _list(_TEXT), "record": _TEXT, "rules": _RULES, "moves": _TRUTH}, ("record", "rules", "moves")
    ),
    "BatchLine": {
        "oneOf": [_ref("Position"), _ref("Bounds"), _object({"fen": _TEXT, "error": _PROBLEM})]
    },
    "Materials": _object({"materials": _list(_ref("Table"))}),
    "Table": _object(_TABLE),
    "Manifest": _object({"tables": _list(_object(_LISTED))}),
    "Material": _object({**_TABLE, "needs": _list(_TEXT), "missing": _list(_TEXT)}),
    "Stats": _object(
        {
            "material": _TEXT,
            "rules": _RULES,
            "positions": _WHOLE,
            "placements": _WHOLE,
            "mean_dtg": _SHARE,
            "longest_dtg": _WHOLE,
            "record_matters": _SHARE,
            "outcomes": _list(
                _object(
                    {
                        "to_move": _TEXT,
                        "gscore": _GSCORE,
                        "positions": _WHOLE,
                        "placements": _WHOLE,
                        "share": _SHARE,
                        "mean_dtg": _SHARE,
                        "longest_dtg": _WHOLE,
                        "histogram": _list(_WHOLE) | {"description": "placements by plies, from 0"},
                    }
                )
            ),
        }
    ),
    "Records": _object(
        {
            "material": _TEXT,
            "rules": _RULES,
            "records": _list(
                _object(
                    {
                        "gscore": _GSCORE,
                        "to_move": _TEXT,
                        "dtg": _WHOLE,
                        "positions": _WHOLE,
                        "fens": _list(_TEXT),
                        "line": {"type": ["array", "null"], "items": _object({"san": _TEXT, "record": _GSCORE})},
                    }
                )
            ),
        }
    ),
    "Health": _object(
        {"status": {"type": "string", "enum": ["ok", "empty"]}, "version": _TEXT, "tables": _WHOLE, "tag": _TEXT,
         "seconds": _SHARE}
    ),
    "Standard": _object({**_LILA_VALUE, "moves": _list(_ref("StandardMove"))}),
    "StandardMove": _object({"uci": _TEXT, "san": _TEXT, "zeroing": _TRUTH, **_LILA_VALUE}),
    "Mainline": _object(
        {
            "mainline": _list(_object({"uci": _TEXT, "san": _TEXT, "dtz": {"type": "integer"}})),
            "winner": {"type": ["string", "null"]},
            "dtz": {"type": "integer"},
            "precise_dtz": {"type": "integer"},
        }
    ),
}  # fmt: skip

_SWITCH: Final = {"type": "string", "enum": list(SWITCHES)}
_QUERY: Final = {
    "fen": _TEXT | {"description": "six fields, and the record as a seventh if the game has brought one along"},
    "record": _TEXT | {"description": "the record of the game so far, in any case; as in G3.5 or -G8.5"},
    "rules": _RULES | {"description": "r: captures and pawn moves reset the record; wg: nothing does"},
    "fens": _SWITCH,
    "format": {"type": "string", "enum": ["json", "pgn"]},
    "moves": _TEXT | {"description": "that lead from there to the position: UCI, with commas between"},
    "line": _SWITCH | {"description": "with best play"},
}
_POSITION_QUERY: Final = ("fen", "record", "rules")
_BOARD_QUERY: Final = ("fen", "moves", "rules", "line")
_ERRORS: Final = {
    400: "a parameter or FEN that cannot be read",
    404: "a table, material or address that is not here",
    405: "a method that this address does not have",
    408: "a request that came too slowly; without a body if its head did",
    413: "too much at once",
    415: "a body of a kind that is not read here",
    422: "a legal position that no table can hold",
    429: "too many requests from one client",
    431: "a head that is too long; without a body",
    503: "too much to do, too slow, or a damaged table",
}


def _query(names: tuple[str, ...], required: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _QUERY[name]}
        | ({"example": _FEN} if name == "fen" else {})
        for name in names
    ]


def _get(
    summary: str,
    schema: str,
    query: tuple[str, ...] = (),
    path: str = "",
    pgn: bool = False,
    required: tuple[str, ...] = ("fen",),
) -> dict[str, Any]:
    parameters = _query(query, required)
    if path:
        parameters.append({"name": path, "in": "path", "required": True, "schema": _TEXT, "example": "KBvK"})
    content: dict[str, Any] = {"application/json": {"schema": _ref(schema)}}
    if pgn:
        content["application/x-chess-pgn"] = {"schema": _TEXT}
    return {"get": {"summary": summary, "parameters": parameters, "responses": _responses(content)}}


def _responses(content: dict[str, Any]) -> dict[str, Any]:
    error = {"application/json": {"schema": _ref("Error")}}
    found: dict[str, Any] = {"200": {"description": "the answer", "content": content}}
    found["304"] = {"description": "what If-None-Match names is still right"}
    return found | {str(status): {"description": words, "content": error} for status, words in _ERRORS.items()}


def _other(summary: str, media: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"get": {"summary": summary, "responses": _responses({media: {"schema": schema}})}}


def _file() -> dict[str, Any]:
    name = {"name": "name", "in": "path", "required": True, "schema": _TEXT, "example": "KBvK.r.h5"}
    bytes_of = {"application/x-hdf5": {"schema": {"type": "string", "format": "binary"}}}
    responses = _responses(bytes_of) | {
        "206": {"description": "the bytes that Range names", "content": bytes_of},
        "416": {"description": "bytes that are not there"},
    }
    return {"get": {"summary": "a table's file, or part of it", "parameters": [name], "responses": responses}}


def document(limits: Limits) -> dict[str, Any]:
    batch = {
        "summary": f"up to {limits.positions:,} positions; one object a line, in the order of the questions",
        "parameters": [
            *_query(("record", "rules")),
            {"name": "moves", "in": "query", "required": False, "schema": _SWITCH | {"description": "with all moves"}},
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref("Batch")}, "text/plain": {"schema": _TEXT}},
        },
        "responses": _responses({"application/x-ndjson": {"schema": _ref("BatchLine")}}),
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "tbgen",
            "version": __version__,
            "summary": "R-mobility endgame tablebases",
            "description": "Every value has one point of view: a G-score is signed by the side that holds it, White's "
            "are positive, in a position and in its moves. Distances are plies. What is unknown is null.",
            "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
        },
        "paths": {
            "/v1/probe": _get("what a position is worth", "Probe", _POSITION_QUERY),
            "/v1/moves": _get("the same with all moves, best first", "Probe", (*_POSITION_QUERY, "fens")),
            "/v1/line": _get("the same with best play to the goal", "Position", (*_POSITION_QUERY, "format"), pgn=True),
            "/v1/staircase": _get("what a position is worth under every record", "Staircase", _POSITION_QUERY),
            "/v1/board": _get(
                "all that the board's page tells", "Board", ("fen", "moves", "rules", "line"), required=()
            ),
            "/v1/batch": {"post": batch},
            "/v1/annotate": {
                "post": {
                    "summary": "games with what tables know of every move; rules in the query outrank a game's tags",
                    "parameters": _query(("rules",)),
                    "requestBody": {"required": True, "content": {"application/x-chess-pgn": {"schema": _TEXT}}},
                    "responses": _responses({"application/x-chess-pgn": {"schema": _TEXT}}),
                }
            },
            "/v1/materials": _get("which tables are here", "Materials", ("rules",)),
            "/v1/materials/{material}": _get("one of them, and what it needs", "Material", ("rules",), "material"),
            "/v1/materials/{material}/stats": _get("how often each outcome is forced", "Stats", ("rules",), "material"),
            "/v1/materials/{material}/records": _get("the longest ways", "Records", ("rules",), "material"),
            "/v1/tables": _get("the files, for tbgen fetch", "Manifest"),
            "/v1/tables/{name}": _file(),
            "/v1/health": _get("whether the server is well", "Health"),
            "/v1/metrics": _other("what is counted, for Prometheus", "text/plain", _TEXT),
            "/v1/openapi.json": _other("this document", "application/json", {"type": "object"}),
            "/standard": _get("a position in the shape of lila-tablebase", "Standard", _POSITION_QUERY),
            "/standard/mainline": _get("best play in the shape of lila-tablebase", "Mainline", _POSITION_QUERY),
        },
        "components": {"schemas": SCHEMAS},
    }
