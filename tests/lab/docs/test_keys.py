"""The tables of keys in docs/experiments.md, compared with the code that reads an experiment."""

import json
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lab.experiment.experiment import Causes, Comparison, Document, SeriesTable
from lab.experiment.reader import load
from lab.model.parameters import Parameters, ProfileKeys
from lab.model.trial import Link, Ready
from lab.places import DOCS
from lab.programs.student import ProgramTable
from lab.typed_json import Fault, check_values, example_in, hints_of, required_of

TOP = "Above all tables"
KINDS: dict[str, Any] = {
    TOP: Document,
    "[parameters]": Parameters,
    "[link]": Link,
    "[profile.SITE]": ProfileKeys,
    "[programs.NAME]": ProgramTable,
    "[programs.NAME.ready]": Ready,
    "[[series]]": SeriesTable,
    "[[comparison]]": Comparison,
    "[causes]": Causes,
}


class Row(NamedTuple):
    """A row of a table: a key, its values, its default, its meaning, and a line of a file."""

    key: str
    values: str
    default: str
    meaning: str
    line: str

    @property
    def is_required(self) -> bool:
        return self.default == "required"

    @property
    def example(self) -> str:
        return self.line.strip("`").removeprefix(f"{self.key} = ")


SECTIONS = dict(part.split("\n", 1) for part in (DOCS / "experiments.md").read_text().split("\n## "))
TABLES = {
    head: [Row(*row.replace("`", "", 1).split(" | ")) for row in re.findall(r"^\| `(.*) \|$", text, re.MULTILINE)]
    for head, text in SECTIONS.items()
    if head in KINDS
}
ROWS = [pytest.param(head, row, id=f"{head}{row.key}") for head, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize("head", KINDS)
def test_every_key_has_a_sentence_and_an_example_or_a_table(head: str) -> None:
    assert [row.key for row in TABLES[head]] == [each.name for each in fields(KINDS[head])]
    assert all(row.meaning.endswith(".") and (row.line or row.values.startswith("`[")) for row in TABLES[head])
    required = "".join(f"{row.line.strip('`')}\n" for row in TABLES[head] if row.is_required)
    shown = re.findall(r"```toml\n\[.*\n([^`]*)```", SECTIONS[head])
    assert shown == ([required] if required and head != TOP else [])


@pytest.mark.parametrize(("head", "row"), ROWS)
def test_default_and_example_of_a_required_key_are_those_of_the_code(head: str, row: Row) -> None:
    kind = KINDS[head]
    assert row.is_required == (row.key in required_of(kind))
    default = next(each.default for each in fields(kind) if each.name == row.key)
    if row.is_required:
        assert row.example == example_in(hints_of(kind)[row.key])
    else:
        assert row.default == f"`{json.dumps(default)}`" if row.default else default in (None, "", (), 0, MISSING)


INTEGER = re.compile(r"integer, (-?[\d,]+) to (2\^\d+|[\d,]+\d)(-1)?(, a multiple of 1000)?")
NUMBER = re.compile(r"number above 0, at most ([\d,]+)")


def whole(text: str) -> int:
    return 1 << int(text[2:]) if text.startswith("2^") else int(text.replace(",", ""))


def allowed_and_refused(values: str) -> tuple[list[Any], list[Any]]:
    """Values that a description allows, and others; none for a sentence, a list or a table."""
    choices = re.findall(r'`"([\w-]+)"`', values)
    if found := INTEGER.match(values):
        least, most = whole(found[1]), whole(found[2]) - bool(found[3])
        allowed = [*choices, *(["64K"] if "64K" in values else [])]
        others = [text for text in ("auto", "64K", "x") if text not in allowed]
        return [least, most, *allowed], [*others, least - 1, most + 1, *([least + 1] if found[4] else [])]
    if found := NUMBER.match(values):
        return [0.01, whole(found[1])], [0, whole(found[1]) + 1, "x"]
    if values.startswith("list of: `"):
        return [choices], [["x"], choices[:1] * 2]
    if values.startswith("`") and choices:
        return choices, ["x"]
    if values in ("true or false", "text"):
        return ([True, False], [0, "yes"]) if values == "true or false" else (["x"], [1])
    return [], []


@pytest.mark.parametrize(("head", "row"), ROWS)
def test_values_are_allowed_and_refused_as_described(head: str, row: Row) -> None:
    allowed, refused = allowed_and_refused(row.values)
    for value in allowed:
        check_values(KINDS[head], {row.key: value})
    for value in refused:
        with pytest.raises(Fault) as caught:
            check_values(KINDS[head], {row.key: value})
        if row.values.removeprefix("list of: ").startswith('`"') and "x" in value:
            assert caught.value.expected == "one of " + ", ".join(re.findall(r'"([\w-]+)"', row.values))


MORE = {
    "[parameters]sizes": ['"1K,4K,100..1000+100"', '[1, 64, "64K"]'],
    "[parameters]least_time_s": ['"auto"'],
    "[programs.NAME]sources": ["[]"],
    "[programs.NAME]ready": ["{ cm = 7471 }"],
    "[[series]]vary": ["{ post_list = [1, 16], signal_every = [16, 64] }"],
}
PEER = '[[series]]\nname = "peer"\nprogram = "verbs"\noperation = "send"\nmeasure = "throughput"\n'
BESIDE = {  # other keys that the example of a key needs
    "arguments": {"program": '"mine"'},
    "pattern": {"output": '"pattern"'},
    "unit": {"output": '"pattern"', "pattern": "'(?P<size>[0-9]+) (?P<value>[0-9]+)'"},
}
EXAMPLES = [
    pytest.param(head, row.key, example, id=f"{head}{row.key}")
    for head, rows in TABLES.items()
    for row in rows
    if row.key not in ("computers", "pfc", "ecn")  # of series that are all on several computers: examples/ring.toml
    for example in [*filter(None, [row.example]), *MORE.get(f"{head}{row.key}", [])]
]
ENDS = {"server": '"mine {port}"', "client": '"mine {port} {size} {arguments} {host}"'}
ALWAYS = {  # required, but not by the types
    "[parameters]": {"sizes": "64"},
    "[[comparison]]": {"peers": '["peer"]'},
    "[programs.NAME]": ENDS,
}
WITHOUT = {"limit_bytes_per_s": ("peers",), "each": tuple(ENDS)}  # keys that another one replaces


def with_key(changed: str, key: str, example: str) -> str:
    """A whole file in which one table has this key with this value."""
    held = {}
    for head, rows in TABLES.items():
        needed = {row.key: row.example for row in rows if row.is_required and not row.values.startswith("`[")}
        held[head] = needed | ALWAYS.get(head, {})
    held = {head: needed for head, needed in held.items() if needed}
    own = held.get(changed, {}) | {key: example} | BESIDE.get(key, {})
    held[changed] = {name: value for name, value in own.items() if name not in WITHOUT.get(key, ())}
    if changed == TOP:
        held = {head: values for head, values in held.items() if head.strip("[]").split(".")[0] != key}
    parts = [head + "".join(f"\n{name} = {value}" for name, value in values.items()) for head, values in held.items()]
    text = "\n".join(parts).removeprefix(TOP).replace("SITE", "exact").replace("NAME", "mine")
    return f"{text}\n{PEER}"


@pytest.mark.parametrize(("head", "key", "example"), EXAMPLES)
def test_each_example_is_accepted(head: str, key: str, example: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "rdma_and_tcp.toml").touch()
    file = tmp_path / "x.toml"
    file.write_text(with_key(head, key, example))
    assert load(file).series
