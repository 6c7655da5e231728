"""The store of packages, by digest: what it lacks is fetched from the first provider that has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lab.errors import SiteError
from lab.files.digests import sha256
from lab.files.store import exclusive
from lab.supply.lock import Locked
from lab.supply.progress import Fetching
from lab.supply.provider import Gone, Lacks, Part, Provider

HINT = "docs/sites.md, Where packages come from: an archive of old versions, or a folder"


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
