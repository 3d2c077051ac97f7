// SPDX-License-Identifier: Apache-2.0
// The choice among strategies: what they and the layout that is wanted communicate.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"
#include "xla/spmd/free_values.h"
#include "xla/spmd/instructions.h"
#include "xla/spmd/partitioner.h"
#include "xla/spmd/report.h"
#include "xla/spmd/reshape_rules.h"

namespace xla::spmd {
namespace {

// Results of loops and branches are shared out by these themselves.
bool MayStateSharding(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kTuple:
    case HloOpcode::kWhile:
    case HloOpcode::kConditional:
    case HloOpcode::kCustomCall:
      return false;
    default:
      return instruction.has_sharding() && instruction.shape().IsArray();
  }
}

// Whether the elements of the result are those of operands, or computed of one each.
bool MovesElements(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kPad:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return true;
    default:
      return instruction.info().Has(op_traits::kElementwiseTrait);
  }
}

// How many products have an operand in the same place: what is moved for one serves all.
int64_t SharersOf(const HloInstruction& product, int64_t operand) {
  if (product.opcode() != HloOpcode::kDot) return 1;
  const HloInstruction* value = product.operand(operand);
  return absl::c_count_if(value->users(), [&](const HloInstruction* user) {
    return user->opcode() == HloOpcode::kDot && user->operand(operand) == value &&
           user->attributes<DotAttributes>() == product.attributes<DotAttributes>();
  });
}

// Whether the result may have fewer elements than the operands, and those who need them be better
// off with the result. Not for sums whose parts are at hand.
bool MayGatherResult(const HloInstruction& instruction, bool has_parts) {
  switch (instruction.opcode()) {
    case HloOpcode::kGather:
    case HloOpcode::kScatter:
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kReduce:
    case HloOpcode::kGetTupleElement:
      return true;
    case HloOpcode::kSlice:
      // Sums of slices of most of an array are gathered once; concatenations take rows of what
      // their operands are slices of.
      return 2 * ShapeUtil::ElementsIn(instruction.shape()) <=
                 ShapeUtil::ElementsIn(instruction.operand(0)->shape()) &&
             absl::c_none_of(instruction.users(), [](const HloInstruction* user) {
               return user->opcode() == HloOpcode::kConcatenate;
             });
    default:
      // Of one operand, either is gathered. Constants are full everywhere.
      return instruction.info().Has(op_traits::kElementwiseTrait) &&
             instruction.operand_count() >= 2 && !has_parts &&
             absl::c_none_of(instruction.operands(), [](HloInstruction* operand) {
               const HloOpcode opcode = WithoutAnnotations(operand)->opcode();
               return opcode == HloOpcode::kConstant || opcode == HloOpcode::kIota ||
                      opcode == HloOpcode::kBroadcast;
             });
  }
}

}  // namespace

std::optional<size_t> Partitioner::ResultNumbers::NumberOf(const HloInstruction& value,
                                                           const HloInstruction& tuple) {
  const auto& operands = tuple.operands();
  if (&tuple != tuple_) {
    tuple_ = &tuple;
    has_arrays_ = absl::c_none_of(
        operands, [](const HloInstruction* operand) { return operand->shape().IsTuple(); });
    numbers_.clear();
    for (size_t i = 0; i < operands.size(); ++i) numbers_.emplace(operands[i], i);
  }
  if (!has_arrays_) return std::nullopt;
  // What replaced an operand since is searched for.
  auto [number, is_new] = numbers_.try_emplace(&value, 0);
  if (is_new || operands[number->second] != &value) {
    number->second = static_cast<size_t>(absl::c_find(operands, &value) - operands.begin());
  }
  return number->second;
}

std::optional<ShardLayout> Partitioner::ResultLayout(const HloInstruction& instruction) const {
  if (instruction.parent() != entry_) return std::nullopt;
  size_t number = 0;
  if (!instruction.IsRoot()) {
    if (instruction.users().size() != 1) return std::nullopt;
    const HloInstruction& user = *instruction.users()[0];
    // One result is the element of a tuple of one.
    const bool is_only = user.operand_count() == 1 && user.users().size() == 1 &&
                         user.users()[0]->IsRoot() &&
                         user.users()[0]->opcode() == HloOpcode::kGetTupleElement;
    if (user.opcode() != HloOpcode::kTuple || !(user.IsRoot() || is_only)) return std::nullopt;
    const std::optional<size_t> found = results_.NumberOf(instruction, user);
    if (!found.has_value()) return std::nullopt;
    number = *found;
  }
  auto result = LayoutOfResult(instruction, number, result_sharding_);
  if (!result.ok() || MayStayAsItIs(result->first, number)) return std::nullopt;
  return std::move(result->first);
}

std::optional<ShardLayout> Partitioner::NeededLayout(const HloInstruction& instruction) const {
  if (!instruction.shape().IsArray()) return std::nullopt;
  if (auto result = ResultLayout(instruction)) return result;
  std::optional<HloSharding> stated;
  if (instruction.has_sharding()) {
    stated = *instruction.extras().sharding;
  } else if (instruction.users().size() == 1 && IsCall(*instruction.users()[0], "Sharding")) {
    stated = ShardingOf(*instruction.users()[0]);
  }
  if (!stated.has_value()) return std::nullopt;
  const auto layout = ShardLayoutOf(*stated, instruction.shape(), partitions_);
  // Shards of what is stated to be replicated may be all that others need.
  return layout.ok() && !layout->IsReplicated() ? std::optional(*layout) : std::nullopt;
}

std::optional<ShardLayout> Partitioner::WantedLayout(const HloInstruction& instruction) const {
  auto layout = NeededLayout(instruction);
  if (!layout.has_value() || layout->IsUndivided() || !layout->partial_groups.empty()) {
    return std::nullopt;
  }
  return layout;
}

int64_t Partitioner::CostOf(const HloInstruction& instruction, const ShardingStrategy& strategy,
                            absl::Span<const ShardLayout* const> known,
                            const std::optional<ShardLayout>& wanted) const {
  int64_t cost = 0;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i] == nullptr) continue;  // everybody has it
    const Shape& shape = instruction.operand(static_cast<int64_t>(i))->shape();
    const int64_t bytes = ShapeUtil::ByteSizeOf(shape);
    const int64_t moved = strategy.operands[i].has_value()
                              ? emit_.ReshardBytes(shape, *known[i], *strategy.operands[i])
                              : bytes - bytes / known[i]->size();
    cost += moved / SharersOf(instruction, static_cast<int64_t>(i));
  }
  if (!strategy.elements.empty()) return cost;
  if (instruction.opcode() == HloOpcode::kReshape && strategy.operands[0].has_value()) {
    cost += BytesOfExchange(ReshapeExchangeOf(instruction.operand(0)->shape(), instruction.shape(),
                                              *strategy.operands[0], strategy.result),
                            instruction.shape().element_type());
  }
  const int64_t shard = ShapeUtil::ByteSizeOf(PaddedShape(instruction.shape(), strategy.result)) /
                        strategy.result.size();
  if (!strategy.partial.empty()) {
    const int64_t group = strategy.partial.group_size();
    const int64_t once = shard / group * (group - 1);
    ShardLayout parts = strategy.result;
    parts.partial_groups = strategy.partial;
    if (wanted.has_value() && (!wanted->partial_groups.empty() ||
                               emit_.CanReduceScatter(instruction.shape(), parts, *wanted))) {
      return cost + emit_.ReshardBytes(instruction.shape(), parts, *wanted);
    }
    cost += 2 * once;
  }
  return wanted.has_value()
             ? cost + emit_.ReshardBytes(instruction.shape(), strategy.result, *wanted)
             : cost;
}

std::optional<ShardingStrategy> Partitioner::ChooseStrategy(
    const HloInstruction& instruction, absl::Span<const ShardLayout* const> known) const {
  const std::optional<ShardLayout> wanted = WantedLayout(instruction);
  const std::optional<ShardLayout> needed = NeededLayout(instruction);
  std::vector<ShardingStrategy> strategies =
      ShardingStrategies(instruction, known, wanted.has_value() ? &*wanted : nullptr, partitions_);
  if (strategies.empty()) return std::nullopt;
  size_t best = 0;
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < strategies.size(); ++i) {
    const int64_t cost = CostOf(instruction, strategies[i], known, needed);
    if (cost >= least) continue;
    least = cost;
    best = i;
  }
  // What every partition has is cut out of the full result, rather than exchanged.
  if (least > 0 && MovesElements(instruction) &&
      absl::c_all_of(known, [](const ShardLayout* layout) { return layout == nullptr; })) {
    return std::nullopt;
  }
  return std::move(strategies[best]);
}

bool Partitioner::IsCheaperByStrategy(const HloInstruction& instruction) {
  const std::vector<HloInstruction*> added = emit_.TakeAdded();
  switch (instruction.opcode()) {
    case HloOpcode::kConcatenate:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kPad:
    case HloOpcode::kSlice:
      break;
    default:
      return false;  // they choose themselves
  }
  const std::optional<ShardLayout> needed = NeededLayout(instruction);
  const auto moved = sharded_.find(&instruction);
  if (!needed.has_value() || moved == sharded_.end()) return false;
  const int64_t bytes = BytesReceived(added, partitions_) +
                        emit_.ReshardBytes(instruction.shape(), moved->second.layout, *needed);
  if (bytes == 0) return false;
  const std::vector<const ShardLayout*> known = KnownLayouts(instruction);
  const auto strategy = ChooseStrategy(instruction, known);
  return strategy.has_value() && CostOf(instruction, *strategy, known, needed) < bytes;
}

absl::Status Partitioner::TakeOwnSharding(HloInstruction* instruction) {
  if (!MayStateSharding(*instruction)) return absl::OkStatus();
  const std::optional<ShardLayout> wanted = WantedLayout(*instruction);
  if (!wanted.has_value()) return absl::OkStatus();
  const auto stated = ShardLayoutOf(ShardingOf(*instruction), instruction->shape(), partitions_);
  HloSharding sharding = ShardingOf(*instruction);
  if (!stated.ok() || *stated != *wanted) {
    XLA_ASSIGN_OR_RETURN(sharding, ToHloSharding(*wanted));
  }
  XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardOf(instruction, *wanted));
  sharded_.insert_or_assign(instruction, Sharded{shard, *wanted, sharding});
  return absl::OkStatus();
}

absl::Status Partitioner::GatherResult(HloInstruction* instruction) {
  if (IsMadeOfFullParameters(*instruction, entry_)) return absl::OkStatus();
  if (!MayGatherResult(*instruction, partials_.contains(instruction))) return absl::OkStatus();
  const auto found = sharded_.find(instruction);
  if (found == sharded_.end() || !found->second.layout.partial_groups.empty()) {
    return absl::OkStatus();
  }
  const Sharded result = found->second;
  const auto gather_bytes = [&](const Shape& shape, const ShardLayout& layout) {
    return emit_.ReshardBytes(shape, layout, UndividedLayout(shape.rank(), partitions_));
  };
  const HloInstruction& source = instruction->opcode() == HloOpcode::kGetTupleElement
                                     ? *instruction->operand(0)
                                     : *instruction;
  int64_t of_operands = 0;
  absl::flat_hash_set<const HloInstruction*> counted;
  for (HloInstruction* operand : source.operands()) {
    const Source known = SourceOf(operand);
    if (known.shard != nullptr && counted.insert(operand).second)
      of_operands += gather_bytes(operand->shape(), known.layout);
  }
  // Products of shards are less work, too.
  const bool is_product =
      instruction->opcode() == HloOpcode::kDot || instruction->opcode() == HloOpcode::kConvolution;
  const int64_t bytes = gather_bytes(instruction->shape(), result.layout);
  if (is_product ? bytes > of_operands : bytes >= of_operands) return absl::OkStatus();
  HloInstruction* gathered = emit_.Gather(result.shard, instruction->shape(), result.layout);
  sharded_.insert_or_assign(gathered, result);
  gathered_.insert(gathered);
  if (const auto partial = partials_.find(instruction); partial != partials_.end()) {
    const Made made = partial->second;
    partials_.insert_or_assign(gathered, made);
  }
  return instruction->ReplaceAllUsesWith(gathered);
}

absl::Status Partitioner::SetResult(HloInstruction* instruction, HloInstruction* shard,
                                    const ShardLayout& layout) {
  if (layout.IsUndivided()) return instruction->ReplaceAllUsesWith(shard);
  SetShard(instruction, shard, layout);
  return absl::OkStatus();
}

Partitioner::Source Partitioner::SourceOf(HloInstruction* value) const {
  if (const Sharded* known = FindSharded(value);
      known != nullptr && known->layout.partial_groups.empty()) {
    return {known->shard, known->layout};
  }
  return {};
}

HloInstruction* Partitioner::ReshapeRows(const HloInstruction& reshape, HloInstruction* shard,
                                         const ShardingStrategy& strategy) {
  const ReshapeExchange exchange = ReshapeExchangeOf(reshape.operand(0)->shape(), reshape.shape(),
                                                     *strategy.operands[0], strategy.result);
  if (exchange.ranges.empty()) return shard;
  HloInstruction* rows = Reshape(shard, exchange.sizes);
  for (const RowRange& range : exchange.ranges) {
    rows = emit_.Rows(rows, range, exchange.layout, nullptr);
  }
  return rows;
}

}  // namespace xla::spmd
