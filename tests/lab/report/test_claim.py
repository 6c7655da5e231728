"""Claims that belong together, and the index of all that texts look them up in: lab.report.claims.ledger."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from lab.analysis.estimate import Estimate
from lab.report.claim import Claim, ClaimGroup, Ledger, UnknownClaim, constant


@dataclass(frozen=True)
class Pair(ClaimGroup):
    """Two claims, the second of which the data may not make."""

    about: Estimate
    first: Claim
    second: Claim | None


@dataclass(frozen=True)
class Whole(ClaimGroup):
    """Groups within a group, alone, by size and one after the other."""

    pair: Pair
    by_size: dict[int, Pair]
    rest: tuple[Claim, ...]


def claim(name: str) -> Claim:
    return constant(name, 1, "", name, "a test")


def pair(first: str, second: str | None) -> Pair:
    return Pair(Estimate(1, None, 0), claim(first), claim(second) if second else None)


def test_a_group_gives_its_claims_in_the_order_of_its_fields() -> None:
    whole = Whole(pair("a", "b"), {1: pair("c", None), 2: pair("d", "e")}, (claim("f"), claim("g")))
    assert "".join(each.name for each in whole) == "abcdefg"


def test_a_ledger_knows_every_claim_of_a_group_by_its_name() -> None:
    ledger = Ledger()
    ledger.add(Whole(pair("knee", None), {}, (claim("peak"),)))
    assert list(ledger) == ["knee", "peak"] and ledger.find("peak").name == "peak"
    with pytest.raises(UnknownClaim, match="'peek'") as caught:
        ledger.find("peek")
    assert caught.value.hint == "peak"
