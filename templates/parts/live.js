// The live figure: the curves of the page's data, drawn as its controls say. Times are in seconds, rates in bytes per second.
const data = JSON.parse(document.getElementById("data").textContent);
const live = document.getElementById("live");
const UNITS = {
  throughput: { "MB/s": 1e6, "GB/s": 1e9, "Mbit/s": 125e3, "bytes/µs": 1e6 },
  "message rate": { "messages/s": 1, "million messages/s": 1e6 },
  "time per message": { µs: 1e-6, ns: 1e-9, ms: 1e-3 },
  ratio: { "times as fast": 1 },
};
const COLOURS = ["var(--blue)", "#d55e00", "var(--violet)", "#009e73", "#cc79a7", "#e69f00", "var(--grey)"];
const VARIABLES = {
  "#0072b2": "var(--blue)",
  "#7b6888": "var(--violet)",
  "#767676": "var(--grey)",
  "#000000": "var(--ink)",
};
const DASHES = { solid: "", dashed: "6 3", dotted: "2 3", none: "" };
const LINE = 14,
  BELOW = 38,
  LEFT = 58,
  TOP = 10;
let drawing = {};

function control(name) {
  return live.querySelector("[name=" + name + "]");
}
function element(name, attributes, ...inside) {
  const made = name.startsWith("html:")
    ? document.createElement(name.slice(5))
    : document.createElementNS("http://www.w3.org/2000/svg", name);
  Object.entries(attributes).forEach((pair) => made.setAttribute(...pair));
  made.append(...inside);
  return made;
}
function digits(value) {
  return String(Number(value.toPrecision(4)));
}
function sizeWords(size) {
  const [by, units] = size % 1024 ? [1000, ["B", "kB", "MB", "GB"]] : [1024, ["B", "KiB", "MiB", "GiB"]];
  const power = size < by ? 0 : Math.min(3, Math.floor(Math.log(size) / Math.log(by) + 1e-9));
  return `${digits(size / by ** power)} ${units[power]}`;
}

// The seconds of a point [size, value, low, high, n], of its value and of the ends of its interval if it has one.
function seconds(curve, point) {
  const values = point.length === 5 ? point.slice(1, 4) : [point[1], point[1], point[1]];
  return values.map((value) => (curve.time ? value : point[0] / value));
}
// The same point in the chosen quantity and unit.
function asked(curve, point, base) {
  const size = point[0],
    times = seconds(curve, point),
    quantity = control("quantity").value;
  const unit = UNITS[quantity][control("unit").value];
  const under = base.points.find((each) => each[0] === size);
  if (quantity === "ratio" && !under) return null;
  const of = { throughput: size, "message rate": 1 }[quantity];
  let values = times.map((time) => (of ? of / time : time) / unit);
  if (quantity === "ratio") {
    // The widest interval that the intervals of both allow.
    const [middle, ...ends] = seconds(base, under);
    values = [middle / times[0], ...ends.flatMap((end) => times.slice(1).map((time) => end / time))];
  }
  const ends = values.slice(1);
  return [size, values[0], Math.min(...ends), Math.max(...ends), point.length > 2 ? point[point.length - 1] : 0];
}
function chosen() {
  const from = live.querySelector("[name=source]:checked").value;
  const picked = new Set(Array.from(live.querySelectorAll("[name=series]:checked"), (box) => box.value));
  const base = data.run.find((curve) => curve.name === control("base").value);
  const curve = (each, isFaint) => ({
    ...each,
    isFaint,
    words: isFaint ? "this run: " + each.words : each.words,
    at: data.run.findIndex((one) => one.name === each.name),
    points: each.points.map((point) => asked(each, point, base)).filter(Boolean),
  });
  const main = from === "published" ? data.published : data[from].filter((each) => picked.has(each.name));
  const behind = from === "run" ? [] : data.run.filter((each) => picked.has(each.name));
  return [...behind.map((each) => curve(each, true)), ...main.map((each) => curve(each, false))].filter(
    (each) => each.points.length,
  );
}

// An axis: where a value lies between two ends, and where its ticks are.
function axis(values, from, to, isLog, most, root) {
  let low = Math.min(...values),
    high = Math.max(...values);
  if (!isLog) low = Math.min(0, low);
  if (low === high) high = isLog ? low * 2 : low + 1;
  const on = isLog ? Math.log : (value) => value;
  const room = (on(high) - on(low)) * 0.03,
    first = on(low) - (isLog ? room : 0),
    last = on(high) + room;
  return {
    at: (value) => from + ((on(value) - first) / (last - first)) * (to - from),
    ticks: ticks(low, high, isLog, most, root),
  };
}
function ticks(low, high, isLog, most, root) {
  const found = [];
  if (isLog) {
    const powers =
      Math.floor(Math.log(high) / Math.log(root) + 1e-9) - Math.ceil(Math.log(low) / Math.log(root) - 1e-9);
    const stride = Math.max(1, Math.ceil((powers + 1) / most)),
      parts = powers < 2 && root === 10 ? [1, 2, 5] : [1];
    const begin = root === 2 ? Math.ceil(Math.log2(low) - 1e-9) : Math.floor(Math.log10(low));
    for (let power = begin; root ** power <= high * 1.001; power += stride)
      found.push(...parts.map((part) => part * root ** power));
  } else {
    const rough = high / most,
      step =
        root === 2
          ? 2 ** Math.ceil(Math.log2(rough))
          : [1, 2, 5, 10].map((each) => each * 10 ** Math.floor(Math.log10(rough))).find((each) => each >= rough);
    for (let value = 0; value <= high; value += step) found.push(value);
  }
  return found.filter((value) => value >= low * 0.999 && value <= high * 1.001);
}

function draw() {
  const curves = chosen(),
    place = document.getElementById("drawing"),
    width = Math.max(280, place.clientWidth),
    height = Math.min(430, Math.max(230, width * 0.58));
  const longest = Math.max(0, ...curves.map((curve) => curve.words.length)),
    right = width - Math.min(width * 0.34, longest * 6.6 + 14),
    bottom = height - BELOW;
  const picture = element("svg", {
    role: "img",
    viewBox: `0 0 ${width} ${height}`,
    "aria-label": `${control("quantity").value} against message size; the slider below reads its values`,
  });
  place.replaceChildren(picture);
  drawing = {
    curves,
    sizes: [...new Set(curves.flatMap((curve) => curve.points.map((point) => point[0])))].sort((a, b) => a - b),
  };
  control("size").max = Math.max(0, drawing.sizes.length - 1);
  if (!curves.length) return tell();
  const x = axis(drawing.sizes, LEFT, right, control("logx").checked, Math.max(2, (right - LEFT) / 70), 2);
  const limits =
    control("quantity").value === "throughput"
      ? data.limits.map(([words, value]) => [words, value / UNITS.throughput[control("unit").value]])
      : [];
  const seen = curves.flatMap((curve) => curve.points.map((point) => point[1])).concat(limits.map((limit) => limit[1]));
  const y = axis(seen, bottom, TOP, control("logy").checked, Math.max(3, height / 40), 10);
  for (const value of x.ticks)
    picture.append(
      element("path", { class: "grid", d: `M${x.at(value)} ${TOP}V${bottom}` }),
      element("text", { x: x.at(value), y: bottom + 15, "text-anchor": "middle" }, sizeWords(value)),
    );
  for (const value of y.ticks)
    picture.append(
      element("path", { class: "grid", d: `M${LEFT} ${y.at(value)}H${right}` }),
      element("text", { x: LEFT - 5, y: y.at(value) + 4, "text-anchor": "end" }, digits(value)),
    );
  const unit =
    control("quantity").value === "ratio" ? `times as fast as ${control("base").value}` : control("unit").value;
  picture.append(
    element("text", { x: (LEFT + right) / 2, y: height - 4, "text-anchor": "middle" }, "message size"),
    element("text", { "text-anchor": "middle", transform: `translate(11 ${(TOP + bottom) / 2}) rotate(-90)` }, unit),
  );
  for (const [words, value] of limits)
    picture.append(
      element("path", { class: "limit", d: `M${LEFT} ${y.at(value)}H${right}` }),
      element("text", { x: LEFT + 4, y: y.at(value) - 4 }, words),
    );
  curves.forEach((curve, place) => line(picture, curve, place, x, y));
  names(picture, curves, right, x, y, bottom);
  picture.append(element("path", { class: "reading" }));
  Object.assign(drawing, { x, bottom, picture, width });
  tell();
}
function line(picture, curve, place, x, y) {
  const at = curve.at < 0 ? place : curve.at,
    [colour, dashes, isOpen] = curve.look.length
      ? curve.look
      : [COLOURS[at % COLOURS.length], Object.keys(DASHES)[Math.floor(at / COLOURS.length) % 3], false];
  curve.colour = VARIABLES[colour.toLowerCase()] || colour;
  const group = element("g", { stroke: curve.colour, fill: "none", opacity: curve.isFaint ? 0.45 : 1 });
  group.append(
    element("path", {
      "stroke-dasharray": DASHES[dashes],
      "stroke-width": 1.5,
      d: curve.points.map((point, index) => `${index ? "L" : "M"}${x.at(point[0])} ${y.at(point[1])}`).join(""),
    }),
  );
  for (const [size, value, low, high] of curve.isFaint ? [] : curve.points) {
    if (low < high) group.append(element("path", { d: `M${x.at(size)} ${y.at(low)}V${y.at(high)}` }));
    group.append(
      element("circle", { cx: x.at(size), cy: y.at(value), r: 3, fill: isOpen ? "var(--paper)" : curve.colour }),
    );
  }
  picture.append(group);
}
// Names at the ends of the lines, from top to bottom and a line apart.
function names(picture, curves, right, x, y, bottom) {
  const ends = curves
    .map((curve) => ({ curve, at: y.at(curve.points[curve.points.length - 1][1]) }))
    .sort((a, b) => a.at - b.at);
  let above = TOP - LINE;
  for (const end of ends) above = end.at = Math.max(end.at, above + LINE);
  let below = bottom + LINE;
  for (const end of ends.reverse()) below = end.at = Math.min(end.at, below - LINE);
  for (const { curve, at } of ends) {
    const [size, value] = curve.points[curve.points.length - 1];
    picture.append(
      element("path", { class: "leader", stroke: curve.colour, d: `M${x.at(size)} ${y.at(value)}L${right + 8} ${at}` }),
      element("text", { x: right + 10, y: at + 4 }, curve.words),
    );
  }
}

// What the curves are at the slider's size: a line in the picture, and words.
function tell() {
  const slider = control("size"),
    size = drawing.sizes[slider.value];
  if (size === undefined) return live.querySelector("output").replaceChildren("No series is chosen.");
  slider.setAttribute("aria-valuetext", sizeWords(size));
  if (drawing.picture)
    drawing.picture.querySelector(".reading").setAttribute("d", `M${drawing.x.at(size)} ${TOP}V${drawing.bottom}`);
  const unit = control("quantity").value === "ratio" ? "" : " " + control("unit").value;
  const read = drawing.curves.flatMap((curve) =>
    curve.points
      .filter((point) => point[0] === size)
      .map(
        ([, value, low, high, n]) =>
          `${curve.words} ${digits(value)}${unit}${digits(low) !== digits(high) ? ` [${digits(low)}, ${digits(high)}]` : ""}${n ? `, n = ${n}` : ""}`,
      ),
  );
  live
    .querySelector("output")
    .replaceChildren(element("html:strong", {}, sizeWords(size)), ": " + read.join("; ") + ".");
}
function hover(event) {
  if (!drawing.picture) return;
  const box = drawing.picture.getBoundingClientRect(),
    at = ((event.clientX - box.left) / box.width) * drawing.width;
  const near = drawing.sizes.map((size) => Math.abs(drawing.x.at(size) - at));
  control("size").value = near.indexOf(Math.min(...near));
  tell();
}
function options(select, values) {
  select.replaceChildren(...values.map((value) => element("html:option", {}, value)));
}
function begin() {
  options(control("quantity"), Object.keys(UNITS));
  control("quantity").value = data.run[0].time ? "time per message" : "throughput";
  options(control("unit"), Object.keys(UNITS[control("quantity").value]));
  options(
    control("base"),
    data.run.map((curve) => curve.name),
  );
  for (const curve of data.run) {
    const box = element("html:input", { type: "checkbox", name: "series", value: curve.name });
    box.checked = data.shown.includes(curve.name);
    live
      .querySelector(".series")
      .append(
        element("html:label", {}, box, curve.words === curve.name ? curve.name : `${curve.words} (${curve.name})`),
      );
  }
  live.hidden = false;
  const figure = data.figure && document.getElementById("figure:" + data.figure);
  if (figure) {
    figure.classList.add("still");
    figure.prepend(live);
  }
  control("size").max = 1e6;
  draw();
  control("size").value = control("size").max;
  tell();
}
live.addEventListener("change", (event) => {
  if (event.target.name === "quantity") {
    options(control("unit"), Object.keys(UNITS[event.target.value]));
    live.querySelector(".base").hidden = event.target.value !== "ratio";
  }
  draw();
});
control("size").addEventListener("input", tell);
document.getElementById("drawing").addEventListener("pointermove", hover);
addEventListener("resize", draw);
if (data.run.length) begin();
