"""The store of packages, by digest: a missing package is fetched from the first provider that has it."""

import fcntl
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from lab.errors import SiteError, Tell
from lab.files.storage import storage
from lab.files.store import exclusive, sha256
from lab.supply.lock import Locked

HINT = "docs/exact-site.md, Packages: an archive of old versions, or a folder"
QUIET_S = 2.0
LINE_EVERY_S = 10.0
MB = 1_000_000


class SupplyError(SiteError):
    """A package that no provider has."""


class NotProvided(Exception):
    """A provider does not have this package; it may have others."""


class ProviderDown(NotProvided):
    """A provider does not answer at all, also not for the next package."""


class PartialFile:
    """The bytes of a package so far, in a file that outlives an interrupted command."""

    def __init__(self, file: Path, locked: Locked, progress: "FetchProgress") -> None:
        self.file, self.locked, self.progress = file, locked, progress
        self.length = min(file.stat().st_size, locked.size_bytes) if file.exists() else 0
        progress.add(self.length)

    @property
    def is_complete(self) -> bool:
        """Whether the number of bytes is right; the bytes may be wrong."""
        return self.length == self.locked.size_bytes

    def restart(self) -> None:
        self.progress.add(-self.length)
        self.length = 0

    def add(self, piece: bytes) -> None:
        if self.length + len(piece) > self.locked.size_bytes:
            raise NotProvided(f"sends more than the {self.locked.size_bytes} bytes of it")
        with storage(self.file), self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.seek(self.length)
            file.write(piece)
            file.truncate()
        self.length += len(piece)
        self.progress.add(len(piece))


class Provider(NamedTuple):
    name: str  # in errors: without a password
    fetch: Callable[[PartialFile, str], None]  # adds the missing bytes as of a date, or raises NotProvided


class FetchProgress:
    """Counts bytes, and reports the count, first after two seconds, then every ten."""

    def __init__(self, total: int, tell: Tell, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.tell, self.clock = total, tell, clock
        self.done = 0
        self.next = clock() + QUIET_S

    def add(self, count: int) -> None:
        self.done += count
        if self.done and self.clock() >= self.next:
            self.next = self.clock() + LINE_EVERY_S
            self.tell(f"fetched {self.done / MB:.1f} of {self.total / MB:.1f} MB")


FETCHED = set[Path]()  # by this process


class Packages:
    """A folder of packages, and the providers of missing ones."""

    def __init__(
        self,
        folder: Path,
        providers: Callable[[], Sequence[Provider]],
        tell: Tell = lambda _: None,
        keeps: Callable[[], bool] = lambda: True,
    ) -> None:
        self.folder, self.providers, self.tell, self.keeps = folder, providers, tell, keeps

    def file(self, locked: Locked) -> Path:
        return self.folder / f"{locked.sha256}.deb"

    def has(self, locked: Locked) -> bool:
        """Whether the store has a package, undamaged."""
        file = self.file(locked)
        return file.is_file() and sha256(file) == locked.sha256

    @contextmanager
    def lent(self, wanted: Sequence[Locked], date: str) -> Iterator[list[Path]]:
        """The files of packages, to be unpacked. Unless the store keeps them, those that this process fetched are
        removed as soon as nobody unpacks any."""
        with storage(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            use = (self.folder / "use").open("w")
        with use:
            fcntl.flock(use, fcntl.LOCK_SH)
            self.obtain(wanted, date)
            yield [self.file(locked) for locked in wanted]
            with suppress(BlockingIOError):
                fcntl.flock(use, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for file in [file for file in list(FETCHED) if file.parent == self.folder and not self.keeps()]:
                    file.unlink(missing_ok=True)
                    FETCHED.discard(file)

    def obtain(self, wanted: Iterable[Locked], date: str) -> None:
        """Fetch missing packages. The provider of one package is the first to be asked for the next."""
        if not (missing := [locked for locked in wanted if not self.has(locked)]):
            return
        with exclusive(self.folder / "lock"):
            progress = FetchProgress(sum(locked.size_bytes for locked in missing), self.tell)
            providers, down = list(self.providers()), dict[str, str]()
            for locked in missing:
                if not self.has(locked):  # no other process has fetched it meanwhile
                    part = PartialFile(self.folder / f"{locked.sha256}.part", locked, progress)
                    first = fetch_from_first(providers, part, date, down)
                    part.file.rename(self.file(locked))
                    FETCHED.add(self.file(locked))
                    providers.sort(key=lambda provider: provider is not first)


def fetch_from_first(providers: Sequence[Provider], part: PartialFile, date: str, down: dict[str, str]) -> Provider:
    """Fetch the package from the first provider that has it. A provider that does not answer is noted in `down`."""
    reasons = []
    for provider in providers:
        try:
            if provider.name in down:
                raise ProviderDown(down[provider.name])
            fetch_verified(provider, part, date)
            return provider
        except NotProvided as why:
            reasons.append(f"{provider.name} {why}")
            if isinstance(why, ProviderDown):
                down[provider.name] = str(why)
    why_not = "; ".join(reasons) or "lab.toml lists no provider"
    raise SupplyError(f"no package source has {part.locked.named}: {why_not}", hint=HINT)


def fetch_verified(provider: Provider, part: PartialFile, date: str) -> None:
    """Fetch the package; raise if its digest does not match the lock. Wrong bytes from an earlier provider are fetched
    again from this one."""
    for _ in range(2 if part.length else 1):
        if not part.is_complete:
            provider.fetch(part, date)
        if part.is_complete and part.file.exists() and sha256(part.file) == part.locked.sha256:
            return
        part.restart()
        part.file.unlink(missing_ok=True)
    raise NotProvided("sends other bytes than the locked ones")
