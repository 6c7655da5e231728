"""All that templates may print: values made elsewhere, under the names that templates know."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from lab.report.evidence.dates import measured_on
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.pairs import Sort
from lab.report.evidence.record_sets import record_sets
from lab.report.evidence.words import SiteWords, about_site, words_of
from lab.report.exhibits.core import Exhibits, grid
from lab.report.exhibits.dots import dots
from lab.report.exhibits.extrapolated import LinePanel, extrapolated
from lab.report.exhibits.multiples import multiples
from lab.report.exhibits.parts import parts
from lab.report.exhibits.rounds import agreed, by_round
from lab.report.exhibits.tails import tails
from lab.report.exhibits.varied import Found, Varied
from lab.report.pictures.gallery import Gallery
from lab.report.pictures.placing import headline, place, sweep_pictures, sweep_text
from lab.report.prose.people import People
from lab.report.query.numbers import Numbers
from lab.report.tables.captions import n_of, records_of, warnings
from lab.report.tables.effective import effective_table
from lab.report.tables.environment import CardOrigins, card_origins, environment
from lab.report.tables.latency import fetch_table, latency_table
from lab.report.tables.model_errors import error_table, impossible
from lab.report.tables.parameters import ParameterRow, constants, parameter_rows, profile_why, published_by
from lab.report.tables.processor import processor_table
from lab.report.tables.ratios import Transport, pair_table, ratio_tables, transports
from lab.report.tables.rounds import RoundTable, round_tables
from lab.report.tables.rows import RowTable, SizeTable
from lab.report.tables.sides import SideTable, size_tables
from lab.report.tables.sweeps import GainTable, gain_table
from lab.report.tables.throughput import rate_table, result_tables
from lab.report.tables.variants import variant_rates, variant_ratios
from lab.report.tex.aligning import aligned
from lab.report.tex.escape import Markup
from lab.sites.traits import Traits
from lab.spec.experiment import Experiment

OfName = Callable[[str], Markup]
OfSeries = Callable[[Iterable[str]], str]
Rows = Callable[[Iterable[Sequence[Markup]]], list[tuple[Markup, ...]]]
CONSTANTS = (
    "numbers that were chosen or counted: `level`, `margin`, `least_n`, `share_limit`, `step`, `near_step`, "
    "`trials`, `sizes`, `smallest`, `largest`, `scale`, `published_smallest`, `published_largest`, `run_time`, "
    "`disk`; with rounds also `until_stable`, `stable_window`, `rounds_cap`"
)


@dataclass(frozen=True)
class Context:
    """The names that a template can use; any other stops the build. `make docs` writes docs/templates.md from these."""

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
    effective: Annotated[RowTable, "what each series ran with, as its records say"]
    environment: Annotated[list[tuple[str, str | Markup]], "the identity of the records, name and value"]
    card_origins: Annotated[list[CardOrigins], "each modelled card's parameters, by the origin of their values"]
    results: Annotated[list[SizeTable], "throughput by size, a table for each link"]
    rates: Annotated[RowTable, "throughput, a row for each series of the main link"]
    processor: Annotated[RowTable, "processor time of a message at both ends, where its instructions were counted"]
    ratios: Annotated[list[SizeTable], "ratios by size, a table for each link"]
    transports: Annotated[list[Transport], "each transport of ours over another, in words"]
    own: Annotated[RowTable, "ours over the experiment's own programs"]
    steps: Annotated[RowTable, "each of the experiment's own programs over the one before it"]
    variants: Annotated[list[RowTable], "ratios where messages are handed over otherwise"]
    variant_rates: Annotated[list[RowTable], "throughput of the same series"]
    model_errors: Annotated[RowTable, "a modelled card's errors against published curves, by size"]
    impossible: Annotated[list[Markup], "a sentence for each published curve above the rate of its modelled link"]
    latencies: Annotated[RowTable, "half of the round trip by size"]
    fetches: Annotated[RowTable, "the whole round trip of a READ by size, beside one way of a WRITE"]
    rounds: Annotated[list[RoundTable], "rounds until they agreed, a table for each series"]
    side_tables: Annotated[list[SideTable], "each end's own calls by size"]
    gains: Annotated[GainTable, "what the best values of each sweep gain"]
    sweeps: Annotated[list[str], "the series of throughput that vary a parameter"]
    sweep_text: Annotated[OfName, "of a sweep: where its figures are, and its values"]
    sweep_pictures: Annotated[Callable[[str], list[str]], "of a sweep: the names of its figures"]
    programs: Annotated[frozenset[str], "the programs of all series"]
    pictures: Annotated[frozenset[str], "the names of all figures that the data give"]
    picture: Annotated[OfName, "of a figure's name: it with caption, records and other text; nothing if on page 1"]
    holds: Annotated[Callable[[str], bool], "whether a statement is true, for a sentence that says so"]
    has: Annotated[Callable[..., bool], "whether the data answer queries"]
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
    headline: Annotated[Callable[[], Markup], "the first page: the figure that answers the question"]
    about_site: Annotated[str, "the first page: the site in plain words"]
    measured_on: Annotated[str, "the first page: when it was measured, as far as that is the same for everybody"]
    aligned: Annotated[Rows, "of a table's rows: the same, with numbers below each other at their points"]
    n_of: Annotated[OfSeries, "of series: their repetitions, for a caption"]
    records_of: Annotated[OfSeries, "of series: the names of their records"]
    all_records: Annotated[str, "the names of all records"]
    warnings: Annotated[list[str], "what the records' notes warn of"]
    typed_files: Annotated[list[str], "the names of the files that a person wrote, as they are attached"]


def make_context(numbers: Numbers, people: People, gallery: Gallery, typed_files: list[str]) -> Context:
    """Everything that a template could ask for; only figures wait until it does."""
    evidence, exhibits, varied = numbers.evidence, Exhibits(numbers, gallery), Varied(numbers, gallery)
    plan, sets = evidence.plan, record_sets(evidence)
    shown = headline(evidence, frozenset(gallery))
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
        results=result_tables(evidence),
        rates=rate_table(evidence),
        processor=processor_table(evidence),
        ratios=ratio_tables(evidence),
        transports=transports(evidence),
        own=pair_table(evidence, Sort.OWN),
        steps=pair_table(evidence, Sort.STEP),
        variants=variant_ratios(evidence),
        variant_rates=variant_rates(evidence),
        model_errors=error_table(evidence),
        impossible=impossible(evidence),
        latencies=latency_table(evidence),
        fetches=fetch_table(evidence),
        rounds=round_tables(evidence),
        side_tables=size_tables(evidence),
        gains=gain_table(evidence),
        sweeps=[series.name for series in evidence.sweeps],
        sweep_text=partial(sweep_text, evidence, gallery),
        sweep_pictures=partial(sweep_pictures, evidence, gallery),
        programs=frozenset(each.program for each in plan.experiment.series),
        pictures=frozenset(gallery),
        picture=partial(_picture, evidence, gallery, shown),
        effect=varied.effect,
        tornado=varied.tornado,
        against=varied.against,
        headline=lambda: place(evidence, gallery, shown) if shown else Markup(""),
        holds=exhibits.holds,
        has=exhibits.has,
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
        aligned=aligned,
        n_of=partial(n_of, evidence),
        records_of=partial(records_of, sets),
        all_records=records_of(sets, [each.series for each in sets]),
        warnings=warnings(evidence),
        typed_files=typed_files,
    )


def _picture(evidence: Evidence, gallery: Gallery, first: str, name: str) -> Markup:
    """A figure stands in one place only, and one of them on the first page."""
    return Markup("") if name == first else place(evidence, gallery, name)
