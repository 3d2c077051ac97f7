#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/base/mini_float_tables.inc from the ml_dtypes package: the reference for the narrow floats.

For each type: the float bits of every code (8 bits and narrower), a digest of the float bits of all codes (16 bits), and
a digest of the codes of many floats: all powers of two times small odd numbers with their neighbors, and random bits.

  scripts/gen_float_tables.py > tests/base/mini_float_tables.inc
"""
import ml_dtypes
import numpy as np

NARROW = [
    ("float8_e3m4", 8), ("float8_e4m3", 8), ("float8_e4m3fn", 8), ("float8_e4m3fnuz", 8), ("float8_e4m3b11fnuz", 8),
    ("float8_e5m2", 8), ("float8_e5m2fnuz", 8), ("float8_e8m0fnu", 8), ("float6_e2m3fn", 6), ("float6_e3m2fn", 6),
    ("float4_e2m1fn", 4),
]
WIDE = ["bfloat16", "float16"]
RANDOM = 1 << 21


def splitmix64(count):
    with np.errstate(over="ignore"):
        z = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def inputs():
    """Float bits: every sign and exponent with boundary mantissas, then random ones. NaN only as the two quiet ones."""
    mantissas = [m << s for s in range(16, 23) for m in range(1 << (23 - s))]
    mantissas = sorted({(m + d) & 0x7FFFFF for m in mantissas for d in (-1, 0, 1)})
    exponents = np.arange(512, dtype=np.uint32) << np.uint32(23)
    bits = (exponents[:, None] | np.array(mantissas, dtype=np.uint32)[None, :]).ravel()
    bits = np.concatenate([bits, (splitmix64(RANDOM) >> np.uint64(32)).astype(np.uint32)])
    nan = (bits & np.uint32(0x7FFFFFFF)) > np.uint32(0x7F800000)
    return np.where(nan, (bits & np.uint32(0x80000000)) | np.uint32(0x7FC00000), bits).astype(np.uint32)


def digest(words):
    """Sum over i of (i + 1) * mix(word i), modulo 2^64: order matters, and numpy computes it quickly."""
    with np.errstate(over="ignore"):
        w = words.astype(np.uint64) + np.uint64(1)
        w = w * np.uint64(0x9E3779B97F4A7C15)
        w = w ^ (w >> np.uint64(29))
        i = np.arange(1, len(w) + 1, dtype=np.uint64)
        return int((w * i).sum(dtype=np.uint64))


def dtype(name):
    return getattr(ml_dtypes, name, None) or np.dtype(name)


def main():
    floats = inputs().view(np.float32)
    print("// SPDX-License-Identifier: Apache-2.0")
    print(f"// Written by scripts/gen_float_tables.py with ml_dtypes {ml_dtypes.__version__}. Do not edit.")
    for name, bits in NARROW:
        codes = np.arange(1 << bits, dtype=np.uint8).view(dtype(name))
        values = codes.astype(np.float32).view(np.uint32)
        print(f"constexpr uint32_t k_{name}[] = {{")
        for row in range(0, len(values), 8):
            print("    " + " ".join(f"0x{v:08x}," for v in values[row:row + 8]))
        print("};")
    print("constexpr RoundingDigest kRoundingDigests[] = {")
    for name in [n for n, _ in NARROW] + WIDE:
        source = floats
        if name == "float8_e8m0fnu":
            # ml_dtypes rounds float's subnormals above 2^-127 up, not to nearest; they are left out.
            b = floats.view(np.uint32)
            source = np.where((b & np.uint32(0x7F800000)) == 0, np.float32(1), floats).astype(np.float32)
        rounded = source.astype(dtype(name))
        codes = rounded.view(np.uint16 if rounded.itemsize == 2 else np.uint8)
        print(f'    {{"{name}", 0x{digest(codes):016x}u}},')
    print("};")
    print("constexpr RoundingDigest kWideningDigests[] = {")
    for name in WIDE:
        values = np.arange(1 << 16, dtype=np.uint16).view(dtype(name)).astype(np.float32).view(np.uint32)
        print(f'    {{"{name}", 0x{digest(values):016x}u}},')
    print("};")


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
