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
    monkeypatch.setattr(sys, "argv", ["load", "--runs", "2", "--seconds", "0.1", "--connections", "3"])
    load.main()
    _, _, answers, within, cpu = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\| answers a second( \| [1-9][\d,]*){2} \|", answers)
    assert re.fullmatch(r"\| half of them within, 99 of 100 within( \| \d+\.\d ms, \d+\.\d ms){2} \|", within)
    assert re.fullmatch(r"\| CPU of the server( \| \d+ µs){2} \|", cpu)


def test_every_question_is_a_new_one() -> None:
    questions = [*islice(load._probes(3), 9)]
    assert len({*questions}) == 9
    assert len({question.partition("_")[0] for question in questions}) <= 3


def test_what_is_no_answer_ends_it() -> None:
    with serving(BUNDLED) as server, pytest.raises(SystemExit, match=r"answered 'HTTP.* 404 Not Found'"):
        load.measured(server, repeat(load._request("/nowhere")), 5.0, 1)
