"""`lab completion`: a script for a shell, which runs `lab completion words ...` to list what can be typed next."""

import io
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from itertools import takewhile

from lab.cli.clean import PARTS
from lab.cli.commands import AUTO, COMMANDS
from lab.cli.main import main
from lab.places import ASSIGNMENTS
from lab.plan.planning import FOLDERS
from lab.sites.site import MODULES

# Where lab lists no words, the shell completes the names of files.
SCRIPTS = {
    "bash": """\
_lab() { mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); }
complete -o default -F _lab lab .venv/bin/lab
""",
    "zsh": """\
_lab() {
  local -a found=("${(@f)$(${(Q)words[1]} completion words "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n $found ]] && compadd -Q -a found || _files
}
compdef _lab lab
""",
    "fish": """\
complete -c lab -a '(set w (commandline -opc); $w[1] completion words $w[2..] (commandline -ct) 2>/dev/null)'
""",
}


def completion(options: Namespace) -> int:
    if options.shell == "words":
        print(*(f"{word}\n" for word in words(options.typed or [""])), sep="", end="")
    else:
        print(SCRIPTS[options.shell], end="")
    return 0


def words(typed: Sequence[str]) -> list[str]:
    """The words that can end a command line, whose last word may be incomplete or empty."""
    *before, start = typed
    return [word for word in _possible(before, start) if word.startswith(start)]


def _possible(before: Sequence[str], start: str) -> Iterable[str]:
    if not before:
        return [*COMMANDS, "--help", "--version"]
    if before[0] not in COMMANDS:
        return []
    parser = ArgumentParser(prog="lab")
    added = [add(parser) for add in COMMANDS[before[0]].arguments]
    actions = [action for action in added if isinstance(action, Action)]
    options = {name: action for action in actions for name in action.option_strings}
    if start.startswith("-"):
        return [*options, "--help"]
    if before[-1] in options and options[before[-1]].nargs != 0:
        return _values(options[before[-1]], before)
    positional = [action for action in actions if not action.option_strings]
    count = len(list(takewhile(lambda word: not word.startswith("-"), before[1:])))
    return _values(positional[min(count, len(positional) - 1)], before) if positional else []


def _values(action: Action, before: Sequence[str]) -> Iterable[str]:
    """The values of an argument; none where every file or number will do."""
    if action.choices is not None:
        return map(str, action.choices)
    if action.dest == "query":
        with redirect_stdout(io.StringIO()) as printed:
            main([*before, "--names"])
        return printed.getvalue().splitlines()
    values = {
        "experiment": (file.stem for folder in FOLDERS for file in sorted(folder.glob("*.toml"))),
        "kit": (file.stem for file in sorted(ASSIGNMENTS.glob("*.toml"))),
        "assignment": (file.stem for file in sorted(ASSIGNMENTS.glob("*.toml"))),
        "site": (AUTO, *MODULES),
        "part": PARTS,
    }
    return values.get(action.dest, ())
