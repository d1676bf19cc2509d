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
  return execFileSync(keyswap, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: "pipe" });
}

/** Writes a report; returns the file, the document, the figures of its page by section, and the time that writing took. */
export function writeReport(name, ...words) {
  const file = join(folder, `${name}.html`);
  const begin = performance.now();
  const data = JSON.parse(run("report", "--json", "--output", file, "--force", ...words)).page;
  const writeMs = performance.now() - begin;
  const text = readFileSync(file, "utf8");
  const { figures } = JSON.parse(text.match(/<script type="application\/json" id="data">(.*?)<\/script>/s)[1]);
  return { file, data, figures, writeMs };
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
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const begin = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-ready]");
  page.readyMs = performance.now() - begin;
  const { metrics } = await session.send("Performance.getMetrics");
  page.busyMs = 1000 * metrics.find(({ name }) => name === "TaskDuration").value; // processor time of its main thread
  page.complaints = complaints;
  return page;
}

/** The figures that a page draws. */
export function drawn(page) {
  return page.evaluate(() => [...document.querySelectorAll(".drawing")].map((element) => element.id));
}

/** The marks of a figure with numbers: the row of its table, how many are joined, colour, and where it is in pixels. */
export function marks(page, id) {
  return page.evaluate((name) => [...visibleSvg(document.getElementById(name)).querySelectorAll("[data-r]")].map((mark) => {
    const { left, right, top, bottom } = mark.getBoundingClientRect();
    return { row: Number(mark.dataset.r), joined: Number(mark.dataset.n ?? 1), fill: mark.getAttribute("fill"), left, right, top, bottom };
  }), id);
}

/** The rows of a figure's table, as objects, of the marks that show them. */
export function rowsOf({ figures }, section, name) {
  const { columns, rows } = figures[section].find((figure) => figure.name === name);
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
}

/** The numbers that are shown at the pointer. */
export function numbersShown(page) {
  return page.evaluate(() => (hover.hidden ? "" : hover.innerText));
}

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--force-device-scale-factor=1"] });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});
