"""The store, which provider it asks for a missing package, and the progress that it reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.supply.fetching import CONTENT, DATE, Locking, Serve, fetched, lacking, mirror, refusal, store, whole

from lab.supply.packages import Fetching, Packages
from lab.supply.providers import LocalFolder
from lab.supply.web import ATTEMPTS


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


def test_a_download_goes_on_in_the_next_command_at_another_mirror(
    serve: Serve, locked: Locking, tmp_path: Path
) -> None:
    cut, wanted = serve(lambda asked: asked.send_from(CONTENT, 1000)), locked(CONTENT)
    said = refusal(store(tmp_path, mirror(cut.url)), wanted)
    assert f"broke off {ATTEMPTS} times, the last time after {ATTEMPTS * 1000} of {len(CONTENT)} bytes" in said
    server = serve(whole)
    assert fetched(store(tmp_path, mirror(server.url)), wanted) == CONTENT
    assert [headers.get("Range") for _, headers in server.requests] == [f"bytes={ATTEMPTS * 1000}-"]


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


def test_all_who_were_asked_are_named_with_their_reasons(serve: Serve, locked: Locking, tmp_path: Path) -> None:
    nobody = serve(whole)
    nobody.shutdown()
    nobody.server_close()
    packages = store(tmp_path, mirror(serve(lacking).url), mirror(nobody.url), LocalFolder(tmp_path / "none"))
    said = refusal(packages, locked(CONTENT))
    assert said.startswith("nobody gives iperf3 3.12-1+deb12u2: http://127.0.0.1:")
    for reason in (
        "does not have it (404)",
        "cannot be reached (Connection refused)",
        "none is not there",
        "docs/sites.md",
    ):
        assert reason in said.replace("[Errno 111] ", "")


def test_nothing_is_said_in_two_seconds_then_a_line_every_ten() -> None:
    times = iter([0, 1.9, 2.0, 2.0, 11.9, 12.0, 12.0])
    said: list[str] = []
    progress = Fetching(40_000_000, said.append, lambda: float(next(times)))
    for _ in range(4):
        progress.add(5_000_000)
    assert said == ["fetched 10.0 of 40.0 MB", "fetched 20.0 of 40.0 MB"]
