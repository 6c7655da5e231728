"""A browser without a window: it opens a page from disk, runs a script in it, and returns the result."""

import json
import subprocess
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any

from tests.sites.daemons import DAEMONS, daemon

DEADLINE_S = 60
LIBRARIES = DAEMONS / "usr/lib/x86_64-linux-gnu"
# The network is off; the requests of the page are logged all the same.
OPTIONS = ("--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom")
# The page's virtual clock, which runs only while the page is idle: promises are fulfilled by then.
SETTLED = "--virtual-time-budget=60000"
BEGIN, END = '<pre id="found">', "</pre>"


def found_in(page: Path, script: str, library: str = "", width: int = 800) -> Any:
    """The value that the script returns or promises; it may call a library's functions."""
    written = f"""Promise.resolve((function () {{{script}}})()).then(function (found) {{
      document.getElementById('found').textContent = JSON.stringify(found); }});"""
    tried, added = page.with_name("tried.html"), f"{library}\n{written}"
    tried.write_text(f"{_allowing(page.read_text(), added)}{BEGIN}{END}<script>{added}</script>")
    log = page.with_name("net.json")
    browser = daemon("usr/lib/chromium/chromium-headless-shell")
    command = [browser, *OPTIONS, SETTLED, f"--log-net-log={log}", f"--window-size={width},600", tried.as_uri()]
    environment = {"LD_LIBRARY_PATH": f"{LIBRARIES}:{LIBRARIES / 'pulseaudio'}", "HOME": str(page.parent)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=True, cwd=page.parent
    )
    _, _, rest = done.stdout.rpartition(BEGIN)
    return json.loads(unescape(rest.partition(END)[0]))


def all_found_in(page: Path, *scripts: str, library: str = "", width: int = 800) -> list[Any]:
    """The values of several scripts, one after the other, by one start of the browser."""
    calls = ", ".join(f"(function () {{{script}}})()" for script in scripts)
    found: list[Any] = found_in(page, f"return Promise.all([{calls}]);", library, width)
    return found


def _allowing(page: str, script: str) -> str:
    """The page with the script's digest among those that may run, if it has any."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    return page.replace("script-src 'sha256-", f"script-src 'sha256-{digest}' 'sha256-", 1)


def addresses(page: Path) -> set[str]:
    """Every address that the browser requested for the page."""
    events = json.loads(page.with_name("net.json").read_text())["events"]
    return {event["params"]["url"] for event in events if "url" in event.get("params", {})}
