// SPDX-License-Identifier: Apache-2.0
// Draws a scene on a canvas, what is visible of it, and moves about in it.
'use strict';

const READABLE = 0.8;

class GraphCanvas {
  constructor(canvas, map, coloring, handlers) {
    this.canvas = canvas;
    this.map = map;
    this.coloring = coloring;
    this.handlers = handlers;
    this.scale = 1;
    this.x = this.y = 0;  // of the scene, in the upper left corner
    this.selected = null;
    this.pending = false;
    this.readColors();
    const media = matchMedia('(prefers-color-scheme: dark)');
    media.addEventListener('change', () => { this.readColors(); this.drawMap(); this.draw(); });
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.listen();
  }

  readColors() {
    const style = getComputedStyle(document.documentElement);
    this.css = name => style.getPropertyValue('--' + name).trim();
    this.palette = Object.fromEntries(['back', 'panel', 'line', 'text', 'soft', 'accent', 'node-text', 'edge', 'edge-strong', 'box']
      .map(name => [name, this.css(name)]));
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.map]) {
      canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
      canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    }
    this.ratio = ratio;
    this.drawMap();
    this.draw();
  }

  show(scene, keepView) {
    this.scene = scene;
    this.selectedItem = null;
    if (!keepView) this.home();
    this.updateSelection();
    this.drawMap();
    this.draw();
  }

  // Everything if it is readable then, else the beginning.
  home() {
    const w = this.canvas.clientWidth || 800, h = this.canvas.clientHeight || 600;
    const fit = Math.min((w - 60) / Math.max(1, this.scene.width), (h - 90) / Math.max(1, this.scene.height));
    this.scale = Math.min(1.3, Math.max(fit, READABLE));
    const first = this.scene.items.filter(item => item.ay < h / READABLE);
    const middle = fit >= READABLE || !first.length ? this.scene.width / 2
      : first.reduce((sum, item) => sum + item.ax + item.w / 2, 0) / first.length;
    this.x = middle - w / 2 / this.scale;
    this.y = fit >= READABLE ? this.scene.height / 2 - (h + 26) / 2 / this.scale : -60 / this.scale;
  }
  fit() {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    this.scale = Math.max(0.004, Math.min(1.3, (w - 40) / Math.max(1, this.scene.width), (h - 40) / Math.max(1, this.scene.height)));
    this.x = this.scene.width / 2 - w / 2 / this.scale;
    this.y = this.scene.height / 2 - h / 2 / this.scale;
    this.draw();
  }
  zoom(factor, cx, cy) {
    cx = cx ?? this.canvas.clientWidth / 2;
    cy = cy ?? this.canvas.clientHeight / 2;
    const next = Math.max(0.004, Math.min(3, this.scale * factor));
    this.x += cx / this.scale - cx / next;
    this.y += cy / this.scale - cy / next;
    this.scale = next;
    this.draw();
  }
  reveal(item) {
    const w = this.canvas.clientWidth / this.scale, h = this.canvas.clientHeight / this.scale;
    const cx = item.ax + item.w / 2, cy = item.ay + Math.min(item.h, h) / 2;
    if (cx < this.x + 60 || cx > this.x + w - 60 || cy < this.y + 60 || cy > this.y + h - 60) {
      this.x = cx - w / 2;
      this.y = cy - h / 2;
    }
    if (this.scale < 0.35) {
      this.zoom(0.8 / this.scale);
      this.x = cx - this.canvas.clientWidth / this.scale / 2;
      this.y = cy - this.canvas.clientHeight / this.scale / 2;
    }
  }

  select(key) {
    this.selected = key;
    this.updateSelection();
    this.draw();
  }
  updateSelection() {
    this.selectedItem = this.selected ? this.scene.shown.get(this.selected) || this.scene.items.find(x => x.key === this.selected) || null : null;
    this.near = new Set();
    if (!this.selectedItem) return;
    for (const edge of this.scene.edges) {
      if (edge.u === this.selectedItem) this.near.add(edge.v);
      if (edge.v === this.selectedItem) this.near.add(edge.u);
    }
  }

  draw() {
    if (this.pending || !this.scene) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.paint(); });
  }

  paint() {
    const c = this.canvas.getContext('2d'), s = this.scale * (this.ratio || 1);
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = this.palette.back;
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(s, 0, 0, s, -this.x * s, -this.y * s);
    const left = this.x, top = this.y, right = left + this.canvas.width / s, bottom = top + this.canvas.height / s;
    const visible = this.scene.items.filter(x => x.ax < right && x.ax + x.w > left && x.ay < bottom && x.ay + x.h > top);
    visible.sort((a, b) => a.depth - b.depth);
    for (const item of visible) if (item.isOpen) this.paintBox(c, item);
    this.paintEdges(c, left, top, right, bottom);
    for (const item of visible) if (!item.isOpen) this.paintNode(c, item);
    this.paintFrame();
  }

  paintBox(c, item) {
    c.fillStyle = item.depth % 2 ? this.palette.panel : this.palette.box;
    c.strokeStyle = item === this.selectedItem ? this.palette.accent : this.palette.line;
    c.lineWidth = item === this.selectedItem ? 2.5 : 1.2;
    this.roundRect(c, item.ax, item.ay, item.w, item.h, 8);
    c.fill();
    c.stroke();
    if (this.scale < 0.2) return;
    c.fillStyle = this.palette.text;
    c.font = '600 11.5px ui-monospace, "DejaVu Sans Mono", monospace';
    c.fillText('− ' + item.label, item.ax + 10, item.ay + 16);
    for (const part of item.parts) {
      if (part.name && item.parts.length > 1) {
        c.fillStyle = this.palette.soft;
        c.fillText(part.name, item.ax + part.x, item.ay + part.y - 4);
      }
    }
  }

  paintEdges(c, left, top, right, bottom) {
    const straight = this.scale < 0.15;
    const strong = [], far = [];
    c.beginPath();
    for (const edge of this.scene.edges) {
      if (Math.max(edge.y1, edge.y2) < top || Math.min(edge.y1, edge.y2) > bottom ||
          Math.max(edge.x1, edge.x2) < left || Math.min(edge.x1, edge.x2) > right) continue;
      if (edge.u === this.selectedItem || edge.v === this.selectedItem) {
        strong.push(edge);
      } else if (edge.isFar) {
        far.push(edge);
      } else {
        this.path(c, edge, straight);
      }
    }
    c.strokeStyle = this.palette.edge;
    c.globalAlpha = this.selectedItem && strong.length ? 0.45 : 0.8;
    c.lineWidth = Math.max(1, 0.6 / this.scale);
    c.stroke();
    c.globalAlpha = 1;
    this.paintFar(c, far, top, bottom);
    c.beginPath();
    for (const edge of strong) this.path(c, edge, straight);
    c.strokeStyle = this.palette['edge-strong'];
    c.lineWidth = Math.max(2, 1.2 / this.scale);
    c.stroke();
    if (this.scale < 0.3) return;
    c.fillStyle = this.palette.edge;
    for (const edge of this.scene.edges) {
      if (edge.isFar && edge.u !== this.selectedItem && edge.v !== this.selectedItem) continue;
      if (edge.y2 < top || edge.y2 > bottom || edge.x2 < left || edge.x2 > right) continue;
      c.fillStyle = edge.u === this.selectedItem || edge.v === this.selectedItem ? this.palette['edge-strong'] : this.palette.edge;
      c.beginPath();
      c.moveTo(edge.x2, edge.y2);
      c.lineTo(edge.x2 - 4, edge.y2 - 7);
      c.lineTo(edge.x2 + 4, edge.y2 - 7);
      c.fill();
    }
  }

  // The ends of long edges: a stub at the source, and at the user one with the name of the source.
  paintFar(c, edges, top, bottom) {
    if (this.scale < 0.3) return;
    c.strokeStyle = this.palette.edge;
    c.lineWidth = 1;
    c.setLineDash([3, 3]);
    c.beginPath();
    for (const edge of edges) {
      if (edge.y1 >= top && edge.y1 <= bottom) { c.moveTo(edge.x1, edge.y1); c.lineTo(edge.x1, edge.y1 + 12); }
      if (edge.y2 >= top && edge.y2 <= bottom) { c.moveTo(edge.x2, edge.y2 - 12); c.lineTo(edge.x2, edge.y2); }
    }
    c.stroke();
    c.setLineDash([]);
    if (this.scale < 0.7) return;
    c.fillStyle = this.palette.soft;
    c.font = '9px ui-monospace, "DejaVu Sans Mono", monospace';
    c.textAlign = 'center';
    const taken = new Set();
    for (const edge of edges) {
      const place = Math.round(edge.x2 / 70) + ':' + Math.round(edge.y2);
      if (edge.y2 < top || edge.y2 > bottom || taken.has(place)) continue;
      taken.add(place);
      c.fillText(clip(edge.u.label, 16), edge.x2, edge.y2 - 15);
    }
    c.textAlign = 'left';
  }

  path(c, edge, straight) {
    c.moveTo(edge.x1, edge.y1);
    if (straight) return c.lineTo(edge.x2, edge.y2);
    const bend = Math.max(14, Math.min(60, Math.abs(edge.y2 - edge.y1) / 2));
    c.bezierCurveTo(edge.x1, edge.y1 + bend, edge.x2, edge.y2 - bend, edge.x2, edge.y2 - 5);
  }

  paintNode(c, item) {
    const instrs = this.scene.graph.computations[item.comp].instrs;
    c.fillStyle = this.coloring.ofItem(item, instrs);
    if (this.scale < 0.1) {
      c.fillRect(item.ax, item.ay, item.w, item.h);
      return;
    }
    const isSelected = item === this.selectedItem;
    this.roundRect(c, item.ax, item.ay, item.w, item.h, item.kind === 'group' ? 12 : 6);
    if (item.kind === 'group') {  // a pile
      c.save();
      c.globalAlpha = 0.55;
      c.translate(3, 3);
      c.fill();
      c.restore();
    }
    c.fill();
    c.strokeStyle = isSelected || (this.near && this.near.has(item)) ? this.palette.accent : 'rgba(20,30,50,.28)';
    c.lineWidth = isSelected ? 3 : this.near && this.near.has(item) ? 2 : 1;
    c.stroke();
    if (item.kind === 'instr' && item.instr.r) {
      c.lineWidth = 1;
      this.roundRect(c, item.ax + 2.5, item.ay + 2.5, item.w - 5, item.h - 5, 4);
      c.stroke();
    }
    if (this.scale < 0.3) return;
    c.fillStyle = this.palette['node-text'];
    c.font = '600 11px ui-monospace, "DejaVu Sans Mono", monospace';
    c.fillText(item.label, item.ax + 10, item.ay + 16);
    c.font = '11px ui-monospace, "DejaVu Sans Mono", monospace';
    c.fillText(item.under, item.ax + 10, item.ay + 30);
    if (item.canOpen) c.fillText('+', item.ax + item.w - 15, item.ay + 16);
  }

  roundRect(c, x, y, w, h, r) {
    c.beginPath();
    c.roundRect(x, y, w, h, Math.min(r, w / 2, h / 2));
  }

  // The small picture of all, drawn once for a scene.
  drawMap() {
    if (!this.scene || !this.map.width) return;
    const c = this.map.getContext('2d');
    const m = Math.min((this.map.width - 12) / Math.max(1, this.scene.width), (this.map.height - 12) / Math.max(1, this.scene.height));
    const xs = Math.max(m, Math.min(4 * m, (this.map.width - 12) / Math.max(1, this.scene.width)));
    this.mapScale = {x: xs, y: m, left: (this.map.width - this.scene.width * xs) / 2, top: (this.map.height - this.scene.height * m) / 2};
    c.fillStyle = this.palette.panel;
    c.fillRect(0, 0, this.map.width, this.map.height);
    for (const item of this.scene.items) {
      if (item.isOpen) continue;
      c.fillStyle = this.coloring.ofItem(item, this.scene.graph.computations[item.comp].instrs);
      c.fillRect(this.mapScale.left + item.ax * xs, this.mapScale.top + item.ay * m, Math.max(1, item.w * xs), Math.max(1, item.h * m));
    }
    this.mapImage = c.getImageData(0, 0, this.map.width, this.map.height);
  }
  paintFrame() {
    if (!this.mapImage) return;
    const c = this.map.getContext('2d'), m = this.mapScale;
    c.putImageData(this.mapImage, 0, 0);
    c.strokeStyle = this.palette.accent;
    c.lineWidth = 2;
    c.strokeRect(m.left + this.x * m.x, m.top + this.y * m.y, this.canvas.clientWidth / this.scale * m.x,
      Math.max(3, this.canvas.clientHeight / this.scale * m.y));
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    return {cx: event.clientX - box.left, cy: event.clientY - box.top,
      x: (event.clientX - box.left) / this.scale + this.x, y: (event.clientY - box.top) / this.scale + this.y};
  }

  listen() {
    const canvas = this.canvas;
    let drag = null;
    canvas.addEventListener('pointerdown', event => {
      drag = {x: event.clientX, y: event.clientY, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (!drag) return;
      const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
      if (Math.abs(dx) + Math.abs(dy) < 3 && !drag.moved) return;
      drag = {x: event.clientX, y: event.clientY, moved: true};
      this.x -= dx / this.scale;
      this.y -= dy / this.scale;
      this.draw();
    });
    canvas.addEventListener('pointerup', event => {
      const moved = drag && drag.moved;
      drag = null;
      if (moved || !this.scene) return;
      const at = this.point(event), item = this.scene.itemAt(at.x, at.y);
      const onSign = item && item.canOpen && (item.isOpen ? at.y < item.ay + HEAD && at.x < item.ax + 26
        : at.x > item.ax + item.w - 22 && at.y < item.ay + 22);
      if (onSign) this.handlers.toggle(item);
      else this.handlers.select(item);
    });
    canvas.addEventListener('dblclick', event => {
      const at = this.point(event), item = this.scene.itemAt(at.x, at.y);
      if (item && item.canOpen) this.handlers.toggle(item);
    });
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      const at = this.point(event);
      if (event.ctrlKey || event.metaKey || !event.shiftKey && Math.abs(event.deltaY) >= Math.abs(event.deltaX)) {
        this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), at.cx, at.cy);
      } else {
        this.x += (event.deltaX || event.deltaY) / this.scale;
        this.draw();
      }
    }, {passive: false});
    this.map.addEventListener('pointerdown', event => {
      const box = this.map.getBoundingClientRect(), m = this.mapScale, ratio = this.ratio;
      this.x = ((event.clientX - box.left) * ratio - m.left) / m.x - canvas.clientWidth / this.scale / 2;
      this.y = ((event.clientY - box.top) * ratio - m.top) / m.y - canvas.clientHeight / this.scale / 2;
      this.draw();
    });
  }
}
