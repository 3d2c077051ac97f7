#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes programs of the kinds that people run with JAX today, for bench/compare.py.

    build-xla/bin/python scripts/make_model_programs.py [--out build/models] [NAME...]
    build-xla/bin/python bench/compare.py build/models/*

Samplers, recurrent networks, parts of transformers and of convolution networks with their
gradients, products of narrow types, methods for differential equations, decoding, embeddings,
transforms and sorts, in the folders that make_programs.py describes.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

import make_programs
from make_programs import Integer as I, Uniform as U, program

make_programs.PROGRAMS.clear()


# --- sampling, inference
@program(U(500, 16), I(2, 500), U(16), tag="model")
def hmc_logistic(x, y, w0):
    yf = y.astype(jnp.float32)
    def logp(w):
        z = x @ w
        return jnp.sum(yf * z - nn.softplus(z)) - 0.5 * jnp.sum(w * w)
    grad = jax.grad(logp)
    def step(state, key):
        w = state
        k1, k2 = jax.random.split(key)
        p = jax.random.normal(k1, w.shape)
        def leap(_, qp):
            q, p = qp
            p = p + 0.005 * grad(q)
            q = q + 0.01 * p
            p = p + 0.005 * grad(q)
            return q, p
        q, p2 = lax.fori_loop(0, 10, leap, (w, p))
        a = logp(q) - 0.5 * p2 @ p2 - logp(w) + 0.5 * p @ p
        u = jnp.log(jax.random.uniform(k2))
        w = jnp.where(u < a, q, w)
        return w, w
    keys = jax.random.split(jax.random.PRNGKey(0), 100)
    return lax.scan(step, w0, keys)[1]


@program(U(2000, 32), I(2, 2000), U(32), tag="model")
def hmc_logistic_large(x, y, w0):
    yf = y.astype(jnp.float32)
    def logp(w):
        return jnp.sum(yf * (x @ w) - nn.softplus(x @ w)) - 0.5 * jnp.sum(w * w)
    g = jax.value_and_grad(logp)
    def leap(qp, _):
        q, p = qp
        v, d = g(q)
        p = p + 0.01 * d
        return (q + 0.01 * p, p), v
    return lax.scan(leap, (w0, jnp.ones(32)), None, length=50)


@program(U(1000000), tag="op")
def tanh_1m(x):
    return jnp.tanh(3 * x)


@program(U(1000000), tag="op")
def log_exp_1m(x):
    return jnp.log(jnp.exp(x) + 2), lax.erf(2 * x)


@program(U(1000000), U(1000000), tag="op")
def pow_1m(x, y):
    return jnp.power(jnp.abs(x) + 0.5, y), jnp.cos(3 * y), jnp.log1p(jnp.abs(y))


@program(I(1000, 2, dtype="uint32"), tag="op")
def normal_1m(k):
    return jax.random.normal(k, (1000000,))


# --- recurrent networks
def gru_params(h, i):
    return [U(i, 3 * h), U(h, 3 * h), U(3 * h)]


def gru_cell(h, x, wi, wh, b):
    n = h.shape[-1]
    gi, gh = x @ wi + b, h @ wh
    r = nn.sigmoid(gi[:, :n] + gh[:, :n])
    z = nn.sigmoid(gi[:, n:2*n] + gh[:, n:2*n])
    c = jnp.tanh(gi[:, 2*n:] + r * gh[:, 2*n:])
    return (1 - z) * c + z * h


@program(U(50, 32, 64), *gru_params(128, 64), U(128, 10), I(10, 32), tag="model")
def gru_train(xs, wi, wh, b, wo, y):
    def loss(ps):
        wi, wh, b, wo = ps
        h, _ = lax.scan(lambda h, x: (gru_cell(h, x, wi * .1, wh * .1, b), None), jnp.zeros((32, 128)), xs)
        return -jnp.mean(jnp.take_along_axis(nn.log_softmax(h @ wo), y[:, None], 1))
    l, g = jax.value_and_grad(loss)((wi, wh, b, wo))
    return l, jax.tree.map(lambda p, g: p - 0.1 * g, (wi, wh, b, wo), g)


@program(U(60, 16, 64), U(64, 512), U(128, 512), U(512), tag="model")
def lstm_train(xs, wi, wh, b):
    def loss(ps):
        wi, wh, b = ps
        def cell(hc, x):
            h, c = hc
            g = x @ wi * .1 + h @ wh * .1 + b
            i, f, o, u = jnp.split(g, 4, -1)
            c = nn.sigmoid(f) * c + nn.sigmoid(i) * jnp.tanh(u)
            h = nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        (h, c), hs = lax.scan(cell, (jnp.zeros((16, 128)), jnp.zeros((16, 128))), xs)
        return jnp.mean(hs ** 2)
    l, g = jax.value_and_grad(loss)((wi, wh, b))
    return l, g


@program(U(100, 1, 32), *gru_params(64, 32), tag="model")
def gru_online(xs, wi, wh, b):
    return lax.scan(lambda h, x: (gru_cell(h, x, wi, wh, b),) * 2, jnp.zeros((1, 64)), xs)[1]


# --- transformers
def layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


def attn(q, k, v, mask=None):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.float32(np.sqrt(q.shape[-1]))
    if mask is not None:
        s = jnp.where(mask, s, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", nn.softmax(s, axis=-1), v)


@program(U(4, 197, 192), U(192), U(192), U(192, 576), U(192, 192), U(192, 768), U(768, 192), tag="model")
def vit_block(x, g, b, wqkv, wo, w1, w2):
    y = layer_norm(x, g, b) @ wqkv * .1
    q, k, v = [t.reshape(4, 197, 3, 64) for t in jnp.split(y, 3, -1)]
    x = x + attn(q, k, v).reshape(4, 197, 192) @ wo
    return x + nn.gelu(layer_norm(x, g, b) @ w1, approximate=False) @ w2


@program(U(2, 197, 192), U(192), U(192), U(192, 576), U(192, 192), U(192, 768), U(768, 192), tag="model")
def vit_block_train(x, *ps):
    def f(ps):
        g, b, wqkv, wo, w1, w2 = ps
        y = layer_norm(x, g, b) @ wqkv * .1
        q, k, v = [t.reshape(2, 197, 3, 64) for t in jnp.split(y, 3, -1)]
        z = x + attn(q, k, v).reshape(2, 197, 192) @ wo
        z = z + nn.gelu(layer_norm(z, g, b) @ w1) @ w2
        return jnp.mean(z ** 2)
    return jax.value_and_grad(f)(ps)


def rope(x):
    t, d = x.shape[1], x.shape[-1]
    f = 1.0 / (10000 ** (jnp.arange(0, d, 2, dtype=jnp.float32) / d))
    a = jnp.arange(t, dtype=jnp.float32)[:, None] * f
    c, s = jnp.cos(a)[None, :, None].astype(x.dtype), jnp.sin(a)[None, :, None].astype(x.dtype)
    x1, x2 = jnp.split(x, 2, -1)
    return jnp.concatenate([x1 * c - x2 * s, x2 * c + x1 * s], -1)


def rms(x, g):
    xf = x.astype(jnp.float32)
    return (xf * lax.rsqrt((xf * xf).mean(-1, keepdims=True) + 1e-6)).astype(x.dtype) * g


def llama(x, g1, g2, wq, wk, wv, wo, w1, w3, w2):
    b, t, d = x.shape
    y = rms(x, g1)
    q = rope((y @ wq).reshape(b, t, -1, 64))
    k = rope((y @ wk).reshape(b, t, -1, 64))
    v = (y @ wv).reshape(b, t, -1, 64)
    r = q.shape[2] // k.shape[2]
    k, v = jnp.repeat(k, r, 2), jnp.repeat(v, r, 2)
    mask = jnp.tril(jnp.ones((t, t), bool))
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(jnp.float32) / 8
    a = nn.softmax(jnp.where(mask, s, -1e9), -1).astype(x.dtype)
    x = x + jnp.einsum("bhqk,bkhd->bqhd", a, v).reshape(b, t, -1) @ wo
    y = rms(x, g2)
    return x + (nn.silu(y @ w1) * (y @ w3)) @ w2


def llama_args(b, t, d, kv, f, dtype):
    shapes = [(b, t, d), (d,), (d,), (d, d), (d, kv), (d, kv), (d, d), (d, f), (d, f), (f, d)]
    return [U(*shape, dtype=dtype) for shape in shapes]


@program(*llama_args(1, 256, 512, 128, 1376, "float32"), tag="model")
def llama_f32(*a):
    return llama(*a)


@program(*llama_args(1, 128, 512, 128, 1376, "bfloat16"), tag="model")
def llama_bf16(*a):
    return llama(*a)


@program(*llama_args(1, 1, 1024, 256, 2752, "float32"), tag="model")
def llama_decode_f32(*a):
    return llama(*a)


@program(*llama_args(1, 1, 1024, 256, 2752, "bfloat16"), tag="model")
def llama_decode_bf16(*a):
    return llama(*a)


@program(U(2, 512, 8, 64), U(2, 512, 8, 64), U(2, 512, 8, 64), tag="model")
def attention_masked(q, k, v):
    return attn(q, k, v, jnp.tril(jnp.ones((512, 512), bool)))


@program(U(1, 1024, 8, 64), U(1, 1024, 8, 64), U(1, 1024, 8, 64), tag="model")
def attention_flash(q, k, v):
    q, k, v = [x.transpose(0, 2, 1, 3) for x in (q, k, v)]
    kb, vb = [x.reshape(1, 8, 8, 128, 64).transpose(2, 0, 1, 3, 4) for x in (k, v)]
    def step(c, kv):
        m, l, o = c
        s = jnp.einsum("bhqd,bhkd->bhqk", q, kv[0]) / 8
        mn = jnp.maximum(m, s.max(-1))
        p = jnp.exp(s - mn[..., None])
        f = jnp.exp(m - mn)
        return (mn, l * f + p.sum(-1), o * f[..., None] + p @ kv[1]), None
    start = (jnp.full((1, 8, 1024), -jnp.inf), jnp.zeros((1, 8, 1024)), jnp.zeros((1, 8, 1024, 64)))
    m, l, o = lax.scan(step, start, (kb, vb))[0]
    return o / l[..., None]


@program(I(127, 256, 512, dtype="int8"), I(127, 512, 512, dtype="int8"), tag="op")
def int8_dot(a, b):
    return lax.dot(a, b, preferred_element_type=jnp.int32)


@program(U(1, 1024), I(127, 1024, 4096, dtype="int8"), U(4096), tag="op")
def int8_weights_decode(x, w, s):
    return (x @ w.astype(jnp.float32)) * s


@program(U(64, 512), I(127, 512, 1024, dtype="int8"), U(1024), tag="op")
def int8_weights(x, w, s):
    return x @ (w.astype(jnp.float32) * s)


@program(U(128, 512, dtype="bfloat16"), U(512, 1024, dtype="bfloat16"), tag="op")
def bf16_dot(a, b):
    return a @ b


@program(U(1, 4096, dtype="bfloat16"), U(4096, 4096, dtype="bfloat16"), tag="op")
def bf16_matvec(a, b):
    return a @ b


@program(U(4096), U(4096, 2048), tag="op")
def matvec_t(a, b):
    return a @ b, b @ a[:2048]


@program(U(8, 512), U(512, 2048), tag="op")
def skinny8(a, b):
    return a @ b


@program(U(256, 768), U(768, 768), tag="op")
def dot_256(a, b):
    return a @ b


# --- convolution networks
def conv(x, w, stride=1, groups=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", feature_group_count=groups,
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@program(U(32, 28, 28, 1), U(3, 3, 1, 16), U(3, 3, 16, 32), U(1568, 10), I(10, 32), tag="model")
def cnn_train(x, k1, k2, w, y):
    def loss(ps):
        k1, k2, w = ps
        h = max_pool(nn.relu(conv(x, k1)))
        h = max_pool(nn.relu(conv(h, k2)))
        z = nn.log_softmax(h.reshape(32, -1) @ w)
        return -jnp.mean(jnp.take_along_axis(z, y[:, None], 1))
    l, g = jax.value_and_grad(loss)((k1, k2, w))
    return l, jax.tree.map(lambda p, g: p - .01 * g, (k1, k2, w), g)


@program(U(4, 32, 32, 64), U(3, 3, 1, 64), U(64), U(1, 1, 64, 128), tag="model")
def depthwise_pointwise(x, k, b, w):
    return nn.relu(conv(nn.relu(conv(x, k, groups=64) + b), w))


@program(U(8, 32, 32, 32), U(3, 3, 32, 32), U(32), U(32), U(3, 3, 32, 32), tag="model")
def residual_train(x, k1, g, b, k2):
    def f(ps):
        k1, g, b, k2 = ps
        h = conv(x, k1)
        m = h.mean((0, 1, 2))
        v = h.var((0, 1, 2))
        h = nn.relu((h - m) * lax.rsqrt(v + 1e-5) * g + b)
        return jnp.mean(nn.relu(x + conv(h, k2)) ** 2)
    return jax.value_and_grad(f)((k1, g, b, k2))


@program(U(16, 4000, 8), U(16, 8, 16), U(16, 16, 16), tag="op")
def conv1d_dil(x, k1, k2):
    c = lambda x, k, d: lax.conv_general_dilated(
        x, k, (1,), "SAME", rhs_dilation=(d,), dimension_numbers=("NWC", "WIO", "NWC"))
    return c(nn.relu(c(x, k1, 2)), k2, 8)


@program(U(4, 1, 16000), U(64, 1, 10), tag="op")
def conv1d_audio(x, k):
    return lax.conv_general_dilated(x, k, (5,), "VALID", dimension_numbers=("NCH", "OIH", "NCH"))


# --- science
@program(U(1000, 3), tag="model")
def lorenz_rk4(s):
    def f(s):
        x, y, z = s[:, 0], s[:, 1], s[:, 2]
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], 1)
    def step(s, _):
        h = 0.01
        k1 = f(s)
        k2 = f(s + h / 2 * k1)
        k3 = f(s + h / 2 * k2)
        k4 = f(s + h * k3)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None
    return lax.scan(step, s, None, length=200)[0]


@program(U(3), tag="model")
def lorenz_small(s):
    def f(s):
        x, y, z = s
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
    def step(s, _):
        h = 0.01
        k1 = f(s)
        k2 = f(s + h / 2 * k1)
        k3 = f(s + h / 2 * k2)
        k4 = f(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return s, s
    return lax.scan(step, s, None, length=2000)[1]


@program(U(4, 4), U(2, 4), U(200, 2), tag="model")
def kalman(a, c, ys):
    a = a * .3
    q = .1 * jnp.eye(4)
    r = .2 * jnp.eye(2)
    def step(s, y):
        m, p = s
        m, p = a @ m, a @ p @ a.T + q
        sm = c @ p @ c.T + r
        k = jnp.linalg.solve(sm, c @ p).T
        m = m + k @ (y - c @ m)
        p = (jnp.eye(4) - k @ c) @ p
        return (m, p), m
    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), ys)[1]


@program(U(64, 32), U(32, 64), U(64, 64), U(64, 32), tag="model")
def neural_ode(x, w1, w2, w3):
    f = lambda x: jnp.tanh(jnp.tanh(x @ w1) @ w2) @ w3 * .1
    def step(s, _):
        h = 0.05
        k1 = f(s)
        k2 = f(s + h / 2 * k1)
        k3 = f(s + h / 2 * k2)
        k4 = f(s + h * k3)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None
    g = lambda w: jnp.sum(lax.scan(step, x, None, length=20)[0] ** 2)
    return g(x), lax.scan(step, x, None, length=20)[0]


@program(U(1000000), U(1000000), U(1000000), tag="model")
def black_scholes_grad(s, k, t):
    s, k, t = 100 + 20 * s, 100 + 20 * k, 1.1 + t
    def price(s):
        root = 0.3 * jnp.sqrt(t)
        d1 = (jnp.log(s / k) + 0.055 * t) / root
        n = lambda x: 0.5 * (1 + lax.erf(x / np.float32(np.sqrt(2))))
        return s * n(d1) - k * jnp.exp(-0.01 * t) * n(d1 - root)
    return jax.jvp(price, (s,), (jnp.ones_like(s),))


@program(U(256, 4096), tag="op")
def rfft_rows(x):
    return jnp.abs(jnp.fft.rfft(x))


@program(U(64, 1000), tag="op")
def rfft_1000(x):
    f = jnp.fft.rfft(x)
    return jnp.fft.irfft(f * jnp.conj(f))


@program(U(256, 256), tag="op")
def fft2_conv(x):
    return jnp.fft.ifft2(jnp.fft.fft2(x) * jnp.fft.fft2(x[::-1])).real


# --- decoding, embeddings, sorting
@program(U(8, 32000), I(1000, 2, dtype="uint32"), tag="model")
def top_k_sampling(logits, key):
    v, i = lax.top_k(logits, 50)
    s = jax.random.categorical(key, v * 4, axis=-1)
    return jnp.take_along_axis(i, s[:, None], 1)


@program(U(5, 64), U(64, 1000), U(64, 64), tag="model")
def beam_search(h0, wo, wh):
    def step(s, _):
        h, score, seq = s
        lp = nn.log_softmax(h @ wo) + score[:, None]
        v, i = lax.top_k(lp.reshape(-1), 5)
        b, t = i // 1000, i % 1000
        h = jnp.tanh(h[b] @ wh + wo[:, t].T * .1)
        return (h, v, jnp.roll(seq[b], -1, 1).at[:, -1].set(t)), None
    return lax.scan(step, (h0, jnp.zeros(5), jnp.zeros((5, 20), jnp.int32)), None, length=20)[0]


@program(U(50000, 128), I(50000, 64, 32), U(128, 16), tag="model")
def embedding_bag(table, ids, w):
    return table[ids].mean(1) @ w


@program(U(10000, 64), I(10000, 32, 16), U(64, 8), tag="model")
def embedding_train(table, ids, w):
    f = lambda t: jnp.sum(jnp.tanh(t[ids].mean(1) @ w) ** 2)
    return jax.grad(f)(table)


@program(U(100000), tag="op")
def quantiles(x):
    s = jnp.sort(x)
    return s[jnp.array([1000, 50000, 99000])], jnp.argsort(x)[:10]


@program(U(4096, 64), tag="op")
def sort_short_rows(x):
    return jnp.sort(x, axis=1), jnp.argsort(x, axis=1)


@program(U(64, 256), U(256, 256), U(256, 256), U(256, 64), tag="model")
def mlp_adam(x, w1, w2, w3):
    def loss(ps):
        h = nn.silu(x @ ps[0])
        h = nn.silu(h @ ps[1] * .1)
        return jnp.mean((h @ ps[2]) ** 2)
    def step(s, i):
        p, m, v = s
        l, g = jax.value_and_grad(loss)(p)
        m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, g)
        v = jax.tree.map(lambda v, g: .999 * v + .001 * g * g, v, g)
        p = jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), p, m, v)
        return (p, m, v), l
    p = (w1, w2, w3)
    z = jax.tree.map(jnp.zeros_like, p)
    return lax.scan(step, (p, z, z), jnp.arange(10))


if __name__ == "__main__":
    make_programs.main("build/models")
