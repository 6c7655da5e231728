"""docs/experiments.md lists every key of an experiment file."""

from pathlib import Path

import pytest

from lab.docs.schema import SchemaKey, SchemaTable, tables
from lab.experiment.document import Document
from lab.experiment.reader import load
from lab.programs.program import ANY_SOURCE

TABLES = tables(Document)
PEER = '[[series]]\nname = "peer"\nprogram = "verbs"\noperation = "send"\nmeasure = "throughput"\n'
BESIDE = {  # other keys that the example of a key needs
    "arguments": {"program": '"mine"'},
    "pattern": {"output": '"pattern"'},
    "unit": {"output": '"pattern"', "pattern": "'(?P<size>[0-9]+) (?P<value>[0-9]+)'"},
}


EXAMPLES = [
    pytest.param(table, key, example, id=f"{table.head}{key.name}")
    for table in TABLES
    for key in table.keys
    if key.name not in ("computers", "pfc", "ecn")  # of series that are all on several computers: examples/ring.toml
    for example in key.examples
]


ENDS = {"server": '"mine {port}"', "client": '"mine {port} {size} {arguments} {host}"'}
ALWAYS = {  # which no schema can ask for
    "[parameters]": {"sizes": "64"},
    "[[comparison]]": {"peers": '["peer"]'},
    "[programs.NAME]": ENDS,
}
WITHOUT = {"limit_bytes_per_s": ("peers",), "each": tuple(ENDS)}  # keys that another one replaces


def lines(table: SchemaTable) -> dict[str, str]:
    """The required keys of a table, but for the tables in it."""
    needed = (key for key in table.keys if key.required and not key.allowed.startswith("`["))
    return {key.name: key.examples[0] for key in needed} | ALWAYS.get(table.head, {})


def written(changed: SchemaTable, key: SchemaKey, example: str) -> str:
    """A whole file in which one table has this key with this value."""
    held = {table.head: needed for table in TABLES if (needed := lines(table))}
    own = held.get(changed.head, {}) | {key.name: example} | BESIDE.get(key.name, {})
    for name in WITHOUT.get(key.name, ()):
        del own[name]
    held[changed.head] = own
    if not changed.head:
        held = {head: values for head, values in held.items() if head.strip("[]").split(".")[0] != key.name}
    parts = [head + "".join(f"\n{name} = {value}" for name, value in values.items()) for head, values in held.items()]
    text = "\n".join(parts).replace("SITE", "exact").replace("NAME", "mine")
    return f"{text}\n{PEER}"


@pytest.mark.parametrize(("table", "key", "example"), EXAMPLES)
def test_each_example_is_accepted(table: SchemaTable, key: SchemaKey, example: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "rdma_and_tcp.toml").touch()
    file = tmp_path / "x.toml"
    file.write_text(written(table, key, example))
    assert load(file).series


def test_every_key_has_a_sentence_and_an_example_or_a_table() -> None:
    heads = {f"`{table.head}`" for table in TABLES}
    bare = [
        f"{table.head} {key.name}"
        for table in TABLES
        for key in table.keys
        if not key.meaning.endswith(".") or not (key.examples or key.allowed in heads)
    ]
    assert not bare


@pytest.mark.parametrize(
    ("key", "allowed", "default"),
    [
        ("delay_ns", "integer, 0 to 10,000,000,000, a multiple of 1000", 0),
        ("vary", "table; each value: list, 1 to 1,000 of them, each once", None),
        ("rate_bit_s", "integer, 1,000 to 400,000,000,000", None),
        ("profile", "`[profile.SITE]`", None),
        (
            "sources",
            "list of: text",
            ANY_SOURCE,
        ),
    ],
)
def test_limits_and_defaults_are_those_of_the_types(key: str, allowed: str, default: object) -> None:
    found = next(each for table in TABLES for each in table.keys if each.name == key)
    assert (found.allowed, found.default) == (allowed, default)
