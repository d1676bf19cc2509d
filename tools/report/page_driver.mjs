// Writes reports and opens them in a real headless Chromium: what the tests of the page share. ./test says where keyswap and
// chromium are.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";
import { chromium } from "playwright-core";

export const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, "..", "..");
export const keyswap = process.env.KEYSWAP;
export const folder = mkdtempSync(join(tmpdir(), "keyswap-report-"));
export let browser;

export function run(...words) {
  return execFileSync(keyswap, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** Writes a report; returns the file, its data and the time that writing took. */
export function writeReport(name, ...words) {
  const file = join(folder, `${name}.html`);
  const begin = performance.now();
  run("report", "--output", file, "--force", ...words);
  const writeMs = performance.now() - begin;
  const text = readFileSync(file, "utf8");
  const data = JSON.parse(text.match(/<script type="application\/json" id="data">(.*?)<\/script>/s)[1]);
  return { file, data, writeMs };
}

/** A trace as another program would write it; the checksums are right. */
export function writeTrace(name, records) {
  const lines = records.map((record) => {
    const open = JSON.stringify(record).slice(0, -1);
    return `${open},"crc32":"${crc32(open).toString(16).padStart(8, "0")}"}\n`;
  });
  const file = join(folder, name);
  writeFileSync(file, lines.join(""));
  return file;
}

export function header(more = {}) {
  return {
    record: "header", format: "keyswap-trace", version: 1, units: "keys, ns", program: "test", commit: "", created: "", device: "", driver: "",
    algorithm: "rmg", variant: "reference", key_count: 100, gpus: [0, 1], virtual_gpus: true, key_type: "u32", direction: "ascending",
    value_type: "none", stability: "unstable", zero_order: "total", digit_bits: 8, tolerance_ppm: 5000, fuse_ppm: 10000,
    input: { distribution: "uniform", seed: 1, generator_version: 1, file: "" }, ...more,
  };
}

/** Opens a page; every console message, error and request beyond the file is kept. */
export async function open(file, { width = 1200, height = 900, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => request.url() === pathToFileURL(file).href || complaints.push(`request: ${request.url()}`));
  const begin = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-ready]");
  page.readyMs = performance.now() - begin;
  page.complaints = complaints;
  return page;
}

/** Scrolls a chart into view and waits until it is drawn. */
export async function chart(page, id) {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  await page.waitForFunction((name) => window.keyswapCharts.get(name)?.chart, id);
}

export function marks(page, id, series) {
  return page.evaluate(([name, wanted]) => {
    const option = window.keyswapCharts.get(name).chart.getOption();
    return (wanted ? option.series.find((one) => one.id === wanted) : option.series[0]).data.map((mark) => mark?.value ?? mark);
  }, [id, series]);
}

export async function drawAll(page) {
  const ids = await page.evaluate(() => [...window.keyswapCharts.keys()]);
  for (const id of ids) {
    await chart(page, id);
  }
  return ids;
}

/** The hover text that is shown now, or as soon as there is one (it fades in). */
export async function tooltip(page) {
  const handle = await page.waitForFunction(() => [...document.querySelectorAll(".hover")]
    .filter((box) => Number(getComputedStyle(box).opacity) > 0.5 && getComputedStyle(box).visibility !== "hidden").map((box) => box.innerText.trim()).filter((text) => text !== "").join("\n"));
  return handle.jsonValue();
}

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--force-device-scale-factor=1"] });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});
