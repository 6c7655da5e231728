"""What a report rests on beside its discussion, kept: lab.report.{groundwork,laying,pickled,sources}."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.places import EXPERIMENTS, TEMPLATES
from lab.report import commands, laying
from lab.report.build import Discussion, prepare, prepare_on, prepare_unchecked
from lab.report.evidence.evidence import Evidence
from lab.report.groundwork import groundwork_of, groundwork_stamp, keep_groundwork
from lab.report.laying import lay
from lab.report.pickled import keep_pickled, read_pickled
from lab.report.sources import Sources

NAME = "mpi_bandwidth_latency"


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return laboratory.evidence_of(NAME, tmp_path_factory.mktemp("records"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    """Templates and an experiment that a person may change."""
    for folder in (f"experiments/{NAME}", "experiments/shared", "templates"):
        shutil.copytree(EXPERIMENTS.parent / folder, tmp_path / folder)
    shutil.copyfile(EXPERIMENTS / f"{NAME}.toml", tmp_path / f"experiments/{NAME}.toml")
    return Sources(tmp_path / f"experiments/{NAME}.toml", tmp_path / "templates")


def test_a_report_on_kept_groundwork_is_the_report_of_a_first_build(
    sources: Sources, evidence: Evidence, cache: Path, tmp_path: Path
) -> None:
    stamp = groundwork_stamp(sources, "evidence")
    assert groundwork_of(sources, stamp, tmp_path) is None
    keep_groundwork(lay(sources, evidence, cache), sources, stamp, tmp_path)
    sources.discussion.write_text("Another sentence.\n\n\\draft\n")
    kept = groundwork_of(sources, groundwork_stamp(sources, "evidence"), tmp_path)
    assert kept is not None
    one, other = prepare_on(kept, sources, cache), prepare(sources, evidence, cache)
    assert (one.files, dict(one.inside), one.pngs) == (other.files, dict(other.inside), other.pngs)
    assert b"Another sentence." in one.files["discussion.tex"] and b"\\draft" not in one.files["discussion.tex"]
    assert (one.material.texts, one.material.svgs) == (other.material.texts, other.material.svgs)
    assert (dict(one.material.ledger), one.material.sets) == (dict(other.material.ledger), other.material.sets)


def test_what_cannot_be_written_is_left_to_the_check(sources: Sources, evidence: Evidence, cache: Path) -> None:
    ground = lay(sources, evidence, cache)
    for text in (r"\claim{no.such}", r"Messages of \size{many}."):
        assert prepare_unchecked(Discussion(text, ""), ground, sources, cache) is None
    refused = prepare_unchecked(Discussion("It reaches 5 GB/s.", ""), ground, sources, cache)
    assert refused is not None and refused.files["discussion.tex"] == b"It reaches 5 GB/s."


def people(sources: Sources) -> None:
    sources.people.write_text('authors = ["Ada"]\nids = ["7"]\ncourse = "C"\n')


def own_file(sources: Sources) -> None:
    sources.discussion.write_text("\\ownfigure{a.csv}{x}{y}{Words.}")
    (sources.folder / "a.csv").write_text("x,y\n1,2\n")


def template(sources: Sources) -> None:
    with (sources.templates / "parts" / "limits.tex").open("a") as file:
        file.write("One more limit.\n")


def own_template(sources: Sources) -> None:
    (sources.templates / sources.template).unlink()


@pytest.mark.parametrize("change", [people, own_file, template, own_template])
def test_it_rests_on_the_authors_the_typed_files_and_the_templates(
    change: Callable[[Sources], None], sources: Sources
) -> None:
    before = groundwork_stamp(sources, "evidence")
    assert groundwork_stamp(sources, "other") != before
    sources.discussion.write_text("Other words.")
    assert groundwork_stamp(sources, "evidence") == before
    change(sources)
    assert groundwork_stamp(sources, "evidence") != before


def test_what_was_damaged_or_is_of_another_stamp_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "value"
    keep_pickled([1, 2], file, "stamp")
    assert read_pickled(file, "stamp") == [1, 2] and read_pickled(file, "other") is None
    file.write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    assert read_pickled(file, "stamp") is None
    (tmp_path / "file").write_text("no folder")
    keep_pickled([1], tmp_path / "file" / "value", "stamp")


def test_a_changed_sentence_loads_nothing_that_computes_or_draws() -> None:
    script = "import sys, lab.report.build, lab.report.checking; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"numpy", "matplotlib", "urllib3", "lab.compiler.card", "lab.report.claims.ledger"}
    assert "lab.report.check.text" in loaded


def test_a_report_of_another_sentence_lays_nothing_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path
) -> None:
    laid = list[str]()

    def noted(sources: Sources, evidence: Evidence, _cache: Path) -> object:
        laid.append(sources.experiment.stem)
        return lay(sources, evidence, cache)

    monkeypatch.setattr(laying, "lay", noted)
    monkeypatch.setattr(commands, "CACHE", tmp_path / "cache")
    plan = laboratory.plan_of(NAME)
    laboratory.record(plan, tmp_path / "records")
    sources = Sources(EXPERIMENTS / f"{NAME}.toml", TEMPLATES)
    for stamp in ("one", "one", "two"):
        commands._groundwork(plan, tmp_path / "records", sources, stamp)
    assert laid == [NAME, NAME]
