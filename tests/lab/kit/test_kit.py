"""A new kit, the parcel for students, its hand-out and the numbers in it, and submissions of its solution."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from tests.lab import hand_ins
from tests.lab.conftest import Lab
from tests.lab.hand_ins import Course

from lab.errors import SpecError
from lab.files.storage import write_bytes, write_text
from lab.files.toml import files_of
from lab.kit.commands import Solved, handout, laid_out, sample, solve, with_numbers
from lab.kit.kit import HANDOUT, Kit, load_kit, new_kit, parcel
from lab.places import ASSIGNMENTS, ROOT
from lab.plan.planning import all_experiments
from lab.records.table import COLUMNS, Row, format_table
from lab.submission.assignment import CHECKS, Criterion, DueDate, load_assignment, names

COURSE = "experiments/assignments/write_the_programs"
HANDOUT_TEXT = "# A small hand-out\n\n## Goal\n\nMeasure it: TCP has \\claim{tcp at 4K}.\n"


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    """A kit of a small experiment."""
    (tmp_path / "small.toml").write_text(hand_ins.EXPERIMENT)
    (tmp_path / "week1.toml").write_text(hand_ins.ASSIGNMENT)
    write_text(tmp_path / "week1" / "handout.md", HANDOUT_TEXT)
    return load_kit(str(tmp_path / "week1.toml"))


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return parcel(load_kit("write_the_programs"), "<p>page</p>")


def test_parcel_has_verbyte_the_starter_and_the_page_of_one_kit(files: dict[str, bytes]) -> None:
    starter = f"{COURSE}/program/open.c"
    assert {"Makefile", "code/setup/setup", "results/reference/identity.json", starter, HANDOUT} <= files.keys()
    assert b"not_yet" in files[starter]
    assert [name for name in files if "/solution/" in name or name.startswith("tests/")] == []
    kits = {name for name in files if name.startswith("experiments/assignments/") and name.count("/") == 2}
    assert kits == {f"{COURSE}.toml", "experiments/assignments/honest_work.txt"}


def test_parcel_has_no_line_of_the_solution(files: dict[str, bytes]) -> None:
    names = [name for name in files if name.startswith(f"{COURSE}/program/") and "course" not in name]
    starter = b"".join(files[name] for name in names)
    for file in (ROOT / COURSE / "solution" / "program").iterdir():
        lines = [line.strip() for line in file.read_bytes().splitlines()]
        calls = [line for line in lines if b"ibv_" in line and line.endswith(b";")]
        assert [line for line in calls if line in starter] == []


def test_parcel_has_the_assignment_without_hidden_demands(files: dict[str, bytes], tmp_path: Path) -> None:
    for name in (name for name in files if name.startswith(f"{COURSE}/")):
        write_bytes(tmp_path / Path(name).relative_to(Path(COURSE).parent), files[name])
    (tmp_path / "a.toml").write_bytes(files[f"{COURSE}.toml"])
    students, course = load_assignment(tmp_path / "a.toml"), load_assignment(ROOT / f"{COURSE}.toml")
    assert b"hidden_program" not in files[f"{COURSE}.toml"]
    assert students.steps == course.steps and students.asked.sizes != course.asked.sizes


def test_kit_outside_the_checkout_makes_no_parcel(kit: Kit) -> None:
    with pytest.raises(SpecError, match="inside the checkout"):
        parcel(kit, "")


def test_every_bundled_kit_has_a_solution() -> None:
    assert all(load_kit(file.stem).solution() for file in ASSIGNMENTS.glob("*.toml"))


@pytest.mark.parametrize("experiment", [*(file.stem for file in all_experiments()), "tcp_select"])
def test_new_kit_is_complete_for_any_experiment(experiment: str, tmp_path: Path) -> None:
    new_kit("week3", experiment, tmp_path)
    kit = load_kit(str(tmp_path / "week3.toml"))
    assert kit.assignment.most == 100 and kit.experiment.name == experiment
    assert "Honest work" in handout(kit)


def test_kit_is_never_replaced(tmp_path: Path) -> None:
    new_kit("week3", "verbs_throughput", tmp_path)
    (tmp_path / "week3.toml").unlink()
    with pytest.raises(SpecError, match=r"handout.md: exists already"):
        new_kit("week3", "verbs_throughput", tmp_path)
    assert not (tmp_path / "week3.toml").exists()


@pytest.mark.parametrize("name", ["", "Week 3", "../x", "3"])
def test_invalid_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="not a valid name for a kit"):
        new_kit(name, "verbs_throughput", tmp_path)


def test_command_makes_a_page_and_a_parcel(lab: Lab, tmp_path: Path) -> None:
    assert "to give to students" in lab("kit", "make", "write_parameters", "--out", tmp_path).out
    assert {file.name for file in tmp_path.iterdir()} == {"write_parameters.handout.html", "write_parameters.kit.zip"}


def test_template_is_a_repository_with_the_parcel_a_dev_container_and_a_workflow(
    lab: Lab, tmp_path: Path, files: dict[str, bytes]
) -> None:
    command = ("kit", "make", "write_the_programs", "--template", "--out", tmp_path)
    assert lab(*command).status == 0
    folder = tmp_path / "write_the_programs.template"
    git = ("git", "-C", str(folder))
    committed = subprocess.run((*git, "ls-files"), capture_output=True, text=True, check=True).stdout.splitlines()
    added = {".devcontainer/devcontainer.json", ".github/workflows/preview-grade.yml", ".gitignore"}
    assert files.keys() | added <= set(committed)
    assert "run: make preview-grade\n" in (folder / ".github/workflows/preview-grade.yml").read_text()
    assert f"# {load_kit('write_the_programs').assignment.title}\n" in (folder / "README.md").read_text()
    assert os.access(folder / "code/setup/setup", os.X_OK)
    assert not subprocess.run((*git, "status", "--porcelain"), capture_output=True, check=True).stdout
    again = lab(*command)
    assert again.status == 2 and "exists already, and a repository is never replaced" in again.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["make", "nothing"], "unknown assignment nothing"),
        (["new", "x y"], "is not a valid name for a kit"),
        (["sample", "verbs_throughput"], "try: --out submissions"),
    ],
)
def test_mistake_is_one_sentence(lab: Lab, words: list[str], message: str) -> None:
    status, _, err = lab("kit", *words)
    assert status == 2 and message in err


@pytest.mark.parametrize("name", names(ASSIGNMENTS))
def test_every_bundled_kit_has_a_page(name: str) -> None:
    page = handout(load_kit(name))
    for heading in ("Goal", "Background", "Tasks", "What to hand in", "Points", "Honest work"):
        assert f">{heading}</h2>" in page
    assert r"\claim" not in page and "src=" not in page and "http" not in page.replace("http-equiv", "")


def test_page_has_the_numbers_and_the_points(kit: Kit, reference: Path) -> None:
    page = handout(kit, reference=reference)
    assert "TCP has 200 MB/s." in page and "<td>rerun</td>" not in page
    assert "<td><code>rerun</code></td>\n<td>25</td>" in page and "<td>100</td>" in page


def test_page_has_the_terms_and_the_rubric(kit: Kit, reference: Path) -> None:
    due, rubric = DueDate("2026-12-01T23:59+01:00", 3, 10), (Criterion("reasoning", 20, "why | what else"),)
    assignment = replace(kit.assignment, deadline=due, people_at_most=2, rubric=rubric)
    page = handout(replace(kit, assignment=assignment), reference=reference)
    assert "01 December 2026, 23:59 (+01:00 from UTC)" in page and "10 percent" in page
    assert "<td>reasoning</td>\n<td>20</td>" in page and "why | what else" in page and "<td>120</td>" in page


def test_kit_without_a_hand_out_is_refused(kit: Kit) -> None:
    kit.handout.unlink()
    with pytest.raises(SpecError, match="has no hand-out"):
        load_kit(str(kit.assignment.file))


def test_each_check_is_explained_to_students(kit: Kit, reference: Path) -> None:
    assignment = replace(kit.assignment, points=dict.fromkeys(CHECKS, 1))
    page = handout(replace(kit, assignment=assignment), reference=reference)
    assert re.findall(r"<code>(\w+)</code></td>\n<td>1</td>\n<td>\w", page) == list(CHECKS)


FILE = Path("handout.md")


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    """Medians of 200 MB/s by TCP and 50 MB/s by verbs at 4 KiB, and single values at 64 B."""
    rows = [row("tcp", 4096, rate, number) for number, rate in enumerate((1e8, 9e8, 2e8), 1)]
    rows += [row("verbs", 4096, 5e7), row("tcp", 64, 1e6), row("verbs", 64, 1e6)]
    (tmp_path / "small.csv").write_text(format_table([*COLUMNS[:-1], "record"], rows))
    return tmp_path


def row(series: str, size: int, rate: float, repetition: int = 1) -> Row:
    counts = {"confirmed_bytes_per_s": int(rate)}
    return Row(series, "p", "send", "throughput", repetition, size, f"{repetition:016}", {}, counts)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"TCP has \claim{tcp at 4K}.", "TCP has 200 MB/s."),
        (r"It is \claim{tcp / verbs at 4K} times as fast.", "It is 4.00 times as fast."),
        (r"From \claim{plan.smallest} on, at 95 %: \claim{tcp at 64}.", "From 64 B on, at 95 %: 1.00 MB/s."),
        ("At 4 KiB, 64 requests, in 9 steps: `lab run x --jobs 2 MB/s`.",) * 2,
        (r"Write `\claim{nothing}`.",) * 2,
    ],
)
def test_query_is_answered_from_the_reference(kit: Kit, reference: Path, text: str, shown: str) -> None:
    assert with_numbers(text, kit.experiment, FILE, reference) == shown


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("TCP has 200 MB/s here.", r"200 MB/s is typed.*claim\{tcp at 4K\}"),
        ("It takes 40 µs here.", "is typed"),
        ("It is 1.5 times as fast.", "is typed"),
        ("It is 20 % faster.", "is typed"),
        (r"It has \claim{tpc at 4K}.", "no series or constant 'tpc'.*tcp at 4K"),
        (r"It has \claim{tcp at 5K}.", "was not measured at 5K"),
        (r"It has \claim{tcp.steady at 4K}.", "the data give no steady"),
    ],
)
def test_mistake_is_refused_with_its_line(kit: Kit, reference: Path, text: str, what: str) -> None:
    with pytest.raises(SpecError, match=what) as caught:
        with_numbers(f"one\n\n{text}\n", kit.experiment, FILE, reference)
    assert caught.value.line == 3


def test_query_needs_a_reference(kit: Kit, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no reference"):
        with_numbers(r"\claim{tcp at 4K}", kit.experiment, FILE, tmp_path)
    assert with_numbers("One.", kit.experiment, FILE, tmp_path) == "One."


@pytest.fixture
def solved(kit: Kit, course: Course) -> Solved:
    """The small experiment, measured by the fake site, with the usual discussion as its solution."""
    work = hand_ins.make_work(course, f"solution{len(list(course.folder.iterdir()))}", hand_ins.Site())
    return Solved(replace(kit, assignment=course.assignment), work.plan, work.results)


def test_samples_of_a_solution_differ(solved: Solved, tmp_path: Path) -> None:
    files = list(sample(solved, 2, tmp_path / "in"))
    assert [file.name for file in files] == ["s001.assignment.pdf", "s002.assignment.pdf"]
    assert files[0].read_bytes() != files[1].read_bytes()


def test_each_sample_lacks_a_sentence_and_one_of_five_has_only_the_first(solved: Solved, tmp_path: Path) -> None:
    solved.sources.discussion.write_text("% Of a reference.\n% Two lines.\nOne.\nTwo.\nThree.\n")
    with mock.patch.object(Solved, "handed_in") as handed_in:
        list(sample(solved, 5, tmp_path))
    texts = [call.args[1].split("\n")[:-1] for call in handed_in.call_args_list]
    assert texts == [
        [f"(s00{number}) {word}." for word in chosen.split()]
        for number, chosen in enumerate(("Two Three", "One Three", "One Two", "One Two Three", "One"), 1)
    ]


def test_solution_replaces_starter_files(tmp_path: Path) -> None:
    kit = load_kit("write_the_programs")
    file = laid_out(kit, tmp_path)
    assert file.read_text() == kit.experiment.file.read_text()
    assert "ibv_open_device" in (file.parent / "program" / "open.c").read_text()
    assert (file.parent / "program" / "course.c").exists() and (file.parent / file.stem / "discussion.tex").exists()


def test_solution_has_the_included_files_of_the_experiment(tmp_path: Path) -> None:
    kit = load_kit("verbs_throughput")
    (_, included), (_, copied) = files_of(kit.experiment.file), files_of(laid_out(kit, tmp_path))
    assert copied.parent.name == "shared" and copied.read_text() == included.read_text()


def test_kit_without_a_solution_cannot_be_tried(kit: Kit, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="has no solution"):
        solve(kit, tmp_path, 1, tmp_path)
