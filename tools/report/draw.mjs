// Draws charts of a report's data (keyswap report --json) as one SVG file, without a browser:
//   node draw.mjs --output picture.svg --width 900 --title "Two orders" \
//     --chart data.json,simulation:0,swap-order,"The paper's order" [--chart ...]
// A chart is: file, kind of section and its number among those, chart, caption.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Picture, page } from "./picture.mjs";

function findChart(file, place, id) {
  const document = JSON.parse(readFileSync(file, "utf8")).page;
  const [kind, number] = place.split(":");
  const section = document.sections.filter((candidate) => candidate.kind === kind)[Number(number)];
  const spec = section && page.chartsOf(section).find((candidate) => candidate.id === id);
  if (!spec || spec.empty) {
    throw new Error(`${file}: no chart ${id} in section ${place}`);
  }
  return spec;
}

function main() {
  const { values } = parseArgs({
    options: {
      output: { type: "string" }, width: { type: "string", default: "900" }, title: { type: "string" },
      horizon: { type: "string" }, legend: { type: "boolean", default: false }, chart: { type: "string", multiple: true },
    },
  });
  const picture = new Picture(Number(values.width), values.title);
  const horizon = values.horizon === undefined ? undefined : Number(values.horizon);
  let legend = null;
  for (const words of values.chart) {
    const [file, place, id, ...caption] = words.split(",");
    const spec = findChart(file, place, id);
    legend = spec.legend?.(page.lightTheme) ?? legend;
    picture.addChart(spec, caption.join(","), horizon);
  }
  if (values.legend && legend) {
    picture.addLegend(legend);
  }
  picture.write(values.output);
}

main();
