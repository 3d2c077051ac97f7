// SPDX-License-Identifier: Apache-2.0
// Arrays that users give: safetensors files, values written out, and arguments by their names.
#include "tools/array_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "tests/tools/tools_test_util.h"
#include "tools/argument_names.h"
#include "tools/files.h"
#include "tools/replicas.h"
#include "tools/safetensors.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::CommandLine;

std::string Safetensors(const std::string& header, const std::string& data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(header.size() >> (8 * i) & 0xff));
  return bytes + header + data;
}

std::string Entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  int begin, int end) {
  return absl::StrCat("\"", name, "\":{\"dtype\":\"", dtype, "\",\"shape\":[", shape,
                      "],\"data_offsets\":[", begin, ",", end, "]}");
}

absl::StatusOr<Literal> ReadFirst(const std::string& bytes) {
  XLA_ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::FromBytes(bytes));
  return file.Read(0);
}

TEST(SafetensorsTest, ArraysInOrderOfTheirBytes) {
  const float x[] = {1, 2.5f};
  const int64_t y = -7;
  std::string data(16, '\0');
  std::memcpy(data.data(), x, 8);
  std::memcpy(data.data() + 8, &y, 8);
  const std::string bytes = Safetensors(
      absl::StrCat("{\"__metadata__\":{\"format\":\"pt\"},", Entry("y", "I64", "", 8, 16), ",",
                   Entry("x", "F32", "2,1", 0, 8), "}  "),
      data);
  EXPECT_TRUE(IsSafetensors(bytes));
  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file, SafetensorsFile::FromBytes(bytes));
  ASSERT_EQ(file.size(), 2u);
  EXPECT_EQ(file.name(0), "x");
  EXPECT_EQ(file.shape(0).ToString(), "f32[2,1]");
  ASSERT_OK_AND_ASSIGN(const Literal first, file.Read(0));
  EXPECT_EQ(first, LiteralUtil::CreateR2<float>({{1}, {2.5}}));
  ASSERT_OK_AND_ASSIGN(const Literal second, file.Read(1));
  EXPECT_EQ(second, LiteralUtil::CreateR0<int64_t>(-7));
}

TEST(SafetensorsTest, EveryType) {
  const struct {
    const char* dtype;
    PrimitiveType type;
    int bits;
  } kTypes[] = {{"BOOL", PRED, 8},
                {"I8", S8, 8},
                {"U8", U8, 8},
                {"I16", S16, 16},
                {"U16", U16, 16},
                {"I32", S32, 32},
                {"U32", U32, 32},
                {"I64", S64, 64},
                {"U64", U64, 64},
                {"F16", F16, 16},
                {"BF16", BF16, 16},
                {"F32", F32, 32},
                {"F64", F64, 64},
                {"C64", C64, 64},
                {"F8_E5M2", F8E5M2, 8},
                {"F8_E4M3", F8E4M3FN, 8},
                {"F8_E8M0", F8E8M0FNU, 8},
                {"F6_E2M3", F6E2M3FN, 6},
                {"F6_E3M2", F6E3M2FN, 6},
                {"F4", F4E2M1FN, 4}};
  for (const auto& [dtype, type, bits] : kTypes) {
    const int bytes = 4 * bits / 8;
    const auto literal =
        ReadFirst(Safetensors(absl::StrCat("{", Entry("x", dtype, "4", 0, bytes), "}"),
                              std::string(static_cast<size_t>(bytes), '\1')));
    ASSERT_OK(literal.status()) << dtype;
    EXPECT_EQ(literal->shape().element_type(), type) << dtype;
    EXPECT_EQ(ShapeUtil::ElementsIn(literal->shape()), 4) << dtype;
  }
}

// 0.5, 1, -1.5 and 6 of f4e2m1fn are 1, 2, b and 7, the first in the low bits of a byte.
TEST(SafetensorsTest, ElementsBelowAByteAreUnpacked) {
  ASSERT_OK_AND_ASSIGN(const Literal f4,
                       ReadFirst(Safetensors("{" + Entry("x", "F4", "4", 0, 2) + "}", "\x21\x7b")));
  EXPECT_EQ(f4.ToString(), "f4e2m1fn[4] {0.5, 1, -1.5, 6}");
  // Four elements of six bits in three bytes: 1, 2, 3, 4 of the smallest steps of f6e2m3fn.
  ASSERT_OK_AND_ASSIGN(
      const Literal f6,
      ReadFirst(Safetensors("{" + Entry("x", "F6_E2M3", "4", 0, 3) + "}", "\x81\x30\x10")));
  EXPECT_EQ(f6.ToString(), "f6e2m3fn[4] {0.125, 0.25, 0.375, 0.5}");
}

TEST(SafetensorsTest, FilesThatAreRefused) {
  const std::string zeros(8, '\0');
  const auto status = [](const std::string& bytes) {
    return SafetensorsFile::FromBytes(bytes).status();
  };
  const auto header = [&](const std::string& text) { return status(Safetensors(text, zeros)); };
  EXPECT_OK(header("{" + Entry("x", "F32", "2", 0, 8) + "}"));
  EXPECT_ERROR(status("short"), "truncated");
  EXPECT_ERROR(status(std::string(8, '\xff') + "{}"), "100 MB");
  EXPECT_ERROR(status(std::string("\x40\0\0\0\0\0\0\0{}", 10)), "larger than the file");
  EXPECT_ERROR(header("[1]"), "not a JSON object");
  EXPECT_ERROR(header("{\"x\":1"), "not a JSON object");
  EXPECT_ERROR(header("{\"x\":1}"), "'x' is not an object");
  EXPECT_ERROR(header("{\"x\":{\"dtype\":\"F32\"}}"), "'x' must have dtype");
  EXPECT_ERROR(header("{" + Entry("x", "F99", "2", 0, 8) + "}"), "unknown dtype 'F99'");
  EXPECT_ERROR(header("{" + Entry("x", "F32", "-2", 0, 8) + "}"), "not a size");
  EXPECT_ERROR(header("{" + Entry("x", "F32", "2.5", 0, 8) + "}"), "not a size");
  EXPECT_ERROR(header("{" + Entry("x", "F32", "3", 0, 8) + "}"), "does not have the 8 bytes");
  EXPECT_ERROR(header("{" + Entry("x", "F32", "2", 8, 0) + "}"), "data_offsets");
  EXPECT_ERROR(header("{" + Entry("x", "F4", "3", 0, 1) + "}"), "does not have the 1 bytes");
  EXPECT_ERROR(header("{" + Entry("x", "F32", "1", 0, 4) + "}"),
               "the arrays have 4 bytes, the file has 8");
  EXPECT_ERROR(header("{" + Entry("x", "F32", "1", 4, 8) + "}"), "begins at byte 4");
  EXPECT_ERROR(
      header("{" + Entry("x", "F32", "1", 0, 4) + "," + Entry("y", "F32", "1", 0, 4) + "}"),
      "begins at byte 0");
  EXPECT_ERROR(
      header("{" + Entry("x", "F32", "1", 0, 4) + "," + Entry("x", "F32", "1", 4, 8) + "}"),
      "'x' is duplicated");
  EXPECT_ERROR(header("{\"x\":{\"dtype\":\"F32\",\"shape\":[[[[1]]]],\"data_offsets\":[0,8]}}"),
               "too deep");
  EXPECT_ERROR(
      header("{" + Entry("x", "F32", "9223372036854775807,9223372036854775807", 0, 8) + "}"),
      "'x'");
}

TEST(InlineLiteralTest, ValuesInHlosNotation) {
  EXPECT_TRUE(IsInlineLiteral("f32[3]{1, 2, 3}"));
  EXPECT_TRUE(IsInlineLiteral("s32[] 7"));
  EXPECT_FALSE(IsInlineLiteral("x.npy"));
  EXPECT_FALSE(IsInlineLiteral("x[1].npy"));
  ASSERT_OK_AND_ASSIGN(const Literal three, ParseInlineLiteral("f32[3]{1, 2, 3}"));
  EXPECT_EQ(three, LiteralUtil::CreateR1<float>({1, 2, 3}));
  ASSERT_OK_AND_ASSIGN(const Literal scalar, ParseInlineLiteral("s32[] 7"));
  EXPECT_EQ(scalar, LiteralUtil::CreateR0<int32_t>(7));
  // A layout, as shapes of HLO text have it, is not the values.
  ASSERT_OK_AND_ASSIGN(const Literal matrix, ParseInlineLiteral("s32[2,2]{1,0} {{1,2},{3,4}}"));
  EXPECT_EQ(matrix, LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}}));
  EXPECT_ERROR(ParseInlineLiteral("f32[3]"), "expected the values of f32[3]");
  EXPECT_ERROR(ParseInlineLiteral("f32[3]{1, 2}"), "");
  EXPECT_ERROR(ArrayFile::Open("f32[3]{1, x}").status(), "'f32[3]{1, x}'");
}

TEST(ArgumentNamesTest, NamesOfParametersAndOfThePrograms) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  x = f32[] parameter(0)
  p.1 = f32[] parameter(1), metadata={op_name="params['dense']['w']"}
  p.2 = f32[] parameter(2), metadata={op_name="params['out']['w']"}
  t = (f32[], f32[]) parameter(3)
  ROOT r = f32[] add(x, p.1)
})"));
  const ArgumentNames names(*module);
  EXPECT_EQ(names.Find("x"), 0u);
  EXPECT_EQ(names.Find("p.1"), 1u);
  EXPECT_EQ(names.Find("params['dense']['w']"), 1u);
  EXPECT_EQ(names.Find("params.out.w"), 2u);
  EXPECT_EQ(names.Find("dense/w"), 1u);
  EXPECT_EQ(names.Find("w"), std::nullopt);
  EXPECT_EQ(names.Find("t.1"), 4u);
  EXPECT_EQ(names.FindNameOrNumber("2"), 2u);
  EXPECT_EQ(names.FindNameOrNumber("arg04"), 4u);
  EXPECT_EQ(names.FindNameOrNumber("5"), std::nullopt);
  EXPECT_EQ(names.SuggestionFor("params.dense.v"), "; did you mean 'params.dense.w'?");
}

class GivenArgumentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(module_, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e { x = f32[2] parameter(0) w = f32[2] parameter(1) ROOT r = f32[2] add(x, w) })"));
    path_ = absl::StrCat(testing::ProcessTempDir(), "/given.safetensors");
    std::string data(24, '\0');
    const float values[] = {1, 2, 3, 4, 5, 6};
    std::memcpy(data.data(), values, sizeof(values));
    ASSERT_OK(WriteFile(path_, Safetensors("{" + Entry("w", "F32", "2", 0, 8) + "," +
                                               Entry("x", "F32", "2", 8, 16) + "," +
                                               Entry("other", "F32", "2", 16, 24) + "}",
                                           data)));
  }

  absl::StatusOr<std::vector<Literal>> Read(std::vector<std::string> words) {
    words.push_back("x.hlo");
    XLA_ASSIGN_OR_RETURN(const Arguments arguments, CommandLine(words));
    XLA_ASSIGN_OR_RETURN(const auto values, ReadDeviceArguments(*module_, {1, 1}, arguments));
    std::vector<Literal> result;
    for (const auto& value : values[0]) result.push_back(value->Clone());
    return result;
  }

  std::unique_ptr<HloModule> module_;
  std::string path_;
};

TEST_F(GivenArgumentsTest, AFileThatNamesParametersIsMatchedByName) {
  ASSERT_OK_AND_ASSIGN(const auto values, Read({"--input", path_}));
  EXPECT_EQ(values[0], LiteralUtil::CreateR1<float>({3, 4}));
  EXPECT_EQ(values[1], LiteralUtil::CreateR1<float>({1, 2}));
}

TEST_F(GivenArgumentsTest, ParametersOneByOne) {
  ASSERT_OK_AND_ASSIGN(const auto values,
                       Read({"--param", "w=" + path_ + ":other", "--param", "0=f32[2]{7,8}"}));
  EXPECT_EQ(values[0], LiteralUtil::CreateR1<float>({7, 8}));
  EXPECT_EQ(values[1], LiteralUtil::CreateR1<float>({5, 6}));
  // Without a key, the array of the parameter's name.
  ASSERT_OK_AND_ASSIGN(const auto same, Read({"--param", "w=" + path_, "--input", "f32[2]{7,8}"}));
  EXPECT_EQ(same[1], LiteralUtil::CreateR1<float>({1, 2}));
}

TEST_F(GivenArgumentsTest, WhatDoesNotFitIsAnError) {
  EXPECT_ERROR(Read({"--param", "v=f32[2]{7,8}"}), "the program has no argument 'v'");
  EXPECT_ERROR(Read({"--param", "w=" + path_ + ":othre"}), "did you mean 'other'?");
  EXPECT_ERROR(Read({"--param", "w"}), "--param takes a name and a file");
  EXPECT_ERROR(Read({"--param", "w=s32[2]{7,8}", "--random=1"}), "the element type differs");
  EXPECT_ERROR(Read({"--param", "w=f32[2]{7,8}", "--param", "1=f32[2]{7,8}"}), "duplicated");
  EXPECT_ERROR(Read({"--param", "w=f32[2]{7,8}"}), "argument 0 is missing");
}

}  // namespace
}  // namespace xla
