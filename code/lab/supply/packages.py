"""The store of packages, by digest: what it lacks is fetched from the first provider that has it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from lab.errors import SiteError
from lab.files.storage import storage
from lab.files.store import exclusive, sha256
from lab.supply.lock import Locked

HINT = "docs/sites.md, Where packages come from: an archive of old versions, or a folder"
QUIET_S = 2.0
LINE_EVERY_S = 10.0
MB = 1_000_000


class Lacks(Exception):
    """A provider does not give this package; it may have others."""


class Gone(Lacks):
    """A provider does not answer at all, so that it need not be asked for the next package."""


class Part:
    """The bytes of a package that have come so far, in a file that outlives an interrupted command."""

    def __init__(self, file: Path, locked: Locked, progress: Fetching) -> None:
        self.file, self.locked, self.progress = file, locked, progress
        self.length = min(file.stat().st_size, locked.size_bytes) if file.exists() else 0
        progress.add(self.length)

    @property
    def is_complete(self) -> bool:
        """True if the number of bytes is right; the bytes may be wrong."""
        return self.length == self.locked.size_bytes

    def restart(self) -> None:
        """Forget what has come."""
        self.progress.add(-self.length)
        self.length = 0

    def add(self, piece: bytes) -> None:
        """Write what came next."""
        if self.length + len(piece) > self.locked.size_bytes:
            raise Lacks(f"gives more than the {self.locked.size_bytes} bytes that it has")
        with storage(self.file), self.file.open("r+b" if self.file.exists() else "wb") as file:
            file.seek(self.length)
            file.write(piece)
            file.truncate()
        self.length += len(piece)
        self.progress.add(len(piece))

    def is_right(self) -> bool:
        """True if these are the locked bytes."""
        return self.is_complete and self.file.exists() and sha256(self.file) == self.locked.sha256


class Provider(Protocol):
    """One who may have packages."""

    @property
    def name(self) -> str:
        """As an error names it: without a password."""

    def fetch(self, part: Part, date: str) -> None:
        """Add what a part lacks, or say why not by Lacks."""


class Fetching:
    """Counts bytes, and tells how many have come, first after two seconds, then every ten."""

    def __init__(self, total: int, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.tell, self.clock = total, tell, clock
        self.done = 0
        self.next = clock() + QUIET_S

    def add(self, count: int) -> None:
        """More bytes are there; fewer, where some had to be thrown away."""
        self.done += count
        if self.clock() >= self.next:
            self.next = self.clock() + LINE_EVERY_S
            self.tell(f"fetched {self.done / MB:.1f} of {self.total / MB:.1f} MB")


class SupplyError(SiteError):
    """A package that nobody gave."""


class Packages:
    """A folder of packages, and who is asked for more."""

    def __init__(
        self, folder: Path, providers: Callable[[], Sequence[Provider]], tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self.folder, self.providers, self.tell = folder, providers, tell

    def file(self, locked: Locked) -> Path:
        """The file of a package in the store."""
        return self.folder / f"{locked.sha256}.deb"

    def has(self, locked: Locked) -> bool:
        """True if the store has a package, undamaged."""
        file = self.file(locked)
        return file.is_file() and sha256(file) == locked.sha256

    def obtain(self, wanted: Iterable[Locked], date: str) -> None:
        """Bring all of them into the store. Providers are looked up only if something is missing."""
        if missing := [locked for locked in wanted if not self.has(locked)]:
            with exclusive(self.folder / "lock"):
                progress = Fetching(sum(locked.size_bytes for locked in missing), self.tell)
                self.fetch([locked for locked in missing if not self.has(locked)], date, progress)

    def fetch(self, missing: Sequence[Locked], date: str, progress: Fetching) -> None:
        """Ask for one after the other; who had the last is asked first for the next."""
        asked, gone = list(self.providers()), dict[str, str]()
        for locked in missing:
            part = Part(self.folder / f"{locked.sha256}.part", locked, progress)
            giver = first_giver(asked, part, date, gone)
            part.file.rename(self.file(locked))
            asked.sort(key=lambda each: each is not giver)


def first_giver(providers: Sequence[Provider], part: Part, date: str, gone: dict[str, str]) -> Provider:
    """The first provider that gives the package. A provider that does not answer is noted, and not asked again."""
    reasons = []
    for provider in providers:
        try:
            if provider.name in gone:
                raise Gone(gone[provider.name])
            take(provider, part, date)
            return provider
        except Lacks as why:
            reasons.append(f"{provider.name} {why}")
            if isinstance(why, Gone):
                gone[provider.name] = str(why)
    said = "; ".join(reasons) or "there is no provider"
    raise SupplyError(f"nobody gives {part.locked.named}: {said}", hint=HINT)


def take(provider: Provider, part: Part, date: str) -> None:
    """The right bytes or none. What came from elsewhere may be why they are wrong: then all of it is asked for."""
    began = part.length
    for _ in range(2 if began else 1):
        if not part.is_complete:
            provider.fetch(part, date)
        if part.is_right():
            return
        part.restart()
        part.file.unlink(missing_ok=True)
    raise Lacks("gives other bytes than the locked ones")
