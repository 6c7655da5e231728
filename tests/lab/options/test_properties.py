"""What the schema of experiments says of the programs' options: lab.model.parameters."""

from __future__ import annotations

from dataclasses import fields

import pytest

from lab.files.schema import EXPERIMENT, check_value, whole_schema
from lab.model.parameters import Parameters
from lab.options import properties


def test_every_parameter_has_its_values_and_only_parameters_have() -> None:
    described = whole_schema(EXPERIMENT)["$defs"]["value"]["properties"]
    assert set(described) == {each.name for each in fields(Parameters)}


def test_every_option_says_what_it_is() -> None:
    assert all(each["description"] for each in properties().values())


@pytest.mark.parametrize(
    ("name", "good", "bad", "expected"),
    [
        ("stable_window", (2, 1000), (1, 1001, "auto"), "at least 2"),
        ("until_stable", (0, 1, 100), (-1, 101), "at least 0"),
        ("least_time_s", (0, 3600, "auto"), (-1, 3601, "never"), 'at least 0 or "auto"'),
        ("send_buffer", (0, 2**31 - 1), (2**31, -1, "big"), 'at most 2147483647 or a text such as "64K"'),
        ("wait", ("poll", "event"), ("sleep", 1), "one of poll, yield, event"),
        ("verify", (True, False), (1, "yes"), "true or false"),
        ("tx_depth", (1, 2**20), (0, 2**20 + 1), "at least 1"),
        ("seed", (0, 2**63 - 1), (-1,), "at least 0"),
    ],
)
def test_values_are_those_that_the_program_takes(
    name: str, good: tuple[object, ...], bad: tuple[object, ...], expected: str
) -> None:
    assert not any(check_value(name, value) for value in good)
    faults = [check_value(name, value) for value in bad]
    assert all(faults) and faults[0] and expected.split(" or ")[0] in faults[0].expected
