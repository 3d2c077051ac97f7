# SPDX-License-Identifier: Apache-2.0
"""Public reports: Transforms and products."""
import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from registry import f32, report


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
