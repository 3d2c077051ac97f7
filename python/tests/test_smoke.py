# SPDX-License-Identifier: Apache-2.0
"""One small program for each feature of the package, for every version of JAX that it serves.

scripts/check_jax_versions.py runs these with several versions, as "xylem" and as "cpu". What a JAX
does not have yet is skipped.
"""

import os
import pickle
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

PLATFORM = os.environ.get("XYLEM_PLATFORM_NAME") or "xylem"
A = np.random.default_rng(0).normal(size=(6, 6)).astype(np.float32)
S = A @ A.T + 6 * np.eye(6, dtype=np.float32)  # symmetric and positive definite


def near(got, want, tolerance=1e-3):
  np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=tolerance, atol=tolerance)


def needs(module, name):
  if not hasattr(module, name):
    pytest.skip(f"this JAX has no {name}")


def line(count=4):
  return Mesh(np.array(jax.devices()[:count]), ("x",))


def square():
  return Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))


def shard_map(body, mesh, in_specs, out_specs):
  if hasattr(jax, "shard_map"):
    return jax.jit(jax.shard_map(body, mesh=mesh, in_specs=in_specs, out_specs=out_specs))
  from jax.experimental.shard_map import shard_map as made  # before JAX 0.7

  return jax.jit(made(body, mesh=mesh, in_specs=in_specs, out_specs=out_specs))


# --- The platform

def test_the_platform_is_this_one():
  device = jax.devices()[0]
  assert device.platform == PLATFORM and device.device_kind == PLATFORM
  assert "Xylem" in device.client.platform_version
  assert jax.default_backend() == PLATFORM
  assert jax.devices(PLATFORM) == jax.devices()
  assert str(jnp.ones(3).device) == ("cpu:0" if PLATFORM == "cpu" else "XYLEM_0")
  assert repr(device) == ("CpuDevice(id=0)" if PLATFORM == "cpu" else "XylemDevice(id=0)")


@pytest.mark.parametrize("platforms", [None, PLATFORM])
def test_nothing_is_said_at_the_start(platforms):
  """No traceback, and no warning of this package."""
  environment = {name: value for name, value in os.environ.items() if name != "JAX_PLATFORMS"}
  if platforms:
    environment["JAX_PLATFORMS"] = platforms
  program = "import jax, jax.numpy as jnp; print(jax.devices()[0].platform, jnp.ones(3).sum())"
  run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True,
                       text=True, check=True)
  assert run.stdout.split() == [PLATFORM, "3.0"]
  assert "Traceback" not in run.stderr and "jax-xylem" not in run.stderr, run.stderr


# --- Programs

def test_gradients_of_jitted_functions():
  near(jax.jit(jax.grad(lambda x: jnp.sum(jnp.sin(x) ** 2)))(A), np.sin(2 * A))


def test_control_flow():
  near(lax.scan(lambda c, x: (c + x, c), 0.0, jnp.arange(5.0))[1], [0, 0, 1, 3, 6])
  assert lax.while_loop(lambda x: x < 100, lambda x: 2 * x, 1) == 128
  assert [lax.switch(i, [lambda: 3, lambda: 4, lambda: 5]) for i in range(3)] == [3, 4, 5]


def test_random_bits():
  assert jax.random.bits(jax.random.key(7), (2,)).tolist() == jax.random.bits(
      jax.random.PRNGKey(7), (2,)).tolist()
  near(jax.random.normal(jax.random.key(0), (1000,)).std(), 1, 0.1)
  assert jax.random.gamma(jax.random.key(0), 2.0, (4,)).min() > 0


def test_products_convolutions_transforms():
  near(jnp.einsum("ij,kj->ik", A, A), A @ A.T)
  image, kernel = jnp.ones((1, 2, 5, 5)), jnp.ones((3, 2, 3, 3))
  assert lax.conv(image, kernel, (1, 1), "SAME")[0, 0, 2, 2] == 18
  near(jnp.fft.fft(A), np.fft.fft(A))


@pytest.mark.parametrize("dtype", [
    "bool", "int4", "int8", "uint16", "int32", "float16", "bfloat16", "float8_e4m3fn",
    "float8_e5m2", "complex64"])
def test_element_types(dtype):
  values = jnp.arange(2).astype(dtype)
  assert values.astype(jnp.float32).tolist() == [0, 1]


def test_donation():
  x = jnp.ones(1 << 16)
  place = x.unsafe_buffer_pointer()
  y = jax.jit(lambda x: x + 1, donate_argnums=0)(x)
  assert x.is_deleted() and y.unsafe_buffer_pointer() == place


def test_numpy_in_place():
  x = jnp.arange(1 << 16)
  assert np.asarray(x).ctypes.data == x.unsafe_buffer_pointer()


def test_costs_and_memory():
  lowered = jax.jit(lambda x: x @ x).lower(jnp.ones((8, 8)))
  compiled = lowered.compile()
  assert lowered.cost_analysis()["flops"] > 0 and compiled.cost_analysis()
  assert compiled.memory_analysis().argument_size_in_bytes == 256
  assert "HloModule" in compiled.as_text()
  assert jax.devices()[0].memory_stats()


def test_branches_by_platform():
  assert jax.jit(lambda x: lax.platform_dependent(x, cpu=lambda x: x + 1))(1.0) == 2
  by_name = jax.jit(lambda x: lax.platform_dependent(
      x, cpu=lambda x: x + 1, default=lambda x: x + 2))
  assert by_name(1.0) == (2 if PLATFORM == "cpu" else 3)


def test_exported_functions():
  export = pytest.importorskip("jax.export")
  pytest.importorskip("flatbuffers")
  shape = jax.ShapeDtypeStruct((3,), jnp.float32)
  own = export.export(jax.jit(jnp.sin))(shape)
  assert own.platforms == (PLATFORM,)
  near(export.deserialize(own.serialize()).call(jnp.ones(3)), np.sin(np.ones(3)))
  for_cpu = export.export(jax.jit(jnp.cos), platforms=["cpu"])(shape)
  near(export.deserialize(for_cpu.serialize()).call(jnp.ones(3)), np.cos(np.ones(3)))


def test_the_compilation_cache(tmp_path):
  from jax.experimental.compilation_cache import compilation_cache

  jax.config.update("jax_compilation_cache_dir", str(tmp_path))
  jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
  jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
  compilation_cache.reset_cache()
  try:
    near(jax.jit(lambda x: jnp.cos(x) * 3.25)(jnp.ones(17)), 3.25 * np.cos(np.ones(17)))
    assert os.listdir(tmp_path)
  finally:
    jax.config.update("jax_compilation_cache_dir", None)
    compilation_cache.reset_cache()


def test_nans_are_found():
  jax.config.update("jax_debug_nans", True)
  try:
    with pytest.raises(FloatingPointError):
      jax.jit(jnp.log)(-1.0).block_until_ready()
  finally:
    jax.config.update("jax_debug_nans", False)


def test_errors_are_errors():
  with pytest.raises(Exception, match="shapes|dot"):
    jax.jit(jnp.dot)(jnp.ones(3), jnp.ones(4))
  assert jax.jit(lambda x: x + 1)(1) == 2


def test_arrays_are_pickled():
  assert pickle.loads(pickle.dumps(jnp.arange(3))).tolist() == [0, 1, 2]


# --- LAPACK

def test_solutions_and_decompositions():
  near(jnp.linalg.solve(S, A), np.linalg.solve(S, A))
  near(jnp.linalg.cholesky(S), np.linalg.cholesky(S))
  near(jnp.linalg.inv(S), np.linalg.inv(S))
  q, r = jnp.linalg.qr(A)
  near(q @ r, A)
  p, l, u = jax.scipy.linalg.lu(A)
  near(p @ l @ u, A)
  near(jax.scipy.linalg.solve_triangular(np.tril(S), A, lower=True),
       np.linalg.solve(np.tril(S), A))
  near(jax.scipy.linalg.expm(A / 10) @ jax.scipy.linalg.expm(-A / 10), np.eye(6))


def test_eigenvalues_and_singular_values():
  w, v = jnp.linalg.eigh(S)
  near(v * w @ v.T, S, 5e-3)
  u, d, vt = jnp.linalg.svd(A)
  near(u * d @ vt, A)
  w, v = jnp.linalg.eig(A)
  near(A @ v, v * w, 5e-3)
  t, z = jax.scipy.linalg.schur(A)
  near(z @ t @ z.T, A, 5e-3)
  near(jnp.linalg.eigvalsh(np.stack([S, 2 * S])), np.linalg.eigvalsh(np.stack([S, 2 * S])), 5e-3)


# --- Callbacks

def test_pure_callbacks():
  f = jax.jit(lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x))
  near(f(A), np.sin(A))


def test_callbacks_with_effects(capfd):
  from jax.experimental import io_callback

  seen = []
  jax.jit(lambda x: io_callback(lambda v: seen.append(float(v)), None, x, ordered=True))(2.0)
  jax.jit(lambda x: jax.debug.callback(lambda v: seen.append(float(v)), x))(3.0)
  jax.jit(lambda x: jax.debug.print("it is {}", x))(4.0)
  jax.effects_barrier()
  assert seen == [2, 3]
  assert "it is 4.0" in capfd.readouterr().out


def test_errors_of_callbacks():
  def fail(_):
    raise ValueError("by the callback")

  with pytest.raises(Exception, match="by the callback"):
    jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((), x.dtype), x))(
        jnp.float32(1)).block_until_ready()


def test_checkify():
  from jax.experimental import checkify

  def checked(x):
    checkify.check(x > 0, "it is negative")
    return x

  error, _ = jax.jit(checkify.checkify(checked))(-1.0)
  assert "it is negative" in error.get()


def test_buffer_callbacks():
  module = pytest.importorskip("jax.experimental.buffer_callback")

  def double(context, out, x):
    del context
    np.asarray(out)[...] = 2 * np.asarray(x)

  f = jax.jit(module.buffer_callback(double, jax.ShapeDtypeStruct((3,), jnp.float32)))
  near(f(jnp.ones(3)), [2, 2, 2])


# --- Exchange with others

def test_dlpack():
  x = jnp.arange(4.0)
  view = np.from_dlpack(x)
  assert view.ctypes.data == x.unsafe_buffer_pointer() and view.tolist() == [0, 1, 2, 3]
  assert jnp.from_dlpack(np.arange(3, dtype=np.int32)).tolist() == [0, 1, 2]
  assert jax.dlpack.from_dlpack(x).tolist() == [0, 1, 2, 3]


def test_handlers_of_jax_ffi():
  """A handler in a capsule: one of jaxlib's, under another name."""
  ffi = pytest.importorskip("jax.ffi")
  from jaxlib import lapack

  found = lapack.registrations()
  for name, capsule, _ in found["cpu"] if isinstance(found, dict) else found:
    if name == "lapack_sgetrf_ffi":
      ffi.register_ffi_target("smoke_getrf", capsule, platform=PLATFORM)
  out = (jax.ShapeDtypeStruct((6, 6), jnp.float32), jax.ShapeDtypeStruct((6,), jnp.int32),
         jax.ShapeDtypeStruct((), jnp.int32))
  lu, _, info = ffi.ffi_call("smoke_getrf", out, input_layouts=[(0, 1)],
                             output_layouts=[(0, 1), None, None])(jnp.asarray(A))
  assert info == 0
  near(abs(np.prod(np.diag(lu))), abs(np.linalg.det(A)))


def test_profiles(tmp_path):
  with jax.profiler.trace(str(tmp_path)):
    jax.jit(lambda x: x @ x)(jnp.ones((64, 64))).block_until_ready()
  assert list(tmp_path.rglob("*.xplane.pb"))


# --- Several devices

def test_sharded_arrays():
  x = jax.device_put(np.arange(16.0), NamedSharding(line(), P("x")))
  y = jax.jit(lambda x: x * 2)(x)
  assert len(y.addressable_shards) == 4 and y.addressable_shards[1].data.tolist() == [8, 10, 12, 14]
  assert jax.jit(jnp.sum)(x) == 120


@pytest.mark.parametrize("name", [
    "psum", "psum both", "pmax", "all_gather", "psum_scatter", "all_to_all", "ppermute",
    "axis_index"])
def test_collectives(name):
  x = np.arange(16, dtype=np.float32).reshape(4, 4)
  body, out, want = {
      "psum": (lambda v: lax.psum(v, "x"), P(None, "y"), x[:2] + x[2:]),
      "psum both": (lambda v: lax.psum(v, ("x", "y")), P(),
                    x[:2, :2] + x[:2, 2:] + x[2:, :2] + x[2:, 2:]),
      "pmax": (lambda v: lax.pmax(v, "y"), P("x"), np.maximum(x[:, :2], x[:, 2:])),
      "all_gather": (lambda v: lax.all_gather(v, "y", axis=1, tiled=True), P("x", "y"),
                     np.concatenate([x, x], axis=1)),
      "psum_scatter": (lambda v: lax.psum_scatter(v, "y", tiled=True), P(("x", "y")),
                       x[:, :2] + x[:, 2:]),
      "all_to_all": (lambda v: lax.all_to_all(v, "x", 1, 0, tiled=True), P(None, ("y", "x")), x),
      "ppermute": (lambda v: lax.ppermute(v, "x", [(0, 1), (1, 0)]), P("x", "y"),
                   np.concatenate([x[2:], x[:2]])),
      "axis_index": (lambda v: v * 0 + lax.axis_index("y"), P("x", "y"), [[0, 0, 1, 1]] * 4),
  }[name]
  near(shard_map(body, square(), P("x", "y"), out)(x), want)


def test_pmap():
  assert jax.pmap(lambda v: lax.psum(v, "i"), axis_name="i", devices=jax.devices()[:4])(
      jnp.arange(4.0)).tolist() == [6] * 4


def test_explicit_shardings():
  needs(jax, "set_mesh")
  mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Explicit,),
                       devices=jax.devices()[:4])
  with jax.set_mesh(mesh):
    y = jax.jit(lambda v: v * 2)(jax.device_put(np.arange(8.0), P("x")))
  assert "x" in str(jax.typeof(y)) and y.tolist() == list(range(0, 16, 2))


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
def test_unreduced_arrays(kind):
  try:
    from jax._src.named_sharding import UnreducedKind
  except ImportError:
    pytest.skip("this JAX has no UnreducedKind")
  reduce = {"sum": lax.reduce_sum, "max": lax.reduce_max, "min": lax.reduce_min}[kind]
  mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Explicit,) * 2,
                       devices=jax.devices()[:4])
  values = np.arange(-4, 4).reshape(4, 2)
  with jax.set_mesh(mesh):
    x = jax.device_put(values, P("x", "y"))
    unreduced = P(unreduced={"x", "y"}, unreduced_kind=getattr(UnreducedKind, kind))
    y = jax.jit(lambda x: reduce(x, axes=[0, 1], out_sharding=unreduced))(x)
    assert jax.reshard(y, P()) == getattr(np, kind)(values)


def test_custom_partitioning():
  from jax.experimental.custom_partitioning import custom_partitioning

  @custom_partitioning
  def double(x):
    return 2 * x

  seen = []

  def partition(mesh, arguments, result):
    seen.append(result.sharding.spec)
    return mesh, lambda x: 2 * x, result.sharding, (arguments[0].sharding,)

  double.def_partition(
      partition=partition, sharding_rule="i -> i",
      infer_sharding_from_operands=lambda mesh, arguments, result: arguments[0].sharding)
  x = jax.device_put(np.arange(8.0), NamedSharding(line(), P("x")))
  assert jax.jit(double)(x).tolist() == list(range(0, 16, 2))
  assert seen == [P("x")]


def test_lapack_of_sharded_batches():
  x = jax.device_put(np.stack([S] * 4), NamedSharding(line(), P("x")))
  near(jax.jit(jnp.linalg.eigvalsh)(x)[3], np.linalg.eigvalsh(S), 5e-3)
  lu, _, _ = jax.jit(lax.linalg.lu)(x)
  near(np.prod(np.diagonal(lu, axis1=1, axis2=2), axis=1), [np.linalg.det(S)] * 4, 5e-2)


def test_memory_kinds():
  device = jax.devices()[0]
  assert device.default_memory().kind == "device"
  sharding = jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host")
  assert jax.device_put(jnp.ones(3), sharding).sharding.memory_kind == "pinned_host"
