"""When a client is started on the exact machine, by the signs of lab.machine.job; and the number of the GID there."""

from __future__ import annotations

import pytest

from lab.model.trial import Job, Link, Perturbation, Ready, Step, StepOutcome
from lab.sites.exact import ExactSite

LATE_S = 0.3  # no server is ready at once


def run(exact: ExactSite, server: str, client: str, sign: Ready) -> StepOutcome:
    step = Step(("sh", "-c", f"sleep {LATE_S}; {server}"), ("sh", "-c", client), port=0, ready=sign)
    (outcome,) = exact.run(Job((step,), Link(), Perturbation(), deadline_s=30)).steps
    return outcome


@pytest.mark.parametrize(
    ("server", "sign"),
    [
        ("exec rdma_server -p 7471", Ready(cm=7471)),
        ("exec rdma_server -p 7471", Ready(tcp=7471, cm=7471)),
        ("exec stdbuf -oL rdma_server -p 7471", Ready(line="server: start")),
        ("exec rdma_server -p 7471", Ready(after_s=2 * LATE_S)),
    ],
)
def test_a_client_of_rdma_cm_is_started_once_the_server_on_the_other_computer_is_ready(
    exact: ExactSite, server: str, sign: Ready
) -> None:
    outcome = run(exact, server, "exec rdma_client -s 10.0.0.2 -p 7471", sign)
    assert (outcome.client_status, outcome.server_status) == (0, 0), outcome
    assert outcome.client_out.endswith("end 0\n") and outcome.server_out.endswith("end 0\n")


def test_a_server_that_ends_without_a_sign_ends_the_step(exact: ExactSite) -> None:
    outcome = run(exact, "exit 3", "exec sleep 20", Ready(cm=7471))
    assert outcome.server_status == 3 and outcome.client_status != 0
    assert outcome.clock_end_ns - outcome.clock_start_ns < 3e9


def test_the_gid_that_programs_are_told_is_that_of_the_links_address(exact: ExactSite) -> None:
    ends = exact.ends
    show = "exec cat /sys/class/infiniband/{0.device}/ports/1/gids/{0.gid}"
    outcome = run(exact, show.format(ends.server), show.format(ends.client), Ready(after_s=2 * LATE_S))
    gids = [said.replace(":", "").strip() for said in (outcome.client_out, outcome.server_out)]
    assert gids == [f"{'0' * 20}ffff0a00000{number}" for number in (1, 2)]
