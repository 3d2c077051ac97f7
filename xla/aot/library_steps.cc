// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/library_steps.h"

#include <algorithm>
#include <cctype>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/run/literal_memory.h"
#include "xla/kernels/movement/bitcast.h"
#include "xla/kernels/random/random_numbers.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/passes/expand.h"
#include "xla/primitive_util.h"

namespace xla::aot {
namespace {

void AddList(absl::Span<const int64_t> list, std::vector<int64_t>& numbers) {
  numbers.push_back(static_cast<int64_t>(list.size()));
  numbers.insert(numbers.end(), list.begin(), list.end());
}

absl::Status Refuse(const HloInstruction& instruction, absl::string_view reason) {
  return absl::UnimplementedError(absl::StrCat(instruction.ToShortString(), ": ", reason,
                                               "; it is not compiled ahead of time"));
}

LibraryStep Fft(const HloInstruction& fft) {
  const auto& attributes = fft.attributes<FftAttributes>();
  const Shape& operand = fft.operand(0)->shape();
  LibraryStep step = {"xylem_call_fft", {}, {}};
  step.parameters = {operand.element_type(), fft.shape().element_type(),
                     attributes.fft_type == FftType::IFFT || attributes.fft_type == FftType::IRFFT,
                     attributes.fft_type == FftType::IRFFT};
  AddList(operand.dimensions(), step.parameters);
  AddList(fft.shape().dimensions(), step.parameters);
  AddList(attributes.fft_length, step.parameters);
  return step;
}

absl::StatusOr<LibraryStep> Rng(const HloInstruction& rng) {
  const bool normal =
      rng.attributes<RngAttributes>().distribution == RandomDistribution::RNG_NORMAL;
  const PrimitiveType type = rng.shape().element_type();
  if (rng.operand_count() != 2 || rng.operand(0)->shape().element_type() != type ||
      rng.operand(1)->shape().element_type() != type || !kernels::HasRandomNumbers(type, normal)) {
    return Refuse(rng,
                  "it takes two scalars of the result's type, uniform of floats, integers or "
                  "pred, normal of floats");
  }
  return LibraryStep{"xylem_call_rng", {}, {normal, type, cpu::CountOf(rng.shape())}};
}

LibraryStep RaggedDot(const HloInstruction& dot) {
  const auto& attributes = dot.attributes<RaggedDotAttributes>();
  LibraryStep step = {"xylem_call_ragged_dot", {}, {}};
  step.parameters = {dot.operand(0)->shape().element_type(), dot.operand(1)->shape().element_type(),
                     dot.operand(2)->shape().element_type(), dot.shape().element_type()};
  for (int64_t i = 0; i < 3; ++i) AddList(dot.operand(i)->shape().dimensions(), step.parameters);
  AddList(dot.shape().dimensions(), step.parameters);
  AddList(attributes.lhs_batch_dims, step.parameters);
  AddList(attributes.lhs_contracting_dims, step.parameters);
  AddList(attributes.rhs_batch_dims, step.parameters);
  AddList(attributes.rhs_contracting_dims, step.parameters);
  step.parameters.push_back(attributes.lhs_ragged_dims[0]);
  step.parameters.push_back(attributes.rhs_group_dims.empty() ? -1 : attributes.rhs_group_dims[0]);
  return step;
}

LibraryStep WholeKernel(const HloInstruction& call) {
  const Shape &values = call.operand(0)->shape(), &positions = call.operand(1)->shape();
  const std::vector<std::string> texts = absl::StrSplit(call.extras().backend_config, ',');
  int64_t dimension = 0, block = 0;
  (void)absl::SimpleAtoi(texts[0], &dimension);
  (void)absl::SimpleAtoi(texts[1], &block);
  LibraryStep step = {"xylem_call_whole_kernel", {}, {}};
  step.parameters = {dimension, block, primitive_util::ByteWidth(values.element_type()),
                     positions.element_type()};
  AddList(values.dimensions(), step.parameters);
  return step;
}

bool IsIdentifier(absl::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// A function of the user's, in XLA's original convention: void(void* out, const void** in), where
// `out` of a tuple is an array of addresses. Arrays are dense and row-major.
absl::StatusOr<LibraryStep> CustomCall(const HloInstruction& call) {
  const std::string& target = call.custom_call_target();
  if (target == kWholeKernelTarget) return WholeKernel(call);
  if (target == kCheckSizeTarget) {
    int64_t bound = 0;
    (void)absl::SimpleAtoi(call.extras().backend_config, &bound);
    return LibraryStep{"xylem_call_check_size", {}, {bound}};
  }
  const auto& attributes = call.attributes<CustomCallAttributes>();
  if (attributes.api_version == CustomCallApiVersion::API_VERSION_TYPED_FFI) {
    return Refuse(
        call, absl::StrCat("the call to '", target,
                           "' of API_VERSION_TYPED_FFI needs a client; API_VERSION_ORIGINAL and "
                           "API_VERSION_STATUS_RETURNING call a function of the target's name"));
  }
  if (attributes.api_version != CustomCallApiVersion::API_VERSION_ORIGINAL &&
      attributes.api_version != CustomCallApiVersion::API_VERSION_STATUS_RETURNING) {
    return Refuse(call,
                  "of the untyped conventions, API_VERSION_ORIGINAL and "
                  "API_VERSION_STATUS_RETURNING call a function of the target's name");
  }
  if (!IsIdentifier(target)) {
    return Refuse(call, absl::StrCat("the target '", target, "' is not the name of a C function"));
  }
  bool is_flat = !call.shape().IsTuple() ||
                 std::all_of(call.shape().tuple_shapes().begin(), call.shape().tuple_shapes().end(),
                             [](const Shape& shape) { return shape.IsArray(); });
  for (const HloInstruction* operand : call.operands()) is_flat &= operand->shape().IsArray();
  if (!is_flat) return Refuse(call, "nested tuples and tokens are not passed to functions");
  return LibraryStep{
      "xylem_call_custom",
      {target},
      {static_cast<int64_t>(attributes.api_version), call.shape().IsTuple(), call.operand_count()}};
}

}  // namespace

absl::StatusOr<LibraryStep> LibraryStepOf(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kFft:
      return Fft(instruction);
    case HloOpcode::kRng:
      return Rng(instruction);
    case HloOpcode::kRngGetAndUpdateState:
      if (cpu::DenseArrayBytes(instruction.shape()) != 16)
        return Refuse(instruction, "the state must be u64[2]");
      return LibraryStep{
          "xylem_call_rng_state", {}, {instruction.attributes<RngDeltaAttributes>().delta}};
    case HloOpcode::kBitcastConvert: {
      const Shape &from = instruction.operand(0)->shape(), &to = instruction.shape();
      if (!kernels::IsPlainBitcastConvert(from.element_type(), to.element_type()))
        return Refuse(instruction, "its elements have fewer than 8 bits");
      return LibraryStep{"xylem_call_copy", {}, {cpu::DenseArrayBytes(to)}};
    }
    case HloOpcode::kRaggedDot:
      return RaggedDot(instruction);
    case HloOpcode::kReplicaId:
    case HloOpcode::kPartitionId:
      return LibraryStep{"xylem_call_zero", {}, {4}};  // of a single device
    case HloOpcode::kCustomCall:
      return CustomCall(instruction);
    case HloOpcode::kInfeed:
    case HloOpcode::kOutfeed:
      return Refuse(instruction, "infeed and outfeed need a client");
    default:
      return Refuse(instruction, "it communicates with other devices or the host");
  }
}

}  // namespace xla::aot
