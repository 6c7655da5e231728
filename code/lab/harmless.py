"""A stranger's text as it may be shown: nothing in it moves a cursor, turns a line round, ends a line or hides."""

from __future__ import annotations


def one_line(text: str) -> str:
    """The text with an escape in place of each control, format and separator character, line ends too."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def all_lines(text: str) -> str:
    """The same for a text that the lab has broken into lines itself."""
    return "\n".join(map(one_line, text.split("\n")))
