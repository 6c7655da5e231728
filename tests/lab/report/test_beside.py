"""What is done while LaTeX runs: the check of the text, and the page: lab.report.{build,commands}."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from lab.places import EXPERIMENTS, TEMPLATES
from lab.report import build, commands
from lab.report.build import is_harmless
from lab.report.errors import ClaimsRefused
from lab.report.sources import Sources
from lab.report.twin.material import Material


def material(body: str) -> Material:
    return Material("one", {"report.tex": rf"\title{{One}}\begin{{document}}{body}\end{{document}}"}, {}, {}, ())  # type: ignore[arg-type]


def test_a_page_that_cannot_be_written_leads_to_the_pdf_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (TEMPLATES / "twin.html").is_file()
    file = tmp_path / "one.html"
    commands._page(file, material("Good."))
    assert "<p>Good.</p>" in file.read_text() and capsys.readouterr().err == ""
    commands._page(file, material(r"\bad <b>"))
    why = "the page does not know the command \\bad"
    assert f"<p>This report is there for print alone: {why}.</p>" in file.read_text()
    assert '<a href="one.pdf">' in file.read_text()
    assert f"one.html leads to the PDF and holds nothing else: {why}" in capsys.readouterr().err


PATIENCE_S = 60
SOURCES = Sources(EXPERIMENTS / "verbs_throughput.toml", TEMPLATES)


class Typesetting:
    """A report of a text that LaTeX reads until it is told to end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.began, self.may_end = Event(), Event()
        self.pngs, self.material = {"figure": b"png"}, material("Good.")
        monkeypatch.setattr(build, "prepare_unchecked", lambda *_: self)

    def typeset(self, _before: Path) -> bytes:
        self.began.set()
        assert self.may_end.wait(PATIENCE_S)
        return b"%PDF"


def test_the_text_is_checked_while_latex_reads_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    latex = Typesetting(monkeypatch)
    ground: Any = SimpleNamespace()

    def check(*_: object) -> None:
        assert latex.began.wait(PATIENCE_S)
        latex.may_end.set()

    monkeypatch.setattr(build, "check_typed", check)
    commands._write(tmp_path / "one.pdf", ground, SOURCES)
    assert (tmp_path / "one.pdf").read_bytes() == b"%PDF"
    assert (tmp_path / "one.html").is_file() and (tmp_path / "one" / "figure.png").is_file()


UP_TO_LATEX = """import sys
from pathlib import Path
from types import SimpleNamespace
from lab.report import commands
def write(*_):
    from lab.report import build
    print(*sys.modules)
    sys.exit()
commands._groundwork, commands._write = lambda *_: None, write
plan = SimpleNamespace(experiment=SimpleNamespace(name="one", file=Path("one.toml")))
commands._report(plan, Path(), Path(), SimpleNamespace(evidence=""))"""


def test_latex_waits_for_no_module_that_checks_a_text_or_writes_a_page() -> None:
    done = subprocess.run([sys.executable, "-c", UP_TO_LATEX], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "lab.report.build" in loaded
    assert not loaded & {"lab.report.check.text", "lab.report.twin.page", "lab.report.laying", "numpy"}


def test_nothing_is_written_of_a_text_that_is_refused_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    latex = Typesetting(monkeypatch)
    ground: Any = SimpleNamespace()

    def refuse(*_: object) -> None:
        latex.may_end.set()
        raise ClaimsRefused("refused", refusals=())

    monkeypatch.setattr(build, "check_typed", refuse)
    with pytest.raises(ClaimsRefused):
        commands._write(tmp_path / "one.pdf", ground, SOURCES)
    assert list(tmp_path.iterdir()) == []


def test_what_latex_must_not_see_before_is_checked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ClaimsRefused("refused", refusals=())

    ground: Any = SimpleNamespace()
    monkeypatch.setattr(build, "is_harmless", lambda _: False)
    monkeypatch.setattr(build, "write", lambda *_: pytest.fail("it was written"))
    monkeypatch.setattr(build, "check_typed", refuse)
    with pytest.raises(ClaimsRefused):
        commands._write(tmp_path / "one.pdf", ground, SOURCES)


@pytest.mark.parametrize(
    "text",
    [
        r"\input{/etc/passwd}",
        r"\immediate\write18{x}",
        r"\labclaim{verbs.peak}{5}",
        r"As \cite{frey} says.",
        r"\ownfigure{a.csv}{x}{y}{Words.}",
        "\u4e2d",
        "x" * 2_000_000,
    ],
)
def test_latex_sees_no_such_text_before_it_is_checked(text: str) -> None:
    assert not is_harmless(text)
    assert is_harmless(r"It reaches 5 GB/s, more than \claim{tcp.peak}, see \figureof{throughput}: \draft")
