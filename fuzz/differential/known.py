# SPDX-License-Identifier: Apache-2.0
"""The differences that docs/differences.md explains, by the names it gives them."""
import re

import numpy as np

import compare
import values

_FNUZ = ("f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz")
_SUB_BYTE = ("s2", "u2", "s4", "u4", "f4e2m1fn")


def normalize(message):
  """A message without names, numbers and shapes, so that like ones count together."""
  message = message.replace("\n", " ")
  message = re.sub(r"%?\b[vpckrxyab]\d+(\.\d+)*\b", "X", message)
  message = re.sub(r"\b[a-z]+\d*[a-z0-9]*\[[^\]]*\](\{[^}]*\})?", "S", message)
  message = re.sub(r"-?\d+", "N", message)
  return message[:160]


class Difference:
  """A result that differs: the operation, its operands' values where known, both results, and where they differ."""

  def __init__(self, p, value, rule, ours, theirs, mask):
    self.p, self.value, self.rule, self.ours, self.theirs, self.mask = p, value, rule, ours, theirs, mask
    self.opcode, self.operands, self.attributes = p.origin.get(value.name, ("?", [], ""))
    self.types = [o.type for o in self.operands]

  def operand(self, i):
    return self.p.arrays.get(self.operands[i].name) if i < len(self.operands) else None

  def context(self):
    """The attributes, with the called computation."""
    name = self.attributes.rpartition("to_apply=")[2]
    return self.attributes + "".join(c for c in self.p.computations if c.split(" ")[0] == name)

  def wide(self, array):
    with np.errstate(all="ignore"):
      return array.astype(np.float64)


def _integer_power(d):
  if d.opcode != "power" or not values.is_integer(d.value.type):
    return False
  exponent = d.operand(1)
  if exponent is None:
    return False
  limit = 1 << (values.bits(d.value.type) - 1)
  # XLA's loop reads unsigned exponents as signed, and six bits of them.
  return all(e < 0 or e >= min(64, limit) for e in (int(e) for e in np.atleast_1d(exponent[d.mask])))


def _unsigned_start(d):
  """XLA folds slices at constant starts, and reads those as signed."""
  if d.p.mode != "evaluator" or d.opcode not in ("dynamic-slice", "dynamic-update-slice", "gather", "scatter"):
    return False
  if d.opcode in ("gather", "scatter"):
    type_ = d.types[len(d.types) // 2]
    array = d.operand(len(d.types) // 2)
    return type_[0] == "u" and (array is None or bool(np.any(array >> (values.bits(type_) - 1))))
  starts = d.operands[1:] if d.opcode == "dynamic-slice" else d.operands[2:]
  for start in starts:
    array = d.p.arrays.get(start.name)
    if start.type[0] == "u" and (array is None or int(array) >> (values.bits(start.type) - 1)):
      return True
  return False


def _sub_byte_bitcast(d):
  return (d.p.mode == "evaluator" and d.opcode == "bitcast-convert" and (d.types[0] in _SUB_BYTE or d.value.type in _SUB_BYTE)
          and d.types[0] != d.value.type)


def _sub_byte_bit_count(d):
  return d.opcode in ("popcnt", "count-leading-zeros") and d.types[0] in values.SIGNED


def _clamp_pred(d):
  return d.opcode == "clamp" and d.value.type == "pred"


def _least_float(d):
  """f4e2m1fn: infinity and NaN, which it has not; the sign of zero."""
  if d.opcode == "compare" and d.types[0] == "f4e2m1fn":
    return True
  if d.value.type != "f4e2m1fn":
    return False
  ours, theirs = d.wide(d.ours)[d.mask], d.wide(d.theirs)[d.mask]
  return bool(np.all((ours == theirs) | ((np.abs(ours) == 6) & (theirs == 0))))


def _scale_type(d):
  """f8e8m0fnu has no zero and no sign: what becomes of them, and of 2^-127, which is subnormal in f32."""
  if "f8e8m0fnu" not in d.types + [d.value.type]:
    return False
  if d.value.type == "f8e8m0fnu":
    ours, theirs = d.wide(d.ours)[d.mask], d.wide(d.theirs)[d.mask]
    least = 2.0**-127
    return bool(np.all(np.isnan(ours) | (ours <= least) | np.isnan(theirs) | (theirs <= least)))
  if d.opcode == "convert" and d.operand(0) is not None:
    operand = d.wide(d.operand(0))[d.mask]
    return bool(np.all(np.isnan(operand) | (operand <= 2.0**-126)))
  return False


def _fnuz(d):
  """XLA's compiler rounds some subnormal numbers of the fnuz types to NaN or the next one, and so all that are subnormal in
  f16, as f8e5m2fnuz's up to twice the least normal number are; their NaN has no sign."""
  if d.value.type in _FNUZ:
    least = values.least_normal(d.value.type)
    ours, theirs = d.wide(d.ours)[d.mask], d.wide(d.theirs)[d.mask]
    if np.all((np.abs(ours) <= 2 * least) & (np.isnan(theirs) | (np.abs(theirs) <= 4 * least))):
      return True
  if d.types and d.types[0] in _FNUZ:
    operand = d.operand(0)
    if operand is not None and operand.shape == d.mask.shape:
      wide = np.abs(d.wide(operand)[d.mask])
      return bool(np.all(wide <= 2 * values.least_normal(d.types[0])))
  return False


def _folded_order(d):
  """XLA's conversion from MLIR folds comparisons of constants as if zeros of either sign were equal, and NaN unordered."""
  if d.p.mode != "evaluator" or d.opcode != "compare" or "TOTALORDER" not in d.attributes:
    return False
  operands = [d.operand(i) for i in (0, 1)]
  if any(a is None or a.shape != d.mask.shape for a in operands):
    return False
  a, b = (d.wide(array)[d.mask] for array in operands)
  return bool(np.all(((a == 0) & (b == 0)) | np.isnan(a) | np.isnan(b)))


def _empty_source(d):
  """XLA's evaluator reads one element of a source that has none."""
  return d.p.mode == "evaluator" and d.opcode == "select-and-scatter" and 0 in d.operands[1].dims


def _nan_order(d):
  """The sign of NaN, which a total order sees: the fnuz types have none, and XLA reads f8e3m4's as negative."""
  return (d.opcode in ("sort", "compare") and d.types[0] in values.F8 and "TOTALORDER" in d.context()
          and any(np.isnan(d.wide(a)).any() for a in (d.operand(0), d.operand(1)) if a is not None and a.dtype == d.operand(0).dtype))


def _sign_of_zero(d):
  """Zeros of either sign: the larger one, XLA's sign and all-reduce of narrow floats, its evaluator's sort."""
  if d.opcode == "sort":
    zeros = (d.wide(d.ours)[d.mask] == 0) & (d.wide(d.theirs)[d.mask] == 0) if values.is_float(d.value.type) else False
    return d.p.mode == "evaluator" and bool(np.all(zeros))
  if d.opcode in ("sign", "all-reduce", "reduce-scatter") and d.value.type not in values.TINY + ["f16", "bf16"]:
    return False
  return (d.opcode in ("sign", "all-reduce", "reduce-scatter", "maximum", "minimum", "clamp", "call", "fusion", "map", "while")
          and values.is_float(d.value.type)
          and bool(np.all((d.wide(d.ours)[d.mask] == 0) & (d.wide(d.theirs)[d.mask] == 0))))


def _two_bit_sort(d):
  """XLA sorts elements of 2 bits into nonsense."""
  return d.opcode == "sort" and any(t in ("s2", "u2") for t in d.types)


def _narrow_sums(d):
  """XLA rounds f8 at every step of a reduction, and overflows where the whole does not."""
  return d.opcode in ("reduce", "reduce-window", "scatter", "select-and-scatter", "scan") and d.value.type in values.F8


def _reversed_window(d):
  """XLA makes a product of matrices of a convolution whose window covers its input, and forgets to reverse it."""
  if d.opcode != "convolution" or "rhs_reversal" not in d.attributes:
    return False
  fields = dict(part.split("=") for part in d.attributes[len("window={"):d.attributes.index("}")].split())
  sizes, reversal = fields["size"].split("x"), fields["rhs_reversal"].split("x")
  labels = re.search(r"->(\w+)", d.attributes).group(1)
  return any(r == "1" and s != "1" and d.value.dims[labels.index(str(i))] == 1
             for i, (s, r) in enumerate(zip(sizes, reversal)))


def _contraction(d):
  """XLA's compiler contracts a product and a sum into one operation with one rounding, and a + b + b into a + 2 b."""
  if d.opcode not in ("call", "fusion", "map", "while") or d.value.type not in values.WIDE:
    return False
  called = re.findall(r"(?:to_apply|calls|body)=(\w+)", d.attributes)
  text = "".join(c for c in d.p.computations if c.split(" ")[0] in called)
  return ("multiply(" in text and ("add(" in text or "subtract(" in text)) or text.count("add(") > 1


def _complex_cancellation(d):
  """XLA's compiler computes sinh of small imaginary parts from exponentials, whose difference has few digits; and so log near 1."""
  with np.errstate(invalid="ignore"):  # differences of infinities are no small ones
    return (d.value.type in values.COMPLEX and d.rule.kind == "ulps" and d.opcode not in ("add", "multiply", "divide")
            and bool(np.all(np.abs(d.ours - d.theirs)[d.mask] <=
                            (64 if d.opcode.startswith("log") else 4) * values.epsilon(d.value.type))))


def _complex_overflow(d):
  """XLA's compiler multiplies by a hyperbolic cosine that overflows where the product does not."""
  if d.value.type not in values.COMPLEX or d.opcode not in ("sine", "cosine", "tan", "sinh", "cosh", "exponential"):
    return False
  theirs, ours, x = d.theirs[d.mask], d.ours[d.mask], d.operand(0)
  if x is None:
    return False
  x = x[d.mask]
  overflows = np.maximum(np.abs(x.real), np.abs(x.imag)) > np.log(np.finfo(theirs.real.dtype).max)
  lost = [np.isinf(a) & np.isfinite(b) for a, b in ((theirs.real, ours.real), (theirs.imag, ours.imag))]
  return bool(np.all(overflows & (lost[0] | lost[1])))


def _half_logistic(d):
  """XLA's compiler computes it of f16 in f16, where the exponential loses digits, and overflows."""
  if d.opcode != "logistic" or d.value.type != "f16":
    return False
  theirs, ours = d.wide(d.theirs)[d.mask], d.wide(d.ours)[d.mask]
  return bool(np.all(((theirs == 0) & (np.abs(ours) < 2e-5)) | (np.abs(theirs - ours) <= 4 * 2.0**-10 * np.abs(ours))))


def _reduce_precision(d):
  if d.opcode != "reduce-precision" or d.operand(0) is None:
    return False
  wide = np.abs(d.wide(d.operand(0)))
  explained = wide <= values.least_normal(d.types[0])
  if "mantissa_bits=0" in d.attributes:
    explained |= np.isnan(d.wide(d.ours))  # see _reduce_precision_nan
  return bool(np.all(explained[d.mask]))


def _reduce_precision_nan(d):
  """NaN stays NaN, says the specification; XLA without mantissa bits: infinity."""
  return (d.opcode == "reduce-precision" and "mantissa_bits=0" in d.attributes
          and bool(np.all(np.isnan(d.wide(d.ours)[d.mask]))))


def _cbrt(d):
  if d.opcode != "cbrt" or d.operand(0) is None or d.types[0] not in values.FLUSHED:
    return False
  size = np.abs(d.wide(d.operand(0))[d.mask])
  with np.errstate(divide="ignore", invalid="ignore"):
    # The nearer to the ends of the range, the fewer digits.
    blurred = (np.abs(np.log2(size)) > 768) & (np.abs(d.wide(d.ours) - d.wide(d.theirs))[d.mask] <= 1e-13 * np.abs(d.wide(d.ours)[d.mask]))
  return bool(np.all((size <= values.least_normal(d.types[0])) | blurred))


def _flushed(d):
  """XLA's compiler takes subnormal numbers as zero. It compiles some operations even in programs of constants."""
  if d.value.type in values.FLUSHED and not compare.differences(d.ours, d.theirs, d.value.type, d.rule, True).any():
    return True
  if d.opcode in ("call", "fusion", "map", "while") and d.value.type in values.FLUSHED and d.value.type not in values.COMPLEX:
    if np.all(np.abs(d.wide(d.ours)[d.mask]) <= 4 * values.least_normal(d.value.type)):
      return True  # one on the way to the result
  left = d.mask
  if d.value.type in values.FLUSHED and d.value.type not in values.COMPLEX:
    left = left & ~((d.wide(d.theirs) == 0) & (np.abs(d.wide(d.ours)) < values.least_normal(d.value.type)))
  for i, type_ in enumerate(d.types):
    array = d.operand(i)
    if array is None or type_ not in values.FLUSHED:
      continue
    if array.shape == d.mask.shape and d.opcode not in ("call", "fusion", "map"):
      array = array[left]
      if np.all(_subnormal(array, type_)):
        return True
    elif _subnormal(array, type_).any():
      return True
  return False


def _subnormal(array, type_):
  part = values.part(type_)
  found = np.zeros(array.shape, bool)
  for half in (array.real, array.imag) if type_ in values.COMPLEX else (array,):
    wide = np.abs(half.astype(np.float64))
    found |= (wide > 0) & (wide < values.least_normal(part))
  return found


def _least_rounding(d):
  """XLA's evaluator rounds f8e3m4 to NaN."""
  return (d.p.mode == "evaluator" and d.value.type == "f8e3m4" and d.opcode.startswith("round-nearest")
          and bool(np.all(np.isnan(d.wide(d.theirs)[d.mask]))))


_VALUES = [("integer-power", _integer_power), ("unsigned-start", _unsigned_start),
           ("sub-byte-bitcast", _sub_byte_bitcast), ("narrow-bit-count", _sub_byte_bit_count),
           ("clamp-pred", _clamp_pred), ("least-float", _least_float), ("scale-type", _scale_type), ("fnuz", _fnuz), ("nan-order", _nan_order),
           ("folded-order", _folded_order), ("empty-source", _empty_source), ("sign-of-zero", _sign_of_zero),
           ("two-bit-sort", _two_bit_sort), ("narrow-sums", _narrow_sums), ("reversed-window", _reversed_window), ("half-logistic", _half_logistic),
           ("contraction", _contraction), ("complex-cancellation", _complex_cancellation),
           ("complex-overflow", _complex_overflow),
           ("reduce-precision-subnormal", _reduce_precision), ("cbrt-subnormal", _cbrt), ("flushed", _flushed),
           ("round-f8e3m4", _least_rounding), ("reduce-precision-nan", _reduce_precision_nan)]


def explains_values(differences):
  """The name of the documented difference that explains every one, or None. What uses a different value differs too."""
  explained, names = set(), []
  for d in differences:
    name = next((name for name, test in _VALUES if test(d)), None)
    if name is None and d.p.depends(d.value.name, explained):
      name = names[0]
    if name is None:
      return None
    explained.add(d.value.name)
    names.append(name)
  return names[0] if names else None


_CANNOT = ["UNIMPLEMENTED", "not implemented", "not supported", "unregistered operation 'mhlo.unknown'",
           "does not support custom element sizes", "Unsupported fusion kind", "Invalid LLVM IR",
           "must have users", "Unsupported stochastic convert"]


def unsupported(answer):
  """Why XLA does not run a valid program, if it says that it cannot."""
  stage, message = answer
  if stage == "ok":
    return None
  if any(words.lower() in message.lower() for words in _CANNOT):
    return stage + ": " + normalize(message)
  if "Seen floating point types of different precisions" in message:
    return "one float type an instruction, says its compiler's verifier"
  if "Expected element type in shape to be floating for cbrt" in message:
    return "conversion from MLIR takes no such type"
  if "PRIMITIVE_TYPE_INVALID" in message:
    return "bitcast-convert between c64 and c128"
  if "Inputs must have the same shape" in message or "reduce_decomposer" in message:
    return "layouts of several operands: " + normalize(message)
  return None


def crash_reason(p):
  return " ".join(sorted({opcode for opcode, _, _ in p.used} - {"tuple", "constant", "parameter", "get-tuple-element"}))


# (part of XLA's message or of ours, name): verdicts that differ.
_VERDICTS = [
    ("Map applied to a subset of dimensions", "map-dimensions"),
    ("Map requires monotonically increasing dimension", "map-dimensions"),
    ("FFT requires innermost dimensions match fft_length", "fft-length"),
    ("expects exactly one dimension", "surplus-dimensions"),
    ("sort_dimension -", "negative-sort-dimension"),
    ("Expected non-negative mantissa_bits", "numbers-of-32-bits"),
    ("Expected exponent_bits and mantissa_bits of 32 bits", "numbers-of-32-bits"),
    ("FFT lengths must not be negative", "fft-length"),
    ("non-empty replica groups", "all-to-all-groups"),
]

# What XLA's shape inference and verifier take, and its conversion to MLIR does not.
_MLIR_REFUSES = ["stablehlo.shift_", "must be variadic of 0D tensor", "comparator block argument", "requires compatible bit widths",
                 "Unsupported conversion between element types",
                 "rank of smaller element type"]  # a pred has one bit there


def accepts(theirs):
  """Whether XLA's verifier, which runs before its compiler, let a program pass."""
  if "must have users" in str(theirs[1]):
    return False
  return theirs[0] == "ok" or (theirs[0] == "compile" and (unsupported(theirs) or "elemental_ir_emitter" in theirs[1]))


def rejects_mixed(ours, theirs):
  """Whether both refuse a program for its floats of several widths."""
  return ours[0] == "ok" and bool(ours[1]) and theirs[0] == "compile" and "hlo verifier" in theirs[1]


def no_verdict(ours, theirs):
  """Why XLA gives no verdict of its own, or None: damaged programs reach its verifier by way of MLIR."""
  if ours[0] != "ok":
    if theirs == ("ok", False):
      return "conversion to MLIR mends it"
    if "get-tuple-element" in ours[1] and theirs[0] == "ok":
      return "conversion to MLIR mends it"  # elements have no shape of their own there
    if theirs[0] == "compile" and "must have users" in theirs[1]:
      return "XLA's verifier does not take fusions that programs bring"
    if theirs[0] != "compile" and unsupported(theirs):
      return "conversion to MLIR does not know it"
  elif theirs[0] == "convert" and any(words in theirs[1] for words in _MLIR_REFUSES):
    return "conversion to MLIR refuses what XLA's verifier takes"
  elif ours[1] and theirs[0] == "convert":
    return "mixed precision, which XLA's verifier takes and its conversion to MLIR does not"
  return None


def explains_verdict(ours, theirs):
  """The name of the documented difference, or None."""
  message = str(ours[1] if ours[0] != "ok" else theirs[1])
  return next((name for words, name in _VERDICTS if words in message), None)
