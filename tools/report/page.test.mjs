// The page in a browser: how quick it is, what it shows of a run, and how it is used.

import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { browser, drawn, here, marks, numbersShown, open, rowsOf, writeReport } from "./page_driver.mjs";

const approve = process.env.KEYSWAP_APPROVE === "1";
const mostMs = 3000; // of processor time, which other work on the machine does not change

let eightGpus;
function eight() {
  eightGpus ??= writeReport("eight", "--platform", "dgx-a100", "--algorithm", "rmg-paper,rmg-rotated", "--distribution", "zipf", "--parameter", "0.7", "--keys", "2e9");
  return eightGpus;
}

const place = ({ data }, kind) => data.sections.findIndex((section) => section.kind === kind);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

for (const [name, words] of Object.entries({
  "8 GPUs": ["--platform", "dgx-a100", "--algorithm", "rmg-paper,rmg-rotated", "--distribution", "zipf", "--parameter", "0.7", "--keys", "2e9"],
  "72 GPUs": ["--platform", "gb200-nvl72", "--keys", "1e8", "--gpus", "all", "--input-on", "local", "--rate-tolerance", "1e-2"],
  "576 GPUs": ["--platform", "cluster:dgx-h100:72", "--keys", "1e9", "--gpus", "all", "--rate-tolerance", "1e-2"],
  "1,024 GPUs and a million buckets": ["--digit-bits", "11", "--distribution", "normal", "--keys", "1e11", "--type", "u64", "--gpu-count", "1024"],
})) {
  test(`APageIsSmallAndQuickAndSilent: ${name}`, async (context) => {
    const { file, writeMs } = writeReport("size", ...words);
    const size = statSync(file).size;
    const times = [];
    const busy = [];
    // The first page of a browser pays for the browser's start: the quickest counts.
    for (const scheme of ["light", "dark", "light", "dark"]) {
      const page = await open(file, { scheme });
      times.push(page.readyMs);
      busy.push(page.busyMs);
      assert.deepEqual(page.complaints, []);
      await page.close();
    }
    context.diagnostic(`${name}: written in ${writeMs.toFixed(0)} ms, ${size} bytes, open in ${times.map((ms) => ms.toFixed(0)).join(", ")} ms, of which the main thread works ${busy.map((ms) => ms.toFixed(0)).join(", ")} ms`);
    assert.ok(Math.min(...busy) < mostMs, `works ${busy} ms`);
    assert.ok(size < 3e6, `${size} bytes`);
  });
}

test("EveryFigureHasAMarkForEachThingThatItShows", async () => {
  const report = eight();
  const page = await open(report.file, { width: 1400 });
  const [plan, simulation, comparison] = ["run", "simulation", "comparison"].map((kind) => place(report, kind));
  const planned = report.data.sections[plan];
  const buckets = await marks(page, `section${plan}-buckets`);
  assert.equal(sum(buckets.map(({ joined }) => joined)), sum(planned.passes.flatMap((pass) => pass.groups).map((group) => group.count)), "every bucket is in one mark");
  const rows = rowsOf(report, plan, "buckets");
  const spanning = planned.passes.reduce((total, pass) => total + pass.spanning + pass.cut, 0);
  assert.ok(spanning > 0);
  assert.equal(buckets.filter(({ row, joined }) => rows[row].state !== "placed" && joined === 1).length, spanning, "no spanning bucket is joined with others");
  assert.equal((await marks(page, `section${plan}-balance`)).length, 8);
  assert.equal((await marks(page, `section${plan}-matrix`)).length, 64);
  const cells = planned.matrix.keys.filter((keys) => keys > 0).length;
  assert.equal((await marks(page, `section${plan}-swap`)).length, 2 * cells, "before and after");
  const simulated = report.data.sections[simulation];
  assert.equal((await marks(page, `section${simulation}-timeline`)).length, simulated.tasks.rows.length);
  assert.equal((await marks(page, `section${simulation}-phases`)).length, simulated.phases.length);
  const compared = report.data.sections[comparison];
  assert.equal((await marks(page, `section${comparison}-comparison`)).length, sum(compared.rows.map((row) => row.ms.filter((ms) => ms > 0).length)));
});

test("EveryFigureOfThePageIsAFileToo", async () => {
  const { data, figures } = eight();
  const known = new Set(figures.flat().map((figure) => figure.name));
  assert.equal(figures.length, data.sections.length);
  assert.ok(known.size >= 10, [...known].join(", "));
  const page = await open(eight().file);
  assert.deepEqual(await drawn(page), figures.flatMap((section, index) => section.filter(({ empty }) => !empty).map(({ name }) => `section${index}-${name}`)));
});

test("TheKeySwapOfThePapersOrderShowsIncastAndTheRotatedOneDoesNot", async () => {
  const report = eight();
  const simulations = report.data.sections.flatMap((section, index) => (section.kind === "simulation" ? [index] : []));
  const atOnce = (index) => {
    const first = rowsOf(report, index, "swap-order").filter((row) => row["begin (ms)"] < 0.1);
    return Math.max(...[0, 1, 2, 3, 4, 5, 6, 7].map((gpu) => first.filter((row) => row["destination GPU"] === gpu).length));
  };
  assert.ok(atOnce(simulations[0]) >= 6, "nearly all begin with one destination");
  assert.equal(atOnce(simulations[1]), 1, "all begin with different destinations");
});

test("TheNumbersOfABucketAreShownAtThePointerAndAllMarksOfThemAreMarked", async () => {
  const report = eight();
  const page = await open(report.file);
  const plan = place(report, "run");
  const id = `section${plan}-buckets`;
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  const rows = rowsOf(report, plan, "buckets");
  const spanning = (await marks(page, id)).filter(({ row }) => rows[row].state === "spanning").sort((a, b) => b.right - b.left - (a.right - a.left))[0];
  await page.mouse.move((spanning.left + spanning.right) / 2, (spanning.top + spanning.bottom) / 2);
  const wanted = report.data.sections[plan].passes[0].not_placed.map(({ prefix }) => prefix);
  const text = await numbersShown(page);
  assert.ok(wanted.includes(rows[spanning.row].bucket) && text.includes(rows[spanning.row].bucket), text);
  assert.ok(text.includes(rows[spanning.row]["begin (key)"].toLocaleString("en-US")), text);
  const swap = page.locator(`#section${plan}-swap`);
  await swap.scrollIntoViewIfNeeded();
  const [part] = await marks(page, `section${plan}-swap`);
  await page.mouse.move((part.left + part.right) / 2, (part.top + part.bottom) / 2);
  assert.equal(await swap.locator("svg:visible .at").count(), 2, "the same keys before and after");
});

test("APageIsUsableWithoutAMouse", async () => {
  const report = eight();
  const page = await open(report.file);
  const id = `section${place(report, "run")}-buckets`;
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip", "the first stop skips to the figures");
  for (let presses = 0; presses < 60 && (await page.evaluate(() => document.activeElement.id)) !== id; ++presses) {
    await page.keyboard.press("Tab");
  }
  assert.equal(await page.evaluate(() => document.activeElement.id), id, "Tab reaches the figure");
  const width = async () => (await marks(page, id))[0].right - (await marks(page, id))[0].left;
  const ticks = () => page.locator(`#${id} svg:visible g.ticks text`).allTextContents();
  const [before, ticksBefore] = [await width(), await ticks()];
  await page.keyboard.press("+");
  assert.ok(Math.abs(await width() / before - 2) < 0.01, "plus shows half");
  assert.notDeepEqual(await ticks(), ticksBefore, "the axis has the numbers of what is shown");
  await page.keyboard.press("ArrowDown");
  assert.match(await numbersShown(page), /^pass\s+1\s/);
  await page.keyboard.press("0");
  assert.ok(Math.abs(await width() / before - 1) < 0.01, "0 shows all");
  assert.deepEqual(await ticks(), ticksBefore);
  await page.keyboard.press("Escape");
  assert.equal(await numbersShown(page), "");
});

test("AZoomedAxisNamesWhatIsShown", async () => {
  const report = eight();
  const page = await open(report.file);
  const id = `section${place(report, "simulation")}-timeline`;
  await page.locator(`#${id}`).focus();
  for (const key of ["+", "+", "+", "ArrowRight", "ArrowRight"]) {
    await page.keyboard.press(key);
  }
  // A mark's numbers and its place on the axis agree.
  const { axis, found } = await page.evaluate((name) => {
    const svg = visibleSvg(document.getElementById(name));
    const labels = [...svg.querySelectorAll("g.ticks text")].map((label) => {
      const { left, right } = label.getBoundingClientRect();
      return { ms: Number(label.textContent), at: (left + right) / 2 };
    });
    const area = svg.querySelector("svg.zoom").viewBox.baseVal;
    const inside = [...svg.querySelectorAll("[data-r]")].find((mark) => Number(mark.getAttribute("x")) > area.x && Number(mark.getAttribute("x")) < area.x + area.width);
    return { axis: labels, found: { row: Number(inside.dataset.r), left: inside.getBoundingClientRect().left } };
  }, id);
  const [first, last] = [axis[0], axis.at(-1)];
  const shown = first.ms + ((found.left - first.at) / (last.at - first.at)) * (last.ms - first.ms);
  const begin = rowsOf(report, place(report, "simulation"), "timeline")[found.row]["begin (ms)"];
  assert.ok(Math.abs(shown - begin) < 0.01 * (last.ms - first.ms), `${shown} ms on the axis, ${begin} ms in the table`);
});

test("EveryFigureHasItsNumbersAsATable", async () => {
  const report = eight();
  const page = await open(report.file);
  const figures = await page.locator(".drawing").count();
  const summaries = page.locator("summary", { hasText: "Numbers as a table" });
  assert.equal(await summaries.count(), figures);
  for (let i = 0; i < figures; ++i) {
    await summaries.nth(i).focus();
    await page.keyboard.press("Enter");
    await page.waitForFunction((index) => [...document.querySelectorAll("summary")].filter((one) => one.innerText === "Numbers as a table")[index].parentElement.querySelector("tbody tr"), i);
  }
  assert.equal(await page.locator(`#section${place(report, "run")}-matrix`).locator("xpath=../following-sibling::details").locator("tbody tr").count(), 64);
  assert.deepEqual(page.complaints, []);
});

test("APhoneNeedsNoSidewaysScrolling", async () => {
  const page = await open(eight().file, { width: 360, height: 740 });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360);
});

test("ManyGpusAreReadableOnAPhone", async () => {
  const { file } = writeReport("phone-576", "--distribution", "zipf", "--keys", "2e9", "--gpu-count", "576");
  const page = await open(file, { width: 400, height: 900 });
  const heights = await page.evaluate(() => [...document.querySelectorAll(".scroll tbody tr")].map((row) => row.offsetHeight).filter((height) => height > 0));
  assert.ok(heights.length >= 100 && Math.max(...heights) < 40, `a row of a table is one line: ${Math.max(...heights)} px`);
  assert.equal(await page.locator("#section0-buckets svg:visible .zoom [stroke-dasharray]").count(), 0, "575 borders are not a grid over the buckets");
});

test("OneKeyAndManyMemoriesAreToldInShort", async () => {
  const one = writeReport("one-key", "--platform", "dgx-a100", "--keys", "1", "--gpus", "0").data.sections.find((section) => section.kind === "simulation");
  assert.match(one.answers[0], /0 partitioning passes, 0 copies between GPUs and 1 sort\.$/);
  const many = writeReport("nvl72", "--platform", "gb200-nvl72", "--keys", "1e6", "--gpus", "all", "--rate-tolerance", "1e-2").data.sections;
  const rows = many.find((section) => section.kind === "simulation").configuration.map((row) => row[0]).filter((name) => name.startsWith("Memory of"));
  assert.ok(rows.length <= 3 && rows.some((name) => / to grace35$/.test(name)), rows.join(", "));
});

test("APrintIsOnLightGround", async () => {
  const page = await open(eight().file, { scheme: "dark" });
  await page.locator("#theme").click();
  await page.locator("#theme").click(); // dark, as the reader chose
  await page.emulateMedia({ media: "print" });
  const state = await page.evaluate(() => ({
    ground: getComputedStyle(document.body).backgroundColor, navigation: getComputedStyle(document.querySelector("nav")).display,
    ink: getComputedStyle(document.querySelector(".drawing text")).fill,
  }));
  assert.deepEqual(state, { ground: "rgb(255, 255, 255)", navigation: "none", ink: "rgb(22, 32, 43)" });
  assert.ok((await page.pdf()).length > 20000);
});

/** Mean difference of two pictures, 0 to 255, after both are averaged into cells: letters of another font do not count. */
function difference(page, one, other) {
  return page.evaluate(async (sources) => {
    const read = async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [48, 36];
      const paint = canvas.getContext("2d");
      paint.imageSmoothingQuality = "high";
      paint.drawImage(image, 0, 0, canvas.width, canvas.height);
      return paint.getImageData(0, 0, canvas.width, canvas.height).data;
    };
    const [a, b] = await Promise.all(sources.map(read));
    return a.reduce((total, value, index) => total + Math.abs(value - b[index]), 0) / a.length;
  }, [one, other].map((picture) => `data:image/png;base64,${picture.toString("base64")}`));
}

const largestDifference = 6;

for (const [name, id, scheme, width] of [["light", "buckets", "light", 900], ["dark", "buckets", "dark", 900], ["phone", "buckets", "light", 360],
  ["topology-light", "topology", "light", 900], ["topology-dark", "topology", "dark", 900], ["matrix-dark", "matrix", "dark", 900]]) {
  test(`ThePictureOf_${name}_LooksAsApproved`, async (context) => {
    const report = eight();
    const figure = `#section${place(report, id === "topology" ? "simulation" : "run")}-${id}`;
    const page = await open(report.file, { width, scheme });
    const picture = await page.locator(figure).screenshot();
    const approved = join(here, "approved", `${name}.png`);
    if (approve) {
      writeFileSync(approved, picture);
    }
    assert.ok(existsSync(approved), `${approved} is missing; look at the page and run KEYSWAP_APPROVE=1 tools/report/test`);
    const blank = await browser.newPage();
    const found = await difference(blank, picture, readFileSync(approved));
    context.diagnostic(`mean difference ${found.toFixed(2)} of 255`);
    assert.ok(found < largestDifference, `differs by ${found.toFixed(1)} of 255 on average`);
    // The comparison can fail: the same figure in the other theme is another picture.
    const other = await open(report.file, { width, scheme: scheme === "dark" ? "light" : "dark" });
    assert.ok(await difference(blank, await other.locator(figure).screenshot(), readFileSync(approved)) > 2 * largestDifference);
  });
}
