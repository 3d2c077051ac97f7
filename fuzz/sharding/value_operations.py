# SPDX-License-Identifier: Apache-2.0
"""Operations of random programs whose values are compared: they are on integers, so that `f32` in the
text becomes i32 at last, and `real32` becomes f32. Methods of programs.Generator."""
import math
import re

from rare_operations import ints, tensor

# Types that values pass through, and how a zero of them is written.
TYPES = {"i1": "false", "i8": "0", "ui8": "0", "i16": "0", "i64": "0", "bf16": "0.0e0", "f16": "0.0e0",
         "f64": "0.0e0", "complex<real32>": "(0.0e0, 0.0e0)"}


class ValueOperations:

    def scan(self):
        """A loop that reads a row of one array in each step, and writes one of another."""
        xs = self.pick(lambda v: v.shape)
        if xs is None:
            return
        carry = self.pick()
        row = (1,) + xs.shape[1:]
        zero = self.emit("stablehlo.constant dense<0> : tensor<i32>", (), "i32")
        n, i = next(self.counter), self.indent
        inner = type(self)(self.rng, self.mesh, self.counter, i + "  ", self.manual)
        starts = [f"%i{n}"] + [f"%z{n}"] * (len(row) - 1)
        scalars = ", ".join(["tensor<i32>"] * len(row))
        inner.lines.append(f"{i}  %z{n} = stablehlo.constant dense<0> : tensor<i32>")
        inner.values = [type(carry)(f"%c{n}", carry.shape)]
        read = inner.emit(f"stablehlo.dynamic_slice %x{n}, {', '.join(starts)}, sizes = [{ints(row)}] : "
                          f"({xs.type}, {scalars}) -> {tensor(row)}", row)
        for _ in range(self.rng.randint(1, 4)):
            inner.step(["unary", "binary", "binary", "dot", "reduce", "broadcast", "transpose", "constraint"])
        carried = inner.rng.choice([v for v in inner.values if v.shape == carry.shape and v.dtype == "f32"])
        made = inner.rng.choice([v for v in inner.values if v.shape == row and v.dtype == "f32"] or [read])
        written = inner.emit(
            f"stablehlo.dynamic_update_slice %y{n}, {made.name}, {', '.join(starts)} : "
            f"({xs.type}, {made.type}, {scalars}) -> {xs.type}", xs.shape)
        body = "\n".join(inner.lines)
        ys = self.same(xs)
        types = f"{xs.type}, {ys.type}, {carry.type}, tensor<i32>"
        steps = self.rng.choice([xs.shape[0], max(1, xs.shape[0] - 1)])
        self.emit(f"stablehlo.while(%x{n} = {xs.name}, %y{n} = {ys.name}, %c{n} = {carry.name}, "
                  f"%i{n} = {zero.name}) : {types}\n"
                  f"{i}cond {{\n{i}  %k{n} = stablehlo.constant dense<{steps}> : tensor<i32>\n"
                  f"{i}  %d{n} = stablehlo.compare LT, %i{n}, %k{n} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                  f"{i}  stablehlo.return %d{n} : tensor<i1>\n{i}}} do {{\n{body}\n"
                  f"{i}  %e{n} = stablehlo.constant dense<1> : tensor<i32>\n"
                  f"{i}  %g{n} = stablehlo.add %i{n}, %e{n} : tensor<i32>\n"
                  f"{i}  stablehlo.return %x{n}, {written.name}, {carried.name}, %g{n} : {types}\n{i}}}",
                  [xs.shape, ys.shape, carry.shape, ()], ["f32", "f32", "f32", "i32"], count=4)

    def moved(self):
        """Operations that move elements, on another type."""
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        dtype = self.rng.choice(sorted(TYPES))
        other = type(self)(self.rng, self.mesh, self.counter, self.indent, self.manual)
        if dtype.startswith("complex"):
            real = self.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {tensor(x.shape, 'real32')}",
                             x.shape, "real32")
            start = self.emit(f"stablehlo.complex {real.name}, {real.name} : {tensor(x.shape, dtype)}",
                              x.shape, dtype)
        else:
            start = self.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {tensor(x.shape, dtype)}", x.shape, dtype)
        other.values = [type(x)(start.name, x.shape)]
        other.converts = not dtype.startswith("complex")
        for _ in range(self.rng.randint(1, 3)):
            other.step(["slice", "dynamic_slice", "dynamic_update_slice", "concatenate", "pad", "reverse",
                        "take", "gather_batches", "reshape", "transpose", "broadcast", "constraint"])
        text = re.sub(r"f32\b", dtype, "\n".join(other.lines))
        text = re.sub(rf"dense<\d+\.0> : (tensor<(?:\d+x)*{re.escape(dtype)}>)", rf"dense<{TYPES[dtype]}> : \1", text)
        last = [v for v in other.values if v.dtype == "f32"][-1]
        if text:
            self.lines += text.split("\n")
        value = tensor(last.shape, dtype)
        if dtype.startswith("complex"):
            part = tensor(last.shape, "real32")
            real = self.emit(f"stablehlo.{self.rng.choice(['real', 'imag'])} {last.name} : ({value}) -> {part}",
                             last.shape, "real32")
            self.emit(f"stablehlo.convert {real.name} : ({part}) -> {tensor(last.shape)}", last.shape)
        else:
            self.emit(f"stablehlo.convert {last.name} : ({value}) -> {tensor(last.shape)}", last.shape)

    def bits(self):
        """A dimension for the bytes of each element, and back."""
        x = self.pick(lambda v: len(v.shape) < 4)
        split = x.shape + (4,)
        part = self.emit(f"stablehlo.bitcast_convert {x.name} : ({x.type}) -> {tensor(split, 'ui8')}", split, "ui8")
        turned = self.emit(f"stablehlo.reverse {part.name}, dims = [{self.rng.randrange(len(split))}] : {part.type}",
                           split, "ui8")
        self.emit(f"stablehlo.bitcast_convert {turned.name} : ({turned.type}) -> {x.type}", x.shape)

    def sort_keys(self):
        """Rows in the order of two keys."""
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        y, z = self.same(x), self.same(x)
        along = self.rng.randrange(len(x.shape))
        scalars = "(tensor<f32>, tensor<f32>) -> tensor<i1>"
        region = self.region(
            [(f"s{c}", "f32") for c in "abcdef"],
            [f"%l = stablehlo.compare LT, %sa, %sb : {scalars}", f"%e = stablehlo.compare EQ, %sa, %sb : {scalars}",
             f"%m = stablehlo.compare GT, %sc, %sd : {scalars}", "%b = stablehlo.and %e, %m : tensor<i1>",
             "%r = stablehlo.or %l, %b : tensor<i1>"], [("r", "i1")])
        types = ", ".join([x.type] * 3)
        self.emit(f'"stablehlo.sort"({x.name}, {y.name}, {z.name}) {region} '
                  f"{{dimension = {along} : i64, is_stable = true}} : ({types}) -> ({types})",
                  [x.shape] * 3, ["f32"] * 3, count=3)

    def top_k(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        shape = x.shape[:-1] + (self.rng.randint(1, x.shape[-1]),)
        self.emit(f"chlo.top_k({x.name}, k = {shape[-1]}) : {x.type} -> ({tensor(shape)}, {tensor(shape, 'i32')})",
                  [shape, shape], ["f32", "i32"], count=2)

    def window_of_pairs(self):
        """The largest element of each window, with its number."""
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        rng = self.rng
        numbers = self.emit(f"stablehlo.iota dim = {rng.randrange(len(x.shape))} : {tensor(x.shape, 'i32')}",
                            x.shape, "i32")
        low = self.scalar("0.0")
        zero = self.emit("stablehlo.constant dense<0> : tensor<i32>", (), "i32")
        window = [rng.choice([1, min(2, d), min(3, d), d]) for d in x.shape]
        strides = [rng.choice([1, w]) for w in window]
        shape = [(d - w) // s + 1 for d, w, s in zip(x.shape, window, strides)]
        self.emit(f'"stablehlo.reduce_window"({x.name}, {numbers.name}, {low.name}, {zero.name}) {self.largest()} '
                  f"{{window_dimensions = array<i64: {ints(window)}>, window_strides = array<i64: {ints(strides)}>}} : "
                  f"({x.type}, {numbers.type}, tensor<f32>, tensor<i32>) -> ({tensor(shape)}, {tensor(shape, 'i32')})",
                  [shape, shape], ["f32", "i32"], count=2)

    def dot_of_pairs(self):
        """A product over two dimensions."""
        x = self.pick(lambda v: len(v.shape) in (2, 3))
        y = x and self.pick(lambda v: len(v.shape) in (2, 3) and v.shape[0] == x.shape[-1] and
                            v.shape[1] == x.shape[0])
        if y is None:
            return
        shape = x.shape[1:-1] + y.shape[2:]
        self.emit(f"stablehlo.dot_general {x.name}, {y.name}, contracting_dims = [{len(x.shape) - 1}, 0] x [0, 1] : "
                  f"({x.type}, {y.type}) -> {tensor(shape)}", shape)

    def ragged_dot(self):
        """Groups of rows, of contracted rows or of batches; the last rows may be in no group."""
        x = self.pick(lambda v: len(v.shape) in (2, 3))
        if x is None:
            return
        rng = self.rng
        batch = len(x.shape) == 3
        rows, columns = len(x.shape) - 2, len(x.shape) - 1
        kind = rng.choice(["rows", "contracted"] + (["batch"] if batch else []))
        groups, width = rng.choice([1, 2, 3, 4]), rng.choice([1, 2, 4, 6])
        lead = x.shape[:1] if batch else ()
        ragged = {"rows": x.shape[rows], "contracted": x.shape[columns], "batch": x.shape[0]}[kind]
        sizes_shape = (groups,) if kind == "batch" or rng.random() < 0.5 else lead + (groups,)
        if ragged // groups == 0:
            return
        sizes = self.emit(f"stablehlo.constant dense<{ragged // groups}> : {tensor(sizes_shape, 'i32')}",
                          sizes_shape, "i32")
        right = ((groups,) if kind == "rows" else ()) + (x.shape[columns], width)
        right = lead + right
        y = self.pick(lambda v: v.shape == right)
        if y is None:
            y = self.emit(f"stablehlo.iota dim = {rng.randrange(len(right))} : {tensor(right)}", right)
        group = f"{int(batch)}" if kind == "rows" else ""
        shape = lead + (x.shape[rows], width)
        if kind == "contracted":
            shape = (groups,) + shape
        ragged_dim = {"rows": rows, "contracted": columns, "batch": 0}[kind]
        lead_dims = "0" if batch else ""
        self.emit(f'"chlo.ragged_dot"({x.name}, {y.name}, {sizes.name}) {{ragged_dot_dimension_numbers = '
                  f"#chlo.ragged_dot<lhs_batching_dimensions = [{lead_dims}], rhs_batching_dimensions = [{lead_dims}], "
                  f"lhs_contracting_dimensions = [{columns}], rhs_contracting_dimensions = [{len(right) - 2}], "
                  f"lhs_ragged_dimensions = [{ragged_dim}], rhs_group_dimensions = [{group}]>}} : "
                  f"({x.type}, {y.type}, {sizes.type}) -> {tensor(shape)}", shape)

    def convolution_2d(self):
        x = self.pick(lambda v: len(v.shape) == 3)
        if x is None:
            return
        rng = self.rng
        image = self.emit(f"stablehlo.broadcast_in_dim {x.name}, dims = [0, 1, 3] : ({x.type}) -> "
                          f"{tensor((x.shape[0], x.shape[1], 6, x.shape[2]))}",
                          (x.shape[0], x.shape[1], 6, x.shape[2]))
        b, h, w, f = image.shape
        groups = rng.choice([g for g in (1, 2, f) if f % g == 0])
        batches = rng.choice([g for g in (1, 2, b) if b % g == 0]) if groups == 1 else 1
        kh, kw, out = rng.choice([1, 2, min(3, h), h]), rng.choice([1, 3]), rng.choice([1, 2]) * groups * batches
        kernel_shape = (kh, kw, f // groups, out)
        kernel = self.emit(f"stablehlo.iota dim = {rng.randrange(4)} : {tensor(kernel_shape)}", kernel_shape)
        low, high, stride = rng.choice([-1, 0, 1, 2]), rng.choice([0, 1, 2]), rng.choice([1, 1, 2, 3])
        rows = (h + low + high - kh) // stride + 1
        columns = 6 - kw + 1
        if h + low + high < kh:
            return
        shape = (b // batches, rows, columns, out)
        reverse = rng.choice(["false, false", "true, false", "true, true"])
        self.emit(f"stablehlo.convolution({image.name}, {kernel.name}) dim_numbers = "
                  f"[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [{stride}, 1], "
                  f"pad = [[{low}, {high}], [0, 0]], reverse = [{reverse}]}} "
                  f"{{batch_group_count = {batches} : i64, feature_group_count = {groups} : i64}} : "
                  f"({image.type}, {kernel.type}) -> {tensor(shape)}", shape)

    def replace(self):
        """A scatter of windows that do not overlap, in several dimensions."""
        x = self.pick(lambda v: len(v.shape) >= 2)
        if x is None:
            return
        rows, columns = x.shape[:2]
        count = self.rng.randint(1, min(rows, columns))
        numbers = self.emit(f"stablehlo.iota dim = 0 : {tensor((count, 2), 'i32')}", (count, 2), "i32")
        shape = (count,) + x.shape[2:]
        updates = self.pick(lambda v: v.shape == shape)
        if updates is None:
            updates = self.emit(f"stablehlo.iota dim = {self.rng.randrange(len(shape))} : {tensor(shape)}", shape)
        keep = self.region([("ra", "f32"), ("rb", "f32")], [], [("rb", "f32")])
        self.emit(f'"stablehlo.scatter"({x.name}, {numbers.name}, {updates.name}) {keep} '
                  f"{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [{ints(range(1, len(shape)))}], "
                  f"inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, "
                  f"indices_are_sorted = true, unique_indices = true}} : "
                  f"({x.type}, {numbers.type}, {updates.type}) -> {x.type}", x.shape)

    def reduce_pairs(self):
        """A sum and a largest element at once."""
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        y = self.same(x)
        zero = self.scalar()
        dims, shape = self.reduced(x)
        region = self.region([(f"r{c}", "f32") for c in "abcd"],
                             ["%rs = stablehlo.add %ra, %rc : tensor<f32>",
                              "%rm = stablehlo.maximum %rb, %rd : tensor<f32>"], [("rs", "f32"), ("rm", "f32")])
        self.emit(f'"stablehlo.reduce"({x.name}, {y.name}, {zero.name}, {zero.name}) {region} '
                  f"{{dimensions = array<i64: {ints(dims)}>}} : ({x.type}, {y.type}, tensor<f32>, tensor<f32>) -> "
                  f"({tensor(shape)}, {tensor(shape)})", [shape, shape], ["f32", "f32"], count=2)

    def reduce_bits(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        operation, start = self.rng.choice([("and", "-1"), ("or", "0"), ("xor", "0"), ("minimum", "100"),
                                            ("multiply", "1")])
        init = self.scalar(start)
        self.emit_reduce(x, init, operation, *self.reduced(x))

    def map(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        self.emit(f'"stablehlo.map"({x.name}, {self.same(x).name}) <{{dimensions = array<i64: '
                  f"{ints(range(len(x.shape)))}>}}> {self.two('subtract')} : ({x.type}, {x.type}) -> {x.type}", x.shape)

    def random_bits(self):
        state = self.emit("stablehlo.constant dense<[1, 2]> : tensor<2xui64>", (2,), "ui64")
        shape = self.pick().shape
        bits = self.emit(f"stablehlo.rng_bit_generator {state.name}, algorithm = THREE_FRY : (tensor<2xui64>) -> "
                         f"(tensor<2xui64>, {tensor(shape, 'ui32')})", [(2,), shape], ["ui64", "ui32"], count=2)[1]
        self.emit(f"stablehlo.convert {bits.name} : ({bits.type}) -> {tensor(shape)}", shape)

    def dynamic_type(self, shape, along):
        known = ["?" if i == along else str(d) for i, d in enumerate(shape)]
        bounds = [str(d) if i == along else "?" for i, d in enumerate(shape)]
        return f"tensor<{'x'.join(known)}xf32, #stablehlo.bounds<{', '.join(bounds)}>>"

    def sized(self, x, along):
        """The first elements along a dimension."""
        size = self.emit(f"stablehlo.constant dense<{self.rng.randint(0, x.shape[along])}> : tensor<i32>", (), "i32")
        return self.emit(f"stablehlo.set_dimension_size {x.name}, {size.name}, dim = {along} : "
                         f"({x.type}, tensor<i32>) -> {self.dynamic_type(x.shape, along)}", x.shape, "dynamic").name

    def sum_of_sized(self, name, shape, along):
        zero = self.scalar("1.0")
        dynamic = self.dynamic_type(shape, along)
        if self.rng.random() < 0.5:
            name = self.emit(f"stablehlo.negate {name} : {dynamic}", shape, "dynamic").name
        reduced = {along} | set(self.rng.sample(range(len(shape)), self.rng.randint(0, len(shape) - 1)))
        left = [d for i, d in enumerate(shape) if i not in reduced]
        self.emit(f"stablehlo.reduce({name} init: {zero.name}) applies stablehlo.add across "
                  f"dimensions = [{ints(sorted(reduced))}] : ({dynamic}, tensor<f32>) -> {tensor(left)}", left)

    def dynamic_size(self):
        """A sum over the first rows, as many as an index says."""
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        along = self.rng.randrange(len(x.shape))
        self.sum_of_sized(self.sized(x, along), x.shape, along)

    def dynamic_parameter(self):
        """A parameter of a size that is known at run time, summed."""
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        along = self.rng.randrange(len(x.shape))
        name = f"%sized{next(self.counter)}"
        self.parameters.append(f"{name}: {self.dynamic_type(x.shape, along)}{self.stated(x.shape)}")
        self.sum_of_sized(name, x.shape, along)

    def dynamic_result(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        along = self.rng.randrange(len(x.shape))
        self.results.append((self.sized(x, along), self.dynamic_type(x.shape, along), self.stated(x.shape)))

    def stated(self, shape):
        """The sharding of a parameter or result, if any."""
        return f" {{sdy.sharding = #sdy.sharding<{self.sharding(len(shape))}>}}" if self.rng.random() < 0.5 else ""

    def as_reals(self, x, operation):
        """What an operation makes of the numbers as reals, bit for bit."""
        real = tensor(x.shape, "real32")
        start = self.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {real}", x.shape, "real32")
        made = operation(start)
        self.emit(f"stablehlo.bitcast_convert {made.name} : ({made.type}) -> {tensor(made.shape)}", made.shape)

    def approximate_top_k(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        along = self.rng.randrange(len(x.shape))
        shape = [self.rng.randint(1, d) if i == along else d for i, d in enumerate(x.shape)]
        numbers = self.emit(f"stablehlo.iota dim = {along} : {tensor(x.shape, 'i32')}", x.shape, "i32")
        low = self.scalar("0.0")
        none = self.emit("stablehlo.constant dense<-1> : tensor<i32>", (), "i32")
        name = f"larger{next(self.counter)}"
        arguments = ", ".join(f"%arg{i}: tensor<{dtype}>" for i, dtype in enumerate(["f32", "f32", "i32", "i32"]))
        self.functions.append(
            f"func.func private @{name}({arguments}) -> tensor<i1> {{\n"
            "  %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "  return %0 : tensor<i1>\n}\n")
        self.emit(f"stablehlo.custom_call @ApproxTopK({x.name}, {numbers.name}, {low.name}, {none.name}) "
                  f'{{backend_config = "", called_computations = [@{name}], mhlo.backend_config = {{'
                  f"aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : real32, reduction_dim = {along} : i64, "
                  f"reduction_input_size_override = -1 : i64, top_k = {shape[along]} : i64}}}} : "
                  f"({x.type}, {numbers.type}, tensor<f32>, tensor<i32>) -> ({tensor(shape)}, {tensor(shape, 'i32')})",
                  [shape, shape], ["f32", "i32"], count=2)

    def batch_norm(self, name, x, features, others):
        """x, some values of each feature, and others of the shape of x, with the attributes of a batch norm."""
        along = self.rng.randrange(len(x.shape))
        size = (x.shape[along],)
        vectors = []
        for _ in range(features):
            v = self.pick(lambda v: v.shape == size)
            if v is None or self.rng.random() < 0.3:
                v = self.emit(f"stablehlo.iota dim = 0 : {tensor(size)}", size)
            vectors.append(v)
        operands = [x, *vectors, *others]
        types = ", ".join(v.type for v in operands)
        results = [x.shape] if name == "inference" else [x.shape, size, size]
        text = ", ".join(tensor(s) for s in results)
        self.emit(f'"stablehlo.batch_norm_{name}"({", ".join(v.name for v in operands)}) '
                  f"{{epsilon = 1.0e-01 : real32, feature_index = {along} : i64}} : ({types}) -> "
                  f"{text if len(results) == 1 else f'({text})'}",
                  results if len(results) > 1 else x.shape, count=len(results))

    def batch_norm_training(self):
        x = self.pick(lambda v: v.shape)
        if x is not None:
            self.batch_norm("training", x, 2, [])

    def batch_norm_inference(self):
        x = self.pick(lambda v: v.shape)
        if x is not None:
            self.batch_norm("inference", x, 4, [])

    def batch_norm_grad(self):
        x = self.pick(lambda v: v.shape)
        if x is not None:
            self.batch_norm("grad", x, 3, [self.same(x)])

    def real_fft(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        count = self.rng.randint(1, min(3, len(x.shape)))
        half = x.shape[:-1] + (x.shape[-1] // 2 + 1,)
        length = ints(x.shape[len(x.shape) - count:])

        def transform(start):
            whole = tensor(half, "complex<real32>")
            made = self.emit(f"stablehlo.fft {start.name}, type = RFFT, length = [{length}] : ({start.type}) -> {whole}",
                             half, "complex<real32>")
            if self.rng.random() < 0.5:
                return self.emit(f"stablehlo.fft {made.name}, type = IRFFT, length = [{length}] : ({whole}) -> "
                                 f"{start.type}", x.shape, "real32")
            return self.emit(f"stablehlo.{self.rng.choice(['real', 'imag'])} {made.name} : ({whole}) -> "
                             f"{tensor(half, 'real32')}", half, "real32")
        self.as_reals(x, transform)

    def real_cholesky(self):
        x = self.pick(lambda v: len(v.shape) >= 2 and v.shape[-1] == v.shape[-2])
        if x is None:
            return
        self.as_reals(x, lambda start: self.emit(
            f"stablehlo.cholesky {start.name}, lower = {self.rng.choice(['true', 'false'])} : {start.type}",
            x.shape, "real32"))

    def real_solve(self):
        a = self.pick(lambda v: len(v.shape) >= 2 and v.shape[-1] == v.shape[-2])
        if a is None:
            return
        left = self.emit(f"stablehlo.convert {a.name} : ({a.type}) -> {tensor(a.shape, 'real32')}", a.shape, "real32")
        b = self.pick(lambda v: len(v.shape) == len(a.shape) and v.shape[:-1] == a.shape[:-1]) or a
        self.as_reals(b, lambda start: self.emit(
            f'"stablehlo.triangular_solve"({left.name}, {start.name}) {{left_side = true, lower = true, '
            f"unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}} : "
            f"({left.type}, {start.type}) -> {start.type}", b.shape, "real32"))


VALUE_FAMILIES = {
    "scans": ["scan"],
    "types": ["moved", "moved", "bits"],
    "norms": ["batch_norm_training", "batch_norm_inference", "batch_norm_grad"],
    "several": ["sort_keys", "top_k", "approximate_top_k", "window_of_pairs", "reduce_pairs", "reduce_bits", "map"],
    "products": ["dot_of_pairs", "ragged_dot", "convolution_2d"],
    "writes": ["replace"],
    "collectives": ["manual_collectives"],
    "reals": ["real_fft", "real_cholesky", "real_solve"],
    "generated": ["random_bits"],
    "sizes": ["dynamic_size", "dynamic_parameter", "dynamic_result"],
}
