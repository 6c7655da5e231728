"""What tests of fetching have in common: a package's bytes, a store, and answers of a server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.supply import providers
from lab.supply.packages import Packages, Provider, SupplyError
from lab.supply.web import Web

CONTENT = bytes(range(256)) * 2000
DATE = "20261121T000000Z"
Locking = Callable[..., Any]
Serve = Callable[[Callable[[Any], None]], Any]


def store(folder: Path, *providers: Provider) -> Packages:
    return Packages(folder / "packages", lambda: providers)


def mirror(url: str, patience_s: float = 30) -> Provider:
    return providers.mirror(url, Web(patience_s))


def fetched(packages: Packages, wanted: Any) -> bytes:
    packages.obtain([wanted], DATE)
    return packages.file(wanted).read_bytes()


def refusal(packages: Packages, wanted: Any) -> str:
    with pytest.raises(SupplyError) as raised:
        packages.obtain([wanted], DATE)
    assert not packages.file(wanted).exists()
    return str(raised.value)


def whole(asked: Any) -> None:
    asked.send_from(CONTENT)


def lacking(asked: Any) -> None:
    asked.send(b"no such file", 404)
