"""A link that goes down in the middle of a run: the message, and the other trials."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.sites.jobs import PATIENCE_S, await_none_running, await_true

from lab.experiment.reader import load
from lab.plan.plan import Plan, SiteFacts, make_plan
from lab.records.record import has_record
from lab.run.run import RunSetup, run_trials
from lab.sites.site import Site

ITERATIONS = "iterations = 100\n"
# Nobody listens there: a refusal is an answer.
KNOCK = """
import errno, socket, sys
socket.setdefaulttimeout(1)
sys.exit(socket.socket().connect_ex((sys.argv[1], 9)) != errno.ECONNREFUSED)
"""
CUT_BYTES = 10**6  # more than the trial before sends


def plan_of(site: Site, programs: dict[Path, str], folder: Path, experiment: str, iterations: int = 100) -> Plan:
    """An experiment of one trial with this number of messages."""
    file = folder / f"{iterations}.toml"
    file.write_text(experiment.replace(ITERATIONS, f"iterations = {iterations}\nleast_time_s = 0\n"))
    return make_plan(load(file), SiteFacts.of(site), programs)


def await_answer(inside: Callable[..., object], address: str) -> None:
    """Wait until a link that is up again carries packets."""

    def answers() -> bool:
        with suppress(subprocess.CalledProcessError):
            inside(sys.executable, "-c", KNOCK, address)
            return True
        return False

    await_true(answers)


def cut_in_a_run(
    site: Site, programs: dict[Path, str], folder: Path, experiment: str, *,
    sent: Callable[[], int], cut: Callable[[], object], mend: Callable[[], object],
) -> str:  # fmt: skip
    """The message of the trial whose link was cut; those before and after it have records, and no program stays."""
    done, lost, later = (plan_of(site, programs, folder, experiment, count) for count in (100, 5_000_000, 101))
    work, before = RunSetup(site, done.site, folder / "results"), sent()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(run_trials, work, [*done.planned, *lost.planned], 1, lambda *_: None)
        await_true(lambda: sent() > before + CUT_BYTES)
        try:
            cut()
            summary = run.result(PATIENCE_S)
        finally:
            mend()
    ((_, sentence),) = summary.failed
    assert "\n" not in sentence
    await_none_running("5000000")
    after = run_trials(work, [*later.planned], 1, lambda *_: None)
    assert (after.measured, after.failed) == (1, [])
    kept = [has_record(work.results, plan.planned[0].trial.key) for plan in (done, lost, later)]
    assert kept == [True, False, True]
    return sentence
