// SPDX-License-Identifier: Apache-2.0
// Programs of many sizes and element types give compiled what the interpreter gives: ends of rows
// that fill no vector, dimensions of one element, blocks and segments of kernels.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal_comparison.h"
#include "xla/primitive_util.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

// T is an element type, N and M are sizes, N1 is N + 1, N2 twice N, NM their product.
struct SizedProgram {
  const char* name;
  const char* entry;
};

constexpr char kSizedComputations[] = R"(
add { a = T[] parameter(0) b = T[] parameter(1) ROOT s = T[] add(a, b) }
max { a = T[] parameter(0) b = T[] parameter(1) ROOT s = T[] maximum(a, b) }
first { a = T[] parameter(0) b = T[] parameter(1) ROOT s = T[] add(b, a) }
less { a = T[] parameter(0) b = T[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
ge { a = T[] parameter(0) b = T[] parameter(1) ROOT c = pred[] compare(a, b), direction=GE }
pairs { a = T[] parameter(0) b = T[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)
  ROOT c = pred[] compare(a, b), direction=GT }
best { a = T[] parameter(0) i = s32[] parameter(1) b = T[] parameter(2) j = s32[] parameter(3)
  g = pred[] compare(a, b), direction=GT e = pred[] compare(a, b), direction=EQ
  l = pred[] compare(i, j), direction=LT el = pred[] and(e, l) c = pred[] or(g, el)
  x = T[] select(c, a, b) k = s32[] select(c, i, j)
  ROOT t = (T[], s32[]) tuple(x, k) }
body { p = (s32[], T[N]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = T[N] get-tuple-element(p), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = T[N] add(x, x) ROOT t = (s32[], T[N]) tuple(j, y) }
below { p = (s32[], T[N]) parameter(0) i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }
)";

constexpr SizedProgram kSizedPrograms[] = {
    {"Elementwise",
     "x = T[M,N] parameter(0) y = T[M,N] parameter(1) a = T[M,N] add(x, y) m = T[M,N] multiply(a, "
     "x) n = T[M,N] subtract(m, y) ROOT r = T[M,N] maximum(n, x)"},
    {"Select",
     "x = T[N,M] parameter(0) y = T[N,M] parameter(1) c = pred[N,M] compare(x, y), direction=LE "
     "ROOT r = T[N,M] select(c, x, y)"},
    {"Clamp",
     "x = T[N] parameter(0) l = T[] constant(0) h = T[] constant(2) ROOT r = T[N] clamp(l, x, h)"},
    {"Convert", "x = T[M,N] parameter(0) ROOT r = f64[M,N] convert(x)"},
    {"BroadcastRows",
     "x = T[N] parameter(0) y = T[M,N] parameter(1) b = T[M,N] broadcast(x), dimensions={1} ROOT r "
     "= T[M,N] add(b, y)"},
    {"BroadcastColumns",
     "x = T[N] parameter(0) y = T[N,M] parameter(1) b = T[N,M] broadcast(x), dimensions={0} ROOT r "
     "= T[N,M] add(b, y)"},
    {"Transpose", "x = T[M,3,N] parameter(0) ROOT r = T[N,M,3] transpose(x), dimensions={2,0,1}"},
    {"TransposeOfASum",
     "x = T[M,N] parameter(0) s = T[M,N] add(x, x) ROOT r = T[N,M] transpose(s), dimensions={1,0}"},
    {"TransposeToShortRows",
     "x = T[2,3,N] parameter(0) ROOT r = T[2,N,3] transpose(x), dimensions={0,2,1}"},
    {"TransposeOfASumToShortRows",
     "x = T[M,4,N] parameter(0) s = T[M,4,N] add(x, x) ROOT r = T[M,N,4] transpose(s), "
     "dimensions={0,2,1}"},
    {"TransposeOfAReshape",
     "x = T[N,3,5,16] parameter(0) y = T[N] parameter(1) b = T[N,3,5,16] broadcast(y), "
     "dimensions={0} s = T[N,3,5,16] add(x, b) f = T[N,3,80] reshape(s) ROOT r = T[80,3,N] "
     "transpose(f), dimensions={2,1,0}"},
    {"TransposeOfASelectOfRows",
     "x = T[N,33] parameter(0) y = T[33] parameter(1) b = T[N,33] broadcast(y), dimensions={1} c "
     "= pred[N,33] compare(x, b), direction=LT v = T[N,33] reverse(x), dimensions={1} s = T[N,33] "
     "select(c, v, b) ROOT r = T[33,N] transpose(s), dimensions={1,0}"},
    {"Reverse", "x = T[M,N] parameter(0) ROOT r = T[M,N] reverse(x), dimensions={0,1}"},
    {"ReverseRows", "x = T[M,N] parameter(0) ROOT r = T[M,N] reverse(x), dimensions={0}"},
    {"Slice", "x = T[N2,N1] parameter(0) ROOT r = T[N,N] slice(x), slice={[1:N2:2], [1:N1]}"},
    {"Pad",
     "x = T[M,N] parameter(0) z = T[] constant(1) p = T[M,N2] pad(x, z), padding=0_0x-1_2_1 ROOT r "
     "= T[M,N2] add(p, p)"},
    {"PadRows", "x = T[N] parameter(0) z = T[] constant(1) ROOT r = T[N1] pad(x, z), padding=2_-1"},
    {"Concatenate",
     "x = T[M,N] parameter(0) y = T[M,N1] parameter(1) c = T[M,NN1] concatenate(x, y), "
     "dimensions={1} ROOT r = T[M,NN1] add(c, c)"},
    {"Reshape", "x = T[M,N] parameter(0) s = T[M,N] add(x, x) ROOT r = T[NM] reshape(s)"},
    {"DynamicSlice",
     "x = T[M,N2] parameter(0) i = s32[] constant(1) ROOT r = T[1,N] dynamic-slice(x, i, i), "
     "dynamic_slice_sizes={1,N}"},
    {"DynamicUpdateSlice",
     "x = T[M,N2] parameter(0) u = T[1,N] parameter(1) i = s32[] constant(1) ROOT r = T[M,N2] "
     "dynamic-update-slice(x, u, i, i)"},
    {"Gather",
     "x = T[N,M] parameter(0) k = s32[N] iota(), iota_dimension=0 two = s32[] constant(2) t = "
     "s32[N] broadcast(two), dimensions={} i = s32[N] multiply(k, t) ROOT r = T[N,M] gather(x, i), "
     "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
     "slice_sizes={1,M}"},
    {"Scatter",
     "x = T[N,M] parameter(0) u = T[N1,M] parameter(1) k = s32[N1] iota(), iota_dimension=0 two = "
     "s32[] constant(2) t = s32[N1] broadcast(two), dimensions={} i = s32[N1] divide(k, t) ROOT r "
     "= T[N,M] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"},
    {"ReduceRows",
     "x = T[M,N] parameter(0) z = T[] constant(0) ROOT r = T[M] reduce(x, z), dimensions={1}, "
     "to_apply=add"},
    {"ReduceColumns",
     "x = T[M,N] parameter(0) z = T[] constant(0) ROOT r = T[N] reduce(x, z), dimensions={0}, "
     "to_apply=max"},
    {"ReduceBoth",
     "x = T[M,N] parameter(0) z = T[] constant(2) ROOT r = T[] reduce(x, z), dimensions={0,1}, "
     "to_apply=first"},
    {"ReduceMiddle",
     "x = T[M,3,N] parameter(0) z = T[] constant(0) ROOT r = T[M,N] reduce(x, z), dimensions={1}, "
     "to_apply=add"},
    {"ReduceOuterAndInner",
     "x = T[3,M,N] parameter(0) z = T[] constant(0) ROOT r = T[M] reduce(x, z), dimensions={0,2}, "
     "to_apply=add"},
    {"ReducePairs",
     "x = T[M,N] parameter(0) i = s32[M,N] iota(), iota_dimension=1 z = T[] constant(-9) k = s32[] "
     "constant(7) ROOT r = (T[M], s32[M]) reduce(x, i, z, k), dimensions={1}, to_apply=best"},
    {"RowsLessTheirMean",
     "x = T[M,N] parameter(0) z = T[] constant(0) m = T[M] reduce(x, z), dimensions={1}, "
     "to_apply=add b = T[M,N] broadcast(m), dimensions={0} ROOT r = T[M,N] subtract(x, b)"},
    {"ReduceWindow",
     "x = T[M,N2] parameter(0) z = T[] constant(0) ROOT r = T[M,N] reduce-window(x, z), "
     "window={size=1x2 stride=1x2}, to_apply=add"},
    {"ReduceWindowPadded",
     "x = T[M,N] parameter(0) z = T[] constant(-9) ROOT r = T[M,N] reduce-window(x, z), "
     "window={size=2x3 pad=1_0x1_1}, to_apply=max"},
    {"ReduceWindowDilated",
     "x = T[N] parameter(0) z = T[] constant(0) ROOT r = T[N2] reduce-window(x, z), window={size=2 "
     "pad=1_2 lhs_dilate=2 rhs_dilate=2}, to_apply=add"},
    {"PrefixSum",
     "x = T[M,N] parameter(0) z = T[] constant(0) ROOT r = T[M,N] reduce-window(x, z), "
     "window={size=1xN pad=0_0xNL_0}, to_apply=add"},
    {"SuffixMaximumOfColumns",
     "x = T[N,M] parameter(0) z = T[] constant(-9) ROOT r = T[N,M] reduce-window(x, z), "
     "window={size=Nx1 pad=0_NLx0_0}, to_apply=max"},
    {"WindowsOverBothEnds",
     "x = T[N] parameter(0) z = T[] constant(0) ROOT r = T[ND] reduce-window(x, z), window={size=N "
     "pad=NL_NL}, to_apply=add"},
    {"WindowsBehindTheEnd",
     "x = T[N] parameter(0) z = T[] constant(-9) ROOT r = T[N1] reduce-window(x, z), "
     "window={size=N pad=0_N}, to_apply=max"},
    {"SelectAndScatter",
     "x = T[N2,M] parameter(0) s = T[N,M] parameter(1) z = T[] constant(0) ROOT r = T[N2,M] "
     "select-and-scatter(x, s, z), window={size=2x1 stride=2x1}, select=ge, scatter=add"},
    {"Dot",
     "x = T[M,N] parameter(0) y = T[N,5] parameter(1) ROOT r = T[M,5] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"DotOfTransposed",
     "x = T[N,M] parameter(0) y = T[3,N] parameter(1) ROOT r = T[M,3] dot(x, y), "
     "lhs_contracting_dims={0}, rhs_contracting_dims={1}"},
    {"DotBatches",
     "x = T[3,M,N] parameter(0) y = T[3,N,2] parameter(1) ROOT r = T[3,M,2] dot(x, y), "
     "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}"},
    {"MatrixTimesVector",
     "x = T[M,N] parameter(0) y = T[N] parameter(1) ROOT r = T[M] dot(x, y), "
     "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"VectorTimesMatrix",
     "x = T[M] parameter(0) y = T[M,N] parameter(1) ROOT r = T[N] dot(x, y), "
     "lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
    {"OuterProduct", "x = T[M] parameter(0) y = T[N] parameter(1) ROOT r = T[M,N] dot(x, y)"},
    {"Convolution",
     "x = T[2,M,N,3] parameter(0) k = T[3,2,3,4] parameter(1) ROOT r = T[2,M,N,4] convolution(x, "
     "k), window={size=3x2 pad=1_1x0_1}, dim_labels=b01f_01io->b01f"},
    {"ConvolutionOfGroups",
     "x = T[2,N,4] parameter(0) k = T[3,2,4] parameter(1) ROOT r = T[2,N,4] convolution(x, k), "
     "window={size=3 pad=1_1 rhs_reversal=1}, dim_labels=b0f_0io->b0f, feature_group_count=2"},
    {"ConvolutionOfChannels",
     "x = T[1,N,M] parameter(0) k = T[2,1,M] parameter(1) ROOT r = T[1,N,M] convolution(x, k), "
     "window={size=2 pad=1_0}, dim_labels=b0f_0io->b0f, feature_group_count=M"},
    {"Sort", "x = T[M,N] parameter(0) ROOT r = T[M,N] sort(x), dimensions={1}, to_apply=less"},
    {"SortColumns",
     "x = T[N,M] parameter(0) ROOT r = T[N,M] sort(x), dimensions={0}, is_stable=true, "
     "to_apply=less"},
    {"SortPairs",
     "x = T[M,N] parameter(0) i = s32[M,N] iota(), iota_dimension=1 ROOT r = (T[M,N], s32[M,N]) "
     "sort(x, i), dimensions={1}, is_stable=true, to_apply=pairs"},
    {"TopK", "x = T[M,N1] parameter(0) ROOT r = (T[M,2], s32[M,2]) topk(x), k=2, largest=true"},
    {"Loop",
     "x = T[N] parameter(0) i = s32[] constant(0) t = (s32[], T[N]) tuple(i, x) w = (s32[], T[N]) "
     "while(t), condition=below, body=body ROOT r = T[N] get-tuple-element(w), index=1"},
    {"Iota",
     "x = T[M,N] parameter(0) i = T[M,N] iota(), iota_dimension=1 j = T[M,N] iota(), "
     "iota_dimension=0 s = T[M,N] add(i, j) ROOT r = T[M,N] add(s, x)"},
    {"SeveralResults",
     "x = T[M,N] parameter(0) s = T[M,N] add(x, x) z = T[] constant(0) m = T[M] reduce(x, z), "
     "dimensions={1}, to_apply=max t = T[N,M] transpose(s), dimensions={1,0} ROOT r = (T[M,N], "
     "T[M], T[N,M]) tuple(s, m, t)"},
};

std::string SizedText(const SizedProgram& program, const std::string& type, int64_t m, int64_t n) {
  const std::string text =
      absl::StrCat("HloModule m\n", kSizedComputations, "ENTRY e { ", program.entry, " }");
  std::string result;
  const auto is_word = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  const std::vector<std::pair<std::string, std::string>> words = {{"T", type},
                                                                  {"M", absl::StrCat(m)},
                                                                  {"N", absl::StrCat(n)},
                                                                  {"N1", absl::StrCat(n + 1)},
                                                                  {"N2", absl::StrCat(2 * n)},
                                                                  {"NN1", absl::StrCat(2 * n + 1)},
                                                                  {"NM", absl::StrCat(n * m)},
                                                                  {"NL", absl::StrCat(n - 1)},
                                                                  {"ND", absl::StrCat(2 * n - 1)}};
  // Words of capitals and digits, also in "1xN", "0_NL" and "2x1".
  for (size_t i = 0; i < text.size();) {
    const bool starts =
        absl::ascii_isupper(static_cast<unsigned char>(text[i])) &&
        (i == 0 || !is_word(text[i - 1]) || text[i - 1] == 'x' || text[i - 1] == '_');
    size_t end = i + 1;
    while (starts && end < text.size() &&
           (absl::ascii_isupper(static_cast<unsigned char>(text[end])) ||
            absl::ascii_isdigit(static_cast<unsigned char>(text[end])))) {
      ++end;
    }
    const std::string word = text.substr(i, end - i);
    i = end;
    std::string replacement = word;
    for (const auto& [name, value] : words) {
      if (starts && word == name) replacement = value;
    }
    result += replacement;
  }
  return result;
}

// Small whole numbers, so that sums are exact in any order, with ties.
Literal SmallNumbers(const Shape& shape, uint32_t seed) {
  Literal whole(ShapeUtil::ChangeElementType(shape, S32));
  auto* data = static_cast<int32_t*>(whole.untyped_data());
  for (int64_t i = 0; i < whole.element_count(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = static_cast<int32_t>(seed >> 24) % 7 - 3;
  }
  if (primitive_util::IsUnsignedIntegralType(shape.element_type()) ||
      shape.element_type() == PRED) {
    for (int64_t i = 0; i < whole.element_count(); ++i) data[i] = std::abs(data[i]);
  }
  return *whole.Convert(shape.element_type());
}

class SizesTest : public ::testing::TestWithParam<SizedProgram> {};

TEST_P(SizesTest, GiveWhatTheInterpreterGives) {
  runtime::ThreadPool pool(2);
  int compared = 0;
  for (const char* type : {"f32", "s32", "bf16", "u8"}) {
    for (const auto& [m, n] :
         {std::pair<int64_t, int64_t>{2, 1}, {5, 3}, {2, 17}, {19, 40}, {3, 333}, {130, 9}}) {
      const std::string text = SizedText(GetParam(), type, m, n);
      if (std::string(type) == "u8" && absl::StrContains(text, "constant(-")) continue;
      auto module = ParseAndReturnUnverifiedModule(text);
      ASSERT_OK(module) << text;
      ASSERT_OK(VerifyModule(**module)) << text;
      std::vector<Literal> arguments;
      for (const HloInstruction* parameter :
           (*module)->entry_computation()->parameter_instructions())
        arguments.push_back(SmallNumbers(parameter->shape(), 7));
      std::vector<const Literal*> pointers;
      for (const Literal& argument : arguments) pointers.push_back(&argument);
      InterpreterOptions options;
      options.num_threads = 1;
      const auto expected = Interpret(**module, pointers, options);
      ASSERT_OK(expected) << text;
      const auto program = CpuProgram::Compile(**module);
      ASSERT_OK(program) << text;
      runtime::ExecutionContext context;
      context.pool = &pool;
      const auto result = (*program)->Run(pointers, context);
      ASSERT_OK(result) << text;
      EXPECT_OK(literal_comparison::Equal(*expected, *result)) << text;
      ++compared;
    }
  }
  EXPECT_GE(compared, 18);
}

INSTANTIATE_TEST_SUITE_P(Programs, SizesTest, ::testing::ValuesIn(kSizedPrograms),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace xla
