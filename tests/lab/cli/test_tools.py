"""Commands besides measuring: profile, fit-card and spot."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.causes.symbols import Tally, of_kernel
from lab.causes.table import Share
from lab.cli import tools
from lab.cli.main import main
from lab.cli.tools import lines
from lab.experiment.reader import card_names, read_card
from lab.places import PUBLISHED
from lab.plan.plan import Plan
from lab.plan.planning import Workshop
from lab.records.reference import write_reference


def test_kinds_of_work_are_printed_above_the_largest_functions() -> None:
    tally = Tally({of_kernel("memcpy"): 300, of_kernel("rxe_rcv", "rdma_rxe"): 100})
    assert list(lines(Share("verbs", 4096, "client", 10, 500_000, tally, "abc"), top=1)) == [
        "verbs, 4K, client: 40.0 instructions a message (50.00 us a message, 10 messages)",
        "  75.00%         30.0  copies",
        "  25.00%         10.0  packets",
        "",
        "  75.00%         30.0  [kernel]             memcpy",
    ]


def fitted(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[dict[str, str], str]:
    """Run the command; return its values and its output."""
    assert main(["fit-card", *words]) == 0
    text = capsys.readouterr().out
    return dict(line.split(maxsplit=1) for line in text.partition("\n\n")[0].splitlines()), text


def test_published_curve_gives_the_parameters_of_qdr(capsys: pytest.CaptureFixture[str]) -> None:
    words = (str(PUBLISHED / "verbs_a.csv"), "--rate-bit-s", "32000000000", "--inline")
    values, text = fitted(capsys, *words, "1K")
    card = read_card("qdr").card
    for name in ("rate_bit_s", "header_bytes", "gap_ps", "block_ps"):
        assert int(values[name].split()[0]) == pytest.approx(getattr(card, name), rel=0.03)
    assert "median error 0.6%, worst +27.5% at 64" in text and "+47.4%" in text
    assert main(["fit-card", *words, "x"]) == 2
    assert "--inline 'x'" in capsys.readouterr().err


def test_command_of_a_card_gives_its_fitted_values(capsys: pytest.CaptureFixture[str]) -> None:
    """Each source that is a command, as it is printed in the gallery."""
    sources = {name: read_card(name).known for name in card_names()}
    typed = {name: known for name, known in sources.items() if known["gap_ps"].source.startswith("lab fit-card exp")}
    assert len(typed) == 4
    for name, known in typed.items():
        values, text = fitted(capsys, *known["gap_ps"].source.split()[2:])
        for parameter, each in known.items():
            if each.origin == "fitted":
                assert int(values[parameter].split()[0]) == each.value, (name, parameter)
        middle, worst = map(float, re.findall(r"median error ([\d.]+)%, worst .([\d.]+)%", text)[0])
        assert middle <= 2 and worst <= 10, name


def test_latency_is_fitted_or_predicted(capsys: pytest.CaptureFixture[str]) -> None:
    folder = PUBLISHED / "cards"
    rate, write = ("--rate-bit-s", "32000000000"), str(folder / "mlx4_qdr_write.csv")
    latency, read = (str(folder / f"mlx4_qdr_{name}.csv") for name in ("write_latency", "read_latency"))
    values, text = fitted(capsys, write, *rate, "--predict", latency, read)
    assert values["fetch_ps"] == "500000 (assumed: no curve shows it)" and "header_bytes" in values
    assert "predicts WRITE latency of" in text and "predicts READ latency of" in text
    values, text = fitted(capsys, write, latency, *rate)
    assert "fitted to WRITE latency of" in text and values["fetch_ps"].isdigit()
    assert values["doorbell_ps"] == "100000 (assumed: a latency shows only its sum with wire_ns)"
    assert main(["fit-card", write, write, *rate]) == 2
    assert "one throughput, and at most one latency" in capsys.readouterr().err


@pytest.fixture
def spot(
    measured_plan: Plan, fake_site: FakeSite, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], int]:
    """Measure a tenth of a plan whose reference is known."""
    write_reference([measured_plan], results, tmp_path / "reference")
    monkeypatch.setattr(tools, "REFERENCE", tmp_path / "reference")
    monkeypatch.setattr(tools, "open_shop", lambda *_: Workshop(fake_site, measured_plan.site, (measured_plan,)))
    places = ("--results", str(tmp_path / "here"))
    return lambda: main(["spot", str(measured_plan.experiment.file), "--jobs", "1", "--seed", "7", *places])


def test_spot_measures_a_trial_of_each_series_and_names_the_seed(
    spot: Callable[[], int], fake_site: FakeSite, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = fake_site.jobs
    for _ in range(2):  # the second time the same trials have records
        assert spot() == 0
        said = capsys.readouterr().out
        assert said == "seed 7\nsmall: 4 of 10 trials measured here, all identical to the reference\n"
    assert fake_site.jobs - jobs == 4


def test_spot_names_the_first_difference_from_the_reference(
    spot: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "reference" / "small.csv"
    table.write_text(re.sub(r"^(peer,.*?,.*?,.*?,\d,\d+),\d+,", r"\1,7,", table.read_text(), flags=re.MULTILINE))
    assert spot() == 1
    said = capsys.readouterr().out
    assert "small: 4 of 10 trials measured here; row 1 (peer " in said and "the reference has 7; 6 rows differ" in said
    assert said.endswith("changed since the reference: nothing\n")


def test_spot_of_other_programs_finds_no_trial_in_the_reference(
    spot: Callable[[], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "reference" / "small.csv"
    table.write_text(re.sub(r",[0-9a-f]{16}$", ",0123456789abcdef", table.read_text(), flags=re.MULTILINE))
    assert spot() == 1
    assert "trials measured here; the reference has none of these trials\n" in capsys.readouterr().out
