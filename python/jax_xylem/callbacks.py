# SPDX-License-Identifier: Apache-2.0
"""Host callbacks: pure_callback, io_callback, debug.callback, debug.print, checkify, and
buffer_callback, which works in place.

A program holds a custom call with a number in a table of Python functions. The handler is a Python
function, too: ctypes makes an address of it, and takes the interpreter's lock when it is called.
"""

import ctypes
import inspect
import itertools
import threading
import traceback

import numpy as np

from jax._src import callback as jax_callback
from jax._src import debugging as jax_debugging
from jax._src import dtypes
from jax._src import ffi
from jax._src import xla_bridge
from jax._src.interpreters import mlir

from jax_xylem import replacing

from jax_xylem.names import PLATFORM
TARGET = "xylem_python_callback"
PARTITIONED_TARGET = "xylem_partitioned_python_callback"  # each partition calls with its shards

_P = ctypes.c_void_p
_TOKEN = 17
_METADATA_EXTENSION = 1
_INTERNAL = 13


class _Buffer(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", _P),
              ("dtype", ctypes.c_uint32), ("data", _P), ("rank", ctypes.c_int64),
              ("dims", ctypes.POINTER(ctypes.c_int64))]


class _List(ctypes.Structure):  # XLA_FFI_Args, XLA_FFI_Rets
  _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", _P),
              ("size", ctypes.c_int64), ("types", _P),
              ("items", ctypes.POINTER(ctypes.POINTER(_Buffer)))]


class _Scalar(ctypes.Structure):
  _fields_ = [("dtype", ctypes.c_uint32), ("value", ctypes.POINTER(ctypes.c_uint64))]


class _Attrs(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", _P),
              ("size", ctypes.c_int64), ("types", _P), ("names", _P),
              ("items", ctypes.POINTER(ctypes.POINTER(_Scalar)))]


class _Frame(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", _P), ("api", _P), ("ctx", _P),
              ("stage", ctypes.c_uint32), ("args", _List), ("rets", _List), ("attrs", _Attrs),
              ("future", _P)]


class _Version(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", _P), ("major", ctypes.c_int),
              ("minor", ctypes.c_int)]


class _Metadata(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("api_version", _Version),
              ("traits", ctypes.c_uint32), ("state_type_id", ctypes.c_int64)]


class _MetadataExtension(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_uint32), ("next", _P),
              ("metadata", ctypes.POINTER(_Metadata))]


class _ErrorCreate(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", _P),
              ("message", ctypes.c_char_p), ("code", ctypes.c_uint32)]


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


_DTYPES = _dtype_table()

_functions = {}
_numbers = itertools.count(1)
_lock = threading.Lock()


class _Function:
  """Keeps its entry in the table as long as it lives: as long as the program."""

  def __init__(self, function):
    self.number = next(_numbers)
    with _lock:
      _functions[self.number] = function

  def __del__(self):
    with _lock:
      _functions.pop(self.number, None)


def _view(buffer):
  """The array of a buffer, in place."""
  dtype = _DTYPES[buffer.dtype]
  shape = tuple(buffer.dims[i] for i in range(buffer.rank))
  count = int(np.prod(shape, dtype=np.int64))
  if count == 0:
    return np.empty(shape, dtype)
  memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(buffer.data)
  return np.frombuffer(memory, dtype=dtype, count=count).reshape(shape)


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
    array.flags.writeable = self.writeable
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


class _BufferFunction:
  """A function of buffers: it writes its results in place."""

  def __init__(self, function):
    self._function = function

  def call(self, frame):
    from jax._src import buffer_callback

    views = [_BufferView(_view(frame.args.items[i].contents), False)
             for i in range(frame.args.size)]
    views += [_BufferView(_view(frame.rets.items[i].contents), True)
              for i in range(frame.rets.size)]
    self._function(_BufferContext(buffer_callback.ExecutionStage.EXECUTE), *views)


def _run(frame):
  with _lock:
    function = _functions.get(frame.attrs.items[0].contents.value[0])
  if function is None:
    raise RuntimeError("the Python function of this program is gone")
  if isinstance(function, _BufferFunction):
    return function.call(frame)
  arguments = []
  for i in range(frame.args.size):
    buffer = frame.args.items[i].contents
    if buffer.dtype == _TOKEN:
      arguments.append(None)
      continue
    # A copy: the callback may keep it longer than the memory lives.
    array = np.array(_view(buffer))
    array.flags.writeable = False
    arguments.append(array)
  results = function(*arguments)
  for i in range(frame.rets.size):
    buffer = frame.rets.items[i].contents
    if buffer.dtype != _TOKEN:
      _view(buffer)[...] = np.asarray(results[i])


def _handle(address):
  frame = _Frame.from_address(address)
  if frame.extension_start:
    extension = _MetadataExtension.from_address(frame.extension_start)
    if extension.type == _METADATA_EXTENSION:
      extension.metadata.contents.api_version.major = 0
      extension.metadata.contents.api_version.minor = 1
      return None
  try:
    _run(frame)
    return None
  except BaseException:  # Nothing may pass into the plugin.
    message = "CpuCallback error calling callback: " + traceback.format_exc()
    create = ctypes.CFUNCTYPE(_P, _P)(_P.from_address(frame.api + 48).value)
    args = _ErrorCreate(ctypes.sizeof(_ErrorCreate), None, message.encode(), _INTERNAL)
    return create(ctypes.addressof(args))


_handler = ctypes.CFUNCTYPE(_P, _P)(_handle)


def _canonical(value):
  """With the element type that JAX gives it: 32 bits unless 64 are enabled."""
  value = np.asarray(value)
  if hasattr(dtypes, "canonicalize_value"):
    return dtypes.canonicalize_value(value)
  from jax._src.interpreters import xla  # before JAX 0.8

  return xla.canonicalize_dtype(value)


def _checked(function, result_avals):
  """The function, whose results must have the stated shapes and types."""

  def call(*args):
    results = function(*args)
    if len(results) != len(result_avals):
      raise RuntimeError("Mismatched number of outputs from callback. Expected: "
                         f"{len(result_avals)}, Actual: {len(results)}")
    results = tuple(map(_canonical, results))
    for i, (result, aval) in enumerate(zip(results, result_avals)):
      if result.shape != aval.shape:
        raise RuntimeError(f"Incorrect output shape for return value #{i}: "
                           f"Expected: {aval.shape}, Actual: {result.shape}")
      if result.dtype != aval.dtype:
        raise RuntimeError(f"Incorrect output dtype for return value #{i}: "
                           f"Expected: {aval.dtype}, Actual: {result.dtype}")
    return results

  return call


def _set_sharding(ctx, operation, sharding):
  # The context came with JAX 0.10.
  if len(inspect.signature(mlir.set_sharding).parameters) == 2:
    mlir.set_sharding(operation, sharding)
  else:
    mlir.set_sharding(ctx.module_context, operation, sharding)


def _emit(ctx, target, callback, token, operands, result_avals, has_side_effect, sharding):
  import dataclasses
  from jax._src import core

  function = _checked(callback, result_avals)
  if token:
    with_results = function
    function = lambda _, *args: (None, *with_results(*args))
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

  entry = _Function(_BufferFunction(call))
  ctx.module_context.add_keepalive(entry)
  rule = ffi.ffi_lowering(
      TARGET, has_side_effect=has_side_effect,
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
  if backend == "cpu":
    try:
      return xla_bridge.local_devices(process_index, backend, host_id)
    except RuntimeError:
      backend = PLATFORM
  return xla_bridge.local_devices(process_index, backend, host_id)


def register(c_api):
  from jax_xylem import custom_calls

  for target in (TARGET, PARTITIONED_TARGET):
    custom_calls.register_function(c_api, target, ctypes.cast(_handler, _P).value)
  _patch_emission()
  _register_buffer_callback()
  jax_callback.xb = replacing.Module(xla_bridge, local_devices=_local_devices)
  # Before JAX 0.8 it asks jax itself.
  name = "xla_bridge" if hasattr(jax_debugging, "xla_bridge") else "jax"
  original = getattr(jax_debugging, name)
  setattr(jax_debugging, name, replacing.Module(original, local_devices=_local_devices))
