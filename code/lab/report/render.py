"""Templates into LaTeX: Jinja with delimiters that LaTeX does not use, in a sandbox, escaping by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from lab.errors import LabError
from lab.report.claim import UnknownClaim
from lab.report.errors import ReportError
from lab.report.escape import escape


def render(templates: Path, name: str, context: dict[str, Any]) -> str:
    """The LaTeX of a template; an error names the template and its line."""
    try:
        return environment(templates).get_template(name).render(context)
    except TemplateSyntaxError as error:
        raise ReportError(str(error.message), file=f"templates/{error.name}", line=error.lineno) from error
    except (TemplateError, ReportError, UnknownClaim) as error:
        file, line = _place(error, name)
        what, hint = (error.what, error.hint) if isinstance(error, LabError) else (str(error), "")
        raise ReportError(what, hint=hint, file=f"templates/{file}", line=line) from error


def environment(templates: Path) -> ImmutableSandboxedEnvironment:
    """Undefined names are errors; everything but Markup is escaped. A filter's result is no Markup: it fails closed."""
    return ImmutableSandboxedEnvironment(
        block_start_string=r"\BLOCK{",
        block_end_string="}",
        variable_start_string=r"\VAR{",
        variable_end_string="}",
        comment_start_string=r"\JC{",
        comment_end_string="}",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        loader=FileSystemLoader(templates),
        autoescape=False,
    )


def _finalize(value: Any) -> Any:
    """Template data passes here as Markup-free text too: Jinja calls it only for expressions."""
    return value if isinstance(value, StrictUndefined) else escape(value)


def _place(error: BaseException, name: str) -> tuple[str, int | None]:
    """The innermost template line of a traceback, which Jinja rewrites to point into templates."""
    found: tuple[str, int | None] = (name, None)
    trace = error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.suffix in (".tex", ".sty"):
            found = (file.name, trace.tb_lineno)
        trace = trace.tb_next
    return found
