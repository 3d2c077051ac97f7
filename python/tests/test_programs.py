# SPDX-License-Identifier: Apache-2.0
"""JAX programs on the platform, compared with NumPy."""

import gc
import os
import subprocess
import sys

import jax
import jax.experimental
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest

PLATFORM = os.environ.get("XYLEM_PLATFORM_NAME") or "xylem"
MATRIX = np.random.RandomState(0).randn(5, 5).astype(np.float32)
# What XLA's CPU compiler gives.
BITS = [4070199207, 4202968722, 1427181096, 2012915765]


def test_platform():
  device = jax.devices()[0]
  assert device.platform == PLATFORM
  assert len(jax.devices()) == 8
  assert [m.kind for m in device.addressable_memories()] == ["device", "pinned_host", "unpinned_host"]
  assert device.memory_stats()["bytes_in_use"] >= 0


def test_jit_grad_vmap():
  f = jax.jit(jax.vmap(jax.grad(lambda x: jnp.sin(x) ** 2)))
  x = np.linspace(-1, 1, 7).astype(np.float32)
  np.testing.assert_allclose(f(x), np.sin(2 * x), rtol=1e-5, atol=1e-6)


def test_control_flow():
  assert jax.lax.fori_loop(0, 10, lambda i, x: x * 2.0, 1.0) == 1024
  total, partial = jax.lax.scan(lambda c, x: (c + x, c), 0, jnp.arange(5))
  assert total == 10 and partial.tolist() == [0, 0, 1, 3, 6]
  assert jax.jit(lambda p: jax.lax.cond(p, lambda: 1, lambda: 2))(False) == 2


def test_random_bits_are_those_of_other_platforms():
  bits = jax.random.bits(jax.random.key(0), (4,), np.uint32)
  assert bits.tolist() == BITS
  normal = jax.random.normal(jax.random.key(0), (3,))
  np.testing.assert_allclose(normal, [1.6226422, 2.0252647, -0.43359444], rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64])
def test_linear_algebra(dtype):
  with jax.enable_x64(dtype == np.float64):
    a = MATRIX.astype(dtype)
    h = a + a.T.conj()
    tolerance = 1e-10 if dtype == np.float64 else 2e-5
    w, v = jnp.linalg.eigh(h)
    np.testing.assert_allclose(v @ jnp.diag(w).astype(dtype) @ v.T.conj(), h, atol=tolerance)
    u, s, vt = jnp.linalg.svd(a)
    np.testing.assert_allclose((u * s) @ vt, a, atol=tolerance)
    q, r = jnp.linalg.qr(a)
    np.testing.assert_allclose(q @ r, a, atol=tolerance)
    p, l, upper = jax.scipy.linalg.lu(a)
    np.testing.assert_allclose(p @ l @ upper, a, atol=tolerance)
    t, z = jax.scipy.linalg.schur(a)
    np.testing.assert_allclose(z @ t @ z.T.conj(), a, atol=tolerance)
    np.testing.assert_allclose(jnp.linalg.solve(a, a), np.eye(5), atol=10 * tolerance)
    in_order = lambda values: np.sort_complex(np.round(values, 3))
    np.testing.assert_allclose(
        in_order(jnp.linalg.eig(a)[0]), in_order(np.linalg.eig(a)[0]), atol=2e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_linear_algebra_of_no_elements(dtype, capfd):
  a = jnp.zeros((0, 0), dtype)
  for result in (*jnp.linalg.eig(a), *jnp.linalg.eigh(a), *jnp.linalg.svd(a), *jnp.linalg.qr(a)):
    assert result.size == 0
  assert "illegal value" not in "".join(capfd.readouterr())  # of LAPACK


def test_donation():
  f = jax.jit(lambda x: x + 1, donate_argnums=0)
  x = jnp.zeros(100)
  seen = np.asarray(x)  # keeps its memory
  y = f(x)
  assert x.is_deleted()
  assert seen.sum() == 0 and y.sum() == 100
  with pytest.raises((ValueError, RuntimeError), match="deleted"):
    f(x)
  with pytest.raises(RuntimeError, match="deleted"):
    x + 1


def test_zero_copy():
  memory = np.zeros(1024 + 64, np.uint8)
  start = -memory.ctypes.data % 64
  host = memory[start:start + 1024].view(np.float32)
  device = jax.device_put(host)
  assert device.unsafe_buffer_pointer() == host.ctypes.data
  assert np.asarray(device).ctypes.data == host.ctypes.data


def test_dlpack():
  x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
  y = np.from_dlpack(x)
  assert y.ctypes.data == x.unsafe_buffer_pointer() and y.tolist() == x.tolist()
  z = jax.dlpack.from_dlpack(np.arange(3, dtype=np.float32))
  assert z.tolist() == [0, 1, 2] and z.devices() == {jax.devices()[0]}
  del x
  gc.collect()
  assert y[1, 2] == 5


def test_dlpack_of_unaligned_memory():
  """It is copied, unless that is forbidden; memory that is aligned is used in place."""
  memory = np.zeros(256, np.uint8)
  start = -memory.ctypes.data % 64
  for offset in (0, 4, 16, 32):
    host = memory[start + offset:start + offset + 64].view(np.float32)
    host[:] = np.arange(16)
    assert jax.dlpack.from_dlpack(host).tolist() == list(range(16))
    assert jax.dlpack.from_dlpack(host, copy=True).tolist() == list(range(16))
    if offset == 0:
      array = jax.dlpack.from_dlpack(host, copy=False)
      assert array.unsafe_buffer_pointer() == host.ctypes.data
    else:
      with pytest.raises(ValueError, match="is not aligned to 64 bytes. However copy=False"):
        jax.dlpack.from_dlpack(host, copy=False)


def test_callbacks():
  double = jax.jit(lambda x: jax.pure_callback(lambda v: 2 * v, jax.ShapeDtypeStruct((3,), np.float32), x))
  assert double(jnp.arange(3.0)).tolist() == [0, 2, 4]
  # What a callback starts does not wait for the program that called it.
  nested = jax.jit(lambda x: jax.pure_callback(
      lambda v: np.asarray(jnp.sum(v)), jax.ShapeDtypeStruct((), np.float32), x))
  assert nested(jnp.arange(3.0)) == 3
  seen = []
  @jax.jit
  def log(x):
    jax.experimental.io_callback(lambda v: seen.append(int(v)), None, x, ordered=True)
    jax.experimental.io_callback(lambda v: seen.append(int(v)), None, x + 1, ordered=True)
    return x
  log(1)
  log(5)
  jax.effects_barrier()
  assert seen == [1, 2, 5, 6]


def test_debug_print(capfd):
  jax.jit(lambda x: jax.debug.print("x = {}", x))(3)
  jax.effects_barrier()
  assert "x = 3" in capfd.readouterr().out


def test_errors_of_callbacks():
  def fail(_):
    raise ValueError("no such value")
  f = jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((), np.float32), x))
  with pytest.raises(jax.errors.JaxRuntimeError, match="no such value"):
    f(1.0).block_until_ready()


def test_checkify():
  from jax.experimental import checkify
  error, _ = jax.jit(checkify.checkify(lambda x: jnp.log(x), errors=checkify.nan_checks))(-1.0)
  assert "nan" in error.get()


def test_serialization():
  from jax.experimental import serialize_executable
  compiled = jax.jit(lambda x: x * 3).lower(jnp.ones(2)).compile()
  again = serialize_executable.deserialize_and_load(
      *serialize_executable.serialize(compiled), execution_devices=jax.devices()[:1])
  assert again(jnp.ones(2)).tolist() == [3, 3]


def test_analysis():
  compiled = jax.jit(lambda x: x @ x + 1).lower(np.ones((4, 4), np.float32)).compile()
  assert compiled.cost_analysis()["flops"] == 144
  assert compiled.memory_analysis().argument_size_in_bytes == 64
  assert "dot" in compiled.as_text()


def test_costs_are_known_before_compiling():
  lowered = jax.jit(lambda x: x @ x + 1).lower(jnp.ones((4, 4)))
  assert lowered.cost_analysis() == lowered.compile().cost_analysis()


@pytest.mark.parametrize("variable, expected", [
    ({}, 1),
    ({"XLA_FLAGS": "--xla_dump_to= --xla_force_host_platform_device_count=3"}, 3),
    ({"XLA_FLAGS": "--xla_force_host_platform_device_count=x"}, 1),
    ({"XLA_FLAGS": "--xla_force_host_platform_device_count=3", "JAX_NUM_CPU_DEVICES": "2"}, 2),
    ({"XLA_FLAGS": "--xla_force_host_platform_device_count=3", "XYLEM_NUM_DEVICES": "4"}, 4),
])
def test_number_of_devices(variable, expected):
  names = ("XLA_FLAGS", "JAX_NUM_CPU_DEVICES", "XYLEM_NUM_DEVICES")
  environment = {name: value for name, value in os.environ.items() if name not in names}
  output = subprocess.run(
      [sys.executable, "-W", "ignore", "-c", "import jax; print(jax.device_count())"], check=True,
      env={**environment, **variable}, stdout=subprocess.PIPE, text=True).stdout
  assert int(output) == expected


def test_export():
  pytest.importorskip("flatbuffers")  # JAX needs it to serialize
  exported = jax.export.export(jax.jit(lambda x: jnp.cos(x)), platforms=[PLATFORM])(
      jax.ShapeDtypeStruct((2,), np.float32))
  again = jax.export.deserialize(exported.serialize())
  np.testing.assert_allclose(again.call(np.zeros(2, np.float32)), [1, 1])


def test_narrow_types():
  for dtype in (jnp.bfloat16, jnp.float16, jnp.int8, jnp.int4, jnp.uint4, jnp.float8_e4m3fn, bool):
    x = jnp.array([0, 1, 1, 0]).astype(dtype)
    assert np.asarray(x).astype(np.int32).tolist() == [0, 1, 1, 0]
    assert (x == x).all()


def test_approximate_top_k():
  x = np.random.RandomState(0).randn(3, 64).astype(np.float32)
  values, indices = jax.jit(lambda x: jax.lax.approx_max_k(x, 4))(x)
  np.testing.assert_array_equal(values, -np.sort(-x)[:, :4])
  np.testing.assert_array_equal(np.take_along_axis(x, np.asarray(indices), 1), values)
  values, _ = jax.lax.approx_min_k(x.T, 5, reduction_dimension=0)
  np.testing.assert_array_equal(values, np.sort(x.T, axis=0)[:5])


def test_memory_kinds_and_layouts_of_results():
  from jax.experimental.layout import Format, Layout
  from jax.sharding import SingleDeviceSharding

  device = jax.devices()[0]
  host = SingleDeviceSharding(device, memory_kind="pinned_host")
  x = jnp.arange(6.0).reshape(2, 3)
  y = jax.jit(lambda x: x + 1, out_shardings=host)(x)
  assert y.sharding.memory_kind == "pinned_host"
  np.testing.assert_array_equal(y, np.asarray(x) + 1)
  columns = Format(Layout((1, 0)), SingleDeviceSharding(device))
  z = jax.jit(lambda x: x * 2, out_shardings=columns)(x)
  assert z.format.layout.major_to_minor == (1, 0)
  np.testing.assert_array_equal(z, np.asarray(x) * 2)
  np.testing.assert_array_equal(jax.jit(lambda z: z[1] + z[0])(z), [6, 10, 14])


def test_a_failed_callback_is_an_error_of_the_call():
  f = jax.jit(lambda x: jax.pure_callback(
      lambda x: np.zeros(3, np.float32), jax.ShapeDtypeStruct((), np.float32), x))
  with pytest.raises(RuntimeError, match="Incorrect output shape"):
    f(1.0)


def test_platform_dependent_without_a_default():
  f = jax.jit(lambda x: jax.lax.platform_dependent(x, cpu=lambda x: x + 1, tpu=lambda x: x - 1))
  assert f(1.0) == 2


def test_functions_exported_for_cpu_run():
  pytest.importorskip("flatbuffers")  # JAX needs it to serialize
  from jax import export

  def exported(*platforms):
    return export.export(jax.jit(lambda x: jnp.sin(x) @ x), platforms=platforms)(
        jax.ShapeDtypeStruct((3, 3), np.float32))

  x = np.arange(9, dtype=np.float32).reshape(3, 3)
  for platforms in [("cpu",), ("tpu", "cpu"), ("cpu", "tpu")]:
    again = export.deserialize(exported(*platforms).serialize())
    np.testing.assert_allclose(again.call(x), np.sin(x) @ x, rtol=1e-5)
    np.testing.assert_allclose(jax.jit(lambda x: again.call(x) + 1)(x), np.sin(x) @ x + 1, rtol=1e-5)
  with pytest.raises(ValueError, match="was exported for platforms"):
    export.deserialize(exported("tpu").serialize()).call(x)


def test_profiler_traces_runs_and_their_steps(tmp_path):
  f = jax.jit(lambda x: jnp.sort(jnp.sin(x) @ x))
  x = jnp.ones((32, 32))
  f(x)
  with jax.profiler.trace(str(tmp_path)):
    f(x).block_until_ready()
  (path,) = tmp_path.rglob("*.xplane.pb")
  (plane,) = (p for p in jax.profiler.ProfileData.from_file(str(path)).planes
              if p.name == "/device:CUSTOM:Xylem")
  names = " ".join(event.name for line in plane.lines for event in line.events)
  assert "jit__lambda" in names and "dot" in names and "sort" in names


def test_buffer_callbacks_work_in_place():
  from jax.experimental import buffer_callback

  def double(context, out, x, *, by):
    assert context.stage == buffer_callback.ExecutionStage.EXECUTE
    assert out.writeable and not x.writeable and x.shape == (4,)
    np.asarray(out)[...] = np.asarray(x) * by

  x = np.arange(4, dtype=np.float32)
  call = buffer_callback.buffer_callback(double, jax.ShapeDtypeStruct.like(x))
  np.testing.assert_array_equal(jax.jit(lambda x: call(x + 1, by=3) - 1)(x), (x + 1) * 3 - 1)
  wrong = buffer_callback.buffer_callback(lambda *_: 1, jax.ShapeDtypeStruct.like(x))
  with pytest.raises(jax.errors.JaxRuntimeError, match="must not return any values"):
    jax.block_until_ready(wrong(x))


def test_pivots_beyond_the_array():
  # As indices of arrays: from the end, clamped when read, dropped when written.
  swaps = np.array([[-1, 9, 2]], np.int32)
  result = jax.lax.linalg.lu_pivots_to_permutation(swaps, 4)
  np.testing.assert_array_equal(result, [[3, 0, 2, 0]])


def test_layout_constraints():
  from jax.experimental.layout import Format, Layout, with_layout_constraint

  x = np.arange(32, dtype=np.float32).reshape(4, 8)
  column_major = Layout(major_to_minor=(1, 0))
  y, z = jax.jit(lambda x: (with_layout_constraint(x * 2, column_major), x + 1))(x)
  assert y.format.layout.major_to_minor == (1, 0)
  assert z.format.layout.major_to_minor == (0, 1)
  np.testing.assert_array_equal(y, x * 2)
  z = jax.jit(lambda x: with_layout_constraint(x * 2, column_major) + 1)(x)
  assert z.format.layout.major_to_minor == (0, 1)
  np.testing.assert_array_equal(z, x * 2 + 1)
  # A layout that the compiler may choose: a transposed array is not moved.
  z = jax.jit(lambda x: (x + 1).T, out_shardings=Format(Layout.AUTO)).lower(x).compile()(x)
  assert z.format.layout.major_to_minor == (1, 0)
  np.testing.assert_array_equal(z, (x + 1).T)


def test_users_transform_programs():
  xla = pytest.importorskip("jax.extend.xla", reason="this JAX has no transformations of programs")
  if not hasattr(xla, "register_hlo_module_transformation"):
    pytest.skip("this JAX has no transformations of programs")
  from jax._src.lib import hlo
  seen = []

  def sines_to_cosines(program):
    module = hlo.HloModule.from_serialized_hlo_module_proto(program)
    seen.append(module.name)
    for computation in module.computations():
      for instruction in computation.instructions():
        if instruction.opcode == hlo.HloOpcode.kSin:
          computation.replace_instruction(instruction, computation.create_unary_instruction(
              hlo.HloOpcode.kCos, instruction.operands()[0]))
    return module.as_serialized_hlo_module_proto()

  x = np.linspace(0, 3, 7, dtype=np.float32)
  platform = jax.devices()[0].platform
  xla.register_hlo_module_transformation(sines_to_cosines, name="mine", platforms=platform)
  try:
    np.testing.assert_allclose(jax.jit(lambda x: jnp.sin(x) + 1)(x), np.cos(x) + 1, rtol=1e-6)
  finally:
    assert xla.clear_hlo_module_transformation("mine", platforms=platform)
  assert seen
  np.testing.assert_allclose(jax.jit(lambda x: jnp.sin(x) + 2)(x), np.sin(x) + 2, rtol=1e-6)
  assert not xla.clear_hlo_module_transformation("mine", platforms=platform)
