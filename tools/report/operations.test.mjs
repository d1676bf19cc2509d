// The pages of recorded multisplits, histograms and searches for shortest paths.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { chart, drawAll, folder, marks, open, root, run, tooltip, writeReport } from "./page_driver.mjs";

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Opens the page of a trace that holds one operation, all of its charts drawn. */
async function openOperation(name, trace, view = { width: 1400 }) {
  const { file, data } = writeReport(name, trace);
  const place = data.sections.findIndex((section) => section.kind === "operation");
  const page = await open(file, view);
  await drawAll(page);
  return { page, section: data.sections[place], id: (what) => `section${place}-${what}` };
}

const recorded = (name) => join(root, "traces", "recorded", `${name}.trace.zst`);

function search(method) {
  const trace = join(folder, `${method}.trace`);
  run("sssp", "--graph", "rmat:10:8", "--source", "0", "--method", method, "--record", trace);
  return trace;
}

/** The hover text of one mark. */
async function hover(page, id, dataIndex) {
  await chart(page, id);
  await page.evaluate(([name, index]) => window.keyswapCharts.get(name).chart.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex: index }), [id, dataIndex]);
  return tooltip(page);
}

test("AMultisplitShowsEachBucketWithItsRangeItsKeysAndItsPlace", async () => {
  const { page, section, id } = await openOperation("split", recorded("1gpu-multisplit-u32-delta-10-pairs"));
  const { keys, ranges, starts } = section.buckets;
  assert.equal(keys.length, 10);
  assert.equal(sum(keys), section.keys);
  assert.deepEqual(await marks(page, id("counts")), keys);
  const strips = await marks(page, id("places"));
  assert.deepEqual(strips.map(([begin]) => begin), starts.filter((_, bucket) => keys[bucket] > 0), "a strip begins where its bucket does");
  assert.equal(sum(strips.map(([begin, end]) => end - begin)), section.keys);
  const text = await hover(page, id("counts"), 3);
  assert.ok(text.includes(`bucket 3: ${ranges[3]}`) && text.includes("from index"), text);
  assert.deepEqual(page.complaints, []);
});

test("BucketsTooNarrowToSeeAreOneStripAndKeepTheirKeys", async () => {
  const { page, section, id } = await openOperation("narrow", recorded("1gpu-multisplit-u64-hash-257"), { width: 300 });
  const strips = await marks(page, id("places"));
  assert.ok(strips.length < section.buckets.keys.length, `${strips.length} strips`);
  assert.equal(sum(strips.map(([begin, end]) => end - begin)), section.keys);
  assert.equal(sum(strips.map(([, , , joined]) => joined)), section.buckets.keys.filter((count) => count > 0).length);
});

test("AHistogramShowsItsBinsAndWhatLiesOutsideGrey", async () => {
  const { page, section, id } = await openOperation("bins", recorded("1gpu-histogram-f32-even"));
  const { keys } = section.buckets;
  assert.deepEqual(await marks(page, id("counts")), keys);
  assert.equal(sum(keys), section.keys);
  const colors = await page.evaluate((name) => window.keyswapCharts.get(name).chart.getOption().series[0].data.map((mark) => mark.itemStyle.color), id("counts"));
  assert.equal(new Set(colors.slice(1, -1)).size, 1);
  assert.equal(colors[0], colors.at(-1));
  assert.notEqual(colors[0], colors[1]);
  assert.equal(await page.locator(`#${id("places")}`).count(), 0, "a histogram places nothing");
  assert.match(await hover(page, id("counts"), 1), /^bin 1: /);
});

test("ASearchShowsItsRoundsAndHowFarAwayItsVerticesWait", async () => {
  for (const [method, buckets] of [["multisplit", 10], ["near-far", 2]]) {
    const { page, section, id } = await openOperation(method, search(method));
    const { rounds } = section;
    assert.ok(rounds.length > 2, `${rounds.length} rounds`);
    for (const [name, column] of [["pending", 1], ["frontier", 2], ["improved", 3]]) {
      assert.deepEqual(await marks(page, id("rounds"), name), rounds.map((round) => round[column]), name);
    }
    const cells = await marks(page, id("waiting"));
    assert.equal(cells.length, rounds.length * buckets);
    for (const [index, round] of rounds.entries()) {
      assert.equal(sum(cells.filter(([at]) => at === index).map(([, , count]) => count)), round[1], `round ${index}: each pending vertex waits in one bucket`);
    }
    const rows = await page.evaluate((name) => window.keyswapCharts.get(name).chart.getOption().yAxis[0].data, id("waiting"));
    assert.deepEqual(rows.slice(0, 2), buckets === 2 ? ["near", "far"] : ["0", "1"]);
    assert.match(await hover(page, id("waiting"), 0), /^round 0, (near|bucket 0)/);
    assert.deepEqual(page.complaints, []);
  }
});

test("PagesOfOperationsHaveTheirNumbersAsTablesAndFitOnAPhone", async () => {
  for (const trace of [recorded("1gpu-multisplit-u32-splitters-pairs"), recorded("1gpu-histogram-u32-edges"), search("bucketing")]) {
    const { page, section } = await openOperation("phone", trace, { width: 360, height: 740 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, section.title);
    const charts = await page.locator(".chart").count();
    const summaries = page.locator("summary", { hasText: "Numbers as a table" });
    assert.equal(await summaries.count(), charts);
    for (let i = 0; i < charts; ++i) {
      await summaries.nth(i).click();
      const rows = summaries.nth(i).locator("xpath=..").locator("tbody tr");
      await rows.first().waitFor();
      assert.ok(await rows.count() > 1, `${section.title}, table ${i}`);
    }
  }
});
