#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over everything a build folder compiles but generated code, and sums up.

    scripts/run_clang_tidy.py BUILD [--jobs N]

Reads BUILD/compile_commands.json. Findings in sources and in the project's headers are printed once
each; exit code 1 if there are any.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import compile_database

ROOT = pathlib.Path(__file__).resolve().parent.parent
FINDING = re.compile(r"^(?P<file>/[^:]+):(?P<line>\d+):\d+: (?P<kind>warning|error): ")


def findings(output):
    """The diagnostics of one run, each with the lines that explain it, keyed by place."""
    found, current = {}, None
    for line in output.splitlines():
        if match := FINDING.match(line):
            current = found.setdefault(line, [line]) if line not in found else []
        elif current is not None:
            current.append(line)
    return {key: "\n".join(lines) for key, lines in found.items()}


def tidy(build, source):
    folders = "|".join(("xla", "tools", "examples", "bench"))
    command = [
        "clang-tidy", "--quiet", "-p", str(build), "--extra-arg=-Wno-unknown-warning-option",
        f"--header-filter={ROOT}/({folders})/.*", source,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not FINDING.search(done.stdout):
        return {source: f"{source}: clang-tidy failed\n{done.stdout}{done.stderr}"}
    return findings(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    entries = compile_database.read_entries(arguments.build)
    sources = sorted({entry["file"] for entry in entries})
    count = compile_database.print_findings(
        lambda source: tidy(arguments.build, source), sources, arguments.jobs
    )
    print(f"{len(sources)} sources, {count} findings")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
