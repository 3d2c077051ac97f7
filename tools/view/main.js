// SPDX-License-Identifier: Apache-2.0
// The page: which program and computation are shown, what is selected, and the panels about it.
'use strict';

const data = JSON.parse(byId('data').textContent);
if (data.profile) data.profile.events = data.profile.eventNames.map((name, k) => [name, data.profile.eventStarts[k], data.profile.eventDurations[k]]);
const coloring = new Coloring(data);
const state = {graph: 0, comp: 0, open: new Set(), grouping: '', only: null, selected: null, tab: ''};
let canvas = null, scene = null;

const graphNow = () => data.graphs[state.graph];
const compNow = () => graphNow().computations[state.comp];
const usersIn = computation => computation.users || (computation.users = usersOf(computation));
const announce = text => { byId('live').textContent = text; };

// Instructions of the program that was measured, by name.
function instructionsByName() {
  const map = new Map();
  const graph = data.graphs[data.profileGraph ?? state.graph] || graphNow();
  for (const computation of graph.computations) for (const instr of computation.instrs) map.set(instr.n, instr);
  return map;
}

function refresh(keepView) {
  coloring.set(byId('color').value, compNow());
  scene = new Scene(graphNow(), state.comp, state);
  canvas.selected = state.selected;
  canvas.show(scene, keepView);
  drawLegend();
  byId('whole').hidden = !state.only;
}

function drawLegend() {
  const legend = coloring.legend(scene), box = byId('legend');
  if (legend.ramp) {
    box.replaceChildren(make('span', {}, '0'), make('span', {class: 'ramp', style: `background:linear-gradient(90deg,${[0, .33, .66, 1].map(ramp).join(',')})`}), make('span', {}, legend.most));
  } else {
    box.replaceChildren(...legend.names.map(([name, color]) => make('span', {}, make('i', {style: `background:${color}`}), clip(name, 50))));
  }
}

function toggle(item) {
  if (state.open.has(item.key)) state.open.delete(item.key);
  else state.open.add(item.key);
  const before = {x: item.ax, y: item.ay};
  refresh(true);
  const after = scene.items.find(x => x.key === item.key);
  if (after) {  // it stays under the pointer
    canvas.x += after.ax - before.x;
    canvas.y += after.ay - before.y;
    canvas.draw();
  }
  announce(item.label + (state.open.has(item.key) ? ' unfolded' : ' folded'));
}

function selectItem(item) {
  if (!item) { state.selected = null; canvas.select(null); showDetails(null); return; }
  state.selected = item.key;
  canvas.select(item.key);
  showDetails(item);
}

// Shows an instruction of any computation: of the one that is shown if it is in it.
function goTo(comp, index, graph = state.graph) {
  openTab('graph');
  if (graph !== state.graph) { state.graph = graph; byId('program').value = graph; fillComputations(); state.comp = -1; }
  if (comp !== state.comp && !(scene && state.comp >= 0 && scene.shown.has(comp + ':' + index))) {
    state.comp = comp;
    state.only = null;
    byId('computation').value = comp;
    refresh();
  }
  if (state.only && !state.only.has(index)) { state.only = null; refresh(); }
  const item = scene.shown.get(comp + ':' + index);
  if (!item) return;
  selectItem(item);
  canvas.reveal(item);
  canvas.draw();
  listResults();
  const current = byId('results').querySelector('[aria-current="true"]');
  if (current) current.scrollIntoView({block: 'nearest'});
}
function goToName(name) {
  const graph = data.profileGraph ?? state.graph;
  for (const [c, computation] of data.graphs[graph].computations.entries()) {
    const i = computation.instrs.findIndex(x => x.n === name);
    if (i >= 0) return goTo(c, i, graph);
  }
}

function linkButton(comp, i) {
  const instr = graphNow().computations[comp].instrs[i];
  return make('button', {class: 'mono', title: instr.t, onclick: () => goTo(comp, i)}, instr.n);
}

function showDetails(item) {
  const panel = byId('details');
  if (!item) {
    fill(panel, make('h2', {}, 'Nothing is selected'), make('p', {class: 'soft'},
      'Click an instruction, or move with the arrow keys. Double-click or Enter unfolds fusions, loops and groups; the wheel zooms.'));
    return;
  }
  if (item.kind === 'group') {
    const instrs = graphNow().computations[item.comp].instrs;
    fill(panel, make('h2', {}, item.path.join(' / ')), make('p', {}, item.under),
      make('div', {class: 'row'}, make('button', {onclick: () => toggle(item)}, item.isOpen ? 'Fold' : 'Unfold')),
      make('div', {class: 'links'}, ...item.members.slice(0, 200).map(i => linkButton(item.comp, i))));
    announce(instrs.length + ' instructions');
    return;
  }
  const instr = item.instr, comp = item.comp, computation = graphNow().computations[comp];
  const facts = [['operation', instr.o], ['shape', instr.s], ['bytes', formatBytes(instr.b || 0)]];
  if (coloring.time.has(instr.n)) facts.push(['self time', formatMicroseconds(coloring.time.get(instr.n))]);
  if (coloring.errors.has(instr.n)) facts.push(['error', String(coloring.errors.get(instr.n))]);
  if (instr.h) facts.push(['sharding', instr.h]);
  if (instr.p) facts.push(['op_name', instr.p]);
  if (instr.f) facts.push(['source', instr.f + ':' + instr.l]);
  if (instr.g) facts.push(['change', CHANGES[instr.g][0]]);
  facts.push(['computation', computation.name]);
  const plan = (data.plan || {})[instr.n], users = usersIn(computation)[item.index];
  const list = (title, indices) => indices.length ? [make('h2', {}, `${title} (${indices.length})`),
    make('div', {class: 'links'}, ...indices.slice(0, 100).map(i => linkButton(comp, i)))] : [];
  fill(panel, make('h2', {class: 'mono'}, instr.n), make('pre', {tabindex: '0'}, instr.t),
    make('div', {class: 'row'},
      ...[1, 2, 4].map(n => make('button', {onclick: () => showNeighborhood(n)}, n === 1 ? 'Neighbors' : n + ' steps')),
      item.canOpen ? make('button', {onclick: () => toggle(item)}, item.isOpen ? 'Fold' : 'Unfold') : null,
      ...instr.c.map(c => make('button', {onclick: () => openComputation(c)}, 'Open ' + clip(graphNow().computations[c].name, 26)))),
    make('dl', {}, ...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])),
    ...list('Operands', [...new Set(instr.a)]), ...list('Users', users),
    ...(plan ? [make('h2', {}, 'How it is computed'), make('pre', {tabindex: '0'}, plan)] : []));
  announce(`${instr.n}, ${instr.o}, ${instr.s}`);
}

function openComputation(c) {
  state.comp = c;
  state.only = null;
  byId('computation').value = c;
  refresh();
  listResults();
}

function showNeighborhood(steps) {
  const [comp, index] = (state.selected || '').split(':').map(Number);
  if (!Number.isInteger(index)) return;
  state.comp = comp;
  byId('computation').value = comp;
  state.only = neighborhood(compNow(), index, steps, 400);
  refresh();
  announce(state.only.size + ' instructions are shown');
}

// What the search finds, at most 300; without a search, the computation in order.
function listResults() {
  const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean), list = byId('results');
  const found = [];
  graphNow().computations.forEach((computation, c) => {
    if (!words.length && c !== state.comp) return;
    computation.instrs.forEach((instr, i) => {
      if (found.length >= 300) return;
      const text = instr.text || (instr.text = (instr.n + ' ' + instr.o + ' ' + instr.s + ' ' + (instr.p || '') + ' ' + (instr.f || '')).toLowerCase());
      if (words.every(word => text.includes(word))) found.push([c, i, instr]);
    });
  });
  list.replaceChildren(...found.map(([c, i, instr]) => make('li', {}, make('button', {'aria-current': state.selected === c + ':' + i,
    title: instr.t, onclick: () => goTo(c, i)}, make('span', {class: 'mono'}, instr.n), ' ', make('small', {}, instr.o + ' ' + instr.s)))));
}

// The next item in a direction: up to an operand, down to a user, sideways in the same row.
function step(key) {
  const item = canvas.selectedItem || scene.top.children[0];
  if (!item) return;
  const candidates = key === 'ArrowUp' ? scene.edges.filter(e => e.v === item).map(e => e.u)
    : key === 'ArrowDown' ? scene.edges.filter(e => e.u === item).map(e => e.v)
    : scene.items.filter(x => x !== item && x.depth === item.depth && Math.abs(x.ay - item.ay) < 60 && (key === 'ArrowLeft' ? x.ax < item.ax : x.ax > item.ax));
  const middle = item.ax + item.w / 2;
  candidates.sort((a, b) => Math.abs(a.ax + a.w / 2 - middle) - Math.abs(b.ax + b.w / 2 - middle));
  const next = canvas.selectedItem ? candidates[0] : item;
  if (!next) return;
  selectItem(next);
  canvas.reveal(next);
}

function tableView() {
  const rows = graphNow().computations.flatMap((computation, c) => computation.instrs.map((instr, i) => ({computation, c, instr, i})));
  const columns = [['instruction', false, r => r.instr.n, r => make('button', {class: 'mono', onclick: () => goTo(r.c, r.i)}, r.instr.n)],
    ['operation', false, r => r.instr.o], ['shape', false, r => r.instr.s], ['bytes', true, r => r.instr.b || 0, r => formatBytes(r.instr.b || 0)],
    ['operands', true, r => r.instr.a.length], ['computation', false, r => r.computation.name]];
  if (coloring.time.size) columns.push(['self time', true, r => coloring.time.get(r.instr.n) || 0, r => coloring.time.has(r.instr.n) ? formatMicroseconds(coloring.time.get(r.instr.n)) : '']);
  if (rows.some(r => r.instr.p)) columns.push(['op_name', false, r => r.instr.p || '']);
  if (rows.some(r => r.instr.f)) columns.push(['source', false, r => r.instr.f ? r.instr.f.split('/').pop() + ':' + r.instr.l : '']);
  return scrolled('Instructions', sortableTable('Instructions', columns, rows, 3));
}

function passesView() {
  const detail = scrolled('What the pass changed');
  const show = (pass, button) => {
    list.querySelectorAll('button').forEach(b => b.setAttribute('aria-current', b === button));
    const signs = {'+': 'add', '-': 'remove', '~': 'alter'};
    fill(detail, make('h2', {}, pass.name), make('p', {}, pass.summary),
      make('p', {class: 'soft'}, `${pass.before} instructions before, ${pass.after} after`),
      pass.graph >= 0 ? make('div', {class: 'row'}, ...[[pass.beforeGraph, 'Graph before'], [pass.graph, 'Graph after']].filter(([g]) => g >= 0).map(([g, name]) =>
        make('button', {onclick: () => { state.graph = g; byId('program').value = g; fillComputations(); state.only = null; openTab('graph'); openComputation(graphNow().entry); }}, name))) : null,
      ...pass.changes.map(change => make('div', {class: 'change ' + signs[change.k]}, make('b', {}, change.k), change.t,
        change.u ? make('div', {}, make('b', {}, ''), change.u) : null)),
      pass.more ? make('p', {class: 'soft'}, `and ${pass.more} more`) : null);
  };
  const buttons = data.passes.map(pass => {
    const delta = pass.after - pass.before;
    const button = make('button', {onclick: () => show(pass, button)}, make('span', {}, pass.name), make('span', {class: 'soft'}, (delta > 0 ? '+' : '') + delta));
    return button;
  });
  const list = make('nav', {class: 'passes', 'aria-label': 'Passes that changed the program', tabindex: '0'}, ...buttons);
  if (buttons.length) show(data.passes[0], buttons[0]);
  return [list, detail];
}

const TABS = [['graph', 'Graph', () => true], ['table', 'Instructions', () => true], ['passes', 'Passes', () => data.passes],
  ['memory', 'Memory', () => data.buffers], ['time', 'Time', () => data.profile]];

function openTab(name) {
  if (state.tab === name) return;
  state.tab = name;
  for (const [id] of TABS) {
    byId('view-' + id).classList.toggle('shown', id === name);
    const tab = byId('tab-' + id);
    if (tab) { tab.setAttribute('aria-selected', id === name); tab.tabIndex = id === name ? 0 : -1; }
  }
  const view = byId('view-' + name);
  if (name === 'graph') { canvas.resize(); return; }
  if (view.dataset.filled === String(state.graph)) return;
  view.dataset.filled = state.graph;
  const content = {table: tableView, passes: passesView, memory: () => memoryView(data, goToName), time: () => timeView(data, instructionsByName(), goToName)}[name]();
  fill(view, ...[content].flat());
}

function fillComputations() {
  const select = byId('computation');
  select.replaceChildren(...graphNow().computations.map((computation, c) =>
    make('option', {value: c}, `${computation.name} (${computation.instrs.length})`)));
  select.value = state.comp = graphNow().entry;
}

function start() {
  byId('title').textContent = data.title;
  const count = graph => graph.computations.reduce((n, c) => n + c.instrs.length, 0);
  byId('facts').textContent = `${count(data.graphs[0])} instructions, ${data.graphs[0].computations.length} computations`;
  const tabs = TABS.filter(([, , has]) => has());
  byId('tabs').append(...tabs.map(([id, title]) => make('button', {role: 'tab', id: 'tab-' + id, 'aria-controls': 'view-' + id, onclick: () => openTab(id)}, title)));
  byId('tabs').addEventListener('keydown', event => {
    const at = tabs.findIndex(([id]) => id === state.tab), move = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!move) return;
    const id = tabs[(at + move + tabs.length) % tabs.length][0];
    openTab(id);
    byId('tab-' + id).focus();
  });
  for (const [id] of TABS) if (!tabs.some(([other]) => other === id)) byId('view-' + id).remove();
  TABS.splice(0, TABS.length, ...tabs);
  byId('program').append(...data.graphs.map((graph, g) => make('option', {value: g}, graph.name)));
  byId('color').append(...coloring.modes.map(([id, title]) => make('option', {value: id}, title)));
  state.graph = data.first || 0;
  byId('program').value = state.graph;
  canvas = new GraphCanvas(byId('graph'), byId('map'), coloring, {toggle, select: selectItem});
  fillComputations();
  openTab('graph');
  canvas.resize();
  refresh();
  if (data.open) openTab(data.open);
  showDetails(null);
  listResults();
  byId('program').addEventListener('change', event => { state.graph = +event.target.value; fillComputations(); state.only = null; state.open.clear(); refresh(); listResults(); });
  byId('computation').addEventListener('change', event => openComputation(+event.target.value));
  byId('color').addEventListener('change', () => refresh(true));
  byId('group').addEventListener('change', event => { state.grouping = event.target.value; refresh(); });
  byId('search').addEventListener('input', listResults);
  byId('search').addEventListener('keydown', event => { if (event.key === 'Enter') { const first = byId('results').querySelector('button'); if (first) first.click(); } });
  byId('zoom-in').addEventListener('click', () => canvas.zoom(1.4));
  byId('zoom-out').addEventListener('click', () => canvas.zoom(1 / 1.4));
  byId('zoom-fit').addEventListener('click', () => canvas.fit());
  byId('fold').addEventListener('click', () => { state.open.clear(); refresh(); });
  byId('whole').addEventListener('click', () => { state.only = null; refresh(); });
  byId('graph').addEventListener('keydown', event => {
    if (event.key.startsWith('Arrow')) step(event.key);
    else if (event.key === 'Enter' && canvas.selectedItem && canvas.selectedItem.canOpen) toggle(canvas.selectedItem);
    else if (event.key === '+' || event.key === '=') canvas.zoom(1.4);
    else if (event.key === '-') canvas.zoom(1 / 1.4);
    else if (event.key === 'f') showNeighborhood(2);
    else if (event.key === 'Escape') { if (state.only) { state.only = null; refresh(); } else selectItem(null); }
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', event => {
    if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); openTab('graph'); byId('search').focus(); }
  });
  window.xylem = {data, state, goTo, goToName, openTab, refresh, toggle, get canvas() { return canvas; }, get scene() { return scene; }};
}
start();
