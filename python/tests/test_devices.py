# SPDX-License-Identifier: Apache-2.0
"""Several devices: shardings, manual computations, pmap."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

X = np.arange(32.0).reshape(8, 4).astype(np.float32)


@pytest.fixture
def mesh():
  return Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))


def put(value, mesh, *axes):
  return jax.device_put(value, NamedSharding(mesh, P(*axes)))


def test_shards_lie_on_their_devices(mesh):
  x = put(X, mesh, "x", "y")
  for shard in x.addressable_shards:
    np.testing.assert_array_equal(shard.data, X[shard.index])
  np.testing.assert_array_equal(x, X)


def test_programs_are_partitioned(mesh):
  y = jax.jit(lambda x: x @ x.T + jnp.sum(x))(put(X, mesh, "x", "y"))
  np.testing.assert_allclose(y, X @ X.T + X.sum())


def test_elementwise_results_keep_their_sharding(mesh):
  x = put(X, mesh, "x", "y")
  y = jax.jit(lambda x: jnp.sin(x) * 2)(x)
  assert y.sharding.is_equivalent_to(x.sharding, 2)
  np.testing.assert_allclose(y, np.sin(X) * 2, rtol=1e-5, atol=1e-6)


def test_shardings_are_those_asked_for(mesh):
  out = NamedSharding(mesh, P("y", None))
  y = jax.jit(lambda x: x.T, in_shardings=NamedSharding(mesh, P("x", "y")), out_shardings=out)(X)
  assert y.sharding.is_equivalent_to(out, 2)
  np.testing.assert_array_equal(y, X.T)


def test_shard_map(mesh):
  f = jax.jit(jax.shard_map(
      lambda x: jax.lax.psum(x, "x") + jax.lax.axis_index("y"), mesh=mesh, in_specs=P("x", "y"),
      out_specs=P(None, "y")))
  np.testing.assert_allclose(f(X), X.reshape(4, 2, 4).sum(0) + np.array([0, 0, 1, 1]))


def test_collectives(mesh):
  shift = [(i, (i + 1) % 4) for i in range(4)]
  f = jax.jit(jax.shard_map(lambda x: jax.lax.ppermute(x, "x", shift), mesh=mesh, in_specs=P("x"),
                            out_specs=P("x")))
  assert f(np.arange(8)).tolist() == [6, 7, 0, 1, 2, 3, 4, 5]


def test_pmap():
  y = jax.pmap(lambda x: jax.lax.psum(x, "i"), axis_name="i")(np.arange(8.0))
  assert y.tolist() == [28.0] * 8


def test_data_parallel_gradients(mesh):
  x = put(X / 32, mesh, ("x", "y"))
  w = put(np.ones((4, 3), np.float32), mesh)
  loss = lambda w, x: jnp.mean(jnp.tanh(x @ w) ** 2)
  got = jax.jit(jax.grad(loss))(w, x)
  want = jax.grad(loss)(jnp.ones((4, 3)), jnp.asarray(X / 32))
  np.testing.assert_allclose(got, want, rtol=1e-5)


def test_callbacks_on_whole_arrays_run_once(mesh):
  calls = []

  def double(value):
    calls.append(value.shape)
    return 2 * value

  x = put(X, mesh, "x", "y")
  y = jax.jit(lambda x: jax.pure_callback(double, jax.ShapeDtypeStruct(X.shape, X.dtype), x))(x)
  np.testing.assert_array_equal(y, 2 * X)
  assert calls == [X.shape]
  seen = []
  jax.jit(lambda x: jax.debug.callback(lambda v: seen.append(float(v)), jnp.sum(x)))(x)
  jax.effects_barrier()
  assert seen == [X.sum()]


def test_callbacks_in_manual_computations_run_on_each_device(mesh):
  seen = []

  def body(x):
    jax.debug.callback(lambda v: seen.append(float(v)), x[0, 0])
    return x

  jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y")))(X)
  jax.effects_barrier()
  assert sorted(seen) == sorted(X[::2, ::2].ravel().tolist())


def test_products_and_reductions_work_on_shards(mesh):
  x, y = put(X, mesh, "x", None), put(X.T, mesh, None, "y")
  product = jax.jit(lambda x, y: x @ y)(x, y)
  assert product.sharding.is_equivalent_to(NamedSharding(mesh, P("x", "y")), 2)
  np.testing.assert_allclose(product, X @ X.T)
  total = jax.jit(lambda x: (x.T.reshape(2, 2, 8).sum((0, 2)), x.max(1), jnp.sum(x, 0)))
  for got, want in zip(total(x), (X.T.reshape(2, 2, 8).sum((0, 2)), X.max(1), X.sum(0))):
    np.testing.assert_allclose(got, want)
  # The dimension that is summed is divided.
  gram = jax.jit(lambda x, y: y @ x)(put(X, mesh, "y"), put(X.T, mesh, None, "y"))
  np.testing.assert_allclose(gram, X.T @ X)


def test_unreduced_arrays():
  mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2)
  with jax.set_mesh(mesh):
    x = jax.device_put(X, P(None, "x"))
    partial = jax.jit(lambda x: jnp.einsum(
        "ab,cb->ac", x, x, out_sharding=P(None, None, unreduced={"x"})))(x)
    assert partial.sharding.spec.unreduced == {"x"}
    np.testing.assert_allclose(jax.reshard(partial, P("x", None)), X @ X.T)


def test_ordered_callbacks_on_several_devices(mesh):
  from jax.experimental import io_callback

  seen = []
  f = jax.jit(lambda x: io_callback(lambda v: seen.append(float(v.sum())), None, x, ordered=True))
  f(put(X, mesh, "x"))
  f(put(X + 1, mesh, "x"))
  jax.effects_barrier()
  assert seen == [X.sum(), X.sum() + X.size]


def test_loops_work_on_shards(mesh):
  def layer(x, w):
    x = jnp.tanh(x @ w)
    return x, x.sum(1)

  def loss(ws, x):
    last, sums = jax.lax.scan(layer, x, ws)
    return (last**2).sum() + sums.mean()

  ws = np.linspace(-1, 1, 3 * 4 * 4, dtype=np.float32).reshape(3, 4, 4)
  f = jax.jit(jax.grad(loss))
  x = put(X, mesh, "x")
  np.testing.assert_allclose(f(ws, x), f(ws, X), rtol=1e-4, atol=1e-5)
  text = f.lower(put(ws, mesh), x).compile().as_text()
  assert " while(" in text and "all-reduce" in text and "all-gather" not in text
  # The condition needs all of the array.
  halved = jax.jit(lambda x: jax.lax.while_loop(lambda x: x.sum() > 10, lambda x: x / 2, x))
  np.testing.assert_allclose(halved(x), X / 64)


def test_batches_of_lu_work_on_shards(mesh):
  a = np.random.default_rng(0).normal(size=(4, 6, 5)).astype(np.float32)
  f = jax.jit(jax.lax.linalg.lu)
  divided = put(a, mesh, "x")
  assert "all-gather" not in f.lower(divided).compile().as_text()
  lu, _, permutation = map(np.asarray, f(divided))
  lower = np.tril(lu, -1)[..., :5] + np.eye(6, 5, dtype=np.float32)
  permuted = np.take_along_axis(a, permutation[..., None], -2)
  np.testing.assert_allclose(lower @ np.triu(lu)[..., :5, :], permuted, atol=1e-5)


def test_custom_partitioning(mesh):
  from jax.experimental.custom_partitioning import custom_partitioning

  @custom_partitioning
  def centered(x):
    return x - jnp.mean(x, axis=1, keepdims=True)

  asked = []

  def partition(mesh, arguments, result):
    asked.append((arguments[0].sharding.spec, result.sharding.spec))
    rows = NamedSharding(mesh, P(result.sharding.spec[0], None))

    def lower(x):
      return x - jnp.mean(x, axis=1, keepdims=True)

    return mesh, lower, rows, (rows,)

  centered.def_partition(
      partition=partition,
      infer_sharding_from_operands=lambda mesh, arguments, result: arguments[0].sharding,
      sharding_rule="i j -> i j")
  with mesh:
    x = put(X, mesh, "x", "y")
    y = jax.jit(lambda x: centered(x * 2))(x)
  np.testing.assert_allclose(y, 2 * X - 2 * X.mean(1, keepdims=True))
  assert asked == [(P("x", "y"), P("x", "y"))]


def test_shardings_are_inspected(mesh):
  seen = []

  @jax.jit
  def f(x):
    y = x * 2
    jax.debug.inspect_array_sharding(y, callback=seen.append)
    return y

  x = put(X, mesh, "x", "y")
  f(x)
  assert len(seen) == 1 and seen[0].is_equivalent_to(x.sharding, 2)


def test_groups_are_sharded_alike(mesh):
  shard_alike = pytest.importorskip("jax.experimental.shard_alike").shard_alike  # until JAX 0.11

  x = put(X, mesh, "x", "y")
  y = jax.jit(lambda x: shard_alike(x, jnp.arange(32.0).reshape(8, 4))[1])(x)
  assert y.sharding.is_equivalent_to(x.sharding, 2)
  np.testing.assert_array_equal(y, X)


def test_partitioned_callbacks_get_shards(mesh):
  x = put(X, mesh, "x", "y")
  seen = []

  @jax.jit
  def f(x):
    jax.debug.callback(lambda part: seen.append(part.shape), x * 2, partitioned=True)
    jax.vmap(lambda row: jax.debug.callback(
        lambda part: seen.append(part.shape), row, partitioned=True), in_axes=1)(x)

  f(x)
  jax.effects_barrier()
  # Of rows each partition has two of eight; each of four columns is visited by all.
  assert sorted(seen) == [(2,)] * 32 + [(2, 2)] * 8


ASYNCHRONOUS = {
    "psum": ("all-reduce", {}),
    "all_gather": ("all-gather", {"tiled": True}),
    "psum_scatter": ("reduce-scatter", {"tiled": True}),
    "all_to_all": ("all-to-all", {"split_axis": 0, "concat_axis": 1, "tiled": True}),
    "ppermute": ("collective-permute", {"perm": [(0, 1), (1, 3), (3, 0)]}),
}


@pytest.mark.parametrize("name", ASYNCHRONOUS)
def test_asynchronous_collectives_do_not_overlap(mesh, name):
  from jax._src.lax import parallel
  start = getattr(parallel, name + "_start", None)
  if start is None:
    pytest.skip("this JAX has no asynchronous collectives")
  opcode, arguments = ASYNCHRONOUS[name]
  x = np.arange(96.0, dtype=np.float32).reshape(16, 6)

  def on_shards(function):
    return jax.jit(jax.shard_map(
        lambda x: function(x, "x", **arguments), mesh=mesh, in_specs=P("x", "y"),
        out_specs=P("x", "y")))

  f = on_shards(lambda *a, **k: start(*a, **k).done())
  if name == "all_to_all" and "async_start" in f.lower(x).as_text():
    pytest.skip("before JAX 0.11 XLA refuses it as well")
  np.testing.assert_array_equal(f(x), on_shards(getattr(jax.lax, name))(x))
  text = f.lower(x).compile().as_text()
  assert opcode + "(" in text and opcode + "-start" not in text
