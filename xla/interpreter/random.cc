// SPDX-License-Identifier: Apache-2.0
// rng-bit-generator with the bits and states that XLA gives, and the stateful rng and
// rng-get-and-update-state.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/kernel_context.h"
#include "xla/interpreter/value.h"
#include "xla/kernels/random_bits.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

// Nanoseconds.
constexpr double kCostPerBlock = 30;

// The stateful generator: one Philox counter for the run.
constexpr uint64_t kRunKey = 0x9E3779B97F4A7C15u;

// Random numbers for element `index` of the rng instruction that took counters from `first` on.
std::array<uint32_t, 4> ElementBits(uint64_t first, int64_t index) {
  return kernels::Philox4x32(kRunKey, first + static_cast<uint64_t>(index), 0);
}

// [0, 1), of 53 bits.
double UnitUniform(uint32_t low, uint32_t high) {
  return static_cast<double>((low | uint64_t{high} << 32) >> 11) * 0x1p-53;
}

// Box and Muller's transform of two uniform numbers.
double UnitNormal(const std::array<uint32_t, 4>& words) {
  constexpr double kTwoPi = 6.28318530717958647692;
  const double radius = std::sqrt(-2 * std::log(1 - UnitUniform(words[0], words[1])));
  return radius * std::cos(kTwoPi * UnitUniform(words[2], words[3]));
}

// Uniform in [low, high), normal with mean and deviation.
absl::Status FillFloats(EvalContext& ctx, RandomDistribution distribution, uint64_t first,
                        const Value& a, const Value& b, Value& result) {
  double p, q;
  kernels::GetWideLoad<double>(a.element_type())(a.untyped_data(), 1, 1, &p);
  kernels::GetWideLoad<double>(b.element_type())(b.untyped_data(), 1, 1, &q);
  const PrimitiveType type = result.element_type();
  const int64_t count = result.element_count(), bytes = primitive_util::ByteWidth(type);
  char* out = static_cast<char*>(result.mutable_untyped_data());
  const kernels::WideStore<double> store = kernels::GetWideStore<double>(type);
  const kernels::WideLoad<double> load = kernels::GetWideLoad<double>(type);
  return ctx.ParallelFor(count, EvalContext::ChunkFor(count, 3 * kCostPerBlock),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) {
                             const std::array<uint32_t, 4> words = ElementBits(first, i);
                             double value;
                             if (distribution == RandomDistribution::RNG_NORMAL) {
                               value = p + q * UnitNormal(words);
                               store(&value, 1, out + i * bytes, 1);
                               continue;
                             }
                             value = p + (q - p) * UnitUniform(words[0], words[1]);
                             store(&value, 1, out + i * bytes, 1);
                             // Rounding to the type may reach the end that does not belong.
                             double stored;
                             load(out + i * bytes, 1, 1, &stored);
                             if (stored >= q && p < q) store(&p, 1, out + i * bytes, 1);
                           }
                         });
}

// Uniform in [low, high); an empty interval gives low.
absl::Status FillIntegers(EvalContext& ctx, uint64_t first, const Value& a, const Value& b,
                          Value& result) {
  const PrimitiveType type = result.element_type();
  uint64_t low, high;
  kernels::GetWideLoad<uint64_t>(type)(a.untyped_data(), 1, 1, &low);
  kernels::GetWideLoad<uint64_t>(type)(b.untyped_data(), 1, 1, &high);
  const bool is_empty = primitive_util::IsSignedIntegralType(type)
                            ? static_cast<int64_t>(high) <= static_cast<int64_t>(low)
                            : high <= low;
  // PRED means a fair coin, whatever its bounds.
  const uint64_t range = type == PRED ? 2 : is_empty ? 0 : high - low;
  if (type == PRED) low = 0;
  const int64_t count = result.element_count(), bytes = primitive_util::ByteWidth(type);
  char* out = static_cast<char*>(result.mutable_untyped_data());
  const kernels::WideStore<uint64_t> store = kernels::GetWideStore<uint64_t>(type);
  return ctx.ParallelFor(
      count, EvalContext::ChunkFor(count, kCostPerBlock), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const std::array<uint32_t, 4> words = ElementBits(first, i);
          const uint64_t bits = words[0] | uint64_t{words[1]} << 32;
          const uint64_t value =
              low + static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
          store(&value, 1, out + i * bytes, 1);
        }
      });
}

}  // namespace

absl::StatusOr<Value> EvalRngBitGenerator(EvalContext& ctx, const HloInstruction& inst,
                                          absl::Span<Value> operands) {
  const Value& state = operands[0];
  const RandomAlgorithm algorithm = inst.attributes<RngBitGeneratorAttributes>().algorithm;
  const bool threefry = algorithm == RandomAlgorithm::RNG_THREE_FRY;
  const int64_t words = state.byte_size() / static_cast<int64_t>(sizeof(uint64_t));
  const bool is_integer = state.element_type() == U64 || state.element_type() == U32;
  if (!is_integer || (threefry ? words != 2 : words != 2 && words != 3)) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument,
                            threefry
                                ? "the state of rng_three_fry is u64[2]"
                                : "the state of rng_philox and rng_default is u64[2] or u64[3]");
  }
  XLA_ASSIGN_OR_RETURN(Value new_state, ctx.Allocate(inst.shape().tuple_shapes(0)));
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape().tuple_shapes(1)));
  if (!kernels::HasRandomBits(result.element_type())) {
    return InstructionError(inst, absl::StatusCode::kUnimplemented,
                            "random bits of this element type are not supported");
  }
  KernelContext kernel_context(ctx);
  uint64_t s[3] = {};
  std::memcpy(s, state.untyped_data(), state.byte_size());
  if (threefry) {
    XLA_ASSIGN_OR_RETURN(const int64_t used,
                         kernels::FillThreefry(kernel_context, s[0], s[1], result.element_type(),
                                               result.dimensions(), result.mutable_untyped_data()));
    s[1] += static_cast<uint64_t>(used);
  } else {
    // A state of two words has the key as the upper half of its counter.
    const kernels::Counter128 counter = {s[1], words == 3 ? s[2] : s[0]};
    XLA_ASSIGN_OR_RETURN(
        const int64_t used,
        kernels::FillPhilox(kernel_context, s[0], counter, result.element_type(),
                            result.element_count(), result.mutable_untyped_data()));
    const kernels::Counter128 next = counter.Plus(static_cast<uint64_t>(used));
    s[1] = next.low;
    if (words == 3) s[2] = next.high;
  }
  std::memcpy(new_state.mutable_untyped_data(), s, new_state.byte_size());
  std::vector<Value> results;
  results.push_back(std::move(new_state));
  results.push_back(std::move(result));
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

absl::StatusOr<Value> EvalRng(EvalContext& ctx, const HloInstruction& inst,
                              absl::Span<Value> operands) {
  const RandomDistribution distribution = inst.attributes<RngAttributes>().distribution;
  const PrimitiveType type = inst.shape().element_type();
  const bool is_float = primitive_util::IsFloatingPointType(type);
  const bool is_integer = primitive_util::IsIntegralType(type) || type == PRED;
  if (operands.size() != 2 || operands[0].element_type() != type ||
      operands[1].element_type() != type ||
      (distribution == RandomDistribution::RNG_NORMAL ? !is_float : !is_float && !is_integer)) {
    return InstructionError(inst, absl::StatusCode::kUnimplemented,
                            "rng takes two scalars of the result's type: uniform of floats, "
                            "integers or pred, normal of floats");
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const uint64_t first = ctx.TakeRandomCounters(static_cast<uint64_t>(result.element_count()));
  if (is_float) {
    XLA_RETURN_IF_ERROR(FillFloats(ctx, distribution, first, operands[0], operands[1], result));
  } else {
    XLA_RETURN_IF_ERROR(FillIntegers(ctx, first, operands[0], operands[1], result));
  }
  return result;
}

// The run's counter as u64[2]: low word, high word; `delta` counters are taken.
absl::StatusOr<Value> EvalRngGetAndUpdateState(EvalContext& ctx, const HloInstruction& inst,
                                               absl::Span<Value>) {
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  if (result.byte_size() != 2 * static_cast<int64_t>(sizeof(uint64_t))) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument, "the state is u64[2]");
  }
  const uint64_t delta = static_cast<uint64_t>(inst.attributes<RngDeltaAttributes>().delta);
  const uint64_t state[2] = {ctx.TakeRandomCounters(delta), 0};
  std::memcpy(result.mutable_untyped_data(), state, sizeof(state));
  return result;
}

}  // namespace xla::interpreter
