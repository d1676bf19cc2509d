// The pages of recorded multisplits, histograms and searches for shortest paths.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { folder, marks, numbersShown, open, root, rowsOf, run, writeReport } from "./page_driver.mjs";

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Opens the page of a trace that holds one operation. */
async function openOperation(name, trace, view = { width: 1400 }) {
  const report = writeReport(name, trace);
  const place = report.data.sections.findIndex((section) => section.kind === "operation");
  const page = await open(report.file, view);
  const shown = async (what) => {
    const rows = rowsOf(report, place, what);
    return (await marks(page, `section${place}-${what}`)).map((mark) => ({ ...mark, ...rows[mark.row] }));
  };
  return { page, section: report.data.sections[place], id: (what) => `section${place}-${what}`, shown };
}

const recorded = (name) => join(root, "traces", "recorded", `${name}.trace.zst`);

function search(method) {
  const trace = join(folder, `${method}.trace`);
  run("sssp", "--graph", "rmat:10:8", "--source", "0", "--method", method, "--record", trace);
  return trace;
}

/** The numbers of a figure's first mark. */
async function firstNumbers(page, id) {
  await page.locator(`#${id}`).focus();
  await page.keyboard.press("ArrowDown");
  return numbersShown(page);
}

test("AMultisplitShowsEachBucketWithItsRangeItsKeysAndItsPlace", async () => {
  const { page, section, id, shown } = await openOperation("split", recorded("1gpu-multisplit-u32-delta-10-pairs"));
  const { keys, ranges, starts } = section.buckets;
  assert.equal(keys.length, 10);
  assert.equal(sum(keys), section.keys);
  assert.deepEqual((await shown("counts")).map((bar) => bar.keys), keys.filter((count) => count > 0));
  const strips = await shown("places");
  assert.deepEqual(strips.map((strip) => strip["first index"]), starts.filter((_, bucket) => keys[bucket] > 0), "a strip begins where its bucket does");
  assert.equal(sum(strips.map((strip) => strip.keys)), section.keys);
  const text = await firstNumbers(page, id("counts"));
  const first = keys.findIndex((count) => count > 0);
  assert.ok(text.includes(ranges[first]) && text.includes(keys[first].toLocaleString("en-US")), text);
  assert.deepEqual(page.complaints, []);
});

test("BucketsTooNarrowToSeeKeepTheirKeys", async () => {
  const { section, shown } = await openOperation("narrow", recorded("1gpu-multisplit-u64-hash-257"), { width: 300 });
  const strips = await shown("places");
  assert.equal(sum(strips.map((strip) => strip.keys)), section.keys);
  assert.equal(strips.length, section.buckets.keys.filter((count) => count > 0).length);
});

test("AHistogramShowsItsBinsAndPlacesNothing", async () => {
  const { page, section, id, shown } = await openOperation("bins", recorded("1gpu-histogram-f32-even"));
  const { keys } = section.buckets;
  const bars = await shown("counts");
  assert.equal(sum(keys), section.keys);
  assert.deepEqual(bars.map((bar) => bar.keys), keys.filter((count) => count > 0));
  assert.equal(new Set(bars.filter(({ bin }) => bin > 0 && bin < keys.length - 1).map(({ fill }) => fill)).size, 1);
  assert.equal(await page.locator(`#${id("places")}`).count(), 0);
});

test("ASearchShowsItsRoundsAndHowFarAwayItsVerticesWait", async () => {
  for (const [method, buckets] of [["multisplit", 10], ["near-far", 2]]) {
    const { page, section, id, shown } = await openOperation(method, search(method));
    const { rounds } = section;
    assert.ok(rounds.length > 2, `${rounds.length} rounds`);
    const lines = await page.evaluate((name) => [...visibleSvg(document.getElementById(name)).querySelectorAll(".zoom path")].map((path) => path.getAttribute("d").split(/[ML ]/).length), id("rounds"));
    assert.equal(lines.filter((points) => points > 2 * rounds.length).length, 3, "three lines through all rounds");
    const cells = await shown("waiting");
    assert.equal(cells.length, rounds.length * buckets);
    for (const [index, round] of rounds.entries()) {
      assert.equal(sum(cells.filter((cell) => cell.round === round[0]).map((cell) => cell.vertices)), round[1], `round ${index}: each pending vertex waits in one bucket`);
    }
    const names = await page.locator(`#${id("waiting")} svg:visible text`).allTextContents();
    assert.ok(names.includes(buckets === 2 ? "near" : "0"), names.join(", "));
    assert.match(await firstNumbers(page, id("waiting")), /^round\s+0\s+bucket\s+0\s+vertices/);
    assert.deepEqual(page.complaints, []);
  }
});

test("PagesOfOperationsHaveTheirNumbersAsTablesAndFitOnAPhone", async () => {
  for (const trace of [recorded("1gpu-multisplit-u32-splitters-pairs"), recorded("1gpu-histogram-u32-edges"), search("bucketing")]) {
    const { page, section } = await openOperation("phone", trace, { width: 360, height: 740 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, section.title);
    const charts = await page.locator(".drawing").count();
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
