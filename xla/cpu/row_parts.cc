// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/row_parts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "xla/cpu/elementwise.h"

namespace xla::cpu {
namespace {

int64_t MinorSize(const HloInstruction& instruction) {
  return instruction.shape().dimensions().back();
}

}  // namespace

std::optional<int64_t> MinorShift(const HloInstruction& instruction, int64_t operand) {
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

std::vector<int64_t> MinorCuts(const HloInstruction& instruction) {
  std::vector<int64_t> cuts;
  if (!instruction.shape().IsArray()) return cuts;
  const int64_t minor = instruction.shape().rank() - 1;
  if (instruction.opcode() == HloOpcode::kConcatenate && instruction.dimensions()[0] == minor) {
    int64_t start = 0;
    for (int64_t i = 0; i + 1 < instruction.operand_count(); ++i) {
      start += MinorSize(*instruction.operand(i));
      cuts.push_back(start);
    }
  } else if (instruction.opcode() == HloOpcode::kPad && minor >= 0) {
    const PadDim& dim = instruction.attributes<PadAttributes>().padding[static_cast<size_t>(minor)];
    if (dim.interior == 0) cuts = {dim.low, MinorSize(instruction) - dim.high};
  }
  return cuts;
}

std::vector<RowPart> PartsBetween(std::vector<int64_t> cuts, int64_t length, int lanes) {
  // Each part is code of its own.
  constexpr size_t kMostParts = 3;
  cuts.push_back(0);
  cuts.push_back(length);
  std::sort(cuts.begin(), cuts.end());
  std::vector<RowPart> parts;
  int64_t covered = 0;
  for (size_t i = 0; i + 1 < cuts.size(); ++i) {
    const int64_t begin = std::max<int64_t>(cuts[i], 0), end = std::min(cuts[i + 1], length);
    if (end - begin < lanes) continue;
    parts.push_back({begin, end});
    covered += end - begin;
  }
  if (parts.size() > kMostParts || (length - covered) * 8 > length) return {};
  return parts;
}

std::vector<RowPart> PartsOfRows(const HloInstruction& root, int64_t length, int lanes) {
  // Accesses to follow; fusions have few.
  constexpr size_t kMostAccesses = 4096;
  std::set<std::pair<const HloInstruction*, int64_t>> seen = {{&root, 0}};
  std::vector<std::pair<const HloInstruction*, int64_t>> pending(seen.begin(), seen.end());
  std::vector<int64_t> cuts;
  while (!pending.empty()) {
    const auto [instruction, shift] = pending.back();
    pending.pop_back();
    for (const int64_t cut : MinorCuts(*instruction)) {
      if (cut - shift > 0 && cut - shift < length) cuts.push_back(cut - shift);
    }
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      const std::optional<int64_t> step = MinorShift(*instruction, i);
      if (!step.has_value() || seen.size() > kMostAccesses) continue;
      const std::pair<const HloInstruction*, int64_t> next = {instruction->operand(i),
                                                              shift + *step};
      if (seen.insert(next).second) pending.push_back(next);
    }
  }
  if (cuts.empty()) return {};
  return PartsBetween(std::move(cuts), length, lanes);
}

}  // namespace xla::cpu
