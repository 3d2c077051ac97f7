#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials of the compiler's vector mathematics (xla/cpu/codegen/math_*.h) and of the
builder's special functions (xla/hlo/builder/lib); needs mpmath.

    scripts/fit_polynomials.py [NAME...]

Each is the minimax polynomial of a function on an interval, found by Remez's exchange in 80 digits,
with weights that make the error relative to the final result. Coefficients are printed from the
lowest degree, with the largest weighted error.
"""
import sys

import mpmath as mp

mp.mp.dps = 80


def remez(function, weight, low, high, degree, rounds=12):
    """Minimizes max |weight(x) * (function(x) - p(x))| over [low, high]."""
    n = degree + 2
    mid, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    # Not symmetric: the weight may be zero in the middle.
    nodes = [mid - half * mp.cos(mp.pi * (i + mp.mpf("0.37")) / n) for i in range(n)]
    count = 40 * n
    grid = [mid - half * mp.cos(mp.pi * i / count) for i in range(count + 1)]
    values = [(function(x), weight(x)) for x in grid]
    for _ in range(rounds):
        a = mp.matrix(n, n)
        b = mp.matrix(n, 1)
        for i, x in enumerate(nodes):
            for j in range(degree + 1):
                a[i, j] = weight(x) * x**j
            a[i, degree + 1] = (-1) ** i
            b[i] = weight(x) * function(x)
        coefficients = list(mp.lu_solve(a, b))[: degree + 1]
        error = [w * (f - mp.polyval(coefficients[::-1], x)) for x, (f, w) in zip(grid, values)]
        # One extremum for each run of equal sign.
        extrema, start = [], 0
        for i in range(1, len(grid) + 1):
            if i == len(grid) or mp.sign(error[i]) != mp.sign(error[start]):
                best = max(range(start, i), key=lambda k: abs(error[k]))
                extrema.append(best)
                start = i
        while len(extrema) > n:
            extrema.pop(0 if abs(error[extrema[0]]) < abs(error[extrema[-1]]) else -1)
        if len(extrema) < n:
            break
        nodes = [grid[k] for k in extrema]
    return coefficients, max(abs(e) for e in error)


LN2 = mp.log(2)
R2 = mp.sqrt(2)


def series(function, at_zero):
    """The function, with its limit where it cannot be evaluated."""
    return lambda x: at_zero if abs(x) < mp.mpf(10) ** -12 else function(x)


def erf_inv_ratio(w):
    """erf_inv(x) / x, where w = -log(1 - x^2), by Newton's method for log(erfc(y))."""
    x, rest = mp.sqrt(-mp.expm1(-w)), mp.exp(-w) / (1 + mp.sqrt(-mp.expm1(-w)))
    y = mp.erfinv(mp.mpf(float(x))) if x < 0.999 else mp.sqrt(w - mp.log(mp.sqrt(mp.pi * w)))
    for _ in range(60):
        step = mp.log(mp.erfc(y) / rest) * mp.erfc(y) * mp.exp(y * y) * mp.sqrt(mp.pi) / 2
        y += step
        if abs(step) < mp.mpf(10) ** -50:
            break
    return y / x


def erf_inv_fit(argument, middle, low, high):
    def function(v):
        w = argument(v + middle)
        return mp.sqrt(mp.pi) / 2 if w < mp.mpf(10) ** -20 else erf_inv_ratio(w)

    return function, lambda v: 1 / function(v), low - middle, high - middle, 20


def erfc_fit(k, most, degree):
    """((1 + k a) exp(a^2) erfc(a) - 1) / u, where u = 1 / (1 + k a) - 1, for 0 <= a <= most."""
    k, most = mp.mpf(k), mp.mpf(most)

    def ratio(u):
        a = (1 / (1 + u) - 1) / k
        return mp.exp(a * a) * mp.erfc(a) / (1 + u)

    def slope(u):
        if u > -mp.mpf(10) ** -15:
            return 2 / mp.sqrt(mp.pi) / k - 1
        return (ratio(u) - 1) / u

    return slope, lambda u: abs(u) / ratio(u), 1 / (1 + k * most) - 1, mp.mpf(0), degree


def lgamma_between_zeros(v):
    """lgamma(1.5 + v) over its zeros at -1/2 and 1/2."""
    low, high = v + mp.mpf(1) / 2, v - mp.mpf(1) / 2
    if abs(low) < mp.mpf(10) ** -30:
        return mp.euler
    if abs(high) < mp.mpf(10) ** -30:
        return 1 - mp.euler
    return mp.loggamma(mp.mpf(3) / 2 + v) / (low * high)


def stirling_error(z):
    """a times what Stirling's formula lacks of lgamma(a), where z = 1 / a^2."""
    if z < mp.mpf(10) ** -7:
        return sum(mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) * z ** (k - 1) for k in range(1, 12))
    a = 1 / mp.sqrt(z)
    return a * (mp.loggamma(a) - ((a - mp.mpf(1) / 2) * mp.log(a) - a + mp.log(2 * mp.pi) / 2))


def bessel_near(order):
    """I0(x) or I1(x) / x of x^2."""
    def function(z):
        x = mp.sqrt(z)
        if x < mp.mpf(10) ** -15:
            return mp.mpf(1) / (1 + order)
        return mp.besseli(order, x) / x**order

    return function, lambda z: 1 / function(z), 0, mp.mpf(64), 10


def bessel_far(order):
    """sqrt(x) exp(-x) I(x) of 1 / x; by the asymptotic series where that is exact enough."""
    def function(s):
        if s > mp.mpf("0.005"):
            return mp.exp(-1 / s) * mp.besseli(order, 1 / s) / mp.sqrt(s)
        total = term = mp.mpf(1)
        for k in range(1, 40):
            term *= ((2 * k - 1) ** 2 - 4 * order**2) * s / (8 * k)
            total += term
        return total / mp.sqrt(2 * mp.pi)

    return function, lambda s: 1 / function(s), 0, mp.mpf(1) / 8, 6


# name: function, weight, interval, degree
FITS = {
    # exp(r) = 1 + r + r^2 p(r)
    "exp_f32": (series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), lambda r: r**2, -LN2 / 2, LN2 / 2, 4),
    # where a larger number is subtracted: a degree less
    "exp_f32_short": (series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), lambda r: r**2, -LN2 / 2, LN2 / 2, 3),
    "exp_f64": (series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), lambda r: r**2, -LN2 / 2, LN2 / 2, 10),
    # expm1(r) = r + r^2 p(r)
    "expm1_f32": (series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), lambda r: abs(r) + mp.mpf(10)**-12, -LN2 / 2, LN2 / 2, 5),
    "expm1_f64": (series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2), lambda r: abs(r) + mp.mpf(10)**-12, -LN2 / 2, LN2 / 2, 11),
    # log(1 + f) = f - f^2 / 2 + f^3 p(f)
    "log_f32": (series(lambda f: (mp.log1p(f) - f + f**2 / 2) / f**3, mp.mpf(1) / 3), lambda f: f**2 + mp.mpf(10)**-12, 1 / R2 - 1, R2 - 1, 7),
    # log(1 + f) = 2 atanh(s), s = f / (2 + f); = 2 s + s^3 p(s^2)
    "log_f64": (series(lambda z: (2 * mp.atanh(mp.sqrt(z)) - 2 * mp.sqrt(z)) / mp.sqrt(z) ** 3, mp.mpf(2) / 3), lambda z: z + mp.mpf(10)**-12, 0, ((R2 - 1) / (R2 + 1)) ** 2, 6),
    # sin(r) = r + r^3 p(r^2), cos(r) = 1 - r^2 / 2 + r^4 p(r^2)
    "sin_f32": (series(lambda z: (mp.sin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, -mp.mpf(1) / 6), lambda z: z + mp.mpf(10)**-12, 0, (mp.pi / 4) ** 2, 2),
    "cos_f32": (series(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mp.mpf(1) / 24), lambda z: z**2 + mp.mpf(10)**-12, 0, (mp.pi / 4) ** 2, 2),
    "sin_f64": (series(lambda z: (mp.sin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, -mp.mpf(1) / 6), lambda z: z + mp.mpf(10)**-12, 0, (mp.pi / 4) ** 2, 5),
    "cos_f64": (series(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mp.mpf(1) / 24), lambda z: z**2 + mp.mpf(10)**-12, 0, (mp.pi / 4) ** 2, 5),
    # the same with more bits: sin(r) = r - r^3 / 6 + r^5 p(r^2)
    "sin_pair": (series(lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1 + z / 6) / z**2, mp.mpf(1) / 120), lambda z: z**2 + mp.mpf(10)**-12, 0, (mp.pi / 4) ** 2, 5),
    "cos_pair": (series(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mp.mpf(1) / 24), lambda z: z**2 + mp.mpf(10)**-12, 0, (mp.pi / 4) ** 2, 5),
    # tan(r) = r + r^3 p(r^2), for results rounded to f32
    "tan_f32": (series(lambda z: (mp.tan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, mp.mpf(1) / 3), lambda z: z + mp.mpf(10)**-12, 0, (mp.pi / 4) ** 2, 8),
    # tanh(x) = x + x^3 p(x^2) for |x| <= 0.7
    "tanh_f32": (series(lambda z: (mp.tanh(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, -mp.mpf(1) / 3), lambda z: z + mp.mpf(10)**-12, 0, mp.mpf("0.7") ** 2, 4),
    # the same for |x| <= 0.65
    "tanh_f64": (series(lambda z: (mp.tanh(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, -mp.mpf(1) / 3), lambda z: z + mp.mpf(10)**-12, 0, mp.mpf("0.65") ** 2, 10),
    # erf(x) = x + x p(x^2) for |x| <= 1
    "erf_f32": (series(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 2 / mp.sqrt(mp.pi) - 1), lambda z: 1, 0, 1, 6),
    # log(1 - erf(t)) = -t + t p(t) for 1 <= t <= 4; the error counts as much as erfc does
    "erfc_f32": (lambda t: (mp.log(mp.erfc(t)) + t) / t, lambda t: t * mp.erfc(t), 1, mp.mpf(4), 7),
    # the same for f64
    "erf_f64": (series(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 2 / mp.sqrt(mp.pi) - 1), lambda z: 1, 0, 1, 12),
    # log(1 - erf(t)) + t^2 = p(t) for 1 <= t <= 6
    "erfc_f64": (lambda t: mp.log(mp.erfc(t)) + t**2, lambda t: mp.erfc(t), 1, mp.mpf(6), 17),
    # erf_inv(x) = x p(w - 2.5), w = -log(1 - x^2) <= 5, and x p(sqrt(w) - 3) beyond; for f32
    "erf_inv_f32": (series(lambda v: mp.erfinv(mp.sqrt(1 - mp.exp(-(v + 2.5)))) / mp.sqrt(1 - mp.exp(-(v + 2.5))), mp.erfinv(mp.sqrt(1 - mp.exp(mp.mpf(-2.5)))) / mp.sqrt(1 - mp.exp(mp.mpf(-2.5)))), lambda v: 1, mp.mpf(-2.5) + mp.mpf(10) ** -9, mp.mpf(2.5), 10),
    "erf_inv_tail_f32": (lambda v: mp.erfinv(mp.sqrt(1 - mp.exp(-((v + 3) ** 2)))) / mp.sqrt(1 - mp.exp(-((v + 3) ** 2))), lambda v: 1, mp.sqrt(5) - 3, mp.mpf(1.02), 12),
    # sinh(r) = r + r^3 p(r^2), cosh(r) = 1 + r^2 / 2 + r^4 p(r^2)
    "sinh_f64": (series(lambda z: (mp.sinh(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, mp.mpf(1) / 6), lambda z: z + mp.mpf(10)**-12, 0, (LN2 / 2) ** 2, 4),
    "cosh_f64": (series(lambda z: (mp.cosh(mp.sqrt(z)) - 1 - z / 2) / z**2, mp.mpf(1) / 24), lambda z: z**2 + mp.mpf(10)**-12, 0, (LN2 / 2) ** 2, 4),
    # atanh(s) = s + s^3 p(s^2) for |s| <= 0.2
    "atanh_f64": (series(lambda z: (mp.atanh(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, mp.mpf(1) / 3), lambda z: z + mp.mpf(10)**-12, 0, mp.mpf("0.0401"), 7),
    # the same less s^3 / 3, divided by s^5, for |s| <= tanh(log(2) / 4), with the 66 bits of pow
    "pow_f64": (series(lambda z: (mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 1 - z / 3) / z**2, mp.mpf(1) / 5), lambda z: z**2 + mp.mpf(10)**-12, 0, ((R2 - 1) / (R2 + 1)) ** 2, 6),
    # asin(s) = s + s^3 p(s^2) for |s| <= 1/2
    "asin_f64": (series(lambda z: (mp.asin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, mp.mpf(1) / 6), lambda z: z + mp.mpf(10)**-12, 0, mp.mpf("0.25"), 11),
    # atan(x) = x + x^3 p(x^2) for |x| <= tan(pi / 8)
    "atan_f64": (series(lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, -mp.mpf(1) / 3), lambda z: z + mp.mpf(10)**-12, 0, (R2 - 1) ** 2, 10),
    # the same with more bits: x - x^3 / 3 + x^5 p(x^2)
    "atan_pair": (series(lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1 + z / 3) / z**2, mp.mpf(1) / 5), lambda z: z**2 + mp.mpf(10)**-12, 0, (R2 - 1) ** 2, 10),
    # m^(-1/3) = p(m - 1), a first guess
    "inverse_cbrt_f64": (lambda f: (1 + f) ** (-mp.mpf(1) / 3), lambda f: (1 + f) ** (mp.mpf(1) / 3), 1 / R2 - 1, R2 - 1, 3),
    # erf_inv(x) = x p(w - 2.5) for w <= 5, and x p(sqrt(w) - middle) in two ranges beyond
    "erf_inv_f64": erf_inv_fit(lambda w: w, mp.mpf(2.5), 0, mp.mpf(5)),
    "erf_inv_middle_f64": erf_inv_fit(lambda s: s**2, mp.mpf("2.9375"), mp.sqrt(5), mp.mpf("3.6")),
    "erf_inv_far_f64": erf_inv_fit(lambda s: s**2, mp.mpf("4.8125"), mp.mpf("3.6"), mp.mpf("6.01")),
    # erfc(a) = exp(-a^2) t (1 + u p(u)), t = 1 / (1 + 0.75 a), u = t - 1, for results rounded to f32
    "erfc_whole_f32": erfc_fit("0.75", 11, 11),
    # the same with t = 1 / (1 + a / 2)
    "erfc_whole_f64": erfc_fit("0.5", "27.5", 24),
    # lgamma(1.5 + v) = (v + 1/2) (v - 1/2) p(v)
    "lgamma_unit_f64": (lgamma_between_zeros, lambda v: 1 / lgamma_between_zeros(v), -mp.mpf(1) / 2, mp.mpf(1) / 2, 20),
    # lgamma(a) = (a - 1/2) log a - a + log(2 pi) / 2 + p(1 / a^2) / a for a >= 3
    "lgamma_stirling_f64": (stirling_error, lambda z: mp.sqrt(z + mp.mpf(10)**-12), 0, mp.mpf(1) / 9, 10),
    # sin(pi d) / (pi d) = 1 + z p(z), z = d^2
    "sine_ratio_f64": (series(lambda z: (mp.sinpi(mp.sqrt(z)) / (mp.pi * mp.sqrt(z)) - 1) / z, -mp.pi**2 / 6), lambda z: z + mp.mpf(10)**-12, 0, mp.mpf(1) / 4, 7),
    # the modified Bessel functions, for results rounded to f32
    "i0_near_f32": bessel_near(0),
    "i0_far_f32": bessel_far(0),
    "i1_near_f32": bessel_near(1),
    "i1_far_f32": bessel_far(1),
    # atan(x) = x + x^3 p(x^2) for |x| <= 1
    "atan_to_1_f32": (series(lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, -mp.mpf(1) / 3), lambda z: z + mp.mpf(10)**-12, 0, 1, 8),
    "atan_to_1_f64": (series(lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, -mp.mpf(1) / 3), lambda z: z + mp.mpf(10)**-12, 0, 1, 19),
    # atan(x) = x + x^3 p(x^2) for |x| <= tan(pi / 8), for results rounded to f32
    "atan_f32": (series(lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3, -mp.mpf(1) / 3), lambda z: z + mp.mpf(10)**-12, 0, (R2 - 1) ** 2, 7),
}


def main():
    names = sys.argv[1:] or list(FITS)
    for name in names:
        if name not in FITS:
            sys.exit(f"unknown fit {name!r}; known are: {', '.join(FITS)}")
        coefficients, error = remez(*FITS[name])
        print(f"{name}: error {mp.nstr(error, 3)} = 2^{mp.nstr(mp.log(error, 2), 4)}")
        for c in coefficients:
            print(f"  {mp.nstr(c, 17)},")


if __name__ == "__main__":
    main()
