// What becomes of each kind of file, in a browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawn, folder, header, keyswap, marks, numbersShown, open, root, rowsOf, run, writeReport, writeTrace } from "./page_driver.mjs";

test("NamesThatLookLikeHtmlAreShownAsText", async () => {
  const attack = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>";
  const trace = writeTrace("attack.trace", [
    header({ variant: attack, device: attack, input: { distribution: attack, seed: 1, generator_version: 1, file: "" } }),
    { record: "ownership", gpu: 0, base: 0, count: 50 },
    { record: "phase_time", gpu: 0, phase: attack, pass: 0, begin_ns: 0, end_ns: 1000000 },
    { record: "verdict", property: attack, holds: false, detail: attack },
    { record: "end", records: 4 },
  ]);
  const { file } = writeReport("attack", trace);
  const page = await open(file);
  const ids = await drawn(page);
  const timeline = ids.find((id) => id.endsWith("-timeline"));
  await page.locator(`#${timeline}`).focus();
  await page.keyboard.press("ArrowDown");
  assert.ok((await numbersShown(page)).includes("onerror"), "the name is shown");
  for (const summary of await page.locator("summary").all()) {
    await summary.click();
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await page.locator("#main-finding").innerText()).includes("onerror"), "the name is shown");
  assert.deepEqual(page.complaints, []);
});

test("ATraceWithoutTimesSaysSoAndOneWithTimesHasATimeline", async () => {
  const records = [{ record: "ownership", gpu: 0, base: 0, count: 50 }, { record: "ownership", gpu: 1, base: 50, count: 50 }];
  const time = { record: "phase_time", gpu: 1, phase: "key swap", pass: 0, begin_ns: 0, end_ns: 2000000 };
  const without = await open(writeReport("without", writeTrace("without.trace", [header(), ...records, { record: "end", records: 3 }])).file);
  assert.match(await without.locator("#section0 .absent").textContent(), /Timeline as recorded: There are no times/);
  const withTimes = writeReport("with", writeTrace("with.trace", [header(), ...records, time, { record: "end", records: 4 }]));
  assert.equal((await marks(await open(withTimes.file), "section0-timeline")).length, 1);
  assert.deepEqual(rowsOf(withTimes, 0, "timeline"), [{ GPU: 1, phase: "key swap", pass: 0, "begin (ms)": 0, "end (ms)": 2 }]);
});

test("AFileThatExistsIsKeptUnlessForced", () => {
  const file = join(folder, "kept.html");
  writeFileSync(file, "mine");
  const words = ["report", "--distribution", "uniform", "--keys", "1000", "--output", file];
  assert.throws(() => execFileSync(keyswap, words, { stdio: "pipe" }), (error) => error.status === 2 && /already exists/.test(error.stderr));
  assert.equal(readFileSync(file, "utf8"), "mine");
  execFileSync(keyswap, [...words, "--force"]);
  assert.ok(readFileSync(file, "utf8").startsWith("<!DOCTYPE html>"));
});

test("ARecordedRunOfFourGpusIsShownBesideItsPrediction", async () => {
  const trace = join(root, "traces", "recorded", "4gpus-rotated-u64-zipf.trace.zst");
  const { file, data } = writeReport("recorded", trace, "--platform", "traces/recorded/h200-x4-platform.toml", "--algorithm", "rmg-rotated");
  assert.deepEqual(data.sections.map((section) => section.kind), ["comparison", "run", "simulation"]);
  const page = await open(file);
  assert.equal((await marks(page, "section1-timeline")).length, data.sections[1].times.length);
  assert.ok(data.sections[1].times.length > 0);
  assert.ok(data.sections[0].rows.some((row) => row.phase === "key swap" && row.ms.every((ms) => ms > 0)), "phases have the same names");
  assert.deepEqual(page.complaints, []);
});

test("RunsOfAForeignSortAreToldWithoutDigitsOrGpus", async () => {
  const trace = join(folder, "foreign.trace");
  try {
    run("record", "--command", "head -c 396 {input} > {output}", "--distribution", "sorted", "--keys", "100", "--runs", "20", "--folder", join(folder, "records"), "--record", trace);
  } catch (error) {
    assert.equal(error.status, 1); // a violation
  }
  const { file, data } = writeReport("foreign", trace);
  assert.equal(data.sections[0].kind, "foreign");
  const page = await open(file, { width: 400 });
  assert.match(await page.locator("#main-finding").innerText(), /WRONG: 20 of 20 runs failed; the failure rate is, with 95 % confidence, between 83 % and 100 %/);
  const text = (await page.locator("#section0").innerText()).replaceAll(folder, ""); // its name is random
  assert.match(await page.locator("#head").innerText(), /First failure, with seed 1: not a permutation/); // printed once, at the head
  assert.doesNotMatch(text, /GPU|digit|tolerance|chunk/i);
  assert.deepEqual(await drawn(page), ["section0-failure"]);
  assert.ok((await marks(page, "section0-failure")).length > 0);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true);
  assert.deepEqual(page.complaints, []);
});

test("AnEmptyRunIsExplained", async () => {
  const page = await open(writeReport("empty", "--distribution", "uniform", "--keys", "0", "--gpu-count", "4").file);
  assert.match(await page.locator("#main-finding").innerText(), /There are no keys/);
  assert.match(await page.locator("#section0 .absent").textContent(), /buckets by pass: No pass partitioned any keys/);
  assert.deepEqual(page.complaints, []);
});

test("ValidationsAndSweepsAreShown", async () => {
  const sweep = join(folder, "sweep.json");
  writeFileSync(sweep, run("whatif", "--platform", "ac922", "--keys", "1e9,2e9", "--algorithm", "rmg-paper,rmg-rotated", "--gpu-count", "2", "--json"));
  const { file, data } = writeReport("studies", "--platform", "ac922", "traces/measurements/ac922.csv", sweep);
  const page = await open(file);
  const rows = data.sections.find((section) => section.kind === "validation").rows;
  assert.equal((await marks(page, "section0-accuracy")).length, rows.length);
  const swept = data.sections.find((section) => section.kind === "sweep");
  const largest = swept.rows.filter((row) => row.num_keys === 2e9); // ranks are among rows of one size
  assert.ok(largest.length > 0 && largest.length < swept.rows.length);
  assert.equal(new Set((await marks(page, "section1-ranking")).map(({ row }) => row)).size, Math.min(30, largest.length));
  assert.equal((await marks(page, "section1-heat")).length, 4);
  assert.deepEqual(page.complaints, []);
});

test("PublishedRatesAreShownCellByCellAndSuspectOnesApart", async () => {
  const report = writeReport("rates", "traces/measurements/rates.csv");
  const { file, data } = report;
  const section = data.sections.find((one) => one.kind === "rates");
  const times = section.rows.filter((row) => row.unit === "ms" && row.predicted !== null);
  for (const [width, scheme] of [[1200, "light"], [1200, "dark"], [400, "light"], [400, "dark"]]) {
    const page = await open(file, { width, scheme });
      for (const [name, ofSearches] of [["rates-accuracy", false], ["rates-searches", true]]) {
      const rows = rowsOf(report, 0, name);
      const points = await marks(page, `section0-${name}`);
      const colours = new Set();
      for (const use of ["fitted", "held-out", "suspect"]) {
        const ofUse = points.filter(({ row }) => rows[row].use === use);
        assert.equal(ofUse.length, times.filter((row) => row.use === use && (row.operation === "sssp") === ofSearches).length, `${name}, ${use}`);
        ofUse.forEach(({ fill }) => colours.add(`${use} ${fill}`));
      }
      assert.equal(colours.size, new Set([...colours].map((text) => text.split(" ")[0])).size, "a colour for each use");
    }
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `fits ${width} pixels`);
    assert.match(await page.locator("#main-finding").innerText(), /held-out rows are within/);
    assert.deepEqual(page.complaints, []);
  }
});

/** An export of Nsight Systems with so many kernels, made by sqlite3; null where that is not installed. */
function writeProfile(name, kernels) {
  const file = join(folder, name);
  const sql = `
    CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, shortName INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, bytes INTEGER,
      copyKind INTEGER, srcDeviceId INTEGER, dstDeviceId INTEGER);
    CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER);
    INSERT INTO StringIds VALUES (1, 'histogram_kernel'), (2, '<img src=x onerror=window.hacked=1>');
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${kernels - 1})
      INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 2000, i * 2000 + 1500, i % 2, 1, 7, 1 + i % 2 FROM n;
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5000, 9000, 0, 1, 8, 4000, 10, 0, 1), (6000, 9500, 1, 1, 9, 2000, 10, 0, 1), (0, 900, 0, 1, 8, 64, 1, NULL, NULL);
    INSERT INTO NVTX_EVENTS VALUES (0, 9500, 59, '<img src=x onerror=window.hacked=1>', NULL, 5), (5000, 9400, 60, 'key swap', NULL, 5);`;
  try {
    execFileSync("sqlite3", [file], { input: sql });
  } catch (error) {
    if (error.code === "ENOENT") {
      return null;
    }
    throw error;
  }
  return file;
}

test("AProfileIsATimelineAndItsNamesAreText", async (context) => {
  const profile = writeProfile("run.sqlite", 6);
  if (!profile) {
    context.skip("sqlite3 is not installed (Debian: sqlite3)");
    return;
  }
  const report = writeReport("profile", profile);
  const { file, data } = report;
  const page = await open(file);
  assert.equal((await marks(page, "section0-timeline")).length, 11, "six kernels, three copies, two ranges");
  assert.deepEqual(rowsOf(report, 0, "matrix").map((row) => row["size (B)"]), [0, 6000, 0, 0]);
  assert.equal(rowsOf(report, 0, "swap-order").length, 2);
  assert.equal((await marks(page, "section0-names")).length, 4);
  assert.equal(rowsOf(report, 0, "busy").length, 2);
  await page.locator("#section0-timeline").focus();
  for (let presses = 0; presses < 11; ++presses) {
    await page.keyboard.press("ArrowDown");
  }
  assert.notEqual(await numbersShown(page), "");
  for (const summary of await page.locator("summary").all()) {
    await summary.click();
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.ok(data.sections[0].names.some(([name]) => name.includes("onerror")));
  assert.deepEqual(page.complaints, []);
});

test("ASweepGivesTheSameChartsFromCsvAndFromJson", async () => {
  const words = ["whatif", "--platform", "ac922", "--keys", "1e9,2e9", "--algorithm", "rmg-paper,rmg-rotated", "--gpu-count", "2"];
  const [fromJson, fromCsv] = ["json", "csv"].map((form) => {
    const sweep = join(folder, `same.${form}`);
    writeFileSync(sweep, run(...words, `--${form}`, ...(form === "csv" ? ["-"] : [])));
    return writeReport(`same-${form}`, sweep);
  });
  const figures = ["key_swap_ms", "total_ms", "keys_per_s", "speed_up"]; // a CSV has fewer digits of them, and of interval_ms
  const rounded = (section) => section.rows.map((row) => ({
    ...row, ...Object.fromEntries(figures.map((name) => [name, row[name].toPrecision(4)])), interval_ms: row.interval_ms.map((ms) => ms.toPrecision(4)),
  }));
  assert.deepEqual(rounded(fromCsv.data.sections[0]), rounded(fromJson.data.sections[0]));
  assert.deepEqual(fromCsv.data.sections[0].varied, fromJson.data.sections[0].varied);
  const page = await open(fromCsv.file);
  assert.equal((await marks(page, "section0-heat")).length, 4);
  assert.deepEqual(page.complaints, []);
});
