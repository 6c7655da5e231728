"""A fake site and small experiments for everything that is tested without hardware."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lab.plan.plan import Plan, SiteFacts, binaries, make_plan
from lab.spec.reader import load

HERE = Path(__file__).parent
PEERS = """
title = "Peers on a fake link"
question = "Does the way from TOML to table hold?"
[parameters]
sizes = "1..1K*4"
iterations = 40
repetitions = 2
[[series]]
name = "peer"
program = "ib_write_bw"
operation = "write"
measure = "throughput"
[[series]]
name = "iperf"
program = "iperf3"
operation = "send"
measure = "throughput"
"""
OURS = """
[[series]]
name = "ours"
program = "verbs"
operation = "write"
measure = "throughput"
vary.tx_depth = [64, 128]
[[series]]
name = "trips"
program = "tcp"
operation = "send"
measure = "latency"
parameters = { wait = "event" }
"""


def load_module(name: str) -> ModuleType:
    """A helper that lies beside the tests: pytest's importlib mode puts no folder on the path."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


@pytest.fixture
def fake_module() -> ModuleType:
    return load_module("fake_site")


@pytest.fixture(scope="session")
def hand_ins() -> ModuleType:
    return load_module("hand_ins")


@pytest.fixture(scope="session")
def course(hand_ins: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One for all tests: its figures are drawn once."""
    return hand_ins.make_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="session")
def ada(hand_ins: ModuleType, course: Any) -> Any:
    """A student with a finished report, for tests that only read it."""
    return hand_ins.with_report(course, hand_ins.make_work(course, "ada", hand_ins.Site()))


@pytest.fixture
def fake_site(fake_module: ModuleType) -> Any:
    return fake_module.FakeSite()


@pytest.fixture
def facts(fake_site: Any) -> SiteFacts:
    return SiteFacts.of(fake_site)


@pytest.fixture
def experiment_file(tmp_path: Path) -> Callable[[str], Path]:
    """Write an experiment; the default holds two peers and needs no built program."""

    def write(text: str = PEERS) -> Path:
        file = tmp_path / "small.toml"
        file.write_text(text)
        return file

    return write


@pytest.fixture
def make_small_plan(experiment_file: Callable[[str], Path], facts: SiteFacts) -> Callable[..., Plan]:
    """A plan of the small experiment, with our programs too."""

    def make(text: str = PEERS + OURS, digest: str = "d") -> Plan:
        experiment = load(experiment_file(text))
        return make_plan(experiment, facts, dict.fromkeys(binaries([experiment]), digest))

    return make
