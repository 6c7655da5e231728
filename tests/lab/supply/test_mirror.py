"""Where a mirror or an archive has a package."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.supply.fetching import CONTENT, DATE, Locking, Serve, fetched, lacking, mirror, refusal, store, whole


def test_a_package_comes_by_its_path_below_a_mirror(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    server, wanted = serve(whole), locked(CONTENT)
    assert fetched(store(tmp_path, mirror(f"{server.url}/debian/")), wanted) == CONTENT
    assert server.paths == [f"/debian/{wanted.path}"]


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("/archive/{date}/{path}", f"/archive/{DATE}/pool/main/i/iperf3/iperf3_3.12-1+deb12u2_amd64.deb"),
        ("/by-hash/{sha256}", "/by-hash/{sha256}"),
        ("/course/{file}", "/course/iperf3_3.12-1+deb12u2_amd64.deb"),
    ],
)
def test_an_archive_is_asked_by_date_or_digest(
    serve: Serve, locked: Locking, tmp_path: Path, template: str, path: str
) -> None:
    server, wanted = serve(whole), locked(CONTENT)
    assert fetched(store(tmp_path, mirror(server.url + template)), wanted) == CONTENT
    assert server.paths == [path.replace("{sha256}", wanted.sha256)]


def test_a_password_is_sent_and_never_shown(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    server = serve(lacking)
    url = server.url.replace("http://", "http://ada:secret@")
    assert "secret" not in refusal(store(tmp_path, mirror(url)), locked(CONTENT))
    assert server.requests[0][1]["authorization"] == "Basic YWRhOnNlY3JldA=="
