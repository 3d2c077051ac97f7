#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what Xylem and XLA read of StableHLO and MHLO modules that others wrote.

usage: check_public_modules.py XYLEM FOLDER [--run N] [--jobs 2] [--work DIR] [--names] [--only GLOB]

FOLDER holds a folder of modules (*.mlir, one module a file) for each producer. A Python with jaxlib is
needed: its mlir_module_to_xla_computation, which reads StableHLO, CHLO, MHLO and Shardy as XLA's plugin
does, is the judge, in a process of its own since a failed check ends it. Prints for each producer how
many modules XLA parses and how many of these Xylem verifies, how many XLA translates to HLO and how
many of these Xylem translates; the refusals by reason; how the translations compare
(compare_translations.py). With --run, also runs up to N of the translated modules whose arguments are
static arrays on equal random inputs, by XLA's CPU client and by Xylem, and compares the results.
Exits with 1 if a module that XLA parses or translates is refused for a reason that is not listed in
public_module_refusals.txt.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

JUDGE = r"""
import sys
from jaxlib import _jax
for line in sys.stdin:
    source, target = line.rstrip("\n").split("\t")
    print("start", flush=True)
    try:
        text = open(source).read()
        computation = _jax.mlir.mlir_module_to_xla_computation(text, False, False)
        with open(target, "wb") as out:
            out.write(computation.as_serialized_hlo_module_proto())
        print("hlo", flush=True)
    except Exception as error:
        message = str(error)
        kind = "refused" if "Failed to parse using StableHLO" in message else "parsed"
        print(kind, message.splitlines()[0][:200], flush=True)
"""

# Compiles a module, runs it on random inputs and writes arguments and results.
RUN = r"""
import sys
import numpy as np
import jax
from jaxlib import _jax
import ml_dtypes
source, folder, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
jax.config.update("jax_platforms", "cpu")
client = jax.devices()[0].client
computation = _jax.mlir.mlir_module_to_xla_computation(open(source).read(), False, False)
shapes = computation.program_shape().parameter_shapes()
random = np.random.default_rng(seed)
arguments = []
for i, shape in enumerate(shapes):
    if not shape.is_array():
        sys.exit("an argument is no array")
    dtype, sizes = shape.numpy_dtype(), shape.dimensions()
    if dtype == np.bool_:
        values = random.integers(0, 2, sizes)
    elif np.issubdtype(dtype, np.integer):
        values = random.integers(0, 4, sizes)
    elif np.issubdtype(dtype, np.complexfloating):
        values = random.uniform(-1, 1, sizes) + 1j * random.uniform(-1, 1, sizes)
    else:
        values = random.uniform(-1, 1, sizes)
    arguments.append(np.asarray(values).astype(dtype))
np.savez(folder + "/arguments.npz", **{f"a{i:04}": a for i, a in enumerate(arguments)})
executable = client.compile_and_load(open(source).read().encode(), jax.devices()[:1],
                                     _jax.CompileOptions())
jax.config.update("jax_enable_x64", True)
buffers = [jax.device_put(a, jax.devices()[0]) for a in arguments]
results = executable.execute_sharded(buffers).disassemble_into_single_device_arrays()
def plain(array):  # NumPy's own types; the name of a narrow one is kept
    name = array.dtype.name
    if array.dtype.kind == "V":
        array = array.astype(np.int8 if "int" in name else np.float32)
    return name, array
named = [plain(np.asarray(r[0])) for r in results]
np.savez(folder + "/expected.npz", **{f"r{i:04}_{name}": a for i, (name, a) in enumerate(named)})
"""


# What sums of several roundings may differ by, relative to the largest value.
ROUNDING = [("bfloat16", 2e-2), ("float8", 1e-1), ("float16", 3e-3), ("float64", 1e-10)]


def judge(pairs):
    """(kind, message) of each source: refused, parsed, hlo or crashed."""
    verdicts, rest = {}, list(pairs)
    while rest:
        child = subprocess.run([sys.executable, "-c", JUDGE], text=True, capture_output=True, check=False,
                               input="".join(f"{a}\t{b}\n" for a, b in rest))
        done = 0
        started = False
        for line in child.stdout.splitlines():
            word, _, message = line.partition(" ")
            if word == "start":
                started = True
            else:
                verdicts[rest[done][0]] = (word, message)
                done += 1
                started = False
        if done < len(rest):
            verdicts[rest[done][0]] = ("crashed" if started else "lost", child.stderr[-200:])
            done += 1
        rest = rest[done:]
    return verdicts


def xylem(binary, *words):
    try:
        return subprocess.run([binary, *words], text=True, capture_output=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, 124, "", "timeout after 120 s")


def reason_of(stderr):
    """The first line of an error without its place, names and numbers."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    text = lines[0] if lines else "no message"
    text = re.sub(r"^xylem: \S*?\.mlir(:\d+:\d+)?:?\s*", "", text)
    return re.sub(r"%[\w#]+|\b\d+\b", "N", text)[:140]


def read_reasons():
    path = Path(__file__).with_name("public_module_refusals.txt")
    if not path.exists():
        return []
    return [line.split(": ", 1) for line in path.read_text().splitlines()
            if line and not line.startswith("#")]


def run_both(arguments, path, work):
    """What became of one module: agree, or a reason."""
    import numpy as np
    folder = work / ("run_" + hashlib.sha1(str(path).encode()).hexdigest()[:16])
    folder.mkdir(exist_ok=True)
    seed = int(hashlib.sha1(path.name.encode()).hexdigest()[:6], 16)
    if not (folder / "verdict").exists():
        try:
            child = subprocess.run([sys.executable, "-c", RUN, str(path), str(folder), str(seed)],
                                   text=True, capture_output=True, check=False, timeout=120)
            verdict = "ok" if child.returncode == 0 else "XLA: " + (
                child.stderr.strip().splitlines() or ["crash"])[-1][:160]
        except subprocess.TimeoutExpired:
            verdict = "XLA: timeout"
        (folder / "verdict").write_text(verdict)
    verdict = (folder / "verdict").read_text()
    has_arguments = (folder / "arguments.npz").exists()
    if not has_arguments:
        return verdict
    ours = xylem(arguments.xylem, "run", str(path), "--input", str(folder / "arguments.npz"),
                 "--output", str(folder / "results.npz"))
    if verdict != "ok":
        return verdict if ours.returncode != 0 else "only Xylem runs it; " + verdict
    if ours.returncode != 0:
        return "Xylem: " + reason_of(ours.stderr)
    expected, actual = np.load(folder / "expected.npz"), np.load(folder / "results.npz")
    if len(expected.files) != len(actual.files):
        return "another number of results"
    for e, a in zip(sorted(expected.files), sorted(actual.files)):
        x, y = np.asarray(expected[e]), np.asarray(actual[a])
        if x.shape != y.shape:
            return f"differ in shape: {x.shape} {y.shape}"
        if x.dtype.kind in "fc":
            scale = np.max(np.abs(x[np.isfinite(x)]), initial=1.0)
            rounding = next((r for name, r in ROUNDING if name in e), 1e-5)
            if not np.allclose(x, y, rtol=10 * rounding, atol=rounding * scale, equal_nan=True):
                return "differ"
        elif not np.array_equal(x, y):
            return "differ"
    return "agree"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("xylem")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "public_modules")
    parser.add_argument("--names", action="store_true", help="print all names of a reason")
    parser.add_argument("--only", default="*", help="producers, as a pattern")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    producers = sorted(p for p in arguments.folder.iterdir()
                       if p.is_dir() and fnmatch.fnmatch(p.name, arguments.only))
    files = {p: sorted(p.glob("*.mlir")) for p in producers}
    everything = [f for p in producers for f in files[p]]
    targets = {f: arguments.work / (hashlib.sha1(str(f).encode()).hexdigest()[:16] + ".pb")
               for f in everything}

    cache = arguments.work / "verdicts.json"
    verdicts = json.loads(cache.read_text()) if cache.exists() else {}
    new = [f for f in everything if str(f) not in verdicts]
    chunks = [new[i:i + 100] for i in range(0, len(new), 100)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for part in pool.map(lambda c: judge([(str(f), str(targets[f])) for f in c]), chunks):
            verdicts.update(part)
            cache.write_text(json.dumps(verdicts))

    def ours(path):
        kind = verdicts[str(path)][0]
        verified = xylem(arguments.xylem, "verify", str(path)) if kind in ("parsed", "hlo") else None
        hlo = None
        if kind == "hlo":
            hlo = xylem(arguments.xylem, "print", "--options=short", "--large-constants",
                        "--no-metadata", str(path))
        return verified, hlo

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        outcome = dict(zip(everything, pool.map(ours, everything)))

    print(f"{'':16} {'modules':>8} {'XLA parses':>11} {'Xylem verifies':>15} {'XLA to HLO':>11} "
          f"{'Xylem to HLO':>13}")
    totals = collections.Counter()
    for p in producers + [None]:
        count = collections.Counter()
        for f in files[p] if p else []:
            kind = verdicts[str(f)][0]
            verified, hlo = outcome[f]
            count["modules"] += 1
            count["crashed"] += kind == "crashed"
            count["parsed"] += verified is not None
            count["verified"] += verified is not None and verified.returncode == 0
            count["hlo"] += kind == "hlo"
            count["ours"] += hlo is not None and hlo.returncode == 0
        totals += count
        shown = count if p else totals
        print(f"{p.name if p else 'all':16} {shown['modules']:8} {shown['parsed']:11} "
              f"{shown['verified']:15} {shown['hlo']:11} {shown['ours']:13}")
    if totals["crashed"]:
        print(f"XLA crashes on {totals['crashed']}")

    reasons, unlisted = read_reasons(), 0
    for title, index in (("not verified", 0), ("not translated", 1)):
        groups = collections.defaultdict(list)
        for f in everything:
            result = outcome[f][index]
            if result is None or result.returncode == 0:
                continue
            if result.returncode not in (0, 1):
                groups[f"EXIT {result.returncode} " + reason_of(result.stderr)].append(f)
                continue
            groups[reason_of(result.stderr)].append(f)
        if groups:
            print(f"\n{title}:")
        for reason, paths in sorted(groups.items(), key=lambda item: -len(item[1])):
            why = next((w for pattern, w in reasons if fnmatch.fnmatch(reason, pattern)), None)
            if why is None:
                unlisted += len(paths)
            names = paths if arguments.names else paths[:3]
            print(f"{len(paths):5} {reason}" + (f" [{why}]" if why else ""))
            for f in names:
                print(f"        {f.parent.name}/{f.name}")

    compare_texts(arguments, everything, outcome, targets)
    if arguments.run:
        runnable = [f for f in everything if verdicts[str(f)][0] == "hlo"][:arguments.run]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = list(pool.map(lambda f: run_both(arguments, f, arguments.work), runnable))
        counts = collections.Counter(results)
        groups = collections.defaultdict(list)
        for f, result in zip(runnable, results):
            groups[result].append(f)
        print(f"\nrun: {counts['agree']} of {len(runnable)} agree")
        for result, number in counts.most_common():
            if result == "agree":
                continue
            print(f"{number:5} {result}")
            for f in groups[result] if arguments.names else groups[result][:3]:
                print(f"        {f.parent.name}/{f.name}")
    return 1 if unlisted else 0


def compare_texts(arguments, everything, outcome, targets):
    import compare_translations
    kinds = collections.Counter()
    groups = collections.defaultdict(list)
    for f in everything:
        hlo = outcome[f][1]
        if hlo is None or hlo.returncode != 0:
            continue
        theirs = xylem(arguments.xylem, "print", "--no-verify", "--options=short", "--large-constants",
                       "--no-metadata", str(targets[f]))
        if theirs.returncode != 0:
            groups["XLA's HLO is refused: " + reason_of(theirs.stderr)].append(f)
            continue
        a, b = compare_translations.Program(hlo.stdout), compare_translations.Program(theirs.stdout)
        if a.lines == b.lines and a.header == b.header:
            kinds["equal"] += 1
        elif a.simplified == b.simplified:
            kinds["alike"] += 1
        else:
            groups[compare_translations.classify(a, b)].append(f)
    print(f"\ntranslations: {kinds['equal']} equal, {kinds['alike']} alike (compare_translations.py), "
          f"{sum(map(len, groups.values()))} others")
    for reason, paths in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"{len(paths):5} {reason}")
        for f in paths if arguments.names else paths[:3]:
            print(f"        {f.parent.name}/{f.name}")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
