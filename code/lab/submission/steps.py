"""Steps of an assignment: each a series of the student's own programs, with points by size and by tiers of speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.files.fault import Fault
from lab.files.toml_file import TomlFile
from lab.spec.experiment import Experiment
from lab.typed_json import JsonTable, parse_as


@dataclass(frozen=True)
class Tier:
    """More points for more speed: the geometric mean over the sizes of the step's rate over the other series'."""

    at_least: float
    points: int


@dataclass(frozen=True)
class TaskStep:
    """One step. Its points are shared out among the sizes; those of the tiers are all or none, each."""

    series: str
    points: int
    asks: str  # what it is, in a line
    advice: str = ""  # where to look first if it fails
    against: str = ""  # the series that the tiers compare with
    tiers: tuple[Tier, ...] = ()

    @property
    def most(self) -> int:
        return self.points + sum(each.points for each in self.tiers)


def read_steps(found: TomlFile, experiment: Experiment | None) -> tuple[TaskStep, ...]:
    """The checked tables; together they are worth what [points] says of the check `steps`."""
    tables: Sequence[JsonTable] = found.document.get("step", ())
    steps = tuple(parse_as(TaskStep, each) for each in tables)
    for number, step in enumerate(steps):
        if step.series in [each.series for each in steps[:number]]:
            found.refuse(Fault(f"two steps are of the series {step.series}", ("step", number, "series")))
        if bool(step.tiers) != bool(step.against):
            what = f"the step {step.series} has {'tiers' if step.tiers else 'against'} alone"
            found.refuse(Fault(what, ("step", number), "tiers and the series that they are against, or neither"))
        if experiment:
            _require_series(found, number, step, experiment)
    given, sum_ = found.document["points"].get("steps", 0), sum(each.most for each in steps)
    if given != sum_:
        fault = Fault(f"points.steps is {given}, its steps are worth {sum_}", ("points",), f"steps = {sum_}")
        found.refuse(fault)
    return steps


def _require_series(found: TomlFile, number: int, step: TaskStep, experiment: Experiment) -> None:
    known = sorted(each.name for each in experiment.series)
    for key, name in (("series", step.series), ("against", step.against)):
        if name and name not in known:
            what = f"a step is of the series {name}, which {experiment.name} lacks"
            found.refuse(Fault(what, ("step", number, key), f"one of {', '.join(known)}"))
