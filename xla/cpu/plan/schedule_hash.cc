// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/schedule_hash.h"

#include <string_view>

#include "absl/types/span.h"
#include "xla/base/fnv_hash.h"

namespace xla::cpu {
namespace {

class Hash {
 public:
  void Add(uint64_t number) {
    value_ = FnvHash({reinterpret_cast<const char*>(&number), sizeof(number)}, value_);
  }
  void Add(int64_t number) { Add(static_cast<uint64_t>(number)); }
  void Add(std::string_view text) {
    Add(static_cast<uint64_t>(text.size()));
    value_ = FnvHash(text, value_);
  }
  void Add(absl::Span<const ValueId> values) {
    Add(static_cast<uint64_t>(values.size()));
    for (const ValueId value : values) Add(int64_t{value});
  }
  void Add(const HloInstruction* instruction) {
    Add(instruction == nullptr ? std::string_view() : std::string_view(instruction->name()));
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = kFnvBasis;
};

void Add(absl::Span<const ScheduledItem> items, Hash& hash) {
  hash.Add(static_cast<uint64_t>(items.size()));
  for (const ScheduledItem& item : items) {
    hash.Add(static_cast<uint64_t>(item.kind));
    hash.Add(item.instruction);
    hash.Add(item.contraction);
    hash.Add(item.operands);
    hash.Add(item.results);
    hash.Add(int64_t{item.predicate});
    hash.Add(static_cast<uint64_t>(item.bodies.size()));
    for (const auto& body : item.bodies) Add(body, hash);
  }
}

}  // namespace

uint64_t HashOf(const ProgramSchedule& schedule) {
  Hash hash;
  hash.Add(static_cast<uint64_t>(schedule.values.size()));
  for (const ScheduledValue& value : schedule.values) {
    hash.Add(value.instruction);
    hash.Add(static_cast<uint64_t>(value.slice.memory));
    hash.Add(int64_t{value.slice.number});
    hash.Add(value.slice.offset);
    hash.Add(value.bytes);
  }
  Add(schedule.items, hash);
  hash.Add(schedule.results);
  for (const HloInstruction* constant : schedule.constants) hash.Add(constant);
  hash.Add(schedule.scratch_bytes);
  return hash.value();
}

}  // namespace xla::cpu
