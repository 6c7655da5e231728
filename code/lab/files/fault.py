"""What is wrong in a file that has a schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]
Schema = dict[str, Any]  # a JSON schema, as deep as it is


@dataclass(frozen=True)
class Fault:
    """What is wrong, at which key, what was expected instead and what to try."""

    what: str
    path: Path
    expected: str = ""
    hint: str = ""
