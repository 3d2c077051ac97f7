// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/index.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "xla/util.h"

namespace xla::cpu {
namespace {

// Larger bounds are dropped, because sums of them could overflow.
constexpr int64_t kGreatestBound = int64_t{1} << 60;

IndexTerm WithBounds(IndexTerm term, int64_t low, int64_t high) {
  if (low < -kGreatestBound || high > kGreatestBound) return term;
  term.low = low;
  term.high = high;
  return term;
}

}  // namespace

IndexTerm IndexMath::Constant(int64_t value) const {
  return WithBounds({ir_.Index(value), 0, value}, value, value);
}

IndexTerm IndexMath::Add(const IndexTerm& a, const IndexTerm& b) const {
  int64_t constant;
  if (a.is_uniform() && ir_.IsConst(a.base, &constant) && constant == 0) return b;
  if (b.is_uniform() && ir_.IsConst(b.base, &constant) && constant == 0) return a;
  if (a.lanes == nullptr && b.lanes == nullptr) {
    IndexTerm sum = {ir_.Add(a.base, b.base), a.step + b.step, std::gcd(a.align, b.align)};
    if (a.has_bounds() && b.has_bounds()) sum = WithBounds(sum, a.low + b.low, a.high + b.high);
    if (a.split != nullptr && IsConstant(b, &constant) && std::abs(constant) < kGreatestBound) {
      IndexSplit split = *a.split;
      split.origin += constant;
      return WithSplit(std::move(sum), std::move(split));
    }
    return sum;
  }
  if (a.nearby || b.nearby) {
    const std::optional<NearbyLanes> x = AsNearby(a), y = AsNearby(b);
    if (x && y && x->most + y->most <= kMostOffset) {
      return FromNearby(
          {ir_.Add(x->base, y->base), ir_.Add(x->offsets, y->offsets), x->most + y->most});
    }
  }
  const IrValue left = ToVector(a), right = ToVector(b);
  return FromVector(ir_.Add(ir_.Lanes(left) == 1 ? ir_.Splat(left, lanes_) : left,
                            ir_.Lanes(right) == 1 ? ir_.Splat(right, lanes_) : right));
}

IndexTerm IndexMath::AddConstant(const IndexTerm& a, int64_t c) const {
  return c == 0 ? a : Add(a, Constant(c));
}

IndexTerm IndexMath::Multiply(const IndexTerm& a, int64_t factor) const {
  if (factor == 1) return a;
  if (factor == 0) return Constant(0);
  if (a.nearby && factor > 0 && a.nearby->most <= kMostOffset / factor) {
    const auto& [base, offsets, most] = *a.nearby;
    return FromNearby({ir_.Mul(base, ir_.Index(factor)),
                       ir_.Mul(offsets, ir_.Const(ir_.TypeOf(offsets), factor)), most * factor});
  }
  if (a.lanes != nullptr) {
    return FromVector(ir_.Mul(a.lanes, ir_.Const(ir_.TypeOf(a.lanes), factor)));
  }
  IndexTerm product = {ir_.Mul(a.base, ir_.Index(factor))};
  // Strides and dilations may be nearly 2^63.
  if (__builtin_mul_overflow(a.step, factor, &product.step)) {
    const IrValue lanes = ToVector(a);
    return FromVector(ir_.Mul(lanes, ir_.Const(ir_.TypeOf(lanes), factor)));
  }
  if (__builtin_mul_overflow(a.align, factor, &product.align)) product.align = 1;
  int64_t remainder;
  if (a.split != nullptr && IsConstant(a.split->remainder, &remainder) && factor > 0 &&
      std::abs(a.split->origin) < kGreatestBound / factor &&
      a.split->period < kGreatestBound / factor) {
    product = WithSplit(std::move(product), {a.split->period * factor, a.split->origin * factor,
                                             a.split->quotient, Constant(remainder * factor)});
  }
  const int64_t magnitude = std::max(std::abs(a.low), std::abs(a.high));
  if (!a.has_bounds() || magnitude > kGreatestBound / std::abs(factor)) return product;
  return WithBounds(product, std::min(a.low * factor, a.high * factor),
                    std::max(a.low * factor, a.high * factor));
}

bool IndexMath::IsConstant(const IndexTerm& a, int64_t* constant) const {
  return a.is_uniform() && ir_.IsConst(a.base, constant);
}

IndexTerm IndexMath::WithSplit(IndexTerm term, IndexSplit split) const {
  int64_t remainder = 0;
  const bool is_known = IsConstant(split.remainder, &remainder);
  if (is_known || split.origin % split.period == 0) {
    const int64_t rest = split.origin + remainder;
    const int64_t moved = FloorOfRatio(rest, split.period);
    split.quotient = AddConstant(split.quotient, moved);
    if (is_known) split.remainder = Constant(rest - moved * split.period);
    split.origin = 0;
  }
  term.split = std::make_shared<const IndexSplit>(std::move(split));
  return term;
}

std::optional<IndexMath::Quotient> IndexMath::KnownQuotient(const IndexTerm& a,
                                                            int64_t divisor) const {
  if (a.split == nullptr || a.split->origin != 0) return std::nullopt;
  const auto& [period, origin, quotient, remainder] = *a.split;
  if (divisor == period) return Quotient{quotient, remainder};
  if (divisor % period == 0 && quotient.is_uniform()) {
    const IndexTerm inner = Modulo(quotient, divisor / period);
    return Quotient{
        Divide(quotient, divisor / period),
        WithSplit(Add(Multiply(inner, period), remainder), {period, 0, inner, remainder})};
  }
  int64_t known;
  if (period % divisor != 0 || !IsConstant(remainder, &known)) return std::nullopt;
  const int64_t rest = period / divisor;
  return Quotient{WithSplit(AddConstant(Multiply(quotient, rest), known / divisor),
                            {rest, 0, quotient, Constant(known / divisor)}),
                  Constant(known % divisor)};
}

bool IndexMath::LanesStayTogether(const IndexTerm& a, int64_t divisor) const {
  if (a.is_uniform()) return true;
  if (a.lanes != nullptr || a.step < 0) return false;
  const int64_t span = a.step * lanes_;
  return divisor % span == 0 && a.align % span == 0;
}

std::optional<NearbyLanes> IndexMath::AsNearby(const IndexTerm& a) const {
  if (a.nearby) return a.nearby;
  if (a.lanes != nullptr || a.step < 0 || a.step > kMostOffset / lanes_) return std::nullopt;
  return NearbyLanes{a.base, ir_.Steps(ir_.Vector(ir_.I32(), lanes_), a.step),
                     (lanes_ - 1) * a.step};
}

IndexTerm IndexMath::FromNearby(const NearbyLanes& nearby) const {
  IndexTerm term = FromVector(ir_.Add(ir_.Splat(nearby.base, lanes_),
                                      ir_.ZExt(nearby.offsets, ir_.Vector(ir_.I64(), lanes_))));
  term.nearby = nearby;
  return term;
}

std::optional<IndexMath::Quotient> IndexMath::QuotientOfLanes(const IndexTerm& a,
                                                              int64_t divisor) const {
  constexpr int kShift = 16;
  if (lanes_ == 1 || a.is_uniform() || divisor > kMostOffset) return std::nullopt;
  const std::optional<NearbyLanes> nearby = AsNearby(a);
  if (!nearby) return std::nullopt;
  // x = base % divisor + offset. x / divisor is x * (2^16 / divisor + 1) / 2^16 as long as
  // x * divisor < 2^16.
  const int64_t most = divisor - 1 + nearby->most;
  const bool is_small = most < (int64_t{1} << kShift) / divisor;
  if (!is_small && most >= 2 * divisor) return std::nullopt;
  const IrValue first = ir_.URem(nearby->base, ir_.Index(divisor));
  const IrType narrow = ir_.TypeOf(nearby->offsets);
  const IrValue x = ir_.Add(ir_.Splat(ir_.Trunc(first, ir_.I32()), lanes_), nearby->offsets);
  const IrValue period = ir_.Const(narrow, divisor);
  const IrValue quotient =
      is_small ? ir_.LShr(ir_.Mul(x, ir_.Const(narrow, (int64_t{1} << kShift) / divisor + 1)),
                          ir_.Const(narrow, int64_t{kShift}))
               : ir_.ZExt(ir_.ICmp(LLVMIntUGE, x, period), narrow);
  const IrValue remainder = ir_.Sub(x, ir_.Mul(quotient, period));
  return Quotient{
      FromNearby({ir_.UDiv(nearby->base, ir_.Index(divisor)), quotient, most / divisor}),
      FromNearby({ir_.Index(0), remainder, divisor - 1})};
}

IndexTerm IndexMath::Divide(const IndexTerm& a, int64_t divisor) const {
  if (divisor == 0) return Constant(0);  // of an array without elements: no element has an index
  if (divisor == 1) return a;
  if (a.IsWithin(0, divisor)) return Constant(0);
  if (std::optional<Quotient> known = KnownQuotient(a, divisor)) return known->quotient;
  if (a.step != 0 && a.lanes == nullptr && a.step % divisor == 0 && a.align % divisor == 0) {
    return {ir_.SDiv(a.base, ir_.Index(divisor)), a.step / divisor, a.align / divisor};
  }
  if (LanesStayTogether(a, divisor)) {
    const int64_t align = a.align == 0 ? 0 : a.align % divisor == 0 ? a.align / divisor : 1;
    return {ir_.UDiv(a.base, ir_.Index(divisor)), 0, align};
  }
  if (std::optional<Quotient> quotient = QuotientOfLanes(a, divisor)) return quotient->quotient;
  const IrValue value = ToVector(a);
  return FromVector(ir_.UDiv(value, ir_.Const(ir_.TypeOf(value), divisor)));
}

IndexTerm IndexMath::Modulo(const IndexTerm& a, int64_t divisor) const {
  if (divisor == 0) return Constant(0);  // of an array without elements: no element has an index
  if (divisor == 1) return Constant(0);
  if (a.IsWithin(0, divisor)) return a;
  if (std::optional<Quotient> known = KnownQuotient(a, divisor)) return known->remainder;
  if (LanesStayTogether(a, divisor)) {
    return {ir_.URem(a.base, ir_.Index(divisor)), a.step, std::gcd(a.align, divisor)};
  }
  if (std::optional<Quotient> quotient = QuotientOfLanes(a, divisor)) return quotient->remainder;
  const IrValue value = ToVector(a);
  return FromVector(ir_.URem(value, ir_.Const(ir_.TypeOf(value), divisor)));
}

IrValue IndexMath::ToVector(const IndexTerm& a) const {
  if (a.lanes != nullptr) return a.lanes;
  if (a.step == 0 || lanes_ == 1) return a.base;
  const IrType type = ir_.Vector(ir_.I64(), lanes_);
  return ir_.Add(ir_.Splat(a.base, lanes_), ir_.Steps(type, a.step));
}

IndexTerm IndexMath::FromVector(IrValue value) const {
  if (ir_.Lanes(value) == 1) return {value, 0, 1};
  IndexTerm term;
  term.base = ir_.Index(0);
  term.lanes = value;
  return term;
}

IrValue IndexMath::InRange(const IndexTerm& a, int64_t low, int64_t high) const {
  const IrValue value = ToVector(a);
  const IrType type = ir_.TypeOf(value);
  // One unsigned comparison tests both ends.
  const IrValue shifted = low == 0 ? value : ir_.Sub(value, ir_.Const(type, low));
  return ir_.ICmp(LLVMIntULT, shifted, ir_.Const(type, high - low));
}

IndexTerm IndexMath::ClampUnlessAffine(const IndexTerm& a, int64_t low, int64_t high) const {
  if (a.step != 0 && a.lanes == nullptr && lanes_ > 1) return a;
  const IrValue value = ToVector(a);
  const IrType type = ir_.TypeOf(value);
  const IrValue limited =
      ir_.Binary("llvm.smin", ir_.Binary("llvm.smax", value, ir_.Const(type, low)),
                 ir_.Const(type, std::max(low, high - 1)));
  return FromVector(limited);
}

IndexTerm IndexMath::Linearize(absl::Span<const IndexTerm> index,
                               absl::Span<const int64_t> dimensions) const {
  IndexTerm linear = Constant(0);
  int64_t stride = 1;
  size_t end = dimensions.size();
  while (end > 0) {
    size_t begin = end - 1;
    if (const Division* division = DivisionAtEnd(index.first(end), dimensions.first(end))) {
      begin = end - division->dimensions.size();
      linear = Add(linear, Multiply(division->linear, stride));
    } else if (dimensions[begin] != 1) {
      linear = Add(linear, Multiply(index[begin], stride));
    }
    for (size_t d = begin; d < end; ++d) stride *= dimensions[d];
    end = begin;
  }
  return linear;
}

void IndexMath::Remember(const IndexTerm& linear, absl::Span<const int64_t> dimensions,
                         const IndexVector& index) const {
  constexpr size_t kMostDivisions = 16;
  // Indices that are all 0 fit any array of one element, whatever position they are part of.
  const bool has_elements =
      std::any_of(dimensions.begin(), dimensions.end(), [](int64_t size) { return size > 1; });
  if (has_elements && dimensions.size() > 1 && index.size() == dimensions.size() &&
      divisions_.size() < kMostDivisions) {
    divisions_.push_back({linear, {dimensions.begin(), dimensions.end()}, index});
  }
}

const IndexMath::Division* IndexMath::DivisionAtEnd(absl::Span<const IndexTerm> index,
                                                    absl::Span<const int64_t> dimensions) const {
  for (const Division& division : divisions_) {
    const size_t size = division.dimensions.size();
    if (size <= dimensions.size() && dimensions.last(size) == division.dimensions &&
        index.last(size) == division.index) {
      return &division;
    }
  }
  return nullptr;
}

IndexVector IndexMath::Delinearize(IndexTerm linear, absl::Span<const int64_t> dimensions) const {
  IndexVector index(dimensions.size());
  const IndexTerm whole = linear;
  std::vector<std::pair<size_t, IndexTerm>> quotients;
  size_t first = 0;  // the most significant dimension that is not 1 needs no remainder
  while (first < dimensions.size() && dimensions[first] == 1) ++first;
  for (size_t d = dimensions.size(); d-- > 0;) {
    if (dimensions[d] == 1) {
      index[d] = Constant(0);
    } else if (d == first) {
      index[d] = linear;
    } else {
      index[d] = Modulo(linear, dimensions[d]);
      linear = Divide(linear, dimensions[d]);
      quotients.push_back({d, linear});
    }
  }
  Remember(whole, dimensions, index);
  // Arrays of the leading dimensions alone are at the quotients.
  const absl::Span<const IndexTerm> all = index;
  for (const auto& [size, quotient] : quotients) {
    const auto leading = all.first(size);
    Remember(quotient, dimensions.first(size), {leading.begin(), leading.end()});
  }
  return index;
}

IndexVector IndexMath::Reshape(absl::Span<const IndexTerm> index, absl::Span<const int64_t> from,
                               absl::Span<const int64_t> to) const {
  IndexVector result;
  size_t i = 0, j = 0;
  // Groups of dimensions with equal products are independent of each other.
  while (i < from.size() || j < to.size()) {
    const size_t i0 = i, j0 = j;
    int64_t a = 1, b = 1;
    if (i < from.size()) a = from[i++];
    if (j < to.size()) b = to[j++];
    while (a != b || (a == 1 && i == i0 && j == j0)) {
      if (a < b && i < from.size()) {
        a *= from[i++];
      } else if (j < to.size()) {
        b *= to[j++];
      } else if (i < from.size()) {
        a *= from[i++];
      } else {
        break;
      }
    }
    const auto sizes_from = from.subspan(i0, i - i0), sizes_to = to.subspan(j0, j - j0);
    IndexVector part = ReshapeByDimensions(index.subspan(i0, i - i0), sizes_from, sizes_to);
    if (sizes_from.size() == 1) Remember(index[i0], sizes_to, part);
    if (part.empty() && !sizes_to.empty())
      part = Delinearize(Linearize(index.subspan(i0, i - i0), sizes_from), sizes_to);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

IndexVector IndexMath::ReshapeByDimensions(absl::Span<const IndexTerm> index,
                                           absl::Span<const int64_t> from,
                                           absl::Span<const int64_t> to) const {
  IndexVector result(to.size());
  size_t next = from.size();
  IndexTerm term = Constant(0);  // what is left of a dimension, and its size
  int64_t size = 1;
  for (size_t j = to.size(); j-- > 0;) {
    IndexTerm sum = Constant(0);
    int64_t filled = 1;  // elements of dimension j that the sum tells apart
    while (filled < to[j]) {
      while (size == 1 && next > 0) {
        term = index[--next];
        size = from[next];
      }
      const int64_t needed = to[j] / filled;
      if (size <= 1 || to[j] % filled != 0) return {};
      if (needed % size == 0) {
        sum = Add(sum, Multiply(term, filled));
        filled *= size;
        size = 1;
      } else if (size % needed == 0) {
        sum = Add(sum, Multiply(Modulo(term, needed), filled));
        term = Divide(term, needed);
        filled = to[j];
        size /= needed;
      } else {
        return {};
      }
    }
    result[j] = sum;
  }
  return result;
}

}  // namespace xla::cpu
