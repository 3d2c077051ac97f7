# SPDX-License-Identifier: Apache-2.0
"""Public reports: Reductions and windows."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import f32, report


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
