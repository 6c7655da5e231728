"""Servers with a test's behaviour, a locked package, and a store that fetches it from providers."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lab.supply import providers
from lab.supply.lock import Locked
from lab.supply.packages import Packages, Provider, SupplyError
from lab.supply.providers import Web

CONTENT = bytes(range(256)) * 2000
DATE = "20261121T000000Z"
Answer = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """One request; a test's answer decides what comes back."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.requests.append((self.path, dict(self.headers)))
        self.server.answer(self)

    def log_message(self, *_: object) -> None:
        """Print nothing: a test reads the requests."""

    @property
    def is_first(self) -> bool:
        return len(self.server.requests) == 1

    @property
    def begins(self) -> int:
        return int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))

    def send(self, body: bytes, status: int = 200, claimed: int | None = None, **headers: str) -> None:
        """Send a whole answer, or one that claims to be longer and ends its connection."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if claimed is None else claimed))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.close_connection = claimed is not None

    def send_from(self, content: bytes, count: int | None = None) -> None:
        """Send the requested piece of a content, or only so many bytes of it."""
        rest = content[self.begins :]
        status = 206 if self.begins else 200
        place = {"Content_Range": f"bytes {self.begins}-{len(content) - 1}/{len(content)}"} if self.begins else {}
        self.send(rest[:count], status, len(rest) if count is not None else None, **place)

    def send_chunks(self, *chunks: bytes) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))


def whole(request: Request) -> None:
    request.send_from(CONTENT)


def lacking(request: Request) -> None:
    request.send(b"no such file", 404)


class Server(ThreadingHTTPServer):
    """A server with a test's answer, which records the requests."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.answer = answer
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.over = threading.Event()  # a server that stalls does so until its test is over
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    @property
    def ranges(self) -> list[str | None]:
        return [headers.get("Range") for _, headers in self.requests]

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that close their connection."""

    def end(self) -> None:
        self.over.set()
        self.shutdown()
        self.server_close()


class Supply:
    """A store in a folder, and the servers of a test."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.servers = folder, list[Server]()
        self.package = locked(CONTENT)
        self.file = folder / "packages" / f"{self.package.sha256}.deb"

    def serve(self, answer: Answer) -> Server:
        self.servers.append(Server(answer))
        return self.servers[-1]

    def fetched(self, *sources: Server | Provider, wanted: Locked | None = None) -> bytes:
        """The package's bytes in the store, once it was obtained from these sources."""
        wanted = wanted or self.package
        named = [mirror(source.url) if isinstance(source, Server) else source for source in sources]
        packages = Packages(self.folder / "packages", lambda: named)
        packages.obtain([wanted], DATE)
        return packages.file(wanted).read_bytes()

    def refusal(self, *sources: Server | Provider) -> str:
        """The error if none of the sources has the package."""
        with pytest.raises(SupplyError) as raised:
            self.fetched(*sources)
        assert not self.file.exists()
        return str(raised.value)

    def put_part(self, content: bytes) -> None:
        """Leave bytes of an earlier command in the store."""
        self.file.parent.mkdir()
        self.file.with_suffix(".part").write_bytes(content)


def mirror(url: str, patience_s: float = 30) -> Provider:
    (found,) = providers.provider(url, Web(patience_s))
    return found


def locked(content: bytes, name: str = "iperf3") -> Locked:
    path = f"pool/main/i/iperf3/{name}_3.12-1+deb12u2_amd64.deb"
    return Locked(name, "3.12-1+deb12u2", "amd64", path, hashlib.sha256(content).hexdigest(), len(content))
