#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/performance.md and its charts (docs/pictures/performance_*.svg) from the tables of bench/RESULTS.md.

    scripts/make_performance_page.py            # make performance
    scripts/make_performance_page.py --check    # exit code 1 if the files are others
"""
import argparse
import html
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

PAGE = """# Performance

Made of the tables of [bench/RESULTS.md](../bench/RESULTS.md) by `make performance`, which draws the charts again once a table has new figures.
That page has the machines, the commands and all other measurements; machines differ, so measure on yours:

```sh norun
make bench                                        # kernels, programs, readers
bench/compare.py --rounds 2 tests/programs/*      # against XLA's CPU compiler, both sides in turns
xylem bench FILE --random 1 --limits              # one program, with what the machine needs at least
```

A bar to the right of the line is in Xylem's favor: 2 is twice as fast as the other. Scales are logarithmic.

## Run time against XLA:CPU
{programs} programs of `tests/programs`, geometric mean {run_mean}; the least is {run_least}.

![Run time of XLA over that of Xylem for each program](pictures/performance_run.svg)

The programs of `bench/programs`, which performance work does not look at: {held_out}, geometric mean {held_mean}; the least is {held_least}.

![Run time of XLA over that of Xylem for held-out programs](pictures/performance_held_out.svg)

## Compile time against XLA:CPU
The same {programs}: geometric mean {compile_mean}; the least is {compile_least}.

![Compile time of XLA over that of Xylem for each program](pictures/performance_compile.svg)

## Linear algebra against OpenBLAS
One core, double precision, matrices of 300 by 300.

![Time of OpenBLAS over that of Xylem for routines of BLAS and LAPACK](pictures/performance_linalg.svg)

What is slower than elsewhere, and what was tried: the sections "Cliffs" and "Machines with AVX2 only" of
[bench/RESULTS.md](../bench/RESULTS.md). How to find what is slow in a program: [tutorial_fast.md](tutorial_fast.md).
"""

STYLE = """<style>
  text { fill: #1b2230; } .faint { fill: #566074; } line { stroke: #c5ccd6; } .one { stroke: #566074; stroke-width: 1.5; }
  .more { fill: #1a5fb4; } .less { fill: #c2703a; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e9ef; } .faint { fill: #9aa4b2; } line { stroke: #3a4250; } .one { stroke: #9aa4b2; }
    .more { fill: #7cb4ff; } .less { fill: #e39a66; }
  }
</style>"""


def tables(text, first, heading=None):
  """The rows of the tables whose first header cells are `first`, under the heading."""
  found, rows, under = [], None, heading is None
  for line in text.split("\n"):
    if line.startswith("## "):
      under = heading is None or line.startswith(f"## {heading}")
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if not line.startswith("|"):
      rows = None
    elif under and cells[:len(first)] == first:
      rows = []
      found.append(rows)
    elif rows is not None and not cells[0].startswith("---"):
      rows.append(cells)
  return found


def mean(ratios):
  return math.exp(sum(math.log(ratio) for _, ratio in ratios) / len(ratios))


def summary(ratios):
  """The geometric mean, and the least ratio with its name."""
  name, least = min(ratios, key=lambda pair: pair[1])
  return f"{mean(ratios):.1f}", f"{least:.2f} (`{name}`)"


def chart(title, ratios):
  """Horizontal bars, the longest first, on a logarithmic scale."""
  ratios = sorted(ratios, key=lambda pair: -pair[1])
  left, width, row, top = 210, 560, 18, 34
  low = min(0.5, min(ratio for _, ratio in ratios))
  high = max(2.0, max(ratio for _, ratio in ratios))
  ticks = [tick for power in range(-3, 6) for tick in (10.0**power, 2 * 10.0**power, 5 * 10.0**power) if low <= tick <= high]
  if high / low > 100:
    ticks = [tick for tick in ticks if f"{tick:e}"[0] == "1"]
  place = lambda ratio: left + width * math.log(ratio / low) / math.log(high / low)
  height = top + row * len(ratios) + 12
  out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 70} {height}" '
         f"font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"12\" role=\"img\" aria-label=\"{html.escape(title)}\">", STYLE]
  for tick in ticks:
    x = place(tick)
    out.append(f'<line x1="{x:.1f}" y1="{top - 6}" x2="{x:.1f}" y2="{height - 10}"/>'
               f'<text class="faint" x="{x:.1f}" y="{top - 12}" text-anchor="middle">{tick:g}</text>')
  one = place(1)
  for i, (name, ratio) in enumerate(ratios):
    y, x = top + row * i, place(ratio)
    out.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{html.escape(name)}</text>'
               f'<rect class="{"more" if ratio >= 1 else "less"}" x="{min(one, x):.1f}" y="{y + 2}" '
               f'width="{max(abs(x - one), 1):.1f}" height="{row - 5}"/>'
               f'<text class="faint" x="{max(one, x) + 5:.1f}" y="{y + 12}">{ratio:.3g}</text>')
  out.append(f'<line class="one" x1="{one:.1f}" y1="{top - 6}" x2="{one:.1f}" y2="{height - 10}"/>')
  return "\n".join([*out, "</svg>", ""])


def contents():
  """{path: text} of all files."""
  results = (ROOT / "bench" / "RESULTS.md").read_text(encoding="utf-8")
  programs, held_out = tables(results, ["program", "XLA", "compiled", "ratio"], "Compiled programs against XLA:CPU")[:2]
  run = [(row[0], float(row[3])) for row in programs]
  compiled = [(row[0], float(row[6])) for row in programs]
  held = [(row[0], float(row[3])) for row in held_out]
  column = ["", "n = 10", "32", "100", "300"]
  linalg = []
  for row in tables(results, column, "BLAS and LAPACK")[0]:
    ours, theirs = (float(number) for number in row[4].split("/"))
    linalg.append((row[0], theirs / ours))
  facts = {"programs": len(run), "held_out": len(held)}
  facts["run_mean"], facts["run_least"] = summary(run)
  facts["held_mean"], facts["held_least"] = summary(held)
  facts["compile_mean"], facts["compile_least"] = summary(compiled)
  pictures = ROOT / "docs" / "pictures"
  return {
      ROOT / "docs" / "performance.md": PAGE.format(**facts),
      pictures / "performance_run.svg": chart("Run time of XLA over that of Xylem", run),
      pictures / "performance_held_out.svg": chart("Run time of XLA over that of Xylem, held-out programs", held),
      pictures / "performance_compile.svg": chart("Compile time of XLA over that of Xylem", compiled),
      pictures / "performance_linalg.svg": chart("Time of OpenBLAS over that of Xylem", linalg),
  }


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--check", action="store_true", help="compare instead of writing")
  arguments = parser.parse_args()
  stale = []
  for path, text in contents().items():
    if not arguments.check:
      path.write_text(text, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != text:
      stale.append(str(path.relative_to(ROOT)))
  if stale:
    print("not made of bench/RESULTS.md as it is (`make performance` makes them): " + ", ".join(stale))
  return 1 if stale else 0


if __name__ == "__main__":
  sys.exit(main())
