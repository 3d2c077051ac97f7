// SPDX-License-Identifier: Apache-2.0
// The plain scheme: shards where that costs nothing, whole arrays elsewhere.
#include "xla/pjrt/partition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/passes/dce.h"
#include "xla/pjrt/batch_rules.h"
#include "xla/pjrt/custom_partitioner.h"
#include "xla/pjrt/divisions.h"
#include "xla/pjrt/one_partition.h"
#include "xla/pjrt/partition_instructions.h"
#include "xla/pjrt/program.h"
#include "xla/pjrt/shard_emitter.h"
#include "xla/pjrt/shard_rules.h"
#include "xla/pjrt/tiles.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

using Instructions = std::vector<HloInstruction*>;

// A value of which each partition has its shard.
struct Divided {
  HloInstruction* shard;
  Tiles tiles;
  HloSharding sharding;
};

// A tuple of values of which each partition has its shards.
struct DividedTuple {
  HloInstruction* shard;
  std::vector<Tiles> elements;
};

class Partitioner {
 public:
  Partitioner(HloModule* module, const std::vector<bool>& may_choose_output)
      : module_(*module),
        may_choose_output_(may_choose_output),
        partitions_(module->config().num_partitions()),
        emit_(module) {}

  absl::StatusOr<ProgramShardings> Run() {
    XLA_RETURN_IF_ERROR(InlineAllCalls(&module_).status());
    entry_ = module_.entry_computation();
    XLA_RETURN_IF_ERROR(DivideParameters());
    for (HloComputation* computation : module_.computations()) {
      XLA_RETURN_IF_ERROR(EnterAndLeaveManual(computation));
    }
    XLA_RETURN_IF_ERROR(CallOnOnePartition(&module_, emit_.next_channel()));
    XLA_RETURN_IF_ERROR(DivideOperations(entry_));
    XLA_RETURN_IF_ERROR(DivideResults());
    XLA_RETURN_IF_ERROR(FinishCalls());
    XLA_RETURN_IF_ERROR(RemoveAnnotations(&module_));
    XLA_RETURN_IF_ERROR(SetShardSignature(&module_));
    XLA_RETURN_IF_ERROR(EliminateDeadCode(&module_).status());
    return std::move(shardings_);
  }

 private:
  // --- Parameters: shards, and the whole arrays gathered from them, for those who need them.
  absl::Status DivideParameters() {
    for (HloInstruction* parameter : entry_->parameter_instructions()) {
      const HloSharding sharding = ShardingOf(*parameter);
      if (!parameter->shape().IsArray()) {
        shardings_.parameters.push_back(HloSharding::Replicate());
        continue;
      }
      const Shape whole = parameter->shape();
      XLA_ASSIGN_OR_RETURN(const Tiles tiles, TilesOf(sharding, whole, partitions_));
      shardings_.parameters.push_back(tiles.IsOne() ? HloSharding::Replicate() : sharding);
      parameter->mutable_extras().sharding.reset();
      if (tiles.IsOne()) continue;
      const std::string* group = GroupOf(*parameter);
      if (group != nullptr && tiles.sums.empty()) groups_.emplace(*group, Alike{tiles, sharding});
      XLA_ASSIGN_OR_RETURN(const Shape shard, ShardShape(whole, tiles));
      // A placeholder holds the uses while the parameter changes its shape.
      HloInstruction* placeholder = entry_->AddInstruction(
          HloInstruction::CreateConstant(Literal::CreateFromShape(ShapeUtil::MakeShape(PRED, {}))));
      XLA_RETURN_IF_ERROR(parameter->ReplaceAllUsesWithDifferentShape(placeholder));
      *parameter->mutable_shape() = shard;
      HloInstruction* gathered = emit_.Gather(parameter, whole, tiles);
      XLA_RETURN_IF_ERROR(placeholder->ReplaceAllUsesWithDifferentShape(gathered));
      XLA_RETURN_IF_ERROR(entry_->RemoveInstruction(placeholder));
      divided_[gathered] = Divided{parameter, tiles, sharding};
    }
    return absl::OkStatus();
  }

  // --- Manual computations
  absl::Status EnterAndLeaveManual(HloComputation* computation) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->IsDead()) continue;
      if (IsCall(*instruction, "SPMDFullToShardShape")) {
        XLA_RETURN_IF_ERROR(EnterManual(instruction));
      } else if (IsCall(*instruction, "SPMDShardToFullShape")) {
        XLA_RETURN_IF_ERROR(LeaveManual(instruction));
      }
    }
    return absl::OkStatus();
  }

  absl::Status EnterManual(HloInstruction* call) {
    if (call->operand_count() != 1) return Malformed(*call);
    const HloSharding full = ShardingOf(*call->operand(0));
    HloInstruction* whole = WithoutAnnotations(call->operand(0));
    XLA_ASSIGN_OR_RETURN(const Tiles all, TilesOf(full, whole->shape(), partitions_));
    XLA_ASSIGN_OR_RETURN(const Tiles tiles, ManualTiles(all, whole->shape(), call->shape()));
    const auto known = divided_.find(whole);
    HloInstruction* local;
    if (known != divided_.end() && known->second.tiles == tiles) {
      local = known->second.shard;
    } else {
      XLA_ASSIGN_OR_RETURN(local, emit_.Cut(whole, tiles));
    }
    return call->parent()->ReplaceInstruction(call, local);
  }

  absl::Status LeaveManual(HloInstruction* call) {
    if (call->operand_count() != 1) return Malformed(*call);
    const HloSharding full = ShardingOf(*call);
    HloInstruction* local = WithoutAnnotations(call->operand(0));
    XLA_ASSIGN_OR_RETURN(const Tiles all, TilesOf(full, call->shape(), partitions_));
    XLA_ASSIGN_OR_RETURN(const Tiles tiles, ManualTiles(all, call->shape(), local->shape()));
    HloInstruction* whole = emit_.Gather(local, call->shape(), tiles);
    if (!tiles.IsOne()) divided_[whole] = Divided{local, tiles, full};
    return call->parent()->ReplaceInstruction(call, whole);
  }

  static absl::Status Malformed(const HloInstruction& call) {
    return absl::InvalidArgumentError(
        absl::StrCat(call.ToShortString(), ": a border of a manual computation has one operand"));
  }

  // --- Instructions: on shards as well, where operands are divided. Whichever of the two forms is
  // unused is removed in the end.
  absl::Status DivideOperations(HloComputation* computation) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (instruction->IsDead()) continue;
      XLA_RETURN_IF_ERROR(DivideInstruction(instruction));
      XLA_RETURN_IF_ERROR(DivideAlike(instruction));
    }
    return absl::OkStatus();
  }

  absl::Status DivideInstruction(HloInstruction* instruction) {
    if (instruction->opcode() == HloOpcode::kWhile) return DivideLoop(instruction);
    if (IsCall(*instruction, "Sharding")) return DivideAnnotation(instruction);
    if (HasPartitioner(*instruction)) return DivideCustomCall(instruction);
    if (IsCall(*instruction, kPartitionedPythonCallback)) return CallWithShards(instruction);
    if (instruction->opcode() == HloOpcode::kGetTupleElement) {
      if (instruction->operand(0)->opcode() == HloOpcode::kTuple && !instruction->IsRoot()) {
        return instruction->ReplaceAllUsesWith(
            instruction->mutable_operand(0)->mutable_operand(instruction->tuple_index()));
      }
      return DivideElement(instruction);
    }
    std::vector<const Tiles*> known;
    const HloSharding* sharding = nullptr;  // of the first that is divided
    for (const HloInstruction* operand : instruction->operands()) {
      const auto found = divided_.find(operand);
      // Of sums, only some operations are the sum of results.
      const bool is_known = found != divided_.end() && found->second.tiles.sums.empty();
      known.push_back(is_known ? &found->second.tiles : nullptr);
      if (is_known && sharding == nullptr) sharding = &found->second.sharding;
    }
    if (sharding == nullptr) return absl::OkStatus();
    const std::optional<ShardForm> form = FormOnShards(*instruction, known, partitions_);
    if (!form.has_value()) return absl::OkStatus();
    HloSharding result_sharding = *sharding;
    if (!instruction->info().Has(op_traits::kElementwiseTrait)) {
      XLA_ASSIGN_OR_RETURN(result_sharding, ShardingOfTiles(form->result));
    }
    return DivideOperation(instruction, *form, std::move(result_sharding));
  }

  // Values of a sharding group are divided as the first of it that is.
  absl::Status DivideAlike(HloInstruction* value) {
    const std::string* group = GroupOf(*value);
    if (group == nullptr || !value->shape().IsArray()) return absl::OkStatus();
    const Divided* known = FindDivided(value);
    if (known != nullptr) {
      if (known->tiles.sums.empty()) groups_.emplace(*group, Alike{known->tiles, known->sharding});
      return absl::OkStatus();
    }
    const auto found = groups_.find(*group);
    if (found == groups_.end() || !ShardShape(value->shape(), found->second.tiles).ok()) {
      return absl::OkStatus();
    }
    XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardOf(value, found->second.tiles));
    divided_[value] = Divided{shard, found->second.tiles, found->second.sharding};
    return absl::OkStatus();
  }

  static const std::string* GroupOf(const HloInstruction& value) {
    const auto& attributes = value.extras().frontend_attributes;
    const auto found = attributes.find("xla.sdy.sharding_group_id");
    return found == attributes.end() ? nullptr : &found->second;
  }

  absl::Status DivideOperation(HloInstruction* instruction, const ShardForm& form,
                               HloSharding sharding) {
    Instructions operands;
    for (size_t i = 0; i < form.operands.size(); ++i) {
      HloInstruction* operand = instruction->mutable_operand(static_cast<int64_t>(i));
      if (form.operands[i].has_value()) {
        XLA_ASSIGN_OR_RETURN(operand, ShardOf(operand, *form.operands[i]));
      }
      operands.push_back(operand);
    }
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShapeOf(*instruction, form));
    HloInstruction* shard =
        instruction->parent()->AddInstruction(instruction->CloneWithNewOperands(shape, operands));
    FitToShards(shard);
    if (!form.elements.empty()) {
      divided_tuples_[instruction] = DividedTuple{shard, form.elements};
      return absl::OkStatus();
    }
    if (!form.partial.empty()) shard = CombinePartial(instruction, shard, form);
    if (!form.result.AreUndivided()) {
      divided_[instruction] = Divided{shard, form.result, std::move(sharding)};
      return absl::OkStatus();
    }
    // The whole result, of less work.
    return instruction->ReplaceAllUsesWith(shard);
  }

  // The parts of a reduction, combined. Sums are kept as they are, too, for those who want addends.
  HloInstruction* CombinePartial(HloInstruction* instruction, HloInstruction* part,
                                 const ShardForm& form) {
    HloComputation* combiner = instruction->opcode() == HloOpcode::kReduce
                                   ? instruction->to_apply()
                                   : emit_.Sum(part->shape().element_type());
    HloInstruction* result = emit_.Combine(part, form.partial, combiner);
    if (combiner->root_instruction()->opcode() == HloOpcode::kAdd) {
      Tiles addends = form.result;
      addends.sums = form.partial;
      addends_.insert_or_assign(instruction, Made{part, addends});
      addends_.insert_or_assign(result, Made{part, std::move(addends)});
    }
    return result;
  }

  static absl::StatusOr<Shape> ShardShapeOf(const HloInstruction& instruction,
                                            const ShardForm& form) {
    const auto shard_of = [&](const Shape& whole, const Tiles& tiles) -> absl::StatusOr<Shape> {
      XLA_ASSIGN_OR_RETURN(Shape shard, ShardShape(whole, tiles));
      // Code outside relies on the layouts that it asked for.
      if (instruction.opcode() == HloOpcode::kCustomCall && whole.has_layout()) {
        *shard.mutable_layout() = whole.layout();
      }
      return shard;
    };
    if (form.elements.empty()) return shard_of(instruction.shape(), form.result);
    std::vector<Shape> shapes;
    for (size_t i = 0; i < form.elements.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(
          Shape shard,
          shard_of(instruction.shape().tuple_shapes(static_cast<int>(i)), form.elements[i]));
      shapes.push_back(std::move(shard));
    }
    return ShapeUtil::MakeTupleShape(shapes);
  }

  // An element of a tuple of which there are shards.
  absl::Status DivideElement(HloInstruction* element) {
    const auto tuple = divided_tuples_.find(element->operand(0));
    if (tuple == divided_tuples_.end()) return absl::OkStatus();
    const Tiles& tiles = tuple->second.elements[static_cast<size_t>(element->tuple_index())];
    HloInstruction* shard = Element(tuple->second.shard, element->tuple_index());
    if (tiles.AreUndivided()) return element->ReplaceAllUsesWith(shard);
    XLA_ASSIGN_OR_RETURN(HloSharding sharding, ShardingOfTiles(tiles));
    divided_[element] = Divided{shard, tiles, std::move(sharding)};
    return absl::OkStatus();
  }

  // The tile that this partition has: at hand, computed from tiles of the operands, or cut out.
  absl::StatusOr<HloInstruction*> ShardOf(HloInstruction* whole, const Tiles& tiles) {
    const auto known = divided_.find(whole);
    if (known != divided_.end() && known->second.tiles == tiles) return known->second.shard;
    if (!tiles.sums.empty()) {
      HloInstruction* addend = AddendOf(whole, tiles);
      return addend != nullptr ? addend : emit_.Cut(whole, tiles);
    }
    if (tiles.AreUndivided() || !ShardShape(whole->shape(), tiles).ok()) {
      return emit_.Cut(whole, tiles);
    }
    if (known != divided_.end() && known->second.tiles.sums.empty()) {
      HloInstruction* moved = emit_.Permute(known->second.shard, known->second.tiles, tiles);
      if (moved != nullptr) return moved;
    }
    const auto made = made_.find(whole);
    if (made != made_.end() && made->second.tiles == tiles) return made->second.shard;
    XLA_ASSIGN_OR_RETURN(HloInstruction * shard, MakeShard(whole, tiles));
    if (shard == nullptr) {
      XLA_ASSIGN_OR_RETURN(shard, emit_.Cut(whole, tiles));
    }
    made_.insert_or_assign(whole, Made{shard, tiles});
    return shard;
  }

  // What adds up to a value over the groups of `tiles`: the parts of a sum before they are
  // combined, or the shards that the partitions of each group have, among zeros. Null if neither is
  // at hand.
  HloInstruction* AddendOf(HloInstruction* whole, const Tiles& tiles) {
    const auto addend = addends_.find(whole);
    if (addend != addends_.end() && addend->second.tiles.counts == tiles.counts &&
        addend->second.tiles.tile_of == tiles.tile_of &&
        HaveSameGroups(addend->second.tiles.sums, tiles.sums)) {
      return addend->second.shard;
    }
    const Divided* known = FindDivided(whole);
    if (known == nullptr || !known->tiles.sums.empty() || !tiles.AreUndivided()) return nullptr;
    for (const std::vector<int64_t>& group : tiles.sums) {
      std::vector<int64_t> numbers;
      for (const int64_t p : group) {
        numbers.push_back(known->tiles.tile_of[static_cast<size_t>(p)]);
      }
      std::sort(numbers.begin(), numbers.end());
      // Each tile once: as many as there are, all different.
      if (static_cast<int64_t>(numbers.size()) != known->tiles.size() ||
          std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end()) {
        return nullptr;
      }
    }
    return emit_.Place(known->shard, whole->shape(), known->tiles);
  }

  // Null if only the whole can be computed.
  absl::StatusOr<HloInstruction*> MakeShard(HloInstruction* whole, const Tiles& tiles) {
    HloComputation* computation = whole->parent();
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShardShape(whole->shape(), tiles));
    if (whole->opcode() == HloOpcode::kBroadcast && whole->operand(0)->shape().rank() == 0) {
      return computation->AddInstruction(
          whole->CloneWithNewOperands(shape, {whole->mutable_operand(0)}));
    }
    if (whole->opcode() == HloOpcode::kIota) return IotaOfTile(whole, shape, tiles);
    if (!whole->info().Has(op_traits::kElementwiseTrait) || whole->operand_count() == 0 ||
        shard_depth_ == kMaxShardDepth) {
      return nullptr;
    }
    ++shard_depth_;
    Instructions operands;
    for (HloInstruction* operand :
         Instructions(whole->operands().begin(), whole->operands().end())) {
      if (operand->shape().rank() == whole->shape().rank()) {
        XLA_ASSIGN_OR_RETURN(operand, ShardOf(operand, tiles));
      }
      operands.push_back(operand);
    }
    --shard_depth_;
    return computation->AddInstruction(whole->CloneWithNewOperands(shape, operands));
  }

  HloInstruction* IotaOfTile(HloInstruction* whole, const Shape& shape, const Tiles& tiles) {
    HloComputation* computation = whole->parent();
    const auto d = static_cast<size_t>(whole->attributes<IotaAttributes>().iota_dimension);
    const PrimitiveType type = shape.element_type();
    const bool is_divided = tiles.counts[d] > 1;
    // Numbers that the type cannot hold wrap around in both, but not those of few bits.
    if (is_divided &&
        (!primitive_util::IsIntegralType(type) || primitive_util::BitWidth(type) < 32)) {
      return nullptr;
    }
    HloInstruction* iota = computation->AddInstruction(whole->CloneWithNewOperands(shape, {}));
    if (!is_divided) return iota;
    HloInstruction* start = Add(computation, HloOpcode::kConvert, ShapeUtil::MakeShape(type, {}),
                                {emit_.TileStart(PartitionNumber(computation), shape, tiles, d)});
    HloInstruction* offset =
        Add(computation, HloOpcode::kBroadcast, shape, {start}, Dimensions({}));
    return Add(computation, HloOpcode::kAdd, shape, {iota, offset});
  }

  // The tiles of an annotation, with those of the operand in the dimensions that it leaves open.
  Tiles WithOpenDimensions(const HloInstruction& annotation, Tiles tiles,
                           const Tiles& operand) const {
    Divisions divisions = DivisionsOf(tiles);
    const Divisions given = DivisionsOf(operand);
    for (const int64_t d : UnspecifiedDims(annotation)) {
      const auto i = static_cast<size_t>(d);
      if (i < divisions.size() && divisions[i].count == 1) divisions[i] = given[i];
    }
    // An axis of the mesh may be in use elsewhere now.
    std::optional<Tiles> open = TilesFrom(divisions, partitions_);
    return open.has_value() && ShardShape(annotation.shape(), *open).ok() ? *std::move(open)
                                                                          : std::move(tiles);
  }

  absl::Status DivideAnnotation(HloInstruction* annotation) {
    HloInstruction* operand = annotation->mutable_operand(0);
    const auto known = divided_.find(operand);
    if (annotation->shape().IsArray()) {
      const HloSharding sharding = ShardingOf(*annotation);
      const absl::StatusOr<Tiles> tiles = TilesOf(sharding, annotation->shape(), partitions_);
      if (tiles.ok() && !tiles->AreUndivided() && tiles->sums.empty() &&
          ShardShape(annotation->shape(), *tiles).ok()) {
        Tiles open = *tiles;
        if (known != divided_.end() && known->second.tiles.sums.empty()) {
          open = WithOpenDimensions(*annotation, *tiles, known->second.tiles);
        }
        HloSharding made = sharding;
        if (open != *tiles) {
          XLA_ASSIGN_OR_RETURN(made, ShardingOfTiles(open));
          annotation->mutable_extras().sharding = made;  // that of the result, if this is the root
        }
        XLA_ASSIGN_OR_RETURN(HloInstruction * shard, ShardOf(operand, open));
        divided_[annotation] = Divided{shard, std::move(open), std::move(made)};
        return absl::OkStatus();
      }
    }
    if (known != divided_.end()) divided_.emplace(annotation, Divided(known->second));
    return absl::OkStatus();
  }

  // --- Custom calls that the caller partitions, and those that report shardings
  absl::Status DivideCustomCall(HloInstruction* call) {
    shardings_.from_callbacks = true;
    std::vector<OperandDivision> divisions(static_cast<size_t>(call->operand_count()));
    for (size_t i = 0; i < divisions.size(); ++i) {
      const Divided* known = FindDivided(call->mutable_operand(static_cast<int64_t>(i)));
      if (known != nullptr && known->tiles.sums.empty()) {
        divisions[i] = {known->sharding, &known->tiles};
      }
    }
    XLA_ASSIGN_OR_RETURN(const CustomPartition custom, PartitionCustomCall(*call, divisions));
    Instructions operands;
    for (size_t i = 0; i < divisions.size(); ++i) {
      HloInstruction* operand = call->mutable_operand(static_cast<int64_t>(i));
      XLA_ASSIGN_OR_RETURN(const Tiles tiles,
                           TilesOf(custom.operands[i], operand->shape(), partitions_));
      XLA_ASSIGN_OR_RETURN(operand, ShardOfAnnotated(operand, tiles));
      operands.push_back(operand);
    }
    XLA_ASSIGN_OR_RETURN(HloInstruction * local,
                         emit_.Inline(*custom.program, call->parent(), operands));
    if (!call->shape().IsTuple()) {
      XLA_ASSIGN_OR_RETURN(HloInstruction * whole,
                           WholeOf(local, call->shape(), custom.results[0]));
      return call->parent()->ReplaceInstruction(call, whole);
    }
    Instructions elements;
    for (size_t i = 0; i < custom.results.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(
          HloInstruction * whole,
          WholeOf(Element(local, static_cast<int64_t>(i)),
                  call->shape().tuple_shapes(static_cast<int>(i)), custom.results[i]));
      elements.push_back(whole);
    }
    return call->parent()->ReplaceInstruction(
        call, Add(call->parent(), HloOpcode::kTuple, call->shape(), elements));
  }

  // The call gets the shards of its operands in place of whole values.
  absl::Status CallWithShards(HloInstruction* call) {
    for (int64_t i = 0; i < call->operand_count(); ++i) {
      const Divided* known = FindDivided(call->mutable_operand(i));
      if (known == nullptr || !known->tiles.sums.empty()) continue;
      XLA_RETURN_IF_ERROR(call->ReplaceOperandWithDifferentShape(i, known->shard));
    }
    FitToShards(call);
    return absl::OkStatus();
  }

  // The whole value of which each partition has a shard; remembers the shards.
  absl::StatusOr<HloInstruction*> WholeOf(HloInstruction* shard, const Shape& whole,
                                          const HloSharding& sharding) {
    XLA_ASSIGN_OR_RETURN(Tiles tiles, TilesOf(sharding, whole, partitions_));
    XLA_ASSIGN_OR_RETURN(const Shape expected, ShardShape(whole, tiles));
    if (!ShapeUtil::Compatible(shard->shape(), expected)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a partitioner's program returns ", ShapeUtil::HumanString(shard->shape()),
                       " where its sharding says ", ShapeUtil::HumanString(expected)));
    }
    if (tiles.IsOne()) return shard;
    HloInstruction* gathered = emit_.Gather(shard, whole, tiles);
    divided_.insert_or_assign(gathered, Divided{shard, std::move(tiles), sharding});
    return gathered;
  }

  // In computations that work on whole values, too, once all others are final.
  absl::Status FinishCalls() {
    for (HloComputation* computation : ReachableComputations(entry_)) {
      for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
        if (HasPartitioner(*instruction)) {
          XLA_RETURN_IF_ERROR(DivideCustomCall(instruction));
        } else if (InspectsSharding(*instruction) && instruction->operand_count() == 1) {
          shardings_.from_callbacks = true;
          const Divided* known = FindDivided(instruction->mutable_operand(0));
          XLA_RETURN_IF_ERROR(ReportSharding(
              *instruction, known != nullptr ? known->sharding : HloSharding::Replicate()));
        }
      }
    }
    return absl::OkStatus();
  }

  // --- Loops
  // How an element of a loop's state is divided: as it begins, or as the body makes it. Where the
  // two do not agree after all, every partition has the whole.
  struct LoopElement {
    std::optional<Tiles> tiles;
    int changes = 0;
  };

  absl::Status DivideLoop(HloInstruction* loop) {
    HloInstruction* init = loop->mutable_operand(0);
    if (loop_depth_ == kMaxLoopDepth || init->opcode() != HloOpcode::kTuple ||
        !HasOnlyElements(*loop->while_body()->parameter_instruction(0)) ||
        !HasOnlyElements(*loop->while_condition()->parameter_instruction(0)) ||
        loop->while_body()->root_instruction()->opcode() != HloOpcode::kTuple ||
        !loop->control_predecessors().empty() || !loop->control_successors().empty()) {
      return absl::OkStatus();
    }
    std::vector<LoopElement> state(static_cast<size_t>(init->operand_count()));
    bool is_divided = false;
    for (size_t i = 0; i < state.size(); ++i) {
      state[i].tiles = TilesAtHand(init->operand(static_cast<int64_t>(i)));
      is_divided = is_divided || state[i].tiles.has_value();
    }
    if (!is_divided) return absl::OkStatus();
    ++loop_depth_;
    HloComputation* body = nullptr;
    bool is_settled = false;
    for (int attempt = 0; attempt < kMaxLoopAttempts && !is_settled; ++attempt) {
      XLA_ASSIGN_OR_RETURN(body, DivideState(*loop->while_body(), state));
      is_settled = FollowBody(*body->root_instruction(), state);
    }
    --loop_depth_;
    // What was tried is not called by anything, and is removed in the end.
    is_divided = std::any_of(state.begin(), state.end(),
                             [](const LoopElement& element) { return element.tiles.has_value(); });
    if (!is_settled || !is_divided) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(HloComputation * condition, DivideState(*loop->while_condition(), state));
    XLA_ASSIGN_OR_RETURN(HloInstruction * result, ShardsOf(body->root_instruction(), state));
    body->set_root_instruction(result);
    XLA_ASSIGN_OR_RETURN(HloInstruction * begin, ShardsOf(init, state));
    return ReplaceLoop(loop, begin, body, condition, state);
  }

  static bool HasOnlyElements(const HloInstruction& tuple) {
    return !tuple.IsRoot() &&
           std::all_of(tuple.users().begin(), tuple.users().end(), [](const HloInstruction* user) {
             return user->opcode() == HloOpcode::kGetTupleElement && !user->IsRoot();
           });
  }

  // The shards that there are of a value, or of what it annotates; null if there are none.
  const Divided* FindDivided(HloInstruction* value) const {
    auto known = divided_.find(value);
    if (known == divided_.end()) known = divided_.find(WithoutAnnotations(value));
    return known == divided_.end() ? nullptr : &known->second;
  }

  // The tiles in which a value is at hand; none for whole arrays and sums.
  std::optional<Tiles> TilesAtHand(HloInstruction* value) const {
    const Divided* known = FindDivided(value);
    if (known == nullptr || !known->tiles.sums.empty()) return std::nullopt;
    return known->tiles;
  }

  // As ShardOf, of what a value annotates as well.
  absl::StatusOr<HloInstruction*> ShardOfAnnotated(HloInstruction* value, const Tiles& tiles) {
    const Divided* known = FindDivided(value);
    if (known != nullptr && known->tiles == tiles) return known->shard;
    return ShardOf(WithoutAnnotations(value), tiles);
  }

  // A copy of a loop's body or condition for a state that is divided.
  absl::StatusOr<HloComputation*> DivideState(const HloComputation& original,
                                              const std::vector<LoopElement>& state) {
    CloneMap map;
    HloComputation* computation = CloneComputation(original, &module_, &map, {.suffix = "divided"});
    std::vector<std::pair<HloInstruction*, Divided>> known;  // results of manual computations
    for (const HloInstruction* instruction : original.instructions()) {
      const auto found = divided_.find(instruction);
      if (found == divided_.end()) continue;
      Divided copy = found->second;
      copy.shard = map.Find(copy.shard);
      known.emplace_back(map.Find(instruction), std::move(copy));
    }
    for (auto& [whole, divided] : known) divided_.insert_or_assign(whole, std::move(divided));

    HloInstruction* parameter = computation->parameter_instruction(0);
    const Instructions elements(parameter->users().begin(), parameter->users().end());
    const Shape whole = parameter->shape();
    XLA_ASSIGN_OR_RETURN(*parameter->mutable_shape(), ShapeOf(whole, state));
    for (HloInstruction* element : elements) {
      const auto i = static_cast<size_t>(element->tuple_index());
      if (!state[i].tiles.has_value()) continue;
      XLA_ASSIGN_OR_RETURN(HloInstruction * gathered,
                           WholeElement(parameter, element->shape(), i, *state[i].tiles));
      XLA_RETURN_IF_ERROR(element->ReplaceAllUsesWith(gathered));
      XLA_RETURN_IF_ERROR(computation->RemoveInstruction(element));
    }
    XLA_RETURN_IF_ERROR(DivideOperations(computation));
    return computation;
  }

  static absl::StatusOr<Shape> ShapeOf(const Shape& whole, const std::vector<LoopElement>& state) {
    std::vector<Shape> shapes;
    for (size_t i = 0; i < state.size(); ++i) {
      const Shape& element = whole.tuple_shapes(static_cast<int>(i));
      if (!state[i].tiles.has_value()) {
        shapes.push_back(element);
        continue;
      }
      XLA_ASSIGN_OR_RETURN(Shape shard, ShardShape(element, *state[i].tiles));
      shapes.push_back(std::move(shard));
    }
    return ShapeUtil::MakeTupleShape(shapes);
  }

  // An element of a divided tuple, gathered for those who need the whole.
  absl::StatusOr<HloInstruction*> WholeElement(HloInstruction* tuple, const Shape& whole, size_t i,
                                               const Tiles& tiles) {
    HloInstruction* shard = Element(tuple, static_cast<int64_t>(i));
    HloInstruction* gathered = emit_.Gather(shard, whole, tiles);
    XLA_ASSIGN_OR_RETURN(HloSharding sharding, ShardingOfTiles(tiles));
    divided_.insert_or_assign(gathered, Divided{shard, tiles, std::move(sharding)});
    return gathered;
  }

  // Whether the body makes the state as it is divided; else changes how that is.
  bool FollowBody(const HloInstruction& root, std::vector<LoopElement>& state) const {
    bool is_settled = true;
    for (size_t i = 0; i < state.size(); ++i) {
      LoopElement& element = state[i];
      const std::optional<Tiles> made = TilesAtHand(root.operands()[i]);
      if (made.has_value() == element.tiles.has_value() && (!made || *made == *element.tiles)) {
        continue;
      }
      if (!element.tiles.has_value() && element.changes > 0) continue;  // made in full
      element.tiles = element.changes == 0 ? made : std::nullopt;
      ++element.changes;
      is_settled = false;
    }
    return is_settled;
  }

  // A tuple of which each partition has its shards.
  absl::StatusOr<HloInstruction*> ShardsOf(HloInstruction* tuple,
                                           const std::vector<LoopElement>& state) {
    Instructions elements;
    for (size_t i = 0; i < state.size(); ++i) {
      HloInstruction* element = tuple->mutable_operand(static_cast<int64_t>(i));
      if (state[i].tiles.has_value()) {
        XLA_ASSIGN_OR_RETURN(element, ShardOfAnnotated(element, *state[i].tiles));
      }
      elements.push_back(element);
    }
    XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(tuple->shape(), state));
    return Add(tuple->parent(), HloOpcode::kTuple, shape, elements);
  }

  absl::Status ReplaceLoop(HloInstruction* loop, HloInstruction* begin, HloComputation* body,
                           HloComputation* condition, const std::vector<LoopElement>& state) {
    HloComputation* computation = loop->parent();
    CloneMap map;
    map.computations[loop->while_body()] = body;
    map.computations[loop->while_condition()] = condition;
    HloInstruction* divided =
        computation->AddInstruction(CloneInstruction(*loop, begin->shape(), {begin}, &map));
    Instructions elements;
    for (size_t i = 0; i < state.size(); ++i) {
      HloInstruction* element;
      if (state[i].tiles.has_value()) {
        XLA_ASSIGN_OR_RETURN(
            element, WholeElement(divided, loop->shape().tuple_shapes(static_cast<int>(i)), i,
                                  *state[i].tiles));
      } else {
        element = Element(divided, static_cast<int64_t>(i));
      }
      elements.push_back(element);
    }
    const Instructions users(loop->users().begin(), loop->users().end());
    for (HloInstruction* user : users) {
      if (user->opcode() != HloOpcode::kGetTupleElement || user->IsRoot()) continue;
      XLA_RETURN_IF_ERROR(
          user->ReplaceAllUsesWith(elements[static_cast<size_t>(user->tuple_index())]));
      XLA_RETURN_IF_ERROR(computation->RemoveInstruction(user));
    }
    return computation->ReplaceInstruction(
        loop, Add(computation, HloOpcode::kTuple, loop->shape(), elements));
  }

  // --- Results
  absl::StatusOr<HloInstruction*> DivideResult(HloInstruction* value, HloSharding sharding) {
    const size_t number = shardings_.outputs.size();
    if (!value->shape().IsArray()) {
      shardings_.outputs.push_back(HloSharding::Replicate());
      return value;
    }
    const bool may_choose =
        !may_choose_output_.empty() &&
        may_choose_output_[may_choose_output_.size() == 1
                               ? 0
                               : std::min(number, may_choose_output_.size() - 1)];
    XLA_RETURN_IF_ERROR(DivideAlike(value));  // its group may be known by now
    const Divided* known = FindDivided(value);
    XLA_ASSIGN_OR_RETURN(Tiles tiles, TilesOf(sharding, value->shape(), partitions_));
    if (tiles.IsOne() && may_choose && known != nullptr && known->tiles.sums.empty()) {
      tiles = known->tiles;
      sharding = known->sharding;
    }
    shardings_.outputs.push_back(tiles.IsOne() ? HloSharding::Replicate() : sharding);
    return ShardOfAnnotated(value, tiles);
  }

  absl::Status DivideResults() {
    HloInstruction* root = entry_->root_instruction();
    const HloSharding sharding = ShardingOf(*root);
    root->mutable_extras().sharding.reset();
    if (!root->shape().IsTuple()) {
      // One result is the element of a tuple of one, which has its sharding.
      HloInstruction* value = root;
      if (root->opcode() == HloOpcode::kGetTupleElement &&
          root->operand(0)->opcode() == HloOpcode::kTuple) {
        value = root->operand(0)->operand(root->tuple_index());
      }
      XLA_ASSIGN_OR_RETURN(HloInstruction * result, DivideResult(value, sharding));
      entry_->set_root_instruction(result);
      return absl::OkStatus();
    }
    const auto count = static_cast<size_t>(root->shape().tuple_shapes_size());
    Instructions results;
    std::vector<Shape> shapes;
    for (size_t i = 0; i < count; ++i) {
      const auto index = static_cast<int64_t>(i);
      HloInstruction* value =
          root->opcode() == HloOpcode::kTuple ? root->operand(index) : Element(root, index);
      XLA_ASSIGN_OR_RETURN(HloInstruction * result,
                           DivideResult(value, sharding.IsTuple() && i < sharding.elements.size()
                                                   ? sharding.elements[i]
                                                   : sharding));
      results.push_back(result);
      shapes.push_back(result->shape());
    }
    entry_->set_root_instruction(
        Add(entry_, HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), results));
    return absl::OkStatus();
  }

  // Each loop is tried a few times, within each try of the loop around it.
  static constexpr int kMaxLoopDepth = 4;
  static constexpr int kMaxLoopAttempts = 8;
  static constexpr int kMaxShardDepth = 500;

  HloModule& module_;
  const std::vector<bool>& may_choose_output_;
  const int64_t partitions_;
  ShardEmitter emit_;
  HloComputation* entry_ = nullptr;
  int loop_depth_ = 0;
  int shard_depth_ = 0;
  absl::flat_hash_map<const HloInstruction*, Divided> divided_;
  absl::flat_hash_map<const HloInstruction*, DividedTuple> divided_tuples_;
  // Shards of values that are whole otherwise.
  struct Made {
    HloInstruction* shard;
    Tiles tiles;
  };
  absl::flat_hash_map<const HloInstruction*, Made> made_;
  // Parts that add up to values.
  absl::flat_hash_map<const HloInstruction*, Made> addends_;
  // How the values of sharding groups are divided.
  struct Alike {
    Tiles tiles;
    HloSharding sharding;
  };
  absl::flat_hash_map<std::string, Alike> groups_;
  ProgramShardings shardings_;
};

}  // namespace

absl::StatusOr<ProgramShardings> PartitionModule(HloModule* module,
                                                 const std::vector<bool>& may_choose_output) {
  return Partitioner(module, may_choose_output).Run();
}

}  // namespace xla::pjrt
