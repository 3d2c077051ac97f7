#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what two versions of the compiler make of programs, for changes that should change nothing.

  compare_code.py BASE                    this tree and the commit BASE, both built here
  compare_code.py --write FILE            fingerprints of this tree, or with --build of another's
  compare_code.py --compare FILE          the same, compared with what was written
  compare_code.py --binaries OLD NEW      two programs `fingerprints` that are built

About 18,000 programs are compiled: those of the tests and benchmarks and their variants, operations
of many sizes, random chains (tests/fingerprints/programs.h). Listed is each whose passes, compiled
HLO, plans (with steps and memory) or LLVM IR differ; --diff N also prints the differences of the
first N as a unified diff, if both programs are at hand. LLVM IR is compared for machines with
AVX-512, AVX2 and SSE4.2, whatever machine this is.

--outcomes also compares all that tests/variants computes: what readers, verifiers, printers and the
interpreter make of programs with one change (with BASE only).

The exit code is 0 if nothing differs, 1 if something does, 2 if the comparison failed.
"""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ["passes", "HLO", "plan", "code"]
# Arguments of one command stay well below the limit of the system.
MOST_NAMES = 200


def build(tree, folder, outcomes):
    """Configures and builds what is needed; the binary. Both versions read the programs of this tree."""
    targets = ["fingerprints"] + (["test_variants"] if outcomes else [])
    for command in (["cmake", "--preset", "release", "-B", str(folder), f"-DXYLEM_TEST_TREE={ROOT}"],
                    ["cmake", "--build", str(folder), "--parallel", str(os.cpu_count()),
                     "--target", *targets]):
        done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if done.returncode != 0:
            sys.stderr.write(done.stdout[-4000:])
            raise SystemExit(2)
    return folder / "fingerprints"


def fingerprints(binary, jobs):
    """{name: [fingerprints]} of all programs, or of a file."""
    parts = [subprocess.Popen([str(binary), "--part", f"{i}/{jobs}"], stdout=subprocess.PIPE,
                              text=True) for i in range(jobs)]
    lines = []
    for part in parts:
        lines += part.communicate()[0].splitlines()
        if part.returncode != 0:
            sys.exit(f"compare_code: {binary} failed with exit code {part.returncode}")
    return parse(lines)


def parse(lines):
    programs = {}
    for line in lines:
        name, *values = line.split("\t")
        programs[name] = values
    return programs


def show(binary, names):
    """{name: text} of what the fingerprints stand for."""
    texts = {}
    for first in range(0, len(names), MOST_NAMES):
        text = subprocess.run([str(binary), "--show", *names[first:first + MOST_NAMES]], check=True,
                              capture_output=True, text=True).stdout
        name = None
        for line in text.splitlines():
            if line.startswith("==== "):
                name = line[5:]
                texts[name] = []
            elif name is not None:
                texts[name].append(line)
    return texts


def what_differs(old, new):
    if old is None:
        return "is new"
    if new is None:
        return "is gone"
    if len(old) != len(KINDS) or len(new) != len(KINDS):
        return f"{' '.join(old[1:])} -> {' '.join(new[1:])}"
    return ", ".join(kind for kind, a, b in zip(KINDS, old, new) if a != b)


def compare(old, new):
    """Prints what differs; the names."""
    names = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
    for name in names:
        print(f"{name}: {what_differs(old.get(name), new.get(name))}")
    print(f"{len(names)} of {len(set(old) | set(new))} programs differ")
    return names


def print_diff(old_binary, new_binary, names):
    old, new = show(old_binary, names), show(new_binary, names)
    for name in names:
        sys.stdout.writelines(line + "\n" for line in difflib.unified_diff(
            old.get(name, []), new.get(name, []), f"old {name}", f"new {name}", lineterm=""))


def outcomes_of(build_folder, folder):
    """All outcomes of the tests of tests/variants, in a folder. Failures of the tests do not count."""
    folder.mkdir()
    subprocess.run([str(build_folder / "test_variants"), "--gtest_brief=1"], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=dict(os.environ, XYLEM_OUTCOMES=str(folder)))
    return {path.name: path.read_text(errors="replace").splitlines() for path in folder.iterdir()}


def compare_outcomes(old, new, diff):
    count = 0
    for name in sorted(set(old) | set(new)):
        if old.get(name) == new.get(name):
            continue
        count += 1
        lines = list(difflib.unified_diff(old.get(name, []), new.get(name, []), f"old {name}",
                                          f"new {name}", n=0, lineterm=""))
        changes = sum(1 for line in lines if line.startswith("+")) - 1
        print(f"outcomes {name}: {changes} lines differ")
        if count <= diff:
            print("\n".join(lines))
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?", help="a commit")
    parser.add_argument("--write", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--compare", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--binaries", nargs=2, metavar=("OLD", "NEW"), type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build",
                        help="the build folder of this tree")
    parser.add_argument("--diff", type=int, default=0, metavar="N",
                        help="print the differences of N programs")
    parser.add_argument("--outcomes", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if sum(map(bool, (arguments.base, arguments.write, arguments.compare, arguments.binaries))) != 1:
        parser.error("give a commit, --write, --compare or --binaries")
    if arguments.outcomes and not arguments.base:
        parser.error("--outcomes needs a commit")

    if arguments.binaries:
        old_binary, new_binary = arguments.binaries
        old, new = (fingerprints(binary, arguments.jobs) for binary in arguments.binaries)
    else:
        new_binary = build(ROOT, arguments.build, arguments.outcomes)
        new = fingerprints(new_binary, arguments.jobs)
        if arguments.write:
            arguments.write.write_text("".join(
                "\t".join([name, *values]) + "\n" for name, values in sorted(new.items())))
            print(f"{len(new)} programs")
            return 0
        old_binary = None
    other = None
    if arguments.compare:
        old = parse(arguments.compare.read_text().splitlines())
    elif arguments.base:
        # The folder stays, so that the next comparison rebuilds little.
        tree = ROOT / "build-base" / "src"
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        if tree.exists():
            subprocess.run(["git", "checkout", "-q", "--detach", arguments.base], cwd=tree, check=True)
        else:
            subprocess.run(["git", "worktree", "add", "-q", "--detach", str(tree), arguments.base],
                           cwd=ROOT, check=True)
        other = tree / "build"
        old_binary = build(tree, other, arguments.outcomes)
        old = fingerprints(old_binary, arguments.jobs)
    names = compare(old, new)
    if arguments.diff and names and old_binary:
        print_diff(old_binary, new_binary, names[:arguments.diff])
    differ = bool(names)
    if arguments.outcomes:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            differ |= compare_outcomes(outcomes_of(other, folder / "old"),
                                       outcomes_of(arguments.build, folder / "new"),
                                       arguments.diff) > 0
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
