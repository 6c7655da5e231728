"""How small messages travel: many to a call, joined on the way, or each by itself. A ratio holds that too."""

from __future__ import annotations

from lab.spec.experiment import Experiment, Series

HANDLING = ("post_list", "signal_every", "nodelay")


def handed_otherwise(experiment: Experiment, series: Series) -> bool:
    """Whether the series differs in this from the first of its program on its link."""
    twins = (each for each in experiment.series if not each.vary and _does(each) == _does(series))
    first = next(twins, series)
    return any(getattr(first.published, name) != getattr(series.published, name) for name in HANDLING)


def _does(series: Series) -> tuple[object, ...]:
    return series.program, series.operation, series.measure, series.link
