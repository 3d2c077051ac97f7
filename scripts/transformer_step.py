#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a training step of a transformer as StableHLO, sharded over data, model and sequence.

    VENV/bin/python scripts/transformer_step.py --data 2 --model 2 --sequence 2 > step.mlir

Forward, backward and Adam of four layers, lowered by JAX over an abstract mesh: no devices are
needed. The sizes of arrays do not depend on the mesh.
"""

import argparse

import jax
import jax.numpy as jnp
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

LAYERS, BATCH, SEQUENCE, WIDTH, HEADS, HIDDEN, VOCABULARY = 4, 64, 1024, 1024, 16, 4096, 16384


def shapes():
    layer = {"qkv": ((WIDTH, 3, HEADS, WIDTH // HEADS), (None, None, "model", None)),
             "out": ((HEADS, WIDTH // HEADS, WIDTH), ("model", None, None)),
             "up": ((WIDTH, HIDDEN), (None, "model")), "down": ((HIDDEN, WIDTH), ("model", None)),
             "norm1": ((WIDTH,), (None,)), "norm2": ((WIDTH,), (None,))}
    return {"embedding": ((VOCABULARY, WIDTH), ("model", None)),
            "layers": [layer for _ in range(LAYERS)], "norm": ((WIDTH,), (None,))}


def is_leaf(value):
    return isinstance(value, tuple)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for axis in ("data", "model", "sequence"):
        parser.add_argument("--" + axis, type=int, default=2)
    arguments = parser.parse_args()
    mesh = AbstractMesh((arguments.data, arguments.model, arguments.sequence),
                        ("data", "model", "sequence"))

    def sharding(*spec):
        return NamedSharding(mesh, PartitionSpec(*spec))

    def constrain(value, *spec):
        return jax.lax.with_sharding_constraint(value, sharding(*spec))

    def norm(x, scale):
        return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale

    def loss(parameters, tokens, targets):
        x = constrain(parameters["embedding"][tokens], "data", "sequence", None)
        mask = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
        for layer in parameters["layers"]:
            qkv = jnp.einsum("bsd,dche->cbshe", norm(x, layer["norm1"]), layer["qkv"])
            q, k, v = constrain(qkv, None, "data", "sequence", "model", None)
            scores = jnp.einsum("bqhe,bkhe->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
            scores = constrain(scores, "data", "model", "sequence", None)
            weights = jax.nn.softmax(jnp.where(mask, scores, -1e30), axis=-1)
            mixed = constrain(jnp.einsum("bhqk,bkhe->bqhe", weights, v),
                              "data", "sequence", "model", None)
            x = constrain(x + jnp.einsum("bqhe,hed->bqd", mixed, layer["out"]),
                          "data", "sequence", None)
            hidden = jax.nn.gelu(norm(x, layer["norm2"]) @ layer["up"])
            hidden = constrain(hidden, "data", "sequence", "model")
            x = constrain(x + hidden @ layer["down"], "data", "sequence", None)
        logits = norm(x, parameters["norm"]) @ parameters["embedding"].T
        logits = constrain(logits, "data", "sequence", "model")
        chosen = jnp.sum(jnp.where(targets[..., None] == jnp.arange(VOCABULARY), logits, 0), -1)
        return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - chosen)

    def step(parameters, first, second, count, tokens, targets):
        value, gradients = jax.value_and_grad(loss)(parameters, tokens, targets)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
        second = jax.tree.map(lambda v, g: 0.95 * v + 0.05 * g * g, second, gradients)
        count = count + 1

        def update(p, m, v):
            return p - 1e-3 * (m / (1 - 0.9 ** count)) / (jnp.sqrt(v / (1 - 0.95 ** count)) + 1e-8)

        return value, jax.tree.map(update, parameters, first, second), first, second, count

    weights = jax.tree.map(lambda leaf: sharding(*leaf[1]), shapes(), is_leaf=is_leaf)
    arrays = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf[0], jnp.float32), shapes(),
                          is_leaf=is_leaf)
    batch = sharding("data", "sequence")
    tokens = jax.ShapeDtypeStruct((BATCH, SEQUENCE), jnp.int32)
    scalar = jax.ShapeDtypeStruct((), jnp.float32)
    jitted = jax.jit(step, in_shardings=(weights, weights, weights, sharding(), batch, batch),
                     out_shardings=(sharding(), weights, weights, weights, sharding()))
    traced = jitted.trace(arrays, arrays, arrays, scalar, tokens, tokens)
    print(traced.lower(lowering_platforms=("cpu",)).as_text())


main()
