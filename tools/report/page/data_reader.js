// Reading of the data document, and numbers as people read them. No part of this file or of the
// charts touches the page, so that charts can be drawn without a browser too.

/** Text that may stand in a tooltip's HTML: names come from files and may hold anything. */
function escapeHtml(text) {
  return String(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function formatCount(count) {
  return Math.round(count).toLocaleString("en-US");
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

function formatMs(ms) {
  return ms !== 0 && Math.abs(ms) < 0.01 ? `${trimmed(ms * 1000)} µs` : `${trimmed(ms)} ms`;
}

function formatPercent(share) {
  return `${(100 * share).toFixed(Math.abs(share) < 0.01 && share !== 0 ? 2 : 1)} %`;
}

/** Calls `take` with a function that gives the next number of the list (varint_text.hpp). */
function readVarints(base64, take) {
  const bytes = atob(base64);
  let place = 0;
  take(() => {
    let number = 0;
    let weight = 1;
    for (;;) {
      const byte = bytes.charCodeAt(place++);
      number += (byte % 128) * weight;
      if (byte < 128) {
        return number;
      }
      weight *= 128;
    }
  });
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
  };
  let i = 0;
  pass.groups.forEach((group, groupIndex) => readVarints(group.buckets, (next) => {
    let digit = 0;
    let position = group.begin;
    let first = 0;
    for (const end = i + group.count; i < end; ++i) {
      digit += next();
      position += signedOf(next());
      buckets.begin[i] = position;
      position += next();
      buckets.end[i] = position;
      const code = signedOf(next());
      const state = ((code % 4) + 4) % 4;
      first += (code - state) / 4;
      buckets.state[i] = state;
      buckets.first[i] = first;
      buckets.last[i] = state === 0 ? first : first + next();
      buckets.digit[i] = digit++;
      buckets.group[i] = groupIndex;
    }
  }));
  return buckets;
}

/** "0x1f______": the digits read so far of a bucket's keys. */
function prefixText(pass, buckets, i) {
  const prefix = (BigInt(pass.groups[buckets.group[i]].parent) << BigInt(pass.bits)) | BigInt(buckets.digit[i]);
  const bitsRead = pass.pass * pass.bits_wide + (pass.bits - pass.bits_wide);
  if (bitsRead % 4 !== 0) {
    return `0x${prefix.toString(16)}/${bitsRead} bits`;
  }
  return `0x${prefix.toString(16).padStart(bitsRead / 4, "0")}${"_".repeat(Math.floor(pass.bits_below / 4))}`;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
