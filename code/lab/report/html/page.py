"""The report as a web page, from the report's LaTeX."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lab.report.evidence.environment import RecordSet
from lab.report.html.blocks import Blocks
from lab.report.html.inline import Inline, Tips
from lab.report.html.live import Live
from lab.report.html.reading import Node, arguments, kind, macro, nodes_of, source_of
from lab.report.text.check import Backing


@dataclass(frozen=True)
class Material:
    """All that LaTeX reads of a report, the figures, and the evidence behind its numbers and statements."""

    name: str
    texts: dict[str, str]  # report.tex and those that it takes in
    svgs: dict[str, bytes]
    backings: Sequence[Backing]
    sets: tuple[RecordSet, ...]
    live: Live
    files: Mapping[str, bytes]  # to download: the data, the evidence, and what a person wrote


TEMPLATE, SCRIPTS = "twin.html", ("parts/page.js", "parts/live.js")
NUMBERS = 5  # beside the answer
FILES_BYTES = 300_000  # of a page of at most 500 kB
UNQUOTED = ",:;/=()*+!$@"  # what an address may hold, beside letters and digits
# The sections that are folded, beside those of the appendix: how it was measured, and with what.
FOLDED = frozenset(
    (
        "Question and setting",
        "How to repeat this",
        "Method",
        "Chosen parameters, and why",
        "Environment",
        "How to reproduce",
    )
)
_LABEL = re.compile(r"\\label\{((figure|table):[^{}]*)\}")
_TAKES_IN = re.compile(r"^\\input\{(\w+)\}$", re.MULTILINE)
_SOURCE = re.compile(r"\\bibitem\{([^{}]*)\}")


def page(material: Material, templates: Path) -> str:
    """The page; a command that it does not know is an error."""
    report = material.texts["report.tex"]
    preamble, _, rest = report.partition(r"\begin{document}")
    source = _TAKES_IN.sub(lambda name: material.texts[f"{name[1]}.tex"], rest.partition(r"\end{document}")[0])
    blocks = Blocks(Inline(Tips(material.backings, material.sets), numbered(source)), material.svgs)
    first, *others = sections(nodes_of(source))
    shown = _first_screen(first.nodes, blocks)
    if others and not "".join(shown.values()):  # a report that begins with a section
        shown = _first_screen(others.pop(0).nodes, blocks)
    shown["body"] = _body(others, blocks)
    shown["title"] = next(
        blocks.inline.write(arguments(each)[-1]) for each in nodes_of(preamble) if macro(each) == "title"
    )
    files = addresses(material.files)
    return _whole(
        templates,
        name=material.name,
        who=list(map(Markup, blocks.who)),
        headings=[(number, Markup(words)) for number, words in blocks.headings],
        live=material.live,
        files=files,
        larger=sorted(material.files.keys() - files.keys()),
        **{name: Markup(part) for name, part in shown.items()},
    )


def page_without(name: str, why: str, templates: Path) -> str:
    """The page in place of one that cannot be written: it leads to the PDF."""
    answer = Markup("<p>This report is there for print alone: {}.</p>").format(why)
    nothing = dict.fromkeys(("who", "headings", "live", "files", "larger", "figure", "numbers", "rest", "body"), "")
    return _whole(templates, **nothing | {"name": name, "title": name, "answer": answer})


def _whole(templates: Path, **shown: object) -> str:
    environment = Environment(autoescape=True, undefined=StrictUndefined, loader=FileSystemLoader(templates))
    script = "".join((templates / name).read_text() for name in SCRIPTS[: 2 if shown["live"] else 1])
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return environment.get_template(TEMPLATE).render(shown, script=Markup(script), digest=digest) + "\n"


def addresses(files: Mapping[str, bytes]) -> dict[str, str]:
    """Each file as an address that holds it, the digests of the records last, as long as the page has room."""
    found, room = dict[str, str](), FILES_BYTES
    for name in sorted(files, key=lambda name: (name == "manifest.json", len(files[name]))):
        address = (
            f"data:text/{'csv' if name.endswith('.csv') else 'plain'};charset=utf-8,{quote(files[name], safe=UNQUOTED)}"
        )
        room -= len(address)
        if room >= 0:
            found[name] = address
    return found


@dataclass
class Section:
    """A heading with what follows it; what stands before the first has no heading."""

    is_appendix: bool = False
    nodes: list[Node] = field(default_factory=list)

    @property
    def is_folded(self) -> bool:
        return self.is_appendix or source_of(arguments(self.nodes[0])[-1]) in FOLDED


def sections(nodes: Iterable[Node]) -> list[Section]:
    """What stands before the first section, then each section."""
    found, in_appendix = [Section()], False
    for node in nodes:
        in_appendix = in_appendix or macro(node) == "appendix"
        if macro(node) == "section":
            found.append(Section(in_appendix))
        found[-1].nodes.append(node)
    return found


def _first_screen(nodes: list[Node], blocks: Blocks) -> dict[str, str]:
    """The answer, its figure, five of its numbers, and the rest of what stands before the first section."""
    floats = (place for place, each in enumerate(nodes) if kind(each) == "Environment")
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
    claims = {inline.tips.query(source_of(arguments(each)[0])): each for each in nodes if macro(each) == "labclaim"}
    shortest = sorted(claims, key=len)[:NUMBERS]
    return "".join(
        f"<div><dt>{inline.write([query])}</dt><dd>{inline.write(arguments(claims[query])[1])}</dd></div>"
        for query in claims
        if query in shortest
    )


def _body(parts: Iterable[Section], blocks: Blocks) -> str:
    """All sections; method, environment and appendix are folded."""
    written = list[str]()
    for part in parts:
        blocks.folds_tables = not part.is_folded
        head, words = blocks.write(part.nodes[:1]), blocks.write(part.nodes[1:])
        written.append(
            f"<details><summary>{head}</summary>\n{words}</details>" if part.is_folded else f"{head}\n{words}"
        )
    return "\n".join(written)


def numbered(source: str) -> dict[str, int]:
    """Figures, tables and sources, each by its label, counted apart as LaTeX counts them."""
    counts, numbers = {"figure": 0, "table": 0}, dict[str, int]()
    for label, sort in _LABEL.findall(source):
        counts[sort] += 1
        numbers[label] = counts[sort]
    return numbers | {f"source:{key}": place for place, key in enumerate(_SOURCE.findall(source), 1)}
