#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that programs survive Xylem's parser and printer, and that XLA reads the print (pip install jaxlib).

usage: check_text_against_xla.py XYLEM FILE_OR_FOLDER...
For each .hlo file: it verifies, prints, the print parses again to the same print, and XLA's own parser accepts it and
prints the same as for the original. Prints what fails and a summary "N of N".
"""
import os
import subprocess
import sys


def print_with_xylem(xylem, text_or_path, stdin=None):
    options = ["print", "--options", "short", text_or_path]
    run = subprocess.run([xylem] + options, input=stdin, capture_output=True, timeout=120)
    return run.returncode, run.stdout, run.stderr.decode(errors="replace").strip()


def check(xylem, hlo, path):
    code, printed, error = print_with_xylem(xylem, path)
    if code != 0:
        return "does not parse or verify: " + error[:300]
    code, again, error = print_with_xylem(xylem, "-", printed)
    if code != 0:
        return "its print does not parse or verify: " + error[:300]
    if again != printed:
        return "the print of its print differs"
    options = hlo.HloPrintOptions.short_parsable()
    try:
        ours = hlo.hlo_module_from_text(printed.decode()).to_string(options)
    except Exception as e:  # XLA's error, whatever its class
        return "XLA rejects the print: " + str(e)[:300]
    original = open(path).read()
    if "{...}" in original:  # elided constants: the parser fills them with what it likes
        options.print_large_constants = False
        ours = hlo.hlo_module_from_text(printed.decode()).to_string(options)
    theirs = hlo.hlo_module_from_text(original).to_string(options)
    if ours != theirs:
        return "XLA reads another program from the print"
    return ""


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        from jaxlib import _hlo as hlo
    except ImportError:
        print("skipped: jaxlib is not installed")
        return 0
    files = []
    for operand in sys.argv[2:]:
        if os.path.isdir(operand):
            for folder, _, names in sorted(os.walk(operand)):
                files += [os.path.join(folder, n) for n in sorted(names) if n.endswith(".hlo")]
        else:
            files.append(operand)
    good = 0
    for path in files:
        wrong = check(sys.argv[1], hlo, path)
        good += not wrong
        if wrong:
            print(f"{path}: {wrong}", flush=True)
    print(f"{good} of {len(files)}")
    return 0 if good == len(files) else 1


if __name__ == "__main__":
    sys.exit(main())
