"""docs/cards.md, and the figure of the front page."""

import re
import xml.etree.ElementTree as ElementTree

from lab.docs import gallery
from lab.docs.card_page import headline, page
from lab.experiment.reader import card_names, read_card


def test_page_has_each_parameter_of_each_card_with_its_origin() -> None:
    for name in card_names():
        section = page().partition(f"### {name}\n")[2].partition("\n#")[0]
        for parameter, known in read_card(name).known.items():
            (row,) = (line for line in section.splitlines() if f"`{parameter}` {known.value:,}" in line)
            assert row.endswith(f" | {known.origin} | {known.source} |")


def test_page_has_only_answers_that_differ_from_soft_roce() -> None:
    section = page().partition("## Beside Soft-RoCE\n")[2].partition("\n## ")[0]
    assert re.search(r"^\|[^|]* ibv_alloc_mw; [^|]*\| works \| Operation not supported \|$", section, re.MULTILINE)
    assert "max_sge" not in section


def test_qdr_is_within_two_percent_of_the_report_it_was_fitted_to_and_five_of_the_other() -> None:
    (last,) = (line for line in page().splitlines() if line.startswith("| median"))
    fitted, predicted = (float(each.strip().removesuffix("%")) for each in last.split("|") if "%" in each)
    assert fitted <= 2 and predicted <= 5


def test_headline_has_a_description_and_the_colours_of_its_reader() -> None:
    text = headline()
    root = ElementTree.fromstring(text)
    words = root.attrib["aria-label"]
    assert root.attrib["role"] == "img" and words.startswith("Throughput against message size, both axes logarithmic:")
    assert re.search(r"; TCP [\d.]+ .B/s at 1 B, .*; real card, published 3.56 MB/s at 1 B", words)
    assert "prefers-color-scheme:dark" in text and "var(--ink)" in text and "#000000" not in text


def test_gallery_has_a_figure_and_errors_of_each_card() -> None:
    text = gallery.page()
    for name, shown in gallery.PORTRAITS.items():
        section = text.partition(f"## {name}\n")[2].partition("\n## ")[0]
        assert f"](card-{name}.svg)" in section and read_card(name).known["gap_ps"].source in section
        fitted, *predicted = (line for line in section.splitlines() if ".csv | " in line)
        middle, worst = map(float, re.findall(r"median error ([\d.]+)%, worst .([\d.]+)%", fitted)[0])
        assert middle <= 2 and worst <= 10 and len(predicted) == len(shown.predicted)


def test_figure_of_a_card_has_the_measured_points_and_a_description() -> None:
    root = ElementTree.fromstring(gallery.figure("edr"))
    assert "measured" in root.attrib["aria-label"] and f"![{root.attrib['aria-label']}]" in gallery.page()
