"""The files of modelled cards: lab.experiment.reader, lab.model.trial, and what an experiment may say of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.experiment.reader import card_names, load, read_card
from lab.places import CARDS
from lab.sites.cable import Cable
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT

Write = Callable[[str], Path]
HEAD = 'title = "t"\nquestion = "q"\n[parameters]\nsizes = 64\n'
SERIES = '[[series]]\nname = "{}"\nprogram = "{}"\noperation = "{}"\nmeasure = "throughput"\n'
VERBS, TCP = SERIES.format("card", "verbs", "write"), SERIES.format("tcp", "tcp", "send")
LINK = '[link]\ncard = "qdr"\n'


@pytest.mark.parametrize("name", card_names())
def test_every_parameter_of_a_card_says_where_it_comes_from(name: str) -> None:
    file = read_card(name)
    assert file.card.name == name and all(each.source for each in file.known.values())
    assert {name: known.value for name, known in file.known.items()}.items() <= vars(file.card).items()


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("value = 228_200", "value = -1", 40, "at least 0"),
        ('origin = "fitted"', 'origin = "guessed"', 15, "one of data sheet, fitted, assumed"),
        ('fitted_to = "Report A"', "", 13, "fitted_to = ..."),
        ("[gap_ps]", "[gap_ns]", 39, "one of ack_ps"),
    ],
)
def test_a_fault_in_a_card_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, expected: str) -> None:
    text = (CARDS / "qdr.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(SpecError) as caught:
        read_card("mine", tmp_path)
    assert caught.value.line == line and caught.value.expected.startswith(expected)


def test_a_link_with_a_card_has_the_rate_of_its_wire(experiment_file: Write) -> None:
    (series,) = load(experiment_file(HEAD + LINK + VERBS)).series
    card = read_card("qdr").card
    assert (series.link.card, series.link.rate_bit_s, series.has_card) == (card, card.rate_bit_s, True)


def test_sockets_on_such_a_link_take_its_wire_without_the_card(experiment_file: Write) -> None:
    (series,) = load(experiment_file(HEAD + LINK + TCP)).series
    assert series.link.card and not series.has_card


def test_an_unknown_card_is_refused_with_the_nearest_name(experiment_file: Write) -> None:
    with pytest.raises(SpecError) as caught:
        load(experiment_file(HEAD + '[link]\ncard = "qdrr"\n' + VERBS))
    assert (caught.value.line, caught.value.hint) == (6, "'qdr'?")


def test_the_wire_of_a_card_takes_no_rate_of_an_experiment(experiment_file: Write) -> None:
    with pytest.raises(SpecError, match="wire has its own rate_bit_s") as caught:
        load(experiment_file(HEAD + LINK + VERBS + "link = { rate_bit_s = 1_000_000 }\n"))
    assert caught.value.line == 12


def test_a_card_is_left_out_where_time_is_not_the_count_of_instructions(experiment_file: Write) -> None:
    other = SERIES.format("cable", "tcp", "send")
    experiment = load(experiment_file(HEAD + VERBS + 'link = { card = "qdr" }\n' + other))
    assert experiment.on(EXACT).left_out == ()
    for traits in (Cable.traits, OwnDevices.traits):
        assert experiment.on(traits).left_out == ("card",)


def test_nothing_but_cards_is_refused_elsewhere(experiment_file: Write) -> None:
    with pytest.raises(SpecError, match="every series has a modelled card, and this site has none"):
        load(experiment_file(HEAD + LINK + VERBS)).on(Cable.traits)


def test_soft_roce_takes_the_wire_in_place_of_the_card(experiment_file: Write) -> None:
    soft = SERIES.format("soft", "verbs", "write") + "soft_roce = true\n"
    card, soft_roce = load(experiment_file(HEAD + LINK + VERBS + soft)).series
    assert card.link == soft_roce.link and (card.has_card, soft_roce.has_card) == (True, False)


@pytest.mark.parametrize("text", [HEAD + VERBS, HEAD + LINK + TCP])
def test_soft_roce_stands_in_for_a_card_only(experiment_file: Write, text: str) -> None:
    with pytest.raises(SpecError, match="in place of a card"):
        load(experiment_file(text + "soft_roce = true\n"))
