// SPDX-License-Identifier: Apache-2.0
// Values, and elementwise operations. random_chain_operations.cc has the others.
#include "tests/cpu/random_chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/cpu/random_chain_text.h"
#include "xla/primitive_util.h"

namespace xla::testing {

namespace {

// Whole numbers of this magnitude are exact, with room for one more addition.
double LimitOf(PrimitiveType type) {
  switch (type) {
    case BF16:
      return 128;
    case F16:
      return 1024;
    case F32:
      return 1 << 22;
    default:
      return 1e12;
  }
}

bool IsFloat(PrimitiveType type) { return primitive_util::IsFloatingPointType(type); }

}  // namespace

uint64_t RandomChain::Next() {
  uint64_t z = state_ += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

int64_t RandomChain::Size() {
  static constexpr int64_t kSizes[] = {1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 8, 9, 16, 17, 33};
  if (OneIn(150)) return 0;
  if (OneIn(60)) return 64 + Below(200);
  return kSizes[Below(std::size(kSizes))];
}

RandomChain::Dims RandomChain::RandomDims(int max_rank) {
  Dims dims(static_cast<size_t>(Below(max_rank + 1)));
  int64_t count = 1;
  for (int64_t& size : dims) {
    size = Size();
    while (count * size > 20000) size = (size + 1) / 2;
    count *= std::max<int64_t>(size, 1);
  }
  return dims;
}

PrimitiveType RandomChain::NumberType() {
  static constexpr PrimitiveType kTypes[] = {F32, F32, F32, F32, S32, S32, S32, BF16,
                                             F16, F64, S8,  U8,  U32, S64, S16};
  return kTypes[Below(std::size(kTypes))];
}

std::string RandomChain::NewName(const char* kind) { return absl::StrCat(kind, ".", ++number_); }

ChainValue RandomChain::Pick() {
  const auto count = static_cast<int64_t>(scope_.values.size());
  // The last ones most often: long chains.
  const int64_t back = OneIn(4) ? Below(count) : Below(std::min<int64_t>(count, 3));
  return scope_.values[static_cast<size_t>(count - 1 - back)];
}

ChainValue RandomChain::PickOfRank(size_t rank) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    ChainValue value = Pick();
    if (value.dims.size() >= rank) return value;
  }
  Dims dims(rank);
  for (int64_t& size : dims) size = 1 + Below(6);
  return Fit(Pick(), Pick().type, dims);
}

ChainValue RandomChain::Emit(PrimitiveType type, Dims dims, double bound,
                             const std::string& operation) {
  ChainValue value{NewName("v"), type, std::move(dims), bound};
  absl::StrAppend(&scope_.lines, "  ", value.name, " = ", ShapeText(value.type, value.dims), " ",
                  operation, "\n");
  if (IsFloat(type) && bound > LimitOf(type)) value = Bounded(value, 9);
  scope_.values.push_back(value);
  return value;
}

ChainValue RandomChain::Scalar(PrimitiveType type, int64_t value) {
  ChainValue scalar{NewName("c"), type, {}, std::abs(static_cast<double>(value))};
  const std::string text = type == PRED ? (value != 0 ? "true" : "false") : absl::StrCat(value);
  absl::StrAppend(&scope_.lines, "  ", scalar.name, " = ", ShapeText(type, {}), " constant(", text,
                  ")\n");
  return scalar;
}

// The bounds are small enough for every type of numbers. Those of integers are not tracked.
ChainValue RandomChain::Bounded(const ChainValue& value, double bound) {
  if (IsFloat(value.type) && value.bound <= bound) return value;
  const auto limit = static_cast<int64_t>(bound);
  const ChainValue low =
      Scalar(value.type, primitive_util::IsUnsignedIntegralType(value.type) ? 0 : -limit);
  const ChainValue high = Scalar(value.type, limit);
  ChainValue result{NewName("b"), value.type, value.dims, bound};
  absl::StrAppend(&scope_.lines, "  ", result.name, " = ", ShapeText(value.type, value.dims),
                  " clamp(", low.name, ", ", value.name, ", ", high.name, ")\n");
  return result;
}

ChainValue RandomChain::Broadcast(const ChainValue& value, const Dims& dims,
                                  const Dims& dimensions) {
  return Emit(value.type, dims, value.bound,
              absl::StrCat("broadcast(", value.name, "), dimensions={",
                           absl::StrJoin(dimensions, ","), "}"));
}

ChainValue RandomChain::Converted(const ChainValue& value, PrimitiveType type) {
  if (value.type == type) return value;
  if (type == PRED) {
    const ChainValue zero = Broadcast(Scalar(value.type, Below(3)), value.dims, {});
    return Emit(PRED, value.dims, 1,
                absl::StrCat("compare(", value.name, ", ", zero.name, "), direction=GT"));
  }
  // Numbers that the type may not hold exactly, or whose conversion saturates, are bounded before.
  const bool bound = value.type != PRED && (IsFloat(type) || IsFloat(value.type));
  const ChainValue source = bound ? Bounded(value, 99) : value;
  return Emit(type, value.dims, value.type == PRED ? 1 : source.bound,
              absl::StrCat("convert(", source.name, ")"));
}

ChainValue RandomChain::Fit(const ChainValue& given, PrimitiveType type, const Dims& dims) {
  const ChainValue value = Converted(given, type);
  if (value.dims == dims) return value;
  if (CountOf(value.dims) == CountOf(dims)) {
    return Emit(type, dims, value.bound, absl::StrCat("reshape(", value.name, ")"));
  }
  if (value.dims.empty()) return Broadcast(value, dims, {});
  // A part of it, or its greatest element.
  if (value.dims.size() == dims.size() && !OneIn(4)) {
    Dims low, limit;
    bool fits = true;
    for (size_t d = 0; d < dims.size(); ++d) {
      fits = fits && dims[d] <= value.dims[d];
      if (!fits) break;
      low.push_back(Below(value.dims[d] - dims[d] + 1));
      limit.push_back(low.back() + dims[d]);
    }
    if (fits) return Emit(type, dims, value.bound, SliceText(value.name, low, limit, {}));
  }
  Dims all(value.dims.size());
  for (size_t d = 0; d < all.size(); ++d) all[d] = static_cast<int64_t>(d);
  const char* opcode = type == PRED ? "or" : "maximum";
  const std::string combiner = Combiner(opcode, type);
  const ChainValue init = Scalar(type, 0);
  const ChainValue scalar =
      Emit(type, {}, value.bound,
           absl::StrCat("reduce(", value.name, ", ", init.name, "), dimensions={",
                        absl::StrJoin(all, ","), "}, to_apply=", combiner));
  return dims.empty() ? scalar : Broadcast(scalar, dims, {});
}

ChainValue RandomChain::Match(PrimitiveType type, const Dims& dims) {
  std::vector<const ChainValue*> same;
  for (const ChainValue& value : scope_.values) {
    if (value.type == type && value.dims == dims) same.push_back(&value);
  }
  if (!same.empty() && !OneIn(4)) return *same[static_cast<size_t>(Below(same.size()))];
  if (!dims.empty() && OneIn(4)) {  // one number for each index of a dimension, or of several
    const int64_t d = Below(static_cast<int64_t>(dims.size()));
    Dims sizes, dimensions;
    for (int64_t other = 0; other < static_cast<int64_t>(dims.size()); ++other) {
      if (other != d && !OneIn(4)) continue;
      sizes.push_back(dims[static_cast<size_t>(other)]);
      dimensions.push_back(other);
    }
    return Broadcast(Match(type, sizes), dims, dimensions);
  }
  if (!dims.empty() && type != PRED && OneIn(3)) {
    const int64_t d = Below(static_cast<int64_t>(dims.size()));
    const auto bound = static_cast<double>(dims[static_cast<size_t>(d)]);
    // Beyond 127 and 255, iotas of bytes wrap around.
    if (bound < 100) return Emit(type, dims, bound, absl::StrCat("iota(), iota_dimension=", d));
  }
  if (OneIn(4)) {
    const ChainValue scalar = Scalar(type, type == PRED ? Below(2) : Below(5));
    return dims.empty() ? scalar : Broadcast(scalar, dims, {});
  }
  return Fit(Pick(), type, dims);
}

// A scalar that starts a slice: any number.
ChainValue RandomChain::Index() { return OneIn(3) ? Scalar(S32, Below(9) - 2) : Match(S32, {}); }

std::string RandomChain::Combiner(const char* opcode, PrimitiveType type) {
  const std::string name = NewName("combine");
  const std::string scalar = ShapeText(type, {});
  absl::StrAppend(&computations_, name, " {\n  a = ", scalar, " parameter(0)\n  b = ", scalar,
                  " parameter(1)\n  ROOT r = ", scalar, " ", opcode, "(a, b)\n}\n\n");
  return name;
}

std::string RandomChain::Computation(const std::vector<ChainValue>& parameters, PrimitiveType type,
                                     const Dims& dims, double bound) {
  const std::string name = NewName("body");
  Scope outer = std::exchange(scope_, Scope());
  ++depth_;
  for (size_t i = 0; i < parameters.size(); ++i) {
    ChainValue value = parameters[i];
    value.name = NewName("p");
    absl::StrAppend(&scope_.lines, "  ", value.name, " = ", ShapeText(value.type, value.dims),
                    " parameter(", i, ")\n");
    scope_.values.push_back(std::move(value));
  }
  for (int64_t steps = 1 + Below(5); steps > 0; --steps) Thunk();
  const ChainValue result = Bounded(Fit(Pick(), type, dims), bound);
  absl::StrAppend(&computations_, name, " {\n", scope_.lines, "  ROOT r = ", ShapeText(type, dims),
                  " copy(", result.name, ")\n}\n\n");
  --depth_;
  scope_ = std::move(outer);
  return name;
}

std::string RandomChain::Write() {
  for (int64_t i = 0, count = 1 + Below(3); i < count; ++i) {
    ChainValue value{NewName("p"), NumberType(), RandomDims(3), 9};
    absl::StrAppend(&scope_.lines, "  ", value.name, " = ", ShapeText(value.type, value.dims),
                    " parameter(", i, ")\n");
    scope_.values.push_back(std::move(value));
  }
  for (int64_t steps = 3 + Below(OneIn(4) ? 40 : 14); steps > 0; --steps) Thunk();
  std::vector<std::string> names, shapes;
  for (int64_t i = 0, count = 1 + Below(3); i < count; ++i) {
    const ChainValue value = i == 0 ? scope_.values.back() : Pick();
    names.push_back(value.name);
    shapes.push_back(ShapeText(value.type, value.dims));
  }
  return absl::StrCat("HloModule chain\n\n", computations_, "ENTRY main {\n", scope_.lines,
                      "  ROOT results = (", absl::StrJoin(shapes, ", "), ") tuple(",
                      absl::StrJoin(names, ", "), ")\n}\n");
}

void RandomChain::Thunk() {
  struct Choice {
    int weight;
    void (RandomChain::*step)();
    bool is_nested;  // has computations of several steps
  };
  static constexpr Choice kChoices[] = {
      {10, &RandomChain::Unary, false},
      {26, &RandomChain::Binary, false},
      {7, &RandomChain::CompareSelect, false},
      {3, &RandomChain::Clamp, false},
      {5, &RandomChain::Convert, false},
      {8, &RandomChain::Reshape, false},
      {6, &RandomChain::Transpose, false},
      {6, &RandomChain::BroadcastStep, false},
      {8, &RandomChain::Slice, false},
      {4, &RandomChain::Pad, false},
      {6, &RandomChain::Concatenate, false},
      {3, &RandomChain::Reverse, false},
      {4, &RandomChain::DynamicSlice, false},
      {5, &RandomChain::DynamicUpdateSlice, false},
      {3, &RandomChain::Gather, false},
      {3, &RandomChain::Scatter, false},
      {3, &RandomChain::GatherElements, false},
      {3, &RandomChain::ScatterWindow, false},
      {10, &RandomChain::Reduce, false},
      {2, &RandomChain::ArgMax, false},
      {3, &RandomChain::ReduceWindow, false},
      {9, &RandomChain::Dot, false},
      {3, &RandomChain::Convolution, false},
      {3, &RandomChain::Sort, false},
      {4, &RandomChain::While, true},
      {2, &RandomChain::Conditional, true},
      {2, &RandomChain::Call, true},
  };
  int total = 0;
  for (const Choice& choice : kChoices) total += choice.weight;
  while (true) {
    int64_t at = Below(total);
    const Choice* choice = kChoices;
    while (at >= choice->weight) at -= (choice++)->weight;
    if (choice->is_nested && depth_ >= 2) continue;
    (this->*choice->step)();
    return;
  }
}

void RandomChain::Unary() {
  const ChainValue a = Pick();
  if (a.type == PRED) {
    Emit(PRED, a.dims, 1, absl::StrCat("not(", a.name, ")"));
    return;
  }
  static constexpr const char* kOpcodes[] = {"negate", "abs", "sign"};
  // Unsigned numbers have no magnitude.
  const bool is_unsigned = primitive_util::IsUnsignedIntegralType(a.type);
  const char* opcode = is_unsigned ? "not" : kOpcodes[Below(3)];
  Emit(a.type, a.dims, std::max(a.bound, 1.0), absl::StrCat(opcode, "(", a.name, ")"));
}

void RandomChain::Binary() {
  const ChainValue a = Pick();
  const ChainValue b = Match(a.type, a.dims);
  const std::string operands = OneIn(2) ? absl::StrCat("(", a.name, ", ", b.name, ")")
                                        : absl::StrCat("(", b.name, ", ", a.name, ")");
  if (a.type == PRED) {
    static constexpr const char* kOpcodes[] = {"and", "or", "xor"};
    Emit(PRED, a.dims, 1, absl::StrCat(kOpcodes[Below(3)], operands));
    return;
  }
  const double sum = a.bound + b.bound, product = a.bound * b.bound;
  switch (Below(IsFloat(a.type) ? 5 : 8)) {
    case 0:
      Emit(a.type, a.dims, sum, absl::StrCat("add", operands));
      return;
    case 1:
      Emit(a.type, a.dims, sum, absl::StrCat("subtract", operands));
      return;
    case 2:
      if (!IsFloat(a.type) || product <= LimitOf(a.type)) {
        Emit(a.type, a.dims, product, absl::StrCat("multiply", operands));
        return;
      }
      [[fallthrough]];
    case 3:
      Emit(a.type, a.dims, std::max(a.bound, b.bound), absl::StrCat("maximum", operands));
      return;
    case 4:
      Emit(a.type, a.dims, std::max(a.bound, b.bound), absl::StrCat("minimum", operands));
      return;
    case 5:
      Emit(a.type, a.dims, 0, absl::StrCat("and", operands));
      return;
    case 6:
      Emit(a.type, a.dims, 0, absl::StrCat("divide", operands));
      return;
    default:
      Emit(a.type, a.dims, 0, absl::StrCat("xor", operands));
  }
}

void RandomChain::CompareSelect() {
  const ChainValue a = Pick();
  const ChainValue b = Match(a.type, a.dims);
  static constexpr const char* kDirections[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const ChainValue p =
      Emit(PRED, a.dims, 1,
           absl::StrCat("compare(", a.name, ", ", b.name, "), direction=", kDirections[Below(6)]));
  if (OneIn(4)) return;
  const ChainValue c = Match(a.type, a.dims);
  const ChainValue condition = OneIn(4) ? Match(PRED, {}) : p;
  Emit(a.type, a.dims, std::max(a.bound, c.bound),
       absl::StrCat("select(", condition.name, ", ", a.name, ", ", c.name, ")"));
}

void RandomChain::Clamp() {
  const ChainValue a = Pick();
  if (a.type == PRED) return Unary();
  const ChainValue low = Match(a.type, OneIn(2) ? Dims() : a.dims);
  const ChainValue high = Match(a.type, low.dims);
  Emit(a.type, a.dims, std::max({a.bound, low.bound, high.bound}),
       absl::StrCat("clamp(", low.name, ", ", a.name, ", ", high.name, ")"));
}

void RandomChain::Convert() { Converted(Pick(), OneIn(6) ? PRED : NumberType()); }

}  // namespace xla::testing
