// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/fusion_planner.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "xla/base/machine.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/column_reduction.h"
#include "xla/cpu/kernel/interleaved_columns.h"
#include "xla/cpu/kernel/loop_partitioning.h"
#include "xla/cpu/kernel/transpose.h"
#include "xla/cpu/plan/fusion.h"
#include "xla/hlo/ir/operation_cost.h"

namespace xla::cpu {
namespace {

// Instructions of one kernel at most.
constexpr int64_t kMaxFusionSize = 400;
// Operations at most of what is computed by several kernels.
constexpr int64_t kMaxDuplicatedCost = 6;

// Passes over a row in which a kernel computes the same elements, whatever they cost, and what the
// further passes may cost together (see RepeatedCost).
constexpr int64_t kFreePasses = 2;
constexpr int64_t kMaxRepeatedCost = 8;
// Values of rows are small compared with the rows: code computes them once a row.
constexpr int64_t kFewPerRow = 8;

// Copies of the code of an instruction in one kernel, which a concatenation of several times the
// same operand has.
constexpr int64_t kMaxCopies = 16;

// Copies of the code of what concatenations of a kernel read, which has one for each way there.
constexpr int64_t kMaxConcatenatedCopies = 32;

// Ways on which one kernel reaches an instruction through slices, pads and the like: each computes
// it again, at another index. So many at most, and no more than what they repeat, with all that
// lies on the way, costs less than to store and load it.
constexpr int64_t kMaxPaths = 32, kMaxPathCost = 24;

// Operands of a concatenation that has no kernel of its own.
constexpr int64_t kMaxConcatenated = 16;

// Elements of rows that are worth parts of their own (loop_partitioning.h).
constexpr int64_t kLeastRow = 32;

// Elements of transposes that are not worth a kernel of their own.
constexpr int64_t kSmallTranspose = 1024;

bool SameDimensions(const Shape& a, const Shape& b) { return a.dimensions() == b.dimensions(); }

// Whether the innermost dimension, along which vectors go, stays in place, or vectors can be read
// as if it did.
bool KeepsMinorDimension(const HloInstruction& transpose) {
  if (PicksFromShortRows(transpose)) return true;
  const auto dimensions = transpose.dimensions();
  const int64_t rank = transpose.shape().rank();
  int64_t last = rank - 1;
  while (last >= 0 && transpose.shape().dimensions(static_cast<int>(last)) == 1) --last;
  return last < 0 || dimensions[static_cast<size_t>(last)] == last ||
         (last + 1 < rank && dimensions[static_cast<size_t>(last)] + 1 == rank);
}

// Whether each element of a gather reads indices of its own, once each.
bool ReadsIndicesOnce(const HloInstruction& gather) {
  const auto& attributes = gather.attributes<GatherAttributes>();
  const auto numbers = static_cast<int64_t>(attributes.start_index_map.size());
  return CountOf(gather.shape()) * numbers == CountOf(gather.operand(1)->shape());
}

class Planner {
 public:
  explicit Planner(HloComputation* computation) : computation_(computation) {}

  FusedProducers Plan() {
    const std::vector<HloInstruction*> order = computation_->MakeInstructionPostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) Decide(*it);
    return std::move(fused_);
  }

 private:
  static bool IsSmallConstant(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kConstant && CountOf(instruction.shape()) == 1;
  }

  // How a kernel reaches an instruction: a hash of the operations between them that read at other
  // indices than their own.
  struct Path {
    const HloInstruction* kernel;
    uint64_t hash;
  };

  // A loop of a kernel: over the rows of its result, or, of a kernel that reduces its rows first,
  // over the elements of a row for one of the reductions.
  struct Pass {
    const HloInstruction* kernel;
    const HloInstruction* reduction;  // null: the loop over the result
    bool operator==(const Pass&) const = default;
  };

  // What is known of an instruction whose users are all decided.
  struct Candidate {
    std::vector<const HloInstruction*> kernels;  // that would compute it
    int64_t copies = 1;                          // of its code in one kernel
    // Whether concatenations of a kernel read it, and the arithmetic on the way there.
    bool is_concatenated = false;
    int64_t concatenated_cost = 0;
    bool is_row = false;      // a reduction, see IsRowOfResult
    bool recomputes = false;  // a kernel would compute an element more than once
    std::vector<Path> paths;
    int64_t path_cost = 0;
    std::vector<Pass> passes;
    int64_t repeated_cost = 0, most_passes = 1;
  };

  void Decide(HloInstruction* instruction) {
    if (!CanBeFused(*instruction)) return;
    Candidate candidate;
    candidate.kernels = KernelsOf(*instruction);
    CountCopies(*instruction, candidate);
    copies_[instruction] = candidate.copies;
    accesses_[instruction] = AccessesOf(*instruction);
    candidate.is_row = instruction->opcode() == HloOpcode::kReduce && IsRowOfResult(*instruction);
    candidate.recomputes = Recomputes(*instruction);
    candidate.paths = PathsOf(*instruction);
    candidate.path_cost = PathCost(*instruction, candidate.paths);
    candidate.passes = PassesOf(*instruction);
    candidate.most_passes = MostPasses(*instruction, candidate.passes);
    if (!candidate.is_row && candidate.most_passes > kFreePasses)
      candidate.repeated_cost = RepeatedCost(*instruction);
    if (Fits(*instruction, candidate) && IsWorthwhile(*instruction, candidate))
      Fuse(*instruction, std::move(candidate));
  }

  std::vector<const HloInstruction*> KernelsOf(const HloInstruction& instruction) const {
    std::vector<const HloInstruction*> kernels;
    for (const HloInstruction* user : instruction.users()) {
      if (!fused_.contains(user)) {
        AddKernel(user, kernels);
      } else {
        for (const HloInstruction* kernel : consumers_.at(user)) AddKernel(kernel, kernels);
      }
    }
    return kernels;
  }

  void CountCopies(const HloInstruction& instruction, Candidate& candidate) {
    int64_t at_other_indices = 0;
    for (const HloInstruction* user : instruction.users()) {
      const bool is_fused = fused_.contains(user);
      int64_t in_user = is_fused ? copies_[user] : 1;
      if (user->opcode() == HloOpcode::kConcatenate && !IsReadByPart(*user)) {
        in_user *= absl::c_count(user->operands(), &instruction);
        candidate.is_concatenated |= is_fused;
      }
      if (const auto joined = concatenated_.find(user); is_fused && joined != concatenated_.end()) {
        candidate.is_concatenated = true;
        candidate.concatenated_cost = std::max(candidate.concatenated_cost, joined->second);
      }
      candidate.copies = std::max(candidate.copies, in_user);
      if (!IsElementwise(*user)) at_other_indices += in_user;
    }
    if (!candidate.is_concatenated) return;
    if (IsElementwise(instruction)) candidate.concatenated_cost += FusedCost(instruction);
    concatenated_[&instruction] = candidate.concatenated_cost;
    candidate.copies = std::max(candidate.copies, at_other_indices);
  }

  // Whether kernels with the instruction stay within bounds, and correct.
  bool Fits(const HloInstruction& instruction, const Candidate& candidate) const {
    const bool is_concatenate = instruction.opcode() == HloOpcode::kConcatenate;
    if (candidate.copies > (candidate.is_concatenated ? kMaxConcatenatedCopies : kMaxCopies))
      return false;
    if (is_concatenate &&
        (instruction.operand_count() > kMaxConcatenated || !MayConcatenate(instruction)))
      return false;
    for (const HloInstruction* kernel : candidate.kernels) {
      const auto size = sizes_.find(kernel);
      if (size != sizes_.end() && size->second >= kMaxFusionSize) return false;
      if (ReadsUpdated(instruction, *kernel)) return false;
    }
    return candidate.path_cost <= kMaxPathCost &&
           !(HasGapsInRows(instruction) && MayCombine(candidate.kernels)) &&
           MayReduce(instruction, candidate.is_row, candidate.kernels);
  }

  // Whether computing the elements where they are used costs less than memory.
  bool IsWorthwhile(const HloInstruction& instruction, const Candidate& candidate) const {
    if (candidate.recomputes && ReadsOutOfOrder(instruction) &&
        AreMuchLarger(candidate.kernels, instruction)) {
      return false;
    }
    // Computed several times where there are several kernels, or several accesses of one.
    const bool repeats = candidate.kernels.size() > 1 ||
                         (!candidate.is_row && candidate.recomputes) ||
                         (candidate.is_concatenated && candidate.copies > 1);
    if (repeats && !IsCheap(instruction, candidate)) return false;
    return (candidate.most_passes - 1) * candidate.repeated_cost <= kMaxRepeatedCost;
  }

  bool IsCheap(const HloInstruction& instruction, const Candidate& candidate) const {
    const int64_t cost = std::max<int64_t>(FusedCost(instruction), 0);
    if (cost == 0 && instruction.operand_count() <= 1) return true;
    if (candidate.concatenated_cost > kMaxDuplicatedCost) return false;
    if (instruction.opcode() == HloOpcode::kConcatenate && ReadsInPartitions(instruction))
      return true;
    return CostWithOperands(instruction) <= kMaxDuplicatedCost && ReadsLittle(instruction);
  }

  void Fuse(const HloInstruction& instruction, Candidate candidate) {
    const std::vector<const HloInstruction*>& kernels = candidate.kernels;
    for (const HloInstruction* kernel : kernels) ++sizes_[kernel];
    if (candidate.is_row) {
      row_kernels_.insert(kernels.begin(), kernels.end());
      rows_.insert(&instruction);
    } else if (CombinesElements(instruction)) {
      inner_kernels_.insert(kernels.begin(), kernels.end());
    }
    paths_[&instruction] = std::move(candidate.paths);
    path_costs_[&instruction] = candidate.path_cost;
    passes_[&instruction] = std::move(candidate.passes);
    repeated_costs_[&instruction] = candidate.repeated_cost;
    consumers_[&instruction] = std::move(candidate.kernels);
    if (candidate.recomputes) recomputed_.insert(&instruction);
    fused_.insert(&instruction);
    AddBoundaries(instruction);
  }

  // All different ones, at most kMaxPaths + 1.
  std::vector<Path> PathsOf(const HloInstruction& instruction) const {
    std::vector<Path> paths;
    absl::flat_hash_set<uint64_t> seen;
    for (const HloInstruction* user : instruction.users()) {
      const bool is_fused = fused_.contains(user);
      for (int64_t i = 0; i < user->operand_count(); ++i) {
        if (user->operand(i) != &instruction) continue;
        const auto add = [&](const Path& path) {
          const bool is_same_index = IsElementwise(*user);
          const uint64_t hash =
              is_same_index ? path.hash : absl::HashOf(path.hash, user->unique_id(), i);
          if (paths.size() <= kMaxPaths && seen.insert(hash).second)
            paths.push_back({path.kernel, hash});
        };
        if (!is_fused) {
          add({user, absl::HashOf(user->unique_id())});
        } else if (rows_.contains(user)) {
          // Another pass over the same elements, see PassesOf.
          for (const HloInstruction* kernel : consumers_.at(user)) {
            const Path path = {kernel, absl::HashOf(kernel->unique_id())};
            if (seen.insert(path.hash).second) paths.push_back(path);
          }
        } else {
          for (const Path& path : paths_.at(user)) add(path);
        }
      }
    }
    return paths;
  }

  // What is computed more than once by the kernel with the most paths, from the kernel to here;
  // more than any limit if there are too many paths.
  int64_t PathCost(const HloInstruction& instruction, const std::vector<Path>& paths) const {
    absl::flat_hash_map<const HloInstruction*, int64_t> counts;
    int64_t most = 0, cost = 0;
    for (const Path& path : paths) {
      // Values of rows are computed once a row.
      if (!row_kernels_.contains(path.kernel) || !IsFewPerRow(instruction, *path.kernel))
        most = std::max(most, ++counts[path.kernel]);
    }
    if (most > kMaxPaths) return kMaxPathCost + 1;
    for (const HloInstruction* user : instruction.users()) {
      const auto found = path_costs_.find(user);
      if (found != path_costs_.end()) cost = std::max(cost, found->second);
    }
    if (most > 1) cost += (most - 1) * ElementCost(instruction);
    return cost;
  }

  // The passes that need the instruction's elements.
  std::vector<Pass> PassesOf(const HloInstruction& instruction) const {
    std::vector<Pass> passes;
    const auto add = [&](const Pass& pass) {
      if (!absl::c_linear_search(passes, pass)) passes.push_back(pass);
    };
    for (const HloInstruction* user : instruction.users()) {
      if (!fused_.contains(user)) {
        add({user, nullptr});
      } else if (rows_.contains(user)) {
        for (const HloInstruction* kernel : consumers_.at(user)) add({kernel, user});
      } else {
        for (const Pass& pass : passes_.at(user)) add(pass);
      }
    }
    return passes;
  }

  // Whether each element is computed from many others.
  static bool CombinesElements(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kReduce ||
           instruction.opcode() == HloOpcode::kReduceWindow ||
           instruction.opcode() == HloOpcode::kDot;
  }

  // Whether elements of a row have zeros or the like between them. Loops are divided into phases
  // for them; reductions look at each element.
  static bool HasGapsInRows(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kPad && instruction.shape().rank() > 0 &&
           absl::c_any_of(instruction.attributes<PadAttributes>().padding,
                          [](const PadDim& dim) { return dim.interior > 0; });
  }

  // Whether one of the kernels combines elements.
  bool MayCombine(const std::vector<const HloInstruction*>& kernels) const {
    return absl::c_any_of(kernels, [&](const HloInstruction* kernel) {
      return CombinesElements(*kernel) || inner_kernels_.contains(kernel) ||
             row_kernels_.contains(kernel);
    });
  }

  // A kernel that reduces its rows first has no other reductions (ReducesOwnRows): it would reduce
  // the row again for each of its elements.
  bool MayReduce(const HloInstruction& instruction, bool is_row,
                 const std::vector<const HloInstruction*>& kernels) const {
    if (!CombinesElements(instruction)) return true;
    const auto& others = is_row ? inner_kernels_ : row_kernels_;
    return absl::c_none_of(kernels,
                           [&](const HloInstruction* kernel) { return others.contains(kernel); });
  }

  // The cost of computing an element again, with those that are computed from it in as many passes
  // of a kernel: it grows along chains of row reductions, of which each adds a pass. A store and
  // some loads cost less in the end.
  int64_t RepeatedCost(const HloInstruction& instruction) const {
    int64_t behind = 0;
    for (const HloInstruction* user : instruction.users()) {
      const auto found = repeated_costs_.find(user);
      if (found != repeated_costs_.end()) behind = std::max(behind, found->second);
    }
    return behind + FusedCost(instruction);
  }

  static bool IsFewPerRow(const HloInstruction& instruction, const HloInstruction& kernel) {
    return kFewPerRow * CountOf(instruction.shape()) <= CountOf(FirstShape(kernel));
  }

  // The largest number of passes of one kernel.
  int64_t MostPasses(const HloInstruction& instruction, const std::vector<Pass>& passes) const {
    int64_t most = 1;
    if (passes.size() <= 1) return most;
    absl::flat_hash_map<const HloInstruction*, int64_t> counts;
    for (const Pass& pass : passes) {
      // Other kernels have one pass, and values of rows are computed once for each row.
      if (row_kernels_.contains(pass.kernel) && !IsFewPerRow(instruction, *pass.kernel))
        most = std::max(most, ++counts[pass.kernel]);
    }
    return most;
  }

  // Whether vectors of the instruction's results are put together from elements here and there.
  static bool ReadsOutOfOrder(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kGather ||
           (instruction.opcode() == HloOpcode::kTranspose && PicksFromShortRows(instruction));
  }

  // Whether it is little to compute the instruction once and for all, in memory.
  static bool AreMuchLarger(const std::vector<const HloInstruction*>& kernels,
                            const HloInstruction& instruction) {
    constexpr int64_t kTimes = 4, kLeastElements = 1 << 14;
    return !kernels.empty() && absl::c_all_of(kernels, [&](const HloInstruction* kernel) {
      int64_t count = CountOf(FirstShape(*kernel));
      if (kernel->opcode() == HloOpcode::kReduce)
        count = std::max(count, CountOf(kernel->operand(0)->shape()));
      return count >= kLeastElements && count >= kTimes * CountOf(instruction.shape());
    });
  }

  // Where a kernel reads an instruction: the index of the minor dimension is that of the kernel's
  // result (of the operand of a concatenation, or the update) plus the shift.
  struct RowAccess {
    const HloInstruction* kernel;
    int64_t shift;
    bool operator==(const RowAccess&) const = default;
  };

  // All places, or none if some are not known to be such.
  std::vector<RowAccess> AccessesOf(const HloInstruction& instruction) const {
    constexpr size_t kMostAccesses = 64;
    std::vector<RowAccess> accesses;
    const auto add = [&](const HloInstruction* kernel, int64_t shift) {
      const RowAccess access = {kernel, shift};
      if (std::find(accesses.begin(), accesses.end(), access) == accesses.end())
        accesses.push_back(access);
    };
    for (const HloInstruction* user : instruction.users()) {
      const auto found = accesses_.find(user);
      const bool is_fused = fused_.contains(user);
      if (is_fused && (found == accesses_.end() || found->second.empty())) return {};
      for (int64_t i = 0; i < user->operand_count(); ++i) {
        if (user->operand(i) != &instruction) continue;
        const bool is_part =
            !is_fused && (user->opcode() == HloOpcode::kConcatenate ||
                          (user->opcode() == HloOpcode::kDynamicUpdateSlice && i == 1));
        const std::optional<int64_t> shift = is_part ? 0 : MinorOffset(*user, i);
        if (!shift.has_value() || accesses.size() > kMostAccesses) return {};
        if (!is_fused) {
          add(user, *shift);
          continue;
        }
        for (const RowAccess& access : found->second) add(access.kernel, access.shift + *shift);
      }
    }
    return accesses;
  }

  // The cuts of the rows of a kernel, with those of an instruction that it reads there.
  std::vector<int64_t> BoundariesWith(const HloInstruction& instruction,
                                      const RowAccess& access) const {
    const auto found = boundaries_.find(access.kernel);
    std::vector<int64_t> boundaries =
        found == boundaries_.end() ? std::vector<int64_t>() : found->second;
    for (const int64_t boundary : MinorBoundaries(instruction))
      boundaries.push_back(boundary - access.shift);
    std::sort(boundaries.begin(), boundaries.end());
    boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
    return boundaries;
  }

  void AddBoundaries(const HloInstruction& instruction) {
    constexpr size_t kMostBoundaries = 64;
    if (MinorBoundaries(instruction).empty()) return;
    for (const RowAccess& access : accesses_[&instruction]) {
      std::vector<int64_t> boundaries = BoundariesWith(instruction, access);
      if (boundaries.size() <= kMostBoundaries) boundaries_[access.kernel] = std::move(boundaries);
    }
  }

  // Whether kernels read a concatenation in parts of their rows of one operand each.
  bool ReadsInPartitions(const HloInstruction& concatenate) const {
    const std::vector<RowAccess>& accesses = accesses_.at(&concatenate);
    if (accesses.empty()) return false;
    for (const RowAccess& access : accesses) {
      if (!access.kernel->shape().IsArray() || access.kernel->shape().rank() == 0) return false;
      const int64_t length = access.kernel->shape().dimensions().back();
      if (length < kLeastRow ||
          PartitionBetween(BoundariesWith(concatenate, access), length, kUsualMachine.Lanes(4))
              .empty()) {
        return false;
      }
    }
    return true;
  }

  bool MayConcatenate(const HloInstruction& concatenate) const {
    return IsReadByPart(concatenate) ||
           (concatenate.operand_count() <= 3 &&
            (ConcatenatesCheapOperands(concatenate) || ReadsInPartitions(concatenate)));
  }

  static void AddKernel(const HloInstruction* kernel, std::vector<const HloInstruction*>& kernels) {
    if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) {
      kernels.push_back(kernel);
    }
  }

  // What an operation costs together with what it is computed from, as far as that is not in
  // memory for other reasons; a bound. Operands that cost more than what is computed several times
  // are in memory: reductions too, unless they are computed once a row.
  int64_t CostWithOperands(const HloInstruction& instruction) const {
    int64_t cost = FusedCost(instruction);
    for (const HloInstruction* operand : instruction.operands()) {
      if (FusedCost(*operand) <= kMaxDuplicatedCost) cost += FusedCost(*operand);
    }
    return cost;
  }

  // Reads at most one array as large as itself.
  static bool ReadsLittle(const HloInstruction& instruction) {
    int64_t large = 0;
    for (const HloInstruction* operand : instruction.operands()) {
      const HloInstruction* source = SkipViews(operand);
      if (source->opcode() == HloOpcode::kBroadcast || source->opcode() == HloOpcode::kIota ||
          CountOf(source->shape()) * 4 <= CountOf(instruction.shape())) {
        continue;
      }
      ++large;
    }
    return large <= 1;
  }

  // Whether a few elements of an array are read, which the kernel otherwise updates in place. Read
  // beforehand, they spare a copy of the array.
  static bool ReadsUpdated(const HloInstruction& instruction, const HloInstruction& kernel) {
    const int64_t updated = UpdatedCount(kernel);
    if (updated == 0 || (instruction.opcode() != HloOpcode::kGather &&
                         instruction.opcode() != HloOpcode::kDynamicSlice &&
                         instruction.opcode() != HloOpcode::kSlice)) {
      return false;
    }
    const HloInstruction* const array = SkipViews(instruction.operand(0));
    const auto& operands = kernel.operands();
    return 4 * CountOf(instruction.shape()) <= CountOf(array->shape()) &&
           std::any_of(operands.begin(), operands.begin() + updated,
                       [&](const HloInstruction* operand) { return SkipViews(operand) == array; });
  }

  // Whether a kernel would compute an element more than once.
  bool Recomputes(const HloInstruction& instruction) const {
    int64_t accesses = 0;
    for (const HloInstruction* user : instruction.users()) {
      switch (user->opcode()) {
        case HloOpcode::kBroadcast:
          if (CountOf(user->shape()) > CountOf(instruction.shape())) return true;
          break;
        case HloOpcode::kGather:
          if (user->operand(0) == &instruction || !ReadsIndicesOnce(*user) ||
              recomputed_.contains(user)) {
            return true;
          }
          break;
        case HloOpcode::kReduceWindow:
        case HloOpcode::kDot:
        case HloOpcode::kScatter:
          return true;
        case HloOpcode::kSlice:
        case HloOpcode::kPad:
        case HloOpcode::kConcatenate:
        case HloOpcode::kDynamicSlice:
        case HloOpcode::kReverse:
        case HloOpcode::kTranspose:
          if (recomputed_.contains(user)) return true;
          ++accesses;
          break;
        case HloOpcode::kReduce:
          // A row that is reduced where it is needed is computed twice; that costs less than
          // memory.
          if (fused_.contains(user) && rows_.contains(user) && instruction.users().size() <= 2)
            break;
          ++accesses;
          break;
        case HloOpcode::kReshape:
        case HloOpcode::kBitcast:
          if (recomputed_.contains(user)) return true;
          break;
        default:
          // What is cheap and computed several times has its operands computed as often.
          if (IsElementwise(*user) && recomputed_.contains(user)) return true;
          break;
      }
    }
    return accesses > 1 || (accesses == 1 && instruction.users().size() > 1);
  }

  bool CanBeFused(const HloInstruction& instruction) const {
    if (instruction.IsRoot() || instruction.users().empty() || instruction.HasSideEffect() ||
        instruction.HasControlDependencies()) {
      return false;
    }
    if (IsSmallConstant(instruction)) return AllUsersGenerated(instruction);
    if (!IsGenerated(instruction) || !instruction.shape().IsArray()) {
      // Reshapes cost nothing in memory either; in a fusion they need no array.
      if (!IsView(instruction.opcode()) || !CanEmitElement(instruction) ||
          !IsInnerReshape(instruction)) {
        return false;
      }
    }
    switch (instruction.opcode()) {
      case HloOpcode::kDynamicUpdateSlice:
      case HloOpcode::kScatter:
        return false;
      case HloOpcode::kReduceWindow:
      case HloOpcode::kDot:
        if (!HasElementwiseUser(instruction)) return false;
        break;
      case HloOpcode::kTranspose:
        if (!KeepsMinorDimension(instruction) && CountOf(instruction.shape()) >= kSmallTranspose)
          return false;
        break;
      case HloOpcode::kReduce:
        if (IsRowOfResult(instruction)) break;
        if (IsColumnReduction(instruction)) return false;
        if (!HasElementwiseUser(instruction)) return false;
        break;
      default:
        break;
    }
    return AllUsersGenerated(instruction);
  }

  // Whether it is computed with what follows elementwise.
  static bool HasElementwiseUser(const HloInstruction& instruction) {
    return instruction.users().size() == 1 &&
           SameDimensions(instruction.users()[0]->shape(), instruction.shape()) &&
           IsElementwise(*instruction.users()[0]);
  }

  // Vectors that cross from one operand to the next compute both.
  static bool ConcatenatesCheapOperands(const HloInstruction& concatenate) {
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

  // A reduction of the minor dimension whose only reader is a kernel of as many rows and columns:
  // computed in it, row by row.
  bool IsRowOfResult(const HloInstruction& reduce) const {
    constexpr int64_t kLeastRows = 16, kLeastColumns = 64, kMostColumns = 1 << 16;
    const Shape& shape = reduce.operand(0)->shape();
    const int64_t columns = shape.rank() == 0 ? 0 : shape.dimensions().back();
    if (reduce.operand_count() != 2 || reduce.dimensions().size() != 1 ||
        reduce.dimensions()[0] != shape.rank() - 1 || columns < kLeastColumns ||
        columns > kMostColumns || CountOf(shape) / columns < kLeastRows) {
      return false;
    }
    const HloInstruction* kernel = nullptr;
    std::vector<const HloInstruction*> pending = {&reduce};
    absl::flat_hash_set<const HloInstruction*> seen;
    while (!pending.empty()) {
      const HloInstruction* instruction = pending.back();
      pending.pop_back();
      for (const HloInstruction* user : instruction->users()) {
        if (!seen.insert(user).second) continue;
        const bool is_broadcast =
            user->opcode() == HloOpcode::kBroadcast && BroadcastsToOwnRows(*user);
        const bool keeps_rows =
            IsElementwise(*user) || IsView(user->opcode()) || is_broadcast || rows_.contains(user);
        if (!keeps_rows) return false;
        if (fused_.contains(user)) {
          pending.push_back(user);
        } else if (kernel != nullptr && kernel != user) {
          return false;
        } else {
          kernel = user;
        }
      }
    }
    return kernel != nullptr && IsElementwise(*kernel) && kernel->shape().IsArray() &&
           SameDimensions(kernel->shape(), shape);
  }

  // A reshape between operations of a fusion, rather than of an array in memory.
  bool IsInnerReshape(const HloInstruction& instruction) const {
    const HloInstruction* operand = SkipViews(instruction.operand(0));
    return IsGenerated(*operand) || IsSmallConstant(*operand);
  }

  // An operation that a transpose may compute along rows of its result.
  static bool IsComputedByRows(const HloInstruction& instruction) {
    return IsElementwise(instruction) || IsView(instruction.opcode());
  }

  // Whether a large transpose picks columns of short rows that a fused reshape makes of the
  // instruction's: neighbors of a column have no common place there, and each would be looked for.
  bool IsPickedThroughReshape(const HloInstruction& instruction) const {
    if (instruction.shape().rank() == 0 || CountOf(instruction.shape()) < kSmallTranspose ||
        instruction.opcode() == HloOpcode::kIota ||
        (instruction.opcode() == HloOpcode::kBroadcast &&
         CountOf(instruction.operand(0)->shape()) == 1)) {
      return false;
    }
    std::vector<const HloInstruction*> pending;
    absl::flat_hash_set<const HloInstruction*> seen;
    const auto follow = [&](const HloInstruction* read) {
      for (const HloInstruction* user : read->users()) {
        if (seen.insert(user).second) pending.push_back(user);
      }
    };
    for (const HloInstruction* user : instruction.users()) {
      if (IsView(user->opcode()) && fused_.contains(user) && user->shape().rank() > 0 &&
          user->shape().dimensions().back() != instruction.shape().dimensions().back()) {
        follow(user);
      }
    }
    while (!pending.empty()) {
      const HloInstruction* user = pending.back();
      pending.pop_back();
      if (user->opcode() == HloOpcode::kTranspose && PicksFromShortRows(*user)) return true;
      if (IsElementwise(*user) && fused_.contains(user)) follow(user);
    }
    return false;
  }

  bool AllUsersGenerated(const HloInstruction& instruction) const {
    if (IsPickedThroughReshape(instruction)) return false;
    for (const HloInstruction* user : instruction.users()) {
      // Large transposes that move the minor dimension read memory or what is computed by rows.
      if (user->opcode() == HloOpcode::kTranspose && !KeepsMinorDimension(*user) &&
          CountOf(user->shape()) >= kSmallTranspose &&
          !(IsComputedByRows(instruction) && TransposesComputedRows(*user))) {
        return false;
      }
      if (fused_.contains(user)) continue;
      if (!IsGenerated(*user)) return false;
      // What is updated in place is read and written in memory.
      for (int64_t i = 0; i < UpdatedCount(*user); ++i) {
        if (user->operand(i) == &instruction) return false;
      }
    }
    return true;
  }

  HloComputation* const computation_;
  FusedProducers fused_;
  absl::flat_hash_set<const HloInstruction*> rows_;         // virtual reductions, see IsRowOfResult
  absl::flat_hash_set<const HloInstruction*> recomputed_;   // virtual, and computed more than once
  absl::flat_hash_set<const HloInstruction*> row_kernels_;  // with some of rows_
  absl::flat_hash_set<const HloInstruction*> inner_kernels_;  // that combine elements otherwise
  absl::flat_hash_map<const HloInstruction*, std::vector<Path>> paths_;
  absl::flat_hash_map<const HloInstruction*, int64_t> path_costs_;
  absl::flat_hash_map<const HloInstruction*, std::vector<Pass>> passes_;
  absl::flat_hash_map<const HloInstruction*, int64_t> repeated_costs_;  // 0: few passes
  absl::flat_hash_map<const HloInstruction*, std::vector<const HloInstruction*>> consumers_;
  absl::flat_hash_map<const HloInstruction*, int64_t> sizes_;
  absl::flat_hash_map<const HloInstruction*, int64_t> copies_;  // see kMaxCopies
  // Those that concatenations of a kernel read, with the arithmetic on the way there.
  absl::flat_hash_map<const HloInstruction*, int64_t> concatenated_;
  absl::flat_hash_map<const HloInstruction*, std::vector<RowAccess>> accesses_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int64_t>> boundaries_;  // of kernels
};

}  // namespace

int64_t UpdatedCount(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kDynamicUpdateSlice) return 1;
  return instruction.opcode() == HloOpcode::kScatter ? instruction.operand_count() / 2 : 0;
}

FusedProducers PlanFusions(HloComputation* computation) { return Planner(computation).Plan(); }

}  // namespace xla::cpu
