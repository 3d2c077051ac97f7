// SPDX-License-Identifier: Apache-2.0
// The buffers of a compiled program: where they are and when they are needed, with the peak marked.
'use strict';

function cards(...pairs) {
  return make('div', {class: 'cards'}, ...pairs.map(([name, value]) => make('div', {}, make('span', {class: 'soft'}, name), make('b', {}, value))));
}

// Bytes that are alive at each position of the schedule.
function liveBytes(buffers, length) {
  const steps = new Float64Array(length + 2);
  for (const b of buffers) {
    steps[b.begin] += b.bytes;
    steps[b.end + 1] -= b.bytes;
  }
  for (let i = 1; i < steps.length; i++) steps[i] += steps[i - 1];
  return steps.subarray(0, length + 1);
}

function memoryView(data, jump) {
  const all = data.buffers.items, scratch = all.filter(b => b.memory === 'scratch');
  const length = Math.max(1, ...all.map(b => b.end));
  const W = 1100, H = 360, L = 70, T = 14, B = 34, R = 14;
  const most = Math.max(1, data.buffers.scratch, ...scratch.map(b => b.offset + b.bytes));
  const x = p => L + (W - L - R) * p / (length + 1), y = n => T + (H - T - B) * (1 - n / most);
  const chart = svg('svg', {class: 'chart', viewBox: `0 0 ${W} ${H}`, role: 'img',
    'aria-label': `Buffers in scratch memory by position in the schedule; the peak of ${formatBytes(data.buffers.peak)} is at position ${data.buffers.peakPosition}`});
  for (let k = 0; k <= 4; k++) {
    const n = most * k / 4;
    chart.append(svg('line', {x1: L, x2: W - R, y1: y(n), y2: y(n), stroke: 'var(--line)'}),
      svg('text', {x: L - 8, y: y(n) + 4, 'text-anchor': 'end', fill: 'var(--soft)', 'font-size': 11}, formatBytes(n)));
  }
  const shown = scratch.length > 4000 ? [...scratch].sort((a, b) => b.bytes - a.bytes).slice(0, 4000) : scratch;
  shown.forEach((b, k) => {
    chart.append(svg('rect', {x: x(b.begin), y: y(b.offset + b.bytes), width: Math.max(1.5, x(b.end + 1) - x(b.begin)),
      height: Math.max(1, y(b.offset) - y(b.offset + b.bytes)), fill: PALETTE[k % PALETTE.length],
      stroke: b.peak ? 'var(--remove)' : 'var(--panel)', 'stroke-width': b.peak ? 1.4 : 0.7,
      onmousemove: e => showTip(e, b.values.slice(0, 4).join(', '), `${formatBytes(b.bytes)} at ${b.offset}, positions ${b.begin} to ${b.end}`),
      onmouseleave: hideTip, onclick: () => jump(b.values[0])}));
  });
  const live = liveBytes(scratch, length);
  let path = '';
  live.forEach((n, p) => { path += `${p ? 'L' : 'M'}${x(p).toFixed(1)},${y(n).toFixed(1)}H${x(p + 1).toFixed(1)}`; });
  chart.append(svg('path', {d: path, fill: 'none', stroke: 'var(--accent)', 'stroke-width': 1.8}));
  if (data.buffers.peak > 0) {
    const at = x(data.buffers.peakPosition + 0.5);
    chart.append(svg('line', {x1: at, x2: at, y1: T, y2: H - B, stroke: 'var(--remove)', 'stroke-width': 1.5, 'stroke-dasharray': '5 4'}),
      svg('text', {x: Math.min(at + 6, W - 150), y: T + 12, fill: 'var(--remove)', 'font-size': 12}, `peak ${formatBytes(data.buffers.peak)}`));
  }
  chart.append(svg('text', {x: (W + L) / 2, y: H - 8, 'text-anchor': 'middle', fill: 'var(--soft)', 'font-size': 12}, 'position in the schedule'));
  const kinds = new Map();
  for (const b of all) kinds.set(b.memory, (kinds.get(b.memory) || 0) + b.bytes);
  const table = sortableTable('Buffers', [
    ['memory', false, b => b.memory + (b.memory === 'scratch' ? '' : ' ' + b.number)],
    ['bytes', true, b => b.bytes, b => formatBytes(b.bytes)],
    ['offset', true, b => b.offset],
    ['from', true, b => b.begin],
    ['to', true, b => b.end],
    ['at the peak', false, b => b.peak ? 'yes' : ''],
    ['values', false, b => b.values.join(', '), b => make('button', {onclick: () => jump(b.values[0])}, clip(b.values.join(', '), 90))],
  ], all, 1);
  return scrolled('Memory',
    cards(['scratch memory', formatBytes(data.buffers.scratch)], ['needed at a time', formatBytes(data.buffers.peak)],
      ...[...kinds].filter(([name]) => name !== 'scratch').map(([name, n]) => [name + 's', formatBytes(n)])),
    make('section', {}, make('h2', {}, 'Scratch memory over time'),
      make('p', {class: 'soft'}, 'Each rectangle is a buffer, at its offset, for as long as it is needed; the line is what is needed at a time. Buffers with a red edge are alive at the peak.'),
      chart),
    make('section', {}, make('h2', {}, 'Buffers'), table));
}
