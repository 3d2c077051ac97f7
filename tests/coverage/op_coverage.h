// SPDX-License-Identifier: Apache-2.0
// Which parts of the system support each operation, and for which element types: computed by
// running the operation's example through them.
#ifndef TESTS_COVERAGE_OP_COVERAGE_H_
#define TESTS_COVERAGE_OP_COVERAGE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/xla_data_enums.h"

namespace xla {

enum class OpAspect : uint8_t {
  kBuilder,         // XlaBuilder makes the example's instruction again: same shape and attributes
  kText,            // the example parses, and its prints (long and short) parse as the same program
  kProto,           // HloModuleProto and back gives the same program
  kShapeInference,  // gives the example's shape
  kVerifier,        // accepts the example, refuses it damaged
  kInterpreter,     // the example runs and its checks hold
};
inline constexpr int kNumOpAspects = 6;
std::string_view OpAspectName(OpAspect aspect);

struct OpMark {
  enum Kind : uint8_t {
    kNotSpecified,  // the specification does not have it
    kHole,          // it should work and does not: `why`
    kRuns,  // types: runs, but the example's numbers do not fit the type, so its checks fail
    kHolds,
  } kind = kHole;
  std::string why;
};

struct OpCoverage {
  HloOpcode opcode;
  std::array<OpMark, kNumOpAspects> aspects;
  // Of each element type in the order of ArrayElementTypes(): the example, with the types of the
  // operation's operands and results replaced by this one, each in turn and all at once, where the
  // verifier allows that. kNotSpecified: it allows none.
  std::vector<OpMark> types;

  int64_t holes() const;
};

OpCoverage CoverOperation(HloOpcode opcode);

// A table with one line per operation, followed by a legend and the reason for each hole.
std::string CoverageTable(const std::vector<OpCoverage>& rows);

}  // namespace xla

#endif  // TESTS_COVERAGE_OP_COVERAGE_H_
