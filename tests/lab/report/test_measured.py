"""Measured curves: what perftest printed in several versions and units, and CSVs."""

from pathlib import Path

import pytest

from lab.analysis.card import Conditions
from lab.errors import SpecError
from lab.report.evidence.measured import MeasuredCurve, read_measured

KNOWN = Conditions(100e9)
RULE = "-" * 87
TITLE = (
    "                    RDMA_{} {} Test\n Mtu             : 2048[B]\n Outstand reads  : 8\n Max inline data : 64[B]\n"
)
HEADING = "{} #bytes     #iterations    BW peak[{}]    BW average[{}]   MsgRate[Mpps]{}\n"
MIB = HEADING.format(RULE + "\n", "MiB/sec", "MiB/sec", "")
GBIT = HEADING.format(RULE + "\n", "Gb/sec", "Gb/sec", "   CPU_Util[%]")
LATENCY = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]\n"
MEAN = "#bytes  #iterations  t_avg[usec]  tps average\n"
FOOT = f"{RULE}\n"


def measured(tmp_path: Path, text: str, name: str = "mine.txt", inline: int | None = None) -> list[MeasuredCurve]:
    (tmp_path / name).write_text(text)
    return read_measured(tmp_path / name, KNOWN, inline=inline)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (MIB + " 2   5000   10.30   10.28   5.387353\n", {2: 2 * 5_387_353}),  # 5387353 x 2 has more digits than 10.28
        (MIB + " 8388608 5000 11728.27 11728.00 0.001466\n" + FOOT, {8388608: 11728.00 * 2**20}),
        (MIB.replace("MiB", "MB") + " 65536 1000 2900.00 2875.50 0.046008\n", {65536: 2875.50 * 2**20}),
        (GBIT + " 65536 1000 92.10 92.000 0.175 3.1\n" + FOOT, {65536: 92e9 / 8}),
        (" #bytes #iterations BW peak[MB/sec] BW average[MB/sec]\n 4096 9 3000.00 2979.99\n", {4096: 2979.99 * 2**20}),
        ("> " + MIB.replace("\n", "\n> ") + " 4096 5000 0.00 1.50 0.000384\n> noise", {4096: 1.5 * 2**20}),
        (MIB + " 4096 5 0 1.500 0.00\nConflicting CPU frequency values detected\n 8192 5 0 3.000 0.00\n",
         {4096: 1.5 * 2**20, 8192: 3 * 2**20}),
    ],
    ids=["small", "large", "MB is MiB", "gigabits and CPU", "old, without rate", "quoted", "with a warning"],
)  # fmt: skip
def test_rate_is_read_from_the_column_with_more_digits_in_its_true_unit(
    tmp_path: Path, text: str, values: dict[int, float]
) -> None:
    (curve,) = measured(tmp_path, text)
    assert curve.values == pytest.approx(values) and curve.known == KNOWN


def test_paste_of_two_programs_names_its_own_conditions(tmp_path: Path) -> None:
    rates = TITLE.format("Read", "BW") + MIB + " 2 5000 10.30 10.28 5.387353\n" + FOOT
    times = TITLE.format("Write", "Latency") + LATENCY + " 2 1000 0.80 9.10 0.89 0.91 0.1\n" + FOOT
    read, write = measured(tmp_path, rates + times)
    assert read.known == Conditions(100e9, 2048, 64, "read", "throughput", 8)
    assert write.known == Conditions(100e9, 2048, 64, "write", "latency", 8) and write.values == {2: 890_000}
    assert {each.known.inline_most for each in measured(tmp_path, rates + times, inline=0)} == {0}


@pytest.mark.parametrize(
    ("name", "text", "operation", "measure", "inline_most", "value"),
    [
        ("mine.txt", f"$ ib_send_lat host\n{LATENCY}2 1000 0.80 9.10 0.89 0.91 0.1\n", "send", "latency", 236, 890_000),
        ("mine.txt", f"ib_read_lat -D 5\n{MEAN}2 99 1.74 574000\n", "read", "latency", 0, 1_740_000),
        ("mine.csv", "size_bytes,bytes_per_s\n2,1e8\n", "write", "throughput", 0, 1e8),
        ("nic_read-2.csv", "size_bytes,bytes_per_s\n2,1e8\n", "read", "throughput", 0, 1e8),
        ("already.csv", "size_bytes,latency_us\n2,0.97\n", "write", "latency", 220, 970_000),
    ],
    ids=["typical time", "mean time", "CSV", "CSV named for a read", "CSV of times"],
)
def test_curve_is_of_the_program_or_of_the_operation_in_the_name_of_a_csv(
    tmp_path: Path, name: str, text: str, operation: str, measure: str, inline_most: int, value: float
) -> None:
    (curve,) = measured(tmp_path, text, name)
    assert curve.known == Conditions(100e9, 4096, inline_most, operation, measure) and curve.values == {2: value}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size_bytes,bytes_per_s\n1,1e6\n64,-1\n", r"mine.txt:3: holds no point of a curve, expected size_bytes from"),
        ("size_bytes,bytes_per_s\n1,1e6\n64\n", "mine.txt:3: holds no point"),
        *((f"size_bytes,bytes_per_s\n{row}\n", "mine.txt:2: holds no point") for row in (
            "1,inf", "x,1e8", "6_4,1e8", "64,1e308", "64,1e-320", "1" * 400 + ",1", "1" * 5000 + ",1"
        )),
        ('size_bytes,bytes_per_s\n"1', "mine.txt:2: is not CSV"),
        ("x" * 200_000, "holds no table of perftest"),
        ("size_bytes,bytes_per_s\n1,1e6\n1,1e6\n", "mine.txt:3: holds no point"),
        ("size_bytes,bytes_per_s\n", "holds 0 sizes"),
        ("64 1e8\n", "holds no table of perftest and no curve .*ib_write_bw -a"),
        (MIB + " 64 5000 0.00\n", r"line 3: row of a table: '64 5000 0.00' \(#bytes, #iterations, BW peak"),
        (MIB + " 64 5000 0.00 0.00 0.000000\n", "line 3: row of a table.*remove the row"),
        (MIB + " 64 5000 9,63 9,54 0,156\n", r"line 3: row of a table.*a point in each number"),
        ("size_bytes;bytes_per_s\n64;1000000,5\n", "mine.txt:2: holds no point .*a comma between columns, and a point"),
        (MIB + " 64 5 1 1.0 0\n 64 5 1 1.0 0\n", "line 4: a second row for 64 bytes"),
        (MIB.replace("MiB", "KB") + " 64 5 1 1.0 0\n", r"unit of the rate: KB/sec \(MB/sec, MiB/sec, Gb/sec\)"),
        (TITLE.format("Write", "Bidirectional BW") + MIB, "bidirectional rate counts both directions"),
        (TITLE.format("Atomic", "BW").replace("RDMA_", "") + MIB + " 8 5 1 1.0 0\n", r"operation: atomic \(write, "),
        (MIB + " 65536 5000 23456.00 23456.00 0.375\n", r"rate: 1.968e\+11 bit/s .*--rate-bit-s 200000000000;"),
    ],
)  # fmt: skip
def test_unreadable_curve_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        measured(tmp_path, text)
