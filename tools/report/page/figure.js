// Figures: drawings that the program made, with the numbers of each mark at the pointer, zoom along x, and files.

/** The drawing that this width of the page shows, of the wide and the narrow one. */
function visibleSvg(element) {
  return [...element.children].find((svg) => getComputedStyle(svg).display !== "none");
}

// Numbers of marks.

const hover = document.getElementById("hover");

function hideNumbers() {
  hover.hidden = true;
  document.querySelectorAll(".at").forEach((mark) => mark.classList.remove("at"));
}

/** Shows the numbers of a mark, and all marks of the same numbers. */
function showNumbers(figure, mark, x, y) {
  hideNumbers();
  const row = Number(mark.dataset.r);
  mark.ownerSVGElement.closest(".drawing").querySelectorAll(`[data-r="${row}"]`).forEach((one) => one.classList.add("at"));
  const joined = mark.dataset.n ? [make("p", {}, `${formatCount(mark.dataset.n)} neighbours too narrow to draw; the first:`)] : [];
  const cells = figure.columns.flatMap((name, column) => {
    const value = figure.rows[row][column];
    return value === null || value === "" ? [] : [make("dt", {}, name), make("dd", {}, cellText(value))];
  });
  hover.replaceChildren(...joined, make("dl", {}, ...cells));
  hover.hidden = false;
  const { width, height } = hover.getBoundingClientRect();
  hover.style.left = `${Math.max(4, Math.min(x + 14, document.documentElement.clientWidth - width - 4))}px`;
  hover.style.top = `${y + 18 + height > window.innerHeight ? Math.max(4, y - height - 12) : y + 18}px`;
}

/** Shows the numbers of the next or previous mark that is in view. */
function stepMark(figure, step) {
  const svg = visibleSvg(figure.element);
  const marks = [...svg.querySelectorAll("[data-r]")].filter((mark) => {
    const area = mark.closest("svg.zoom");
    const [from, to] = area ? [mark, area].map((one) => one.getBoundingClientRect()) : [];
    return !area || (from.right >= to.left && from.left <= to.right);
  });
  if (marks.length > 0) {
    const place = marks.indexOf(figure.mark);
    figure.mark = marks[(place < 0 && step < 0 ? 0 : place) + step < 0 ? marks.length - 1 : (place + step) % marks.length];
    const { left, width, bottom } = figure.mark.getBoundingClientRect();
    showNumbers(figure, figure.mark, left + width / 2, bottom);
  }
}

// Zoom: the marks are stretched; labels and ticks are not.

/** The smallest of 1, 2, 5 times a power of ten with which at most `count` steps cover `span`. */
function roundStep(span, count) {
  const unit = 10 ** Math.floor(Math.log10(span / count));
  return [1, 2, 5, 10].find((factor) => factor * unit >= (span / count) * (1 - 1e-9)) * unit;
}

/** "1.25 M" of 1.25e6, as the program writes it, with as many digits as ticks of this step need. */
function tickText(value, step) {
  const [size, letter] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]].find(([least]) => Math.abs(value) >= least) ?? [1, ""];
  const unit = size === 1e4 ? 1e3 : size;
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  return `${Number((value / unit).toFixed(digits))}${letter ? ` ${letter}` : ""}`;
}

function areaOf(area) {
  area.dataset.box ??= area.getAttribute("viewBox");
  const [x, y, width, height] = area.dataset.box.split(" ").map(Number);
  return { x, y, width, height, low: Number(area.dataset.low), high: Number(area.dataset.high) };
}

function placeLabels(group, { x, width }, from, to) {
  for (const label of group.children) {
    label.dataset.x ??= label.getAttribute("x");
    const share = ((label.dataset.x - x) / width - from) / (to - from);
    label.setAttribute("x", x + share * width);
    label.style.display = share < 0 || share > 1 ? "none" : "";
  }
}

function placeTicks(group, { x, width, low, high }, from, to) {
  group.firstTicks ??= [...group.children];
  if (from === 0 && to === 1) {
    group.replaceChildren(...group.firstTicks);
    return;
  }
  const line = group.firstTicks.find((part) => part.tagName === "path");
  const text = group.firstTicks.find((part) => part.tagName === "text");
  const lineX = Number(line.getAttribute("d").match(/M([\d.]+)/)[1]);
  const [begin, end] = [from, to].map((share) => low + share * (high - low));
  const step = roundStep(end - begin, Math.max(2, group.firstTicks.length / 2 - 1));
  group.replaceChildren();
  for (let value = Math.ceil(begin / step - 1e-9) * step; value <= end + 1e-9 * step; value += step) {
    const at = x + ((value - begin) / (end - begin)) * width;
    const [tick, label] = [line.cloneNode(), text.cloneNode()];
    tick.setAttribute("transform", `translate(${at - lineX} 0)`);
    label.setAttribute("x", at);
    label.textContent = tickText(value, step);
    group.append(tick, label);
  }
}

/** Shows the part of the x axis between two shares of it. */
function zoomTo(figure, from, to) {
  const length = Math.max(1e-6, Math.min(1, to - from));
  const begin = Math.max(0, Math.min(1 - length, from));
  figure.shown = [begin, begin + length];
  for (const svg of figure.element.children) {
    const areas = [...svg.querySelectorAll("svg.zoom")];
    for (const area of areas) {
      const place = areaOf(area);
      area.setAttribute("viewBox", `${place.x + begin * place.width} ${place.y} ${length * place.width} ${place.height}`);
      if (area.nextElementSibling?.matches(".labels")) {
        placeLabels(area.nextElementSibling, place, begin, begin + length);
      }
    }
    svg.querySelectorAll("g.ticks").forEach((group) => placeTicks(group, areaOf(areas.at(-1)), begin, begin + length));
  }
  hideNumbers();
}

/** Zooms by a factor about a share of what is shown. */
function zoomBy(figure, factor, about = 0.5) {
  const [from, to] = figure.shown;
  const length = Math.min(1, (to - from) / factor);
  const begin = from + about * (to - from - length);
  zoomTo(figure, begin, begin + length);
}

function move(figure, share) {
  const [from, to] = figure.shown;
  zoomTo(figure, from + share * (to - from), to + share * (to - from));
}

/** Where the pointer is on the x axis that is shown, as a share. */
function shareAt(figure, clientX) {
  const svg = visibleSvg(figure.element);
  const rect = svg.getBoundingClientRect();
  const { x, width } = areaOf(svg.querySelector("svg.zoom"));
  return (((clientX - rect.left) / rect.width) * svg.viewBox.baseVal.width - x) / width;
}

/** A wheel over a figure scrolls the page; with Ctrl or Shift it zooms. A zoomed figure is dragged. */
function listenToPointer(figure) {
  const { element } = figure;
  let dragged = null;
  element.addEventListener("pointerdown", (event) => {
    if (figure.zoomable && figure.shown[1] - figure.shown[0] < 1) {
      dragged = shareAt(figure, event.clientX);
    }
  });
  window.addEventListener("pointerup", () => { dragged = null; });
  element.addEventListener("pointermove", (event) => {
    const mark = event.target.closest("[data-r]");
    if (dragged !== null) {
      const at = shareAt(figure, event.clientX);
      move(figure, dragged - at);
      dragged = at;
    } else if (mark) {
      showNumbers(figure, mark, event.clientX, event.clientY);
    } else {
      hideNumbers();
    }
  });
  element.addEventListener("pointerleave", hideNumbers);
  element.addEventListener("wheel", (event) => {
    if (figure.zoomable && (event.ctrlKey || event.shiftKey)) {
      event.preventDefault();
      zoomBy(figure, event.deltaY + event.deltaX < 0 ? 1.4 : 1 / 1.4, shareAt(figure, event.clientX));
    }
  }, { passive: false });
}

/** What each key does. */
function listenToKeys(figure) {
  const actions = {
    ArrowDown: () => stepMark(figure, 1), ArrowUp: () => stepMark(figure, -1), Escape: hideNumbers,
    ...(figure.zoomable && {
      ArrowLeft: () => move(figure, -1 / 8), ArrowRight: () => move(figure, 1 / 8),
      "+": () => zoomBy(figure, 2), "=": () => zoomBy(figure, 2), "-": () => zoomBy(figure, 0.5), 0: () => zoomTo(figure, 0, 1),
    }),
    ...figure.motion?.keys,
  };
  figure.element.addEventListener("keydown", (event) => {
    if (actions[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      actions[event.key]();
    }
  });
  figure.element.addEventListener("blur", hideNumbers);
}

// Files: in the light theme, whatever the page shows.

function download(name, content, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** As in style.css: as wide as the letters that the program measured. */
const drawingFont = "'DejaVu Sans', Verdana, sans-serif";

/** A drawing as the text of an SVG file. */
function svgText(svg, { title, note }) {
  const copy = svg.cloneNode(true);
  const [width, height] = [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height];
  Object.entries({ xmlns: "http://www.w3.org/2000/svg", width: `${width.toFixed(2)}pt`, height: `${height.toFixed(2)}pt`, role: "img", "font-family": drawingFont })
    .forEach(([name, value]) => copy.setAttribute(name, value));
  copy.removeAttribute("id");
  copy.querySelectorAll("[data-r]").forEach((mark) => ["data-r", "data-n", "class"].forEach((name) => mark.removeAttribute(name)));
  const named = (name, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    element.textContent = text;
    return element;
  };
  copy.prepend(named("title", title), named("desc", note));
  const light = document.styleSheets[0].cssRules[0].style;
  return new XMLSerializer().serializeToString(copy).replace(/var\((--\w+)\)/g, (_, name) => light.getPropertyValue(name));
}

/** Three pixels for each that the drawing's size names. */
async function pngOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas", { width: 3 * image.width, height: 3 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

function button(text, label, action) {
  const element = make("button", { type: "button", "aria-label": label }, text);
  element.addEventListener("click", action);
  return element;
}

/** Buttons that save a figure; of an animation, what it shows. */
function saveButtons(figure) {
  const svgNow = () => (figure.motion ? figure.motion.frame() : svgText(figure.element.firstElementChild, figure));
  const save = (format, action) => button(format, `Save as ${format}: ${figure.title}`, action);
  return [
    save("SVG", () => download(`${figure.id}.svg`, svgNow(), "image/svg+xml")),
    save("PNG", async () => download(`${figure.id}.png`, await pngOf(svgNow()), "image/png")),
    save("CSV", () => download(`${figure.id}.csv`, csvOf(figure), "text/csv")),
    ...(figure.motion ? [save("animated SVG", () => download(`${figure.id}-animated.svg`, figure.motion.animated(), "image/svg+xml"))] : []),
  ];
}

function zoomButtons(figure) {
  return figure.zoomable ? [button("+", `Zoom in: ${figure.title}`, () => zoomBy(figure, 2)), button("\u2212", `Zoom out: ${figure.title}`, () => zoomBy(figure, 0.5)),
    button("All", `Show all: ${figure.title}`, () => zoomTo(figure, 0, 1))] : [];
}

/** What a figure shows in one line; how to read it closely behind a fold. */
function noteOf(text, id) {
  const [, first, rest] = text.match(/^(.*?[.:])\s+([A-Z].*)$/s) ?? [null, text, ""];
  return make("div", { class: "note", id }, make("p", {}, first),
    rest ? make("details", { class: "more" }, make("summary", {}, "How to read it"), make("p", {}, rest)) : "");
}

/** A figure with its title, note, drawing, buttons and numbers. */
function figureElement(sectionId, listed) {
  const id = `${sectionId}-${listed.name}`;
  const element = make("div", { class: "drawing", id, tabindex: "0", role: "img", "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-note` },
    ...["wide", "narrow"].map((width) => document.getElementById(`${id}-${width}`)));
  const figure = { ...listed, id, element, shown: [0, 1], mark: null, zoomable: element.querySelector("svg.zoom") !== null };
  figure.motion = element.querySelector(".m") ? motionOf(figure) : null;
  listenToPointer(figure);
  listenToKeys(figure);
  const keys = figure.motion ? "left and right step, space plays and stops"
    : `up and down step through the marks${figure.zoomable ? "; left and right move, + and - zoom, 0 shows all" : ""}`;
  return make("div", {}, make("h3", { id: `${id}-title` }, listed.title), noteOf(listed.note, `${id}-note`), ...(figure.motion ? [figure.motion.controls] : []),
    make("figure", {}, element, make("p", { class: "keys-hint", "aria-hidden": "true" }, `Keys: ${keys}`)),
    make("div", { class: "tools saves" }, ...zoomButtons(figure), ...saveButtons(figure)), tableBehindClick(listed));
}
