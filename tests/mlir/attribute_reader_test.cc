// SPDX-License-Identifier: Apache-2.0
// Types and attributes in MLIR text: every builtin spelling, round trips, errors and limits.
#include "xla/mlir/attribute_reader.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/test_util.h"
#include "xla/types.h"

namespace xla::mlir {
namespace {

absl::StatusOr<std::string> PrintAttribute(const std::string& text) {
  Context context;
  auto attribute = ReadAttribute(text, &context);
  if (!attribute.ok()) return attribute.status();
  std::string printed = ToString(*attribute);
  // What is printed reads back to the same.
  auto again = ReadAttribute(printed, &context);
  EXPECT_OK(again);
  EXPECT_TRUE(again.ok() && Equal(*attribute, *again)) << printed;
  return printed;
}

void ExpectPrints(const std::string& text, const std::string& expected) {
  auto printed = PrintAttribute(text);
  ASSERT_OK(printed);
  EXPECT_EQ(*printed, expected) << "of " << text;
}

void ExpectSame(const std::string& text) { ExpectPrints(text, text); }

TEST(Types, PrintAsWritten) {
  for (const char* text :
       {"i1",
        "i32",
        "si8",
        "ui4",
        "i1000",
        "index",
        "none",
        "f16",
        "bf16",
        "tf32",
        "f32",
        "f64",
        "f80",
        "f128",
        "f8E5M2",
        "f8E4M3FN",
        "f8E4M3",
        "f8E3M4",
        "f8E4M3FNUZ",
        "f8E5M2FNUZ",
        "f8E4M3B11FNUZ",
        "f8E8M0FNU",
        "f6E2M3FN",
        "f6E3M2FN",
        "f4E2M1FN",
        "complex<f32>",
        "tensor<f32>",
        "tensor<0x1x?xcomplex<f64>>",
        "tensor<*xi8>",
        "vector<4x[8]xf32>",
        "vector<2x3xi1>",
        "memref<4x?xf32, strided<[1, ?], offset: 2>, 1>",
        "memref<*xf32>",
        "tuple<>",
        "tuple<i32, tuple<f32>>",
        "(i32) -> f32",
        "() -> ()",
        "(tensor<2xf32>, i1) -> (i1, f32)",
        "() -> (() -> i1)",
        "tensor<2xf32, \"layout\">",
        "tensor<?x4xf32, #stablehlo.bounds<3, ?>>",
        "!stablehlo.token",
        "!quant.uniform<i8:f32, 1.000000e-01>",
        "!quant.uniform<u8:f32, 1.000000e+00:128>",
        "!quant.uniform<i8<-127:127>:f32:1, {1.000000e-01:-30, 2.000000e-01}>",
        "tensor<4x!quant.uniform<i8:f32:{0:1, 1:2}, {{2.0:20, 3.0:3}, {4.0, 5.0}}>>",
        "!llvm.ptr<struct<(i32, array<4 x i8>)>>"}) {
    ExpectSame(text);
  }
  ExpectPrints("tensor< 4 x 8 x f32 >", "tensor<4x8xf32>");
  ExpectPrints("tensor<0x8xf32>", "tensor<0x8xf32>");
  ExpectPrints("!stablehlo<token>", "!stablehlo.token");
}

TEST(Types, EqualTypesAreOneNode) {
  Context context;
  ASSERT_OK_AND_ASSIGN(const TypeRef a, ReadType("tensor<2x?xf32, #x.y<1>>", &context));
  ASSERT_OK_AND_ASSIGN(const TypeRef b, ReadType("tensor<2x? xf32,#x.y<1>>", &context));
  ASSERT_OK_AND_ASSIGN(const TypeRef c, ReadType("tensor<2x?xf32, #x.y<2>>", &context));
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(a->sizes[1], kDynamic);
  EXPECT_EQ(context.Integer(32), *ReadType("i32", &context));
}

TEST(Attributes, ASplatIsWhatItStandsFor) {
  Context context;
  const auto equal = [&](const std::string& a, const std::string& b) {
    const AttributeRef x = ReadAttribute(a, &context).value(),
                       y = ReadAttribute(b, &context).value();
    EXPECT_EQ(Equal(x, y), Equal(y, x));
    return Equal(x, y);
  };
  EXPECT_TRUE(equal("dense<7> : tensor<3xi32>", "dense<[7, 7, 7]> : tensor<3xi32>"));
  EXPECT_TRUE(equal("dense<7> : tensor<3xi32>", "dense<7> : tensor<3xi32>"));
  EXPECT_FALSE(equal("dense<7> : tensor<3xi32>", "dense<[7, 7, 8]> : tensor<3xi32>"));
  EXPECT_FALSE(equal("dense<7> : tensor<3xi32>", "dense<8> : tensor<3xi32>"));
  EXPECT_FALSE(equal("dense<7> : tensor<3xi32>", "dense<7> : tensor<3xi64>"));
  EXPECT_FALSE(equal("dense<[1, 2]> : tensor<2xi32>", "dense<[1, 3]> : tensor<2xi32>"));
}

TEST(Types, QuantizedParameters) {
  Context context;
  ASSERT_OK_AND_ASSIGN(
      const TypeRef type,
      ReadType("!quant.uniform<i8<-8:7>:f32:2, {0.5:-1, 0x3FF0000000000000}>", &context));
  ASSERT_EQ(type->kind, TypeKind::kQuantized);
  EXPECT_EQ(type->quantized->storage_min, -8);
  EXPECT_EQ(type->quantized->storage_max, 7);
  EXPECT_EQ(type->quantized->scales, (std::vector<double>{0.5, 1.0}));
  EXPECT_EQ(type->quantized->zero_points, (std::vector<int64_t>{-1, 0}));
  EXPECT_EQ(type->quantized->dimensions, (std::vector<int64_t>{2}));
  EXPECT_ERROR(ReadType("!quant.uniform<i8<-129:7>:f32, 1.0>", &context), "within -128:127");
  EXPECT_ERROR(ReadType("!quant.uniform<f8:f32, 1.0>", &context), "expected a type");
  for (const std::string scale : {"0.0", "-0.5", "1.0e39", "1.0e-46", "0x7FF8000000000000"}) {
    EXPECT_ERROR(ReadType("!quant.uniform<i8:f32, " + scale + ">", &context),
                 "out of expressed type range [1.401298e-45, 3.402823e+38]");
  }
  EXPECT_OK(ReadType("!quant.uniform<i8:f32, 1.401298464324817e-45>", &context));
  EXPECT_OK(ReadType("!quant.uniform<i8:f16, 65504.0>", &context));
  EXPECT_ERROR(ReadType("!quant.uniform<i8:f16:1, {1.0, 65505.0}>", &context),
               "scale 6.550500e+04 out of expressed type range [5.960464e-08, 6.550400e+04]");
  EXPECT_ERROR(ReadType("!quant.uniform<i8:f8E4M3FN, 449.0>", &context), "4.480000e+02]");
  EXPECT_ERROR(ReadType("!quant.uniform<i8:f8E8M0FNU, 1.0e-39>", &context), "[5.877472e-39, ");
  EXPECT_ERROR(ReadType("!quant.uniform<i8:f64:{0:1}, {{-1.0}}>", &context), "[4.940656e-324, ");
  EXPECT_ERROR(ReadType("!quant.uniform<i8:i32, 1.0>", &context), "must be a float");
}

TEST(Attributes, PrintAsWritten) {
  for (const char* text :
       {"unit",
        "{\"1a\" = 1 : i64, a$b.c_1, \"a-b\"}",
        "true",
        "false",
        "1 : i64",
        "-1 : i32",
        "255 : ui8",
        "3 : index",
        "170141183460469231731687303715884105727 : i128",
        "-170141183460469231731687303715884105728 : si128",
        "1.000000e+00 : f32",
        "0x7FC0 : bf16",
        "0xFF : f8E8M0FNU",
        "\"a\\22b\\\\c\\0A\"",
        "\"x\" : i32",
        "[1 : i64, [true], {}]",
        "{a = 1 : i8, b, \"odd name\" = \"\"}",
        "@f",
        "@f::@g::@\"h i\"",
        "tensor<2xf32>",
        "array<i64>",
        "array<i8: 1, -2>",
        "array<i1: true, false>",
        "array<f32: 5.000000e-01>",
        "dense<1> : tensor<2xi32>",
        "dense<[[1, 2], [3, 4]]> : tensor<2x2xui4>",
        "dense<> : tensor<0x4xf32>",
        "dense<[true, false]> : tensor<2xi1>",
        "dense<[(1.000000e+00,2.000000e+00), (0x7FC00000,-0.000000e+00)]> : tensor<2xcomplex<f32>>",
        "dense<(1,-1)> : tensor<complex<i8>>",
        "dense<1.000000e+00> : vector<4xf8E4M3FN>",
        "dense<[\"a\", \"b\"]> : tensor<2x!tf_type.string>",
        "dense<\"\"> : tensor<9x!x.y>",
        "dense_resource<blob_1> : tensor<4xf32>",
        "dense_resource<\"a b\"> : tensor<4xf32>",
        "sparse<[[0, 1], [2, 3]], [1.000000e+00, 2.000000e+00]> : tensor<4x4xf32>",
        "sparse<> : tensor<2x2xi1>",
        "sparse<[0, 1], 7> : tensor<2x2xi64>",
        "affine_map<(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)>",
        "affine_set<(d0) : (d0 - 1 >= 0)>",
        "strided<[1, ?], offset: ?>",
        "distinct[0]<42 : i64>",
        "loc(unknown)",
        "loc(\"a.py\":1:2)",
        "loc(\"a.py\":1:2 to :9)",
        "loc(\"a.py\":1:2 to 3:4)",
        "loc(\"a.py\":1:2 to 3:2)",
        "loc(fused[\"a.py\":1:0 to :9, \"n\"(\"a.py\":1:2 to 2:0)])",
        "loc(\"name\"(\"a.py\":1:2))",
        "loc(callsite(\"f\" at fused<\"m\">[unknown, \"g\"]))",

        "#stablehlo.dot<lhs_contracting_dimensions = [0], text = \">\">",
        "#x.y"}) {
    SCOPED_TRACE(text);
    auto printed = PrintAttribute(text);
    ASSERT_OK(printed);
    EXPECT_EQ(*printed, text);
  }
  ExpectPrints("loc(\"a.py\":1)", "loc(\"a.py\":1:0)");
  ExpectPrints("loc(\"a.py\":1:2 to 1:9)", "loc(\"a.py\":1:2 to :9)");
  ExpectPrints("loc(\"a.py\":1:2 to :2)", "loc(\"a.py\":1:2)");
  ExpectPrints("loc(\"a.py\":1:2 to 1:2)", "loc(\"a.py\":1:2)");
  ExpectPrints("#stablehlo<precision HIGH>", "#stablehlo<precision HIGH>");
  ExpectPrints("0xFF : i8", "-1 : i8");
  ExpectPrints("1 : i1", "true");
  ExpectPrints("2.5", "2.500000e+00 : f64");
  ExpectPrints("{a // comment\n = 1}", "{a = 1 : i64}");
}

TEST(Attributes, DenseData) {
  Context context;
  const auto dense = [&](const std::string& text) -> const DenseAttribute* {
    // The text outlives the test in the arena.
    auto attribute = ReadAttribute(context.arena().Copy(std::string_view(text)), &context);
    EXPECT_OK(attribute);
    return attribute.ok() ? (*attribute)->As<DenseAttribute>() : nullptr;
  };
  const auto bytes = [&](const std::string& text) {
    const DenseAttribute* value = dense(text);
    return value == nullptr ? std::vector<int>{}
                            : std::vector<int>(value->data.begin(), value->data.end());
  };
  EXPECT_EQ(bytes("dense<[1, -2]> : tensor<2xi16>"), (std::vector<int>{1, 0, -2, -1}));
  EXPECT_EQ(bytes("dense<[7, -8]> : tensor<2xi4>"), (std::vector<int>{7, -8}));
  EXPECT_EQ(bytes("dense<\"0x0F01\"> : tensor<2xi4>"), (std::vector<int>{-1, 1}));
  EXPECT_EQ(bytes("dense<\"0x0F01\"> : tensor<2xui4>"), (std::vector<int>{15, 1}));
  EXPECT_EQ(bytes("dense<\"0x05\"> : tensor<4xi1>"), (std::vector<int>{1, 0, 1, 0}));
  EXPECT_EQ(bytes("dense<\"0x00010001\"> : tensor<4xi1>"), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(bytes("dense<\"0xFF\"> : tensor<4xi1>"), (std::vector<int>{1}));
  EXPECT_TRUE(dense("dense<\"0xFF\"> : tensor<4xi1>")->is_splat);
  EXPECT_TRUE(dense("dense<\"0x01000000\"> : tensor<4xi32>")->is_splat);
  EXPECT_FALSE(dense("dense<[1, 1]> : tensor<2xi32>")->is_splat);
  EXPECT_EQ(dense("dense<0> : tensor<1000000x1000000xi8>")->data.size(), 1u);
  EXPECT_EQ(bytes("dense<[1.0, 2.0]> : tensor<2xbf16>"), (std::vector<int>{-128, 63, 0, 64}));
  EXPECT_EQ(bytes("dense<0x7F800000> : tensor<f32>"), (std::vector<int>{0, 0, -128, 127}));
  const DenseAttribute* numbers = dense("dense<[-3, 9007199254740993]> : tensor<2xi64>");
  EXPECT_EQ(DenseInteger(*numbers->type->element, numbers->data, 0), -3);
  EXPECT_EQ(DenseInteger(*numbers->type->element, numbers->data, 1), 9007199254740993);
  const DenseAttribute* parts = dense("dense<(1.5, -2.0)> : tensor<complex<f16>>");
  EXPECT_EQ(DenseFloat(*parts->type->element, parts->data, 1), -2.0);
}

TEST(Attributes, ErrorsNameThePlaceAndTheRule) {
  Context context;
  const auto read = [&](const std::string& text) { return ReadAttribute(text, &context); };
  EXPECT_ERROR(read("[1,\n  $]"), "attribute:2:3: expected an attribute, found '$]'\n  $]\n  ^");
  EXPECT_ERROR(read("{a = 1, a = 2}"), "1:9: attribute 'a' is given twice");
  EXPECT_ERROR(read("128 : si8"), "128 does not fit si8");
  EXPECT_ERROR(read("-129 : i8"), "-129 does not fit i8");
  EXPECT_ERROR(read("-1 : ui8"), "-1 does not fit ui8");
  EXPECT_ERROR(read("1.0 : i8"), "1.0 is not of type i8");
  EXPECT_ERROR(read("1 : f32"), "f32 needs a decimal point: 1");
  EXPECT_ERROR(read("0x1FFFFFFFF : f32"), "is not the bits of an f32");
  EXPECT_ERROR(read("1 : tensor<i8>"), "a number cannot be of type tensor<i8>");
  EXPECT_ERROR(read("dense<[1, 2]> : tensor<3xi8>"), "dimension 0 of dense<..> has 2 elements");
  EXPECT_ERROR(read("dense<[1, 2, 3]> : tensor<2xi8>"), "has 3 elements, its type 2");
  EXPECT_ERROR(read("dense<[[1], [2]]> : tensor<2xi8>"), "expected a number");
  EXPECT_ERROR(read("dense<[1, 2]> : tensor<2x1xi8>"), "has rank 2, the list of dense<..> 1");
  EXPECT_ERROR(read("dense<1> : tensor<?xi8>"), "static sizes");
  EXPECT_ERROR(read("dense<1> : i8"), "static sizes");
  EXPECT_ERROR(read("dense<> : tensor<1xi8>"), "no elements, its type 1");
  EXPECT_ERROR(read("dense<\"0x0\"> : tensor<1xi8>"), "does not fit its type");
  EXPECT_ERROR(read("dense<\"0x000102\"> : tensor<2xi8>"), "3 bytes does not fit");
  EXPECT_ERROR(read("dense<\"0xGG\"> : tensor<i8>"), "other than hexadecimal digits");
  EXPECT_ERROR(read("dense<[0]> : tensor<9999999999xi8>"), "fewer elements than its type");
  EXPECT_ERROR(read("tensor<99999999999999999999xi8>"), "does not fit 64 bits");
  EXPECT_ERROR(read("tensor<4xf32"), "expected '>', found the end");
  EXPECT_ERROR(read("complex<tuple<>>"), "must be an integer or float");
  EXPECT_ERROR(read("array<index: 1>"), "arrays hold integers or floats");
  EXPECT_ERROR(read("#alias"), "attribute alias '#alias' is not defined");
  EXPECT_ERROR(read("!alias"), "type alias '!alias' is not defined");
  EXPECT_ERROR(read("#d.<1>"), "expected the name of an attribute alias or dialect attribute");
  EXPECT_ERROR(read("#d..a"), "expected the name of an attribute alias or dialect attribute");
  EXPECT_ERROR(read("!d.<1>"), "expected the name of a type alias or dialect type");
  EXPECT_ERROR(read("loc(#loc)"), "location alias '#loc' is not defined");
  EXPECT_ERROR(read("\"a\nb\""), "expected '\"' at the end of the string");
  EXPECT_ERROR(read("#x.y<(]>"), "expected ')'");
  EXPECT_ERROR(read("1 2"), "expected the end of the text");
  EXPECT_ERROR(read(""), "expected an attribute, found the end");
}

TEST(Attributes, NestingIsLimited) {
  Context context;
  for (const char* open : {"[", "{a = ", "tuple<", "(", "tensor<4x", "loc(fused[", "complex<",
                           "#x<", "!quant.uniform<i8:f32:{0:1}, {", "dense<1> : tuple<"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    EXPECT_FALSE(ReadAttribute(text, &context).ok()) << open;
  }
  std::string brackets = "#x.y<";
  brackets.append(1000000, '<');
  EXPECT_FALSE(ReadAttribute(brackets, &context).ok());
}

// Any change of valid text gives an attribute that prints and reads back, or an error.
TEST(Attributes, AnyTextGivesAnAttributeOrAnError) {
  const std::string text =
      R"({a = -1 : i32, s = "x\41", d = dense<[[1, 2]]> : tensor<1x2xi64>, f = 0x7F : f32,
          h = dense<"0x0100"> : tensor<1xi16>, n = {m = array<f64: 1.5e3, 2.0>}, @s::@t,
          q = !quant.uniform<i8<-8:7>:f32:1, {0.5:1, 2.0}>, t = (tuple<i8>) -> tensor<?xf32>,
          sp = sparse<[[0, 1]], [2]> : tensor<2x2xi8>, l = loc(fused["f":1:2]), x = #a.b<"c">})";
  const std::string alphabet = "{}[]()<>=:,\"\\x0-9.eia#!@?* ";
  uint64_t state = 1;
  const auto draw = [&](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % below;
  };
  int good = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string changed = text;
    const size_t symbol = changed.find(", @s::@t");
    changed.replace(symbol, 8, ", sym = @s::@t");
    for (size_t k = draw(3); k > 0; --k) {
      const size_t at = draw(changed.size());
      if (draw(2) == 0) {
        changed.erase(at, draw(5));
      } else {
        changed[at] = alphabet[draw(alphabet.size())];
      }
    }
    Context context;
    const auto attribute = ReadAttribute(changed, &context);
    if (!attribute.ok()) continue;
    ++good;
    const std::string printed = ToString(*attribute);
    const auto again = ReadAttribute(printed, &context);
    ASSERT_OK(again) << printed << "\nof\n" << changed;
    ASSERT_TRUE(Equal(*attribute, *again)) << printed << "\nand\n" << ToString(*again);
  }
  EXPECT_GT(good, 4000);
}

template <typename T>
void ExpectConverts(FloatKind kind, double value) {
  // XLA's type rounds values below its least normal f32 up, MLIR to nearest.
  if (kind == FloatKind::kF8E8M0FNU && !(value >= 0x1p-126)) return;
  const T narrow = static_cast<T>(value);
  typename T::Bits bits;
  std::memcpy(&bits, &narrow, sizeof(T));
  const FloatBits encoded = EncodeFloat(kind, value);
  const double expected = static_cast<double>(static_cast<float>(narrow));
  const double decoded = DecodeFloat(kind, encoded);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(decoded)) << GetFloatFormat(kind).name << " " << value;
    return;
  }
  EXPECT_EQ(encoded[0], bits) << GetFloatFormat(kind).name << " " << value;
  EXPECT_EQ(decoded, expected) << GetFloatFormat(kind).name << " " << value;
}

TEST(Floats, ConvertAsXlasTypes) {
  std::vector<double> values = {0.0,   -0.0,  1e-45, 65504, 65520,
                                57344, 61440, 448,   464,   480,
                                240,   248,   1e30,  -1e30, 3.4028234663852886e38};
  for (int exponent = -150; exponent < 128; ++exponent) {
    for (const double m : {1.0, 1.125, 1.25, 1.375, 1.5, 1.0625, 1.1875, 1.96875, 1.9921875}) {
      values.push_back(std::ldexp(m, exponent));
      values.push_back(-std::ldexp(m, exponent));
    }
  }
  for (const double value : values) {
    ExpectConverts<half>(FloatKind::kF16, value);
    ExpectConverts<bfloat16>(FloatKind::kBF16, value);
    ExpectConverts<float8_e3m4>(FloatKind::kF8E3M4, value);
    ExpectConverts<float8_e4m3>(FloatKind::kF8E4M3, value);
    ExpectConverts<float8_e4m3fn>(FloatKind::kF8E4M3FN, value);
    ExpectConverts<float8_e4m3fnuz>(FloatKind::kF8E4M3FNUZ, value);
    ExpectConverts<float8_e4m3b11fnuz>(FloatKind::kF8E4M3B11FNUZ, value);
    ExpectConverts<float8_e5m2>(FloatKind::kF8E5M2, value);
    ExpectConverts<float8_e5m2fnuz>(FloatKind::kF8E5M2FNUZ, value);
    ExpectConverts<float8_e8m0fnu>(FloatKind::kF8E8M0FNU, value);
    ExpectConverts<float6_e2m3fn>(FloatKind::kF6E2M3FN, value);
    ExpectConverts<float6_e3m2fn>(FloatKind::kF6E3M2FN, value);
    ExpectConverts<float4_e2m1fn>(FloatKind::kF4E2M1FN, value);
    EXPECT_EQ(DecodeFloat(FloatKind::kF128, EncodeFloat(FloatKind::kF128, value)), value);
    EXPECT_EQ(DecodeFloat(FloatKind::kF80, EncodeFloat(FloatKind::kF80, value)), value);
  }
}

TEST(Attributes, SplatsEqualTheSameElementsWrittenOut) {
  const auto equal = [](const std::string& a, const std::string& b) {
    Context context;
    const auto x = ReadAttribute(a, &context), y = ReadAttribute(b, &context);
    EXPECT_OK(x);
    EXPECT_OK(y);
    return x.ok() && y.ok() && Equal(*x, *y) && Equal(*y, *x);
  };
  EXPECT_TRUE(equal("dense<7> : tensor<2xi8>", "dense<[7, 7]> : tensor<2xi8>"));
  EXPECT_FALSE(equal("dense<7> : tensor<2xi8>", "dense<[7, 8]> : tensor<2xi8>"));
  EXPECT_FALSE(equal("dense<7> : tensor<2xi8>", "dense<[8, 7]> : tensor<2xi8>"));
  EXPECT_FALSE(equal("dense<7> : tensor<2xi8>", "dense<7> : tensor<3xi8>"));
  EXPECT_FALSE(equal("dense<7> : tensor<2xi8>", "dense<7> : tensor<2xi16>"));
  EXPECT_FALSE(equal("dense<7> : tensor<2xi8>", "dense<8> : tensor<2xi8>"));
  EXPECT_TRUE(equal("dense<[1, 2]> : tensor<2xi8>", "dense<[1, 2]> : tensor<2xi8>"));
  EXPECT_FALSE(equal("dense<[1, 2]> : tensor<2xi8>", "dense<[1, 3]> : tensor<2xi8>"));
  EXPECT_TRUE(equal("dense<7> : tensor<0xi8>", "dense<> : tensor<0xi8>"));
}

// A small change of each attribute makes another one.
TEST(Attributes, DifferInEachPart) {
  const char* const texts[] = {"1 : i32",
                               "2 : i32",
                               "1 : i64",
                               "1.0 : f32",
                               "1.0 : f64",
                               "true",
                               "false",
                               "\"a\"",
                               "\"b\"",
                               "unit",
                               "@a",
                               "@b",
                               "@a::@b",
                               "@a::@c",
                               "[1, 2]",
                               "[1, 3]",
                               "[1]",
                               "{a = 1}",
                               "{a = 2}",
                               "{b = 1}",
                               "{a = 1, b = 2}",
                               "array<i32: 1, 2>",
                               "array<i32: 1, 3>",
                               "array<i64: 1, 2>",
                               "array<i32>",
                               "array<i64>",
                               "dense_resource<a> : tensor<2xi8>",
                               "dense_resource<b> : tensor<2xi8>",
                               "dense_resource<a> : tensor<3xi8>",
                               "sparse<[[0, 1]], [5]> : tensor<2x2xi8>",
                               "sparse<[[1, 1]], [5]> : tensor<2x2xi8>",
                               "sparse<[[0, 1]], [6]> : tensor<2x2xi8>",
                               "sparse<[[0, 1]], [5]> : tensor<3x2xi8>",
                               "i32",
                               "tensor<2xi8>",
                               "affine_map<(d0) -> (d0)>",
                               "affine_map<(d0) -> (d0 + 1)>",
                               "strided<[1], offset: 2>",
                               "strided<[1], offset: 3>",
                               "strided<[2], offset: 2>",
                               "loc(unknown)",
                               "loc(\"a\")",
                               "loc(\"b\")",
                               "loc(\"f\":1:2)",
                               "loc(\"f\":1:3)",
                               "loc(\"f\":2:2)",
                               "loc(\"g\":1:2)",
                               "loc(fused[\"a\", \"b\"])",
                               "loc(fused[\"a\"])",
                               "loc(callsite(\"a\" at \"b\"))",
                               "loc(callsite(\"a\" at \"c\"))"};
  Context context;
  for (const char* a : texts) {
    for (const char* b : texts) {
      const auto x = ReadAttribute(a, &context), y = ReadAttribute(b, &context);
      ASSERT_OK(x) << a;
      ASSERT_OK(y) << b;
      EXPECT_EQ(Equal(*x, *y), a == b) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace xla::mlir
