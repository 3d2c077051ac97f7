# SPDX-License-Identifier: Apache-2.0
"""Element types, random arrays with edges, and arrays as HLO text."""
import ml_dtypes
import numpy as np

TYPES = {
    "pred": np.bool_,
    "s2": ml_dtypes.int2, "s4": ml_dtypes.int4, "s8": np.int8, "s16": np.int16, "s32": np.int32, "s64": np.int64,
    "u2": ml_dtypes.uint2, "u4": ml_dtypes.uint4, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32,
    "u64": np.uint64,
    "f4e2m1fn": ml_dtypes.float4_e2m1fn, "f8e3m4": ml_dtypes.float8_e3m4, "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "f8e8m0fnu": ml_dtypes.float8_e8m0fnu,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "c64": np.complex64, "c128": np.complex128,
}
TYPES = {name: np.dtype(dtype) for name, dtype in TYPES.items()}
NAMES = {dtype: name for name, dtype in TYPES.items()}

SIGNED = ["s2", "s4", "s8", "s16", "s32", "s64"]
UNSIGNED = ["u2", "u4", "u8", "u16", "u32", "u64"]
INTEGERS = SIGNED + UNSIGNED
F8 = ["f8e3m4", "f8e4m3", "f8e4m3fn", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"]
SCALES = ["f8e8m0fnu"]  # powers of two alone: no sign, no zero
TINY = F8 + SCALES + ["f4e2m1fn"]
WIDE = ["f16", "bf16", "f32", "f64"]
FLOATS = TINY + WIDE
COMPLEX = ["c64", "c128"]
ALL = ["pred"] + INTEGERS + FLOATS + COMPLEX
# Types that XLA's CPU compiler flushes denormals of: those computed in f32 with the exponents of f32, and f64.
FLUSHED = ["bf16", "f32", "f64", "c64", "c128"]


def bits(name):
  """Width of an element."""
  if name == "pred":
    return 8
  if name in COMPLEX:
    return {"c64": 64, "c128": 128}[name]
  digits = "".join(c for c in name.split("e")[0] if c.isdigit())
  return int(digits)


def part(name):
  """The type of the parts of a complex type; the type itself otherwise."""
  return {"c64": "f32", "c128": "f64"}.get(name, name)


def is_float(name):
  return name in FLOATS


def is_integer(name):
  return name in INTEGERS


def least_normal(name):
  return float(ml_dtypes.finfo(TYPES[name]).smallest_normal)


def epsilon(name):
  return float(ml_dtypes.finfo(TYPES[part(name)]).eps)


_TABLES = {}


def table(name):
  """Every finite value of a type of at most 8 bits, ascending, as float64."""
  if name not in _TABLES:
    count = 1 << bits(name)
    every = np.arange(count, dtype=np.uint8).view(TYPES[name]).astype(np.float64)
    _TABLES[name] = np.unique(every[np.isfinite(every)])
  return _TABLES[name]


def _integers(rng, name, count, kind):
  info = ml_dtypes.iinfo(TYPES[name])
  low, high = int(info.min), int(info.max)
  if kind == "small":
    return [int(rng.integers(max(low, -3), min(high, 3) + 1)) for _ in range(count)]
  out = []
  for _ in range(count):
    how = rng.integers(8)
    if how == 0:
      out.append([low, high, 0, 1, max(low, -1), min(high, 2), low + 1, high - 1][rng.integers(8)])
    elif how < 4:
      out.append(int(rng.integers(max(low, -10), min(high, 10) + 1)))
    elif how == 4:  # near powers of two
      value = (1 << int(rng.integers(bits(name)))) + int(rng.integers(-1, 2))
      out.append(min(max(value if low == 0 or rng.integers(2) else -value, low), high))
    else:
      out.append(int(rng.integers(low, high, endpoint=True, dtype=np.int64 if low < 0 else np.uint64)))
  return out


def _floats(rng, name, count, kind, flush):
  dtype = TYPES[name]
  if kind == "small":
    values = rng.integers(-3, 4, size=count).astype(np.float64)
    if name == "f8e8m0fnu":
      values = np.exp2(values)
    return values.astype(dtype)
  if kind == "unit":
    values = rng.uniform(-1, 1, size=count)
  elif kind == "positive":
    values = rng.uniform(0.25, 4, size=count)
  else:
    values = rng.normal(size=count) * np.exp2(rng.integers(-6, 7, size=count))
  if kind == "edge":
    info = ml_dtypes.finfo(dtype)
    specials = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, float(info.max),
                float(info.min), float(info.smallest_normal), -float(info.smallest_normal), float(info.eps)]
    if not flush or name not in FLUSHED:
      tiny = float(info.smallest_subnormal)
      specials += [tiny, -tiny, 3 * tiny]
    for i in range(count):
      how = rng.integers(6)
      if how == 0:
        values[i] = specials[rng.integers(len(specials))]
      elif how == 1 and name in ("f32", "f64", "bf16"):
        values[i] = rng.normal() * np.exp2(float(rng.integers(-125, 126)))
      elif how == 2:
        values[i] = np.round(values[i])
  if name == "f8e8m0fnu":
    values = np.abs(values)
    values[values < 2.0**-126] = 1
  with np.errstate(over="ignore", invalid="ignore"):
    return values.astype(dtype)


def random_array(rng, name, dims, kind="edge", flush=False):
  """An array of a kind: "edge" (anything), "finite", "unit" [-1, 1], "positive" [1/4, 4], "small" integers."""
  count = int(np.prod(dims, dtype=np.int64))
  dtype = TYPES[name]
  if name == "pred":
    array = rng.integers(2, size=count).astype(bool)
  elif is_integer(name):
    array = np.array(_integers(rng, name, count, "small" if kind in ("small", "unit") else "edge"),
                     dtype=np.int64 if name[0] == "s" else np.uint64).astype(dtype)
  elif name in COMPLEX:
    parts = _floats(rng, part(name), 2 * count, kind, flush)
    array = parts.view(dtype)
  else:
    array = _floats(rng, name, count, kind, flush)
  return array.reshape(dims)


def _number(value):
  value = float(value)
  if np.isnan(value):
    return "nan"
  if np.isinf(value):
    return "inf" if value > 0 else "-inf"
  return repr(value)


def element_text(name, value):
  if name == "pred":
    return "true" if value else "false"
  if name in COMPLEX:
    return f"({_number(value.real)}, {_number(value.imag)})"
  if is_integer(name):
    return str(int(value))
  return _number(value)


def literal_text(name, array):
  """The array as HLO writes constants."""
  if array.ndim == 0:
    return element_text(name, array[()])
  if array.ndim == 1:
    return "{" + ", ".join(element_text(name, v) for v in array) + "}"
  return "{" + ", ".join(literal_text(name, row) for row in array) + "}"


def shape_text(name, dims, layout=None):
  text = f"{name}[{','.join(map(str, dims))}]"
  return text if layout is None else text + "{" + ",".join(map(str, layout)) + "}"


_STORED = {"s2": np.int8, "s4": np.int8, "u2": np.uint8, "u4": np.uint8}  # a byte each, extended


def raw(array):
  """Bytes as the workers take and give them."""
  return np.ascontiguousarray(array).astype(_STORED.get(NAMES[array.dtype], array.dtype)).tobytes()


def from_raw(name, dims, data):
  return np.frombuffer(data, dtype=_STORED.get(name, TYPES[name])).astype(TYPES[name]).reshape(dims)
