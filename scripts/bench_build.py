#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long the build takes, without ccache, and compares it with the budgets.

    scripts/bench_build.py [--jobs 2] [--folder build-bench] [--only clean,edit,headers]

clean    a clean build of the product without tests, then of the tests and benchmarks on top
edit     one source of the product, then one test, is touched; its program is rebuilt and linked
headers  each central header compiled alone, user time, best of three

Prints a table and exits with 1 if a budget is exceeded. The folder is removed before a clean build.
`edit` uses the build that is there, or makes it first.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

PRODUCT_SECONDS = 4 * 60
EVERYTHING_SECONDS = 8 * 60
EDIT_SECONDS = 15

# Source to touch, and the target to rebuild.
EDITS = [
    ("xla/hlo/ir/hlo_computation.cc", "xylem"),
    ("xla/interpreter/reduce.cc", "xylem"),
    ("tests/text/parser_test.cc", "test_text"),
]

# User seconds, or None without a budget.
HEADERS = {
    "xla/shape.h": None,
    "xla/shape_util.h": None,
    "xla/literal.h": None,
    "xla/hlo/ir/hlo_instruction.h": None,
    "xla/hlo/ir/hlo_module.h": 1.5,
    "xla/hlo/builder/xla_builder.h": None,
    "xla/client/local_client.h": None,
    "xla/xla_data.pb.h": None,
}


def run(*command, **options):
    """Runs a command; its output is shown only if it fails."""
    result = subprocess.run(command, cwd=ROOT, env=dict(os.environ, CCACHE_DISABLE="1"),
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed:\n{result.stdout[-8000:]}")


def timed(*command):
    start = time.monotonic()
    run(*command)
    return time.monotonic() - start


class Bench:
    def __init__(self, folder, jobs):
        self.folder = folder
        self.jobs = jobs
        self.rows = []

    def add(self, name, seconds, budget, digits=0):
        self.rows.append((name, seconds, budget, digits))
        print(f"{name}: {seconds:.{max(digits, 1)}f} s", file=sys.stderr, flush=True)

    def configure(self, tests):
        run("cmake", "--preset", "release", "-B", self.folder, f"-DXYLEM_TESTS={'ON' if tests else 'OFF'}")

    def build(self, *targets):
        command = ["cmake", "--build", self.folder, "--parallel", str(self.jobs)]
        return timed(*command, *(["--target", *targets] if targets else []))

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.configure(tests=False)
        product = self.build()
        self.add("clean build of the product without tests", product, PRODUCT_SECONDS)
        self.configure(tests=True)
        self.add("clean build of everything", product + self.build(), EVERYTHING_SECONDS)

    def edit(self):
        self.configure(tests=True)
        self.build(*sorted({target for _, target in EDITS}))
        for source, target in EDITS:
            (ROOT / source).touch()
            self.add(f"`{source}` touched, `{target}` rebuilt", self.build(target), EDIT_SECONDS, 1)

    def headers(self):
        if not (self.folder / "gen/xla/xla_data.pb.h").exists():
            self.configure(tests=False)
            self.build("xla_protos")
        compiler = os.environ.get("CXX", "c++")
        with tempfile.TemporaryDirectory() as scratch:
            for header, budget in HEADERS.items():
                source = pathlib.Path(scratch) / "alone.cc"
                source.write_text(f'#include "{header}"\n')
                best = min(self.compile_alone(compiler, source) for _ in range(3))
                self.add(f"`{header}` alone", best, budget, 2)

    def compile_alone(self, compiler, source):
        before = os.times().children_user
        run(compiler, "-std=c++20", "-O2", "-I", str(ROOT), "-I", str(self.folder / "gen"), "-c",
            str(source), "-o", str(source.with_suffix(".o")))
        return os.times().children_user - before

    def report(self):
        print("| what | seconds | budget |\n|---|---|---|")
        exceeded = []
        for name, seconds, budget, digits in self.rows:
            print(f"| {name} | {seconds:.{digits}f} | {'' if budget is None else budget} |")
            if budget is not None and seconds > budget:
                exceeded.append(f"{name}: {seconds:.{max(digits, 1)}f} s, budget {budget} s")
        for line in exceeded:
            print(f"over budget: {line}", file=sys.stderr)
        return 1 if exceeded else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build-bench")
    parser.add_argument("--only", default="clean,edit,headers")
    arguments = parser.parse_args()
    bench = Bench(arguments.folder.resolve(), arguments.jobs)
    parts = {"clean": bench.clean, "edit": bench.edit, "headers": bench.headers}
    for part in arguments.only.split(","):
        if part not in parts:
            sys.exit(f"unknown part {part!r}; known are: {', '.join(parts)}")
        parts[part]()
    sys.exit(bench.report())


if __name__ == "__main__":
    main()
