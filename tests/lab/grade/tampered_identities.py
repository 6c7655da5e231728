"""Kinds of tampering with the identity: records of another machine, and rates within what it may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.lab import hand_ins
from tests.lab.grade.forger import Forger
from tests.lab.grade.tampering import any_key, found_by

from lab.grade.finding import Flaw
from lab.model.trial import Ends, Job, Outcome
from lab.plan.plan import perturb

LISTED = "listed"  # the image of a machine that the course accepts besides the grader's own
Luck = Callable[[str, int], float]  # how much slower a program is in a repetition


class Chosen(hand_ins.Site):
    """A machine whose times its owner chooses, with clocks and counters to match."""

    def __init__(self, luck: Luck, image: str = LISTED) -> None:
        super().__init__(image)
        self.chosen = luck

    def run(self, job: Job) -> Outcome:
        program = "tcp" if "tcp-client" in job.steps[0].client[0] else "verbs"
        repetition = next(each for each in range(1, 100) if perturb(each) == job.perturbation)
        self.slowness = self.chosen(program, repetition)
        return super().run(job)


class Renamed(hand_ins.Site):
    """The grader's machine under other words."""

    def __init__(self, **words: str) -> None:
        super().__init__()
        self.words = words

    def identity(self) -> dict[str, str]:
        return super().identity() | self.words


class OtherCard(hand_ins.Site):
    """The grader's machine, whose device has the name of a real card."""

    @property
    def ends(self) -> Ends:
        ends = super().ends
        return replace(ends, client=replace(ends.client, device="mlx5_0"))


def own_luck(repetition: int) -> float:
    """What the fake machine's perturbation does to a repetition."""
    return 1 + (perturb(repetition).start_delay_ns // 1000) % 13 / 1000


def chosen(forger: Forger, luck: Luck) -> bytes:
    return forger.pdf(forger.measured(Chosen(luck)))


@found_by("rerun", Flaw.SHIFT, listed=True)
def one_program_faster_within_the_tolerance(forger: Forger, variant: int) -> bytes:
    by = (0.915, 0.92, 0.925, 0.93, 0.94)[variant % 5]
    return chosen(forger, lambda program, _: by if program == "verbs" else 1.0)


@found_by("rerun", Flaw.SHIFT, listed=True)
def all_programs_slower_within_the_tolerance(forger: Forger, variant: int) -> bytes:
    return chosen(forger, lambda *_: 1.06 + variant % 5 / 100)


@found_by("rerun", Flaw.RATIO, listed=True)
def two_programs_moved_apart(forger: Forger, variant: int) -> bytes:
    by = (0.095, 0.08, 0.06, 0.045, 0.04)[variant % 5]
    return chosen(forger, lambda program, _: 1 - by if program == "verbs" else 1 + by)


@found_by("rerun", Flaw.TOLERANCE, listed=True)
def beyond_the_tolerance(forger: Forger, variant: int) -> bytes:
    return chosen(forger, lambda program, _: 0.5 + variant % 4 / 10 if program == "verbs" else 1.0)


@found_by("rerun", Flaw.SPREAD, listed=True)
def wide_intervals_around_true_medians(forger: Forger, variant: int) -> bytes:
    """So that the interval of a claim overlaps with anything."""
    far = (0.07, 0.065, 0.075, 0.08, 0.06)[variant % 5]
    return chosen(forger, lambda _, repetition: 1 + far * (-1) ** repetition * (repetition > 2))


@found_by("rerun", Flaw.SPREAD, listed=True)
def the_same_in_every_repetition(forger: Forger, variant: int) -> bytes:
    return chosen(forger, lambda _, repetition: (0.99 + variant % 5 / 200) / own_luck(repetition))


@found_by("rerun", Flaw.REPETITION, listed=True)
def one_lucky_repetition(forger: Forger, variant: int) -> bytes:
    lucky = 1 + variant % 6
    return chosen(forger, lambda program, repetition: 0.8 if (program, repetition) == ("verbs", lucky) else 1.0)


@found_by("claims", Flaw.NOT_REPRODUCED, listed=True)
def claim_whose_wide_interval_reaches_the_truth(forger: Forger, variant: int) -> bytes:
    by = 0.8 - variant % 5 / 50
    return chosen(forger, lambda program, repetition: by if program == "verbs" and repetition > 2 else 1.0)


@found_by("rerun", Flaw.OTHER_IDENTITY)
def another_machine(forger: Forger, variant: int) -> bytes:
    return forger.pdf(forger.measured(hand_ins.Site(f"machine-{variant}", 1 - variant / 100)))


@found_by("rerun", Flaw.OTHER_IDENTITY)
def other_programs(forger: Forger, variant: int) -> bytes:
    return forger.pdf(forger.measured(hand_ins.Site(), "efabc"[variant % 5] * 64))


@found_by("rerun", Flaw.OTHER_IDENTITY)
def other_programs_on_a_listed_machine(forger: Forger, variant: int) -> bytes:
    return forger.pdf(forger.measured(hand_ins.Site(LISTED), "efabc"[variant % 5] * 64))


@found_by("rerun", Flaw.OTHER_IDENTITY)
def invented_hardware(forger: Forger, variant: int) -> bytes:
    name = ("card", "firmware", "link", "kernel", "processor")[variant % 5]
    return forger.pdf(forger.measured(Renamed(**{name: "NVIDIA 400 Gbit/s"})))


@found_by("rerun", Flaw.OTHER_IDENTITY)
def device_of_another_name(forger: Forger, _: int) -> bytes:
    return forger.pdf(forger.measured(OtherCard()))


@found_by("rerun", Flaw.UNREADABLE)
def identity_that_names_nothing(forger: Forger, variant: int) -> bytes:
    text = (b"{}", b"[]", b"{", b'{"site": 3}', b'{"site": "exact", "image": []}')[variant % 5]
    return forger.pdf(forger.files | {"identity.json": text})


@found_by("rerun", Flaw.HEADER)
def deeper_queue_in_the_header(forger: Forger, variant: int) -> bytes:
    return forger.pdf(forger.facts(any_key(forger, variant), deepen))


@found_by("rerun", Flaw.HEADER, listed=True)
def deeper_queue_on_a_listed_machine(forger: Forger, variant: int) -> bytes:
    there = replace(forger, files=forger.measured(hand_ins.Site(LISTED)))
    return forger.pdf(there.facts(any_key(there, variant), deepen))


@found_by("records", Flaw.HEADER)
def number_without_end_in_the_header(forger: Forger, variant: int) -> bytes:
    line = ("depth=" + "9" * 5000, "x" * 30_000, "\x1b[2J", "depth=1\u202e", "a\nb")[variant % 5]
    return forger.pdf(forger.facts(any_key(forger, variant), lambda facts: facts["header"].update({"size 64": line})))


@found_by("records", Flaw.STATE)
def node_that_is_no_computer(forger: Forger, variant: int) -> bytes:
    nodes: tuple[list[Any], ...] = ["NVIDIA DGX"], ["a\nb"], [{}], ["x" * 100], ["n"] * 100
    change = {"nodes": nodes[variant % 5]}
    return forger.pdf(forger.facts(any_key(forger, variant), lambda facts: facts["state"].update(change)))


@found_by("records", Flaw.RECORD)
def version_that_boasts(forger: Forger, variant: int) -> bytes:
    lab = ("NVIDIA", "1.0.0 (checked)", "1.0.0\n", "v1", "1.0.0+100 of 100")[variant % 5]
    return forger.pdf(forger.facts(any_key(forger, variant), lambda facts: facts.update(lab=lab)))


@found_by("records", Flaw.RECORD)
def checks_that_boast(forger: Forger, variant: int) -> bytes:
    def boast(facts: dict[str, Any]) -> None:
        facts["checks"] = [[*facts["checks"], "100 of 100"], facts["checks"][1:], []][variant % 3]

    return forger.pdf(forger.facts(any_key(forger, variant), boast))


@found_by("records", Flaw.IDENTITY)
def one_record_of_another_machine(forger: Forger, variant: int) -> bytes:
    changes: list[dict[str, Any]] = [{"image": "another"}, {"image": "fake", "card": "NVIDIA"}, {}]
    key = forger.keys[1 + variant % 5]
    return forger.pdf(forger.facts(key, lambda facts: facts.update(identity=changes[variant % 3])))


@found_by("records", Flaw.OTHER_LINK)
def one_record_between_other_ends(forger: Forger, variant: int) -> bytes:
    key, name = forger.keys[1 + variant % 5], ("device", "interface", "host")[variant % 3]
    return forger.pdf(forger.facts(key, lambda facts: facts["ends"]["client"].update({name: "mlx5_0"})))


@found_by("records", Flaw.OTHER_LINK)
def another_path(forger: Forger, variant: int) -> bytes:
    path = ("RDMA from mlx5_0", "the card's own", "")[variant % 3]
    return forger.pdf(forger.facts(any_key(forger, variant), lambda facts: facts.update(path=path)))


def deepen(facts: dict[str, Any]) -> None:
    """All queues ten times as deep."""
    facts["header"] = {name: line.replace("depth=", "depth=1") for name, line in facts["header"].items()}
