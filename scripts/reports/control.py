# SPDX-License-Identifier: Apache-2.0
"""Public reports: Loops and conditionals."""
import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import f32, report


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
