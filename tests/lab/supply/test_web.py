"""Servers that are slow, cut short, lie, stall, or send something else."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.lab.supply.fetching import CONTENT, DATE, Locking, Serve, fetched, lacking, mirror, refusal, store, whole

from lab.supply.providers import LocalFolder, Mirror
from lab.supply.web import Web


def test_a_download_that_breaks_off_goes_on_where_it_ended(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    server = serve(lambda asked: asked.send_from(CONTENT, 200_000))
    assert fetched(store(tmp_path, mirror(server.url)), locked(CONTENT)) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == [None, "bytes=200000-", "bytes=400000-"]


def test_a_server_that_knows_no_ranges_sends_all_of_it_again(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    def answer(asked: Any) -> None:
        first = len(asked.server.paths) == 1
        asked.send(CONTENT[:1000] if first else CONTENT, claimed=len(CONTENT))

    server = serve(answer)
    assert fetched(store(tmp_path, mirror(server.url)), locked(CONTENT)) == CONTENT
    assert len(server.paths) == 2


@pytest.mark.parametrize("place", [f"bytes 7-{len(CONTENT) - 1}/{len(CONTENT)}", "bytes 1000-1999/2000", "of late"])
def test_another_piece_than_the_one_asked_for_is_not_taken(
    serve: Serve, locked: Locking, tmp_path: Path, place: str
) -> None:
    def answer(asked: Any) -> None:
        if len(asked.server.paths) == 2:
            asked.send(b"?" * 1000, 206, Content_Range=place)
        else:
            asked.send_from(CONTENT, 1000 if len(asked.server.paths) == 1 else None)

    server = serve(answer)
    assert fetched(store(tmp_path, mirror(server.url)), locked(CONTENT)) == CONTENT
    assert len(server.paths) == 3


def test_a_piece_in_the_store_that_no_server_can_go_on_with_is_dropped(
    serve: Serve, locked: Locking, tmp_path: Path
) -> None:
    packages = store(tmp_path, mirror(serve(lambda asked: asked.send(b"", 416) if asked.begins else whole(asked)).url))
    wanted = locked(CONTENT)
    packages.folder.mkdir()
    packages.file(wanted).with_suffix(".part").write_bytes(b"something else")
    assert fetched(packages, wanted) == CONTENT


def test_a_page_in_place_of_a_package_is_not_read(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    portal = serve(lambda asked: asked.send(b"<html>please log in"))
    assert f"has 19 bytes there instead of {len(CONTENT)}" in refusal(
        store(tmp_path, mirror(portal.url)), locked(CONTENT)
    )
    assert len(portal.paths) == 1


def test_no_more_is_written_than_the_lock_says(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    def endless(asked: Any) -> None:
        asked.send_response(200)
        asked.send_header("Transfer-Encoding", "chunked")
        asked.end_headers()
        while not asked.server.over.is_set():
            asked.wfile.write(b"%x\r\n%b\r\n" % (len(CONTENT), CONTENT))

    packages = store(tmp_path, mirror(serve(endless).url))
    assert f"gives more than the {len(CONTENT)} bytes" in refusal(packages, locked(CONTENT))
    assert sum(file.stat().st_size for file in packages.folder.iterdir()) <= len(CONTENT)


def test_a_body_in_chunks_is_taken(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    def answer(asked: Any) -> None:
        asked.send_response(200)
        asked.send_header("Transfer-Encoding", "chunked")
        asked.end_headers()
        asked.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(CONTENT), CONTENT))

    assert fetched(store(tmp_path, mirror(serve(answer).url)), locked(CONTENT)) == CONTENT


def test_a_redirect_is_followed_and_a_circle_is_not(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    there = serve(whole)
    here = serve(lambda asked: asked.send(b"", 302, Location=f"{there.url}/elsewhere"))
    assert fetched(store(tmp_path / "1", mirror(here.url)), locked(CONTENT)) == CONTENT
    assert there.paths == ["/elsewhere"]
    circle = serve(lambda asked: asked.send(b"", 302, Location=asked.path))
    assert "too many redirects" in refusal(store(tmp_path / "2", mirror(circle.url)), locked(CONTENT))
    assert len(circle.paths) <= 6


def test_a_server_that_is_busy_for_a_moment_is_asked_again(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    server = serve(lambda asked: whole(asked) if len(server.paths) > 1 else asked.send(b"", 503, Retry_After="3600"))
    assert fetched(store(tmp_path, mirror(server.url)), locked(CONTENT)) == CONTENT


@pytest.mark.parametrize("begin", [b"", CONTENT[:1000]])
def test_a_server_that_stalls_is_given_up_and_not_asked_again(
    serve: Serve, locked: Locking, tmp_path: Path, begin: bytes
) -> None:
    def answer(asked: Any) -> None:
        if begin:
            asked.send_response(200)
            asked.send_header("Content-Length", str(len(CONTENT)))
            asked.end_headers()
            asked.wfile.write(begin)
        asked.server.over.wait(60)

    server, course = serve(answer), tmp_path / "course"
    wanted = [locked(CONTENT), locked(CONTENT[:1000])]
    course.mkdir()
    for each, content in zip(wanted, (CONTENT, CONTENT[:1000]), strict=True):
        (course / f"{each.sha256}.deb").write_bytes(content)
    store(tmp_path / "1", mirror(server.url, 0.2), LocalFolder(course)).obtain(wanted, DATE)
    asked = len(server.paths)
    assert asked <= 3
    assert "says nothing for 0.2 s" in refusal(store(tmp_path / "2", mirror(server.url, 0.2)), locked(CONTENT))


def test_a_server_that_drips_is_given_up(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    ticks = count(0, 1000)
    web = Web(30, lambda: float(next(ticks)))
    packages = store(tmp_path, Mirror(web, serve(whole).url + "/{path}"))
    assert "is slower than 10 kB/s" in refusal(packages, locked(CONTENT))


@pytest.mark.parametrize("by", ["environment", "apt"])
def test_a_proxy_is_asked_in_place_of_the_mirror(
    serve: Serve, locked: Locking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    proxy, there = serve(whole), serve(lacking)
    if by == "environment":
        monkeypatch.setenv("http_proxy", proxy.url)
    web = Web(30, proxies={"http": proxy.url} if by == "apt" else None)
    assert fetched(store(tmp_path, Mirror(web, there.url + "/{path}")), locked(CONTENT)) == CONTENT
    assert proxy.paths[0].startswith(f"{there.url}/pool/") and not there.paths
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    packages = store(tmp_path / "direct", Mirror(web, there.url + "/{path}"))
    assert "(404)" in refusal(packages, locked(CONTENT)) and len(proxy.paths) == 1
