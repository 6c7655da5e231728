"""The commands of an experiment's own programs, filled in for one trial, and the sign that the server is ready."""

from __future__ import annotations

from dataclasses import dataclass

from lab.model.parameters import Counts
from lab.model.trial import End, Ends, Ready, Step
from lab.programs import mpi
from lab.programs.placeholders import Words, fill, places
from lab.programs.request import Request

PORT = 18800
LINE_BY_LINE = ("stdbuf", "-oL")  # a program keeps what it prints for itself until it ends, unless it sees a terminal
# A server that stays is ended with a signal, which is no failure of its own.
STAYS = ("sh", "-c", 'trap "exit 0" TERM; "$@" & wait $!', "server")


@dataclass(frozen=True)
class Commands:
    """Both ends' words; argv[0] of a binary is its path on the site."""

    server: Words
    client: Words
    arguments: Words
    ready: Ready | None = None  # None: somebody listens on {port}
    server_stays: bool = False
    mpi: str = ""  # the way of the ranks' messages, where both ends are ranks of one program

    @property
    def places(self) -> frozenset[str]:
        return places((*self.server, *self.client, *self.arguments))

    @property
    def pair_per_size(self) -> bool:
        return "size" in self.places

    @property
    def loops(self) -> bool:
        """Whether the program chooses the sizes."""
        return not self.places & {"size", "sizes"}

    def parts(self, request: Request) -> tuple[tuple[Counts, ...], ...]:
        """The sizes of each pair of processes."""
        return tuple((each,) for each in request.counts) if self.pair_per_size else (request.counts,)

    def steps(self, request: Request, ends: Ends) -> tuple[Step, ...]:
        """A pair of processes for each size, or one for all."""
        return tuple(
            self._step(request, ends, counts, PORT + index) for index, counts in enumerate(self.parts(request))
        )

    def _step(self, request: Request, ends: Ends, counts: tuple[Counts, ...], port: int) -> Step:
        shared = request.parameters.as_dict() | {
            "host": ends.server.host,
            "source": ends.client.host,
            "port": port,
            "size": counts[0].size,
            "sizes": ",".join(str(each.size) for each in counts),
            "iterations": counts[0].iterations,
            "warmup": counts[0].warmup,
        }

        def filled(words: Words, end: End) -> Words:
            values = shared | {"device": end.device, "gid": end.gid}
            return fill(words, values, fill(self.arguments, values, ()))

        server, client = filled(self.server, ends.server), filled(self.client, ends.client)
        if self.mpi:
            return mpi.launch(self.mpi, ends, client, server)
        return Step(self._around(server), client, port, self.ready or Ready(tcp=port, cm=port))

    def _around(self, server: Words) -> Words:
        """The server's command with what makes it print in time and end well."""
        printing = (*LINE_BY_LINE, *server) if self.ready and self.ready.line else server
        return (*STAYS, *printing) if self.server_stays else printing
