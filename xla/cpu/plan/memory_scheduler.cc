// SPDX-License-Identifier: Apache-2.0
// List scheduling: of the instructions that are ready, the one that adds the least memory is next.
// Buffer sharing is ignored, except for elementwise fusions that can reuse a dying operand.
#include "xla/cpu/plan/memory_scheduler.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "xla/base/machine.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

using Numbers = std::vector<int32_t>;  // positions in the given order

int64_t LeafBytes(const Shape& shape) {
  int64_t bytes = 0;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) bytes += LeafBytes(element);
  } else if (shape.IsArray()) {
    bytes = primitive_util::ByteWidth(shape.element_type());
    for (const int64_t size : shape.dimensions()) bytes *= size;
  }
  return bytes;
}

// Whether the instruction takes no memory or time of its own.
bool TakesNothing(const HloInstruction& instruction) {
  return IsFree(instruction.opcode()) || LoweringOf(instruction).IsFree();
}

class MemoryOrder {
 public:
  explicit MemoryOrder(const std::vector<const HloInstruction*>& order)
      : order_(order), count_(order.size()) {
    for (size_t i = 0; i < count_; ++i) number_[order_[i]] = static_cast<int32_t>(i);
    sources_.resize(count_);
    bytes_.resize(count_, 0);
    readers_.resize(count_);
    is_free_.resize(count_);
    for (size_t i = 0; i < count_; ++i) {
      is_free_[i] = TakesNothing(*order_[i]);
      reads_.push_back(SourcesOfOperands(*order_[i]));
      if (is_free_[i]) {
        sources_[i] = reads_[i];
        continue;
      }
      sources_[i] = {static_cast<int32_t>(i)};
      bytes_[i] = LeafBytes(order_[i]->shape());
      for (const int32_t source : reads_[i])
        readers_[At(source)].push_back(static_cast<int32_t>(i));
    }
    // Results have their own memory.
    for (size_t i = 0; i < count_; ++i) {
      if (!order_[i]->IsRoot()) continue;
      for (const int32_t source : sources_[i]) bytes_[At(source)] = 0;
    }
  }

  // Returns the peak memory of live values.
  int64_t Peak(const Numbers& order) const {
    std::vector<size_t> left = ReaderCounts();
    int64_t alive = 0, peak = 0;
    for (const int32_t i : order) {
      if (is_free_[At(i)]) continue;
      int64_t freed = 0;
      bool takes_over = false;
      for (const int32_t source : reads_[At(i)]) {
        if (--left[At(source)] > 0) continue;
        freed += bytes_[At(source)];
        takes_over |= bytes_[At(source)] == bytes_[At(i)];
      }
      const HloInstruction& instruction = *order_[At(i)];
      takes_over &=
          instruction.opcode() == HloOpcode::kFusion && LoweringOf(instruction).epilogue_of < 0;
      peak = std::max(peak, alive + (takes_over ? 0 : bytes_[At(i)]));
      alive += bytes_[At(i)] - freed;
    }
    return peak;
  }

  Numbers GivenOrder() const {
    Numbers order(count_);
    for (size_t i = 0; i < count_; ++i) order[i] = static_cast<int32_t>(i);
    return order;
  }

  Numbers GreedyOrder() const {
    std::vector<size_t> left = ReaderCounts();
    Numbers waits(count_, 0);  // number of operands and predecessors it waits for
    std::vector<bool> is_done(count_, false);
    for (size_t i = 0; i < count_; ++i) {
      for (const int32_t next : After(*order_[i])) ++waits[At(next)];
    }
    using Entry = std::pair<int64_t, int32_t>;  // growth, number
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
    const auto growth = [&](int32_t i) {
      if (is_free_[At(i)]) return std::numeric_limits<int64_t>::min();
      int64_t bytes = bytes_[At(i)];
      for (const int32_t source : reads_[At(i)]) {
        if (left[At(source)] == 1) bytes -= bytes_[At(source)];
      }
      return bytes / kUsualMachine.page_bytes;  // smaller differences are not worth another order
    };
    const auto add = [&](int32_t i) { ready.emplace(growth(i), i); };
    for (size_t i = 0; i < count_; ++i) {
      if (waits[i] == 0) add(static_cast<int32_t>(i));
    }
    Numbers result;
    while (!ready.empty()) {
      const auto [key, i] = ready.top();
      ready.pop();
      if (is_done[At(i)]) continue;
      is_done[At(i)] = true;
      result.push_back(i);
      if (!is_free_[At(i)]) {
        for (const int32_t source : reads_[At(i)]) {
          if (--left[At(source)] != 1) continue;
          // Its last reader frees it.
          for (const int32_t reader : readers_[At(source)]) {
            if (!is_done[At(reader)] && waits[At(reader)] == 0) add(reader);
          }
        }
      }
      for (const int32_t next : After(*order_[At(i)])) {
        if (--waits[At(next)] == 0) add(next);
      }
    }
    return result;
  }

 private:
  static size_t At(int32_t number) { return static_cast<size_t>(number); }

  // Returns the instructions that must come later.
  Numbers After(const HloInstruction& instruction) const {
    Numbers after;
    const auto add = [&](const HloInstruction* next) {
      const auto found = number_.find(next);
      if (found != number_.end()) after.push_back(found->second);
    };
    for (const HloInstruction* user : instruction.users()) add(user);
    for (const HloInstruction* next : instruction.control_successors()) add(next);
    return after;
  }

  std::vector<size_t> ReaderCounts() const {
    std::vector<size_t> counts;
    for (const Numbers& readers : readers_) counts.push_back(readers.size());
    return counts;
  }

  // Returns the instructions that made the operands' values.
  Numbers SourcesOfOperands(const HloInstruction& instruction) const {
    if (instruction.opcode() == HloOpcode::kGetTupleElement &&
        instruction.operand(0)->opcode() == HloOpcode::kTuple) {
      return sources_[At(number_.at(instruction.operand(0)->operand(instruction.tuple_index())))];
    }
    Numbers all;
    for (const HloInstruction* operand : instruction.operands()) {
      const Numbers& own = sources_[At(number_.at(operand))];
      all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  const std::vector<const HloInstruction*>& order_;
  const size_t count_;
  absl::flat_hash_map<const HloInstruction*, int32_t> number_;
  std::vector<Numbers> sources_, reads_, readers_;
  std::vector<int64_t> bytes_;
  std::vector<bool> is_free_;
};

// Whether the order of an instruction matters beyond its operands: it has effects, or updates in
// place what others read.
bool KeepsOrder(const HloInstruction& instruction) {
  if (instruction.HasSideEffectNoRecurse()) return true;
  if (instruction.opcode() != HloOpcode::kFusion) return false;
  for (const int64_t operand : LoweringOf(instruction).updated) {
    if (instruction.operand(operand)->user_count() > 1) return true;
  }
  return false;
}

}  // namespace

std::vector<const HloInstruction*> OrderForMemory(std::vector<const HloInstruction*> order) {
  constexpr size_t kFewInstructions = 4;
  if (order.size() < kFewInstructions ||
      std::any_of(order.begin(), order.end(),
                  [](const HloInstruction* i) { return KeepsOrder(*i); })) {
    return order;
  }
  const MemoryOrder memory(order);
  const int64_t peak = memory.Peak(memory.GivenOrder());
  if (peak < 2 * kUsualMachine.first_level_bytes) return order;
  const Numbers greedy = memory.GreedyOrder();
  if (greedy.size() != order.size() || memory.Peak(greedy) > peak - peak / 16) return order;
  std::vector<const HloInstruction*> result;
  for (const int32_t i : greedy) result.push_back(order[static_cast<size_t>(i)]);
  return result;
}

}  // namespace xla::cpu
