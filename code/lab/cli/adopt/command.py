"""`lab adopt`: guess an experiment from a folder of programs, write its file, and run one small trial."""

import re
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from lab.cli.adopt.folder import Folder
from lab.cli.adopt.guesses import ENDLESS, NO_SIZE, SILENT, experiment_of
from lab.cli.adopt.outputs import printed_outputs
from lab.cli.adopt.starts import CONNECTS, LOOP, MISUSED, Guess, Tried
from lab.cli.measure import open_shop, run_remaining, say_failures, say_interrupted, write_table
from lab.errors import SpecError
from lab.files.storage import write_text
from lab.machine.results import NAMES
from lab.places import from_here
from lab.plan.plan import Plan
from lab.plan.planning import Workshop
from lab.programs.printed import COLOUR, NONE
from lab.records.record import record_folder
from lab.records.table import make_table
from lab.run.run import RunSummary

CORRECTIONS = 3  # at most: by the failure of a trial, its sizes, and the failure with these
NO_RESULT = "no line has a number with its unit: set output, pattern and unit (docs/programs.md, Read the output) in"
OTHER_ARGUMENTS = " no result without other arguments"
ADVICE = {  # by the words of a failure: what in a source explains it, and what to do
    r"\bqp\b": (
        r"(?i)q_?key\w*\W+(0x[89a-f][\da-f]{7})\b",
        "choose a Q_Key below 0x80000000, since the others are for privileged programs",
    ),
    r"did not end|\bwc\b|completion|operation error": (
        r"(?s)\A(?!.*initiator_depth)(?=.*(?:RDMA_READ|WR_ATOMIC)).*?(rdma_conn_param|max_rd_atomic = 0)\b",
        "an RDMA READ or atomic needs initiator_depth and responder_resources (max_rd_atomic, max_dest_rd_atomic) >= 1",
    ),
    ENDLESS.pattern: (
        rf"(?s)\A(?=.*{CONNECTS.pattern}).*?({LOOP.pattern})",
        "give this loop a bound, or print a result with its unit in each turn (then client_stays = true ends it)",
    ),
    r"": (  # any failure
        r"((?:hton|ntoh)l\s*\(\s*\((?:uintptr_t|u?int64_t|unsigned long(?: long)?)\)\s*\w+\s*\))",
        "it keeps 32 of the 64 bits of an address: use htobe64() and be64toh()",
    ),
}


def adopt(options: Namespace) -> int:
    """Write the experiment of a folder, run it, and print what was seen and what to change."""
    if not options.folder.is_dir():
        raise SpecError("is not a folder", file=options.folder, hint="lab adopt FOLDER")
    folder = options.folder.resolve()
    file, source, text = folder.with_name(f"{folder.name}.toml"), Folder(folder), ""
    if file.exists():
        print(f"{from_here(file)}: used as it is; remove it to guess again")
    else:
        text, guesses = experiment_of(source)
        write_text(file, text)
        print(f"{from_here(file)}: written, by these guesses:", *map(shown, guesses), sep="\n  ", flush=True)
    shop, summary = run_file(file, options)
    if text:
        shop, summary = corrected(file, source, options, text, (shop, summary))
    if summary.interrupted:
        return say_interrupted(summary)
    if summary.failed:
        again = f"change {from_here(file)}, then: lab adopt {options.folder}"
        print(f"the trial failed, for the reason below; {again}", *advice(source, summary), sep="\n  ")
        return say_failures(summary)
    return show(file, shop.plans[0], options.results, tried(shop, options.results, summary))


def corrected(
    file: Path, source: Folder, options: Namespace, text: str, ran: tuple[Workshop, RunSummary]
) -> tuple[Workshop, RunSummary]:
    """Guess again by what each trial showed, until nothing changes; return the last trial."""
    (shop, summary), failures = ran, ""
    for correction in range(CORRECTIONS):
        seen = tried(shop, options.results, summary)
        # Of all trials, so that no correction is taken back.
        failures += " ".join([seen.failure, *MISUSED.findall(seen.client + seen.server)])
        if (not seen.failure or NONE in seen.failure) and not printed_outputs(seen.client + seen.server):
            failures += OTHER_ARGUMENTS
        better, _ = experiment_of(source, replace(seen, failure=failures))
        if summary.interrupted or better == text or (correction and not summary.failed and SILENT not in text):
            break
        write_text(file, better)
        changed = [line for line in better.splitlines() if line not in text.splitlines()]
        print(f"{from_here(file)}: written again, by what it printed:", *changed, sep="\n  ", flush=True)
        (shop, summary), text = run_file(file, options), better
    return shop, summary


def show(file: Path, plan: Plan, results: Path, printed: Tried) -> int:
    """Print the numbers that were read, and what to do next; without numbers, the last lines of both ends."""
    rows = make_table(plan, results)
    if not rows:
        last = *printed.client.splitlines()[-3:], *printed.server.splitlines()[-3:]
        why = f"both ends ended without an error, but {NO_RESULT} {from_here(file)}; the last lines of both:"
        print(why, *last, sep="\n  ")
        return 1
    for row in rows:
        rate = row.counts.get("completed_bytes_per_s") or row.counts.get("confirmed_bytes_per_s", 0)
        trip = row.counts.get("round_trip_ns")
        print(f"  {row.size_bytes} bytes: {f'{trip / 1000:.3f} us' if trip else f'{rate:,} B/s'}")
    if NO_SIZE in file.read_text():
        print(f"  the size is {NO_SIZE}")
    print(f"measured: {from_here(write_table(plan, results))}; compare it with what the program prints")
    print(f"next: set sizes, iterations and repetitions in {from_here(file)}, then: lab run {from_here(file)} --report")
    return 0


def advice(source: Folder, summary: RunSummary) -> Iterator[str]:
    """The lines of the sources that may explain a failure."""
    failure = " ".join(what for _, what in summary.failed)
    for name, (words, what) in product(source.code_names, ADVICE.items()):
        text = source.files[name]
        for found in re.finditer(what[0], text) if re.search(words, failure, re.IGNORECASE) else ():
            line = text.count("\n", 0, found.start(1)) + 1
            yield f"{source.folder.name}/{name}:{line} names {found[1]}: {what[1]}"


def shown(guess: Guess) -> str:
    return f"{guess[0]}  ({guess[1]})"


def run_file(file: Path, options: Namespace) -> tuple[Workshop, RunSummary]:
    shop = open_shop([file], options)
    return shop, run_remaining(shop, options.results, options.jobs)


def tried(shop: Workshop, results: Path, summary: RunSummary) -> Tried:
    """What the trial printed, from its record or from the evidence of its failure."""
    key = shop.plans[0].planned[0].trial.key
    folder = results / "failed" / key if summary.failed else record_folder(results, key)
    client, server = (file.read_text() if (file := folder / f"{end}.log").exists() else "" for end in NAMES)
    return Tried(COLOUR.sub("", client), COLOUR.sub("", server), " ".join(what for _, what in summary.failed))
