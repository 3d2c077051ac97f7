// SPDX-License-Identifier: Apache-2.0
// Files are replaced whole; links, pipes and devices are written through.
#include "tools/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"

namespace xla {
namespace {

std::string NewPath(const std::string& name) {
  std::string path = absl::StrCat(testing::ProcessTempDir(), "/files_test_", name);
  std::remove(path.c_str());
  return path;
}

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
  return info.st_mode;
}

TEST(FilesTest, WhatIsWrittenIsRead) {
  const std::string path = NewPath("plain");
  ASSERT_OK(WriteFile(path, "first and longer"));
  ASSERT_OK(WriteFile(path, "second"));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, ReadFile(path));
  EXPECT_EQ(bytes, "second");
  EXPECT_STATUS(ReadFile(path, 5), absl::StatusCode::kResourceExhausted, "larger than 5 bytes");
  EXPECT_OK(ReadFile(path, 6));
}

TEST(FilesTest, ReadingIsBoundedWithoutASize) {
  EXPECT_STATUS(ReadFile("/dev/zero", 1 << 20), absl::StatusCode::kResourceExhausted,
                "larger than 1048576 bytes");
  EXPECT_STATUS(ReadFile("/no/such/file"), absl::StatusCode::kNotFound, "/no/such/file: No such");
  EXPECT_ERROR(ReadFile("/"), "/: Is a directory");
}

TEST(FilesTest, WhatBeginsWronglyIsNotReadToItsEnd) {
  const auto can_begin = [](std::string_view bytes) { return bytes.starts_with("ab"); };
  ASSERT_OK_AND_ASSIGN(const std::string zeros, ReadFile("/dev/zero", int64_t{1} << 40, can_begin));
  EXPECT_LE(zeros.size(), size_t{1} << 20);
  // What has an end is read whole.
  const std::string path = NewPath("other");
  ASSERT_OK(WriteFile(path, std::string(1 << 20, 'c')));
  ASSERT_OK_AND_ASSIGN(const std::string whole, ReadFile(path, kMaxProgramBytes, can_begin));
  EXPECT_EQ(whole.size(), size_t{1} << 20);
}

TEST(FilesTest, PermissionsAreKept) {
  const std::string path = NewPath("permissions");
  ASSERT_OK(WriteFile(path, "a"));
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_OK(WriteFile(path, "b"));
  EXPECT_EQ(ModeOf(path), S_IFREG | 0640u);
}

TEST(FilesTest, LinksAreFollowed) {
  const std::string target = NewPath("target"), link = NewPath("link");
  ASSERT_OK(WriteFile(target, "old"));
  ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
  ASSERT_OK(WriteFile(link, "new"));
  EXPECT_TRUE(S_ISLNK(ModeOf(link)));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, ReadFile(target));
  EXPECT_EQ(bytes, "new");
  // A link to a file that does not exist creates it.
  std::remove(target.c_str());
  ASSERT_OK(WriteFile(link, "created"));
  EXPECT_TRUE(S_ISLNK(ModeOf(link)));
  EXPECT_OK(ReadFile(target));
}

TEST(FilesTest, PipesAreWrittenTo) {
  const std::string path = NewPath("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const bool with : {false, true}) {
    std::string read;
    std::thread reader([&] {
      const auto bytes = ReadFile(path);
      if (bytes.ok()) read = *bytes;
    });
    ASSERT_OK(with ? WriteFileWith(path,
                                   [](const std::string& temporary) {
                                     return WriteFile(temporary, "through");
                                   })
                   : WriteFile(path, "through"));
    reader.join();
    EXPECT_EQ(read, "through");
    EXPECT_TRUE(S_ISFIFO(ModeOf(path)));
  }
}

TEST(FilesTest, DevicesAreWrittenTo) {
  const std::string path = NewPath("null");
  if (mknod(path.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "needs privileges";
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) GTEST_SKIP() << "devices are disabled here";
  std::fclose(file);
  ASSERT_OK(WriteFile(path, "gone"));
  EXPECT_TRUE(S_ISCHR(ModeOf(path)));
  std::remove(path.c_str());
}

TEST(FilesTest, NothingIsLeftOfAFailedWrite) {
  const std::string path = NewPath("failed");
  ASSERT_OK(WriteFile(path, "kept"));
  std::string seen;
  EXPECT_ERROR(WriteFileWith(path,
                             [&](const std::string& temporary) {
                               seen = temporary;
                               return absl::InternalError("does not work");
                             }),
               "does not work");
  EXPECT_NE(access(seen.c_str(), F_OK), 0);
  ASSERT_OK_AND_ASSIGN(const std::string bytes, ReadFile(path));
  EXPECT_EQ(bytes, "kept");
  EXPECT_STATUS(WriteFile("/no/such/folder/file", "x"), absl::StatusCode::kNotFound,
                "/no/such/folder/file");
}

}  // namespace
}  // namespace xla
