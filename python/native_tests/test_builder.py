# SPDX-License-Identifier: Apache-2.0
"""The builder: every function of xla_ops.h is there, and these calls mean what they say."""

import re

import numpy as np
import pytest
import xylem
import xylem.builder as xb

F32 = np.float32
X = np.arange(6, dtype=F32).reshape(2, 3)


def built(function, *arguments):
  """The function of operations, on arrays."""
  return xb.computation(function, *arguments)(*arguments)


def test_every_function_is_there(tree):
  header = (tree / "xla/hlo/builder/xla_ops.h").read_text()
  names = set(re.findall(r"^(?:inline )?(?:XlaOp|void|absl::StatusOr<XlaOp>) (\w+)\(", header, re.M))
  assert len(names) > 150
  for name in names:
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    function = getattr(xb, snake, None) or getattr(xb, snake + "_")
    assert callable(function) and function.__doc__


def test_axpy():
  b = xb.Builder("axpy")
  x, y = b.parameter("f32[2,3]", "x"), b.parameter((F32, (2, 3)))
  module = b.build(3 * x + y)
  assert module.name.startswith("axpy") and np.array_equal(module(X, X), 4 * X)


@pytest.mark.parametrize("function,expected", [
    (lambda x: x + 1, X + 1), (lambda x: 2 - x, 2 - X), (lambda x: x * x / 2, X * X / 2),
    (lambda x: -x, -X), (lambda x: abs(-x), X), (lambda x: x % 2, X % 2), (lambda x: x**2, X**2),
    (lambda x: x < 3, X < 3), (lambda x: x >= 3, X >= 3), (lambda x: ~(x < 3), X >= 3),
    (lambda x: (x < 2) | (x > 4), (X < 2) | (X > 4)),
    (lambda x: x @ xb.transpose(x, [1, 0]), X @ X.T),
    (lambda x: xb.convert_element_type(x, np.int32) << 1, X.astype(int) << 1),
    (lambda x: xb.convert_element_type(x, "u8") >> 1, X.astype(int) >> 1),
    (lambda x: xb.max(x, np.full((2, 3), 2, F32)), np.maximum(X, 2)),
    (lambda x: xb.reshape(x, (3, 2)), X.reshape(3, 2)),
    (lambda x: xb.slice(x, [0, 1], [2, 3], [1, 1]), X[:, 1:]),
    (lambda x: xb.pad(x, 0.0, [(1, 0), (0, 0)]),
     np.pad(X, ((1, 0), (0, 0)))),
    (lambda x: xb.concat_in_dim([x, x], 0), np.concatenate([X, X])),
    (lambda x: xb.broadcast_in_dim(x, out_dim_size=[2, 2, 3], broadcast_dimensions=[1, 2]), np.stack([X, X])),
    (lambda x: xb.reduce(x, 0.0, lambda a, b: a + b, [1]), X.sum(1)),
    (lambda x: xb.reduce(x, init_value=-1.0, computation=xb.max, dimensions_to_reduce=[0]), X.max(0)),
    (lambda x: xb.map([x, x], lambda a, b: a * b + 1, [0, 1]), X * X + 1),
    (lambda x: xb.sort([xb.neg(x)], lambda a, b: a < b, 1), np.sort(-X, 1)),
    (lambda x: xb.compare(x, 3.0, [], "EQ"), X == 3),
    (lambda x: xb.select(x > 2, x, 0.0), np.where(X > 2, X, 0)),
    (lambda x: xb.dot_general(x, x, {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [1]},
                              precision_config="highest"), X @ X.T),
    (lambda x: xb.reduce_window(x, 0.0, xb.add, [1, 2], [1, 1], "valid"), X[:, :-1] + X[:, 1:]),
    (lambda x: xb.iota(x.builder, "s32[2,3]", 1) + 1, np.broadcast_to([1, 2, 3], (2, 3))),
    (lambda x: xb.gather(x, np.array([1, 0], np.int32), dict(offset_dims=[1], collapsed_slice_dims=[0],
                                                              start_index_map=[0], index_vector_dim=1), [1, 3]),
     X[[1, 0]]),
    (lambda x: xb.dynamic_slice(x, [0, 1], [2, 2]), X[:, 1:]),
    (lambda x: xb.select(x > 2, 1.5, x), np.where(X > 2, 1.5, X)),
    (lambda x: (x > 2) & True, X > 2),
    (lambda x: xb.call(lambda a: a + 1, [x]), X + 1),
    (lambda x: xb.conditional(xb.constant_literal(x.builder, True), x, lambda a: a + 1, x, lambda a: a - 1), X + 1),
    (lambda x: xb.conditional(xb.constant_literal(x.builder, np.int32(1)), [lambda a: a, lambda a: a * 2], [x, x]),
     X * 2),
    (lambda x: xb.while_(lambda i: i < 10, lambda i: i + 3, x.builder.constant(0)), np.int32(12)),
])
def test_operations(function, expected):
  result = built(function, X)
  assert result.shape == np.shape(expected) and np.array_equal(result, expected)


def test_tuples_and_loops_of_tuples():
  def body(state):
    return xb.tuple([state[0] + 1, state[1] * 2])

  def loop(x):
    start = xb.tuple([x.builder.constant(0), x])
    return xb.while_(lambda state: state[0] < 3, body, start)

  count, value = built(loop, X)
  assert count == 3 and np.array_equal(value, 8 * X)
  a, b = built(lambda x: (x, x + 1), X)
  assert np.array_equal(a, X) and np.array_equal(b, X + 1)


def test_constants():
  b = xb.Builder()
  assert b.constant([1.5, 2]).shape.element_type == "f32"
  assert b.constant(3).shape.element_type == "s32"
  assert b.constant(3, "bf16" if pytest.importorskip("ml_dtypes") else "f16").shape.element_type == "bf16"
  assert b.constant(np.ones((2, 2))).shape.dimensions == (2, 2)
  with pytest.raises(xylem.InvalidArgument, match="300 is not a value of s8"):
    b.constant(np.ones(2, np.int8)) + 300


@pytest.mark.parametrize("call,message", [
    (lambda b, x: xb.dot(x, x), "Dot"),
    (lambda b, x: xb.dot(x), "rhs"),
    (lambda b, x: xb.transpose(x, "ab"), "expected a sequence, got 'ab'"),
    (lambda b, x: xb.reduce(x, x), "fit none of its forms"),
    (lambda b, x: xb.fft(x, "FOURIER", [3]), "unknown FftType 'FOURIER'"),
    (lambda b, x: xb.dot_general(x, x, {"lhs_contracting": [1]}), "has no 'lhs_contracting'"),
    (lambda b, x: xb.add(x, object()), "the builder takes no object"),
    (lambda b, x: xb.add(1, 2), "needs an operation or a builder"),
    (lambda b, x: xb.add(x, xb.Builder("other").parameter("f32[2,3]")), "different builders"),
])
def test_errors_are_raised_by_the_call(call, message):
  b = xb.Builder()
  with pytest.raises((xylem.InvalidArgument, TypeError), match=message):
    call(b, b.parameter("f32[2,3]"))


def test_operations_end_with_their_builder():
  b = xb.Builder()
  x = b.parameter("f32[2]")
  b.build(x + 1)
  with pytest.raises(xylem.InvalidArgument, match="built already"):
    x + 1


def test_annotations():
  b = xb.Builder()
  x = b.parameter("f32[4]")
  with b.op_name("layer"), b.sharding("{devices=[2]<=[2]}"):
    y = x + 1
  root = b.build(y).entry.root
  assert root.metadata["op_name"] == "layer" and root.sharding.startswith("{devices=[2]")


def test_collectives():
  b = xb.Builder()
  module = b.build(xb.all_reduce(b.parameter("f32[]"), xb.add, replica_groups=[[0, 1]], channel_id=1))
  assert module.compile(replicas=2)(1)[1] == 2
