#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of tests/reports: what JAX lowers the functions of scripts/reports to, with inputs and right answers.

    scripts/make_reports.py [--out tests/reports] [NAME...]      (needs jax and SciPy: make oracle)

Each function stands for one public report, whose repository and number begin its name. It calls
c.eq, c.close (units in the last place) or c.almost (an absolute difference) with what the program
computes from c.input(array), and with the answer: of NumPy in double precision, of exact integers,
or of mathematics, never of a compiler. Programs that JAX cannot say are written by hand beside them.
"""
import argparse
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "reports"))

import jax

import arithmetic  # noqa: F401  (these register programs)
import control  # noqa: F401
import indexing  # noqa: F401
import programs  # noqa: F401
import reductions  # noqa: F401
import transforms  # noqa: F401
from registry import REPORTS, Checks


def program(name):
    title, function, form = REPORTS[name]
    checks = Checks()
    # Of a platform that has the operations themselves, rather than calls of LAPACK.
    lowered = jax.jit(lambda: function(checks)).trace().lower(lowering_platforms=("tpu",))
    head = f"// {name}: {title}\n// Written by scripts/make_reports.py.\n"
    if form == "mlir":

        def custom_call(match):
            target, *attributes = match.group(1).split("|")
            bounds = ", ".join(f'{key} = "{value}"' for key, value in (a.split("=") for a in attributes))
            extra = f", mhlo.frontend_attributes = {{{bounds}}}" if bounds else ""
            return f'@{target}{match.group(2)} {{has_side_effect = true{extra}}} :'

        return head + re.sub(r'@"?(check\.[^"(]*)"?(\([^)]*\)) \{[^\n]*\} :', custom_call, lowered.as_text())
    text = lowered.compiler_ir("hlo").as_hlo_text(True)
    text = re.sub(r"(?<=\])\{[0-9,]*\}", "", text)
    text = re.sub(r"(?<=[{( ])-0(?=[,})])", "-0.0", text)  # "-0" is read as an integer

    def call(match):
        target, *attributes = match.group(1).split("|")
        bounds = "".join(f', frontend_attributes={{{key}="{value}"}}' for key, value in (a.split("=") for a in attributes))
        return f'custom_call_target="{target}"{bounds}\n'

    text = re.sub(r'custom_call_target="(check\.[^"]*)".*\n', call, text)
    text = re.sub(r"HloModule [^\n]*", "HloModule " + re.sub(r"\W", "_", name), text, count=1)
    text = re.sub(r", metadata=\{[^}]*\}", "", text)
    root = re.search(r"ROOT (\S+) = \(\) tuple\(\)", text)
    # The results of the checks are the result.
    entry = text[text.index("ENTRY") :]
    calls = re.findall(r"(\S+) = \(\) custom-call", entry)
    text = text.replace(root.group(0), f"ROOT {root.group(1)} = ({', '.join(['()'] * len(calls))}) tuple({', '.join(calls)})")
    return head + text.strip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="tests/reports")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.names or REPORTS:
        (pathlib.Path(arguments.out) / f"{name}.{REPORTS[name][2]}").write_text(program(name))
        print(name, flush=True)


if __name__ == "__main__":
    main()
