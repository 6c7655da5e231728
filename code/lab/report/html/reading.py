"""A report's LaTeX as a tree."""

from __future__ import annotations

import re
from typing import TypeAlias

from pylatexenc.latexwalker import (  # type: ignore[import-untyped]
    LatexNode,
    LatexToken,
    LatexWalker,
    LatexWalkerParseError,
    get_default_latex_context_db,
)
from pylatexenc.macrospec import EnvironmentSpec, MacroSpec  # type: ignore[import-untyped]

from lab.report.errors import ReportError

Node: TypeAlias = LatexNode  # of a library without types
MACROS = {
    **{
        "labclaim": "{{",
        "labshows": "{",
        "labgiven": "{",
        "labevidence": "{{{{{",
        "figureof": "{",
        "tableof": "{",
        "labtitle": "{{{",
        "labpicture": "{{",
    },
    **{"labhead": "{{", "labpart": "{", "labinterval": "{"},
    **{"lablines": "{{", "rlap": "{", "labnum": "{"},
    **{"hypertarget": "{{", "hypersetup": "{", "unit": "{", "num": "{", "qty": "{{", "SI": "{{", "url": "{"},
    **{"setlength": "{{", "label": "{", "caption": "{", "vspace": "*{", "pagestyle": "{", "text": "{", "input": "{"},
    **dict.fromkeys(("labwarned", "labsettle", "labround", "labto", "labtypesetter"), ""),
    **dict.fromkeys(("allowbreak", "par", "noindent"), ""),
    **dict.fromkeys(("section", "subsection", "subsubsection", "paragraph"), "*[{"),
    **{"multicolumn": "{{{", "textsuperscript": "{", "textsubscript": "{", "cite": "{", "bibitem": "{", "newblock": ""},
}
ENVIRONMENTS = {"labplace": "{", "tabular": "[{", "longtable": "[{"}
ENVIRONMENTS |= {"thebibliography": "{"}
_WORDS = re.compile(r"[A-Za-z0-9.,;:/+=()](?: ?[A-Za-z0-9.,;:/+=()])*")


class Walker(LatexWalker):  # type: ignore[misc]
    """The library makes a token of each letter, which is most of its time: words that hold no sign become one."""

    def get_token(self, pos: int, *given: object, environments: bool = True, **named: object) -> LatexToken:
        words = _WORDS.match(self.s, pos) if environments else None  # an argument without braces is one letter
        if words:
            return LatexToken(tok="char", arg=words[0], pos=pos, len=len(words[0]), pre_space="")
        return super().get_token(pos, *given, environments=environments, **named)


def nodes_of(source: str) -> list[Node]:
    """The nodes of a text; what does not close is an error."""
    context = get_default_latex_context_db()
    macros = [MacroSpec(name, arguments) for name, arguments in MACROS.items()]
    environments = [EnvironmentSpec(name, arguments) for name, arguments in ENVIRONMENTS.items()]
    context.add_context_category("lab", macros=macros, environments=environments, prepend=True)
    try:
        found: list[Node] = Walker(source, latex_context=context, tolerant_parsing=False).get_latex_nodes()[0]
    except LatexWalkerParseError as error:
        raise ReportError(f"the page cannot be read from the report's LaTeX: {error.msg}") from error
    return found


def kind(node: Node) -> str:
    """`Macro`, `Chars`, `Group`, `Environment`, `Specials`, `Math` or `Comment`."""
    return str(type(node).__name__).removeprefix("Latex").removesuffix("Node")


def arguments(node: Node) -> list[list[Node]]:
    """The contents of each argument, optional ones that are absent as nothing."""
    return [_content(each) for each in node.nodeargd.argnlist] if node.nodeargd else []


def source_of(nodes: list[Node]) -> str:
    """What was typed."""
    return "".join(each.latex_verbatim() for each in nodes)


def macro(node: Node) -> str:
    """The name of a command, nothing of another node."""
    return str(node.macroname) if kind(node) == "Macro" else ""


def _content(argument: Node) -> list[Node]:
    if argument is None:
        return []
    return list(argument.nodelist) if kind(argument) == "Group" else [argument]
