"use strict";
// Sorts the tables and draws the charts, from the data in the page: {runs: [{device, copy, measured: [{name, ms, least, n,
// counters}]}], changes: [{device, name, ratio, low, high, change}]}; copy [bytes/s]; ms: median of an iteration.

const data = JSON.parse(document.getElementById("data").textContent);

// Tables.

const valueOf = cell => cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);

function sortBy(head) {
  const table = head.closest("table"), column = head.cellIndex, body = table.tBodies[0];
  const ascending = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const order = (a, b) => {
    const x = valueOf(a.cells[column]), y = valueOf(b.cells[column]);
    if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;  // what has no value comes last
    const by = typeof x === "number" ? x - y : x.localeCompare(y, "en", {numeric: true});
    return ascending ? by : -by;
  };
  body.append(...[...body.rows].sort(order));
}

for (const head of document.querySelectorAll("th")) {
  head.tabIndex = 0;
  head.addEventListener("click", () => sortBy(head));
  head.addEventListener("keydown", event => { if (event.key === "Enter") sortBy(head); });
}

// SVG.

function make(parent, tag, attributes = {}, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

const color = index => `var(--c${index % 8})`;

function short(value) {
  const size = Math.abs(value);
  for (const [unit, factor] of [["G", 1e9], ["M", 1e6], ["k", 1e3]])
    if (size >= factor) return `${Number((value / factor).toPrecision(3))}${unit}`;
  return `${Number(value.toPrecision(3))}`;
}

// Powers of ten within the range; of a short one also some of their multiples.
function logTicks(low, high) {
  const ticks = [], decades = Math.log10(high / low);
  const steps = decades < 0.7 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : decades < 2.5 ? [1, 2, 5] : [1];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); ++p)
    for (const step of steps)
      if (step * 10 ** p >= low * 0.999 && step * 10 ** p <= high * 1.001) ticks.push(step * 10 ** p);
  return ticks;
}

const range = values => [Math.min(...values), Math.max(...values)];

// Draws `draw(svg, width)` into the figure, and again when its width changes.
function keepDrawn(figure, draw) {
  let width = 0;
  const svg = make(figure, "svg");
  const redraw = () => {
    const now = Math.floor(figure.clientWidth);
    if (now === width || now === 0) return;
    width = now;
    svg.replaceChildren();
    const height = draw(svg, width);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
  };
  redraw();
  new ResizeObserver(redraw).observe(figure);
}

function figureIn(place, title, names) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = title;
  figure.append(caption);
  if (names.length > 1) {
    const legend = document.createElement("div");
    legend.className = "legend";
    names.forEach((name, index) => {
      const item = document.createElement("span");
      const dot = document.createElement("i");
      dot.style.background = color(index);
      item.append(dot, name);
      legend.append(item);
    });
    figure.append(legend);
  }
  place.append(figure);
  return figure;
}

// series: [{name, index, points: [{x, y, title}], limit}]; both axes logarithmic. joined: lines between the points.
function logChart(place, title, xLabel, yLabel, series, joined) {
  series = series.filter(s => s.points.length);
  if (!series.length) return;
  const names = [];
  for (const s of series) names[s.index] = s.name;
  const figure = figureIn(place, title, names.filter(Boolean).length > 1 ? names : []);
  keepDrawn(figure, (svg, width) => {
    const left = 52, right = 12, top = 22, bottom = 40, height = 300;
    const points = series.flatMap(s => s.points);
    const [x0, x1] = range(points.map(p => p.x)), [y0, y1] = range([
      ...points.map(p => p.y), ...series.flatMap(s => s.limit ? [s.limit] : [])]);
    const at = (value, low, high, from, to) =>
      from + (to - from) * (Math.log(value / (low / 1.3)) / Math.log(high * 1.3 / (low / 1.3)));
    const x = value => at(value, x0, x1, left, width - right), y = value => at(value, y0, y1, height - bottom, top);
    for (const tick of logTicks(x0 / 1.3, x1 * 1.3))
      make(svg, "text", {x: x(tick), y: height - bottom + 16, "text-anchor": "middle"}, short(tick));
    for (const tick of logTicks(y0 / 1.3, y1 * 1.3)) {
      make(svg, "line", {class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick)});
      make(svg, "text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end"}, short(tick));
    }
    make(svg, "text", {x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle"}, xLabel);
    make(svg, "text", {x: 0, y: 12}, yLabel);
    for (const s of series) {
      if (s.limit)
        make(svg, "line", {class: "limit", x1: left, x2: width - right, y1: y(s.limit), y2: y(s.limit),
                           stroke: color(s.index)});
      if (joined)
        make(svg, "polyline", {points: s.points.map(p => `${x(p.x)},${y(p.y)}`).join(" "), fill: "none",
                               stroke: color(s.index), "stroke-width": 2});
      for (const p of s.points)
        make(make(svg, "circle", {class: "mark", cx: x(p.x), cy: y(p.y), r: 4, fill: color(s.index),
                                  stroke: "var(--page)"}), "title", {}, p.title);
    }
    return height;
  });
}

// rows: [{name, bars: [{index, value, title}]}]
function barChart(place, title, unit, names, rows) {
  if (!rows.length) return null;
  const figure = figureIn(place, `${title} [${unit}]`, names);
  keepDrawn(figure, (svg, width) => {
    const bar = 12, gap = 10, label = Math.min(150, 0.38 * width), room = width - label - 60;
    const most = Math.max(...rows.flatMap(row => row.bars.map(b => b.value)));
    let y = 4;
    for (const row of rows) {
      make(svg, "text", {class: "name", x: 0, y: y + 10}, row.name);
      for (const b of row.bars) {
        const length = Math.max(2, room * b.value / most);
        make(make(svg, "rect", {class: "mark", x: label, y, width: length, height: bar - 2, rx: 2,
                                fill: color(b.index)}), "title", {}, b.title);
        make(svg, "text", {x: label + length + 5, y: y + 9}, short(b.value));
        y += bar;
      }
      y += gap;
    }
    return y;
  });
  return figure;
}

// Measurements whose name begins like that, of all runs: [{run, index, rest, m}], rest: what follows.
const withName = prefix => data.runs.flatMap((run, index) => run.measured
  .filter(m => m.name.startsWith(prefix) && m.n > 0).map(m => ({run, index, rest: m.name.slice(prefix.length), m})));

const devices = data.runs.map(run => run.device);

// By number of grains: lines of a device and method; where there are several devices a chart is of one method.
function sizeCharts(place) {
  const kinds = new Map();
  for (const prefix of ["step/box_falling/", "step/box_rest/", "scaling/size/"])
    for (const found of withName(prefix)) {
      const [method] = found.rest.split("/");
      const kind = data.runs.length > 1 ? `${prefix}${method}` : prefix.slice(0, -1);
      const name = data.runs.length > 1 ? found.run.device : method;
      if (!kinds.has(kind)) kinds.set(kind, new Map());
      const lines = kinds.get(kind);
      if (!lines.has(name)) lines.set(name, {name, index: data.runs.length > 1 ? found.index : lines.size, points: []});
      lines.get(name).points.push({x: found.m.counters.grains, y: found.m.ms,
        title: `${name}, ${found.m.name}: ${short(found.m.ms)} ms a step, overlap ${short(found.m.counters.overlap_mean)} r`});
    }
  for (const [kind, lines] of kinds)
    if ([...lines.values()].some(line => line.points.length > 1))
      logChart(place, kind, "grains", "ms per step", [...lines.values()], true);
}

function otherScaling(place) {
  for (const [prefix, label] of [["scaling/iterations/", "iterations"], ["scaling/bodies/", "bodies + 1"]]) {
    const lines = new Map();
    for (const found of withName(prefix)) {
      const parts = found.rest.split("/"), value = Number(parts.at(-1));
      const name = [found.run.device, ...parts.slice(0, -1)].join(", ");
      if (!lines.has(name)) lines.set(name, {name, index: lines.size, points: []});
      lines.get(name).points.push({x: prefix.includes("bodies") ? value + 1 : value, y: found.m.ms,
                                   title: `${name}, ${value}: ${short(found.m.ms)} ms a step`});
    }
    logChart(place, prefix.slice(0, -1), label, "ms per step", [...lines.values()], true);
  }
}

// Devices side by side, at the most grains that all of them could do.
function deviceBars(place) {
  const kinds = new Map();
  for (const found of withName("step/")) {
    const kind = found.rest.slice(0, found.rest.lastIndexOf("/"));
    const grains = found.m.counters.grains;
    if (!kinds.has(kind)) kinds.set(kind, new Map());
    if (!kinds.get(kind).has(grains)) kinds.get(kind).set(grains, []);
    kinds.get(kind).get(grains).push(found);
  }
  const rows = [];
  for (const [kind, sizes] of kinds) {
    const most = Math.max(...[...sizes.values()].map(of => of.length));
    const grains = Math.max(...[...sizes].filter(([, of]) => of.length === most).map(([n]) => n));
    rows.push({name: `${kind.replace("box_", "")}, ${short(grains)}`, bars: sizes.get(grains).map(found => ({
      index: found.index, value: found.m.counters.ns_per_grain_step,
      title: `${found.run.device}: overlap ${short(found.m.counters.overlap_mean)} r, packing ${short(found.m.counters.packing)}`}))});
  }
  barChart(place, "Time of a grain in a substep", "ns", devices, rows);
}

// A pass has a name of four parts: passes/SCENE/METHOD/GRAINS/PASS.
const passes = () => withName("passes/").filter(found => found.rest.split("/").length === 4);

function passBars(place) {
  const cases = [...new Set(passes().map(found => found.rest.slice(0, found.rest.lastIndexOf("/"))))];
  if (!cases.length) return;
  const select = document.createElement("select");
  select.setAttribute("aria-label", "Case");
  for (const name of cases) select.add(new Option(name));
  place.append(select);
  let figure = null;
  const draw = () => {
    figure?.remove();
    const rows = new Map();
    for (const found of passes().filter(found => found.rest.startsWith(`${select.value}/`))) {
      const pass = found.rest.split("/").at(-1);
      if (!rows.has(pass)) rows.set(pass, {name: pass, bars: []});
      rows.get(pass).bars.push({index: found.index, value: found.m.ms,
                                title: `${found.run.device}, ${pass}: ${short(found.m.ms)} ms a step`});
    }
    const longest = devices.map((_, index) => Math.max(0, ...[...rows.values()]
      .flatMap(row => row.bars.filter(b => b.index === index).map(b => b.value))));
    const share = row => Math.max(...row.bars.map(b => b.value / longest[b.index]));
    figure = barChart(place, "Passes, down to 1 % of a device's longest", "ms per step", devices,
                      [...rows.values()].filter(row => share(row) >= 0.01).sort((a, b) => share(b) - share(a)));
  };
  select.addEventListener("change", draw);
  draw();
}

function roofline(place) {
  const series = data.runs.map((run, index) => ({name: run.device, index, points: [], limit: run.copy}));
  for (const {run, index, m} of passes())
    if (m.counters.bytes_per_s > 0)
      series[index].points.push({x: m.counters.bytes_per_step / m.counters.runs_per_step, y: m.counters.bytes_per_s,
        title: `${run.device}, ${m.name}: ${short(m.counters.bytes_per_s)}B/s, ${Math.round(100 * m.counters.of_copy)} % of a copy`});
  logChart(place, "Bytes per second of a pass, and of a copy (dashed)", "bytes of a run, at least", "bytes/s", series, false);
}

function changeChart(place) {
  const changes = data.changes.filter(c => c.low > 0);
  if (!changes.length) return;
  const figure = figureIn(place, "Time by that of before, with its 95 % interval", []);
  keepDrawn(figure, (svg, width) => {
    const label = Math.min(300, 0.55 * width), row = 18, top = 20;
    const [low, high] = range([1, ...changes.flatMap(c => [c.low, c.high, c.ratio])]);
    const x = value => label + 8 + (width - label - 20) * Math.log(value / low) / Math.log(high / low * 1.0001);
    make(svg, "line", {class: "grid", x1: x(1), x2: x(1), y1: top - 6, y2: top + row * changes.length});
    for (const tick of [low, 1, high])
      make(svg, "text", {x: x(tick), y: 10, "text-anchor": "middle"}, tick.toFixed(2));
    changes.forEach((c, k) => {
      const y = top + row * k + row / 2;
      const fill = c.change === "slower" ? "var(--worse)" : c.change === "faster" ? "var(--better)" : "var(--soft)";
      make(svg, "text", {class: "name", x: 0, y: y + 4}, c.name.length * 6.6 < label ? c.name : `…${c.name.slice(-Math.floor(label / 6.6) + 1)}`);
      make(svg, "line", {x1: x(c.low), x2: x(c.high), y1: y, y2: y, stroke: fill, "stroke-width": 2});
      make(make(svg, "circle", {class: "mark", cx: x(c.ratio), cy: y, r: 4, fill}), "title", {},
           `${c.device}, ${c.name}: ${c.ratio.toFixed(3)}`);
    });
    return top + row * changes.length + 8;
  });
}

const charts = {sizes: sizeCharts, scaling: otherScaling, devices: deviceBars, passes: passBars, roofline, changes: changeChart};
for (const place of document.querySelectorAll("[data-chart]")) charts[place.dataset.chart](place);

// For the test of this page: sorts the first table of measurements both ways, and says how it then stands and whether the
// page is wider than its window.
if (location.hash === "#test") {
  const tell = (id, text) => {
    const output = document.createElement("output");
    output.id = id;
    output.textContent = text;
    document.body.append(output);
  };
  const head = document.querySelector("table.measured th[data-key=ms]");
  for (const way of ["ascending", "descending"]) {
    head.click();
    tell(`test-${way}`, [...head.closest("table").tBodies[0].rows].map(row => valueOf(row.cells[head.cellIndex])).join(" "));
  }
  tell("test-overflow", document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
