"""The student's own figures: drawn as the lab's are, and marked as not checked wherever they are printed."""

from __future__ import annotations

from pathlib import Path

from lab.figures import Own
from lab.figures.drawers import own
from lab.report.exhibits.gallery import Gallery, Sketch
from lab.report.tex.escape import escape
from lab.report.text.own_figures import OwnFigure, own_figures, read_points

UNCHECKED = "Not checked: data of the author's own"


def placed(text: str, folder: Path, gallery: Gallery) -> str:
    """The text with its own figures in place of the commands, on as many lines."""
    for each in reversed(own_figures(text)):
        here = text[each.start : each.end]
        text = text[: each.start] + _place(each, folder, gallery) + "\n" * here.count("\n") + text[each.end :]
    return text


def _place(figure: OwnFigure, folder: Path, gallery: Gallery) -> str:
    data = Own(figure.name, figure.file, figure.x, figure.y, *read_points(folder, figure))
    drawn = gallery.draw(Sketch(figure.name, UNCHECKED, data, own))
    alt = ("\ufeff" + drawn.alt).encode("utf-16-be").hex().upper()
    source = rf"\textbf{{{UNCHECKED}}}, from \texttt{{{escape(figure.file)}}} ({drawn.n}). "
    caption = " ".join(figure.caption.split())
    return (
        rf"\begin{{labplace}}{{figure}}\labpicture{{figures/{figure.name}.pdf}}{{{alt}}}"
        rf"\caption{{{source}{caption}}}\label{{figure:{figure.name}}}\end{{labplace}}"
    )
