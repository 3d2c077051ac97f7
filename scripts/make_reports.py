#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of tests/reports: what JAX lowers the functions below to, with inputs and right answers.

    scripts/make_reports.py [--out tests/reports] [NAME...]      (needs jax and SciPy: make oracle)

Each function stands for one public report, whose repository and number begin its name. It calls
c.eq, c.close (units in the last place) or c.almost (an absolute difference) with what the program
computes from c.input(array), and with the answer: of NumPy in double precision, of exact integers,
or of mathematics, never of a compiler. Programs that JAX cannot say are written by hand beside them.
"""
import argparse
import functools
import itertools
import os
import pathlib
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
REPORTS = {}
f32 = np.float32


def report(name, title, form="hlo"):
    """`form`: mlir for StableHLO, of functions that jaxlib's translation to HLO expands or dies of."""

    def add(function):
        REPORTS[name] = (title, function, form)
        return function

    return add


class Checks:
    """The inputs of a program and its checks, while it is traced."""

    def input(self, value):
        # A barrier keeps passes from computing with it.
        return lax.optimization_barrier(jnp.asarray(value))

    def check(self, target, got, want):
        got = jnp.asarray(got)
        want = np.asarray(want)
        assert got.shape == want.shape, (got.shape, want.shape)
        with np.errstate(all="ignore"):
            want = want.astype(got.dtype)
        jax.ffi.ffi_call(target, (), has_side_effect=True)(got, want)

    def eq(self, got, want):
        self.check("check.expect_eq", got, want)

    def close(self, got, want, ulp=3):
        self.check(f"check.expect_close|max_ulp_difference={ulp}", got, want)

    def almost(self, got, want, tolerance):
        self.check(f"check.expect_almost_eq|tolerance={tolerance}", got, want)


# --- Reductions and windows


@report("jax-39103-vmapped-matvec", "vmapped matrix-vector product, squared and summed")
def _(c):
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.float32):
        for n in (5, 37):
            x = rng.integers(-9, 10, (n, 3)).astype(dtype)
            m = rng.integers(-3, 4, (3, 3)).astype(dtype)
            a, b = c.input(x), c.input(m)
            c.eq(jax.vmap(lambda row: jnp.sum((b @ row) ** 2))(a), ((x @ m.T) ** 2).sum(1))
            c.eq(jax.vmap(lambda row: jnp.max(jnp.abs(b @ row)))(a), np.abs(x @ m.T).max(1))


@report("jax-39257-rank8-broadcast-reduce", "a broadcast product of rank 8 and more, reduced")
def _(c):
    rng = np.random.default_rng(0)
    obs, a = rng.integers(1, 9, (2, 2, 3)), rng.integers(1, 9, (2, 2, 3, 2, 1, 2, 2, 1))
    got = jnp.sum(c.input(obs.astype(f32))[..., None, None, None, None, None] * c.input(a.astype(f32)), axis=2)
    c.eq(got, np.einsum("abc,abcdefgh->abdefgh", obs, a))
    c.close(jnp.log(jnp.maximum(got, 1e-16)), np.log(np.einsum("abc,abcdefgh->abdefgh", obs, a).astype(float)), 3)


@report("jax-40412-high-rank-sum", "products of arrays of rank 7 and 8, summed along each axis")
def _(c):
    rng = np.random.default_rng(1)
    for shape in ((3, 1, 2, 2, 2, 2, 2), (2, 2, 1, 1, 2, 3, 2, 2)):
        u, w = rng.integers(-9, 9, shape), rng.integers(-9, 9, shape)
        for axis in range(len(shape)):
            c.eq(jnp.sum(c.input(u.astype(f32)) * c.input(w.astype(f32)), axis=axis), (u * w).sum(axis))


@report("openxla-41173-high-rank-contraction", "a ring of tensors contracted to one of many dimensions; jax#35646, #35958")
def _(c):
    n, rng = 6, np.random.default_rng(42)
    p = [rng.integers(-2, 3, (2, 2, 2)) for _ in range(n)]
    h = [rng.integers(-1, 2, (2, 2, 2, 2)) for _ in range(n)]

    def state(xp, p, h):
        t = xp.moveaxis(xp.asarray(p[0]), 1, 2)
        for q in p[1:]:
            t = xp.moveaxis(xp.tensordot(t, q, ((t.ndim - 1,), (0,))), -1, -2)
        t = xp.trace(t, axis1=0, axis2=t.ndim - 1)
        for i in range(n - 1):
            t = xp.moveaxis(xp.tensordot(t, h[i], ((i, i + 1), (0, 1))), (-2, -1), (i, i + 1))
        return t

    got = state(jnp, [c.input(q.astype(np.float64)) for q in p], [c.input(q.astype(np.float64)) for q in h])
    c.eq(got, state(np, p, h) + 0)


def windows(x, size, strides, base, dilation, pads, op, init):
    """The results of reduce_window, by holes and slices."""
    shape = [(n - 1) * d + 1 if n else 0 for n, d in zip(x.shape, base)]
    y = np.full(shape, init, x.dtype)
    y[tuple(slice(None, None, d) for d in base)] = x
    z = np.full([max(s + lo + hi, 0) for s, (lo, hi) in zip(shape, pads)], init, x.dtype)
    for index in np.ndindex(*shape):
        place = tuple(i + lo for i, (lo, _) in zip(index, pads))
        if all(0 <= p < s for p, s in zip(place, z.shape)):
            z[place] = y[index]
    reach = [(w - 1) * d + 1 for w, d in zip(size, dilation)]
    out = [(s - r) // k + 1 if s >= r else 0 for s, r, k in zip(z.shape, reach, strides)]
    result = np.full(out, init, x.dtype)
    for index in np.ndindex(*out):
        for tap in np.ndindex(*size):
            place = tuple(i * k + t * d for i, k, t, d in zip(index, strides, tap, dilation))
            result[index] = op(result[index], z[place])
    return result


@report("openxla-48714-window-base-dilation", "reduce_window that forgets base_dilation")
def _(c):
    rng = np.random.default_rng(1)
    x = rng.integers(-50, 50, (6, 7)).astype(f32)
    for size, strides, base, dilation, pads in (
        ((2, 1), (2, 1), (1, 2), (1, 1), ((0, 0), (0, 0))),
        ((1, 1), (1, 1), (2, 3), (1, 1), ((0, 0), (0, 0))),
        ((3, 2), (1, 2), (2, 1), (2, 3), ((2, -1), (-2, 3))),
        ((1, 3), (1, 1), (3, 1), (1, 2), ((1, 1), (2, 2))),
        ((1, 1), (2, 2), (2, 2), (1, 1), ((-1, 0), (0, -1))),
    ):
        for primitive, op, init in ((lax.max, np.maximum, -np.inf), (lax.add, np.add, 0.0)):
            got = lax.reduce_window(c.input(x), f32(init), primitive, size, strides, pads, base_dilation=base, window_dilation=dilation)
            c.eq(got, windows(x, size, strides, base, dilation, pads, op, f32(init)))


@report("openxla-48719-window-of-ones-negative-padding", "reduce_window of an all-1 window with negative padding")
def _(c):
    x = np.arange(32, dtype=f32).reshape(8, 4)
    for pads in (((-1, 0), (0, 0)), ((-2, -1), (-1, -3))):
        got = lax.reduce_window(c.input(x), f32(0), lax.add, (1, 1), (1, 1), pads)
        c.eq(got, x[tuple(slice(-lo, n + hi) for n, (lo, hi) in zip(x.shape, pads))])


@report("openxla-48713-convolution-negative-padding", "convolutions with negative padding read out of bounds; jax#11517")
def _(c):
    rng = np.random.default_rng(2)
    for channels, kernel, pads in ((3, (3, 2), ((-1, -1), (2, -2))), (16, (1, 1), ((-2, 0), (0, 0))), (1, (3, 2), ((-3, 1), (-1, 1)))):
        x = rng.integers(-4, 5, (1, 7, 6, channels))
        k = rng.integers(-2, 3, kernel + (channels, 2))
        (t, b), (l, r) = pads
        z = np.zeros((1, 7 + t + b, 6 + l + r, channels), int)
        for i, j in np.ndindex(z.shape[1:3]):
            if 0 <= i - t < 7 and 0 <= j - l < 6:
                z[:, i, j] = x[:, i - t, j - l]
        rows, columns = z.shape[1] - kernel[0] + 1, z.shape[2] - kernel[1] + 1
        want = sum(np.einsum("nhwc,co->nhwo", z[:, i : i + rows, j : j + columns], k[i, j]) for i, j in np.ndindex(kernel))
        got = lax.conv_general_dilated(c.input(x.astype(f32)), c.input(k.astype(f32)), (1, 1), pads, dimension_numbers=("NHWC", "HWIO", "NHWC"))
        c.eq(got, want)


@report("jax-11517-convolution-all-padding", "a window that lies in padding alone")
def _(c):
    x, k = np.arange(6, dtype=f32).reshape(1, 1, 2, 3) + 1, np.ones((1, 1, 2, 2), f32)
    got = lax.conv_general_dilated(c.input(x), c.input(k), (1, 1), ((5, 2), (-1, 1)))
    want = np.zeros((1, 1, 8, 2), f32)
    z = np.zeros((9, 3), f32)
    z[5:7, :2] = x[0, 0, :, 1:]
    for i, j in np.ndindex(8, 2):
        want[0, 0, i, j] = z[i : i + 2, j : j + 2].sum()
    c.eq(got, want)


@report("jax-37465-total-variation", "sums of squared differences along three axes, and their gradient; openxla/xla#46351")
def _(c):
    y = np.random.default_rng(5).integers(-9, 10, (4, 5, 6)).astype(np.float64)
    variation = lambda x: sum(jnp.sum(jnp.square(jnp.diff(x, axis=i))) for i in range(3))
    c.eq(variation(c.input(y)), sum((np.diff(y, axis=i) ** 2).sum() for i in range(3)))
    want = np.zeros_like(y)
    for axis in range(3):
        d = 2 * np.moveaxis(np.diff(y, axis=axis), axis, 0)
        w = np.moveaxis(want, axis, 0)
        w[1:] += d
        w[:-1] -= d
    c.eq(jax.grad(variation)(c.input(y)), want)


@report("jax-25187-sum-over-first-axis", "sums over each axis of a cube")
def _(c):
    x = np.arange(17 * 13 * 11).reshape(17, 13, 11) % 101
    for axis in range(3):
        c.eq(jnp.sum(c.input(x.astype(f32)), axis), x.sum(axis))


@report("jax-4135-cumulative-sums", "cumulative sums, products and maxima, both ways; jax#28097 (xor)")
def _(c):
    x = np.arange(37) * 7 % 23 - 11
    a = c.input(x)
    c.eq(jnp.cumsum(a), np.cumsum(x))
    c.eq(lax.cummax(a), np.maximum.accumulate(x))
    c.eq(lax.cumsum(a, reverse=True), np.cumsum(x[::-1])[::-1])
    c.eq(lax.associative_scan(jnp.bitwise_xor, a), np.bitwise_xor.accumulate(x))


@report("openxla-49131-reduce-of-distances", "a reduction of f(x_i, y_j), and rows divided by it")
def _(c):
    rng = np.random.default_rng(0)
    x, y = rng.integers(-3, 4, (9, 3)), rng.integers(-3, 4, (20, 3))
    d = ((x[:, None] - y[None]) ** 2).sum(-1)
    got = jnp.sum((c.input(x.astype(f32))[:, None] - c.input(y.astype(f32))[None]) ** 2, -1)
    c.eq(got, d)
    c.eq(jnp.min(got, 1), d.min(1))
    k = np.exp(-d.astype(float))
    c.close(jax.nn.softmax(-got, axis=1), k / k.sum(1, keepdims=True), 64)


# --- Gathers, scatters, updates


@report("openxla-48718-scatter-narrow-index", "scatters and gathers with indices of narrow types drop updates")
def _(c):
    dims = lax.ScatterDimensionNumbers(update_window_dims=(), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
    gather = lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,))
    for dtype, n, v in ((np.uint8, 300, 200), (np.int8, 128, 127), (np.int8, 200, -1), (np.uint8, 256, 255), (np.int16, 300, 299),
                        (np.uint32, 30, 2**32 - 1), (np.uint64, 30, 2**64 - 1), (np.uint64, 30, 7), (np.int8, 300, -128)):
        index, update, x = np.array([[v]] * 3, dtype), np.full(3, 1000, np.int32), np.arange(n, dtype=np.int32)
        i, o, u = c.input(index), c.input(x), c.input(update)
        inside = 0 <= v < n
        want = x.copy()
        if inside:
            want[v] += 3000
        c.eq(lax.scatter_add(o, i, u, dims, mode="fill")[: n], want)
        clipped = min(max(v, 0), n - 1)
        c.eq(lax.gather(o, i, gather, (1,), mode="clip"), np.full(3, x[clipped]))
        c.eq(lax.gather(o, i, gather, (1,), mode="fill", fill_value=-5), np.full(3, x[v] if inside else -5))


@report("openxla-49176-update-by-own-shifted-slice", "an update by a shifted slice of the same array; jax#7461, #10129")
def _(c):
    x = np.arange(35, dtype=np.int32).reshape(5, 7)
    b = x + 1

    def updated(place, value):
        w = b.copy()
        w[place] = value
        return w

    cases = (
        (lambda b: b.at[1:].set(b[:-1]), updated(np.s_[1:], b[:-1])),
        (lambda b: b.at[:-1].set(b[1:]), updated(np.s_[:-1], b[1:])),
        (lambda b: b.at[1:].add(b[:-1]), updated(np.s_[1:], b[1:] + b[:-1])),
        (lambda b: b.at[0].set(jnp.roll(b[0], 2)), updated(0, np.roll(b[0], 2))),
        (lambda b: b.at[:, 1:].set(b[:, :-1]), updated(np.s_[:, 1:], b[:, :-1])),
        (lambda b: b.at[:].set(b[::-1]), b[::-1]),
        (lambda b: b.at[:2].set(b[2:4]), updated(np.s_[:2], b[2:4])),
    )
    for f, want in cases:
        a = c.input(x)
        c.eq(f(a + 1), want)
        c.eq(f(a + 1).reshape(1, 5, 7), want[None])
        c.eq(f(a + 1).T, want.T)
        c.eq(lax.fori_loop(0, 1, lambda i, v: f(v), a + 1), want)
    rows = c.input(np.arange(4, dtype=np.int32).reshape(4, 1, 1)) + np.int32(1)
    c.eq(lax.dynamic_update_slice(rows, rows[:3], (1, 0, 0)).reshape(1, 4, 1), np.array([1, 1, 2, 3]).reshape(1, 4, 1))


@report("openxla-49121-nested-dynamic-slices", "dynamic slices of slices, updates and rearranged arrays; jax#40849")
def _(c):
    clamp = lambda i, n, k: min(max(i, 0), n - k)

    def ds(x, i, k):
        i = clamp(i, len(x), k)
        return x[i : i + k]

    def dus(x, u, i):
        i, y = clamp(i, len(x), len(u)), x.copy()
        y[i : i + len(u)] = u
        return y

    x, u = np.arange(10, dtype=f32), np.array([100, 200], f32)
    raw = lambda x, i, k: lax.dynamic_slice_p.bind(x, i, slice_sizes=(k,))
    raw_update = lambda x, u, i: lax.dynamic_update_slice_p.bind(x, u, i)
    cases = (
        (lambda x, i, j: raw(raw(x, i, 4), j, 2), lambda i, j: ds(ds(x, i, 4), j, 2)),
        (lambda x, i, j: raw(raw(raw(x, i, 7), j, 4), i, 1), lambda i, j: ds(ds(ds(x, i, 7), j, 4), i, 1)),
        (lambda x, i, j: raw(x[2:9], i, 3), lambda i, j: ds(x[2:9], i, 3)),
        (lambda x, i, j: raw(x, i, 5)[1:4:2], lambda i, j: ds(x, i, 5)[1:4:2]),
        (lambda x, i, j: raw_update(x, raw_update(raw(x, i, 4), jnp.asarray(u), j), i), lambda i, j: dus(x, dus(ds(x, i, 4), u, j), i)),
        (lambda x, i, j: raw(raw_update(x, jnp.asarray(u), i), j, 3), lambda i, j: ds(dus(x, u, i), j, 3)),
        (lambda x, i, j: raw_update(raw_update(x, jnp.asarray(u), i), jnp.asarray(u * 2), j), lambda i, j: dus(dus(x, u, i), u * 2, j)),
        (lambda x, i, j: raw(jnp.concatenate([x, x])[3:13], i, 4), lambda i, j: ds(np.concatenate([x, x])[3:13], i, 4)),
        (lambda x, i, j: raw(jnp.pad(x, (2, 3)), i, 4), lambda i, j: ds(np.pad(x, (2, 3)), i, 4)),
        (lambda x, i, j: raw(x[::-1], i, 4), lambda i, j: ds(x[::-1], i, 4)),
        (lambda x, i, j: raw(jnp.concatenate([x[:4], x[6:], x[4:6]]), i, 3), lambda i, j: ds(np.concatenate([x[:4], x[6:], x[4:6]]), i, 3)),
        (lambda x, i, j: raw(jnp.arange(10.0), i, 4), lambda i, j: ds(np.arange(10.0), i, 4)),
        (lambda x, i, j: raw(x, i, 4)[jnp.array([3, 0, 1])], lambda i, j: ds(x, i, 4)[[3, 0, 1]]),
        (lambda x, i, j: lax.fori_loop(0, 3, lambda k, s: s + raw(raw(x, i, 5), j, 2), jnp.zeros(2, f32)), lambda i, j: 3 * ds(ds(x, i, 5), j, 2)),
    )
    a = c.input(x)
    starts = (-20, -1, 0, 2, 5, 9, 2**31 - 1, -(2**31))
    for f, want in cases:
        pairs = list(itertools.product(starts, starts))[::9]
        ij = c.input(np.array(pairs, np.int32))
        got = [f(a, ij[k, 0], ij[k, 1]) for k in range(len(pairs))]
        c.eq(jnp.stack(got), np.stack([want(i, j) for i, j in pairs]))


@report("jax-33479-gather-of-constants", "gathers of constants at constant places")
def _(c):
    tokens = jnp.array([[0, 1, 2, 3, 4, 5]] * 2, jnp.int32)
    c.eq(jax.vmap(lambda x: x[jnp.arange(6)])(tokens) + 1, np.tile(np.arange(1, 7), (2, 1)))
    rng = np.random.default_rng(0)
    a = rng.integers(0, 99, (3, 4, 5))
    for axis in range(3):
        i = rng.integers(0, a.shape[axis], 4)
        c.eq(jnp.take(jnp.asarray(a), jnp.asarray(i), axis=axis) + 1, np.take(a, i, axis) + 1)
    j = [rng.integers(0, n, 5) for n in a.shape]
    c.eq(jnp.asarray(a)[tuple(jnp.asarray(v) for v in j)] * 2, a[tuple(j)] * 2)
    z = np.zeros(a.shape, int)
    np.add.at(z, tuple(j), np.arange(5))
    c.eq(jnp.zeros(a.shape, int).at[tuple(jnp.asarray(v) for v in j)].add(jnp.arange(5)) + 1, z + 1)


@report("jax-695-scatter-add", "sums of updates at repeated places; jax#39959, #26227, #23136 (segment_sum)")
def _(c):
    rng = np.random.default_rng(3)
    i, v = rng.integers(-2, 12, 60), rng.integers(-9, 9, (60, 3))
    want = np.zeros((10, 3), int)
    for k, row in zip(i, v):
        if 0 <= k < 10:
            want[k] += row
    c.eq(jax.ops.segment_sum(c.input(v.astype(f32)), c.input(i), 10), want)
    want = np.zeros(10, int)
    np.add.at(want, i % 10, v[:, 0])
    c.eq(jnp.zeros(10, int).at[c.input(i % 10)].add(c.input(v[:, 0])), want)


# --- Loops and conditionals


@report("tensorflow-123067-trip-counts", "trip counts of while loops whose index passes the limit or wraps around")
def _(c):
    compare = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "!=": lambda a, b: a != b}

    def trips(i, limit, step, op, info):
        n = s = 0
        while compare[op](i, limit):
            s, n = s + i, n + 1
            i = (i + step - info.min) % (1 << info.bits) + info.min
            if n > 400:
                return None
        return i, n, s

    for dtype in (np.int32, np.int64, np.int8, np.uint8):
        info = np.iinfo(dtype)
        cases = []
        for i, limit, step, op in itertools.product((0, 1, 5, info.max - 1, info.max, info.min, -3), (0, 1, 2, 100, info.max, info.min), (1, 2, 3, -1, -2, 100), compare):
            if all(info.min <= v <= info.max for v in (i, limit)) and (info.min < 0 or step > 0):
                if (want := trips(i, limit, step, op, info)) is not None:
                    cases.append((i, limit, step, op, want))
        got, want = [], []
        for k in np.random.default_rng(0).permutation(len(cases))[:8]:
            i, limit, step, op, w = cases[k]
            start = dtype(i) if k % 2 else c.input(dtype(i))
            bound = dtype(limit) if k % 3 else c.input(dtype(limit))
            body = lambda s: (s[0] + dtype(step), s[1] + 1, s[2] + s[0].astype(np.int64))
            got.append(jnp.stack([v.astype(np.int64) for v in lax.while_loop(lambda s: compare[op](s[0], bound), body, (jnp.asarray(start), np.int64(0), np.int64(0)))]))
            want.append([(v + 2**63) % 2**64 - 2**63 for v in w])
        c.eq(jnp.stack(got), np.array(want))
    c.eq(lax.while_loop(lambda i: i < 1, lambda i: i + 2, np.int32(0)), 2)
    c.eq(lax.fori_loop(5, 2, lambda i, s: s + 1, c.input(0)), 0)


@report("jax-5900-gradient-through-cond-in-scan", "gradients through a conditional in a scan")
def _(c):
    def power(x, n):
        def step(carry, _):
            v, go = carry
            return lax.cond(go, lambda v: (v * x, True), lambda v: (v, False), v), None

        return lax.scan(step, (jnp.ones((), f32), True), None, length=n)[0][0]

    x = c.input(f32(3))
    for n in (1, 4):
        c.eq(power(x, n), 3.0**n)
        c.eq(jax.grad(power)(x, n), n * 3.0 ** (n - 1))
        c.close(jax.grad(jax.grad(power))(x, n), n * (n - 1) * 3.0 ** (n - 2), 3)


@report("jax-9604-floor-divide-in-scan", "integer divisions carried through loops")
def _(c):
    x = np.array([2, 2, -3])
    for f, g in ((jnp.floor_divide, np.floor_divide), (jnp.mod, np.mod), (lax.rem, np.fmod), (lambda a, b: jnp.power(a, jnp.abs(b)), lambda a, b: np.power(a, abs(b)))):
        a, want = c.input(x), functools.reduce(g, x)
        c.eq(lax.fori_loop(1, 3, lambda i, v: f(v, a[i]), a[0]), want)
        c.eq(lax.scan(lambda v, u: (f(v, u), v), a[0], a[1:])[0], want)


@report("jax-33348-loop-that-holds-an-idle-loop", "a loop that holds a loop that does nothing")
def _(c):
    step = lambda x: lax.fori_loop(0, 3, lambda i, s: s, jnp.zeros_like(x))
    c.eq(lax.while_loop(lambda x: jnp.any(x != 0), step, jnp.array([0, 0])), [0, 0])
    c.eq(lax.while_loop(lambda x: jnp.any(x != 0), step, c.input(np.array([3, 4]))), [0, 0])
    nest = functools.reduce(lambda f, _: (lambda x: lax.fori_loop(0, 2, lambda i, y: f(y), x)), range(8), lambda x: x + 1)
    c.eq(nest(c.input(0)), 256)
    c.eq(lax.while_loop(lambda y: lax.fori_loop(0, 3, lambda i, s: s + y, 0) < 100, lambda y: y + 1, c.input(0)), 34)
    c.eq(lax.scan(lambda v, _: (v + 1, None), c.input(5), None, length=0)[0], 5)


@report("jax-38145-cond-and-write-in-scan", "a conditional write of an array that a loop carries; jax#10197 (where), #40101")
def _(c):
    n = 40
    i = np.arange(n)
    x = c.input(np.zeros(n, f32))
    cond = lambda k, v: lax.cond(k % 3 == 0, lambda v: v.at[k].set(k.astype(f32)), lambda v: v, v)
    c.eq(lax.fori_loop(0, n, cond, x), np.where(i % 3 == 0, i, 0))
    keep_first = lambda k, v: lax.cond(k % 3 == 0, lambda v: v, lambda v: v.at[k].set(k.astype(f32)), v)
    c.eq(lax.fori_loop(0, n, keep_first, x), np.where(i % 3 == 0, 0, i))
    where = lambda k, v: jnp.where(k % 4 == 1, v.at[k].set(k.astype(f32)), v)
    c.eq(lax.fori_loop(0, n, where, x), np.where(i % 4 == 1, i, 0))
    switch = lambda k, v: lax.switch(k % 3, [lambda v: v, lambda v: v.at[k].add(1), lambda v: v.at[0].add(1)], v)
    want = np.where(i % 3 == 1, 1, 0)
    want[0] += (i % 3 == 2).sum()
    c.eq(lax.fori_loop(0, n, switch, x), want)
    reads = lambda k, v: lax.cond(v[k - 1] >= 2, lambda v: v.at[k].set(v[k - 1] - 2), lambda v: v.at[k].set(v[k - 1] + 1), v)
    want = [0.0]
    for k in range(1, n):
        want.append(want[-1] - 2 if want[-1] >= 2 else want[-1] + 1)
    c.eq(lax.fori_loop(1, n, reads, x), want)


@report("jax-7009-recurrences", "recurrences in scans; jax#2251, #810 (discounted rewards)")
def _(c):
    r = np.arange(30) % 7 - 3
    want, total = [], 0.0
    for v in r[::-1]:
        total = v + 0.5 * total
        want.append(total)
    step = lambda total, v: (v + 0.5 * total, v + 0.5 * total)
    c.eq(lax.scan(step, c.input(np.float64(0)), c.input(r.astype(np.float64)), reverse=True)[1], want[::-1])
    fibonacci = [0, 1]
    for _ in range(30):
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    c.eq(lax.scan(lambda s, _: ((s[1], s[0] + s[1]), s[0]), (c.input(0), c.input(1)), None, length=32)[1], fibonacci)


@report("jax-18221-associative-scan-of-complex", "an associative scan of linear maps over complex numbers")
def _(c):
    rng = np.random.default_rng(2)
    a = (rng.integers(-2, 3, 9) + 1j * rng.integers(-2, 3, 9)).astype(np.complex128)
    b = (rng.integers(-2, 3, 9) + 1j * rng.integers(-2, 3, 9)).astype(np.complex128)
    got = lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (c.input(a), c.input(b)))[1]
    want, s = [], 0
    for u, v in zip(a, b):
        s = u * s + v
        want.append(s)
    c.eq(got + 0, np.array(want) + 0)


# --- Numbers


@report("tensorflow-118178-narrow-integers", "overflow of narrow integers before comparison, abs and where; tensorflow#120233")
def _(c):
    b = np.array([12, 7, 20, 15, 11], np.int8)
    with np.errstate(all="ignore"):
        p = b * b
        a = c.input(b)
        c.eq(jnp.where(a * a < 0, jnp.abs(a * a), a * a), np.where(p < 0, np.abs(p), p))
        for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
            info = np.iinfo(dtype)
            v = np.array(sorted({info.min, info.min + 1, max(info.min, -2), 0, 1, 2, 7, 100, info.max - 1, info.max}), dtype)
            x = c.input(v)
            c.eq(x * x < 0, v * v < 0)
            c.eq(x + dtype(1) > x, v + dtype(1) > v)
            c.eq(jnp.abs(x), np.abs(v))
            c.eq(-x, -v)
            c.eq(lax.div(x * dtype(2), dtype(2)), [int(q) // 2 if q >= 0 else -(-int(q) // 2) for q in v * dtype(2)])
            fl = np.array([np.nan, np.inf, -np.inf, 1e30, -1.5, 1.5, 300.7, 2.0**31, 2.0**63, 2.0**64], f32)
            limited = lambda q: 0 if np.isnan(q) else int(min(max(q, info.min), info.max)) if abs(q) < 2.0**62 else info.max if q > 0 else info.min
            exact = [limited(float(q)) if abs(q) < 2.0**31 or np.isnan(q) else max(info.min, min(info.max, int(q))) if np.isfinite(q) else (info.max if q > 0 else info.min) for q in fl]
            c.eq(c.input(fl).astype(dtype), np.array(exact, object).astype(dtype))


@report("jax-11990-integer-division", "integer division by zero and of the least number by -1")
def _(c):
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.uint64):
        info = np.iinfo(dtype)
        v = np.array(sorted({info.min, info.min + 1, 0, 1, 7, info.max}), dtype)
        x, zero = c.input(v), c.input(np.zeros_like(v))
        c.eq(lax.div(x, zero), np.full(v.shape, info.max if info.min == 0 else -1, dtype))
        c.eq(lax.rem(x, zero), v)
        if info.min < 0:
            c.eq(lax.div(c.input(dtype(info.min)), c.input(dtype(-1))), info.min)
            c.eq(lax.rem(c.input(dtype(info.min)), c.input(dtype(-1))), 0)
        pairs = [(p, q) for p in v for q in v if q != 0 and not (p == info.min and int(q) == -1)]
        a, b = np.array(pairs, dtype).T
        toward_zero = [abs(int(p)) // abs(int(q)) * (1 if (p >= 0) == (q >= 0) else -1) for p, q in pairs]
        c.eq(lax.div(c.input(a), c.input(b)), np.array(toward_zero, object).astype(dtype))
        c.eq(jnp.floor_divide(c.input(a), c.input(b)), np.array([int(p) // int(q) for p, q in pairs], object).astype(dtype))
        c.eq(jnp.mod(c.input(a), c.input(b)), np.array([int(p) % int(q) for p, q in pairs], object).astype(dtype))


@report("jax-38097-inverse-functions", "log(exp(x)) and kin are not x; jax#37919, #38096 to #38101, openxla/xla#42732")
def _(c):
    big, tiny = np.finfo(f32).max, np.finfo(f32).tiny
    for f, x, want in (
        (lambda x: jnp.log(jnp.exp(x)), 89, np.inf),
        (lambda x: jnp.log(jnp.exp(x)), -200, -np.inf),
        (lambda x: jnp.log2(jnp.exp2(x)), 128, np.inf),
        (lambda x: jnp.sqrt(jnp.abs(jnp.square(x))), big, np.inf),
        (lambda x: jnp.sqrt(jnp.abs(jnp.square(x))), tiny, 0.0),
        (lambda x: jnp.sqrt(jnp.abs(jnp.square(jax.nn.relu(x)))), big, np.inf),
        (lambda x: jnp.square(jnp.sqrt(x)), -1, np.nan),
        (lambda x: jnp.exp(jnp.log(x)), -1, np.nan),
        (lambda x: 1 / (1 / x), 1e-45, 0.0),
        (lambda x: x * 0, np.inf, np.nan),
        (lambda x: x - x, np.inf, np.nan),
        (lambda x: x / x, 0, np.nan),
        (lambda x: x * f32(1e30) / f32(1e30), 1e30, np.inf),
        (lambda x: (x + f32(1e30)) - f32(1e30), 1, 0.0),
        (lambda x: jnp.tanh(jnp.arctanh(x)), 2, np.nan),
        (lambda x: jnp.maximum(x, f32(np.nan)), 2, np.nan),
        (lambda x: x ** f32(0.5), -0.0, 0.0),
        (lambda x: x ** f32(0.5), -np.inf, np.inf),
        (lambda x: x ** f32(0.0), np.nan, 1.0),
        (lambda x: f32(1) ** x, np.nan, 1.0),
        (lambda x: x ** f32(2.0), -3, 9.0),
        (lambda x: x ** f32(3.0), -np.inf, -np.inf),
        (lambda x: (x == x).astype(f32), np.nan, 0.0),
        (lambda x: jnp.logical_not(x < 1).astype(f32), np.nan, 1.0),
        (lambda x: jnp.where(x >= 0, x, -x), np.nan, np.nan),
    ):
        c.eq(f(c.input(f32(x))), f32(want))
        c.eq(f(c.input(np.full(9, x, f32))), np.full(9, want, f32))
    c.eq(jax.grad(lambda x: jnp.log(jnp.exp(x)))(c.input(f32(89))), np.nan)


@report("jax-6566-reassociated-sums", "sums and products keep their order; jax#8022, openxla/xla#41579, tensorflow#118179")
def _(c):
    def apply(mask, scores):
        s = scores + -1.0 * 1e30 * (1.0 - mask)
        return s - s.max()

    c.eq(apply(c.input(f32(1)), c.input(np.array([0.7, 0.5], f32))), np.array([0.7, 0.5], f32) - f32(0.7))
    x, y = c.input(f32(1e30)), c.input(f32(1))
    c.eq(x - (x + y) + y, 1)
    a, b, z = (c.input(np.full(37, v, f32)) for v in (1e20, -1e20, 1e10))
    c.eq(a * z + b * z, np.zeros(37))
    p, q = (c.input(np.full(37, v, f32)) for v in (1.1, 1.3))
    c.eq(p * q - q * p, np.zeros(37))
    c.eq((c.input(f32(1)) + f32(1e8)) - f32(1e8), 0)
    rng = np.random.default_rng(0)
    u, v, w = (rng.standard_normal(40).astype(f32) for _ in range(3))
    U, V, W = c.input(u), c.input(v), c.input(w)
    c.eq(U * V + W, u * v + w)
    c.eq(U * V - W, u * v - w)
    small = v * f32(1e-4)
    S = c.input(small)
    c.eq((U - ((U + S) - ((U + S) - U))) + (S - ((U + S) - U)), (u - ((u + small) - ((u + small) - u))) + (small - ((u + small) - u)))
    c.eq(U * f32(4097) - (U * f32(4097) - U), u * f32(4097) - (u * f32(4097) - u))
    c.eq(jnp.var(c.input(np.full(3, 7.5e10, f32))), 0)


@report("jax-26147-difference-of-squares", "x^2 - x^2 is zero: no contraction; openxla/xla#22116, jax#38602 (cross(x, x))")
def _(c):
    v = np.random.default_rng(1).standard_normal(64).astype(f32)
    a, b, r = c.input(v), c.input(v), c.input(v[::-1].copy())
    c.eq(a**2 - b**2, np.zeros(64))
    c.eq(a * r - r * a, np.zeros(64))
    t = c.input(np.array([[0.1, 0.9]], f32))
    c.eq(t[:, 0] * t[:, 1] - t[:, 1] * t[:, 0], [0.0])
    z = c.input((v[:32] + 1j * v[32:]).astype(np.complex64))
    c.eq(jnp.abs((z * jnp.conj(z)).imag), np.zeros(32))


@report("jax-4780-zero-times-nan", "a term that is zero times NaN is NaN")
def _(c):
    v, m = c.input(np.ones(2, f32)), c.input(np.array([False, True]))
    c.eq(jnp.mean(v) + jnp.mean(jnp.where(m, f32(np.nan), v)) * f32(0), np.nan)


@report("jax-37762-subnormal-numbers", "subnormal numbers are not zero; jax#4042, #16200, #26658, #19689, #24280", "mlir")
def _(c):
    w = np.longdouble
    for t in (f32, np.float64):
        info = np.finfo(t)
        x = np.array([info.smallest_subnormal, info.smallest_subnormal * 12345, info.tiny / 2, np.nextafter(info.tiny, t(0)), info.tiny, -info.smallest_subnormal], t)
        p = np.abs(x)
        wide = p.astype(w)
        for f, want in (
            (jnp.log, np.log(wide)), (jnp.log2, np.log2(wide)), (jnp.sqrt, np.sqrt(wide)), (lax.rsqrt, 1 / np.sqrt(wide)), (jnp.log1p, wide),
            (jnp.cbrt, np.cbrt(wide)), (jnp.expm1, wide), (jnp.sin, wide), (jnp.tanh, wide), (jnp.arctan, wide), (jnp.sinh, wide),
            (lax.erf, wide * 2 / np.sqrt(w("3.14159265358979323846264338327950288"))), (lax.lgamma, -np.log(wide)),
        ):
            c.close(f(c.input(p)), want.astype(t), 2)
        a = c.input(x)
        c.eq(a == 0, x == 0)
        c.eq(a > 0, x > 0)
        c.eq(a + 0, x)
        c.eq(a * t(np.inf), x * t(np.inf))
        c.eq(a * 2, x * 2)
        c.eq(a / 2, x / 2)
        c.eq(jnp.sum(c.input(p)), p.sum())
        c.eq(jnp.frexp(a)[1], np.frexp(x)[1])
        c.eq(jnp.ceil(a), np.ceil(x))
        mixed = np.array([-0.0, info.smallest_subnormal, 1.1, -0.0, 0.0, -info.smallest_subnormal], t)
        c.eq(jnp.argsort(c.input(mixed)), np.argsort(mixed, kind="stable"))
        c.eq(jnp.max(c.input(np.array([0, info.smallest_subnormal, -1], t))), info.smallest_subnormal)


@report("jax-39352-arctan-of-arrays", "functions of arrays of 50 and more elements are as those of few")
def _(c):
    for t in (f32, np.float64):
        for n in (1, 33, 50):
            x = np.linspace(-3, 3, n).astype(t)
            for name in ("arctan", "arcsin", "arctanh", "arcsinh", "sin", "tan", "tanh", "exp", "log1p", "expm1", "cbrt"):
                y = x / 4 if name in ("arcsin", "arctanh", "log1p") else x
                c.close(getattr(jnp, name)(c.input(y)), getattr(np, name)(y.astype(np.longdouble)).astype(t), 4)


@report("jax-17172-complex-functions", "complex functions far from and near zero; jax#19754, #19398, openxla/xla#8553")
def _(c):
    # Of what JAX computes by one operation: its own formulas for others lose digits themselves.
    points = np.array([-1 - 45j, -1 - 4500j, 1 + 1e-4j, -100 + 0.5j, -4 + 1e-20j, 0.3 + 2.5j, 1e-5 + 1e-5j, 1e10 + 1e-5j, -1e-20 + 1j])
    for t, r in ((np.complex64, f32), (np.complex128, np.float64)):
        z = points.astype(t)
        wide = z.astype(np.clongdouble)
        for f, want in ((jnp.exp, np.exp(wide)), (jnp.log, np.log(wide)), (jnp.sqrt, np.sqrt(wide)), (lax.tanh, np.tanh(wide)), (jnp.abs, np.abs(wide))):
            c.close(f(c.input(z)), want.astype(t if f is not jnp.abs else r), 8)
    z = c.input(np.array([1 - 0.0j, complex(0.0, -0.0), complex(np.inf, np.nan)]))
    c.eq(jnp.real(z), [1, 0, np.inf])
    c.eq(jnp.abs(z), [1, 0, np.inf])


@report("jax-14717-erf-above-one", "erf is 1 at most")
def _(c):
    import math

    x = np.linspace(3, 6, 101).astype(f32)
    want = np.array([math.erf(v) for v in x.astype(float)])
    c.eq(jnp.max(lax.erf(c.input(x))) <= 1, True)
    c.close(lax.erf(c.input(x)), want, 2)
    c.close(lax.erf(c.input(f32(3.9004288))), math.erf(float(f32(3.9004288))), 2)


@report("JAXtronomy-spexial-29-gammaln-at-one-and-two", "lgamma(1) and lgamma(2) are exactly 0", "mlir")
def _(c):
    import math

    for t in (f32, np.float64):
        c.eq(lax.lgamma(c.input(np.array([1, 2], t))), np.zeros(2))
        c.eq(lax.lgamma(c.input(t(1))), 0.0)
        c.eq(lax.lgamma(c.input(t(2))), 0.0)
        x = np.array([3, 0.5, 10.25, 100, 1e-30], t)
        c.close(lax.lgamma(c.input(x)), [math.lgamma(float(v)) for v in x], 3 if t is f32 else 10)
        # Near these, by the series: lgamma(1 + z) = -g z + zeta(2) z^2 / 2 - .., lgamma(2 + z) = (1 - g) z + ..
        g, h = 0.57721566490153286, np.pi**2 / 6
        for z in (np.array([2.0**-20, -(2.0**-20)]),):
            c.close(lax.lgamma(c.input((1 + z).astype(t))), -g * z + h * z**2 / 2 - 1.2020569031595942 * z**3 / 3, 3)
            c.close(lax.lgamma(c.input((2 + z).astype(t))), (1 - g) * z + (h - 1) * z**2 / 2 - 0.2020569031595942 * z**3 / 3, 3)


@report("jax-21900-betainc-of-small-numbers", "betainc with a small first parameter")
def _(c):
    # I_x(a, 1) = x^a.
    a = np.logspace(-37, -1, 7).astype(f32)
    c.close(lax.betainc(c.input(a), c.input(np.ones(7, f32)), c.input(np.full(7, 0.25, f32))), 0.25 ** a.astype(float), 64)


@report("jax-17672-int4-and-int2", "operations on integers of four and two bits; jax#17689, #19682, #31644, iree#16219")
def _(c):
    for t in (jnp.int4, jnp.uint4, jnp.int2, jnp.uint2):
        low, high = int(ml_dtypes.iinfo(t).min), int(ml_dtypes.iinfo(t).max)
        span = high - low + 1
        v = np.arange(low, high + 1).astype(np.int8)
        c.eq(c.input(v).astype(t).astype(jnp.int8), v)
        for rows, columns in ((3, 5), (1, 3)):
            a = (np.arange(rows * columns).reshape(rows, columns) * 3 % span + low).astype(np.int8)
            x = lax.optimization_barrier(c.input(a).astype(t))
            out = lambda y: y.astype(jnp.int8)
            c.eq(out(x.T), a.T)
            c.eq(out(x[:, 1:]), a[:, 1:])
            c.eq(out(jnp.concatenate([x, x], 1)), np.concatenate([a, a], 1))
            product = lax.dot_general(x, x, (((1,), (1,)), ((), ())), preferred_element_type=jnp.int32)
            c.eq(product, a.astype(int) @ a.T.astype(int))
            c.eq(out(x[::-1, ::-1]), a[::-1, ::-1])
            c.eq(out(x[jnp.array([0, rows - 1, 0])]), a[[0, rows - 1, 0]])
            c.eq(out(x.at[0, columns - 1].set(x[0, 0]))[0], np.append(a[0, :-1], a[0, 0]))
            c.eq(out(jnp.pad(x, 1)), np.pad(a, 1))
            c.eq(out(jnp.where(x == x[0, 0], x, x[::-1])), np.where(a == a[0, 0], a, a[::-1]))
            c.eq(out(lax.fori_loop(0, 3, lambda i, y: jnp.roll(y, 1, 1), x)), np.roll(a, 3, 1))


@report("jax-31644-float8-and-float4", "conversions of all narrow floating-point types")
def _(c):
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e3m4", "float8_e4m3"):
        t = getattr(ml_dtypes, name)
        bits = np.arange(256, dtype=np.uint8)
        x = bits.view(t)
        with np.errstate(all="ignore"):
            wide = x.astype(f32)
            c.eq(lax.bitcast_convert_type(c.input(bits), t).astype(f32), wide)
            f = np.concatenate([wide[::3] * f32(1.03), [np.inf, -np.inf, np.nan, 1e9, -1e9, 1e-9, 0.0, -0.0]]).astype(f32)
            c.eq(c.input(f).astype(t).astype(f32), f.astype(t).astype(f32))


# --- NaN and order


@report("tensorflow-118177-nan-in-maxima", "NaN in maxima, arg maxima, top_k; tensorflow#118647, #119990, #118375, #118376")
def _(c):
    for t in (f32, np.float64, np.float16, jnp.bfloat16):
        for n in (3, 17):
            for where in (0, n // 2, n - 1):
                x = np.arange(n, dtype=np.float64) * (-1.0) ** np.arange(n)
                x[where] = np.nan
                a = c.input(x.astype(t))
                c.eq(jnp.argmax(a), where)
                c.eq(jnp.argmin(a), where)
                c.eq(jnp.max(a), np.nan)
                c.eq(lax.cummax(a), np.maximum.accumulate(x))
                c.eq(jax.ops.segment_max(a, np.zeros(n, int), 1), [np.nan])
                c.eq(lax.top_k(a, 1)[1], [where])
        b = np.zeros((3, 1023, 2))
        b[1, 1022, 0] = np.nan
        B = jnp.zeros((3, 1023, 2), t).at[1, c.input(np.int32(1022)), 0].set(jnp.nan)
        c.eq(jnp.argmax(B, axis=1), np.argmax(b, axis=1))
        c.eq(jnp.isnan(jnp.max(B, axis=0)).sum(), 1)
        c.eq(jnp.max(B, axis=0)[1020:], b.max(0)[1020:])


@report("jax-6443-sort-of-nan", "sorts with NaN of either sign and zeros; jax#2124")
def _(c):
    x = np.array([0xFFC00000, 0x7FC00000, 0xFF800000, 0x7F800000, 0xBF800000, 0x3F800000, 0x80000000, 0], np.uint32).view(f32)
    a = c.input(x)
    c.eq(jnp.argsort(a), np.argsort(x, kind="stable"))
    c.eq(jnp.abs(jnp.sort(a)), np.abs(np.sort(x)))
    c.eq(jnp.argsort(c.input(np.array([0.0, -0.0]))), [0, 1])


@report("jax-10434-sorts", "sorts by one and two keys along both axes")
def _(c):
    rng = np.random.default_rng(0)
    k, v = rng.integers(0, 5, (9, 11)), rng.standard_normal((9, 11)).astype(f32)
    for axis in (0, 1):
        order = np.lexsort((v, k), axis=axis)
        got = lax.sort((c.input(k), c.input(v)), dimension=axis, num_keys=2)
        c.eq(got[0], np.take_along_axis(k, order, axis))
        c.eq(got[1], np.take_along_axis(v, order, axis))
        c.eq(jnp.argsort(c.input(k), axis), np.argsort(k, axis, kind="stable"))


@report("jax-24414-approximate-top-k", "top_k and approx_max_k of few elements are exact")
def _(c):
    x = np.random.default_rng(0).permutation(200).astype(f32)
    v, i = lax.top_k(c.input(x), 7)
    c.eq(v, np.sort(x)[::-1][:7])
    c.eq(i, np.argsort(-x)[:7])


# --- Transforms, products


@report("jax-4734-fft-of-odd-lengths", "transforms of length 1, odd, prime; jax#31618, tensorflow#74748, #125507")
def _(c):
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 5, 7, 8, 13, 31):
        x = rng.standard_normal((2, n))
        z = x + 1j * rng.standard_normal((2, n))
        c.almost(jnp.fft.fft(c.input(z)), np.fft.fft(z), 1e-12)
        c.almost(jnp.fft.ifft(c.input(z)), np.fft.ifft(z), 1e-12)
        c.almost(jnp.fft.rfft(c.input(x)), np.fft.rfft(x), 1e-12)
        c.almost(jnp.fft.irfft(c.input(z), 2 * n - 1), np.fft.irfft(z, 2 * n - 1), 1e-12)
    a = rng.standard_normal((2, 3, 5))
    c.almost(jnp.fft.rfftn(c.input(a)), np.fft.rfftn(a), 1e-12)
    c.almost(jnp.fft.fftn(c.input(a + 0j)), np.fft.fftn(a), 1e-12)
    c.eq(jnp.fft.fft(c.input(np.zeros((0, 4), np.complex64))), np.zeros((0, 4)))


@report("jax-3832-integer-and-narrow-products", "products of f64, f16, s8 and s64; jax#7431, iree#9516")
def _(c):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-5, 6, (7, 33)), rng.integers(-5, 6, (33, 9))
    for t, out in ((np.float64, np.float64), (np.float16, f32), (jnp.bfloat16, f32), (np.int8, np.int32), (np.int64, np.int64)):
        got = lax.dot_general(c.input(a.astype(t)), c.input(b.astype(t)), (((1,), (0,)), ((), ())), preferred_element_type=out)
        c.eq(got, a @ b)


@report("jax-2160-einsum", "einsum as products; jax#33004, #20952")
def _(c):
    rng = np.random.default_rng(0)
    a, b = rng.integers(-5, 6, (3, 4, 5)), rng.integers(-5, 6, (3, 5, 6))
    for form in ("ijk,ikl->ijl", "ijk,ikl->jl", "ijk,ikl->il", "ijk,ikl->lji"):
        c.eq(jnp.einsum(form, c.input(a.astype(f32)), c.input(b.astype(f32))), np.einsum(form, a, b))


@report("jax-23713-depthwise-convolution", "grouped and depthwise convolutions; jax#13800, #23783 (transposed)")
def _(c):
    rng = np.random.default_rng(0)
    x, k = rng.integers(-4, 5, (2, 6, 9)), rng.integers(-3, 4, (6, 1, 3))
    want = np.stack([np.stack([np.correlate(x[n, d], k[d, 0], "valid") for d in range(6)]) for n in range(2)])
    got = lax.conv_general_dilated(c.input(x.astype(f32)), c.input(k.astype(f32)), (1,), "VALID", feature_group_count=6)
    c.eq(got, want)
    y, h = rng.integers(-4, 5, (1, 5, 8)), rng.integers(-3, 4, (3, 5, 4))
    want = np.zeros((1, 3, 7 * 3 + 4), int)
    for o, i, p, t in np.ndindex(3, 5, 8, 4):
        want[0, o, 3 * p + t] += y[0, i, p] * h[o, i, 3 - t]
    got = lax.conv_general_dilated(c.input(y.astype(f32)), c.input(h.astype(f32)), (1,), ((3, 3),), lhs_dilation=(3,))
    c.eq(got, want)


@report("openxla-3891-triangular-solve", "triangular solves, also of batches; jax#128, #4888, #4773")
def _(c):
    rng = np.random.default_rng(0)
    for n, batch in ((1, ()), (5, (2,)), (13, (2, 3))):
        a = np.tril(rng.standard_normal(batch + (n, n))) * 0.1 + 2 * np.eye(n)
        b = rng.standard_normal(batch + (n, 2))
        solve = functools.partial(lax.linalg.triangular_solve, lower=True)
        want = np.linalg.solve(a, b)
        c.almost(solve(c.input(a), c.input(b), left_side=True), want, 1e-13)
        got = solve(c.input(a), jnp.swapaxes(c.input(b), -1, -2), left_side=False, transpose_a=True)
        c.almost(got, np.swapaxes(want, -1, -2), 1e-13)


# --- Whole programs


@report("openxla-44942-shuffles-and-cumulative-sums", "programs of TensorFlow that ended the process; openxla/xla#44944, #44838, #13054, #8471, jax#23590")
def _(c):
    rng = np.random.default_rng(7)
    for shape in ((4, 3, 2), (5, 7)):
        x = rng.integers(-9, 9, shape)
        a = c.input(x.astype(np.float64))
        c.eq(jnp.cumsum(jnp.rot90(a)), np.cumsum(np.rot90(x)))
        for k in range(4):
            c.eq(jnp.cumsum(jnp.rot90(a, k), 1), np.cumsum(np.rot90(x, k), 1))
    for t in (np.int8, np.int32, np.int64, np.float64):
        p, q = rng.integers(-20, 20, (6, 5)).astype(t), rng.integers(1, 7, (6, 5)).astype(t)
        m = np.fmod(p, q)
        a, b = c.input(p), c.input(q)
        got = jnp.cumprod(jnp.where(lax.rem(a, b) > 0, lax.rem(a, b), t(1)), axis=1, dtype=t)
        c.eq(got, np.cumprod(np.where(m > 0, m, t(1)), axis=1, dtype=t))

    def step(t, m, xp):
        d = xp.zeros(t.shape)
        inner = (t[2:, 1:-1] - t[:-2, 1:-1]) * m[1:-1, 1:-1]
        if xp is np:
            d[1:-1, 1:-1] = inner
            e = d.copy()
            e[1:-1, 1:-1] += 0.5 * d[:-2, 1:-1] * d[2:, 1:-1]
            f = e.copy()
            f[0] = e[-2]
        else:
            d = d.at[1:-1, 1:-1].set(inner)
            e = d.at[1:-1, 1:-1].add(0.5 * d[:-2, 1:-1] * d[2:, 1:-1])
            f = e.at[0].set(e[-2])
        return xp.where(m > 0, e, 0) + f

    t, m = rng.integers(-9, 9, (8, 6)).astype(np.float64), (rng.random((8, 6)) < 0.8).astype(np.float64)
    c.eq(step(c.input(t), c.input(m), jnp) + 0.0, step(t, m, np) + 0.0)


@report("openxla-13054-gradient-of-a-mean-of-dots", "a term that is zero changes neither value nor gradient")
def _(c):
    w = np.array([1, 2, 3], f32)
    ys = c.input(np.ones((64, 3), f32))

    def term(x, y):
        d = y - x
        return jnp.dot(d, w) + jnp.dot(jnp.dot(d, jnp.zeros((3, 3), f32)), d)

    c.eq(jax.grad(lambda x: jnp.mean(jax.vmap(lambda y: term(x, y))(ys)))(c.input(np.ones(3, f32))), -w)


@report("iree-23381-gradient-through-cumsum", "a gradient through a cumulative sum")
def _(c):
    v = np.random.default_rng(0).standard_normal((15, 3))
    lower = np.tril(np.ones((15, 15)))[::7]
    got = jax.grad(lambda v: jnp.sum(jnp.cumsum(jnp.sin(v), axis=0)[::7] ** 2))(c.input(v))
    c.almost(got, np.cos(v) * (lower.T @ (2 * (lower @ np.sin(v)))), 1e-13)


@report("iree-24927-random-bits", "random bits are those of Threefry")
def _(c):
    # Threefry-2x32 with 20 rounds: Salmon et al., Parallel random numbers: as easy as 1, 2, 3.
    def threefry(key, x):
        mask, rotations = 2**32 - 1, ((13, 15, 26, 6), (17, 29, 16, 24))
        ks = [int(key[0]), int(key[1]), int(key[0]) ^ int(key[1]) ^ 0x1BD11BDA]
        a, b = (x[0] + ks[0]) & mask, (x[1] + ks[1]) & mask
        for i in range(5):
            for r in rotations[i % 2]:
                a = (a + b) & mask
                b = ((b << r | b >> (32 - r)) & mask) ^ a
            a, b = (a + ks[(i + 1) % 3]) & mask, (b + ks[(i + 2) % 3] + i + 1) & mask
        return a, b

    from jax.extend.random import threefry_2x32

    key = np.array([0x13198A2E, 0x03707344], np.uint32)
    assert threefry(key, (0x243F6A88, 0x85A308D3)) == (0xC4923A9C, 0x483DF7A0)  # a test vector of the authors
    words = np.arange(10, dtype=np.uint32) * np.uint32(2654435761)
    want = np.array([threefry(key, (int(words[i]), int(words[i + 5]))) for i in range(5)])
    c.eq(threefry_2x32(c.input(key), c.input(words)), want.T.reshape(-1))


@report("jax-2178-arrays-without-elements", "operations on arrays without elements; jax#2182, #3973, #29254")
def _(c):
    e = c.input(np.zeros((0, 4), f32))
    none = c.input(np.zeros(0, f32))
    x = c.input(np.arange(5, dtype=f32))
    zero = f32(0)
    c.eq(jnp.sum(e, 0), np.zeros(4))
    c.eq(jnp.mean(e, 0), np.full(4, np.nan))
    c.eq(c.input(np.zeros((2, 0), f32)) @ c.input(np.ones((0, 3), f32)), np.zeros((2, 3)))
    c.eq(jnp.concatenate([e, jnp.ones((2, 4), f32), e]), np.ones((2, 4)))
    c.eq(jnp.sort(e), np.zeros((0, 4)))
    c.eq(x[jnp.zeros((0,), int)], np.zeros(0))
    c.eq(x.at[jnp.zeros((0,), int)].add(none), np.arange(5))
    c.eq(jnp.cumsum(none), np.zeros(0))
    c.eq(lax.scan(lambda s, u: (s + u, s), c.input(f32(1)), none)[0], 1)
    conv = lambda x, w: lax.conv_general_dilated(c.input(np.zeros(x, f32)), c.input(np.zeros(w, f32)), (1, 1), "SAME")
    c.eq(conv((0, 3, 8, 8), (4, 3, 3, 3)), np.zeros((0, 4, 8, 8)))
    c.eq(conv((2, 0, 5, 5), (4, 0, 3, 3)), np.zeros((2, 4, 5, 5)))
    c.eq(lax.reduce_window(c.input(np.ones(3, f32)), zero, lax.add, (5,), (1,), "VALID"), np.zeros(0))
    c.eq(jnp.max(e, 0, initial=-jnp.inf), np.full(4, -np.inf))
    c.eq(jnp.all(e > 0), True)
    c.eq(jnp.pad(e, ((2, 1), (0, 0)), constant_values=3), np.full((3, 4), 3.0))
    c.eq(lax.pad(c.input(np.ones(3, f32)), zero, ((-2, -1, 0),)), np.zeros(0))
    c.eq(lax.dynamic_slice(x, (c.input(2),), (0,)), np.zeros(0))
    c.eq(lax.dynamic_update_slice(x, none, (c.input(5),)), np.arange(5))


@report("jax-939-gradient-of-a-norm-under-jit", "the gradient of a potential with norms and logarithms of sums")
def _(c):
    def potential(loc, scale, xp, logsumexp):
        x = loc + scale * xp.array([-1.5, 0.0])
        d = xp.sqrt(xp.sum(x * x))
        return 0.5 * ((d - 2) / 0.4) ** 2 - logsumexp(-0.5 * ((x[:1] + xp.array([-2.0, 2.0])) / 0.6) ** 2)

    log_sum = lambda v: np.log(np.exp(v.astype(np.longdouble)).sum())
    got = jax.grad(lambda a, b: potential(a, b, jnp, jax.scipy.special.logsumexp), argnums=(0, 1))(c.input(np.zeros(2)), c.input(np.ones(2)))
    h, want = np.longdouble(1e-6), []
    for p in range(2):
        row = []
        for i in range(2):
            value = []
            for sign in (1, -1):
                args = [np.zeros(2, np.longdouble), np.ones(2, np.longdouble)]
                args[p][i] += sign * h
                value.append(potential(*args, np, log_sum))
            row.append(float((value[0] - value[1]) / (2 * h)))
        want.append(row)
    for p in range(2):
        c.almost(got[p], want[p], 1e-8)


@report("openxla-47366-reducers-with-control-flow", "reducers, windows and scatter functions that hold conditionals, loops, arrays; openxla/xla#47370, #48160", "mlir")
def _(c):
    x = np.array([3, -1, 4, 1, -5, 9, 2, 6], f32)
    a, p = c.input(x), c.input(np.abs(x))
    reduce = lambda f, v: lax.reduce(v, f32(0), f, (0,))
    c.eq(reduce(lambda a, b: lax.cond(b < 0, lambda: a - b, lambda: a + b), p), np.abs(x).sum())
    c.eq(reduce(lambda a, b: lax.fori_loop(0, 2, lambda i, s: s + b / 2, a), a), x.sum())
    c.eq(reduce(lambda a, b: lax.switch((b > 0).astype(int), [lambda a, b: a - b, lambda a, b: a + b], a, b), p), np.abs(x).sum())
    c.eq(reduce(lambda a, b: a + jnp.sum(jnp.stack([b, b])) / 2, a), x.sum())
    c.eq(lax.reduce(c.input(np.array([12, 18, 30, 42])), 0, jnp.gcd, (0,)), 6)
    window = lax.reduce_window(a, f32(-np.inf), lambda a, b: lax.cond(a > b, lambda: a, lambda: b), (3,), (1,), "VALID")
    c.eq(window, [max(x[i : i + 3]) for i in range(6)])
    index = np.array([1, 4, 5])
    halve = lambda v: lax.while_loop(lambda u: jnp.abs(u) > 1, lambda u: u / 2, v)
    for f, g in (
        (lambda v: lax.cond(v > 0, jnp.sqrt, lambda v: -v, v), lambda v: np.sqrt(v) if v > 0 else -v),
        (halve, lambda v: v / 2 ** max(0, int(np.ceil(np.log2(abs(v)))))),
        (lambda v: jnp.sort(jnp.stack([v, 0.5 * v, v * 0 + 1]))[1], lambda v: sorted([v, 0.5 * v, 1])[1]),
    ):
        want = x.copy()
        want[index] = [g(float(v)) for v in x[index]]
        c.eq(a.at[index].apply(f), want)
    best = lax.reduce((a, jnp.arange(8, dtype=jnp.int32)), (f32(-np.inf), np.int32(-1)), lambda a, b: lax.cond(a[0] >= b[0], lambda: a, lambda: b), (0,))
    c.eq(best[1], 5)


@report("numpyro-2225-gradient-of-group-sums", "the gradient of few groups' sums is accurate")
def _(c):
    rng = np.random.default_rng(0)
    groups, y = rng.integers(0, 3, 400), rng.standard_normal(400).astype(f32)
    got = jax.grad(lambda m: jnp.sum((c.input(y) - m[c.input(groups)]) ** 2))(c.input(np.zeros(3, f32)))
    want = [-2 * y[groups == g].astype(float).sum() for g in range(3)]
    c.almost(got, want, 1e-4)


# --- Output


def program(name):
    title, function, form = REPORTS[name]
    checks = Checks()
    # Of a platform that has the operations themselves, rather than calls of LAPACK.
    lowered = jax.jit(lambda: function(checks)).trace().lower(lowering_platforms=("tpu",))
    head = f"// {name}: {title}\n// Written by scripts/make_reports.py.\n"
    if form == "mlir":

        def custom_call(match):
            target, *attributes = match.group(1).split("|")
            bounds = ", ".join(f'{key} = "{value}"' for key, value in (a.split("=") for a in attributes))
            extra = f", mhlo.frontend_attributes = {{{bounds}}}" if bounds else ""
            return f'@{target}{match.group(2)} {{has_side_effect = true{extra}}} :'

        return head + re.sub(r'@"?(check\.[^"(]*)"?(\([^)]*\)) \{[^\n]*\} :', custom_call, lowered.as_text())
    text = lowered.compiler_ir("hlo").as_hlo_text(True)
    text = re.sub(r"(?<=\])\{[0-9,]*\}", "", text)
    text = re.sub(r"(?<=[{( ])-0(?=[,})])", "-0.0", text)  # "-0" is read as an integer

    def call(match):
        target, *attributes = match.group(1).split("|")
        bounds = "".join(f', frontend_attributes={{{key}="{value}"}}' for key, value in (a.split("=") for a in attributes))
        return f'custom_call_target="{target}"{bounds}\n'

    text = re.sub(r'custom_call_target="(check\.[^"]*)".*\n', call, text)
    text = re.sub(r"HloModule [^\n]*", "HloModule " + re.sub(r"\W", "_", name), text, count=1)
    text = re.sub(r", metadata=\{[^}]*\}", "", text)
    root = re.search(r"ROOT (\S+) = \(\) tuple\(\)", text)
    # The results of the checks are the result.
    entry = text[text.index("ENTRY") :]
    calls = re.findall(r"(\S+) = \(\) custom-call", entry)
    text = text.replace(root.group(0), f"ROOT {root.group(1)} = ({', '.join(['()'] * len(calls))}) tuple({', '.join(calls)})")
    return head + text.strip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="tests/reports")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.names or REPORTS:
        (pathlib.Path(arguments.out) / f"{name}.{REPORTS[name][2]}").write_text(program(name))
        print(name, flush=True)


if __name__ == "__main__":
    main()
