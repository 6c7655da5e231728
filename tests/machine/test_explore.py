"""`lab explore` and `lab replay` on the exact site: a planted race, which only a lost packet shows."""

from pathlib import Path

import pytest

from lab.cli import explore
from lab.cli.main import main
from lab.sites.exact import ExactSite


def test_planted_race_is_found_and_repeated_to_the_byte(
    exact: ExactSite, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore, "ExactSite", lambda *_: exact)
    assert main(["explore", "stale_completion", "--seeds", "11..12", "--jobs", "2"]) == 1
    found, circumstances, last = capsys.readouterr().out.splitlines()
    assert found.startswith("stale_completion:stale:11: step 1: the client ended with status 1: round 7: the reply is ")
    assert "loss_ppm=" in circumstances and last.startswith("1 of 2 runs failed")
    printed = []
    for name in ("first", "second"):
        assert main(["replay", "stale_completion:stale:11", "--pcap", str(tmp_path / name)]) == 1
        printed.append(capsys.readouterr().out.replace(str(tmp_path / name), "FILE"))
    assert printed[0] == printed[1] and printed[0].startswith(f"{found}\n{circumstances}\n")
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    rows = [line.partition(" ms  ")[2] for line in printed[0].splitlines()]
    lost = next(index for index, row in enumerate(rows) if row.endswith("  LOST"))
    assert rows[lost].startswith("client  SEND only, PSN 6 ")
    again = rows.index(f"{rows[lost].removesuffix('  LOST')}  SENT AGAIN")
    _, *completed = [row for row in rows[again - 1 :] if row.startswith(("client  SEND", "client      completes"))]
    assert [row.split()[-1] for row in completed[:2]] == ["6", "6"] and "up to PSN" in completed[0]
    assert "the client printed last: round 7: the reply is that of round 6" in printed[0]


@pytest.mark.release
def test_planted_race_is_repeated_a_hundred_times(
    exact: ExactSite, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore, "ExactSite", lambda *_: exact)
    replay = ["replay", "stale_completion:stale:11"]
    printed = {(main(replay), capsys.readouterr().out) for _ in range(100)}
    ((status, timeline),) = printed
    assert status == 1 and "the reply is that of round 6" in timeline
