"""All that templates may print: values made elsewhere, under the names that templates know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from lab.experiment.experiment import Experiment
from lab.report.evidence.environment import CardOrigins, card_origins, environment, warnings
from lab.report.evidence.parameters import (
    EffectiveTable,
    ParameterRow,
    constants,
    effective_table,
    parameter_rows,
    profile_why,
    published_by,
)
from lab.report.evidence.words import SiteWords, about_site, measured_on, words_of
from lab.report.exhibits.core import Exhibits, Gallery, grid
from lab.report.exhibits.overview import Overview
from lab.report.exhibits.plots import agreed, by_round, causes, dots, multiples, parts, tails
from lab.report.exhibits.varied import Found, LinePanel, Varied, extrapolated
from lab.report.query.numbers import Numbers
from lab.report.sources import People
from lab.report.tex.render import Markup
from lab.sites.site import Traits

CONSTANTS = (
    "numbers that were chosen or counted: `level`, `margin`, `least_n`, `share_limit`, `step`, `near_step`, "
    "`trials`, `sizes`, `smallest`, `largest`, `scale`, `published_smallest`, `published_largest`, `run_time`, "
    "`disk`; with rounds also `until_stable`, `stable_window`, `rounds_cap`"
)


@dataclass(frozen=True)
class Context:
    """The names that a template can use; any other stops the build. `make docs` writes docs/reports.md from these."""

    experiment: Annotated[Experiment, "the experiment's file, read"]
    people: Annotated[People, "who hands in, for which course"]
    site: Annotated[str, "the site's name"]
    traits: Annotated[Traits, "what the site is: ask these in place of its name"]
    site_words: Annotated[SiteWords, "the site in words, for captions, the head, a paragraph and the limits"]
    profile_why: Annotated[str, "why most series have other values on this site"]
    constants: Annotated[dict[str, Markup], CONSTANTS]
    parameters: Annotated[list[ParameterRow], "each parameter as published, as asked for and as run"]
    parameter_cells: Annotated[list[list[str | Markup]], "the same as rows of a small table"]
    published_by: Annotated[str, "the published report that the experiment repeats, if any"]
    effective: Annotated[EffectiveTable, "what each series ran with, as its records say"]
    environment: Annotated[list[tuple[str, str | Markup]], "the identity of the records, name and value"]
    card_origins: Annotated[list[CardOrigins], "each modelled card's parameters, by the origin of their values"]
    sweeps: Annotated[list[str], "the series of throughput that vary a parameter"]
    overview: Annotated[Overview, "what any experiment has: groups of curves, pairs, rounds, sweeps; for short.tex"]
    holds: Annotated[Callable[[str], bool], "whether a statement is true, for a sentence that says so"]
    has: Annotated[Callable[..., bool], "whether the data answer queries"]
    claim: Annotated[Callable[..., Markup], r"of a query, digits: `\claim` with a query that is put together of values"]
    cell: Annotated[Callable[..., Markup], "of a query: its number with its unit, in three digits"]
    table: Annotated[Callable[..., list[list[Markup]]], "of queries and sizes: a row for each size"]
    sizes_of: Annotated[Callable[[str], list[str]], "of a series: its sizes, as queries name them"]
    grid: Annotated[Callable[..., Markup], "of heads and rows: a table without its caption"]
    plot: Annotated[Callable[..., Markup], "of a name, a caption, an axis and queries: a figure against the size"]
    agreed: Annotated[Callable[..., Markup], "of a name, a caption and series: which repetitions agreed"]
    by_round: Annotated[Callable[..., Markup], "of a name, a caption, series and sizes: the rounds of one repetition"]
    dots: Annotated[Callable[..., Markup], "of a name, a caption, an axis, a size and groups of series: a dot plot"]
    parts: Annotated[Callable[..., Markup], "of a name, a caption, an axis, kinds and bars of queries: parts of a time"]
    tails: Annotated[Callable[..., Markup], "of a name, a caption, a size and series: how slow the slow messages are"]
    extrapolated: Annotated[Callable[..., Markup], "of a name, a caption, an axis and panels: times, lines to 0 bytes"]
    line_panel: Annotated[Callable[..., LinePanel], "of times, title, look, lines: a panel of such a figure"]
    effect: Annotated[Callable[..., Found], "of a query with {x} and a size: what the best value gains over the worst"]
    tornado: Annotated[Callable[..., Markup], "of queries with {x} and sizes: a figure of the effects of parameters"]
    against: Annotated[Callable[..., Markup], "of queries with {x}: a figure against a value that a series varies"]
    multiples: Annotated[Callable[..., Markup], "of a name, a caption, titles and rows of queries: small panels"]
    causes: Annotated[Callable[..., Markup], "a figure of where instructions go; nothing where they were not counted"]
    about_site: Annotated[str, "the first page: the site in plain words"]
    measured_on: Annotated[str, "the first page: when it was measured, as far as that is the same for everybody"]
    warnings: Annotated[list[str], "what the records' notes warn of"]
    typed_files: Annotated[list[str], "the names of the files that a person wrote, as they are attached"]


def make_context(numbers: Numbers, people: People, gallery: Gallery, typed_files: list[str]) -> Context:
    """Everything that a template could ask for; only figures wait until it does."""
    evidence, exhibits = numbers.evidence, Exhibits(numbers, gallery)
    plan, varied = evidence.plan, Varied(exhibits)
    return Context(
        experiment=plan.experiment,
        people=people,
        site=plan.site.name,
        traits=plan.site.traits,
        site_words=words_of(plan.site.name, plan.site.traits),
        profile_why=profile_why(evidence),
        constants=constants(evidence),
        parameters=parameter_rows(evidence),
        parameter_cells=[[row.name, row.published, row.asked, row.used] for row in parameter_rows(evidence)],
        published_by=published_by(evidence),
        effective=effective_table(evidence),
        environment=environment(evidence),
        card_origins=card_origins(evidence),
        sweeps=[series.name for series in evidence.sweeps],
        overview=Overview(exhibits),
        effect=varied.effect,
        tornado=varied.tornado,
        against=varied.against,
        causes=partial(causes, exhibits),
        holds=exhibits.holds,
        has=exhibits.has,
        claim=claim,
        cell=exhibits.cell,
        table=exhibits.table,
        sizes_of=exhibits.sizes,
        grid=grid,
        plot=exhibits.plot,
        agreed=partial(agreed, exhibits),
        by_round=partial(by_round, exhibits),
        dots=partial(dots, exhibits),
        parts=partial(parts, exhibits),
        tails=partial(tails, exhibits),
        extrapolated=partial(extrapolated, exhibits),
        line_panel=LinePanel,
        multiples=partial(multiples, exhibits),
        about_site=about_site(plan.site.name, plan.site.traits, plan.site.ends.client.device, plan.experiment.cards),
        measured_on=measured_on(evidence),
        warnings=warnings(evidence),
        typed_files=typed_files,
    )


def claim(query: str, digits: int = 3) -> Markup:
    """The macro with a query that a template put together; 0 digits: as many as the interval supports."""
    typed = query.replace("%", "\\%").replace("_", "\\_")
    return Markup(rf"\claim{f'[{digits}]' * bool(digits)}{{{typed}}}")
