// SPDX-License-Identifier: Apache-2.0
// Dimension relations of custom calls whose targets are known. Source: Shardy's registry, and the
// functions of jax.lax.linalg that lower to them.
#include <algorithm>
#include <array>
#include <string_view>

#include "xla/hlo/dimensions/rules.h"

namespace xla::dimensions {
namespace {

constexpr FactorKind kReplicated = FactorKind::kNeedReplication;

// The sizes of the dimensions before the last two; whether all arrays have them.
Sizes BatchOf(const Shape& matrices) {
  return matrices.dimensions().first(static_cast<size_t>(matrices.rank() - 2));
}
bool HasBatch(const Shape& shape, const Shape& matrices, int64_t rest) {
  return shape.IsArray() && shape.rank() == matrices.rank() - 2 + rest &&
         shape.dimensions().first(static_cast<size_t>(matrices.rank() - 2)) == BatchOf(matrices);
}
bool AreMatrices(const Shape& shape) { return shape.IsArray() && shape.rank() >= 2; }

// The results, values and vectors, have the dimensions of the operand.
Relations RelateEigh(const RelationInput& in) {
  if (in.operands.size() != 1 || in.results.size() != 2 || !AreMatrices(in.operand(0)) ||
      !HasBatch(in.result(0), in.operand(0), 2) || !HasBatch(in.result(1), in.operand(0), 1)) {
    return std::nullopt;
  }
  const Sizes sizes = in.operand(0).dimensions();
  const int64_t row = in.operand(0).rank() - 2, column = row + 1;
  RelationBuilder builder(in);
  builder.AddPointwise(BatchOf(in.operand(0)));
  builder.Add({row}, {row, kNoDim}, {.size = sizes[row]});
  builder.Add({column}, {column, row}, {.size = sizes[column]});
  return std::move(builder).Build();
}

Relations RelateQr(const RelationInput& in) {
  if (in.operands.size() != 1 || in.results.size() != 2 || !AreMatrices(in.operand(0)) ||
      !HasBatch(in.result(0), in.operand(0), 2) || !HasBatch(in.result(1), in.operand(0), 1)) {
    return std::nullopt;
  }
  const Sizes sizes = in.operand(0).dimensions();
  const int64_t row = in.operand(0).rank() - 2, column = row + 1;
  RelationBuilder builder(in);
  builder.AddPointwise(BatchOf(in.operand(0)));
  builder.Add({row}, {row, kNoDim}, {.size = sizes[row], .kind = kReplicated});
  builder.Add({column}, {column, kNoDim}, {.size = sizes[column], .kind = kReplicated});
  builder.Add({kNoDim}, {kNoDim, row},
              {.size = in.result(1).dimensions(static_cast<int>(row)), .kind = kReplicated});
  return std::move(builder).Build();
}

Relations RelateHouseholderProduct(const RelationInput& in) {
  if (in.operands.size() != 2 || in.results.size() != 1 || !AreMatrices(in.operand(0)) ||
      !HasBatch(in.operand(1), in.operand(0), 1) || !HasBatch(in.result(), in.operand(0), 2)) {
    return std::nullopt;
  }
  const Sizes sizes = in.operand(0).dimensions();
  const int64_t row = in.operand(0).rank() - 2, column = row + 1;
  RelationBuilder builder(in);
  builder.AddPointwise(BatchOf(in.operand(0)));
  builder.Add({row, kNoDim}, {row}, {.size = sizes[row], .kind = kReplicated});
  builder.Add({column, kNoDim}, {column}, {.size = sizes[column], .kind = kReplicated});
  builder.Add({kNoDim, row}, {kNoDim},
              {.size = in.operand(1).dimensions(static_cast<int>(row)), .kind = kReplicated});
  return std::move(builder).Build();
}

Relations RelateTopKCall(const RelationInput& in) {
  if (in.operands.size() != 1 || in.results.size() != 2 || !in.operand(0).IsArray() ||
      !HasOneRank(in) || in.result().rank() != in.operand(0).rank()) {
    return std::nullopt;
  }
  return RelateTopK(in);
}

// operand, positions, initial value and position -> values, positions
Relations RelateApproximateTopK(const RelationInput& in) {
  if (in.operands.size() != 4 || in.results.size() != 2 || !in.operand(0).IsArray() ||
      !HaveSameDimensions({in.operands.data(), 2}) || !HaveSameDimensions(in.results) ||
      in.result().rank() != in.operand(0).rank()) {
    return std::nullopt;
  }
  const Sizes from = in.operand(0).dimensions(), to = in.result().dimensions();
  RelationBuilder builder(in);
  for (int64_t d = 0; d < in.operand(0).rank(); ++d) {
    if (from[d] == to[d]) {
      builder.Add({d, d}, {d, d}, {.size = from[d]});
      continue;
    }
    builder.Add({d, d}, {}, {.size = from[d]});
    builder.Add({}, {d, d}, {.size = to[d], .kind = kReplicated, .is_blocked = true});
  }
  return std::move(builder).Build();
}

// The dimensions of the first result in all arrays.
Relations RelatePointwise(const RelationInput& in) {
  if (in.results.empty() || !in.result().IsArray() || !HasOneRank(in)) return std::nullopt;
  RelationBuilder builder(in);
  builder.AddPointwise(in.result().dimensions());
  return std::move(builder).Build();
}

// 64-bit numbers of two halves. The state of a generator of random bits is not divided.
Relations RelateCombine(const RelationInput& in) {
  const auto& users = in.instruction.users();
  const bool is_state = std::any_of(users.begin(), users.end(), [](const HloInstruction* user) {
    return user->opcode() == HloOpcode::kRngBitGenerator;
  });
  if (!is_state) return RelatePointwise(in);
  if (!in.result().IsArray() || in.result().rank() != 1 || !HasOneRank(in)) return std::nullopt;
  RelationBuilder builder(in);
  builder.AddEverywhere(
      0, {.size = in.result().dimensions(0), .kind = kReplicated, .is_blocked = true});
  return std::move(builder).Build();
}

struct Target {
  std::string_view name;
  Rule rule;
};

constexpr Target kTargets[] = {
    {"ApproxTopK", RelateApproximateTopK},
    {"Cholesky", RelatePointwise},
    {"CompactWyHelper", RelatePointwise},
    {"Eigh", RelateEigh},
    {"InspectSharding", RelatePointwise},
    {"InvertDiagBlocksLowerTriangular", RelatePointwise},
    {"InvertDiagBlocksUpperTriangular", RelatePointwise},
    {"LayoutConstraint", RelatePointwise},
    {"MoveToDevice", RelatePointwise},
    {"MoveToHost", RelatePointwise},
    {"PartialReduce", RelateApproximateTopK},
    {"ProductOfElementaryHouseholderReflectors", RelateHouseholderProduct},
    {"Qr", RelateQr},
    {"QrDecompositionBlock", RelateQr},
    {"Sharding", RelatePointwise},
    {"TopK", RelateTopKCall},
    {"X64Combine", RelateCombine},
    {"X64SplitHigh", RelatePointwise},
    {"X64SplitLow", RelatePointwise},
    {"_SPMDInternalOp_MultiPad", RelatePointwise},
    {"_SPMDInternalOp_MultiRotate", RelatePointwise},
    {"_SPMDInternalOp_MultiSlice", RelatePointwise},
    {"_SPMDInternalOp_RotateRight", RelatePointwise},
    {"_SPMDInternalOp_Wrap", RelatePointwise},
    {"annotate_device_placement", RelatePointwise},
    {"mhlo.erf", RelatePointwise},
    {"mhlo.topk", RelateTopKCall},
    {"xla.megascale.provide_metadata", RelatePointwise},
};

}  // namespace

Relations RelateCustomCall(const RelationInput& in) {
  const std::string_view name = in.instruction.custom_call_target();
  for (const Target& target : kTargets) {
    if (target.name == name) return target.rule(in);
  }
  return std::nullopt;
}

}  // namespace xla::dimensions
