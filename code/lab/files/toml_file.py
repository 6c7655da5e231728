"""A TOML file that somebody typed: read within bounds, held against a schema, every fault with its line."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from lab.errors import SpecError
from lab.files.fault import Fault, Keys
from lab.files.schema import check_document
from lab.files.toml_lines import find_line
from lab.files.typed_text import read_typed

Document = dict[str, Any]  # as its schema has checked it
DEEPEST = 16  # tables and lists in each other: the lab's own files need five
LARGEST = 2**63 - 1  # TOML's own integers, and the C programs'
_PLACE = re.compile(r"at line (\d+)")
_OPENINGS = re.compile(r"(?:[\[{]\s*(?:[\w.\"'-]+\s*=\s*)?){17}")
_DIGITS = re.compile(r"[0-9][0-9_]{999}")
# A tab and a line's end can be printed. U+202A to E and U+2066 to 9 change the order in which what follows is read.
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True)
class Lines:
    """A text, and the files in which its lines stand: some of them may come from another file."""

    file: Path
    text: str
    included: Path | None = None
    before: int = 0  # lines of the file's own before those of the other
    count: int = 0  # lines of the other

    def place(self, line: int) -> tuple[Path, int]:
        """The file of a line, and its number there."""
        if self.included is None or line <= self.before:
            return self.file, line
        from_other = line <= self.before + self.count
        return (self.included, line - self.before) if from_other else (self.file, line - self.count)


@dataclass(frozen=True)
class TomlFile:
    """A file's document, and its text, in which every fault has a line."""

    lines: Lines
    document: Document

    @property
    def file(self) -> Path:
        return self.lines.file

    @property
    def text(self) -> str:
        return self.lines.text

    def refuse(self, fault: Fault) -> NoReturn:
        """Raise one sentence, with the line that caused it."""
        file, line = self.lines.place(find_line(self.lines.text, fault.path))
        raise SpecError(fault.what, file=file, line=line, expected=fault.expected, hint=fault.hint)


def read_toml(file: Path, schema: str, hint: str = "") -> TomlFile:
    """The file, checked by its schema."""
    return check_toml(file, read_typed(file, hint), schema)


def check_toml(file: Path, text: str, schema: str) -> TomlFile:
    """The same of a text that came another way; the file is its name."""
    return check_lines(Lines(file, text), schema)


def check_lines(lines: Lines, schema: str) -> TomlFile:
    """The same of lines from more than one file."""
    found = TomlFile(lines, parse(lines))
    if fault := next(_strange(found.document, ()), None) or check_document(found.document, schema):
        found.refuse(fault)
    return found


def parse(lines: Lines) -> Document:
    """The document; a refusal of the parser is one sentence too."""
    file, text = lines.file, lines.text
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(lines, str(error)) from error
    except RecursionError as error:
        line = _line_with(text, _OPENINGS)
        raise SpecError("is nested too deeply", file=file, line=line, expected=f"at most {DEEPEST} levels") from error
    except ValueError as error:  # an integer of more digits than Python reads
        line = _line_with(text, _DIGITS)
        raise SpecError(
            "holds a number with thousands of digits", file=file, line=line, expected="19 at most"
        ) from error


def _not_toml(lines: Lines, said: str) -> SpecError:
    """The parser's words; of two files that can be read by themselves, with the place in the right one."""
    found = _PLACE.search(said)
    file, line = lines.place(int(found[1])) if found else (lines.file, None)
    if lines.included is None:
        return SpecError(f"is not TOML: {said}", file=file, line=line)
    what = f"does not go together with {lines.included.name}: {said.partition(' (at ')[0]}"
    return SpecError(what, file=file, line=line, expected="each table and key in one of the two")


def _line_with(text: str, what: re.Pattern[str]) -> int | None:
    """The line at which the parser gave up, if it did not say so itself."""
    found = what.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else None


def _strange(value: object, path: Keys) -> Iterator[Fault]:
    """The faults of values that TOML allows and no file of the lab can mean."""
    name = ".".join(str(part) for part in path if isinstance(part, str))
    if len(path) > DEEPEST:
        yield Fault(f"{path[0]} is nested too deeply", path[:1], f"at most {DEEPEST} levels")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from _strange(each, (*path, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _strange(each, (*path, index))
    elif isinstance(value, float) and not math.isfinite(value):
        yield Fault(f"{name} is {value}", path, "a number")
    elif isinstance(value, int) and abs(value) > LARGEST:
        yield Fault(f"{name} does not fit in 64 bits", path, f"at most {LARGEST}")
    elif isinstance(value, str) and (found := _UNPRINTED.search(value)):
        yield Fault(f"{name} holds U+{ord(found[0]):04X}, which cannot be printed", path, "text")
