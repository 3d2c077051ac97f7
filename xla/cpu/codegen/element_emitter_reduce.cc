// SPDX-License-Identifier: Apache-2.0
// Emits elements of reduce: loops over the reduced dimensions, or over rows
// (element_emitter_reduce_rows.cc).
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "xla/cpu/codegen/carried_elements.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/hlo/ir/operation_cost.h"

namespace xla::cpu {

// Nested loops over the reduced dimensions.
class ElementEmitter::ReductionLoops {
 public:
  ReductionLoops(ElementEmitter& emitter, const HloInstruction* instruction, Index index)
      : e_(emitter),
        ir_(emitter.ir_),
        ops_(emitter.ops_),
        instruction_(*instruction),
        inputs_(static_cast<size_t>(instruction->operand_count()) / 2),
        shape_(instruction->operand(0)->shape()),
        lanes_(HasLanes(index) ? emitter.lanes_ : 1),
        cost_of_reducer_(CostOfNested(*instruction->to_apply())),
        operand_index_(static_cast<size_t>(shape_.rank())) {
    size_t kept = 0;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      if (absl::c_linear_search(instruction->dimensions(), d)) {
        loops_.push_back(d);
      } else {
        operand_index_[static_cast<size_t>(d)] = index[kept++];
      }
    }
  }

  std::vector<Element> Emit() {
    for (size_t i = 0; i < inputs_; ++i) {
      initial_.push_back(
          ops_.Splat(e_.Emit(instruction_.operand(static_cast<int64_t>(inputs_ + i)), {}), lanes_));
    }
    if (!e_.status_.ok()) return initial_;
    return FromCarried(EmitLevel(0, ToCarried(initial_)), initial_);
  }

 private:
  int64_t SizeOf(size_t depth) const { return shape_.dimensions(static_cast<int>(loops_[depth])); }

  // Emits the loops from this reduced dimension on.
  Ir::Carried EmitLevel(size_t depth, const Ir::Carried& carried) {
    if (depth == loops_.size()) return Combine(carried);
    const bool is_innermost = depth + 1 == loops_.size();
    if (const int64_t block = is_innermost && lanes_ > 1 ? e_.BlockOfColumns(instruction_) : 0;
        block > 0) {
      return EmitBlocks(depth, block, carried);
    }
    const int64_t size = SizeOf(depth);
    return ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, StepsAt(depth)),
                          carried, [&](IrValue i, const Ir::Carried& inner) {
                            Scope scope(&e_);
                            operand_index_[static_cast<size_t>(loops_[depth])] = {i, 0, 1};
                            return EmitLevel(depth + 1, inner);
                          });
  }

  // Returns the steps of the inner loops in an iteration.
  double StepsAt(size_t depth) const {
    double steps = 1 + cost_of_reducer_;
    for (size_t k = depth + 1; k < loops_.size(); ++k) steps *= static_cast<double>(SizeOf(k));
    return steps;
  }

  Ir::Carried Combine(const Ir::Carried& carried) {
    std::vector<Element> arguments = FromCarried(carried, initial_);
    for (size_t i = 0; i < inputs_; ++i) {
      arguments.push_back(ops_.Splat(
          e_.Emit(instruction_.operand(static_cast<int64_t>(i)), operand_index_), lanes_));
    }
    return ToCarried(e_.Apply(*instruction_.to_apply(), std::move(arguments)));
  }

  // Emits the innermost loop by blocks of columns, which are loaded at once.
  Ir::Carried EmitBlocks(size_t depth, int64_t block, const Ir::Carried& carried) {
    const int64_t size = SizeOf(depth);
    const int64_t in_blocks = size / block * block;
    Ir::Carried sums =
        ir_.PolledLoop(ir_.Index(0), ir_.Index(in_blocks), block,
                       PollInterval(in_blocks / block, StepsAt(depth) * static_cast<double>(block)),
                       carried, [&](IrValue i, const Ir::Carried& inner) {
                         return EmitColumns(depth, i, block, block, inner);
                       });
    const int64_t left = size - in_blocks;
    return left == 0 ? sums : EmitColumns(depth, ir_.Index(in_blocks), left, left, sums);
  }

  // Combines elements [first, first + count) of each row, of which `room` may be read.
  Ir::Carried EmitColumns(size_t depth, IrValue first, int64_t count, int64_t room,
                          Ir::Carried carried) {
    Scope scope(&e_);
    const std::vector<IndexTerm> before = std::move(e_.block_);
    const std::pair<int64_t, int64_t> sizes = {e_.block_row_, e_.block_room_};
    e_.block_.clear();
    for (int64_t c = 0; c < count; ++c) e_.block_.push_back({ir_.Add(first, ir_.Index(c)), 0, 1});
    e_.block_row_ = SizeOf(depth);
    e_.block_room_ = room;
    const std::vector<IndexTerm> terms = e_.block_;
    for (const IndexTerm& term : terms) {
      operand_index_[static_cast<size_t>(loops_[depth])] = term;
      carried = EmitLevel(depth + 1, carried);
    }
    e_.block_ = before;
    std::tie(e_.block_row_, e_.block_room_) = sizes;
    return carried;
  }

  ElementEmitter& e_;
  Ir& ir_;
  ElementOps& ops_;
  const HloInstruction& instruction_;
  const size_t inputs_;
  const Shape& shape_;  // of the operands
  const int lanes_;
  const double cost_of_reducer_;
  std::vector<int64_t> loops_;  // reduced dimensions in order
  std::vector<Element> initial_;
  IndexVector operand_index_;
};

std::vector<Element> ElementEmitter::EmitReduce(const HloInstruction* instruction, Index index) {
  const int64_t row_elements = RowLengthOf(*instruction);
  if (lanes_ == 1 && row_lanes_ > 1 && row_elements > 0 && AppliesVectors(*instruction)) {
    // Several vectors hide the latency of the reducer, and two that of functions; more code than
    // that takes longer to compile than it saves.
    constexpr struct {
      int vectors;
      int64_t most_operations;
    } kBlocks[] = {{4, 12}, {2, 250}, {1, std::numeric_limits<int64_t>::max()}};
    int64_t cost = 0;
    for (int64_t i = 0; i < instruction->operand_count() / 2; ++i) {
      cost += OperationsOf(instruction->operand(i), /*depth=*/0);
    }
    for (const auto& [vectors, most_operations] : kBlocks) {
      const int block = row_lanes_ * vectors;
      if (cost * vectors <= most_operations &&
          (row_elements >= 2 * block || (vectors == 1 && row_elements >= block))) {
        return EmitRowReduce(instruction, index, row_elements, block);
      }
    }
  }
  return ReductionLoops(*this, instruction, index).Emit();
}

int64_t ElementEmitter::BlockOfColumns(const HloInstruction& reduce) const {
  constexpr int64_t kFewest = 3;
  const Shape& shape = reduce.operand(0)->shape();
  const int64_t size = shape.dimensions().back();
  if (!ir_.target().machine.avx512 || is_linear_ || size < kFewest ||
      !absl::c_linear_search(reduce.dimensions(), shape.rank() - 1)) {
    return 0;
  }
  // Whether the operand reads an array in memory at its own index.
  const auto reads_rows = [&](const auto& self, const HloInstruction* instruction,
                              int depth) -> bool {
    const Shape& own = instruction->shape();
    if (!own.IsArray() || own.rank() < 2 || own.dimensions().back() != size || depth == 0)
      return false;
    if (buffers_.contains(instruction)) return true;
    const bool keeps_rows =
        IsElementwise(*instruction) ||
        (instruction->opcode() == HloOpcode::kBroadcast && !instruction->dimensions().empty() &&
         instruction->dimensions().back() == own.rank() - 1);
    if (!keeps_rows) return false;
    return absl::c_any_of(instruction->operands(),
                          [&](const HloInstruction* o) { return self(self, o, depth - 1); });
  };
  // The code of an element is copied for each column, so it must be short and without loops: copies
  // of nested loops would multiply.
  constexpr size_t kMostCopied = 40;
  absl::flat_hash_set<const HloInstruction*> copied;
  std::vector<const HloInstruction*> pending(
      reduce.operands().begin(), reduce.operands().begin() + reduce.operand_count() / 2);
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (buffers_.contains(instruction) || !copied.insert(instruction).second) continue;
    if (copied.size() > kMostCopied || AppliesComputations(*instruction) ||
        instruction->opcode() == HloOpcode::kDot) {
      return 0;
    }
    pending.insert(pending.end(), instruction->operands().begin(), instruction->operands().end());
  }
  int64_t cost = 0;
  bool reads = false;
  for (int64_t i = 0; i < reduce.operand_count() / 2; ++i) {
    cost += OperationsOf(reduce.operand(i));
    reads |= reads_rows(reads_rows, reduce.operand(i), 8);
  }
  if (!reads) return 0;
  const int64_t most = cost <= 8 ? 16 : cost < ElementWork(HloOpcode::kExp) ? 8 : 4;
  return std::min<int64_t>({most, size, lanes_});
}

int64_t ElementEmitter::OperationsOf(const HloInstruction* instruction, int depth) const {
  if (buffers_.find(instruction) != buffers_.end() || depth > 8) return 0;
  if (instruction->opcode() == HloOpcode::kReduce ||
      instruction->opcode() == HloOpcode::kBroadcast) {
    return 0;  // of few elements
  }
  int64_t cost = ElementCost(*instruction);
  if (cost == 0 && FusedCost(*instruction) > 0) cost = 1;  // to find an element
  for (const HloInstruction* operand : instruction->operands()) {
    cost += OperationsOf(operand, depth + 1);
  }
  return cost;
}

bool ReadsInOrder(const HloInstruction* instruction, int64_t minor,
                  absl::FunctionRef<bool(const HloInstruction*)> is_in_memory) {
  // Instructions and their last dimensions that count.
  using Read = std::pair<const HloInstruction*, int64_t>;
  absl::flat_hash_set<Read> seen = {{instruction, minor}};
  std::vector<Read> pending = {{instruction, minor}};
  const auto follow = [&](const HloInstruction* user, int64_t minor_of_operand) {
    for (const HloInstruction* operand : user->operands()) {
      const Read read = {operand, minor_of_operand};
      if (seen.insert(read).second) pending.push_back(read);
    }
  };
  while (!pending.empty()) {
    const auto [read, last] = pending.back();
    pending.pop_back();
    if (is_in_memory(read) || CountOf(read->shape()) == 1) continue;
    switch (read->opcode()) {
      case HloOpcode::kBroadcast: {
        const Shape& operand = read->operand(0)->shape();
        const auto dimensions = read->dimensions();
        const int64_t first = read->shape().rank() - last;
        const int64_t mapped = absl::c_count_if(dimensions, [&](int64_t d) { return d >= first; });
        if (CountOf(operand) == 1 || (last > 0 && mapped == 0)) continue;
        // The last dimensions are those of the operand.
        if (last == 0 || mapped != last || !absl::c_is_sorted(dimensions) ||
            operand.dimensions().last(static_cast<size_t>(last)) !=
                read->shape().dimensions().last(static_cast<size_t>(last))) {
          return false;
        }
        follow(read, last);
        break;
      }
      case HloOpcode::kReshape:
      case HloOpcode::kBitcast: {
        const auto from = read->operand(0)->shape().dimensions(), to = read->shape().dimensions();
        const auto size = static_cast<size_t>(last);
        const bool keeps = size <= from.size() && from.last(size) == to.last(size);
        follow(read, keeps ? last : 0);
        break;
      }
      default:
        if (!IsElementwise(*read)) return false;
        follow(read, last);
    }
  }
  return true;
}

}  // namespace xla::cpu
