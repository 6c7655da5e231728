"""The providers of packages: those of lab.toml or the environment, else the mirrors of this host's apt."""

from __future__ import annotations

import os
import re
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote, unquote

from lab.errors import SpecError, Tell
from lab.files.toml import read_toml
from lab.places import SETTINGS
from lab.supply.lock import Locked
from lab.supply.packages import NotProvided, Packages, PartialFile, Provider, ProviderDown
from lab.typed_json import Fault, Limits

if TYPE_CHECKING:  # imported where packages are fetched: most commands fetch none
    import urllib3
    from urllib3.exceptions import HTTPError
    from urllib3.response import BaseHTTPResponse

VARIABLE = "LAB_SUPPLY"  # providers separated by spaces, in place of those in lab.toml
PATIENCE_S = 30.0
APT = "apt"
WEB, FILE = ("http://", "https://"), "file://"
KINDS = "apt, http://, https://, file:// or a folder"
HINT = "docs/exact-site.md, Packages"
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
PLACEHOLDERS = ("path", "file", "sha256", "date")
APT_MIRRORS = ("apt-get", "indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages")
APT_PROXIES = ("apt-config", "dump", "--format", "%f %v%n", "Acquire::http::Proxy", "Acquire::https::Proxy")
UNKNOWN_ORIGIN = "$(ORIGIN)"  # as apt prints it if it has no lists yet
PIECE_BYTES = 1 << 16
ATTEMPTS = 5  # for one package at one provider; each continues the last one
SLOWEST_BYTES_S = 10_000  # a provider with a lower rate over a whole package is skipped
CONNECT_S = 10.0
BUSY = (429, 500, 502, 503, 504)
ERRNO = re.compile(r"\[Errno -?\d+\] ")
CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)", re.ASCII)


@dataclass(frozen=True)
class Settings:
    """Providers in the order in which they are asked, as they were typed."""

    providers: Annotated[
        tuple[Annotated[str, Limits(pattern=r"\S.{0,999}", expected="apt, a URL or a folder")], ...],
        Limits(longest=100),
    ] = (APT,)
    patience_s: Annotated[int | float, Limits(above=0, most=3600)] = PATIENCE_S  # up to an hour
    keep: bool = False  # fetched packages that were unpacked


@dataclass(frozen=True)
class CourseImage:
    """The exported VM that a course gives out; `lab image export` prints these values."""

    url: Annotated[str, Limits(pattern=r"(https?://|file://|/)\S+", expected="a URL or an absolute path")]
    sha256: Annotated[str, Limits(pattern=r"[0-9a-f]{64}", expected="a sha256 of 64 digits")]
    size_bytes: Annotated[int, Limits(least=1)]


@dataclass(frozen=True)
class LabFile:
    supply: Settings = Settings()
    image: CourseImage | None = None


def course_image() -> CourseImage | None:
    """The course's image that lab.toml names."""
    return read_toml(SETTINGS, LabFile).content.image if SETTINGS.exists() else None


@contextmanager
def fetched_image(image: CourseImage, cache: Path, tell: Tell) -> Iterator[Path]:
    """The file of a course's image: fetched like a package, and removed like one."""
    name = image.url.rpartition("/")[2]
    locked = Locked(name, image.sha256[:12], "", name, image.sha256, image.size_bytes)
    web = Web(load(SETTINGS).patience_s)
    path = Path(image.url.removeprefix(FILE))
    providers = [mirror(image.url, web) if image.url.startswith(WEB) else local_folder(path.parent)]
    store = Packages(cache / "packages", lambda: providers, tell, lambda: load(SETTINGS).keep)
    with store.lent([locked], "") as (file,):
        yield file


def load(file: Path, environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of the environment, else of lab.toml, else the defaults."""
    settings = Settings()
    if file.exists():
        toml = read_toml(file, LabFile)
        settings = toml.content.supply
        for index, typed in enumerate(settings.providers):
            if reason := _fault(typed):
                toml.refuse(Fault(reason, ("supply", "providers", index), hint=HINT))
    typed_providers = tuple(environment.get(VARIABLE, "").split())
    for reason in filter(None, map(_fault, typed_providers)):
        raise SpecError(f"{VARIABLE}: {reason}", hint=HINT)
    return replace(settings, providers=typed_providers) if typed_providers else settings


def _fault(typed: str) -> str:
    """The reason why a typed provider is invalid; empty if it is valid."""
    scheme, colon, _ = typed.partition("://")
    if colon and scheme + colon not in (*WEB, FILE):
        return f"unknown provider of packages: {typed} ({KINDS})"
    if typed.endswith(".tar"):
        return f"a tar file is not a provider of packages: {typed} (unpack the file, and name the folder)"
    unknown = sorted(set(PLACEHOLDER.findall(typed)) - set(PLACEHOLDERS)) if typed.startswith(WEB) else []
    return f"no part of a package's address is called {{{unknown[0]}}}" if unknown else ""


def opened_store(cache: Path, tell: Tell) -> Packages:
    """The checkout's store of packages; lab.toml is read only when a package is missing."""

    def providers() -> list[Provider]:
        settings = load(SETTINGS)
        web = Web(settings.patience_s)
        return [found for typed in settings.providers for found in provider(typed, web)]

    return Packages(cache / "packages", providers, tell, lambda: load(SETTINGS).keep)


def provider(typed: str, web: Web) -> Iterator[Provider]:
    """The providers that a typed provider stands for; a folder is relative to the checkout."""
    if typed == APT:
        yield from _of_apt(web)
    elif typed.startswith(WEB):
        yield mirror(typed if PLACEHOLDER.search(typed) else f"{typed.rstrip('/')}/{{path}}", web)
    else:
        yield local_folder(SETTINGS.parent / Path(typed.removeprefix(FILE)).expanduser())


def _of_apt(web: Web) -> Iterator[Provider]:
    web = Web(web.patience_s, proxies=apt_proxies(_printed(APT_PROXIES)))
    mirrors = apt_mirrors(_printed(APT_MIRRORS))
    for url in mirrors:
        usable = url.startswith((*WEB, FILE))
        yield from provider(url, web) if usable else [no_apt(f"takes packages from {url}, which only apt can", url)]
    if not mirrors:
        yield no_apt("this computer has no apt with a mirror of Debian")


def _printed(command: tuple[str, ...]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError):
        return ""


def apt_mirrors(printed: str) -> list[str]:
    """The mirrors of Debian among apt's sources, each once."""
    rows = [line.split() for line in printed.splitlines()]
    return list(dict.fromkeys(row[1] for row in rows if len(row) == 2 and row[0] in ("Debian", UNKNOWN_ORIGIN)))


def apt_proxies(printed: str) -> dict[str, str]:
    """The proxies of apt's configuration, by scheme."""
    rows = [line.split() for line in printed.splitlines()]
    return {row[0].split("::")[1]: row[1] for row in rows if len(row) == 2 and row[1] != "DIRECT"}


def no_apt(reason: str, name: str = APT) -> Provider:
    """In place of mirrors, if apt has none that can be used."""

    def fetch(_: PartialFile, __: str) -> None:
        raise ProviderDown(reason)

    return Provider(name, fetch)


def local_folder(folder: Path) -> Provider:
    """A folder of packages: a course's, a copy of a store, a mirror's tree. A package has one of its names there: in a
    store, from apt, in a mirror."""

    def fetch(part: PartialFile, _: str) -> None:
        locked = part.locked
        files = (folder / name for name in (f"{locked.sha256}.deb", locked.file, locked.path))
        try:
            file = next((file for file in files if file.is_file()), None)
            if file is None:
                raise NotProvided("does not have it") if folder.is_dir() else ProviderDown("is not there")
            with file.open("rb") as source:
                source.seek(part.length)
                while piece := source.read(PIECE_BYTES):
                    part.add(piece)
        except OSError as error:
            raise NotProvided(f"cannot be read ({error.strerror})") from error
        if not part.is_complete:
            raise NotProvided(f"has {part.length} bytes there instead of {locked.size_bytes}")

    return Provider(str(folder), fetch)


def mirror(template: str, web: Web) -> Provider:
    """A mirror, or an archive of old versions by date or digest: a URL with placeholders."""

    def fetch(part: PartialFile, date: str) -> None:
        locked = part.locked
        values = {"path": locked.path, "file": locked.file, "sha256": locked.sha256, "date": date}
        web.download(PLACEHOLDER.sub(lambda match: quote(values[match[1]], safe="/~+:%"), template), part)

    before, brace, after = template.partition("{")
    return Provider(_without_password(before)[0] + brace + after, fetch)


class Web:
    """HTTP with this host's proxies and certificates; connections are reused for the next package."""

    def __init__(
        self, patience_s: float, clock: Callable[[], float] = time.monotonic, proxies: Mapping[str, str] | None = None
    ) -> None:
        import urllib3

        self.patience_s, self.clock = patience_s, clock
        self.proxies = {**urllib.request.getproxies(), **(proxies or {})}
        self.timeout = urllib3.Timeout(connect=min(CONNECT_S, patience_s), read=patience_s)
        # A server's Retry-After may be an hour: if a server is busy for longer than this, the next provider is asked.
        self.retries = urllib3.Retry(
            connect=1, read=0, redirect=5, status=2, other=0, status_forcelist=BUSY, backoff_factor=0.2,
            respect_retry_after_header=False, raise_on_status=False,
        )  # fmt: skip
        self.managers: dict[str | None, urllib3.PoolManager] = {}

    def download(self, url: str, part: PartialFile) -> None:
        """Fetch the missing bytes, in several attempts if the connection breaks."""
        from urllib3.exceptions import HTTPError

        deadline = self.clock() + self.patience_s + part.locked.size_bytes / SLOWEST_BYTES_S
        for _ in range(ATTEMPTS):
            had_bytes, fault = part.length, ""
            try:
                self._attempt(url, part, deadline)
            except HTTPError as error:
                fault = self._reason(error)
            if part.is_complete:
                return
            if part.length == had_bytes and fault:
                raise ProviderDown(fault)
        what = f"broke off {ATTEMPTS} times, the last time after {part.length} of {part.locked.size_bytes} bytes"
        raise NotProvided(what)

    def _attempt(self, url: str, part: PartialFile, deadline: float) -> None:
        resume = {"Range": f"bytes={part.length}-"} if part.length else {}
        with closing(self._request(url, {"Accept-Encoding": "identity", **resume})) as response:
            if response.status == 416:  # the part has another length than the server's file
                part.restart()
                return
            _require_package(response, part)
            if not _continues(response, part):
                part.restart()
                if response.status == 206:  # another piece than the requested one
                    return
            while piece := response.read1(PIECE_BYTES, decode_content=False):
                part.add(piece)
                if self.clock() > deadline:
                    raise ProviderDown(f"is slower than {SLOWEST_BYTES_S // 1000} kB/s")

    def _request(self, url: str, headers: Mapping[str, str]) -> BaseHTTPResponse:
        """The response, its body not yet read, by the proxy that the environment or apt names, or by none."""
        import urllib3
        from urllib3.util import parse_url

        bare, login = _without_password(url)
        parsed = parse_url(bare)
        proxy = None if urllib.request.proxy_bypass(parsed.host or "") else self.proxies.get(parsed.scheme or "")
        if proxy not in self.managers:
            self.managers[proxy] = urllib3.ProxyManager(proxy) if proxy else urllib3.PoolManager()
        return self.managers[proxy].request(
            "GET", bare, headers={**login, **headers}, timeout=self.timeout, retries=self.retries, preload_content=False
        )

    def _reason(self, error: HTTPError) -> str:
        """The reason why a server did not answer, as the end of a sentence."""
        from urllib3.exceptions import MaxRetryError, NewConnectionError, ReadTimeoutError

        cause = error.reason if isinstance(error, MaxRetryError) and error.reason else error
        if isinstance(cause, NewConnectionError):
            return f"cannot be reached ({ERRNO.sub('', cause.args[0].rpartition(': ')[2])})"
        if isinstance(cause, ReadTimeoutError):
            return f"is silent for {self.patience_s:g} s"
        return f"fails: {str(cause).rpartition(': ')[2]}"


def _continues(response: BaseHTTPResponse, part: PartialFile) -> bool:
    """Whether a response begins where the part ends."""
    if response.status == 200:
        return part.length == 0
    found = CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    return found is not None and int(found[1]) == part.length and found[2] in ("*", str(part.locked.size_bytes))


def _require_package(response: BaseHTTPResponse, part: PartialFile) -> None:
    """Raise unless a response contains the package or a piece of it."""
    status, size = response.status, response.headers.get("Content-Length", "")
    if status == 401:
        raise NotProvided("requires a password (401)")
    if status in (404, 410):
        raise NotProvided(f"does not have it ({status})")
    if status not in (200, 206):
        raise NotProvided(f"answers {status} {response.reason or ''}".rstrip())
    if status == 200 and size not in ("", str(part.locked.size_bytes)):
        raise NotProvided(f"has {size} bytes there instead of {part.locked.size_bytes}")


def _without_password(url: str) -> tuple[str, dict[str, str]]:
    """A URL without its user, and the header with user and password."""
    from urllib3.util import make_headers, parse_url

    parsed = parse_url(url)
    headers = make_headers(basic_auth=unquote(parsed.auth)) if parsed.auth else {}
    return parsed._replace(auth=None).url, headers
