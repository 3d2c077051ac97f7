// SPDX-License-Identifier: Apache-2.0
// GmockMatch(m::Add(..)): a pattern of instructions as a GoogleMock matcher.
#ifndef TESTS_XLA_COMPAT_PATTERN_MATCHER_GMOCK_H_
#define TESTS_XLA_COMPAT_PATTERN_MATCHER_GMOCK_H_

#include <gmock/gmock.h>

#include <ostream>
#include <sstream>

#include "xla/service/pattern_matcher.h"

namespace xla {

class GmockPattern {
 public:
  explicit GmockPattern(match::Pattern pattern) : pattern_(std::move(pattern)) {}
  bool MatchAndExplain(const HloInstruction* instruction,
                       ::testing::MatchResultListener* listener) const {
    std::ostringstream reason;
    const bool matches = Match(instruction, pattern_, {.capture = true, .explain_os = &reason});
    *listener << reason.str();
    return matches;
  }
  void DescribeTo(std::ostream* out) const { *out << "matches the pattern"; }
  void DescribeNegationTo(std::ostream* out) const { *out << "does not match the pattern"; }

 private:
  match::Pattern pattern_;
};

inline ::testing::PolymorphicMatcher<GmockPattern> GmockMatch(match::Pattern pattern) {
  return ::testing::MakePolymorphicMatcher(GmockPattern(std::move(pattern)));
}

}  // namespace xla

#endif  // TESTS_XLA_COMPAT_PATTERN_MATCHER_GMOCK_H_
