# SPDX-License-Identifier: Apache-2.0
"""Cholesky, triangular-solve, fft, batch normalization."""
import numpy as np

import values
from compare import ulps, within


def _random(p, type_, dims):
  array = p.rng.uniform(-1, 1, size=dims)
  if type_ in values.COMPLEX:
    array = array + 1j * p.rng.uniform(-1, 1, size=dims)
  return array


def cholesky(p):
  type_ = p.pick(["f32", "f64", "c64", "c128"])
  n, batch = p.number(1, 5), p.dims(0, 2, 2)
  root = _random(p, type_, batch + [n, n])
  matrix = root @ np.conj(np.swapaxes(root, -1, -2)) + n * np.eye(n)
  lower = p.chance(50)
  result = p.op("cholesky", type_, batch + [n, n], [p.put(type_, matrix)], f"lower={str(lower).lower()}", keep=False)
  # The other triangle is not defined.
  mask = np.broadcast_to(np.tril(np.ones((n, n), bool)) if lower else np.triu(np.ones((n, n), bool)), batch + [n, n])
  zero = p.constant(type_, np.zeros(batch + [n, n]).astype(values.TYPES[type_]))
  return p.op("select", type_, batch + [n, n], [p.put("pred", mask), result, zero],
              rule=within(64 * n * values.epsilon(type_)))


def triangular_solve(p):
  type_ = p.pick(["f32", "f64", "c64", "c128"])
  n, batch = p.number(1, 5), p.dims(0, 2, 2)
  left = p.chance(50)
  a = _random(p, type_, batch + [n, n]) + 3 * np.eye(n)
  b = _random(p, type_, batch + ([n, p.number(1, 3)] if left else [p.number(1, 3), n]))
  transpose = p.pick(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
  attributes = (f"left_side={str(left).lower()}, lower={str(p.chance(50)).lower()}, "
                f"unit_diagonal={str(p.chance(30)).lower()}, transpose_a={transpose}")
  return p.op("triangular-solve", type_, list(b.shape), [p.put(type_, a), p.put(type_, b)], attributes,
              rule=within(2.0**(n + 8) * values.epsilon(type_)))


def fft(p):
  kind = p.pick(["FFT", "IFFT", "RFFT", "IRFFT"])
  double = p.chance(50)
  real, complex_ = ("f64", "c128") if double else ("f32", "c64")
  rank = p.number(1, 3)
  lengths = [p.number(1, 8) for _ in range(rank)]
  batch = p.dims(0, 2, 2)
  half = lengths[:-1] + [lengths[-1] // 2 + 1]
  operand = batch + (half if kind == "IRFFT" else lengths)
  result = batch + (half if kind == "RFFT" else lengths)
  source = real if kind == "RFFT" else complex_
  target = real if kind == "IRFFT" else complex_
  size = float(np.prod(lengths))
  return p.op("fft", target, result, [p.put(source, _random(p, source, operand))],
              f"fft_type={kind}, fft_length={{{','.join(map(str, lengths))}}}",
              rule=within(16 * size * values.epsilon(target)))


def batch_norm(p):
  type_ = p.pick(["f32", "f64", "f16", "bf16"])
  dims = [p.number(1, 4) for _ in range(p.number(1, 4))]
  feature = p.number(0, len(dims) - 1)
  vector = [dims[feature]]
  attributes = f"epsilon={p.pick(['0.001', '0.1', '1'])}, feature_index={feature}"
  make = lambda shape, kind="unit": p.input(type_, shape, kind)
  rule = within(4096 * values.epsilon(type_) if type_ in ("f32", "f64") else 256 * values.epsilon(type_))
  how = p.number(0, 2)
  if how == 0:
    return p.tuple_op("batch-norm-training", [(type_, dims), (type_, vector), (type_, vector)],
                      [make(dims), make(vector), make(vector)], attributes, [rule] * 3)
  if how == 1:
    return p.op("batch-norm-inference", type_, dims,
                [make(dims), make(vector), make(vector), make(vector), make(vector, "positive")], attributes, rule=rule)
  return p.tuple_op("batch-norm-grad", [(type_, dims), (type_, vector), (type_, vector)],
                    [make(dims), make(vector), make(vector), make(vector, "positive"), make(dims)], attributes,
                    [rule] * 3)
