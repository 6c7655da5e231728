"""The student's own figures: drawn as the lab's are, and marked as not checked wherever they are printed."""

from __future__ import annotations

from pathlib import Path

from lab.figures import Own
from lab.figures.drawers import own
from lab.report.pictures.gallery import Gallery
from lab.report.pictures.sketch import Sketch
from lab.report.tex.escape import escape
from lab.report.text.own_figures import OwnFigure, own_figures, read_points

UNCHECKED = "Not checked: data of the author's own"


def own_gallery(text: str, folder: Path, cache: Path) -> Gallery:
    """All that the text asks for, drawn when they are placed."""
    sketches = []
    for each in own_figures(text):
        data = Own(each.name, each.file, each.x, each.y, *read_points(folder, each))
        sketches.append(Sketch(each.name, UNCHECKED, data, own))
    return Gallery(sketches, cache / "figures")


def placed(text: str, gallery: Gallery) -> str:
    """The text with its own figures in place of the commands, on as many lines."""
    for each in reversed(own_figures(text)):
        here = text[each.start : each.end]
        text = text[: each.start] + _place(each, gallery) + "\n" * here.count("\n") + text[each.end :]
    return text


def _place(figure: OwnFigure, gallery: Gallery) -> str:
    drawn = gallery[figure.name]
    alt = ("\ufeff" + drawn.alt).encode("utf-16-be").hex().upper()
    source = rf"\textbf{{{UNCHECKED}}}, from \texttt{{{escape(figure.file)}}} ({drawn.n}). "
    caption = " ".join(figure.caption.split())
    return (
        rf"\begin{{labplace}}{{figure}}\labpicture{{figures/{figure.name}.pdf}}{{{alt}}}"
        rf"\caption{{{source}{caption}}}\label{{figure:{figure.name}}}\end{{labplace}}"
    )
