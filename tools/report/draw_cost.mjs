// Draws the flow engine's cost against the number of flows as an SVG file, without a browser:
//   keyswap bench-simulator --json --gpus 4,8,16,32,72,144 | node draw_cost.mjs --output cost.svg
// Both axes are logarithmic; a line for each tolerance.

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import vm from "node:vm";

const here = dirname(fileURLToPath(import.meta.url));

function loadPage() {
  const context = vm.createContext({ console, setTimeout, clearTimeout, self: {} });
  const text = ["vendor/echarts.min.js", "page/theme.js"].map((name) => readFileSync(join(here, name), "utf8")).join("\n");
  return vm.runInContext(`${text}\n({ echarts, lightTheme });`, context);
}

/** @param rows [{flows, tolerance, cpu_s}] */
function costOption(rows, theme) {
  const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];
  const symbols = ["circle", "rect", "triangle", "diamond"];
  const tolerances = [...new Set(rows.map((row) => row.tolerance))].sort((a, b) => a - b);
  const axis = (name, nameGap) => ({
    type: "log", name, nameLocation: "middle", nameGap,
    nameTextStyle: { color: theme.ink }, axisLabel: { color: theme.quiet }, splitLine: { lineStyle: { color: "#e4e4e4" } },
  });
  return {
    animation: false,
    textStyle: { fontFamily: "inherit" },
    legend: { top: 0, itemGap: 36, textStyle: { color: theme.ink } },
    grid: { left: 70, right: 30, top: 40, bottom: 50 },
    xAxis: axis("flows at once (all-to-all)", 28),
    yAxis: axis("CPU time of one core, ms", 48),
    series: tolerances.map((tolerance, index) => ({
      type: "line",
      name: tolerance === 0 ? "exact" : `tolerance ${tolerance}`,
      symbol: symbols[index % symbols.length],
      symbolSize: 8,
      color: colours[index % colours.length],
      data: rows.filter((row) => row.tolerance === tolerance).map((row) => [row.flows, row.cpu_s * 1e3]),
    })),
  };
}

function main() {
  const { values } = parseArgs({ options: { output: { type: "string" } } });
  let rows;
  try {
    rows = JSON.parse(readFileSync(0, "utf8")).all_to_all;
  } catch (error) {
    console.error(`draw_cost: standard input is not what 'keyswap bench-simulator --json' prints (${error.message}); pipe that in`);
    process.exit(2);
  }
  if (!values.output || !Array.isArray(rows) || rows.length === 0) {
    console.error("draw_cost: needs --output FILE.svg, and the rows of 'keyswap bench-simulator --json' on standard input");
    process.exit(2);
  }
  const { echarts, lightTheme: theme } = loadPage();
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: 720, height: 380 });
  chart.setOption(costOption(rows, theme));
  const svg = chart.renderToSVGString();
  chart.dispose();
  writeFileSync(values.output, `<svg xmlns="http://www.w3.org/2000/svg" width="760" height="420" viewBox="0 0 760 420" ` +
    `font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">\n<rect width="100%" height="100%" rx="8" fill="${theme.ground}"/>\n` +
    `<g transform="translate(20 20)">${svg}</g>\n</svg>\n`);
}

main();
