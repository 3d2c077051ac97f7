// SPDX-License-Identifier: Apache-2.0
// What colors say: families of operations, numbers on a scale, or what has changed.
'use strict';

const FAMILIES = [
  ['products', '#f4a98a', ['dot', 'convolution', 'ragged-dot', 'scaled-dot', 'triangular-solve', 'cholesky', 'fft']],
  ['elementwise', '#a9cdf0', null],
  ['reductions', '#c9b6ec', ['reduce', 'reduce-window', 'reduce-precision', 'select-and-scatter', 'sort', 'topk', 'scan']],
  ['movement', '#b5dcc0', ['reshape', 'transpose', 'broadcast', 'slice', 'dynamic-slice', 'dynamic-update-slice', 'concatenate',
    'pad', 'reverse', 'copy', 'bitcast', 'gather', 'scatter', 'get-tuple-element', 'tuple', 'dynamic-reshape']],
  ['fusions', '#8fd3d1', ['fusion']],
  ['control', '#f0d58c', ['while', 'conditional', 'call', 'custom-call', 'map', 'async-start', 'async-update', 'async-done',
    'after-all', 'infeed', 'outfeed', 'send', 'send-done', 'recv', 'recv-done', 'domain', 'opt-barrier']],
  ['collectives', '#f2a7c3', ['all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all', 'ragged-all-to-all', 'collective-permute',
    'collective-broadcast', 'partition-id', 'replica-id', 'all-reduce-start', 'all-reduce-done', 'all-gather-start',
    'all-gather-done', 'collective-permute-start', 'collective-permute-done']],
  ['inputs', '#d5d9e0', ['parameter', 'constant', 'iota', 'rng', 'rng-bit-generator', 'rng-get-and-update-state']],
];
const FAMILY_OF = new Map();
FAMILIES.forEach(([name, color, ops]) => { for (const op of ops || []) FAMILY_OF.set(op, [name, color]); });
const ELEMENTWISE = ['elementwise', FAMILIES[1][1]];
const CHANGES = {'+': ['added', '#9fdcae'], '-': ['removed', '#f5aca6'], '~': ['changed', '#f3d489'], '': ['the same', '#d5d9e0']};
const PALETTE = ['#a9cdf0', '#f4a98a', '#b5dcc0', '#f0d58c', '#c9b6ec', '#8fd3d1', '#f2a7c3', '#d9c3a5', '#bcd47c', '#e3b7e0'];

// Light to dark in one hue, readable under dark text up to the end.
function ramp(t) {
  const stops = [[243, 239, 228], [250, 214, 140], [245, 160, 90], [226, 96, 74]];
  const at = Math.max(0, Math.min(1, t)) * (stops.length - 1), k = Math.min(stops.length - 2, Math.floor(at));
  const mix = stops[k].map((c, j) => Math.round(c + (stops[k + 1][j] - c) * (at - k)));
  return `rgb(${mix.join(',')})`;
}

function formatBytes(n) {
  for (const unit of ['B', 'KB', 'MB', 'GB', 'TB']) {
    if (n < 999.5 || unit === 'TB') return (unit === 'B' ? n : n.toPrecision(3)) + ' ' + unit;
    n /= 1000;
  }
}
function formatMicroseconds(us) {
  if (us < 999.5) return us.toPrecision(3) + ' µs';
  return us < 999500 ? (us / 1000).toPrecision(3) + ' ms' : (us / 1e6).toPrecision(3) + ' s';
}
function formatRate(n, unit) {
  for (const prefix of ['', 'K', 'M', 'G', 'T']) {
    if (n < 999.5 || prefix === 'T') return n.toPrecision(3) + ' ' + prefix + unit;
    n /= 1000;
  }
}

// The modes of the page: what a mode says of an item (a number, or a name with a color).
class Coloring {
  constructor(data) {
    this.data = data;
    this.time = new Map();
    for (const entry of data.profile ? data.profile.entries : [])
      this.time.set(entry.n, (this.time.get(entry.n) || 0) + entry.self);
    this.errors = new Map(Object.entries(data.errors || {}));
    this.modes = [['family', 'by operation'], ['bytes', 'by bytes']];
    const all = data.graphs.flatMap(g => g.computations.flatMap(c => c.instrs));
    if (this.time.size) this.modes.unshift(['time', 'by time']);
    if (this.errors.size) this.modes.unshift(['error', 'by error']);
    // First where two programs are compared; where passes are shown, their graphs have changes.
    if (all.some(x => x.g)) this.modes[data.passes ? 'push' : 'unshift'](['change', 'by change']);
    if (all.some(x => x.h)) this.modes.push(['sharding', 'by sharding']);
    if (all.some(x => x.f)) this.modes.push(['file', 'by source file']);
    this.names = new Map();  // of sharding and file: to colors
    this.set(this.modes[0][0], null);
  }

  valueOf(instr) {
    if (this.mode === 'time') return this.time.get(instr.n) || 0;
    if (this.mode === 'error') return this.errors.get(instr.n) || 0;
    return instr.b || 0;
  }

  isScale() { return this.mode === 'time' || this.mode === 'bytes' || this.mode === 'error'; }

  // The scale is that of the computation that is shown.
  set(mode, computation) {
    this.mode = mode;
    this.most = 0;
    this.names.clear();
    if (!computation) return;
    if (this.isScale()) for (const instr of computation.instrs) this.most = Math.max(this.most, this.valueOf(instr));
  }

  nameColor(name) {
    if (!this.names.has(name)) this.names.set(name, name ? PALETTE[this.names.size % PALETTE.length] : '#d5d9e0');
    return this.names.get(name);
  }

  ofInstruction(instr) {
    if (this.mode === 'family') return (FAMILY_OF.get(instr.o) || ELEMENTWISE)[1];
    if (this.mode === 'change') return CHANGES[instr.g || ''][1];
    if (this.mode === 'sharding') return this.nameColor(instr.h || '');
    if (this.mode === 'file') return this.nameColor(instr.f || '');
    return ramp(this.most ? Math.sqrt(this.valueOf(instr) / this.most) : 0);
  }

  // A group has the color of the sum of its instructions, or of most of them.
  ofItem(item, instrs) {
    if (item.kind === 'instr') return this.ofInstruction(item.instr);
    if (this.isScale()) {
      let sum = 0;
      for (const i of item.members) sum += this.valueOf(instrs[i]);
      return ramp(this.most ? Math.sqrt(sum / this.most) : 0);
    }
    const counts = new Map();
    for (const i of item.members) {
      const color = this.ofInstruction(instrs[i]);
      counts.set(color, (counts.get(color) || 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1])[0][0];
  }

  format(value) { return this.mode === 'time' ? formatMicroseconds(value) : this.mode === 'bytes' ? formatBytes(value) : value.toPrecision(3); }

  legend(scene) {
    if (this.isScale()) return {ramp: true, most: this.format(this.most)};
    const seen = new Map();
    for (const item of scene.items) {
      if (item.kind !== 'instr') continue;
      const x = item.instr;
      const [name, color] = this.mode === 'family' ? FAMILY_OF.get(x.o) || ELEMENTWISE
        : this.mode === 'change' ? CHANGES[x.g || '']
        : this.mode === 'sharding' ? [x.h || 'none', this.nameColor(x.h || '')]
        : [x.f ? x.f.split('/').pop() : 'unknown', this.nameColor(x.f || '')];
      if (seen.size < 12) seen.set(name, color);
    }
    return {names: [...seen]};
  }
}

if (typeof module !== 'undefined') module.exports = {Coloring, ramp, formatBytes, formatMicroseconds, formatRate};
