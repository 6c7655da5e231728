"""Commands of Verbyte's programs verbs and tcp."""

from dataclasses import replace

import pytest
from tests.lab.programs.cases import ENDS, request, step

from lab.model.parameters import Counts, Scalar
from lab.options import TABLES, Option

COUNTS = (Counts(64, 40, 4), Counts(1, 100, 10))
WRITE = {"operation": "write", "measure": "throughput"}


def test_both_ends_of_verbs_get_the_same_shared_options() -> None:
    both = step(request("verbs", *COUNTS, **WRITE, wait="event", verify=True, post_list=8))
    shared = both.client[1 : both.client.index("--device")]
    assert both.server[1 : 1 + len(shared)] == shared
    assert "64@40/4,1@100/10" in shared and "--verify" in shared
    assert both.server[1 + len(shared) :] == ("--listen", "127.0.0.1", "--device", "rxe1")
    assert both.client[1 + len(shared) :] == ("--device", "rxe0", "127.0.0.1")


def test_rendezvous_of_verbs_uses_the_link_only_without_another_path() -> None:
    both = step(request("verbs", *COUNTS, **WRITE), replace(ENDS, side_channel=ENDS.server.host))
    assert both.server[-4:] == ("--listen", "10.0.0.2", "--device", "rxe1")
    assert both.client[-5:] == ("--source", "10.0.0.1", "--device", "rxe0", "10.0.0.2")
    assert step(request("tcp", *COUNTS)).client[-3:] == ("--source", "10.0.0.1", "10.0.0.2")


@pytest.mark.parametrize(
    ("program", "values", "words"),
    [
        ("tcp", {"until_stable": 1, "stable_window": 3, "rounds_cap": 20}, "--stable-window 3 --rounds-cap 20"),
        ("tcp", {"least_time_s": 2}, "--least-time 2"),
        ("mpi-tcp", {"least_time_s": 2}, "--least-time 2"),
        ("tcp", {"nodelay": True, "send_buffer": "1M"}, "--nodelay"),
        ("verbs", {"relaxed_ordering": "no", "timeout": 10, "rnr_timer": 12}, "--timeout 10 --rnr-timer 12"),
        ("verbs", {"pairs": 8, "completion_queues": "each"}, "--pairs 8 --completion-queues each"),
        ("tcp", {"duration_s": 4}, "--duration 4"),
        ("tcp", {"streams": 4}, "--streams 4"),
        ("verbs", {"both": True}, "--both"),
        ("tcp", {"both": True}, "--both"),
        ("verbs", {"tclass": 104, "sl": 3, "pkey_index": 1}, "--tclass 104 --sl 3 --pkey-index 1"),
    ],
)
def test_options_are_in_the_commands_of_both_ends_only_if_set(
    program: str, values: dict[str, Scalar], words: str
) -> None:
    plain, changed = (step(request(program, *COUNTS, **given)) for given in ({}, values))  # type: ignore[arg-type]
    for argv in filter(None, (changed.server, changed.client)):
        assert words in " ".join(argv)
    assert words.split()[0] not in (*plain.server, *plain.client)


def test_tcp_gets_no_option_of_verbs() -> None:
    assert "depth" not in " ".join(step(request("tcp", *COUNTS)).client)


def test_new_option_with_its_default_value_changes_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the keys of older records would change."""
    new = Option("peer-seconds", "number", "1", "of no program so far", both_ends=True)
    monkeypatch.setitem(TABLES, "tcp", replace(TABLES["tcp"], options=(*TABLES["tcp"].options, new)))
    for seconds, is_there in ((1, False), (2, True)):
        client = " ".join(step(request("tcp", *COUNTS, peer_seconds=seconds)).client)
        assert ("--peer-seconds 2 --deadline" in client) is is_there
