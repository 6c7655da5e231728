from pathlib import Path

import pytest

from lab.errors import LabError, SpecError


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (LabError("it broke"), "it broke"),
        (LabError("it broke", "/a", "lab doctor"), "/a: it broke (try: lab doctor)"),
        (
            SpecError("it is no size", file=Path("x.toml"), line=3, expected="64"),
            "x.toml:3: it is no size, expected 64",
        ),
        (SpecError("it has no series", file=Path("x.toml"), hint="add one"), "x.toml: it has no series (try: add one)"),
    ],
)
def test_an_error_says_where_what_and_what_to_try(error: LabError, sentence: str) -> None:
    assert str(error) == sentence
