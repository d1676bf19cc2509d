// What a reader sees: sentences before pictures, round ticks, names that do not lie over each other, legends that are true in both
// themes, and nothing where there is nothing to say.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawAll, folder, header, marks, open, root, run, writeReport, writeTrace } from "./page_driver.mjs";

const recorded = (name) => join(root, "traces", "recorded", `${name}.trace.zst`);

/** The report of a sweep that whatif prints. */
function writeSweep(name, ...words) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, run("whatif", "--json", ...words));
  return writeReport(name, file);
}

/** Pairs of texts of one chart that cover each other by more than two pixels in both directions, drawn as SVG or on a canvas. */
function overlaps(page) {
  return page.evaluate(() => [...window.keyswapCharts].flatMap(([id, { chart }]) => {
    const shapes = chart ? chart.getZr().storage.getDisplayList(true) : [];
    const texts = shapes.filter((shape) => shape.type === "tspan" && shape.style.text.trim() !== "" && !shape.invisible).map((shape) => {
      const box = shape.getBoundingRect().clone();
      if (shape.transform) {
        box.applyTransform(shape.transform);
      }
      return [shape.style.text, box];
    });
    return texts.flatMap(([one, a], index) => texts.slice(index + 1).filter(([, b]) =>
      Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 2 && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 2)
      .map(([other]) => `${id}: "${one}" and "${other}"`));
  }));
}

const looks = [[1200, "light"], [400, "dark"]];

const reports = {
  "eight GPUs": () => writeReport("look-8", "--platform", "dgx-a100", "--algorithm", "rmg-paper,rmg-rotated", "--distribution", "zipf", "--parameter", "0.7", "--keys", "2e9"),
  "72 GPUs": () => writeReport("look-72", "--platform", "gb200-nvl72", "--keys", "1e8", "--gpus", "all", "--input-on", "local", "--rate-tolerance", "1e-2"),
  "576 GPUs": () => writeReport("look-576", "--distribution", "zipf", "--keys", "2e9", "--gpu-count", "576"),
  "no keys": () => writeReport("look-0", "--platform", "dgx-a100", "--keys", "0"),
  "one key": () => writeReport("look-1", "--platform", "dgx-a100", "--keys", "1"),
  "a recorded run on 13 GPUs": () => writeReport("look-13", recorded("13virtual-fast-f32-zipf")),
  "a recorded multisplit": () => writeReport("look-split", recorded("1gpu-multisplit-u64-hash-257")),
  "a recorded search": () => writeReport("look-search", recorded("1gpu-sssp-multisplit-rmat")),
  "a validation": () => writeReport("look-validation", "--platform", "ac922", "traces/measurements/ac922.csv"),
  "a sweep over sizes and sorts": () => writeSweep("look-sweep", "--keys", "1e6,1e8,1e9", "--algorithm", "rmg-fast,sample-sort-paper,cpu-gnu-parallel"),
};

for (const [name, report] of Object.entries(reports)) {
  test(`NoTextsLieOverEachOther: ${name}`, async () => {
    const { file } = report();
    for (const [width, scheme] of looks) {
      const page = await open(file, { width, scheme });
      await drawAll(page);
      assert.deepEqual(await overlaps(page), [], `${width} pixels`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, `fits ${width} pixels`);
      const unnamed = await page.evaluate(() => [...document.querySelectorAll(".legend li")].filter((item) => item.innerText.trim() === "").length);
      assert.equal(unnamed, 0, "every colour of a legend has a name");
      assert.deepEqual(page.complaints, []);
    }
  });
}

test("APredictionComesFirstWithItsIntervalAndWhatItAssumes", async () => {
  const { file, data } = writeReport("look-prediction", "--platform", "dgx-h100", "--keys", "2e9");
  const page = await open(file);
  assert.match(await page.locator("#main-finding").innerText(), /^Predicted to take [\d.]+ ms \([\d.]+ to [\d.]+ ms\)/);
  const simulation = data.sections.find((section) => section.kind === "simulation");
  assert.ok(simulation.interval_ms[0] < simulation.total_ms && simulation.total_ms < simulation.interval_ms[1]);
  await page.locator("summary", { hasText: "Assumed constants that matter most" }).click();
  assert.ok(await page.getByText(simulation.assumptions[0][0]).isVisible());
});

test("LongTimesAreToldInSecondsWithoutAnExponent", async () => {
  const page = await open(writeReport("look-long", "--platform", "cluster:dgx-h100:16", "--keys", "1e11", "--rate-tolerance", "1e-2").file);
  assert.match(await page.locator("#main-finding").innerText(), /^Predicted to take [\d.]+ m?s \([\d.]+ to [\d.]+ m?s\)/);
});

/** Whether the axis' ends are multiples of its interval. */
function isRound({ min, max, interval }) {
  const whole = (number) => Math.abs(number / interval - Math.round(number / interval)) < 1e-6;
  return whole(min) && whole(max) && [1, 2, 5].includes(Number((interval / 10 ** Math.floor(Math.log10(interval) + 1e-9)).toFixed(6)));
}

test("TicksAreRound", async () => {
  const balance = (page, id) => page.evaluate((name) => window.keyswapCharts.get(name).chart.getOption().yAxis[0], id);
  for (const trace of ["13virtual-fast-f32-zipf", "8virtual-sample-sort-b128-zipf"]) {
    const page = await open(writeReport("look-ticks", recorded(trace)).file);
    await drawAll(page);
    const axis = await balance(page, "section0-balance");
    assert.ok(isRound(axis), JSON.stringify([axis.min, axis.max, axis.interval]));
  }
  const many = await open(writeReport("look-many", "--distribution", "zipf", "--keys", "2e9", "--gpu-count", "576").file);
  await drawAll(many);
  const named = () => many.evaluate(() => {
    const { interval } = window.keyswapCharts.get("section0-balance").chart.getOption().xAxis[0].axisLabel;
    return Array.from({ length: 576 }, (_, index) => index).filter((index) => interval(index));
  });
  assert.deepEqual((await named()).slice(0, 3), [0, 50, 100]);
  await many.evaluate(() => window.keyswapCharts.get("section0-balance").chart.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, startValue: 100, endValue: 107 }));
  assert.equal((await named()).length, 576, "who looks closer sees every name");
});

test("TheLegendOfLinksHasTheirColoursInBothThemes", async () => {
  const { file } = reports["eight GPUs"]();
  for (const scheme of ["light", "dark"]) {
    const page = await open(file, { scheme });
    await drawAll(page);
    const { legend, lines } = await page.evaluate(() => {
      const element = document.querySelector("[id$=-topology]");
      const probe = document.createElement("i");
      const plain = (color) => { probe.style.color = color; return probe.style.color; };
      return {
        legend: [...element.closest("div:not(.chart)").querySelectorAll(".legend i")].map((box) => box.style.background),
        lines: [...new Set([...element.querySelectorAll("svg path")].filter((path) => /^M[^LZ]*L[^LZ]*$/.test(path.getAttribute("d"))).map((path) => plain(path.getAttribute("stroke"))))],
      };
    });
    assert.equal(legend.length, 3);
    assert.ok(lines.filter((color) => legend.includes(color)).length >= 2, `${scheme}: lines ${lines.join(" ")}, legend ${legend.join(" ")}`);
  }
});

test("TheBottlenecksRateIsTheSameInTheSentenceAndAtItsLink", async () => {
  const { file, data } = reports["eight GPUs"]();
  const place = data.sections.findIndex((section) => section.kind === "simulation");
  const [, rate] = data.sections[place].answers[1].match(/at its ([\d.]+) GB\/s/);
  const page = await open(file);
  await drawAll(page);
  const texts = await page.evaluate((id) => [...document.querySelectorAll(`#${id} svg text`)].map((text) => text.textContent), `section${place}-topology`);
  assert.ok(texts.includes(`${rate} / ${rate}`), texts.join(", "));
});

test("BucketsAcrossBordersOf72GpusAreSeenOnAPhone", async () => {
  const { file, data } = writeReport("look-spanning", "--distribution", "normal", "--keys", "2e9", "--gpu-count", "72");
  const [pass] = data.sections[0].passes;
  const page = await open(file, { width: 400, scheme: "dark" });
  await drawAll(page);
  const drawn = await page.evaluate(() => {
    const { chart } = window.keyswapCharts.get("section0-buckets");
    const option = chart.getOption();
    const tall = chart.getZr().storage.getDisplayList(true).filter((shape) => shape.type === "rect" && shape.shape.height > 45 && shape.shape.height < 80);
    return { widths: tall.map((shape) => shape.shape.width), borders: option.series.find((one) => one.id === "borders").markLine.data.length };
  });
  assert.ok(pass.spanning > 30, `${pass.spanning} buckets`);
  assert.equal(drawn.widths.filter((width) => width >= 2).length, drawn.widths.length);
  assert.ok(drawn.widths.length >= pass.spanning, `${drawn.widths.length} of ${pass.spanning}`);
  assert.equal(drawn.borders, 0, "71 borders would be a grid over them");
});

test("TheMatrixOfEvenTransfersHasFiguresOnAPhoneToo", async () => {
  const { file, data } = reports["eight GPUs"]();
  const place = data.sections.findIndex((section) => section.kind === "run");
  for (const [width, cell] of [[1200, "125 MB"], [400, "125"]]) {
    const page = await open(file, { width });
    await drawAll(page);
    const texts = await page.evaluate((id) => [...document.querySelectorAll(`#${id} svg text`)].map((text) => text.textContent), `section${place}-matrix`);
    assert.ok(texts.filter((text) => text === cell).length > 32, `${width} pixels: ${texts.join(" ")}`);
    assert.ok(texts.some((text) => /MB/.test(text)), "the unit is shown");
  }
});

test("WhatHasNothingToSayIsLeftOut", async () => {
  const charts = async (report) => (await drawAll(await open(report.file))).map((id) => id.replace(/^section\d+-/, ""));
  const single = await charts(writeReport("look-single", "--platform", "dgx-a100", "--keys", "2e9", "--gpus", "0"));
  assert.deepEqual(single.filter((id) => ["buckets", "balance", "swap", "matrix", "sankey"].includes(id)), [], "one GPU swaps nothing");
  const merge = await charts(writeReport("look-merge", recorded("4gpus-p2p-merge-f64-zipf")));
  assert.deepEqual(merge, ["matrix", "sankey", "timeline"], "a merge sort has no buckets");
  assert.deepEqual(await charts(writeSweep("look-sets", "--gpu-count", "4")), ["ranking"]);
  assert.deepEqual(await charts(writeSweep("look-sizes", "--keys", "1e6,1e8")), ["lines"], "one row has no rank");
});

test("FewKeysHaveTheirOwnersAsATable", async () => {
  const page = await open(writeReport("look-few", recorded("4gpus-fast-few-keys")).file);
  const balance = page.locator("#section0-balance");
  assert.match(await balance.innerText(), /too few for bars/);
  await balance.locator("summary").click();
  await balance.locator("tbody tr").first().waitFor();
  assert.equal(await balance.locator("tbody tr").count(), 4);
});

test("ARunOfASingleTraceIsToldOnce", async () => {
  const { file, data } = writeReport("look-once", recorded("4gpus-fast-u64-zipf"));
  const page = await open(file);
  assert.match(data.findings[0], /^Verified: all \d+ properties that can be checked agree with the model\. The run's own checks hold too\.$/);
  assert.equal(await page.getByText(data.findings[1]).count(), 1);
  await page.locator("summary", { hasText: "What was checked" }).click();
  const checked = await page.locator("#section0 details[open] tbody tr").allInnerTexts();
  assert.ok(checked.some((row) => /^histograms\s+agrees/.test(row)), checked.join("; "));
  assert.ok(checked.some((row) => /^digests after the sort\s+not checked\s+the trace has none/.test(row)), checked.join("; "));
  assert.ok(checked.some((row) => /^sorted, by the run itself\s+holds/.test(row)), checked.join("; "));
});

test("ATraceOfMoreMovesThanKeysIsNoShareOfThem", () => {
  const { data } = writeReport("look-moves", recorded("4gpus-p2p-merge-f64-zipf"));
  assert.ok(data.findings.some((finding) => /^Keys change GPUs 1\.50 times on average, in 10 copies\.$/.test(finding)), data.findings.join("; "));
  const still = writeTrace("still.trace", [header(), { record: "ownership", gpu: 0, base: 0, count: 50 }, { record: "ownership", gpu: 1, base: 50, count: 50 }, { record: "end", records: 3 }]);
  const { findings } = writeReport("look-still", still).data;
  assert.ok(findings.includes("No keys change GPUs.") && findings.includes("Every GPU owns 50 keys."), findings.join("; "));
});

test("ASweepNamesWhatVariesAndRanksOneSize", async () => {
  const { file, data } = reports["a sweep over sizes and sorts"]();
  const [section] = data.sections;
  assert.deepEqual(section.varied.map((axis) => axis.field), ["num_keys", "algorithm"], "a tolerance that is each sort's own does not vary");
  assert.match(data.findings[0], /^With 1,000,000,000 keys, the fastest of 3: rmg-fast, [\d.]+ ms\. The slowest: cpu-gnu-parallel, [\d.]+ times as long\.$/);
  const page = await open(file, { width: 1200 });
  await drawAll(page);
  const texts = await page.evaluate(() => [...document.querySelectorAll("#section0-ranking svg text")].map((text) => text.textContent));
  assert.ok(texts.includes("1. rmg-fast"), texts.join(", "));
  assert.ok(texts.some((text) => /^[\d.]+ ms \([\d.]+ to [\d.]+\)$/.test(text)), "a rank has its interval");
});

test("ASweepOverNumbersOfGpusIsALine", async () => {
  const page = await open(writeSweep("look-counts", "--gpu-count", "1-8").file);
  await drawAll(page);
  const points = await page.evaluate(() => window.keyswapCharts.get("section0-lines").chart.getOption().series[0].data);
  assert.deepEqual(points.map(([gpus]) => gpus), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal((await marks(page, "section0-ranking", "rest")).length, 8);
});
