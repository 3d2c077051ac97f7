#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares how Xylem and XLA (pip install jaxlib) read and print the HLO texts in XLA's tests.

    scripts/check_xla_texts.py --xla XLA_SOURCES --xylem build/xylem --work FOLDER [--show N]

Every raw string of XLA's test sources that holds a module, and every .hlo file, is read by both. Counted: texts that XLA reads and
Xylem rejects, the reverse, and texts that both read but print differently (long form). The first N of each are shown.
"""

import argparse
import collections
import hashlib
import pathlib
import re
import subprocess
import sys

RAW = re.compile(r'R"([^\s()\\]{0,16})\((.*?)\)\1"', re.S)

WORKER = r"""
import sys
from jaxlib import _hlo as hlo
for line in sys.stdin:
    path = line.strip()
    print("start", path, flush=True)
    try:
        text = hlo.hlo_module_from_text(open(path).read()).to_string()
        open(path + ".xla", "w").write(text)
        print("ok", path, flush=True)
    except Exception as e:
        open(path + ".xlaerror", "w").write(str(e))
        print("error", path, flush=True)
"""


def extract(xla, work):
    texts = {}
    for source in sorted(xla.glob("xla/**/*_test.cc")):
        for found in RAW.finditer(source.read_text(errors="replace")):
            text = found.group(2)
            if "HloModule" in text or re.search(r"\bENTRY\b", text):
                texts.setdefault(hashlib.sha1(text.encode()).hexdigest()[:16], (text, source))
    for source in sorted(xla.glob("xla/**/*.hlo")):
        text = source.read_text(errors="replace")
        if "HloModule" in text and len(text) < 1 << 20:
            texts.setdefault(hashlib.sha1(text.encode()).hexdigest()[:16], (text, source))
    work.mkdir(parents=True, exist_ok=True)
    origins = {}
    for key, (text, source) in texts.items():
        path = work / (key + ".hlo")
        path.write_text(text)
        origins[str(path)] = str(source.relative_to(xla))
    return origins


def run_xla(paths, python):
    """Reads texts in worker processes; one that crashes on a text gives no verdict for it."""
    todo = [p for p in paths if not any(pathlib.Path(p + e).exists() for e in (".xla", ".xlaerror", ".xlacrash"))]
    while todo:
        worker = subprocess.Popen([python, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        try:
            out, _ = worker.communicate("\n".join(todo) + "\n", timeout=1200)
        except subprocess.TimeoutExpired:
            worker.kill()
            out, _ = worker.communicate()
        done, current = set(), None
        for line in out.splitlines():
            kind, path = line.split(" ", 1)
            current = path if kind == "start" else None
            if kind != "start":
                done.add(path)
        if current:
            pathlib.Path(current + ".xlacrash").write_text("")
            done.add(current)
        if not done:
            break
        todo = [p for p in todo if p not in done]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xla", required=True)
    parser.add_argument("--xylem", required=True)
    parser.add_argument("--work", required=True, help="folder for the texts and what both make of them")
    parser.add_argument("--python", default=sys.executable, help="a Python with jaxlib")
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args()
    origins = extract(pathlib.Path(args.xla), pathlib.Path(args.work))
    paths = sorted(origins)
    run_xla(paths, args.python)
    counts = collections.Counter()
    shown = collections.Counter()

    def show(kind, path, message):
        shown[kind] += 1
        if shown[kind] <= args.show:
            print("%s: %s (%s)\n    %s" % (kind, path, origins[path], message.strip()[:600].replace("\n", "\n    ")))

    for path in paths:
        theirs = pathlib.Path(path + ".xla")
        if pathlib.Path(path + ".xlacrash").exists() or not (theirs.exists() or pathlib.Path(path + ".xlaerror").exists()):
            counts["XLA gives no verdict"] += 1
            continue
        run = subprocess.run([args.xylem, "print", "--no-verify", path], capture_output=True, timeout=120)
        if not theirs.exists():
            counts["both reject" if run.returncode else "only Xylem reads"] += 1
            if run.returncode == 0:
                show("only Xylem reads", path, pathlib.Path(path + ".xlaerror").read_text())
            continue
        if run.returncode:
            counts["only XLA reads"] += 1
            show("only XLA reads", path, run.stderr.decode(errors="replace"))
            continue
        ours, expected = run.stdout.decode(errors="replace").rstrip("\n"), theirs.read_text().rstrip("\n")
        counts["read by both"] += 1
        if ours == expected:
            counts["printed alike"] += 1
        else:
            a, b = ours.splitlines(), expected.splitlines()
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            show("printed differently", path, "ours: %s\nXLA:  %s" % (a[at] if at < len(a) else "-", b[at] if at < len(b) else "-"))
    for kind, count in sorted(counts.items()):
        print("%-22s %d" % (kind, count))
    read = counts["read by both"]
    print("%.2f %% of what XLA reads is read, %.2f %% of that printed alike"
          % (100 * read / max(1, read + counts["only XLA reads"]), 100 * counts["printed alike"] / max(1, read)))


if __name__ == "__main__":
    main()
