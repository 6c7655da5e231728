"""`lab check` and `lab query`, as a person runs them."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.conftest import Lab, Ran
from tests.lab.report import laboratory

from lab.cli import INTERRUPTED

NAME = "throughput_until_stable"
Check = Callable[..., Ran]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("checked") / "results"
    laboratory.evidence_of(NAME, results)
    return results


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """The experiment in a folder where a text may be changed."""
    return laboratory.copy_of(NAME, tmp_path)


@pytest.fixture
def check(lab: Lab, experiment: Path, results: Path) -> Check:
    def checked(text: str, *options: str) -> Ran:
        (experiment.with_suffix("") / "discussion.tex").write_text(text)
        return lab("check", experiment, "--results", results, *options)

    return checked


@pytest.fixture
def query(lab: Lab, experiment: Path, results: Path) -> Lab:
    return lambda *words: lab("query", experiment, *words, "--results", results)


def test_errors_come_first_then_notes_and_only_errors_count(check: Check) -> None:
    noted = check("TCP is faster than RDMA.\nIt has \\claim{ethernet at 1}.\n")
    assert noted.status == 0 and f"{NAME}/discussion.tex:1:1: note: compares, no evidence attached\n" in noted.out
    empty = check("% Only a comment.\n")
    assert empty.status == 0 and empty.out.endswith("errors: 0, notes: 0, no text yet\n")
    status, out, _ = check("TCP is faster than RDMA.\nIt reaches 4 GB/s.\\shows{ethernet < cable at 1 across links}\n")
    first, *others, last = out.splitlines()
    assert status == 1 and first.startswith(f"{NAME}/discussion.tex:2:12: 4 GB/s is typed")
    assert [line for line in others if "note:" in line]
    assert last.endswith("errors: 2, notes: 1, true statements: 0 of 1")


def test_a_figure_or_table_that_the_report_lacks_is_an_error_with_the_nearest_name(check: Check) -> None:
    assert check("See \\figureof{throughput} and \\tableof{bytes}.\n").status == 0
    status, out, _ = check("See \\figureof{throughputs}.\n")
    assert status == 1 and "there is no \\figureof{throughputs} [figure]" in out
    assert "hint: 'throughput'? one of " in out


def test_a_number_that_a_true_statement_of_its_sentence_states_may_be_typed(check: Check) -> None:
    status, out, _ = check("TCP takes less than 1 s.\\shows{ethernet.time < 1 s at 1} It takes more than 2 s.\n")
    typed = next(line for line in out.splitlines() if "typed" in line)
    assert status == 1 and typed.startswith(f"{NAME}/discussion.tex:1:77: 2 s is typed")


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("references.bib", "@book{frey,", "references.bib:1: "),
        ("references.bib", "@book{frey, title = {\u202ex}}",
         "references.bib:1:22: the report's font has no character U+202E"),
        *(
            ("discussion.tex", text, f"discussion.tex:2:{column}: {what}")
            for text, column, what in (
                ("A $x", 3, "'$' is opened and not closed"),
                ("A {x", 3, "'{' is opened and not closed"),
                ("A } x", 3, "'}' closes nothing"),
                ("\\begin{itemize}\\item x", 1, "'itemize' is opened and not closed"),
                ("\\end{quote}", 1, "'\\\\end{quote}' closes nothing"),
                ("{" * 3000 + "}" * 3000, 51, "'{' is more than 50 levels deep"),
            )
        ),
        # What only LaTeX knows.
        *(
            ("discussion.tex", text, f"discussion.tex:2:1: {what}")
            for text, what in {
                "Call a_b.": "Missing $ inserted",
                "R & D": "Misplaced alignment tab character &",
                r"\item x": "Lonely \\item",
                "a" * 150: "a line is ",
            }.items()
        ),
        ("report.toml", f'authors = ["{"A" * 5_000_000}"]', "report.toml: is too large"),
        ("report.toml", 'authors = ["\u202eA"]', "report.toml:1: authors contains U+202E"),
        ("report.toml", 'authors = ["A", "B"]\nids = ["1"]', "report.toml:2: 1 id for 2 authors"),
    ],
)  # fmt: skip
def test_what_a_report_refuses_is_an_error(check: Check, experiment: Path, name: str, content: str, what: str) -> None:
    texts = {"references.bib": "So \\cite{frey} says.\n", "discussion.tex": f"So.\n{content}\n"}
    if name != "discussion.tex":
        (experiment.with_suffix("") / name).write_text(content)
    status, out, _ = check(texts.get(name, "So.\n"))
    assert status == 1 and what in out and out.replace("\n", "").isprintable()


def test_json_is_for_editors(check: Check) -> None:
    status, out, _ = check("It reaches 4 GB/s.\nIt is faster.\n", "--json")
    (error,), (note,) = (json.loads(out)[kind] for kind in ("errors", "notes"))
    assert (status, error["kind"], error["line"], error["column"]) == (1, "typed number", 1, 12)
    assert note == {"line": 2, "sentence": "It is faster."}


def test_a_text_and_its_sources_are_read_again_at_each_change(
    check: Check, experiment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = iter(
        [
            ("discussion.tex", "So \\cite{frey} says.\n"),
            ("references.bib", "@misc{frey, year = 2009}\n"),
            ("discussion.tex", "TCP reaches 5 GB/s.\n"),
        ]
    )

    def change(_: float) -> None:
        """In place of a wait: the next version, an hour younger; in the end, Ctrl-C."""
        name, text = next(changes, ("", ""))
        if not name:
            raise KeyboardInterrupt
        file = experiment.with_suffix("") / name
        file.write_text(text)
        os.utime(file, ns=(time.time_ns(), file.stat().st_mtime_ns + 3600 * 10**9))

    monkeypatch.setattr("lab.report.checking.sleep", change)
    status, out, _ = check("RDMA reaches 4 GB/s.\n", "--watch")
    parts = ("4 GB/s", "no entry 'frey'", "errors: 0", "5 GB/s")
    assert status == INTERRUPTED and sorted(parts, key=out.index) == list(parts)


def test_a_query_prints_value_interval_n_and_records(query: Lab) -> None:
    status, out, _ = query("ethernet at 1", "tcp.card / ethernet at 1 across links")
    first, value, about, *_ = out.splitlines()
    assert (status, first) == (0, "ethernet at 1") and "B/s [" in value and value.endswith("95% interval")
    assert about.startswith("  n = 6; records ") and len(about.split()) == 10
    status, out, _ = query("ethernet > 1 GB/s at 1")
    assert status == 1 and "  false: " in out
    assert json.loads(query("ethernet at 1", "--json").out)[0]["estimate"]["n"] == 6


def test_the_list_has_forty_lines_at_most_and_its_examples_work(query: Lab) -> None:
    lines = query().out.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("measures"))
    end = next(place for place, line in enumerate(lines) if line.startswith("constants"))
    examples = [line.split("  ")[1].strip() for line in lines[start + 1 : end]]
    assert len(lines) <= 40 and len(examples) > 15
    assert query(*examples).status == 0
