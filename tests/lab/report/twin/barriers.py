"""A script for a page that axe-core was loaded into: what shuts a reader out, and how many rules hold."""

BARRIERS = """return axe.run(document, {resultTypes: ['violations', 'incomplete']}).then(function (found) {
  function told(each) { return each.id + ': ' + each.nodes.map(function (node) { return node.html; }).join(); }
  return [found.violations.concat(found.incomplete).map(told), found.passes.length]; });"""
