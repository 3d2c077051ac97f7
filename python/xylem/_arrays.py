# SPDX-License-Identifier: Apache-2.0
"""Arrays that cannot be used as they are, and the element types. The extension calls these."""

import functools

from xylem import _errors

try:
  import numpy as np
except ImportError as error:
  raise ImportError("arrays of programs are NumPy's: pip install numpy") from error

_NAMES = {"pred": "bool", "f16": "float16", "f32": "float32", "f64": "float64", "c64": "complex64",
          "c128": "complex128"}
_NAMES.update({f"{kind}{bits}": f"{name}{bits}"
               for kind, name in (("s", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)})
# Those of ml_dtypes, which is imported when one is met.
_MORE = {"bf16": "bfloat16", "s2": "int2", "u2": "uint2", "s4": "int4", "u4": "uint4",
         "f4e2m1fn": "float4_e2m1fn", "f8e3m4": "float8_e3m4", "f8e4m3": "float8_e4m3",
         "f8e4m3b11fnuz": "float8_e4m3b11fnuz", "f8e4m3fn": "float8_e4m3fn",
         "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2": "float8_e5m2",
         "f8e5m2fnuz": "float8_e5m2fnuz", "f8e8m0fnu": "float8_e8m0fnu"}
_TYPES = {**{name: kind for kind, name in _NAMES.items()},
          **{name: kind for kind, name in _MORE.items()}}


def array_api():
  """The capsule with NumPy's table of functions."""
  try:
    from numpy._core import _multiarray_umath
  except ImportError:  # NumPy 1
    from numpy.core import _multiarray_umath
  return _multiarray_umath._ARRAY_API


@functools.lru_cache(maxsize=None)
def dtype_of(name):
  """The dtype of an element type of HLO."""
  if name in _NAMES:
    return np.dtype(_NAMES[name])
  if name not in _MORE:
    raise TypeError(f"NumPy has no {name}")
  try:
    import ml_dtypes
  except ImportError as error:
    raise ImportError(f"{name} is a type of ml_dtypes: pip install ml_dtypes") from error
  kind = getattr(ml_dtypes, _MORE[name], None)
  if kind is None:
    raise ImportError(f"this version of ml_dtypes has no {_MORE[name]}")
  return np.dtype(kind)


def type_name(dtype):
  """The element type of a dtype; empty for others, such as those of another byte order."""
  dtype = np.dtype(dtype)
  return _TYPES.get(dtype.name, "") if dtype.isnative else ""


def _fits(dimensions, bounds, is_dynamic):
  return len(dimensions) == len(bounds) and all(
      size <= bound if is_dynamic else size == bound for size, bound in zip(dimensions, bounds))


def _described(array):
  sizes = ",".join(map(str, array.shape))
  return f"{type_name(array.dtype) or array.dtype.str}[{sizes}]"


def _is_convertible(array, dtype):
  """Whether Python numbers may become elements of the type: whole numbers any, others those of their
  kind or wider."""
  if array.dtype.kind in "biu":
    return dtype.kind != "b" or array.dtype.kind == "b"
  if array.dtype.kind == "f":
    return dtype.kind in "fc" or dtype.name in ("bfloat16",) or dtype.name.startswith("float")
  return array.dtype.kind == "c" and dtype.kind == "c"


def prepare(value, dtype, bounds, is_dynamic, text, position):
  """A row-major, aligned array of the type for an argument that is none yet.

  Arrays of other types and sizes are errors: nothing is converted silently but numbers and lists.
  """
  array = value
  if not isinstance(value, np.ndarray):
    if hasattr(value, "__dlpack__") and not isinstance(value, np.generic):
      from xylem import _xylem
      array = _xylem.from_dlpack(value)
    elif hasattr(value, "__array__") and not isinstance(value, np.generic):
      array = np.asarray(value)
    else:
      array = np.asarray(value)
      if array.dtype != dtype and _is_convertible(array, dtype):
        array = array.astype(dtype)
  if array.dtype != dtype or not _fits(array.shape, bounds, is_dynamic):
    raise _errors.InvalidArgument(f"argument {position} is {_described(array)}, not {text}")
  if not array.flags.c_contiguous or not array.flags.aligned:
    array = np.array(array, order="C", copy=True)
  return array


def as_constant(value):
  """A row-major array for the builder; None for what is no array."""
  if isinstance(value, (np.ndarray, np.generic)):
    return np.asarray(value, order="C")
  if hasattr(value, "__dlpack__"):
    from xylem import _xylem
    return np.asarray(_xylem.from_dlpack(value), order="C")
  return np.asarray(value, order="C") if hasattr(value, "__array__") else None
