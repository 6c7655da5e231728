"""A package over HTTP: resumed where it broke off, within bounds of time and size."""

from __future__ import annotations

import re
import time
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import unquote

import urllib3
from urllib3.exceptions import HTTPError, MaxRetryError, NewConnectionError, ReadTimeoutError
from urllib3.util import make_headers, parse_url

from lab.supply.packages import Gone, Lacks, Part

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

PIECE_BYTES = 1 << 16
ATTEMPTS = 5  # of one package at one provider, each going on where the last one ended
SLOWEST_BYTES_S = 10_000  # a provider that is slower, over a whole package, counts as one that stands still
CONNECT_S = 10.0
BUSY = (429, 500, 502, 503, 504)
ERRNO = re.compile(r"\[Errno -?\d+\] ")
HERE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)", re.ASCII)


class Web:
    """HTTP with this computer's proxies and certificates; connections are kept for the next package."""

    def __init__(
        self, patience_s: float, clock: Callable[[], float] = time.monotonic, proxies: Mapping[str, str] | None = None
    ) -> None:
        self.patience_s, self.clock = patience_s, clock
        self.proxies = {**urllib.request.getproxies(), **(proxies or {})}
        self.timeout = urllib3.Timeout(connect=min(CONNECT_S, patience_s), read=patience_s)
        # A server's Retry-After may be an hour: who is busy for longer than this has its successor asked.
        self.retries = urllib3.Retry(
            connect=1, read=0, redirect=5, status=2, other=0, status_forcelist=BUSY, backoff_factor=0.2,
            respect_retry_after_header=False, raise_on_status=False,
        )  # fmt: skip
        self.managers: dict[str | None, urllib3.PoolManager] = {}

    def manager(self, url: str) -> urllib3.PoolManager:
        """The connections by the proxy that the environment or apt names for a URL, or by none."""
        asked = parse_url(url)
        through = None if urllib.request.proxy_bypass(asked.host or "") else self.proxies.get(asked.scheme or "")
        if through not in self.managers:
            self.managers[through] = urllib3.ProxyManager(through) if through else urllib3.PoolManager()
        return self.managers[through]

    def request(self, url: str, headers: Mapping[str, str]) -> BaseHTTPResponse:
        """The answer to a request, its body not yet read."""
        bare, login = without_password(url)
        try:
            return self.manager(bare).request(
                "GET",
                bare,
                headers={**login, **headers},
                timeout=self.timeout,
                retries=self.retries,
                preload_content=False,
            )
        except HTTPError as error:
            raise Gone(reason(error, self.patience_s)) from error

    def download(self, url: str, part: Part) -> None:
        """Fetch the rest of a part, in several attempts if it breaks off."""
        deadline = self.clock() + self.patience_s + part.locked.size_bytes / SLOWEST_BYTES_S
        for _ in range(ATTEMPTS):
            had, stopped = part.length, ""
            try:
                self.attempt(url, part, deadline)
            except HTTPError as error:
                stopped = reason(error, self.patience_s)
            if part.is_complete:
                return
            if part.length == had and stopped:
                raise Gone(stopped)
        raise Lacks(f"broke off {ATTEMPTS} times, the last time after {part.length} of {part.locked.size_bytes} bytes")

    def attempt(self, url: str, part: Part, deadline: float) -> None:
        """One request for what a part lacks, and what came of it."""
        resume = {"Range": f"bytes={part.length}-"} if part.length else {}
        with closing(self.request(url, {"Accept-Encoding": "identity", **resume})) as response:
            if response.status == 416:  # what is there is of another length than theirs
                part.restart()
                return
            require_package(response, part)
            if not goes_on(response, part):
                part.restart()
                if response.status == 206:  # some other piece than we asked for
                    return
            while piece := response.read1(PIECE_BYTES, decode_content=False):
                part.add(piece)
                if self.clock() > deadline:
                    raise Gone(f"is slower than {SLOWEST_BYTES_S // 1000} kB/s")


def goes_on(response: BaseHTTPResponse, part: Part) -> bool:
    """True if an answer begins where the part ends."""
    if response.status == 200:
        return part.length == 0
    found = HERE.fullmatch(response.headers.get("Content-Range", ""))
    return found is not None and int(found[1]) == part.length and found[2] in ("*", str(part.locked.size_bytes))


def require_package(response: BaseHTTPResponse, part: Part) -> None:
    """An answer that holds the package or a piece of it, or what it is instead."""
    status, size = response.status, response.headers.get("Content-Length", "")
    if status == 401:
        raise Lacks("does not let us in (401)")
    if status in (404, 410):
        raise Lacks(f"does not have it ({status})")
    if status not in (200, 206):
        raise Lacks(f"answers {status} {response.reason or ''}".rstrip())
    if status == 200 and size not in ("", str(part.locked.size_bytes)):
        raise Lacks(f"has {size} bytes there instead of {part.locked.size_bytes}")


def without_password(url: str) -> tuple[str, dict[str, str]]:
    """A URL without its user, and the header that says who that is."""
    asked = parse_url(url)
    headers = make_headers(basic_auth=unquote(asked.auth)) if asked.auth else {}
    return asked._replace(auth=None).url, headers


def reason(error: HTTPError, patience_s: float) -> str:
    """The reason why a server gives no answer, as the end of a sentence."""
    cause = error.reason if isinstance(error, MaxRetryError) and error.reason else error
    if isinstance(cause, NewConnectionError):
        return f"cannot be reached ({ERRNO.sub('', cause.args[0].rpartition(': ')[2])})"
    if isinstance(cause, ReadTimeoutError):
        return f"says nothing for {patience_s:g} s"
    return f"fails: {str(cause).rpartition(': ')[2]}"
