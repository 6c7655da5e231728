"""Numbers below each other at their decimal points."""

from __future__ import annotations

from lab.analysis.estimate import Estimate, Interval
from lab.report.answer import Answer
from lab.report.tex.aligning import aligned
from lab.report.tex.escape import Markup
from lab.report.tex.typeset import NO_INTERVAL, bare_cell, cell


def test_a_number_gets_room_for_the_digits_and_the_interval_of_its_column() -> None:
    long = cell(Estimate(1.052, Interval(1.041, 1.063), 6))
    short, bare = cell(Estimate(12.0, Interval(11.0, 13.0), 6)), cell(Estimate(120.0, None, 2))
    rows = aligned([(Markup("a"), long), (Markup("b"), short), (Markup("c"), bare), (Markup("d"), NO_INTERVAL)])
    longest = r"\labinterval{\labnum{1.04}, \labnum{1.06}}"
    assert [row[0] for row in rows] == ["a", "b", "c", "d"]
    assert rows[0][1] == rf"\labnum{{1.05}} \labpadded{{{longest}}}{{{longest}}}"
    assert rows[1][1].startswith(r"\labnum{12}\hphantom{.00} \labpadded{\labinterval{\labnum{11}, \labnum{13}}}")
    assert rows[2][1] == rf"\labnum{{120}}\hphantom{{.00}} \labpadded{{}}{{{longest}}}"
    assert rows[3][1].startswith(r"--\hphantom{.00}")


def test_a_mark_takes_no_room_and_words_stay() -> None:
    mixed = Markup(r"\labnum{1} to \labnum{2}")
    rows = aligned([(Markup(r"\labnum{1.5}\labwarned{}"), Markup("yes")), (Markup(r"\labnum{2}"), mixed)])
    assert rows == [
        (r"\labnum{1.5}\rlap{\labwarned{}}", "yes"),
        (r"\labnum{2}\hphantom{.0}", r"\labnum{1} to \labnum{2}"),
    ]
    assert aligned([]) == []
    both = r"\labnum{3}\labwarned{}\labimpossible{}"
    assert aligned([(Markup(both),)]) == [(r"\labnum{3}\rlap{\labwarned{}\labimpossible{}}",)]


def test_a_point_is_narrower_than_a_digit() -> None:
    wide, narrow = cell(Estimate(1070, Interval(1050, 1090), 6)), cell(Estimate(81.5, Interval(80.4, 82.6), 6))
    rows = aligned([(Markup("a"), narrow), (Markup("b"), wide)])
    assert all(each[1].endswith(r"{\labinterval{\labnum{1050}, \labnum{1090}}}") for each in rows)


def test_a_number_of_five_digits_is_wider_however_it_is_written() -> None:
    wide, narrow = cell(Estimate(11050, Interval(11040, 11060), 6)), cell(Estimate(8.839, Interval(8.835, 8.843), 6))
    rows = aligned([(Markup("a"), narrow), (Markup("b"), wide)])
    assert all(each[1].endswith(r"{\labinterval{\num{11040}, \num{11060}}}") for each in rows)


def test_a_value_without_its_interval_keeps_the_digits_of_it() -> None:
    answer = Answer(Estimate(2.5437, Interval(2.541, 2.546), 6), "")
    assert cell(answer.estimate).startswith(f"{bare_cell(answer)} ")
