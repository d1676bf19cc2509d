// Reading of the data document, and numbers as people read them. No part of this file or of the
// charts touches the page, so that charts can be drawn without a browser too.

/** Text that may stand in a tooltip's HTML: names come from files and may hold anything. */
function escapeHtml(text) {
  return String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/** Made once: number.toLocaleString() makes one for every number, which a long table shows. */
const groupedDigits = new Intl.NumberFormat("en-US");

function formatCount(count) {
  return groupedDigits.format(Math.round(count));
}

/** "1.2 G" of 1.2e9: for axes. */
function formatShort(number, unit = "") {
  const steps = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
  for (const [size, letter] of steps) {
    if (Math.abs(number) >= size) {
      return `${trimmed(number / size)} ${letter}${unit}`;
    }
  }
  return `${trimmed(number)}${unit ? ` ${unit}` : ""}`;
}

function trimmed(number) {
  return String(Number(number.toPrecision(4)));
}

/** "10,000", "12.5" or "0.01". */
function formatPlain(number) {
  return Math.abs(number) >= 1000 ? formatCount(number) : trimmed(number);
}

function formatMs(ms) {
  return ms !== 0 && Math.abs(ms) < 0.01 ? `${trimmed(ms * 1000)} µs` : `${trimmed(ms)} ms`;
}

function formatPercent(share) {
  return `${(100 * share).toFixed(Math.abs(share) < 0.01 && share !== 0 ? 2 : 1)} %`;
}

/** "+1.3 %" of a share of 0.013. */
function signedPercent(share) {
  return `${share >= 0 ? "+" : "-"}${formatPercent(Math.abs(share))}`;
}

/** The numbers of a list (varint_text.hpp), one after the other. */
class VarintReader {
  constructor(base64) {
    this.bytes = atob(base64);
    this.place = 0;
  }

  next() {
    let byte = this.bytes.charCodeAt(this.place++);
    if (byte < 128) {
      return byte;
    }
    let number = 0;
    let weight = 1;
    for (; byte >= 128; byte = this.bytes.charCodeAt(this.place++)) {
      number += (byte - 128) * weight;
      weight *= 128;
    }
    return number + byte * weight;
  }
}

function signedOf(number) {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

const bucketStates = ["placed", "spanning", "cut"];

/**
 * The buckets of a pass as columns, in sorted order. `digit` and `group` together are a bucket's
 * identity: the last digit, and which bucket it refines.
 */
function decodePass(pass) {
  const count = pass.groups.reduce((sum, group) => sum + group.count, 0);
  const buckets = {
    count,
    begin: new Float64Array(count), end: new Float64Array(count),
    digit: new Uint32Array(count), group: new Uint32Array(count),
    first: new Uint16Array(count), last: new Uint16Array(count), state: new Uint8Array(count),
    begins: [], // index of each group's first bucket
  };
  let i = 0;
  for (const [groupIndex, group] of pass.groups.entries()) {
    const reader = new VarintReader(group.buckets);
    buckets.begins.push(i);
    let digit = 0;
    let position = group.begin;
    let first = 0;
    for (const end = i + group.count; i < end; ++i) {
      digit += reader.next();
      position += signedOf(reader.next());
      buckets.begin[i] = position;
      position += reader.next();
      buckets.end[i] = position;
      const code = signedOf(reader.next());
      const state = code & 3; // of negative ones too
      first += (code - state) / 4;
      buckets.state[i] = state;
      buckets.first[i] = first;
      buckets.last[i] = state === 0 ? first : first + reader.next();
      buckets.digit[i] = digit++;
      buckets.group[i] = groupIndex;
    }
  }
  return buckets;
}

/** "0x1f______": the digits read so far of a bucket's keys, or its name if it has no digits. */
function bucketText(pass, buckets, i) {
  const { names } = pass.groups[buckets.group[i]];
  if (names) {
    return names[i - buckets.begins[buckets.group[i]]];
  }
  const prefix = (BigInt(pass.groups[buckets.group[i]].parent) << BigInt(pass.bits)) | BigInt(buckets.digit[i]);
  const bitsRead = pass.pass * pass.bits_wide + (pass.bits - pass.bits_wide);
  if (bitsRead % 4 !== 0) {
    return `0x${prefix.toString(16)}/${bitsRead} bits`;
  }
  return `0x${prefix.toString(16).padStart(bitsRead / 4, "0")}${"_".repeat(Math.floor(pass.bits_below / 4))}`;
}

/** Objects of a table that names their fields once. */
function unpackedRows({ columns, rows }) {
  return rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]])));
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
