"""Requests made from the description of the interface: what it allows is taken, what it does not have is refused."""

import httpx
import pytest

from tests.support.runs import BISHOP
from tests.support.serving import PROBE, Server


@pytest.mark.parametrize("query", ["rules=", "rules=R", "fens=", "fens=2", "other=1"])
def test_what_the_description_does_not_have_is_refused(client: httpx.Client, query: str) -> None:
    answer = client.get(f"{PROBE.replace('probe', 'moves')}&{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "bad_input")


@pytest.mark.parametrize("more", [{"rules": None}, {"record": None}, {"moves": None}, {"rules": ""}, {"rules": 1}])
def test_the_same_in_a_batch(client: httpx.Client, more: dict[str, object]) -> None:
    assert client.post("/v1/batch", json={"fens": [], **more}).status_code == 400


def test_a_batch_outranks_its_query(client: httpx.Client) -> None:
    fens = ["8/8/8/4KBk1/8/8/8/8 b - - 7 30"]

    def records(body: dict[str, object], **query: str) -> object:
        return client.post("/v1/batch", params=query, json={"fens": fens, **body}).json()["record"]

    assert records({}, record="G2.5") == "G2.5"
    assert records({"record": "G3.0"}, record="G2.5") == "G3.0"
    assert client.post("/v1/batch?other=1", json={"fens": fens}).status_code == 400
    assert client.post("/v1/annotate?other=1", content="", headers={"content-type": "text/plain"}).status_code == 400


TEXTS = {"fen": BISHOP, "record": "G2.5", "moves": ""}
"""Of what the description has as any text, the server takes only some."""


@pytest.mark.full
@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
def test_server_and_description_agree(server: Server, mode: str) -> None:
    """Of every address, for requests that the description allows and for such as it does not."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis.errors import Unsatisfiable

    schemathesis.serializer.alias("application/x-chess-pgn", "text/plain")

    def ask(case: schemathesis.Case) -> None:
        if mode == "POSITIVE":
            case.query |= {
                name: text
                for name, text in TEXTS.items()
                if isinstance(case.query.get(name), str) and (name, case.path) != ("moves", "/v1/batch")
            }
            if isinstance(case.body, dict) and "record" in case.body:
                case.body["record"] = TEXTS["record"]
            if case.path == "/v1/annotate":
                case.body = ""
        case.call_and_validate()

    calm = settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    described = schemathesis.openapi.from_url(f"{server.url}/v1/openapi.json")
    strategies = [
        operation.ok().as_strategy(generation_mode=schemathesis.GenerationMode[mode])
        for operation in described.get_all_operations()
    ]
    assert len(strategies) > 15
    faults = []
    for strategy in strategies:
        try:  # an address without parameters has no request that is wrong
            calm(given(case=strategy)(ask))()
        except Unsatisfiable:
            assert mode == "NEGATIVE"
        except AssertionError as fault:
            faults.append(str(fault))
        except BaseExceptionGroup as group:
            faults.append(str(group.exceptions))
    assert not faults, "\n".join(faults)
