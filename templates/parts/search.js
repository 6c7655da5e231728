"use strict";
// Sections that have all words of the query: those with a word in the heading first, then those with more of the words.
const sections = JSON.parse(document.getElementById("index").textContent);
const box = document.querySelector("input[type=search]");
const hits = document.getElementById("hits");
const status = document.getElementById("status");
const MOST = 20,
  SNIPPET = 160;
for (const section of sections) {
  section.head = `${section.title} ${section.heading}`.toLowerCase();
  section.low = section.text.toLowerCase();
}
function score(section, words) {
  let sum = 0;
  for (const word of words) {
    const inHead = section.head.includes(word),
      inText = section.low.split(word).length - 1;
    if (!inHead && !inText) return 0;
    sum += (inHead ? 10 : 0) + Math.min(inText, 5);
  }
  return sum;
}
function entry(section, words) {
  const item = document.createElement("li"),
    link = document.createElement("a"),
    text = document.createElement("p");
  link.href = section.address;
  link.textContent = section.heading === section.title ? section.title : `${section.title}: ${section.heading}`;
  const first = Math.max(...words.map((word) => section.low.indexOf(word))),
    start = Math.max(0, section.text.lastIndexOf(" ", first - SNIPPET / 3));
  const end = section.text.length > start + SNIPPET ? section.text.lastIndexOf(" ", start + SNIPPET) : section.text.length;
  text.textContent = `${start ? "… " : ""}${section.text.slice(start, end).trim()}${end < section.text.length ? " …" : ""}`;
  item.append(link, text);
  return item;
}
function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sections.map((section) => [words.length ? score(section, words) : 0, section]).filter(([sum]) => sum);
  found.sort((one, other) => other[0] - one[0]);
  hits.replaceChildren(...found.slice(0, MOST).map(([, section]) => entry(section, words)));
  const shown = found.length > MOST ? `the best ${MOST} of ` : "";
  status.textContent = words.length ? `${shown}${found.length} section${found.length === 1 ? "" : "s"}` : "";
}
box.value = new URLSearchParams(location.search).get("q") || "";
box.addEventListener("input", search);
search();
