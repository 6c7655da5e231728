"""Experiments are read from their records by an index, without their site."""

import csv
import hashlib
import json
import subprocess
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab.conftest import OURS, PEERS, Lab
from tests.lab.fake_site import FakeSite, planned
from tests.toml import series_of

from lab.cli import measure as measuring
from lab.errors import RecordError, SiteError, SpecError
from lab.files.store import seal
from lab.model.trial import Outcome
from lab.plan.plan import Plan, SiteFacts
from lab.plan.planning import Campaign
from lab.records import recorded
from lab.records.record import record_folder, write_record
from lab.records.recorded import plans_of, read_groups
from lab.run.measure import measure
from lab.sites import site as sites
from lab.sites.host import OwnDevices

Laid = Callable[..., Plan]
MODELLED = "\n" + series_of(
    'gigabit tcp send throughput\nparameters = { wait = "event" }\nlink = { rate_bit_s = 1_000_000_000 }'
)


@pytest.fixture
def file(experiment_file: Callable[[str], Path]) -> Path:
    return experiment_file(PEERS + OURS)


@pytest.fixture
def lay(file: Path, results: Path, facts: SiteFacts, fake_site: FakeSite) -> Laid:
    """Write records as a run does: of a site, of a build of the programs, of the first trials."""

    def lay(site: SiteFacts = facts, build: str = "d", day: int = 1, first: int | None = None) -> Plan:
        plan = planned(file, site, build)
        for each in plan.planned[:first]:
            record = measure(each, _counting(fake_site, site), site)
            state = {**(record.facts.moment.state or {}), "started": f"2026-01-{day:02}T00:00:00+00:00"}
            moment = replace(record.facts.moment, state=state)
            write_record(results, replace(record, facts=replace(record.facts, moment=moment)))
        return plan

    return lay


def _counting(site: Any, facts: SiteFacts) -> Any:
    """The fake site with counters for the interface of the facts."""

    def renamed(counters: Mapping[str, int]) -> dict[str, int]:
        return {name.replace("v0", facts.ends.client.interface): count for name, count in counters.items()}

    def change(outcome: Outcome) -> Outcome:
        before, after = renamed(outcome.counters_before), renamed(outcome.counters_after)
        return replace(outcome, counters_before=before, counters_after=after)

    site.change = change
    return site


def read(file: Path, results: Path, site: str = "any", prefer: str = "exact") -> tuple[Plan, list[str]]:
    said: list[str] = []
    options = Namespace(experiment=[file], results=results, site=site, hosts=Path())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorded, "choose", lambda _: (prefer, "it is preferred"))
        patch.setattr(recorded, "tell", lambda *lines: said.extend(lines))
        (plan,) = plans_of(options)
    return plan, said


@pytest.fixture
def nothing_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail if a site, a VM, a compiler or another program is started."""

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("this is started only to measure")

    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(sites, "import_module", refuse)


@pytest.mark.usefixtures("nothing_can_be_started")
def test_tables_queries_records_and_comparisons_need_only_records(
    lab: Lab, lay: Laid, file: Path, results: Path
) -> None:
    plan, where = lay(), ("--results", results)
    assert f"{len(plan.planned)} of {len(plan.planned)} trials" in lab("table", file, "--json", *where).out
    rows = list(csv.DictReader((results / "small.csv").read_text().splitlines()))
    lines = [json.loads(line) for line in (results / "small.jsonl").read_text().splitlines()]
    assert [{key: str(value) for key, value in line.items()} for line in lines] == [
        {key: cell for key, cell in row.items() if cell} for row in rows
    ]
    assert all(isinstance(line["size_bytes"], int) and isinstance(line["messages"], int) for line in lines)
    assert "peer at 64" in lab("query", file, *where).out
    assert lab("show", plan.planned[0].trial.key[:12], *where).status == 0
    assert lab("compare", results, results).status == 0


@pytest.mark.usefixtures("nothing_can_be_started")
def test_report_is_made_without_a_site_unless_up_to_date(
    lab: Lab, lay: Laid, file: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, made = lay(), list[Plan]()

    def make(plan: Plan, *_: Path) -> Path:
        made.append(plan)
        return file

    monkeypatch.setattr("lab.report.commands.is_current", lambda *_: bool(made))
    monkeypatch.setattr("lab.report.commands.write_report", make)
    for said in ("small.toml", "up to date"):
        status, out, _ = lab("report", file, "--results", results)
        assert status == 0 and said in out
    assert [each.trials().keys() for each in made] == [plan.trials().keys()]


def test_missing_records_are_reported_with_a_reason(lay: Laid, file: Path, results: Path) -> None:
    with pytest.raises(RecordError, match=r"results: there is no record \(try: lab run small\)"):
        read(file, results)
    trials, text = lay().planned, file.read_text()
    file.write_text(text.replace("iterations = 40", "iterations = 41"))
    with pytest.raises(RecordError, match="none of 10 records is of a trial of small as its file is now"):
        read(file, results)
    file.write_text(text)
    for trial in trials:  # as an older version wrote them
        record = record_folder(results, trial.trial.key) / "record.json"
        record.write_text(record.read_text().replace('"traits"', '"qualities"'))
    with pytest.raises(RecordError, match="no record there names its site"):
        read(file, results)


@pytest.mark.parametrize("first", [10, 9])
def test_reference_needs_all_records_of_the_present_plan(
    lab: Lab, lay: Laid, file: Path, first: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fake_site: FakeSite
) -> None:
    lay(day=1)
    now = replace(SiteFacts.of(fake_site), identity={"site": "newer"})
    plan = lay(now, day=2, first=first)
    monkeypatch.setattr(measuring, "REFERENCE", tmp_path / "reference")
    monkeypatch.setattr(measuring, "open_site", lambda *_: fake_site)
    monkeypatch.setattr(measuring, "open_campaign", lambda *_: Campaign(fake_site, now, (plan,)))
    status = lab("table", file, "--reference", "--results", tmp_path / "results").status
    assert (status, (tmp_path / "reference").exists()) == ((0, True) if first == 10 else (2, False))


def test_query_counts_missing_trials_and_a_table_tolerates_them(lab: Lab, lay: Laid, file: Path, results: Path) -> None:
    plan, where = lay(first=6), ("--results", results)
    assert "6 of 10 trials" in lab("table", file, *where).out
    status, _, err = lab("query", file, *where)
    assert status == 2 and f"no record of 4 of {len(plan.planned)} trials" in err


def test_identity_with_most_records_is_read_then_the_references_then_the_newest(
    lay: Laid, facts: SiteFacts, file: Path, results: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    older, newer_site = lay(), replace(facts, identity={"site": "newer"})
    lay(newer_site, day=2, first=9)
    plan, lines = read(file, results)
    assert plan.trials().keys() == older.trials().keys()
    assert lines[0].startswith("small: read from the records of exact (10 of 10 trials, the last of 2026-01-01T")
    assert lines[0].endswith("1 more with another identity")
    newer = lay(newer_site, day=2)
    monkeypatch.setattr(recorded, "REFERENCE", tmp_path)
    assert read(file, results)[0].site == newer.site
    (tmp_path / "identity.json").write_text(json.dumps({**older.site.identity, "verbs-client": "d"}))
    assert read(file, results)[0].site == older.site


def test_of_two_complete_sites_the_named_or_the_preferred_is_read(
    lay: Laid, facts: SiteFacts, file: Path, results: Path
) -> None:
    lay()
    lay(replace(facts, name="ssh", identity={"hosts": "ada to bob"}, traits=OwnDevices.traits), day=2)
    assert read(file, results)[0].site.name == "exact"
    assert read(file, results, prefer="ssh")[0].site.name == "ssh"
    assert read(file, results, prefer="host")[0].site.name == "ssh"  # the newest
    assert read(file, results, "ssh:ada,bob")[0].site.name == "ssh"
    with pytest.raises(RecordError, match="there is no record of the site vm"):
        read(file, results, "vm")
    with pytest.raises(SiteError, match="unknown site: 'sun'"):
        read(file, results, "sun")


def test_large_plan_is_refused_before_it_is_made(
    lay: Laid, file: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(first=1)
    monkeypatch.setattr("lab.plan.planning.MOST_TRIALS", 9)
    with pytest.raises(SpecError, match="10 trials on exact"):
        read(file, results)


def test_present_build_is_read_if_it_has_records_else_the_newest(
    lay: Laid, file: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = lay(build="old").trials().keys()
    newer = lay(build=hashlib.sha256(b"new").hexdigest(), day=2, first=9).trials().keys()
    assert read(file, results)[0].trials().keys() == newer
    monkeypatch.setattr(recorded, "_build_digest", lambda _: "old")
    plan, lines = read(file, results)
    assert plan.trials().keys() == older and lines == []
    # The locked compiler's build of the present sources counts beside an older build of this host's.
    monkeypatch.setattr(recorded, "compiled_before", lambda builds: dict.fromkeys(builds, b"new"))
    plan, lines = read(file, results)
    assert plan.trials().keys() == newer and lines == []
    monkeypatch.setattr(recorded, "compiled_before", lambda _: {})
    monkeypatch.setattr(recorded, "_build_digest", lambda _: "newest")
    assert "small: the records are of another build of tcp-client" in read(file, results)[1][0]


def test_series_with_a_modelled_link_are_left_out_of_a_real_links_records(
    lay: Laid, facts: SiteFacts, file: Path, results: Path
) -> None:
    file.write_text(file.read_text() + MODELLED)
    lay(replace(facts, name="host", traits=OwnDevices.traits))
    plan, said = read(file, results)
    assert plan.experiment.left_out == ("gigabit",) and said[-1].endswith("whose link takes no such model: gigabit")
    file.write_text(PEERS.partition("[[series]]")[0] + MODELLED)
    with pytest.raises(RecordError, match="none of 10 records is of a trial of small"):
        read(file, results)


@pytest.mark.parametrize("damage", [{"traits": None}, {"ends": {}}, {"programs": 3}, {"state": {}}])
def test_record_without_a_site_is_ignored(lay: Laid, results: Path, damage: dict[str, Any]) -> None:
    key = lay().planned[0].trial.key
    file = record_folder(results, key) / "record.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | damage))
    seal(file.parent)
    (group,) = read_groups(results)
    assert len(group.started) == 9 and key not in group.started
