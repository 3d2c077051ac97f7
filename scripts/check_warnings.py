#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets a compiler check everything that a build folder compiles, generated code apart, and sums up its warnings.

    scripts/check_warnings.py BUILD [--jobs N] [--only REGEX] [--quick]

Reads BUILD/compile_commands.json. Clang only analyses the sources (-fsyntax-only), which is a third of
the work; GCC compiles them, since some of its warnings follow the flow of data through optimized code
(--quick leaves those out). Each warning is printed once; exit code 1 if there are any.
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys

import compile_database

DIAGNOSTIC = re.compile(r"^(?P<place>\S+:\d+:\d+): (?:fatal )?(?:warning|error): ")


def diagnostics(output):
    """The diagnostics of one run, each with the lines that explain it, keyed by place and message."""
    found, current, context = {}, None, []
    for line in output.splitlines():
        if DIAGNOSTIC.match(line):
            current = found.setdefault(line, [*context, line]) if line not in found else []
            context = []
        elif line.startswith(("In file included from", "                 from")) or ": In " in line:
            context.append(line)
        elif current is not None:
            current.append(line)
    return {key: "\n".join(lines) for key, lines in found.items()}


def is_clang(compiler):
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return "clang" in version.stdout


def words_of(entry):
    words = shlex.split(entry["command"])
    return words[1:] if pathlib.Path(words[0]).name == "ccache" else words


def check(entry, analyze):
    command = words_of(entry)
    command[command.index("-o") + 1] = "/dev/null"
    command = [word for word in command if word != "-Werror"]
    if analyze:
        # "-c" produces an object whatever else is asked for.
        command = [word for word in command if word != "-c"] + ["-fsyntax-only"]
    else:
        command = ["-S" if word == "-c" else word for word in command]
    done = subprocess.run(
        command, cwd=entry["directory"], capture_output=True, text=True, errors="replace", check=False
    )
    found = diagnostics(done.stderr)
    if done.returncode != 0 and not found:
        found[entry["file"]] = f"{entry['file']}: the compiler failed\n{done.stderr}"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="sources whose path has a match of this")
    parser.add_argument("--quick", action="store_true", help="GCC only analyses, too")
    arguments = parser.parse_args()
    entries = [
        entry
        for entry in compile_database.read_entries(arguments.build)
        if not entry["file"].endswith(".hxx.cxx") and re.search(arguments.only, entry["file"])
    ]
    analyze = arguments.quick or bool(entries) and is_clang(words_of(entries[0])[0])
    count = compile_database.print_findings(
        lambda entry: check(entry, analyze), entries, arguments.jobs
    )
    print(f"{len(entries)} sources, {count} warnings")
    return 1 if count or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
