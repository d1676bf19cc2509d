// What is taken from the page: files of every chart, steps of an animation; and that it can be read and used without a mouse.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { drawn, folder, keyswap, open, root, writeReport } from "./page_driver.mjs";

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

test("EveryFigureGivesItsFilesByKey", async () => {
  const { file } = eight();
  let page = await open(file);
  const ids = await drawn(page);
  assert.ok(ids.length >= 8);
  const figuresOfAPage = 3; // Chromium asks its user before the eleventh file of a page that is not saved within a key's press
  for (const [place, id] of ids.entries()) {
    if (place > 0 && place % figuresOfAPage === 0) {
      assert.deepEqual(page.complaints, []);
      page = await open(file);
    }
    const saves = page.locator(`#${id}`).locator("xpath=../..").locator(".saves button[aria-label^=Save]");
    assert.deepEqual((await saves.allInnerTexts()).slice(0, 3), ["SVG", "PNG", "CSV"], id);
    const svg = await saved(page, saves.nth(0));
    assert.equal(svg.name, `${id}.svg`);
    const text = svg.content.toString();
    assert.match(text, /^<svg [^>]*xmlns=/);
    const title = await page.locator(`#${id}-title`).innerText();
    const parsed = await page.evaluate((svgText) => {
      const drawing = new DOMParser().parseFromString(svgText, "image/svg+xml");
      return { title: drawing.querySelector("title")?.textContent, error: drawing.querySelector("parsererror")?.textContent ?? "" };
    }, text);
    assert.deepEqual(parsed, { title, error: "" }, id);
    assert.doesNotMatch(text, /var\(|data-r|class="at"/, id);
    const png = await saved(page, saves.nth(1));
    assert.equal(png.content.subarray(1, 4).toString(), "PNG", id);
    assert.equal(png.content.readUInt32BE(16), 3 * 680, `${id}: pixels across`); // 180 mm are 680 pixels
    const csv = await saved(page, saves.nth(2));
    assert.ok(csv.content.toString().split("\n").length > 2, id);
  }
  assert.deepEqual(page.complaints, []);
});

test("AFileHasTheLightThemeWhateverThePageShows", async () => {
  const { file } = eight();
  const texts = [];
  for (const scheme of ["light", "dark"]) {
    const page = await open(file, { scheme });
    const id = (await drawn(page)).find((name) => name.endsWith("-matrix"));
    texts.push((await saved(page, page.locator(`#${id}`).locator("xpath=../..").locator(".saves button[aria-label^=Save]").first())).content.toString());
  }
  assert.equal(texts[0], texts[1]);
});

test("TheProgramAndThePageHaveTheSameNumbers", async () => {
  const { file } = eight();
  const page = await open(file);
  const id = (await drawn(page)).find((name) => name.endsWith("-phases"));
  const csv = (await saved(page, page.locator(`#${id}`).locator("xpath=../..").locator(".saves button", { hasText: "CSV" }))).content.toString();
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
  const id = (await drawn(page)).find((name) => name.endsWith("-motion"));
  const drawing = page.locator(`#${id}`);
  await drawing.scrollIntoViewIfNeeded();
  const step = () => page.locator(".motion output").first().innerText();
  const places = () => drawing.evaluate((element) => [...visibleSvg(element).querySelectorAll("rect.m")].map((part) => getComputedStyle(part).transform).join());
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
  await page.waitForFunction(([name, was]) => [...visibleSvg(document.getElementById(name)).querySelectorAll("rect.m")].map((part) => getComputedStyle(part).transform).join() !== was, [id, start]);
  await page.keyboard.press(" ");
  const buttons = drawing.locator("xpath=../..").locator(".saves button");
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
  test(`AllTextCanBeReadInThe_${scheme}`, async () => {
    const page = await open(eight().file, { scheme });
    const texts = await page.evaluate(() => [...document.querySelectorAll("h1, h2, h3, p, li, summary, button, td, th, a, output")].filter((element) => element.innerText?.trim() && element.offsetParent)
      .map((element) => {
        let ground = element;
        while (ground && getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") {
          ground = ground.parentElement;
        }
        return { text: element.innerText.slice(0, 40), ink: getComputedStyle(element).color, ground: getComputedStyle(ground ?? document.body).backgroundColor };
      }));
    // Of a drawing's text, the ground is the last area that was drawn under its middle before it.
    const letters = await page.evaluate(() => [...document.querySelectorAll(".drawing > svg")].filter((svg) => svg.getClientRects().length > 0).flatMap((svg) => {
      const areas = [];
      return [...svg.querySelectorAll("rect, text")].flatMap((part) => {
        const box = part.getBoundingClientRect();
        if (part.tagName === "rect") {
          areas.push({ box, fill: getComputedStyle(part).fill });
          return [];
        }
        const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        const under = areas.findLast(({ box: area }) => area.left <= x && x <= area.right && area.top <= y && y <= area.bottom);
        return [{ text: `${svg.id}: ${part.textContent}`, ink: getComputedStyle(part).fill, ground: under.fill }];
      });
    }));
    assert.ok(texts.length > 50 && letters.length > 200, `${texts.length} and ${letters.length} texts`);
    for (const { text, ink, ground } of [...texts, ...letters]) {
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
