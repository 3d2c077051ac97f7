// SPDX-License-Identifier: Apache-2.0
// Verifier tests as tables: HLO text, and what the error says ("" for a good module).
#ifndef TESTS_VERIFIER_VERIFIER_TEST_UTIL_H_
#define TESTS_VERIFIER_VERIFIER_TEST_UTIL_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::testing {

struct VerifierCase {
  std::string text;
  std::string error;  // "": the module is good
};

inline absl::Status Verify(const std::string& text, const HloVerifierOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  // What the parser already rejects is no test of the verifier.
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return absl::UnknownError("did not parse");
  return VerifyModule(**module, options);
}

inline void ExpectVerified(const std::vector<VerifierCase>& cases,
                           const HloVerifierOptions& options = {}) {
  for (const VerifierCase& c : cases) {
    const absl::Status status = Verify(c.text, options);
    if (c.error.empty()) {
      EXPECT_OK(status) << c.text;
    } else {
      EXPECT_ERROR(status, c.error) << c.text;
    }
  }
}

// The entry computation with these lines, the last of them the root.
inline std::string Entry(const std::string& lines, const std::string& before = "",
                         const std::string& header = "") {
  return "HloModule m" + header + "\n" + before + "\nENTRY e {\n" + lines + "\n}\n";
}

}  // namespace xla::testing

#endif  // TESTS_VERIFIER_VERIFIER_TEST_UTIL_H_
