#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares partitioned programs with those of Shardy: the bytes that a device receives.

    python scripts/shardy_partition.py SHARDY [--xylem build/xylem] [--only NAME]

SHARDY is a checkout of github.com/openxla/shardy; the Python one with a jaxlib that has Shardy's
passes. Each function of its tests of explicit reshards (insert_explicit_reshards*) is a program:
Shardy inserts reshards, makes them collectives, and combines these; `xylem shard` partitions it.
What states no sharding is replicated for both. Bytes of both are counted by the same rules
(docs/spmd.md); where Shardy leaves exchanges with neighbors to later passes, nothing is compared.
Exit code 1: ours receives more.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import shardy_reshard as reshard
import shardy_tests

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fuzz/sharding"))
import main as fuzz
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir, passmanager

TESTS = "shardy/dialect/sdy/transforms/export/test"
PASSES = ("builtin.module(func.func(sdy-insert-explicit-reshards{enable-full-version=true}),"
          "func.func(sdy-reshard-to-collectives),canonicalize)")
WIDTHS = {"i1": 1, "f64": 8, "complex<f32>": 8, "complex<f64>": 16}


def width(element):
    bits = re.search(r"\d+", element)
    return WIDTHS.get(element) or (max(1, int(bits.group(0)) // 8) if bits else 4)


def replicate_unstated(module):
    """Gives all values without a sharding a replicated one, over the mesh that is used most."""
    uses = collections.Counter(re.findall(r"@([\w$.]+), \[", str(module)))
    meshes = [op.operation for op in module.body if op.operation.name == "sdy.mesh"]
    name_of = lambda mesh: str(mesh.attributes["sym_name"]).strip('"')
    name = name_of(max(meshes, key=lambda mesh: uses[name_of(mesh)]))
    for mesh in meshes:
        if not uses[name_of(mesh)] and name_of(mesh) != name:
            mesh.erase()

    def replicated(value_type):
        rank = value_type.rank if isinstance(value_type, ir.RankedTensorType) else 0
        return f"<@{name}, [{', '.join(['{}'] * rank)}]>"

    def state(operation):
        skipped = (operation.name.startswith("sdy.") or operation.name == "func.func" or
                   not operation.results or "sdy.sharding" in operation.attributes)
        if not skipped:
            shardings = ", ".join(replicated(r.type) for r in operation.results)
            operation.attributes["sdy.sharding"] = ir.Attribute.parse(
                f"#sdy.sharding_per_value<[{shardings}]>")
        for region in operation.regions:
            for block in region:
                for inner in block:
                    state(inner.operation)

    for function in module.body:
        operation = function.operation
        if operation.name != "func.func":
            continue
        kind = ir.FunctionType(ir.TypeAttr(operation.attributes["function_type"]).value)
        for attribute, types in (("arg_attrs", kind.inputs), ("res_attrs", kind.results)):
            old = list(operation.attributes[attribute]) if attribute in operation.attributes else []
            new = []
            for i, value_type in enumerate(types):
                entries = ir.DictAttr(old[i]) if i < len(old) else ir.DictAttr.get({})
                kept = {entries[j].name: entries[j].attr for j in range(len(entries))}
                kept.setdefault("sdy.sharding",
                                ir.Attribute.parse(f"#sdy.sharding{replicated(value_type)}"))
                new.append(ir.DictAttr.get(kept))
            operation.attributes[attribute] = ir.ArrayAttr.get(new)
        state(operation)


def cost(operation, before, after):
    """Bytes that a device receives in one of Shardy's collectives."""
    name, text = operation.name, str(operation)
    kind = ir.ShapedType(operation.operands[0].type)
    size = width(str(kind.element_type))
    bytes_of = lambda sharding: reshard.shard_bytes(kind.shape, sharding.dims, sharding.mesh, size)
    head = text[text.index(name) + len(name):text.index("out_sharding")]
    count = reshard.size_of(reshard.axes_of(head), after.mesh)
    if name in ("sdy.all_slice", "sdy.replicated_to_unreduced", "sdy.sharded_to_unreduced"):
        return 0
    if name == "sdy.collective_permute":
        return bytes_of(before)
    if name == "sdy.all_to_all":
        n = max(bytes_of(before), bytes_of(after))
        return n * (count - 1) // count
    if name == "sdy.all_gather":
        return bytes_of(after) * (count - 1) // count
    if name == "sdy.all_reduce":
        return 2 * bytes_of(after) * (count - 1) // count
    if name == "sdy.reduce_scatter":
        return bytes_of(before) * (count - 1) // count
    raise RuntimeError(f"unknown collective {name}")


# Operations whose shards need rows of neighbors along dimensions that they do not keep.
MOVING = ("pad", "slice", "concatenate", "reduce_window", "select_and_scatter", "convolution", "reverse")


def needs_neighbors(operation, meshes):
    """Whether an operation is divided along a dimension whose shards Shardy exchanges in a later pass."""
    if operation.name.removeprefix("stablehlo.") not in MOVING or "sdy.sharding" not in operation.attributes:
        return False
    result = ir.ShapedType(operation.results[0].type).shape
    operand = ir.ShapedType(operation.operands[0].type).shape
    mesh = next(iter(meshes.values()))
    shardings = [reshard.sharding_in(str(operation.attributes["sdy.sharding"]), meshes),
                 reshard.value_sharding(operation.operands[0], meshes, mesh)]
    keeps_sizes = operation.name in ("stablehlo.pad", "stablehlo.slice", "stablehlo.concatenate")
    return any(axes and (not keeps_sizes or operand[d] != result[d])
               for sharding in shardings for d, axes in enumerate(sharding.dims))


def by_shardy(text):
    """The program as both get it, Shardy's bytes and collectives, and its program."""
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        replicate_unstated(module)
        given = str(module)
        passmanager.PassManager.parse(PASSES).run(module.operation)
        meshes = reshard.meshes_of(module)
        total, steps = 0, []
        for function in reshard.functions_of(module):
            for op in reshard.walk(function):
                if op.name == "sdy.reshard":
                    raise RuntimeError("a reshard is left")
                if needs_neighbors(op, meshes):
                    steps.append("neighbors")
                if not op.name.startswith("sdy.") or "out_sharding" not in op.attributes:
                    continue
                after = reshard.sharding_in(str(op.attributes["out_sharding"]), meshes)
                before = reshard.value_sharding(op.operands[0], meshes, after.mesh)
                total += cost(op, before, after)
                steps.append(op.name[4:])
        return given, total, steps, str(module)


def by_xylem(xylem, text):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([xylem, "shard", "--json", file.name], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().split("\n")[0])
    answer = json.loads(done.stdout)
    return answer["bytes_received"], [f"{c['opcode']} {c['shape']} {c['bytes_received']}"
                                      for c in answer["collectives"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--xylem", default="build/xylem")
    parser.add_argument("--only", help="this function alone, with its programs")
    options = parser.parse_args()
    counts, ours_in_all, theirs_in_all = collections.Counter(), 0, 0
    paths = sorted((options.checkout / TESTS).glob("insert_explicit_reshards*/*.mlir"))
    paths += sorted((options.checkout / TESTS).glob("insert_explicit_reshards*.mlir"))
    for path in paths:
        programs = [p for p in shardy_tests.programs(path.read_text())
                    if options.only in (None, p[0])]
        for name, text in programs:
            try:
                given, theirs, steps, result = fuzz.apart(by_shardy, text)
            except RuntimeError as error:
                counts["refused by Shardy"] += 1
                if options.only:
                    print(f"{name}: Shardy: {error}")
                continue
            if options.only:
                print(given, result, sep="\n")
            try:
                ours, collectives = by_xylem(options.xylem, given)
            except RuntimeError as error:
                counts["refused here"] += 1
                print(f"{path.name}: {name}: refused: {error}")
                continue
            if "neighbors" in steps:
                counts["that Shardy leaves to later passes"] += 1
                continue
            ours_in_all, theirs_in_all = ours_in_all + ours, theirs_in_all + theirs
            counts["more" if ours > theirs else "fewer" if ours < theirs else "as many"] += 1
            if ours > theirs or options.only:
                print(f"{path.name}: {name}: {ours} bytes, Shardy {theirs}: "
                      f"{', '.join(collectives)} for {' '.join(steps)}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    print(f"in all {ours_in_all} bytes, Shardy {theirs_in_all}")
    return 1 if counts["more"] or counts["refused here"] else 0


if __name__ == "__main__":
    sys.exit(main())
