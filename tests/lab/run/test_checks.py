"""Checks of a trial: failed programs, refuted numbers, warnings, and the rate of a link."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.toml import series_of

from lab.model.parameters import Counts
from lab.model.trial import DEADLINE_STATUS, End, Ends, Outcome, StepOutcome
from lab.plan.plan import Plan, Planned, SiteFacts
from lab.programs import PROGRAMS
from lab.programs.program import Build, Sample
from lab.run.checks import (
    above_the_link,
    bytes_at_once,
    failed_steps,
    hint,
    notes,
    path,
    refuted,
    unaccounted,
    uncounted_bytes,
    unread,
    untimed_ns,
)
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT, Clock
from lab.typed_json import JsonTable, JsonValue

Make = Callable[..., Plan]
ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
SITE = SiteFacts("exact", ENDS, {}, EXACT)
NOTHING = Outcome((), {}, {}, 0, 0, "", 0.0)
MS = 1_000_000


def with_step(out: str = "", err: str = "", client: int = 0, server: int = 0, ns: int = 1) -> Outcome:
    return replace(NOTHING, steps=(StepOutcome(out, err, "", "", client, server, 0, ns),))


@pytest.mark.parametrize(
    ("grown", "name"),
    [
        ({"v0.tx_bytes": 410_000, "lo.tx_bytes": 5_000}, "the kernel's network from v0"),
        ({"v0.tx_bytes": 420_000, "rxe0.sent_pkts": 100}, "RDMA from rxe0"),
        ({"v0.tx_bytes": 10_000, "mlx5_0.tx_bytes": 410_000}, "none that is counted here"),
        ({"v0.tx_bytes": 5_000, "lo.tx_bytes": 900_000}, "none that is counted here"),
    ],
)
def test_path_is_the_one_that_could_have_carried_all_bytes(grown: dict[str, int], name: str) -> None:
    before = dict.fromkeys(grown, 7)
    after = {counter: 7 + count for counter, count in grown.items()}
    samples = (Sample(4096, "round_trip", 0, 100, 409_600, MS),)
    assert path(ENDS, Outcome((), before, after, 0, 1, "", 0.0), samples) == name


RULE = "-" * 74
BOX = f"{RULE}\norterun detected that a process ended:\n\n  Exit code: 1\n{RULE}\n"
PROBE = "[lab:00181] WARNING: local probe returned unhandled shell:unknown assuming bash\n"
CRASH = (
    "[1,0]<stderr>:[lab:00196] *** Process received signal ***\n[1,0]<stderr>:[lab:00196] Signal: Aborted (6)\n"
    "[1,0]<stderr>:[lab:00186] [1,0]<stderr>:[ 0] [1,2]<stderr>:/lib/libc.so.6(abort+0xd3)[0x7f696bded472]\n"
    "[1,2]<stderr>:[lab:00186] *** End of error message ***\n"
)
UNFINISHED = (
    f"{RULE}\norterun has exited due to process rank 1 with PID 190 on\nnode 10.0.0.2 exiting improperly. There are\n"
    f"three reasons this could occur:\n{RULE}\n"
)
STATUS = "the client ended with status 1: "
LATE = "the server did not end before the deadline (deadline_s)"


@pytest.mark.parametrize(
    ("outcome", "sentences"),
    [
        # The end that the deadline ended comes first, and a rank before its launcher.
        (with_step(err="reset by peer", client=1, server=DEADLINE_STATUS), [LATE, f"{STATUS}reset by peer"]),
        (with_step(err=f"mpi: no progress for 5 s\n{BOX}", client=1), [f"{STATUS}mpi: no progress for 5 s"]),
        (with_step(err=BOX, client=1), [f"{STATUS}orterun detected that a process ended: Exit code: 1"]),
        (with_step(out="0.2 s\n", err=f"{PROBE}{UNFINISHED}", client=1),
         [f"{STATUS}rank 1 ended without MPI_Finalize(); standard output: 0.2 s"]),
        (with_step(err=f"{PROBE}{CRASH}Segmentation fault\n{BOX}", client=1), [f"{STATUS}Segmentation fault"]),
        (with_step(err="one\n\ttwo\n", client=1), [f"{STATUS}one two"]),
        (with_step(err="rank 1: wrong\n" * 30, client=1), [f"{STATUS}... wrong{21 * ' rank 1: wrong'}"]),
        (with_step(err=400 * "x", client=1), [f"{STATUS}... {300 * 'x'}"]),
        (with_step(err=" \n", client=1), [f"{STATUS}it printed nothing"]),
        (with_step(out="a\nb\nc\nd\n", err="no", client=255),
         ["the client ended with status 255: no; standard output: b c d"]),
        (with_step(client=128 + 11), ["the client was ended by signal 11 (SIGSEGV): it printed nothing"]),
        (with_step(out="64,completed,0,1,64,5\n", server=1), ["the server ended with status 1: it printed nothing"]),
        (with_step(out="hi\n", server=1),
         ["the server ended with status 1: it printed nothing (the client printed: hi)"]),
    ],
)  # fmt: skip
def test_failure_has_the_last_words_of_both_ends_on_a_line(outcome: Outcome, sentences: list[str]) -> None:
    found = list(failed_steps(outcome))
    assert len(found) == len(sentences)
    for line, sentence in zip(found, sentences, strict=True):
        assert line == f"step 1: {sentence}" or (sentence == LATE and line.startswith(f"step 1: {LATE}"))


def test_bytes_must_be_counted_except_inside_one_device(make_small_plan: Make) -> None:
    ours = next(planned for planned in make_small_plan().planned if planned.series.name == "ours")
    sent = (Sample(64, "completed", 0, 1, 64, 10),)
    one = End("198.18.0.1", "rxe0", "eth0")
    apart, inside = Ends(one, End("198.18.0.2", "rxe1", "eth1"), ""), Ends(one, one, "")
    (sentence,) = uncounted_bytes(ours, apart, NOTHING, sent)
    assert "64 bytes are reported, but eth0.tx_bytes counted 0" in sentence
    by_the_card = Outcome((), {"rxe0.tx_bytes": 1}, {"rxe0.tx_bytes": 65}, 0, 0, "", 0.0)
    assert not list(uncounted_bytes(ours, apart, by_the_card, sent))
    assert not list(uncounted_bytes(ours, inside, NOTHING, sent))
    assert notes(PROGRAMS["verbs"], OwnDevices.traits, apart) == []
    assert "turned around inside it" in notes(PROGRAMS["verbs"], OwnDevices.traits, inside)[0]


@pytest.mark.parametrize("name", ["round_trip", "round_trip_mean"])
def test_time_of_a_message_that_is_longer_than_its_trial_is_refuted(name: str) -> None:
    fine, longer = (Sample(64, name, 0, 100, 6400, time_ns) for time_ns in (MS, MS + 1))
    assert not list(untimed_ns(with_step(ns=MS), (fine,)))
    (sentence,) = untimed_ns(with_step(ns=MS), (longer,))
    assert sentence == "1000001 ns are reported, but the site's clock advanced by 1000000"


def student_trial(**tool: object) -> Any:
    counts = (Counts(64, 1000, 50), Counts(1024, 1000, 50), Counts(2048, 1000, 50))
    traits = {"build": Build(("make",), Path("none")), "chooses_sizes": False, "together": False}
    series = SimpleNamespace(tool=SimpleNamespace(**{**traits, **tool}))
    return SimpleNamespace(series=series, trial=SimpleNamespace(request=SimpleNamespace(counts=counts)))


@pytest.mark.parametrize(
    ("spans_ms", "claimed_ms", "words"),
    [
        ((273, 270, 147, 55), 664, []),  # as plain_verbs took them on the exact machine
        ((273, 270, 147, 55), 0.664, ["busy for 525.000 ms", "may be 753 times too high"]),
        ((30, 30, 30), 0.1, []),  # short messages: nearly all is the start
        ((47, 44, 44), 0.34, []),  # 200 messages over a card: the first start reads the program
        ((3000,), 1990, []),
        ((3000,), 2, ["busy for 2000.000 ms", "may be 952 times too high"]),
        ((273, 55), 0, []),  # no duration is printed
    ],
)
def test_student_program_that_claims_far_less_time_than_it_was_busy_is_noted(
    spans_ms: tuple[int, ...], claimed_ms: float, words: list[str]
) -> None:
    outcome = replace(NOTHING, steps=tuple(StepOutcome("", "", "", "", 0, 0, 0, span * MS) for span in spans_ms))
    samples = (Sample(64, "completed", 0, 1000, 64_000, int(claimed_ms * MS)),)
    note = " ".join(unaccounted(student_trial(), outcome, samples))
    assert bool(note) == bool(words) and all(part in note for part in words)
    assert not list(unaccounted(student_trial(), outcome, samples, {"lines_64": "9"}))
    for tool in (
        {"build": None},
        {"chooses_sizes": True},
    ):  # Verbyte's programs, and one that may have measured other sizes
        assert not list(unaccounted(student_trial(**tool), outcome, samples))


def test_sizes_without_a_number_are_noted_unless_nothing_is_read() -> None:
    samples = (Sample(1024, "completed", 0, 10, 10240, 5),)
    note = "no number could be read for 64, 2048 bytes: the record's header says why"
    assert list(unread(student_trial(silent=False), samples)) == [note]
    assert not list(unread(student_trial(silent=True), ()))


GIGABIT = """
title = "Over a gigabit"
question = "How much?"
[parameters]
sizes = "64"
iterations = 40
[link]
mtu = 1500
{rate}
""" + series_of("ours {program} {operation} throughput")
MODEL = "rate_bit_s = 1_000_000_000"
TCP, WRITE = ("tcp", "send"), ("verbs", "write")
MOST = {TCP: 125e6 * 1460 / 1538, WRITE: 125e6 * 1024 / 1106}


def over_gigabit(make: Make, program: tuple[str, str], rate: str = MODEL) -> Planned:
    return make(GIGABIT.format(program=program[0], operation=program[1], rate=rate)).planned[0]


def row(kind: str, rate: float) -> Sample:
    return Sample(1 << 20, kind, 0, 100, 100 << 20, round((100 << 20) / rate * 1e9))


def counted(**state: JsonValue) -> Outcome:
    steps = with_step(ns=10**12).steps
    return Outcome(steps, {"v0.tx_bytes": 0}, {"v0.tx_bytes": 10**12}, 0, 10**12, "", 0.0, state)


@pytest.mark.parametrize("kind", ["window", "completed", "confirmed", "round", "round_completed"])
@pytest.mark.parametrize("program", [TCP, WRITE], ids=["tcp", "write"])
def test_forged_row_above_the_rate_without_headers_is_refused(
    make_small_plan: Make, kind: str, program: tuple[str, str]
) -> None:
    trial = over_gigabit(make_small_plan, program)
    good, forged = (row(kind, share * MOST[program]) for share in (0.9999, 1.0001))
    assert list(refuted(trial, SITE, counted(), [good])) == []
    (sentence,) = refuted(trial, SITE, counted(), [good, forged])
    assert sentence.startswith(f"{kind} 0 of 1048576 bytes comes to 1")
    assert f"the link carries {MOST[program]:.0f} B/s at most" in sentence


def test_rate_whose_last_digit_was_rounded_up_is_below_the_limit(make_small_plan: Make) -> None:
    trial, above = over_gigabit(make_small_plan, WRITE), row("completed", 1.001 * MOST[WRITE])
    assert list(refuted(trial, SITE, counted(), [above], {above.size_bytes: 1.002})) == []
    assert list(refuted(trial, SITE, counted(), [above], {above.size_bytes: 1.0005}))


@pytest.mark.parametrize(
    ("state", "rate", "is_refused"),
    [
        ({"client": {"rate_bit_s": 10**10}, "server": {"rate_bit_s": 10**9}}, 124e6, False),
        ({"client": {"rate_bit_s": 10**10}, "server": {"rate_bit_s": 10**9}}, 126e6, True),
        *((state, 1e12, False) for state in ({}, {"client": {"rate_bit_s": 0}}, {"client": {"rate_bit_s": None}})),
    ],
)
def test_slower_of_two_reported_rates_is_the_limit_if_one_is_known(
    make_small_plan: Make, state: JsonTable, rate: float, *, is_refused: bool
) -> None:
    trial = over_gigabit(make_small_plan, TCP, "")
    assert bool(list(above_the_link(trial, SITE, counted(**state), [row("completed", rate)]))) is is_refused


def test_data_inside_one_device_have_no_limit(make_small_plan: Make) -> None:
    one = replace(SITE, ends=replace(ENDS, server=ENDS.client))
    nic = counted(client={"rate_bit_s": 10**9})
    assert list(above_the_link(over_gigabit(make_small_plan, WRITE, ""), one, nic, [row("completed", 1e9)])) == []


def test_burst_of_a_kernels_link_model_is_no_rate(make_small_plan: Make) -> None:
    host = replace(SITE, traits=replace(EXACT, clock=Clock.WALL))
    trial, time_ns = over_gigabit(make_small_plan, TCP), 100 * MS
    carried = round(MOST[TCP] * time_ns / 1e9) + bytes_at_once(trial.trial.job.link, host.traits)
    good, forged = (Sample(1, "completed", 0, count, count, time_ns) for count in (carried - 1, carried + 1))
    cases = ((host, good), (host, forged), (SITE, good))
    assert [len(list(above_the_link(trial, site, counted(), [each]))) for site, each in cases] == [0, 1, 1]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (with_step(err="couldn't post send", client=255), 'grants = "connectx"'),
        (with_step(out="Failed to modify QP to RTR", client=1), 'or emulate = ["lids"]'),
        (with_step(err="ibv_query_gid(3): Invalid argument", client=1), '["gids"] for an index'),
        (with_step(err="ibv_reg_mr failed: Operation not supported", client=1), "without IBV_ACCESS_ON_DEMAND"),
        (with_step(err="SERVER_IP is not set", client=1), "PORT={port} HOST={host} client"),
        (with_step(err="Set ROLE=server or ROLE=client", client=2), "PORT={port} HOST={host} client"),
        (with_step(err="Unknown option: 10.0.0.2", client=1), "other arguments in server and client"),
        (with_step(err="not an IPv6 address: 10.0.0.2", client=1), "::ffff:{host} in place of {host}"),
        (with_step(err="IB device mlx5_0 not found", client=1), "{device} in the commands"),
        (with_step(err="failed to allocate memory", client=1), "256 MiB may be registered"),
        (with_step(out="allocated a buffer", err="connect: Network is unreachable", client=1), ""),
        (with_step(out="Failed to open config file", client=255), "in binaries"),
        (with_step(client=139), "a stack has 8 MiB"),
        (with_step(client=134), ""),
        (with_step("64 1024 2048", client=DEADLINE_STATUS), "client_stays = true"),
        (with_step("64", client=DEADLINE_STATUS), ""),
        (with_step("Usage", client=DEADLINE_STATUS), "other arguments in server and client"),
        (replace(with_step("64", client=DEADLINE_STATUS), counters_after={"v0.tx_bytes": 5}), ""),
        (replace(with_step("64", client=DEADLINE_STATUS), counters_after={"v0.tx_bytes": 10**7}),
         "a larger deadline_s, or fewer messages in its sources, if it only takes long: 10000000 bytes"),
        (
            replace(
                with_step("64", client=DEADLINE_STATUS),
                counters_after={"rank1.rxe1.rcvd_rnr_err": 4, "rank1.card0.rcvd_rnr_err": 3},
            ),
            "7 messages arrived before a receive was posted",
        ),
    ],
)  # fmt: skip
def test_student_program_that_failed_gets_a_hint(outcome: Outcome, words: str) -> None:
    def parse(_: object, steps: tuple[StepOutcome, ...]) -> Any:
        return SimpleNamespace(samples=steps[0].client_out.split())

    problems = list(failed_steps(outcome))
    text = hint(student_trial(parse=parse), outcome, problems)
    assert words in text and bool(words) == bool(text)
    assert hint(student_trial(build=None), outcome, problems) == ""
    together = hint(student_trial(parse=parse, together=True), outcome, problems)
    assert together == text.replace("client_stays = true", "a larger deadline_s")  # no end of several may stay


def test_rate_above_the_link_gets_a_hint() -> None:
    problem = "completed 0 of 4096 bytes comes to 9 B/s, but the link carries 8 B/s at most"
    assert hint(student_trial(), NOTHING, [problem]).startswith("more iterations: a clock that starts")


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ("cannot modify qp", "a.c:2 names 0xdeadbeef: choose a Q_Key"),
        (
            "2000000000 ns are reported, but the site's clock advanced by 1",
            "a.c:3 names b.tv_sec - a.tv_sec: it counts",
        ),
        ("connection refused", ""),
    ],
)
def test_line_of_the_sources_that_explains_a_failure_is_named(tmp_path: Path, problem: str, words: str) -> None:
    (tmp_path / "a.c").write_text("int main() {\n\tattr.qkey = 0xdeadbeef;\n\ts = b.tv_sec - a.tv_sec;\n}")
    text = hint(student_trial(build=Build(("make",), tmp_path)), NOTHING, [problem])
    assert words in text and bool(words) == ("names" in text)
