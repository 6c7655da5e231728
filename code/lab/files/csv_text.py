"""Tables as text, in the one form of CSV that the lab writes."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable


def csv_text(columns: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """The heads of the columns, then a line for each row; the same bytes on every computer."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((columns, *rows))
    return text.getvalue()
