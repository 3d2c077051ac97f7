# SPDX-License-Identifier: Apache-2.0
"""Host callbacks: pure_callback, io_callback, debug.callback, debug.print, checkify, and
buffer_callback, which works in place.

A program holds a custom call with a number in a table of Python functions. The plugin calls
_dispatch through the interpreter's C interface (xla/pjrt/python_callbacks.cc), on the thread that
called the program or, for all devices but the first, on one of its own.
"""

import contextlib
import ctypes
import inspect
import itertools
import threading
import traceback

import numpy as np

from jax._src import api
from jax._src import callback as jax_callback
from jax._src import config
from jax._src import debugging as jax_debugging
from jax._src import dtypes
from jax._src import ffi
from jax._src import mesh as mesh_lib
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jax._src.interpreters import pxla

from jax_xylem import abi
from jax_xylem import replacing

from jax_xylem.names import PLATFORM
TARGET = "xylem_python_callback"
PARTITIONED_TARGET = "xylem_partitioned_python_callback"  # each partition calls with its shards
BUFFER_TARGET = "xylem_python_buffer_callback"  # on arrays in place


def _dtype_table():
  import ml_dtypes

  table = {
      1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8, 7: np.uint16,
      8: np.uint32, 9: np.uint64, 10: np.float16, 11: np.float32, 12: np.float64, 15: np.complex64,
      18: np.complex128}
  for number, name in {16: "bfloat16", 19: "float8_e5m2", 20: "float8_e4m3fn", 21: "int4",
                       22: "uint4", 23: "float8_e4m3b11fnuz", 24: "float8_e5m2fnuz",
                       25: "float8_e4m3fnuz", 26: "int2", 27: "uint2", 28: "float8_e4m3",
                       29: "float8_e3m4", 32: "float4_e2m1fn", 33: "float8_e8m0fnu"}.items():
    if hasattr(ml_dtypes, name):
      table[number] = getattr(ml_dtypes, name)
  return {number: np.dtype(kind) for number, kind in table.items()}


_functions = {}  # each takes its arguments and writes to the arrays of its results
_numbers = itertools.count(1)
_main_thread = threading.main_thread().ident


class _Function:
  """Keeps its entry in the table as long as it lives: as long as the program."""

  def __init__(self, function):
    self.number = next(_numbers)
    _functions[self.number] = function

  def __del__(self):
    _functions.pop(self.number, None)


_MESH_STATES = [
    getattr(module, name) for name in (
        "mesh_context_manager", "abstract_mesh_context_manager", "device_context")
    for module in (config, mesh_lib) if hasattr(module, name)]


@contextlib.contextmanager
def _without_meshes():
  """A callback may run on the thread that called the program, whose meshes are not its own."""
  unset = config.config_ext.unset
  resources = mesh_lib.thread_resources
  values = [state.swap_local(unset) for state in _MESH_STATES]
  env, resources.env = resources.env, mesh_lib.EMPTY_ENV
  try:
    yield
  finally:
    resources.env = env
    for state, value in zip(_MESH_STATES, values):
      state.set_local(value)


def _has_meshes(unset=config.config_ext.unset):
  for state in _MESH_STATES:
    if state.get_local() is not unset:
      return True
  return mesh_lib.thread_resources.env is not mesh_lib.EMPTY_ENV


def _dispatch(number, count, *arrays):
  """Runs a callback: arrays of its `count` arguments, then those of its results; None for tokens.

  Returns what the plugin expects: None, a text that describes an error, or an exception that is to
  end the program and to be raised where it was called.
  """
  try:
    function = _functions.get(number)
    if function is None:
      raise RuntimeError("the Python function of this program is gone")
    if _has_meshes():
      with _without_meshes():
        function(arrays[:count], arrays[count:])
    else:
      function(arrays[:count], arrays[count:])
  except BaseException as error:
    if not isinstance(error, Exception) and threading.get_ident() == _main_thread:
      return error
    return "CpuCallback error calling callback: " + traceback.format_exc()
  return None


class _BufferView:
  """What a buffer callback gets: an array in place, as jax.experimental.buffer_callback.Buffer."""

  def __init__(self, array, writeable):
    self._array = array
    self.writeable = writeable
    self.shape = array.shape
    self.dtype = array.dtype
    self.ndim = array.ndim

  def __array__(self, dtype=None, copy=None):
    array = self._array.view()
    if dtype is not None and dtype != array.dtype:
      if copy is False:
        raise ValueError("a buffer of another element type cannot be had without a copy")
      return array.astype(dtype)
    return array.copy() if copy else array

  def __dlpack__(self, **kwargs):
    return self._array.__dlpack__(**kwargs)

  def __dlpack_device__(self):
    return self._array.__dlpack_device__()


class _BufferContext:
  """What a buffer callback gets first, as jax.experimental.buffer_callback.ExecutionContext."""

  def __init__(self, stage):
    self.stage = stage

  @property
  def stream(self):
    from jax import errors

    raise errors.JaxRuntimeError(
        "UNIMPLEMENTED: XLA FFI GPU context is not available on a device without streams")


def _on_buffers(function):
  """A function of buffers: it writes its results in place."""
  from jax._src import buffer_callback

  def call(arguments, outputs):
    views = [_BufferView(array, False) for array in arguments]
    views += [_BufferView(array, True) for array in outputs]
    function(_BufferContext(buffer_callback.ExecutionStage.EXECUTE), *views)

  return call


def _canonical(value):
  """With the element type that JAX gives it: 32 bits unless 64 are enabled."""
  value = np.asarray(value)
  if hasattr(dtypes, "canonicalize_value"):
    return dtypes.canonicalize_value(value)
  from jax._src.interpreters import xla  # before JAX 0.8

  return xla.canonicalize_dtype(value)


def _on_arrays(function, result_avals):
  """Calls the function, whose results must have the stated shapes and types."""
  expected = [(aval.shape, np.dtype(aval.dtype)) for aval in result_avals]

  def call(arguments, outputs):
    results = function(*arguments)
    if len(results) != len(expected):
      raise RuntimeError("Mismatched number of outputs from callback. Expected: "
                         f"{len(expected)}, Actual: {len(results)}")
    for i, (result, (shape, dtype)) in enumerate(zip(results, expected)):
      if type(result) is not np.ndarray or result.dtype != dtype:
        result = _canonical(result)
      if result.shape != shape:
        raise RuntimeError(f"Incorrect output shape for return value #{i}: "
                           f"Expected: {shape}, Actual: {result.shape}")
      if result.dtype != dtype:
        raise RuntimeError(f"Incorrect output dtype for return value #{i}: "
                           f"Expected: {dtype}, Actual: {result.dtype}")
      outputs[i][...] = result

  return call


def _with_token(function):
  """The token comes first among arguments and results."""
  return lambda arguments, outputs: function(arguments[1:], outputs[1:])


def _set_sharding(ctx, operation, sharding):
  # The context came with JAX 0.10.
  if len(inspect.signature(mlir.set_sharding).parameters) == 2:
    mlir.set_sharding(operation, sharding)
  else:
    mlir.set_sharding(ctx.module_context, operation, sharding)


def _emit(ctx, target, callback, token, operands, result_avals, has_side_effect, sharding):
  import dataclasses
  from jax._src import core

  function = _on_arrays(callback, result_avals)
  if token:
    function = _with_token(function)
    operands = [token, *operands]
    ctx = dataclasses.replace(
        ctx, avals_in=[core.abstract_token, *ctx.avals_in],
        avals_out=[core.abstract_token, *ctx.avals_out])
  entry = _Function(function)
  ctx.module_context.add_keepalive(entry)
  result = ffi.build_ffi_lowering_function(target, has_side_effect=has_side_effect)(
      ctx, *operands, index=np.uint64(entry.number))
  if sharding is not None:
    shardings = getattr(sharding, "shardings", None)
    if token and result_avals and shardings:
      # The token is the first result.
      first = type(shardings[0])(mesh_shape=(), dim_shardings=(),
                                 logical_device_ids=shardings[0].logical_device_ids)
      sharding = type(sharding)((first, *shardings))
    _set_sharding(ctx, result, sharding)
  results = list(result.results)
  if token:
    token, *results = results
  return results, token, callback


def _patch_emission():
  original = jax_callback.emit_python_callback

  def emit_python_callback(ctx, callback, token, operands, operand_avals, result_avals, *,
                           has_side_effect, returns_token=True, partitioned=False, sharding=None,
                           **kwargs):
    if tuple(ctx.module_context.platforms) != (PLATFORM,):
      return original(ctx, callback, token, operands, operand_avals, result_avals,
                      has_side_effect=has_side_effect, returns_token=returns_token,
                      partitioned=partitioned, sharding=sharding, **kwargs)
    if partitioned and result_avals:
      raise ValueError("Partitioned callback not supported with return values.")
    return _emit(ctx, PARTITIONED_TARGET if partitioned else TARGET, callback, token,
                 list(operands), list(result_avals), has_side_effect,
                 None if partitioned else sharding)

  mlir.emit_python_callback = emit_python_callback
  replacing.everywhere("emit_python_callback", original, emit_python_callback)


def _lower_buffer_callback(ctx, *args, callback, in_tree, out_tree, has_side_effect,
                           input_output_aliases, **_):
  from jax import tree_util

  if tuple(ctx.module_context.platforms) != (PLATFORM,):
    raise NotImplementedError("multi-platform lowering for buffer_callback")
  num_inputs = in_tree.num_leaves

  def call(context, *buffers):
    arguments, keywords = tree_util.tree_unflatten(in_tree, buffers[:num_inputs])
    results = tree_util.tree_unflatten(out_tree, buffers[num_inputs:])
    if callback(context, results, *arguments, **keywords) is not None:
      raise ValueError("buffer_callback callback must not return any values.")

  entry = _Function(_on_buffers(call))
  ctx.module_context.add_keepalive(entry)
  rule = ffi.ffi_lowering(
      BUFFER_TARGET, has_side_effect=has_side_effect,
      operand_output_aliases=dict(input_output_aliases))
  return rule(ctx, *args, index=np.uint64(entry.number))


def _register_buffer_callback():
  try:
    from jax._src import buffer_callback
  except ImportError:  # before JAX 0.6
    return
  mlir.register_lowering(
      buffer_callback.buffer_callback_p, _lower_buffer_callback, platform=PLATFORM)


def _local_devices(process_index=None, backend=None, host_id=None):
  """As JAX's, but that the platform of the host is this one where JAX has no "cpu"."""
  if backend == "cpu" and process_index is None and host_id is None:
    try:
      known = xla_bridge.backends()
      backend = known.get("cpu") or known.get(PLATFORM) or backend
    except RuntimeError:
      pass
  return xla_bridge.local_devices(process_index, backend, host_id)


_templates = {}  # by shape, element type and device: what JAX makes of such an array


def _device_put(x, device=None, **kwargs):
  """As JAX's device_put; arguments of callbacks, which are many and small, become arrays at once."""
  if kwargs or type(x) is not tuple or getattr(device, "platform", None) != PLATFORM:
    return api.device_put(x, device, **kwargs)
  arrays = []
  for value in x:
    if type(value) is not np.ndarray:
      return api.device_put(x, device)
    key = (value.shape, value.dtype, device, config.enable_x64.value)
    template = _templates.get(key)
    if template is None:
      array = api.device_put(value, device)
      if array.dtype == value.dtype:
        if len(_templates) > 1000:
          _templates.clear()
        _templates[key] = array.aval, array.sharding
    else:
      array = pxla.batched_device_put(template[0], template[1], [value], [device])
    arrays.append(array)
  return tuple(arrays)


# Functions of the stable ABI, in the order of Xylem_PythonApi (xla/pjrt/abi_python.h).
_PYTHON_API = (
    "PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals", "Py_AddPendingCall",
    "PyErr_Fetch", "PyErr_Restore", "PyErr_Print", "Py_IncRef", "Py_DecRef", "PyObject_Type",
    "PyException_GetTraceback", "PyObject_CallObject", "PyTuple_New", "PyTuple_SetItem",
    "PyLong_FromLongLong", "PyBytes_FromStringAndSize", "PyMemoryView_FromMemory",
    "PyUnicode_AsUTF8AndSize")


class _SetPython(ctypes.Structure):
  _fields_ = [("struct_size", abi.SIZE), ("extension_start", abi.P), ("api", abi.P),
              ("api_size", abi.SIZE), ("main_thread", ctypes.c_uint64), ("none", ctypes.py_object),
              ("array", ctypes.py_object), ("dtypes", abi.P), ("num_dtypes", abi.SIZE),
              ("dispatch", ctypes.py_object)]


def _introduce_interpreter(c_api):
  plugin = abi.Api(c_api)
  functions = (abi.P * len(_PYTHON_API))(*(
      ctypes.cast(getattr(ctypes.pythonapi, name), abi.P).value for name in _PYTHON_API))
  known = _dtype_table()
  table = (abi.P * (max(known) + 1))(*(
      id(known[i]) if i in known else None for i in range(max(known) + 1)))
  plugin.call(plugin.extension(abi.PYTHON_EXTENSION)[0], _SetPython(
      ctypes.sizeof(_SetPython), None, ctypes.addressof(functions), ctypes.sizeof(functions),
      _main_thread, None, np.ndarray, ctypes.addressof(table), len(table), _dispatch),
      holds_lock=True)


def register(c_api):
  _introduce_interpreter(c_api)
  _patch_emission()
  _register_buffer_callback()
  jax_callback.xb = replacing.Module(xla_bridge, local_devices=_local_devices)
  jax_callback.api = replacing.Module(jax_callback.api, device_put=_device_put)
  # Before JAX 0.8 it asks jax itself.
  name = "xla_bridge" if hasattr(jax_debugging, "xla_bridge") else "jax"
  original = getattr(jax_debugging, name)
  setattr(jax_debugging, name,
          replacing.Module(original, local_devices=_local_devices, device_put=_device_put))
  if hasattr(jax_debugging, "api"):
    jax_debugging.api = replacing.Module(jax_debugging.api, device_put=_device_put)
