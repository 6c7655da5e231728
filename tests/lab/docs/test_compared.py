"""What became of every series between two folders of reference tables."""

from __future__ import annotations

from pathlib import Path

from lab.docs.compared import cells, series

HEAD = "series,program,repetition,size_bytes,confirmed_bytes_per_s,round_trip_ns\n"


def folder(path: Path, *lines: str) -> Path:
    path.mkdir()
    (path / "one.csv").write_text(HEAD + "".join(f"{line}\n" for line in lines))
    return path


def test_ratios_are_of_the_medians_of_each_size(tmp_path: Path) -> None:
    old = folder(tmp_path / "old", "a,tcp,1,1,100,", "a,tcp,2,1,300,", "a,tcp,3,1,200,", "a,tcp,1,8,50,")
    new = folder(tmp_path / "new", "a,tcp,1,1,300,", "a,tcp,1,8,25,", "b,tcp,1,1,9,")
    assert list(cells(series(old), series(new))) == [
        ("one", "a", "tcp", "`confirmed_bytes_per_s`", "1.00", "0.50, 8", "1.50, 1")
    ]


def test_a_series_of_latency_is_compared_by_its_time(tmp_path: Path) -> None:
    old, new = folder(tmp_path / "old", "a,mpi,1,1,,100"), folder(tmp_path / "new", "a,mpi,1,1,,80")
    ((*_, column, middle, _, _),) = cells(series(old), series(new))
    assert (column, middle) == ("`round_trip_ns`", "0.80")
