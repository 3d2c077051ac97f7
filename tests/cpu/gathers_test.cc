// SPDX-License-Identifier: Apache-2.0
// Gathers by lanes: positions of every type, and arrays that are looked up in registers. The bits
// are the interpreter's.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cpu/as_interpreted.h"
#include "tests/test_util.h"
#include "xla/base/machine.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Numbers of which some are beyond both ends of an array of `count` elements.
Literal Positions(PrimitiveType type, int64_t rows, int64_t count) {
  Literal numbers(ShapeUtil::MakeShape(S32, {rows}));
  int32_t next = 1;
  for (int32_t& x : numbers.data<int32_t>()) {
    next = (next * 75 + 74) % 65537;
    x = static_cast<int32_t>(next % (count + 6)) - 3;
  }
  return *numbers.Convert(type);
}

// table[positions], doubled, so that the gather is a part of a kernel.
std::string GatherProgram(absl::string_view type, absl::string_view index, int64_t count,
                          int64_t rows) {
  return absl::StrReplaceAll(R"(HloModule m
ENTRY e {
  i = INDEX[ROWS] parameter(0)
  n = TYPE[COUNT] iota(), iota_dimension=0
  c = TYPE[] constant(7)
  cs = TYPE[COUNT] broadcast(c), dimensions={}
  t = TYPE[COUNT] multiply(n, cs)
  table = TYPE[COUNT] sort(t), dimensions={0}, to_apply={
    a = TYPE[] parameter(0)
    b = TYPE[] parameter(1)
    ROOT more = pred[] compare(a, b), direction=GT
  }
  p = INDEX[ROWS,1] reshape(i)
  g = TYPE[ROWS] gather(table, p), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}
  ROOT r = TYPE[ROWS] add(g, g)
}
)",
                             {{"TYPE", type},
                              {"INDEX", index},
                              {"COUNT", absl::StrCat(count)},
                              {"ROWS", absl::StrCat(rows)}});
}

TEST(GathersTest, ArraysOfOneAndTwoRegisters) {
  for (const InstructionSet bound :
       {InstructionSet::kSse42, InstructionSet::kAvx2, InstructionSet::kAny}) {
    const ScopedMaxInstructionSet scope(bound);
    for (const char* const type : {"f32", "s32", "u32", "f64", "s16"}) {
      for (const int64_t count : {1, 2, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33}) {
        const Literal positions = Positions(S32, 77, count);
        ExpectAsInterpreted(GatherProgram(type, "s32", count, 77), positions);
      }
    }
  }
}

TEST(GathersTest, PositionsOfEveryType) {
  for (const PrimitiveType type : {S8, U8, S16, U16, S32, U32, S64, U64}) {
    for (const int64_t count : {3, 13, 90, 1000}) {
      const Literal positions = Positions(type, 133, count);
      ExpectAsInterpreted(
          GatherProgram("f32", primitive_util::LowercasePrimitiveTypeName(type), count, 133),
          positions);
    }
  }
}

// The rows that a position is taken from are those of the loop.
TEST(GathersTest, ColumnsOfRows) {
  for (const int64_t columns : {1, 3, 16, 21}) {
    const Literal positions = Positions(S32, 50, 40);
    ExpectAsInterpreted(absl::StrReplaceAll(R"(HloModule m
ENTRY e {
  i = s32[50] parameter(0)
  table = f32[COLS,43] iota(), iota_dimension=1
  rows = f32[COLS,43] iota(), iota_dimension=0
  half = f32[COLS,43] divide(rows, table)
  p = s32[50,1] reshape(i)
  ROOT g = f32[COLS,50] gather(half, p), offset_dims={0}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={COLS,1}
}
)",
                                            {{"COLS", absl::StrCat(columns)}}),
                        positions);
  }
}

}  // namespace
}  // namespace xla
