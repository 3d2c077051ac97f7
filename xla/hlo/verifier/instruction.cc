// SPDX-License-Identifier: Apache-2.0
// Checks one instruction: infers its shape again and compares, then the rules common to all
// opcodes, then those of its opcode.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
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
    {HloOpcode::kCall, CheckCall},
    {HloOpcode::kWhile, CheckWhile},
    {HloOpcode::kConditional, CheckConditional},
    {HloOpcode::kFusion, CheckFusion},
    {HloOpcode::kCustomCall, CheckCustomCall},
    {HloOpcode::kAsyncStart, CheckAsyncStart},
    {HloOpcode::kSend, CheckSend},
    {HloOpcode::kRecv, CheckRecv},
};

constexpr std::array<Rule, kNumHloOpcodes> kRules = [] {
  std::array<Rule, kNumHloOpcodes> rules{};
  for (Rule& rule : rules) rule = NoMoreRules;
  for (const Row& row : kRows) rules[static_cast<size_t>(row.opcode)] = row.rule;
  return rules;
}();

// How far the declared shape may differ from the inferred one.
enum class Match : uint8_t {
  kValue,         // layouts are free, and so is floating point precision where mixing is allowed
  kBuffer,        // passes data on as it is: layouts count where the verifier looks at layouts
  kMinorToMajor,  // the same, but of layouts only the order
};

Match MatchOf(HloOpcode opcode) {
  const OpInfo& info = GetOpInfo(opcode);
  if (info.Has(op_traits::kSameLayout)) return Match::kBuffer;
  if (info.Has(op_traits::kSameDimensionOrder)) return Match::kMinorToMajor;
  return Match::kValue;
}

bool Matches(HloOpcode opcode, const Shape& declared, const Shape& inferred,
             const HloVerifierOptions& options) {
  const Match match = MatchOf(opcode);
  if (match == Match::kValue) {
    return options.allow_mixed_precision
               ? ShapeUtil::CompatibleIgnoringFpPrecision(declared, inferred)
               : ShapeUtil::Compatible(declared, inferred);
  }
  if (!options.layout_sensitive) return ShapeUtil::Compatible(declared, inferred);
  Shape::Equal equal;
  equal.IgnoreDynamicDimension();
  if (match == Match::kMinorToMajor) equal.MinorToMajorOnlyInLayout();
  return equal(declared, inferred);
}

absl::Status CheckSinglePrecision(const HloInstruction& instruction) {
  PrimitiveType seen = PRIMITIVE_TYPE_INVALID;
  for (const HloInstruction* operand : instruction.operands()) {
    const PrimitiveType type = operand->shape().element_type();
    if (!operand->shape().IsArray() || !primitive_util::IsFloatingPointType(type)) continue;
    if (seen == PRIMITIVE_TYPE_INVALID) seen = type;
    if (seen != type) {
      return InvalidArgument(
          "Seen floating point types of different precisions, but mixed precision is disallowed.");
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
  if (instruction.opcode() != HloOpcode::kReduce &&
      instruction.opcode() != HloOpcode::kReduceWindow) {
    return absl::OkStatus();
  }
  const ProgramShape& to_apply = context.SignatureOf(*instruction.called_computations()[0]);
  for (int64_t i = 0; i < instruction.operand_count() && i < to_apply.parameters_size(); ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    if (operand.element_type() != to_apply.parameters(i).element_type()) {
      return InvalidArgumentStrCat("Operand ", i, " of shape ", operand.ToString(),
                                   " and parameter ", i, " of to_apply, of shape ",
                                   to_apply.parameters(i).ToString(),
                                   ", differ in element type, but mixed precision is disallowed.");
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
  const InferenceInput input{instruction.opcode(),     operands,
                             instruction.attributes(), callees,
                             &instruction.shape(),     context.replica_count,
                             context.num_partitions};
  XLA_ASSIGN_OR_RETURN(const Shape inferred, shape_inference::ApplyRule(input));
  if (!context.options.allow_mixed_precision &&
      !instruction.info().HasAny(op_traits::kMixedOperands | op_traits::kOwnPrecision)) {
    XLA_RETURN_IF_ERROR(CheckSinglePrecision(instruction));
  }
  if (!context.options.allow_mixed_precision) {
    XLA_RETURN_IF_ERROR(CheckReducedTypes(instruction, context));
  }
  if (!Matches(instruction.opcode(), instruction.shape(), inferred, context.options)) {
    const bool layouts = context.options.layout_sensitive;
    return InvalidArgumentStrCat("Expected instruction to have shape equal to ",
                                 inferred.ToString(layouts), ", actual shape is ",
                                 instruction.shape().ToString(layouts));
  }
  return absl::OkStatus();
}

// Checks the optional data of an instruction.
absl::Status CheckExtras(const HloInstruction& instruction, const Context& context) {
  if (!instruction.has_extras()) return absl::OkStatus();
  const InstructionExtras& extras = instruction.extras();
  if (extras.sharding.has_value()) {
    XLA_RETURN_IF_ERROR(AddContext(
        extras.sharding->Validate(instruction.shape(), context.num_devices), "Invalid sharding"));
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

// The computations of fusions and control flow run on the thread of their caller.
absl::Status CheckThreads(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (instruction.parent() == nullptr ||
      (opcode != HloOpcode::kFusion && opcode != HloOpcode::kWhile &&
       opcode != HloOpcode::kConditional)) {
    return absl::OkStatus();
  }
  for (const HloComputation* callee : instruction.called_computations()) {
    if (!SameThread(callee->execution_thread(), instruction.parent()->execution_thread())) {
      return InvalidArgument(
          "expects parent computation thread name same as called computation's thread name (%s vs "
          "%s).",
          instruction.parent()->execution_thread(), callee->execution_thread());
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAll(const HloInstruction& instruction, Context& context) {
  XLA_RETURN_IF_ERROR(CheckShape(instruction, context));
  XLA_RETURN_IF_ERROR(CheckExtras(instruction, context));
  XLA_RETURN_IF_ERROR(CheckThreads(instruction));
  XLA_RETURN_IF_ERROR(CheckAsyncPair(instruction, context));
  return kRules[static_cast<size_t>(instruction.opcode())](instruction, context);
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
  const absl::Status status = CheckAll(instruction, context);
  if (status.ok()) return status;
  std::string message =
      absl::StrCat(status.message(), ", for instruction ", instruction.ToShortString());
  if (instruction.parent() != nullptr) {
    absl::StrAppend(&message, " in computation ", instruction.parent()->name());
  }
  return absl::Status(status.code(), message);
}

absl::Status NoMoreRules(const HloInstruction&, const Context&) { return absl::OkStatus(); }

bool SameThread(const std::string& a, const std::string& b) {
  const auto is_main = [](const std::string& thread) { return thread.empty() || thread == "main"; };
  return a == b || (is_main(a) && is_main(b));
}

absl::Status ExpectOnlyUser(const HloInstruction& instruction,
                            absl::Span<const HloOpcode> opcodes) {
  if (instruction.user_count() == 1 &&
      std::find(opcodes.begin(), opcodes.end(), instruction.users()[0]->opcode()) !=
          opcodes.end()) {
    return absl::OkStatus();
  }
  return InvalidArgumentStrCat("The instruction requires one consumer, of opcode ", Names(opcodes),
                               ", found ", instruction.user_count(), " consumers");
}

absl::Status ExpectOperand(const HloInstruction& instruction, absl::Span<const HloOpcode> opcodes) {
  const HloOpcode opcode = instruction.operand(0)->opcode();
  if (std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end()) return absl::OkStatus();
  return InvalidArgumentStrCat("The operand needs to be ", Names(opcodes), ", found ",
                               Names({opcode}));
}

}  // namespace xla::verifier
