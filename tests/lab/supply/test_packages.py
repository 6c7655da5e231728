"""The store, and providers that are slow, cut short, lie, stall, or have nothing."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lab.supply import settings
from lab.supply.folder import Folder, TarFile
from lab.supply.mirror import Mirror
from lab.supply.packages import Packages, SupplyError
from lab.supply.provider import Provider
from lab.supply.web import ATTEMPTS, Web

CONTENT = bytes(range(256)) * 2000
DATE = "20261121T000000Z"
Locking = Callable[..., Any]
Serve = Callable[[Callable[[Any], None]], Any]


def store(folder: Path, *providers: Provider) -> Packages:
    return Packages(folder / "packages", lambda: providers)


def mirror(url: str, patience_s: float = 30) -> Provider:
    return settings.mirror(url, Web(patience_s))


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


def test_a_full_store_asks_nobody(locked: Locking, tmp_path: Path) -> None:
    packages, wanted = Packages(tmp_path, lambda: pytest.fail("providers were looked up")), locked(CONTENT)
    packages.file(wanted).write_bytes(CONTENT)
    packages.obtain([wanted], DATE)


def test_what_is_damaged_in_the_store_is_fetched_again(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    packages, wanted = store(tmp_path, mirror(serve(whole).url)), locked(CONTENT)
    fetched(packages, wanted)
    packages.file(wanted).write_bytes(CONTENT[:-1] + b"?")
    assert fetched(packages, wanted) == CONTENT


def test_the_next_provider_is_asked_for_what_the_first_lacks(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    first, second = serve(lacking), serve(whole)
    assert fetched(store(tmp_path, mirror(first.url), mirror(second.url)), locked(CONTENT)) == CONTENT
    assert len(first.paths) == len(second.paths) == 1


def test_who_had_one_package_is_asked_first_for_the_next(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    first, second = serve(lacking), serve(whole)
    wanted = [locked(CONTENT), locked(CONTENT[:1000])]
    second.answer = lambda asked: asked.send(CONTENT[: 1000 if len(second.paths) == 2 else None])
    store(tmp_path, mirror(first.url), mirror(second.url)).obtain(wanted, DATE)
    assert (len(first.paths), len(second.paths)) == (1, 2)


def test_a_download_that_breaks_off_goes_on_where_it_ended(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    server = serve(lambda asked: asked.send_from(CONTENT, 200_000))
    assert fetched(store(tmp_path, mirror(server.url)), locked(CONTENT)) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == [None, "bytes=200000-", "bytes=400000-"]


def test_a_download_goes_on_in_the_next_command_at_another_mirror(
    serve: Serve, locked: Locking, tmp_path: Path
) -> None:
    cut, wanted = serve(lambda asked: asked.send_from(CONTENT, 1000)), locked(CONTENT)
    said = refusal(store(tmp_path, mirror(cut.url)), wanted)
    assert f"broke off {ATTEMPTS} times, the last time after {ATTEMPTS * 1000} of {len(CONTENT)} bytes" in said
    server = serve(whole)
    assert fetched(store(tmp_path, mirror(server.url)), wanted) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == [f"bytes={ATTEMPTS * 1000}-"]


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


def test_wrong_bytes_from_before_are_not_blamed_on_who_went_on(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    packages, wanted, server = store(tmp_path, mirror((served := serve(whole)).url)), locked(CONTENT), served
    packages.folder.mkdir()
    packages.file(wanted).with_suffix(".part").write_bytes(b"?" * 1000)
    assert fetched(packages, wanted) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == ["bytes=1000-", None]


def test_a_server_that_lies_is_named_and_the_next_one_asked(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    liar = serve(lambda asked: asked.send(b"?" * len(CONTENT)))
    assert f"{liar.url}/" + "{path} gives other bytes than the locked ones" in refusal(
        store(tmp_path, mirror(liar.url)), locked(CONTENT)
    )
    assert fetched(store(tmp_path, mirror(liar.url), mirror(serve(whole).url)), locked(CONTENT)) == CONTENT


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
    store(tmp_path / "1", mirror(server.url, 0.2), Folder(course)).obtain(wanted, DATE)
    asked = len(server.paths)
    assert asked <= 3
    assert "says nothing for 0.2 s" in refusal(store(tmp_path / "2", mirror(server.url, 0.2)), locked(CONTENT))


def test_a_server_that_drips_is_given_up(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    ticks = count(0, 1000)
    web = Web(30, lambda: float(next(ticks)))
    packages = store(tmp_path, Mirror(web, serve(whole).url + "/{path}"))
    assert "is slower than 10 kB/s" in refusal(packages, locked(CONTENT))


def test_all_who_were_asked_are_named_with_their_reasons(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    nobody = serve(whole)
    nobody.shutdown()
    nobody.server_close()
    packages = store(tmp_path, mirror(serve(lacking).url), mirror(nobody.url), Folder(tmp_path / "none"))
    said = refusal(packages, locked(CONTENT))
    assert said.startswith("nobody gives iperf3 3.12-1+deb12u2: http://127.0.0.1:")
    for reason in (
        "does not have it (404)",
        "cannot be reached (Connection refused)",
        "none is not there",
        "docs/sites.md",
    ):
        assert reason in said.replace("[Errno 111] ", "")


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


def test_a_password_is_sent_and_never_shown(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    server = serve(lacking)
    url = server.url.replace("http://", "http://ada:secret@")
    assert "secret" not in refusal(store(tmp_path, mirror(url)), locked(CONTENT))
    assert server.requests[0][1]["authorization"] == "Basic YWRhOnNlY3JldA=="


@pytest.mark.parametrize("name", ["sha256", "file", "path"])
def test_a_folder_gives_packages_under_any_of_their_names(locked: Locking, tmp_path: Path, name: str) -> None:
    wanted = locked(CONTENT)
    names = {"sha256": f"{wanted.sha256}.deb", "file": wanted.file, "path": wanted.path}
    file = tmp_path / "course" / names[name]
    file.parent.mkdir(parents=True)
    file.write_bytes(CONTENT)
    assert fetched(store(tmp_path, Folder(tmp_path / "course")), wanted) == CONTENT


def test_a_tar_file_gives_packages(locked: Locking, tmp_path: Path) -> None:
    wanted, course = locked(CONTENT), tmp_path / "course.tar"
    (tmp_path / "package").write_bytes(CONTENT)
    with tarfile.open(course, "w") as archive:
        archive.add(tmp_path / "package", f"debs/{wanted.file}")
    assert fetched(store(tmp_path, TarFile(course)), wanted) == CONTENT
    assert "course.tar does not have it" in refusal(store(tmp_path, TarFile(course)), locked(b"other", "qperf"))


@pytest.mark.parametrize("content", [b"", b"no tar" * 1000])
def test_a_course_s_file_that_is_none_is_named(locked: Locking, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "course.tar").write_bytes(content)
    assert "course.tar cannot be read" in refusal(store(tmp_path, TarFile(tmp_path / "course.tar")), locked(CONTENT))
