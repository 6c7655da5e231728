"""Typed numbers of something measured."""

from pathlib import Path

import pytest

from lab.report.errors import FaultKind, TextFault
from lab.report.text.typed import typed_numbers

PLAN = (
    (4e9, "rate"),
    (1.25e8, "rate"),
    (1e-6, "time"),
    (95, "percent"),
    (1, "percent"),
    (2, "factor"),
)
NUMBERS = Path(__file__).with_name("numbers")
TYPED, TRUE = ((NUMBERS / name).read_text().splitlines() for name in ("typed.txt", "true.txt"))


def faults(text: str) -> list[TextFault]:
    return list(
        typed_numbers(text, "discussion.tex", PLAN, lambda typed: f"{typed.dimension} {typed.numbers[0][0]:.6g}")
    )


@pytest.mark.parametrize("text", TYPED)
def test_typed_measured_number_is_one_fault(text: str) -> None:
    (fault,) = faults(text)
    assert fault.kind is FaultKind.NUMBER and fault.source == text


@pytest.mark.parametrize("text", TRUE)
def test_true_prose_without_measured_number_passes(text: str) -> None:
    assert [fault.what for fault in faults(text)] == []


@pytest.mark.parametrize(
    ("typed", "query"),
    [
        ("3.95 GB/s", "rate 3.95e+09"),
        ("31.6 Gbit/s", "rate 3.95e+09"),
        ("3 MiB/s", "rate 3.14573e+06"),
        ("117 bytes/us", "rate 1.17e+08"),
        (r"\SI{3}{\mega\byte\per\second}", "rate 3e+06"),
        ("$3.9\\cdot10^9$ B/s", "rate 3.9e+09"),
        ("4.17 million messages a second", "messages 4.17e+06"),
        ("3 messages/ms", "messages 3000"),
        ("2 \\textmu s", "time 2e-06"),
        ("3 milliseconds", "time 0.003"),
        ("1,946 instructions", "instructions 1946"),
        ("5 to 21 times", r"factor 5} to \claim{factor 21"),
        ("5 \\%", "percent 5"),
        ("2.4 GHz", "frequency 2.4e+09"),
    ],
)
def test_hint_offers_the_query_for_the_number(typed: str, query: str) -> None:
    (fault,) = faults(f"It is {typed} here.")
    assert fault.hint.startswith(rf"\claim{{{query}}}, or \given{{")


def test_hint_has_the_letter_mu_of_the_reports_font() -> None:
    (fault,) = faults("It takes 100 μs.")
    assert r"\given{100 µs}" in fault.hint


def test_fault_names_line_number_and_alternatives() -> None:
    (fault,) = faults("Fine.\n  It loses\n$5$\\,\\% here.\n")
    assert str(fault) == (
        "discussion.tex:3:2: 5 % is typed (measured numbers are computed from the data) [typed number]\n"
        "    $5$\\,\\% here.\n"
        "    hint: \\claim{percent 5}, or \\given{5 \\%} with \\cite for a number from elsewhere"
    )
    (fault,) = typed_numbers("It takes 2 us.", "d.tex", (), lambda *_: "")
    assert fault.hint.startswith(r"\claim{QUERY}, or \given{2 us}")


@pytest.mark.parametrize(
    ("typed", "is_constant"),
    [("4.0 GB/s", True), ("4000 MB/s", True), ("32 Gbps", True), ("4.01 GB/s", False), ("3.7253 GiB/s", True)],
)
def test_constant_passes_in_any_unit_to_the_typed_digits(typed: str, is_constant: bool) -> None:  # noqa: FBT001
    assert bool(faults(f"It is {typed}.")) is not is_constant
