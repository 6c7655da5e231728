"""The report as a web page, from the report's LaTeX."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lab.figures.figure import Figure
from lab.report.evidence.environment import RecordSet
from lab.report.html.blocks import Blocks
from lab.report.html.inline import Inline
from lab.report.html.live import Live
from lab.report.html.reading import Node, arguments, kind, macro, nodes_of, source_of
from lab.report.text.backing import Backing


@dataclass(frozen=True)
class Material:
    """The texts of a report for LaTeX, its figures, and the evidence behind its numbers and statements."""

    name: str
    texts: dict[str, str]  # report.tex and its inputs
    figures: dict[str, Figure]
    backings: Sequence[Backing]
    sets: tuple[RecordSet, ...]
    live: Live
    files: Mapping[str, bytes]  # to download: data, evidence and sources


TEMPLATE, SCRIPTS = "twin.html", ("parts/page.js", "parts/live.js")
NUMBERS = 5  # beside the answer
FILES_BYTES = 300_000  # of a page of at most 500 kB
UNQUOTED = ",:;/=()*+!$@"  # in an address, beside letters and digits
# The folded sections, beside the appendix: method and environment.
FOLDED = {"Question and setting", "How to repeat this", "Method", "Chosen parameters, and why", "Environment"}
FOLDED |= {"How to reproduce"}
_LABEL = re.compile(r"\\label\{((figure|table):[^{}]*)\}")
_INPUT = re.compile(r"^\\input\{(\w+)\}$", re.MULTILINE)
_SOURCE = re.compile(r"\\bibitem\{([^{}]*)\}")


def page(material: Material, templates: Path, *, has_pdf: bool = True) -> str:
    """The page, with a link to the PDF if there is one; an unknown command is an error."""
    report = material.texts["report.tex"]
    preamble, _, rest = report.partition(r"\begin{document}")
    source = _INPUT.sub(lambda command: material.texts[f"{command[1]}.tex"], rest.partition(r"\end{document}")[0])
    backings = {backing.number: backing for backing in material.backings}
    svgs = {name: figure.svg for name, figure in material.figures.items()}
    blocks = Blocks(Inline(backings, material.sets, _numbered(source)), svgs)
    (_, first), *others = _sections(nodes_of(source))
    shown = _first_screen(first, blocks)
    if others and not "".join(shown.values()):  # a report that begins with a section
        shown = _first_screen(others.pop(0)[1], blocks)
    shown["body"] = _body(others, blocks)
    (title,) = (arguments(node)[-1] for node in nodes_of(preamble) if macro(node) == "title")
    shown["title"] = blocks.inline.write(title)
    files = _addresses(material.files)
    script = "".join((templates / name).read_text() for name in SCRIPTS)
    values = {
        "name": material.name,
        "has_pdf": has_pdf,
        "who": list(map(Markup, blocks.who)),
        "headings": [(number, Markup(words)) for number, words in blocks.headings],
        "live": material.live,
        "files": files,
        "larger": sorted(material.files.keys() - files.keys()),
        "script": Markup(script),
        "digest": b64encode(sha256(script.encode()).digest()).decode(),
        **{name: Markup(part) for name, part in shown.items()},
    }
    return filled(templates, TEMPLATE, values, trim_blocks=False) + "\n"


def filled(templates: Path, name: str, values: Mapping[str, object], **settings: Any) -> str:
    """A template with these values, by default as HTML in which all but Markup is escaped; `settings` are Jinja's."""
    usual: dict[str, Any] = {"autoescape": True, "undefined": StrictUndefined, "trim_blocks": True}
    return Environment(loader=FileSystemLoader(templates), **usual | settings).get_template(name).render(values)


def _addresses(files: Mapping[str, bytes]) -> dict[str, str]:
    """Each file as a data address, the manifest last, as long as the page has room."""
    fitting, room = dict[str, str](), FILES_BYTES
    for name in sorted(files, key=lambda name: (name == "manifest.json", len(files[name]))):
        form = "csv" if name.endswith(".csv") else "plain"
        address = f"data:text/{form};charset=utf-8,{quote(files[name], safe=UNQUOTED)}"
        room -= len(address)
        if room >= 0:
            fitting[name] = address
    return fitting


def _sections(nodes: Iterable[Node]) -> list[tuple[bool, list[Node]]]:
    """The nodes before the first section, then those of each section, its heading first; and whether it is folded."""
    parts, in_appendix = [(False, list[Node]())], False
    for node in nodes:
        in_appendix = in_appendix or macro(node) == "appendix"
        if macro(node) == "section":
            parts.append((in_appendix or source_of(arguments(node)[-1]) in FOLDED, []))
        parts[-1][1].append(node)
    return parts


def _first_screen(nodes: list[Node], blocks: Blocks) -> dict[str, str]:
    """The answer, its figure, five of its numbers, and the rest before the first section."""
    floats = (place for place, node in enumerate(nodes) if kind(node) == "Environment")
    at = next((place for place in floats if "labpicture" in map(macro, nodes[place].nodelist)), len(nodes))
    answer, figure = blocks.write(nodes[:at]), blocks.write(nodes[at : at + 1])
    return {
        "answer": answer,
        "figure": figure,
        "numbers": _numbers(nodes[:at], blocks.inline),
        "rest": blocks.write(nodes[at + 1 :]),
    }


def _numbers(nodes: list[Node], inline: Inline) -> str:
    """The claims of the answer whose queries are the shortest, in the order of the text."""
    claims = (arguments(node) for node in nodes if macro(node) == "labclaim")
    contents = {inline.query(source_of(number)): content for number, content in claims}
    shortest = sorted(contents, key=len)[:NUMBERS]
    return "".join(
        f"<div><dt>{inline.write([query])}</dt><dd>{inline.write(content)}</dd></div>"
        for query, content in contents.items()
        if query in shortest
    )


def _body(parts: Iterable[tuple[bool, list[Node]]], blocks: Blocks) -> str:
    written = list[str]()
    for is_folded, nodes in parts:
        blocks.folds_tables = not is_folded
        head, rest = blocks.write(nodes[:1]), blocks.write(nodes[1:])
        form = "<details><summary>{}</summary>\n{}</details>" if is_folded else "{}\n{}"
        written.append(form.format(head, rest))
    return "\n".join(written)


def _numbered(source: str) -> dict[str, int]:
    """The numbers of figures, tables and sources by label, as LaTeX counts them."""
    counts, numbers = {"figure": 0, "table": 0}, dict[str, int]()
    for label, sort in _LABEL.findall(source):
        counts[sort] += 1
        numbers[label] = counts[sort]
    return numbers | {f"source:{key}": place for place, key in enumerate(_SOURCE.findall(source), 1)}
