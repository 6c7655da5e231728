"""A program of one's own whose ends both poll, as an experiment brings it along: docs/own_programs.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.machine.link import BASE_NS
from lab.plan.planning import open_workshop
from lab.records.record import Record
from lab.run.measure import measure
from lab.sites.exact import ExactSite

ONE_FOR_BOTH_NS = 4_000_000  # what such a trip takes on one processor: a tick of the scheduler
SPINNING = f"""
title = "Both ends poll"
question = "Does one wait for the other's processor?"
parameters = {{ sizes = "1,1K,16K", iterations = 100 }}
[programs.spinning]
folder = "{Path(__file__).parent / "spinning"}"
build = "make -s"
binaries = ["spinning"]
server = "spinning {{size}} 0 {{port}} {{host}}"
client = "spinning {{size}} {{iterations}} {{port}} {{host}}"
output = "columns"
both_spin = true
[[series]]
name = "spinning"
program = "spinning"
operation = "send"
measure = "latency"
"""


@pytest.fixture(scope="module")
def record(exact: ExactSite, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """What it leaves."""
    file = tmp_path_factory.mktemp("spinning") / "spinning.toml"
    file.write_text(SPINNING)
    shop = open_workshop([file], exact, print)
    return measure(shop.plans[0].planned[0], exact, shop.facts)


def test_no_end_waits_for_the_others_processor(record: Record) -> None:
    trips = {sample.size_bytes: sample.time_ns for sample in record.samples}
    assert trips.keys() == {1, 1024, 16384}
    assert all(2 * BASE_NS < trip < ONE_FOR_BOTH_NS / 20 for trip in trips.values()), trips


def test_its_record_has_no_note_of_two_ends_that_share_a_processor(record: Record) -> None:
    assert not record.facts.judged.notes
