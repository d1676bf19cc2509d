// What a reader sees: sentences before pictures, round ticks, names that do not lie over each other, legends that are true in both
// themes, and nothing where there is nothing to say.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawn, folder, header, marks, open, root, rowsOf, run, writeReport, writeTrace } from "./page_driver.mjs";

const recorded = (name) => join(root, "traces", "recorded", `${name}.trace.zst`);

/** The report of a sweep that whatif prints. */
function writeSweep(name, ...words) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, run("whatif", "--json", ...words));
  return writeReport(name, file);
}

/** Texts of one figure that cover each other by more than two pixels in both directions, or that its edge cuts. */
function overlaps(page) {
  return page.evaluate(() => [...document.querySelectorAll(".drawing")].flatMap((element) => {
    const svg = visibleSvg(element);
    const edge = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter((text) => getComputedStyle(text.closest(".m") ?? text).opacity > 0.5).map((text) => [text.textContent, text.getBoundingClientRect()]);
    const cut = texts.filter(([, box]) => box.left < edge.left - 1 || box.right > edge.right + 1 || box.top < edge.top - 1 || box.bottom > edge.bottom + 1)
      .map(([text]) => `${element.id}: "${text}" is cut`);
    return cut.concat(texts.flatMap(([one, a], index) => texts.slice(index + 1).filter(([, b]) =>
      Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3.5)
      .map(([other]) => `${element.id}: "${one}" and "${other}"`)));
  }));
}

const looks = [[1200, "light"], [400, "dark"]];

const reports = {
  "eight GPUs": () => writeReport("look-8", "--platform", "dgx-a100", "--algorithm", "rmg-paper,rmg-rotated", "--distribution", "zipf", "--parameter", "0.7", "--keys", "2e9"),
  "72 GPUs": () => writeReport("look-72", "--platform", "gb200-nvl72", "--keys", "1e8", "--gpus", "all", "--input-on", "local", "--rate-tolerance", "1e-2"),
  "576 GPUs, simulated": () => writeReport("look-576-simulated", "--platform", "cluster:dgx-h100:72", "--keys", "1e9", "--gpus", "all", "--rate-tolerance", "1e-2"),
  "576 GPUs": () => writeReport("look-576", "--distribution", "zipf", "--keys", "2e9", "--gpu-count", "576"),
  "no keys": () => writeReport("look-0", "--platform", "dgx-a100", "--keys", "0"),
  "one key": () => writeReport("look-1", "--platform", "dgx-a100", "--keys", "1"),
  "a recorded run on 13 GPUs": () => writeReport("look-13", recorded("13virtual-fast-f32-zipf")),
  "a recorded multisplit": () => writeReport("look-split", recorded("1gpu-multisplit-u64-hash-257")),
  "published rates": () => writeReport("look-rates", "traces/measurements/rates.csv"),
  "a recorded search": () => writeReport("look-search", recorded("1gpu-sssp-multisplit-rmat")),
  "a validation": () => writeReport("look-validation", "--platform", "ac922", "traces/measurements/ac922.csv"),
  "a sweep over sizes and sorts": () => writeSweep("look-sweep", "--keys", "1e6,1e8,1e9", "--algorithm", "rmg-fast,sample-sort-paper,cpu-gnu-parallel"),
};

for (const [name, report] of Object.entries(reports)) {
  test(`NoTextsLieOverEachOther: ${name}`, async () => {
    const { file } = report();
    for (const [width, scheme] of looks) {
      const page = await open(file, { width, scheme });
      assert.deepEqual(await overlaps(page), [], `${width} pixels`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, `fits ${width} pixels`);
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

test("TicksAreRound", async () => {
  const { file } = writeReport("look-many", "--distribution", "zipf", "--keys", "2e9", "--gpu-count", "576");
  const page = await open(file);
  const names = await page.locator("#section0-balance svg:visible g.ticks text, #section0-balance svg:visible text").allTextContents();
  const gpus = names.filter((name) => /^\d+$/.test(name)).map(Number).filter((gpu) => gpu < 576);
  assert.ok(["0", "50", "100"].every((name) => gpus.includes(Number(name))), names.join(" "));
});

test("TheBottlenecksRateIsTheSameInTheSentenceAndInTheNumbersOfItsLink", async () => {
  const report = reports["eight GPUs"]();
  const place = report.data.sections.findIndex((section) => section.kind === "simulation");
  const [, rate] = report.data.sections[place].answers[1].match(/at its ([\d.]+) GB\/s/);
  assert.ok(rowsOf(report, place, "topology").some((row) => [row["peak (GB/s)"], row["capacity (GB/s)"]].every((number) => String(Number(number.toPrecision(rate.length - 1))) === rate)), rate);
});

test("BucketsAcrossBordersOf72GpusAreSeenOnAPhone", async () => {
  const report = writeReport("look-spanning", "--distribution", "normal", "--keys", "2e9", "--gpu-count", "72");
  const [pass] = report.data.sections[0].passes;
  const rows = rowsOf(report, 0, "buckets");
  const page = await open(report.file, { width: 400, scheme: "dark" });
  const spanning = (await marks(page, "section0-buckets")).filter(({ row }) => rows[row].state !== "placed");
  assert.ok(pass.spanning > 30, `${pass.spanning} buckets`);
  assert.ok(spanning.length >= pass.spanning, `${spanning.length} of ${pass.spanning}`);
  assert.ok(spanning.every(({ left, right }) => right - left >= 1), "none is thinner than a pixel");
});

test("TheMatrixOfEvenTransfersHasFiguresOnAPhoneToo", async () => {
  const { file, data } = reports["eight GPUs"]();
  const place = data.sections.findIndex((section) => section.kind === "run");
  for (const width of [1200, 400]) {
    const page = await open(file, { width });
    const texts = await page.locator(`#section${place}-matrix svg:visible text`).allTextContents();
    assert.ok(texts.filter((text) => /^125( MB)?$/.test(text)).length > 32, `${width} pixels: ${texts.join(" ")}`);
    assert.ok(texts.some((text) => /MB/.test(text)), "the unit is shown");
  }
});

test("WhatHasNothingToSayIsLeftOut", async () => {
  const charts = async (report) => (await drawn(await open(report.file))).map((id) => id.replace(/^section\d+-/, ""));
  const single = await charts(writeReport("look-single", "--platform", "dgx-a100", "--keys", "2e9", "--gpus", "0"));
  assert.deepEqual(single.filter((id) => ["buckets", "balance", "swap", "matrix", "motion"].includes(id)), [], "one GPU swaps nothing");
  const merge = await charts(writeReport("look-merge", recorded("4gpus-p2p-merge-f64-zipf")));
  assert.deepEqual(merge, ["matrix", "timeline"], "a merge sort has no buckets");
  assert.deepEqual(await charts(writeSweep("look-sets", "--gpu-count", "4")), ["ranking"]);
  assert.deepEqual(await charts(writeSweep("look-sizes", "--keys", "1e6,1e8")), ["lines"], "one row has no rank");
});

test("FewKeysHaveTheirOwnersAsATable", async () => {
  const page = await open(writeReport("look-few", recorded("4gpus-fast-few-keys")).file);
  await page.locator("summary", { hasText: "Not drawn" }).click();
  const balance = page.locator(".absent li", { hasText: "too few for bars" });
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
  const texts = await page.locator("#section0-ranking svg:visible text").allTextContents();
  assert.ok(texts.includes("1. rmg-fast"), texts.join(", "));
});

test("ASweepOverNumbersOfGpusIsALine", async () => {
  const report = writeSweep("look-counts", "--gpu-count", "1-8");
  const page = await open(report.file);
  const rows = rowsOf(report, 0, "lines");
  const points = (await marks(page, "section0-lines")).sort((a, b) => a.left - b.left);
  const counted = (gpus) => gpus.split(",").map((range) => range.split("-").map(Number)).reduce((total, [first, last = first]) => total + last - first + 1, 0);
  assert.deepEqual(points.map(({ row }) => counted(rows[row].GPUs)), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(new Set((await marks(page, "section0-ranking")).map(({ row }) => row)).size, 8);
});
