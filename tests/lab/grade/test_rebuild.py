"""Programs, records and reports of a submission, rebuilt within bounds."""

import gzip
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.lab import hand_ins
from tests.lab.grade.student_program import OTHER, experiment

from lab.causes.table import file_of
from lab.errors import LabError, OpeningFault
from lab.experiment.experiment import Experiment
from lab.experiment.reader import load
from lab.files.storage import write_bytes, write_text
from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.rebuild import build_programs, frame_faults, keep_programs, rebuild, require_bounded
from lab.plan.builds import keep_binaries
from lab.plan.plan import SiteFacts, binaries, make_plan
from lab.submission.archive import SubmissionError, pack
from lab.submission.hand_in import program_files

MAKEFILE = b"mine: mine.c\n\tgcc -o $@ mine.c\n"
PROGRAM = b"int main(void) { return 0; }\n"


@pytest.mark.parametrize(
    ("content", "what", "fault"),
    [
        (gzip.compress(b"x\n" * 101), "or 100 rows", OpeningFault.TOO_LARGE),
        (b"no gzip", "cannot be unpacked", OpeningFault.UNREADABLE),
        (gzip.compress(b"x")[:-3], "one whole gzip", OpeningFault.UNREADABLE),
        (gzip.compress(b"x") + b"y", "one whole gzip", OpeningFault.UNREADABLE),
    ],
    ids=["rows", "not gzip", "cut", "followed by more"],
)
def test_samples_must_be_one_bounded_gzip_stream(content: bytes, what: str, fault: OpeningFault) -> None:
    require_bounded(gzip.compress(b"x\n" * 100), "samples", 100)
    with pytest.raises(SubmissionError, match=what) as caught:
        require_bounded(content, "samples", 100)
    assert caught.value.fault is fault


def test_report_is_rebuilt_when_the_counts_change(
    setup: GradingSetup, ada: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(setup, SubmissionFile(hand_ins.handed_in(ada, tmp_path / "ada.pdf")), tmp_path)
    evidence = case.claimed_evidence
    builds = iter((b"%PDF", b"%PDF of other counts"))
    monkeypatch.setattr("lab.grade.rebuild.prepare", lambda *_: mock.Mock(typeset=lambda: next(builds)))
    pdfs = []
    for count in ("none", "none", "some"):
        if count == "some":
            write_text(file_of(evidence.plan.experiment.name, evidence.results), "counts")
        pdfs.append(rebuild(evidence, {"report.toml": b""}, setup.templates, tmp_path / "cache", tmp_path))
    assert pdfs == [b"%PDF", b"%PDF", b"%PDF of other counts"]


def beside(folder: Path, text: str, files: dict[str, bytes]) -> Experiment:
    """An experiment beside the files of its programs."""
    for name, content in {**files, "small.toml": text.encode()}.items():
        write_bytes(folder / name, content)
    return load(folder / "small.toml")


def test_files_that_are_not_sources_come_from_the_course(tmp_path: Path) -> None:
    files = {"mine/Makefile": MAKEFILE, "mine/mine.c": b"#error the course's file"}
    assigned = beside(tmp_path, experiment("make -s", 'sources = ["*.c"]'), files)
    handed_in = {"sources/mine/mine.c": PROGRAM, "sources/mine/Makefile": b"mine:\n\techo handed in >mine\n"}
    (binary,) = build_programs(pack(handed_in), assigned, tmp_path / "built")
    assert binary == tmp_path / "mine" / "mine"
    assert (tmp_path / "built/binaries/mine/mine").read_bytes().startswith(b"\x7fELF")
    with pytest.raises(LabError, match="No rule to make target 'mine"):
        build_programs(pack({}), assigned, tmp_path / "built")


FRAME = b"""#include <stdio.h>
#include "frame.h"
int main(void)
{
	printf("%d of it\\n", work());
	return 0;
}
"""
# The student's file, and the words that name what it adds to its function.
WORKS = {
    "int work(void) { return 3; }": (),
    # A helper that is not static, and a static one that takes the name of a function which the frame does not call.
    "int help(void) { return 3; }\nstatic int atoi(void) { return 1; }\nint work(void) { return help() - atoi(); }": (),
    "int printf(const char *f, ...) { return *f; }": ("defines printf",),
    '__attribute__((visibility("hidden"))) int printf(const char *f, ...) { return *f; }': ("defines printf",),
    "void __gmon_start__(void) { __builtin_trap(); }": ("defines __gmon_start__",),
    '__attribute__((constructor)) static void early(void) { __asm__ volatile(""); }': (".init_array",),
    '__attribute__((destructor)) static void late(void) { __asm__ volatile(""); }': (".fini_array",),
    'asm(".section .init\\n\\tnop\\n\\t.text");': (".init,",),
    'asm(".section .preinit_array,\\"aw\\"\\n\\t.quad work\\n\\t.text");': (".preinit_array",),
    'static int (*choose(void))(void) { return 0; }\nint chosen(void) __attribute__((ifunc("choose")));': ("chosen",),
}


@pytest.mark.parametrize("source", WORKS)
def test_code_in_place_of_the_courses_frame_is_named(tmp_path: Path, source: str) -> None:
    makefile = b"mine: mine.c\n\tgcc -O2 -w -o $@ mine.c frame.c\n"
    files = {"mine/Makefile": makefile, "mine/frame.c": FRAME, "mine/frame.h": b"int work(void);\n"}
    assigned = beside(tmp_path, experiment("make -s", 'sources = ["mine.c"]'), files)
    more = "" if "work(void) {" in source else "\nint work(void) { return 3; }"
    digests = build_programs(pack({"sources/mine/mine.c": f"{source}{more}\n".encode()}), assigned, tmp_path / "built")
    faults = list(frame_faults(make_plan(assigned, SiteFacts.of(hand_ins.Site()), digests)))
    assert len(faults) == len(WORKS[source]) and all(map(str.__contains__, faults, WORKS[source])), faults


def two_programs(folder: Path) -> Experiment:
    """An experiment with programs of one name in two folders of one name; each file has its path as its content."""
    names = [f"{place}/{name}" for place in ("mine", "other/mine") for name in ("mine", "mine.c")]
    return beside(folder, experiment("make -s") + OTHER, {name: name.encode() for name in names})


def test_programs_in_two_folders_of_one_name_are_built_apart(tmp_path: Path) -> None:
    handed_in = {f"sources/{name}/Makefile": MAKEFILE for name in ("mine", "other")}
    handed_in |= {"sources/mine/mine.c": PROGRAM, "sources/other/mine.c": PROGRAM.replace(b"0", b"1")}
    mine, other = build_programs(pack(handed_in), two_programs(tmp_path), tmp_path / "built").values()
    assert mine != other


def test_programs_in_two_folders_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    two = two_programs(tmp_path)
    programs = keep_binaries(binaries([two]))
    handed_in = program_files(make_plan(two, SiteFacts.of(hand_ins.Site()), programs))
    assert {name: content.decode() for name, content in handed_in.items()} == {
        "binaries/mine/mine": "mine/mine", "binaries/other/mine": "other/mine/mine",
        "sources/mine/mine.c": "mine/mine.c", "sources/other/mine.c": "other/mine/mine.c",
    }  # fmt: skip
    assert keep_programs(pack(handed_in), two, tmp_path / "kept") == programs
    with pytest.raises(LabError, match="binaries/mine/mine is missing"):
        keep_programs(pack({"binaries/mine/other": b""}), two, tmp_path / "kept")
