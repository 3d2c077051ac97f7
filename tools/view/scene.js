// SPDX-License-Identifier: Apache-2.0
// From a computation to what is drawn: items (instructions, folded or open, and groups of them)
// with positions, and edges between those that are visible.
'use strict';

// Longer edges are drawn in full only where one end is selected.
const FAR = 900;
const CHAR = 6.7, NODE_H = 38, MOST_CHARS = 34;

function clip(text, most) { return text.length > most ? text.slice(0, most - 1) + '…' : text; }

function kindOfCall(instr) {
  return instr.o === 'fusion' || instr.o === 'call' || instr.o === 'async-start';
}

class Scene {
  // options: grouping ('' | 'op_name' | 'source'), open (Set of keys), only (Set of instructions of
  // the root computation, or null).
  constructor(graph, root, options) {
    this.graph = graph;
    this.root = root;
    this.options = options;
    this.items = [];
    this.edges = [];
    this.shown = new Map();  // "computation:instruction" to item
    const all = graph.computations[root].instrs.map((_, i) => i);
    const members = options.only ? all.filter(i => options.only.has(i)) : all;
    this.top = {children: [], links: []};
    this.fill(this.top, root, members, [], 0);
    this.arrange(this.top);
    this.absolute(this.top.children, 0, 0);
    this.connect();
    this.width = this.top.w;
    this.height = this.top.h;
  }

  pathOf(instr) {
    if (this.options.grouping === 'op_name') return instr.p ? instr.p.split('/').slice(0, -1) : [];
    if (this.options.grouping === 'source') return instr.f ? [instr.f.split('/').pop(), 'line ' + instr.l] : [];
    return [];
  }

  // The items of a container: instructions, and where groups are asked for, those of the next level.
  fill(container, comp, members, path, depth) {
    const instrs = this.graph.computations[comp].instrs;
    const groups = new Map();
    for (const i of members) {
      const names = comp === this.root ? this.pathOf(instrs[i]) : [];
      const name = names.length > path.length ? names[path.length] : null;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(i);
    }
    // A level that holds everything says nothing.
    if (groups.size === 1 && !groups.has(null) && path.length < 64) {
      return this.fill(container, comp, members, [...path, groups.keys().next().value], depth);
    }
    const place = new Map();
    for (const [name, list] of groups) {
      if (name === null || list.length === 1) {
        for (const i of list) this.addInstruction(container, comp, i, depth, place);
      } else {
        this.addGroup(container, comp, list, [...path, name], depth, place);
      }
    }
    container.children.sort((a, b) => a.order - b.order);
    container.children.forEach((item, k) => { for (const i of item.members) place.set(i, k); });
    const seen = new Set();
    for (const i of members) {
      for (const from of instrs[i].a) {
        const u = place.get(from), v = place.get(i);
        if (u === undefined || u === v) continue;
        const key = u * container.children.length + v;
        if (seen.has(key)) continue;
        seen.add(key);
        container.links.push([u, v]);
      }
    }
  }

  addInstruction(container, comp, i, depth) {
    const instr = this.graph.computations[comp].instrs[i];
    const item = {kind: 'instr', key: comp + ':' + i, comp, index: i, instr, members: [i], order: i, depth,
      label: clip(instr.n, MOST_CHARS), under: clip(instr.o + ' ' + instr.s, MOST_CHARS), children: [], links: [],
      canOpen: instr.c.length > 0};
    item.w = Math.max(84, Math.max(item.label.length, item.under.length) * CHAR + 22 + (item.canOpen ? 14 : 0));
    item.h = NODE_H;
    if (item.canOpen && depth < 24 && this.options.open.has(item.key)) {
      item.isOpen = true;
      item.parts = instr.c.map(inner => {
        const part = {kind: 'comp', comp: inner, name: this.graph.computations[inner].name, children: [], links: []};
        this.fill(part, inner, this.graph.computations[inner].instrs.map((_, k) => k), [], depth + 1);
        return part;
      });
    }
    this.shown.set(item.key, item);
    this.items.push(item);
    container.children.push(item);
  }

  addGroup(container, comp, list, path, depth) {
    const item = {kind: 'group', key: 'g' + comp + ':' + path.join('/'), comp, members: list, order: list[0], depth,
      label: clip(path[path.length - 1], MOST_CHARS), under: list.length + ' instructions', path,
      children: [], links: [], canOpen: true};
    item.w = Math.max(110, Math.max(item.label.length, item.under.length) * CHAR + 36);
    item.h = NODE_H;
    this.items.push(item);
    container.children.push(item);
    if (depth < 24 && this.options.open.has(item.key)) {
      item.isOpen = true;
      const part = {kind: 'comp', comp, name: '', children: [], links: []};
      item.parts = [part];
      this.fill(part, comp, list, path, depth + 1);
    } else {
      for (const i of list) this.shown.set(comp + ':' + i, item);
    }
  }

  arrange(container) {
    for (const item of container.children) {
      if (!item.isOpen) continue;
      let w = item.w, x = PAD, h = 0;
      for (const part of item.parts) {
        this.arrange(part);
        part.x = x;
        part.y = HEAD + PAD + (part.name && item.parts.length > 1 ? 16 : 0);
        x += part.w + PAD * 2;
        h = Math.max(h, part.y + part.h);
      }
      item.w = Math.max(w, x - PAD);
      item.h = h + PAD;
    }
    const size = layoutItems(container.children, container.links);
    container.w = size.w;
    container.h = size.h;
  }

  absolute(children, x, y) {
    for (const item of children) {
      item.ax = item.x + x;
      item.ay = item.y + y;
      if (!item.isOpen) continue;
      for (const part of item.parts) this.absolute(part.children, item.ax + part.x, item.ay + part.y);
    }
  }

  // What stands for an operand: the root within an open fusion. For a user: the parameter within.
  sourceItem(comp, i) {
    const item = this.shown.get(comp + ':' + i);
    if (!item || !item.isOpen || item.kind !== 'instr' || !kindOfCall(item.instr)) return item;
    const inner = item.instr.c[0], root = this.graph.computations[inner].root;
    return this.sourceItem(inner, root) || item;
  }
  targetItem(comp, i, operand) {
    const item = this.shown.get(comp + ':' + i);
    if (!item || !item.isOpen || item.kind !== 'instr' || !kindOfCall(item.instr)) return item;
    const inner = item.instr.c[0];
    const at = this.graph.computations[inner].instrs.findIndex(x => x.o === 'parameter' && x.k === operand);
    return at < 0 ? item : this.shown.get(inner + ':' + at) || item;
  }

  connect() {
    const seen = new Set();
    this.items.forEach((item, k) => item.id = k);
    const comps = new Set(this.items.filter(x => x.kind === 'instr' || !x.isOpen).map(x => x.comp));
    for (const comp of comps) {
      this.graph.computations[comp].instrs.forEach((instr, i) => {
        if (!this.shown.has(comp + ':' + i)) return;
        instr.a.forEach((from, k) => {
          const u = this.sourceItem(comp, from), v = this.targetItem(comp, i, k);
          if (!u || !v || u === v) return;
          const key = u.id * this.items.length + v.id;
          if (seen.has(key)) return;
          seen.add(key);
          const inputs = v.kind === 'instr' && v.comp === comp ? instr.a.length : 1;
          const isFar = v.ay - (u.ay + u.h) > FAR;
          this.edges.push({u, v, isFar, x1: u.ax + u.w / 2, y1: u.ay + u.h,
            x2: v.ax + v.w * (inputs > 1 ? (k + 1) / (inputs + 1) : 0.5), y2: v.ay});
        });
      });
    }
  }

  itemAt(x, y) {
    let found = null;
    for (const item of this.items) {
      if (x >= item.ax && x <= item.ax + item.w && y >= item.ay && y <= item.ay + item.h &&
          (!found || item.depth >= found.depth)) found = item;
    }
    return found;
  }
}

// The instructions within some steps of one, both ways; few enough to read.
function neighborhood(computation, start, steps, most) {
  const users = computation.users || (computation.users = usersOf(computation));
  const found = new Set([start]);
  let edge = [start];
  for (let s = 0; s < steps && found.size < most; s++) {
    const next = [];
    for (const i of edge) {
      for (const j of [...computation.instrs[i].a, ...users[i]]) {
        if (found.has(j) || found.size >= most) continue;
        found.add(j);
        next.push(j);
      }
    }
    edge = next;
  }
  return found;
}

function usersOf(computation) {
  const users = computation.instrs.map(() => []);
  computation.instrs.forEach((instr, i) => { for (const from of new Set(instr.a)) users[from].push(i); });
  return users;
}

if (typeof module !== 'undefined') module.exports = {Scene, neighborhood, usersOf, clip};
