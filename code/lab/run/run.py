"""Run the trials of a plan: each once, by one process."""

import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from lab.errors import LabError, SiteError, SiteStopped, StorageError, Tell, TrialFailed, plural
from lab.files.storage import storage, write_text
from lab.model.trial import Outcome
from lab.plan.plan import Plan, Planned, SiteFacts
from lab.records.record import has_record, record_damage, record_folder, write_failure, write_record
from lab.run.measure import FailedOutcome, measure, unfinished
from lab.sites.site import Site, silent
from lab.typed_json import JsonError, as_json, parse_as

LOCK_POLL_S = 0.2  # between checks of a lock that another run holds
FIRST_NOTICE_S = 30.0  # host time; most student programs need less
NEXT_NOTICE = 4.0  # times the time of the previous notice


@dataclass
class RunSummary:
    done_before: int = 0
    measured: int = 0
    by_others: int = 0
    failed: list[tuple[Planned, str]] = field(default_factory=list)


@dataclass(frozen=True)
class RunSetup:
    site: Site
    facts: SiteFacts
    results: Path
    fresh: bool = False
    tell: Tell = silent  # prints a notice about a trial that runs for long


Watch = Callable[[str, Planned], None]  # called with "measured", "failed" or "by others" after each trial


def missing(plans: Iterable[Plan], results: Path, *, fresh: bool = False) -> tuple[list[Planned], int]:
    """Return the trials without a record, each once, and the number of trials with one. They are sorted by experiment,
    then by repetition."""
    trials: dict[str, Planned] = {}
    for plan in plans:
        for planned in sorted(plan.planned, key=lambda planned: planned.repetition):
            trials.setdefault(planned.trial.key, planned)
    todo = [planned for key, planned in trials.items() if fresh or not has_record(results, key)]
    return todo, len(trials) - len(todo)


def damaged(planned: Iterable[Planned], results: Path) -> list[str]:
    """Report each damaged record; a damaged record does not count."""
    keys = dict.fromkeys(trial.trial.key for trial in planned)
    damages = ((record_folder(results, key), record_damage(results, key)) for key in keys)
    return [f"{folder}: {damage}: the record counts for nothing" for folder, damage in damages if damage]


def run_trials(work: RunSetup, todo: list[Planned], jobs: int, watch: Watch) -> RunSummary:
    """Run all trials. A failed trial does not stop the others; a full disk or a signal does; a signal raises
    KeyboardInterrupt with the number of trials that are left."""
    summary, stop = RunSummary(), threading.Event()
    with _signals_raise() as started, ThreadPoolExecutor(jobs, thread_name_prefix="trial") as pool:
        futures = {pool.submit(_run_once, work, planned, stop): planned for planned in todo}
        try:
            started()
            for future in _as_done(futures):
                _count(summary, futures[future], future, watch)
        except BaseException as error:
            stop.set()
            work.site.stop()
            pool.shutdown(wait=True, cancel_futures=True)
            if not isinstance(error, KeyboardInterrupt):
                raise
            left = sum(not has_record(work.results, planned.trial.key) for planned in todo)
            what = f"every finished record is kept; {plural(left, 'trial')} left; to continue"
            raise KeyboardInterrupt(what) from error
    return summary


def _run_once(work: RunSetup, planned: Planned, stop: threading.Event) -> str:
    """Measure a trial unless another run has measured it: wait for its lock, then look for a record again."""
    key, waited = planned.trial.key, False
    while not stop.is_set():
        with trial_lock(work.results, key) as is_locked:
            if is_locked and has_record(work.results, key) and (waited or not work.fresh):
                return "by others"
            if is_locked:
                _measure(work, planned)
                return "measured"
        waited = True
        time.sleep(LOCK_POLL_S)
    raise SiteStopped("the run was ended")


def _measure(work: RunSetup, planned: Planned) -> None:
    try:
        with slow_notices(planned, work.facts, work.tell):
            record = measure(planned, work.site, work.facts, None if work.fresh else _outcome_before(work, planned))
    except FailedOutcome as failure:
        if failure.readable and work.facts.traits.is_deterministic:
            write_text(_outcome_file(work, planned), json.dumps(as_json(failure.readable)))
        raise failed_trial(work.results, failure) from failure
    except SiteStopped:
        raise
    except SiteError as error:  # after a panic or a flood: store the site's evidence beside the request
        folder = write_failure(work.results, unfinished(planned, work.facts, error), str(error), error.evidence)
        if not error.evidence:
            raise
        raise replace(error, hint="; ".join(filter(None, (error.hint, f"the evidence in {folder}")))) from error
    write_record(work.results, record)


def failed_trial(results: Path, failure: FailedOutcome) -> TrialFailed:
    """Write the evidence of a trial that ran and failed; return the error that names its folder."""
    folder = write_failure(results, failure.record, failure.what, failure.evidence)
    return TrialFailed(failure.what, hint="; ".join(filter(None, (failure.hint, f"the evidence in {folder}"))))


def _outcome_file(work: RunSetup, planned: Planned) -> Path:
    return work.results / "failed" / "outcomes" / f"{planned.trial.outcome_key}.json"


def _outcome_before(work: RunSetup, planned: Planned) -> Outcome | None:
    """Return the outcome of a trial that failed only because of how it was read, if that is what has changed since."""
    file = _outcome_file(work, planned)
    try:
        outcome = parse_as(Outcome, json.loads(file.read_text()))
    except (OSError, ValueError, JsonError):
        return None
    work.tell(f"{planned.series.name} repetition {planned.repetition}: reading its output again ({file})")
    return outcome


def _count(summary: RunSummary, planned: Planned, future: Future[str], watch: Watch) -> None:
    try:
        result = future.result()
    except StorageError:
        raise
    except LabError as error:
        result = "failed"
        summary.failed.append((planned, str(error)))
    summary.measured += result == "measured"
    summary.by_others += result == "by others"
    watch(result, planned)


def _as_done(futures: Iterable[Future[str]]) -> Iterator[Future[str]]:
    """Yield futures as they end. Each wait is short, since a signal does not end a long wait on every system."""
    pending = set(futures)
    while pending:
        done, pending = wait(pending, timeout=1, return_when=FIRST_COMPLETED)
        yield from done


@contextmanager
def _signals_raise() -> Iterator[Callable[[], None]]:
    """Let SIGTERM end a run as Ctrl-C does, if this is the main thread. A signal waits until the function is called,
    since it would leave a pool with a thread that nobody joins. Later signals are ignored while the run ends; kill -9
    is always safe."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    is_started = is_interrupted = False

    def interrupt(*_: object) -> None:
        nonlocal is_interrupted
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        is_interrupted = True
        if is_started:
            raise KeyboardInterrupt

    def started() -> None:
        nonlocal is_started
        is_started = True
        if is_interrupted:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield started
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is interrupt:
                signal.signal(number, handler)


@contextmanager
def slow_notices(planned: Planned, site: SiteFacts, tell: Tell, first_s: float = FIRST_NOTICE_S) -> Iterator[None]:
    """Print a notice now and then while a student program runs."""
    over = threading.Event()

    def notify() -> None:
        wait_s, passed_s = first_s, 0.0
        while not over.wait(wait_s):
            passed_s += wait_s
            tell(_notice(planned, site, passed_s))
            wait_s = (NEXT_NOTICE - 1) * passed_s

    if planned.series.tool.build:
        threading.Thread(target=notify, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _notice(planned: Planned, site: SiteFacts, passed_s: float) -> str:
    slower = " of the guest's clock (slower than the host's while a program polls)"
    clock = slower if site.traits.is_deterministic else ""
    return (
        f"{planned.series.name} repetition {planned.repetition} has run for {passed_s:.0f} s; if a program waits for "
        f"what never comes, its deadline ends it after {planned.trial.job.deadline_s} s{clock} "
        "(try: deadline_s in [parameters], fewer iterations)"
    )


@contextmanager
def trial_lock(results: Path, key: str) -> Iterator[bool]:
    """Yield whether this process holds the key's lock during the block. The kernel frees the lock of a dead process."""
    file = results / "locks" / key
    with storage(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _lock(file)
    if descriptor is None:
        yield False
        return
    try:
        yield True
    finally:
        try:
            file.unlink(missing_ok=True)
        finally:
            os.close(descriptor)


def _lock(file: Path) -> int | None:
    """Lock the file and check that it still has its name: another process may remove the file in between."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        with suppress(FileNotFoundError):
            if os.fstat(descriptor).st_ino == file.stat().st_ino:
                return descriptor
        os.close(descriptor)
