"""The pages of docs/ that are generated from the code, and the figure of the front page."""

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from inspect import signature
from pathlib import Path
from statistics import median
from typing import get_args, get_type_hints

from lab.analysis.card import Conditions, errors
from lab.docs import gallery
from lab.docs.parts import filled, joined, rows
from lab.experiment.reader import card_names, load, read_card
from lab.experiment.rules import RULES
from lab.figures.curves import Sized
from lab.model.sizes import format_size
from lab.options import TABLES, OptionRule, parameter_of
from lab.places import CARD, DOCS, EXPERIMENTS, TEMPLATES, from_here
from lab.programs import PROGRAMS
from lab.programs.program import Program
from lab.report.context import OF_EXHIBITS, OTHERS, Context
from lab.report.evidence.environment import reference_evidence
from lab.report.evidence.published import published_curves
from lab.report.exhibits.core import LOOKS, Exhibits
from lab.report.query.numbers import Numbers

TOML = {"yes": "true", "no": "false"}


def experiment_page() -> str:
    asked = [rule for rule in TABLES["verbs"].rules if parameter_of(rule.option) in TABLES["verbs"].asked]
    refused = joined(((f"`{parameter_of(rule.option)}`",), _conditions(rule)) for rule in asked)
    parts = {
        "programs": rows(("program", "can do", "reads"), map(_program, PROGRAMS.values())),
        "rules": rows(("parameter", "must be"), [(f"`{rule.parameter}`", rule.expected) for rule in RULES]),
        "refused": rows(("parameter", "is refused where"), (line[::-1] for line in refused)),
    }
    return filled("experiments.md", parts)


def _program(program: Program) -> tuple[str, ...]:
    able = ", ".join(f"{operation} {measure}" for operation, measure in sorted(program.abilities))
    return f"`{program.name}`", able, ", ".join(f"`{name}`" for name in sorted(program.parameters))


def _conditions(rule: OptionRule) -> str:
    return " and ".join(f"{_spelled(left)} {relation} {_spelled(right)}" for left, relation, right in rule.refused_if)


def _spelled(product: str) -> str:
    return " times ".join(f"`{TOML.get(each, parameter_of(each))}`" for each in product.split("*"))


EXAMPLE = "plain_verbs.tex"


def template_page() -> str:
    parts = {
        "example": f"```tex\n{(TEMPLATES / EXAMPLE).read_text().rstrip()}\n```",
        "looks": ", ".join(f"`{look}`" for look in LOOKS),
        "names": rows(("name", "what it is", "its fields"), _rows()),
        "functions": rows(("function", "its arguments", "what it gives"), _functions()),
    }
    return filled("reports.md", parts)


def _rows() -> Iterator[tuple[str, str, str]]:
    for name, hint in get_type_hints(Context, include_extras=True).items():
        kind, meaning = get_args(hint)
        yield f"`{name}`", meaning, _listed(_fields(kind))


def _functions() -> Iterator[tuple[str, str, str]]:
    for name, function in ({each.__name__: each for each in OF_EXHIBITS} | OTHERS).items():
        arguments = (each for each in signature(function).parameters if each not in ("self", "exhibits"))
        yield f"`{name}`", _listed(arguments), " ".join((function.__doc__ or "").split())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _fields(kind: object) -> list[str]:
    """The fields and properties of a dataclass, or of the first among the arguments of a type."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and is_dataclass(each):
            values = {name: value for base in each.__mro__ for name, value in vars(base).items()}
            made = [name for name, value in values.items() if isinstance(value, (property, cached_property))]
            return [name for name in (*(field.name for field in fields(each)), *made) if not name.startswith("_")]
    return []


EXPERIMENT, FITTED, HEIGHT_MM = "verbs_throughput", "qdr", 78.0
INLINE_MOST = 1024  # of the program of both reports, by the jump of both curves behind it
MB = 1e6
# The queries of the figure, the names of their curves, and their looks.
CURVES = (
    ("card", "RDMA WRITE, modelled card", "card"),
    ("tcp.card", "TCP", "TCP"),
    ("soft.card", "RDMA WRITE, Soft-RoCE", "kernel RDMA"),
    ("report_a", "real card, published", "published"),
)


def headline() -> str:
    numbers = Numbers(reference_evidence(load(EXPERIMENTS / f"{EXPERIMENT}.toml")))
    exhibits = Exhibits(numbers, {})
    curves = tuple(curve for row in CURVES if (curve := exhibits.curve(*row)))
    return gallery.on_any_paper(Sized("headline", "throughput", "rate", curves, height_mm=HEIGHT_MM))


def card_page() -> str:
    parts = {"cards": "\n".join(_cards()), "errors": _errors(), "differences": _differences()}
    return filled("cards.md", parts)


def _cards() -> Iterator[str]:
    for name in card_names():
        file = read_card(name)
        values = (((each.origin, each.source), f"`{key}` {each.value:,}") for key, each in file.known.items())
        yield f"### {name}\n{file.title}.\n\n{rows(('parameters', 'origin', 'source'), joined(values))}"


def _errors() -> str:
    """The closed form of the fitted card against the published curves, size by size."""
    card, curves = gallery.model(FITTED), published_curves(EXPERIMENT)
    conditions = Conditions(card.rate_bit_s, inline_most=INLINE_MOST)
    pairs = [(curve.by_size, errors(curve.by_size, card, conditions)) for curve in curves]
    table = [["bytes", "model, MB/s"]]
    table[0] += [cell for curve in curves for cell in (f"{curve.label}, MB/s", "error")]
    for size in curves[0].by_size:
        rate = card.bytes_per_s(size, conditions.mtu, conditions.inline_most)
        table.append([format_size(size), f"{rate / MB:,.1f}"])
        table[-1] += [cell for rates, off in pairs for cell in (f"{rates[size] / MB:,.1f}", f"{off[size]:+.1%}")]
    last = [cell for _, off in pairs for cell in ("", f"{median(map(abs, off.values())):.1%}")]
    return rows(table[0], [*table[1:], ["median", "", *last]])


def _differences() -> str:
    """The answers of the card that differ from Soft-RoCE's, as tests/machine/card_differences.py found them."""
    with (CARD / "differences.csv").open(newline="") as file:
        head, *answers = csv.reader(file)
    differing = [each for each in answers if each[head.index("soft_roce")] != each[-1]]
    cells = joined(((each[head.index("soft_roce")], each[-1]), each[0]) for each in differing)
    return rows(("asked", "Soft-RoCE", "the card"), cells)


PAGES: dict[str, Callable[[], str]] = {
    "cards.md": card_page,
    "experiments.md": experiment_page,
    "gallery.md": gallery.page,
    "headline.svg": headline,
    "reports.md": template_page,
    **{f"card-{name}.svg": partial(gallery.figure, name) for name in gallery.PORTRAITS},
}


def write(folder: Path = DOCS) -> None:
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


def stale(folder: Path = DOCS) -> list[Path]:
    """The pages that are missing or differ from what the code makes."""
    files = {folder / name: page for name, page in PAGES.items()}
    return [from_here(file) for file, page in files.items() if not file.is_file() or file.read_text() != page()]
