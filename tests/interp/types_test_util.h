// SPDX-License-Identifier: Apache-2.0
// For tests of every element type: the types by kind, running a program, and comparing it with the
// same program in a wide type.
#ifndef TESTS_INTERP_TYPES_TEST_UTIL_H_
#define TESTS_INTERP_TYPES_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/index_util.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla::testing {

inline const std::vector<PrimitiveType>& Integers() {
  static const auto* const types =
      new std::vector<PrimitiveType>{S1, S2, S4, S8, S16, S32, S64, U1, U2, U4, U8, U16, U32, U64};
  return *types;
}

inline const std::vector<PrimitiveType>& NarrowFloats() {
  static const auto* const types = new std::vector<PrimitiveType>{
      F4E2M1FN,      F6E2M3FN, F6E3M2FN,   F8E3M4,    F8E4M3, F8E4M3FN, F8E4M3FNUZ,
      F8E4M3B11FNUZ, F8E5M2,   F8E5M2FNUZ, F8E8M0FNU, F16,    BF16};
  return *types;
}

inline std::vector<PrimitiveType> AllTypes() {
  std::vector<PrimitiveType> types = Integers();
  types.insert(types.end(), NarrowFloats().begin(), NarrowFloats().end());
  types.insert(types.end(), {PRED, F32, F64, C64, C128});
  return types;
}

inline std::string Name(PrimitiveType type) {
  return std::string(primitive_util::LowercasePrimitiveTypeName(type));
}

inline absl::StatusOr<std::unique_ptr<HloModule>> Parse(const std::string& text) {
  return ParseAndReturnUnverifiedModule(text);
}

inline bool IsAllowed(const HloModule& module) { return VerifyModule(module).ok(); }

inline absl::StatusOr<Literal> RunModule(const HloModule& module,
                                         const std::vector<Literal>& arguments) {
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  InterpreterOptions options;
  options.num_threads = 1;
  return Interpret(module, pointers, options);
}

inline Literal Vector(PrimitiveType type, int64_t count) {
  return Literal(ShapeUtil::MakeShape(type, {count}));
}

// The element's text without signs and payloads of NaNs.
inline std::string PlainNan(std::string text) {
  for (size_t at = text.find("nan"); at != std::string::npos; at = text.find("nan", at + 1)) {
    if (at + 3 < text.size() && text[at + 3] == '(')
      text.erase(at + 3, text.find(')', at) - at - 2);
    if (at > 0 && text[at - 1] == '-') text.erase(--at, 1);
  }
  return text;
}

// Same values, a NaN like any other, zeros with their signs.
inline void ExpectSame(const Literal& actual, const Literal& expected, const std::string& where) {
  if (actual.shape().IsTuple()) {
    ASSERT_EQ(actual.shape().tuple_shapes_size(), expected.shape().tuple_shapes_size()) << where;
    std::vector<Literal> a = actual.Clone().DecomposeTuple();
    std::vector<Literal> b = expected.Clone().DecomposeTuple();
    for (size_t i = 0; i < a.size(); ++i) ExpectSame(a[i], b[i], absl::StrCat(where, " {", i, "}"));
    return;
  }
  ASSERT_TRUE(ShapeUtil::Compatible(actual.shape(), expected.shape()))
      << where << ": " << actual.shape().ToString() << " and " << expected.shape().ToString();
  DimensionVector index(static_cast<size_t>(actual.shape().rank()), 0);
  for (const int64_t size : actual.shape().dimensions()) {
    if (size == 0) return;
  }
  do {
    const std::string a = PlainNan(actual.GetAsString(index));
    const std::string b = PlainNan(expected.GetAsString(index));
    ASSERT_EQ(a, b) << where << " at " << absl::StrJoin(index, ",");
  } while (IndexUtil::BumpIndices(actual.shape(), absl::MakeSpan(index)));
}

// Every element converted, tuples too; integers of another type than `from` stay.
inline Literal ConvertAll(const Literal& literal, PrimitiveType from, PrimitiveType to) {
  if (literal.shape().IsTuple()) {
    std::vector<Literal> parts;
    for (const Literal& part : literal.Clone().DecomposeTuple())
      parts.push_back(ConvertAll(part, from, to));
    return LiteralUtil::MakeTupleOwned(std::move(parts));
  }
  if (literal.shape().element_type() != from) return literal.Clone();
  return literal.Convert(to).value();
}

// The type that operations of a type are computed in.
inline PrimitiveType WideOf(PrimitiveType type) {
  if (type == C64 || type == C128) return C128;
  if (type == F32 || type == F64) return F64;
  if (primitive_util::IsFloatingPointType(type)) return F32;
  return primitive_util::IsSignedIntegralType(type) ? S64 : U64;
}

}  // namespace xla::testing

#endif  // TESTS_INTERP_TYPES_TEST_UTIL_H_
