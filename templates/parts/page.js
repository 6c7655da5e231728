"use strict";
// Tables: a key reaches those that scroll, and the heads of long ones sort.
function reach() {
  for (const wide of document.querySelectorAll(".wide")) {
    const scrolls = wide.scrollWidth > wide.clientWidth;
    if (scrolls)
      Object.entries({ tabindex: 0, role: "group", "aria-label": "Table" }).forEach((pair) =>
        wide.setAttribute(...pair),
      );
    else ["tabindex", "role", "aria-label"].forEach((name) => wide.removeAttribute(name));
  }
}
addEventListener("resize", reach);
document.addEventListener("toggle", reach, true);
reach();
function compare(one, other) {
  const difference = parseFloat(one) - parseFloat(other);
  return one !== "" && other !== "" && !isNaN(one) && !isNaN(other) ? difference : one.localeCompare(other, "en");
}
function sort(head) {
  const turn = head.getAttribute("aria-sort") === "ascending" ? -1 : 1,
    body = head.closest("table").tBodies[0];
  const worth = (row) =>
    row.cells[head.cellIndex]
      ? row.cells[head.cellIndex].dataset.value || row.cells[head.cellIndex].textContent.trim()
      : "";
  head.parentNode.querySelectorAll("[aria-sort]").forEach((each) => each.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", turn === 1 ? "ascending" : "descending");
  body.append(...Array.from(body.rows).sort((a, b) => turn * compare(worth(a), worth(b))));
}
document.querySelectorAll("thead th").forEach((head) => {
  if (head.closest("table").tBodies[0].rows.length <= 8) return;
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => sort(head));
});
