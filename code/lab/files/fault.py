"""What is wrong in a file that has a schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Keys = tuple[str | int, ...]  # the way to a value
Schema = dict[str, Any]  # a JSON schema, as deep as it is


@dataclass(frozen=True)
class Fault:
    """What is wrong, at which key, what was expected instead and what to try."""

    what: str
    path: Keys
    expected: str = ""
    hint: str = ""
