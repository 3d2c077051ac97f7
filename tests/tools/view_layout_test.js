// SPDX-License-Identifier: Apache-2.0
// The layout and the scenes of `xylem view`, without a browser: node tests/tools/view_layout_test.js
'use strict';

const assert = require('assert');
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const folder = path.join(__dirname, '../../tools/view');
const context = vm.createContext({console});
const source = ['layout', 'scene', 'colors'].map(name => fs.readFileSync(path.join(folder, name + '.js'), 'utf8')).join('');
vm.runInContext(source + '\nthis.layoutItems = layoutItems; this.Scene = Scene; this.neighborhood = neighborhood;' +
  'this.Coloring = Coloring; this.formatBytes = formatBytes; this.formatMicroseconds = formatMicroseconds;', context);
const {layoutItems, Scene, neighborhood, Coloring, formatBytes, formatMicroseconds} = context;

// splitmix32, so that programs are the same each time
function random(seed) {
  return () => {
    seed = (seed + 0x9e3779b9) | 0;
    let z = seed ^ (seed >>> 16);
    z = Math.imul(z, 0x21f0aaad);
    z ^= z >>> 15;
    return (Math.imul(z, 0x735a2d97) >>> 0) / 2 ** 32;
  };
}

function randomGraph(count, seed) {
  const draw = random(seed), instrs = [];
  for (let i = 0; i < count; i++) {
    const a = i < 3 ? [] : Array.from({length: 1 + Math.floor(draw() * 2)}, () => Math.floor(Math.max(0, i - 1 - draw() * 20)));
    instrs.push({n: 'v' + i, o: i < 3 ? 'parameter' : 'add', s: 'f32[8]', a, c: [], t: 'v' + i, b: 32, k: i,
      p: 'jit(f)/layer_' + Math.floor(i / 10) + '/op' + i, f: 'model.py', l: Math.floor(i / 7)});
  }
  return {entry: 0, computations: [{name: 'main', root: count - 1, instrs}]};
}

function noOverlap(items) {
  for (const x of items) {
    for (const y of items) {
      if (x === y || x.ax === undefined) continue;
      const apart = x.ax + x.w <= y.ax + 1e-6 || y.ax + y.w <= x.ax + 1e-6 || x.ay + x.h <= y.ay + 1e-6 || y.ay + y.h <= x.ay + 1e-6;
      assert(apart, `${x.key} and ${y.key} overlap`);
    }
  }
}

const tests = {
  'operands are above their users and nothing overlaps'() {
    for (let seed = 1; seed <= 20; seed++) {
      const scene = new Scene(randomGraph(120, seed), 0, {grouping: '', open: new Set(), only: null});
      for (const {u, v} of scene.edges) assert(u.ay + u.h <= v.ay, `${u.key} is not above ${v.key}`);
      noOverlap(scene.items);
      for (const item of scene.items) assert(item.ax >= -1e-6 && item.ax + item.w <= scene.width + 1e-6);
    }
  },
  'a constant is next to its first user'() {
    const instr = (n, o, a) => ({n, o, s: 'f32[]', a, c: [], t: n, b: 4});
    const chain = [instr('p', 'parameter', []), instr('c', 'constant', [])];
    for (let i = 0; i < 30; i++) chain.push(instr('n' + i, 'negate', [i === 0 ? 0 : chain.length - 1]));
    chain.push(instr('r', 'add', [chain.length - 1, 1]));
    const scene = new Scene({computations: [{name: 'm', root: chain.length - 1, instrs: chain}]}, 0, {grouping: '', open: new Set(), only: null});
    const constant = scene.shown.get('0:1'), root = scene.shown.get('0:' + (chain.length - 1));
    assert(root.ay - constant.ay < 100);
  },
  'groups fold instructions, and unfold'() {
    const graph = randomGraph(60, 3), options = {grouping: 'op_name', open: new Set(), only: null};
    const folded = new Scene(graph, 0, options);
    assert.strictEqual(folded.items.length, 6);
    options.open.add(folded.items[1].key);
    const open = new Scene(graph, 0, options);
    assert.strictEqual(open.items.length, 16);
    for (let i = 0; i < 60; i++) assert(open.shown.get('0:' + i), 'every instruction is shown by something');
  },
  'edges go into an open fusion'() {
    const inner = [{n: 'a', o: 'parameter', k: 0, s: 'f32[]', a: [], c: [], t: '', b: 4}, {n: 'b', o: 'sine', s: 'f32[]', a: [0], c: [], t: '', b: 4}];
    const outer = [{n: 'p', o: 'parameter', k: 0, s: 'f32[]', a: [], c: [], t: '', b: 4}, {n: 'f', o: 'fusion', s: 'f32[]', a: [0], c: [0], t: '', b: 4},
      {n: 'g', o: 'negate', s: 'f32[]', a: [1], c: [], t: '', b: 4}];
    const graph = {computations: [{name: 'inner', root: 1, instrs: inner}, {name: 'outer', root: 2, instrs: outer}]};
    const scene = new Scene(graph, 1, {grouping: '', open: new Set(['1:1']), only: null});
    const names = scene.edges.map(e => e.u.instr.n + '-' + e.v.instr.n).sort();
    assert.deepStrictEqual([...names], ['a-b', 'b-g', 'p-a']);
  },
  'a neighborhood has what is near, and no more than asked for'() {
    const graph = randomGraph(500, 5);
    const near = neighborhood(graph.computations[0], 250, 1, 400);
    for (const i of near) assert(i === 250 || graph.computations[0].instrs[i].a.includes(250) || graph.computations[0].instrs[250].a.includes(i));
    assert(neighborhood(graph.computations[0], 250, 100, 40).size <= 40);
  },
  'ten thousand instructions are laid out in time that grows linearly'() {
    const time = count => {
      const graph = randomGraph(count, 7), begin = process.cpuUsage().user;
      new Scene(graph, 0, {grouping: '', open: new Set(), only: null});
      return process.cpuUsage().user - begin;
    };
    time(2000);
    const small = time(5000), large = time(20000);
    assert(large < 12 * small + 50000, `${small} and ${large} microseconds`);
  },
  'colors of a scale follow the numbers'() {
    const graph = randomGraph(5, 1);
    graph.computations[0].instrs.forEach((x, i) => { x.b = i * 100; });
    const coloring = new Coloring({graphs: [graph]});
    coloring.set('bytes', graph.computations[0]);
    const colors = graph.computations[0].instrs.map(x => coloring.ofInstruction(x));
    assert.strictEqual(new Set(colors).size, 5);
    assert.strictEqual(coloring.legend({items: []}).most, '400 B');
  },
  'numbers have three digits'() {
    assert.strictEqual(formatBytes(0), '0 B');
    assert.strictEqual(formatBytes(1234567), '1.23 MB');
    assert.strictEqual(formatMicroseconds(1500), '1.50 ms');
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    test();
    console.log('ok      ' + name);
  } catch (error) {
    failed++;
    console.log('FAILED  ' + name + ': ' + error.stack);
  }
}
process.exit(failed ? 1 : 0);
