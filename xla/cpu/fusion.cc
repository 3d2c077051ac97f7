// SPDX-License-Identifier: Apache-2.0
// Each instruction is either in memory or virtual: computed wherever it is used. Decided for users
// before operands; then each instruction in memory becomes a fusion with the virtual ones that it
// needs.
#include "xla/cpu/fusion.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/applied.h"
#include "xla/cpu/element_emitter.h"
#include "xla/cpu/elementwise.h"
#include "xla/cpu/kernel_emitter.h"
#include "xla/cpu/kernel_shapes.h"
#include "xla/cpu/multi_output.h"
#include "xla/cpu/row_parts.h"
#include "xla/cpu/sort_order.h"
#include "xla/hlo/ir/call_rewriting.h"
#include "xla/hlo/ir/clone.h"
#include "xla/passes/prefix_scan.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Instructions of one kernel at most.
constexpr int64_t kMaxFusionSize = 400;
// Operations at most of what is computed by several kernels.
constexpr int64_t kMaxDuplicatedCost = 6;

// Copies of the code of an instruction in one kernel, which a concatenation of several times the
// same operand has.
constexpr int64_t kMaxCopies = 16;

// Copies of the code of what concatenations of a kernel read, which has one for each way there.
constexpr int64_t kMaxJoinedCopies = 32;

// Operands of a concatenation that has no kernel of its own.
constexpr int64_t kMaxJoined = 16;

// Lanes of vectors, roughly, and elements of rows that are worth parts of their own (row_parts.h).
constexpr int kUsualLanes = 16;
constexpr int64_t kLeastRow = 32;

// Elements of transposes that are not worth a kernel of their own.
constexpr int64_t kSmallTranspose = 1024;

// Arithmetic operations an element, roughly.
int64_t CostOf(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBitcast:
    case HloOpcode::kBroadcast:
    case HloOpcode::kConstant:
    case HloOpcode::kIota:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kCopy:
      return 0;
    case HloOpcode::kDivide:
    case HloOpcode::kSqrt:
    case HloOpcode::kRsqrt:
    case HloOpcode::kRemainder:
      return 4;
    case HloOpcode::kGather:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kPad:
      return 2;
    case HloOpcode::kConcatenate:
      return 2 * instruction.operand_count();
    case HloOpcode::kMap:
      return AppliesVectors(instruction) ? instruction.to_apply()->instruction_count() : 1000;
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kDot:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kScatter:
      return 1000;
    default:
      return instruction.info().Has(op_traits::kHasAccuracy) ||
                     instruction.opcode() == HloOpcode::kPower ||
                     instruction.opcode() == HloOpcode::kAtan2
                 ? 12
                 : 1;
  }
}

// Operands that the operation updates in place.
int64_t UpdatedCount(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kDynamicUpdateSlice) return 1;
  return instruction.opcode() == HloOpcode::kScatter ? instruction.operand_count() / 2 : 0;
}

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

  bool IsVirtual(const HloInstruction* instruction) const { return virtual_.contains(instruction); }

  void Plan() {
    const std::vector<HloInstruction*> order = computation_->MakeInstructionPostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) Decide(*it);
  }

 private:
  struct Sinks {
    std::vector<const HloInstruction*> kernels;  // in memory, computed from this
    int64_t size = 0;                            // of the largest of them so far
  };

  static bool IsSmallConstant(const HloInstruction& instruction) {
    return instruction.opcode() == HloOpcode::kConstant && CountOf(instruction.shape()) == 1;
  }

  void Decide(HloInstruction* instruction) {
    if (CanBeVirtual(*instruction)) {
      std::vector<const HloInstruction*> kernels;
      int64_t uses = 0;
      for (const HloInstruction* user : instruction->users()) {
        if (!virtual_.contains(user)) {
          AddKernel(user, kernels);
        } else {
          for (const HloInstruction* kernel : sinks_[user]) AddKernel(kernel, kernels);
        }
        ++uses;
      }
      int64_t copies = 1, at_other_places = 0, joined_cost = 0;
      bool is_joined = false;
      for (const HloInstruction* user : instruction->users()) {
        const bool is_virtual = virtual_.contains(user);
        int64_t in_user = is_virtual ? copies_[user] : 1;
        if (user->opcode() == HloOpcode::kConcatenate && !IsReadByPart(*user)) {
          in_user *= absl::c_count(user->operands(), instruction);
          is_joined |= is_virtual;
        }
        if (const auto joined = joined_.find(user); is_virtual && joined != joined_.end()) {
          is_joined = true;
          joined_cost = std::max(joined_cost, joined->second);
        }
        copies = std::max(copies, in_user);
        if (!IsElementwise(*user)) at_other_places += in_user;
      }
      if (is_joined) {
        if (IsElementwise(*instruction)) joined_cost += CostOf(*instruction);
        joined_[instruction] = joined_cost;
        copies = std::max(copies, at_other_places);
      }
      copies_[instruction] = copies;
      places_[instruction] = PlacesOf(*instruction);
      const int64_t cost = std::max<int64_t>(CostOf(*instruction), 0);
      const bool is_free = cost == 0 && instruction->operand_count() <= 1;
      const bool is_wide = instruction->opcode() == HloOpcode::kConcatenate &&
                           instruction->operand_count() > kMaxJoined;
      bool fits = copies <= (is_joined ? kMaxJoinedCopies : kMaxCopies) && !is_wide &&
                  (instruction->opcode() != HloOpcode::kConcatenate || MayJoin(*instruction));
      for (const HloInstruction* kernel : kernels)
        fits &= sizes_[kernel] < kMaxFusionSize && !ReadsUpdated(*instruction, *kernel);
      // Computed several times where there are several kernels, or several accesses of one.
      const bool is_row =
          instruction->opcode() == HloOpcode::kReduce && IsRowOfResult(*instruction);
      const bool rereads = Rereads(*instruction);
      const bool repeats = kernels.size() > 1 || (!is_row && rereads) || (is_joined && copies > 1);
      const bool is_in_parts =
          instruction->opcode() == HloOpcode::kConcatenate && ReadsInParts(*instruction);
      const bool is_cheap =
          is_free || (joined_cost <= kMaxDuplicatedCost &&
                      (is_in_parts || (CostWithOperands(*instruction) <= kMaxDuplicatedCost &&
                                       ReadsLittle(*instruction))));
      const bool is_kept =
          rereads && ReadsOutOfOrder(*instruction) && AreMuchLarger(kernels, *instruction);
      if (fits && (!repeats || is_cheap) && !is_kept) {
        for (const HloInstruction* kernel : kernels) ++sizes_[kernel];
        sinks_[instruction] = std::move(kernels);
        if (is_row) rows_.insert(instruction);
        if (rereads) rereads_.insert(instruction);
        virtual_.insert(instruction);
        AddCuts(*instruction);
      }
    }
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
  struct RowPlace {
    const HloInstruction* kernel;
    int64_t shift;
    bool operator==(const RowPlace&) const = default;
  };

  // All places, or none if some are not known to be such.
  std::vector<RowPlace> PlacesOf(const HloInstruction& instruction) const {
    constexpr size_t kMostPlaces = 64;
    std::vector<RowPlace> places;
    const auto add = [&](const HloInstruction* kernel, int64_t shift) {
      const RowPlace place = {kernel, shift};
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    };
    for (const HloInstruction* user : instruction.users()) {
      const auto found = places_.find(user);
      const bool is_virtual = virtual_.contains(user);
      if (is_virtual && (found == places_.end() || found->second.empty())) return {};
      for (int64_t i = 0; i < user->operand_count(); ++i) {
        if (user->operand(i) != &instruction) continue;
        const bool is_part =
            !is_virtual && (user->opcode() == HloOpcode::kConcatenate ||
                            (user->opcode() == HloOpcode::kDynamicUpdateSlice && i == 1));
        const std::optional<int64_t> shift = is_part ? 0 : MinorShift(*user, i);
        if (!shift.has_value() || places.size() > kMostPlaces) return {};
        if (!is_virtual) {
          add(user, *shift);
          continue;
        }
        for (const RowPlace& place : found->second) add(place.kernel, place.shift + *shift);
      }
    }
    return places;
  }

  // The cuts of the rows of a kernel, with those of an instruction that it reads there.
  std::vector<int64_t> CutsWith(const HloInstruction& instruction, const RowPlace& place) const {
    const auto found = cuts_.find(place.kernel);
    std::vector<int64_t> cuts = found == cuts_.end() ? std::vector<int64_t>() : found->second;
    for (const int64_t cut : MinorCuts(instruction)) cuts.push_back(cut - place.shift);
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
  }

  void AddCuts(const HloInstruction& instruction) {
    constexpr size_t kMostCuts = 64;
    if (MinorCuts(instruction).empty()) return;
    for (const RowPlace& place : places_[&instruction]) {
      std::vector<int64_t> cuts = CutsWith(instruction, place);
      if (cuts.size() <= kMostCuts) cuts_[place.kernel] = std::move(cuts);
    }
  }

  // Whether kernels read a concatenation in parts of their rows of one operand each.
  bool ReadsInParts(const HloInstruction& concatenate) const {
    const std::vector<RowPlace>& places = places_.at(&concatenate);
    if (places.empty()) return false;
    for (const RowPlace& place : places) {
      if (!place.kernel->shape().IsArray() || place.kernel->shape().rank() == 0) return false;
      const int64_t length = place.kernel->shape().dimensions().back();
      if (length < kLeastRow ||
          PartsBetween(CutsWith(concatenate, place), length, kUsualLanes).empty()) {
        return false;
      }
    }
    return true;
  }

  bool MayJoin(const HloInstruction& concatenate) const {
    return IsReadByPart(concatenate) ||
           (concatenate.operand_count() <= 3 &&
            (JoinsWhatIsCheap(concatenate) || ReadsInParts(concatenate)));
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
    int64_t cost = CostOf(instruction);
    for (const HloInstruction* operand : instruction.operands()) {
      if (CostOf(*operand) <= kMaxDuplicatedCost) cost += CostOf(*operand);
    }
    return cost;
  }

  // Reads at most one array as large as itself.
  static bool ReadsLittle(const HloInstruction& instruction) {
    int64_t large = 0;
    for (const HloInstruction* operand : instruction.operands()) {
      const HloInstruction* source = operand;
      while ((source->opcode() == HloOpcode::kReshape || source->opcode() == HloOpcode::kBitcast) &&
             source->operand_count() == 1) {
        source = source->operand(0);
      }
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
    const auto array_of = [](const HloInstruction* source) {
      while (source->opcode() == HloOpcode::kReshape || source->opcode() == HloOpcode::kBitcast)
        source = source->operand(0);
      return source;
    };
    const HloInstruction* const array = array_of(instruction.operand(0));
    const auto& operands = kernel.operands();
    return 4 * CountOf(instruction.shape()) <= CountOf(array->shape()) &&
           std::any_of(operands.begin(), operands.begin() + updated,
                       [&](const HloInstruction* operand) { return array_of(operand) == array; });
  }

  // Whether a kernel would compute an element more than once.
  bool Rereads(const HloInstruction& instruction) const {
    int64_t accesses = 0;
    for (const HloInstruction* user : instruction.users()) {
      switch (user->opcode()) {
        case HloOpcode::kBroadcast:
          if (CountOf(user->shape()) > CountOf(instruction.shape())) return true;
          break;
        case HloOpcode::kGather:
          if (user->operand(0) == &instruction || !ReadsIndicesOnce(*user) ||
              rereads_.contains(user)) {
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
        case HloOpcode::kReduce:
          // A row that is reduced where it is needed is computed twice; that costs less than
          // memory.
          if (virtual_.contains(user) && rows_.contains(user) && instruction.users().size() <= 2)
            break;
          ++accesses;
          break;
        case HloOpcode::kReshape:
        case HloOpcode::kBitcast:
          if (rereads_.contains(user)) return true;
          break;
        default:
          // What is cheap and computed several times has its operands computed as often.
          if (IsElementwise(*user) && rereads_.contains(user)) return true;
          break;
      }
    }
    return accesses > 1 || (accesses == 1 && instruction.users().size() > 1);
  }

  bool CanBeVirtual(const HloInstruction& instruction) const {
    if (instruction.IsRoot() || instruction.users().empty() || instruction.HasSideEffect() ||
        !instruction.control_predecessors().empty() || !instruction.control_successors().empty()) {
      return false;
    }
    if (IsSmallConstant(instruction)) return AllUsersGenerated(instruction);
    if (!IsGenerated(instruction) || !instruction.shape().IsArray()) {
      // Reshapes cost nothing in memory either; in a fusion they need no array.
      if ((instruction.opcode() != HloOpcode::kReshape &&
           instruction.opcode() != HloOpcode::kBitcast) ||
          !CanEmitElement(instruction) || !IsInnerReshape(instruction)) {
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
  static bool JoinsWhatIsCheap(const HloInstruction& concatenate) {
    for (const HloInstruction* operand : concatenate.operands()) {
      for (int level = 0; level < 3; ++level) {
        if (operand->opcode() == HloOpcode::kParameter) break;
        if (CostOf(*operand) > 0) return false;
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
        const bool keeps_rows = IsElementwise(*user) || user->opcode() == HloOpcode::kReshape ||
                                user->opcode() == HloOpcode::kBitcast || is_broadcast ||
                                rows_.contains(user);
        if (!keeps_rows) return false;
        if (virtual_.contains(user)) {
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
    const HloInstruction* operand = instruction.operand(0);
    while ((operand->opcode() == HloOpcode::kReshape || operand->opcode() == HloOpcode::kBitcast) &&
           operand->operand_count() == 1) {
      operand = operand->operand(0);
    }
    return IsGenerated(*operand) || IsSmallConstant(*operand);
  }

  // An operation that a transpose may compute along rows of its result.
  static bool IsComputedByRows(const HloInstruction& instruction) {
    return IsElementwise(instruction) || instruction.opcode() == HloOpcode::kReshape ||
           instruction.opcode() == HloOpcode::kBitcast;
  }

  bool AllUsersGenerated(const HloInstruction& instruction) const {
    for (const HloInstruction* user : instruction.users()) {
      // Large transposes that move the minor dimension read memory or what is computed by rows.
      if (user->opcode() == HloOpcode::kTranspose && !KeepsMinorDimension(*user) &&
          CountOf(user->shape()) >= kSmallTranspose &&
          !(IsComputedByRows(instruction) && TransposesComputedRows(*user))) {
        return false;
      }
      if (virtual_.contains(user)) continue;
      if (!IsGenerated(*user)) return false;
      // What is updated in place is read and written in memory.
      for (int64_t i = 0; i < UpdatedCount(*user); ++i) {
        if (user->operand(i) == &instruction) return false;
      }
    }
    return true;
  }

  HloComputation* const computation_;
  absl::flat_hash_set<const HloInstruction*> virtual_;
  absl::flat_hash_set<const HloInstruction*> rows_;     // virtual reductions, see IsRowOfResult
  absl::flat_hash_set<const HloInstruction*> rereads_;  // virtual, and computed more than once
  absl::flat_hash_map<const HloInstruction*, std::vector<const HloInstruction*>> sinks_;
  absl::flat_hash_map<const HloInstruction*, int64_t> sizes_;
  absl::flat_hash_map<const HloInstruction*, int64_t> copies_;  // see kMaxCopies
  // Those that concatenations of a kernel read, with the arithmetic on the way there.
  absl::flat_hash_map<const HloInstruction*, int64_t> joined_;
  absl::flat_hash_map<const HloInstruction*, std::vector<RowPlace>> places_;
  absl::flat_hash_map<const HloInstruction*, std::vector<int64_t>> cuts_;  // of kernels
};

// The fusion of an instruction and the virtual ones that it needs.
absl::Status MakeFusion(HloInstruction* root, const Planner& plan) {
  HloComputation* const computation = root->parent();
  HloModule* const module = computation->parent();
  // Operands first.
  std::vector<HloInstruction*> members;
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<std::pair<HloInstruction*, int64_t>> stack = {{root, 0}};
  seen.insert(root);
  while (!stack.empty()) {
    auto& [instruction, next] = stack.back();
    if (next == instruction->operand_count()) {
      members.push_back(instruction);
      stack.pop_back();
      continue;
    }
    HloInstruction* operand = instruction->operand(next++);
    if (plan.IsVirtual(operand) && seen.insert(operand).second) stack.emplace_back(operand, 0);
  }
  HloComputation* const body = module->AddComputation(absl::StrCat("fused_", root->name()));
  CloneMap map;
  std::vector<HloInstruction*> operands;
  bool reduces = false;
  for (HloInstruction* member : members) {
    std::vector<HloInstruction*> new_operands;
    const int64_t updated = member == root ? UpdatedCount(*root) : 0;
    for (HloInstruction* operand : member->operands()) {
      // What is updated is not read through the same parameter.
      const bool is_updated = static_cast<int64_t>(new_operands.size()) < updated;
      HloInstruction* mapped = is_updated ? nullptr : map.Find(operand);
      if (mapped == nullptr) {
        mapped = body->AddInstruction(
            HloInstruction::CreateParameter(static_cast<int64_t>(operands.size()), operand->shape(),
                                            absl::StrCat("p", operands.size())));
        if (!is_updated) map.instructions[operand] = mapped;
        operands.push_back(operand);
      }
      new_operands.push_back(mapped);
    }
    reduces |= member->opcode() == HloOpcode::kReduce;
    HloInstruction* copy =
        body->AddInstruction(member->CloneWithNewOperands(member->shape(), new_operands));
    map.instructions[member] = copy;
  }
  body->set_root_instruction(map.Find(root));
  FusionAttributes attributes;
  attributes.kind = reduces ? FusionKind::kInput : FusionKind::kLoop;
  HloComputation* called[] = {body};
  return computation
      ->ReplaceWithNewInstruction(
          root, HloInstruction::Create(HloOpcode::kFusion, root->shape(), operands,
                                       std::move(attributes), called))
      .status();
}

}  // namespace

bool IsReadByPart(const HloInstruction& concatenate) {
  const auto& users = concatenate.users();
  return !users.empty() && absl::c_all_of(users, [&](const HloInstruction* user) {
    return user->opcode() == HloOpcode::kGather && user->operand(0) != &concatenate &&
           user->attributes<GatherAttributes>().index_vector_dim == concatenate.dimensions()[0];
  });
}

bool IsTransposedView(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kTranspose || instruction.IsRoot() ||
      instruction.users().empty()) {
    return false;
  }
  return std::all_of(instruction.users().begin(), instruction.users().end(),
                     [](const HloInstruction* user) {
                       return user->opcode() == HloOpcode::kDot && !IsSmallProduct(*user);
                     });
}

bool IsSortIndex(const HloInstruction& instruction) {
  int64_t dimension = -1;
  if (instruction.opcode() == HloOpcode::kIota) {
    dimension = instruction.attributes<IotaAttributes>().iota_dimension;
  } else if (instruction.opcode() == HloOpcode::kBroadcast &&
             instruction.operand(0)->opcode() == HloOpcode::kIota) {
    const HloInstruction& iota = *instruction.operand(0);
    dimension =
        instruction
            .dimensions()[static_cast<size_t>(iota.attributes<IotaAttributes>().iota_dimension)];
  }
  if (dimension < 0 || instruction.IsRoot() || instruction.users().empty() ||
      !primitive_util::IsIntegralType(instruction.shape().element_type()) ||
      primitive_util::BitWidth(instruction.shape().element_type()) < 8) {
    return false;
  }
  for (const HloInstruction* user : instruction.users()) {
    if (user->opcode() == HloOpcode::kBroadcast && IsSortIndex(*user)) continue;
    if (user->opcode() != HloOpcode::kSort || user->dimensions()[0] != dimension) return false;
    const std::optional<RecognizedOrder> order = RecognizeOrder(*user->to_apply());
    if (!order.has_value() || user->operand(order->key) == &instruction) return false;
  }
  return true;
}

bool IsGenerated(const HloInstruction& instruction) {
  if (IsSortIndex(instruction)) return false;
  if (IsScaledView(instruction) || IsScaleOfViews(instruction) || HasScanKernel(instruction))
    return false;
  switch (instruction.opcode()) {
    case HloOpcode::kTranspose:
      return CanEmitElement(instruction) && !IsTransposedView(instruction);
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:
    case HloOpcode::kCopy:
      return false;
    case HloOpcode::kDot:
      return IsSmallProduct(instruction) && CanEmitElement(instruction);
    default:
      return CanEmitElement(instruction);
  }
}

namespace {

// Scales that contractions apply are not in memory: what else reads them gets broadcasts of its
// own.
absl::StatusOr<bool> SeparateScales(HloComputation* computation) {
  bool changed = false;
  for (HloInstruction* broadcast : computation->MakeInstructionPostOrder()) {
    if (broadcast->opcode() != HloOpcode::kBroadcast || broadcast->users().size() < 2) continue;
    std::vector<HloInstruction*> views;
    for (HloInstruction* user : broadcast->users()) {
      if (IsScaledView(*user) && ScaledArray(*user) != broadcast) views.push_back(user);
    }
    if (views.empty() || views.size() == broadcast->users().size()) continue;
    HloInstruction* const scale = computation->AddInstruction(
        broadcast->CloneWithNewOperands(broadcast->shape(), {broadcast->mutable_operand(0)}));
    for (HloInstruction* view : views) XLA_RETURN_IF_ERROR(broadcast->ReplaceUseWith(view, scale));
    changed = true;
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> FuseForCpu(HloModule* module, int64_t least_shared_bytes) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->IsDead() || instruction->opcode() != HloOpcode::kFusion) continue;
      XLA_RETURN_IF_ERROR(InlineCall(instruction).status());
      changed = true;
    }
  }
  // These are part of the code of what applies them.
  const std::vector<const HloComputation*> code = ComputationsOfAppliedCode(*module);
  const absl::flat_hash_set<const HloComputation*> applied(code.begin(), code.end());
  for (HloComputation* computation : module->computations()) {
    if (applied.contains(computation)) continue;
    XLA_ASSIGN_OR_RETURN(const bool separated, SeparateScales(computation));
    changed |= separated;
    Planner plan(computation);
    plan.Plan();
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      if (plan.IsVirtual(instruction) || !IsGenerated(*instruction)) continue;
      XLA_RETURN_IF_ERROR(MakeFusion(instruction, plan));
      changed = true;
    }
    // The virtual ones have no users left.
    const std::vector<HloInstruction*> order = computation->MakeInstructionPostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (!(*it)->IsDead() && (*it)->users().empty() && !(*it)->IsRoot() &&
          (*it)->opcode() != HloOpcode::kParameter && !(*it)->HasSideEffect() &&
          (*it)->control_successors().empty() && (*it)->control_predecessors().empty()) {
        XLA_RETURN_IF_ERROR(computation->RemoveInstruction(*it));
      }
    }
  }
  module->Cleanup();
  XLA_ASSIGN_OR_RETURN(const bool merged, MergeFusions(module, least_shared_bytes));
  return changed || merged;
}

}  // namespace xla::cpu
