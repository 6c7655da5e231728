"""The texts of student and templates, sentence by sentence: all that the data do not carry, at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from lab.report.check.advice import advice_is_sound
from lab.report.check.best_values import best_values_are_best
from lab.report.check.betweens import betweens_hold
from lab.report.check.binding import (
    claims_are_of_the_link,
    claims_are_of_the_size,
    claims_are_of_the_subject,
    extremes_are_of_their_size,
    kinds_are_as_said,
)
from lab.report.check.breaks import breaks_compare, breaks_lie_there
from lab.report.check.calls import calls_compare
from lab.report.check.correlatives import correlatives_hold
from lab.report.check.dependence import sizes_matter
from lab.report.check.effects import effects_are_shown, parameters_matter
from lab.report.check.expectations import expectations_hold
from lab.report.check.extremes import ends_are_of_the_sizes, ranges_end_there
from lab.report.check.fitting import fitting, nearest
from lab.report.check.gaps import gaps_hold
from lab.report.check.intercepts import intercepts_hold
from lab.report.check.latex import MARK, line_and_column, read, split, without_comments
from lab.report.check.libraries import libraries_cost
from lab.report.check.lines import breaks_are_there, full_links_are_full, lines_hold
from lab.report.check.links import links_compare
from lab.report.check.message_rates import message_rates_hold
from lab.report.check.model_errors import model_errors_hold
from lab.report.check.objection import Objection
from lab.report.check.operations import operations_compare
from lab.report.check.processor_times import processor_times_hold
from lab.report.check.quantiles import quantiles_hold
from lab.report.check.quantities import quantities_are_named
from lab.report.check.rankings import orders_change, rankings_hold
from lab.report.check.rounds import caps_are_reached, more_agree, most_agree, rounds_agree
from lab.report.check.rules import RULES
from lab.report.check.safety import swallowed, unsafe
from lab.report.check.sends import sends_compare
from lab.report.check.sentence import Sentence
from lab.report.check.shapes import extremes_are_extreme, shapes_hold
from lab.report.check.shares import shares_hold
from lab.report.check.size_steps import size_steps_hold
from lab.report.check.sizes_alike import sizes_take_as_long
from lab.report.check.slopes import slopes_compare
from lab.report.check.statement import Statement
from lab.report.check.steps import steps_are_there
from lab.report.check.sweeps import gains_are_of_the_parameter, gains_compare
from lab.report.check.tabular import heads
from lab.report.check.time_shapes import times_follow_sizes
from lab.report.check.times import times_rise
from lab.report.check.trends import trends_hold
from lab.report.check.typed import numbers_are_carried
from lab.report.check.unknown_words import words_are_known
from lab.report.check.variants import variants_hold
from lab.report.check.verdicts import comparisons_hold
from lab.report.check.versions import versions_are_the_records
from lab.report.check.work import work_is_there
from lab.report.check.world import software_spares_nobody, spread_is_known, world_is_as_recorded
from lab.report.claim import Ledger
from lab.report.errors import RefusedSentence
from lab.report.prose.uses import digits_of
from lab.report.tex.units import significant

_TARGET = re.compile(r"\\(figureof|tableof)\{([^{}]*)\}")
SENTENCE_RULES: tuple[Callable[[Sentence], Iterator[Objection]], ...] = (
    numbers_are_carried,
    ends_are_of_the_sizes,
    ranges_end_there,
    quantities_are_named,
    shares_hold,
    gains_compare,
    gains_are_of_the_parameter,
    gaps_hold,
    sizes_matter,
    rounds_agree,
    most_agree,
    more_agree,
    caps_are_reached,
    versions_are_the_records,
    claims_are_of_the_subject,
    claims_are_of_the_link,
    claims_are_of_the_size,
    extremes_are_of_their_size,
    kinds_are_as_said,
    comparisons_hold,
    words_are_known,
    variants_hold,
    calls_compare,
    sends_compare,
    expectations_hold,
    trends_hold,
    correlatives_hold,
    size_steps_hold,
    advice_is_sound,
    rankings_hold,
    orders_change,
    betweens_hold,
    operations_compare,
    slopes_compare,
    quantiles_hold,
    links_compare,
    work_is_there,
    processor_times_hold,
    model_errors_hold,
    shapes_hold,
    message_rates_hold,
    lines_hold,
    full_links_are_full,
    breaks_are_there,
    breaks_compare,
    breaks_lie_there,
    intercepts_hold,
    libraries_cost,
    sizes_take_as_long,
    times_rise,
    times_follow_sizes,
    best_values_are_best,
    steps_are_there,
    extremes_are_extreme,
    world_is_as_recorded,
    software_spares_nobody,
    spread_is_known,
    effects_are_shown,
    parameters_matter,
)


def all_refused(text: str, file: str, ledger: Ledger, targets: Iterable[str] | None) -> list[RefusedSentence]:
    """Commands, comments, sentences, figures and tables, in their order; without targets, none is looked up."""
    found = [*unsafe(text, file), *swallowed(text, file), *refused(text, file, ledger)]
    found += [] if targets is None else _lost_targets(text, file, frozenset(targets))
    return sorted(found, key=lambda each: (each.line, each.column))


def refused(text: str, file: str, ledger: Ledger) -> Iterator[RefusedSentence]:
    """One refusal for each sentence and rule that it breaks."""
    bare = without_comments(text)
    table, before = heads(bare), tuple[str, ...]()
    for plain in split(read(bare)):
        start = next((place for place, each in zip(plain.places, plain.text, strict=True) if not each.isspace()), 0)
        sentence = Sentence(plain, ledger, before, table(start))
        before = sentence.groups or (() if "\u2029" in plain.text[:1] else before)
        yield from (_refusal(each, sentence, bare, file) for each in objections(sentence))


def objections(sentence: Sentence) -> list[Objection]:
    """What all rules have against a sentence, each thing once."""
    found = [replace(each, rule=rule_name(rule)) for rule in SENTENCE_RULES for each in rule(sentence)]
    return list(dict.fromkeys([*found, *_of_claims(sentence)]))


def _of_claims(sentence: Sentence) -> Iterator[Objection]:
    words = re.sub(MARK, r"\\claim", sentence.words)
    for use in sentence.uses:
        digits = digits_of(use.digits)
        place = significant(use.claim.estimate.value, digits) if use.claim and digits else None
        said = Statement(words, use.name, use.claim, place=place)
        yield from (Objection(what, use.at, rule=rule_name(rule)) for rule in RULES if (what := rule(said)))


def rule_name(rule: Callable[..., object]) -> str:
    """A rule as a refusal names it."""
    return rule.__name__.replace("_", " ")


def _refusal(found: Objection, sentence: Sentence, source: str, file: str) -> RefusedSentence:
    plain = sentence.plain
    place = plain.places[min(max(found.at - len(sentence.head), 0), len(plain.places) - 1)]
    line, column = line_and_column(source, place)
    lost = re.fullmatch(r"there is no claim '(.*)'", found.what)
    way = nearest(lost[1], sentence.ledger) if lost else fitting(found, sentence)
    return RefusedSentence(file, line, found.rule, found.what, column, _shown(sentence, source), way)


def _shown(sentence: Sentence, source: str) -> str:
    """The sentence as it is typed, on one line."""
    places = sentence.plain.places
    end = source.find("}", places[-1]) + 1 if sentence.plain.text[-1:] in sentence.plain.claims else places[-1] + 1
    return " ".join(source[places[0] : max(end, places[-1] + 1)].split())


def _lost_targets(text: str, file: str, known: frozenset[str]) -> Iterator[RefusedSentence]:
    bare = without_comments(text)
    for found in _TARGET.finditer(bare):
        if f"{found[1]} {found[2]}" not in known:
            line, column = line_and_column(bare, found.start())
            near = sorted(each.split(" ", 1)[1] for each in known if each.startswith(found[1]))
            way = f"one of {', '.join(near)}" if near else ""
            yield RefusedSentence(
                file, line, "figure and table exist", f"there is no {found[0]}", column, found[0], way
            )
