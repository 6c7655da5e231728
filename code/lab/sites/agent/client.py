"""The harness' side of an agent: requests, replies and places."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lab.errors import SiteError, SiteStopped
from lab.model.trial import DIRECTORY
from lab.typed_json import JsonError, JsonTable, JsonValue, parse_as

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


Locate = Callable[[str], str]  # from a word of a step's command to the word at one end


def locator(named: Mapping[str, str]) -> Locate:
    """Replaces each name, also within a word; a longer name goes before a shorter one."""
    if not named:
        return str
    known = re.compile("|".join(rf"{re.escape(name)}(?![\w.-])" for name in named))
    return lambda word: known.sub(lambda found: named[found[0]], word)


def programs(places: Mapping[str, str]) -> dict[str, str]:
    """The places of programs under test by their names in steps; the given places are by file name."""
    return {f"{DIRECTORY}/{name}": place for name, place in places.items()}


def kept(overlay: Iterable[Path]) -> dict[str, str]:
    """The places of programs under test on this computer."""
    return programs({path.name: str(path) for path in overlay})


@dataclass(frozen=True)
class Started:
    """A program listens on its port, or has ended."""

    status: int | None  # while it runs, none


@dataclass(frozen=True)
class Left:
    """What an ended program left."""

    out: str
    err: str
    status: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class FirstLine:
    """The first line of a program's output."""

    line: str


@dataclass(frozen=True)
class Look:
    """The counters and the clock of one end."""

    counters: dict[str, int]
    clock_ns: int


@dataclass(frozen=True)
class Missing:
    """The programs that are not there."""

    missing: tuple[str, ...]


@dataclass(frozen=True)
class Folder:
    """Where a folder of programs is, and the room in it."""

    folder: str
    free_bytes: int


@dataclass(frozen=True)
class Adopted:
    """Whether a program runs on that computer."""

    runs: bool


@dataclass(frozen=True)
class DataEnd:
    """What an agent found of its end of the link."""

    device: str
    interface: str
    address: str
    gid: str = ""


HERE = Path(__file__).resolve().parent
# The start of every agent: its interpreter reads the rest of the source as the first line of its input.
BOOTSTRAP = """
import json, sys, types
for name, source in json.loads(sys.stdin.readline()):
    module = sys.modules[name] = types.ModuleType(name)
    parent, _, own = name.rpartition(".")
    module.__path__ = []
    if parent: setattr(sys.modules[parent], own, module)
    exec(compile(source, name, "exec"), module.__dict__)
sys.modules["lab.sites.agent.server"].Agent().serve()
"""
INTERPRETER = ("-I", "-S", "-c", BOOTSTRAP)
ANSWER_S = 20.0  # for requests that an agent answers at once
BEAT_S = 10.0  # between two signs of life
SILENCE_S = 45.0  # after which an agent takes the harness for dead
LAST_WORDS = 4000  # ssh's warning of a changed key is long

Made = TypeVar("Made", bound="DataclassInstance")
Explain = Callable[[str, str], SiteError]  # name and last words of an end that was lost


def lost(name: str, words: str) -> SiteError:
    """The error for an end that is gone without an order."""
    return SiteError(f"the connection ended: {last_line(words)}", where=name)


def last_line(words: str) -> str:
    """The last line of an output, short enough for a sentence."""
    return words.splitlines()[-1].strip() if words else "it said nothing"


class FarEnd:
    """One agent, reached by a command that connects its standard input and output."""

    def __init__(self, name: str, command: list[str], explain: Explain = lost) -> None:
        self.name, self.explain = name, explain
        self.lock = threading.Lock()
        self.waiting: dict[int, Future[JsonTable]] = {}
        self.number, self.stopped = 0, False
        self.error: SiteError | None = None
        self.gone = threading.Event()
        self.talk = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the end
        self.popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.talk, start_new_session=True
        )
        self._write(json.dumps(sources()))
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        threading.Thread(target=self._beat, daemon=True).start()
        try:
            self.ask("keep", silence_s=SILENCE_S)
        except SiteError:
            self.kill()
            raise

    def call(self, what: str, **request: JsonValue) -> Future[JsonTable]:
        """Send a request; wait for its answer later."""
        future: Future[JsonTable] = Future()
        with self.lock:
            if self.error is not None:
                raise self.error
            self.number += 1
            self.waiting[self.number] = future
            number = self.number
        self._write(json.dumps({"id": number, "do": what, **request}))
        return future

    def answer(self, future: Future[JsonTable], limit_s: float = ANSWER_S) -> JsonTable:
        """The answer, or an error within the limit."""
        try:
            reply = future.result(limit_s)
        except Late as error:
            raise SiteError(f"no answer within {limit_s:.0f} s", where=self.name, hint="lab doctor") from error
        if "error" in reply:
            raise SiteError(str(reply["error"]), where=self.name)
        return reply

    def ask(self, what: str, **request: JsonValue) -> JsonTable:
        """Send a request that takes no time over there, and wait for its answer."""
        return self.answer(self.call(what, **request))

    def table(self, what: str, **request: JsonValue) -> JsonTable:
        """What was found, where that is a table."""
        found = self.ask(what, **request)["found"]
        if not isinstance(found, dict):
            raise SiteError(f"the agent's answer to {what} is not a table", where=self.name)
        return found

    def read(self, kind: type[Made], reply: JsonValue) -> Made:
        """A reply as it should be; an agent of another version may answer otherwise."""
        try:
            return parse_as(kind, reply)
        except JsonError as error:
            raise SiteError(f"the agent's answer cannot be read: {error.what}", where=self.name) from error

    def close(self) -> None:
        """End the agent, and with it all that it started."""
        self.stopped = True
        self._close_input()
        try:
            self.popen.wait(ANSWER_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
        self.reader.join()

    def kill(self) -> None:
        """End it now; all who wait for it get SiteStopped."""
        self.stopped = True
        self.popen.kill()
        self.reader.join()

    def _write(self, line: str) -> None:
        assert self.popen.stdin is not None
        with suppress(OSError, ValueError), self.lock:  # the reading thread sees the end too, and knows more about it
            self.popen.stdin.write(line.encode() + b"\n")
            self.popen.stdin.flush()

    def _read(self) -> None:
        assert self.popen.stdout is not None
        with self.popen.stdout, self.talk:
            for line in self.popen.stdout:
                reply = json.loads(line)
                with self.lock:
                    future = self.waiting.pop(reply.pop("id"))
                future.set_result(reply)
            self._fail()

    def _beat(self) -> None:
        while not self.gone.wait(BEAT_S):
            self._write("")

    def _fail(self) -> None:
        """Tell all who wait that the agent is gone."""
        self.popen.wait()
        error = SiteStopped("the site was told to stop") if self.stopped else self.explain(self.name, self._words())
        with self.lock:
            self.error, waiting = error, list(self.waiting.values())
            self.waiting.clear()
        for future in waiting:
            future.set_exception(error)
        self.gone.set()
        self._close_input()

    def _words(self) -> str:
        self.talk.seek(0)
        return self.talk.read().decode(errors="replace").strip()[-LAST_WORDS:]

    def _close_input(self) -> None:
        assert self.popen.stdin is not None
        with suppress(OSError):
            self.popen.stdin.close()


def sources() -> list[tuple[str, str]]:
    """The modules that an agent is made of, in the order of their imports."""
    parts = ("computer", "server")
    return [
        ("lab", ""),
        ("lab.sites", ""),
        ("lab.sites.agent", ""),
        *((f"lab.sites.agent.{name}", (HERE / f"{name}.py").read_text()) for name in parts),
    ]


def here() -> list[str]:
    """This computer's own interpreter for an agent."""
    return [sys.executable, *INTERPRETER]
