"""docs/cards.md, by lab.docs.card_page: every parameter of every card, and the published errors."""

from __future__ import annotations

from lab.docs.card_page import page
from lab.experiment.reader import card_names, read_card
from lab.model.trial import PARAMETERS


def test_each_card_has_each_parameter_with_its_origin() -> None:
    text = page()
    for name in card_names():
        section = text.partition(f"### {name}\n")[2].partition("\n#")[0]
        for parameter, known in read_card(name).known.items():
            assert f"| `{parameter}` | {known.value:,} | {known.origin} |" in section
    assert text.count("| `gap_ps` |") == len(card_names()) + 1 and len(PARAMETERS) == 11


def test_it_says_what_is_answered_otherwise_than_by_soft_roce_and_nothing_that_is_not() -> None:
    section = page().partition("## Beside Soft-RoCE\n")[2].partition("\n## ")[0]
    assert "| ibv_alloc_mw | works | Operation not supported |" in section and "max_sge" not in section


def test_qdr_is_within_two_percent_of_the_report_it_was_fitted_to_and_five_of_the_other() -> None:
    (last,) = (line for line in page().splitlines() if line.startswith("| median"))
    fitted, predicted = (float(each.strip().removesuffix("%")) for each in last.split("|") if "%" in each)
    assert fitted <= 2 and predicted <= 5
