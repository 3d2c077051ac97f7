#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over everything a build folder compiles but generated code, and sums up.

    scripts/run_clang_tidy.py BUILD [--jobs N]

Reads BUILD/compile_commands.json. Findings in sources and in the project's headers are printed once
each; exit code 1 if there are any.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

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
    entries = json.loads((arguments.build / "compile_commands.json").read_text())
    generated = str(arguments.build.resolve() / "gen") + "/"
    sources = sorted({e["file"] for e in entries if not e["file"].startswith(generated)})
    seen = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = {pool.submit(tidy, arguments.build, source): source for source in sources}
        for count, run in enumerate(concurrent.futures.as_completed(runs), 1):
            if sys.stderr.isatty():
                print(f"\r{count} of {len(sources)}", end="", file=sys.stderr, flush=True)
            for place, text in run.result().items():
                if place not in seen:
                    seen[place] = text
                    print(text, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"{len(sources)} sources, {len(seen)} findings")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
