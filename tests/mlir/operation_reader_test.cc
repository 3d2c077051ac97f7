// SPDX-License-Identifier: Apache-2.0
// Operations in MLIR text: the generic form, formats, names, regions, aliases, resources, errors.
#include "xla/mlir/operation_reader.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/mlir/ir.h"

namespace xla::mlir {
namespace {

constexpr OperationSyntax kSyntax[] = {
    {"t.func", "@name:symstr region dict", nullptr, /*is_isolated=*/true, "t"},
    {"t.add", "$lhs , $rhs [ , exact = @exact:bool ] dict : same"},
    {"t.list", "$inputs,* dims = @dims:array dict : fn"},
    {"t.kind", "@kind:enum:t.kind $x dictkw : operands -> results"},
    {"t.index", "$x `[` @i:i64 `]` : fn"},
    {"t.constant", "dict @value:any value"},
    {"t.return", "$results* dict [ : operands ]"},
    {"t.generic_only", ""},
};

const Dialects& TestDialects() {
  static const Dialects* const dialects = [] {
    auto* all = new Dialects();
    all->Add(kSyntax);
    return all;
  }();
  return *dialects;
}

absl::StatusOr<std::unique_ptr<Source>> Read(const std::string& text) {
  return ReadText(text, "test.mlir", TestDialects());
}

// The generic form, which must read back to the same.
std::string Print(const std::string& text) {
  auto source = Read(text);
  EXPECT_OK(source) << text;
  if (!source.ok()) return "";
  std::string printed = ToString(*(*source)->module);
  auto again = Read(printed);
  EXPECT_OK(again) << printed;
  std::string difference;
  EXPECT_TRUE(again.ok() && Equivalent(*(*source)->module, *(*again)->module, &difference))
      << difference;
  return printed;
}

// Regions of operations that are not registered are graphs, as those of modules and files, wherever
// they are; those of registered operations are not.
TEST(Operations, GraphsUseValuesBeforeTheirDefinition) {
  constexpr char kGraph[] = R"("u.graph"() ({
    "u.inner"() ({
      %0 = "t.add"(%0, %1) : (i8, i8) -> i8
      %1 = "t.add"(%0, %0) : (i8, i8) -> i8
    }) : () -> ()
  }) : () -> ())";
  Print(kGraph);
  Print(absl::StrCat("builtin.module {\n", kGraph, "\n}"));
  Print(absl::StrCat("t.func @f {\n", kGraph, "\n}"));
  EXPECT_ERROR(Read("\"u.graph\"() ({ t.func @f { %0 = add %0, %0 : i8 } }) : () -> ()"),
               "'%0' is used before its definition");
}

TEST(Operations, GenericForm) {
  EXPECT_EQ(Print(R"(
    %a:2, %b = "t.three"() <{p = 1 : i8}> {q} : () -> (i32, f32, i1) loc("x":1:2)
    "t.use"(%a#1, %b, %a#0) ({
      "t.branch"()[^next] : () -> ()
    ^next(%x: f32, %y: i1 loc(unknown)):
      "t.end"(%x, %b) : (f32, i1) -> ()
    }, {
    }) : (f32, i1, i32) -> ()
  )"),
            R"("builtin.module"() ({
  %0, %1, %2 = "t.three"() {p = 1 : i8, q} : () -> (i32, f32, i1)
  "t.use"(%1, %2, %0) ({
    "t.branch"()[^bb2] : () -> ()
  ^bb2(%3: f32, %4: i1):
    "t.end"(%3, %2) : (f32, i1) -> ()
  }, {
  }) : (f32, i1, i32) -> ()
}) : () -> ()
)");
}

TEST(Operations, Formats) {
  const std::string printed = Print(R"(
    module @m attributes {x} {
      t.func @f {
        %0 = t.constant {note} dense<1> : tensor<2xi8>
        %1 = add %0, %0 : tensor<2xi8>
        %2 = t.add %1, %0, exact = true {k} : (tensor<2xi8>, tensor<2xi8>) -> tensor<?xi8>
        %3 = list %0, %1, dims = [1, -2] : (tensor<2xi8>, tensor<2xi8>) -> i1
        %4 = kind FAST %3 attributes {z = 1 : i64} : i1 -> i2
        %5 = index %4[7] : (i2) -> i3
        return %5, %4 : i3, i2
      }
      t.func @g { return } {after}
    })");
  EXPECT_EQ(printed,
            R"("builtin.module"() ({
  "t.func"() ({
    %0 = "t.constant"() {note, value = dense<1> : tensor<2xi8>} : () -> tensor<2xi8>
    %1 = "t.add"(%0, %0) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
    %2 = "t.add"(%1, %0) {exact = true, k} : (tensor<2xi8>, tensor<2xi8>) -> tensor<?xi8>
    %3 = "t.list"(%0, %1) {dims = array<i64: 1, -2>} : (tensor<2xi8>, tensor<2xi8>) -> i1
    %4 = "t.kind"(%3) {kind = #t.kind<FAST>, z = 1 : i64} : (i1) -> i2
    %5 = "t.index"(%4) {i = 7 : i64} : (i2) -> i3
    "t.return"(%5, %4) : (i3, i2) -> ()
  }) {name = "f"} : () -> ()
  "t.func"() ({
    "t.return"() : () -> ()
  }) {name = "g", after} : () -> ()
}) {sym_name = "m", x} : () -> ()
)");
}

TEST(Operations, AliasesAndLocations) {
  ASSERT_OK_AND_ASSIGN(const auto source, Read(R"(
    !pair = tuple<i8, i16>
    #one = 1 : i8
    %0 = "t.make"() {a = [#one, #one]} : () -> !pair loc(#late)
    #file = loc("a.py":3:4)
    #late = loc("name"(#file))
  )"));
  const Operation& operation = *source->module->regions[0].first->first;
  EXPECT_EQ(ToString(operation.results[0].type), "tuple<i8, i16>");
  EXPECT_EQ(ToString(operation.Find("a")), "[1 : i8, 1 : i8]");
  EXPECT_EQ(ToString(operation.location), "loc(\"name\"(\"a.py\":3:4))");
}

TEST(Operations, Resources) {
  ASSERT_OK_AND_ASSIGN(const auto source, Read(R"(
    %0 = t.constant dense_resource<blob> : tensor<2xi8>
    {-#
      dialect_resources: { builtin: { blob: "0x040000000AFF", other: "0x01000000" } },
      external_resources: { mlir_reproducer: { verify_each: true, pipeline: "x" } }
    #-})"));
  const absl::Span<const char> blob = source->resources.at("blob");
  ASSERT_EQ(blob.size(), 2u);
  EXPECT_EQ(blob[0], 10);
  EXPECT_EQ(blob[1], -1);
}

TEST(Operations, ErrorsNameThePlaceAndTheRule) {
  EXPECT_ERROR(Read("%0 = t.constant 1 : i8\n%1 = t.add %0, %2 : i8"),
               "test.mlir:2:16: '%2' is not defined\n%1 = t.add %0, %2 : i8\n               ^");
  EXPECT_ERROR(Read("%0 = t.constant 1 : i8\n%0 = t.constant 1 : i8"),
               "2:1: value '%0' is defined");
  EXPECT_ERROR(Read("%0 = t.constant 1 : i8\n%1 = t.add %0, %0 : i16"),
               "'%0' is of type i8, but used as i16");
  EXPECT_ERROR(Read("%0 = t.constant 1 : i8\n\"t.x\"(%0#1) : (i8) -> ()"), "only 1 results");
  EXPECT_ERROR(Read("%0, %1 = t.constant 1 : i8"), "t.constant has 1 results, but 2 are named");
  EXPECT_ERROR(Read("\"t.x\"() : (i8) -> ()"), "t.x has 0 operands, but 1 types");
  EXPECT_ERROR(Read("t.unknown"), "'t.unknown' is not known");
  EXPECT_ERROR(Read("t.generic_only"), "has only the generic form");
  EXPECT_ERROR(Read("t.func @f { %0 = add %1, %1 : i8 %1 = constant 1 : i8 }"),
               "'%1' is used before its definition");
  EXPECT_ERROR(Read("%0 = t.constant 1 : i8 t.func @f { return %0 : i8 }"), "'%0' is not defined");
  EXPECT_ERROR(Read("\"t.x\"() ({ %0 = t.constant 1 : i8 }) : () -> () t.return %0 : i8"),
               "'%0' is not defined");
  EXPECT_ERROR(Read("\"t.x\"() ({ \"t.b\"()[^no] : () -> () }) : () -> ()"),
               "block '^no' is not defined");
  EXPECT_ERROR(Read("\"t.x\"() ({ ^a: t.return ^a: t.return }) : () -> ()"),
               "'^a' is defined twice");
  EXPECT_ERROR(Read("\"t.x\"() <{a}> {a} : () -> ()"), "attribute 'a' is given twice");
  EXPECT_ERROR(Read("t.func @f {"), "expected '}', found the end");
  EXPECT_ERROR(Read("#a = 1 #a = 2"), "'#a' is defined twice");
  std::string laughs = "#a0 = 1";
  for (int i = 1; i < 100; ++i) {
    laughs += "\n#a" + std::to_string(i) + " = [#a" + std::to_string(i - 1) + ", #a" +
              std::to_string(i - 1) + "]";
  }
  EXPECT_ERROR(Read(laughs), "expands to more than 1048576");
  EXPECT_ERROR(Read("}"), "expected an operation, found '}'");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "t.func @f {";
  EXPECT_ERROR(Read(deep), "nested deeper than 200");
}

TEST(Operations, SplitInput) {
  const auto parts = SplitInput("a\n// -----\nb // ----- c\n// ----- d\ne");
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0], "a\n");
  EXPECT_EQ(parts[1], "b // ----- c\n");
  EXPECT_EQ(parts[2], "e");
}

}  // namespace
}  // namespace xla::mlir
