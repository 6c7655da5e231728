"""Facts of a record: read, written, and judged."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.records.facts import CHECKS, parse_facts

WRITTEN = sorted((Path(__file__).parent / "written").glob("*.json"))


def document() -> Any:
    return json.loads(WRITTEN[0].read_text())


@pytest.mark.parametrize("file", WRITTEN, ids=lambda file: file.stem)
def test_record_keeps_its_values_and_their_types_when_read_and_written(file: Path) -> None:
    """The records of version 1.0.0, shortened: a value of each key is enough."""
    table = json.loads(file.read_text())
    assert json.dumps(parse_facts(table).table(), sort_keys=True) == json.dumps(table, sort_keys=True)


def test_launcher_is_written_unless_it_is_the_exact_sites() -> None:
    facts = parse_facts(document())
    assert "launcher" not in json.dumps(facts.table())
    ends = replace(facts.asked.ends, launcher="orterun apart")
    table = replace(facts, asked=replace(facts.asked, ends=ends)).table()
    assert isinstance(table["ends"], dict) and table["ends"]["launcher"] == "orterun apart"
    assert parse_facts(table).asked.ends == ends


def test_record_is_sound_with_all_checks_and_without_notes() -> None:
    assessment = parse_facts(document()).assessment
    assert assessment.is_sound and not replace(assessment, notes=("both ends spun",)).is_sound
    assert not replace(assessment, checks=CHECKS[1:]).is_sound and not replace(assessment, checks=None).is_sound
