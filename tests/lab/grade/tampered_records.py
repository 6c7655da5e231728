"""Kinds of tampering with the data: records, their tables, the identity, and rates of a chosen machine."""

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.lab import hand_ins
from tests.lab.grade.forger import Files, Forger
from tests.lab.grade.tampering import (
    Forge,
    any_key,
    any_of,
    changed,
    faster,
    file_of,
    found_by,
    kinds,
    with_facts,
    without_line,
)

from lab.grade.finding import Flaw
from lab.model.trial import Ends, Job, Outcome
from lab.plan.plan import perturb
from lab.records.record import RECORD, SAMPLES, SERVER_LOG
from lab.submission.archive import RECORDS

LISTED = "listed"  # the image of a machine that the course accepts besides the grader's
Facts = dict[str, Any]
Luck = Callable[[str, int], float]  # how much slower a program is in a repetition


# The tables and the files of records


def with_cell(text: str, variant: int) -> str:
    lines = text.splitlines(keepends=True)
    place = 1 + variant % (len(lines) - 1)
    lines[place] = re.sub(r",(\d{5,}),", lambda match: f",{int(match[1]) + 10},", lines[place], count=1)
    return "".join(lines)


def with_digest(text: str, variant: int) -> str:
    digest = re.findall(r'"sha256": "([0-9a-f]{64})"', text)[variant % 12]
    return text.replace(digest, "0" * 64)


NO_IDENTITY = (b"{}", b"[]", b"{", b'{"site": 3}', b'{"site": "exact", "image": []}')
kinds(
    ("cell_of_the_table", "records", Flaw.TABLE, changed("small.csv", with_cell)),
    ("row_of_the_table", "records", Flaw.TABLE, changed("small.csv", without_line)),
    ("digest_in_the_manifest", "records", Flaw.MANIFEST, changed("manifest.json", with_digest)),
    ("another_machines_name", "records", Flaw.STRANGE_RECORD,
     changed("identity.json", lambda text, _: text.replace("fake", "real"))),
    ("another_site", "records", Flaw.SITE,
     changed("identity.json", lambda text, _: text.replace('"exact"', '"host"'))),
    ("identity_that_names_nothing", "rerun", Flaw.UNREADABLE, file_of("identity.json", *NO_IDENTITY)),
)  # fmt: skip


@found_by("records", Flaw.MISSING_RECORD)
def best_run_kept(forger: Forger, variant: int) -> bytes:
    best = any_key(forger, variant)

    def keep(records: Files) -> None:
        for path in [path for path in records if not path.startswith(best)]:
            del records[path]

    return forger.pdf(forger.records(keep))


@found_by("records", Flaw.TRAILING)
def more_in_the_zip_of_records(forger: Forger, variant: int) -> bytes:
    """Before the first record, behind the last, or where no reader of zips looks."""
    more, content = b"MZ hidden " * 1000, forger.files[RECORDS]
    stream = io.BytesIO(content)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.comment = more
    content = (more + content, stream.getvalue(), content + more)[variant % 3]
    return forger.pdf(forger.files | {RECORDS: content})


@found_by("records", Flaw.ROWS)
def rows_of_samples_dropped(forger: Forger, variant: int) -> bytes:
    def drop(text: str) -> str:
        rows = text.splitlines()
        del rows[2 + variant % 20]
        return "\n".join([*rows[:-1], f"# end rows={len(rows) - 3}", ""])

    return forger.pdf(forger.samples([any_key(forger, variant)], drop))


def keys_of(forger: Forger, series: str) -> list[str]:
    return [planned.trial.key for planned in forger.work.plan.planned if planned.series.name == series]


@found_by("rerun", Flaw.SAMPLE)
def sample_with_all_else_redone(forger: Forger, variant: int) -> bytes:
    return forger.remade(forger.samples([any_key(forger, variant)], lambda text: faster(text, 0.9)))


@found_by("rerun", Flaw.SAMPLE)
def invented_times(forger: Forger, variant: int) -> bytes:
    return forger.pdf(forger.samples(keys_of(forger, "verbs"), lambda text: faster(text, 0.5 + variant % 4 / 10)))


@found_by("rerun", Flaw.SAMPLE)
def best_run_six_times(forger: Forger, variant: int) -> bytes:
    keys = keys_of(forger, "verbs")

    def copy(records: Files) -> None:
        for key in keys:
            records[f"{key}/{SAMPLES}"] = records[f"{keys[variant % len(keys)]}/{SAMPLES}"]

    return forger.pdf(forger.records(copy))


# The facts of one record


@found_by("records", Flaw.OTHER_LINK)
def tcp_from_another_link(forger: Forger, variant: int) -> bytes:
    keys = keys_of(forger, "tcp")
    return forger.pdf(forger.facts(keys[variant % len(keys)], lambda facts: facts["link"].update(rate_bit_s=10**9)))


def stopped(facts: Facts, _: int) -> None:
    facts["steps"][0]["clock_end_ns"] = facts["steps"][0]["clock_start_ns"] + 1


def deepened(facts: Facts, _: int = 0) -> None:
    """All queues ten times as deep."""
    facts["header"] = {name: line.replace("depth=", "depth=1") for name, line in facts["header"].items()}


def boasting(facts: Facts, variant: int) -> None:
    facts["checks"] = [[*facts["checks"], "100 of 100"], facts["checks"][1:], []][variant % 3]


def raised(facts: Facts, _: int) -> None:
    facts["counters_after"] = {name: value + 1000 for name, value in facts["counters_after"].items()}


NO_NUMBERS: list[Any] = [None, "1", 1.5, [], True]
STRANGE_LINES = ("depth=" + "9" * 5000, "x" * 30_000, "\x1b[2J", "depth=1\u202e", "a\nb")
STRANGE_NODES: list[Any] = [["NVIDIA DGX"], ["a\nb"], [{}], ["x" * 100], ["n"] * 100]
STRANGE_VERSIONS = ("NVIDIA", "1.0.0 (checked)", "1.0.0\n", "v1", "1.0.0+100 of 100")
OTHER_IDENTITIES: list[Facts] = [{"image": "another"}, {"image": "fake", "card": "NVIDIA"}, {}]
ENDS, PATHS = ("device", "interface", "host"), ("RDMA from mlx5_0", "the card's own", "")

kinds(
    ("counter_below_the_bytes", "records", Flaw.COUNTER,
     with_facts(lambda facts, _: facts["counters_after"].update(dict.fromkeys(facts["counters_after"], 1)))),
    ("counter_polished", "rerun", Flaw.COUNTER, with_facts(raised)),
    ("clock_stopped", "records", Flaw.CLOCK, with_facts(stopped)),
    ("failed_program_kept", "records", Flaw.STATUS,
     with_facts(lambda facts, variant: facts["steps"][0].update(client_status=1 + variant))),
    ("other_options", "records", Flaw.RECORD,
     with_facts(lambda facts, variant: facts["options"].update(windows=7 + variant))),
    ("no_number", "records", Flaw.RECORD,
     with_facts(lambda facts, variant: facts.update(clock_end_ns=NO_NUMBERS[variant % 5]))),
    ("deeper_queue_in_the_header", "rerun", Flaw.HEADER, with_facts(deepened)),
    ("number_without_end_in_the_header", "records", Flaw.HEADER,
     with_facts(lambda facts, variant: facts["header"].update({"size 64": STRANGE_LINES[variant % 5]}))),
    ("node_that_is_no_computer", "records", Flaw.STATE,
     with_facts(lambda facts, variant: facts["state"].update(nodes=STRANGE_NODES[variant % 5]))),
    ("version_that_boasts", "records", Flaw.RECORD,
     with_facts(lambda facts, variant: facts.update(lab=STRANGE_VERSIONS[variant % 5]))),
    ("version_of_another_program", "rerun", Flaw.RECORD, with_facts(lambda facts, _: facts.update(lab="9.9.9"))),
)  # fmt: skip


# Texts beside the compared values: logs, and other bytes of the same record


def with_bytes(file: str, change: Callable[[bytes], bytes]) -> Forge:
    """Changes the bytes of one file of a record."""

    def forge(forger: Forger, variant: int) -> bytes:
        def change_file(records: Files) -> None:
            path = f"{any_key(forger, variant)}/{file}"
            records[path] = change(records[path])

        return forger.pdf(forger.records(change_file))

    return forge


kinds(
    ("log_that_boasts", "rerun", Flaw.RECORD, with_bytes(SERVER_LOG, lambda _: b"measured on a ConnectX-7\n")),
    ("keys_that_are_there_twice", "records", Flaw.RECORD,
     with_bytes(RECORD, lambda text: text.replace(b"{", b'{"clock_end_ns": 1, ', 1))),
    ("record_with_other_spaces", "records", Flaw.RECORD,
     with_bytes(RECORD, lambda text: text.replace(b"\n ", b"\n\t"))),
    ("checks_that_boast", "records", Flaw.RECORD, with_facts(boasting)),
    ("one_record_of_another_machine", "records", Flaw.IDENTITY,
     with_facts(lambda facts, variant: facts.update(identity=OTHER_IDENTITIES[variant % 3]), first=1)),
    ("one_record_between_other_ends", "records", Flaw.OTHER_LINK,
     with_facts(lambda facts, variant: facts["ends"]["client"].update({ENDS[variant % 3]: "mlx5_0"}), first=1)),
    ("another_path", "records", Flaw.OTHER_LINK,
     with_facts(lambda facts, variant: facts.update(path=PATHS[variant % 3]))),
)  # fmt: skip


# Another machine


class Chosen(hand_ins.Site):
    """A machine with chosen times, and clocks and counters that match."""

    def __init__(self, luck: Luck) -> None:
        super().__init__(LISTED)
        self.chosen = luck

    def run(self, job: Job) -> Outcome:
        program = "tcp" if "tcp-client" in job.steps[0].client[0] else "verbs"
        repetition = next(number for number in range(1, 100) if perturb(number) == job.perturbation)
        self.slowness = self.chosen(program, repetition)
        return super().run(job)


class Renamed(hand_ins.Site):
    """The grader's machine with another identity."""

    def __init__(self, **parts: str) -> None:
        super().__init__()
        self.parts = parts

    def identity(self) -> dict[str, str]:
        return super().identity() | self.parts


class OtherCard(hand_ins.Site):
    """The grader's machine, whose device has the name of a real card."""

    @property
    def ends(self) -> Ends:
        ends = super().ends
        return replace(ends, client=replace(ends.client, device="mlx5_0"))


def with_luck(luck: Callable[[int], Luck]) -> Forge:
    """Has the rates of a chosen machine that the course accepts."""
    return lambda forger, variant: forger.pdf(forger.measured(Chosen(luck(variant))))


def of_verbs(by: float) -> Luck:
    return lambda program, _: by if program == "verbs" else 1.0


def apart(by: float) -> Luck:
    return lambda program, _: 1 - by if program == "verbs" else 1 + by


def wide(by: float) -> Luck:
    """So that the interval of a claim overlaps with anything."""
    return lambda _, repetition: 1 + by * (-1) ** repetition * (repetition > 2)


def equal(by: float) -> Luck:
    """Undoes what the fake machine's perturbation does to a repetition."""
    return lambda _, repetition: by / (1 + (perturb(repetition).start_delay_ns // 1000) % 13 / 1000)


kinds(
    ("one_program_faster_within_the_tolerance", "rerun", Flaw.SHIFT,
     with_luck(lambda variant: of_verbs((0.915, 0.92, 0.925, 0.93, 0.94)[variant % 5]))),
    ("all_programs_slower_within_the_tolerance", "rerun", Flaw.SHIFT,
     with_luck(lambda variant: lambda *_: 1.06 + variant % 5 / 100)),
    ("two_programs_moved_apart", "rerun", Flaw.RATIO,
     with_luck(lambda variant: apart((0.095, 0.08, 0.06, 0.045, 0.04)[variant % 5]))),
    ("beyond_the_tolerance", "rerun", Flaw.TOLERANCE, with_luck(lambda variant: of_verbs(0.5 + variant % 4 / 10))),
    ("wide_intervals_around_true_medians", "rerun", Flaw.SPREAD,
     with_luck(lambda variant: wide((0.07, 0.065, 0.075, 0.08, 0.06)[variant % 5]))),
    ("the_same_in_every_repetition", "rerun", Flaw.SPREAD, with_luck(lambda variant: equal(0.99 + variant % 5 / 200))),
    ("one_lucky_repetition", "rerun", Flaw.REPETITION,
     with_luck(lambda n: lambda program, number: 0.8 if (program, number) == ("verbs", 1 + n % 6) else 1.0)),
    ("claim_whose_wide_interval_reaches_the_truth", "claims", Flaw.NOT_REPRODUCED,
     with_luck(lambda n: lambda program, number: 0.8 - n % 5 / 50 if program == "verbs" and number > 2 else 1.0)),
    listed=True,
)  # fmt: skip


def with_site(site: Callable[[int], hand_ins.Site], digests: tuple[str, ...] = ("d",)) -> Forge:
    """Has records of a machine, or of programs, that the course does not accept."""
    return lambda forger, variant: forger.pdf(forger.measured(site(variant), any_of(digests, variant)))


HARDWARE = ("card", "firmware", "link", "kernel", "processor")
DIGESTS = tuple(letter * 64 for letter in "efabc")
kinds(
    ("another_machine", "rerun", Flaw.OTHER_IDENTITY,
     with_site(lambda variant: hand_ins.Site(f"machine-{variant}", 1 - variant / 100))),
    ("other_programs", "rerun", Flaw.OTHER_IDENTITY, with_site(lambda _: hand_ins.Site(), DIGESTS)),
    ("other_programs_on_a_listed_machine", "rerun", Flaw.OTHER_IDENTITY,
     with_site(lambda _: hand_ins.Site(LISTED), DIGESTS)),
    ("invented_hardware", "rerun", Flaw.OTHER_IDENTITY,
     with_site(lambda variant: Renamed(**{HARDWARE[variant % 5]: "NVIDIA 400 Gbit/s"}))),
    ("device_of_another_name", "rerun", Flaw.OTHER_IDENTITY, with_site(lambda _: OtherCard())),
)  # fmt: skip


@found_by("rerun", Flaw.HEADER, listed=True)
def deeper_queue_on_a_listed_machine(forger: Forger, variant: int) -> bytes:
    there = replace(forger, files=forger.measured(hand_ins.Site(LISTED)))
    return forger.pdf(there.facts(any_key(there, variant), deepened))
