"""Services for the tests, unpacked and never installed."""

import subprocess
from pathlib import Path

from lab.places import CACHE, ROOT

DAEMONS = CACHE / "daemons"


def daemon(path: str) -> str:
    """A program of the unpacked packages, which are unpacked now if they are not yet."""
    subprocess.run([ROOT / "code/setup/unpack"], check=True)
    return str(DAEMONS / path)


def libraries() -> dict[str, str]:
    """The environment in which an unpacked program finds its libraries."""
    return {"LD_LIBRARY_PATH": str(DAEMONS / "usr/lib/x86_64-linux-gnu")}


def write(file: Path, text: str, mode: int = 0o600) -> Path:
    file.write_text(text)
    file.chmod(mode)
    return file
