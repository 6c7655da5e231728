"""A student's programs: lab.grade.{fault_tests,programs}, lab.grade.witness.claims, lab.submission.hand_in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.lab import fake_site, hand_ins
from tests.lab.grade.own_program import OTHER, experiment

from lab.errors import LabError
from lab.experiment.reader import load
from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.checks.package import sources, strange_programs
from lab.grade.checks.program import at_other_sizes, correct, fault_tests, program, speed
from lab.grade.checks.records import rerun
from lab.grade.finding import Finding, Flaw
from lab.grade.rebuild import keep_programs
from lab.model.trial import OVER_CARD, Job, Outcome, StepOutcome
from lab.plan.builds import keep_binaries
from lab.plan.plan import SiteFacts, binaries, make_plan
from lab.programs.program import Sample
from lab.submission.archive import PROGRAMS, Submission, pack
from lab.submission.assignment import Demands
from lab.submission.hand_in import program_files

EXPERIMENT = experiment(build="true")
START_NS = 30_000_000


class Pretended(fake_site.FakeSite):
    """Each message takes its cost by the clock; the program prints what it likes, and sends what it likes."""

    def __init__(self, told: Callable[[int], float], sent: float = 1.0) -> None:
        super().__init__()
        self.told, self.sent = told, sent

    def run(self, job: Job) -> Outcome:
        if "/mine" not in job.steps[0].client[0]:
            return super().run(job)
        steps, clock, total = [], 0, 0
        for step in job.steps:
            size, count = (int(fake_site.option(step.client, name)) for name in ("--size", "--iterations"))
            time_ns = count * fake_site.cost(size)
            rate = size * count / self.told(time_ns) * 1e9
            end = clock + START_NS + time_ns
            steps.append(StepOutcome(f"{size} {rate:.3f} B/s\n", "", "", "", 0, 0, clock, end))
            clock, total = end, total + size * count
        counters = dict.fromkeys(("v0.tx_bytes", "v0.rx_bytes"), round(total * self.sent))
        return Outcome(tuple(steps), dict.fromkeys(counters, 0), counters, 0, clock, "", 0.0)


class Device(Pretended):
    """Counts the packets of an RDMA device, so many for each message of 64 bytes and four times as many for 16 KiB."""

    def __init__(self, counter: str, packets: float = 1.0) -> None:
        super().__init__(lambda time_ns: time_ns)
        self.counter, self.packets = counter, packets

    def run(self, job: Job) -> Outcome:
        outcome, counted = super().run(job), 0.0
        for step in job.steps:
            size, count = (int(fake_site.option(step.client, name)) for name in ("--size", "--iterations"))
            counted += self.packets * count * max(1, size // 4096)
        before = outcome.counters_before | {self.counter: 7}
        return replace(
            outcome, counters_before=before, counters_after=outcome.counters_after | {self.counter: 7 + round(counted)}
        )


class Faulty(Pretended):
    """A client that ends as it likes in every pair that the grader spoiled."""

    def __init__(self, status: int, *, refuses: bool = True) -> None:
        super().__init__(lambda time_ns: time_ns)
        self.status, self.refuses = status, refuses
        self.seen: list[Job] = []

    def run(self, job: Job) -> Outcome:
        outcome, (step, *_) = super().run(job), job.steps
        self.seen.append(job)
        asked = "--depth" in step.client
        if not asked and "mine" in step.server[0]:
            return outcome
        status = (2 if self.refuses else 0) if asked else self.status
        return replace(outcome, steps=(replace(outcome.steps[0], client_status=status),))


class OnlyItsSizes(Pretended):
    """A program made for the sizes of the experiment."""

    def run(self, job: Job) -> Outcome:
        outcome = super().run(job)
        known = {fake_site.option(step.client, "--size") for step in job.steps} <= {"64", "4096"}
        return outcome if known else replace(outcome, steps=(replace(outcome.steps[0], client_status=1),))


def found(folder: Path, check: Any, site: Any, text: str = EXPERIMENT) -> list[Finding]:
    (folder / "mine").mkdir()
    (folder / "mine" / "mine").write_bytes(b"\x7fELF")
    (folder / "mine" / "mine.c").write_text("int main(void) {}\n")
    (folder / "small.toml").write_text(text)
    plan = hand_ins.plan_on(folder / "small.toml", site, "d")
    assignment: Any = SimpleNamespace(asked=Demands(sizes=(3,), verify=("--verify",), refuses=("--depth 0",)))
    setup = GradingSetup(assignment, site, plan, folder / "results", folder, folder, 1, lambda *_: None)
    case = Case(setup, SubmissionFile(folder / "x.pdf"), folder)
    files = {PROGRAMS: pack({"binaries/mine/mine": b"\x7fELF of the student"})}
    vars(case.hand_in)["submission"] = Submission("x", b"", files)
    return list(check(case))


@pytest.mark.parametrize("told", [lambda ns: ns, lambda ns: 1.2 * ns, lambda ns: 0.9 * ns + 1000])
def test_times_that_grow_as_the_clock_does_are_believed(tmp_path: Path, told: Callable[[int], float]) -> None:
    assert found(tmp_path, program, Pretended(told)) == []


@pytest.mark.parametrize("told", [lambda ns: ns / 2, lambda _: 1000.0, lambda ns: ns - 15_000_000])
def test_invented_times_are_found_by_the_sites_clock(tmp_path: Path, told: Callable[[int], float]) -> None:
    findings = found(tmp_path, program, Pretended(lambda ns: max(told(ns), 1)))
    assert [each.kind for each in findings] == [Flaw.INVENTED] and findings[0].what.startswith("mine: by the site")


@pytest.mark.parametrize("check", [program, rerun])
def test_data_that_take_another_way_are_found_by_the_links_counter(tmp_path: Path, check: Any) -> None:
    (finding,) = found(tmp_path, check, Pretended(lambda ns: ns, sent=0.01))
    assert finding.kind is Flaw.NOT_MEASURED and "the data took another way" in finding.what


RDMA = experiment("true", "rdma = true").replace("64,4K", "64,16K")


@pytest.mark.parametrize("counter", ["rxe0.sent_pkts", "rxe0.port_xmit_packets"])
def test_messages_need_so_many_packets_of_an_rdma_device(tmp_path: Path, counter: str) -> None:
    (tmp_path / "whole").mkdir()
    assert found(tmp_path / "whole", program, Device(counter), RDMA) == []
    (finding,) = found(tmp_path, program, Device(counter, packets=0.99), RDMA)
    assert finding.kind is Flaw.MESSAGES
    assert finding.what == f"mine: its messages need 5000 packets at least, {counter} counted 4950"


def test_packets_of_a_read_are_counted_where_they_come_in(tmp_path: Path) -> None:
    reads = RDMA.replace('"send"', '"read"')
    (finding,) = found(tmp_path, program, Device("rxe0.rcvd_pkts", packets=0.5), reads)
    assert "rxe0.rcvd_pkts counted 2500" in finding.what


def test_what_tcp_puts_into_one_packet_is_its_own_matter(tmp_path: Path) -> None:
    assert found(tmp_path, program, Device("rxe0.sent_pkts", packets=0), EXPERIMENT) == []


def test_a_program_that_fails_when_it_must_is_correct(tmp_path: Path) -> None:
    site = Faulty(1)
    assert found(tmp_path, correct, site) == []
    other, *_ = [job for job in site.seen if "--verify" in job.steps[0].client]
    assert [step.server[:2] for step in other.steps] == [("/lab/bin/mine", "--verify")]
    assert [fake_site.option(step.client, "--size") for step in other.steps] == ["3"]


def test_other_sizes_and_faults_go_over_the_card_too(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "small.toml").write_text(RDMA.replace("mtu = 4200", 'card = "qdr"'))
    (planned,) = hand_ins.plan_on(tmp_path / "small.toml", fake_site.FakeSite(), "d").planned
    asked, ends = Demands(sizes=(3,), verify=("--verify",), refuses=("--depth 0",)), fake_site.FakeSite().ends
    jobs = [each.job for each in fault_tests(planned, (Sample(64, "completed", 0, 1, 64, 9),), asked, ends)]
    jobs.append(at_other_sizes(planned, asked, ends).trial.job)
    assert len(jobs) == 4 and all(job.steps[0].client[:2] == (OVER_CARD, "/lab/bin/mine") for job in jobs)
    assert jobs[-1].steps[0].server[2] == "--verify" and OVER_CARD in jobs[-2].steps[0].server


@pytest.mark.parametrize(
    ("site", "kind", "what"),
    [
        (Faulty(0), Flaw.ENDS_WELL, "mine without a server: the client ends well"),
        (Faulty(124), Flaw.ENDS_WELL, "the client does not end within"),
        (Faulty(139), Flaw.ENDS_WELL, "the client is ended by signal 11"),
        (Faulty(1, refuses=False), Flaw.TAKES_ANYTHING, "mine told '--depth 0': the client ends well"),
    ],
    ids=["ends-well", "hangs", "crashes", "takes-anything"],
)
def test_a_program_that_hides_a_fault_is_found(tmp_path: Path, site: Faulty, kind: Flaw, what: str) -> None:
    findings = found(tmp_path, correct, site)
    assert {each.kind for each in findings} == {kind} and what in " ".join(each.what for each in findings)


def test_a_program_that_knows_only_the_sizes_of_the_experiment_is_found(tmp_path: Path) -> None:
    findings = found(tmp_path, correct, OnlyItsSizes(lambda time_ns: time_ns))
    assert Flaw.FAILS in {each.kind for each in findings} and "ended with status 1" in findings[0].what


def test_sources_that_give_no_program_are_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, sources, Pretended(lambda time_ns: time_ns))
    assert finding == Finding(Flaw.BUILD, "the sources don't give mine")


def test_binaries_and_sources_travel_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("mine", "mine.c", "Makefile", "core", "answers.csv"):
        (tmp_path / "mine" / name).write_text(name)
    (tmp_path / "mine" / "link.c").symlink_to("/etc/passwd")
    (tmp_path / "small.toml").write_text(EXPERIMENT)
    plan = hand_ins.plan_on(tmp_path / "small.toml", fake_site.FakeSite(), "d")
    (tmp_path / "kept").write_bytes(b"measured")
    monkeypatch.setattr("lab.submission.hand_in.kept_binary", lambda *_: tmp_path / "kept")
    files = program_files(plan)
    assert sorted(files) == ["binaries/mine/mine", "sources/mine/Makefile", "sources/mine/mine.c"]
    assert files["binaries/mine/mine"] == b"measured"


def test_two_programs_of_one_name_in_folders_of_one_name_get_their_own(tmp_path: Path) -> None:
    for folder in ("mine", "other/mine"):
        (tmp_path / folder).mkdir(parents=True)
        for name in ("mine", "mine.c"):
            (tmp_path / folder / name).write_text(f"{folder}/{name}")
    (tmp_path / "small.toml").write_text(EXPERIMENT + OTHER)
    two = load(tmp_path / "small.toml")
    programs = keep_binaries(binaries([two]))
    handed_in = program_files(make_plan(two, SiteFacts.of(fake_site.FakeSite()), programs))
    assert {name: content.decode() for name, content in handed_in.items()} == {
        "binaries/mine/mine": "mine/mine", "binaries/other/mine": "other/mine/mine",
        "sources/mine/mine.c": "mine/mine.c", "sources/other/mine.c": "other/mine/mine.c",
    }  # fmt: skip
    assert keep_programs(pack(handed_in), two, tmp_path / "kept") == programs


def test_what_is_no_program_among_the_programs_is_named(tmp_path: Path) -> None:
    names = ("binaries/mine/mine", "sources/mine/mine.c", "sources/mine/x.exe", "binaries/mine/x", "sources/x.c", "x")
    (tmp_path / "mine").mkdir()
    (tmp_path / "small.toml").write_text(EXPERIMENT)
    plan: Any = SimpleNamespace(experiment=load(tmp_path / "small.toml"))
    case: Any = SimpleNamespace(
        setup=SimpleNamespace(plan=plan),
        file=lambda _: pack(dict.fromkeys(names, b"")),
        submission=Submission("x", b"", {PROGRAMS: b""}),
    )
    assert [each.what.split()[0] for each in strange_programs(case)] == sorted(names[2:])


def test_a_binary_of_another_name_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "small.toml").write_text(EXPERIMENT)
    with pytest.raises(LabError, match="binaries/mine/mine is missing"):
        keep_programs(pack({"binaries/mine/other": b""}), load(tmp_path / "small.toml"), tmp_path / "kept")


COMPARED = """
[[series]]
name = "tcp"
program = "tcp"
operation = "send"
measure = "throughput"
[[comparison]]
name = "mine over tcp"
ours = "mine"
peers = ["tcp"]
at_least = {least}
"""


@pytest.mark.parametrize(("least", "kinds"), [(0.5, []), (2.0, [Flaw.SLOW])])
def test_a_program_must_be_as_fast_as_the_assignment_asks(tmp_path: Path, least: float, kinds: list[Flaw]) -> None:
    text = EXPERIMENT + COMPARED.format(least=least)
    assert [each.kind for each in found(tmp_path, speed, Pretended(lambda ns: ns), text)] == kinds
