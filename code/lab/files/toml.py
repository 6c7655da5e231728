"""TOML files with `include`, checked by the dataclass of their kind; errors name file and line."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, NoReturn, TypeVar

from lab.errors import SpecError
from lab.files.bounded import read_typed
from lab.typed_json import Fault, Keys, Limits, parse_typed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Document = dict[str, Any]
Content = TypeVar("Content", bound="DataclassInstance")

INCLUDE = "include"
INCLUDED = Limits(
    longest=200,
    pattern="([a-z0-9][a-z0-9_.-]*/)*[a-z0-9][a-z0-9_.-]*[.]toml",
    expected="a .toml file in this file's folder or below, in small letters",
)
Included = Annotated[str, INCLUDED]
HINT = "experiments/NAME.toml"
DEEPEST = 16  # tables and lists in each other: the lab's own files need five
LARGEST = 2**63 - 1  # TOML's own integers, and the C programs'

_HEADER = re.compile(r"\s*(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\-\"' ]+?)\s*=\s*(.*)$")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_MARK = re.compile(rf"\"\"\"|\'\'\'|{_STRING.pattern}|#")
_PART = re.compile(rf"{_STRING.pattern}|[^.\s]+")
_AT_LINE = re.compile(r"at line (\d+)")
_OPENINGS = re.compile(r"(?:[\[{]\s*(?:[\w.\"'-]+\s*=\s*)?){17}")
_DIGITS = re.compile(r"[0-9][0-9_]{999}")
# A tab and a line's end can be printed. U+202A to E and U+2066 to 9 change the order in which text is read.
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True)
class Lines:
    """The text of a file; some of its lines may come from an included file."""

    file: Path
    text: str
    included: Path | None = None
    before: int = 0  # lines of the file itself before the included ones
    count: int = 0  # included lines

    def place(self, line: int) -> tuple[Path, int]:
        """The file of a line, and its number there."""
        if self.included is None or line <= self.before:
            return self.file, line
        is_included = line <= self.before + self.count
        return (self.included, line - self.before) if is_included else (self.file, line - self.count)


@dataclass(frozen=True)
class TomlFile(Generic[Content]):
    """A checked file: its content, and the lines that errors name."""

    lines: Lines
    document: Document
    content: Content

    @property
    def file(self) -> Path:
        return self.lines.file

    @property
    def text(self) -> str:
        return self.lines.text

    def refuse(self, fault: Fault) -> NoReturn:
        """Raise the fault with the line that caused it."""
        _refuse(self.lines, fault)


def read_toml(file: Path, kind: type[Content], hint: str = "") -> TomlFile[Content]:
    """The file as a dataclass of its kind."""
    return check_toml(file, read_typed(file, hint), kind)


def check_toml(file: Path, text: str, kind: type[Content]) -> TomlFile[Content]:
    """The same of a text from elsewhere; errors name it by the file."""
    return check_lines(Lines(file, text), kind)


def check_lines(lines: Lines, kind: type[Content]) -> TomlFile[Content]:
    """The same of lines that may come from two files."""
    document = parse(lines)
    try:
        _refuse_strange(document, ())
        return TomlFile(lines, document, parse_typed(kind, document))
    except Fault as fault:
        _refuse(lines, fault)


def _refuse(lines: Lines, fault: Fault) -> NoReturn:
    file, line = lines.place(find_line(lines.text, fault.path))
    raise SpecError(fault.what, file=file, line=line, expected=fault.expected, hint=fault.hint) from None


def parse(lines: Lines) -> Document:
    """The document; a refusal of the parser becomes one sentence."""
    file, text = lines.file, lines.text
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(lines, str(error)) from error
    except RecursionError as error:
        line = _line_of(_OPENINGS, text)
        raise SpecError("is nested too deeply", file=file, line=line, expected=f"at most {DEEPEST} levels") from error
    except ValueError as error:  # an integer of more digits than Python reads
        what = "holds a number with thousands of digits"
        raise SpecError(what, file=file, line=_line_of(_DIGITS, text), expected="19 at most") from error


def _not_toml(lines: Lines, reason: str) -> SpecError:
    """The parser's reason; where two valid files do not go together, with the line in the right one."""
    match = _AT_LINE.search(reason)
    file, line = lines.place(int(match[1])) if match else (lines.file, None)
    if lines.included is None:
        return SpecError(f"is not TOML: {reason}", file=file, line=line)
    what = f"does not go together with {lines.included.name}: {reason.partition(' (at ')[0]}"
    return SpecError(what, file=file, line=line, expected="each table and key in one of the two")


def _line_of(pattern: re.Pattern[str], text: str) -> int | None:
    """The line at which the parser gave up, where its message does not name it."""
    match = pattern.search(text)
    return text.count("\n", 0, match.start()) + 1 if match else None


def _refuse_strange(value: object, path: Keys) -> None:
    """Refuse values that TOML allows and no file of the lab can mean."""
    name = ".".join(str(part) for part in path if isinstance(part, str))
    if len(path) > DEEPEST:
        raise Fault(f"{path[0]} is nested too deeply", path[:1], f"at most {DEEPEST} levels")
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            _refuse_strange(item, (*path, key))
    elif isinstance(value, float) and not math.isfinite(value):
        raise Fault(f"{name} is {value}", path, "a number")
    elif isinstance(value, int) and abs(value) > LARGEST:
        raise Fault(f"{name} does not fit in 64 bits", path, f"at most {LARGEST}")
    elif isinstance(value, str) and (match := _UNPRINTED.search(value)):
        raise Fault(f"{name} holds U+{ord(match[0]):04X}, which cannot be printed", path, "text")


def read_whole(file: Path) -> Lines:
    """The file's text with the tables of its included file inserted before its own; the key `include` becomes a
    comment, so that the result is complete without the other file."""
    text = read_typed(file, HINT)
    if (include := _include_of(Lines(file, text))) is None:
        return Lines(file, text)
    line, name = include
    included = file.parent / name
    lines = text.splitlines(keepends=True)
    head = first_table(text) - 1
    while head > line and lines[head - 1].startswith("#"):  # a comment above a table stays there
        head -= 1
    lines[line - 1] = f"# {lines[line - 1]}"
    added = _included_text(included, f"{file.name}, line {line}, includes it").splitlines(keepends=True)
    return Lines(file, "".join(_ended([*lines[:head], *_ended(added), *lines[head:]])), included, head, len(added))


def files_of(file: Path) -> list[Path]:
    """The files that an experiment is read from."""
    whole = read_whole(file)
    return [file, whole.included] if whole.included else [file]


def source_of(file: Path, path: Keys) -> str:
    """File and line of a key, relative to the experiment's folder."""
    whole = read_whole(file)
    source, line = whole.place(find_line(whole.text, path))
    return f"{source.relative_to(file.parent)}:{line}"


@lru_cache(maxsize=16)  # by text, so that a changed file is read anew
def _include_of(lines: Lines) -> tuple[int, str] | None:
    """The line of the key `include` and the file that it names."""
    document = parse(lines)
    if INCLUDE not in document:
        return None
    value, line = document[INCLUDE], find_line(lines.text, (INCLUDE,))
    if not isinstance(value, str) or INCLUDED.broken_by(value):
        raise SpecError(f"{INCLUDE} is {value!r:.80}", file=lines.file, line=line, expected=INCLUDED.expected)
    try:
        is_alone = parse(Lines(lines.file, lines.text.splitlines()[line - 1])) == {INCLUDE: value}
    except SpecError:
        is_alone = False
    if not is_alone:
        expected = f'{INCLUDE} = "{value}" by itself'
        raise SpecError(f"{INCLUDE} shares its line", file=lines.file, line=line, expected=expected)
    return line, value


@lru_cache(maxsize=16)
def _included_text(file: Path, hint: str) -> str:
    """The text of an included file, which is TOML by itself and includes nothing."""
    text = read_typed(file, hint)
    if INCLUDE in parse(Lines(file, text)):
        line = find_line(text, (INCLUDE,))
        raise SpecError("an included file includes another", file=file, line=line, expected="one level of include")
    return text


def _ended(lines: list[str]) -> list[str]:
    return [line if line.endswith("\n") else f"{line}\n" for line in lines]


def find_line(text: str, path: Keys) -> int:
    """The line of the key at the path, or of the nearest table around it that has a line."""
    lines = _lines_by_path(text)
    return next((lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in lines), 1)


def first_table(text: str) -> int:
    """The line of the first table's header, or the one behind the last line."""
    lines = text.splitlines()
    return next((number for _, number in _keys(text) if _HEADER.match(lines[number - 1])), len(lines) + 1)


@lru_cache(maxsize=16)  # a report asks for a hundred keys of the same few texts
def _lines_by_path(text: str) -> dict[Keys, int]:
    lines: dict[Keys, int] = {}
    for path, number in _keys(text):
        for length in range(1, len(path) + 1):  # a dotted key makes its tables too
            lines.setdefault(path[:length], number)
    return lines


def _keys(text: str) -> Iterator[tuple[Keys, int]]:
    """The path and the line of every header and key."""
    table: Keys = ()
    counts: dict[Keys, int] = {}
    open_brackets = 0
    for number, line in _logical_lines(text):
        if open_brackets == 0 and (header := _HEADER.match(line)):
            table = _table(header[2], counts, is_list=header[1] == "[[")
            yield table, number
        elif open_brackets == 0 and (pair := _KEY.match(line)):
            yield (*table, *_parts(pair[1])), number
            open_brackets = _balance(pair[2])
        else:
            open_brackets += _balance(line)


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


def _table(name: str, counts: dict[Keys, int], *, is_list: bool) -> Keys:
    path: Keys = ()
    parts = _parts(name)
    for index, part in enumerate(parts):
        path = (*path, part)
        if is_list and index == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _parts(name: str) -> Keys:
    return tuple(part.strip("\"'") for part in _PART.findall(name))


def _balance(text: str) -> int:
    """Opening minus closing brackets, outside of strings and comments."""
    bare = _STRING.sub('""', text).split("#")[0]
    return sum(map(bare.count, "[{")) - sum(map(bare.count, "]}"))
