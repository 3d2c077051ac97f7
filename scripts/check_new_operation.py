#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that adding an operation takes the steps that docs/hacking.md shows, and no others.

The steps are read from the section "Adding an operation" of docs/hacking.md: a numbered line names a
file and a place in it, the code block below is inserted there.

  check_new_operation.py --steps   checks that each step can be applied and counts the files
  check_new_operation.py           applies the steps to a copy of the tree, builds it, and runs the
                                   new operations (scripts/new_operation_program.cc)
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Most files that a subsection may touch, by its title.
LIMITS = {"An elementwise operation": 4, "An operation with attributes": 8}
# Of the tests the copy needs only the folder that the operation table is checked against.
TESTS = "tests/operations"

STEP = re.compile(r"^\d+\. `([^`]+)`, (before|within) `([^`]+)`")


def read_steps():
    """{title: [(file, where, anchor, code)]} of docs/hacking.md."""
    with open(os.path.join(ROOT, "docs", "hacking.md"), encoding="utf-8") as f:
        lines = f.read().split("\n")
    sections, title, i = {}, None, 0
    inside = False
    while i < len(lines):
        line = lines[i]
        if line.startswith("## "):
            inside = line == "## Adding an operation"
        if inside and line.startswith("### "):
            title = line[4:].split(":")[0]
            sections[title] = []
        step = STEP.match(line) if inside and title else None
        if step:
            while not lines[i].startswith("```"):
                i += 1
            end = lines.index("```", i + 1)
            code = "\n".join(lines[i + 1:end])
            sections[title].append((*step.groups(), code))
            i = end
        i += 1
    return sections


def insert(text, where, anchor, code):
    """The text with the code before the line with the anchor, or right after the anchor itself."""
    # The list of structs may be broken over lines anywhere.
    pattern = r"\s+".join(re.escape(part) for part in anchor.split()) if where == "within" else None
    if where == "within":
        match = re.search(pattern, text)
        return None if match is None else text[:match.end()] + code + text[match.end():]
    place = text.find(anchor)
    if place < 0:
        return None
    line = text.rfind("\n", 0, place) + 1
    return text[:line] + code + "\n" + text[line:]


def apply_steps(sections, folder, write):
    """Applies all steps to the files of the folder. Returns whether all could be."""
    ok = True
    changed = {}
    for title, steps in sections.items():
        files = {step[0] for step in steps}
        limit = LIMITS.get(title, 0)
        print(f"{title}: {len(steps)} steps in {len(files)} files (at most {limit})")
        ok &= 0 < len(files) <= limit
        for path, where, anchor, code in steps:
            full = os.path.join(folder, path)
            if path not in changed:
                with open(full, encoding="utf-8") as f:
                    changed[path] = f.read()
            result = insert(changed[path], where, anchor, code)
            if result is None:
                print(f"{path}: there is no `{anchor}`", file=sys.stderr)
                ok = False
            else:
                changed[path] = result
    if write:
        for path, text in changed.items():
            with open(os.path.join(folder, path), "w", encoding="utf-8") as f:
                f.write(text)
    return ok and set(sections) == set(LIMITS)


def build_and_run(sections, folder, jobs):
    tree = os.path.join(folder, "tree")
    ignored = shutil.ignore_patterns(".*", "__pycache__")
    ignored_at_root = shutil.ignore_patterns(".*", "build*", "dist", "tests")
    shutil.copytree(ROOT, tree, symlinks=True, ignore=lambda folder, names: (
        ignored_at_root if folder == ROOT else ignored)(folder, names))
    shutil.copytree(os.path.join(ROOT, TESTS), os.path.join(tree, TESTS))
    if not apply_steps(sections, tree, write=True):
        return 1
    with open(os.path.join(tree, "CMakeLists.txt"), "a", encoding="utf-8") as f:
        f.write("\nadd_executable(new_operation scripts/new_operation_program.cc)\n"
                "target_link_libraries(new_operation PRIVATE xylem_all xylem_warnings)\n")
    build = os.path.join(folder, "build")
    start = time.monotonic()
    flags = ["-DCMAKE_BUILD_TYPE=Quick", "-DCMAKE_CXX_FLAGS_QUICK=-O0 -DNDEBUG",
             "-DXYLEM_UNITY=ON", "-DXYLEM_PCH=ON", "-DXYLEM_TESTS=OFF"]
    commands = [["cmake", "-S", tree, "-B", build, "-G", "Ninja", *flags],
                ["ninja", "-C", build, f"-j{jobs}", "new_operation"]]
    for command in commands:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            print(done.stdout[-8000:], file=sys.stderr)
            return 1
    print(f"built in {time.monotonic() - start:.0f} s")
    return subprocess.run([os.path.join(build, "new_operation")]).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    sections = read_steps()
    if arguments.steps:
        return 0 if apply_steps(sections, ROOT, write=False) else 1
    with tempfile.TemporaryDirectory(prefix="xylem-new-operation-") as folder:
        return build_and_run(sections, folder, arguments.jobs)


if __name__ == "__main__":
    sys.exit(main())
