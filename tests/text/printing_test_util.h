// SPDX-License-Identifier: Apache-2.0
// Texts that are read and printed again.
#ifndef TESTS_TEXT_PRINTING_TEST_UTIL_H_
#define TESTS_TEXT_PRINTING_TEST_UTIL_H_

#include <memory>
#include <string>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"

namespace xla {

// The text of a module, which must not change when it is read and printed again.
inline std::string Printed(const std::string& text) {
  const absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module) << text;
  if (!module.ok()) return "";
  std::string once = ModuleToString(**module);
  const absl::StatusOr<std::unique_ptr<HloModule>> again = ParseAndReturnUnverifiedModule(once);
  EXPECT_OK(again) << once;
  if (again.ok()) {
    EXPECT_EQ(ModuleToString(**again), once);
  }
  return once;
}

inline void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

}  // namespace xla

#endif  // TESTS_TEXT_PRINTING_TEST_UTIL_H_
