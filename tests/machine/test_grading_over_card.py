"""Student programs over a modelled card: programs that send what they claim pass, others are named."""

import shutil
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.machine import own_hand_in
from tests.machine.tampered_programs import AROUND, HONEST, OTHERS, USUAL, Tampering

from lab.grade.case import Case
from lab.grade.checks.program import correct, program, sources
from lab.grade.finding import Finding, Flaw
from lab.places import EXAMPLES
from lab.sites.exact import ExactSite
from lab.submission.assignment import Demands

ATTACKS = (
    *(AROUND.name, "sleeps_and_claims_any_rate", "one_message_for_many", "writes_by_tcp", "bytes_and_junk"),
    *("three_quarters_of_the_time", "sends_in_place_of_writes", "forgets_the_seed", "packets_by_udp"),
)
SIZE = 16  # at fifty times the honest rate it is still below the wire's, above which nothing is measured
LINK, SIZES = '[link]\ncard = "qdr"\n', Demands(sizes=(3,), refuses=("--depth 0", "--colour blue"))


def changed(folder: Path, style: Tampering) -> str:
    """Write the program into a folder with the style's name; return its part of the experiment."""
    place, name = folder / "changes" / style.name, style.name
    shutil.copytree(own_hand_in.PROGRAM, place / "program", ignore=shutil.ignore_patterns("plain"))
    (place / "own.toml").write_text(own_hand_in.PLAIN)
    style.apply(place)
    (place / "program").rename(folder / name)
    build = f"gcc -O2 -o {name} plain.c connect.c -libverbs"
    words = {"programs.plain": f"programs.{name}", '"plain': f'"{name}', '"program"': f'"{name}"', "make -s": build}
    text = (place / "own.toml").read_text().replace('"own"', f'"{name}"')
    for word, other in words.items():
        text = text.replace(word, other)
    return text


def case_of(exact: ExactSite, folder: Path, *styles: Tampering) -> Case:
    """A submission with a program for each style."""
    text = "".join(changed(folder, style) for style in styles)
    (folder / "own.toml").write_text(own_hand_in.HEAD.format(sizes=SIZE) + LINK + text)
    return own_hand_in.case_of(exact, folder, SIZES)


def by_series(findings: Iterable[Finding]) -> dict[str, set[Flaw]]:
    found: dict[str, set[Flaw]] = defaultdict(set)
    for each in findings:
        found[each.what.partition(":")[0]].add(each.kind)
    return found


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "size"), [("read_rate", 1000), ("send_pingpong", 1000), ("cm_tutorial", 64)])
def test_programs_of_other_authors_pass(exact: ExactSite, tmp_path: Path, name: str, size: int) -> None:
    text = (EXAMPLES / f"{name}.toml").read_text().replace('folder = "', f'folder = "{EXAMPLES}/')
    (tmp_path / "own.toml").write_text(text.replace("repetitions = 2\n", f"repetitions = 1\n{LINK}", 1))
    assert list(program(own_hand_in.case_of(exact, tmp_path, Demands(sizes=(size,))))) == []


@pytest.mark.parametrize(
    ("honest", "names"),
    [(HONEST[:1], ATTACKS[:3]), pytest.param(HONEST[1:], ATTACKS[3:], marks=pytest.mark.corpus)],
    ids=["some", "the others"],
)
def test_programs_that_do_not_send_what_they_claim_are_named_and_honest_ones_pass(
    exact: ExactSite, tmp_path: Path, honest: tuple[Tampering, ...], names: tuple[str, ...]
) -> None:
    wanted = [each for each in (*USUAL, *OTHERS, AROUND) if each.name in names]
    found = by_series(program(case_of(exact, tmp_path, *honest, *wanted)))
    assert found == {each.name: {each.kind} for each in wanted} and len(found) == len(names)


@pytest.mark.corpus
def test_faults_and_sources_are_checked_over_a_card(exact: ExactSite, tmp_path: Path) -> None:
    case = case_of(exact, tmp_path, HONEST[0])
    assert [*correct(case), *sources(case)] == []
