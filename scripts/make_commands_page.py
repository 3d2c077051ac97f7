#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints docs/commands.md, the reference of the command, made of what its --help prints.

    scripts/make_commands_page.py build/xylem > docs/commands.md
    scripts/make_commands_page.py build/xylem --check docs/commands.md    # exit code 1 if it differs
"""

import pathlib
import sys

from make_man_page import output, sections

HEAD = """# Commands

The reference of `xylem`, made of what `xylem COMMAND --help` prints (`make commands`); `man xylem` has the same text.
A FILE may be `-` for standard input; its format is detected from its content.
"""


def cell(text):
  """Text in a table: what Markdown would take for markup is kept as it is."""
  for character in "|<>*_":
    text = text.replace(character, "\\" + character)
  return " ".join(text.split())


def option_rows(tables):
  rows = [row for table in tables.values() for row in table]
  lines = ["| option | does |", "|---|---|"]
  for name, text in rows:
    lines.append(f"| `{name.replace(',', ', ').replace('|', '/')}` | {cell(text)} |")
  return lines


def page(program):
  _, tables, paragraphs = sections(output(program, "--help"))
  commands = tables.get("Subcommands") or tables["Commands"]
  lines = [HEAD, "| command | does |", "|---|---|"]
  lines += [f"| [`{name}`](#{name}) | {cell(summary)} |" for name, summary in commands]
  lines += ["", "## Exit codes", "", "| code | means |", "|---|---|", "| 0 | success |",
            "| 1 | an invalid program, or a failed check |", "| 2 | an invalid command line |", "| 130 | interrupted |"]
  for name, summary in commands:
    usage, tables, paragraphs = sections(output(program, name, "--help"))
    lines += ["", f"## {name}", "", f"`{usage}`", ""]
    for paragraph in paragraphs or [summary]:
      lines += [cell(paragraph), ""]
    lines += option_rows(tables)
  return "\n".join(lines) + "\n"


def main():
  if len(sys.argv) == 2:
    sys.stdout.write(page(sys.argv[1]))
    return 0
  if len(sys.argv) == 4 and sys.argv[2] == "--check":
    if pathlib.Path(sys.argv[3]).read_text(encoding="utf-8") == page(sys.argv[1]):
      return 0
    print(f"{sys.argv[3]} is not what --help prints; `make commands` writes it again")
    return 1
  sys.exit(__doc__)


if __name__ == "__main__":
  sys.exit(main())
