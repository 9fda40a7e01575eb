"""The names of uvicorn that it does not promise to keep, and on which `tbgen/web/server/protocol.py` stands."""

import asyncio
import inspect

import pytest
from uvicorn import Config
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

CALLED = (
    *("connection_made", "connection_lost", "data_received", "eof_received", "pause_writing", "resume_writing"),
    *("on_message_begin", "on_headers_complete", "on_body", "on_message_complete", "on_response_complete", "shutdown"),
)
HELD = ("client", "cycle", "flow", "headers", "loop", "parser", "pipeline", "scope", "transport", "url")
"""By a connection that has begun a request."""


@pytest.mark.parametrize("name", CALLED)
def test_a_method_that_ours_adds_to(name: str) -> None:
    assert callable(getattr(HttpToolsProtocol, name, None))


@pytest.mark.parametrize("name", HELD)
def test_an_attribute_that_ours_reads(name: str) -> None:
    async def made() -> HttpToolsProtocol:
        protocol = HttpToolsProtocol(Config(lambda *words: None, log_config=None), ServerState(), {})
        protocol.on_message_begin()
        return protocol

    assert hasattr(asyncio.run(made()), name)


def test_what_a_request_is_called_and_knows() -> None:
    words = inspect.getsource(RequestResponseCycle)
    for name in ("disconnected", "message_event", "keep_alive", "more_body", "response_started", "response_complete"):
        assert f"self.{name} = " in words, name
    assert {"read_paused", "write_paused"} <= vars(FlowControl(None)).keys()  # type: ignore[arg-type]
    assert callable(FlowControl.pause_reading)
    assert callable(FlowControl.resume_reading)
