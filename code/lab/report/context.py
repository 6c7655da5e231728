"""The names that templates can use."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from lab.experiment.experiment import Experiment
from lab.report.evidence.environment import CardOrigins, card_origins, environment, warnings
from lab.report.evidence.parameters import EffectiveTable, ParameterRow, constants, effective_table, parameter_rows
from lab.report.evidence.published import published_parameters
from lab.report.evidence.words import SiteWords, about_site, measured_here, measured_on, profile_why, words_of
from lab.report.exhibits import plots
from lab.report.exhibits.core import Exhibits, Gallery, grid
from lab.report.exhibits.overview import Overview
from lab.report.query.numbers import Numbers
from lab.report.sources import People
from lab.report.tex.render import Markup
from lab.sites.site import Traits

OF_EVIDENCE = (profile_why, constants, environment, card_origins, measured_here, measured_on, warnings)
# The functions of exhibits. docs/reports.md is generated from their arguments and docstrings, too.
OF_EXHIBITS: tuple[Callable[..., object], ...] = (
    *(Exhibits.holds, Exhibits.has, Exhibits.cell, Exhibits.table, Exhibits.sizes_of, Exhibits.plot),
    *(plots.agreed, plots.by_round, plots.dots, plots.parts, plots.queues, plots.tails, plots.extrapolated),
    *(plots.effect, plots.tornado, plots.against, plots.multiples_against, plots.multiples, plots.causes),
)
CONSTANTS = (
    "numbers that were chosen or counted: `level`, `margin`, `least_n`, `share_limit`, `step`, `near_step`, "
    "`trials`, `smallest`, `largest`, `scale`, `published_smallest`, `published_largest`, `run_time`; "
    "with rounds also `until_stable`, `stable_window`, `rounds_cap`"
)


@dataclass(frozen=True)
class Context:
    """The values by name; another name in a template stops the build. docs/reports.md is generated from this."""

    experiment: Annotated[Experiment, "the experiment's file, read"]
    people: Annotated[People, "the authors and their course"]
    site: Annotated[str, "the site's name"]
    traits: Annotated[Traits, "the features of the site: use these in place of its name"]
    site_words: Annotated[SiteWords, "the site in words, for the head, a paragraph and the limits"]
    profile_why: Annotated[str, "the reason of most series for other values on this site"]
    constants: Annotated[dict[str, Markup], CONSTANTS]
    parameters: Annotated[list[ParameterRow], "each parameter as published, as requested and as run"]
    parameter_cells: Annotated[list[list[str | Markup]], "the same as rows of a small table"]
    published_by: Annotated[str, "the published report that the experiment repeats, if any"]
    effective: Annotated[EffectiveTable, "the parameters that each series ran with, by its records"]
    environment: Annotated[list[tuple[str, str | Markup]], "the identity of the records, name and value"]
    card_origins: Annotated[list[CardOrigins], "each modelled card's parameters, by the origin of their values"]
    sweeps: Annotated[list[str], "the series of throughput that vary a parameter"]
    overview: Annotated[Overview, "groups of curves, pairs, rounds and sweeps of any experiment; for short.tex"]
    about_site: Annotated[str, "the first page: the site in plain words"]
    measured_on: Annotated[
        str,
        "the first page: the days of the measurement, or the date of the site's clock if every run has the same bytes",
    ]
    measured_here: Annotated[str, "the first page: how many trials were measured, and how many are the reference's"]
    has_samples: Annotated[bool, "whether every trial was measured: the reference has tables without single messages"]
    warnings: Annotated[list[str], "the warnings of the records' notes"]
    typed_files: Annotated[list[str], "the names of the attached files that a person wrote"]


def make_context(numbers: Numbers, people: People, gallery: Gallery, typed_files: list[str]) -> dict[str, object]:
    """The values of all names; a figure is drawn when a template calls it."""
    evidence, exhibits = numbers.evidence, Exhibits(numbers, gallery)
    plan, rows = evidence.plan, parameter_rows(evidence)
    device, cards = plan.site.ends.client.device, plan.experiment.cards
    number = "several" if any(series.link.computers > 2 for series in plan.experiment.series) else "two"
    values: dict[str, Any] = {value.__name__: value(evidence) for value in OF_EVIDENCE}
    context = Context(
        experiment=plan.experiment,
        people=people,
        site=plan.site.name,
        traits=plan.site.traits,
        site_words=words_of(plan.site.name, plan.site.traits),
        parameters=rows,
        parameter_cells=[[row.name, row.published, row.asked, row.used] for row in rows],
        published_by=published_parameters(plan.experiment.name).label,
        effective=effective_table(evidence),
        sweeps=[run.name for run in plan.experiment.series if run.measure == "throughput" and run.vary],
        overview=Overview(exhibits),
        about_site=about_site(plan.site.name, plan.site.traits, device, cards, number),
        typed_files=typed_files,
        has_samples=not evidence.unmeasured,
        **values,
    )
    functions = {function.__name__: partial(function, exhibits) for function in OF_EXHIBITS}
    return {**vars(context), **functions, **OTHERS}


def claim(query: str, digits: int = 3) -> Markup:
    r"""`\claim` with a query that a template put together; 0 digits: as many as the interval supports."""
    typed = query.replace("%", "\\%").replace("_", "\\_")
    return Markup(rf"\claim{f'[{digits}]' * bool(digits)}{{{typed}}}")


OTHERS: dict[str, Callable[..., object]] = {"claim": claim, "grid": grid, "line_panel": plots.LinePanel}
