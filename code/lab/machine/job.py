"""A job as the guest's init reads it: an archive of values, scripts for each step, and the programs under test."""

import shlex
from collections.abc import Mapping

from lab.errors import SiteError
from lab.machine import cpio
from lab.machine.cpio import Entry
from lab.machine.qemu import MAILBOX_BYTES
from lab.model.trial import MARK, NS_PER_S, PADDING, Job, Link, Ready, place_under_test
from lab.places import GUEST_SANDBOX, SET_CLOCK
from lab.typed_json import Fault, check_values


def check(link: Link) -> None:
    """Refuse a link beyond the limits of an experiment's file, which the kernel would silently change."""
    values = {name: value for name, value in vars(link).items() if value is not None and name != "card"}
    try:
        check_values(Link, values)
    except Fault as fault:
        raise SiteError(f"this link is impossible: {fault}") from None


def settings(job: Job, more: Mapping[str, str], functions: str = "") -> str:
    """The file that init reads: values, more values of the site, the programs' environment, and functions of init that
    others replace."""
    check(job.link)
    values = {
        "MTU": str(job.link.mtu),
        "OFFLOAD": str(int(job.link.offload)),
        "START_DELAY_S": "{}.{:09}".format(*divmod(job.perturbation.start_delay_ns, NS_PER_S)),
        "DEADLINE_S": str(job.deadline_s),
        "STEPS": " ".join(map(str, range(len(job.steps)))),
    }
    lines = [f"{name}={shlex.quote(value)}" for name, value in {**values, **more}.items()]
    environment = dict(job.environment)
    if job.perturbation.environment_bytes:
        environment[PADDING] = "x" * job.perturbation.environment_bytes
    lines += [f"export {name}={shlex.quote(value)}" for name, value in environment.items()]
    if job.link.sets_clock:  # a VM that cannot set its clock goes off
        words = f"$lab/bin/{SET_CLOCK.name} {job.link.clock_offset_ns} {job.link.clock_drift_ppm}"
        lines.append(f'[ "$END" != 1 ] || {words} || poweroff -f')
    if any(step.printed for step in job.steps):
        lines.append(TELL_PRINTED)
    return "\n".join(lines) + f"\n{functions}"


# The server's VM tells the client's VM what the server printed, in place of `ready`.
TELL_PRINTED = """export word
say() { [ "$*" != ready ] || set -- "${word:-ready}"; echo "$*" >&7; }"""


def script(name: str, arguments: tuple[str, ...], printed: tuple[str, ...] | None = None) -> str:
    """The script of one end of a step, which writes its process group for init. A missing server ends at once."""
    command = shlex.join(arguments or ("true",))
    if not printed:
        return f"echo $$ >{name}.pid\nexec {command}\n"
    names = [f"printed{number}" for number, _ in enumerate(printed)]
    words = " ".join("'" + word.replace("'", "'\"'\"'") + "'" for word in arguments)
    for number, variable in enumerate(names):
        words = words.replace(MARK.format(number), f"'\"${variable}\"'")
    return f"echo $$ >{name}.pid\nIFS='|' read -r {' '.join(names)} <<END\n$word\nEND\nexec {words}\n"


def after(text: str, server: str) -> str:
    """The shell's words for the first value that the server printed after a text."""
    value = "[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?"
    return f"$(sed -nE 's/^(.*[^A-Za-z])?{text}[^A-Za-z0-9]+({value}).*/\\2/Ip' {server}.out {server}.err | head -n 1)"


def sandboxed(role: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """A command with its untrusted program in a sandbox; the words before the program are trusted."""
    at = place_under_test(arguments)
    return (*arguments[:at], "sh", f"/lab/{GUEST_SANDBOX.name}", role, *arguments[at:])


def question(sign: Ready, server: str, printed: tuple[str, ...] | None = None) -> str:
    """The shell command that init polls, with status 0 as soon as a sign shows that the server is ready."""
    if printed:
        values = "|".join(after(text, server) for text in printed)
        return f'word="{values}"; case "|$word|" in *"||"*) false ;; esac\n'
    ways = []
    if sign.line:
        ways.append(f"grep -qsF -e {shlex.quote(sign.line)} {server}.out {server}.err")
    if sign.after_s:
        ways.append(f"sleep {sign.after_s}")
    if sign.tcp or not ways:
        tables = " ".join(f"/proc/net/{name}" for name in ("tcp", "tcp6", "udp", "udp6"))
        ways.append(f"grep -q ':{sign.tcp:04X} [0-9A-F]*:0000 0[7A]' {tables}")  # 0A listens, 07 is a UDP socket
    if sign.cm:
        ways.append(f"rdma resource show cm_id | grep -q ' LISTEN .*:{sign.cm} '")
    return " || ".join(ways) + "\n"


def files(job: Job, more: Mapping[str, str], functions: str = "") -> dict[str, Entry]:
    texts = {"job": settings(job, more, functions)}
    if job.untrusted:
        texts[GUEST_SANDBOX.name] = GUEST_SANDBOX.read_text()
    for number, step in enumerate(job.steps):
        for role, words in (("server", step.server), ("client", step.client)):
            command = sandboxed(role, words) if job.untrusted else words
            texts[f"{number}.{role}"] = script(f"{number}.{role}", command, step.printed if role == "client" else None)
        texts[f"{number}.ready"] = question(step.sign, f"{number}.server", step.printed)
    programs = {f"bin/{path.name}": Entry(path.read_bytes(), executable=True) for path in job.overlay}
    return {name: Entry(text.encode()) for name, text in texts.items()} | programs


def pack(job: Job, functions: str = "", **more: str) -> bytes:
    """The archive, with more values for init; not compressed, because that would cost guest time."""
    archive = cpio.archive(files(job, more, functions))
    if len(archive) > MAILBOX_BYTES:
        what = f"the job and its programs are too large: {len(archive)} bytes (at most {MAILBOX_BYTES})"
        raise SiteError(what, hint="smaller programs, or fewer of them")
    return archive
