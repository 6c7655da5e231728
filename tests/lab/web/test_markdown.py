"""A document as the body of a page: lab.web."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.web import body, slug


@pytest.fixture
def told(tmp_path: Path) -> Path:
    (tmp_path / "other.md").touch()
    (tmp_path / "one.md").write_text(
        "# The `lab`\n\n[other](other.md#so) [code](code/x.c) [away](https://example.org/) [below](#a-b)\n\n"
        "## A, b\n\n| a |\n|---|\n| 1 |\n\n    make <all>\n"
    )
    return tmp_path


def test_a_link_leads_to_the_page_that_the_site_has_of_a_file(told: Path) -> None:
    found = body(told / "one.md", {(told / "other.md").resolve(): "docs-other.html"})
    assert found.title == "The lab"
    assert '<a href="docs-other.html#so">other</a>' in found.html
    assert '<a href="#a-b">below</a>' in found.html and '<h2 id="a-b">' in found.html


def test_what_the_site_does_not_hold_is_named_and_not_linked(told: Path) -> None:
    found = body(told / "one.md", {})
    assert '<span title="code/x.c">code</span>' in found.html
    assert '<span title="https://example.org/">away</span>' in found.html
    assert "<a " not in found.html.replace('<a href="#a-b">', "")


def test_tables_and_commands_scroll_by_themselves_and_are_escaped(told: Path) -> None:
    found = body(told / "one.md", {})
    assert found.html.count('class="wide" tabindex="0"') == 2 == found.html.count("</div>")
    assert "make &lt;all&gt;" in found.html


def test_headings_have_the_address_that_hosts_of_git_give_them() -> None:
    assert slug("What it needs: all, at once") == "what-it-needs-all-at-once"
