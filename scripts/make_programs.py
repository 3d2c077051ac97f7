#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the programs of bench/programs: what JAX lowers the functions below to, and XLA's results.

    scripts/make_programs.py [--out bench/programs] [NAME...]      (needs jax: make oracle)

Each folder gets program.mlir (StableHLO), program.hlo and golden.json, which describes how the
arguments are drawn (see tests/programs) and samples the results of XLA's CPU compiler. They cover
what tests/programs does not: other shapes, element types and operations. Performance work does not
look at them; they show whether methods are general.
"""
import argparse
import json
import os
import pathlib
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

SAMPLES = 64
MASK = (1 << 64) - 1


def splitmix64(seed, count):
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + (np.arange(count, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def uniform(seed, count):
    return (splitmix64(seed, count) >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)


class Uniform:
    """Floating-point numbers in [-1, 1)."""

    def __init__(self, *shape, dtype="float32"):
        self.entry = {"shape": list(shape), "dtype": dtype, "kind": "uniform"}

    def draw(self, seed):
        dtype = np.dtype(self.entry["dtype"])
        count = int(np.prod(self.entry["shape"], dtype=np.int64))
        values = uniform(seed, 2 * count).view(np.complex64) if dtype == np.complex64 else uniform(seed, count).astype(dtype)
        return values.reshape(self.entry["shape"])


class Integer:
    """Integers in [0, hi)."""

    def __init__(self, hi, *shape, dtype="int32"):
        self.entry = {"shape": list(shape), "dtype": dtype, "kind": "integer", "hi": hi}

    def draw(self, seed):
        count = int(np.prod(self.entry["shape"], dtype=np.int64))
        return (splitmix64(seed, count) % np.uint64(self.entry["hi"])).astype(self.entry["dtype"]).reshape(self.entry["shape"])


PROGRAMS = {}


def program(*arguments, tag="op", platform="cpu"):
    def register(function):
        PROGRAMS[function.__name__] = (function, arguments, tag, platform)
        return function
    return register


@program(Uniform(2048, 1000))
def argmax_rows(x):
    return jnp.argmax(x, axis=1), jnp.argmin(x, axis=0)


@program(Uniform(512, 2048))
def top_k_rows(x):
    return lax.top_k(x, 16)


@program(Uniform(512, 4096))
def cumulative_max_and_product(x):
    return lax.cummax(x, axis=1), jnp.cumprod(1 + x / 256, axis=1)


@program(Uniform(2000000), Uniform(2000000), Uniform(2000000), tag="model")
def black_scholes(spot, strike, years):
    spot, strike, years = 100 + 20 * spot, 100 + 20 * strike, 1.1 + years
    root = 0.3 * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (0.01 + 0.045) * years) / root
    normal = lambda x: 0.5 * (1 + lax.erf(x / np.float32(np.sqrt(2))))
    return spot * normal(d1) - strike * jnp.exp(-0.01 * years) * normal(d1 - root)


@program(Uniform(1024, 3), Uniform(1024, 3), tag="model")
def n_body(position, velocity):
    def step(state, _):
        p, v = state
        d = p[None] - p[:, None]
        a = jnp.sum(d * ((d * d).sum(-1) + 0.01)[..., None] ** -1.5, axis=1) / 1024
        v = v + 0.01 * a
        return (p + 0.01 * v, v), None
    return lax.scan(step, (position, velocity), None, length=10)[0]


@program(Integer(2, 1024, 1024, dtype="int8"), tag="model")
def game_of_life(board):
    def step(_, b):
        around = sum(jnp.roll(b, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - b
        return ((around == 3) | ((around == 2) & (b == 1))).astype(jnp.int8)
    return lax.fori_loop(0, 20, step, board)


@program(Integer(256, 1000000))
def histogram(values):
    return jnp.zeros(256, jnp.int32).at[values].add(1)


@program(Integer(1000, 200000), Uniform(200000, 16))
def segment_maximum(segments, values):
    return jnp.full((1000, 16), -jnp.inf).at[segments].max(values)


# For the CPU, JAX would call LAPACK.
@program(Uniform(256, 256), platform="tpu")
def cholesky_and_solve(x):
    a = jnp.matmul(x, x.T, precision="highest") + 256 * jnp.eye(256)
    l = lax.linalg.cholesky(a)
    return l, lax.linalg.triangular_solve(l, x, left_side=True, lower=True)


@program(Uniform(4096, 8, 8), Uniform(4096, 8, 8))
def small_products(x, y):
    return jnp.einsum("bij,bjk->bik", x, y)


@program(Uniform(512, 512, dtype="float64"), Uniform(512, 512, dtype="float64"))
def matmul_f64(x, y):
    return x @ y


@program(Uniform(384, 384, dtype="complex64"), Uniform(384, 384, dtype="complex64"))
def matmul_complex(x, y):
    return x @ y


@program(Uniform(512, 768, dtype="float16"), Uniform(768, 512, dtype="float16"))
def matmul_f16(x, y):
    return x @ y


@program(Uniform(8, 64, 4096), Uniform(64, 64, 5))
def conv1d_dilated(x, w):
    return lax.conv_general_dilated(x, w, (1,), "SAME", rhs_dilation=(4,))


@program(Uniform(2, 16, 32, 32, 16), Uniform(3, 3, 3, 16, 32))
def conv3d(x, w):
    return lax.conv_general_dilated(x, w, (1, 1, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))


@program(Uniform(4, 28, 28, 64), Uniform(4, 4, 64, 32))
def conv_transposed(x, w):
    return lax.conv_transpose(x, w, (2, 2), "SAME")


@program(Uniform(8, 28, 28, 128), Uniform(3, 3, 32, 128))
def conv_grouped(x, w):
    return lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=4)


@program(Uniform(16, 112, 112, 32))
def average_pool(x):
    total = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    return total / lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


@program(Uniform(256, 1000))
def fft_of_1000(x):
    spectrum = jnp.fft.rfft(x)
    return jnp.abs(spectrum), jnp.fft.irfft(spectrum * jnp.conj(spectrum))


@program(Uniform(32, 56, 56, 64), Uniform(64), Uniform(64), tag="model")
def batch_norm_train(x, scale, offset):
    def loss(x, scale, offset):
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
        y = (x - mean) * lax.rsqrt(variance + 1e-5) * scale + offset
        return (jax.nn.relu(y) ** 2).mean()
    return jax.grad(loss, argnums=(0, 1, 2))(x, scale, offset)


@program(Uniform(2, 256, 8, 64), Uniform(2, 256, 8, 64), Uniform(2, 256, 8, 64), tag="model")
def causal_attention(q, k, v):
    def rotate(x):
        angle = jnp.arange(256)[:, None] * 10000.0 ** (-jnp.arange(32) / 32)
        c, s, (a, b) = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None], jnp.split(x, 2, -1)
        return jnp.concatenate([a * c - b * s, a * s + b * c], -1)
    scores = jnp.einsum("bqhd,bkhd->bhqk", rotate(q), rotate(k)) / 8
    scores = jnp.where(jnp.tril(jnp.ones((256, 256), bool)), scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


@program(Uniform(128, 512, dtype="bfloat16"), Uniform(512), Uniform(512, 1024, dtype="bfloat16"),
         Uniform(512, 1024, dtype="bfloat16"), Uniform(1024, 512, dtype="bfloat16"), tag="model")
def swiglu_bf16(x, scale, gate, up, down):
    wide = x.astype(jnp.float32)
    norm = (wide * lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-6) * scale).astype(jnp.bfloat16)
    return x + (jax.nn.silu(norm @ gate) * (norm @ up)) @ down


@program(Uniform(8, 3, 128, 128))
def resize_bilinear(x):
    return jax.image.resize(x, (8, 3, 224, 224), "bilinear")


@program(Uniform(16, 64, 64, 64))
def depth_to_space(x):
    return x.reshape(16, 64, 64, 4, 4, 4).transpose(0, 1, 3, 2, 4, 5).reshape(16, 256, 256, 4)


@program(Integer(4294967295, 4000000, dtype="uint32"))
def hash_bits(x):
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = (x ^ (x >> shift)) * np.uint32(factor)
    return x ^ (x >> 16), lax.population_count(x), lax.clz(x)


@program(Integer(65536, 400000), Uniform(400000))
def sort_by_key(keys, values):
    return lax.sort((keys, values), num_keys=1)


@program(Uniform(1000, 64), Uniform(2000, 64))
def pairwise_distances(x, y):
    squares = (x * x).sum(1)[:, None] + (y * y).sum(1) - 2 * x @ y.T
    return jnp.sqrt(jnp.maximum(squares, 0))


@program(Uniform(32, 256), Uniform(256, 256), Uniform(256, 256), tag="model")
def rnn_with_condition(x, w, u):
    def step(h, t):
        h = jnp.tanh(h @ w / 8 + lax.dynamic_index_in_dim(x, t % 32, keepdims=False) @ u / 8)
        return lax.cond(t % 3 == 0, lambda h: h * 0.5, lambda h: jnp.flip(h), h), h.sum()
    return lax.scan(step, jnp.zeros(256), jnp.arange(200))


@program(Integer(4294967295, 2, dtype="uint32"))
def normal_samples(key):
    return jax.random.normal(key, (1000, 1000))


@program(Uniform(512, 512), tag="model")
def heat_until_converged(x):
    def step(state):
        u, _, count = state
        p = jnp.pad(u, 1, mode="edge")
        v = (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]) / 4
        return v, jnp.abs(v - u).max(), count + 1
    return lax.while_loop(lambda s: (s[1] > 1e-3) & (s[2] < 300), step, (x, jnp.float32(1), 0))


@program(Uniform(2048, 512), Integer(512, 2048), tag="model")
def cross_entropy_gradient(logits, labels):
    loss = lambda z: -jnp.take_along_axis(jax.nn.log_softmax(z), labels[:, None], 1).mean()
    return jax.value_and_grad(loss)(logits)


def sampled(array):
    array = np.asarray(array)
    wide = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64).reshape(-1)
    count = wide.size
    places = sorted({i * (count - 1) // max(SAMPLES - 1, 1) for i in range(min(SAMPLES, count))})
    number = {"c": lambda v: [float(v.real), float(v.imag)], "f": float, "V": float}.get(array.dtype.kind, int)
    return {"shape": list(array.shape), "dtype": str(array.dtype), "l1": float(np.abs(wide).sum()),
            "linf": float(np.abs(wide).max(initial=0)), "samples": [[i, number(wide[i])] for i in places]}


def seed_of(name, index):
    seed = 0
    for byte in name.encode():
        seed = (seed * 131 + byte) & MASK
    return seed % 10**9 * 1000 + index


def write(folder, name):
    function, arguments, tag, platform = PROGRAMS[name]
    entries = [dict(a.entry, seed=seed_of(name, i)) for i, a in enumerate(arguments)]
    values = [a.draw(e["seed"]) for a, e in zip(arguments, entries)]
    jax.config.update("jax_enable_x64", any(a.entry["dtype"] == "float64" for a in arguments))
    traced = jax.jit(function, keep_unused=True).trace(*values)
    lowered = traced.lower(lowering_platforms=(platform,))
    results = jax.tree.leaves(jax.jit(function)(*values))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.mlir").write_text(lowered.as_text())
    (folder / "program.hlo").write_text(lowered.as_text("hlo"))
    golden = {"name": name, "tag": tag, "args": entries, "outputs": [sampled(r) for r in results]}
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")


def main(folder="bench/programs"):
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=root / folder, help="default: " + folder)
    parser.add_argument("names", nargs="*", help="default: all")
    options = parser.parse_args()
    unknown = [n for n in options.names if n not in PROGRAMS]
    if unknown:
        sys.exit(f"unknown program {unknown[0]!r}; known are: {', '.join(PROGRAMS)}")
    for name in options.names or PROGRAMS:
        write(options.out / name, name)
        print(name, flush=True)


if __name__ == "__main__":
    main()
