"""`lab check` and `lab query`, as a person runs them: lab.report.{checking,asking}, lab.report.text.check."""

import json
import os
import time
from argparse import Namespace
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.plan.plan import Plan
from lab.report import asking, checking

NAME = "throughput_until_stable"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("checked") / "results"
    laboratory.evidence_of(NAME, results)
    return results


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """The experiment in a folder where a text may be changed."""
    laboratory.copy_of(NAME, tmp_path)
    plan = laboratory.plan_of(NAME, tmp_path)
    for module in (checking, asking):
        monkeypatch.setattr(module, "plans_of", lambda *_: [plan])
    return plan


def checked(plan: Plan, results: Path, text: str, **options: object) -> int:
    (plan.experiment.file.with_suffix("") / "discussion.tex").write_text(text)
    return checking.check(Namespace(results=results, **{"watch": False, "json": False} | options))


def test_errors_come_first_then_notes_and_only_errors_count(
    plan: Plan, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(plan, results, "TCP is faster than RDMA.\nIt has \\claim{ethernet at 1}.\n") == 0
    assert f"{NAME}/discussion.tex:1:1: note: compares, no evidence attached\n" in capsys.readouterr().out
    assert checked(plan, results, "% Only a comment.\n") == 0
    assert capsys.readouterr().out.endswith("errors: 0, notes: 0, no text yet\n")
    text = "TCP is faster than RDMA.\nIt reaches 4 GB/s.\\shows{ethernet < cable at 1 across links}\n"
    assert checked(plan, results, text) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{NAME}/discussion.tex:2:12: 4 GB/s is typed")
    assert [line for line in lines if "note:" in line] and lines[-1].endswith(
        "errors: 2, notes: 1, true statements: 0 of 1"
    )


def test_a_figure_or_table_that_the_report_lacks_is_an_error_with_the_nearest_name(
    plan: Plan, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(plan, results, "See \\figureof{throughput} and \\tableof{bytes}.\n") == 0
    capsys.readouterr()
    assert checked(plan, results, "See \\figureof{throughputs}.\n") == 1
    said = capsys.readouterr().out
    assert "there is no \\figureof{throughputs} [figure]" in said and "hint: 'throughput'? one of " in said


def test_a_number_that_a_true_statement_of_its_sentence_states_may_be_typed(
    plan: Plan, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = "TCP takes less than 1 s.\\shows{ethernet.time < 1 s at 1} It takes more than 2 s.\n"
    assert checked(plan, results, stated) == 1
    assert next(line for line in capsys.readouterr().out.splitlines() if "typed" in line).startswith(
        f"{NAME}/discussion.tex:1:77: 2 s is typed"
    )


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
def test_what_a_report_refuses_is_an_error(
    plan: Plan, results: Path, name: str, content: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {"references.bib": "So \\cite{frey} says.\n", "discussion.tex": f"So.\n{content}\n"}
    if name != "discussion.tex":
        (plan.experiment.file.with_suffix("") / name).write_text(content)
    assert checked(plan, results, texts.get(name, "So.\n")) == 1
    printed = capsys.readouterr().out
    assert what in printed and printed.replace("\n", "").isprintable()


def test_json_is_for_editors(plan: Plan, results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(plan, results, "It reaches 4 GB/s.\nIt is faster.\n", json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["errors"][0]["line"], found["errors"][0]["column"], found["notes"][0]["line"]) == (1, 12, 2)
    assert found["errors"][0]["kind"] == "typed number"


def test_a_text_and_its_sources_are_read_again_at_each_change(
    plan: Plan, results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = plan.experiment.file.with_suffix("")
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
        file = folder / name
        file.write_text(text)
        os.utime(file, ns=(time.time_ns(), file.stat().st_mtime_ns + 3600 * 10**9))

    monkeypatch.setattr("lab.report.checking.sleep", change)
    with pytest.raises(KeyboardInterrupt):
        checked(plan, results, "RDMA reaches 4 GB/s.\n", watch=True)
    printed = capsys.readouterr().out
    parts = ("4 GB/s", "no entry 'frey'", "errors: 0", "5 GB/s")
    assert sorted(parts, key=printed.index) == list(parts)


def query(plan: Plan, results: Path, *texts: str, as_json: bool | None = False) -> int:
    options = {
        "experiment": plan.experiment.file,
        "site": "any",
        "hosts": None,
        "json": as_json,
        "names": not texts and as_json is None,
    }
    return asking.query(Namespace(results=results, query=list(texts), **options))


def test_a_query_prints_value_interval_n_and_records(
    plan: Plan, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert query(plan, results, "ethernet at 1", "tcp.card / ethernet at 1 across links") == 0
    first, value, about, *_ = capsys.readouterr().out.splitlines()
    assert first == "ethernet at 1" and "B/s [" in value and value.endswith("95% interval")
    assert about.startswith("  n = 6; records ") and len(about.split()) == 10
    assert query(plan, results, "ethernet > 1 GB/s at 1") == 1
    assert "  false: " in capsys.readouterr().out
    assert query(plan, results, "ethernet at 1", as_json=True) == 0
    assert json.loads(capsys.readouterr().out)[0]["estimate"]["n"] == 6


def test_the_list_has_forty_lines_at_most_and_its_examples_work(
    plan: Plan, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert query(plan, results) == 0
    lines = capsys.readouterr().out.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("measures"))
    end = next(place for place, line in enumerate(lines) if line.startswith("constants"))
    examples = [line.split("  ")[1].strip() for line in lines[start + 1 : end]]
    assert len(lines) <= 40 and len(examples) > 15
    assert query(plan, results, *examples) == 0
