"""Packages of a host's Python: tests.hosts.python."""

from __future__ import annotations

from tests.hosts.python import needed, of_requirements


def test_a_package_that_a_job_loads_at_its_first_use_is_among_them() -> None:
    assert {"urllib3", "zstandard"} <= needed()


def test_each_has_its_lines_with_digests() -> None:
    (lines,) = of_requirements({"urllib3"})
    assert lines.startswith("urllib3==") and "--hash=sha256:" in lines
