"""What an assignment asks, of programs too: lab.submission.assignment."""

from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.files.schema import whole_schema
from lab.grade import checks
from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.submission.assignment import CHECKS, Demands, find_assignment, load_assignment

ASK = '[[asks]]\nabout = ["card", "tcp.card"]\n'
WHOLE = 'title = "t"\nexperiment = "verbs_throughput"\n[points]\nrerun = 3\n'


def written(folder: Path, text: str, name: str = "a") -> Path:
    (folder / f"{name}.toml").write_text(text)
    return folder / f"{name}.toml"


def test_every_assignment_of_the_lab_is_whole() -> None:
    for file in ASSIGNMENTS.glob("*.toml"):
        assignment = load_assignment(file)
        assert assignment.experiment.exists() and sum(assignment.points.values()) == 100


def test_what_is_not_named_is_worth_nothing(tmp_path: Path) -> None:
    assignment = load_assignment(written(tmp_path, WHOLE))
    assert assignment.points["rerun"] == 3 and assignment.points["pages"] == 0 and assignment.checks == ("rerun",)
    assert assignment.experiment == EXPERIMENTS / "verbs_throughput.toml" and not assignment.hidden


def test_what_own_programs_must_stand_is_read(tmp_path: Path) -> None:
    text = '[program]\nsizes = "1,2K"\nverify = "--verify 1"\nrefuses = ["--depth 0"]\nkilled_server = false\n'
    assert load_assignment(written(tmp_path, WHOLE + text)).asked == Demands(
        (1, 2048), ("--verify", "1"), ("--depth 0",), killed_server=False
    )


@pytest.mark.parametrize(
    ("sizes", "words", "includes", "excludes"),
    [
        ("", "1 statement about card and tcp.card", (1, 1 << 20), ()),
        ("small", "1 statement about card and tcp.card at small sizes", (1, 4096), (8192,)),
        ("large", "1 statement about card and tcp.card at large sizes", (65_536,), (32_768,)),
        ("1..4K", "1 statement about card and tcp.card at 1..4K", (1, 4096), (8192,)),
        ("64, 64K", "1 statement about card and tcp.card at 64, 64K", (64, 65_536), (128,)),
    ],
)
def test_an_ask_is_about_series_and_sizes(
    tmp_path: Path, sizes: str, words: str, includes: tuple[int, ...], excludes: tuple[int, ...]
) -> None:
    (ask,) = load_assignment(written(tmp_path, WHOLE + ASK + (f'sizes = "{sizes}"\n' if sizes else ""))).asks
    assert ask.words == words
    assert all(ask.includes(("tcp.card", "card", "soft.card"), (size,)) for size in includes)
    assert not any(ask.includes(("tcp.card", "card"), (size,)) for size in excludes)
    assert not ask.includes(("card", "tcp"), (64, 65_536))


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (WHOLE + "beauty = 3\n", 5, "unknown key 'beauty'"),
        (WHOLE.replace("= 3", "= -3"), 4, "points.rerun is -3, expected at least 0"),
        ('colour = "red"\n' + WHOLE, 1, "colour"),
        ('hidden = ["all"]\n' + WHOLE, 1, "hidden"),
        ('title = "t"\n', 1, "the key 'experiment' is missing"),
        (WHOLE + "[program]\nrefuses = [3]\n", 6, "refuses"),
        (WHOLE + "[program]\ncolours = 3\n", 6, "unknown key 'colours'"),
        (WHOLE.replace("= 3", "= 3.0"), 4, r"points.rerun is 3.0, expected an integer \(try: rerun = 3\)"),
        (WHOLE + '[program]\nsizes = "1,x"\n', 6, "'x' is not a size"),
        (WHOLE + "[program]\nverify = '\"'\n", 6, "no closing quotation"),
        (
            WHOLE + ASK.replace("tcp.card", "tpc.card"),
            6,
            "the series tpc.card, which verbs_throughput lacks, expected one",
        ),
        (WHOLE + ASK + 'sizes = "tiny"\n', 7, "'tiny' is not a size, expected small, large, all"),
        (WHOLE + ASK + 'sizes = "3..3"\n', 7, "card was not measured at 3..3"),
        (WHOLE + ASK + "statements = 0\n", 7, "asks.statements is 0, expected at least 1"),
        (WHOLE + "[[asks]]\nstatements = 2\n", 5, "the key 'about' is missing"),
        (WHOLE + "[discusion]\n", 5, "unknown key 'discusion'.*try: 'discussion'"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(SpecError, match=what) as caught:
        load_assignment(written(tmp_path, text))
    assert caught.value.line == line


def test_the_only_assignment_needs_no_name(tmp_path: Path) -> None:
    file = written(tmp_path, WHOLE)
    assert find_assignment(None, tmp_path) == find_assignment("a", tmp_path) == find_assignment(str(file)) == file
    written(tmp_path, WHOLE, "b")
    with pytest.raises(SpecError, match="several assignments") as caught:
        find_assignment(None, tmp_path)
    assert caught.value.expected == "one of a, b" and caught.value.hint == "ASSIGNMENT=a"


def test_the_schema_the_names_and_the_checks_are_the_same() -> None:
    points = whole_schema("assignment")["properties"]["points"]["properties"]
    assert tuple(points) == CHECKS == tuple(checks.CHECKS)
