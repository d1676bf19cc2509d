// Elements, numbers as people read them, and tables. Text from the document is always set as text, never as HTML.

/** A new element: make("p", { class: "note" }, "text", otherElement). */
function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  element.append(...content);
  return element;
}

/** Made once: number.toLocaleString() makes one for every number, which a long table shows. */
const groupedDigits = new Intl.NumberFormat("en-US");

function formatCount(count) {
  return groupedDigits.format(Math.round(count));
}

function cellText(value) {
  if (typeof value !== "number") {
    return String(value ?? "");
  }
  return Number.isInteger(value) ? formatCount(value) : String(Number(value.toPrecision(6)));
}

/** Longer tables behind a click, and longer ones that are always there, would make a page slow; what is cut is said. */
const tableRowsMost = 1000;
const openRowsMost = 200;

/** A table in a box that scrolls. */
function tableElement({ columns, rows }, most = openRowsMost) {
  const cells = (row) => row.map((value) => make("td", typeof value === "number" ? { class: "number" } : {}, cellText(value)));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.slice(0, most).map((row) => make("tr", {}, ...cells(row)))));
  const scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" }, table);
  return rows.length <= most ? scroll
    : make("div", {}, make("p", { class: "note" }, `The first ${formatCount(most)} of ${formatCount(rows.length)} rows.`), scroll);
}

/** The numbers of a figure behind a click; made when they are asked for. */
function tableBehindClick(figure) {
  const details = make("details", {}, make("summary", {}, "Numbers as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) {
      return;
    }
    if (figure.rows.length < figure.rows_all) {
      details.append(make("p", { class: "note" }, `Of ${formatCount(figure.rows_all)} rows those that are drawn; --figure ${figure.name} --out FILE.csv writes all.`));
    }
    details.append(tableElement(figure, tableRowsMost));
  });
  return details;
}

/** A field of a CSV file (RFC 4180). Spreadsheets would run what begins like a formula: it gets a leading quote. */
function csvField(value) {
  const text = String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

function csvOf({ columns, rows }) {
  return [columns, ...rows].map((row) => `${row.map(csvField).join(",")}\n`).join("");
}
