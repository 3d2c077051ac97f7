# SPDX-License-Identifier: Apache-2.0
"""Modules in notebooks: a table of instructions, and a graph of small computations."""

import html

_MOST_ROWS = 200
_MOST_NODES = 60
_STYLE = "font-family:monospace;font-size:12px;text-align:left"
_WIDTH, _HEIGHT = 150, 64  # of a node, with the space around it


def _row(cells, tag="td"):
  return "<tr>" + "".join(f'<{tag} style="text-align:left">{cell}</{tag}>' for cell in cells) + "</tr>"


def _table(computation):
  rows = [_row(("name", "shape", "operation", "operands", "op_name"), "th")]
  instructions = computation.instructions
  for instruction in instructions[:_MOST_ROWS]:
    name = html.escape(instruction.name)
    rows.append(_row((
        f"<b>{name}</b>" if instruction.is_root else name, html.escape(str(instruction.shape)),
        html.escape(instruction.opcode),
        html.escape(", ".join(operand.name for operand in instruction.operands)),
        html.escape(instruction.metadata.get("op_name", "")))))
  if len(instructions) > _MOST_ROWS:
    rows.append(_row((f"... {len(instructions) - _MOST_ROWS} more", "", "", "", "")))
  return f'<table style="{_STYLE}">{"".join(rows)}</table>'


def _layers(instructions):
  """The row and column of each: below all operands."""
  places, widths = {}, []
  for instruction in instructions:
    row = max((places[operand][0] + 1 for operand in instruction.operands), default=0)
    while len(widths) <= row:
      widths.append(0)
    places[instruction] = (row, widths[row])
    widths[row] += 1
  return places, widths


def _graph(computation):
  instructions = computation.instructions
  if len(instructions) > _MOST_NODES:
    return ""
  places, widths = _layers(instructions)
  width, height = max(widths) * _WIDTH, len(widths) * _HEIGHT

  def middle(instruction):
    row, column = places[instruction]
    return (column + 0.5) * width / widths[row], (row + 0.5) * _HEIGHT

  parts = []
  for instruction in instructions:
    x, y = middle(instruction)
    for operand in instruction.operands:
      a, b = middle(operand)
      parts.append(f'<line x1="{a:.0f}" y1="{b + 18:.0f}" x2="{x:.0f}" y2="{y - 18:.0f}" stroke="#888"/>')
  for instruction in instructions:
    x, y = middle(instruction)
    weight = "2" if instruction.is_root else "1"
    lines = (instruction.opcode, str(instruction.shape).split("{")[0])
    parts.append(f'<rect x="{x - 68:.0f}" y="{y - 18:.0f}" width="136" height="36" rx="4" fill="#eef3fb" '
                 f'stroke="#5b7db1" stroke-width="{weight}"><title>{html.escape(str(instruction))}</title></rect>')
    for i, line in enumerate(lines):
      shown = line if len(line) <= 20 else line[:19] + "…"
      parts.append(f'<text x="{x:.0f}" y="{y - 3 + 14 * i:.0f}" text-anchor="middle" font-size="11" '
                   f'font-family="monospace" fill="#1b2a41">{html.escape(shown)}</text>')
  return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
          f'viewBox="0 0 {width} {height}" role="img" aria-label="graph of {html.escape(computation.name)}">'
          f'{"".join(parts)}</svg>')


def computation(value):
  return f"<div><code>{html.escape(value.name)}</code></div>{_graph(value)}{_table(value)}"


def module(value):
  others = [c for c in value.computations if not c.is_entry]
  head = (f"<div><b>HloModule {html.escape(value.name)}</b>: {value.instruction_count} instructions, "
          f"{len(others) + 1} computations</div>")
  folded = "".join(
      f"<details><summary><code>{html.escape(c.name)}</code></summary>{_graph(c)}{_table(c)}</details>"
      for c in others[:_MOST_NODES])
  return head + computation(value.entry) + folded
