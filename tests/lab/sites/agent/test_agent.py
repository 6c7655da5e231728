"""The agent at one end: a real one by its client, its words, and its end of the data link."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.model.trial import DEADLINE_STATUS, End
from lab.run.checks import FLOODED_STATUS
from lab.sites.agent import computer, server
from lab.sites.agent.client import FarEnd, Reply, here, locator, programs
from lab.sites.agent.jobs import data_end
from lab.sites.agent.server import OUTPUT_LIMIT, Agent
from lab.typed_json import JsonTable, JsonValue

NO_SIGN: JsonTable = {"tcp": 0, "cm": 0, "line": "", "after_s": 0}
# iproute2's rdma, which takes -j and --json, and -json, as its ip takes it, for three options.
CM = """#!/bin/sh
test "$1" = --json || { echo "Usage: rdma [ OPTIONS ] OBJECT { COMMAND | help }"; exit 0; }
echo '[{"state": "LISTEN", "src-addr": "0.0.0.0:17471"}, {"state": "CONNECT", "src-addr": "10.0.0.1:7472"}]'
"""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FarEnd]:
    """An agent on a host without RDMA devices, but with a listening connection manager."""
    (tmp_path / "rdma").write_text(CM)
    (tmp_path / "rdma").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    far = FarEnd("bob", here())
    yield far
    far.close()


def start(agent: FarEnd, *argv: str, sign: JsonTable | None = None) -> object:
    call = agent.call("start", name="x", argv=argv, environment={}, deadline_s=600, sign=sign and {**NO_SIGN, **sign})
    return agent.answer(call, limit_s=120)["status"]


@pytest.mark.parametrize(("near", "pinned"), [({1, 2, 900}, [{1, 2}]), ({900}, []), (set(), [])])
def test_an_agent_stays_near_its_card_but_never_leaves_its_allowed_cpus(
    monkeypatch: pytest.MonkeyPatch, near: set[int], pinned: list[set[int]]
) -> None:
    calls: list[set[int]] = []
    monkeypatch.setattr(computer, "near", lambda *_: near)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cpus: calls.append(cpus))
    Agent().do_pin("eth0", "mlx5_0")
    assert calls == pinned


def test_an_error_of_the_agent_is_its_reply(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    far = FarEnd("bob", here())
    with pytest.raises(SiteError, match=r"^bob: FileNotFoundError: .*'ip'"):
        far.ask("down", interface="eth0", device="")
    far.close()


def test_a_program_with_endless_output_ends_before_its_deadline(agent: FarEnd) -> None:
    start(agent, "sh", "-c", "exec yes >&2")
    left = agent.answer(agent.call("wait", name="x"), limit_s=120)
    assert left["status"] == FLOODED_STATUS and len(left["err"]) == OUTPUT_LIMIT


@pytest.mark.parametrize("sign", [{"line": "ready [1]"}, {"after_s": 0.01}, {"cm": 17471}, {"cm": 1, "line": "[1]"}])
def test_a_program_is_ready_at_its_first_sign(agent: FarEnd, sign: JsonTable) -> None:
    assert start(agent, "sh", "-c", "echo 'it is ready [1]'; exec sleep 600", sign=sign) is None


@pytest.mark.parametrize("sign", [{"line": "ready [2]"}, {"cm": 7472}, {"cm": 7471}])
def test_a_program_without_its_sign_is_awaited_until_it_ends(agent: FarEnd, sign: JsonTable) -> None:
    assert start(agent, "sh", "-c", "echo 'ready [1]'; exit 3", sign=sign) == 3


def test_a_request_for_missing_programs_makes_no_folder(agent: FarEnd, tmp_path: Path) -> None:
    folder = tmp_path / "programs"
    assert agent.ask("missing", folder=str(folder), names=["d/tcp-server"])["missing"] == ["d/tcp-server"]
    assert not folder.exists()
    made = agent.ask("folder", folder=str(folder))
    assert folder.is_dir() and made["folder"] == str(folder) and made["free_bytes"] > 0


def test_the_agent_has_the_same_status_of_a_deadline_as_the_harness() -> None:
    assert server.DEADLINE_STATUS == DEADLINE_STATUS


PLACES = programs({"tcp": "/kept/tcp", "tcp-client": "/kept/tcp-client"}) | {"@client.host": "10.0.0.1"}


@pytest.mark.parametrize(
    ("word", "there"),
    [
        ("/lab/bin/tcp", "/kept/tcp"),
        ("exec /lab/bin/tcp @client.host:1", "exec /kept/tcp 10.0.0.1:1"),
        ("/lab/bin/tcp-client", "/kept/tcp-client"),
        ("/lab/bin/tcp.sh", "/lab/bin/tcp.sh"),
        ("/lab/bin/tcp2", "/lab/bin/tcp2"),
        ("--sizes", "--sizes"),
    ],
)
def test_names_of_programs_and_ends_are_replaced_whole(word: str, there: str) -> None:
    assert locator(PLACES)(word) == there
    assert locator({})(word) == word


class Bob(FarEnd):
    """An agent with a fixed end of the link."""

    def __init__(self, **found: str) -> None:
        self.name, self.found = "bob", found

    def ask(self, what: str, **request: JsonValue) -> Reply:
        assert what == "end"
        return {"found": {"gid": "", **request, **self.found}}


def test_an_end_has_the_known_parts_and_those_that_its_agent_finds() -> None:
    end = data_end(Bob(interface="eth0", address="10.1.0.2"), {"device": "mlx5_0"}, "hosts.toml")
    assert end == End("10.1.0.2", "mlx5_0", "eth0")


@pytest.mark.parametrize(
    ("known", "interface", "sentence"),
    [
        ({}, "", r"bob: no data link found \(try: rdma link, over there; or hosts.toml\)"),
        ({"device": "mlx5_9"}, "", "bob: no RDMA device mlx5_9, or without an interface"),
        ({}, "eth0", r"bob: the data link's interface eth0 has no address \(try: ip addr add"),
    ],
)
def test_an_incomplete_end_is_one_sentence(known: dict[str, str], interface: str, sentence: str) -> None:
    with pytest.raises(SiteError, match=f"^{sentence}"):
        data_end(Bob(interface=interface), known, "hosts.toml")
