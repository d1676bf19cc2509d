// The page itself: findings, sections, and the figures of each.

const report = JSON.parse(document.getElementById("data").textContent);

function keyValueTable(rows) {
  return make("table", { class: "configuration" }, make("tbody", {}, ...rows.map(([name, value]) => make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value)))));
}

function fold(summary, open, ...content) {
  return make("details", open ? { open: "" } : {}, make("summary", {}, summary), ...content);
}

/** What the model compared, then what the run checked itself. */
function verdictsTable({ checks = [], verdicts }) {
  const own = verdicts.map(([property, holds, detail]) => [checks.length > 0 ? `${property}, by the run itself` : property, holds ? "holds" : "WRONG", detail]);
  return tableElement({ columns: ["property", "verdict", "detail"], rows: [...checks, ...own] });
}

/** Methods of an operation that were run. */
function methodsTable(methods) {
  return tableElement({
    columns: ["method", "stable", "keys per tile", "hash of the output"],
    rows: methods.map(([name, stability, tile, output]) => [name, stability === "stable" ? "yes" : "no", tile > 0 ? tile : "none", output || "not compared"]),
  });
}

/** Buckets that no GPU owns alone, which forced another pass. */
function spanningElements({ columns, rows }) {
  const state = columns.indexOf("state");
  const spanning = rows.filter((row) => row[state] !== "placed");
  return spanning.length === 0 ? [] : [make("h3", {}, "Buckets across borders"),
    make("p", { class: "note" }, "Each is refined by the next pass or, after the last one, cut."), tableElement({ columns, rows: spanning })];
}

/** The first wrong keys of a failure, and the commands that repeat it. */
function failureElements({ places, repeat, smallest }) {
  return [
    ...(places.length > 0 ? [make("h3", {}, "The first wrong keys"), make("ul", { class: "places" }, ...places.map((place) => make("li", {}, place)))] : []),
    ...(repeat ? [make("h3", {}, "Repeat the failure"), make("pre", { class: "repeat" }, repeat)] : []),
    ...(smallest ? [make("h3", {}, "Repeat it with the fewest keys that were found to fail"), make("p", { class: "note" }, smallest[0]), make("pre", { class: "repeat" }, smallest[1])] : []),
  ];
}

/** Figures that have nothing to show, with the reason. */
function notDrawn(figures) {
  return fold("Not drawn", false, make("ul", { class: "absent" }, ...figures.map((figure) =>
    make("li", {}, `${figure.title}: ${figure.empty}`, figure.rows.length > 0 ? tableBehindClick(figure) : ""))));
}

/** The findings that stand at the head; sections do not say them again. */
function headFindings() {
  return report.findings.slice(0, 9);
}

function sectionElement(section, index) {
  const id = `section${index}`;
  const figures = report.figures[index];
  const element = make("section", { id, "aria-labelledby": `${id}-title` }, make("h2", { id: `${id}-title` }, section.title));
  const said = new Set(report.sections.length === 1 ? [section.verdict, ...(section.answers ?? [])] : headFindings()); // at the head of the page
  for (const sentence of [section.verdict, ...(section.answers ?? [])]) {
    if (sentence && !said.has(sentence)) {
      element.append(make("p", { class: sentence === section.verdict && sentence.includes("WRONG") ? "alarm" : "" }, sentence));
    }
  }
  if (section.expected) {
    element.append(make("p", { class: "note" }, "Counts are the distribution's expected values; those of real keys differ slightly."));
  }
  if (section.configuration) {
    element.append(fold("Configuration", window.innerWidth > 640, keyValueTable(section.configuration)));
  }
  if (section.assumptions?.length) {
    element.append(fold("Assumed constants that matter most", false, tableElement({ columns: ["assumed", "may be", "then the sort takes"], rows: section.assumptions })));
  }
  if (section.verdicts?.length || section.checks?.length) {
    element.append(fold("What was checked", section.kind === "foreign", verdictsTable(section)));
  }
  if (section.methods?.length) {
    element.append(make("h3", {}, "Methods"), methodsTable(section.methods));
  }
  for (const figure of figures.filter(({ empty }) => !empty)) {
    element.append(figureElement(id, figure), ...(figure.name === "buckets" ? spanningElements(figure) : []));
  }
  const empty = figures.filter((figure) => figure.empty);
  if (empty.length > 0) {
    element.append(notDrawn(empty));
  }
  if (section.failure) {
    element.append(...failureElements(section.failure));
  }
  return element;
}

function isDark() {
  return (document.documentElement.dataset.theme ?? (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
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
  toggle.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; });
  head.append(make("p", { class: "note" }, "Made by this command:"), make("pre", { class: "repeat" }, report.command), make("div", { class: "tools" }, copy, toggle));
}

fillHead();
report.sections.forEach((section, index) => {
  document.getElementById("sections").append(sectionElement(section, index));
  document.getElementById("contents").append(make("a", { href: `#section${index}` }, section.title));
});
document.getElementById("foot").append(`Made by ${report.program}.`);
requestAnimationFrame(() => setTimeout(() => { document.documentElement.dataset.ready = "yes"; }));
