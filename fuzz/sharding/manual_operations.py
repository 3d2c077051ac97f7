# SPDX-License-Identifier: Apache-2.0
"""Manual computations of random programs, with collectives, and what computes the same of full values.
Methods of programs.Generator."""
import itertools
import math
import re

from rare_operations import ints, tensor

ELEMENTWISE = ["unary", "binary", "constant", "constraint"]


class Divided:
    """A value in a manual computation: which manual axes divide each dimension of the full one."""

    def __init__(self, sizes, name, whole, shape, axes):
        self.sizes, self.name, self.whole = sizes, name, whole
        self.shape, self.axes = list(shape), axes
        self.type, self.whole_type = tensor(self.local()), tensor(self.shape)

    def local(self):
        return [d // self.count(axes) for d, axes in zip(self.shape, self.axes)]

    def count(self, axes):
        return math.prod(self.sizes[a] for a in axes)

    def dimension(self, axis):
        """The dimension that the axis divides, or None."""
        found = [d for d, axes in enumerate(self.axes) if axis in axes]
        return found[0] if found else None

    def moved(self, axis, to):
        """The axes of each dimension if the axis is at the end of those of another, or of none."""
        axes = [[a for a in dimension if a != axis] for dimension in self.axes]
        if to is not None:
            axes[to].append(axis)
        return axes


class ManualOperations:

    def manual_computation(self):
        self.manual_body(collectives=[])

    def manual_collectives(self):
        self.manual_body(collectives=[self.all_reduce, self.all_gather, self.all_to_all, self.reduce_scatter,
                                      self.permute, self.collective_broadcast, self.position])

    def manual_body(self, collectives):
        if self.manual:
            return
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        rng = self.rng
        manual = [n for n, _ in self.mesh.axes if rng.random() < (0.7 if collectives else 0.5)]
        n, sizes = next(self.counter), dict(self.mesh.axes)
        value = Divided(sizes, f"%m{n}", x.name, x.shape, self.manual_axes(x.shape, manual, sizes, bool(collectives)))
        argument, into = value, self.manual_sharding(value)
        inner = type(self)(rng, self.mesh, self.counter, self.indent + "  ", tuple(manual))
        whole = []
        value = self.elementwise_part(inner, whole, value, rng.randint(1, 3))
        for _ in range(rng.randint(1, 4) if collectives and manual else 0):
            made = rng.choice(collectives)(inner, whole, value, rng.choice(manual))
            if made is not None and math.prod(made.shape) <= 1 << 12:
                value = self.elementwise_part(inner, whole, made, rng.randint(0, 1))
        axes = ", ".join(f'"{a}"' for a in manual)
        body = "\n".join(inner.lines)
        made = self.emit(
            f"sdy.manual_computation({x.name}) in_shardings=[{into}] out_shardings=[{self.manual_sharding(value)}] "
            f"manual_axes={{{axes}}} ({argument.name}: {argument.type}) {{\n{body}\n{self.indent}  sdy.return "
            f"{value.name} : {value.type}\n{self.indent}}} : ({x.type}) -> {value.whole_type}", value.shape)
        whole.append(f"{made.name} = stablehlo.optimization_barrier {value.whole} : {value.whole_type}")
        self.undivided.append((self.lines[-1], "\n".join(whole)))

    def manual_axes(self, shape, manual, sizes, several):
        """Axes for each dimension that divide it evenly; several of a dimension, too."""
        left, result = list(manual), []
        for d in shape:
            axes = []
            for _ in range(2 if several else 1):
                fitting = [a for a in left if d % sizes[a] == 0] if self.rng.random() < 0.6 else []
                if fitting:
                    axes.append(fitting[0])
                    left.remove(fitting[0])
                    d //= sizes[fitting[0]]
            result.append(axes)
        return result

    def manual_sharding(self, value):
        dims = ", ".join("{" + ", ".join([f'"{a}"' for a in axes] + ["?"] * (self.rng.random() < 0.5)) + "}"
                         for axes in value.axes)
        return f"<@mesh, [{dims}]>"

    def elementwise_part(self, inner, whole, value, count):
        """Some operations element by element: the same of full values, but for the types."""
        before = len(inner.lines)
        inner.values = [self.value_like(value)]
        for _ in range(count):
            inner.step(ELEMENTWISE)
        for line in inner.lines[before:]:
            line = re.sub(r"sdy.sharding_constraint (%\w+) <.*?> :", r"stablehlo.optimization_barrier \1 :", line)
            whole.append(re.sub(rf"{value.name}\b", value.whole, line).replace(value.type, value.whole_type))
        name = inner.values[-1].name
        is_new = name != value.name
        return Divided(value.sizes, name, name if is_new else value.whole, value.shape, value.axes)

    # --- full values as blocks, one for each position along an axis

    def blocks(self, whole, value, axis):
        """(names of the blocks along the axis, their shape); the full value of all positions if none divides."""
        d = value.dimension(axis)
        if d is None:
            return [value.whole] * value.sizes[axis], value.shape
        size, before = value.sizes[axis], value.count(value.axes[d][:value.axes[d].index(axis)])
        rest = value.shape[d] // (before * size)
        split = value.shape[:d] + [before, size, rest] + value.shape[d + 1:]
        all_blocks = self.whole_operation(whole, f"stablehlo.reshape {value.whole} : ({value.whole_type}) -> {tensor(split)}")
        block = split[:d + 1] + [1] + split[d + 2:]
        shape = value.shape[:d] + [before * rest] + value.shape[d + 1:]
        names = []
        for i in range(size):
            parts = [f"{i}:{i + 1}" if e == d + 1 else f"0:{s}" for e, s in enumerate(split)]
            part = self.whole_operation(
                whole, f"stablehlo.slice {all_blocks} [{', '.join(parts)}] : ({tensor(split)}) -> {tensor(block)}")
            names.append(self.whole_operation(
                whole, f"stablehlo.reshape {part} : ({tensor(block)}) -> {tensor(shape)}"))
        return names, shape

    def joined_blocks(self, whole, value, axis, blocks):
        """The full value of other blocks, of the shape and place of those that it has along the axis."""
        d = value.dimension(axis)
        size, before = value.sizes[axis], value.count(value.axes[d][:value.axes[d].index(axis)])
        rest = value.shape[d] // (before * size)
        shape = value.shape[:d] + [before * rest] + value.shape[d + 1:]
        block = value.shape[:d] + [before, 1, rest] + value.shape[d + 1:]
        parts = [self.whole_operation(whole, f"stablehlo.reshape {b} : ({tensor(shape)}) -> {tensor(block)}")
                 for b in blocks]
        split = block[:d + 1] + [size] + block[d + 2:]
        joined = self.whole_operation(whole, f"stablehlo.concatenate {', '.join(parts)}, dim = {d + 1} : "
                                      f"({', '.join([tensor(block)] * size)}) -> {tensor(split)}")
        return self.whole_operation(whole, f"stablehlo.reshape {joined} : ({tensor(split)}) -> {value.whole_type}")

    def whole_operation(self, whole, text):
        name = f"%w{next(self.counter)}"
        whole.append(f"{name} = {text}")
        return name

    def combined(self, whole, value, axis, operation):
        """What a reduction along the axis makes, and its shape."""
        blocks, shape = self.blocks(whole, value, axis)
        total = blocks[0]
        for block in blocks[1:]:
            total = self.whole_operation(whole, f"stablehlo.{operation} {total}, {block} : {tensor(shape)}")
        return total, shape

    # --- collectives: (the generator of the body, lines of full values, operand, axis) -> result or None

    def groups(self, axis):
        """Devices along the axis, for each position along the others."""
        names = [n for n, _ in self.mesh.axes]
        found = {}
        for number, place in enumerate(itertools.product(*(range(s) for _, s in self.mesh.axes))):
            rest = tuple(p for n, p in zip(names, place) if n != axis)
            found.setdefault(rest, []).append(self.mesh.devices[number])
        return list(found.values())

    def exchange(self, inner, value, axis, shape, operation, region="", attributes=(), is_global=True, pairs=None):
        groups = pairs or self.groups(axis)
        kind = "source_target_pairs" if pairs else "replica_groups"
        text = ", ".join(f"[{ints(g)}]" for g in groups)
        n = next(self.counter)
        said = [f"{kind} = dense<[{text}]> : tensor<{len(groups)}x{len(groups[0])}xi64>",
                f"channel_handle = #stablehlo.channel_handle<handle = {n + 1}, type = 1>",
                *["use_global_device_ids"] * is_global, *attributes]
        return inner.emit(f'"stablehlo.{operation}"({value.name}) {region} {{{", ".join(said)}}} : '
                          f"({value.type}) -> {tensor(shape)}", shape)

    def reduction(self):
        operation = self.rng.choice(["add", "maximum", "minimum"])
        return operation, self.two(operation)

    def all_reduce(self, inner, whole, value, axis):
        operation, region = self.reduction()
        total, shape = self.combined(whole, value, axis, operation)
        made = self.exchange(inner, value, axis, value.local(), "all_reduce", region)
        return Divided(value.sizes, made.name, total, shape, value.moved(axis, None))

    def all_gather(self, inner, whole, value, axis):
        d = value.dimension(axis)
        shape = value.local()
        if d is None:
            # Every device has the same: copies, one behind the other.
            free = [e for e, axes in enumerate(value.axes) if not axes]
            if not free:
                return None
            d = self.rng.choice(free)
            full = value.shape[:d] + [value.shape[d] * value.sizes[axis]] + value.shape[d + 1:]
            copies = value.sizes[axis]
            name = self.whole_operation(whole, f"stablehlo.concatenate {', '.join([value.whole] * copies)}, dim = {d} : "
                                        f"({', '.join([value.whole_type] * copies)}) -> {tensor(full)}")
        elif value.axes[d][-1] == axis:
            full, name = value.shape, value.whole
        else:
            return None
        shape[d] *= value.sizes[axis]
        made = self.exchange(inner, value, axis, shape, "all_gather", attributes=[f"all_gather_dim = {d} : i64"])
        return Divided(value.sizes, made.name, name, full, value.moved(axis, None))

    def all_to_all(self, inner, whole, value, axis):
        d, shape, size = value.dimension(axis), value.local(), value.sizes[axis]
        to = [e for e, length in enumerate(shape) if e != d and length % size == 0]
        if d is None or value.axes[d][-1] != axis or not to:
            return None
        to = self.rng.choice(to)
        shape[d], shape[to] = shape[d] * size, shape[to] // size
        made = self.exchange(inner, value, axis, shape, "all_to_all", is_global=False, attributes=[
            f"split_dimension = {to} : i64", f"concat_dimension = {d} : i64", f"split_count = {size} : i64"])
        return Divided(value.sizes, made.name, value.whole, value.shape, value.moved(axis, to))

    def reduce_scatter(self, inner, whole, value, axis):
        shape, size = value.local(), value.sizes[axis]
        to = [e for e, length in enumerate(shape) if length % size == 0]
        if not to:
            return None
        to = self.rng.choice(to)
        operation, region = self.reduction()
        total, full = self.combined(whole, value, axis, operation)
        shape[to] //= size
        made = self.exchange(inner, value, axis, shape, "reduce_scatter", region,
                             attributes=[f"scatter_dimension = {to} : i64"])
        return Divided(value.sizes, made.name, total, full, value.moved(axis, to))

    def permute(self, inner, whole, value, axis):
        """Shards go round, or to the next device, of which the first gets zeros."""
        size, is_divided = value.sizes[axis], value.dimension(axis) is not None
        shift = self.rng.randrange(1, size)
        goes_round = not is_divided or self.rng.random() < 0.5
        pairs = [(group[i], group[(i + shift) % size]) for group in self.groups(axis)
                 for i in range(size) if goes_round or i + shift < size]
        name = value.whole
        if is_divided:
            blocks, shape = self.blocks(whole, value, axis)
            zero = self.whole_operation(whole, f"stablehlo.constant dense<0.0> : {tensor(shape)}")
            moved = [blocks[i - shift] if goes_round or i >= shift else zero for i in range(size)]
            name = self.joined_blocks(whole, value, axis, moved)
        made = self.exchange(inner, value, axis, value.local(), "collective_permute", is_global=False, pairs=pairs)
        return Divided(value.sizes, made.name, name, value.shape, value.axes)

    def collective_broadcast(self, inner, whole, value, axis):
        blocks, shape = self.blocks(whole, value, axis)
        made = self.exchange(inner, value, axis, value.local(), "collective_broadcast", is_global=False)
        return Divided(value.sizes, made.name, blocks[0], shape, value.moved(axis, None))

    def position(self, inner, whole, value, axis):
        """The sum with the device's position along the axis."""
        if value.dimension(axis) is None or self.mesh.order:
            return None
        names = [n for n, _ in self.mesh.axes]
        stride = math.prod(s for _, s in self.mesh.axes[names.index(axis) + 1:])
        size = value.sizes[axis]
        blocks, shape = self.blocks(whole, value, axis)
        moved = []
        for i, block in enumerate(blocks):
            number = self.whole_operation(whole, f"stablehlo.constant dense<{i}.0> : {tensor(shape)}")
            moved.append(self.whole_operation(whole, f"stablehlo.add {block}, {number} : {tensor(shape)}"))
        name = self.joined_blocks(whole, value, axis, moved)
        one = "tensor<ui32>"
        made = inner.emit("stablehlo.partition_id : tensor<ui32>", (), "ui32")
        for operation, number in (("divide", stride), ("remainder", size)):
            constant = inner.emit(f"stablehlo.constant dense<{number}> : {one}", (), "ui32")
            made = inner.emit(f"stablehlo.{operation} {made.name}, {constant.name} : {one}", (), "ui32")
        made = inner.emit(f"stablehlo.convert {made.name} : ({one}) -> tensor<f32>", ())
        made = inner.emit(f"stablehlo.broadcast_in_dim {made.name}, dims = [] : (tensor<f32>) -> {value.type}", value.local())
        made = inner.emit(f"stablehlo.add {value.name}, {made.name} : {value.type}", value.local())
        return Divided(value.sizes, made.name, name, value.shape, value.axes)
