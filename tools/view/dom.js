// SPDX-License-Identifier: Apache-2.0
// Elements of the page.
'use strict';

function byId(id) { return document.getElementById(id); }

// make('td', {class: 'n'}, 'text', child, ...)
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.filter(x => x !== null && x !== undefined));
  return element;
}

function fill(element, ...children) { element.replaceChildren(...children.filter(x => x !== null && x !== undefined)); }

function svg(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// A table that sorts by its columns: [title, is a number, value of a row, what is shown of it]. Rows
// beyond the first thousand are added while scrolling.
function sortableTable(caption, columns, rows, first) {
  const body = make('tbody');
  let order = rows, column = first, down = columns[first] ? columns[first][1] : false, shown = 0;
  const more = () => {
    for (const row of order.slice(shown, shown + 500)) {
      body.append(make('tr', {}, ...columns.map(([, isNumber, value, show]) =>
        make('td', {class: isNumber ? 'n' : ''}, show ? show(row) : String(value(row))))));
    }
    shown = Math.min(order.length, shown + 500);
  };
  const heads = columns.map(([title, isNumber], k) => make('th', {scope: 'col', class: isNumber ? 'n' : ''},
    make('button', {onclick: () => { down = column === k ? !down : columns[k][1]; column = k; sort(); }}, title)));
  const sort = () => {
    const value = columns[column][2];
    order = [...rows].sort((a, b) => {
      const x = value(a), y = value(b);
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    });
    heads.forEach((head, k) => head.setAttribute('aria-sort', k === column ? (down ? 'descending' : 'ascending') : 'none'));
    body.replaceChildren();
    shown = 0;
    more();
  };
  const table = make('table', {}, make('caption', {class: 'hidden'}, caption), make('thead', {}, make('tr', {}, ...heads)), body);
  table.more = () => { if (shown < order.length) more(); };
  sort();
  return table;
}

// A scrolled area whose tables grow as they are read.
function scrolled(label, ...children) {
  const area = make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label}, ...children);
  area.addEventListener('scroll', () => {
    if (area.scrollTop + area.clientHeight > area.scrollHeight - 400)
      for (const table of area.querySelectorAll('table')) if (table.more) table.more();
  });
  return area;
}

let tipElement = null;
function showTip(event, ...lines) {
  if (!tipElement) document.body.append(tipElement = make('div', {class: 'tip', role: 'status'}));
  tipElement.replaceChildren(...lines.map(line => make('div', {}, line)));
  tipElement.hidden = false;
  const w = tipElement.offsetWidth, h = tipElement.offsetHeight;
  tipElement.style.left = Math.max(4, Math.min(innerWidth - w - 8, event.clientX + 14)) + 'px';
  tipElement.style.top = Math.max(4, Math.min(innerHeight - h - 8, event.clientY + 14)) + 'px';
}
function hideTip() { if (tipElement) tipElement.hidden = true; }
