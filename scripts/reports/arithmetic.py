# SPDX-License-Identifier: Apache-2.0
"""Public reports: Numbers, NaN and order."""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from registry import f32, report


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
