"""Lies and honest sentences of students: lab.report.check.*, lab.report.setting, lab.report.claims.setting.

Nearly all lies are refused and nearly all honest sentences pass; the misses are in docs/claims.md. The sentences were
written before the rules. Every third was held out while the rules were tuned.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from lab.places import ROOT
from lab.report.check.ledger_file import parse_ledger
from lab.report.check.text import all_refused
from lab.report.claim import Ledger

CORPUS = Path(__file__).parent / "corpus"
LIES, HONEST = 0.98, 0.02  # refused at least, and at most


@cache
def ledger(experiment: str) -> Ledger:
    return parse_ledger((CORPUS / f"{experiment}.json").read_text())


def sentences(name: str) -> Iterator[tuple[str, str]]:
    experiment = ""
    for line in (CORPUS / f"{name}.txt").read_text().splitlines():
        if line.startswith("== "):
            experiment = line[3:]
        else:
            yield experiment, line


def is_refused(experiment: str, sentence: str) -> bool:
    return bool(all_refused(sentence, "discussion.tex", ledger(experiment), None))


def split(name: str) -> tuple[list[str], list[str]]:
    """The refused sentences, and those that pass."""
    found = list(sentences(name))
    assert len(found) >= 150
    refused = [sentence for experiment, sentence in found if is_refused(experiment, sentence)]
    return refused, [sentence for _, sentence in found if sentence not in refused]


def test_nearly_all_lies_are_refused() -> None:
    refused, passed = split("lies")
    assert len(refused) >= LIES * (len(refused) + len(passed)), passed
    assert all(each in (ROOT / "docs" / "claims.md").read_text() for each in passed)


def test_nearly_all_honest_sentences_pass() -> None:
    refused, passed = split("honest")
    assert len(refused) <= HONEST * (len(refused) + len(passed)), refused
    assert all(each in (ROOT / "docs" / "claims.md").read_text() for each in refused)


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("RDMA outperforms TCP at every size.", r"\claim{verbs_over_tcp.slower}, 21"),
        ("At 64 KiB RDMA is faster than TCP.", r"\claim{verbs_over_tcp.64K}, 0.2639"),
        ("At 64 KiB RDMA reaches 257 MB/s.", r"\claim{verbs.64K}, 256.9 MB/s"),
        (r"It reaches \claim{verbs.64k}.", r"\claim{verbs.64K}, 256.9 MB/s"),
    ],
)
def test_a_refusal_names_the_claim_that_would_fit(sentence: str, claim: str) -> None:
    (first, *_) = all_refused(sentence, "discussion.tex", ledger("verbs_throughput"), None)
    assert claim in str(first)
