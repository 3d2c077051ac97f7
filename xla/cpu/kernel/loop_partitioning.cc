// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/loop_partitioning.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

int64_t MinorSize(const HloInstruction& instruction) {
  return instruction.shape().dimensions().back();
}

}  // namespace

std::optional<int64_t> MinorOffset(const HloInstruction& instruction, int64_t operand) {
  const HloInstruction& read = *instruction.operand(operand);
  if (instruction.opcode() == HloOpcode::kTuple) return 0;
  if (!instruction.shape().IsArray() || !read.shape().IsArray() ||
      instruction.shape().rank() == 0 || read.shape().rank() == 0) {
    return std::nullopt;
  }
  const int64_t minor = instruction.shape().rank() - 1;
  const auto last = static_cast<size_t>(minor);
  switch (instruction.opcode()) {
    case HloOpcode::kSlice: {
      const SliceDim& dim = instruction.attributes<SliceAttributes>().slice[last];
      if (dim.stride != 1) return std::nullopt;
      return dim.start;
    }
    case HloOpcode::kConcatenate: {
      if (instruction.dimensions()[0] != minor) return 0;
      int64_t start = 0;
      for (int64_t i = 0; i < operand; ++i) start += MinorSize(*instruction.operand(i));
      return -start;
    }
    case HloOpcode::kPad: {
      const PadDim& dim = instruction.attributes<PadAttributes>().padding[last];
      if (operand != 0 || dim.interior != 0) return std::nullopt;
      return -dim.low;
    }
    case HloOpcode::kBroadcast:
    case HloOpcode::kTranspose: {
      const bool is_broadcast = instruction.opcode() == HloOpcode::kBroadcast;
      const int64_t from = is_broadcast ? instruction.dimensions().back() : minor;
      const int64_t to = is_broadcast ? minor : instruction.dimensions()[last];
      if (from != to || MinorSize(read) != MinorSize(instruction)) return std::nullopt;
      return 0;
    }
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast:
      if (MinorSize(read) != MinorSize(instruction)) return std::nullopt;
      return 0;
    case HloOpcode::kReverse:
      if (std::find(instruction.dimensions().begin(), instruction.dimensions().end(), minor) !=
          instruction.dimensions().end()) {
        return std::nullopt;
      }
      return 0;
    default:
      if (!IsElementwise(instruction) || read.shape().rank() != instruction.shape().rank())
        return std::nullopt;
      return 0;
  }
}

std::vector<int64_t> MinorBoundaries(const HloInstruction& instruction) {
  std::vector<int64_t> boundaries;
  if (!instruction.shape().IsArray()) return boundaries;
  const int64_t minor = instruction.shape().rank() - 1;
  if (instruction.opcode() == HloOpcode::kConcatenate && instruction.dimensions()[0] == minor) {
    int64_t start = 0;
    for (int64_t i = 0; i + 1 < instruction.operand_count(); ++i) {
      start += MinorSize(*instruction.operand(i));
      boundaries.push_back(start);
    }
  } else if (instruction.opcode() == HloOpcode::kPad && minor >= 0) {
    const PadDim& dim = instruction.attributes<PadAttributes>().padding[static_cast<size_t>(minor)];
    if (dim.interior == 0) boundaries = {dim.low, MinorSize(instruction) - dim.high};
  }
  return boundaries;
}

std::vector<LoopPartition> PartitionBetween(std::vector<int64_t> boundaries, int64_t length,
                                            int lanes) {
  // Each part has its own code.
  constexpr size_t kMostParts = 3;
  boundaries.push_back(0);
  boundaries.push_back(length);
  std::sort(boundaries.begin(), boundaries.end());
  std::vector<LoopPartition> parts;
  int64_t covered = 0;
  for (size_t i = 0; i + 1 < boundaries.size(); ++i) {
    const int64_t begin = std::max<int64_t>(boundaries[i], 0),
                  end = std::min(boundaries[i + 1], length);
    if (end - begin < lanes) continue;
    parts.push_back({begin, end});
    covered += end - begin;
  }
  if (parts.size() > kMostParts || (length - covered) * 8 > length) return {};
  return parts;
}

int64_t JoinedRowLength(const HloInstruction& reshape) {
  if (!IsView(reshape.opcode())) return 0;
  if (!reshape.shape().IsArray() || reshape.shape().rank() == 0 ||
      reshape.operand(0)->shape().rank() == 0) {
    return 0;
  }
  const int64_t length = MinorSize(*reshape.operand(0)), joined = MinorSize(reshape);
  return length > 1 && length < joined && joined % length == 0 ? length : 0;
}

namespace {

// Positions [begin, end) of a row that consist of rows of `period` elements, starting at `origin`.
struct JoinedRows {
  int64_t begin, end, period, origin;
};

// How an instruction is read along a row: at the position plus `shift`, for positions in [begin,
// end), modulo `period` if that is not 0.
struct RowRead {
  const HloInstruction* instruction;
  int64_t shift, begin, end;
  int64_t period;
  auto operator<=>(const RowRead&) const = default;
};

// Returns the parts of a row that joins several rows: at most three.
std::vector<LoopPartition> PartitionJoinedRows(const JoinedRows& rows,
                                               const std::vector<int64_t>& boundaries,
                                               int64_t length, int lanes) {
  const int64_t first =
      rows.origin + CeilOfRatio(rows.begin - rows.origin, rows.period) * rows.period;
  const int64_t repeats = FloorOfRatio(rows.end - first, rows.period);
  const auto is_inside = [&](int64_t cut) { return cut > rows.begin && cut < rows.end; };
  if (repeats < 1 || std::any_of(boundaries.begin(), boundaries.end(), is_inside)) return {};
  std::vector<int64_t> ends = boundaries;
  for (const int64_t end : {rows.begin, first, first + repeats * rows.period, rows.end})
    ends.push_back(end);
  std::vector<LoopPartition> parts = PartitionBetween(std::move(ends), length, lanes);
  for (LoopPartition& part : parts) {
    if (part.begin < rows.begin || part.end > rows.end) continue;
    part.period = rows.period;
    part.origin = rows.origin;
    if (part.begin != first) continue;
    part.end = first + rows.period;
    part.repeats = repeats;
  }
  return parts;
}

}  // namespace

std::vector<LoopPartition> PartitionRows(const HloInstruction& root, int64_t length, int lanes) {
  // Accesses to follow; fusions have few.
  constexpr size_t kMostAccesses = 4096;
  std::set<RowRead> seen = {{&root, 0, 0, length, 0}};
  std::vector<RowRead> pending(seen.begin(), seen.end());
  std::vector<int64_t> boundaries;
  std::vector<JoinedRows> joined;
  while (!pending.empty()) {
    const RowRead read = pending.back();
    pending.pop_back();
    const HloInstruction& instruction = *read.instruction;
    if (read.period == 0) {
      for (const int64_t cut : MinorBoundaries(instruction)) {
        if (cut - read.shift > 0 && cut - read.shift < length)
          boundaries.push_back(cut - read.shift);
      }
    }
    const int64_t row = JoinedRowLength(instruction);
    if (row > 0) joined.push_back({read.begin, read.end, row, -read.shift});
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const std::optional<int64_t> step = row > 0 ? 0 : MinorOffset(instruction, i);
      // Within joined rows, only operations that keep them whole are followed.
      if (!step.has_value() || seen.size() > kMostAccesses ||
          ((read.period > 0 || row > 0) && *step != 0)) {
        continue;
      }
      RowRead next = {instruction.operand(i), read.shift + *step, read.begin, read.end,
                      row > 0 ? row : read.period};
      if (instruction.opcode() == HloOpcode::kConcatenate ||
          instruction.opcode() == HloOpcode::kPad) {
        if (next.instruction->shape().rank() == 0) continue;
        next.begin = std::max(next.begin, -next.shift);
        next.end = std::min(next.end, MinorSize(*next.instruction) - next.shift);
      }
      if (next.begin < next.end && seen.insert(next).second) pending.push_back(next);
    }
  }
  if (!joined.empty()) {
    // Uses the shortest rows if all others consist of whole ones.
    const JoinedRows rows =
        *std::min_element(joined.begin(), joined.end(),
                          [](const auto& a, const auto& b) { return a.period < b.period; });
    const bool all_fit = std::all_of(joined.begin(), joined.end(), [&](const JoinedRows& other) {
      return other.period % rows.period == 0 && (other.origin - rows.origin) % rows.period == 0 &&
             other.begin == rows.begin && other.end == rows.end;
    });
    // In some short rows, the last vector would mostly recompute elements.
    const int64_t recomputed = CeilOfRatio(rows.period, int64_t{lanes}) * lanes - rows.period;
    if (all_fit && rows.period >= lanes && 4 * recomputed <= rows.period)
      return PartitionJoinedRows(rows, boundaries, length, lanes);
  }
  if (boundaries.empty()) return {};
  return PartitionBetween(std::move(boundaries), length, lanes);
}

namespace {

// Returns the phases of a row of the instruction, given those of its operands.
int64_t PhasesOf(const HloInstruction& instruction,
                 const absl::flat_hash_map<const HloInstruction*, int64_t>& known) {
  constexpr int64_t kMostPhases = 8;
  const int d = LastLongDimension(instruction.shape());
  if (d < 0 || instruction.operand_count() == 0) return 1;
  const HloInstruction& operand = *instruction.operand(0);
  const auto phases_of = [&](const HloInstruction& o) {
    const auto found = known.find(&o);
    return found == known.end() ? int64_t{1} : found->second;
  };
  // The phases of an operand whose last dimension is the same.
  const auto phases_along = [&](const HloInstruction& o) {
    return LastLongDimension(o.shape()) == d ? phases_of(o) : 1;
  };
  switch (instruction.opcode()) {
    case HloOpcode::kPad: {
      const int64_t interior =
          instruction.attributes<PadAttributes>().padding[static_cast<size_t>(d)].interior;
      if (interior >= kMostPhases) return 1;
      const int64_t own = interior + 1, all = own * phases_along(operand);
      return all > kMostPhases ? own : all;
    }
    case HloOpcode::kSlice: {
      const int64_t stride =
          instruction.attributes<SliceAttributes>().slice[static_cast<size_t>(d)].stride;
      const int64_t all = phases_along(operand);
      return all / std::gcd(all, stride);
    }
    case HloOpcode::kBroadcast:
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast: {
      const int from = LastLongDimension(operand.shape());
      const bool is_same = from >= 0 &&
                           operand.shape().dimensions(from) == instruction.shape().dimensions(d) &&
                           (instruction.opcode() != HloOpcode::kBroadcast ||
                            instruction.dimensions()[static_cast<size_t>(from)] == d);
      return is_same ? phases_of(operand) : 1;
    }
    default: {
      if (!IsElementwise(instruction)) return 1;
      int64_t all = 1;
      for (const HloInstruction* o : instruction.operands()) {
        const int64_t joined = std::lcm(all, phases_of(*o));
        all = joined > kMostPhases ? std::max(all, phases_of(*o)) : joined;
      }
      return all;
    }
  }
}

}  // namespace

int64_t PhasesOfRows(const HloComputation& computation) {
  absl::flat_hash_map<const HloInstruction*, int64_t> known;
  for (const HloInstruction* instruction : computation.MakeInstructionPostOrder()) {
    switch (instruction->opcode()) {
      case HloOpcode::kDot:
      case HloOpcode::kMap:
      case HloOpcode::kReduce:
      case HloOpcode::kReduceWindow:
      case HloOpcode::kScatter:
      case HloOpcode::kTuple:
        return 1;
      default:
        break;
    }
    const Shape& shape = instruction->shape();
    if (!shape.IsArray() || primitive_util::IsComplexType(shape.element_type())) return 1;
    known[instruction] = PhasesOf(*instruction, known);
  }
  return known[computation.root_instruction()];
}

}  // namespace xla::cpu
