"""The store, the provider that it asks for a missing package, and its progress reports."""

from pathlib import Path

import pytest
from tests.lab.supply.fetching import CONTENT, DATE, Supply, lacking, locked, mirror, whole

from lab.supply.packages import FetchProgress, Packages
from lab.supply.providers import ATTEMPTS, LocalFolder


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
    refusal = supply.refusal(supply.serve(lacking), gone, LocalFolder(supply.folder / "none"))
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
