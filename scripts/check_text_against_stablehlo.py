#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the text that Xylem prints of StableHLO programs with what StableHLO (jaxlib) prints.

usage: check_text_against_stablehlo.py XYLEM FILE|FOLDER... [--show N]

Both read each file; the texts must be equal. Files that jaxlib does not read are left out.
"""
import argparse
import collections
import difflib
import subprocess
import sys
from pathlib import Path

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def print_by_jaxlib(data):
    with mlir.make_ir_context() as context:
        try:
            if data[:4] == b"ML\xefR":
                return str(stablehlo.deserialize_portable_artifact(context, data))
            return str(ir.Module.parse(data.decode()))
        except Exception:  # jaxlib raises several kinds
            return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("xylem")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--show", type=int, default=5, help="how many differences to print")
    arguments = parser.parse_args()
    counts = collections.Counter()
    for path in arguments.paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in [p for p in found if p.suffix in (".mlir", ".bc", ".mlirbc")]:
            expected = print_by_jaxlib(file.read_bytes())
            if expected is None:
                counts["not read by jaxlib"] += 1
                continue
            child = subprocess.run(
                [arguments.xylem, "print", "--no-verify", "--to=stablehlo", str(file)],
                capture_output=True, text=True, check=False)
            if child.stdout.strip() == expected.strip():
                counts["equal"] += 1
                continue
            counts["different" if child.returncode == 0 else "not read by Xylem"] += 1
            if counts["different"] + counts["not read by Xylem"] <= arguments.show:
                print(f"== {file}", child.stderr[:200])
                lines = difflib.unified_diff(child.stdout.splitlines(), expected.splitlines(),
                                             "xylem", "jaxlib", n=0, lineterm="")
                print("\n".join(line[:220] for line in list(lines)[:8]))
    print(dict(counts))
    return 0 if set(counts) <= {"equal", "not read by jaxlib"} else 1


if __name__ == "__main__":
    sys.exit(main())
