"""What an MPI launcher and whoever carries out its step must agree on."""

from __future__ import annotations

PLAIN = "orterun"  # starts both ranks on the computer where it is
ECHO = "/bin/echo"  # the remote shell of a launcher that only says how its daemon is to be started
DAEMON = ("orted",)  # as a step's server: the rest of its words is the first line that the client prints
