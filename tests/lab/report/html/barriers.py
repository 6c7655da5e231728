"""Barriers for readers of a page, as axe-core finds them."""

from importlib.resources import files
from pathlib import Path

from tests.lab.grade.browser import found_in

# axe cannot see the background of letters in drawings, whose colours are those of the page.
SCRIPT = """document.querySelectorAll('details').forEach(function (fold) { fold.open = true; });
return axe.run({exclude: ['svg text']}, {resultTypes: ['violations', 'incomplete']}).then(function (result) {
  function words(rule) { return rule.id + ': ' + rule.nodes.map(function (node) { return node.html; }).join(); }
  return [result.violations.concat(result.incomplete).map(words), result.passes.length]; });"""


def barriers(page: Path) -> tuple[list[str], int]:
    """The rules that a page breaks, and the number of rules that it passes."""
    broken, passed = found_in(page, SCRIPT, (files("axe_core_python") / "axe.min.js").read_text())
    return broken, passed
