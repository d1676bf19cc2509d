// Files of charts: SVG, PNG and CSV. A file has the light theme, its title and the meaning of its colours, whatever the page shows.

/** Pixels. */
const fileWidth = 900;
const fileMargin = 16;

function download(name, content, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A chart's option without what only a reader's hand can use; zoomed as the reader sees it. */
function stillOption(entry, option) {
  const { start = 0, end = 100 } = entry.chart?.getOption()?.dataZoom?.[0] ?? {};
  const axis = option.dataZoom?.[0]?.xAxisIndex;
  const sliders = option.dataZoom?.length > 0;
  const lower = (grid) => ({ ...grid, bottom: Math.min(grid.bottom ?? 40, 40) });
  return {
    ...option, ...(option.legend && { legend: { ...option.legend, type: "plain" } }),
    dataZoom: sliders ? [{ type: "inside", filterMode: "none", xAxisIndex: axis, start, end }] : [],
    grid: sliders && !Array.isArray(option.grid) ? lower(option.grid) : option.grid,
  };
}

/** The chart in a div that nobody sees, as the SVG that ECharts makes of it. */
function chartSvg(entry, height) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: fileWidth - 2 * fileMargin, height });
  const { spec } = entry;
  chart.setOption(stillOption(entry, spec.option(lightTheme, fileWidth - 2 * fileMargin)));
  if (spec.update && spec.zoom && entry.chart) {
    chart.setOption(spec.update(...visibleRange(entry), fileWidth - 2 * fileMargin));
    spec.update(...visibleRange(entry), entry.element.clientWidth);
  }
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg.replace(/^<svg /, '<svg overflow="visible" ');
}

/** Boxes with what they mean, in as many lines as they need: [their SVG, its height]. */
function legendSvg(legend, top) {
  let x = fileMargin;
  let y = top + 12;
  const boxes = legend.map(({ label, color }) => {
    const room = 30 + 7 * label.length;
    if (x > fileMargin && x + room > fileWidth - fileMargin) {
      x = fileMargin;
      y += 20;
    }
    const box = `<rect x="${x}" y="${y - 10}" width="12" height="12" fill="${color}"/><text x="${x + 17}" y="${y}" font-size="12" fill="${lightTheme.ink}">${escapeHtml(label)}</text>`;
    x += room;
    return box;
  });
  return boxes.length > 0 ? [boxes.join(""), y + 12 - top] : ["", 0];
}

/** A chart as the text of an SVG file. */
function svgOfChart(entry) {
  const { spec } = entry;
  const height = spec.height - (spec.zoom ? 22 : 0);
  const [boxes, room] = legendSvg(spec.legend?.(lightTheme) ?? [], 38);
  const all = height + room + 48;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${fileWidth}" height="${all}" viewBox="0 0 ${fileWidth} ${all}" role="img" font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">\n` +
    `<title>${escapeHtml(spec.title)}</title>\n<desc>${escapeHtml(spec.note ?? "")}</desc>\n<rect width="100%" height="100%" fill="${lightTheme.ground}"/>\n` +
    `<text x="${fileMargin}" y="26" font-size="16" font-weight="bold" fill="${lightTheme.ink}">${escapeHtml(spec.title)}</text>\n${boxes}\n` +
    `<g transform="translate(${fileMargin} ${38 + room})">${chartSvg(entry, height)}</g>\n</svg>\n`;
}

/** A drawing as a picture of pixels, twice as many as its size names. */
async function pngOfSvg(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

/** A field of a CSV file (RFC 4180), with as many digits as the page carries. Spreadsheets would run what begins like a formula: it gets a leading quote. */
function csvField(value) {
  const text = typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(7))) : String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

function csvOf(table) {
  const lines = [table.columns.map(csvField).join(",")];
  for (const row of table.rows()) {
    lines.push(row.map(csvField).join(","));
  }
  return `${lines.join("\n")}\n`;
}

/** Buttons that save a chart. @param svgOf gives the text of its SVG file */
function saveButtons(name, title, svgOf, table) {
  const button = (format, save) => {
    const element = make("button", { type: "button", "aria-label": `Save as ${format}: ${title}` }, format);
    element.addEventListener("click", save);
    return element;
  };
  return [
    button("SVG", () => download(`${name}.svg`, svgOf(), "image/svg+xml")),
    button("PNG", async () => download(`${name}.png`, await pngOfSvg(svgOf()), "image/png")),
    ...(table ? [button("CSV", () => download(`${name}.csv`, csvOf(table), "text/csv"))] : []),
  ];
}
