# SPDX-License-Identifier: Apache-2.0
"""Operations of random programs that are rarer: windows over whole dimensions, reductions and sorts
of several operands, gathers and scatters with batches and with indices that are computed, and linear
algebra. Methods of programs.Generator."""
import math


def ints(values):
    return ", ".join(str(v) for v in values)


def tensor(shape, dtype="f32"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + dtype + ">"


class RareOperations:

    def region(self, arguments, lines, results):
        """The text of a region of scalars: [(name, type)], lines, [(name, type)]."""
        indent = "      "
        head = ", ".join(f"%{name}: tensor<{dtype}>" for name, dtype in arguments)
        names = ", ".join(f"%{name}" for name, _ in results)
        types = ", ".join(f"tensor<{dtype}>" for _, dtype in results)
        body = "".join(f"{indent}  {line}\n" for line in lines)
        return f"({{\n{indent}^bb0({head}):\n{body}{indent}  stablehlo.return {names} : {types}\n{indent}}})"

    def largest(self):
        """A region that keeps the larger of two values, with its number; of equal ones that of the smaller number."""
        scalars = "(tensor<{0}>, tensor<{0}>) -> tensor<i1>"
        return self.region(
            [("ra", "f32"), ("ri", "i32"), ("rb", "f32"), ("rj", "i32")],
            [f"%rl = stablehlo.compare GT, %ra, %rb : {scalars.format('f32')}",
             f"%re = stablehlo.compare EQ, %ra, %rb : {scalars.format('f32')}",
             f"%rf = stablehlo.compare LT, %ri, %rj : {scalars.format('i32')}",
             "%rg = stablehlo.and %re, %rf : tensor<i1>", "%rc = stablehlo.or %rl, %rg : tensor<i1>",
             "%rv = stablehlo.select %rc, %ra, %rb : tensor<i1>, tensor<f32>",
             "%rk = stablehlo.select %rc, %ri, %rj : tensor<i1>, tensor<i32>"],
            [("rv", "f32"), ("rk", "i32")])

    def numbers(self, shape):
        """Integers of the shape, of which each program has its own."""
        x = self.pick(lambda v: v.shape == tuple(shape)) if self.converts and self.rng.random() < 0.4 else None
        if x is not None:
            return self.emit(f"stablehlo.convert {x.name} : ({x.type}) -> {tensor(shape, 'i32')}", shape, "i32")
        if self.rng.random() < 0.3:
            return self.emit(f"stablehlo.constant dense<{self.rng.randint(0, 2)}> : {tensor(shape, 'i32')}",
                             shape, "i32")
        return self.emit(f"stablehlo.iota dim = {self.rng.randrange(len(shape))} : {tensor(shape, 'i32')}",
                         shape, "i32")

    def argmax(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        dims, shape = self.reduced(x)
        numbers = self.emit(f"stablehlo.iota dim = {dims[0]} : {tensor(x.shape, 'i32')}", x.shape, "i32")
        low = self.scalar("0.0")
        zero = self.emit("stablehlo.constant dense<0> : tensor<i32>", (), "i32")
        self.emit(f'"stablehlo.reduce"({x.name}, {numbers.name}, {low.name}, {zero.name}) {self.largest()} '
                  f"{{dimensions = array<i64: {ints(dims)}>}} : "
                  f"({x.type}, {numbers.type}, tensor<f32>, tensor<i32>) -> "
                  f"({tensor(shape)}, {tensor(shape, 'i32')})", [shape, shape], ["f32", "i32"], count=2)

    def sort_pairs(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        along = self.rng.randrange(len(x.shape))
        numbers = self.emit(f"stablehlo.iota dim = {along} : {tensor(x.shape, 'i32')}", x.shape, "i32")
        region = self.region(
            [("sa", "f32"), ("sb", "f32"), ("si", "i32"), ("sj", "i32")],
            ["%sc = stablehlo.compare LT, %sa, %sb : (tensor<f32>, tensor<f32>) -> tensor<i1>"],
            [("sc", "i1")])
        self.emit(f'"stablehlo.sort"({x.name}, {numbers.name}) {region} '
                  f"{{dimension = {along} : i64, is_stable = true}} : ({x.type}, {numbers.type}) -> "
                  f"({x.type}, {numbers.type})", [x.shape, x.shape], ["f32", "i32"], count=2)

    def two(self, operation):
        return self.region([("ra", "f32"), ("rb", "f32")],
                           [f"%rc = stablehlo.{operation} %ra, %rb : tensor<f32>"], [("rc", "f32")])

    def cumulative(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        along, rank = self.rng.randrange(len(x.shape)), len(x.shape)
        size = x.shape[along]
        zero = self.scalar()
        window = [size if i == along else 1 for i in range(rank)]
        is_reverse = self.rng.random() < 0.3
        pads = ", ".join("[0, 0]" if i != along else f"[0, {size - 1}]" if is_reverse else f"[{size - 1}, 0]"
                         for i in range(rank))
        self.emit(f'"stablehlo.reduce_window"({x.name}, {zero.name}) {self.two("add")} '
                  f"{{window_dimensions = array<i64: {ints(window)}>, "
                  f"padding = dense<[{pads}]> : tensor<{rank}x2xi64>}} : "
                  f"({x.type}, tensor<f32>) -> {x.type}", x.shape)

    def padded_window(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        rng, rank = self.rng, len(x.shape)
        zero = self.scalar()
        window, strides, base, dilation, pads, shape = [], [], [], [], [], []
        for d in x.shape:
            w, s, b, k = rng.choice([1, 2, 3]), rng.choice([1, 1, 2]), rng.choice([1, 1, 2]), rng.choice([1, 1, 2])
            low, high = rng.choice([0, 1, 2]), rng.choice([0, 1, 2])
            length = (d - 1) * b + 1 + low + high - ((w - 1) * k + 1)
            if length < 0:
                w, s, b, k, low, high, length = 1, 1, 1, 1, 0, 0, d - 1
            for values, value in zip((window, strides, base, dilation, pads, shape),
                                     (w, s, b, k, (low, high), length // s + 1)):
                values.append(value)
        if math.prod(shape) > 1 << 14:
            return
        pad = ", ".join(f"[{low}, {high}]" for low, high in pads)
        self.emit(f'"stablehlo.reduce_window"({x.name}, {zero.name}) {self.two(rng.choice(["add", "maximum"]))} '
                  f"{{window_dimensions = array<i64: {ints(window)}>, window_strides = array<i64: {ints(strides)}>, "
                  f"base_dilations = array<i64: {ints(base)}>, window_dilations = array<i64: {ints(dilation)}>, "
                  f"padding = dense<[{pad}]> : tensor<{rank}x2xi64>}} : ({x.type}, tensor<f32>) -> {tensor(shape)}",
                  shape)

    def select_and_scatter(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        window = [self.rng.choice([1, 2]) if d % 2 == 0 else 1 for d in x.shape]
        shape = tuple(d // w for d, w in zip(x.shape, window))
        zero = self.scalar()
        source = self.pick(lambda v: v.shape == shape)
        if source is None:
            source = self.emit(f"stablehlo.constant dense<2.0> : {tensor(shape)}", shape)
        select = self.region([("ra", "f32"), ("rb", "f32")],
                             ["%rc = stablehlo.compare GE, %ra, %rb : (tensor<f32>, tensor<f32>) -> tensor<i1>"],
                             [("rc", "i1")])
        self.emit(f'"stablehlo.select_and_scatter"({x.name}, {source.name}, {zero.name}) '
                  f"({select[1:-1]}, {self.two('add')[1:-1]}) {{window_dimensions = array<i64: {ints(window)}>, "
                  f"window_strides = array<i64: {ints(window)}>}} : "
                  f"({x.type}, {source.type}, tensor<f32>) -> {x.type}", x.shape)

    def clamp(self):
        x = self.pick()
        if self.rng.random() < 0.5:
            low, high = self.scalar("1.0"), self.scalar("5.0")
        else:
            low, high = self.same(x), self.same(x)
        self.emit(f"stablehlo.clamp {low.name}, {x.name}, {high.name} : ({low.type}, {x.type}, {high.type}) -> {x.type}",
                  x.shape)

    def take(self):
        """A gather of windows at indices that are computed."""
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        rng, rank = self.rng, len(x.shape)
        indexed = sorted(rng.sample(range(rank), rng.randint(1, min(rank, 2))))
        batch = [rng.choice([1, 2, 3, 4, 8]) for _ in range(rng.randint(0, 2))]
        indices = self.numbers(batch + [len(indexed)])
        collapsed = [d for d in indexed if rng.random() < 0.7]
        sizes = [1 if d in collapsed else (rng.randint(1, s) if d in indexed or rng.random() < 0.3 else s)
                 for d, s in enumerate(x.shape)]
        kept = [s for d, s in enumerate(sizes) if d not in collapsed]
        shape = batch + kept
        self.emit(f'"stablehlo.gather"({x.name}, {indices.name}) {{dimension_numbers = #stablehlo.gather<'
                  f"offset_dims = [{ints(range(len(batch), len(shape)))}], collapsed_slice_dims = [{ints(collapsed)}], "
                  f"start_index_map = [{ints(indexed)}], index_vector_dim = {len(batch)}>, "
                  f"slice_sizes = array<i64: {ints(sizes)}>, indices_are_sorted = false}} : "
                  f"({x.type}, {indices.type}) -> {tensor(shape)}", shape)

    def gather_batches(self):
        """One row of each batch, by explicit batching dimensions or by an index that counts them."""
        x = self.pick(lambda v: len(v.shape) >= 2)
        if x is None:
            return
        rng = self.rng
        count = rng.choice([1, 2, 4, 8])
        batch = x.shape[0]
        shape = [batch, count] + list(x.shape[2:])
        offsets = ints(range(2, len(shape)))
        sizes = [1, 1] + list(x.shape[2:])
        if rng.random() < 0.5:
            indices = self.numbers([batch, count, 1])
            numbers = (f"offset_dims = [{offsets}], collapsed_slice_dims = [1], operand_batching_dims = [0], "
                       "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2")
        else:
            part = [batch, count, 1]
            counted = self.emit(f"stablehlo.iota dim = 0 : {tensor(part, 'i32')}", part, "i32")
            rows = self.numbers(part)
            both = [batch, count, 2]
            indices = self.emit(f"stablehlo.concatenate {counted.name}, {rows.name}, dim = 2 : "
                                f"({counted.type}, {rows.type}) -> {tensor(both, 'i32')}", both, "i32")
            numbers = (f"offset_dims = [{offsets}], collapsed_slice_dims = [0, 1], "
                       "start_index_map = [0, 1], index_vector_dim = 2")
        self.emit(f'"stablehlo.gather"({x.name}, {indices.name}) {{dimension_numbers = #stablehlo.gather<{numbers}>, '
                  f"slice_sizes = array<i64: {ints(sizes)}>, indices_are_sorted = false}} : "
                  f"({x.type}, {indices.type}) -> {tensor(shape)}", shape)

    def put(self):
        """A scatter at indices that are computed, of windows or by batches."""
        x = self.pick(lambda v: len(v.shape) >= 2)
        if x is None:
            return
        rng = self.rng
        count = rng.choice([1, 2, 4, 8])
        operation = rng.choice(["add", "maximum", "subtract"])
        if rng.random() < 0.4:
            indices = self.numbers([x.shape[0], count, 1])
            shape = [x.shape[0], count] + list(x.shape[2:])
            numbers = (f"update_window_dims = [{ints(range(2, len(shape)))}], inserted_window_dims = [1], "
                       "input_batching_dims = [0], scatter_indices_batching_dims = [0], "
                       "scatter_dims_to_operand_dims = [1], index_vector_dim = 2")
        else:
            along = rng.randrange(len(x.shape))
            indices = self.numbers([count, 1])
            rest = [d for i, d in enumerate(x.shape) if i != along]
            shape = [count] + rest
            numbers = (f"update_window_dims = [{ints(range(1, len(shape)))}], inserted_window_dims = [{along}], "
                       f"scatter_dims_to_operand_dims = [{along}], index_vector_dim = 1")
        updates = self.pick(lambda v: v.shape == tuple(shape))
        if updates is None:
            updates = self.emit(f"stablehlo.constant dense<3.0> : {tensor(shape)}", shape)
        self.emit(f'"stablehlo.scatter"({x.name}, {indices.name}, {updates.name}) {self.two(operation)} '
                  f"{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, indices_are_sorted = false, "
                  f"unique_indices = false}} : ({x.type}, {indices.type}, {updates.type}) -> {x.type}", x.shape)

    def grouped_convolution(self):
        """Strides, padding, gaps and groups."""
        x = self.pick(lambda v: len(v.shape) == 3)
        if x is None:
            return
        rng = self.rng
        batch, rows, features = x.shape
        groups = rng.choice([g for g in (1, 2, 4) if features % g == 0])
        batches = rng.choice([g for g in (1, 2) if batch % g == 0]) if groups == 1 else 1
        width, out = rng.choice([1, 2, 3]), rng.choice([1, 2, 3]) * groups * batches
        stride, low, high, base, gap = (rng.choice(c) for c in ([1, 1, 2], [0, 1], [0, 1], [1, 1, 2], [1, 1, 2]))
        length = (rows - 1) * base + 1 + low + high - ((width - 1) * gap + 1)
        if length < 0:
            return
        kernel_shape = (width, features // groups, out)
        kernel = self.pick(lambda v: v.shape == kernel_shape)
        if kernel is None:
            kernel = self.emit(f"stablehlo.iota dim = 0 : {tensor(kernel_shape)}", kernel_shape)
        shape = (batch // batches, length // stride + 1, out)
        self.emit(f"stablehlo.convolution({x.name}, {kernel.name}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
                  f"window = {{stride = [{stride}], pad = [[{low}, {high}]], lhs_dilate = [{base}], "
                  f"rhs_dilate = [{gap}]}} {{batch_group_count = {batches} : i64, feature_group_count = {groups} : i64}} : "
                  f"({x.type}, {kernel.type}) -> {tensor(shape)}", shape)

    def interior_pad(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        rng = self.rng
        low = [rng.choice([0, 1, -1]) if d > 2 else 0 for d in x.shape]
        high = [rng.choice([0, 2, -1]) if d > 2 else 0 for d in x.shape]
        interior = [rng.choice([0, 0, 1]) for _ in x.shape]
        shape = [d + (d - 1) * i + l + h for d, l, h, i in zip(x.shape, low, high, interior)]
        if math.prod(shape) > 1 << 14:
            return
        zero = self.scalar("1.0")
        self.emit(f"stablehlo.pad {x.name}, {zero.name}, low = [{ints(low)}], high = [{ints(high)}], "
                  f"interior = [{ints(interior)}] : ({x.type}, tensor<f32>) -> {tensor(shape)}", shape)

    def triangular_solve(self):
        a = self.pick(lambda v: len(v.shape) >= 2 and v.shape[-1] == v.shape[-2])
        if a is None:
            return
        b = self.pick(lambda v: len(v.shape) == len(a.shape) and v.shape[:-1] == a.shape[:-1]) or a
        self.emit(f'"stablehlo.triangular_solve"({a.name}, {b.name}) {{left_side = true, lower = true, '
                  f"unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}} : "
                  f"({a.type}, {b.type}) -> {b.type}", b.shape)

    def fft(self):
        x = self.pick(lambda v: v.shape)
        if x is None:
            return
        half = list(x.shape[:-1]) + [x.shape[-1] // 2 + 1]
        spectrum = self.emit(f"stablehlo.fft {x.name}, type = RFFT, length = [{x.shape[-1]}] : "
                             f"({x.type}) -> {tensor(half, 'complex<f32>')}", half, "complex<f32>")
        self.emit(f"stablehlo.real {spectrum.name} : ({spectrum.type}) -> {tensor(half)}", half)
