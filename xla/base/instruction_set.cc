// SPDX-License-Identifier: Apache-2.0
#include "xla/base/instruction_set.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// In the order of InstructionSet.
constexpr const char* kNames[] = {"SSE4_2", "AVX", "AVX2", "AVX512", "AVX512_VNNI", "AVX512_BF16"};
// Instructions beyond those above, and AArch64's.
constexpr const char* kUnused[] = {"AMX", "AMX_FP16", "NEON", "SVE", "SVE2"};

thread_local InstructionSet bound_of_thread = InstructionSet::kAny;

}  // namespace

absl::StatusOr<InstructionSet> ParseInstructionSet(absl::string_view name) {
  if (name.empty()) return InstructionSet::kAny;
  uint8_t value = 0;
  for (const char* known : kNames) {
    if (absl::EqualsIgnoreCase(name, known)) return static_cast<InstructionSet>(value);
    ++value;
  }
  for (const char* known : kUnused) {
    if (absl::EqualsIgnoreCase(name, known)) return InstructionSet::kAny;
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown instruction set '", std::string(name),
                                                 "'; known: ", InstructionSetNames()));
}

std::string InstructionSetNames() {
  std::string names;
  for (const char* name : kNames) absl::StrAppend(&names, names.empty() ? "" : ", ", name);
  return names;
}

const char* InstructionSetName(InstructionSet set) {
  return set == InstructionSet::kAny ? "" : kNames[static_cast<int>(set)];
}

InstructionSet MaxInstructionSet() { return bound_of_thread; }

ScopedMaxInstructionSet::ScopedMaxInstructionSet(InstructionSet bound) : outer_(bound_of_thread) {
  bound_of_thread = bound;
}
ScopedMaxInstructionSet::~ScopedMaxInstructionSet() { bound_of_thread = outer_; }

}  // namespace xla
