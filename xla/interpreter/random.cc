// SPDX-License-Identifier: Apache-2.0
// rng-bit-generator with the bits and states that XLA gives, and the stateful rng and
// rng-get-and-update-state.
#include <algorithm>
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
#include "xla/kernels/random/random_bits.h"
#include "xla/kernels/random/random_numbers.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {
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
  if (operands.size() != 2 || operands[0].element_type() != type ||
      operands[1].element_type() != type ||
      !kernels::HasRandomNumbers(type, distribution == RandomDistribution::RNG_NORMAL)) {
    return InstructionError(inst, absl::StatusCode::kUnimplemented,
                            "rng takes two scalars of the result's type: uniform of floats, "
                            "integers or pred, normal of floats");
  }
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const uint64_t first = ctx.TakeRandomCounters(static_cast<uint64_t>(result.element_count()));
  KernelContext kernel_context(ctx);
  XLA_RETURN_IF_ERROR(kernels::FillRandomNumbers(
      kernel_context, distribution == RandomDistribution::RNG_NORMAL, first, type,
      operands[0].untyped_data(), operands[1].untyped_data(), result.element_count(),
      result.mutable_untyped_data()));
  return result;
}

// The run's counter as u64[2]: low word, high word; `delta` counters are taken.
absl::StatusOr<Value> EvalRngGetAndUpdateState(EvalContext& ctx, const HloInstruction& inst,
                                               absl::Span<Value>) {
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  if (result.byte_size() != 2 * static_cast<int64_t>(sizeof(uint64_t))) {
    return InstructionError(inst, absl::StatusCode::kInvalidArgument, "the state must be u64[2]");
  }
  const uint64_t delta = static_cast<uint64_t>(inst.attributes<RngDeltaAttributes>().delta);
  const uint64_t state[2] = {ctx.TakeRandomCounters(delta), 0};
  std::memcpy(result.mutable_untyped_data(), state, sizeof(state));
  return result;
}

}  // namespace xla::interpreter
