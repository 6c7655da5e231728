"""TOML files with `include`, whose errors name file and line."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from lab.errors import SpecError
from lab.files.bounded import read_typed
from lab.files.schema import Fault, Keys, check_document, check_part

KeyPath = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\-\"' ]+?)\s*=\s*(.*)$")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_MARK = re.compile(rf"\"\"\"|\'\'\'|{_STRING.pattern}|#")
_PART = re.compile(rf"{_STRING.pattern}|[^.\s]+")


def find_line(text: str, path: KeyPath) -> int:
    """The line of the key at the path, or of the nearest table around it that has a line."""
    lines = _by_place(text)
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


@lru_cache(maxsize=16)  # a report asks for a hundred keys of the same few texts
def _by_place(text: str) -> dict[KeyPath, int]:
    lines: dict[KeyPath, int] = {}
    for place, number in _lines(text):
        for length in range(1, len(place) + 1):  # a dotted key makes its tables too
            lines.setdefault(place[:length], number)
    return lines


def first_table(text: str) -> int:
    """The line of the first table's header, or the one behind the last line."""
    lines = text.splitlines()
    headers = (number for _, number in _lines(text) if _HEADER.match(lines[number - 1]))
    return next(headers, len(lines) + 1)


def _lines(text: str) -> Iterator[tuple[KeyPath, int]]:
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    open_brackets = 0
    for number, line in _logical_lines(text):
        bare = _STRING.sub('""', line).split("#")[0]
        if open_brackets == 0 and (header := _HEADER.match(line)):
            table = _table(header[1] == "[[", header[2], counts)
            yield table, number
        elif open_brackets == 0 and (pair := _KEY.match(line)):
            yield (*table, *_parts(pair[1])), number
            open_brackets = _balance(_STRING.sub('""', pair[2]).split("#")[0])
        else:
            open_brackets += _balance(bare)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines outside of multi-line strings; a string that spans lines counts as its first."""
    quote = ""
    for number, line in enumerate(text.splitlines(), 1):
        if quote:
            quote = "" if quote in line else quote
            continue
        quote = _left_open(line)
        yield number, line


def _left_open(line: str) -> str:
    """The quotes of a multi-line string that begins in the line and does not end there."""
    at = 0
    while (mark := _MARK.search(line, at)) and mark[0] != "#":
        at = mark.end()
        if mark[0] in ('"""', "'''"):
            end = line.find(mark[0], at)
            if end < 0:
                return mark[0]
            at = end + len(mark[0])
    return ""


def _table(is_list: bool, name: str, counts: dict[KeyPath, int]) -> KeyPath:  # noqa: FBT001 - one call, right above
    path: KeyPath = ()
    parts = _parts(name)
    for index, part in enumerate(parts):
        path = (*path, part)
        if is_list and index == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _parts(name: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in _PART.findall(name))


def _balance(text: str) -> int:
    return text.count("[") + text.count("{") - text.count("]") - text.count("}")


KEY = "include"
HINT = "experiments/NAME.toml"


def read_whole(file: Path) -> Lines:
    """The file's text. Tables that it includes come before its own, and its key only as a comment: what is read here is
    complete without the other file."""
    text = read_typed(file, HINT)
    own = Lines(file, text)
    if (found := _include_of(own)) is None:
        return own
    line, name = found
    other = file.parent / name
    lines = text.splitlines(keepends=True)
    head = first_table(text) - 1
    while head > line and lines[head - 1].startswith("#"):  # what is said above a table stays there
        head -= 1
    lines[line - 1] = f"# {lines[line - 1]}"
    added = _shared(other, f"{file.name}, line {line}, includes it").splitlines(keepends=True)
    return Lines(file, "".join(_ended([*lines[:head], *_ended(added), *lines[head:]])), other, head, len(added))


@lru_cache(maxsize=16)  # of a text, so that another text of the same file is read anew
def _include_of(own: Lines) -> tuple[int, str] | None:
    """The line of the key and the file that it names."""
    document = parse(own)
    if KEY not in document:
        return None
    line = find_line(own.text, (KEY,))
    return line, _named(own, document, line)


def files_of(file: Path) -> list[Path]:
    """All that has to be at hand for the experiment to be read, as far as files go."""
    whole = read_whole(file)
    return [file, whole.included] if whole.included else [file]


def source_of(file: Path, path: tuple[str | int, ...]) -> str:
    """File and line of a key, as one who stands beside the experiment's file would call them."""
    whole = read_whole(file)
    place, line = whole.place(find_line(whole.text, path))
    return f"{place.relative_to(file.parent)}:{line}"


def _named(own: Lines, document: Document, line: int) -> str:
    """The value, if it is a name on a line of its own."""
    value, text = document[KEY], own.text.splitlines()[line - 1]
    if fault := check_part(KEY, value):
        raise SpecError(f"{KEY} is {value!r:.80}", file=own.file, line=line, expected=fault.expected)
    try:
        alone = parse(Lines(own.file, text)) == {KEY: value}
    except SpecError:
        alone = False
    if not alone:
        raise SpecError(f"{KEY} shares its line", file=own.file, line=line, expected=f'{KEY} = "{value}" by itself')
    return str(value)


def _shared(other: Path, hint: str) -> str:
    """The text of an included file, which is TOML by itself and includes nothing."""
    text = read_typed(other, hint)
    if line := _line_of_include(Lines(other, text)):
        raise SpecError("an included file includes another", file=other, line=line, expected="one level of include")
    return text


@lru_cache(maxsize=16)
def _line_of_include(own: Lines) -> int | None:
    return find_line(own.text, (KEY,)) if KEY in parse(own) else None


def _ended(lines: list[str]) -> list[str]:
    """The same with an end to the last line."""
    return [each if each.endswith("\n") else f"{each}\n" for each in lines]


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
