// What is taken from the page: files of every chart, steps of an animation; and that it can be read and used without a mouse.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawAll, folder, keyswap, open, root, writeReport } from "./page_driver.mjs";

let eightGpus;
function eight() {
  eightGpus ??= writeReport("take-away", "--platform", "dgx-a100", "--distribution", "zipf", "--parameter", "0.7", "--keys", "2e9");
  return eightGpus;
}

/** What a button gives: its file's name and content. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.press("Enter")]);
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

test("EveryChartGivesItsFilesByKey", async () => {
  const { file } = eight();
  let page = await open(file);
  const ids = await drawAll(page);
  assert.ok(ids.length >= 8);
  const chartsOfAPage = 3; // Chromium asks its user before the eleventh file of a page that is not saved within a key's press
  for (const [place, id] of ids.entries()) {
    if (place > 0 && place % chartsOfAPage === 0) {
      assert.deepEqual(page.complaints, []);
      page = await open(file);
      await drawAll(page);
    }
    const buttons = page.locator(`#${id}`).locator("xpath=../..").locator(".saves button");
    assert.deepEqual(await buttons.allInnerTexts(), ["SVG", "PNG", "CSV"], id);
    const svg = await saved(page, buttons.nth(0));
    assert.equal(svg.name, `${id}.svg`);
    const text = svg.content.toString();
    assert.match(text, /^<svg xmlns/);
    const title = await page.locator(`#${id}-title`).innerText();
    const parsed = await page.evaluate((svgText) => {
      const drawing = new DOMParser().parseFromString(svgText, "image/svg+xml");
      return { title: drawing.querySelector("title")?.textContent, error: drawing.querySelector("parsererror")?.textContent ?? "" };
    }, text);
    assert.deepEqual(parsed, { title, error: "" }, id);
    const png = await saved(page, buttons.nth(1));
    assert.equal(png.content.subarray(1, 4).toString(), "PNG", id);
    assert.equal(png.content.readUInt32BE(16), 1800, `${id}: pixels across`);
    const csv = await saved(page, buttons.nth(2));
    assert.ok(csv.content.toString().split("\n").length > 2, id);
  }
  assert.deepEqual(page.complaints, []);
});

test("AFileHasTheLightThemeWhateverThePageShows", async () => {
  const { file } = eight();
  const texts = [];
  for (const scheme of ["light", "dark"]) {
    const page = await open(file, { scheme });
    const [id] = await drawAll(page);
    texts.push((await saved(page, page.locator(`#${id}`).locator("xpath=../..").locator(".saves button").first())).content.toString());
  }
  assert.equal(texts[0], texts[1]);
});

test("TheProgramAndThePageHaveTheSameNumbers", async () => {
  const { file } = eight();
  const page = await open(file);
  await drawAll(page);
  const id = (await page.evaluate(() => [...window.keyswapCharts.keys()])).find((name) => name.endsWith("-phases"));
  const csv = (await saved(page, page.locator(`#${id}`).locator("xpath=../..").locator(".saves button").nth(2))).content.toString();
  const out = join(folder, "phases.csv");
  execFileSync(keyswap, ["report", "--platform", "dgx-a100", "--distribution", "zipf", "--parameter", "0.7", "--keys", "2e9", "--figure", "phases", "--out", out, "--force"], { cwd: root });
  // The page carries seven digits.
  const ends = (text) => text.trim().split("\n").slice(1).map((line) => Number(line.split(",")[3]));
  const [onPage, inFile] = [ends(csv), ends(readFileSync(out, "utf8"))];
  assert.equal(onPage.length, inFile.length);
  onPage.forEach((ms, row) => assert.ok(Math.abs(ms - inFile[row]) <= 1e-6 * inFile[row], `${ms} and ${inFile[row]}`));
});

test("KeysOnTheMoveStepByKeyAndPlayOnlyIfAsked", async () => {
  const { file } = eight();
  const page = await open(file);
  const drawing = page.locator(".drawing").first();
  await drawing.scrollIntoViewIfNeeded();
  const step = () => page.locator(".motion output").first().innerText();
  const places = () => drawing.evaluate((element) => [...element.shadowRoot.querySelectorAll("rect.m")].map((part) => getComputedStyle(part).transform).join());
  assert.equal(await step(), "step 12 of 24");
  const before = await places();
  await page.waitForTimeout(300);
  assert.equal(await places(), before, "nothing moves by itself");
  await drawing.focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await step(), "step 13 of 24");
  assert.notEqual(await places(), before);
  await page.keyboard.press("Home");
  assert.equal(await step(), "step 0 of 24");
  await page.keyboard.press(" ");
  const start = await places();
  await page.waitForFunction((was) => [...document.querySelector(".drawing").shadowRoot.querySelectorAll("rect.m")].map((part) => getComputedStyle(part).transform).join() !== was, start);
  await page.keyboard.press(" ");
  const buttons = page.locator(".drawing").first().locator("xpath=../..").locator(".saves button");
  const frame = (await saved(page, buttons.nth(0))).content.toString();
  assert.ok(!frame.includes("@keyframes"));
  assert.ok((await saved(page, buttons.nth(1))).content.length > 1000);
  const animated = (await saved(page, buttons.last())).content.toString();
  assert.ok(animated.includes("prefers-reduced-motion"));
  assert.deepEqual(page.complaints, []);
});

/** Contrast of two colours as WCAG 2.2 defines it. */
function contrast(one, other) {
  const luminance = (color) => color.match(/[\d.]+/g).slice(0, 3).map((channel) => channel / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)).reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

for (const scheme of ["light", "dark"]) {
  test(`AllTextOfThePageCanBeReadInThe_${scheme}`, async () => {
    const page = await open(eight().file, { scheme });
    const texts = await page.evaluate(() => [...document.querySelectorAll("h1, h2, h3, p, li, summary, button, td, th, a, output")].filter((element) => element.innerText?.trim() && element.offsetParent)
      .map((element) => {
        let ground = element;
        while (ground && getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") {
          ground = ground.parentElement;
        }
        return { text: element.innerText.slice(0, 40), ink: getComputedStyle(element).color, ground: ground ? getComputedStyle(ground).backgroundColor : "rgb(255, 255, 255)" };
      }));
    assert.ok(texts.length > 50);
    for (const { text, ink, ground } of texts) {
      assert.ok(contrast(ink, ground) >= 4.5, `${text}: ${ink} on ${ground}`);
    }
  });
}

test("EveryPictureHasATitleADescriptionAndATable", async () => {
  const page = await open(eight().file);
  const lacks = await page.evaluate(() => [...document.querySelectorAll("[role=img]")].filter((element) => {
    const named = ["aria-labelledby", "aria-describedby"].every((name) => document.getElementById(element.getAttribute(name))?.textContent.trim());
    return !named || element.tabIndex !== 0 || !element.closest("figure").parentElement.querySelector("details:last-child summary");
  }).map((element) => element.id));
  assert.deepEqual(lacks, []);
});
