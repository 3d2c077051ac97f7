// SPDX-License-Identifier: Apache-2.0
// Programs written as portable artifacts are the same programs when they are read.
#include "xla/stablehlo/portable_artifact.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/mlir/bytecode_reader.h"
#include "xla/stablehlo/syntax.h"
#include "xla/stablehlo/translate.h"

namespace xla::stablehlo {
namespace {

using testing::ReadTestFile;
using testing::SourcePath;

absl::StatusOr<std::string> WriteText(const std::string& text, std::string_view version) {
  XLA_ASSIGN_OR_RETURN(const auto source, LoadStableHlo(text, "test.mlir"));
  XLA_ASSIGN_OR_RETURN(const Version parsed, ParseVersion(version));
  return WritePortableArtifact(source.get(), parsed);
}

class PortableArtifactTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PortableArtifactTest, ReadsAsTheSameProgram) {
  int written = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourcePath("tests/stablehlo/programs"))) {
    if (entry.path().extension() != ".mlir") continue;
    const std::string text =
        ReadTestFile(absl::StrCat("tests/stablehlo/programs/", entry.path().filename().string()));
    const auto bytes = WriteText(text, GetParam());
    if (!bytes.ok()) {
      // Of other dialects, or later than the version.
      EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument) << bytes.status();
      continue;
    }
    ++written;
    ASSERT_OK_AND_ASSIGN(const std::string again, WriteText(text, GetParam()));
    EXPECT_EQ(*bytes, again) << "the bytes must not depend on the run";
    ASSERT_OK_AND_ASSIGN(const auto expected, ReadStableHlo(text, "text"));
    ASSERT_OK_AND_ASSIGN(const auto module, ReadStableHlo(*bytes, "bytes"));
    EXPECT_OK(expected->CheckEqual(*module)) << entry.path();
    // What was read is written as the same bytes.
    ASSERT_OK_AND_ASSIGN(const auto source, LoadStableHlo(*bytes, "bytes"));
    ASSERT_OK_AND_ASSIGN(const Version version, ParseVersion(GetParam()));
    ASSERT_OK_AND_ASSIGN(const std::string copy, WritePortableArtifact(source.get(), version));
    ASSERT_OK_AND_ASSIGN(const auto second, ReadStableHlo(copy, "copy"));
    EXPECT_OK(expected->CheckEqual(*second)) << entry.path();
  }
  EXPECT_GE(written, 3);
}

INSTANTIATE_TEST_SUITE_P(Versions, PortableArtifactTest,
                         ::testing::Values("minimum", "1.1.0", "1.5.0", "1.6.0", "1.9.0", "1.10.0",
                                           "1.13.7", "1.17.0", "1.18.0", "current"));

TEST(PortableArtifactTest, HoldsTheDataOfResources) {
  const std::string text =
      "func.func @main() -> tensor<3xf32> {\n"
      "  %0 = stablehlo.constant dense_resource<numbers> : tensor<3xf32>\n"
      "  return %0 : tensor<3xf32>\n}\n"
      "{-# dialect_resources: { builtin: { numbers: "
      "\"0x040000000000803F0000004000004040\" } } #-}\n";
  const std::string dense =
      "func.func @main() -> tensor<3xf32> {\n"
      "  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n"
      "  return %0 : tensor<3xf32>\n}\n";
  ASSERT_OK_AND_ASSIGN(const auto expected, ReadStableHlo(dense, "dense"));
  ASSERT_OK_AND_ASSIGN(const auto from_text, ReadStableHlo(text, "text"));
  EXPECT_OK(expected->CheckEqual(*from_text));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, WriteText(text, "current"));
  ASSERT_OK_AND_ASSIGN(const auto from_bytes, ReadStableHlo(bytes, "bytes"));
  EXPECT_OK(expected->CheckEqual(*from_bytes));
  const std::string short_data = text.substr(0, text.find("00004040")) + "\" } } #-}\n";
  EXPECT_ERROR(ReadStableHlo(short_data, "text"), "the resource 'numbers'");
}

TEST(PortableArtifactTest, KeepsNumbersOfSixBits) {
  const std::string text =
      "func.func @main() -> tensor<2xf6E2M3FN> {\n"
      "  %0 = stablehlo.constant dense<[1.5, -2.0]> : tensor<2xf6E2M3FN>\n"
      "  return %0 : tensor<2xf6E2M3FN>\n}\n";
  ASSERT_OK_AND_ASSIGN(const std::string bytes, WriteText(text, "current"));
  ASSERT_OK_AND_ASSIGN(const auto expected, ReadStableHlo(text, "text"));
  ASSERT_OK_AND_ASSIGN(const auto module, ReadStableHlo(bytes, "bytes"));
  EXPECT_OK(expected->CheckEqual(*module));
}

TEST(PortableArtifactErrorTest, VersionsLackWhatCameLater) {
  const std::string tan =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.tan %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n";
  EXPECT_OK(WriteText(tan, "1.4.0"));
  EXPECT_ERROR(WriteText(tan, "1.3.0"), "stablehlo.tan: is not in StableHLO 1.3.0");
  const std::string several =
      "func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {\n"
      "  %0:2 = \"stablehlo.all_gather\"(%x, %x) {all_gather_dim = 0 : i64, replica_groups = "
      "dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<4xf32>, "
      "tensor<4xf32>)\n  return %0#0 : tensor<4xf32>\n}\n";
  EXPECT_OK(WriteText(several, "1.5.0"));
  EXPECT_ERROR(WriteText(several, "1.4.0"), "takes several operands since StableHLO 1.5.0");
}

TEST(PortableArtifactErrorTest, OtherDialectsHaveNoVhlo) {
  EXPECT_ERROR(WriteText("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = chlo.erf %x : "
                         "tensor<f32> -> tensor<f32>\n  return %0 : tensor<f32>\n}\n",
                         "current"),
               "chlo.erf: is not an operation of portable artifacts");
}

TEST(VersionTest, IsReadFromText) {
  ASSERT_OK_AND_ASSIGN(const Version version, ParseVersion("1.10.3"));
  EXPECT_EQ(version, (Version{1, 10, 3}));
  EXPECT_ERROR(ParseVersion("1.10"), "is not a version of StableHLO");
  EXPECT_ERROR(ParseVersion("0.9.0"), "are written for StableHLO 1.0.0 to 1.20");
  EXPECT_ERROR(ParseVersion("1.21.0"), "are written for StableHLO 1.0.0 to 1.20");
}

}  // namespace
}  // namespace xla::stablehlo
