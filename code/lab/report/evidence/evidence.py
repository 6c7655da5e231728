"""The evidence of a report: the values of its records by series, point and size."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path

from lab.causes.count import window
from lab.causes.table import Cause, file_of, files_of, read
from lab.errors import RecordError, SizeError, SpecError, plural, tell
from lab.experiment.experiment import Point, Series
from lab.model.sizes import parse_size
from lab.places import from_here
from lab.plan.plan import Plan, Planned
from lab.programs.program import Sample
from lab.records.compare import difference_of_records
from lab.records.facts import Facts
from lab.records.record import has_record, open_record, read_whole, record_damage, record_folder
from lab.records.reference import reference_rows
from lab.records.table import KEY_LETTERS, Row, table_of
from lab.run.measure import facts_of_reference

COMPLETED, CONFIRMED, STEADY = "completed_bytes_per_s", "confirmed_bytes_per_s", "steady_bytes_per_s"
Place = tuple[tuple[str, int | str], ...]  # the varied values of a point, by name


@dataclass(frozen=True)
class Evidence:
    """An experiment's plan with the rows, facts and samples of its trials."""

    plan: Plan
    rows: tuple[Row, ...]
    facts: dict[str, Facts]  # by key, in the order of the plan
    results: Path
    unmeasured: frozenset[str] = frozenset()  # trials whose rows are the reference's
    _samples: dict[str, tuple[Sample, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def series(self, name: str) -> Series:
        return next(series for series in self.plan.experiment.series if series.name == name)

    def samples(self, series: str, point: Point | None = None) -> dict[str, tuple[Sample, ...]]:
        """The raw samples of each repetition, by its record's key; none if a repetition has no record."""
        curve = series, point or {}
        keys = [trial.trial.key for trial in self.plan.planned if (trial.series.name, trial.point) == curve]
        if not self.unmeasured.isdisjoint(keys):
            return {}
        for key in keys:
            if key not in self._samples:
                self._samples[key] = open_record(self.results, key).samples()
        return {key: self._samples[key] for key in keys}

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """The rows of the experiment's table of instructions that are of this plan; none if nothing was counted."""
        return _causes(self.plan, self.results)[1]

    @cached_property
    def _rows_at(self) -> dict[tuple[str, Place, int], list[Row]]:
        """The rows by series, point and size, in whatever notation the table has varied values."""
        varied = {series.name: tuple(series.vary) for series in self.plan.experiment.series}
        rows = defaultdict[tuple[str, Place, int], list[Row]](list)
        for row in self.rows:
            point = _place({name: row.point[name] for name in varied.get(row.series, ())})
            rows[row.series, point, row.size_bytes].append(row)
        return dict(rows)

    def rows_of(self, series: str, size: int, point: Point) -> list[Row]:
        """A row for each repetition."""
        return self._rows_at.get((series, _place(point), size), [])

    @cached_property
    def full_keys(self) -> dict[str, str]:
        """The keys of records by their beginnings, which rows have."""
        return {key[:KEY_LETTERS]: key for key in self.facts}

    def keys(self, series: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(trial.trial.key for trial in self.plan.planned if trial.series.name == series))

    def unchecked(self, keys: Iterable[str]) -> tuple[str, ...]:
        """The records that did not pass all checks, or whose notes warn against their numbers."""
        return tuple(key for key in keys if key in self.facts and not self.facts[key].assessment.is_sound)


def gather(plan: Plan, results: Path, reference: Path | None = None, steps: Collection[str] = ()) -> Evidence:
    """All evidence of a plan; raise if a trial has no record, and name the first.

    A series whose program failed is left out, and a line says so. These steps may lack records for any reason.
    If a reference has every trial of the plan and equals the records, its rows stand in for those of missing records,
    and a line says so.
    """
    keys = list(dict.fromkeys(trial.trial.key for trial in plan.planned))
    records = {key: record for key in keys if (record := read_whole(results, key))}
    rows = table_of(plan, records.get)
    absent = [key for key in keys if key not in records]
    is_damaged = any(record_folder(results, key).is_dir() for key in absent)
    all_rows = reference_rows(plan, reference) if reference and absent and not is_damaged else []
    if reference and all_rows and difference_of_records(rows, all_rows) is None:
        rows = all_rows
        counts = f"{len(absent)} of {plural(len(keys), 'trial')}"
        tell(f"{plan.experiment.name}: not measured here, so from {from_here(reference)}: {counts}")
    else:
        failed = failed_series(plan, results, records.keys(), steps)
        _require(plan, results, records.keys(), failed)
        if failed and not steps:
            names = ", ".join(failed)
            tell(f"{plan.experiment.name}: these series have no numbers, since their programs failed: {names}")
        planned = tuple(trial for trial in plan.planned if trial.series.name not in failed)
        plan = replace(plan, experiment=replace(plan.experiment.without(failed), failed=failed), planned=planned)
        rows = [row for row in rows if row.series not in failed]
    plan = measured_plan(plan, rows)
    trials = {trial.trial.key: trial for trial in reversed(plan.planned)}
    facts = {
        key: records[key].facts() if key in records else facts_of_reference(trials[key], plan.site)
        for key in keys
        if key in trials
    }
    unmeasured = frozenset(facts.keys() - records.keys())
    return Evidence(plan, tuple(rows), facts, results, unmeasured)


def failed_series(plan: Plan, results: Path, whole: Collection[str], steps: Collection[str] = ()) -> tuple[str, ...]:
    """The series of a student's program that lack records only where it failed, and always would; of these steps, all
    that lack records. None if no numbers would be left."""
    lacking = [trial for trial in plan.planned if trial.trial.key not in whole]
    others = {trial.series.name for trial in lacking if not _may_lack(trial, plan, results, steps)}
    failed = dict.fromkeys(trial.series.name for trial in lacking if trial.series.name not in others)
    shown = {series.name for series in plan.experiment.series if not series.tool.silent}
    return () if shown <= failed.keys() else tuple(failed)


def _may_lack(planned: Planned, plan: Plan, results: Path, steps: Collection[str]) -> bool:
    key, always_fails = planned.trial.key, planned.series.tool.by_student and plan.site.traits.is_deterministic
    # The evidence of a program; that of a site that broke down has no output.
    has_failed = always_fails and (results / "failed" / key / "client.out").is_file()
    return (planned.series.name in steps or has_failed) and not record_folder(results, key).is_dir()


def require_all(plan: Plan, results: Path, steps: Collection[str] = ()) -> None:
    """Raise if a trial of a submission has no intact record, and name the first; steps may have failed instead."""
    whole = {key for key in plan.trials() if has_record(results, key)}
    failed = [name for name in failed_series(plan, results, whole) if name in steps]
    _require(plan, results, whole, failed, "a submission needs records, not the reference: ")


def _require(plan: Plan, results: Path, whole: Collection[str], failed: Collection[str], reason: str = "") -> None:
    absent = [trial for trial in plan.planned if trial.trial.key not in whole and trial.series.name not in failed]
    if absent:
        damage = record_damage(results, absent[0].trial.key)
        raise RecordError(
            f"{reason}no {'whole ' if damage else ''}record of {len(absent)} of {plural(len(plan.planned), 'trial')}; "
            f"the first is {describe(absent[0])}{f' ({damage})' if damage else ''}",
            where=plan.experiment.name,
            hint=f"lab run {plan.experiment.name}",
        )


def describe(planned: Planned) -> str:
    varied = "".join(f" {name}={value}" for name, value in planned.point.items())
    return f"{planned.series.name}{varied} repetition {planned.repetition}"


def _causes(plan: Plan, results: Path) -> tuple[Path | None, tuple[Cause, ...]]:
    """The first table that has counts of this plan, and these; nothing if nothing was counted."""
    if not (causes := plan.experiment.causes):
        return None, ()
    records = dict[tuple[str, int], str]()  # the key of the trial behind each count that this plan would make
    first = {planned.series.name: planned for planned in reversed(plan.planned) if planned.repetition == 1}
    for key in product(causes.series, causes.sizes):
        with suppress(KeyError, SpecError):  # a series or a size that this site does not have
            records[key] = window(first[key[0]], key[1], plan.site).record
    for file in files_of(plan.experiment.name, results):
        table = read(file) if file.is_file() else ()
        rows = tuple(row for row in table if records.get((row.series, row.size_bytes)) == row.record)
        if rows or (table and not plan.planned):  # rows of the reference belong together
            return file, rows or table
    return None, ()


def are_counted_here(plan: Plan, results: Path) -> bool:
    """Whether a report shows counts of instructions of this host instead of the reference's."""
    here = file_of(plan.experiment.name, results)
    return bool(plan.experiment.causes) and here.is_file() and _causes(gather(plan, results).plan, results)[0] == here


def measured_plan(plan: Plan, rows: Iterable[Row]) -> Plan:
    """The plan without the series whose output is not read, and without the sizes that no record has."""
    sizes = defaultdict[str, set[int]](set)
    for row in rows:
        sizes[row.series].add(row.size_bytes)
    shown = [run for run in plan.experiment.series if not run.tool.silent]
    if not shown:
        what = "no output of its programs is read, so that the report would be empty"
        raise RecordError(what, where=plan.experiment.name, hint="lab show KEY; or another output in [programs]")
    series = {run.name: _with_sizes(run, plan.site.name, sizes[run.name]) for run in shown}
    planned = (
        replace(trial, series=series[trial.series.name]) for trial in plan.planned if trial.series.name in series
    )
    return replace(plan, experiment=replace(plan.experiment, series=tuple(series.values())), planned=tuple(planned))


def _with_sizes(series: Series, site: str, measured: Set[int]) -> Series:
    sizes = tuple(size for size in series.parameters(site, {}).sizes if size in measured)
    if set(sizes) == set(series.sizes(site)):
        return series
    profile = series.profile(site)
    if "sizes" not in profile.values:
        return replace(series, published=replace(series.published, sizes=sizes))
    narrowed = replace(profile, values={**profile.values, "sizes": sizes})
    return replace(series, profiles=series.profiles | {site: narrowed})


def _place(point: Point) -> Place:
    return tuple((name, comparable(value)) for name, value in point.items())


@lru_cache(maxsize=1000, typed=True)  # True is not 1
def comparable(value: object) -> int | str:
    """A varied value in one notation: 1K and 1024 are the same number, and True and true the same text."""
    try:
        return parse_size(str(value))
    except SizeError:
        return str(value).lower()
