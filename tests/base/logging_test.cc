// SPDX-License-Identifier: Apache-2.0
// Messages of code written for XLA: severity, file without folders, line.
#include "xla/tsl/platform/logging.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// Abseil's own library writes more.
#if !__has_include("absl/log/absl_log.h")
TEST(Logging, WritesSeverityFileAndLine) {
  ::testing::internal::CaptureStderr();
  LOG(ERROR) << "text " << 7;
  const int line = __LINE__ - 1;
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            absl::StrCat("E logging_test.cc:", line, "] text 7\n"));
  ::testing::internal::CaptureStderr();
  tsl::internal::LogMessage("file.cc", 3, absl::LogSeverity::kWarning).stream() << "no folder";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "W file.cc:3] no folder\n");
}
#endif

}  // namespace
}  // namespace xla
