"""Find a race: run programs on links that differ by a seed, and repeat a run with what crossed its link."""

import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from lab.cli import INTERRUPTED
from lab.cli.measure import Progress
from lab.errors import SiteError, SiteStopped, SpecError, TrialFailed, one_line, plural, tell
from lab.experiment.experiment import Series
from lab.grade.finding import Flaw
from lab.grade.witness import packets
from lab.grade.witness.capture import write
from lab.grade.witness.claims import watched
from lab.grade.witness.packets import ACKNOWLEDGE, ANSWER, ASK, NUMBERS, PART, WRITE, Channel, Packet, Segment, decoded
from lab.machine import results
from lab.machine.results import CLIENT, NAMES, Frame
from lab.model.trial import Link, Outcome
from lab.places import CACHE, MACHINE, from_here
from lab.plan.plan import Plan, Planned, SiteFacts, draw, make_trial, shuffle
from lab.plan.planning import Campaign, open_campaign
from lab.programs.program import Request
from lab.run.checks import last_words
from lab.run.estimate import TimeEstimate
from lab.sites.exact import ExactSite
from lab.sites.site import Logged, Witness
from lab.typed_json import nearest

# Bounds of a run. A second of programs that poll takes the host up to 30.
SIZES, ITERATIONS, WARMUP, SIZE_BYTES, DEADLINE_S = 2, 64, 8, 1 << 20, 5
LOST, LOST_MOST_PPM, PACKET_BYTES = (0, 0, 1, 3), 20_000, 1024  # about so many packets of a run are lost
DELAY_BITS = 11  # up to 1,023 us more each way; 1 us is as likely as 512 to 1,023
RATES = (None, 10**10, 10**9)  # of a link without a rate
CARD_PS = 1 << 21  # up to 2 us more before a modelled card acknowledges or interrupts
AROUND, LAST, MOST_ROWS = 4, 24, 120  # rows around each lost packet, at the end, and in all
TCP_FLAGS = {1: "FIN", 2: "SYN", 4: "RST"}
NS_PER_MS = 1_000_000


def explore(options: Namespace) -> int:
    """Run each series with each seed; print every failure with the key that repeats it, in the order of seeds."""
    site, campaign = _open(options.experiment)
    trials = [each for seed in options.seeds for each in make_trials(campaign.plans[0], options.series or (), seed)]
    progress, pool = Progress(trials, sys.stderr, TimeEstimate()), ThreadPoolExecutor(options.jobs)
    runs = [(planned, pool.submit(failure, planned, site, campaign.facts)) for planned in trials]
    ended, found = 0, list[str]()

    def report(planned: Planned, what: str) -> None:
        nonlocal ended
        ended += 1
        progress.watch("failed" if what else "measured", planned)
        if what:
            found.append(f"{options.experiment}:{planned.series.name}:{planned.repetition}")
            print(f"{found[-1]}: {what}\n  {circumstances(planned)}", flush=True)

    try:
        for planned, future in runs:
            report(planned, future.result())
    except BaseException as error:
        site.stop()
        if not isinstance(error, KeyboardInterrupt):
            raise
        tell("lab: interrupted")
    finally:
        pool.shutdown(cancel_futures=True)
        progress.close()
    for planned, future in runs[ended:]:  # those that ended before the interruption
        if not future.cancelled() and not future.exception():
            report(planned, future.result())
    print(f"{len(found)} of {plural(ended, 'run')} failed" + (f"; next: lab replay {found[0]}" if found else ""))
    return int(bool(found)) or (INTERRUPTED if ended < len(runs) else 0)


def replay(options: Namespace) -> int:
    """Repeat the run of a key; print the packets around its failure, and the last words of both ends."""
    experiment, series, seed = options.key
    site, campaign = _open(experiment)
    (planned,) = make_trials(campaign.plans[0], [series], seed)
    with tempfile.TemporaryDirectory() as folder:
        logged = Logged(site, Path(folder))
        what = failure_logged(planned, logged, campaign.facts)
        print(f"{experiment}:{series}:{seed}: {what or 'no failure'}\n  {circumstances(planned)}")
        if logged.outcome:
            print(*timeline(logged.folder, logged.outcome), sep="\n")
        if options.pcap:
            count = write(logged.folder / f"{NAMES[CLIENT]}.pcapng", options.pcap)
            print(f"{from_here(options.pcap)}: {plural(count, 'frame')} at the client")
    return int(bool(what))


def _open(experiment: Path) -> tuple[ExactSite, Campaign]:
    site = ExactSite(MACHINE, CACHE)
    return site, open_campaign([experiment], site, tell)


def make_trials(plan: Plan, names: Sequence[str], seed: int) -> Iterator[Planned]:
    """The runs of one seed: of the named series, or else of all whose programs an experiment's file describes."""
    known = {series.name: series for series in plan.experiment.series}
    for name in names:
        if name not in known:
            what, hint = f"unknown series {name!r}", nearest(name, known)
            raise SpecError(what, file=plan.experiment.file, expected=f"one of {', '.join(known)}", hint=hint)
    chosen = [known[name] for name in names] or [series for series in known.values() if series.tool.build]
    if not chosen:
        what = "no series has a program of [programs]"
        raise SpecError(what, file=plan.experiment.file, hint=f"--series {next(iter(known))}")
    for series in chosen:
        yield _planned(plan, series, seed)


def _planned(plan: Plan, series: Series, seed: int) -> Planned:
    """A short run: one point of the series, few sizes, few messages."""
    name, points, profile = plan.site.name, series.points(), series.profile(plan.site.name)
    short = replace(
        profile,
        iterations_at_most=min(profile.iterations_at_most or ITERATIONS, ITERATIONS),
        warmup_at_most=min(profile.warmup_at_most or WARMUP, WARMUP),
        bytes_per_size_at_most=min(profile.bytes_per_size_at_most or SIZE_BYTES, SIZE_BYTES),
    )
    series = replace(series, profiles={**series.profiles, name: short})
    point = points[draw("point", seed) % len(points)]
    counts = {each.size: each for each in series.counts(name, point)}
    sizes = shuffle(tuple(counts), seed)[:SIZES]
    parameters = replace(series.parameters(name, point), least_time_s=0)
    work = (series.program, series.operation, series.measure, tuple(counts[size] for size in sizes))
    deadline_s = min(Request(*work, parameters).deadline_s, DEADLINE_S)
    request = Request(*work, replace(parameters, deadline_s=deadline_s))
    count = 2 * sum(request.messages(each) * (1 + each.size // PACKET_BYTES) for each in request.counts)
    lost_ppm = 0 if series.tool.together else LOST[draw("lost", seed) % len(LOST)] * 10**6 // count
    series = replace(series, link=vary(series.link, seed, min(lost_ppm, LOST_MOST_PPM)))
    return Planned(make_trial(series, request, seed, plan.site, plan.digests), series, point, seed)


def vary(link: Link, seed: int, lost_ppm: int) -> Link:
    """The link of a seed. A switch cannot lose packets, and a card's wire has a rate and a delay of its own."""
    delay_ns = 1000 * (draw("delay", seed) % 2 ** (draw("delay bits", seed) % DELAY_BITS))
    if lost_ppm:
        link = replace(link, loss_ppm=link.loss_ppm + lost_ppm, loss_seed=1 + draw("loss seed", seed) % 10**6)
    if card := link.card:
        ack_ps, irq_ps = (getattr(card, name) + draw(name, seed) % CARD_PS for name in ("ack_ps", "irq_ps"))
        return replace(link, card=replace(card, wire_ns=card.wire_ns + delay_ns, ack_ps=ack_ps, irq_ps=irq_ps))
    rate = link.rate_bit_s or RATES[draw("rate", seed) % len(RATES)]
    offload = link.offload and bool(draw("offload", seed) % 2)
    return replace(link, delay_ns=link.delay_ns + delay_ns, rate_bit_s=rate, offload=offload)


def circumstances(planned: Planned) -> str:
    """What the seed has chosen, by the names of an experiment's file."""
    job = planned.trial.job
    card = {name: getattr(job.link.card, name) for name in ("wire_ns", "ack_ps", "irq_ps")} if job.link.card else {}
    link = {name: value for name, value in vars(job.link).items() if value != getattr(Link, name) and name != "card"}
    sizes = {"sizes": ",".join(str(each.size) for each in planned.trial.request.counts)}
    values = planned.point | sizes | link | card | vars(job.perturbation)
    return " ".join(f"{name}={value}" for name, value in values.items())


def failure(planned: Planned, site: Witness, facts: SiteFacts) -> str:
    """Run a trial; return what is wrong with it, or an empty text: a program failed or hangs, the checks of `lab run`
    refute its output, or other data than its `{seed}` requires crossed the link."""
    with tempfile.TemporaryDirectory() as folder:
        return failure_logged(planned, Logged(site, Path(folder)), facts)


def failure_logged(planned: Planned, logged: Logged, facts: SiteFacts) -> str:
    try:
        _, faults = watched(planned, logged, facts)
    except SiteStopped:
        raise
    except (TrialFailed, SiteError) as error:
        return one_line(error.what)
    return "; ".join(text for flaw, text in faults if flaw is Flaw.DATA)


def timeline(folder: Path, outcome: Outcome) -> Iterator[str]:
    """The packets of the first step that failed, or of the last step: those around each that is lost or sent again, and
    the last ones. Then the last words of both ends."""
    logs = {end: log for end in NAMES if (log := folder / f"{end}.pcapng").exists()}
    frames = [(frame, end) for end, log in logs.items() for frame in results.read(log)]
    frames.sort(key=lambda item: item[0].time_ns)
    step = next((each for each in outcome.steps if each.client_status or each.server_status), outcome.steps[-1])
    # The log's clock and the VM's differ by a constant. A step's first packet comes milliseconds after its start.
    begin_ns = frames[0][0].time_ns if frames else 0
    offset_ns = begin_ns - outcome.steps[0].clock_start_ns
    first_ns, last_ns = step.clock_start_ns + offset_ns, step.clock_end_ns + offset_ns
    rows = [row for row in rows_of(frames, both=len(logs) > 1) if first_ns <= row.time_ns <= last_ns]
    marked = [index for index, row in enumerate(rows) if row.is_marked]
    shown = {index for mark in marked for index in range(mark - AROUND, mark + AROUND + 1)}
    shown = {*range(len(rows))} & (shown | {*range(len(rows) - LAST, len(rows))})
    expected = 0
    for index in sorted(shown)[-MOST_ROWS:]:
        if index > expected:
            yield f"{'...':>15} {index - expected} more"
        row, expected = rows[index], index + 1
        yield f"{(row.time_ns - begin_ns) / NS_PER_MS:>12.3f} ms  {row.end}  {row.text}"
    for end, out, err in (("client", step.client_out, step.client_err), ("server", step.server_out, step.server_err)):
        yield f"the {end} printed last: {one_line(last_words(out, err)) or 'nothing'}"


class TimelineRow(NamedTuple):
    time_ns: int
    end: str
    text: str
    is_marked: bool  # lost, sent again or refused


def rows_of(frames: Iterable[tuple[Frame, str]], *, both: bool) -> Iterator[TimelineRow]:
    """A row for each packet at its sender, and one at its receiver if it completes a work request. Of several
    computers, only the log of rank 0 exists: then what arrives has a row, too."""
    latest: dict[tuple[str, Channel], tuple[int, str]] = {}
    for frame, end in frames:
        packet, text, in_turn, is_again = decoded(frame), "", True, False
        if isinstance(packet, Segment):
            source, target = packet.ports if frame.goes_out else packet.ports[::-1]
            flags = "".join(f" {name}" for bit, name in TCP_FLAGS.items() if packet.flags & bit)
            text = f"TCP {source} to {target}{flags}, {plural(packet.payload_bytes, 'byte')}"
        elif isinstance(packet, Packet):
            text = _label(packet)
            if packet.role in (PART, ASK, ANSWER) and not packet.is_datagram:
                before, role = latest.get((end, packet.channel), (packet.number - 1, ""))
                ahead = (packet.number - before) % NUMBERS  # a READ takes the numbers of its answers
                is_again = not 0 < ahead < NUMBERS // 2
                in_turn = ahead == 1 or not (is_again or role == packet.role == PART)
                if in_turn:
                    latest[end, packet.channel] = packet.number, packet.role
        if text and (frame.goes_out or not both):
            fate = "".join(f"  {word.upper()}" for word in ("sent again" if is_again else "", frame.fate) if word)
            yield TimelineRow(frame.time_ns, end, text + fate, bool(fate) or text.startswith("NAK"))
        elif isinstance(packet, Packet) and in_turn and (completed := _completed(packet)):
            yield TimelineRow(frame.time_ns, end, f"    {completed}", is_marked=False)


def _label(packet: Packet) -> str:
    names = {ACKNOWLEDGE: "ACK", ASK: "READ request", ANSWER: f"READ answer {packet.place}"}
    is_refusal = packet.role == packets.OTHER and packet.place and not packet.by_card
    name = names.get(packet.role, "NAK" if is_refusal else f"{packet.operation.upper()} {packet.place}".strip())
    size = f", {plural(packet.data_bytes, 'byte')}" if packet.role in (PART, ANSWER) else ""
    return f"{name or 'another packet'}, PSN {packet.number} to QP {packet.queue}{size}"


def _completed(packet: Packet) -> str:
    """What a packet completes at its receiver, if the request asked for a completion."""
    if packet.role == ACKNOWLEDGE:
        return f"completes what was posted up to PSN {packet.number}"
    if packet.is_last and (packet.role == ANSWER or (packet.role == PART and packet.operation != WRITE)):
        return f"completes a {'READ' if packet.role == ANSWER else 'receive'}: PSN {packet.number}"
    return ""
