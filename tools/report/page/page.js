// The page itself: headings, charts, tables, and what keys do. Text from the document is always set
// as text, never as HTML.

const report = JSON.parse(document.getElementById("data").textContent);
for (const section of report.sections) {
  if (section.channels) {
    section.channels = unpackedRows(section.channels);
  }
}
const drawn = new Map(); // id of the chart's element -> { chart, spec, element }
window.keyswapCharts = drawn;

/** A new element: make("p", { class: "note" }, "text", otherElement). */
function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  element.append(...content);
  return element;
}

/** What a picture shows in one line; how to read it closely behind a fold. */
function noteOf(text, id) {
  const [, first, rest] = text.match(/^(.*?[.:])\s+([A-Z].*)$/s) ?? [null, text, ""];
  return make("div", { class: "note", id }, make("p", {}, first),
    rest ? make("details", { class: "more" }, make("summary", {}, "How to read it"), make("p", {}, rest)) : "");
}

// Theme: the system's, until the reader chooses.
let chosenTheme = null;
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

function currentTheme() {
  const name = chosenTheme ?? (systemDark.matches && !printing ? "dark" : "light");
  return name === "dark" && !printing ? darkTheme : lightTheme;
}

let printing = false;

/** Narrower pages, in pixels, fold what is not a picture. */
const wideFrom = 640;

function applyTheme() {
  document.documentElement.dataset.theme = currentTheme().name;
  for (const entry of drawn.values()) {
    fillLegend(entry);
    if (entry.chart || printing) {
      draw(entry);
    }
  }
  drawings.forEach((fill) => fill());
}

/** Colours with their meaning, above a chart. */
function fillLegend({ spec, legend }, names = []) {
  legend.replaceChildren(...(spec.legend?.(currentTheme()) ?? names).map(({ label, color }) => {
    const box = make("i");
    box.style.background = color;
    return make("li", {}, box, label);
  }));
}

/** A chart's own legend takes one line, through which one would have to page. What does not fit stands above it as lines of text. */
function moveLegend(entry, option) {
  const named = (option.legend ? option.series : []).filter(({ name }) => name);
  const room = named.reduce((pixels, { name }) => pixels + 46 + 6.6 * name.length, 0); // about
  if (named.length > 0 && (entry.element.clientWidth < wideFrom || room > entry.element.clientWidth)) {
    fillLegend(entry, named.map(({ name, color, itemStyle }) => ({ label: name, color: color ?? itemStyle.color })));
    option.legend.show = false;
    option.grid.top = 14;
  }
}

// Tables.

const tableRowsMost = 1000;

function cellText(value) {
  if (typeof value !== "number") {
    return String(value);
  }
  return Number.isInteger(value) ? formatCount(value) : String(Number(value.toPrecision(6)));
}

function fillTable(table, spec) {
  table.append(make("thead", {}, make("tr", {}, ...spec.columns.map((name) => make("th", { scope: "col" }, name)))));
  const body = make("tbody");
  let shown = 0;
  for (const row of spec.rows()) {
    if (shown++ === tableRowsMost) {
      break;
    }
    body.append(make("tr", {}, ...row.map((value) => make("td", typeof value === "number" ? { class: "number" } : {}, cellText(value)))));
  }
  table.append(body);
  return shown > tableRowsMost;
}

/** The numbers of a chart behind a click; made when they are asked for. */
function tableBehindClick(spec) {
  const details = make("details", {}, make("summary", {}, "Numbers as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) {
      return;
    }
    const table = make("table");
    const cut = fillTable(table, spec);
    const words = cut ? `The first ${formatCount(tableRowsMost)} rows${spec.count ? ` of ${formatCount(spec.count)}` : ""}.` : "";
    details.append(make("p", { class: "note" }, words), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, table));
  });
  return details;
}

// Charts.

function draw(entry) {
  const { spec, element } = entry;
  const before = entry.chart?.getOption()?.dataZoom?.map(({ start, end }) => ({ start, end }));
  entry.chart?.dispose();
  const chart = echarts.init(element, null, { renderer: spec.canvas ? "canvas" : "svg" });
  entry.chart = chart;
  entry.mark = -1;
  const option = spec.option(currentTheme(), element.clientWidth);
  fillLegend(entry);
  moveLegend(entry, option);
  chart.setOption(option);
  if (spec.update) {
    chart.on("dataZoom", () => updateMarks(entry));
  }
  if (before?.length && before[0].end - before[0].start < 100) {
    zoomTo(entry, before[0].start, before[0].end);
  }
}

/** What a zoomed chart shows of its axis. */
function visibleRange(entry) {
  const { start, end, startValue, endValue } = entry.chart.getOption().dataZoom[0];
  const axis = entry.chart.getOption().xAxis[0];
  const length = axis.max - axis.min;
  return Number.isFinite(startValue) && Number.isFinite(endValue) ? [startValue, endValue]
    : [axis.min + (length * start) / 100, axis.min + (length * end) / 100];
}

function updateMarks(entry) {
  entry.chart.setOption(entry.spec.update(...visibleRange(entry), entry.element.clientWidth));
}

function zoomTo(entry, start, end) {
  const length = Math.min(100, end - start);
  const from = Math.max(0, Math.min(100 - length, start));
  entry.chart.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, start: from, end: from + length });
}

/** Shows the hover text of the next or previous mark. */
function stepMark(entry, step) {
  const series = entry.chart.getOption().series[0];
  const marks = (series.data ?? []).length + (series.type === "graph" ? 0 : (series.links ?? []).length);
  if (marks === 0) {
    return;
  }
  const limits = entry.spec.zoom && entry.chart.getOption().xAxis[0].type === "value" ? visibleRange(entry) : null;
  for (let tries = 0; tries < marks; ++tries) {
    entry.mark = (entry.mark + step + marks) % marks;
    const value = series.data[entry.mark];
    const inView = !limits || !Array.isArray(value) || (value[1] > limits[0] && value[0] < limits[1]);
    if (inView) {
      break;
    }
  }
  entry.chart.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex: entry.mark });
}

function onKey(entry, event) {
  const zoom = entry.spec.zoom ? entry.chart.getOption().dataZoom[0] : null;
  const length = zoom ? zoom.end - zoom.start : 0;
  const middle = zoom ? (zoom.start + zoom.end) / 2 : 0;
  const actions = {
    ArrowDown: () => stepMark(entry, 1),
    ArrowUp: () => stepMark(entry, -1),
    Escape: () => entry.chart.dispatchAction({ type: "hideTip" }),
  };
  if (zoom) {
    Object.assign(actions, {
      ArrowLeft: () => zoomTo(entry, zoom.start - length / 8, zoom.end - length / 8),
      ArrowRight: () => zoomTo(entry, zoom.start + length / 8, zoom.end + length / 8),
      "+": () => zoomTo(entry, middle - length / 4, middle + length / 4),
      "=": () => zoomTo(entry, middle - length / 4, middle + length / 4),
      "-": () => zoomTo(entry, middle - length, middle + length),
      0: () => zoomTo(entry, 0, 100),
    });
  }
  if (actions[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    actions[event.key]();
  }
}

const whenSeen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      whenSeen.unobserve(target);
      draw(drawn.get(target.id));
    }
  }
}, { rootMargin: "400px" });

function chartFigure(sectionId, spec) {
  const id = `${sectionId}-${spec.id}`;
  const heading = make("h3", { id: `${id}-title` }, spec.title);
  if (spec.empty) {
    return make("div", { class: "absent", id }, heading, make("p", { class: "note" }, spec.empty), spec.tableIfEmpty ? tableBehindClick(spec.table) : "");
  }
  const element = make("div", {
    class: "chart", id, tabindex: "0", role: "img", style: `height:${spec.height}px`, "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-note`,
  });
  const legend = make("ul", { class: "legend" });
  const entry = { spec, element, legend, chart: null, mark: -1 };
  drawn.set(id, entry);
  element.addEventListener("keydown", (event) => entry.chart && onKey(entry, event));
  whenSeen.observe(element);
  const hint = make("p", { class: "keys-hint", "aria-hidden": "true" }, `Keys: up and down step through the marks${spec.zoom ? "; left and right move, + and - zoom, 0 shows all" : ""}`);
  return make("div", {}, heading, noteOf(spec.note, `${id}-note`), legend,
    make("figure", {}, element, hint), make("div", { class: "tools saves" }, ...saveButtons(id, spec.title, () => svgOfChart(entry), spec.table)), tableBehindClick(spec.table));
}

// The page.

function keyValueTable(rows) {
  return make("table", { class: "configuration" }, make("tbody", {}, ...rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value)))));
}

/** Longer tables that are always open would make a page slow to open. */
const openRowsMost = 200;

function openTable(spec) {
  const table = make("table");
  const rows = [...spec.rows()];
  fillTable(table, { ...spec, rows: () => rows.slice(0, openRowsMost) });
  const scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, table);
  return rows.length <= openRowsMost ? scroll
    : make("div", {}, make("p", { class: "note" }, `The first ${openRowsMost} of ${formatCount(rows.length)}.`), scroll);
}

/** What the model compared, then what the run checked itself. */
function verdictsTable(section) {
  const own = section.verdicts.map(([property, holds, detail]) => [property, holds ? "holds" : "WRONG", detail]);
  const compared = section.checks ?? [];
  return openTable({ columns: ["property", "verdict", "detail"], rows: () => [...compared, ...own.map(([property, ...rest]) => [compared.length > 0 ? `${property}, by the run itself` : property, ...rest])] });
}

function assumptionsTable(section) {
  return openTable({ columns: ["assumed", "may be", "then the sort takes"], rows: () => section.assumptions });
}

function sectionElement(section, index) {
  const id = `section${index}`;
  const element = make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, section.title));
  const said = new Set(report.sections.length === 1 ? [section.verdict, ...(section.answers ?? [])] : headFindings()); // at the head of the page
  if (section.verdict && !said.has(section.verdict)) {
    element.append(make("p", { class: section.verdict.includes("WRONG") ? "alarm" : "" }, section.verdict));
  }
  for (const answer of section.answers ?? []) {
    if (answer && !said.has(answer)) {
      element.append(make("p", {}, answer));
    }
  }
  if (section.expected) {
    element.append(make("p", { class: "note" }, "Counts are the distribution's expected values; those of real keys differ slightly."));
  }
  if (section.configuration) {
    const open = window.innerWidth > wideFrom ? { open: "" } : {};
    element.append(make("details", open, make("summary", {}, "Configuration"), keyValueTable(section.configuration)));
  }
  if (section.assumptions?.length) {
    element.append(make("details", {}, make("summary", {}, "Assumed constants that matter most"), assumptionsTable(section)));
  }
  if (section.verdicts?.length || section.checks?.length) {
    const open = section.kind === "foreign" ? { open: "" } : {}; // there is nothing else to see
    element.append(make("details", open, make("summary", {}, "What was checked"), verdictsTable(section)));
  }
  if (section.methods?.length) {
    element.append(make("h3", {}, "Methods"), openTable(methodsTable(section)));
  }
  for (const spec of chartsOf(section)) {
    element.append(chartFigure(id, spec));
    if (section.kind === "run" && spec.id === "buckets" && spanningTable(section).rows().length > 0) {
      element.append(make("h3", {}, "Buckets across borders"), make("p", { class: "note" }, "Each is refined by the next pass or, after the last one, cut."), openTable(spanningTable(section)));
    }
  }
  for (const drawing of report.drawings?.[index] ?? []) {
    element.append(drawingFigure(`${id}-${drawing.name}`, drawing));
  }
  if (section.kind === "foreign") {
    element.append(...failureElements(section));
  }
  return element;
}

/** The findings that stand at the head; sections do not say them again. */
function headFindings() {
  return report.findings.slice(0, 9);
}

function fillHead() {
  const head = document.getElementById("head");
  head.append(make("h1", {}, report.title));
  const [main, ...rest] = headFindings();
  if (main) {
    head.append(make("p", { class: main.includes("WRONG") ? "main-finding alarm" : "main-finding", id: "main-finding" }, main));
  }
  head.append(make("ul", { class: "findings" }, ...rest.map((finding) => make("li", {}, finding))));
  const copy = make("button", { type: "button" }, "Copy");
  copy.addEventListener("click", () => navigator.clipboard?.writeText(report.command).then(() => { copy.textContent = "Copied"; }));
  const toggle = make("button", { type: "button", id: "theme" }, "Light or dark");
  toggle.addEventListener("click", () => {
    chosenTheme = currentTheme().name === "dark" ? "light" : "dark";
    applyTheme();
  });
  head.append(make("p", { class: "note" }, "Made by this command:"), make("pre", {}, report.command), make("div", { class: "tools" }, copy, toggle));
}

function start() {
  fillHead();
  const sections = document.getElementById("sections");
  report.sections.forEach((section, index) => {
    sections.append(sectionElement(section, index));
    document.getElementById("contents").append(make("a", { href: `#section${index}` }, section.title));
  });
  document.getElementById("foot").append(`Made by ${report.program}. Charts by Apache ECharts ${echarts.version} (Apache-2.0), included in this file.`,
    make("details", {}, make("summary", {}, "Licences"), make("pre", { id: "licence-text" }, document.getElementById("licences").textContent)));
  applyTheme();
}

systemDark.addEventListener("change", applyTheme);
window.addEventListener("beforeprint", () => {
  printing = true;
  applyTheme();
});
window.addEventListener("afterprint", () => {
  printing = false;
  applyTheme();
});
let resizing = 0;
let widthBefore = window.innerWidth;
window.addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    if (window.innerWidth !== widthBefore) {
      widthBefore = window.innerWidth;
      for (const entry of drawn.values()) {
        if (entry.chart) {
          draw(entry);
        }
      }
    }
  }, 150);
});
start();
requestAnimationFrame(() => setTimeout(() => {
  document.documentElement.dataset.ready = "yes";
  for (const entry of drawn.values()) {
    if (entry.chart && entry.spec.prepare) {
      (window.requestIdleCallback ?? setTimeout)(entry.spec.prepare);
    }
  }
}));
