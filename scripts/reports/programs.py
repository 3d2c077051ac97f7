# SPDX-License-Identifier: Apache-2.0
"""Public reports: Whole programs."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import f32, report


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
