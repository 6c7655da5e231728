"""Statements are judged as a person reads the CSV: lab.report.query.{judge,measures}, lab.report.answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.lab.report.query.numbers_of import numbers_of

from lab.report.query.judge import judge

TABLE = Path(__file__).with_name("statements.txt")


def _statements() -> Iterator[tuple[str, str, str]]:
    experiment = ""
    for line in TABLE.read_text().splitlines():
        if line.startswith("["):
            experiment = line.strip("[]")
        elif line and not line.startswith("#"):
            verdict, _, statement = line.partition(" ")
            yield experiment, verdict, statement


@pytest.mark.parametrize(("experiment", "verdict", "statement"), list(_statements()))
def test_a_statement_has_the_verdict_that_a_person_reads_off_the_table(
    experiment: str, verdict: str, statement: str
) -> None:
    judged = judge(numbers_of(experiment), statement)
    assert judged.truth.value == verdict, judged.shows
