"""The agreement between an MPI launcher and the site that runs its step."""

from __future__ import annotations

PLAIN = "orterun"  # starts both ranks on its own computer
ECHO = "/bin/echo"  # the remote shell of a launcher that only prints the command of its daemon
DAEMON = ("orted",)  # as a step's server: the rest of its words is the first line that the client prints
