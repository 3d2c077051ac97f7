# SPDX-License-Identifier: Apache-2.0
"""DLPack both ways. The memory is the host's: arrays are handed over in place.

JAX's functions get what it calls them with; which arguments those are depends on its version.
"""

import ctypes
import functools
import inspect

import numpy as np

import jax
from jax._src import array as jax_array
from jax._src import dlpack as jax_dlpack

from jax_xylem.names import PLATFORM

_CPU = 1  # kDLCPU
_ALIGNMENT = 64  # of memory that the plugin uses in place: kHostMemoryAlignment

_P = ctypes.c_void_p


class _Tensor(ctypes.Structure):
  _fields_ = [("data", _P), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
              ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
              ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
              ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _ManagedTensor(ctypes.Structure):
  _fields_ = [("tensor", _Tensor), ("context", _P), ("deleter", _P)]


_DELETER = ctypes.CFUNCTYPE(None, _P)
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_owned = {}  # what a tensor points to, by its address


@_DELETER
def _delete(address):
  _owned.pop(address, None)


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [_P, ctypes.c_char_p, _P]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = [_P, ctypes.c_char_p]
_get_pointer = ctypes.PYFUNCTYPE(_P, _P, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


@ctypes.PYFUNCTYPE(None, _P)
def _delete_capsule(capsule):
  # A consumer renames the capsule and calls the deleter itself.
  if _is_valid(capsule, b"dltensor"):
    _delete(_get_pointer(capsule, b"dltensor"))


def _type_of(dtype):
  if dtype == jax.numpy.bfloat16:
    return 4, 16
  if dtype.kind not in _CODES:
    raise BufferError(f"DLPack has no type for {dtype}")
  return _CODES[dtype.kind], 8 * dtype.itemsize


def export(x):
  """A DLPack capsule of an array on one device, in place."""
  code, bits = _type_of(x.dtype)
  shape = (ctypes.c_int64 * max(x.ndim, 1))(*x.shape)
  managed = _ManagedTensor()
  managed.tensor = _Tensor(x.unsafe_buffer_pointer() if x.size else None, _CPU, 0, x.ndim, code,
                           bits, 1, shape, None, 0)
  managed.deleter = ctypes.cast(_delete, _P).value
  address = ctypes.addressof(managed)
  # The view is a reference to the buffer, which donation then does not overwrite.
  _owned[address] = (managed, shape, x, np.asarray(x))
  return _new_capsule(address, b"dltensor", ctypes.cast(_delete_capsule, _P))


def _is_here(x):
  return isinstance(x, jax_array.ArrayImpl) and x.platform() == PLATFORM


def register():
  device_of = jax_array.ArrayImpl.__dlpack_device__
  to_dlpack = jax_dlpack._to_dlpack
  from_dlpack = jax_dlpack.from_dlpack

  def __dlpack_device__(self):
    if self.platform() != PLATFORM:
      return device_of(self)
    if len(self.sharding.device_set) != 1:
      raise BufferError("__dlpack__ only supported for unsharded arrays.")
    return jax_dlpack.DLDeviceType.kDLCPU, 0

  @functools.wraps(to_dlpack)
  def _to_dlpack(x, *args, **kwargs):
    given = inspect.signature(to_dlpack).bind(x, *args, **kwargs).arguments
    device = given.get("device")
    if not _is_here(x) or (device is not None and device.platform != PLATFORM):
      return to_dlpack(x, *args, **kwargs)
    # The capsule has no version, which any max_version admits.
    if given.get("copy"):
      x = jax.numpy.array(x, copy=True)
    return export(x)

  @functools.wraps(from_dlpack)
  def from_dlpack_(external_array, *args, **kwargs):
    given = inspect.signature(from_dlpack).bind(external_array, *args, **kwargs).arguments
    place, copy = given.get("device"), given.get("copy")
    target = place
    if target is None:
      default = jax.devices()[0]
      target = default if default.platform == PLATFORM else None
    is_host = hasattr(external_array, "__dlpack_device__") and (
        int(external_array.__dlpack_device__()[0]) == _CPU)
    platform = getattr(target, "platform", None) or (
        next(iter(target.device_set)).platform if target is not None else None)
    if platform != PLATFORM or not is_host:
      return from_dlpack(external_array, *args, **kwargs)
    if _is_here(external_array):
      array = jax.numpy.array(external_array, copy=True) if copy else external_array
      return jax.device_put(array, place) if place is not None else array
    if not hasattr(external_array, "__dlpack__"):
      raise TypeError("The array passed to from_dlpack must have __dlpack__ and __dlpack_device__")
    host = np.from_dlpack(external_array)
    if copy:
      host = np.array(host)
    elif copy is not None and host.ctypes.data % _ALIGNMENT != 0:
      raise ValueError(
          "Specified input which requires a copy since the source data buffer is not aligned to "
          f"{_ALIGNMENT} bytes. However copy=False. Set copy=True or copy=None to perform the "
          "requested operation.")
    return jax.device_put(host, place)

  jax_array.ArrayImpl.__dlpack_device__ = __dlpack_device__
  jax_dlpack._to_dlpack = _to_dlpack
  jax_dlpack.from_dlpack = from_dlpack_
  jax.dlpack.from_dlpack = from_dlpack_
