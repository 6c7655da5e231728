"""docs/templates.md: every name that a template can print, from the context that templates receive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import get_args, get_origin, get_type_hints

from lab.docs.markdown import rows
from lab.places import TEMPLATES
from lab.report.context import Context
from lab.report.exhibits.core import LOOKS

EXAMPLE = "plain_verbs.tex"

HEAD = """# What a template can print

Written by `make docs` from `code/lab/report/context.py`: change that, not this page.

`\\VAR{name}` prints a value, `\\BLOCK{for row in name}` goes through one that holds several; a tag stays on one line.
Any other name stops the build, at the template's file and line. [reports.md](reports.md) says how to write a template.

## A template of 18 lines
`templates/plain_verbs.tex` fills page 1 for `experiments/examples/plain_verbs.toml`. The setting, the results, the
limits and the appendix are those that `short.tex` makes of any experiment.

```tex
{example}
```

## Names
A curve is a query, its name, and its look: {looks}. `TCP 2` is another look in the colour of `TCP`.

"""


def page() -> str:
    """All of it."""
    example, looks = (TEMPLATES / EXAMPLE).read_text().rstrip(), ", ".join(f"`{look}`" for look in LOOKS)
    return HEAD.replace("{example}", example).replace("{looks}", looks) + rows(
        ("name", "what it is", "its fields"), _rows()
    )


def _rows() -> Iterator[tuple[str, str, str]]:
    for name, hint in get_type_hints(Context, include_extras=True).items():
        kind, words = get_args(hint)
        called = "(...)" if get_origin(kind) is Callable else ""
        yield f"`{name}{called}`", words, ", ".join(f"`{each}`" for each in _fields(kind))


def _fields(kind: object) -> list[str]:
    """Of a dataclass, or of each of several."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and is_dataclass(each):
            known = {name: value for base in each.__mro__ for name, value in vars(base).items()}
            made = [name for name, value in known.items() if isinstance(value, (property, cached_property))]
            return [name for name in (*(field.name for field in fields(each)), *made) if not name.startswith("_")]
    return []
