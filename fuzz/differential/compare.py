# SPDX-License-Identifier: Apache-2.0
"""When two results are the same. The rules, stated once:

exact      the same bits; NaN is NaN whatever its payload. For integers, pred, data movement, and single operations of
           IEEE arithmetic (add, multiply, divide, sqrt...), which have one correctly rounded answer.
ulps(n)    at most n representable numbers apart: functions that each library approximates in its own way.
           For complex numbers n units of the last place of the larger part.
sum(m)     at most m away, m from the number and size of the terms: sums whose order is left open.
In programs that XLA's CPU compiler ran, f32 and f64 numbers below the least normal one count as zero: it flushes them.
"""
import collections

import ml_dtypes
import numpy as np

import values

Rule = collections.namedtuple("Rule", "kind limit", defaults=(0,))
EXACT = Rule("exact")
SIGNLESS = Rule("signless")  # exact but for the sign of zero


def ulps(limit):
  return Rule("ulps", limit)


def within(limit):
  return Rule("sum", limit)


def _flush(array, name):
  return np.where(np.abs(array) < values.least_normal(name), array.dtype.type(0) * np.sign(array), array)


_ORDER = {2: np.int16, 4: np.int32, 8: np.int64}


def _ranks(array, name):
  """Consecutive integers for consecutive numbers."""
  if array.dtype.itemsize == 1:
    return np.searchsorted(values.table(name), array.astype(np.float64)).astype(np.float64)
  signed = array.view(_ORDER[array.dtype.itemsize]).astype(np.int64)
  least = np.iinfo(_ORDER[array.dtype.itemsize]).min
  return np.where(signed < 0, least - signed, signed)


def _distance(a, b):
  """|a - b| of ranks: exact where 64 bits hold it."""
  far = np.abs(a.astype(np.float64) - b.astype(np.float64))
  if a.dtype != np.int64:
    return far
  with np.errstate(over="ignore"):
    return np.where(far < 2.0**62, np.abs(a - b).astype(np.float64), far)


def _floats_differ(ours, theirs, name, rule, flush):
  """Mask of the elements that differ."""
  with np.errstate(invalid="ignore"):  # signalling NaN
    wide_ours, wide_theirs = ours.astype(np.float64), theirs.astype(np.float64)
  same = (wide_ours == wide_theirs) | (np.isnan(wide_ours) & np.isnan(wide_theirs))
  if rule.kind == "exact" and not flush:
    same &= (np.signbit(wide_ours) == np.signbit(wide_theirs)) | np.isnan(wide_ours)
  if flush and name in values.FLUSHED:
    least = values.least_normal(name)
    same |= (np.abs(wide_ours) <= least) & (np.abs(wide_theirs) <= least)
  finite = np.isfinite(wide_ours) & np.isfinite(wide_theirs)
  if rule.kind == "ulps":
    distance = np.where(finite, _distance(_ranks(ours, name), _ranks(theirs, name)), np.inf)
    same |= distance <= rule.limit
  elif rule.kind == "sum":
    with np.errstate(invalid="ignore", over="ignore"):
      same |= finite & (np.abs(wide_ours - wide_theirs) <= rule.limit)
  return ~same


def _complex_differ(ours, theirs, name, rule, flush):
  part = values.part(name)
  parts = [_floats_differ(getattr(ours, p).copy(), getattr(theirs, p).copy(), part,
                          rule if rule.kind != "ulps" else EXACT, flush) for p in ("real", "imag")]
  differ = parts[0] | parts[1]
  if rule.kind == "ulps":
    with np.errstate(all="ignore"):
      size = np.maximum(np.abs(theirs), values.least_normal(part))
      close = np.abs(ours.astype(np.complex128) - theirs) <= rule.limit * values.epsilon(name) * size
    # Zeros of either sign are the same to a rule of ulps.
    close |= (ours == theirs)
    differ &= ~(close & np.isfinite(ours) & np.isfinite(theirs))
    differ &= ~(ours == theirs)
  return differ


def differences(ours, theirs, name, rule, flush):
  """Mask of the elements in which two arrays of the type differ under the rule."""
  ours, theirs = np.atleast_1d(ours).copy(), np.atleast_1d(theirs).copy()
  if ours.size == 0:
    return np.zeros(ours.shape, bool)
  if name in values.COMPLEX:
    return _complex_differ(ours, theirs, name, rule, flush)
  if values.is_float(name):
    return _floats_differ(ours, theirs, name, rule, flush)
  if rule.kind in ("ulps", "sum"):
    return np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) > rule.limit
  return ours.astype(np.int64) != theirs.astype(np.int64)
