// Draws charts of a report's data (keyswap report --json) as one SVG file, without a browser:
//   node draw.mjs --output picture.svg --width 900 --title "Two orders" \
//     --chart data.json,simulation:0,swap-order,"The paper's order" [--chart ...]
// A chart is: file, kind of section and its number among those, chart, caption.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import vm from "node:vm";

const here = dirname(fileURLToPath(import.meta.url));

/** What the page's scripts define, without a page. */
function loadCharts() {
  const context = vm.createContext({ atob, console, setTimeout, clearTimeout, self: {} });
  const scripts = ["vendor/echarts.min.js", "page/data_reader.js", "page/theme.js", "page/bucket_chart.js", "page/run_charts.js",
    "page/link_charts.js", "page/timeline_charts.js", "page/profile_charts.js", "page/study_charts.js", "page/section_charts.js"];
  const text = scripts.map((name) => readFileSync(join(here, name), "utf8")).join("\n");
  return vm.runInContext(`${text}\n({ echarts, chartsOf, lightTheme });`, context);
}

function escapeXml(text) {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function findChart(chartsOf, file, place, id) {
  const document = JSON.parse(readFileSync(file, "utf8"));
  const [kind, number] = place.split(":");
  const section = document.sections.filter((candidate) => candidate.kind === kind)[Number(number)];
  const spec = section && chartsOf(section).find((candidate) => candidate.id === id);
  if (!spec || spec.empty) {
    throw new Error(`${file}: no chart ${id} in section ${place}`);
  }
  return spec;
}

/** A picture without what only a reader's hand can use. */
function still(option) {
  const bottom = (grid) => ({ ...grid, bottom: Math.min(grid.bottom ?? 40, 40) });
  const sliders = option.dataZoom?.length > 0;
  // Without a browser the widths of words are guessed, so the legend gets more room.
  const legend = option.legend && { ...option.legend, type: "plain", itemGap: 36 };
  return { ...option, legend, dataZoom: [], grid: sliders && !Array.isArray(option.grid) ? bottom(option.grid) : option.grid };
}

/** Ids inside the drawing are counted from 0 in each process, so equal data gives equal bytes. */
function drawChart(echarts, spec, theme, width, height, horizon) {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  const option = still(spec.option(theme, width));
  if (horizon !== undefined && option.xAxis) {
    option.xAxis = { ...option.xAxis, max: option.xAxis.min + horizon };
  }
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg.replace(/^<svg /, '<svg overflow="visible" ');
}

function legendSvg(legend, theme, y, width) {
  const room = Math.max(...legend.map((entry) => entry.label.length)) * 7 + 34;
  const perRow = Math.max(1, Math.floor((width - 40) / room));
  const rows = Math.ceil(legend.length / perRow);
  const text = legend.map((entry, index) => {
    const x = 20 + (index % perRow) * room;
    const top = y + Math.floor(index / perRow) * 20;
    return `<rect x="${x}" y="${top}" width="12" height="12" rx="2" fill="${entry.color}"/>` +
      `<text x="${x + 18}" y="${top + 10.5}" font-size="12" fill="${theme.quiet}">${escapeXml(entry.label)}</text>`;
  }).join("\n");
  return { text, height: rows * 20 + 8 };
}

function main() {
  const { values } = parseArgs({
    options: {
      output: { type: "string" }, width: { type: "string", default: "900" }, title: { type: "string" },
      horizon: { type: "string" }, legend: { type: "boolean", default: false }, chart: { type: "string", multiple: true },
    },
  });
  const { echarts, chartsOf, lightTheme: theme } = loadCharts();
  const width = Number(values.width);
  const parts = [];
  let y = 20;
  parts.push(`<text x="20" y="${y + 12}" font-size="17" font-weight="bold" fill="${theme.ink}">${escapeXml(values.title)}</text>`);
  y += 30;
  let legend = null;
  for (const words of values.chart) {
    const [file, place, id, ...caption] = words.split(",");
    const spec = findChart(chartsOf, file, place, id);
    legend = spec.legend ?? legend;
    const height = spec.height - (spec.zoom ? 22 : 0);
    parts.push(`<text x="20" y="${y + 12}" font-size="13" fill="${theme.ink}">${escapeXml(caption.join(","))}</text>`);
    const svg = drawChart(echarts, spec, theme, width - 40, height, values.horizon === undefined ? undefined : Number(values.horizon));
    parts.push(`<g transform="translate(20 ${y + 22})">${svg}</g>`);
    y += height + 34;
  }
  if (values.legend && legend) {
    const drawn = legendSvg(legend, theme, y, width);
    parts.push(drawn.text);
    y += drawn.height;
  }
  writeFileSync(values.output, `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y + 8}" viewBox="0 0 ${width} ${y + 8}" ` +
    `font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">\n<rect width="100%" height="100%" rx="8" fill="${theme.ground}"/>\n${parts.join("\n")}\n</svg>\n`);
}

main();
