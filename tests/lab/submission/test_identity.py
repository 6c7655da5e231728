"""The identity of measurements, and whose an assignment accepts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.grade.own_program import experiment

from lab.errors import SpecError
from lab.plan.plan import Plan
from lab.sites.cable import Cable
from lab.submission.assignment import Assignment, load_assignment
from lab.submission.hand_in import Identity, identity_of, other_identity

TEXT = 'title = "t"\nexperiment = "e.toml"\n[points]\nrerun = 3\n'


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return plan_of(tmp_path, hand_ins.Site())


def plan_of(folder: Path, site: Any, digest: str = "d", text: str = hand_ins.EXPERIMENT) -> Plan:
    (folder / "small.toml").write_text(text)
    (folder / "mine").mkdir(exist_ok=True)
    return hand_ins.plan_on(folder / "small.toml", site, digest)


def assignment(folder: Path, more: str = "") -> Assignment:
    (folder / "a.toml").write_text(more + TEXT)
    return load_assignment(folder / "a.toml")


def test_the_digest_changes_with_each_part_and_with_nothing_else(plan: Plan, tmp_path: Path) -> None:
    here = identity_of(plan)
    assert identity_of(plan_of(tmp_path, hand_ins.Site(slowness=1.2))) == here
    site = here.site
    others = [
        replace(here, programs=here.programs | {"tcp-client": "e"}),
        replace(here, site=replace(site, name="vm")),
        replace(here, site=replace(site, identity={"image": "another"})),
        replace(here, site=replace(site, ends=replace(site.ends, side_channel="another"))),
        replace(here, site=replace(site, traits=Cable.traits)),
    ]
    assert len({each.digest for each in (here, *others)}) == 1 + len(others)
    parts = [each.differing(here) for each in others]
    assert parts == ["tcp-client", "site", "image", "ends", "traits"] and here.differing(here) == ""
    assert here.words == f"exact {here.digest[:16]}"


def test_a_students_own_programs_are_no_part_of_it(tmp_path: Path) -> None:
    one, other = (plan_of(tmp_path, hand_ins.Site(), digest, experiment(build="true")) for digest in "de")
    assert one.trials().keys() != other.trials().keys() and identity_of(one) == identity_of(other)


def test_many_strange_parts_are_named_in_few_words(plan: Plan) -> None:
    here = identity_of(plan)
    strange = replace(here.site, identity={f"{'x' * 500}{number}": "" for number in range(100)})
    assert len(Identity(strange, {}).differing(here)) < 250


def test_by_default_the_machine_that_everybody_has_is_accepted_and_no_other_hardware(tmp_path: Path) -> None:
    exact, host = assignment(tmp_path), assignment(tmp_path, 'site = "host:rxe"\n')
    assert exact.listed == ("exact",) and exact.accepts("f" * 64, own=True) and not exact.accepts("f" * 64, own=False)
    assert host.listed == () and host.recorded_as == "host" and not host.accepts("f" * 64, own=True)


def test_an_assignment_names_its_own_site_and_digests(tmp_path: Path) -> None:
    host = assignment(tmp_path, 'site = "host:rxe"\nidentities = ["host", "0123456789abcdef"]\n')
    assert host.accepts("f" * 64, own=True) and host.accepts("0123456789abcdef" + "0" * 48, own=False)
    assert not host.accepts("0123456789abcdee" + "0" * 48, own=False)
    other = assignment(tmp_path, 'site = "slurm:exact"\nidentities = ["0123456789abcdef"]\n')
    assert other.recorded_as == "exact" and not other.accepts("f" * 64, own=True)


@pytest.mark.parametrize(
    ("typed", "what"),
    [
        ('["exakt"]', 'identities is "exakt", expected the name of the assignment'),
        ('["0123456789abcde"]', "or 16 digits or more"),
        ('["0123456789ABCDEF"]', "or 16 digits or more"),
        ("[3]", "or 16 digits or more"),
        ('["host"]', "identities names 'host', and the site is 'exact', expected 'exact', or the digest"),
        ("[]", "at least 1 item"),
        ('["exact", "exact"]', "every value once"),
        ('"exact"', "expected a list"),
    ],
)
def test_what_names_no_identity_is_refused_with_its_line(tmp_path: Path, typed: str, what: str) -> None:
    with pytest.raises(SpecError) as caught:
        assignment(tmp_path, f'hidden = ["rerun"]\nidentities = {typed}\n')
    assert caught.value.line == 2 and what in str(caught.value)


def test_a_student_whose_machine_is_another_is_told_before_handing_in(plan: Plan, tmp_path: Path) -> None:
    here = identity_of(plan)
    known = here.site.identity | here.programs | {"mpi-pingpong": "of another experiment"}
    asked = assignment(tmp_path)
    assert list(other_identity(asked, plan, known)) == list(other_identity(asked, plan, {})) == []
    (said,) = other_identity(asked, plan, known | {"tcp-client": "e"})
    assert here.words in said and "does not accept" in said
    accepting = assignment(tmp_path, f'identities = ["exact", "{here.digest[:16]}"]\n')
    assert list(other_identity(accepting, plan, known | {"tcp-client": "e"})) == []
