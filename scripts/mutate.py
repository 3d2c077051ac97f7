#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: which small mistakes in the code does no test notice?

    scripts/mutate.py [FOLDER...] --count 400 --seed 1

draws mistakes in the sources of the folders (default: xla and tools), builds a copy of the tree
that holds all of them behind a switch, and runs for each the tests that reach it until one fails.
What no test notices is printed. The same seed draws the same mistakes from the same sources.

How it works: sites.py finds sites in text; an active mutant is chosen when a process starts
(XYLEM_MUTANT=17), so that one build serves all. A first run of all tests notes which mutants each
test reaches (XYLEM_MUTANT_TRACE=FILE), so that only these run for a mutant. A mutant that does not
compile is left out and another one drawn in its place.

With --in-place BUILD no copy is built: the mistakes are written into this tree, whose folder BUILD is
up to date, so that only what holds one of them is compiled again. The tree should be one to throw away,
such as a clone; `git checkout xla tools` restores it. --tests and --targets leave the tests of other rooms alone.

scripts/mutation/equivalent.txt lists mutants that no test can notice, with the reason.
"""
import argparse
import collections
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "mutation"))
import run_tests
import sites

ROOT = pathlib.Path(__file__).resolve().parent.parent
SWITCH = ROOT / "scripts" / "mutation" / "switch"
# Quick to compile. The tests' objects are those of the tree itself, where a compiler cache has them.
CMAKE_ARGUMENTS = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -g0",
                   "-DXYLEM_UNITY=ROOMS", f"-DXYLEM_TEST_TREE={ROOT}"]


def tracked(folders):
    listed = subprocess.run(["git", "ls-files", "-z", "--", *folders], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode().split("\0")
    return [path for path in listed if path]


def room_of(path):
    """The folder that names the part of the program: xla/hlo/text for xla/hlo/text/lexer.cc."""
    return str(pathlib.PurePosixPath(path).parent).replace("xla/hlo/builder/lib", "xla/hlo/builder")


def draw(all_sites, seed, count):
    """Sites in random order: rooms by their lines, operators by weight.

    The order follows from the seed and each site's own text, so that an edit elsewhere changes few of
    the mutants."""
    weights = collections.Counter()
    for site in all_sites:
        weights[room_of(site.path)] += sites.WEIGHTS[site.operator]
    lines = {room: sum((ROOT / path).read_bytes().count(b"\n") for path in tracked([room])
                       if path.endswith((".cc", ".h")) and room_of(path) == room)
             for room in weights}
    seen, keyed = collections.Counter(), []
    for site in all_sites:
        identity = (seed, site.path, site.operator, site.description, site.source)
        seen[identity] += 1
        digest = hashlib.sha256(repr((identity, seen[identity])).encode()).digest()
        uniform = (int.from_bytes(digest[:7], "big") + 1) / 2.0**56
        room = room_of(site.path)
        weight = sites.WEIGHTS[site.operator] * lines[room] / weights[room]
        keyed.append((-math.log(uniform) / weight, len(keyed), site))
    drawn, taken = [], set()
    for _, _, site in sorted(keyed):
        lines_of = {(site.path, line) for line in range(site.first_line, site.last_line + 1)}
        if taken & lines_of:  # one mutant a line, so that they can be compiled together
            continue
        taken |= lines_of
        drawn.append(site)
        if len(drawn) == count:
            break
    return drawn


def copy_tree(target, folders, source_root=ROOT):
    """Copies the tracked files; those that did not change keep their time, so that little is rebuilt."""
    wanted = set(tracked(folders))
    for path in wanted:
        source, copy = source_root / path, target / path
        if not source.is_file():
            continue
        if copy.is_file() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        shutil.copymode(source, copy)
    for folder in ["xla", "tools", "tests"] if folders == ["."] else folders:
        for copy in (target / folder).rglob("*"):
            if (copy.is_file() and not copy.name.startswith("mutant_switch.") and
                    str(copy.relative_to(target)) not in wanted):
                copy.unlink()


def write_if_changed(path, text):
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_mutants(original, target, mutants):
    """Writes the sources with the mutants behind the switch. `original` holds them as they were when
    the mutants were drawn, whatever happens to the tree meanwhile."""
    by_file = collections.defaultdict(list)
    for number, site in mutants.items():
        by_file[site.path].append((number, site))
    sources = [file for folder in ("xla", "tools") for file in sorted((original / folder).rglob("*"))]
    for file in sources:
        path = str(file.relative_to(original))
        if not path.endswith((".cc", ".h")):
            continue
        text = file.read_text()
        if path in by_file:
            for number, site in sorted(by_file[path], key=lambda item: -item[1].begin):
                text = text[:site.begin] + site.replacement(number) + text[site.end:]
            # In the place of the first line, a comment: lines keep their numbers.
            text = '#include "xla/base/mutant_switch.h"' + text[text.index("\n"):]
        write_if_changed(target / path, text)
    for name in ("mutant_switch.h", "mutant_switch.cc"):
        write_if_changed(target / "xla" / "base" / name, (SWITCH / name).read_text())


def test_targets(tree):
    """What the tests run."""
    rooms = {path.parent.name for path in (tree / "tests").glob("*/*_test.cc")} - {"structure"}
    return [*(f"test_{room}" for room in sorted(rooms)), "xylem", "op_coverage", "local_client"]


def build(original, target, folder, jobs, mutants, cmake_arguments, targets):
    """Builds what compiles, and drops mutants that do not."""
    if cmake_arguments is not None:
        subprocess.run(["cmake", "-S", str(target), "-B", str(folder), "-G", "Ninja",
                        *cmake_arguments], check=True, stdout=subprocess.DEVNULL)
    log = folder / "mutants.log"
    for attempt in range(12):
        write_mutants(original, target, mutants)
        with open(log, "w") as out:
            code = subprocess.run(["ninja", "-C", str(folder), f"-j{jobs}", "-k0", *targets],
                                  stdout=out, stderr=subprocess.STDOUT).returncode
        if code == 0:
            return
        text = log.read_text(errors="replace")
        bad = set()
        for path, line in re.findall(r"(?:^|[ /])((?:xla|tools)/[\w./]+):(\d+):\d+: error", text, re.M):
            # The line itself; else one nearby, such as that of a declaration before its use.
            for reach in (0, 3):
                near = {number for number, site in mutants.items() if site.path == path and
                        site.first_line - reach <= int(line) <= site.last_line + reach}
                bad |= near
                if near:
                    break
        # Objects that failed without a line of a mutant; joined sources include several files.
        for path in re.findall(r"^FAILED: .*? ?([\w./]+\.cc?x?x?)\.o", text, re.M):
            paths = [re.sub(r"^CMakeFiles/[^/]+\.dir/", "", path)]
            if "/Unity/" in path or "unity_" in path:
                joined = folder / re.sub(r"\.dir/(.*/)?(unity_)", r".dir/Unity/\2", path)
                if joined.is_file():
                    paths = [str(pathlib.Path(included).relative_to(target)) for included in
                             re.findall(r'#include "([^"]+)"', joined.read_text())]
            own = {number for number, site in mutants.items() if site.path in paths}
            if not own & bad:
                bad |= own
        if not bad:
            sys.exit(f"mutate: the build fails without a mutant; see {log}")
        print(f"  {len(bad)} mutants do not compile and are left out", flush=True)
        for number in bad:
            del mutants[number]
    sys.exit(f"mutate: the build keeps failing; see {log}")


def equivalents():
    """(path, operator, source text without spaces) of mutants that are argued to be equivalent."""
    known = {}
    path = ROOT / "scripts" / "mutation" / "equivalent.txt"
    for line in path.read_text().splitlines() if path.is_file() else []:
        if line.strip() and not line.startswith("#"):
            fields = [field.strip() for field in line.split(" | ")]
            known[(fields[0], fields[1], "".join(fields[2].split()))] = fields[3]
    return known


def report(mutants, outcomes, out):
    known = equivalents()
    rooms = collections.defaultdict(lambda: [0, 0])
    operators = collections.defaultdict(lambda: [0, 0])
    survivors, excused = [], []
    for number, site in mutants.items():
        if outcomes[number]["outcome"] == "inapplicable":
            continue
        killed = outcomes[number]["outcome"] == "killed"
        if not killed and (site.path, site.operator, "".join(site.source.split())) in known:
            excused.append(number)
            continue
        if not killed:
            survivors.append(number)
        for table, key in ((rooms, room_of(site.path)), (operators, site.operator)):
            table[key][0] += killed
            table[key][1] += 1
    for title, table in (("room", rooms), ("operator", operators)):
        print(f"\n{title:28} killed  of", file=out)
        for key in sorted(table):
            print(f"{key:28} {table[key][0]:6} {table[key][1]:3}", file=out)
    print("\nsurvivors:", file=out)
    for number in sorted(survivors, key=lambda n: (mutants[n].path, mutants[n].first_line)):
        site = mutants[number]
        reached = outcomes[number]["tests"]
        print(f"{site.path}:{site.first_line}: {site.operator}: {site.description}"
              f"  [{number}; {reached} tests reach it]", file=out)
        print(f"    {site.source}", file=out)
    killed, total = (sum(row[i] for row in rooms.values()) for i in (0, 1))
    score = 100.0 * killed / max(total, 1)
    print(f"\n{killed} of {total} killed: {score:.1f} % ({len(excused)} more are equivalent)",
          file=out)
    return score


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", default=["xla", "tools"])
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--skip", type=int, default=0, help="leave out the first ones of the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--headers", action="store_true", help="mutate headers, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build-mutate")
    parser.add_argument("--in-place", type=pathlib.Path, metavar="BUILD",
                        help="mutate this tree itself, and build in its folder BUILD")
    parser.add_argument("--exclude-tests", default=run_tests.EXCLUDED)
    parser.add_argument("--tests", default="", help="only tests whose names match")
    parser.add_argument("--targets", nargs="*", help="what these tests run; the default is all")
    parser.add_argument("--only", type=int, nargs="*", help="numbers of the mutants to run")
    parser.add_argument("--list", action="store_true", help="print the mutants and stop")
    parser.add_argument("--keep-build", action="store_true", help="run the mutants of the last build")
    parser.add_argument("--only-tests", action="store_true",
                        help="the mutants of the last build with the tests as they are now")
    parser.add_argument("--budget", type=float, default=float("inf"),
                        help="seconds for each mutant, after which it counts as a survivor")
    parser.add_argument("--survivors", action="store_true",
                        help="of these, those that the last run did not kill")
    parser.add_argument("--least", type=float, default=0, help="fail below this score, in percent")
    parser.add_argument("--cmake", action="append", default=CMAKE_ARGUMENTS,
                        help="an argument for cmake; may be repeated")
    arguments = parser.parse_args()

    suffixes = (".cc", ".h") if arguments.headers else (".cc",)
    original = arguments.work / "original"
    if not (arguments.keep_build or arguments.only_tests or arguments.list):
        shutil.rmtree(original, ignore_errors=True)
        copy_tree(original, ["."])
    found = []
    for path in sorted(tracked(arguments.folders)):
        if path.startswith(("xla/", "tools/")) and path.endswith(suffixes):
            root = original if (original / path).is_file() else ROOT
            found += sites.find(path, (root / path).read_text())
    # Some do not compile: draw a few more, in a fixed order.
    drawn = draw(found, arguments.seed, arguments.skip + int(arguments.count * 1.3) + 20)
    drawn = drawn[arguments.skip:]
    mutants = {arguments.skip + i + 1: site for i, site in enumerate(drawn)}
    print(f"{len(found)} sites; {len(mutants)} drawn with seed {arguments.seed}", flush=True)
    if arguments.list:
        for number, site in mutants.items():
            print(f"{number}: {site.path}:{site.first_line}: {site.operator}: {site.description}")
        return

    target = ROOT if arguments.in_place else arguments.work / "src"
    folder = ROOT / arguments.in_place if arguments.in_place else target / "build"
    targets = arguments.targets or test_targets(ROOT)
    state = arguments.work / "mutants.json"
    if arguments.keep_build or arguments.only_tests:
        mutants = {int(number): sites.Site(**fields)
                   for number, fields in json.loads(state.read_text()).items()}
        if arguments.only_tests:
            if not arguments.in_place:
                copy_tree(target, ["tests"])
            subprocess.run(["ninja", "-C", str(folder), f"-j{arguments.jobs}", *targets], check=True)
    else:
        if not arguments.in_place:
            copy_tree(target, ["."], original)
        build(original, target, folder, arguments.jobs, mutants,
              None if arguments.in_place else arguments.cmake, targets)
        mutants = dict(list(sorted(mutants.items()))[:arguments.count])
        state.write_text(json.dumps({number: dataclasses.asdict(site)
                                     for number, site in mutants.items()}))
    if arguments.only is not None:
        mutants = {number: mutants[number] for number in arguments.only if number in mutants}
    known = {}
    if arguments.survivors:
        known = {int(number): outcome for number, outcome in
                 json.loads((arguments.work / "outcomes.json").read_text()).items()
                 if int(number) in mutants and outcome["outcome"] != "survived"}
    chosen = {number: site for number, site in mutants.items() if number not in known}
    print(f"{len(mutants)} mutants compile; running tests for {len(chosen)}", flush=True)
    outcomes = known | run_tests.run(folder, chosen, arguments.jobs, arguments.tests,
                                     arguments.exclude_tests, arguments.work, arguments.budget)
    (arguments.work / "outcomes.json").write_text(json.dumps(outcomes, indent=1))
    score = report(mutants, outcomes, sys.stdout)
    with open(arguments.work / "report.txt", "w") as out:
        report(mutants, outcomes, out)
    sys.exit(0 if score >= arguments.least else 1)


if __name__ == "__main__":
    main()
