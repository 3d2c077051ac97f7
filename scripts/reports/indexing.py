# SPDX-License-Identifier: Apache-2.0
"""Public reports: Gathers, scatters, updates."""
import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import f32, report


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
