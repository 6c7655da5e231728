"""Both sides of an agent: lab.sites.agent.{client,server}."""

import os
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.machine import results
from lab.model.trial import DEADLINE_STATUS
from lab.run.checks import FLOODED_STATUS
from lab.sites.agent import computer, server
from lab.sites.agent.client import FarEnd, Folder, Left, here
from lab.sites.agent.server import OUTPUT_LIMIT, Agent
from lab.typed_json import JsonTable


@pytest.mark.parametrize(("near", "pinned"), [({1, 2, 900}, [{1, 2}]), ({900}, []), (set(), [])])
def test_an_end_stays_near_its_card_but_never_leaves_the_processors_it_was_given(
    monkeypatch: pytest.MonkeyPatch, near: set[int], pinned: list[set[int]]
) -> None:
    given: list[set[int]] = []
    monkeypatch.setattr(computer, "near", lambda *_: near)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cpus: given.append(cpus))
    Agent().do_pin("eth0", "mlx5_0")
    assert given == pinned


def test_a_request_that_fails_after_it_began_is_answered_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    far = FarEnd("bob", here())
    with pytest.raises(SiteError, match=r"^bob: FileNotFoundError: .*'ip'"):
        far.answer(far.call("down", interface="eth0", device=""), limit_s=10)
    far.close()


def test_a_program_with_endless_output_ends_before_its_deadline() -> None:
    """And before the memory of the computer that keeps its words: a GiB of them would be read at once."""
    far = FarEnd("bob", here())
    far.ask("start", name="client", argv=["sh", "-c", "exec yes >&2"], environment={}, deadline_s=600)
    left = far.read(Left, far.answer(far.call("wait", name="client"), limit_s=120))
    far.close()
    assert left.status == FLOODED_STATUS and len(left.err) == OUTPUT_LIMIT


NO_SIGN: JsonTable = {"tcp": 0, "cm": 0, "line": "", "after_s": 0}
# iproute2's rdma, which takes -j and --json, and -json, as its ip takes it, for three options.
CM = """#!/bin/sh
test "$1" = --json || { echo "Usage: rdma [ OPTIONS ] OBJECT { COMMAND | help }"; exit 0; }
echo '[{"state": "LISTEN", "src-addr": "0.0.0.0:17471"}, {"state": "CONNECT", "src-addr": "10.0.0.1:7472"}]'
"""


@pytest.mark.parametrize("sign", [{"line": "ready [1]"}, {"after_s": 0.01}, {"cm": 17471}, {"cm": 1, "line": "[1]"}])
def test_a_program_is_ready_at_the_first_sign_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: JsonTable
) -> None:
    (tmp_path / "rdma").write_text(CM)
    (tmp_path / "rdma").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    far = FarEnd("bob", here())
    argv = ["sh", "-c", "echo 'it is ready [1]'; exec sleep 600"]
    started = far.call("start", name="server", argv=argv, environment={}, deadline_s=600, sign={**NO_SIGN, **sign})
    assert far.answer(started, limit_s=120)["status"] is None
    far.close()


@pytest.mark.parametrize("sign", [{"line": "ready [2]"}, {"cm": 7472}, {"cm": 7471}])
def test_a_program_without_its_sign_is_waited_for_until_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sign: JsonTable
) -> None:
    test_a_program_is_ready_at_the_first_sign_of_it(tmp_path, monkeypatch, {"cm": 17471})
    far = FarEnd("bob", here())
    argv = ["sh", "-c", "echo 'ready [1]'; exit 3"]
    started = far.call("start", name="server", argv=argv, environment={}, deadline_s=600, sign={**NO_SIGN, **sign})
    assert far.answer(started, limit_s=120)["status"] == 3
    far.close()


def test_a_question_for_missing_programs_makes_no_folder(tmp_path: Path) -> None:
    far = FarEnd("bob", here())
    place = tmp_path / "programs"
    assert far.ask("missing", folder=str(place), names=["d/tcp-server"])["missing"] == ["d/tcp-server"]
    assert not place.exists()
    made = far.read(Folder, far.ask("folder", folder=str(place)))
    far.close()
    assert place.is_dir() and made.folder == str(place) and made.free_bytes > 0


def test_the_agent_has_the_same_constants_as_the_lab() -> None:
    """The agent is sent without the lab's modules, and so has copies."""
    assert server.DEADLINE_STATUS == DEADLINE_STATUS
    assert computer.DEVICE_COLUMNS == results.DEVICE_COLUMNS
