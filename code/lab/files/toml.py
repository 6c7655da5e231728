"""TOML files with `include`, checked by the dataclass of their kind; errors name file and line."""

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Generic, NoReturn

from lab.errors import SpecError
from lab.files.bounded import UNPRINTED, read_typed
from lab.typed_json import Content, Fault, Keys, Limits, parse_typed

Document = dict[str, Any]

INCLUDE = "include"
INCLUDED = Limits(
    longest=200,
    pattern="([a-z0-9][a-z0-9_.-]*/)*[a-z0-9][a-z0-9_.-]*[.]toml",
    expected="a .toml file in this file's folder or below, in small letters",
)
Included = Annotated[str, INCLUDED]
HINT = "experiments/NAME.toml"
DEEPEST = 16  # tables and lists in each other; the experiments of the repository need five
LARGEST = 2**63 - 1  # TOML's own integers, and the C programs'

# A string, a comment, or a mark that decides where a statement ends.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|"(?:\\.|[^"\\\n])*"|#[^\n]*|[\[\]{}\n]'
    r"|'''.*?'{3,5}|'[^'\n]*'",
    re.DOTALL,
)
_AT_LINE = re.compile(r" \(at line (\d+), .*")


@dataclass(frozen=True)
class Lines:
    """The text of a file; some of its lines may come from an included file."""

    file: Path
    text: str
    included: Path | None = None
    before: int = 0  # lines of the file itself before the included ones
    count: int = 0  # included lines

    def position(self, line: int) -> tuple[Path, int]:
        """The file of a line, and its number there."""
        if self.included is None or line <= self.before:
            return self.file, line
        is_included = line <= self.before + self.count
        return (self.included, line - self.before) if is_included else (self.file, line - self.count)


@dataclass(frozen=True)
class TomlFile(Generic[Content]):
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
        _refuse(self.lines, fault)


def read_toml(file: Path, kind: type[Content], hint: str = "") -> TomlFile[Content]:
    return check_lines(Lines(file, read_typed(file, hint)), kind)


def check_lines(lines: Lines, kind: type[Content]) -> TomlFile[Content]:
    """A text as a dataclass of its kind; errors name the file and the line of each fault."""
    document = parse(lines)
    try:
        _refuse_strange(document, ())
        return TomlFile(lines, document, parse_typed(kind, document))
    except Fault as fault:
        _refuse(lines, fault)


def _refuse(lines: Lines, fault: Fault) -> NoReturn:
    file, line = lines.position(find_line(lines.text, fault.path))
    raise SpecError(fault.what, file=file, line=line, expected=fault.expected, hint=fault.hint) from None


def parse(lines: Lines) -> Document:
    """The document; a refusal of the parser becomes one sentence."""
    try:
        return tomllib.loads(lines.text)
    except tomllib.TOMLDecodeError as error:
        raise _not_toml(lines, str(error)) from error
    except RecursionError as error:
        line, expected = _first_unreadable(lines.text), f"at most {DEEPEST} levels"
        raise SpecError("is nested too deeply", file=lines.file, line=line, expected=expected) from error
    except ValueError as error:  # an integer of more digits than Python reads
        line, what = _first_unreadable(lines.text), "contains a number with thousands of digits"
        raise SpecError(what, file=lines.file, line=line, expected="19 at most") from error


def _not_toml(lines: Lines, reason: str) -> SpecError:
    """The parser's reason; for two files that do not go together, with the line in the right one."""
    match = _AT_LINE.search(reason)
    file, line = lines.position(int(match[1]) if match else _first_unreadable(lines.text))
    if lines.included is None:
        expected = 'lines such as key = 1, key = "text" or [table]'
        return SpecError(f"is not TOML: {reason}", file=file, line=line, expected=expected)
    what = f"does not go together with {lines.included.name}: {_AT_LINE.sub('', reason)}"
    return SpecError(what, file=file, line=line, expected="each table and key in one of the two")


def _first_unreadable(text: str) -> int:
    """The line of the first statement that the parser does not read by itself either."""
    for number, statement in _statements(text):
        try:
            tomllib.loads(statement)
        except (RecursionError, ValueError):
            return number
    return 1


def _refuse_strange(value: object, path: Keys) -> None:
    """Refuse values that TOML allows and Verbyte does not."""
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
    elif isinstance(value, str) and (match := UNPRINTED.search(value)):
        raise Fault(f"{name} contains U+{ord(match[0]):04X}, which cannot be printed", path, "text")


def read_whole(file: Path) -> Lines:
    """The file's text with the tables of its included file inserted before its own; the key `include` becomes a
    comment, so that the result is complete without the other file."""
    text = read_typed(file, HINT)
    if (include := _include_of(Lines(file, text))) is None:
        return Lines(file, text)
    line, name = include
    included = file.parent / name
    lines = _ended_lines(text)
    head = next((line for line, statement in _statements(text) if _is_header(statement)), len(lines) + 1) - 1
    while head > line and lines[head - 1].startswith("#"):  # a comment above a table stays there
        head -= 1
    lines[line - 1] = f"# {lines[line - 1]}"
    added = read_typed(included, f"{file.name}, line {line}, includes it")
    if second := _include_of(Lines(included, added)):
        what, expected = "an included file includes another", "one level of include"
        raise SpecError(what, file=included, line=second[0], expected=expected)
    tables = _ended_lines(added)
    return Lines(file, "".join([*lines[:head], *tables, *lines[head:]]), included, head, len(tables))


def files_of(file: Path) -> list[Path]:
    whole = read_whole(file)
    return [file, whole.included] if whole.included else [file]


@lru_cache(maxsize=16)  # by text, so that a changed file is read anew
def _include_of(lines: Lines) -> tuple[int, str] | None:
    """The line of the key `include` and the file that it names."""
    if INCLUDE not in (document := parse(lines)):
        return None
    value, line = document[INCLUDE], find_line(lines.text, (INCLUDE,))
    if not isinstance(value, str) or INCLUDED.broken_by(value):
        raise SpecError(f"{INCLUDE} is {value!r:.80}", file=lines.file, line=line, expected=INCLUDED.expected)
    if "\n" in dict(_statements(lines.text))[line]:
        expected = f'{INCLUDE} = "{value}" on one line'
        raise SpecError(f"{INCLUDE} spans several lines", file=lines.file, line=line, expected=expected)
    return line, value


def _ended_lines(text: str) -> list[str]:
    """The lines with their ends, also where the last one has none."""
    return [f"{line}\n" for line in text.removesuffix("\n").split("\n")] if text else []


def find_line(text: str, path: Keys) -> int:
    """The line of the key at the path, or of the nearest table around it that has a line; the text is valid TOML."""
    lines = _lines_by_path(text)
    return next((lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in lines), 1)


@lru_cache(maxsize=16)  # a report asks for a hundred keys of the same few texts
def _lines_by_path(text: str) -> dict[Keys, int]:
    lines: dict[Keys, int] = {}
    counts: dict[Keys, int] = {}  # the index of each list's latest table
    table: Keys = ()
    for line, statement in _statements(text):
        names, value = _path(statement)
        if _is_header(statement):
            table = ()
            for name in names[:-1]:
                table = _latest((*table, name), counts)
            table = (*table, names[-1])
            if isinstance(value, list):
                counts[table] = counts.get(table, -1) + 1
            path = table = _latest(table, counts)
        else:
            path = (*table, *names)
            tables = [row for row, text in enumerate(statement.splitlines(), line) if text.lstrip().startswith("{")]
            lines |= {(*path, index): row for index, row in enumerate(tables)}
        for length in range(1, len(path) + 1):  # a dotted key makes its tables too
            lines.setdefault(path[:length], line)
    return lines


def _latest(path: Keys, counts: dict[Keys, int]) -> Keys:
    """The path, or that of the latest table of a list."""
    return (*path, counts[path]) if path in counts else path


def _path(statement: str) -> tuple[list[str], object]:
    """The names of a statement's nested tables down to the first value that is not a table with one key."""
    names = list[str]()
    value: object = tomllib.loads(statement)
    while isinstance(value, dict) and len(value) == 1:
        ((name, value),) = value.items()
        names.append(name)
    return names, value


def _is_header(statement: str) -> bool:
    return statement.lstrip().startswith("[")


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each header, each key with its value, and each line without either; with the number of its first line."""
    start, first, line, depth = 0, 1, 1, 0
    for token in _TOKEN.finditer(f"{text}\n"):
        depth += (token[0] in "[{") - (token[0] in "]}")
        line += token[0].count("\n")
        if token[0] == "\n" and depth == 0:
            yield first, text[start : token.start()]
            start, first = token.end(), line
    if start <= len(text):
        yield first, text[start:]
