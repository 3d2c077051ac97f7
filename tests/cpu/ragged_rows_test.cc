// SPDX-License-Identifier: Apache-2.0
// Rows whose length is no multiple of a vector's: the bits of the interpreter's results.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cpu/as_interpreted.h"
#include "tests/test_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Runs a program of one argument, the given array filled with small numbers of its type.
void ExpectInterpretersResult(PrimitiveType type, std::vector<int64_t> dimensions,
                              const std::string& text) {
  Literal numbers(ShapeUtil::MakeShape(S32, dimensions));
  int32_t next = 0;
  for (int32_t& x : numbers.data<int32_t>()) x = (next = (next * 75 + 74) % 65537) % 97;
  ASSERT_OK_AND_ASSIGN(const Literal argument, numbers.Convert(type));
  ExpectAsInterpreted(text, argument);
}

std::string Replaced(std::string text, int64_t rows, int64_t columns) {
  return absl::StrReplaceAll(text, {{"ROWS", absl::StrCat(rows)}, {"COLS", absl::StrCat(columns)}});
}

// The longest are cut into segments, the last of which takes what is too short for a vector.
const int64_t kLengths[] = {1,  2,  3,   5,   7,   12,  15,   17,    31,   33,
                            63, 65, 100, 127, 130, 255, 1001, 16389, 24580};

constexpr int64_t kMostElements = 100000;

TEST(RaggedRowsTest, ElementsOfRowsAndColumns) {
  for (const int64_t rows : {1, 3, 70}) {
    for (const int64_t columns : kLengths) {
      if (rows * columns > kMostElements) continue;
      ExpectInterpretersResult(F32, {rows, columns},
                               Replaced(R"(HloModule m
ENTRY e {
  x = f32[ROWS,COLS] parameter(0)
  i = f32[ROWS,COLS] iota(), iota_dimension=1
  v = f32[ROWS,1] slice(x), slice={[0:ROWS], [0:1]}
  w = f32[ROWS] reshape(v)
  b = f32[ROWS,COLS] broadcast(w), dimensions={0}
  s = f32[ROWS,COLS] subtract(x, b)
  ROOT r = f32[ROWS,COLS] add(s, i)
}
)",
                                        rows, columns));
    }
  }
}

// Columns that are reduced: the last vector of a row overlaps with the one before.
TEST(RaggedRowsTest, Columns) {
  const std::string sum = R"(HloModule m
add { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT s = TYPE[] add(a, b) }
ENTRY e {
  x = TYPE[ROWS,COLS] parameter(0)
  m = TYPE[ROWS,COLS] multiply(x, x)
  one = TYPE[] constant(ONE)
  ROOT r = TYPE[COLS] reduce(m, one), dimensions={0}, to_apply=add
}
)";
  // Of the middle of three dimensions, and the place of the largest.
  const std::string place = R"(HloModule m
larger {
  a = TYPE[] parameter(0)
  i = s32[] parameter(1)
  b = TYPE[] parameter(2)
  j = s32[] parameter(3)
  larger = pred[] compare(a, b), direction=GT
  equal = pred[] compare(a, b), direction=EQ
  earlier = pred[] compare(i, j), direction=LT
  first = pred[] and(equal, earlier)
  p = pred[] or(larger, first)
  v = TYPE[] select(p, a, b)
  k = s32[] select(p, i, j)
  ROOT t = (TYPE[], s32[]) tuple(v, k)
}
ENTRY e {
  x = TYPE[2,ROWS,COLS] parameter(0)
  i = s32[2,ROWS,COLS] iota(), iota_dimension=1
  least = TYPE[] constant(-1)
  none = s32[] constant(-1)
  ROOT r = (TYPE[2,COLS], s32[2,COLS]) reduce(x, i, least, none), dimensions={1}, to_apply=larger
}
)";
  for (const PrimitiveType type : {F32, S8, C64, F64}) {
    const auto name = primitive_util::LowercasePrimitiveTypeName(type);
    for (const int64_t rows : {16, 21, 97}) {
      for (const int64_t columns : kLengths) {
        if (rows * columns > kMostElements) continue;
        const auto of_type = [&](const std::string& text) {
          return absl::StrReplaceAll(Replaced(text, rows, columns),
                                     {{"TYPE", name}, {"ONE", type == C64 ? "(1, 2)" : "1"}});
        };
        ExpectInterpretersResult(type, {rows, columns}, of_type(sum));
        if (type == F32 || type == S8)
          ExpectInterpretersResult(type, {2, rows, columns}, of_type(place));
      }
    }
  }
}

// Products of rows with themselves in a loop, each of which is one number.
TEST(RaggedRowsTest, SumsOfProductsInLoops) {
  const std::string text = R"(HloModule m
condition {
  s = (s32[], TYPE[], TYPE[ROWS,COLS]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(ROWS)
  ROOT l = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], TYPE[], TYPE[ROWS,COLS]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  sum = TYPE[] get-tuple-element(s), index=1
  x = TYPE[ROWS,COLS] get-tuple-element(s), index=2
  zero = s32[] constant(0)
  row = TYPE[1,COLS] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,COLS}
  v = TYPE[COLS] reshape(row)
  dot = TYPE[] dot(v, v), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  larger = TYPE[] maximum(dot, sum)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT t = (s32[], TYPE[], TYPE[ROWS,COLS]) tuple(next, larger, x)
}
ENTRY e {
  x = TYPE[ROWS,COLS] parameter(0)
  i = s32[] constant(0)
  sum = TYPE[] constant(0)
  t = (s32[], TYPE[], TYPE[ROWS,COLS]) tuple(i, sum, x)
  w = (s32[], TYPE[], TYPE[ROWS,COLS]) while(t), condition=condition, body=body
  ROOT r = TYPE[] get-tuple-element(w), index=1
}
)";
  for (const PrimitiveType type : {F32, F64, BF16, S32, U8}) {
    const auto name = primitive_util::LowercasePrimitiveTypeName(type);
    for (const int64_t columns : kLengths) {
      if (columns > 1001) continue;
      ExpectInterpretersResult(type, {20, columns},
                               absl::StrReplaceAll(Replaced(text, 20, columns), {{"TYPE", name}}));
    }
  }
}

// What is sorted is a temporary that the kernel between the sorts overwrites.
TEST(RaggedRowsTest, InPlace) {
  for (const int64_t rows : {1, 3, 70}) {
    for (const int64_t columns : kLengths) {
      if (rows * columns > kMostElements) continue;
      ExpectInterpretersResult(S32, {rows, columns},
                               Replaced(R"(HloModule m
less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}
ENTRY e {
  x = s32[ROWS,COLS] parameter(0)
  s = s32[ROWS,COLS] sort(x), dimensions={1}, to_apply=less
  i = s32[ROWS,COLS] iota(), iota_dimension=1
  t = s32[ROWS,COLS] multiply(s, s)
  u = s32[ROWS,COLS] subtract(i, t)
  ROOT r = s32[ROWS,COLS] sort(u), dimensions={1}, to_apply=less
}
)",
                                        rows, columns));
    }
  }
}

TEST(RaggedRowsTest, SeveralVectorsAtATimeAndTwoWidths) {
  std::string chain;
  for (int i = 0; i < 60; ++i) {
    absl::StrAppend(&chain, "  v", i + 1, " = s32[ROWS,COLS] multiply(v", i, ", v", i / 2, ")\n");
  }
  for (const int64_t rows : {2, 70}) {
    for (const int64_t columns : {100, 300, 1000, 1025}) {
      ExpectInterpretersResult(
          S32, {rows, columns},
          Replaced(absl::StrCat("HloModule m\nENTRY e {\n  v0 = s32[ROWS,COLS] parameter(0)\n",
                                chain, "  w = s64[ROWS,COLS] convert(v60)\n",
                                "  i = s64[ROWS,COLS] iota(), iota_dimension=1\n",
                                "  ROOT r = s64[ROWS,COLS] xor(w, i)\n}\n"),
                   rows, columns));
    }
  }
}

// In the lanes of vectors, loaded as they lie and transposed; the last vector of rows overlaps the
// one before.
TEST(RaggedRowsTest, ShortRowsThatAreReducedSideBySide) {
  for (const PrimitiveType type : {F32, F64, S32, S16, S8, BF16, U64}) {
    for (int64_t columns = 2; columns <= 40; ++columns) {
      for (const int64_t rows : {16, 23, 200}) {
        if (type != F32 && rows != 23) continue;
        ExpectInterpretersResult(
            type, {3, rows, columns},
            absl::StrReplaceAll(Replaced(R"(HloModule m
larger {
  a = TYPE[] parameter(0)
  b = TYPE[] parameter(1)
  ROOT c = TYPE[] maximum(a, b)
}
ENTRY e {
  x = TYPE[3,ROWS,COLS] parameter(0)
  zero = TYPE[] constant(0)
  row = TYPE[3,1,COLS] slice(x), slice={[0:3], [1:2], [0:COLS]}
  line = TYPE[3,COLS] reshape(row)
  lines = TYPE[3,ROWS,COLS] broadcast(line), dimensions={0,2}
  d = TYPE[3,ROWS,COLS] subtract(x, lines)
  m = TYPE[3,ROWS] reduce(d, zero), dimensions={2}, to_apply=larger
  p = TYPE[3,ROWS] reduce(x, zero), dimensions={2}, to_apply=larger
  ROOT r = TYPE[3,ROWS] subtract(p, m)
}
)",
                                         rows, columns),
                                {{"TYPE", primitive_util::LowercasePrimitiveTypeName(type)}}));
      }
    }
  }
}

// The lanes of one type are two registers of the other.
TEST(RaggedRowsTest, ShortRowsOfTwoTypesThatAreReducedSideBySide) {
  for (int64_t columns = 2; columns <= 40; ++columns) {
    ExpectInterpretersResult(F64, {50, columns},
                             Replaced(R"(HloModule m
larger {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] maximum(a, b)
}
ENTRY e {
  x = f64[ROWS,COLS] parameter(0)
  y = f32[ROWS,COLS] convert(x)
  i = f32[ROWS,COLS] iota(), iota_dimension=1
  z = f32[ROWS,COLS] subtract(y, i)
  w = f32[ROWS,COLS] multiply(z, i)
  v = f32[ROWS,COLS] add(w, y)
  zero = f32[] constant(0)
  ROOT m = f32[ROWS] reduce(v, zero), dimensions={1}, to_apply=larger
}
)",
                                      50, columns));
  }
}

// Of two operands, and of expensive elements.
TEST(RaggedRowsTest, PlacesOfExtremesOfShortRows) {
  for (int64_t columns = 2; columns <= 40; ++columns) {
    ExpectInterpretersResult(F32, {50, columns},
                             Replaced(R"(HloModule m
first {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  g = pred[] compare(a, b), direction=GT
  q = pred[] compare(a, b), direction=EQ
  l = pred[] compare(i, j), direction=LT
  ql = pred[] and(q, l)
  t = pred[] or(g, ql)
  v = f32[] select(t, a, b)
  k = s32[] select(t, i, j)
  ROOT r = (f32[], s32[]) tuple(v, k)
}
ENTRY e {
  x = f32[ROWS,COLS] parameter(0)
  i = s32[ROWS,COLS] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  m = (f32[ROWS], s32[ROWS]) reduce(x, i, low, zero), dimensions={1}, to_apply=first
  ROOT k = s32[ROWS] get-tuple-element(m), index=1
}
)",
                                      50, columns));
  }
}

TEST(RaggedRowsTest, RowsThatAreReducedAndKept) {
  for (const int64_t rows : {64, 70}) {
    for (const int64_t columns : kLengths) {
      if (rows * columns > kMostElements) continue;
      ExpectInterpretersResult(S32, {rows, columns},
                               Replaced(R"(HloModule m
larger {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] maximum(a, b)
}
sum {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}
ENTRY e {
  x = s32[ROWS,COLS] parameter(0)
  zero = s32[] constant(0)
  m = s32[ROWS] reduce(x, zero), dimensions={1}, to_apply=larger
  mb = s32[ROWS,COLS] broadcast(m), dimensions={0}
  d = s32[ROWS,COLS] subtract(mb, x)
  d2 = s32[ROWS,COLS] multiply(d, d)
  d4 = s32[ROWS,COLS] multiply(d2, d2)
  d5 = s32[ROWS,COLS] add(d4, d)
  d6 = s32[ROWS,COLS] xor(d5, d2)
  d7 = s32[ROWS,COLS] multiply(d6, d)
  s = s32[ROWS] reduce(d7, zero), dimensions={1}, to_apply=sum
  sb = s32[ROWS,COLS] broadcast(s), dimensions={0}
  ROOT r = s32[ROWS,COLS] subtract(sb, d7)
}
)",
                                        rows, columns));
    }
  }
}

// One element of each row is NaN or infinite: at every place of a vector.
TEST(RaggedRowsTest, ExtremesFindNanAtEveryPlace) {
  for (const char* type : {"f32", "f64", "bf16"}) {
    for (const char* extreme : {"maximum", "minimum"}) {
      for (const int64_t columns : {4, 8, 10, 15, 16, 17, 40, 129}) {
        for (const char* special : {"nan", "inf", "-inf"}) {
          ExpectInterpretersResult(
              primitive_util::StringToPrimitiveType(type).value(), {columns, columns},
              absl::StrReplaceAll(Replaced(R"(HloModule m
reducer { a = TYPE[] parameter(0)  b = TYPE[] parameter(1)  ROOT m = TYPE[] EXTREME(a, b) }
ENTRY e {
  x = TYPE[ROWS,COLS] parameter(0)
  i = s32[ROWS,COLS] iota(), iota_dimension=0
  j = s32[ROWS,COLS] iota(), iota_dimension=1
  here = pred[ROWS,COLS] compare(i, j), direction=EQ
  special = TYPE[] constant(SPECIAL)
  s = TYPE[ROWS,COLS] broadcast(special), dimensions={}
  y = TYPE[ROWS,COLS] select(here, s, x)
  minus = TYPE[ROWS,COLS] negate(s)
  z = TYPE[ROWS,COLS] select(here, s, minus)
  start = TYPE[] constant(START)
  a = TYPE[ROWS] reduce(y, start), dimensions={1}, to_apply=reducer
  b = TYPE[ROWS] reduce(z, start), dimensions={1}, to_apply=reducer
  a_is_number = pred[ROWS] compare(a, a), direction=EQ
  b_is_number = pred[ROWS] compare(b, b), direction=EQ
  other = TYPE[] constant(1000)
  others = TYPE[ROWS] broadcast(other), dimensions={}
  c = TYPE[ROWS] select(a_is_number, a, others)
  d = TYPE[ROWS] select(b_is_number, b, others)
  ROOT r = (TYPE[ROWS], TYPE[ROWS]) tuple(c, d)
}
)",
                                           columns, columns),
                                  {{"TYPE", type},
                                   {"EXTREME", extreme},
                                   {"SPECIAL", special},
                                   {"START", std::string(extreme) == "maximum" ? "-inf" : "inf"}}));
        }
      }
    }
  }
}

TEST(RaggedRowsTest, Transposes) {
  for (const char* type : {"u8", "f16", "s32", "f64"}) {
    const PrimitiveType primitive = primitive_util::StringToPrimitiveType(type).value();
    for (const int64_t rows : {2, 5, 16, 30, 33, 100}) {
      for (const int64_t columns : {2, 3, 16, 17, 50, 64, 129}) {
        ExpectInterpretersResult(
            primitive, {3, rows, columns},
            absl::StrReplaceAll(Replaced("HloModule m\nENTRY e {\n"
                                         "  x = TYPE[3,ROWS,COLS] parameter(0)\n"
                                         "  ROOT t = TYPE[3,COLS,ROWS] transpose(x), "
                                         "dimensions={0,2,1}\n}\n",
                                         rows, columns),
                                {{"TYPE", type}}));
      }
    }
  }
}

}  // namespace
}  // namespace xla
