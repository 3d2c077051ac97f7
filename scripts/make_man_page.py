#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the man page of the command, made of what its --help prints.

    scripts/make_man_page.py build/xylem > xylem.1
"""

import re
import subprocess
import sys


def output(*command):
  return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def escaped(text):
  """Text as troff prints it: backslashes, hyphens and quotes are those of the terminal."""
  text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
  return "\n".join("\\&" + line if line.startswith(".") else line for line in text.split("\n"))


def sections(text):
  """A help text as (usage, rows of tables by their headings, paragraphs before and after them)."""
  usage, tables, paragraphs, table = "", {}, [], None
  for line in text.split("\n"):
    heading = re.fullmatch(r"([A-Z][A-Za-z ]*):", line)
    row = re.match(r"  (\S.*?)(?:  +(.*))?$", line)
    if line.startswith("Usage: "):
      usage, table = line[len("Usage: "):], None
    elif heading:
      table = tables.setdefault(heading.group(1), [])
    elif table is not None and row:
      table.append([row.group(1), row.group(2) or ""])
    elif table and line.startswith("   "):
      table[-1][1] += " " + line.strip()
    elif line.strip():
      if table is not None or not paragraphs:
        paragraphs.append([])
      paragraphs[-1].append(line)
      table = None
    elif paragraphs and paragraphs[-1]:
      paragraphs.append([])
  return usage, tables, [" ".join(lines) for lines in paragraphs if lines]


def definition_list(rows):
  lines = []
  for name, text in rows:
    lines += [".TP", f"\\fB{escaped(name.replace(',', ', '))}\\fR", escaped(text) or "\\&"]
  return lines


def page(program):
  version = output(program, "--version").split()[-1]
  usage, tables, paragraphs = sections(output(program, "--help"))
  commands = tables.pop("Subcommands", None) or tables.pop("Commands")
  lines = [
      f'.TH XYLEM 1 "" "xylem {version}" "User Commands"',
      ".SH NAME", "xylem \\- run, compile, check and convert array programs in HLO and StableHLO",
      ".SH SYNOPSIS", f"\\fB{escaped(usage)}\\fR",
      ".SH DESCRIPTION"]
  for paragraph in paragraphs:
    lines += [".PP", escaped(paragraph)]
  for heading, rows in tables.items():
    lines += [f".SH {heading.upper()}", *definition_list(rows)]
  lines.append(".SH COMMANDS")
  for command, summary in commands:
    usage, tables, paragraphs = sections(output(program, command, "--help"))
    lines += [f".SS {escaped(command)}", f"\\fB{escaped(usage)}\\fR", ".PP"]
    for index, paragraph in enumerate(paragraphs or [summary]):
      lines += [escaped(paragraph)] if index == 0 else [".PP", escaped(paragraph)]
    for rows in tables.values():
      lines += definition_list([row for row in rows if "--help" not in row[0]])
  lines += [".SH SEE ALSO", "The documentation of the operations: \\fBxylem ops\\fR \\fINAME\\fR."]
  return "\n".join(lines) + "\n"


if __name__ == "__main__":
  if len(sys.argv) != 2:
    sys.exit(__doc__)
  sys.stdout.write(page(sys.argv[1]))
