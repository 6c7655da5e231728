"""A job as the guest reads it."""

import socket
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import SiteError
from lab.machine import job
from lab.model.trial import OVER_CARD, Job, Link, Perturbation, Ready, Step
from lab.places import GUEST_SANDBOX
from lab.sites.agent.server import listens

ARGUMENTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
STEP = Step(server=("qperf",), client=("qperf", "10.0.0.2"), port=19765)
JOB = Job((STEP,), Link(), Perturbation(), deadline_s=5)


def test_only_untrusted_programs_run_in_the_sandbox_and_nothing_before_them() -> None:
    around = ("sh", "-c", "sleep 1; exec", "sh", "/lab/bin/mine", "--size", "1")
    strange = replace(JOB, steps=(Step(("/lab/bin/mine",), around, 1),), untrusted=True)
    files = {name: entry.content.decode() for name, entry in job.files(strange, {}).items()}
    assert files["0.server"].endswith("exec sh /lab/stranger server /lab/bin/mine\n")
    assert files["0.client"].endswith("sh sh /lab/stranger client /lab/bin/mine --size 1\n")
    assert files["stranger"] == GUEST_SANDBOX.read_text()
    over = job.files(replace(strange, steps=(Step((OVER_CARD, "/lab/bin/mine"), (), 1),)), {})
    assert over["0.server"].content.endswith(b"exec /lab/bin/over-card sh /lab/stranger server /lab/bin/mine\n")
    assert "stranger" not in "".join(job.files(replace(strange, untrusted=False), {}))


@given(st.lists(ARGUMENTS, max_size=4))
def test_arguments_reach_the_program_as_they_are(arguments: list[str]) -> None:
    script = job.script("0.client", ("printf", "%s\\0", "x", *arguments)).partition("\n")[2]
    done = subprocess.run(["sh", "-c", script], capture_output=True, check=True)
    assert done.stdout.decode() == "".join(f"{argument}\0" for argument in ["x", *arguments])


@pytest.mark.parametrize(
    ("printed", "value"),
    [("supports 7\nlistening on Port: 4711.\nport 3\n", "4711"), ("port=0x1f\n", "0x1f"), ("addr fd00::2 port", "")],
)
def test_first_value_that_the_server_printed_reaches_its_client(tmp_path: Path, printed: str, value: str) -> None:
    (tmp_path / "s.out").write_text(printed)
    (tmp_path / "s.err").write_text("")
    ready = job.question(Ready(tcp=1), "s", ("port",))
    client = job.script("0.client", ("printf", "%s\\0", "it's", "a @printed0@:1"), ("port",))
    shell = f"{job.TELL_PRINTED}\n{ready}\necho $?\n{client}"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == f"{0 if value else 1}\nit's\0a {value}:1\0"


def test_the_environment_is_exported_with_padding_of_the_perturbation() -> None:
    perturbed = replace(JOB, environment=(("LAB_TOKEN", "a 'b'"),), perturbation=Perturbation(1_500, 3))
    text = job.settings(perturbed, {})
    shown = subprocess.run(["sh", "-c", f"{text}\nenv"], capture_output=True, text=True, check=True).stdout
    assert "LAB_TOKEN=a 'b'\n" in shown
    assert "LAB_PADDING=xxx\n" in shown
    assert "START_DELAY_S=0.000001500\n" in text


@pytest.mark.parametrize(("end", "printed"), [("0", ""), ("1", "-5 20\n")])
def test_the_servers_vm_sets_its_clock_and_goes_off_if_that_fails(tmp_path: Path, end: str, printed: str) -> None:
    program = tmp_path / "bin" / "set-clock"
    program.parent.mkdir()
    text = job.settings(replace(JOB, link=Link(clock_offset_ns=-5, clock_drift_ppm=20)), {"END": end})
    for status, ended in ((0, ""), (1, "off\n" if printed else "")):
        program.write_text(f'#!/bin/sh\necho "$@"; exit {status}\n')
        program.chmod(0o755)
        shell = f"lab={tmp_path}\npoweroff() {{ echo off; }}\n{text}"
        shown = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True).stdout
        assert shown == printed + ended
    assert "set-clock" not in job.settings(JOB, {})


@pytest.mark.parametrize("link", [Link(mtu=500), Link(rate_bit_s=10**12), Link(delay_ns=1_500), Link(loss_seed=-1)])
def test_an_impossible_link_is_refused(link: Link) -> None:
    """By the limits of an experiment's file, of which tests/lab/docs/test_keys.py tries all."""
    with pytest.raises(SiteError, match="is impossible"):
        job.pack(replace(JOB, link=link))


def test_a_job_larger_than_the_mailbox_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program"
    program.write_bytes(bytes(4096))
    monkeypatch.setattr(job, "MAILBOX_BYTES", 4096)
    with pytest.raises(SiteError, match=r"too large: \d+ bytes \(at most 4096\)"):
        job.pack(replace(JOB, overlay=(program,)))


@pytest.mark.parametrize(
    ("output", "status"), [("", 1), ("waiting\n", 1), ("a 'server' [is]\nwaiting", 1), ("x a 'server' [is] waiting", 0)]
)
def test_a_server_is_ready_when_it_prints_its_line(tmp_path: Path, output: str, status: int) -> None:
    (tmp_path / "0.server.out").write_text(output)
    question = job.question(Ready(line="a 'server' [is] waiting"), "0.server")
    done = subprocess.run(["sh", "-c", question], cwd=tmp_path, capture_output=True, check=False)
    assert (min(done.returncode, 1), done.stderr) == (status, b"")


def test_each_of_several_signs_is_enough() -> None:
    assert job.question(Ready(tcp=1, cm=7471), "0.server").count(" || ") == 1
    assert job.question(Ready(line="x", after_s=0.5), "0.server").endswith(" || sleep 0.5\n")


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_server_is_ready_once_its_port_listens_or_is_bound_for_udp(kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
        if kind is socket.SOCK_STREAM:
            server.listen()
        assert listens(port)
        subprocess.run(["sh", "-c", job.question(Ready(tcp=port), "s")], check=True)
    assert not listens(port)
