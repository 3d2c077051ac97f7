// SPDX-License-Identifier: Apache-2.0
#include "fuzz/sharding/values.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tests/spmd/dynamic_argument.h"
#include "tests/spmd/spoil_padding.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/spmd/module_shardings.h"
#include "xla/spmd/partition.h"
#include "xla/spmd/shard_layout.h"
#include "xla/spmd/shard_literals.h"

namespace xla::testing {
namespace {

// Small integers of both signs.
absl::StatusOr<Literal> Argument(const Shape& shape, int64_t number) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < ShapeUtil::ElementsIn(shape); ++i) {
    values.push_back(static_cast<int32_t>((7 * i + 11 * number + i * i / 3) % 23 - 5));
  }
  XLA_ASSIGN_OR_RETURN(Literal shaped,
                       LiteralUtil::CreateR1<int32_t>(values).Reshape(shape.dimensions()));
  XLA_ASSIGN_OR_RETURN(Literal converted, shaped.Convert(shape.element_type()));
  return spmd::testing::WithDynamicSizes(std::move(converted), shape, number);
}

using Pointers = std::vector<const Literal*>;

absl::StatusOr<Literal> RunUndivided(const HloModule& module, const Pointers& arguments) {
  const std::unique_ptr<HloModule> plain = module.Clone();
  XLA_RETURN_IF_ERROR(spmd::RemoveAnnotations(plain.get()));
  plain->config().set_num_partitions(1);
  XLA_ASSIGN_OR_RETURN(std::vector<Literal> results,
                       InterpretReplicated(*plain, 1, 1, {{arguments}}, {}));
  return std::move(results[0]);
}

absl::StatusOr<Literal> RunPartitioned(const HloModule& module, const Pointers& arguments,
                                       bool uses_shardy) {
  const std::unique_ptr<HloModule> local = module.Clone();
  const int64_t partitions = spmd::CountShardedDevices(module);
  local->config().set_num_partitions(partitions);
  local->config().set_use_shardy_partitioner(uses_shardy);
  XLA_ASSIGN_OR_RETURN(
      const spmd::ProgramShardings shardings,
      spmd::PartitionModule(local.get(), {.may_choose_output = spmd::UnstatedOutputs(*local),
                                          .may_choose_parameter = {true},
                                          .complete_outputs = true}));
  XLA_RETURN_IF_ERROR(VerifyModule(*local));
  std::vector<std::vector<Literal>> shards(static_cast<size_t>(partitions));
  std::vector<Pointers> pointers;
  for (int64_t p = 0; p < partitions; ++p) {
    std::vector<Literal>& own = shards[static_cast<size_t>(p)];
    for (size_t i = 0; i < arguments.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(
          Literal shard,
          spmd::ShardOfLiteral(*arguments[i], shardings.parameters[i], p, partitions));
      const Shape& full = arguments[i]->shape();
      XLA_ASSIGN_OR_RETURN(const spmd::ShardLayout layout,
                           spmd::ShardLayoutOf(shardings.parameters[i], full, partitions));
      spmd::testing::SpoilPadding(full, layout, p, shard);
      own.push_back(std::move(shard));
    }
    Pointers& of_device = pointers.emplace_back();
    for (const Literal& shard : own) of_device.push_back(&shard);
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<Literal> results,
                       InterpretReplicated(*local, 1, partitions, pointers, {}));
  return spmd::FullResult(results, shardings.outputs,
                          module.entry_computation()->root_instruction()->shape());
}

// Whether two arrays of doubles have infinities and NaNs in the same places, and else numbers that
// sums in another order may give.
bool AreClose(absl::Span<const double> a, absl::Span<const double> b) {
  double largest = 1;
  for (const double value : a) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (!(std::abs(a[i] - b[i]) <= 1e-9 * largest)) return false;
  }
  return true;
}

// The same of literals with doubles; other leaves must be equal.
bool AreClose(const Literal& a, const Literal& b) {
  bool are_close = true;
  ShapeUtil::ForEachLeafShape(a.shape(), [&](const Shape& leaf, const ShapeIndex& index) {
    are_close &= leaf.element_type() == F64 ? AreClose(a.data<double>(index), b.data<double>(index))
                                            : LiteralSlice(a, index) == LiteralSlice(b, index);
  });
  return are_close;
}

}  // namespace

absl::Status WrapOperations(HloModule* module) {
  HloComputation* entry = module->entry_computation();
  int64_t number = 0;
  for (HloInstruction* instruction : entry->MakeInstructionPostOrder()) {
    const HloOpcode opcode = instruction->opcode();
    if (!instruction->shape().IsArray() || opcode == HloOpcode::kParameter ||
        opcode == HloOpcode::kGetTupleElement || opcode == HloOpcode::kCustomCall ||
        opcode == HloOpcode::kCall || instruction->HasSideEffect() || ++number % 3 == 0) {
      continue;
    }
    XLA_ASSIGN_OR_RETURN(HloInstruction * fusion,
                         FuseInstructions({instruction}, FusionKind::kLoop));
    if (number % 3 == 1) continue;
    std::vector<Shape> shapes;
    for (const HloInstruction* operand : fusion->operands()) shapes.push_back(operand->shape());
    const Shape shape = ShapeUtil::MakeTupleShape(
        {ShapeUtil::MakeTupleShape(shapes), fusion->shape(), ShapeUtil::MakeShape(U32, {})});
    HloComputation* called[] = {fusion->to_apply()};
    HloInstruction* start = entry->AddInstruction(HloInstruction::Create(
        HloOpcode::kAsyncStart, shape, fusion->operands(), AsyncAttributes(), called));
    XLA_RETURN_IF_ERROR(
        entry
            ->ReplaceWithNewInstruction(
                fusion, HloInstruction::Create(HloOpcode::kAsyncDone, fusion->shape(), {start},
                                               AsyncAttributes()))
            .status());
  }
  return absl::OkStatus();
}

absl::Status CompareValues(const HloModule& module, const HloModule& undivided, bool uses_shardy) {
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    XLA_ASSIGN_OR_RETURN(Literal argument,
                         Argument(parameter->shape(), parameter->parameter_number()));
    arguments.push_back(std::move(argument));
  }
  Pointers pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  const absl::StatusOr<Literal> expected = RunUndivided(undivided, pointers);
  if (!expected.ok()) {
    std::printf("undecided: %s\n", std::string(expected.status().message()).c_str());
    return absl::OkStatus();
  }
  if (spmd::CountShardedDevices(module) < 2) {
    std::puts("undecided: of one device");
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(const Literal computed, RunPartitioned(module, pointers, uses_shardy));
  if (computed == *expected || AreClose(computed, *expected)) {
    std::puts(computed == *expected ? "equal" : "close");
    return absl::OkStatus();
  }
  std::printf("differs:\n  partitioned %s\n  undivided   %s\n", computed.ToString().c_str(),
              expected->ToString().c_str());
  return absl::OkStatus();
}

}  // namespace xla::testing
