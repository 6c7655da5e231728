"""Two machines, one for each end of the link, of which neither goes on without the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

from lab.machine import qemu
from lab.machine.guest import Watch
from lab.machine.qemu import MachineError
from lab.machine.results import Files
from lab.machine.running import Running
from lab.model.launcher import DAEMON, ECHO
from lab.model.trial import End, Ends, Job, Step

CLIENT, SERVER = 0, 1
NAMES = ("client", "server")
# The side network, for all that must not be on the link: as one_end makes it.
SIDE, SIDE_NET = ("192.168.7.1", "192.168.7.2"), "192.168.7.0/24"
GID = "1"  # the first is of the IPv6 address that the interface gives itself
ENDS = Ends(
    End("10.0.0.1", "rxe0", "v0", GID), End("10.0.0.2", "rxe1", "v1", GID), SIDE[SERVER], launcher="orterun apart"
)
DAEMON_PORT = 18700
ASK = "/lab/ask"  # the launcher's remote shell: host and command are its words
# What the launcher asks for goes to a shell that waits for it at the other end: nobody stands between two machines. The
# daemon looks for the remote shell too, and ends without one (Open MPI 4.1, plm_rsh_component.c).
WRITE_ASK = """
printf '#!/bin/sh\nshift\necho "ln -s /bin/sh $0; exec $*" | nc %s %s\n' "$1" "$2" >$0
chmod +x $0 && shift 2 && exec "$@"
"""
# Launcher and daemon find each other on the side; the ranks' own settings say which way their messages go.
ON_THE_SIDE = ("--mca", "oob_tcp_if_include", SIDE_NET)


WAY_OUT_S = 10  # a machine says that it ends before its process has

Left = tuple[Files, str]  # a machine's files, and its kernel's messages
Machine = Callable[[int], Left]  # runs an end's


class Both:
    """Two machines while they run: what ends one ends the other at once."""

    def __init__(self, site: str, watch: Watch) -> None:
        self.watch_outside, self.running = watch, Running(site)
        self.errors: dict[int, MachineError] = {}  # in the order in which the machines ended
        self.over = (threading.Event(), threading.Event())

    @contextmanager
    def watch(self, process: qemu.Runs) -> Iterator[None]:
        """Register a QEMU with the site and with the other machine."""
        with self.watch_outside(process), self.running.watch(process):
            yield

    def run(self, machine: Machine) -> tuple[Left, Left]:
        """What both leave, the client's first; or the error of the one that failed first."""
        with ThreadPoolExecutor(2) as pool:
            client, server = (pool.submit(self.run_one, machine, end) for end in (CLIENT, SERVER))
        try:
            return client.result(), server.result()
        except MachineError:
            raise self.cause() from None

    def run_one(self, machine: Machine, end: int) -> Left:
        """One machine's life: if it fails, the other is ended at once, but for one on its own way out."""
        other = 1 - end
        try:
            return machine(end)
        except MachineError as error:
            self.errors[end] = replace(error, where=_machine(end))
            if not (_blames(error, other) and self.over[other].wait(WAY_OUT_S)):
                self.running.stop()
            raise
        finally:
            self.over[end].set()

    def cause(self) -> MachineError:
        """The first error, but for one that says itself that the other machine failed before."""
        end, first = next(iter(self.errors.items()))
        return self.errors.get(1 - end, first) if _blames(first, 1 - end) else first


def _machine(end: int) -> str:
    return f"the {NAMES[end]}'s machine"


def _blames(error: MachineError, end: int) -> bool:
    return _machine(end) in error.what


def apart(job: Job) -> Job:
    """A job whose launchers make the other machine start their daemon."""
    return replace(job, steps=tuple(_apart(step) for step in job.steps))


def _apart(step: Step) -> Step:
    if step.server != DAEMON:
        return step
    launcher, *words = (ASK if word == ECHO else word for word in step.client)
    listen = ("nc", "-l", "-p", str(DAEMON_PORT), "-e", "/bin/sh")
    ask = ("sh", "-c", WRITE_ASK, ASK, SIDE[SERVER], str(DAEMON_PORT), launcher, *ON_THE_SIDE, *words)
    return Step(listen, ask, DAEMON_PORT)
