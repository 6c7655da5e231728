"""The command line. Only this module turns a LabError into a sentence."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import TYPE_CHECKING

from lab.cli import INTERRUPTED, UNREAD

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from lab.errors import LabError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 for success, 1 for a finding, 2 for an error; 130 and 141 as a shell does.

    All other modules are imported inside, so that Ctrl-C during an import is handled, too.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            # Escape characters that the terminal cannot encode.
            if getattr(stream, "errors", "") == "strict" and (reconfigure := getattr(stream, "reconfigure", None)):
                reconfigure(errors="backslashreplace")
        atexit.register(gc.freeze)  # else Python collects garbage once more before it ends
        if arguments is None:
            _enter_checkout()
        return _run(arguments)
    except KeyboardInterrupt as error:  # with what is kept
        again = " ".join(["lab", *(sys.argv[1:] if arguments is None else arguments)])
        what = str(error) or "every finished record is kept; to continue"
        print(f"lab: interrupted; {what}: {again}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes stdout at its end
        return UNREAD


def _enter_checkout() -> None:
    """Go on with the code of another checkout, if the user means one: records contain the version of its code."""
    from lab.places import ROOT, checkout_of

    if (checkout := checkout_of(os.environ)) and checkout != ROOT:
        path = os.pathsep.join(filter(None, (str(checkout / "code"), os.environ.get("PYTHONPATH"))))
        command = [sys.executable, "-P", "-m", "lab", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, "PYTHONPATH": path})


def _run(arguments: Sequence[str] | None) -> int:
    from lab.cli.commands import AUTO, COMMANDS, make_parser
    from lab.errors import LabError, all_lines
    from lab.files.storage import refusal

    parser = make_parser()
    options = _parsed(parser, sys.argv[1:] if arguments is None else arguments)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        if options.command != "completion":
            _require_checkout()
        function = COMMANDS[options.command].function
        if getattr(options, "experiment", None) == []:
            from lab.plan.planning import all_experiments

            options.experiment = all_experiments()
        if getattr(options, "site", "") == AUTO:
            _choose_site(options)
        status = function(options)
        sys.stdout.flush()
        return status
    except LabError as error:
        sentence = str(_by_option(error, options))
    except ModuleNotFoundError as error:  # `pip install .` without the group of reports
        if str(error.name).split(".")[0] == "lab":
            raise
        hint = "in a checkout: pip install '.[report]', or make setup and .venv/bin/lab"
        sentence = str(LabError("this Python package is not installed", str(error.name), hint))
    except BrokenPipeError:
        raise
    except OSError as error:  # a refusal of the disk or the host that no stage has described
        what, hint = refusal(error)
        sentence = str(_by_option(LabError(what, where=str(error.filename or ""), hint=hint), options))
    print(f"lab {options.command}: {all_lines(sentence)}", file=sys.stderr)
    return 2


def _require_checkout() -> None:
    from pathlib import Path

    from lab.errors import LabError
    from lab.places import checkout_of

    if not checkout_of(os.environ):
        where = str(Path(os.environ.get("LAB_ROOT", "")).resolve())
        raise LabError("not in a checkout of Verbyte", where, "cd CHECKOUT, or LAB_ROOT=CHECKOUT lab COMMAND")


def _parsed(parser: ArgumentParser, arguments: Sequence[str]) -> Namespace:
    """The options. Unlike in argparse, queries may follow options."""
    from lab.cli.commands import COMMANDS
    from lab.typed_json import nearest

    if arguments and not arguments[0].startswith("-") and arguments[0] not in COMMANDS:
        near = nearest(arguments[0], COMMANDS)
        hint = f"Did you mean {near}" if near else "lab --help lists all commands."
        print(f"lab: unknown command {arguments[0]!r:.40}. {hint}", file=sys.stderr)
        raise SystemExit(2)
    options, rest = parser.parse_known_args(arguments)
    if rest and (options.command != "query" or any(text.startswith("--") for text in rest)):
        parser.error(f"unknown arguments: {' '.join(rest)} (lab {options.command} --help lists all)")
    if rest:
        options.query += rest
    return options


def _choose_site(options: Namespace) -> None:
    """Choose a site for a user who named none; commands that measure print it with the reason."""
    from lab.sites.hosts import choose

    options.site, why = choose(options.hosts)
    if options.command in ("try", "plan", "run", "bench"):
        print(f"site {options.site}: {why}", file=sys.stderr)


def _by_option(error: LabError, options: Namespace) -> LabError:
    """Name the option that moves the output to another folder: --results for records, --out for the rest."""
    from pathlib import Path

    from lab.files.storage import ELSEWHERE

    if error.hint == ELSEWHERE:
        folder = Path(getattr(options, "results", "")).absolute()
        of_records = folder in Path(error.where).absolute().parent.parents  # below it, not in it
        names = ("results", "out") if of_records else ("out", "results")
        option = next((f"--{name} DIR, " for name in names if hasattr(options, name)), "")
        error.hint = option + ELSEWHERE
    return error
