// SPDX-License-Identifier: Apache-2.0
// Where the time of a run went: timeline, roofline and tables.
'use strict';

function depthsOf(events) {
  const depths = [], ends = [];
  for (const [, start, duration] of events) {
    while (ends.length && ends[ends.length - 1] <= start + 1e-9) ends.pop();
    depths.push(ends.length);
    ends.push(start + duration);
  }
  return depths;
}

// A canvas on which the wheel zooms and drags move; events are bars.
function timeline(profile, jump, opcodeOf) {
  const events = [...profile.events].sort((a, b) => a[1] - b[1] || b[2] - a[2]);
  const depths = depthsOf(events), rows = 1 + Math.max(0, ...depths), rowHeight = 20;
  const end = Math.max(1e-9, ...events.map(e => e[1] + e[2]));
  const canvas = make('canvas', {class: 'chart', tabindex: '0', role: 'img', style: `height:${Math.min(10, rows) * rowHeight + 34}px`,
    'aria-label': `Timeline of ${events.length} steps in ${formatMicroseconds(end)}; plus, minus and arrow keys zoom and move`});
  let from = 0, span = end;
  const draw = () => {
    const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    const c = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
    c.scale(ratio, ratio);
    c.font = '11px system-ui, "DejaVu Sans", sans-serif';
    const step = Math.pow(10, Math.floor(Math.log10(span / 5)));
    const tick = [1, 2, 5, 10].map(k => k * step).find(t => span / t <= 8) || step;
    for (let t = Math.ceil(from / tick) * tick; t <= from + span; t += tick) {
      const x = (t - from) / span * w;
      c.fillStyle = style.getPropertyValue('--line');
      c.fillRect(x, 0, 1, h - 18);
      c.fillStyle = style.getPropertyValue('--soft');
      c.fillText(formatMicroseconds(Math.max(t, 1e-3)).replace('0.00100 µs', '0'), x + 3, h - 5);
    }
    events.forEach(([name, start, duration], k) => {
      const x = (start - from) / span * w, width = duration / span * w;
      if (x > w || x + width < 0) return;
      const op = opcodeOf(profile.names[name]);
      c.fillStyle = (FAMILY_OF.get(op) || ELEMENTWISE)[1];
      const y = 6 + depths[k] * rowHeight;
      c.fillRect(x, y, Math.max(0.8, width - 0.5), rowHeight - 3);
      if (width > 40) {
        c.fillStyle = '#16202e';
        c.fillText(clip(profile.names[name], Math.floor((Math.min(width, w - Math.max(0, x)) - 6) / 6.2)), Math.max(0, x) + 4, y + 12);
      }
    });
  };
  const move = (factor, shift, at) => {
    const point = from + span * at;
    span = Math.max(end / 1e6, Math.min(end, span * factor));
    from = Math.max(0, Math.min(end - span, point - span * at + shift * span));
    draw();
  };
  const hit = event => {
    const box = canvas.getBoundingClientRect(), t = from + (event.clientX - box.left) / box.width * span;
    const depth = Math.floor((event.clientY - box.top - 6) / rowHeight);
    return events.find((e, k) => depths[k] === depth && e[1] <= t && t <= e[1] + e[2]);
  };
  canvas.addEventListener('wheel', e => {
    e.preventDefault();
    const box = canvas.getBoundingClientRect();
    move(Math.exp(e.deltaY * 0.0018), e.deltaX / box.width, (e.clientX - box.left) / box.width);
  }, {passive: false});
  canvas.addEventListener('keydown', e => {
    const moves = {'+': [0.7, 0], '-': [1.4, 0], ArrowLeft: [1, -0.1], ArrowRight: [1, 0.1]}[e.key];
    if (moves) { e.preventDefault(); move(moves[0], moves[1], 0.5); }
  });
  canvas.addEventListener('mousemove', e => {
    const event = hit(e);
    if (event) showTip(e, profile.names[event[0]], `${formatMicroseconds(event[2])}, from ${formatMicroseconds(Math.max(event[1], 1e-3))}`);
    else hideTip();
  });
  canvas.addEventListener('mouseleave', hideTip);
  canvas.addEventListener('click', e => { const event = hit(e); if (event) jump(profile.names[event[0]]); });
  new ResizeObserver(draw).observe(canvas);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  return canvas;
}

// Operations a second by operations a byte, on logarithmic axes, with the limits of the machine.
function roofline(profile, jump, opcodeOf) {
  const points = profile.entries.filter(e => !e.parts && e.us > 0 && e.ops > 0 && e.bytes > 0).map(e => ({
    entry: e, intensity: e.ops / e.bytes, rate: e.ops * e.runs / (e.us * 1e-6)}));
  const W = 1100, H = 380, L = 90, R = 20, T = 16, B = 42;
  const ridge = profile.opsPerSecond / profile.bytesPerSecond;
  const low = Math.min(ridge / 30, ...points.map(p => p.intensity)), high = Math.max(ridge * 20, ...points.map(p => p.intensity * 1.5));
  const top = Math.max(profile.opsPerSecond, ...points.map(p => p.rate)) * 1.7;
  const bottom = Math.min(profile.bytesPerSecond * low / 3, ...points.map(p => p.rate / 2));
  const x = v => L + (W - L - R) * Math.log(v / low) / Math.log(high / low);
  const y = v => T + (H - T - B) * (1 - Math.log(Math.max(v, bottom) / bottom) / Math.log(top / bottom));
  const chart = svg('svg', {class: 'chart', viewBox: `0 0 ${W} ${H}`, role: 'img',
    'aria-label': `Roofline: ${points.length} instructions; the machine reaches ${formatRate(profile.bytesPerSecond, 'B/s')} and ${formatRate(profile.opsPerSecond, 'flop/s')}`});
  const text = (px, py, words, anchor, color) => svg('text', {x: px, y: py, 'text-anchor': anchor || 'start', 'font-size': 11, fill: color || 'var(--soft)'}, words);
  for (let e = Math.ceil(Math.log10(bottom)); e <= Math.log10(top); e++)
    chart.append(svg('line', {x1: L, x2: W - R, y1: y(10 ** e), y2: y(10 ** e), stroke: 'var(--line)'}), text(L - 8, y(10 ** e) + 4, formatRate(10 ** e, 'flop/s'), 'end'));
  for (let e = Math.ceil(Math.log10(low)); e <= Math.log10(high); e++)
    chart.append(svg('line', {x1: x(10 ** e), x2: x(10 ** e), y1: T, y2: H - B, stroke: 'var(--line)'}), text(x(10 ** e), H - B + 16, String(10 ** e), 'middle'));
  chart.append(text((L + W) / 2, H - 8, 'operations for each byte', 'middle'),
    svg('path', {d: `M${x(low)},${y(profile.bytesPerSecond * low)}L${x(ridge)},${y(profile.opsPerSecond)}H${W - R}`, fill: 'none', stroke: 'var(--accent)', 'stroke-width': 2}),
    text(W - R - 4, y(profile.opsPerSecond) - 6, formatRate(profile.opsPerSecond, 'flop/s'), 'end', 'var(--accent)'),
    text(x(low) + 10, y(profile.bytesPerSecond * low * 1.3) - 8, formatRate(profile.bytesPerSecond, 'B/s'), 'start', 'var(--accent)'));
  const most = Math.max(...points.map(p => p.entry.self), 1e-9);
  for (const p of [...points].sort((a, b) => b.entry.self - a.entry.self)) {
    chart.append(svg('circle', {cx: x(p.intensity), cy: y(p.rate), r: 3 + 13 * Math.sqrt(p.entry.self / most), fill: (FAMILY_OF.get(opcodeOf(p.entry.n)) || ELEMENTWISE)[1],
      'fill-opacity': 0.85, stroke: 'var(--text)', 'stroke-width': 0.8,
      onmousemove: e => showTip(e, p.entry.n, `${formatMicroseconds(p.entry.self)}, ${formatRate(p.rate, 'flop/s')}, ${p.intensity.toPrecision(3)} operations a byte`),
      onmouseleave: hideTip, onclick: () => jump(p.entry.n)}));
  }
  return chart;
}

// Sums of self time by some key of the instructions.
function summed(profile, instrs, keyOf) {
  const rows = new Map();
  for (const entry of profile.entries) {
    const key = keyOf(instrs.get(entry.n), entry) || '(none)';
    const row = rows.get(key) || {key, self: 0, runs: 0, count: 0};
    row.self += entry.self;
    row.runs += entry.runs;
    row.count++;
    rows.set(key, row);
  }
  return [...rows.values()];
}

function timeView(data, instrs, jump) {
  const profile = data.profile, total = Math.max(1e-9, profile.entries.reduce((sum, e) => sum + e.self, 0));
  const opcodeOf = name => instrs.has(name) ? instrs.get(name).o : '';
  const share = row => make('span', {}, (100 * row.self / total).toFixed(1) + ' %', make('span', {class: 'bar', style: `width:${Math.max(1, 100 * row.self / total)}%`}));
  const time = row => formatMicroseconds(row.self);
  const rates = e => !e.parts && e.us > 0;
  const entries = sortableTable('Time by instruction', [
    ['self', true, e => e.self, time],
    ['share', true, e => e.self, share],
    ['total', true, e => e.us, e => formatMicroseconds(e.us)],
    ['runs', true, e => e.runs],
    ['GB/s', true, e => rates(e) ? e.bytes * e.runs / e.us : 0, e => rates(e) ? (e.bytes * e.runs / e.us / 1e3).toFixed(1) : ''],
    ['Gflop/s', true, e => rates(e) ? e.ops * e.runs / e.us : 0, e => rates(e) ? (e.ops * e.runs / e.us / 1e3).toFixed(1) : ''],
    ['of the limit', true, e => e.limit || 0, e => e.limit ? (100 * e.limit).toFixed(0) + ' %' : ''],
    ['instruction', false, e => e.text, e => make('button', {class: 'mono', title: e.text, onclick: () => jump(e.n)}, clip(' '.repeat(2 * e.depth) + (e.text || '(copies)'), 110))],
  ], profile.entries, 0);
  const by = (title, keyOf) => {
    const rows = summed(profile, instrs, keyOf);
    return make('section', {}, make('h2', {}, title), sortableTable(title, [['self', true, r => r.self, time], ['share', true, r => r.self, share],
      ['runs', true, r => r.runs], ['instructions', true, r => r.count], [title.replace('Time by ', ''), false, r => r.key]], rows, 0));
  };
  const hasNames = [...instrs.values()].some(x => x.p), hasLines = [...instrs.values()].some(x => x.f);
  return scrolled('Time',
    cards(['time of a run', formatMicroseconds(total)], ['steps', String(profile.entries.reduce((n, e) => n + (e.parts ? 0 : e.runs), 0))],
      ['memory', formatRate(profile.bytesPerSecond, 'B/s')], ['arithmetic', formatRate(profile.opsPerSecond, 'flop/s')]),
    profile.events.length ? make('section', {}, make('h2', {}, 'Timeline'), timeline(profile, jump, opcodeOf)) : null,
    make('section', {}, make('h2', {}, 'Roofline'),
      make('p', {class: 'soft'}, 'The line is what the machine can do: memory at the left, arithmetic at the right. Circles are as large as the time that instructions take.'),
      roofline(profile, jump, opcodeOf)),
    make('section', {}, make('h2', {}, 'Time by instruction'), entries),
    by('Time by operation', x => x && x.o),
    hasNames ? by('Time by op_name', x => x && x.p) : null,
    hasLines ? by('Time by source line', x => x && x.f && `${x.f}:${x.l}`) : null);
}
