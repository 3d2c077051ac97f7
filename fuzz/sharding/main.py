#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Propagates the shardings of random programs with Xylem and with Shardy (a Python with jaxlib), and
compares those of all values.

    PYTHON fuzz/sharding/main.py --count 1000 [--seed 1] [--families elementwise,contraction]
    PYTHON fuzz/sharding/main.py --only 17       # one program again, with all that differs
    PYTHON fuzz/sharding/main.py --values        # needs no jaxlib; --values=doubles, --tiles, --wraps

--values: the programs are on integers and at most 8 devices; each is partitioned, and must compute
what it does undivided, bit by bit. Of doubles, divided sums may differ by rounding. --tiles: the
shardings are HLO's instead of Shardy's. --wraps: most operations are in fusions and asynchronous.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs


# Shardy's propagation pipeline without the reshards at its end, which change shardings of results.
PIPELINE = ",".join([
    "sdy-import-pipeline", "sdy-flatten-call-graph", "symbol-dce", "sdy-import-func-calls", "symbol-dce",
    "sdy-apply-sharding-constraints", "sdy-sharding-group-import", "sdy-pre-order-funcs",
    "sdy-user-priority-propagate", "sdy-export-named-computations", "sdy-propagate-to-func-results",
    "sdy-unflatten-call-graph", "symbol-dce", "func.func(sdy-constant-or-scalar-merger)",
    "func.func(sdy-sink-data-flow-edges)", "sdy-remove-sharding-groups",
    "func.func(sdy-sharding-constraint-to-reshard)", "sdy-update-non-divisible-input-output-shardings",
    "sdy-remove-sub-axes-in-input-output-shardings", "sdy-close-shardings"])


def normal(text):
    """A sharding without mesh and without what says nothing; "" if it names no axis."""
    text = re.sub(r"^#sdy\.sharding<|^<|@\w+, |>$", "", text.strip())
    text = text.replace(", ?", "").replace("?", "")
    text = re.sub(r"p\d+", "", text)
    return text if '"' in text else ""


def split(text):
    """The shardings of #sdy.sharding_per_value<[<..>, <..>]>."""
    return re.findall(r"<@?[^<>]*?>", text[text.index("["):])


def same_constants(text):
    """{name: the first name of an equal constant}: translation makes one of several."""
    first, names = {}, {}
    for name, constant in re.findall(r"%(v\d+) = (stablehlo\.(?:constant|iota) .*?) loc", text):
        names[name] = first.setdefault(constant, name)
    return names


def renamed(shardings, names):
    result = collections.defaultdict(set)
    for key, value in shardings.items():
        name, dot, index = key.partition(".")
        result[names.get(name, name) + dot + index] |= set(value.split(" | "))
    return joined(result)


def joined(shardings):
    """One text for each name: copies of constants may have several shardings."""
    return {key: " | ".join(sorted(values - {""})) for key, values in shardings.items()
            if values - {""}}


def by_shardy(text, pipeline):
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir, passmanager
    with mlir.make_ir_context() as context, ir.Location.unknown():
        module = ir.Module.parse(text)
        errors = []
        handler = context.attach_diagnostic_handler(lambda d: errors.append(str(d.message)) or True)
        try:
            passmanager.PassManager.parse(f"builtin.module({pipeline})").run(module.operation)
        finally:
            handler.detach()
        result = collections.defaultdict(set)
        names = set()

        def visit(operation):
            name = re.match(r'loc\("(v\d+)"', str(operation.location))
            if name:
                names.add(name.group(1))
            if name and "sdy.sharding" in operation.attributes:
                parts = split(str(operation.attributes["sdy.sharding"]))
                for i, part in enumerate(parts):
                    result[f"{name.group(1)}.{i}"].add(normal(part))
            elif name and operation.name in ("sdy.sharding_constraint", "sdy.reshard"):
                if operation.name == "sdy.reshard" and f"{name.group(1)}.0" in result:
                    # Not a constraint: made by the export, after another operation of the name.
                    return
                result[f"{name.group(1)}.0"].add(normal(str(operation.attributes["sharding"])))
            elif name and operation.name == "sdy.manual_computation":
                for i, part in enumerate(split(str(operation.attributes["out_shardings"]))):
                    result[f"{name.group(1)}.{i}"].add(normal(part))
            for region in operation.regions:
                for block in region:
                    for inner in block:
                        visit(inner.operation)

        for function in module.body:
            function = function.operation
            if function.name != "func.func":
                continue
            if str(function.attributes["sym_name"]) == '"main"':
                for kind in ("arg", "res"):
                    key = f"{kind}_attrs"
                    if key not in function.attributes:
                        continue
                    for i, entry in enumerate(ir.ArrayAttr(function.attributes[key])):
                        entry = ir.DictAttr(entry)
                        if "sdy.sharding" in entry:
                            result[f"{kind}{i}"].add(normal(str(entry["sdy.sharding"])))
            visit(function)
        return joined(result), sorted(names)


def apart(function, *arguments):
    """The function's result, from a process of its own: Shardy ends the process on some programs."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        try:
            answer = json.dumps({"result": function(*arguments)})
        except Exception as error:  # jaxlib raises several kinds
            answer = json.dumps({"error": str(error)})
        with os.fdopen(write, "w") as out:
            out.write(answer)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as data:
        answer = data.read()
    os.waitpid(child, 0)
    answer = json.loads(answer) if answer else {"error": "the process ended"}
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]


def by_xylem(driver, text):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([driver, "propagate", file.name], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"exit code {done.returncode}")
    result = collections.defaultdict(set)
    for line in done.stdout.splitlines():
        key, _, value = line.partition(": ")
        result[key].add(normal(value))
    return joined(result), {key.partition(".")[0] for key in result}


def differences(text, ours, theirs, present, alive):
    """[(name, our sharding, Shardy's)] where they differ."""
    names = same_constants(text)
    ours, theirs = renamed(ours, names), renamed(theirs, names)
    present = {names.get(name, name) for name in present}
    # Operations that translation drops (slices of everything), or Shardy (those that nothing reads),
    # have no sharding to compare.
    both = present & {names.get(name, name) for name in alive}
    ours, theirs = ({key: value for key, value in shardings.items()
                     if not key.startswith("v") or key.partition(".")[0] in both}
                    for shardings in (ours, theirs))
    keys = sorted(set(ours) | set(theirs), key=lambda k: (len(k), k))
    return [(key, ours.get(key, "none"), theirs.get(key, "none")) for key in keys
            if ours.get(key, "") != theirs.get(key, "")]


# Linear algebra of Shardy's programs is not of integers.
FAMILIES_WITH_VALUES = [family for family in [*programs.FAMILIES, *programs.VALUE_FAMILIES]
                        if family != "linear_algebra"]

# Custom calls without a target run nowhere; batch norms are not of integers; the bits of doubles are
# not those of four bytes.
WITHOUT = {"integers": ["custom_call", *programs.VALUE_FAMILIES["norms"]],
           "doubles": ["custom_call", "bits", "reduce_bits", "random_bits"]}


def values(arguments, numbers):
    """Counts of what the driver says of programs with values."""
    counts = collections.Counter()
    operations = collections.Counter()
    families = [f for f in FAMILIES_WITH_VALUES if not arguments.families or f in arguments.families.split(",")]
    command = [arguments.driver, "values"] + ["--tiles"] * arguments.tiles + ["--wraps"] * arguments.wraps
    for number in numbers:
        both = programs.make_both(arguments.seed, number, families, most_devices=8,
                                  without=WITHOUT[arguments.values])
        text, whole = map(programs.of_integers if arguments.values == "integers" else programs.of_doubles, both)
        with tempfile.TemporaryDirectory() as folder:
            for name, written in (("program.mlir", text), ("undivided.mlir", whole)):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(written)
            done = subprocess.run(command + [f"--undivided={folder}/undivided.mlir", f"{folder}/program.mlir"],
                                  capture_output=True, text=True)
        said = done.stdout.strip() if done.returncode == 0 else f"fails: {done.returncode} {done.stderr.strip()}"
        outcome = said.partition(":")[0]
        counts[said[:100] if outcome == "undecided" else outcome] += 1
        if outcome in ("equal", "close"):
            operations.update(set(re.findall(r"\b(?:stablehlo|chlo|sdy|func)\.\w+", text)))
        if arguments.only is not None:
            print(text)
        if outcome != "equal" and (arguments.only is not None or outcome not in ("undecided", "close")):
            print(f"{number}: {said[:400]}", flush=True)
    if arguments.only is None:
        print(", ".join(f"{name.partition('.')[2]} {count}" for name, count in sorted(operations.items())))
    for outcome, count in sorted(counts.items()):
        print(f"{count} {outcome}")
    sys.exit(bool(counts["differs"] or counts["fails"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", default="build/sharding_driver")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--families", help="names, separated by commas; else all")
    parser.add_argument("--pipeline", default=PIPELINE)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--values", nargs="?", const="integers", choices=sorted(WITHOUT))
    parser.add_argument("--tiles", action="store_true")
    parser.add_argument("--wraps", action="store_true")
    arguments = parser.parse_args()
    families = arguments.families.split(",") if arguments.families else list(programs.FAMILIES)
    counts = collections.Counter()
    numbers = [arguments.only] if arguments.only is not None else range(
        arguments.first, arguments.first + arguments.count)
    if arguments.values:
        values(arguments, numbers)
    for number in numbers:
        text = programs.make(arguments.seed, number, families)
        try:
            theirs, alive = apart(by_shardy, text, arguments.pipeline)
        except RuntimeError as error:
            counts["programs that Shardy refuses"] += 1
            if arguments.only is not None or counts["programs that Shardy refuses"] <= arguments.show:
                print(f"{number}: Shardy: {str(error)[:600]}")
                if arguments.only is not None:
                    print(text)
            continue
        counts["programs"] += 1
        try:
            ours, present = by_xylem(arguments.driver, text)
        except RuntimeError as error:
            counts["programs that Xylem refuses"] += 1
            print(f"{number}: Xylem: {str(error)[:600]}")
            if arguments.only is not None:
                print(text)
            continue
        differing = differences(text, ours, theirs, present, alive)
        keys = set(ours) | set(theirs)
        counts["shardings"] += len(keys)
        counts["shardings that differ"] += len(differing)
        counts["programs that differ"] += bool(differing)
        if differing and (arguments.only is not None or counts["programs that differ"] <= arguments.show):
            print(f"{number}: differs")
            if arguments.only is not None:
                print(text)
            for key, our, their in differing if arguments.only is not None else differing[:4]:
                print(f"  {key}: Xylem {our}, Shardy {their}")
    for name, count in counts.items():
        print(f"{count} {name}")
    sys.exit(bool(counts["shardings that differ"]))


if __name__ == "__main__":
    main()
