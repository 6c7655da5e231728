"""A server on this computer that behaves as a test tells it to, and packages to ask it for."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lab.supply.lock import Locked

Answer = Callable[["Asked"], None]


class Asked(BaseHTTPRequestHandler):
    """One request; what a test's answer does with it."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.requests.append((self.path, dict(self.headers)))
        self.server.answer(self)

    def log_message(self, *_: object) -> None:
        """Nothing: a test reads the requests."""

    @property
    def begins(self) -> int:
        """Where the piece begins that is asked for."""
        return int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))

    def send(self, body: bytes, status: int = 200, claimed: int | None = None, **headers: str) -> None:
        """A whole answer, or one that claims to be longer and ends its connection."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if claimed is None else claimed))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.close_connection = claimed is not None

    def send_from(self, content: bytes, count: int | None = None) -> None:
        """What was asked for of a content, or only so many bytes of it."""
        rest = content[self.begins :]
        status = 206 if self.begins else 200
        place = {"Content_Range": f"bytes {self.begins}-{len(content) - 1}/{len(content)}"} if self.begins else {}
        self.send(rest[:count], status, len(rest) if count is not None else None, **place)


class Server(ThreadingHTTPServer):
    """Answers as it was told, and remembers what it was asked."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.answer = answer
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.over = threading.Event()  # a server that stalls does so until its test is over
        self.url = f"http://127.0.0.1:{self.server_port}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no news."""


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the computer that runs the tests."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Server]]:
    """Starts servers; all end with the test."""
    servers: list[Server] = []

    def start(answer: Answer) -> Server:
        servers.append(Server(answer))
        threading.Thread(target=servers[-1].serve_forever, args=(0.01,), daemon=True).start()
        return servers[-1]

    yield start
    for server in servers:
        server.over.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def locked() -> Callable[[bytes, str], Locked]:
    """A lock's line about some bytes."""

    def made(content: bytes, name: str = "iperf3") -> Locked:
        path = f"pool/main/i/iperf3/{name}_3.12-1+deb12u2_amd64.deb"
        return Locked(name, "3.12-1+deb12u2", "amd64", path, hashlib.sha256(content).hexdigest(), len(content))

    return made
