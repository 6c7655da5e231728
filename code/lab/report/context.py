"""All that templates may print: values made elsewhere, under the names that templates know."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lab.model.sizes import format_size
from lab.report.claims.ledger import AllClaims
from lab.report.draft.lines import line_words
from lab.report.errors import ReportError
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import label_within
from lab.report.evidence.links import link_groups
from lab.report.evidence.pairs import Sort
from lab.report.evidence.parameter_words import parameter_words
from lab.report.evidence.record_sets import RecordSet, record_sets, sets_of
from lab.report.evidence.words import words_of
from lab.report.pictures.gallery import Gallery
from lab.report.prose.people import People
from lab.report.tables.effective import effective_table
from lab.report.tables.environment import environment
from lab.report.tables.latency import latency_table
from lab.report.tables.lines import fit_table, published_fit_table
from lab.report.tables.parameters import parameter_rows
from lab.report.tables.ratios import pair_table, ratio_tables
from lab.report.tables.rounds import round_tables
from lab.report.tables.sides import probe_tables, published_rows, size_tables
from lab.report.tables.sweeps import gain_table
from lab.report.tables.throughput import rate_table, result_tables
from lab.report.tables.variants import variant_rates, variant_ratios
from lab.report.tex.escape import Markup, escape


def make_context(claims: AllClaims, people: People, gallery: Gallery) -> dict[str, Any]:
    """The names that a template can use; any other stops the build. `docs/reports.md` lists them."""
    evidence = claims.evidence
    plan, sets = evidence.plan, record_sets(evidence)
    first, words = plan.experiment.series[0], words_of(plan.site.name, plan.site.traits)
    return {
        "experiment": plan.experiment,
        "people": people,
        "site": plan.site.name,
        "traits": plan.site.traits,
        "site_words": words,
        "profile_why": first.profile(plan.site.name).why,
        "parameters": parameter_rows(claims),
        "environment": environment(evidence),
        "results": result_tables(claims),
        "ratios": ratio_tables(claims),
        "rates": rate_table(claims),
        "own": pair_table(claims, Sort.OWN),
        "steps": pair_table(claims, Sort.STEP),
        "side_tables": size_tables(claims),
        "sides": published_rows(claims),
        "probes": probe_tables(claims),
        "lines": fit_table(claims),
        "published_lines": published_fit_table(claims),
        "line_words": lambda name: _line_words(claims, name),
        "published_times": [each.times for each in claims.published_times],
        "latencies": latency_table(claims),
        "rounds": round_tables(claims),
        "variants": variant_ratios(claims),
        "variant_rates": variant_rates(claims),
        "effective": effective_table(evidence),
        "warnings": warnings(evidence),
        "gains": gain_table(claims),
        "transports": transports(claims),
        "programs": {each.program for each in plan.experiment.series},
        "sweeps": [each.name for each in evidence.sweeps],
        "sweep_pictures": lambda name: sweep_pictures(evidence, name, gallery),
        "sweep_text": lambda name: sweep_text(evidence, name, gallery),
        "n_of": lambda names: n_of(evidence, names),
        "records_of": lambda names: _names(sets, names),
        "all_records": _names(sets, [each.series for each in sets]),
        "constants": claims.constants,
        "pictures": set(gallery),
        "picture": _pictures(evidence, gallery, sets, words.short),
    }


def transports(claims: AllClaims) -> list[dict[str, str | Markup]]:
    """Every transport over another: the ratios' name, both sides in words, the link, the figure, the table."""
    suffixes = {group.link: group.suffix for group in link_groups(claims.evidence)}
    return [
        {
            "name": Markup(each.name),
            "ours": each.ours.words,
            "base": each.base.words,
            "link": each.ours.link,
            "picture": Markup(each.picture),
            "table": Markup(f"ratios{suffixes[each.ours.series.link]}"),
        }
        for each in (found.pair for found in claims.ratios_of(Sort.TRANSPORT))
    ]


def _line_words(claims: AllClaims, name: str) -> Markup:
    if name not in claims.fits:
        raise ReportError(f"the data give no line {name!r}", hint="one of " + ", ".join(claims.fits))
    return Markup(" ".join(line_words(claims.fits[name])))


def n_of(evidence: Evidence, names: Iterable[str]) -> Markup:
    """`n = 10 (RDMA WRITE, TCP), 5 (iperf3).`"""
    site, by_n = evidence.plan.site.name, dict[int, list[str]]()
    for name in names:
        series = evidence.series(name)
        words = name if series.vary else label_within(evidence.plan.experiment, series)
        by_n.setdefault(series.parameters(site, {}).repetitions, []).append(words)
    if len(by_n) == 1:
        return Markup(rf"$n = {next(iter(by_n))}$.")
    return Markup("$n$: " + "; ".join(f"{n} ({escape(', '.join(words))})" for n, words in by_n.items()) + ".")


def sweep_pictures(evidence: Evidence, name: str, gallery: Gallery) -> list[str]:
    """The figures that show what a sweep changes."""
    sizes = (format_size(size) for size in evidence.series(name).sizes(evidence.plan.site.name))
    wanted = (name, f"{name}.map", *(f"{name}.{size}" for size in sizes))
    return [each for each in wanted if each in gallery]


def sweep_text(evidence: Evidence, name: str, gallery: Gallery) -> Markup:
    """Where a sweep's figures are, and which values they go through."""
    figures = ", ".join(rf"\figureof{{{each}}}" for each in sweep_pictures(evidence, name, gallery))
    ways = " and ".join(
        rf"{escape(parameter_words(each))}, \texttt{{{escape(each)}}}, from \num{{{values[0]}}} to \num{{{values[-1]}}}"
        for each, values in evidence.series(name).vary.items()
    )
    return Markup(rf"{figures}: {ways}.")


def _names(sets: Iterable[RecordSet], series: Iterable[str]) -> str:
    wanted = set(series)
    return ", ".join(each.name for each in sets if each.series in wanted)


def warnings(evidence: Evidence) -> list[str]:
    """What the records' notes say, each once; and that some did not pass a check, where that is so."""
    wrong = evidence.unchecked(evidence.facts)
    notes = dict.fromkeys(note for key in wrong for note in evidence.facts[key].judged.notes)
    silent = any(not evidence.facts[key].judged.notes for key in wrong)
    return [*notes, *(["a check did not pass"] if silent else [])]


def _pictures(evidence: Evidence, gallery: Gallery, sets: Iterable[RecordSet], site: str) -> Callable[[str], Markup]:
    def picture(name: str) -> Markup:
        if name not in gallery:
            raise ReportError(f"the data give no figure {name!r}", hint="one of " + ", ".join(gallery))
        figure = gallery[name]
        alt = ("\ufeff" + figure.alt).encode("utf-16-be").hex().upper()
        drawn = gallery.pictures[name]
        source = f"{site} Records {sets_of(figure.keys, sets)}."
        if drawn.machine:
            source = f"Published data of {drawn.machine}, not measured here."
        warned = r"\labwarned{}" if evidence.unchecked(figure.keys) else ""
        caption = f"{escape(f'{drawn.caption} {figure.n}. {source}')}{warned}"
        return Markup(
            "\\begin{labplace}{figure}\n"
            f"  \\labpicture{{figures/{name}.pdf}}{{{alt}}}\n"
            f"  \\caption{{{caption}}}\\label{{figure:{name}}}\n"
            "\\end{labplace}\n"
        )

    return picture
