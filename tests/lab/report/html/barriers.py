"""A script for a page that axe-core was loaded into: what shuts a reader out, and how many rules hold.

The letters of drawings are left out, since axe can't tell what is behind them; another test has their colours.
"""

BARRIERS = """document.querySelectorAll('details').forEach(function (fold) { fold.open = true; });
return axe.run({exclude: ['svg text']}, {resultTypes: ['violations', 'incomplete']}).then(function (found) {
  function told(each) { return each.id + ': ' + each.nodes.map(function (node) { return node.html; }).join(); }
  return [found.violations.concat(found.incomplete).map(told), found.passes.length]; });"""
