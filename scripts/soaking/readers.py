"""Readers that go on while tables are replaced: threads, forks and processes."""

import json
import os
import random
import subprocess
import threading
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import chess

from soaking import builds, hooks
from soaking.case import Failed, Limits
from soaking.command import CODES
from soaking.damage import damaged
from soaking.ground import RULES, TBGEN, check_place, file_of, lay, needed_by, right, tables_of
from soaking.positions import a_board, a_record
from tbgen import open_tablebase
from tbgen.errors import CorruptTable, MissingTable, TbgenError
from tbgen.probe import Result, Tablebase

_MATERIALS: Final = ("KBvK", "KPvK")
_CHANGES: Final = ("built", "built", "copied", "damaged", "removed")
"""What becomes of a table. All of them leave the former file to whoever has it open."""
_ERRORS: Final[dict[str, type[TbgenError]]] = {"damaged": CorruptTable, "removed": MissingTable}
"""What a reader may be told of them that opens the table meanwhile."""
_MENDED: Final = ("built", "copied")
"""The last of them, after which the table is right."""
_QUESTIONS: Final = 40
_READERS: Final = (2, 3)
_BUDGETS: Final = (0, 1 << 16, 1 << 28)
"""Bytes that each cache of what was read may keep: with fewer, more is read from the file."""
_SECONDS: Final = 60
"""A reader that has been told to stop has done so by then."""


class _Question(NamedTuple):
    material: str
    board: chess.Board
    record: str | None
    answer: Result

    @property
    def fen(self) -> str:
        """Seven fields, of which the halfmove clock lets the record count."""
        board = self.board.copy(stack=False)
        board.halfmove_clock = 1
        return f"{board.fen()} {self.record or ''}".strip()


class _Readers:
    """Some readers of a directory, all of which ask the same questions again and again."""

    def __init__(
        self, place: Path, rules: str, questions: list[_Question], errors: tuple[type[TbgenError], ...]
    ) -> None:
        """`errors`: what whoever opens a table while it is being changed may be told."""
        self.place, self.rules, self.questions, self.errors = place, rules, questions, errors

    def ask(self, tablebase: Tablebase, errors: tuple[type[TbgenError], ...] = ()) -> None:
        """Ask every question once."""
        for question in self.questions:
            try:
                answer = tablebase.probe(question.board, question.record)
            except errors:
                continue
            if answer != question.answer:
                raise Failed(f"WRONG: {question.fen}: {answer} instead of {question.answer}")

    def go_round(self, opened: Tablebase) -> None:
        """Ask whoever has all tables open, which no change concerns, and whoever opens them now."""
        self.ask(opened)
        with open_tablebase(self.place, self.rules) as fresh:
            self.ask(fresh, self.errors)


class Readers:
    limits = Limits(seconds=240, memory=300 << 20, lives=200)

    def __init__(self, ground: Path) -> None:
        self._ground = ground
        self._ours = {rules: open_tablebase(tables_of(ground), rules) for rules in RULES}

    def attempt(self, draw: random.Random, place: Path) -> Counter[str]:
        rules, material = draw.choice(RULES), draw.choice(_MATERIALS)
        kind, count = draw.choice(tuple(_KINDS)), draw.choice(_READERS)
        changes = draw.choices(_CHANGES, k=draw.choice((1, 2, 4)))
        tables = place / "tables"
        tables.mkdir()
        names = lay(self._ground, tables, (*needed_by(material), material), rules)
        errors = tuple(_ERRORS[change] for change in sorted({*changes} & _ERRORS.keys()))
        readers = _Readers(tables, rules, self._questions(draw, rules, (*needed_by(material), material)), errors)
        where = f"{material} ({rules}), {count} {kind}, {', '.join(changes)}"
        did = Counter({kind: count, "tables replaced": len(changes)})
        with hooks.kept_parts(draw.choice(_BUDGETS)):
            before = _open_files(tables)
            try:
                with open_tablebase(tables, rules) as opened:
                    readers.ask(opened)
                    with _KINDS[kind](readers, opened, count):
                        for change in changes:
                            self._change(draw, tables / file_of(material, rules), material, rules, change)
                    readers.ask(opened)
                    self._change(draw, tables / file_of(material, rules), material, rules, draw.choice(_MENDED))
                    readers.ask(opened)
                with open_tablebase(tables, rules) as fresh:
                    readers.ask(fresh)
            except (Failed, TbgenError) as failure:
                raise Failed(f"{where}: {failure}") from None
            left = _open_files(tables) - before
        if left:
            raise Failed(f"{where}: {left} files are open when all is closed")
        check_place(self._ground, tables, names, where)
        return did

    def _questions(self, draw: random.Random, rules: str, materials: tuple[str, ...]) -> list[_Question]:
        """At least one of each table."""
        found = []
        for material in (*materials, *draw.choices(materials[-1:], k=_QUESTIONS)):
            board, record = a_board(draw, material), draw.choice((None, a_record(draw)))
            found.append(_Question(material, board, record, self._ours[rules].probe(board, record)))
        return found

    def _change(self, draw: random.Random, table: Path, material: str, rules: str, change: str) -> None:
        if change == "built":
            builds.finish([*_words(material, rules, table.parent), "--force"], table.parent, "while others read")
            return
        if change == "removed":
            table.unlink(missing_ok=True)
            return
        whole = right(self._ground, table.name)
        beside = table.parent.with_name("beside")
        beside.write_bytes(whole if change == "copied" else damaged(draw, whole)[1])
        beside.replace(table)


def _words(material: str, rules: str, place: Path) -> list[str]:
    return ["build", material, "--rules", rules, "-q", "--threads", "1", "--tables", str(place)]


def _open_files(place: Path) -> int:
    """How many files of a directory this process has open, removed ones included."""
    count = 0
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            count += str(link.readlink()).startswith(f"{place}/")
    return count


# --- kinds of readers: each asks until the block ends, and asks at least once ------------------------------------


@contextmanager
def _threads(readers: _Readers, opened: Tablebase, count: int) -> Iterator[None]:
    """All share the tablebase that is open, and another that opens tables as they are asked for."""
    over, troubles = threading.Event(), list[str]()
    begun = threading.Barrier(count + 1)

    def read() -> None:
        begun.wait()
        try:
            while True:
                last = over.is_set()
                readers.go_round(opened)
                readers.ask(shared, readers.errors)
                if last:
                    return
        except BaseException:
            troubles.append(traceback.format_exc())

    crew = [threading.Thread(target=read, daemon=True) for _ in range(count)]
    with open_tablebase(readers.place, readers.rules) as shared:
        for thread in crew:
            thread.start()
        begun.wait()
        try:
            yield
        finally:
            over.set()
            for thread in crew:
                thread.join(_SECONDS)
    if any(thread.is_alive() for thread in crew):
        raise Failed(f"a thread has not come to an end after {_SECONDS} s")
    if troubles:
        raise Failed(f"in a thread:\n{troubles[0]}")


@contextmanager
def _forks(readers: _Readers, opened: Tablebase, count: int) -> Iterator[None]:
    """Children of a process that has opened the tables, and goes on with them."""
    over, stop = os.pipe()
    results = []
    for _ in range(count):
        result, told = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries, which wait for work
            child = os.fork()
        if not child:
            os.close(stop)
            _answer(lambda: readers.go_round(opened), over, told)
        os.close(told)
        results.append((child, result))
    os.close(over)
    try:
        yield
        readers.ask(opened)
    finally:
        os.close(stop)
        said = [_said(child, result) for child, result in results]
    for code, trouble in said:
        if code or trouble:
            raise Failed(f"a fork {builds.told(code)}:\n{trouble}")


def _answer(work: Callable[[], None], over: int, told: int) -> None:
    """The life of a fork, which ends here: it works until nobody holds the other end of `over`, and says what went
    wrong."""
    code, trouble = 0, ""
    try:
        os.set_blocking(over, False)
        while True:
            last = _is_over(over)
            work()
            if last:
                break
    except BaseException:
        code, trouble = 1, traceback.format_exc()
    os.write(told, trouble.encode()[-4000:])
    os._exit(code)


def _is_over(handle: int) -> bool:
    try:
        return os.read(handle, 1) == b""
    except BlockingIOError:
        return False


def _said(child: int, result: int) -> tuple[int, str]:
    """The exit code of a fork, negative for a signal, and its last words."""
    with os.fdopen(result, "rb") as stream:
        words = stream.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), words.decode()


@contextmanager
def _processes(readers: _Readers, opened: Tablebase, count: int) -> Iterator[None]:
    """`tbgen probe`, which is asked before the changes and after them: of tables that it has open, and of others."""
    half = len(readers.questions) // 2
    crew = [_begin(readers) for _ in range(count)]
    try:
        told = [_first_answers(process, readers.questions[-half:]) for process in crew]
        yield
        for process, first in zip(crew, told, strict=True):
            out, err = process.communicate(_lines(readers.questions), timeout=_SECONDS)
            if process.returncode not in CODES or err:
                raise Failed(f"tbgen probe {builds.told(process.returncode)}: {err.decode(errors='backslashreplace')}")
            _compare(first, readers.questions[-half:], ())
            _compare(out.splitlines(), readers.questions, readers.errors)
    except subprocess.TimeoutExpired:
        raise Failed(f"tbgen probe has not come to an end after {_SECONDS} s") from None
    finally:
        for process in crew:
            process.kill()
            process.communicate()


def _begin(readers: _Readers) -> "subprocess.Popen[bytes]":
    words = [TBGEN, "probe", "--json", "--rules", readers.rules, "--tables", str(readers.place), "-"]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe)


def _lines(questions: list[_Question]) -> bytes:
    return "".join(f"{question.fen}\n" for question in questions).encode()


def _first_answers(process: "subprocess.Popen[bytes]", questions: list[_Question]) -> list[bytes]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_lines(questions))
    process.stdin.flush()
    return [process.stdout.readline() for _ in questions]


def _compare(lines: list[bytes], questions: list[_Question], errors: tuple[type[TbgenError], ...]) -> None:
    if len(lines) != len(questions):
        raise Failed(f"tbgen probe gives {len(lines)} answers to {len(questions)} questions")
    for line, question in zip(lines, questions, strict=True):
        told: dict[str, Any] = json.loads(line)
        if told.get("code") in {error.exit_code for error in errors}:
            continue
        if (told.get("gscore"), told.get("dtg")) != (question.answer.gscore, question.answer.dtg):
            raise Failed(f"WRONG: {question.fen}: {told} instead of {question.answer}")


_KINDS: Final = {"threads": _threads, "forks": _forks, "processes": _processes}
