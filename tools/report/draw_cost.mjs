// Draws the flow engine's cost against the number of flows as an SVG file, without a browser:
//   keyswap bench-simulator --json --gpu-count 4,8,16,32,72,144 | node draw_cost.mjs --output cost.svg

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Picture, page } from "./picture.mjs";

const symbols = ["circle", "rect", "triangle", "diamond"];

/** Both axes are logarithmic; a line for each tolerance. @param rows [{flows, tolerance, cpu_s}] */
function costChart(rows) {
  const tolerances = [...new Set(rows.map((row) => row.tolerance))].sort((a, b) => a - b);
  const axis = (theme, name, nameGap) => page.axisLook(theme, { type: "log", name, nameLocation: "middle", nameGap });
  return {
    height: 380,
    option: (theme) => ({
      ...page.baseOption(theme),
      legend: page.legendLook(theme),
      grid: { left: 70, right: 30, top: 40, bottom: 50 },
      xAxis: axis(theme, "flows at once (all-to-all)", 28),
      yAxis: axis(theme, "CPU time of one core, ms", 48),
      series: tolerances.map((tolerance, index) => ({
        type: "line",
        name: tolerance === 0 ? "exact" : `tolerance ${tolerance}`,
        symbol: symbols[index % symbols.length],
        symbolSize: 8,
        color: page.okabeIto[index % page.okabeIto.length],
        data: rows.filter((row) => row.tolerance === tolerance).map((row) => [row.flows, row.cpu_s * 1e3]),
      })),
    }),
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
  const picture = new Picture(760, "What simulating an all-to-all costs, exactly and with shared solutions");
  picture.addChart(costChart(rows), "With a tolerance, flows that end within that part of their time share one solution.");
  picture.write(values.output);
}

main();
