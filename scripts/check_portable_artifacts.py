#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks portable artifacts of every version against StableHLO's own reader.

usage: check_portable_artifacts.py XYLEM FILE|FOLDER... [--newest 1.17]

Each program (.mlir, .bc, .mlirbc) that StableHLO (jaxlib) reads is written by Xylem for every minor
version from 1.0 to --newest, the newest that jaxlib reads. Where Xylem writes the version, jaxlib
must read the artifact as the program that it reads from the file, and Xylem must write the same
bytes again. A version that lacks an operation of the program is refused, and counted so.
"""
import argparse
import collections
import subprocess
import sys
import tempfile
from pathlib import Path

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def text_of(data):
    """The program as jaxlib prints it; None if it does not read it."""
    with mlir.make_ir_context() as context:
        try:
            if data[:4] == b"ML\xefR":
                module = stablehlo.deserialize_portable_artifact(context, data)
            else:
                module = ir.Module.parse(data.decode())
            return str(module)
        except Exception:  # jaxlib raises several kinds
            return None


def write(xylem, path, version, output):
    child = subprocess.run([xylem, "print", "--no-verify", "--to=mlirbc",
                            f"--stablehlo-version={version}", "--output", output, str(path)],
                           capture_output=True, text=True, check=False)
    return child.returncode == 0, child.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("xylem")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--newest", default="1.17")
    arguments = parser.parse_args()
    files = []
    for path in arguments.paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        files += [p for p in found if p.suffix in (".mlir", ".bc", ".mlirbc")]
    versions = [f"1.{minor}.0" for minor in range(int(arguments.newest.split(".")[1]) + 1)]
    counts, reasons = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first.mlirbc"), Path(folder, "second.mlirbc")
        for path in files:
            expected = text_of(path.read_bytes())
            if expected is None:
                counts["not read by jaxlib"] += 1
                continue
            if "vhlo." in expected:
                counts["VHLO in text, which jaxlib prints as VHLO"] += 1
                continue
            counts["programs"] += 1
            for version in versions:
                ok, error = write(arguments.xylem, path, version, str(first))
                if not ok:
                    counts["versions refused"] += 1
                    reasons[error.splitlines()[0][-100:] if error else "?"] += 1
                    continue
                if text_of(first.read_bytes()) != expected:
                    print(f"{path}: {version}: jaxlib reads another program")
                    counts["different"] += 1
                    continue
                write(arguments.xylem, path, version, str(second))
                if first.read_bytes() != second.read_bytes():
                    print(f"{path}: {version}: written twice, the bytes differ")
                    counts["different"] += 1
                    continue
                counts["versions equal"] += 1
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    for reason, count in reasons.most_common(10):
        print(f"{count:6} {reason}")
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
