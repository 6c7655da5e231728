"""Checks of a student's programs, on a fake site."""

import re
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import fake_site, hand_ins
from tests.lab.grade.student_program import experiment
from tests.lab.grade.witness import wire
from tests.lab.grade.witness.test_packets import block
from tests.toml import series_of

from lab.files.storage import write_text
from lab.grade.case import Blocked, Case, GradingSetup, SubmissionFile
from lab.grade.checks.data import package, rerun
from lab.grade.checks.program import at_other_sizes, correct, fault_tests, program, sources, speed, steps
from lab.grade.finding import Finding, Flaw, PartPoints, Score
from lab.machine.results import Frame
from lab.model.trial import OVER_CARD, Job, Outcome, StepOutcome
from lab.programs.program import Sample
from lab.submission.archive import PROGRAMS, Submission, make_page, pack
from lab.submission.assignment import Assignment, Demands, Leaderboard, TaskStep, Tier
from lab.submission.hand_in import program_files

EXPERIMENT = experiment(build="true")
RDMA = experiment("true", "rdma = true").replace("64,4K", "64,16K")
COMPARED = f"""
{series_of("tcp tcp send throughput")}[[comparison]]
name = "mine over tcp"
ours = "mine"
peers = ["tcp"]
at_least = {{least}}
"""
DEMANDS = Demands(sizes=(3,), verify=("--verify",), refuses=("--depth 0",))
START_NS = 30_000_000
OF_SOURCES = b"\x7fELF of the sources"


def sizes_and_counts(job: Job) -> list[tuple[int, int]]:
    options = ([fake_site.option(step.client, name) for name in ("--size", "--iterations")] for step in job.steps)
    return [(int(size), int(count)) for size, count in options]


def is_of_sources(job: Job) -> bool:
    return job.overlay[0].read_bytes() == OF_SOURCES


class Pretending(fake_site.FakeSite):
    """Each message takes its cost by the clock. The program prints any time, sends a share of its bytes, and ends with
    any status. Its device counts so many packets for each message of 64 bytes, and four times as many for 16 KiB."""

    def __init__(
        self,
        printed: Callable[[float, Job], float] = lambda time_ns, _: time_ns,
        sent: float = 1.0,
        status: Callable[[Job], int] = lambda _: 0,
        packets: dict[str, float] | None = None,
    ) -> None:
        super().__init__()
        self.printed, self.sent, self.status, self.packets = printed, sent, status, packets or {}
        self.ran, self.watched = list[Job](), list[Job]()

    def run(self, job: Job) -> Outcome:
        self.ran.append(job)
        if "/lab/bin/mine" not in job.steps[0].client:
            return super().run(job)
        steps, clock, total, packets = [], 0, 0, 0
        for size, count in sizes_and_counts(job):
            time_ns = count * fake_site.cost(size)
            rate = size * count / self.printed(time_ns, job) * 1e9
            end = clock + START_NS + time_ns
            steps.append(StepOutcome(f"{size} {rate:.3f} B/s\n", "", "", "", self.status(job), 0, clock, end))
            clock, total, packets = end, total + size * count, packets + count * max(1, size // 4096)
        after = dict.fromkeys(("v0.tx_bytes", "v0.rx_bytes"), round(total * self.sent))
        after |= {counter: 7 + round(share * packets) for counter, share in self.packets.items()}
        before = dict.fromkeys(after, 0) | dict.fromkeys(self.packets, 7)
        return Outcome(tuple(steps), before, after, 0, clock, "", 0.0)


class Silent(Pretending):
    """Logs a link without a frame."""

    def frames(self, _: Job) -> list[Frame]:
        return []

    def run_watched(self, job: Job, logs: Path) -> Outcome:
        self.watched.append(job)
        (logs / "client.pcapng").write_bytes(b"".join(map(block, self.frames(job))))
        return self.run(job)


class Traffic(Silent):
    """Logs each message as a segment, and a share of the messages of one size."""

    def __init__(self, size: int = 0, share: float = 1.0) -> None:
        super().__init__()
        self.size, self.share = size, share

    def frames(self, job: Job) -> list[Frame]:
        frames = []
        for step, (size, count) in zip(job.steps, sizes_and_counts(job), strict=True):
            sent = round(count * (self.share if size == self.size else 1))
            frames.append(wire.tcp(0, 99, syn=True, port=step.port))
            frames += [wire.tcp(n * fake_site.cost(size), 100 + n * size, size, port=step.port) for n in range(sent)]
        return frames


class Together(Silent):
    """Several computers, of which rank 0 prints one rate for both sizes."""

    def run(self, job: Job) -> Outcome:
        assert job.steps[0].ranks and len(job.steps[0].ranks) == 3
        step = StepOutcome("64 1 MB/s\n4096 1 MB/s\n", "", "", "", 0, 0, 0, 10**10)
        return Outcome((step,), {}, {}, 0, 10**10, "", 0.0)


def faulty(status: int, refused: int = 2) -> Pretending:
    """A client that ends with this status in every pair that the grader spoiled, and with another for wrong options."""

    def ended(job: Job) -> int:
        step = job.steps[0]
        return refused if "--depth" in step.client else 0 if step.server[0] == "stdbuf" else status

    return Pretending(status=ended)


def rebuilt(slowness: float, status: int = 0) -> Pretending:
    """Where the binary of the sources prints other times, or fails."""
    return Pretending(
        lambda time_ns, job: time_ns * (slowness if is_of_sources(job) else 1),
        status=lambda job: status if is_of_sources(job) else 0,
    )


def device(counter: str, packets: float) -> Pretending:
    return Pretending(packets={counter: packets})


def only_its_sizes(job: Job) -> int:
    """The status of a program made for the sizes of the experiment."""
    return int(not {size for size, _ in sizes_and_counts(job)} <= {64, 4096})


def written(folder: Path, text: str = EXPERIMENT) -> Path:
    for name, content in {"mine/mine": "\x7fELF", "mine/mine.c": "int main(void) {}\n", "small.toml": text}.items():
        write_text(folder / name, content)
    return folder / "small.toml"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler makes another binary of the sources."""
    monkeypatch.setattr("lab.grade.rebuild.build_untrusted", lambda *_: {"mine": OF_SOURCES})


def findings_of(
    folder: Path, check: Any, site: Any, text: str = EXPERIMENT, *names: str,
    task_steps: tuple[TaskStep, ...] = (), demands: Demands = DEMANDS,
) -> list[Any]:  # fmt: skip
    """The findings of a check of a submission with these programs."""
    plan = hand_ins.plan_on(written(folder, text), site, "d")
    ranked = Leaderboard("mine") if task_steps else None
    assignment = Assignment("t", "e", {}, file=Path("small.toml"), asked=demands, steps=task_steps, leaderboard=ranked)
    setup = GradingSetup(assignment, site, plan, folder / "results", folder, folder, 1, lambda *_: None)
    case = Case(setup, SubmissionFile(folder / "x.pdf"), folder)
    programs = dict.fromkeys(names or ("binaries/mine/mine",), b"\x7fELF of the student")
    files = {PROGRAMS: pack(programs), "report.toml": b'authors = ["a"]\nids = ["a"]\ncourse = "b"\n'}
    vars(case.hand_in)["submission"] = Submission("x", b"", files)
    vars(case.hand_in)["page"] = make_page("small", ("a",), (), "1.0.0", files)
    return list(check(case))


# The check, the site, the experiment, the kinds of the findings, and a part of each.
CASES: dict[str, tuple[Any, Any, str, list[Flaw], str]] = {
    "true times": (program, Pretending(), EXPERIMENT, [], ""),
    "times a fifth too long": (program, Pretending(lambda ns, _: 1.2 * ns), EXPERIMENT, [], ""),
    "times with a constant": (program, Pretending(lambda ns, _: 0.9 * ns + 1000), EXPERIMENT, [], ""),
    "half of the times": (program, Pretending(lambda ns, _: ns / 2), EXPERIMENT, [Flaw.INVENTED], ""),
    "one time for all": (program, Pretending(lambda *_: 1e3), EXPERIMENT, [Flaw.INVENTED], ""),
    "one long time for all": (program, Pretending(lambda *_: 45e6), EXPERIMENT, [Flaw.INVENTED], ""),
    "15 ms taken off": (program, Pretending(lambda ns, _: max(ns - 15e6, 1)), EXPERIMENT, [Flaw.INVENTED], ""),
    "another path": (program, Pretending(sent=0.01), EXPERIMENT, [Flaw.NOT_MEASURED], ""),
    "another path in a rerun": (rerun, Pretending(sent=0.01), EXPERIMENT, [Flaw.NOT_MEASURED], ""),
    "a packet for each message": (program, device("rxe0.sent_pkts", 1), RDMA, [], ""),
    "too few packets": (program, device("rxe0.sent_pkts", 0.99), RDMA, [Flaw.MESSAGES],
                        "need 5000 packets at least, rxe0.sent_pkts counted 4950"),
    "too few packets of a card": (program, device("rxe0.port_xmit_packets", 0.99), RDMA, [Flaw.MESSAGES],
                                  "need 5000 packets at least, rxe0.port_xmit_packets counted 4950"),
    "too few packets of a READ": (program, device("rxe0.rcvd_pkts", 0.5), RDMA.replace('"send"', '"read"'),
                                  [Flaw.MESSAGES], "rxe0.rcvd_pkts counted 2500"),
    "no packet of TCP": (program, device("rxe0.sent_pkts", 0), EXPERIMENT, [], ""),  # it puts messages together
    "fast enough": (speed, Pretending(), EXPERIMENT + COMPARED.format(least=0.5), [], ""),
    "too slow": (speed, Pretending(), EXPERIMENT + COMPARED.format(least=2.0), [Flaw.SLOW], ""),
    "sources of nothing": (sources, Pretending(), EXPERIMENT, [Flaw.BUILD], "the sources do not build mine"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_times_bytes_packets_speed_and_sources_of_a_program_are_checked(tmp_path: Path, case: str) -> None:
    check, site, text, kinds, what = CASES[case]
    findings = findings_of(tmp_path, check, site, text)
    assert [finding.kind for finding in findings] == kinds
    assert all(what in finding.what for finding in findings)


@pytest.mark.parametrize(
    ("site", "what"),
    [
        (rebuilt(1.0), []),
        (rebuilt(1.09), []),
        (rebuilt(1.12), [f"mine: the time in ns that it prints for {size} bytes is " for size in (64, 4096)]),
        (rebuilt(1.0, 1), ["ended with status 1"]),
    ],
    ids=["equal", "within", "slower", "sources fail"],
)
@pytest.mark.usefixtures("builds")
def test_binary_must_do_what_its_sources_do(tmp_path: Path, site: Any, what: list[str]) -> None:
    findings = findings_of(tmp_path, sources, site)
    assert [finding.kind for finding in findings] == [Flaw.SOURCES] * len(what)
    assert all(part in finding.what for finding, part in zip(findings, what, strict=True))


STEP = TaskStep("mine", 10, "it works", advice="look at mine.c")
TIERS = replace(STEP, against="tcp", tiers=(Tier(0.9, 3), Tier(2.0, 4)))
ALL, NONE = PartPoints("mine: it works", 10, 10), PartPoints("mine: it works", 10, 0)
TIER_NAMES = [f"mine: at least {tier.at_least:g} of tcp" for tier in TIERS.tiers]


@pytest.mark.parametrize(
    ("site", "step", "sizes", "parts", "what"),
    [
        (Traffic(), STEP, (3, 5), [ALL], []),
        (Traffic(), TIERS, (3,), [ALL, *map(PartPoints, TIER_NAMES, (3, 4), (3, 0))],
         ["mine: it reaches 1.00 of the rate of tcp on average over the sizes; 2 gives 4 more points"]),
        (Traffic(5, 0.5), TIERS, (3, 5), [replace(ALL, points=5), *map(PartPoints, TIER_NAMES, (3, 4), (0, 0))],
         ["mine: the program claims 5000 bytes over TCP; 2500 crossed the link"]),
        (Traffic(5, 0.5), replace(STEP, size=5), (3,), [NONE], ["claims 5000 bytes over TCP"]),
        (Traffic(4096, 0.5), STEP, (3,), [NONE], ["claims 4096000 bytes over TCP; 2048000 crossed"]),
    ],
    ids=["works", "tiers", "one size of two", "size of the step", "size of the experiment"],
)  # fmt: skip
@pytest.mark.usefixtures("builds")
def test_step_has_points_for_its_sizes_and_its_speed(
    tmp_path: Path, site: Any, step: TaskStep, sizes: tuple[int, ...], parts: list[PartPoints], what: list[str]
) -> None:
    text, demands = EXPERIMENT + COMPARED.format(least=1.0), replace(DEMANDS, sizes=sizes)
    results = findings_of(tmp_path, steps, site, text, task_steps=(step,), demands=demands)
    assert [each for each in results if isinstance(each, PartPoints)] == parts
    findings = [each for each in results if isinstance(each, Finding)]
    assert all(part in finding.what for finding, part in zip(findings, what, strict=True)), findings
    assert all(finding.hint.endswith("look at mine.c") for finding in findings)
    scores = [(each.name, each.unit, each.least_is_best) for each in results if isinstance(each, Score)]
    assert scores == ([("mine at 4K", "B/s", False)] if parts[0] == ALL else [])


@pytest.mark.usefixtures("builds")
def test_message_that_waits_for_a_delayed_acknowledgement_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake_site, "cost", lambda _: 30_000_000)
    results = findings_of(tmp_path, steps, Traffic(), EXPERIMENT + COMPARED.format(least=1.0), task_steps=(TIERS,))
    (slow,) = (each for each in results if isinstance(each, Finding))
    assert "more points; a message takes 30 ms, and Linux delays an acknowledgement by 40 ms" in slow.what
    assert slow.hint.endswith("set TCP_NODELAY, or pass the whole message to one send(); look at mine.c")


def test_every_repetition_is_watched_once_for_all_checks(tmp_path: Path) -> None:
    site = Silent()

    def made(case: Case) -> list[Finding]:
        assert case.grader_evidence.facts.keys() == case.grader_plan.trials().keys()
        return list(program(case))

    findings = findings_of(tmp_path, made, site, EXPERIMENT.replace("repetitions = 1", "repetitions = 3"))
    planned = [job for job in site.watched if {size for size, _ in sizes_and_counts(job)} == {64, 4096}]
    assert len(planned) == len({job.perturbation for job in planned}) == 3 and len(site.watched) == 4
    claimed = [finding for finding in findings if "over TCP; 0 crossed the link" in finding.what]
    assert len(claimed) == len(findings) == 3 * 2 + 1 and {finding.kind for finding in findings} == {Flaw.MESSAGES}


def test_trials_of_several_computers_are_not_watched_without_a_step(tmp_path: Path) -> None:
    text = re.sub("server = .*\nclient = .*", 'each = "mine {rank} {sizes} {addresses}"', EXPERIMENT)
    site = Together()

    def made(case: Case) -> list[Finding]:
        assert case.grader_evidence.facts.keys() == case.grader_plan.trials().keys()
        return []

    assert findings_of(tmp_path, made, site, text.replace("mtu = 4200", "mtu = 4200\ncomputers = 3")) == []
    assert site.watched == []


@pytest.mark.parametrize("status", [1, 128 + signal.SIGALRM])
def test_program_that_reports_faults_is_correct(tmp_path: Path, status: int) -> None:
    site = faulty(status)
    assert findings_of(tmp_path, correct, site) == []
    job = next(job for job in site.ran if "--verify" in job.steps[0].client)
    assert [step.server[2:4] for step in job.steps] == [("/lab/bin/mine", "--verify")]
    assert [size for size, _ in sizes_and_counts(job)] == [3]


@pytest.mark.parametrize(
    ("site", "kind", "what"),
    [
        (faulty(0), Flaw.ENDS_WELL, "mine without a server: the client ends well"),
        (faulty(124), Flaw.ENDS_WELL, "the client does not end within"),
        (faulty(139), Flaw.ENDS_WELL, "the client is ended by signal 11"),
        (faulty(1, 0), Flaw.TAKES_ANYTHING, "mine with '--depth 0': the client ends well"),
        (Pretending(status=only_its_sizes), Flaw.FAILS, "ended with status 1"),
    ],
    ids=["ends-well", "hangs", "crashes", "takes-anything", "only-its-sizes"],
)
def test_program_that_hides_a_fault_is_found(tmp_path: Path, site: Any, kind: Flaw, what: str) -> None:
    findings = findings_of(tmp_path, correct, site)
    assert kind in {finding.kind for finding in findings} and what in " ".join(finding.what for finding in findings)


def test_other_sizes_and_faults_also_use_the_card(tmp_path: Path) -> None:
    site, file = fake_site.FakeSite(), written(tmp_path, RDMA.replace("mtu = 4200", 'card = "qdr"'))
    (planned,) = hand_ins.plan_on(file, site, "d").planned
    samples = (Sample(64, "completed", 0, 1, 64, 9), Sample(16384, "completed", 0, 10, 163840, 1_000_000))
    jobs = [test.job for test in fault_tests(planned, samples, DEMANDS, site.ends)]
    jobs.append(at_other_sizes(planned, DEMANDS, site.ends).trial.job)
    assert len(jobs) == 4 and all(job.steps[0].client[:4:3] == (OVER_CARD, "/lab/bin/mine") for job in jobs)
    assert sizes_and_counts(jobs[2]) == [(16384, 5000)]  # so many take half a second, twice as long as the server lives
    assert jobs[-1].steps[0].server[4] == "--verify" and OVER_CARD in jobs[-2].steps[0].server


@pytest.mark.parametrize("checks", [(speed,), (program, speed)], ids=["speed-alone", "after-program"])
def test_invented_times_are_not_judged_by_their_speed(tmp_path: Path, checks: tuple[Any, ...]) -> None:
    def made(case: Case) -> list[Finding]:
        assert all(finding.kind is Flaw.INVENTED for check in checks[:-1] for finding in check(case))
        return list(checks[-1](case))

    with pytest.raises(Blocked, match=r"do not count: \[invented times\] mine: .* the program prints"):
        findings_of(tmp_path, made, Pretending(lambda ns, _: ns / 50), EXPERIMENT + COMPARED.format(least=3.0))


def test_only_binaries_and_sources_are_submitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = hand_ins.plan_on(written(tmp_path), fake_site.FakeSite(), "d")
    for name in ("Makefile", "core", "answers.csv"):
        (tmp_path / "mine" / name).write_text(name)
    (tmp_path / "mine" / "link.c").symlink_to("/etc/passwd")
    (tmp_path / "kept").write_bytes(b"measured")
    monkeypatch.setattr("lab.submission.hand_in.kept_binary", lambda *_: tmp_path / "kept")
    files = program_files(plan)
    assert sorted(files) == ["binaries/mine/mine", "sources/mine/Makefile", "sources/mine/mine.c"]
    assert files["binaries/mine/mine"] == b"measured"


def test_other_files_among_the_programs_are_named(tmp_path: Path) -> None:
    names = ("binaries/mine/mine", "sources/mine/mine.c", "sources/mine/x.exe", "binaries/mine/x", "sources/x.c", "x")
    findings = findings_of(tmp_path, package, Pretending(), EXPERIMENT, *names)
    strange = [finding.what.split()[0] for finding in findings if finding.what.endswith("not part of the programs")]
    assert strange == sorted(names[2:])
