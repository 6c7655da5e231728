"""Commands besides measuring: profile, fit-card, spot, verify and lock."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.conftest import Lab, Ran
from tests.lab.fake_site import FakeSite

from lab.causes.symbols import Tally, of_kernel
from lab.causes.table import Share
from lab.cli import INTERRUPTED, tools
from lab.cli.tools import lines
from lab.experiment.reader import card_names, read_card
from lab.model.trial import Outcome
from lab.places import PUBLISHED
from lab.plan.plan import Plan
from lab.plan.planning import Campaign
from lab.records.reference import write_reference
from lab.sites.exact import ExactSite
from lab.supply.lock import Lock


def test_kinds_of_work_are_printed_above_the_largest_functions() -> None:
    tally = Tally({of_kernel("memcpy"): 300, of_kernel("rxe_rcv", "rdma_rxe"): 100})
    assert list(lines(Share("verbs", 4096, "client", 10, 500_000, tally, "abc"), top=1)) == [
        "verbs, 4K, client: 40.0 instructions a message (50.00 us a message, 10 messages)",
        "  75.00%         30.0  copies",
        "  25.00%         10.0  packets",
        "",
        "  75.00%         30.0  [kernel]             memcpy",
    ]


Fit = Callable[..., tuple[dict[str, str], str]]


@pytest.fixture
def fitted(lab: Lab) -> Fit:
    """Run the command; return its values and its output."""

    def run(*words: object) -> tuple[dict[str, str], str]:
        status, text, _ = lab("fit-card", *words)
        assert status == 0
        return dict(line.split(maxsplit=1) for line in text.partition("\n\n")[0].splitlines()), text

    return run


def test_published_curve_gives_the_parameters_of_qdr(lab: Lab, fitted: Fit) -> None:
    words = (PUBLISHED / "verbs_a.csv", "--rate-bit-s", 32 * 10**9, "--inline")
    values, text = fitted(*words, "1K")
    card = read_card("qdr").card
    for name in ("rate_bit_s", "header_bytes", "gap_ps", "block_ps"):
        assert int(values[name].split()[0]) == pytest.approx(getattr(card, name), rel=0.03)
    assert "median error 0.6%, worst +27.5% at 64" in text and "+47.4%" in text
    refused = lab("fit-card", *words, "x")
    assert refused.status == 2 and "--inline 'x'" in refused.err


def test_command_of_a_card_gives_its_fitted_values(fitted: Fit) -> None:
    """Each source that is a command, as it is printed in the gallery."""
    sources = {name: read_card(name).known for name in card_names()}
    typed = {name: known for name, known in sources.items() if known["gap_ps"].source.startswith("lab fit-card exp")}
    assert len(typed) == 4
    for name, known in typed.items():
        values, text = fitted(*known["gap_ps"].source.split()[2:])
        for parameter, each in known.items():
            if each.origin == "fitted":
                assert int(values[parameter].split()[0]) == each.value, (name, parameter)
        middle, worst = map(float, re.findall(r"median error ([\d.]+)%, worst .([\d.]+)%", text)[0])
        assert middle <= 2 and worst <= 10, name


def test_latency_is_fitted_or_predicted(lab: Lab, fitted: Fit) -> None:
    folder = PUBLISHED / "cards"
    rate, write = ("--rate-bit-s", "32G"), folder / "mlx4_qdr_write.csv"
    latency, read = (folder / f"mlx4_qdr_{name}.csv" for name in ("write_latency", "read_latency"))
    values, text = fitted(write, *rate, "--predict", latency, read)
    assert values["fetch_ps"] == "500000 (assumed: no curve shows it)" and "header_bytes" in values
    assert "predicts WRITE latency of" in text and "predicts READ latency of" in text
    values, text = fitted(write, latency, *rate)
    assert "fitted to WRITE latency of" in text and values["fetch_ps"].isdigit()
    assert values["doorbell_ps"] == "100000 (assumed: a latency shows only its sum with wire_ns)"
    refused = lab("fit-card", write, write, *rate)
    assert refused.status == 2 and "one throughput, and at most one latency" in refused.err


@pytest.fixture
def spot(
    lab: Lab, measured_plan: Plan, fake_site: FakeSite, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """A command about a plan whose reference is known; by default measure a tenth of it."""
    write_reference([measured_plan], results, tmp_path / "reference")
    monkeypatch.setattr(tools, "REFERENCE", tmp_path / "reference")
    for name in ("campaign_of", "open_campaign"):
        monkeypatch.setattr(tools, name, lambda *_: Campaign(fake_site, measured_plan.site, (measured_plan,)))
    words = ("spot", measured_plan.experiment.file, "--jobs", 1, "--seed", 7, "--results", tmp_path / "here")
    return lambda *others: lab(*(others or words))


def test_spot_measures_a_trial_of_each_series_and_names_the_seed(spot: Callable[[], Ran], fake_site: FakeSite) -> None:
    jobs = fake_site.jobs
    for _ in range(2):  # the second time the same trials have records
        seed = "seed 7; --seed 7 chooses the same again\n"
        same = f"{seed}small: 4 of 10 trials measured here, all identical to the reference\n"
        assert spot()[:2] == (0, same)
    assert fake_site.jobs - jobs == 4


@pytest.mark.parametrize(
    ("pattern", "by", "said"),
    [
        (r"^(peer,.*?,.*?,.*?,\d,\d+),\d+,", r"\1,7,",
         r"small: 4 of 10 trials measured here; row 1 \(peer .*the reference has 7; 6 rows differ"),
        (r",[0-9a-f]{16}$", ",0123456789abcdef", "trials measured here; the reference has none of these trials\n"),
    ],
    ids=["another value", "other programs"],
)  # fmt: skip
def test_spot_names_the_first_difference_from_the_reference(
    spot: Callable[[], Ran], tmp_path: Path, pattern: str, by: str, said: str
) -> None:
    table = tmp_path / "reference" / "small.csv"
    table.write_text(re.sub(pattern, by, table.read_text(), flags=re.MULTILINE))
    status, out, _ = spot()
    assert status == 1 and re.search(said, out) and out.endswith("changed since the reference: nothing\n")


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("words", [("verify", "small"), ("lock",)])
def test_interrupted_command_with_a_temporary_folder_prints_that_no_record_is_kept(
    spot: Callable[..., Ran], fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    def interrupt(outcome: Outcome) -> Outcome:
        os.kill(os.getpid(), signal.SIGINT)
        return outcome

    monkeypatch.setattr(tools, "renew", lambda *_: Lock("", {}))
    monkeypatch.setattr(ExactSite, "expect", lambda *_: "digests")
    fake_site.change = interrupt
    status, _, err = spot(*words, "--jobs", 1)
    assert status == INTERRUPTED, err
    assert err.endswith(f"lab: interrupted; no record is kept; to begin again: lab {' '.join(words)} --jobs 1\n")
