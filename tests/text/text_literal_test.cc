// SPDX-License-Identifier: Apache-2.0
// Literals in text files, an element a line.
#include <cmath>
#include <fstream>
#include <string>

#include "tests/test_util.h"
#include "xla/literal_util.h"
#include "xla/text_literal_reader.h"
#include "xla/text_literal_writer.h"

namespace xla {
namespace {

absl::StatusOr<Literal> ReadText(const std::string& text) {
  const std::string path = testing::ProcessTempDir() + "/text_literal";
  std::ofstream(path) << text;
  return TextLiteralReader::ReadPath(path);
}

TEST(TextLiteralReaderTest, ReadsWhatIsListed) {
  ASSERT_OK_AND_ASSIGN(const Literal literal,
                       ReadText("f32[2,2]{0,1}\n(0, 1): 0x1p-2\n\n (1,0): -3 \n"));
  EXPECT_EQ(literal.Get<float>({0, 1}), 0.25f);
  EXPECT_EQ(literal.Get<float>({1, 0}), -3);
  EXPECT_TRUE(std::isnan(literal.Get<float>({0, 0})));
  EXPECT_TRUE(std::isnan(ReadText("f32[]\n ")->Get<float>({})));
  EXPECT_EQ(ReadText("f32[]\n(): 2")->Get<float>({}), 2);
}

TEST(TextLiteralReaderTest, ReadsWhatTheWriterWrites) {
  const std::string path = testing::ProcessTempDir() + "/text_literal_both";
  const Literal literal = LiteralUtil::CreateR2<float>({{1.5, -2, 1e30}, {0, 3, 1e-30}});
  EXPECT_OK(TextLiteralWriter::WriteToPath(literal, path));
  ASSERT_OK_AND_ASSIGN(const Literal read, TextLiteralReader::ReadPath(path));
  EXPECT_EQ(read, literal);
}

TEST(TextLiteralReaderTest, RejectsMalformedFiles) {
  EXPECT_ERROR(ReadText("f32[1]\n(0) 1.0\n"), "expected ':' separating coordinates and value");
  EXPECT_ERROR(ReadText("f32[1]\n0: 1\n"), "expected '(' at the beginning of coordinates");
  EXPECT_ERROR(ReadText("f32[1]\n(0: 1\n"), "expected ')' at the end of coordinates");
  EXPECT_ERROR(ReadText("f32[1]\n(0): x\n"), "could not parse value as float");
  EXPECT_ERROR(ReadText("f32[1]\n(a): 1\n"), "could not parse coordinate member as int64_t");
  EXPECT_ERROR(ReadText("f32[1]\n(0,0): 1\n"), "want 1 got 2");
  EXPECT_ERROR(ReadText("f32[1]\n(1): 1\n"), "coordinate out of bounds for dimension 0");
  EXPECT_ERROR(ReadText("f32[272222222222222222]\n"), "requires too much memory");
  EXPECT_STATUS(ReadText("s32[1]\n").status(), absl::StatusCode::kUnimplemented,
                "unsupported element type");
  EXPECT_STATUS(TextLiteralReader::ReadPath("/nowhere").status(), absl::StatusCode::kNotFound,
                "cannot open");
}

}  // namespace
}  // namespace xla
