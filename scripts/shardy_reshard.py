#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares reshards with those of Shardy: the bytes that a device receives.

    python scripts/shardy_reshard.py --shardy CHECKOUT --plans build/reshard_plans [--random 10000] [--seed 1]

CHECKOUT is one of github.com/openxla/shardy, the Python one with a jaxlib that has Shardy's passes. Each
sdy.reshard of Shardy's tests (reshard_to_collectives*.mlir), and each of random pairs of shardings, is planned
by both. Bytes of both are counted by the same rules (xla/spmd/reshard.h): all-slice 0, collective-permute S,
all-to-all S(1-1/n), all-gather S(n-1), for shards of S bytes and groups of n. Exit code 1: ours receives more.
"""
import argparse
import math
import pathlib
import random
import re
import subprocess
import sys

from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir, passmanager

AXIS = re.compile(r'"((?:[^"\\]|\\.)*)"(?::\((\d+)\)(\d+))?')


class Mesh:
    def __init__(self, axes, device_ids=None):
        self.axes, self.device_ids = dict(axes), device_ids

    @staticmethod
    def parse(text):
        body = re.search(r"<\[(.*?)\](?:, *device_ids=\[([\d, ]*)\])?>", text)
        axes = [(m[0], int(m[1])) for m in re.findall(r'"([^"]*)"=(\d+)', body.group(1))]
        ids = [int(i) for i in body.group(2).split(",")] if body.group(2) else None
        return Mesh(axes, ids)

    def hlo(self):
        text = "mesh[" + ",".join(f"'{n}'={s}" for n, s in self.axes.items()) + "]"
        return text + (f", device_ids=({','.join(map(str, self.device_ids))})" if self.device_ids else "")

    def sdy(self):
        axes = ", ".join(f'"{n}"={s}' for n, s in self.axes.items())
        ids = f", device_ids={self.device_ids}" if self.device_ids else ""
        return f"<[{axes}]{ids}>"

    def devices(self):
        return math.prod(self.axes.values())


def axes_of(text):
    """[(name, pre, size or None)] of the text of a list of axes."""
    return [(n, int(p) if p else 1, int(s) if s else None) for n, p, s in AXIS.findall(text)]


def dims_of(text):
    """Lists of axes of '[{"x"}, {}]'; open dimensions as closed ones."""
    return [axes_of(d) for d in re.findall(r"\{([^{}]*)\}", text)]


def axis_text(axis, quote):
    name, pre, size = axis
    return f"{quote}{name}{quote}" + (f":({pre}){size}" if size else "")


def dims_text(dims, quote):
    return "[" + ", ".join("{" + ", ".join(axis_text(a, quote) for a in d) + "}" for d in dims) + "]"


def size_of(axes, mesh):
    return math.prod(s if s else mesh.axes[n] for n, _, s in axes)


def shard_bytes(shape, dims, mesh, element=4):
    return element * math.prod(-(-d // size_of(a, mesh)) for d, a in zip(shape, dims))


class Sharding:
    """Of a value: mesh, axes of dimensions; other lists only if they are unreduced."""

    def __init__(self, mesh, dims, unreduced=""):
        self.mesh, self.dims, self.unreduced = mesh, dims, unreduced

    def hlo(self):
        return "{" + f"{self.mesh.hlo()}, {dims_text(self.dims, chr(39)) if self.dims else 'replicated'}" + "}"


SHARDING = re.compile(r"<(@[\w$.]+|mesh<.*?>), (\[(?:[^\[\]]*)\])(?:, replicated=\{[^}]*\})?(?:, unreduced=\{([^}]*)\})?>")


def sharding_in(text, meshes):
    match = SHARDING.search(text)
    mesh = Mesh.parse(match.group(1)) if match.group(1).startswith("mesh") else meshes[match.group(1)[1:]]
    return Sharding(mesh, dims_of(match.group(2)), match.group(3) or "")


STEPS = ("sdy.all_slice", "sdy.all_gather", "sdy.all_to_all", "sdy.collective_permute")


def round_up(size, count):
    return -(-size // count) * count


class Padding:
    """The sizes of dimensions with padding along a chain, as Chain::Add of xla/spmd/reshard_chain.cc has them."""

    def __init__(self, shape, source, target):
        self.shape, self.target = shape, [size_of(a, target.mesh) for a in target.dims]
        self.counts = [size_of(a, source.mesh) for a in source.dims]
        self.sizes = [round_up(d, n) for d, n in zip(shape, self.counts)]
        self.is_exact = True

    def bytes(self):
        return 4 * math.prod(s // n for s, n in zip(self.sizes, self.counts))

    def go_to(self, sharding):
        for i, axes in enumerate(sharding.dims):
            before, after = self.counts[i], size_of(axes, sharding.mesh)
            self.counts[i] = after
            if after == before:
                continue
            if after == 1:
                self.sizes[i] = self.shape[i]
            elif before == 1:
                wanted = round_up(self.shape[i], self.target[i])
                self.sizes[i] = wanted if wanted % after == 0 else round_up(self.shape[i], after)
            elif self.sizes[i] % after:
                # Shards would be padded one by one: no longer those of the array in order.
                self.is_exact = False
                self.sizes[i] = round_up(self.sizes[i], after)

    def ends_exact(self):
        return self.is_exact and all(n == 1 or s == round_up(d, n)
                                     for d, n, s in zip(self.shape, self.counts, self.sizes))


def shardy_bytes(operation, padding, after):
    """Bytes received in one collective of Shardy."""
    name = operation.name
    text = str(operation)
    head = text[text.index(name) + len(name):text.index("out_sharding")]
    n = size_of(axes_of(head), after.mesh)
    size = padding.bytes()
    padding.go_to(after)
    if name == "sdy.all_slice":
        return 0
    if name == "sdy.collective_permute":
        return size
    if name == "sdy.all_to_all":
        size = max(size, padding.bytes())
        return size - size // n
    return size * (n - 1)


def walk(operation):
    for region in operation.regions:
        for block in region:
            for op in block:
                yield op.operation
                yield from walk(op.operation)


def shape_of(value):
    return list(ir.ShapedType(value.type).shape)


def value_sharding(value, meshes, default_mesh):
    """The sharding of a value, through barriers."""
    while not isinstance(value, ir.BlockArgument) and value.owner.name == "sdy.propagation_barrier":
        value = value.owner.operands[0]
    if isinstance(value, ir.BlockArgument):
        function = value.owner.owner
        arguments = function.attributes["arg_attrs"] if "arg_attrs" in function.attributes else None
        attribute = arguments[value.arg_number] if arguments is not None else None
        if attribute is not None and "sdy.sharding" in attribute:
            return sharding_in(str(attribute["sdy.sharding"]), meshes)
    else:
        owner = value.owner
        text = None
        if "sdy.sharding" in owner.attributes:
            text = str(owner.attributes["sdy.sharding"])
        elif "sharding" in owner.attributes:
            text = str(owner.attributes["sharding"])
        elif "out_sharding" in owner.attributes:
            text = str(owner.attributes["out_sharding"])
        if text is not None:
            return sharding_in(text, meshes)
    return Sharding(default_mesh, [[] for _ in shape_of(value)])


def functions_of(module):
    for op in module.body:
        if op.operation.name == "func.func":
            yield op.operation


def meshes_of(module):
    meshes = {}
    for op in module.body:
        if op.operation.name == "sdy.mesh":
            name = str(op.operation.attributes["sym_name"]).strip('"')
            meshes[name] = Mesh.parse(str(op.operation.attributes["mesh"]))
    return meshes


def reshards_in(function, meshes):
    """(shape, from, to) of each reshard."""
    for op in walk(function):
        if op.name != "sdy.reshard":
            continue
        to = sharding_in(str(op.attributes["sharding"]), meshes)
        source = value_sharding(op.operands[0], meshes, to.mesh)
        yield shape_of(op.operands[0]), source, to


def shardy_cost(function, meshes, reshards):
    """Bytes and steps of all collectives, and whether padding is where it must be; None if a reshard is left."""
    total, names, padding, paddings = 0, [], None, []
    for op in walk(function):
        if op.name == "sdy.reshard":
            return None
        if op.name in STEPS:
            after = sharding_in(str(op.attributes["out_sharding"]), meshes)
            before = value_sharding(op.operands[0], meshes, after.mesh)
            shape = shape_of(op.operands[0])
            target = next((to for s, _, to in reshards if s == shape), after)
            if isinstance(op.operands[0], ir.BlockArgument) or op.operands[0].owner.name not in STEPS:
                padding = Padding(shape, before, target)
                paddings.append(padding)
            total += shardy_bytes(op, padding, after)
            names.append(op.name[4:])
    return total, names, all(p.ends_exact() for p in paddings)


def ask(binary, lines):
    result = subprocess.run([binary], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def line_of(shape, source, to):
    return f"f32[{','.join(map(str, shape))}] {source.hlo()} -> {to.hlo()}"


def compare_module(text, binary, what, report):
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        meshes = meshes_of(module)
        asked = {}
        for function in functions_of(module):
            name = str(function.attributes["sym_name"])
            asked[name] = [(s, a, b) for s, a, b in reshards_in(function, meshes)]
        try:
            passmanager.PassManager.parse("builtin.module(func.func(sdy-reshard-to-collectives))").run(module.operation)
        except ir.MLIRError:
            # Some sub-axes are beyond Shardy. One by one, then.
            lines = text.splitlines()
            starts = [i for i, line in enumerate(lines) if line.startswith("func.func")]
            if len(starts) == 1:
                report.left += 1
                return
            mesh_lines = [line for line in lines if line.startswith("sdy.mesh")]
            for start in starts:
                end = next(i for i in range(start, len(lines)) if lines[i] == "}")
                function = "\n".join(lines[start:end + 1])
                named = set(re.findall(r"@(\w+)", function))
                meshes = [line for line in mesh_lines if re.search(r"@(\w+)", line).group(1) in named]
                compare_module("\n".join(meshes + [function]), binary, what, report)
            return
        costs = {str(f.attributes["sym_name"]):
                 shardy_cost(f, meshes, asked[str(f.attributes["sym_name"])]) for f in functions_of(module)}
    names = [n for n in asked if asked[n] and costs[n] is not None]
    answers = ask(binary, [line_of(*r) for n in names for r in asked[n]])
    position = 0
    for name in names:
        total, ours, failed = 0, [], None
        for reshard in asked[name]:
            answer = answers[position]
            position += 1
            if answer.startswith("error"):
                failed = f"{answer} for {line_of(*reshard)}"
                continue
            bytes_, most, steps = answer.split(" ", 2)
            total += int(bytes_)
            ours += [s.strip() for s in steps.split(";") if s.strip()]
            limit = max(shard_bytes(reshard[0], reshard[1].dims, reshard[1].mesh),
                        shard_bytes(reshard[0], reshard[2].dims, reshard[2].mesh))
            even = all(d % size_of(a, side.mesh) == 0 for side in reshard[1:] for d, a in zip(reshard[0], side.dims))
            if int(most) > limit and even and "all-gather" not in steps:
                failed = f"a shard of {most} bytes, beyond {limit}, for {line_of(*reshard)}"
        theirs, their_steps, is_exact = costs[name]
        if not is_exact:
            report.inexact += 1
            continue
        report.add(what + " " + name, total, theirs, ours, their_steps, failed, asked[name])
    for name in asked:
        if asked[name] and costs[name] is None:
            report.left += 1


class Report:
    def __init__(self):
        self.less = self.same = self.more = self.failed = self.left = self.inexact = 0
        self.ours = self.theirs = 0

    def add(self, name, ours, theirs, our_steps, their_steps, failed, reshards):
        if failed:
            self.failed += 1
            print(f"FAILED {name}: {failed}")
            return
        self.ours += ours
        self.theirs += theirs
        if ours < theirs:
            self.less += 1
        elif ours == theirs:
            self.same += 1
        else:
            self.more += 1
            print(f"MORE {name}: {ours} bytes, Shardy {theirs}: {our_steps} for {their_steps}; "
                  + "; ".join(line_of(*r) for r in reshards))

    def print(self, title):
        print(f"{title}: {self.less + self.same + self.more} compared, {self.less} with fewer bytes than Shardy, "
              f"{self.same} as many, {self.more} more, {self.failed} failed, {self.left} that Shardy leaves, {self.inexact} that it pads wrongly; "
              f"in all {self.ours} bytes, Shardy {self.theirs}")
        return self.more == 0 and self.failed == 0


def random_sharding(mesh, shape, rng, cuts):
    """Parts of axes at random dimensions, if they divide them. Sub-axes of one axis of a pair must coexist."""
    parts = []
    for name, size in mesh.axes.items():
        divisors = [d for d in range(2, size) if size % d == 0]
        divisors = [d for d in divisors if all(d % c == 0 or c % d == 0 for c in cuts.get(name, []))]
        if divisors and rng.random() < 0.3:
            cut = rng.choice(divisors)
            cuts.setdefault(name, []).append(cut)
            parts += [(name, 1, cut), (name, cut, size // cut)]
        elif size > 1:
            parts.append((name, 1, None))
    rng.shuffle(parts)
    dims, left = [[] for _ in shape], list(shape)
    for part in parts:
        if rng.random() < 0.25:
            continue
        d = rng.randrange(len(shape))
        n = size_of([part], mesh)
        if left[d] % n:
            continue
        last = dims[d][-1] if dims[d] else None
        if last and last[0] == part[0] and last[2] and part[2] and last[1] * last[2] == part[1]:
            continue  # would be one part
        dims[d].append(part)
        left[d] //= n
    return Sharding(mesh, dims)


def random_modules(count, seed, primes):
    rng = random.Random(seed)
    chunk = 200
    for start in range(0, count, chunk):
        text, meshes = "", []
        for i in range(min(chunk, count - start)):
            sizes = [rng.choice([2, 2, 4, 8, 3, 6] if primes else [2, 2, 4, 8]) for _ in range(rng.randint(1, 4))]
            while math.prod(sizes) > 1024:
                sizes.pop()
            mesh = Mesh([("abcd"[k], s) for k, s in enumerate(sizes)])
            shape = [rng.choice([48, 96, 192] if primes else [16, 32, 64, 128]) for _ in range(rng.randint(1, 4))]
            cuts = {}
            source, to = random_sharding(mesh, shape, rng, cuts), random_sharding(mesh, shape, rng, cuts)
            tensor = "tensor<" + "x".join(map(str, shape)) + "xf32>"
            text += f"sdy.mesh @m{i} = {mesh.sdy()}\n"
            text += (f"func.func @f{i}(%a: {tensor} {{sdy.sharding = #sdy.sharding<@m{i}, {dims_text(source.dims, chr(34))}>}}) "
                     f"-> {tensor} {{\n  %0 = sdy.reshard %a <@m{i}, {dims_text(to.dims, chr(34))}> : {tensor}\n"
                     f"  return %0 : {tensor}\n}}\n")
        yield start, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shardy", type=pathlib.Path)
    parser.add_argument("--plans", default="build/reshard_plans")
    parser.add_argument("--random", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ok = True
    if options.shardy:
        report = Report()
        for path in sorted((options.shardy / "shardy/dialect/sdy/transforms/export/test").glob("reshard_to_collectives*.mlir")):
            for part in re.split(r"^// -----.*$", path.read_text(), flags=re.M):
                if part.strip():
                    compare_module(part, options.plans, path.name, report)
        ok &= report.print("Shardy's tests")
    for primes in (False, True):
        report = Report()
        for start, text in random_modules(options.random // 2, options.seed, primes):
            compare_module(text, options.plans, f"random {start}", report)
        ok &= report.print("random pairs, axes with factors of 3" if primes else "random pairs, axes of powers of 2")
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
