"""The command `lab query`: numbers of an experiment, judged statements, and the list of possible queries."""

import json
import re
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from textwrap import wrap

from lab.errors import plural
from lab.experiment.experiment import Series
from lab.model.sizes import format_size
from lab.places import REFERENCE
from lab.records.recorded import plans_of
from lab.report.evidence.environment import SHOWN_LETTERS
from lab.report.evidence.evidence import gather
from lab.report.evidence.labels import label
from lab.report.query.grammar import SIGNS, TRENDS, QueryError
from lab.report.query.judge import judge, words
from lab.report.query.measures import ENDED, MEASURES, default_of, measures_of
from lab.report.query.numbers import Numbers
from lab.report.query.value import StatementResult, Truth, Value
from lab.typed_json import as_json

VERBS = (" saturate", " jumps ", *(f" {verb}" for verb in TRENDS), " has no effect on ", *SIGNS)
WIDTH = 100
MOST_LINES = 12  # of series; the names of more are wrapped


def query(options: Namespace) -> int:
    """Answer queries, judge statements, or list possible queries; return 1 if a statement is not true."""
    (plan,) = plans_of(options, REFERENCE)
    numbers = Numbers(gather(plan, options.results, REFERENCE))
    answers = [(text, _answer(numbers, text)) for text in options.query]
    if options.names:
        lines = list(_names(numbers))
    elif options.json:
        lines = [json.dumps([as_json(answer) for _, answer in answers] or list(_names(numbers)), indent=1)]
    else:
        lines = [line for text, answer in answers for line in _lines(text, answer)] or list(listing(numbers))
    print("\n".join(lines))
    return int(any(isinstance(answer, StatementResult) and answer.truth is not Truth.TRUE for _, answer in answers))


def _answer(numbers: Numbers, text: str) -> Value | StatementResult:
    plain = re.sub(r"\[[^\]]*\]", "", text)  # without varied values, since `tx_depth=16` is not a statement
    return judge(numbers, text) if any(verb in plain for verb in VERBS) else numbers.ask(text)


def _lines(text: str, answer: Value | StatementResult) -> Iterator[str]:
    yield text
    if isinstance(answer, StatementResult):
        yield f"  {answer.truth.value}: {answer.shows}"
        yield from [f"  true is: {answer.nearest}"] if answer.nearest else []
    else:
        interval = answer.estimate.interval
        level = f", {interval.level:.0%} interval" if interval and not answer.is_exact else ""
        yield f"  {words(answer)}{level}"
    n = answer.n if isinstance(answer, StatementResult) else answer.estimate.n
    keys = [*(key[:SHOWN_LETTERS] for key in answer.keys[:6]), *(["..."] if len(answer.keys) > 6 else [])]
    about = (("n =", n), ("from", answer.source), ("records", " ".join(keys)))
    yield "  " + "; ".join(f"{name} {part}" for name, part in about if part)


def listing(numbers: Numbers) -> Iterator[str]:
    """The series, and each measure with an example for this experiment, in at most 40 lines."""
    experiment, site = numbers.evidence.plan.experiment.name, numbers.evidence.plan.site.name
    yield f"series of {experiment} ({site}):"
    if len(numbers.series) <= MOST_LINES:
        width = max(map(len, numbers.series))
        yield from (f"  {name:{width}}  {_about(series, site)}"[:WIDTH] for name, series in numbers.series.items())
    else:
        names = ", ".join(map(_name, numbers.series.values()))
        yield from wrap(names, WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield "measures, each with an example (a size is 64 or 64K; ratios, sums and parentheses work: a / b at 64K):"
    for measure, about in MEASURES.items():
        example = next(filter(None, (_example(numbers, series, measure) for series in numbers.series.values())), "")
        if example:
            yield f"  {example:44}  {about.about}"
    yield "constants: " + ", ".join([*list(numbers.named_constants)[:7], "..."])
    yield "statements (a and b are queries): a > b everywhere; a / b >= 2 from 64K; a = b within 2 % at 1..4K;"
    yield "  a rises up to 1K; a saturated from 16K; a jumps at 2K; a.knee = 4K; PARAMETER has no effect on a from 64"


def _names(numbers: Numbers) -> Iterator[str]:
    yield from (*numbers.series, *numbers.named_constants)
    for series in numbers.series.values():
        yield from (f"{series.name}.{name}" for name in measures_of(series))


def _name(series: Series) -> str:
    """The series with the values of its first varied parameter."""
    if not series.vary:
        return series.name
    return f"{series.name}[{'|'.join(map(str, next(iter(series.vary.values()))))}]"


def _about(series: Series, site: str) -> str:
    sizes = series.sizes(site)
    span = f"{plural(len(sizes), 'size')}, {format_size(sizes[0])} to {format_size(sizes[-1])}"
    varied = "; ".join(f"{name} {', '.join(map(str, values))}" for name, values in series.vary.items())
    return "; ".join(filter(None, (label(series), span, varied)))


def _example(numbers: Numbers, series: Series, measure: str) -> str:
    """A query of this measure that has an answer, or nothing."""
    kind = measures_of(series).get(measure)
    if kind is None:
        return ""
    point = f"[{', '.join(map(str, series.points()[0].values()))}]" if series.vary else ""
    end = ".client" if measure in ENDED else ""
    name = f"{series.name}{point}" + ("" if measure == default_of(series) else f".{measure}{end}")
    sizes = series.sizes(numbers.evidence.plan.site.name)
    for size in (sizes[len(sizes) // 2], sizes[0]) if kind.takes == "size" else (None,):
        text = f"{name} at {format_size(size)}" if size else name
        with suppress(QueryError):
            numbers.ask(text)
            return text
    return ""
