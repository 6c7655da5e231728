"""The modelled cards, by the names of their files in experiments/cards: each parameter with where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.files.toml_file import read_toml
from lab.model.card import PARAMETERS, Card
from lab.places import CARDS
from lab.typed_json import parse_as

SCHEMA = "card"


@dataclass(frozen=True)
class Known:
    """One parameter: its value, and why it is that."""

    value: int
    origin: str  # data sheet, fitted, assumed
    source: str
    fitted_to: str = ""  # the report that a fitted value repeats


@dataclass(frozen=True)
class CardFile:
    """A card, and the origin of each of its parameters, in the order of the model."""

    title: str
    card: Card
    known: dict[str, Known]


def card_names(folder: Path = CARDS) -> list[str]:
    """Those that an experiment can name."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def read_card(name: str, folder: Path = CARDS) -> CardFile:
    """A card's file, each value checked by its schema."""
    document = read_toml(folder / f"{name}.toml", SCHEMA, hint="experiments/cards/NAME.toml").document
    known = {each: parse_as(Known, document[each]) for each in PARAMETERS}
    card = parse_as(Card, {"name": name, **{each: given.value for each, given in known.items()}})
    return CardFile(str(document["title"]), card, known)
