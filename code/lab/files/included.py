"""The text of an experiment's file with that of the file which it includes, and where each of its lines stands."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from lab.errors import SpecError
from lab.files.schema import check_part
from lab.files.toml_file import Document, Lines, parse
from lab.files.toml_lines import find_line, first_table
from lab.files.typed_text import read_typed

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
