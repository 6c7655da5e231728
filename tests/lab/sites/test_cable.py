"""A kernel that makes no network namespace: lab.sites.cable, and the doctor's finding."""

from pathlib import Path

import pytest
from tests.sites.daemons import write

from lab import doctor as doctor
from lab.errors import SiteError
from lab.sites import cable, host

MESSAGE = "unshare: unshare failed: Operation not permitted"
SENTENCE = f"this computer's kernel makes no network namespace for you: {MESSAGE}"


@pytest.fixture
def contained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container in which unshare fails."""
    write(tmp_path / "unshare", f'#!/bin/sh\necho "{MESSAGE}" >&2\nexit 1\n', 0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin:/usr/sbin:/sbin")


@pytest.mark.usefixtures("contained")
def test_the_site_and_the_doctor_report_the_reason_and_a_hint() -> None:
    assert cable.refusal() == SENTENCE
    with pytest.raises(SiteError) as error:
        host.open("cable").prepare(print)
    assert str(error.value).startswith(f"{SENTENCE} (try: outside of a container, as root or ")
    (found,) = (each for each in doctor.examine_site("host", Path("hosts.toml")) if each.what == "network namespaces")
    assert (found.found, found.remedy) == (SENTENCE, cable.HINT)


def test_a_host_without_unshare_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert cable.refusal() == "unshare is not on this computer (util-linux)"


@pytest.mark.usefixtures("own_namespaces")
def test_a_kernel_that_makes_them_refuses_nothing() -> None:
    assert cable.refusal() == ""
