"""The command line: arguments in, a sentence out. The only place that catches a LabError."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from lab.arguments import AUTO
from lab.command_table import make_parser
from lab.errors import LabError
from lab.storage import refusal

INTERRUPTED = 130  # as a shell reports Ctrl-C
UNREAD = 141  # as a shell reports the end of a program that wrote to `head` after its end


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 is success, 1 a finding, 2 an error; 130 and 141 as in a shell."""
    options = make_parser().parse_args(arguments)
    from lab import commands, upkeep  # only now: `lab --help` needs none of it
    from lab.grade import commands as grades
    from lab.report import commands as reports
    from lab.submission import commands as hand_ins

    module = next((each for each in (upkeep, reports, hand_ins, grades) if options.command in each.COMMANDS), commands)
    try:
        if getattr(options, "site", "") == AUTO:
            _choose_site(options)
        status = int(getattr(module, options.command.replace("-", "_"))(options))
        sys.stdout.flush()
        return status
    except LabError as error:
        print(f"lab {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"lab {options.command}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the interpreter's own last words
        return UNREAD
    except OSError as error:  # what a disk or this computer refuses where nobody had better words for it
        what, hint = refusal(error)
        print(f"lab {options.command}: {LabError(what, where=str(error.filename or ''), hint=hint)}", file=sys.stderr)
        return 2


def _choose_site(options: Namespace) -> None:
    """Nobody named one; a run says which it takes and why."""
    from lab.sites.auto import choose

    options.site, why = choose(options.hosts)
    if options.command in ("plan", "run", "bench"):
        print(f"site {options.site}: {why}", file=sys.stderr)
