// SPDX-License-Identifier: Apache-2.0
// Tiles become axes, propagation runs, axes become tiles.
#include "xla/spmd/module_shardings.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/hlo/ir/named_sharding.h"
#include "xla/hlo/ir/sharding_attributes.h"
#include "xla/hlo/ir/sharding_axes.h"
#include "xla/shape_util.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/propagation/propagation.h"

namespace xla::spmd {
namespace {

using ShardingKind = HloSharding::Kind;

std::vector<int64_t> RanksOfLeaves(const Shape& shape) {
  std::vector<int64_t> ranks;
  ShapeUtil::ForEachLeafShape(shape, [&](const Shape& leaf, const ShapeIndex&) {
    ranks.push_back(leaf.IsArray() ? leaf.rank() : 0);
  });
  return ranks;
}

// One sharding for each leaf of the instruction's result; none if there are not as many.
std::vector<HloSharding> LeavesOf(const HloInstruction& instruction) {
  const HloSharding& sharding = instruction.sharding();
  if (!instruction.shape().IsTuple()) {
    return sharding.IsTuple() ? std::vector<HloSharding>() : std::vector<HloSharding>{sharding};
  }
  std::vector<HloSharding> leaves =
      sharding.NormalizeTupleSharding(instruction.shape()).tuple_elements();
  if (static_cast<int64_t>(leaves.size()) != ShapeUtil::GetLeafCount(instruction.shape())) {
    leaves.clear();
  }
  return leaves;
}

HloSharding FromLeaves(const Shape& shape, std::vector<HloSharding> leaves) {
  return shape.IsTuple() ? HloSharding::Tuple(std::move(leaves)) : std::move(leaves[0]);
}

class ModuleShardings {
 public:
  explicit ModuleShardings(HloModule* module)
      : module_(*module),
        mesh_(FindMesh(*module, module->config().num_partitions())),
        root_(module->entry_computation()->root_instruction()) {}

  // A tuple of results that are stated to be replicated, of which some may be divided.
  void OpenResults(const std::vector<bool>& may_choose) {
    HloInstruction* root = module_.entry_computation()->root_instruction();
    const bool is_element = root->opcode() == HloOpcode::kGetTupleElement &&
                            root->operand(0)->opcode() == HloOpcode::kTuple;
    if (!root->has_sharding() || (root->opcode() != HloOpcode::kTuple && !is_element)) return;
    std::vector<HloSharding> leaves = LeavesOf(*root);
    if (leaves.empty()) return;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i].kind() == ShardingKind::kReplicated && MayChoose(may_choose, i)) {
        leaves[i] = HloSharding::Unknown();
      }
    }
    root->set_sharding(FromLeaves(root->shape(), std::move(leaves)));
  }

  void TilesToAxes() {
    for (HloComputation* computation : module_.computations()) {
      for (HloInstruction* instruction : computation->instructions()) {
        if (instruction->has_sharding()) TilesToAxes(instruction);
      }
    }
  }

  // Nothing may divide the parameters that state nothing and may not be chosen.
  void CloseParameters(const std::vector<bool>& may_choose) {
    size_t number = 0;
    for (HloInstruction* parameter : module_.entry_computation()->parameter_instructions()) {
      std::vector<HloSharding> leaves;
      bool is_closed = false;
      for (const int64_t rank : RanksOfLeaves(parameter->shape())) {
        const bool is_free = MayChoose(may_choose, number++);
        leaves.emplace_back(is_free ? NamedSharding::FullyOpen(mesh_, rank)
                                    : NamedSharding::FullyClosed(mesh_, rank));
        is_closed = is_closed || !is_free;
      }
      if (parameter->has_sharding() || !is_closed) continue;
      parameter->set_sharding(FromLeaves(parameter->shape(), std::move(leaves)));
    }
  }

  absl::Status AxesToTiles() {
    // Propagation may have given the result an annotation of its own.
    const HloInstruction* root = module_.entry_computation()->root_instruction();
    if (const auto stated = stated_.find(root_); root != root_ && stated != stated_.end()) {
      auto of_root = stated->second;
      stated_.insert_or_assign(root, std::move(of_root));
    }
    for (HloComputation* computation : module_.computations()) {
      for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
        if (instruction->has_sharding()) AxesToTiles(instruction);
        if (IsCall(*instruction, "xla.sdy.PropagationBarrier") &&
            instruction->operand_count() == 1) {
          XLA_RETURN_IF_ERROR(RemoveBarrier(instruction));
        }
      }
    }
    return absl::OkStatus();
  }

 private:
  // A root, of which the sharding is that of the result, becomes an annotation.
  static absl::Status RemoveBarrier(HloInstruction* barrier) {
    HloInstruction* value = barrier->mutable_operand(0);
    if (barrier->IsRoot()) value = Annotation(value, ShardingOf(*barrier));
    return barrier->parent()->ReplaceInstruction(barrier, value);
  }
  // That of the program's shardings by axes, if its devices are the partitions.
  static Mesh FindMesh(const HloModule& module, int64_t partitions) {
    std::vector<const HloSharding*> all;
    std::optional<Mesh> named;
    const auto see = [&](const HloSharding& leaf) {
      if (named.has_value() || !leaf.UseNamedShardingLeaf()) return;
      const Mesh& mesh = leaf.named_sharding().mesh();
      if (!mesh.IsMaximal() && mesh.num_devices() == partitions) named = mesh;
    };
    for (const HloComputation* computation : module.computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        if (!instruction->has_sharding()) continue;
        const HloSharding& sharding = instruction->sharding();
        all.push_back(&sharding);
        see(sharding);
        for (const HloSharding& element : sharding.tuple_elements()) see(element);
      }
    }
    return named.has_value() ? *std::move(named) : MakeMeshFor(all, partitions);
  }

  // The sharding as propagation sees it; none if it does not.
  std::optional<HloSharding> ByAxes(const HloInstruction& instruction, const HloSharding& leaf,
                                    int64_t rank) const {
    if (leaf.kind() == ShardingKind::kMaximal) return std::nullopt;
    absl::StatusOr<NamedSharding> named = ToNamedSharding(leaf, mesh_, rank);
    if (!named.ok()) return std::nullopt;
    std::vector<NamedSharding::DimensionSharding> dimensions = named->dim_shardings();
    for (const int64_t d : UnspecifiedDimsOf(instruction)) {
      if (d >= static_cast<int64_t>(dimensions.size())) continue;
      auto& dimension = dimensions[static_cast<size_t>(d)];
      dimension = NamedSharding::DimensionSharding::Open(dimension.axes());
    }
    return HloSharding(named->WithDimensions(std::move(dimensions)));
  }

  static std::vector<int64_t> UnspecifiedDimsOf(const HloInstruction& instruction) {
    return IsCall(instruction, "Sharding") ? UnspecifiedDims(instruction) : std::vector<int64_t>();
  }

  // Whether the sharding of a root that is no tuple is also that of the result. In Shardy's
  // programs results have their own, and propagation makes all even.
  bool StatesResult(const NamedSharding& of_root) const {
    const Shape& shape = root_->shape();
    if (!shape.IsArray() || module_.config().use_shardy_partitioner()) return false;
    for (int64_t d = 0; d < std::min(shape.rank(), of_root.num_dimensions()); ++d) {
      if (!of_root.dim_sharding(d).is_closed() ||
          shape.dimensions(static_cast<int>(d)) % of_root.dimension(d) != 0) {
        return false;
      }
    }
    return true;
  }

  void TilesToAxes(HloInstruction* instruction) {
    std::vector<HloSharding> leaves = LeavesOf(*instruction);
    if (leaves.empty()) return;
    const std::vector<int64_t> ranks = RanksOfLeaves(instruction->shape());
    std::vector<std::optional<HloSharding>>& kept = stated_[instruction];
    for (size_t i = 0; i < leaves.size(); ++i) {
      std::optional<HloSharding>& keeps = kept.emplace_back();
      HloSharding& leaf = leaves[i];
      if (leaf.IsShardGroup() && leaves.size() == 1) JoinGroup(instruction, leaf.GetShardGroup());
      if (leaf.UseNamedShardingLeaf()) {
        if (instruction == root_ && StatesResult(leaf.named_sharding())) {
          keeps = HloSharding::V3ToV2Sharding(leaf);
        }
        continue;
      }
      std::optional<HloSharding> by_axes = ByAxes(*instruction, leaf, ranks[i]);
      if (!by_axes.has_value() ||
          (!leaf.IsUnknownLeaf() && UnspecifiedDimsOf(*instruction).empty())) {
        keeps = leaf;
      }
      if (by_axes.has_value()) leaf = *std::move(by_axes);
    }
    if (!UnspecifiedDimsOf(*instruction).empty() && leaves[0].UseNamedShardingLeaf()) {
      instruction->set_raw_backend_config_string("");
    }
    instruction->set_sharding(FromLeaves(instruction->shape(), std::move(leaves)));
  }

  // shard_as and shard_like: groups under numbers of their own.
  static void JoinGroup(HloInstruction* instruction, const HloSharding::ShardGroup& group) {
    std::string& groups =
        instruction->mutable_extras().frontend_attributes[kShardingGroupAttribute];
    absl::StrAppend(&groups, groups.empty() ? "" : ",", -1 - group.id);
  }

  void AxesToTiles(HloInstruction* instruction) {
    std::vector<HloSharding> leaves = LeavesOf(*instruction);
    if (leaves.empty()) return;
    const auto stated = stated_.find(instruction);
    bool says_something = stated != stated_.end();
    for (size_t i = 0; i < leaves.size(); ++i) {
      HloSharding& leaf = leaves[i];
      if (stated != stated_.end() && i < stated->second.size() && stated->second[i].has_value()) {
        leaf = *stated->second[i];
      } else {
        leaf = HloSharding::V3ToV2Sharding(leaf);
        says_something = says_something || !leaf.IsReplicatedLeaf();
      }
    }
    if (says_something) {
      instruction->set_sharding(FromLeaves(instruction->shape(), std::move(leaves)));
    } else {
      instruction->mutable_extras().sharding.reset();
    }
  }

  HloModule& module_;
  const Mesh mesh_;
  const HloInstruction* const root_;
  // What comes back after propagation, of each leaf of instructions with shardings.
  absl::flat_hash_map<const HloInstruction*, std::vector<std::optional<HloSharding>>> stated_;
};

}  // namespace

bool MayChoose(const std::vector<bool>& may_choose, size_t leaf) {
  return !may_choose.empty() && may_choose[std::min(leaf, may_choose.size() - 1)];
}

absl::Status PropagateModuleShardings(const std::vector<bool>& may_choose_parameter,
                                      const std::vector<bool>& may_choose_output,
                                      HloModule* module) {
  constexpr int64_t kMaxPartitions = int64_t{1} << 24;
  const int64_t partitions = module->config().num_partitions();
  if (partitions < 1 || partitions > kMaxPartitions) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a program of ", partitions, " partitions; at most ", kMaxPartitions, " can be"));
  }
  ModuleShardings shardings(module);
  shardings.OpenResults(may_choose_output);
  shardings.TilesToAxes();
  shardings.CloseParameters(may_choose_parameter);
  XLA_RETURN_IF_ERROR(propagation::PropagateShardings({}, module));
  return shardings.AxesToTiles();
}

std::vector<bool> UnstatedOutputs(const HloModule& module) {
  const HloInstruction& root = *module.entry_computation()->root_instruction();
  if (!root.has_sharding()) return {true};
  std::vector<bool> unstated;
  for (const HloSharding& leaf : LeavesOf(root)) {
    const auto is_open = [&] {
      const NamedSharding& named = leaf.named_sharding();
      return named == NamedSharding::FullyOpen(named.mesh(), named.num_dimensions());
    };
    unstated.push_back(leaf.IsUnknownLeaf() || (leaf.UseNamedShardingLeaf() && is_open()));
  }
  return unstated;
}

bool HasNamedShardings(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (!instruction->has_sharding()) continue;
      const HloSharding& sharding = instruction->sharding();
      if (sharding.UseNamedShardingLeaf() ||
          std::any_of(sharding.tuple_elements().begin(), sharding.tuple_elements().end(),
                      [](const HloSharding& leaf) { return leaf.UseNamedShardingLeaf(); })) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace xla::spmd
