# SPDX-License-Identifier: Apache-2.0
"""Random StableHLO programs with Shardy's annotations.

Every operation has a location with a name of its own, by which its result is found again.
"""
import math
import random
import re

from manual_operations import ManualOperations
from rare_operations import RareOperations, ints, tensor
from value_operations import VALUE_FAMILIES, ValueOperations

SIZES = [1, 2, 3, 4, 5, 6, 8, 12, 16]


class Value:
    def __init__(self, name, shape, dtype="f32"):
        self.name, self.shape, self.dtype = name, tuple(shape), dtype

    @property
    def type(self):
        return tensor(self.shape, self.dtype)


class Mesh:
    def __init__(self, rng, most_devices=None):
        self.axes = [(name, rng.choice([2, 2, 2, 3, 4, 4, 8]))
                     for name in "abcd"[:rng.randint(1, 4)]]
        while most_devices and len(self.axes) > 1 and math.prod(s for _, s in self.axes) > most_devices:
            self.axes.pop()
        self.name, self.order, self.other = "mesh", "", None
        self.devices = list(range(math.prod(s for _, s in self.axes)))

    def add_other(self, rng):
        """Another mesh of the same devices, or the devices in another order."""
        if rng.random() < 0.5:
            rng.shuffle(self.devices)
            self.order = f", device_ids=[{ints(self.devices)}]"
            return
        self.other = Mesh(rng)
        self.other.name = "other"
        sizes = [s for _, s in self.axes]
        rng.shuffle(sizes)
        if len(sizes) > 1 and rng.random() < 0.5:
            sizes[:2] = [sizes[0] * sizes[1]]
        self.other.axes = list(zip("wxyz", sizes))

    def text(self):
        axes = ", ".join(f'"{n}"={s}' for n, s in self.axes)
        other = self.other.text() if self.other else ""
        return f"sdy.mesh @{self.name} = <[{axes}]{self.order}>\n{other}"


class Generator(ManualOperations, RareOperations, ValueOperations):
    """A function body: values that are there, and text."""

    converts = True  # whether values may become integers

    def __init__(self, rng, mesh, counter, indent="  ", manual=()):
        self.rng, self.mesh, self.counter, self.indent = rng, mesh, counter, indent
        self.manual = manual
        self.values, self.lines = [], []
        self.functions = []
        self.parameters, self.results = [], []  # of sizes that are known at run time
        self.undivided = []  # [(lines, what computes the same without manual computations)]

    # --- shardings

    def axes(self, count, mesh):
        """Lists of axes for `count` places, no axis twice."""
        rng = self.rng
        pool = []
        for name, size in mesh.axes:
            if name in self.manual:
                continue
            if size in (4, 8) and rng.random() < 0.15:
                pre = 1
                while pre < size:
                    part = rng.choice([p for p in (2, 4, 8) if pre * p <= size])
                    if part == size:
                        pool.append(f'"{name}"')
                    else:
                        pool.append(f'"{name}":({pre}){part}')
                    pre *= part
                    if rng.random() < 0.5:
                        break
            else:
                pool.append(f'"{name}"')
        rng.shuffle(pool)
        places = [[] for _ in range(count)]
        for axis in pool:
            if count and rng.random() < 0.6:
                place = rng.choice(places)
                # Neighbors that are one axis must be written as one.
                if place and place[-1].split(":")[0] == axis.split(":")[0]:
                    continue
                place.append(axis)
        return places

    def sharding(self, rank, open_chance=0.3, priorities=False, replicated=True):
        rng = self.rng
        mesh = self.mesh
        if mesh.other and not self.manual and rng.random() < 0.3:
            mesh = mesh.other
        places = self.axes(rank + 1, mesh)
        dims = []
        for axes in places[:rank]:
            dim = list(axes)
            is_open = rng.random() < open_chance
            if is_open:
                dim.append("?")
            text = "{" + ", ".join(dim) + "}"
            if priorities and rng.random() < 0.3 and (axes or is_open):
                text += f"p{rng.randint(0, 2)}"
            dims.append(text)
        text = f"@{mesh.name}, [{', '.join(dims)}]"
        last = places[rank]
        if replicated and last and rng.random() < 0.3:
            order = [n for n, _ in mesh.axes]
            last = sorted(last, key=lambda a: (order.index(a.split('"')[1]), a))
            merged = []
            for axis in last:
                if merged and merged[-1].split(":")[0] == axis.split(":")[0]:
                    continue
                merged.append(axis)
            text += f", {rng.choice(['replicated', 'replicated', 'unreduced'])}={{{', '.join(merged)}}}"
        return text

    # --- text

    def emit(self, text, shape, dtype="f32", count=1):
        name = f"v{next(self.counter)}"
        left = f"%{name}" + (f":{count}" if count > 1 else "")
        self.lines.append(f'{self.indent}{left} = {text} loc("{name}")')
        if count == 1:
            value = Value(f"%{name}", shape, dtype)
            self.values.append(value)
            return value
        values = [Value(f"%{name}#{i}", s, dtype if isinstance(dtype, str) else dtype[i])
                  for i, s in enumerate(shape)]
        self.values += values
        return values

    def value_like(self, divided):
        """A shard of a manual computation as a value."""
        return Value(divided.name, divided.local())

    def pick(self, where=lambda v: True):
        found = [v for v in self.values if v.dtype == "f32" and where(v)]
        if not found:
            return None
        # Mostly what is new, so that programs become deep.
        return self.rng.choice(found[-4:] if self.rng.random() < 0.6 else found)

    def same(self, value):
        """Another value of the shape."""
        return self.pick(lambda v: v.shape == value.shape) or value

    def annotated(self, shape):
        if self.rng.random() < 0.1 and not self.manual:
            return f" {{sdy.sharding = #sdy.sharding_per_value<[<{self.sharding(len(shape))}>]>}}"
        return ""

    # --- operations

    def unary(self):
        x = self.pick()
        op = self.rng.choice(["tanh", "negate", "exponential", "abs", "sine"])
        self.emit(f"stablehlo.{op} {x.name}{self.annotated(x.shape)} : {x.type}", x.shape)

    def binary(self):
        x = self.pick()
        y = self.same(x)
        op = self.rng.choice(["add", "multiply", "subtract", "maximum", "divide"])
        self.emit(f"stablehlo.{op} {x.name}, {y.name}{self.annotated(x.shape)} : {x.type}", x.shape)

    def select(self):
        x = self.pick()
        y = self.same(x)
        pred = tensor(x.shape, "i1")
        p = self.emit(f"stablehlo.compare LT, {x.name}, {y.name} : ({x.type}, {x.type}) -> {pred}",
                      x.shape, "i1")
        self.emit(f"stablehlo.select {p.name}, {x.name}, {y.name} : {pred}, {x.type}", x.shape)

    def constant(self):
        shape = self.pick().shape
        t = tensor(shape)
        self.emit(f"stablehlo.constant dense<{self.rng.randint(0, 3)}.0> : {t}", shape)

    def iota(self):
        shape = self.pick(lambda v: v.shape)
        if shape is None:
            return
        shape = shape.shape
        self.emit(f"stablehlo.iota dim = {self.rng.randrange(len(shape))} : {tensor(shape)}", shape)

    def reshape(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        rng, shape = self.rng, list(x.shape)
        for _ in range(rng.randint(1, 3)):
            kind = rng.random()
            if kind < 0.4 and len(shape) > 1:
                i = rng.randrange(len(shape) - 1)
                shape[i:i + 2] = [shape[i] * shape[i + 1]]
            elif kind < 0.8 and len(shape) < 5:
                i = rng.randrange(len(shape))
                divisors = [d for d in range(1, shape[i] + 1) if shape[i] % d == 0]
                d = rng.choice(divisors)
                shape[i:i + 1] = [d, shape[i] // d]
            elif len(shape) < 5:
                shape.insert(rng.randint(0, len(shape)), 1)
        if tuple(shape) == x.shape:
            return
        self.emit(f"stablehlo.reshape {x.name}{self.annotated(shape)} : ({x.type}) -> {tensor(shape)}", shape)

    def transpose(self):
        x = self.pick(lambda v: len(v.shape) > 1)
        if x is None:
            return
        order = list(range(len(x.shape)))
        while order == sorted(order):
            self.rng.shuffle(order)
        shape = [x.shape[i] for i in order]
        self.emit(f"stablehlo.transpose {x.name}, dims = [{ints(order)}] : ({x.type}) -> {tensor(shape)}", shape)

    def broadcast(self):
        x = self.pick(lambda v: len(v.shape) < 4)
        if x is None:
            return
        rng = self.rng
        shape, dims = list(x.shape), list(range(len(x.shape)))
        for i, d in enumerate(shape):
            if d == 1 and rng.random() < 0.5:
                shape[i] = rng.choice(SIZES[1:])
        for _ in range(rng.randint(0 if shape != list(x.shape) else 1, 2)):
            at = rng.randint(0, len(shape))
            shape.insert(at, rng.choice(SIZES))
            dims = [d + (d >= at) for d in dims]
        if math.prod(shape) > 1 << 16:
            return
        self.emit(f"stablehlo.broadcast_in_dim {x.name}, dims = [{ints(dims)}] : ({x.type}) -> {tensor(shape)}", shape)

    def dot(self):
        x = self.pick(lambda v: len(v.shape) in (1, 2, 3))
        if x is None:
            return
        rng = self.rng
        contracting = rng.randrange(len(x.shape))
        batch = [i for i in range(len(x.shape)) if i != contracting and rng.random() < 0.3]

        def fits(v):
            return x.shape[contracting] in v.shape and all(x.shape[b] in v.shape for b in batch)
        y = self.pick(fits)
        if y is None:
            return
        free = list(range(len(y.shape)))
        rng.shuffle(free)
        chosen = []
        for d in [contracting] + batch:
            found = [i for i in free if y.shape[i] == x.shape[d]]
            if not found:
                return
            chosen.append(found[0])
            free.remove(found[0])
        rest = sorted(free)
        shape = ([x.shape[b] for b in batch] +
                 [x.shape[i] for i in range(len(x.shape)) if i != contracting and i not in batch] +
                 [y.shape[i] for i in rest])
        if math.prod(shape) > 1 << 16 or len(shape) > 5:
            return
        batching = f"batching_dims = [{ints(batch)}] x [{ints(chosen[1:])}], " if batch else ""
        self.emit(f"stablehlo.dot_general {x.name}, {y.name}, {batching}"
                  f"contracting_dims = [{contracting}] x [{chosen[0]}]{self.annotated(shape)} : ({x.type}, {y.type}) -> {tensor(shape)}",
                  shape)

    def scalar(self, value=None):
        """What is stated, else what reductions begin with and padding has: not always what changes nothing."""
        value = value or self.rng.choice(["0.0", "0.0", "1.0", "3.0"])
        return self.emit(f"stablehlo.constant dense<{value}> : tensor<f32>", ())

    def reduce(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        zero = self.scalar()
        dims, shape = self.reduced(x)
        self.emit_reduce(x, zero, self.rng.choice(["add", "maximum"]), dims, shape)

    def reduced(self, x):
        """Some dimensions, at least one, and the shape without them."""
        dims = sorted(self.rng.sample(range(len(x.shape)), self.rng.randint(1, len(x.shape))))
        return dims, [d for i, d in enumerate(x.shape) if i not in dims]

    def emit_reduce(self, x, init, op, dims, shape):
        self.emit(f"stablehlo.reduce({x.name} init: {init.name}) applies stablehlo.{op} across "
                  f"dimensions = [{ints(dims)}] : ({x.type}, tensor<f32>) -> {tensor(shape)}", shape)

    def slice(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        parts, shape = [], []
        for d in x.shape:
            if self.rng.random() < 0.5:
                parts.append(f"0:{d}")
                shape.append(d)
            else:
                start = self.rng.randrange(d)
                limit = self.rng.randint(start + 1, d)
                stride = self.rng.choice([1, 1, 2])
                parts.append(f"{start}:{limit}:{stride}")
                shape.append(-(-(limit - start) // stride))
        self.emit(f"stablehlo.slice {x.name} [{', '.join(parts)}] : ({x.type}) -> {tensor(shape)}", shape)

    def computed_index(self):
        x = self.pick()
        zero = self.scalar()
        largest = self.emit(f"stablehlo.reduce({x.name} init: {zero.name}) applies stablehlo.maximum across "
                            f"dimensions = [{ints(range(len(x.shape)))}] : ({x.type}, tensor<f32>) -> tensor<f32>", ())
        return self.emit(f"stablehlo.convert {largest.name} : (tensor<f32>) -> tensor<i32>", (), "i32")

    def indices(self, count):
        result = []
        for _ in range(count):
            index = [v for v in self.values if v.dtype == "i32" and v.shape == ()]
            if index and self.rng.random() < 0.5:
                result.append(self.rng.choice(index))
            elif self.converts and self.rng.random() < 0.15:
                result.append(self.computed_index())
            else:
                result.append(self.emit("stablehlo.constant dense<0> : tensor<i32>", (), "i32"))
        return result

    def dynamic_slice(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        starts = self.indices(len(x.shape))
        shape = [d if self.rng.random() < 0.5 else self.rng.randint(1, d) for d in x.shape]
        types = ", ".join(["tensor<i32>"] * len(shape))
        self.emit(f"stablehlo.dynamic_slice {x.name}, {', '.join(s.name for s in starts)}, sizes = [{ints(shape)}] : "
                  f"({x.type}, {types}) -> {tensor(shape)}", shape)

    def dynamic_update_slice(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        u = self.pick(lambda v: len(v.shape) == len(x.shape) and
                      all(a <= b for a, b in zip(v.shape, x.shape)))
        starts = self.indices(len(x.shape))
        types = ", ".join(["tensor<i32>"] * len(x.shape))
        self.emit(f"stablehlo.dynamic_update_slice {x.name}, {u.name}, {', '.join(s.name for s in starts)} : "
                  f"({x.type}, {u.type}, {types}) -> {x.type}", x.shape)

    def concatenate(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        along = self.rng.randrange(len(x.shape))
        y = self.pick(lambda v: len(v.shape) == len(x.shape) and
                      all(a == b or i == along for i, (a, b) in enumerate(zip(v.shape, x.shape))))
        shape = list(x.shape)
        shape[along] += y.shape[along]
        if math.prod(shape) > 1 << 16:
            return
        self.emit(f"stablehlo.concatenate {x.name}, {y.name}, dim = {along} : ({x.type}, {y.type}) -> {tensor(shape)}", shape)

    def pad(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        zero = self.scalar()
        low = [self.rng.choice([0, 0, 1, 2]) for _ in x.shape]
        high = [self.rng.choice([0, 0, 1]) for _ in x.shape]
        shape = [a + b + c for a, b, c in zip(x.shape, low, high)]
        self.emit(f"stablehlo.pad {x.name}, {zero.name}, low = [{ints(low)}], high = [{ints(high)}], "
                  f"interior = [{ints([0] * len(low))}] : ({x.type}, tensor<f32>) -> {tensor(shape)}", shape)

    def reverse(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        dims = sorted(self.rng.sample(range(len(x.shape)), self.rng.randint(1, len(x.shape))))
        self.emit(f"stablehlo.reverse {x.name}, dims = [{ints(dims)}] : {x.type}", x.shape)

    def sort(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        along = self.rng.randrange(len(x.shape))
        region = self.region(
            [("sa", "f32"), ("sb", "f32")],
            ["%sc = stablehlo.compare GT, %sa, %sb : (tensor<f32>, tensor<f32>) -> tensor<i1>"],
            [("sc", "i1")])
        self.emit(f'"stablehlo.sort"({x.name}) {region} {{dimension = {along} : i64, is_stable = true}} : '
                  f'({x.type}) -> {x.type}', x.shape)

    def gather(self):
        x = self.pick(lambda v: len(v.shape) >= 2)
        if x is None:
            return
        rng = self.rng
        count = rng.choice(SIZES)
        rows = self.emit(f"stablehlo.constant dense<0> : {tensor((count, 1), 'i32')}", (count, 1), "i32")
        # Rows of the first dimension.
        sizes = [1] + [d if rng.random() < 0.7 else rng.randint(1, d) for d in x.shape[1:]]
        shape = [count] + sizes[1:]
        self.emit(f'"stablehlo.gather"({x.name}, {rows.name}) {{dimension_numbers = #stablehlo.gather<offset_dims = '
                  f'[{ints(range(1, len(shape)))}], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, '
                  f'slice_sizes = array<i64: {ints(sizes)}>, indices_are_sorted = false}} : ({x.type}, {rows.type}) -> {tensor(shape)}',
                  shape)

    def scatter(self):
        x = self.pick(lambda v: len(v.shape) >= 2)
        if x is None:
            return
        u = self.pick(lambda v: len(v.shape) == len(x.shape) and v.shape[1:] == x.shape[1:])
        count = u.shape[0]
        rows = self.emit(f"stablehlo.constant dense<0> : {tensor((count, 1), 'i32')}", (count, 1), "i32")
        op = self.rng.choice(["add", "maximum", "subtract"])
        self.emit(f'"stablehlo.scatter"({x.name}, {rows.name}, {u.name}) {self.two(op)} '
                  f'{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [{ints(range(1, len(x.shape)))}], '
                  f'inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, '
                  f'indices_are_sorted = false, unique_indices = false}} : ({x.type}, {rows.type}, {u.type}) -> {x.type}', x.shape)

    def convolution(self):
        x = self.pick(lambda v: len(v.shape) == 3 and v.shape[1] >= 3)
        if x is None:
            return
        k = self.pick(lambda v: len(v.shape) == 3 and v.shape[1] == x.shape[2] and v.shape[0] <= x.shape[1])
        if k is None:
            return
        shape = (x.shape[0], x.shape[1] - k.shape[0] + 1, k.shape[2])
        self.emit(f"stablehlo.convolution({x.name}, {k.name}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
                  f"window = {{}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : "
                  f"({x.type}, {k.type}) -> {tensor(shape)}", shape)

    def reduce_window(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        zero = self.scalar()
        window = [self.rng.choice([1, 1, min(2, d), min(3, d)]) for d in x.shape]
        stride = [self.rng.choice([1, w]) for w in window]
        shape = [(d - w) // s + 1 for d, w, s in zip(x.shape, window, stride)]
        self.emit(f'"stablehlo.reduce_window"({x.name}, {zero.name}) {self.two("maximum")} '
                  f'{{window_dimensions = array<i64: {ints(window)}>, window_strides = array<i64: {ints(stride)}>}} : '
                  f'({x.type}, tensor<f32>) -> {tensor(shape)}', shape)

    def cholesky(self):
        x = self.pick(lambda v: len(v.shape) >= 2 and v.shape[-1] == v.shape[-2])
        if x is None:
            return
        self.emit(f"stablehlo.cholesky {x.name}, lower = true : {x.type}", x.shape)

    def custom_call(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        letters = "ijklmnop"[:len(x.shape)]
        dims = ", ".join(letters)
        kind = self.rng.choice(["", f" need_replication={{{letters[0]}}}", f" permutation={{{letters[-1]}}}",
                                f" need_replication={{{letters[0]}}} blocked_propagation={{{letters[0]}}}"])
        sizes = ", ".join(f"{l}={d}" for l, d in zip(letters, x.shape))
        self.emit(f"stablehlo.custom_call @foo({x.name}) {{sdy.sharding_rule = #sdy.op_sharding_rule<"
                  f"([{dims}])->([{dims}]) {{{sizes}}}{kind}, custom>}} : ({x.type}) -> {x.type}", x.shape)

    def constraint(self):
        x = self.pick()
        self.emit(f"sdy.sharding_constraint {x.name} <{self.sharding(len(x.shape))}> : {x.type}", x.shape)

    def barrier(self):
        x = self.pick()
        # NONE, FORWARD, BACKWARD
        direction = self.rng.randint(0, 2)
        self.emit(f'"sdy.propagation_barrier"({x.name}) <{{allowed_direction = {direction} : i32}}> : '
                  f'({x.type}) -> {x.type}', x.shape)

    def optimization_barrier(self):
        x, y = self.pick(), self.pick()
        self.emit(f"stablehlo.optimization_barrier {x.name}, {y.name} : {x.type}, {y.type}",
                  [x.shape, y.shape], count=2)

    def group(self):
        x = self.pick()
        y = self.same(x)
        number = next(self.counter)
        for value in (x, y):
            self.lines.append(f'{self.indent}"sdy.sharding_group"({value.name}) <{{group_id = {number} : i64}}> : '
                              f'({value.type}) -> ()')

    def inside(self):
        """What a body has: control flow, too, but not at any depth."""
        return SIMPLE + (["loop", "case", "call"] if len(self.indent) < 6 else [])

    def loop(self):
        x, y = self.pick(), self.pick()
        zero = self.emit("stablehlo.constant dense<0> : tensor<i32>", (), "i32")
        n = next(self.counter)
        inner = Generator(self.rng, self.mesh, self.counter, self.indent + "  ", self.manual)
        inner.values = [Value(f"%a{n}", x.shape), Value(f"%b{n}", y.shape)]
        for _ in range(self.rng.randint(1, 3)):
            inner.step(self.inside())
        self.functions += inner.functions
        a = inner.rng.choice([v for v in inner.values if v.shape == x.shape and v.dtype == "f32"])
        b = inner.rng.choice([v for v in inner.values if v.shape == y.shape and v.dtype == "f32"])
        types = f"{x.type}, {y.type}, tensor<i32>"
        i = self.indent
        body = "\n".join(inner.lines)
        self.emit(f"stablehlo.while(%a{n} = {x.name}, %b{n} = {y.name}, %i{n} = {zero.name}) : {types}\n"
                  f"{i}cond {{\n{i}  %c{n} = stablehlo.constant dense<3> : tensor<i32>\n"
                  f"{i}  %d{n} = stablehlo.compare LT, %i{n}, %c{n} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                  f"{i}  stablehlo.return %d{n} : tensor<i1>\n{i}}} do {{\n{body}\n"
                  f"{i}  %e{n} = stablehlo.constant dense<1> : tensor<i32>\n"
                  f"{i}  %g{n} = stablehlo.add %i{n}, %e{n} : tensor<i32>\n"
                  f"{i}  stablehlo.return {a.name}, {b.name}, %g{n} : {types}\n{i}}}",
                  [x.shape, y.shape, ()], ["f32", "f32", "i32"], count=3)

    def case(self):
        x, y = self.pick(), self.pick()
        index = self.indices(1)[0]
        branches = []
        types = f"{x.type}, {y.type}"
        for _ in range(2):
            inner = Generator(self.rng, self.mesh, self.counter, self.indent + "  ", self.manual)
            inner.values = [x, y]
            for _ in range(self.rng.randint(1, 3)):
                inner.step(self.inside())
            self.functions += inner.functions
            results = [[v for v in inner.values if v.shape == wanted.shape and v.dtype == "f32"][-1]
                       for wanted in (x, y)]
            branches.append("\n".join(inner.lines) + f"\n{self.indent}  stablehlo.return "
                            f"{', '.join(v.name for v in results)} : {types}\n")
        inside = "}, {\n".join(branches)
        self.emit(f'"stablehlo.case"({index.name}) ({{\n{inside}{self.indent}}}) : (tensor<i32>) -> ({types})',
                  [x.shape, y.shape], count=2)

    def call(self):
        x = self.pick()
        name = f"called{next(self.counter)}"
        inner = Generator(self.rng, self.mesh, self.counter, "  ")
        inner.values = [Value("%arg0", x.shape)]
        for _ in range(self.rng.randint(1, 3)):
            inner.step(SIMPLE)
        y = inner.values[-1]
        if y.dtype != "f32":
            y = inner.values[0]
        self.functions += inner.functions
        self.functions.append(f"func.func private @{name}(%arg0: {x.type}) -> {y.type} {{\n" +
                              "\n".join(inner.lines) + f"\n  return {y.name} : {y.type}\n}}\n")
        self.emit(f"func.call @{name}({x.name}) : ({x.type}) -> {y.type}", y.shape)

    def step(self, names):
        getattr(self, self.rng.choice(names))()


SIMPLE = ["unary", "binary", "binary", "reshape", "transpose", "dot", "constant", "broadcast", "reduce"]
FAMILIES = {
    "elementwise": ["unary", "binary", "binary", "select", "constant", "iota"],
    "reshape": ["reshape", "transpose", "broadcast", "reverse"],
    "contraction": ["dot", "dot", "convolution"],
    "reduce": ["reduce", "reduce_window", "sort", "argmax", "sort_pairs", "cumulative"],
    "windows": ["padded_window", "select_and_scatter", "grouped_convolution", "interior_pad", "clamp"],
    "indexed": ["take", "gather_batches", "put"],
    "linear_algebra": ["cholesky", "triangular_solve", "fft"],
    "slices": ["slice", "dynamic_slice", "dynamic_update_slice", "concatenate", "pad"],
    "gather_scatter": ["gather", "scatter"],
    "annotations": ["constraint", "custom_call"],
    "barriers": ["barrier", "optimization_barrier"],
    "groups": ["group"],
    "control": ["loop", "case"],
    "calls": ["call"],
    "manual": ["manual_computation"],
}


def of_integers(text):
    """The program on integers, of which every sum has the same bits in any order."""
    text = re.sub(r"f32\b", "i32", text).replace("real32", "f32")
    text = re.sub(r"dense<(\d+)\.0>", r"dense<\1>", text)
    for float_operation, operation in (("tanh", "negate"), ("exponential", "abs"), ("sine", "not")):
        text = text.replace(f"stablehlo.{float_operation} ", f"stablehlo.{operation} ")
    return text


def of_doubles(text):
    """The program on f64, in which infinities and NaNs come up."""
    text = re.sub(r"bitcast_convert (.*real32>)", r"convert \1", text)
    return re.sub(r"f32\b", "f64", text).replace("real32", "f32")


def make(seed, number, families, most_devices=None, without=()):
    """The text of a program; without: operations that it does not have."""
    return make_both(seed, number, families, most_devices, without)[0]


def make_both(seed, number, families, most_devices=None, without=()):
    """The same, and the text of a program without manual computations that computes the same."""
    rng = random.Random(f"{seed} {number}")
    mesh = Mesh(rng, most_devices)
    if most_devices and rng.random() < 0.25:
        mesh.add_other(rng)
    counter = iter(range(1 << 30))
    g = Generator(rng, mesh, counter)
    pool = rng.sample(SIZES[1:], 3)
    arguments = []
    priorities = rng.random() < 0.3
    for i in range(rng.randint(2, 4)):
        shape = [rng.choice(pool) for _ in range(rng.randint(0, 3) or 2)]
        attribute = ""
        if rng.random() < 0.6:
            attribute = f" {{sdy.sharding = #sdy.sharding<{g.sharding(len(shape), priorities=priorities)}>}}"
        value = Value(f"%arg{i}", shape)
        arguments.append(f"{value.name}: {value.type}{attribute}")
        g.values.append(value)
    arguments.append(f"%index: tensor<i32>")
    g.values.append(Value("%index", (), "i32"))
    names = [n for f in families for n in {**FAMILIES, **VALUE_FAMILIES}[f] if n not in without]
    for _ in range(rng.randint(3, 14)):
        g.step(names)
    floats = [v for v in g.values if v.dtype == "f32"]
    # What nothing reads, so that all is alive, as far as possible.
    text = "\n".join(g.lines)
    unread = [v for v in floats if text.count(v.name.split("#")[0] + " ") + text.count(v.name + ",") +
              text.count(v.name + ")") < 2 or v is floats[-1]]
    results = unread or [floats[-1]]
    types = []
    for v in results:
        attribute = ""
        if rng.random() < 0.2:
            attribute = f" {{sdy.sharding = #sdy.sharding<{g.sharding(len(v.shape))}>}}"
        types.append(f"{v.type}{attribute}")
    returned = [(v.name, v.type) for v in results] + [(name, dynamic) for name, dynamic, _ in g.results]
    types += [dynamic + attribute for _, dynamic, attribute in g.results]
    arguments += g.parameters
    text = (f"{mesh.text()}func.func public @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n{text}\n"
            f"  return {', '.join(name for name, _ in returned)} : {', '.join(t for _, t in returned)}\n}}\n" +
            "".join(g.functions))
    whole = text
    for lines, undivided in g.undivided:
        whole = whole.replace(lines, undivided)
    return text, whole
