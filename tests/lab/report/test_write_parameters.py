"""The report on parameters, filled from other data than the reference's: lab.report.{build,exhibits.varied}."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.lab.report import laboratory
from tests.lab.report.laboratory import UnsteadySite

from lab.files.toml import read_whole
from lab.places import EXPERIMENTS, TEMPLATES
from lab.plan.plan import SiteFacts
from lab.report.build import build
from lab.report.evidence.evidence import gather
from lab.report.sources import Sources
from lab.sites.ssh import TwoHosts

REAL = SiteFacts("ssh", UnsteadySite().ends, {"hosts": "ada to bob", "link": "100 Gb/sec (4X EDR)"}, TwoHosts.traits)
FALSE_HERE = ("The depth of the send queue decides", "Four requests in a call", "More messages only seem to help")


def test_no_sentence_is_printed_that_the_data_do_not_show(tmp_path: Path) -> None:
    body = laboratory.body_of(laboratory.evidence_of("write_parameters", tmp_path), tmp_path)
    assert not [sentence for sentence in FALSE_HERE if sentence in body]
    assert "The parameters, the largest effect first." in body and "The depth matters most" not in body


def test_a_link_without_a_card_has_the_same_report_about_itself(tmp_path: Path) -> None:
    toml = read_whole(EXPERIMENTS / "write_parameters.toml").text.replace("profile.exact", "profile.ssh")
    (tmp_path / "write_parameters.toml").write_text(toml)
    plan = laboratory.plan_of("write_parameters", tmp_path, REAL)
    laboratory.record(plan, tmp_path)
    pdf = tmp_path / "report.pdf"
    pdf.write_bytes(build(Sources(plan.experiment.file, TEMPLATES), gather(plan, tmp_path), tmp_path / "cache"))
    text = " ".join(subprocess.run(["pdftotext", pdf, "-"], capture_output=True, text=True, check=True).stdout.split())
    assert "over the link, at all points" in text and "Report B" in text
    assert (
        "kernel RDMA" not in text.replace("RDMA is kernel RDMA (Soft-RoCE, rxe0)", "")
        and "Inline data: a read less" not in text
    )
