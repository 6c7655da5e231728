"""The client of an agent: requests, replies, and the paths of programs at one end."""

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
from pathlib import Path
from typing import Any

from lab.errors import SiteError, SiteStopped
from lab.model.trial import DIRECTORY
from lab.typed_json import JsonValue

Locate = Callable[[str], str]  # from a word of a step's command to the word at one end
Reply = dict[str, Any]  # of an agent, which always runs this checkout's code


def locator(named: Mapping[str, str]) -> Locate:
    """Return a function that replaces each name, also within a word; a longer name goes before a shorter one."""
    if not named:
        return str
    names = re.compile("|".join(rf"{re.escape(name)}(?![\w.-])" for name in named))
    return lambda word: names.sub(lambda match: named[match[0]], word)


def programs(paths: Mapping[str, str]) -> dict[str, str]:
    """The paths of programs under test by their names in steps; the argument has them by file name."""
    return {f"{DIRECTORY}/{name}": path for name, path in paths.items()}


def kept(overlay: Iterable[Path]) -> dict[str, str]:
    """The paths of programs under test on this host, by their names in steps."""
    return programs({path.name: str(path) for path in overlay})


HERE = Path(__file__).resolve().parent
# The start of every agent: its interpreter reads the rest of the source as the first line of its input.
BOOTSTRAP = """
import json, sys, types
for name, source in json.loads(sys.stdin.readline()):
    module = sys.modules[name] = types.ModuleType(name)
    parent, _, last = name.rpartition(".")
    module.__path__ = []
    if parent: setattr(sys.modules[parent], last, module)
    exec(compile(source, name, "exec"), module.__dict__)
sys.modules["lab.sites.agent.server"].Agent().serve()
"""
INTERPRETER = ("-I", "-S", "-c", BOOTSTRAP)
ANSWER_S = 20.0  # for requests that an agent answers at once
BEAT_S = 10.0  # between two heartbeats
SILENCE_S = 45.0  # without a heartbeat, after which an agent ends
LAST_WORDS = 4000  # ssh's warning of a changed key is long

Explain = Callable[[str, str], SiteError]  # from the name of an end that was lost, and its last messages


def lost(name: str, messages: str) -> SiteError:
    return SiteError(f"the agent ended: {last_line(messages)}", where=name)


def last_line(text: str) -> str:
    """The last line of an output, short enough for a message."""
    return text.splitlines()[-1].strip() if text else "it printed nothing"


class FarEnd:
    """One agent, reached by a command that connects its standard input and output."""

    def __init__(self, name: str, command: list[str], explain: Explain = lost) -> None:
        self.name, self.explain = name, explain
        self.lock = threading.Lock()
        self.waiting: dict[int, Future[Reply]] = {}
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

    def call(self, what: str, **request: JsonValue) -> Future[Reply]:
        """Send a request, whose reply is awaited later."""
        future: Future[Reply] = Future()
        with self.lock:
            if self.error is not None:
                raise self.error
            self.number += 1
            self.waiting[self.number] = future
            number = self.number
        self._write(json.dumps({"id": number, "do": what, **request}))
        return future

    def answer(self, future: Future[Reply], limit_s: float | None = None) -> Reply:
        """Wait for the reply; raise if it is an error, or does not come within the limit, else within ANSWER_S."""
        limit_s = ANSWER_S if limit_s is None else limit_s
        try:
            reply = future.result(limit_s)
        except Late as error:
            raise SiteError(f"no answer within {limit_s:.0f} s", where=self.name, hint="lab doctor") from error
        if "error" in reply:
            raise SiteError(reply["error"], where=self.name)
        return reply

    def ask(self, what: str, **request: JsonValue) -> Reply:
        """Send a request that the agent answers at once, and wait for the reply."""
        return self.answer(self.call(what, **request))

    def close(self) -> None:
        self.stopped = True
        self._close_input()
        try:
            self.popen.wait(ANSWER_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
        self.reader.join()

    def kill(self) -> None:
        """Kill the agent; every request that waits for it raises SiteStopped."""
        self.stopped = True
        self.popen.kill()
        self.reader.join()

    def _write(self, line: str) -> None:
        assert self.popen.stdin is not None
        with suppress(OSError, ValueError), self.lock:  # the reading thread sees the end too, with its cause
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
        self.popen.wait()
        self.talk.seek(0)
        messages = self.talk.read().decode(errors="replace").strip()[-LAST_WORDS:]
        error = SiteStopped("the site was stopped") if self.stopped else self.explain(self.name, messages)
        with self.lock:
            self.error, waiting = error, list(self.waiting.values())
            self.waiting.clear()
        for future in waiting:
            future.set_exception(error)
        self.gone.set()
        self._close_input()

    def _close_input(self) -> None:
        assert self.popen.stdin is not None
        with suppress(OSError):
            self.popen.stdin.close()


def sources() -> list[tuple[str, str]]:
    """The modules of an agent, in the order of their imports."""
    packages = [(name, "") for name in ("lab", "lab.sites", "lab.sites.agent")]
    modules = [(f"lab.sites.agent.{name}", (HERE / f"{name}.py").read_text()) for name in ("computer", "server")]
    return packages + modules


def here() -> list[str]:
    """The command that starts an agent with this host's interpreter."""
    return [sys.executable, *INTERPRETER]
