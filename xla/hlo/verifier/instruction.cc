// SPDX-License-Identifier: Apache-2.0
// Checks one instruction: infers its shape again and compares, then the rules common to all
// opcodes, then those of its opcode.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/shape_inference/rules.h"
#include "xla/hlo/verifier/rules.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::verifier {
namespace {

struct Row {
  HloOpcode opcode;
  Rule rule;
};

// Opcodes with rules beyond shape inference.
constexpr Row kRows[] = {
    {HloOpcode::kCompare, CheckCompare},
    {HloOpcode::kParameter, CheckParameter},
    {HloOpcode::kConstant, CheckConstant},
    {HloOpcode::kBitcast, CheckBitcast},
    {HloOpcode::kReshape, CheckReshape},
    {HloOpcode::kBroadcast, CheckBroadcast},
    {HloOpcode::kCall, CheckCall},
    {HloOpcode::kWhile, CheckWhile},
    {HloOpcode::kConditional, CheckConditional},
    {HloOpcode::kFusion, CheckFusion},
    {HloOpcode::kCustomCall, CheckCustomCall},
    {HloOpcode::kAsyncStart, CheckAsyncStart},
    {HloOpcode::kSend, CheckSend},
    {HloOpcode::kRecv, CheckRecv},
};

// Opcodes with rules that come before shape inference.
constexpr Row kEarlyRows[] = {
    {HloOpcode::kCall, CheckCallSignature},
    {HloOpcode::kWhile, CheckWhileSignature},
    {HloOpcode::kConditional, CheckConditionalSignature},
    {HloOpcode::kFusion, CheckFusionSignature},
    {HloOpcode::kScan, CheckScan},
};

using Rules = std::array<Rule, kNumHloOpcodes>;
constexpr Rules MakeRules(absl::Span<const Row> rows) {
  Rules rules{};
  for (Rule& rule : rules) rule = NoMoreRules;
  for (const Row& row : rows) rules[static_cast<size_t>(row.opcode)] = row.rule;
  return rules;
}
constexpr Rules kRules = MakeRules(kRows);
constexpr Rules kEarlyRules = MakeRules(kEarlyRows);

// How far the declared shape may differ from the inferred one.
enum class Match : uint8_t {
  kValue,         // layouts are free, and so is floating point precision where mixing is allowed
  kBuffer,        // passes data on as it is: layouts count where the verifier looks at layouts
  kMinorToMajor,  // the same, but of layouts only the order
};

Match MatchOf(HloOpcode opcode) {
  const OpInfo& info = GetOpInfo(opcode);
  // A dynamic-update-slice may write into its operand.
  if (info.Has(op_traits::kSameLayout) || opcode == HloOpcode::kDynamicUpdateSlice) {
    return Match::kBuffer;
  }
  if (info.Has(op_traits::kSameDimensionOrder)) return Match::kMinorToMajor;
  return Match::kValue;
}

bool Matches(const HloInstruction& instruction, const Shape& inferred,
             const HloVerifierOptions& options) {
  const HloOpcode opcode = instruction.opcode();
  const Shape& declared = instruction.shape();
  const Match match = MatchOf(opcode);
  if (opcode == HloOpcode::kCopy && !IsValidCopy(declared, inferred, options)) return false;
  if (match == Match::kValue) {
    return options.allow_mixed_precision
               ? ShapeUtil::CompatibleIgnoringFpPrecision(declared, inferred)
               : ShapeUtil::Compatible(declared, inferred);
  }
  Shape::Equal equal;
  equal.IgnoreDynamicDimension();
  if (match == Match::kMinorToMajor) equal.MinorToMajorOnlyInLayout();
  if (opcode == HloOpcode::kDynamicUpdateSlice && instruction.parent() != nullptr &&
      instruction.parent()->IsFusionComputation()) {
    // What is within a fusion has no place in memory.
    equal.IgnoreMemorySpaceInLayout().IgnoreTilesInLayout();
  }
  return SameShape(declared, inferred, options, equal);
}

absl::Status CheckSinglePrecision(const HloInstruction& instruction) {
  PrimitiveType seen = PRIMITIVE_TYPE_INVALID;
  for (const HloInstruction* operand : instruction.operands()) {
    const PrimitiveType type = operand->shape().element_type();
    if (!operand->shape().IsArray() || !primitive_util::IsFloatingPointType(type)) continue;
    if (seen == PRIMITIVE_TYPE_INVALID) seen = type;
    if (seen != type) {
      return InvalidArgument(
          "Seen floating point types of different precisions in %s, but mixed precision is "
          "disallowed.",
          instruction.ToShortString());
    }
  }
  return absl::OkStatus();
}

// Checks that operands have the element types of the parameters of the reducer, or of the result
// of rng.
absl::Status CheckReducedTypes(const HloInstruction& instruction, Context& context) {
  if (instruction.opcode() == HloOpcode::kRng &&
      instruction.operand(0)->shape().element_type() != instruction.shape().element_type()) {
    return InvalidArgument(
        "Expected compatible element types for the result and the two operands of Rng "
        "instruction: %s",
        instruction.ToShortString());
  }
  if (instruction.opcode() != HloOpcode::kReduce && instruction.opcode() != HloOpcode::kMap &&
      instruction.opcode() != HloOpcode::kReduceWindow) {
    return absl::OkStatus();
  }
  const ProgramShape& to_apply = context.SignatureOf(*instruction.called_computations()[0]);
  for (int64_t i = 0; i < instruction.operand_count() && i < to_apply.parameters_size(); ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    if (operand.element_type() != to_apply.parameters(i).element_type()) {
      return InvalidArgument(
          "Shape mismatch between to_apply computation parameter and operand %d in %s.", i,
          instruction.ToShortString());
    }
  }
  return absl::OkStatus();
}

absl::Status CheckShape(const HloInstruction& instruction, Context& context) {
  XLA_RETURN_IF_ERROR(ShapeUtil::ValidateShapeWithOptionalLayout(instruction.shape()));
  absl::InlinedVector<const Shape*, 4> operands;
  for (const HloInstruction* operand : instruction.operands())
    operands.push_back(&operand->shape());
  absl::InlinedVector<const ProgramShape*, 2> callees;
  for (const HloComputation* callee : instruction.called_computations()) {
    callees.push_back(&context.SignatureOf(*callee));
  }
  // Counts of one: nothing to compare the groups with.
  const bool counts = context.options.check_replica_groups;
  const InferenceInput input{instruction.opcode(),
                             operands,
                             instruction.attributes(),
                             callees,
                             &instruction.shape(),
                             counts ? context.replica_count : 1,
                             counts ? context.num_partitions : 1};
  XLA_ASSIGN_OR_RETURN(const Shape inferred, shape_inference::ApplyRule(input));
  if (!context.options.allow_mixed_precision &&
      !instruction.info().HasAny(op_traits::kMixedOperands | op_traits::kOwnPrecision)) {
    XLA_RETURN_IF_ERROR(CheckSinglePrecision(instruction));
  }
  if (!Matches(instruction, inferred, context.options)) {
    return WrongShape(instruction, inferred, context.options);
  }
  if (context.options.allow_mixed_precision) return absl::OkStatus();
  return CheckReducedTypes(instruction, context);
}

// Checks the optional data of an instruction.
absl::Status CheckExtras(const HloInstruction& instruction, const Context& context) {
  if (!instruction.has_extras()) return absl::OkStatus();
  const InstructionExtras& extras = instruction.extras();
  if (extras.sharding.has_value()) {
    const std::optional<int64_t> num_devices =
        context.options.verify_sharding_device_numbers ? context.num_devices : std::nullopt;
    XLA_RETURN_IF_ERROR(AddContext(extras.sharding->Validate(instruction.shape(), num_devices),
                                   "Invalid sharding for instruction"));
  }
  const AccuracySpec& accuracy = extras.result_accuracy;
  if (accuracy.mode != AccuracySpec::Mode::kDefault) {
    if (!instruction.info().Has(op_traits::kHasAccuracy)) {
      return InvalidArgumentStrCat(
          "result_accuracy is not supported for ",
          absl::string_view(instruction.info().name.data(), instruction.info().name.size()));
    }
    if (!(accuracy.atol >= 0) || !(accuracy.rtol >= 0) || accuracy.ulps < 0) {
      return InvalidArgument(
          "The tolerances of result_accuracy must not be negative: atol=%g, rtol=%g, ulps=%d",
          accuracy.atol, accuracy.rtol, accuracy.ulps);
    }
  }
  if (extras.parameter_replication.has_value()) {
    const int64_t leaves = ShapeUtil::GetLeafCount(instruction.shape());
    if (instruction.opcode() != HloOpcode::kParameter) {
      return InvalidArgument("parameter_replication is only for parameters");
    }
    if (static_cast<int64_t>(extras.parameter_replication->size()) != leaves) {
      return InvalidArgument(
          "parameter has %d leaf buffers, but parameter_replication has %u elements.", leaves,
          extras.parameter_replication->size());
    }
  }
  return absl::OkStatus();
}

// The computations of fusions and control flow run on the thread of their caller; on request those
// of calls and of what applies one too.
absl::Status CheckThreads(const HloInstruction& instruction, const HloVerifierOptions& options) {
  const HloOpcode opcode = instruction.opcode();
  if (instruction.parent() == nullptr || instruction.called_computations().empty()) {
    return absl::OkStatus();
  }
  const std::string& thread = instruction.parent()->execution_thread();
  const bool nested = options.verify_call_nested_computation_thread_name;
  const bool applies = GetCalleeSchema(instruction.info().callees).SlotOf(0).name == "to_apply" &&
                       instruction.called_computations().size() == 1;
  if (nested && applies && !SameThread(instruction.to_apply()->execution_thread(), thread)) {
    return InvalidArgument(
        "%s to_apply computation execution thread does not match (%s vs %s)", instruction.name(),
        ThreadName(instruction.to_apply()->execution_thread()), ThreadName(thread));
  }
  const bool follows = opcode == HloOpcode::kFusion || opcode == HloOpcode::kWhile ||
                       opcode == HloOpcode::kConditional;
  const bool calls = opcode == HloOpcode::kCall || opcode == HloOpcode::kCustomCall;
  if (!follows && !(nested && calls)) return absl::OkStatus();
  for (const HloComputation* callee : instruction.called_computations()) {
    if (!SameThread(callee->execution_thread(), thread)) {
      return InvalidArgument(
          "Callable instruction %s expects parent computation thread name same as called "
          "computation's thread name (%s vs %s).",
          instruction.ToShortString(), ThreadName(thread), ThreadName(callee->execution_thread()));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAll(const HloInstruction& instruction, Context& context) {
  const auto opcode = static_cast<size_t>(instruction.opcode());
  XLA_RETURN_IF_ERROR(CheckOwnLayout(instruction, context.options));
  XLA_RETURN_IF_ERROR(kEarlyRules[opcode](instruction, context));
  XLA_RETURN_IF_ERROR(CheckShape(instruction, context));
  XLA_RETURN_IF_ERROR(CheckExtras(instruction, context));
  XLA_RETURN_IF_ERROR(CheckThreads(instruction, context.options));
  XLA_RETURN_IF_ERROR(kRules[opcode](instruction, context));
  return CheckLayoutKept(instruction, context.options);
}

absl::Status WithInstruction(const absl::Status& status, const HloInstruction& instruction) {
  if (status.ok()) return status;
  std::string message =
      absl::StrCat(status.message(), ", for instruction ", instruction.ToShortString());
  if (instruction.parent() != nullptr) {
    absl::StrAppend(&message, " in computation ", instruction.parent()->name());
  }
  return absl::Status(status.code(), message);
}

std::string Names(absl::Span<const HloOpcode> opcodes) {
  return absl::StrJoin(opcodes, " or ", [](std::string* out, HloOpcode opcode) {
    out->append(HloOpcodeString(opcode));
  });
}

}  // namespace

const ProgramShape& Context::SignatureOf(const HloComputation& computation) {
  std::unique_ptr<ProgramShape>& signature = signatures[&computation];
  if (signature == nullptr) {
    signature = std::make_unique<ProgramShape>();
    for (const HloInstruction* parameter : computation.parameter_instructions()) {
      *signature->add_parameters() = parameter->shape();
    }
    *signature->mutable_result() = computation.root_instruction()->shape();
  }
  return *signature;
}

absl::Status CheckInstruction(const HloInstruction& instruction, Context& context) {
  return WithInstruction(CheckAll(instruction, context), instruction);
}

absl::Status CheckPair(const HloInstruction& instruction, const Context& context) {
  return WithInstruction(CheckAsyncPair(instruction, context), instruction);
}

absl::Status NoMoreRules(const HloInstruction&, const Context&) { return absl::OkStatus(); }

bool SameThread(const std::string& a, const std::string& b) {
  const auto is_main = [](const std::string& thread) { return thread.empty() || thread == "main"; };
  return a == b || (is_main(a) && is_main(b));
}

std::string ThreadName(const std::string& thread) { return thread.empty() ? "main" : thread; }

bool SameShape(const Shape& a, const Shape& b, const HloVerifierOptions& options,
               Shape::Equal equal) {
  return options.layout_sensitive ? equal(a, b) : ShapeUtil::Compatible(a, b);
}

absl::Status WrongShape(const HloInstruction& instruction, const Shape& expected,
                        const HloVerifierOptions& options) {
  const bool layouts = options.layout_sensitive;
  return InvalidArgumentStrCat("Expected instruction to have shape equal to ",
                               expected.ToString(layouts), ", actual shape is ",
                               instruction.shape().ToString(layouts));
}

absl::Status ExpectOnlyUser(const HloInstruction& instruction,
                            absl::Span<const HloOpcode> opcodes) {
  // XLA's custom call "control_dep" only orders what it uses.
  const HloInstruction* only = nullptr;
  int64_t count = 0;
  for (const HloInstruction* user : instruction.users()) {
    if (user->opcode() == HloOpcode::kCustomCall && user->custom_call_target() == "control_dep") {
      continue;
    }
    only = user;
    ++count;
  }
  const std::string name(HloOpcodeString(instruction.opcode()));
  if (count != 1) {
    return InvalidArgument("The %s instruction requires one consumer, found %d", name, count);
  }
  if (std::find(opcodes.begin(), opcodes.end(), only->opcode()) != opcodes.end()) {
    return absl::OkStatus();
  }
  return InvalidArgument("The consumer of a %s instruction needs to be %s, found %s", name,
                         Names(opcodes), Names({only->opcode()}));
}

absl::Status ExpectOperand(const HloInstruction& instruction, absl::Span<const HloOpcode> opcodes) {
  const HloOpcode opcode = instruction.operand(0)->opcode();
  if (std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end()) return absl::OkStatus();
  return InvalidArgument("The operand of a %s instruction needs to be %s, found %s",
                         Names({instruction.opcode()}), Names(opcodes), Names({opcode}));
}

}  // namespace xla::verifier
