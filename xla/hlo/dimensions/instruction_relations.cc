// SPDX-License-Identifier: Apache-2.0
// The table of dimension relations by opcode, and what its rules have in common.
#include "xla/hlo/dimensions/instruction_relations.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/dimensions/rules.h"
#include "xla/hlo/ir/sharding_attributes.h"
#include "xla/shape_util.h"

namespace xla {
namespace dimensions {
namespace {

struct Row {
  HloOpcode opcode;
  Rule rule;
};

// Elementwise operations with a rule of their own, and operations that share one.
constexpr Row kExceptions[] = {
    {HloOpcode::kBitcastConvert, RelateBitcastConvert},
    // Values under other names: control flow, tuples, calls, and asynchronous operations, whose
    // computation has relations.
    {HloOpcode::kParameter, RelateNothing},
    {HloOpcode::kTuple, RelateNothing},
    {HloOpcode::kGetTupleElement, RelateNothing},
    {HloOpcode::kCall, RelateNothing},
    {HloOpcode::kWhile, RelateNothing},
    {HloOpcode::kConditional, RelateNothing},
    {HloOpcode::kFusion, RelateNothing},
    {HloOpcode::kOptimizationBarrier, RelateNothing},
    {HloOpcode::kAsyncStart, RelateNothing},
    {HloOpcode::kAsyncUpdate, RelateNothing},
    {HloOpcode::kAsyncDone, RelateNothing},
    {HloOpcode::kCopyStart, RelateNothing},
    {HloOpcode::kCopyDone, RelateNothing},
    {HloOpcode::kAllGatherDone, RelateNothing},
    {HloOpcode::kAllReduceDone, RelateNothing},
    {HloOpcode::kCollectivePermuteDone, RelateNothing},
    {HloOpcode::kAllGatherStart, RelateCollectiveStart},
    {HloOpcode::kAllReduceStart, RelateCollectiveStart},
    {HloOpcode::kCollectivePermuteStart, RelateCollectiveStart},
    // Exchange with the host or other programs, order, scalars.
    {HloOpcode::kAfterAll, RelateNothing},
    {HloOpcode::kInfeed, RelateNothing},
    {HloOpcode::kOutfeed, RelateNothing},
    {HloOpcode::kSend, RelateNothing},
    {HloOpcode::kSendDone, RelateNothing},
    {HloOpcode::kRecv, RelateNothing},
    {HloOpcode::kRecvDone, RelateNothing},
    {HloOpcode::kPartitionId, RelateNothing},
    {HloOpcode::kReplicaId, RelateNothing},
    {HloOpcode::kRngGetAndUpdateState, RelateNothing},
    // Sizes known at run time only decide which elements correspond.
    {HloOpcode::kDynamicReshape, RelateNothing},
    {HloOpcode::kRaggedAllToAll, RelateNothing},
    // The same dimensions everywhere, and perhaps scalars.
    {HloOpcode::kDomain, RelateElementwise},
    {HloOpcode::kMap, RelateElementwise},
};

// An opcode without a rule does not link.
constexpr std::array<Rule, kNumHloOpcodes> kRules = [] {
  std::array<Rule, kNumHloOpcodes> rules = {
#define HLO_OP(stem, name, family, ...) \
  OpFamily::family == OpFamily::kElementwise ? RelateElementwise : Relate##stem,
#include "xla/hlo/ir/opcodes.def"
  };
  for (const Row& row : kExceptions) rules[static_cast<size_t>(row.opcode)] = row.rule;
  return rules;
}();

void AddLeaves(const Shape& shape, std::vector<const Shape*>* leaves) {
  if (!shape.IsTuple()) {
    leaves->push_back(&shape);
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) AddLeaves(element, leaves);
}

size_t RankOf(const Shape& shape) { return shape.IsArray() ? shape.dimensions().size() : 0; }

bool IsUnbounded(const Shape* shape) {
  return shape->IsArray() && Contains(shape->dimensions(), Shape::kUnboundedSize);
}

absl::Status CheckFit(const HloInstruction& instruction, absl::Span<const Shape* const> leaves,
                      const std::vector<ArrayFactors>& arrays, const char* what) {
  if (arrays.size() != leaves.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the sharding rule of ", instruction.ToShortString(), " has ", arrays.size(),
                     " ", what, "s; the instruction has ", leaves.size()));
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (arrays[i].size() == RankOf(*leaves[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the sharding rule of ", instruction.ToShortString(), " has ", arrays[i].size(),
        " dimensions for ", what, " ", i, ", which has ", RankOf(*leaves[i])));
  }
  return absl::OkStatus();
}

std::vector<ArrayFactors> EmptyArrays(absl::Span<const Shape* const> shapes) {
  std::vector<ArrayFactors> arrays;
  for (const Shape* shape : shapes) arrays.emplace_back(RankOf(*shape));
  return arrays;
}

}  // namespace

Relations RelateNothing(const RelationInput&) { return std::nullopt; }

bool Contains(Sizes dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

RelationBuilder::RelationBuilder(absl::Span<const Shape* const> operands,
                                 absl::Span<const Shape* const> results) {
  relations_.operands = EmptyArrays(operands);
  relations_.results = EmptyArrays(results);
}
RelationBuilder::RelationBuilder(const RelationInput& in)
    : RelationBuilder(in.operands, in.results) {}

int64_t RelationBuilder::NewFactor(const DimensionFactor& factor) {
  relations_.factors.push_back(factor);
  return relations_.num_factors() - 1;
}

void RelationBuilder::Add(Sizes operand_dims, Sizes result_dims, const DimensionFactor& factor) {
  const int64_t index = NewFactor(factor);
  const auto add = [&](std::vector<ArrayFactors>& arrays, Sizes dims) {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == kNoDim) continue;
      DimensionFactors& dimension = arrays[i][static_cast<size_t>(dims[i])];
      // A part of size 1 says nothing beside others.
      if (factor.size != 1 || dimension.empty()) dimension.push_back(index);
    }
  };
  add(relations_.operands, operand_dims);
  add(relations_.results, result_dims);
}

void RelationBuilder::AddEverywhere(int64_t dim, const DimensionFactor& factor) {
  const int64_t index = NewFactor(factor);
  for (std::vector<ArrayFactors>* arrays : {&relations_.operands, &relations_.results}) {
    for (ArrayFactors& array : *arrays) {
      if (!array.empty()) array[static_cast<size_t>(dim)].push_back(index);
    }
  }
}
void RelationBuilder::AddToOperands(int64_t dim, const DimensionFactor& factor) {
  const int64_t index = NewFactor(factor);
  for (ArrayFactors& array : relations_.operands) {
    if (!array.empty()) array[static_cast<size_t>(dim)].push_back(index);
  }
}
void RelationBuilder::AddToResults(int64_t dim, const DimensionFactor& factor) {
  const int64_t index = NewFactor(factor);
  for (ArrayFactors& array : relations_.results) {
    if (!array.empty()) array[static_cast<size_t>(dim)].push_back(index);
  }
}

void RelationBuilder::AddPointwise(Sizes sizes) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    AddEverywhere(static_cast<int64_t>(d), {.size = sizes[d]});
  }
}

void RelationBuilder::AddPointwise(Sizes sizes, Sizes other, FactorKind mismatch,
                                   bool is_mismatch_blocked) {
  for (size_t d = 0; d < sizes.size(); ++d) {
    DimensionFactor factor{.size = sizes[d]};
    if (sizes[d] != other[d]) {
      factor.kind = mismatch;
      factor.is_blocked = is_mismatch_blocked;
    }
    AddEverywhere(static_cast<int64_t>(d), factor);
  }
}

DimensionRelations RelationBuilder::Build() && {
  for (std::vector<ArrayFactors>* arrays : {&relations_.operands, &relations_.results}) {
    for (ArrayFactors& array : *arrays) {
      for (DimensionFactors& dimension : array) {
        if (dimension.empty()) dimension.push_back(NewFactor({}));
      }
    }
  }
  return std::move(relations_);
}

bool HasOneRank(const RelationInput& in) {
  const size_t rank = RankOf(in.result());
  const auto fits = [rank](const Shape* shape) {
    return RankOf(*shape) == 0 || RankOf(*shape) == rank;
  };
  return std::all_of(in.operands.begin(), in.operands.end(), fits) &&
         std::all_of(in.results.begin(), in.results.end(), fits);
}

bool HaveSameDimensions(absl::Span<const Shape* const> shapes) {
  return std::all_of(shapes.begin(), shapes.end(), [&](const Shape* shape) {
    return shape->IsArray() && shape->dimensions() == shapes[0]->dimensions();
  });
}

}  // namespace dimensions

absl::StatusOr<std::optional<DimensionRelations>> RelateDimensions(
    const HloInstruction& instruction, const RelationOptions& options) {
  dimensions::RelationInput in(instruction, options.is_conservative);
  for (const HloInstruction* operand : instruction.operands()) {
    dimensions::AddLeaves(operand->shape(), &in.operands);
  }
  dimensions::AddLeaves(instruction.shape(), &in.results);
  const auto& attributes = instruction.extras().frontend_attributes;
  if (const auto given = attributes.find(kShardingRuleAttribute); given != attributes.end()) {
    XLA_ASSIGN_OR_RETURN(DimensionRelations relations, ParseDimensionRelations(given->second));
    XLA_RETURN_IF_ERROR(
        dimensions::CheckFit(instruction, in.operands, relations.operands, "operand"));
    XLA_RETURN_IF_ERROR(dimensions::CheckFit(instruction, in.results, relations.results, "result"));
    return relations;
  }
  if (std::any_of(in.operands.begin(), in.operands.end(), dimensions::IsUnbounded) ||
      std::any_of(in.results.begin(), in.results.end(), dimensions::IsUnbounded)) {
    return std::nullopt;
  }
  return dimensions::kRules[static_cast<size_t>(instruction.opcode())](in);
}

bool HasDimensionRelations(HloOpcode opcode) {
  return dimensions::kRules[static_cast<size_t>(opcode)] != dimensions::RelateNothing;
}

}  // namespace xla
