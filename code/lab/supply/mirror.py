"""A mirror, or an archive of old versions by date or by digest: a URL with places for what is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from lab.supply.lock import Locked
from lab.supply.provider import Part
from lab.supply.web import Web, without_password

PLACE = re.compile(r"\{([^{}]*)\}")
PLACES = ("path", "file", "sha256", "date")


@dataclass(frozen=True)
class Mirror:
    """Packages at a URL of their own each."""

    web: Web
    template: str

    @property
    def name(self) -> str:
        """The template, without a password."""
        before, brace, after = self.template.partition("{")
        return without_password(before)[0] + brace + after

    def url(self, locked: Locked, date: str) -> str:
        """The URL of a package."""
        values = {"path": locked.path, "file": locked.file, "sha256": locked.sha256, "date": date}
        return PLACE.sub(lambda place: quote(values[place[1]], safe="/~+:%"), self.template)

    def fetch(self, part: Part, date: str) -> None:
        """Download it."""
        self.web.download(self.url(part.locked, date), part)
