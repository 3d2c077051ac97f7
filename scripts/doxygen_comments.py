#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes copies of headers whose comments have the form that Doxygen reads (scripts/make_reference.sh).

usage: doxygen_comments.py FOLDER HEADER...

A comment above a declaration describes it, one after a declaration on its line describes that, and the comment at the top of a
file describes the file. The texts are plain: what Doxygen would take for commands or tags is escaped, and lines that are indented
are examples. Comments inside of functions stay as they are.
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"^(\s*)//(?: (.*)|)$")
TRAILING = re.compile(r"""^((?:[^"'/]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+'|/(?!/))*\S)(\s*)// (.*)$""")
C_COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
LICENSE = re.compile(r"SPDX-License-Identifier: Apache-2.0")
SCOPE = re.compile(r'\b(namespace|class|struct|union|enum|extern\s+"C")\b')


def escaped(text):
  """Outside of `code`."""
  parts = re.split(r"(`[^`]+`)", text)
  for i in range(0, len(parts), 2):
    parts[i] = re.sub(r"([\\@<>#&$%\"]|::|`)", r"\\\1", parts[i])
  return "".join(parts)


def text_lines(lines):
  """A comment's lines; those that are indented by three more are verbatim."""
  out, inside = [], False
  for line in lines:
    is_example = line.startswith("  ") or (inside and not line.strip())
    if is_example != inside:
      out.append("@verbatim" if is_example else "@endverbatim")
      inside = is_example
    out.append(line if inside else escaped(line))
  if inside:
    out.append("@endverbatim")
  return out


def block(indent, lines, is_file):
  body = (["@file"] if is_file else []) + text_lines(lines)
  return [f"{indent}/// {line}".rstrip() for line in body]


class Scopes:
  """Whether what follows is declared, or is in the body of a function or in a list of values."""

  def __init__(self):
    self.kinds, self.statement = [], ""

  def read(self, line):
    code = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)+\'', '""', line.split("//")[0])
    if code.lstrip().startswith("#"):
      return
    for part in re.split(r"([{};])", code):
      if part == "{":
        head = self.statement.replace('""', '"C"')
        self.kinds.append(bool(SCOPE.search(head)) and not re.search(r"\)\s*(const|noexcept|override)?\s*$", head)
                          and "=" not in head)
        self.statement = ""
      elif part == "}":
        if self.kinds:
          self.kinds.pop()
        self.statement = ""
      elif part == ";":
        self.statement = ""
      else:
        self.statement += part + " "

  def declares(self):
    return all(self.kinds)


def without_pitfalls(text):
  """Replaces what Doxygen 1.9 stumbles over."""
  # It has no scope for specializations of the standard library's templates, which declare what the standard says.
  text = re.sub(r"^template <[^;{}]*>\n(?:class|struct) std::.*?^};\n", lambda m: "\n" * m.group(0).count("\n"), text,
                flags=re.M | re.S)
  # It takes aliases of one template for one type, so that overloads are duplicates.
  return re.sub(r"^using (\w+) = (MiniFloat<[^;]*>);", r"struct \1 : \2 {};", text, flags=re.M)


def of_cpp(text):
  text = without_pitfalls(text)
  out, pending, scopes = [], [], Scopes()
  is_top, indent = True, ""

  def flush():
    nonlocal is_top
    if pending:
      out.extend(block(indent, pending, is_top) if scopes.declares() else [f"{indent}// {line}" for line in pending])
      is_top = False
      pending.clear()

  for line in text.split("\n"):
    found = COMMENT.match(line)
    if found and LICENSE.search(line):
      continue
    if found:
      indent = found.group(1)
      pending.append(found.group(2) or "")
      continue
    flush()
    trailing = TRAILING.match(line)
    if trailing and "NOLINT" in trailing.group(3):
      out.append(trailing.group(1))
    elif trailing and scopes.declares() and not line.lstrip().startswith(("#", "}")):
      out.append(f"{trailing.group(1)}{trailing.group(2)}///< {escaped(trailing.group(3))}")
    else:
      out.append(line)
    is_top = is_top and not line.strip()
    scopes.read(line)
  flush()
  return "\n".join(out)


def of_c(text):
  is_top = True

  def replace(found):
    nonlocal is_top
    if LICENSE.search(found.group(1)) or found.group(1).strip().startswith(("extern", "XLA_", "XYLEM_", "_")):
      return ""
    before = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
    lines = [re.sub(r"^\s*\* ?", "", line) for line in found.group(1).strip().split("\n")]
    if before.strip():
      return f"/**< {escaped(' '.join(lines))} */"
    was_top, is_top = is_top, False
    return "/**\n" + "\n".join((["@file"] if was_top else []) + text_lines(lines)) + "\n*/"

  return C_COMMENT.sub(replace, text)


def main():
  folder = pathlib.Path(sys.argv[1])
  for header in sys.argv[2:]:
    text = pathlib.Path(header).read_text(encoding="utf-8")
    copy = folder / header
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(of_c(text) if text.startswith("/*") else of_cpp(text), encoding="utf-8")


if __name__ == "__main__":
  main()
