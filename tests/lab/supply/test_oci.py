"""Blobs of an OCI registry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.supply import settings
from lab.supply.packages import Packages, SupplyError
from lab.supply.web import Web

CONTENT = b"package" * 1000
Serve = Callable[[Callable[[Any], None]], Any]


def registry(server: Any, folder: Path) -> Packages:
    typed = server.url.replace("http://", "oci+http://") + "/course/machine"
    return Packages(folder, lambda: list(settings.provider(typed, Web(30))))


def test_a_blob_is_asked_for_by_its_digest(serve: Serve, locked: Callable[[bytes], Any], tmp_path: Path) -> None:
    server, wanted = serve(lambda asked: asked.send(CONTENT)), locked(CONTENT)
    registry(server, tmp_path).obtain([wanted], "")
    assert server.paths == [f"/v2/course/machine/blobs/sha256:{wanted.sha256}"]


def test_a_registry_that_wants_a_token_gets_the_one_it_gives(
    serve: Serve, locked: Callable[[bytes], Any], tmp_path: Path
) -> None:
    def answer(asked: Any) -> None:
        realm = f'Bearer realm="{asked.server.url}/token",service="here",scope="repository:course/machine:pull"'
        if asked.path.startswith("/token"):
            asked.send(b'{"token": "abc"}')
        elif asked.headers.get("Authorization") == "Bearer abc":
            asked.send(CONTENT)
        else:
            asked.send(b"", 401, WWW_Authenticate=realm)

    server = serve(answer)
    registry(server, tmp_path).obtain([locked(CONTENT)], "")
    assert server.paths[1] == "/token?service=here&scope=repository%3Acourse%2Fmachine%3Apull"


def test_a_token_is_not_sent_on_to_where_the_blob_lies(
    serve: Serve, locked: Callable[[bytes], Any], tmp_path: Path
) -> None:
    there = serve(lambda asked: asked.send(CONTENT))

    def answer(asked: Any) -> None:
        if asked.path == "/token?":
            asked.send(b'{"access_token": "abc"}')
        elif "Authorization" in asked.headers:
            asked.send(b"", 307, Location=f"{there.url}/blob")
        else:
            asked.send(b"", 401, WWW_Authenticate=f'Bearer realm="{asked.server.url}/token"')

    registry(serve(answer), tmp_path).obtain([locked(CONTENT)], "")
    assert there.paths == ["/blob"]
    assert "Authorization" not in there.requests[0][1]


@pytest.mark.parametrize("challenge", ["Basic realm=x", 'Bearer realm="ftp://x"', "", 'Bearer realm="{url}/no"'])
def test_a_registry_that_lets_nobody_in_is_named(
    serve: Serve, locked: Callable[[bytes], Any], tmp_path: Path, challenge: str
) -> None:
    def answer(asked: Any) -> None:
        asked.send(b"", 401, WWW_Authenticate=challenge.format(url=asked.server.url))

    with pytest.raises(SupplyError, match=r"127.0.0.1:\d+/course/machine (does not let us in|gives no token) \(401\)"):
        registry(serve(answer), tmp_path).obtain([locked(CONTENT)], "")
