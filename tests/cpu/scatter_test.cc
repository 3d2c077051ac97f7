// SPDX-License-Identifier: Apache-2.0
// Scatters whose windows lack the minor dimension: the rows of the result are computed one by one.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cpu/as_interpreted.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Runs a program of one array of small integers; `text` computes from x the updates u, and from
// the places i, some of which are outside and some the same, the result.
void ExpectScattered(int64_t rows, int64_t updates, const std::string& text) {
  const std::string program_text =
      absl::StrReplaceAll(absl::StrCat(R"(HloModule m
set { a = s32[] parameter(0) ROOT b = s32[] parameter(1) }
add { c = s32[] parameter(0) d = s32[] parameter(1) ROOT s = s32[] add(c, d) }
ENTRY e {
  x = s32[ROWS,COUNT] parameter(0)
  n = s32[COUNT,1] iota(), iota_dimension=0
  seven = s32[] constant(7)
  sevens = s32[COUNT,1] broadcast(seven), dimensions={}
  far = s32[COUNT,1] multiply(n, sevens)
  limit = s32[] constant(42)
  limits = s32[COUNT,1] broadcast(limit), dimensions={}
  near = s32[COUNT,1] remainder(far, limits)
  one = s32[] constant(1)
  ones = s32[COUNT,1] broadcast(one), dimensions={}
  i = s32[COUNT,1] subtract(near, ones)
  zero = s32[] constant(0)
)",
                                       text, "}\n"),
                          {{"ROWS", absl::StrCat(rows)}, {"COUNT", absl::StrCat(updates)}});
  Literal argument(ShapeUtil::MakeShape(S32, {rows, updates}));
  int32_t next = 0;
  for (int32_t& value : argument.data<int32_t>()) value = next = (next * 75 + 74) % 4099;
  ExpectAsInterpreted(program_text, argument);
}

TEST(ScatterTest, Columns) {
  for (const char* combiner : {"set", "add"}) {
    for (const int64_t rows : {1, 3, 700}) {
      for (const int64_t updates : {1, 37, 300}) {
        ExpectScattered(rows, updates,
                        absl::StrCat(R"(
  start = s32[ROWS,40] broadcast(zero), dimensions={}
  ROOT r = s32[ROWS,40] scatter(start, i, x), to_apply=)",
                                     combiner, R"(,
      update_window_dims={0}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=1
)"));
      }
    }
  }
}

TEST(ScatterTest, ColumnsOfMatrices) {
  ExpectScattered(60, 50, R"(
  u = s32[3,20,COUNT] reshape(x)
  start = s32[3,20,40] broadcast(zero), dimensions={}
  ROOT r = s32[3,20,40] scatter(start, i, u), to_apply=set,
      update_window_dims={0,1}, inserted_window_dims={2}, scatter_dims_to_operand_dims={2}, index_vector_dim=1
)");
}

// The first dimension of the window is indexed, too: only the second is divided.
TEST(ScatterTest, WindowsThatAreIndexed) {
  ExpectScattered(60, 50, R"(
  u = s32[3,20,COUNT] reshape(x)
  both = s32[COUNT,2] concatenate(i, near), dimensions={1}
  start = s32[9,20,44] broadcast(zero), dimensions={}
  ROOT r = s32[9,20,44] scatter(start, both, u), to_apply=add,
      update_window_dims={0,1}, inserted_window_dims={2}, scatter_dims_to_operand_dims={0,2}, index_vector_dim=1
)");
}

TEST(ScatterTest, ColumnsOfBatches) {
  ExpectScattered(60, 50, R"(
  u = s32[3,20,COUNT] reshape(x)
  places = s32[3,COUNT,1] broadcast(i), dimensions={1,2}
  shift = s32[3,COUNT,1] iota(), iota_dimension=0
  shifted = s32[3,COUNT,1] add(places, shift)
  start = s32[3,20,40] broadcast(zero), dimensions={}
  ROOT r = s32[3,20,40] scatter(start, shifted, u), to_apply=add,
      update_window_dims={1}, inserted_window_dims={2}, scatter_dims_to_operand_dims={2},
      input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2
)");
}

}  // namespace
}  // namespace xla
