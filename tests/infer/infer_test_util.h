// SPDX-License-Identifier: Apache-2.0
// Shape inference tests as tables: operation, operand shapes, attributes -> result shape, or what
// the error says.
#ifndef TESTS_INFER_INFER_TEST_UTIL_H_
#define TESTS_INFER_INFER_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/hlo/text/parser.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla::testing {

// A shape in HLO text; one without layout has the default layout.
inline Shape ShapeOf(const std::string& text) {
  absl::StatusOr<Shape> shape = ParseShape(text);
  EXPECT_TRUE(shape.ok()) << text << ": " << shape.status();
  if (!shape.ok()) return Shape();
  ShapeUtil::ForEachMutableSubshape(&*shape, [](Shape* part, const ShapeIndex&) {
    if (part->IsArray() && !part->has_layout()) LayoutUtil::SetToDefaultLayout(part);
  });
  return *std::move(shape);
}

// "f32[] f32[] -> f32[]", parameters separated by blanks.
inline ProgramShape SignatureOf(const std::string& text) {
  ProgramShape signature;
  const std::vector<std::string> sides = absl::StrSplit(text, " -> ");
  for (const auto& parameter : absl::StrSplit(sides[0], ' ', absl::SkipEmpty())) {
    signature.AddParameter(ShapeOf(std::string(parameter)), "");
  }
  *signature.mutable_result() = ShapeOf(sides[1]);
  return signature;
}

struct InferenceCase {
  HloOpcode opcode;
  std::vector<std::string> operands;
  Attributes attributes;  // left at NoAttributes: the opcode's default
  // The result shape with layout where it is not the default one ("f32[2,3]{0,1}"), or, after "! ",
  // part of the error.
  std::string expected;
  std::vector<std::string> callees = {};
  std::string declared = {};
  int64_t replica_count = 0, num_partitions = 0;
};

inline void ExpectInferred(const InferenceCase& c) {
  std::vector<Shape> operands;
  for (const std::string& text : c.operands) operands.push_back(ShapeOf(text));
  std::vector<const Shape*> operand_pointers;
  for (const Shape& shape : operands) operand_pointers.push_back(&shape);
  std::vector<ProgramShape> callees;
  for (const std::string& text : c.callees) callees.push_back(SignatureOf(text));
  std::vector<const ProgramShape*> callee_pointers;
  for (const ProgramShape& callee : callees) callee_pointers.push_back(&callee);
  const Shape declared = c.declared.empty() ? Shape() : ShapeOf(c.declared);
  const Attributes attributes =
      c.attributes.holds<NoAttributes>() ? MakeDefaultAttributes(c.opcode) : c.attributes;
  const absl::StatusOr<Shape> result =
      InferShape({c.opcode, operand_pointers, attributes, callee_pointers,
                  c.declared.empty() ? nullptr : &declared, c.replica_count, c.num_partitions});
  const std::string where = absl::StrCat(std::string(HloOpcodeString(c.opcode)), "(",
                                         absl::StrJoin(c.operands, ", "), ")");
  if (absl::StartsWith(c.expected, "! ")) {
    const std::string message = c.expected.substr(2);
    EXPECT_FALSE(result.ok()) << where << " gave " << result->ToString(true)
                              << ", expected: " << message;
    if (!result.ok()) {
      EXPECT_TRUE(absl::StrContains(result.status().message(), message))
          << where << "\n gave:     " << result.status().message() << "\n expected: " << message;
      EXPECT_TRUE(result.status().code() == absl::StatusCode::kInvalidArgument ||
                  result.status().code() == absl::StatusCode::kFailedPrecondition)
          << where << ": " << result.status();
      // Every message names the operation.
      EXPECT_TRUE(absl::StrContains(result.status().message(),
                                    std::string(HloOpcodeString(c.opcode)) + "("))
          << result.status();
    }
    return;
  }
  ASSERT_TRUE(result.ok()) << where << ": " << result.status() << "\n expected " << c.expected;
  EXPECT_EQ(result->ToString(true), ShapeOf(c.expected).ToString(true)) << where;
}

inline void ExpectInferred(const std::vector<InferenceCase>& cases) {
  for (const InferenceCase& c : cases) ExpectInferred(c);
}

}  // namespace xla::testing

#endif  // TESTS_INFER_INFER_TEST_UTIL_H_
