// SPDX-License-Identifier: Apache-2.0
// Layered drawing of the items of a container: operands above users. Items have w and h, and get x
// and y relative to the container. No element of the page is used here.
'use strict';

const GAP_X = 18, GAP_Y = 34, PAD = 14, HEAD = 24, MOST_ROWS = 6;

// Rows: an item is below all items that it is computed from. Constants, parameters and what
// little is made of them move down to the first user, to where they are needed. An edge
// against the order of the program, between folded groups, does not count.
function assignRows(items, edges) {
  const row = new Int32Array(items.length), ins = items.map(() => []), outs = items.map(() => []);
  for (const [from, to] of edges) {
    if (items[from].order < items[to].order) {
      outs[from].push(to);
      ins[to].push(from);
    }
  }
  const byOrder = items.map((_, i) => i).sort((a, b) => items[a].order - items[b].order);
  for (const i of byOrder) for (const from of ins[i]) row[i] = Math.max(row[i], row[from] + 1);
  const floats = new Uint8Array(items.length);
  for (const i of byOrder) floats[i] = (ins[i].length < 2 || row[i] <= 4) && ins[i].every(from => floats[from]) ? 1 : 0;
  for (let k = byOrder.length - 1; k >= 0; k--) {
    const i = byOrder[k];
    if (!floats[i] || !outs[i].length) continue;
    let least = Infinity;
    for (const to of outs[i]) least = Math.min(least, row[to]);
    row[i] = Math.max(row[i], least - 1);
  }
  return {row, ins, outs, floats};
}

// The positions nearest to those desired (by least squares with weights) that keep the order and the distances: blocks of items
// that would overlap are joined and move as one (pool adjacent violators).
function spread(line, items, desired, weightOf) {
  const blocks = [];
  let offset = 0;
  for (const i of line) {
    const weight = weightOf(i);
    const block = {sum: weight * (desired(i) - items[i].w / 2 - offset), weight, offsets: [[i, offset]]};
    offset += items[i].w + GAP_X;
    blocks.push(block);
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1], before = blocks[blocks.length - 2];
      if (before.sum / before.weight <= last.sum / last.weight) break;
      before.sum += last.sum;
      before.weight += last.weight;
      for (const entry of last.offsets) before.offsets.push(entry);
      blocks.pop();
    }
  }
  for (const block of blocks) {
    for (const [i, at] of block.offsets) items[i].x = block.sum / block.weight + at;
  }
}

function center(item) { return item.x + item.w / 2; }

// Sets x and y, and returns the size of the container.
function layoutItems(items, edges) {
  if (!items.length) return {w: 0, h: 0};
  const {row, ins, outs, floats} = assignRows(items, edges);
  const lines = [];
  items.forEach((_, i) => (lines[row[i]] = lines[row[i]] || []).push(i));
  for (let r = 0; r < lines.length; r++) lines[r] = lines[r] || [];
  for (const line of lines) {
    line.sort((a, b) => items[a].order - items[b].order);
    let x = 0;
    for (const i of line) { items[i].x = x; x += items[i].w + GAP_X; }
    for (const i of line) items[i].x -= x / 2;
  }
  // What is many rows away says little about where an item should be.
  const near = (list, i) => {
    const close = list.filter(j => Math.abs(row[j] - row[i]) <= MOST_ROWS);
    return close.length ? close : list;
  };
  const above = ins.map(near), below = outs.map(near);
  const sweeps = items.length > 5000 ? 4 : 10;
  for (let s = 0; s < sweeps; s++) {
    const neighbors = s % 2 === 0 ? above : below;
    const desired = i => {
      if (!neighbors[i].length) return center(items[i]);
      // Parameters and constants follow what is computed from them, not the other way round.
      let sum = 0, weights = 0;
      for (const j of neighbors[i]) {
        const weight = floats[j] && !floats[i] ? 0.02 : 1;
        sum += weight * center(items[j]);
        weights += weight;
      }
      return sum / weights;
    };
    for (let k = 0; k < lines.length; k++) {
      const line = lines[s % 2 === 0 ? k : lines.length - 1 - k];
      if (s < sweeps - 2 && line.length > 1) {
        const key = new Map(line.map(i => [i, desired(i)]));
        line.sort((a, b) => key.get(a) - key.get(b) || items[a].order - items[b].order);
      }
      spread(line, items, desired, i => floats[i] ? 1 : 20);
    }
  }
  let left = Infinity, right = -Infinity, y = 0;
  for (const line of lines) {
    let height = 0;
    for (const i of line) height = Math.max(height, items[i].h);
    for (const i of line) {
      items[i].y = y + (height - items[i].h) / 2;
      left = Math.min(left, items[i].x);
      right = Math.max(right, items[i].x + items[i].w);
    }
    if (line.length) y += height + GAP_Y;
  }
  for (const item of items) item.x -= left;
  return {w: right - left, h: y - GAP_Y};
}

if (typeof module !== 'undefined') module.exports = {assignRows, spread, layoutItems};
