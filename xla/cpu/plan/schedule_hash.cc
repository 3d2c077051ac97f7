// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/plan/schedule_hash.h"

#include <string_view>

#include "absl/types/span.h"

namespace xla::cpu {
namespace {

// FNV-1a.
class Hash {
 public:
  void Add(uint64_t number) {
    for (int i = 0; i < 8; ++i, number >>= 8) AddByte(static_cast<unsigned char>(number));
  }
  void Add(int64_t number) { Add(static_cast<uint64_t>(number)); }
  void Add(std::string_view text) {
    Add(static_cast<uint64_t>(text.size()));
    for (const char c : text) AddByte(static_cast<unsigned char>(c));
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
  void AddByte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3u; }
  uint64_t value_ = 0xcbf29ce484222325u;
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
