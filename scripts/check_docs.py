#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of README.md and docs/*.md, and compares what they print with what the pages show.

Fences that begin with ```console hold commands after "$ ", each followed by what it prints; ```sh holds a script. The
commands of a page run in order, with bash, in a folder of their own that shows the files of the repository; `xylem`
and `build/xylem` are the command that was built. A command fails exactly if the page shows an error of it, a line that
begins with "xylem: " or "FAILED ". Numbers with a unit (14 ms, 3 s, 2.1 GB/s, 24 B) may differ, as may the width of columns; a
line "..." stands for any lines, and "..." at the end of a line for its rest.

```console norun and ```sh norun are not run: they install something, take minutes, or need files of the reader's.

Tables whose first column is "message" or "what you see" quote texts of errors in `code`: the parts between "..." must occur in
the strings of the sources.

usage: check_docs.py [--build build] [--list] [PAGE...]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIMEOUT_SECONDS = 120
SKIPPED = 77

# What begins a command: pages show commands in fences, where they are run or marked.
COMMAND = re.compile(
    r"^(\$ )?([A-Z_]+=\S+ )*(xylem|make|cmake|ctest|ninja|cc|c\+\+|git|pip|docker|sudo|apt|apt-get|bash|sh"
    r"|python[0-9.]*|(build[a-z-]*|scripts|fuzz|bench|tests|\.ci)/\S+)( |$)")
UNIT_KINDS = {"time": "ns|us|ms|s|min", "memory": "B|[KMGT]i?B", "rate": "[KMG]?B/s|[KMGT]flop/s", "share": "%"}
NUMBERS = {kind: re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)? ?(?:" + units + r")(?![\w/])")
           for kind, units in UNIT_KINDS.items()}


class Problem(Exception):
  pass


class Fence:
  def __init__(self, line, info):
    self.line = line  # of the first line inside
    words = info.split()
    self.language, self.flags = (words[0] if words else ""), set(words[1:])
    self.lines = []


def fences_of(text):
  """The fences of a page, and the numbers of lines outside of them that look like commands."""
  fences, strays, current, before = [], [], None, ""
  for number, line in enumerate(text.split("\n"), 1):
    if line.startswith("```"):
      if current is None:
        current = Fence(number + 1, line[3:])
      else:
        fences.append(current)
        current = None
    elif current is not None:
      current.lines.append(line)
    elif line.startswith("    ") and (not before.strip() or before.startswith("    ")) and COMMAND.match(line[4:]):
      strays.append(number)
    before = line
  if current is not None:
    raise Problem(f"{current.line - 1}: the fence has no end")
  return fences, strays


def commands_of(fence):
  """(line, command, what it prints, or None for a script)"""
  if fence.language == "sh":
    return [(fence.line, "\n".join(["set -e"] + fence.lines), None)]
  commands, end = [], None
  for number, line in enumerate(fence.lines, fence.line):
    if end is not None:  # of a here-document, or after a backslash
      commands[-1][1].append(line)
      if line == end or (end == "" and not line.endswith("\\")):
        end = None
    elif line.startswith("$ "):
      commands.append((number, [line[2:]], []))
      marked = re.search(r"<<'?(\w+)'?", line)
      end = marked.group(1) if marked else "" if line.endswith("\\") else None
    elif commands:
      commands[-1][2].append(line)
    elif line.strip():
      raise Problem(f"{number}: a console begins with a command, after '$ '")
  return [(number, "\n".join(command), output) for number, command, output in commands]


def normalized(line):
  for kind, number in NUMBERS.items():
    line = number.sub(f"<{kind}>", line)
  return re.sub(r"\s+", " ", line).rstrip()


def same_line(expected, actual):
  if expected.endswith("..."):
    return actual.startswith(expected[:-3].rstrip())
  return expected == actual


def same_lines(expected, actual):
  """Whether the lines are as expected, where "..." is any number of lines."""
  if not expected:
    return not actual
  if expected[0] == "...":
    return any(same_lines(expected[1:], actual[skipped:]) for skipped in range(len(actual) + 1))
  return bool(actual) and same_line(expected[0], actual[0]) and same_lines(expected[1:], actual[1:])


def trimmed(lines):
  lines = [normalized(line) for line in lines]
  while lines and not lines[-1]:
    lines.pop()
  return lines


def prepare(folder, build):
  """The files of the repository, folders as links, and the build folder."""
  for path in ROOT.iterdir():
    if path.name.startswith((".", "build")):
      continue
    if path.is_dir():
      (folder / path.name).symlink_to(path)
    else:
      shutil.copy(path, folder / path.name)  # a page may write a file of this name
  (folder / "build").symlink_to(build)


def run(command, folder, build):
  environment = {**os.environ, "PATH": f"{build}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
  done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS, check=False)
  return done.returncode, done.stdout.decode(errors="replace").split("\n")


def check_command(command, expected, folder, build):
  try:
    code, output = run(command, folder, build)
  except subprocess.TimeoutExpired:
    return f"takes more than {TIMEOUT_SECONDS} s; mark its fence with norun"
  if expected is None:
    return None if code == 0 else "exit code {}:\n{}".format(code, "\n".join(output))
  wanted, got = trimmed(expected), trimmed(output)
  if not same_lines(wanted, got):
    return "prints\n  {}\nbut the page shows\n  {}".format("\n  ".join(output).rstrip(), "\n  ".join(expected).rstrip())
  fails = any(line.startswith(("xylem: ", "FAILED ")) for line in expected)
  if fails != (code != 0):
    return f"exit code {code}"
  return None


def check_page(page, build, only_list):
  """(commands that ran, commands that are marked, problems)"""
  name = page.relative_to(ROOT)
  ran = marked = 0
  problems = []
  fences, strays = fences_of(page.read_text(encoding="utf-8"))
  for number in strays:
    problems.append(f"{name}:{number}: a command outside of a ```console or ```sh fence")
  with tempfile.TemporaryDirectory(prefix="xylem_docs_") as temporary:
    folder = pathlib.Path(temporary)
    prepare(folder, build)
    for fence in fences:
      if fence.language not in ("console", "sh"):
        continue
      if fence.flags - {"norun"}:
        problems.append(f"{name}:{fence.line - 1}: unknown flags {sorted(fence.flags - {'norun'})}")
      if "norun" in fence.flags:
        marked += len(commands_of(fence))
        continue
      for number, command, expected in commands_of(fence):
        ran += 1
        if only_list:
          print(f"{name}:{number}: {command}")
          continue
        problem = check_command(command, expected, folder, build)
        if problem is not None:
          problems.append(f"{name}:{number}: $ {command}\n{problem}")
  return ran, marked, problems


def strings_of_sources():
  """The texts in quotes of the sources, those that follow each other joined, in one text."""
  literal = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
  part = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
  texts = []
  for folder in ("xla", "tools", "python", "tsl"):
    for path in sorted((ROOT / folder).rglob("*")):
      if path.suffix in (".cc", ".h", ".py", ".c", ".inc"):
        source = path.read_text(encoding="utf-8")
        texts += ["".join(part.findall(found.group(0))) for found in literal.finditer(source)]
  return "\n".join(texts)


def check_messages(pages):
  """Texts of errors, in tables of them, that the sources do not have."""
  quoted = []
  for page in pages:
    in_table = False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
      cells = [cell.strip() for cell in line.split("|")]
      in_table = len(cells) > 1 and (in_table or cells[1] in ("message", "what you see"))
      if in_table:
        quoted += [(page, number, text) for text in re.findall(r"`([^`]+)`", cells[1])]
  sources = strings_of_sources() if quoted else ""
  return [f"{page.relative_to(ROOT)}:{number}: no source has the text '{part}'"
          for page, number, text in quoted for part in re.split(r" ?\.\.\.(?: |$)", text) if part and part not in sources]


def count_folders(folder):
  return sum(path.is_dir() for path in (ROOT / folder).iterdir())


def check_facts(build):
  """What README.md says that other files know."""
  readme = (ROOT / "README.md").read_text(encoding="utf-8")
  help_text = subprocess.run([build / "xylem", "--help"], capture_output=True, text=True, check=True).stdout
  commands = re.findall(r"^  ([a-z]+)  +\S", help_text.partition("Subcommands:")[2], re.M) + ["help"]
  problems = [f"README.md: the table of commands lacks `xylem {command}`" for command in commands
              if not re.search(rf"^\| `xylem {command}\b", readme, re.M)]
  files = re.search(r"of (\d+) files, compile unchanged", (ROOT / "docs/xla_compat.md").read_text(encoding="utf-8"))
  for number, text in ((count_folders("tests/programs"), "{} reference programs"),
                       (count_folders("bench/programs"), "{} more programs"),
                       (files.group(1), "Of {} of XLA's own test files")):
    if text.format(number) not in readme:
      problems.append(f"README.md: '{text.format(number)}' is not there")
  return problems


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("--build", default=str(ROOT / "build"), help="the folder of the command that was built")
  parser.add_argument("--list", action="store_true", help="print the commands instead of running them")
  parser.add_argument("pages", nargs="*", type=pathlib.Path)
  arguments = parser.parse_args()
  # The examples of operations.md are programs of tests/operations, which are run there.
  pages = [page.resolve() for page in arguments.pages] or [
      ROOT / "README.md", ROOT / "models" / "README.md",
      *sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in ("operations.md", "emitters.md"))]
  build = pathlib.Path(arguments.build).resolve()
  if shutil.which("xylem", path=str(build)) is None:
    sys.exit(f"there is no command in {build}")
  info = json.loads(subprocess.run([build / "xylem", "info", "--json"], capture_output=True, check=True).stdout)
  if "cpu" not in info["backends"]:
    print("nothing is compiled here, as the pages suppose: skipped")
    return SKIPPED
  total = total_marked = 0
  facts = check_messages(pages) + ([] if arguments.pages else check_facts(build))
  for problem in facts:
    print(problem, file=sys.stderr)
  failed = bool(facts)
  for page in pages:
    try:
      ran, marked, problems = check_page(page, build, arguments.list)
    except Problem as problem:
      ran, marked, problems = 0, 0, [f"{page.relative_to(ROOT)}:{problem}"]
    total, total_marked, failed = total + ran, total_marked + marked, failed or bool(problems)
    for problem in problems:
      print(problem, file=sys.stderr)
  print(f"{total} commands of {len(pages)} pages, {total_marked} more are marked with norun"
        + ("" if not failed else "; some differ"))
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())
