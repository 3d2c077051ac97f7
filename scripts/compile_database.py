# SPDX-License-Identifier: Apache-2.0
"""What scripts that let a tool check every compiled source share."""

import concurrent.futures
import json
import sys


def read_entries(build):
    """The entries of BUILD/compile_commands.json but those of generated code."""
    generated = str(build.resolve() / "gen") + "/"
    entries = json.loads((build / "compile_commands.json").read_text())
    return [entry for entry in entries if not entry["file"].startswith(generated)]


def print_findings(check, items, jobs):
    """Runs check(item), which gives {key: text}, for all items. Prints each text once, as soon as it is
    known, and progress on a terminal. Returns how many there were."""
    seen = set()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(check, item) for item in items]
        for count, run in enumerate(concurrent.futures.as_completed(runs), 1):
            if sys.stderr.isatty():
                print(f"\r{count} of {len(items)}", end="", file=sys.stderr, flush=True)
            for key, text in run.result().items():
                if key not in seen:
                    seen.add(key)
                    print(text, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return len(seen)
