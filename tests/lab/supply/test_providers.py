"""The store; providers of settings, environment and apt; servers that are slow, incomplete, wrong or silent."""

import re
from itertools import count
from pathlib import Path

import pytest
from tests.lab.supply.fetching import CONTENT, DATE, Answer, Request, Supply, lacking, locked, mirror, whole

from lab.errors import SpecError
from lab.places import ROOT
from lab.supply import providers
from lab.supply.packages import FetchProgress, Packages
from lab.supply.providers import ATTEMPTS, Settings, Web, local_folder


def test_a_full_store_looks_up_no_providers(tmp_path: Path) -> None:
    packages, package = Packages(tmp_path, lambda: pytest.fail("providers were looked up")), locked(CONTENT)
    packages.file(package).write_bytes(CONTENT)
    packages.obtain([package], DATE)


@pytest.mark.parametrize("keeps", [False, True])
def test_fetched_packages_are_removed_when_the_last_one_is_unpacked_unless_they_are_kept(
    supply: Supply, *, keeps: bool
) -> None:
    sources, copied = [mirror(supply.serve(whole).url)], locked(CONTENT[:1000])
    packages = Packages(supply.file.parent, lambda: sources, keeps=lambda: keeps)
    supply.file.parent.mkdir()
    packages.file(copied).write_bytes(CONTENT[:1000])
    with packages.lent([copied], DATE):
        with packages.lent([supply.package, copied], DATE) as files:
            assert [file.read_bytes() for file in files] == [CONTENT, CONTENT[:1000]]
        assert supply.file.exists()
    assert supply.file.exists() is keeps and packages.file(copied).exists()


def test_a_damaged_package_in_the_store_is_fetched_again(supply: Supply) -> None:
    server = supply.serve(whole)
    supply.fetched(server)
    supply.file.write_bytes(CONTENT[:-1] + b"?")
    assert supply.fetched(server) == CONTENT


def test_the_next_provider_is_asked_for_a_missing_package_and_first_for_the_one_after(supply: Supply) -> None:
    first, second = supply.serve(lacking), supply.serve(whole)
    second.answer = lambda request: request.send(CONTENT[: 1000 if len(second.paths) == 2 else None])
    packages = Packages(supply.folder, lambda: [mirror(first.url), mirror(second.url)])
    packages.obtain([supply.package, locked(CONTENT[:1000])], DATE)
    assert packages.file(supply.package).read_bytes() == CONTENT
    assert (len(first.paths), len(second.paths)) == (1, 2)


def test_a_download_continues_in_the_next_command_at_another_mirror(supply: Supply) -> None:
    refusal = supply.refusal(supply.serve(lambda request: request.send_from(CONTENT, 1000)))
    assert f"broke off {ATTEMPTS} times, the last time after {ATTEMPTS * 1000} of {len(CONTENT)} bytes" in refusal
    server = supply.serve(whole)
    assert supply.fetched(server) == CONTENT
    assert server.ranges == [f"bytes={ATTEMPTS * 1000}-"]


def test_wrong_bytes_from_an_earlier_provider_are_fetched_again(supply: Supply) -> None:
    server = supply.serve(whole)
    supply.put_part(b"?" * 1000)
    assert supply.fetched(server) == CONTENT
    assert server.ranges == ["bytes=1000-", None]


def test_a_server_with_wrong_bytes_is_named_and_the_next_one_asked(supply: Supply) -> None:
    wrong = supply.serve(lambda request: request.send(b"?" * len(CONTENT)))
    assert f"{wrong.url}/" + "{path} sends other bytes than the locked ones" in supply.refusal(wrong)
    assert supply.fetched(wrong, supply.serve(whole)) == CONTENT


def test_an_error_names_all_providers_with_their_reasons(supply: Supply) -> None:
    gone = supply.serve(whole)
    gone.end()
    refusal = supply.refusal(supply.serve(lacking), gone, local_folder(supply.folder / "none"))
    assert refusal.startswith("no package source has iperf3 3.12-1+deb12u2: http://127.0.0.1:")
    reasons = (
        "does not have it (404)",
        "cannot be reached (Connection refused)",
        "none is not there",
        "docs/exact-site.md",
    )
    assert all(reason in refusal for reason in reasons)


def test_progress_is_reported_after_two_seconds_and_then_every_ten() -> None:
    times = iter([0, 1.9, 2.0, 2.0, 11.9, 12.0, 12.0])
    lines: list[str] = []
    progress = FetchProgress(40_000_000, lines.append, lambda: float(next(times)))
    for _ in range(4):
        progress.add(5_000_000)
    assert lines == ["fetched 10.0 of 40.0 MB", "fetched 20.0 of 40.0 MB"]


# A host that has packages of Debian, of Ubuntu or of Python.
MIRROR = re.compile(
    rb"\b(?:(?:deb|ftp|mirror|archive|snapshot|security)[\w.-]*[.](?:debian|ubuntu)|pypi)[.](?:org|com|net)\b"
)
NO_LISTS = "$(ORIGIN) http://mirror.example/debian/\n"
TWO_SUITES = "Debian http://a.example/debian/\nDebian http://a.example/debian/\nOther http://b.example/\n"


def test_the_environment_comes_before_lab_toml_and_both_before_apt(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    assert providers.load(file, {}) == Settings(("apt",), 30)
    file.write_text('[supply]\nproviders = ["/srv/course"]\npatience_s = 5\n')
    assert providers.load(file, {}) == Settings(("/srv/course",), 5)
    assert providers.load(file, {"LAB_SUPPLY": "apt /media/stick"}) == Settings(("apt", "/media/stick"), 5)


@pytest.mark.parametrize(
    "wrong",
    [
        'provider = ["apt"]',
        "providers = [1]",
        "patience_s = 0",
        'providers = ["ftp://m.example/debian"]',
        'providers = ["oci://r.example/debs"]',
        'providers = ["http://a.example/{version}"]',
        'providers = ["course.tar"]',
    ],
)
def test_a_wrong_setting_is_refused_with_its_line(tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(f"[supply]\n{wrong}\n")
    with pytest.raises(SpecError, match=r"lab.toml:2: "):
        providers.load(file, {})


def test_a_wrong_provider_in_the_environment_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"LAB_SUPPLY: unknown provider of packages: ftp://x"):
        providers.load(tmp_path / "none.toml", {"LAB_SUPPLY": "apt ftp://x"})


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("http://m.example/debian/", "http://m.example/debian/{path}"),
        ("https://a.example/{date}/{path}", "https://a.example/{date}/{path}"),
        ("file:///srv/debian", "/srv/debian"),
        ("packages", str(ROOT / "packages")),
    ],
)
def test_a_typed_provider_is_a_mirror_or_a_folder(typed: str, name: str) -> None:
    assert mirror(typed).name == name


@pytest.mark.parametrize(
    ("printed", "found"),
    [("", []), (TWO_SUITES, ["http://a.example/debian/"]), (NO_LISTS, ["http://mirror.example/debian/"])],
)
def test_mirrors_are_those_of_debian_among_apts_sources(printed: str, found: list[str]) -> None:
    assert providers.apt_mirrors(printed) == found


def test_proxies_are_those_of_apt_by_scheme() -> None:
    printed = "Acquire::http::Proxy http://cache.example:3142\nAcquire::https::Proxy DIRECT\n"
    assert providers.apt_proxies(printed) == {"http": "http://cache.example:3142"}
    assert providers.apt_proxies("Acquire::http::Proxy \n") == {}


def test_a_host_without_apt_has_no_mirror(monkeypatch: pytest.MonkeyPatch, supply: Supply) -> None:
    monkeypatch.setenv("PATH", str(supply.folder))
    assert "apt this computer has no apt with a mirror of Debian" in supply.refusal(mirror("apt"))


def test_no_mirror_is_named_in_the_repository_but_the_archive_of_old_versions_in_the_docs() -> None:
    """A mirror's address comes from the user's apt or settings."""
    folders = ("code", "docs", "tests", "experiments", "templates")
    files = [file for name in folders for file in (ROOT / name).rglob("*")]
    texts = [file for file in (*files, *ROOT.glob("[A-Z]*")) if file.is_file() and "__pycache__" not in file.parts]
    named = {(file.relative_to(ROOT).parts[0], host) for file in texts for host in MIRROR.findall(file.read_bytes())}
    assert {(place, host.partition(b".")[0]) for place, host in named} == {("docs", b"snapshot")}


@pytest.mark.parametrize("name", ["sha256", "file", "path"])
def test_a_folder_gives_packages_under_any_of_their_names(supply: Supply, name: str) -> None:
    package = supply.package
    names = {"sha256": f"{package.sha256}.deb", "file": package.file, "path": package.path}
    file = supply.folder / "course" / names[name]
    file.parent.mkdir(parents=True)
    file.write_bytes(CONTENT)
    assert supply.fetched(local_folder(supply.folder / "course")) == CONTENT


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("/debian/", "/debian/{path}"),
        ("/archive/{date}/{path}", "/archive/{date}/{path}"),
        ("/by-hash/{sha256}", "/by-hash/{sha256}"),
        ("/course/{file}", "/course/iperf3_3.12-1+deb12u2_amd64.deb"),
    ],
)
def test_a_mirror_is_asked_by_path_date_or_digest(supply: Supply, template: str, path: str) -> None:
    server = supply.serve(whole)
    assert supply.fetched(mirror(server.url + template)) == CONTENT
    package = supply.package
    assert server.paths == [path.format(path=package.path, date=DATE, sha256=package.sha256)]


def test_a_password_is_sent_and_never_shown(supply: Supply) -> None:
    server = supply.serve(lacking)
    assert "secret" not in supply.refusal(mirror(server.url.replace("http://", "http://ada:secret@")))
    assert server.requests[0][1]["authorization"] == "Basic YWRhOnNlY3JldA=="


@pytest.mark.parametrize(
    ("answer", "ranges"),
    [
        (lambda asked: asked.send_from(CONTENT, 200_000), [None, "bytes=200000-", "bytes=400000-"]),
        (lambda asked: asked.send(CONTENT[: 1000 if asked.is_first else None], claimed=len(CONTENT)),
         [None, "bytes=1000-"]),
        (lambda asked: asked.send_chunks(CONTENT, b""), [None]),
        (lambda asked: asked.send(b"", 503, Retry_After="3600") if asked.is_first else whole(asked), [None, None]),
    ],
    ids=["that breaks off", "without ranges", "that sends chunks", "busy at first"],
)  # fmt: skip
def test_a_package_comes_whole_from_a_server(supply: Supply, answer: Answer, ranges: list[str | None]) -> None:
    server = supply.serve(answer)
    assert supply.fetched(server) == CONTENT and server.ranges == ranges


@pytest.mark.parametrize("place", [f"bytes 7-{len(CONTENT) - 1}/{len(CONTENT)}", "bytes 1000-1999/2000", "invalid"])
def test_another_piece_than_the_requested_one_is_not_taken(supply: Supply, place: str) -> None:
    def answer(request: Request) -> None:
        if len(request.server.paths) == 2:
            request.send(b"?" * 1000, 206, Content_Range=place)
        else:
            request.send_from(CONTENT, 1000 if request.is_first else None)

    server = supply.serve(answer)
    assert supply.fetched(server) == CONTENT and len(server.paths) == 3


def test_a_part_that_no_server_can_continue_is_dropped(supply: Supply) -> None:
    supply.put_part(b"something else")
    server = supply.serve(lambda request: request.send(b"", 416) if request.begins else whole(request))
    assert supply.fetched(server) == CONTENT


def test_a_page_in_place_of_a_package_is_not_read(supply: Supply) -> None:
    portal = supply.serve(lambda request: request.send(b"<html>please log in"))
    assert f"has 19 bytes there instead of {len(CONTENT)}" in supply.refusal(portal)
    assert len(portal.paths) == 1


def test_no_more_is_written_than_the_locked_size(supply: Supply) -> None:
    def endless(request: Request) -> None:
        while not request.server.over.is_set():
            request.send_chunks(CONTENT, CONTENT)

    assert f"sends more than the {len(CONTENT)} bytes" in supply.refusal(supply.serve(endless))
    assert sum(file.stat().st_size for file in supply.file.parent.iterdir()) <= len(CONTENT)


def test_a_redirect_is_followed_and_a_circle_is_not(supply: Supply) -> None:
    circle = supply.serve(lambda request: request.send(b"", 302, Location=request.path))
    assert "too many redirects" in supply.refusal(circle) and len(circle.paths) <= 6
    target = supply.serve(whole)
    source = supply.serve(lambda request: request.send(b"", 302, Location=f"{target.url}/elsewhere"))
    assert supply.fetched(source) == CONTENT and target.paths == ["/elsewhere"]


@pytest.mark.parametrize("begin", [b"", CONTENT[:1000]])
def test_a_server_that_stalls_is_given_up_and_not_asked_again(supply: Supply, begin: bytes) -> None:
    def answer(request: Request) -> None:
        if begin:
            request.send_response(200)
            request.send_header("Content-Length", str(len(CONTENT)))
            request.end_headers()
            request.wfile.write(begin)
        request.server.over.wait(60)

    server, course = supply.serve(answer), supply.folder / "course"
    assert "is silent for 0.2 s" in supply.refusal(mirror(server.url, 0.2))
    server.requests.clear()
    wanted = [supply.package, locked(CONTENT[:1000])]
    course.mkdir()
    for package, content in zip(wanted, (CONTENT, CONTENT[:1000]), strict=True):
        (course / f"{package.sha256}.deb").write_bytes(content)
    Packages(supply.folder / "1", lambda: [mirror(server.url, 0.2), local_folder(course)]).obtain(wanted, DATE)
    assert len(server.paths) <= 3


def test_a_server_that_drips_is_given_up(supply: Supply) -> None:
    ticks = count(0, 1000)
    web = Web(30, lambda: float(next(ticks)))
    assert "is slower than 10 kB/s" in supply.refusal(providers.mirror(supply.serve(whole).url + "/{path}", web))


@pytest.mark.parametrize("source", ["environment", "apt"])
def test_a_proxy_is_asked_in_place_of_the_mirror(supply: Supply, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    proxy, server = supply.serve(whole), supply.serve(lacking)
    if source == "environment":
        monkeypatch.setenv("http_proxy", proxy.url)
    web = Web(30, proxies={"http": proxy.url} if source == "apt" else None)
    assert supply.fetched(providers.mirror(server.url + "/{path}", web)) == CONTENT
    assert proxy.paths[0].startswith(f"{server.url}/pool/") and not server.paths
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    supply.file.unlink()
    assert "(404)" in supply.refusal(providers.mirror(server.url + "/{path}", web)) and len(proxy.paths) == 1
