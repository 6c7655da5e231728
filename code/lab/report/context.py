"""All that templates may print: values made elsewhere, under the names that templates know."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lab.figures import Figure
from lab.report.claim import Ledger
from lab.report.escape import Markup, escape
from lab.report.evidence import Evidence
from lab.report.labels import describe_link, label
from lab.report.ledger import curves
from lab.report.people import People
from lab.report.record_sets import RecordSet, record_sets, sets_of
from lab.report.tables import gain_rows, parameter_rows, size_rows

SHOWN_DIGEST = 16
SITES = {
    "exact": (
        "Site exact: time is counted in instructions.",
        "On the site exact time is counted in instructions of one emulated processor: the numbers measure the length "
        "of the software's path, and are no prediction of real hardware.",
    )
}
ELSEWHERE = ("Site {}: time by the clock on the wall.", "On the site {} time is that of the clock on the wall.")


def make_context(evidence: Evidence, ledger: Ledger, people: People, figures: Mapping[str, Figure]) -> dict[str, Any]:
    """The names that a template can use; any other stops the build."""
    plan, sets = evidence.plan, record_sets(evidence)
    first = plan.experiment.series[0]
    swept = [each.name for each in plan.experiment.series if len(each.vary) == 1]
    plain = [each.name for each in curves(evidence)]
    return {
        "experiment": plan.experiment,
        "people": people,
        "site": plan.site.name,
        "site_words": site_words(plan.site.name),
        "profile_why": first.profile(plan.site.name).why,
        "parameters": parameter_rows(ledger),
        "environment": environment(evidence),
        "sizes": size_rows(evidence, ledger),
        "gains": gain_rows(evidence, ledger),
        "sweeps": swept,
        "sweep_text": lambda name: sweep_text(evidence, name),
        "n_of": lambda names: n_of(evidence, names),
        "all_sets": _names(sets, [each.series for each in sets]),
        "all_curves": _names(sets, plain),
        "all_sweeps": _names(sets, swept),
        "picture": _pictures(figures, sets, site_words(plan.site.name)["short"]),
    }


def site_words(site: str) -> dict[str, str]:
    """What a reader must know of the site, for a caption and for a paragraph."""
    short, long = SITES.get(site, tuple(text.format(site) for text in ELSEWHERE))
    return {"short": short, "long": long}


def n_of(evidence: Evidence, names: Iterable[str]) -> Markup:
    """`n = 10 (RDMA WRITE, TCP), 5 (iperf3).`"""
    site, by_n = evidence.plan.site.name, dict[int, list[str]]()
    for name in names:
        series = evidence.series(name)
        words = label(series) if not series.vary else name
        by_n.setdefault(series.parameters(site, {}).repetitions, []).append(words)
    if len(by_n) == 1:
        return Markup(rf"$n = {next(iter(by_n))}$.")
    return Markup("$n$: " + "; ".join(f"{n} ({escape(', '.join(words))})" for n, words in by_n.items()) + ".")


def sweep_text(evidence: Evidence, name: str) -> Markup:
    """Where a sweep's figure is, and what its rates come to at the ends, each a claim."""
    series = evidence.series(name)
    (parameter,) = series.vary
    return Markup(
        rf"\figureof{{{name}}} shows \texttt{{{escape(parameter)}}} "
        rf"from \num{{{series.vary[parameter][0]}}} to \num{{{series.vary[parameter][-1]}}}."
    )


def environment(evidence: Evidence) -> list[tuple[str, str | Markup]]:
    """The identity in rows: site, machine, link, programs; digests by their first letters."""
    plan = evidence.plan
    rows: list[tuple[str, str | Markup]] = [("site", plan.site.name)]
    identity = dict(plan.site.identity)
    if processor := re.search(r"-cpu (\S+).*?-smp (\d+)", identity.get("arguments", "")):
        rows.append(("processor", f"{processor[1]}, emulated, cores: {processor[2]}"))
    rows += [(name, _short(value)) for name, value in identity.items() if name != "arguments"]
    rows.append(("link", describe_link(plan.experiment.series[0].link, plan.site.name)))
    ends = plan.site.ends
    rows.append(
        ("client, server", f"{ends.client.device} on {ends.client.host}, {ends.server.device} on {ends.server.host}")
    )
    programs = {name: digest for facts in evidence.facts.values() for name, digest in facts["programs"].items()}
    rows += [(name, _short(digest)) for name, digest in sorted(programs.items())]
    lab = sorted({facts["lab"] for facts in evidence.facts.values()})
    return [*rows, ("lab", ", ".join(lab))]


def _short(value: str) -> str | Markup:
    if re.fullmatch(r"[0-9a-f]{32,}", value):
        return Markup(rf"\texttt{{{value[:SHOWN_DIGEST]}}}\,\ldots")
    return value


def _names(sets: Iterable[RecordSet], series: Iterable[str]) -> str:
    wanted = set(series)
    return ", ".join(each.name for each in sets if each.series in wanted)


def _pictures(figures: Mapping[str, Figure], sets: Iterable[RecordSet], site: str) -> Callable[[str], Markup]:
    def picture(name: str) -> Markup:
        figure = figures[name]
        alt = ("\ufeff" + figure.alt).encode("utf-16-be").hex().upper()
        records = sets_of(figure.keys, sets)
        caption = escape(
            f"{CAPTIONS.get(name, 'Throughput against ' + name + '.')} {figure.n}. {site} Records {records}."
        )
        return Markup(
            "\\begin{labplace}{figure}\n"
            f"  \\labpicture{{figures/{name}}}{{{alt}}}\n"
            f"  \\caption{{{caption}}}\\label{{figure:{name}}}\n"
            "\\end{labplace}\n"
        )

    return picture


CAPTIONS = {
    "throughput": "Throughput against message size.",
    "message_rate": "Messages per second against message size.",
    "speedup": "RDMA WRITE over TCP on the same link, ratio of median throughputs.",
    "peers": "Ours over the programs that everybody uses, ratio of median throughputs on the same link.",
    "depth": "Throughput against the depth of the send queue.",
    "warmup": "Throughput against the number of warm-up messages.",
    "iterations": "Throughput against the number of timed messages.",
    "post_list": "Throughput against the length of a chain of requests.",
    "signalling": "Throughput against the signalling interval.",
}
