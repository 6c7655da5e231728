"""Whether the kernel makes network namespaces for this user: in many containers it makes none."""

from __future__ import annotations

import os
import subprocess

from lab.sites.agent.client import last_line

HINT = "outside of a container, as root or with user namespaces allowed: sysctl kernel.unprivileged_userns_clone=1"


def unshare() -> list[str]:
    """The words before a command that gets a network of its own; other users become root in a user namespace."""
    return ["unshare", *(() if os.geteuid() == 0 else ("--user", "--map-root-user")), "--net"]


def refusal() -> str:
    """The sentence that says why there is none; empty where there can be one."""
    try:
        done = subprocess.run([*unshare(), "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unshare is not on this computer (util-linux)"
    return refused(done.stderr) if done.returncode else ""


def refused(said: str) -> str:
    """That sentence, of what unshare said."""
    return f"this computer's kernel makes no network namespace for you: {last_line(said)}"
