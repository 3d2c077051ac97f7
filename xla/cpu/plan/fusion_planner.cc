// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/fusion_planner.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/kernel/interleaved_columns.h"
#include "xla/cpu/kernel/transpose.h"
#include "xla/cpu/plan/access_paths.h"
#include "xla/cpu/plan/code_copies.h"
#include "xla/cpu/plan/fusion_legality.h"
#include "xla/cpu/plan/lane_use.h"
#include "xla/cpu/plan/row_accesses.h"
#include "xla/cpu/plan/row_passes.h"
#include "xla/hlo/ir/operation_cost.h"

namespace xla::cpu {
namespace {

// A kernel has no more instructions than this.
constexpr int64_t kMaxFusionSize = 400;
// An instruction that several kernels compute costs no more than this.
constexpr int64_t kMaxDuplicatedCost = 6;
// Divisions and roots take as many nanoseconds a vector as it takes to load eight.
constexpr double kSlow = 4;
// An operand that a dot computes for each product costs no more than this.
constexpr int64_t kMaxCostInDot = 1;
// A concatenation with more operands is a kernel of its own.
constexpr int64_t kMaxConcatenated = 16;

// Whether each element of the instruction is the same number, which kernels have as an operand.
bool IsScalarInArray(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kBroadcast &&
         CountOf(instruction.operand(0)->shape()) == 1;
}

// Whether each element of a gather reads indices of its own, once each.
bool ReadsIndicesOnce(const HloInstruction& gather) {
  const auto& attributes = gather.attributes<GatherAttributes>();
  const auto numbers = static_cast<int64_t>(attributes.start_index_map.size());
  return CountOf(gather.shape()) * numbers == CountOf(gather.operand(1)->shape());
}

// Whether gathers alone read the concatenation: each operand is their positions along one
// dimension, read at the place of their own element, as elementwise operations read theirs.
bool StatesPositions(const HloInstruction& concatenate) {
  return absl::c_all_of(concatenate.users(), [&](const HloInstruction* user) {
    return user->opcode() == HloOpcode::kGather && user->operand(0) != &concatenate &&
           user->attributes<GatherAttributes>().index_vector_dim == concatenate.dimensions()[0];
  });
}

// Whether vectors of the instruction's results are assembled from scattered elements.
bool ReadsOutOfOrder(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kGather ||
         (instruction.opcode() == HloOpcode::kTranspose && PicksFromShortRows(instruction));
}

// Whether materializing the instruction is cheap compared with what one of the kernels computes.
bool IsMuchLarger(const std::vector<const HloInstruction*>& kernels,
                  const HloInstruction& instruction) {
  constexpr int64_t kTimes = 4, kLeastElements = 1 << 14;
  return absl::c_any_of(kernels, [&](const HloInstruction* kernel) {
    int64_t count = CountOf(FirstShape(*kernel));
    if (kernel->opcode() == HloOpcode::kReduce)
      count = std::max(count, CountOf(kernel->operand(0)->shape()));
    return count >= kLeastElements && count >= kTimes * CountOf(instruction.shape());
  });
}

// An upper bound for the cost of an operation together with its operands, as far as those are not
// materialized for other reasons. Operands that cost more than kMaxDuplicatedCost are, and so are
// reductions, unless they are computed once a row.
int64_t CostWithOperands(const HloInstruction& instruction) {
  int64_t cost = FusedCost(instruction);
  for (const HloInstruction* operand : instruction.operands()) {
    if (FusedCost(*operand) <= kMaxDuplicatedCost) cost += FusedCost(*operand);
  }
  return cost;
}

// Whether a large enough dot reads each element many times, and so would compute it again.
bool IsReadOftenByDot(const HloInstruction& instruction) {
  constexpr double kOften = 4, kLeastProducts = 4096;
  return absl::c_any_of(instruction.users(), [&](const HloInstruction* user) {
    if (user->opcode() != HloOpcode::kDot) return false;
    const double products = static_cast<double>(ContractionFlops(*user)) / 2;
    return products >= kLeastProducts &&
           products >= kOften * static_cast<double>(CountOf(instruction.shape()));
  });
}

// Returns the array that the instruction is a part of, or that it renames.
const HloInstruction* SkipParts(const HloInstruction* instruction) {
  for (const HloInstruction* part = nullptr; part != instruction;) {
    part = instruction;
    instruction = SkipViews(instruction);
    if (instruction->opcode() == HloOpcode::kSlice) instruction = instruction->operand(0);
  }
  return instruction;
}

// Whether the instruction reads at most one array as large as its result.
bool ReadsLittle(const HloInstruction& instruction) {
  const HloInstruction* large = nullptr;
  for (const HloInstruction* operand : instruction.operands()) {
    const HloInstruction* source = SkipParts(operand);
    if (source->opcode() == HloOpcode::kBroadcast || source->opcode() == HloOpcode::kIota ||
        CountOf(source->shape()) * 4 <= CountOf(instruction.shape()) || source == large) {
      continue;
    }
    if (large != nullptr) return false;
    large = source;
  }
  return true;
}

// Whether vectors that cross from one operand to the next, and so compute both, cost little.
bool ConcatenatesCheapOperands(const HloInstruction& concatenate) {
  for (const HloInstruction* operand : concatenate.operands()) {
    for (int level = 0; level < 3; ++level) {
      if (operand->opcode() == HloOpcode::kParameter) break;
      if (FusedCost(*operand) > 0) return false;
      if (operand->operand_count() == 0) break;
      operand = operand->operand(0);
    }
  }
  return true;
}

void AddKernel(const HloInstruction* kernel, std::vector<const HloInstruction*>& kernels) {
  if (!absl::c_linear_search(kernels, kernel)) kernels.push_back(kernel);
}

class Planner {
 public:
  explicit Planner(HloComputation* computation) : computation_(computation) {}

  FusedProducers Plan() {
    const std::vector<HloInstruction*> order = computation_->MakeInstructionPostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) Decide(**it);
    return std::move(decisions_.fused);
  }

 private:
  // What is known of an instruction whose users are all decided.
  struct Candidate {
    std::vector<const HloInstruction*> kernels;  // that would compute it
    CodeCopies copies;
    bool is_row = false;      // IsRowOfResult
    bool recomputes = false;  // a kernel would compute an element more than once
    AccessPaths paths;
    RowPasses passes;
  };

  void Decide(const HloInstruction& instruction) {
    if (!CanBeFused(instruction, decisions_)) return;
    Candidate candidate;
    candidate.kernels = KernelsOf(instruction);
    candidate.copies = copies_.Analyze(instruction);
    accesses_.Analyze(instruction);
    candidate.is_row = IsRowOfResult(instruction, decisions_);
    candidate.recomputes = Recomputes(instruction);
    candidate.paths = paths_.PathsTo(instruction);
    candidate.passes = passes_.PassesOf(instruction, candidate.is_row);
    if (Fits(instruction, candidate) && IsWorthwhile(instruction, candidate))
      Fuse(instruction, std::move(candidate));
  }

  std::vector<const HloInstruction*> KernelsOf(const HloInstruction& instruction) const {
    std::vector<const HloInstruction*> kernels;
    for (const HloInstruction* user : instruction.users()) {
      if (!decisions_.fused.contains(user)) {
        AddKernel(user, kernels);
      } else {
        for (const HloInstruction* kernel : decisions_.kernels.at(user)) AddKernel(kernel, kernels);
      }
    }
    return kernels;
  }

  // Whether kernels with the instruction are correct, and their code stays within bounds.
  bool Fits(const HloInstruction& instruction, const Candidate& candidate) const {
    if (!candidate.copies.AreFew()) return false;
    if (instruction.opcode() == HloOpcode::kConcatenate &&
        (instruction.operand_count() > kMaxConcatenated || !MayConcatenate(instruction))) {
      return false;
    }
    // A scalar that several instructions share may be fused into all of them, however large.
    const bool has_room = IsScalarInArray(instruction) ||
                          absl::c_all_of(candidate.kernels, [&](const HloInstruction* kernel) {
                            const auto size = sizes_.find(kernel);
                            return size == sizes_.end() || size->second < kMaxFusionSize;
                          });
    return has_room && candidate.paths.AreWorthwhile() &&
           FitsKernels(instruction, candidate.is_row, candidate.kernels, decisions_);
  }

  // Whether computing the elements where they are used costs less than materializing them.
  bool IsWorthwhile(const HloInstruction& instruction, const Candidate& candidate) const {
    if (candidate.recomputes && ReadsOutOfOrder(instruction) &&
        IsMuchLarger(candidate.kernels, instruction)) {
      return false;
    }
    if (candidate.recomputes && VectorCost(instruction) >= kSlow &&
        IsMuchLarger(candidate.kernels, instruction) && !IsComputedOnceARow(instruction)) {
      return false;
    }
    if (CostWithOperands(instruction) > kMaxCostInDot && IsReadOftenByDot(instruction))
      return false;
    // Several kernels, or several accesses of one, compute the instruction several times.
    const bool repeats = candidate.kernels.size() > 1 ||
                         (!candidate.is_row && candidate.recomputes) ||
                         (candidate.copies.is_concatenated && candidate.copies.count > 1);
    return (!repeats || IsCheap(instruction, candidate)) && candidate.passes.AreWorthwhile() &&
           lanes_.IsWorthwhile(instruction, candidate.is_row, candidate.kernels);
  }

  // Whether the kernels compute an element of the instruction once for each of their long rows:
  // all of a row are the same, and no transpose takes rows apart.
  bool IsComputedOnceARow(const HloInstruction& instruction) const {
    constexpr int64_t kLongRow = 64;
    std::vector<const HloInstruction*> pending = {&instruction};
    absl::flat_hash_set<const HloInstruction*> seen;
    while (!pending.empty()) {
      const HloInstruction* value = pending.back();
      pending.pop_back();
      const int64_t count = CountOf(value->shape());
      for (const HloInstruction* user : value->users()) {
        if (count > 1 && user->opcode() == HloOpcode::kTranspose) return false;
        if (user->opcode() == HloOpcode::kBroadcast && CountOf(user->shape()) > count &&
            (CountOf(user->shape()) < kLongRow * count || !BroadcastsToOwnRows(*user))) {
          return false;
        }
        if (decisions_.fused.contains(user) && seen.insert(user).second) pending.push_back(user);
      }
    }
    return true;
  }

  bool IsCheap(const HloInstruction& instruction, const Candidate& candidate) const {
    const int64_t cost = std::max<int64_t>(FusedCost(instruction), 0);
    if (cost == 0 && instruction.operand_count() <= 1) return true;
    if (candidate.copies.concatenated_cost > kMaxDuplicatedCost) return false;
    if (instruction.opcode() == HloOpcode::kConcatenate && accesses_.ReadsInSegments(instruction))
      return true;
    return CostWithOperands(instruction) <= kMaxDuplicatedCost && ReadsLittle(instruction);
  }

  void Fuse(const HloInstruction& instruction, Candidate candidate) {
    const std::vector<const HloInstruction*>& kernels = candidate.kernels;
    for (const HloInstruction* kernel : kernels) ++sizes_[kernel];
    if (candidate.is_row) {
      decisions_.row_kernels.insert(kernels.begin(), kernels.end());
      decisions_.rows.insert(&instruction);
    } else if (CombinesElements(instruction)) {
      decisions_.combining_kernels.insert(kernels.begin(), kernels.end());
    }
    lanes_.Add(instruction, candidate.is_row, kernels);
    paths_.Add(instruction, std::move(candidate.paths));
    passes_.Add(instruction, std::move(candidate.passes));
    decisions_.kernels[&instruction] = std::move(candidate.kernels);
    if (candidate.recomputes) decisions_.recomputed.insert(&instruction);
    decisions_.fused.insert(&instruction);
    accesses_.AddBoundaries(instruction);
  }

  bool MayConcatenate(const HloInstruction& concatenate) const {
    return IsReadByPart(concatenate) ||
           (concatenate.operand_count() <= 3 &&
            (ConcatenatesCheapOperands(concatenate) || accesses_.ReadsInSegments(concatenate)));
  }

  // Whether a kernel would compute an element more than once.
  bool Recomputes(const HloInstruction& instruction) const {
    int64_t accesses = 0;
    for (const HloInstruction* user : instruction.users()) {
      const bool is_recomputed = decisions_.recomputed.contains(user);
      switch (user->opcode()) {
        case HloOpcode::kBroadcast:
          if (is_recomputed || CountOf(user->shape()) > CountOf(instruction.shape())) return true;
          break;
        case HloOpcode::kGather:
          if (user->operand(0) == &instruction || !ReadsIndicesOnce(*user) || is_recomputed)
            return true;
          break;
        case HloOpcode::kReduceWindow:
        case HloOpcode::kDot:
        case HloOpcode::kScatter:
          return true;
        case HloOpcode::kConcatenate:
          if (is_recomputed) return true;
          if (!StatesPositions(*user)) ++accesses;
          break;
        case HloOpcode::kSlice:
        case HloOpcode::kPad:
        case HloOpcode::kDynamicSlice:
        case HloOpcode::kReverse:
        case HloOpcode::kTranspose:
          if (is_recomputed) return true;
          ++accesses;
          break;
        case HloOpcode::kReduce:
          // Rows that are reduced where they are needed are computed twice, which costs less than
          // materializing them.
          if (!decisions_.rows.contains(user) || instruction.users().size() > 2) ++accesses;
          break;
        case HloOpcode::kReshape:
        case HloOpcode::kBitcast:
          if (is_recomputed) return true;
          break;
        default:
          // The operands of what is recomputed are recomputed as often.
          if (IsElementwise(*user) && is_recomputed) return true;
          break;
      }
    }
    return accesses > 1 || (accesses == 1 && instruction.users().size() > 1);
  }

  HloComputation* const computation_;
  FusionDecisions decisions_;
  AccessPathAnalysis paths_{decisions_};
  RowPassAnalysis passes_{decisions_};
  RowAccesses accesses_{decisions_};
  CodeCopyAnalysis copies_{decisions_};
  LaneUse lanes_{decisions_};
  absl::flat_hash_map<const HloInstruction*, int64_t> sizes_;  // of kernels, in instructions
};

}  // namespace

FusedProducers PlanFusions(HloComputation* computation) { return Planner(computation).Plan(); }

}  // namespace xla::cpu
