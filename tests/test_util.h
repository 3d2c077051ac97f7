// SPDX-License-Identifier: Apache-2.0
// Assertions about absl::Status and absl::StatusOr, and where files of tests lie.
//
//   ASSERT_OK(Verify(module));
//   ASSERT_OK_AND_ASSIGN(auto module, Parse(text));
//   EXPECT_ERROR(Parse("HloModule"), "expected '{'");                       // any code
//   EXPECT_STATUS(Parse(""), absl::StatusCode::kInvalidArgument, "empty");  // code and substring
#ifndef TESTS_TEST_UTIL_H_
#define TESTS_TEST_UTIL_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace xla::testing {

// A folder for files of this process, removed at its end: tests of one program run at the same
// time.
inline const std::string& ProcessTempDir() {
  struct Folder {
    Folder() : path(::testing::TempDir() + "/xylem_test_XXXXXX") {
      if (mkdtemp(path.data()) == nullptr) path = ::testing::TempDir();
    }
    ~Folder() {
      std::error_code ignored;
      if (path != ::testing::TempDir() && getpid() == owner)
        std::filesystem::remove_all(path, ignored);
    }
    std::string path;
    const pid_t owner = getpid();  // not a process that a test forked
  };
  static const Folder folder;
  return folder.path;
}

// The bytes of a file; none if it cannot be read.
inline std::string ReadWholeFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (in.peek() != std::ifstream::traits_type::eof()) bytes << in.rdbuf();
  return std::move(bytes).str();
}

inline const absl::Status& GetStatus(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

// A predicate formatter: succeeds on an OK status.
template <typename T>
::testing::AssertionResult IsOk(const char* expression, const T& value) {
  const absl::Status& status = GetStatus(value);
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << expression << "\nis not OK: " << status;
}

// Succeeds on an error whose message contains `substring`.
template <typename T>
::testing::AssertionResult IsError(const char* expression, const char*, const T& value,
                                   absl::string_view substring) {
  const absl::Status& status = GetStatus(value);
  if (status.ok()) {
    return ::testing::AssertionFailure()
           << expression << "\nis OK; expected an error with \"" << substring << '"';
  }
  if (absl::StrContains(status.message(), substring)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << expression << "\ngave: " << status << "\nexpected a message with: " << substring;
}

// Succeeds on an error of this code whose message contains `substring`.
template <typename T>
::testing::AssertionResult IsStatus(const char* expression, const char* code_text, const char* text,
                                    const T& value, absl::StatusCode code,
                                    absl::string_view substring) {
  const absl::Status& status = GetStatus(value);
  if (!status.ok() && status.code() != code) {
    return ::testing::AssertionFailure()
           << expression << "\ngave: " << status << "\nexpected code: " << code_text;
  }
  return IsError(expression, text, value, substring);
}

// The path of a file of the repository, given from its root: "tests/programs/cumsum/program.hlo".
#ifdef XYLEM_SOURCE_DIR
inline std::string SourcePath(absl::string_view relative) {
  return std::string(XYLEM_SOURCE_DIR "/") + std::string(relative);
}
#endif

// The whole content of a file; a failed read gives a non-fatal test failure and "".
inline std::string ReadTestFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

}  // namespace xla::testing

#define EXPECT_OK(...) EXPECT_PRED_FORMAT1(::xla::testing::IsOk, (__VA_ARGS__))
#define ASSERT_OK(...) ASSERT_PRED_FORMAT1(::xla::testing::IsOk, (__VA_ARGS__))
#define EXPECT_ERROR(expression, substring) \
  EXPECT_PRED_FORMAT2(::xla::testing::IsError, expression, substring)
#define ASSERT_ERROR(expression, substring) \
  ASSERT_PRED_FORMAT2(::xla::testing::IsError, expression, substring)
#define EXPECT_STATUS(expression, code, substring) \
  EXPECT_PRED_FORMAT3(::xla::testing::IsStatus, expression, code, substring)
#define ASSERT_STATUS(expression, code, substring) \
  ASSERT_PRED_FORMAT3(::xla::testing::IsStatus, expression, code, substring)

#define XLA_TEST_CONCAT_INNER(x, y) x##y
#define XLA_TEST_CONCAT(x, y) XLA_TEST_CONCAT_INNER(x, y)

// Fails the test unless the absl::StatusOr is OK, else moves its value into `lhs`.
#define ASSERT_OK_AND_ASSIGN(lhs, ...) \
  ASSERT_OK_AND_ASSIGN_IMPL(XLA_TEST_CONCAT(test_status_or_, __COUNTER__), lhs, __VA_ARGS__)
#define ASSERT_OK_AND_ASSIGN_IMPL(status_or, lhs, ...) \
  auto status_or = (__VA_ARGS__);                      \
  ASSERT_OK(status_or);                                \
  lhs = *std::move(status_or)

#endif  // TESTS_TEST_UTIL_H_
