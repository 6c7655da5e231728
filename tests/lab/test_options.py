"""Options and rules of the C programs: Verbyte refuses the same values as the programs."""

import random
import subprocess

import pytest

from lab.options import TABLES, Refusal, refusal
from lab.places import BENCH

NOWHERE = ("--listen", "203.0.113.1")  # a documentation address: a program that gets as far as listening ends there
SEEDS = range(150)
VALUES = {
    "operation": ("write", "send"),
    "measure": ("throughput", "latency"),
    "wait": ("poll", "event"),
    "windows": ("20", "25"),
    "until-stable": ("0", "0", "1"),
    "stable-window": ("2", "7"),
    "rounds-cap": ("3", "50"),
    "least-time": ("0", "0", "2"),
    "duration": ("0", "0", "0", "2"),
    "pairs": ("1", "1", "3"),
    "tx-depth": ("4", "64"),
    "post-list": ("auto", "1", "3", "8"),
    "signal-every": ("auto", "1", "6", "8"),
    "mtu": ("auto", "1024", "1000"),
    "iterations": ("19", "160", "5000", "1000000000000"),
    "size": ("1", "4097", "8589934592"),
}
OPTIONS = {name: option.name for name, option in TABLES["verbs"].asked.items()}


def drawn(seed: int) -> dict[str, str]:
    chosen = random.Random(seed)
    return {name: chosen.choice(values) for name, values in VALUES.items()} | {"verify": chosen.choice(("yes", "no"))}


def judged(values: dict[str, str]) -> Refusal | None:
    return refusal(TABLES["verbs"], values, [(int(values["size"]), int(values["iterations"]), 0)])


def program(values: dict[str, str]) -> subprocess.CompletedProcess[str]:
    given = {name: value for name, value in values.items() if name not in ("size", "iterations", "verify")}
    words = [f"--{name}={value}" for name, value in given.items()]
    words += ["--verify"] if values["verify"] == "yes" else []
    sizes = f"--sizes={values['size']}@{values['iterations']}/0"
    server = str(BENCH / "verbs-server")
    return subprocess.run([server, *words, sizes, *NOWHERE], capture_output=True, text=True, check=False, timeout=100)


def test_program_and_harness_refuse_the_same_values_for_the_same_reason() -> None:
    refused = 0
    for seed in SEEDS:
        values = drawn(seed)
        done, found = program(values), judged(values)
        assert done.returncode == (2 if found else 1), f"{values}: {found}, {done.stderr}"
        if found:
            refused += 1
            assert f"--{OPTIONS[found.parameter]}:" in done.stderr
    assert 20 < refused < len(SEEDS) - 5, "these values decide nothing"


@pytest.mark.parametrize(
    ("given", "parameter", "why"),
    [
        ({"post-list": "8", "tx-depth": "4"}, "post_list", "between 1 and tx_depth (4), or no completion could free"),
        ({"mtu": "1000"}, "path_mtu", "a power of two from 256 to 4096"),
        ({"least-time": "2", "until-stable": "1"}, "least_time_s", "not with verify or until_stable, which set"),
    ],
)
def test_refusal_names_parameters_not_options(given: dict[str, str], parameter: str, why: str) -> None:
    harmless = {name: values[0] for name, values in VALUES.items()} | {"verify": "no", "iterations": "5000"}
    found = judged(harmless | given)
    assert found and found.parameter == parameter and found.why.startswith(why)


def test_rule_about_an_option_that_is_not_a_parameter_is_left_to_the_program() -> None:
    assert refusal(TABLES["tcp"], {"format": "columns"}, [(1, 20, 0)]) is None


def test_size_that_breaks_a_rule_is_named() -> None:
    harmless = {name: values[0] for name, values in VALUES.items()} | {"verify": "no"}
    sizes = [(size, 19 if size == 4097 else 5000, 0) for size in (1, 4097, 8192)]
    found = refusal(TABLES["verbs"], harmless, sizes)
    assert found and found.parameter == "iterations" and "19 messages of 4097 bytes" in found.why
    assert refusal(TABLES["verbs"], harmless, sizes[:1] + sizes[2:]) is None
