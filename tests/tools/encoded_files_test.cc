// SPDX-License-Identifier: Apache-2.0
// Programs that are compressed, or protos in text format.
#include "tools/encoded_files.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

constexpr int64_t kMost = 1 << 20;

std::string Gzip(const std::string& text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

TEST(GzipTest, MembersFollowEachOther) {
  const std::string large(300'000, 'x');
  ASSERT_OK_AND_ASSIGN(const std::string one, Gunzip(Gzip(large), kMost));
  EXPECT_EQ(one, large);
  ASSERT_OK_AND_ASSIGN(const std::string two, Gunzip(Gzip("ab") + Gzip("c"), kMost));
  EXPECT_EQ(two, "abc");
  ASSERT_OK_AND_ASSIGN(const std::string padded, Gunzip(Gzip("ab") + std::string(5, '\0'), kMost));
  EXPECT_EQ(padded, "ab");
  ASSERT_OK_AND_ASSIGN(const std::string empty, Gunzip(Gzip(""), kMost));
  EXPECT_EQ(empty, "");
}

TEST(GzipTest, DamagedAndHostileDataAreErrors) {
  const std::string good = Gzip(std::string(1000, 'x') + "end");
  for (size_t size = 3; size < good.size(); ++size)
    EXPECT_ERROR(Gunzip(good.substr(0, size), kMost), "");
  std::string damaged = good;
  damaged[good.size() - 6] ^= 1;  // the checksum
  EXPECT_ERROR(Gunzip(damaged, kMost), "damaged");
  EXPECT_ERROR(Gunzip(Gzip(std::string(1 << 22, '\0')), kMost), "more than 1048576 bytes");
  EXPECT_ERROR(Gunzip(good + "rest", kMost), "damaged");
}

TEST(TextProtoTest, EveryKindIsRead) {
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      ParseAndReturnUnverifiedModule("HloModule m\nENTRY e { ROOT c = f32[] constant(2) }"));
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto, ModuleToProto(*module));
  ASSERT_OK_AND_ASSIGN(const std::string text, ProtoAsText(proto, false));
  for (const std::string& program :
       {text, "# a comment\n" + text, absl::StrCat("hlo_module { ", text, " }"),
        absl::StrCat("hlo { hlo_module { ", text, " } } execution_platform: \"cpu\""),
        absl::StrCat("hlo_module { ", text, " } version: 1")}) {
    EXPECT_TRUE(IsTextProto(program));
    ASSERT_OK_AND_ASSIGN(const std::string bytes, DecodeProgram(Gzip(program), kMost));
    ASSERT_OK_AND_ASSIGN(const auto read, ParseModuleFromProtoBytes(bytes));
    EXPECT_EQ(read->ToString(), module->ToString());
  }
}

TEST(TextProtoTest, HloTextIsNone) {
  EXPECT_FALSE(IsTextProto("HloModule m\nENTRY e { ROOT c = f32[] constant(2) }"));
  EXPECT_FALSE(IsTextProto("name { a = f32[] parameter(0) ROOT b = f32[] negate(a) }"));
  EXPECT_FALSE(IsTextProto("result {\n  ROOT c = f32[] constant(2)\n}"));
  EXPECT_FALSE(IsTextProto(""));
  EXPECT_FALSE(IsTextProto("module { }"));
}

TEST(TextProtoTest, ErrorsHaveAPlace) {
  EXPECT_ERROR(TextProtoToBytes("name: \"m\"\nnonsense: 3"), "2");
  EXPECT_ERROR(TextProtoToBytes("name: 3"), "");
  std::string deep = "computations { instructions { ";
  for (int i = 0; i < 5000; ++i) absl::StrAppend(&deep, "shape { tuple_shapes { ");
  EXPECT_ERROR(TextProtoToBytes(deep), "");
}

TEST(TextProtoTest, AsJson) {
  ASSERT_OK_AND_ASSIGN(
      const auto module,
      ParseAndReturnUnverifiedModule("HloModule m\nENTRY e { ROOT c = f32[] constant(2) }"));
  ASSERT_OK_AND_ASSIGN(const HloModuleProto proto, ModuleToProto(*module));
  ASSERT_OK_AND_ASSIGN(const std::string json, ProtoAsText(proto, true));
  EXPECT_NE(json.find("\"entry_computation_name\": \"e\""), std::string::npos) << json;
}

}  // namespace
}  // namespace xla
