"""What every computer must find that freezes the lock's machine and runs it: a file in git."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SiteError
from lab.files.storage import write_text
from lab.typed_json import JsonError, as_json, parse_as

FILE = "frozen.json"


@dataclass(frozen=True)
class Expected:
    """The digests of one machine."""

    recipe: str  # what it is frozen from
    frozen: Mapping[str, str]  # its memory and its state
    checks: Mapping[str, str]  # what its self-check's steps leave, by name
    host: Mapping[str, str]  # what runs on the computer itself: a runner or a plugin, by its architecture


def read(machine: Path) -> Expected | None:
    """What the repository expects; nothing if it has no such file."""
    file = machine / FILE
    try:
        return parse_as(Expected, json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError, JsonError) as error:
        raise SiteError(f"does not say what the frozen machine is: {error}", str(file), "git checkout it") from error


def forget(machine: Path) -> None:
    """Expect nothing, before something else is written."""
    (machine / FILE).unlink(missing_ok=True)


def write(machine: Path, expected: Expected) -> Path:
    """Put it into git's hands."""
    write_text(machine / FILE, json.dumps(as_json(expected), indent=1, sort_keys=True) + "\n")
    return machine / FILE
