"""The whole page: one file that asks for no other."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lab.report.twin.blocks import Blocks
from lab.report.twin.inline import Inline
from lab.report.twin.material import Material
from lab.report.twin.reading import arguments, macro, nodes_of
from lab.report.twin.tips import Tips

TEMPLATE = "twin.html"
_LABEL = re.compile(r"\\label\{((figure|table):[^{}]*)\}")
_TAKES_IN = re.compile(r"^\\input\{(\w+)\}$", re.MULTILINE)
_SOURCE = re.compile(r"\\bibitem\{([^{}]*)\}")


def page(material: Material, templates: Path) -> str:
    """The page; a command that it does not know is an error."""
    report = material.texts["report.tex"]
    preamble, _, rest = report.partition(r"\begin{document}")
    source = _TAKES_IN.sub(lambda name: material.texts[f"{name[1]}.tex"], rest.partition(r"\end{document}")[0])
    blocks = Blocks(Inline(Tips(material.backings, material.sets), numbered(source)), material.svgs)
    body = blocks.write(nodes_of(source))
    title = next(blocks.inline.write(arguments(each)[-1]) for each in nodes_of(preamble) if macro(each) == "title")
    who, headings = map(Markup, blocks.who), [(number, Markup(words)) for number, words in blocks.headings]
    return _whole(templates, name=material.name, title=Markup(title), who=who, headings=headings, body=Markup(body))


def page_without(name: str, why: str, templates: Path) -> str:
    """The page in place of one that cannot be written: it leads to the PDF."""
    body = Markup("<p>This report is there for print alone: {}.</p>").format(why)
    return _whole(templates, name=name, title=name, who=[], headings=[], body=body)


def _whole(templates: Path, **shown: object) -> str:
    environment = Environment(autoescape=True, undefined=StrictUndefined, loader=FileSystemLoader(templates))
    return environment.get_template(TEMPLATE).render(shown) + "\n"


def numbered(source: str) -> dict[str, int]:
    """Figures, tables and sources, each by its label, counted apart as LaTeX counts them."""
    counts, numbers = {"figure": 0, "table": 0}, dict[str, int]()
    for label, sort in _LABEL.findall(source):
        counts[sort] += 1
        numbers[label] = counts[sort]
    return numbers | {f"source:{key}": place for place, key in enumerate(_SOURCE.findall(source), 1)}
