"""A report's LaTeX as a tree."""

from typing import TypeAlias

from pylatexenc.latexwalker import (  # type: ignore[import-untyped]
    LatexNode,
    LatexWalker,
    LatexWalkerParseError,
    get_default_latex_context_db,
)
from pylatexenc.macrospec import EnvironmentSpec, MacroSpec  # type: ignore[import-untyped]

from lab.report.errors import ReportError

Node: TypeAlias = LatexNode  # the library has no types
# The commands and environments by pylatexenc's notation of their arguments.
MACROS = {
    "": "labwarned labsettle labroom labround labto labtypesetter allowbreak par noindent newblock",
    "{": """labshows labgiven figureof tableof labpart labinterval labnum rlap hypersetup unit num url label caption
        pagestyle text input textsuperscript textsubscript cite bibitem""",
    "*{": "vspace",
    "{{": "labclaim labpicture labhead lablines hypertarget qty SI setlength",
    "{{{": "labtitle multicolumn",
    "{{{{{": "labevidence",
    "*[{": "section subsection subsubsection paragraph",
}
ENVIRONMENTS = {"{": "labplace thebibliography", "[{": "tabular longtable"}


def nodes_of(source: str) -> list[Node]:
    """The nodes of a text; a group or an environment that does not close is an error."""
    context = get_default_latex_context_db()
    macros = [MacroSpec(name, form) for form, names in MACROS.items() for name in names.split()]
    environments = [EnvironmentSpec(name, form) for form, names in ENVIRONMENTS.items() for name in names.split()]
    context.add_context_category("lab", macros=macros, environments=environments, prepend=True)
    try:
        nodes: list[Node] = LatexWalker(source, latex_context=context, tolerant_parsing=False).get_latex_nodes()[0]
    except LatexWalkerParseError as error:
        raise ReportError(f"the page cannot be read from the report's LaTeX: {error.msg}") from error
    return nodes


def kind(node: Node) -> str:
    """`Macro`, `Chars`, `Group`, `Environment`, `Specials`, `Math` or `Comment`."""
    return str(type(node).__name__).removeprefix("Latex").removesuffix("Node")


def arguments(node: Node) -> list[list[Node]]:
    """The contents of each argument, optional ones that are absent as nothing."""
    contents = node.nodeargd.argnlist if node.nodeargd else []
    return [list(node.nodelist) if kind(node) == "Group" else [node] if node else [] for node in contents]


def source_of(nodes: list[Node]) -> str:
    return "".join(node.latex_verbatim() for node in nodes)


def macro(node: Node) -> str:
    """The name of a command; empty for another node."""
    return str(node.macroname) if kind(node) == "Macro" else ""
