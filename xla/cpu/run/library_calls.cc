// SPDX-License-Identifier: Apache-2.0
// Functions of the runtime that call xla/kernels: transforms of any length, random numbers,
// conversions of bits.
#include "xla/cpu/run/library_calls.h"

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/run/library_collectives.h"
#include "xla/cpu/run/library_custom_calls.h"
#include "xla/cpu/run/library_transfers.h"
#include "xla/kernels/dot/ragged_dot.h"
#include "xla/kernels/fft/fft.h"
#include "xla/kernels/movement/bitcast.h"
#include "xla/kernels/random/random_numbers.h"
#include "xla/kernels/random/stochastic_rounding.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

int64_t StoredBytes(const Shape& shape) {
  return CountOf(shape) * primitive_util::ByteWidth(shape.element_type());
}

absl::Status CallFft(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const auto& attributes = inst.attributes<FftAttributes>();
  const Shape& operand = inst.operand(0)->shape();
  if (CountOf(inst.shape()) == 0) return absl::OkStatus();
  // A transform of length zero has no terms.
  for (const int64_t length : attributes.fft_length) {
    if (length != 0) continue;
    std::memset(call.results[0], 0, static_cast<size_t>(StoredBytes(inst.shape())));
    return absl::OkStatus();
  }
  if (CountOf(operand) == 0) {
    return absl::InvalidArgumentError("an empty operand has no transform");
  }
  kernels::FftArray array;
  array.from_type = operand.element_type();
  array.to_type = inst.shape().element_type();
  array.from = call.operands[0];
  array.to = call.results[0];
  array.from_dimensions = operand.dimensions();
  array.to_dimensions = inst.shape().dimensions();
  array.lengths = attributes.fft_length;
  array.inverse = attributes.fft_type == FftType::IFFT || attributes.fft_type == FftType::IRFFT;
  array.real_result = attributes.fft_type == FftType::IRFFT;
  return kernels::TransformAxes(*call.state, array);
}

uint64_t TakeRandomCounters(RunState& state, uint64_t count) {
  return state.device().random_counter.fetch_add(count, std::memory_order_relaxed);
}

absl::Status CallRng(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const bool normal =
      inst.attributes<RngAttributes>().distribution == RandomDistribution::RNG_NORMAL;
  const PrimitiveType type = inst.shape().element_type();
  if (inst.operand_count() != 2 || inst.operand(0)->shape().element_type() != type ||
      inst.operand(1)->shape().element_type() != type || !kernels::HasRandomNumbers(type, normal)) {
    return absl::UnimplementedError(
        "rng takes two scalars of the result's type: uniform of floats, integers or pred, normal "
        "of floats");
  }
  const int64_t count = CountOf(inst.shape());
  const uint64_t first = TakeRandomCounters(*call.state, static_cast<uint64_t>(count));
  return kernels::FillRandomNumbers(*call.state, normal, first, type, call.operands[0],
                                    call.operands[1], count, call.results[0]);
}

// Returns the run's counter as u64[2]: low word, high word.
absl::Status CallRngState(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  uint64_t state[2] = {0, 0};
  if (StoredBytes(inst.shape()) != sizeof(state)) {
    return absl::InvalidArgumentError("the state must be u64[2]");
  }
  const auto delta = static_cast<uint64_t>(inst.attributes<RngDeltaAttributes>().delta);
  state[0] = TakeRandomCounters(*call.state, delta);
  std::memcpy(call.results[0], state, sizeof(state));
  return absl::OkStatus();
}

absl::Status CallBitcastConvert(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const Shape &from = inst.operand(0)->shape(), &to = inst.shape();
  if (kernels::IsPlainBitcastConvert(from.element_type(), to.element_type())) {
    if (CountOf(to) > 0)
      std::memcpy(call.results[0], call.operands[0], static_cast<size_t>(StoredBytes(to)));
    return absl::OkStatus();
  }
  return kernels::BitcastConvertArray(*call.state, from.element_type(), to.element_type(),
                                      CountOf(from), CountOf(to), call.operands[0],
                                      call.results[0]);
}

absl::Status CallRaggedDot(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const auto& attributes = inst.attributes<RaggedDotAttributes>();
  const auto sizes_of = [](const Shape& shape) {
    return std::vector<int64_t>(shape.dimensions().begin(), shape.dimensions().end());
  };
  const Shape& groups = inst.operand(2)->shape();
  kernels::RaggedDotSpec spec;
  spec.lhs_type = inst.operand(0)->shape().element_type();
  spec.rhs_type = inst.operand(1)->shape().element_type();
  spec.result_type = inst.shape().element_type();
  spec.lhs_dimensions = sizes_of(inst.operand(0)->shape());
  spec.rhs_dimensions = sizes_of(inst.operand(1)->shape());
  spec.group_dimensions = sizes_of(groups);
  spec.result_dimensions = sizes_of(inst.shape());
  spec.lhs_batch_dims = attributes.lhs_batch_dims;
  spec.lhs_contracting_dims = attributes.lhs_contracting_dims;
  spec.rhs_batch_dims = attributes.rhs_batch_dims;
  spec.rhs_contracting_dims = attributes.rhs_contracting_dims;
  spec.lhs_ragged_dimension = attributes.lhs_ragged_dims[0];
  if (!attributes.rhs_group_dims.empty()) spec.rhs_group_dimension = attributes.rhs_group_dims[0];
  XLA_RETURN_IF_ERROR(kernels::CheckRaggedDot(spec));
  std::vector<int64_t> group_sizes(static_cast<size_t>(CountOf(groups)));
  kernels::GetWideLoad<uint64_t>(groups.element_type())(
      call.operands[2], 1, CountOf(groups), reinterpret_cast<uint64_t*>(group_sizes.data()));
  return kernels::RaggedDot(*call.state, spec, call.operands[0], call.operands[1], group_sizes,
                            call.results[0]);
}

// --- stochastic-convert

// Calls round(value, random number, result) for each element.
template <typename Random, typename Round>
absl::Status RoundEach(const LibraryCall& call, const Round& round) {
  const HloInstruction& inst = *call.instruction;
  const PrimitiveType from = inst.operand(0)->shape().element_type(),
                      random = inst.operand(1)->shape().element_type(),
                      to = inst.shape().element_type();
  const int64_t bytes[] = {primitive_util::ByteWidth(from), primitive_util::ByteWidth(random),
                           primitive_util::ByteWidth(to)};
  return call.state->ParallelFor(CountOf(inst.shape()), 8192, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      double value;
      Random number;
      kernels::GetWideLoad<double>(from)(call.operands[0] + i * bytes[0], 1, 1, &value);
      kernels::GetWideLoad<Random>(random)(call.operands[1] + i * bytes[1], 1, 1, &number);
      round(value, number, call.results[0] + i * bytes[2]);
    }
    return absl::OkStatus();
  });
}

int RandomBitsOf(const LibraryCall& call) {
  return primitive_util::BitWidth(call.instruction->operand(1)->shape().element_type());
}

template <typename Random, typename Int>
absl::Status RoundToIntegers(const LibraryCall& call) {
  const PrimitiveType to = call.instruction->shape().element_type();
  const int bits = primitive_util::BitWidth(to), random_bits = RandomBitsOf(call);
  Int low = 0, high;
  if constexpr (std::is_signed_v<Int>) {
    low = static_cast<Int>(int64_t{-1} << (bits - 1));
    high = static_cast<Int>(~low);
  } else {
    high = static_cast<Int>(~uint64_t{0} >> (64 - bits));
  }
  // The greatest integers of 64 bits are rounded up, as the comparison requires.
  const auto least = static_cast<double>(low), greatest = static_cast<double>(high);
  return RoundEach<Random>(call, [&](double value, Random number, char* result) {
    const auto rounded = static_cast<uint64_t>(
        kernels::StochasticInteger<Int>(value, number, random_bits, low, high, least, greatest));
    kernels::GetWideStore<uint64_t>(to)(&rounded, 1, result, 1);
  });
}

template <typename Random>
absl::Status RoundToFloats(const LibraryCall& call) {
  const PrimitiveType to = call.instruction->shape().element_type();
  const int random_bits = RandomBitsOf(call);
  const int mantissa = primitive_util::SignificandWidth(to) - 1;
  const int smallest = primitive_util::UnderflowExponent(to) - 1;
  return RoundEach<Random>(call, [&](double value, Random number, char* result) {
    value = kernels::StochasticFloat(value, number, random_bits, mantissa, smallest);
    if (to == F64) {
      kernels::GetWideStore<double>(to)(&value, 1, result, 1);
    } else {
      const auto narrow = static_cast<float>(value);
      kernels::GetWideStore<float>(to)(&narrow, 1, result, 1);
    }
  });
}

template <typename Random>
absl::Status CallStochasticConvertOf(const LibraryCall& call) {
  const PrimitiveType to = call.instruction->shape().element_type();
  if (primitive_util::IsFloatingPointType(to)) return RoundToFloats<Random>(call);
  return primitive_util::IsSignedIntegralType(to) ? RoundToIntegers<Random, int64_t>(call)
                                                  : RoundToIntegers<Random, uint64_t>(call);
}

absl::Status CallStochasticConvert(const LibraryCall& call) {
  const HloInstruction& inst = *call.instruction;
  const PrimitiveType from = inst.operand(0)->shape().element_type(),
                      random = inst.operand(1)->shape().element_type(),
                      to = inst.shape().element_type();
  if (!primitive_util::IsFloatingPointType(from) ||
      !primitive_util::IsUnsignedIntegralType(random) ||
      (!primitive_util::IsFloatingPointType(to) && !primitive_util::IsIntegralType(to))) {
    return absl::UnimplementedError(
        "stochastic-convert between these element types is not implemented");
  }
  return random == U64 ? CallStochasticConvertOf<uint64_t>(call)
                       : CallStochasticConvertOf<uint32_t>(call);
}

absl::Status CallParticipantId(const LibraryCall& call) {
  const DevicePosition& position = call.state->device().position;
  const auto id = static_cast<uint32_t>(
      call.instruction->opcode() == HloOpcode::kReplicaId ? position.replica : position.partition);
  std::memcpy(call.results[0], &id, sizeof(id));
  return absl::OkStatus();
}

}  // namespace

LibraryFunction FindLibraryFunction(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kFft:
      return CallFft;
    case HloOpcode::kRng:
      return CallRng;
    case HloOpcode::kRngGetAndUpdateState:
      return CallRngState;
    case HloOpcode::kBitcastConvert:
      return CallBitcastConvert;
    case HloOpcode::kRaggedDot:
      return CallRaggedDot;
    case HloOpcode::kStochasticConvert:
      return CallStochasticConvert;
    case HloOpcode::kReplicaId:
    case HloOpcode::kPartitionId:
      return CallParticipantId;
    case HloOpcode::kCustomCall:
      return CallCustom;
    default:
      break;
  }
  if (const LibraryFunction function = FindCollective(instruction)) return function;
  return FindTransfer(instruction);
}

}  // namespace xla::cpu
