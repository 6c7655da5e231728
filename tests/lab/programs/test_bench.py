from dataclasses import replace

import pytest

from lab.model.parameters import Counts, Parameters
from lab.model.trial import End, Ends
from lab.options import TABLES, Option
from lab.programs import PROGRAMS
from lab.programs.program import Request

ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
COUNTS = (Counts(64, 40, 4), Counts(1, 100, 10))


def test_both_ends_of_verbs_get_the_same_shared_options() -> None:
    values = Parameters().with_values({"wait": "event", "verify": True, "post_list": 8})
    (step,) = PROGRAMS["verbs"].steps(Request("verbs", "write", "throughput", COUNTS, values), ENDS)
    shared = step.client[1 : step.client.index("--device")]
    assert step.server[1 : 1 + len(shared)] == shared
    assert "64@40/4,1@100/10" in shared and "--verify" in shared
    assert step.server[1 + len(shared) :] == ("--listen", "127.0.0.1", "--device", "rxe1")
    assert step.client[1 + len(shared) :] == ("--device", "rxe0", "127.0.0.1")


def test_the_rendezvous_of_verbs_is_on_the_link_only_where_there_is_no_other_way() -> None:
    ends = replace(ENDS, side_channel=ENDS.server.host)
    (step,) = PROGRAMS["verbs"].steps(Request("verbs", "write", "throughput", COUNTS, Parameters()), ends)
    assert step.server[-4:] == ("--listen", "10.0.0.2", "--device", "rxe1")
    assert step.client[-5:] == ("--source", "10.0.0.1", "--device", "rxe0", "10.0.0.2")
    (step,) = PROGRAMS["tcp"].steps(Request("tcp", "send", "throughput", COUNTS, Parameters()), ENDS)
    assert step.client[-3:] == ("--source", "10.0.0.1", "10.0.0.2")


def test_rounds_are_asked_for_at_both_ends_and_only_where_they_are_wanted() -> None:
    rounds = {"until_stable": 1, "stable_window": 3, "rounds_cap": 20}
    for given, wanted in (({}, False), (rounds, True)):
        request = Request("tcp", "send", "throughput", COUNTS, Parameters().with_values(given))
        (step,) = PROGRAMS["tcp"].steps(request, ENDS)
        for argv in (step.server, step.client):
            assert ("--until-stable 1 --stable-window 3 --rounds-cap 20" in " ".join(argv)) is wanted


def test_tcp_gets_no_option_of_verbs() -> None:
    values = Parameters().with_values({"nodelay": True, "send_buffer": "1M"})
    (step,) = PROGRAMS["tcp"].steps(Request("tcp", "send", "throughput", COUNTS, values), ENDS)
    text = " ".join(step.client)
    assert "depth" not in text and "--nodelay" in text and "--send-buffer 1048576" in text


def test_both_ends_are_told_how_long_a_size_must_last_where_it_must() -> None:
    for given, wanted in (("auto", False), (0, False), (2, True)):
        values = Parameters().with_values({"least_time_s": given})
        (step,) = PROGRAMS["tcp"].steps(Request("tcp", "send", "latency", COUNTS, values), ENDS)
        (ranks,) = PROGRAMS["mpi-tcp"].steps(Request("mpi-tcp", "send", "latency", COUNTS, values), ENDS)
        for argv in (step.server, step.client, ranks.client):
            assert ("--least-time 2" in " ".join(argv)) is wanted


def test_timers_and_ordering_are_said_only_where_they_are_given() -> None:
    given = Parameters().with_values({"relaxed_ordering": "no", "timeout": 10, "rnr_timer": 12})
    for values, wanted in ((Parameters(), False), (given, True)):
        (step,) = PROGRAMS["verbs"].steps(Request("verbs", "send", "throughput", COUNTS, values), ENDS)
        for argv in (step.server, step.client):
            assert ("--relaxed-ordering no --timeout 10 --rnr-timer 12" in " ".join(argv)) is wanted
            assert ("--timeout" in argv) is wanted


def test_a_new_option_is_said_only_where_its_value_is_not_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the keys of what was measured before it came stay as they are."""
    new = Option("peer-seconds", "number", "1", "of no program so far", both_ends=True)
    monkeypatch.setitem(TABLES, "tcp", replace(TABLES["tcp"], options=(*TABLES["tcp"].options, new)))
    for seconds, wanted in ((1, False), (2, True)):
        values = Parameters().with_values({"peer_seconds": seconds})
        (step,) = PROGRAMS["tcp"].steps(Request("tcp", "send", "latency", COUNTS, values), ENDS)
        assert ("--peer-seconds 2 --deadline" in " ".join(step.client)) is wanted
