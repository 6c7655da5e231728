"""Packages as blobs of an OCI registry, where a blob's name is its sha256."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from urllib.parse import urlencode

from urllib3.exceptions import HTTPError

from lab.supply.provider import Lacks, Part
from lab.supply.web import Denied, Web

LARGEST_TOKEN = 1 << 16
FIELD = re.compile(r'(\w+)="([^"]*)"', re.ASCII)


@dataclass
class Registry:
    """A registry's repository: host/course/machine."""

    web: Web
    scheme: str
    host: str
    repository: str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """As it was typed, but for the scheme."""
        return f"{self.host}/{self.repository}"

    def fetch(self, part: Part, _: str) -> None:
        """The blob, with a token where the registry wants one of everybody."""
        url = f"{self.scheme}://{self.host}/v2/{self.repository}/blobs/sha256:{part.locked.sha256}"
        try:
            self.web.download(url, part, self.headers)
        except Denied as denied:
            self.headers = {"Authorization": f"Bearer {self.token(denied.challenge)}"}
            self.web.download(url, part, self.headers)

    def token(self, challenge: str) -> str:
        """The token that a registry gives to anybody who asks where it says (distribution's token specification)."""
        asked = dict(FIELD.findall(challenge))
        realm = asked.pop("realm", "")
        if not challenge.lower().startswith("bearer ") or not realm.startswith(("http://", "https://")):
            raise Lacks("does not let us in (401)")
        with self.web.opened(f"{realm}?{urlencode(asked)}", {}) as response:
            try:
                given = json.loads(response.read(LARGEST_TOKEN))
                return str(given.get("token") or given["access_token"])
            except (HTTPError, ValueError, KeyError, AttributeError) as error:
                raise Lacks(f"gives no token ({response.status})") from error
