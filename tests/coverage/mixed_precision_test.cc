// SPDX-License-Identifier: Apache-2.0
// The example programs of all operations with one value in another precision: what the verifier
// accepts runs, and gives the same numbers.
#include "xla/passes/mixed_precision.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/coverage/op_types.h"
#include "tests/test_util.h"
#include "tools/ops_data.h"
#include "tools/self_check.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

std::vector<std::string> Names(const HloModule& module) {
  std::vector<std::string> names;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      names.push_back(instruction->name());
  }
  return names;
}

HloInstruction* Find(const HloModule& module, const std::string& name) {
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions())
      if (instruction->name() == name) return instruction;
  }
  return nullptr;
}

// Whether there was an array of `from` to become one of `type`.
bool Retype(PrimitiveType from, PrimitiveType type, Shape* shape) {
  bool found = false;
  ShapeUtil::ForEachMutableSubshape(shape, [&](Shape* part, const ShapeIndex&) {
    if (!part->IsArray() || part->element_type() != from) return;
    *part = ShapeUtil::ChangeElementType(*part, type);
    found = true;
  });
  return found;
}

bool IsCheck(const HloInstruction& instruction) {
  const auto* call = instruction.attributes_if<CustomCallAttributes>();
  return call != nullptr && absl::StartsWith(call->custom_call_target, "check.");
}

// The instruction declared to give `type` in place of `from`. Checks, which compare equal types,
// see the old one again. False: there is nothing to change.
bool Redeclare(PrimitiveType from, PrimitiveType type, HloInstruction* instruction) {
  const Shape before = instruction->shape();
  if (before.IsTuple() && instruction->IsRoot()) return false;
  Shape after = before;
  if (!Retype(from, type, &after)) return false;
  std::vector<HloInstruction*> checks;
  for (HloInstruction* user : instruction->users())
    if (IsCheck(*user)) checks.push_back(user);
  if (!checks.empty()) {
    HloInstruction* back = instruction->parent()->AddInstruction(
        HloInstruction::Create(HloOpcode::kConvert, before, {instruction}));
    for (HloInstruction* check : checks) {
      for (int64_t i = 0; i < check->operand_count(); ++i) {
        if (check->operand(i) != instruction) continue;
        EXPECT_OK(check->ReplaceOperandWith(i, back));
      }
    }
  }
  if (instruction->opcode() == HloOpcode::kConstant) {
    absl::StatusOr<Literal> literal = instruction->literal().Convert(type);
    if (!literal.ok()) return false;
    instruction->set_attributes(
        ConstantAttributes{{std::make_shared<Literal>(*std::move(literal))}});
  }
  *instruction->mutable_shape() = after;
  return true;
}

TEST(MixedPrecisionTest, EveryOperationRunsWhatTheVerifierAccepts) {
  InterpreterOptions options;
  options.num_threads = 1;
  options.custom_calls = CheckCustomCalls();
  int accepted = 0, equal = 0;
  for (const OpExample& example : OpExamples()) {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(example.text));
    for (const std::string& name : Names(*module)) {
      for (const PrimitiveType type : {BF16, F64}) {
        const auto mixed = module->Clone();
        if (!Redeclare(F32, type, Find(*mixed, name)) || !VerifyModule(*mixed).ok()) continue;
        ++accepted;
        const absl::Status status = RunSelfChecking(*mixed, options);
        // Numbers of few bits are rounded; the host gives back what it got.
        const bool rounded = type == BF16 && absl::StrContains(status.message(), "elements differ");
        const bool is_host = absl::StrContains(status.message(), "but the host gave");
        EXPECT_TRUE(status.ok() || rounded || is_host)
            << example.name << ", " << name << " in " << PrimitiveType_Name(type) << ": " << status;
        if (status.ok()) ++equal;

        ASSERT_OK(ResolveMixedPrecision(mixed.get()));
        EXPECT_OK(VerifyModule(*mixed)) << example.name << ", " << name;
      }
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(equal, accepted * 9 / 10);
}

// Any element type in place of any other, of one value: what the verifier accepts ends well or in
// an error.
TEST(MixedTypesTest, WhatTheVerifierAcceptsRunsOrFailsInWords) {
  InterpreterOptions options;
  options.num_threads = 1;
  options.custom_calls = CheckCustomCalls();
  int accepted = 0;
  for (const OpExample& example : OpExamples()) {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(example.text));
    std::set<PrimitiveType> types;
    for (const HloComputation* computation : module->computations()) {
      for (const HloInstruction* instruction : computation->instructions())
        if (instruction->shape().IsArray()) types.insert(instruction->shape().element_type());
    }
    for (const std::string& name : Names(*module)) {
      for (const PrimitiveType from : types) {
        for (const PrimitiveType type : ArrayElementTypes()) {
          const auto mixed = module->Clone();
          if (type == from || !Redeclare(from, type, Find(*mixed, name)) ||
              !VerifyModule(*mixed).ok()) {
            continue;
          }
          ++accepted;
          const absl::Status status = RunSelfChecking(*mixed, options);
          EXPECT_TRUE(status.ok() || !status.message().empty()) << example.name << ", " << name;
        }
      }
    }
  }
  EXPECT_GT(accepted, 5000);
}

}  // namespace
}  // namespace xla
