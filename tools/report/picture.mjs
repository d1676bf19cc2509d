// A picture of several charts below each other as one SVG file, drawn without a browser by the page's own scripts.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

const here = dirname(fileURLToPath(import.meta.url));

/** What the page's scripts define, without a page. */
function loadPage() {
  const context = vm.createContext({ atob, console, setTimeout, clearTimeout, self: {} });
  const scripts = ["vendor/echarts.min.js", "page/data_reader.js", "page/theme.js", "page/bucket_chart.js", "page/run_charts.js", "page/operation_charts.js",
    "page/link_charts.js", "page/timeline_charts.js", "page/profile_charts.js", "page/study_charts.js", "page/sweep_charts.js", "page/failure_chart.js", "page/section_charts.js"];
  const text = scripts.map((name) => readFileSync(join(here, name), "utf8")).join("\n");
  return vm.runInContext(`${text}\n({ echarts, chartsOf, lightTheme, okabeIto, baseOption, axisLook, legendLook });`, context);
}

export const page = loadPage();
const theme = page.lightTheme;

function escapeXml(text) {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** A chart's option without what only a reader's hand can use. */
function still(option) {
  const bottom = (grid) => ({ ...grid, bottom: Math.min(grid.bottom ?? 40, 40) });
  const sliders = option.dataZoom?.length > 0;
  // Without a browser the widths of words are guessed, so the legend gets more room.
  const legend = option.legend && { ...option.legend, type: "plain", itemGap: 36 };
  return { ...option, legend, dataZoom: [], grid: sliders && !Array.isArray(option.grid) ? bottom(option.grid) : option.grid };
}

/** Ids inside the drawing are counted from 0 in each process, so equal data gives equal bytes. */
function drawChart(spec, width, height, horizon) {
  const chart = page.echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  const option = still(spec.option(theme, width));
  if (horizon !== undefined && option.xAxis) {
    option.xAxis = { ...option.xAxis, max: option.xAxis.min + horizon };
  }
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg.replace(/^<svg /, '<svg overflow="visible" ');
}

/** Title, charts and legend are added from top to bottom. */
export class Picture {
  #width;
  #parts = [];
  #y = 20;

  constructor(width, title) {
    this.#width = width;
    this.#parts.push(`<text x="20" y="${this.#y + 12}" font-size="17" font-weight="bold" fill="${theme.ink}">${escapeXml(title)}</text>`);
    this.#y += 30;
  }

  /** @param spec as the page's scripts make it; @param horizon length of the x axis, where it is not the data's */
  addChart(spec, caption, horizon) {
    const height = spec.height - (spec.zoom ? 22 : 0);
    this.#parts.push(`<text x="20" y="${this.#y + 12}" font-size="13" fill="${theme.ink}">${escapeXml(caption)}</text>`);
    this.#parts.push(`<g transform="translate(20 ${this.#y + 22})">${drawChart(spec, this.#width - 40, height, horizon)}</g>`);
    this.#y += height + 34;
  }

  /** @param legend [{label, color}] */
  addLegend(legend) {
    const room = Math.max(...legend.map((entry) => entry.label.length)) * 7 + 34;
    const perRow = Math.max(1, Math.floor((this.#width - 40) / room));
    this.#parts.push(legend.map((entry, index) => {
      const x = 20 + (index % perRow) * room;
      const top = this.#y + Math.floor(index / perRow) * 20;
      return `<rect x="${x}" y="${top}" width="12" height="12" rx="2" fill="${entry.color}"/>` +
        `<text x="${x + 18}" y="${top + 10.5}" font-size="12" fill="${theme.quiet}">${escapeXml(entry.label)}</text>`;
    }).join("\n"));
    this.#y += Math.ceil(legend.length / perRow) * 20 + 8;
  }

  write(file) {
    const [width, height] = [this.#width, this.#y + 8];
    writeFileSync(file, `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">\n<rect width="100%" height="100%" rx="8" fill="${theme.ground}"/>\n${this.#parts.join("\n")}\n</svg>\n`);
  }
}
