"""`scripts/load` measures a server, or says what came instead of an answer."""

import re
import sys
from itertools import islice, repeat

import load
import pytest

from tbgen.store import BUNDLED
from tests.support.serving import serving


def test_figures_are_those_of_the_page(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(load, "_POSITIONS", 10)
    monkeypatch.setattr(load, "_BATCH", 20)
    monkeypatch.setattr(sys, "argv", ["load", "--runs", "2", "--seconds", "0.1", "--connections", "3"])
    load.main()
    _, _, answers, within, cpu, positions = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\| answers a second( \| [1-9][\d,]*){3} \|", answers)
    assert re.fullmatch(r"\| half of them within, 99 of 100 within( \| \d+\.\d ms, \d+\.\d ms){3} \|", within)
    assert re.fullmatch(r"\| CPU of the server( \| [\d,]+ µs){3} \|", cpu)
    assert re.fullmatch(r"\| positions a second \| ( \| [1-9][\d,]*){2} \|", positions)


def test_every_question_is_a_new_one() -> None:
    questions = [*islice(load._probes(load._fens(3)), 9)]
    assert len({*questions}) == 9
    assert len({question.partition("_")[0] for question in questions}) <= 3


def test_a_batch_is_read_to_its_end() -> None:
    seen: list[bytes] = []

    class Client(load._Client):
        def read(self) -> float | None:
            took = super().read()
            if took is not None:
                seen.append(bytes(self._answer))
            return took

    with serving(BUNDLED, "--per-client", "0") as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "_Client", Client)
        load.measured(server, load._batches(load._fens(100)), 0.1, 2)
    assert seen
    assert all(answer.count(b'"gscore"') == load._BATCH for answer in seen)


def test_what_is_no_answer_ends_it() -> None:
    with serving(BUNDLED) as server, pytest.raises(SystemExit, match=r"answered 'HTTP.* 404 Not Found'"):
        load.measured(server, repeat(load._request("/nowhere")), 5.0, 1)
