// SPDX-License-Identifier: Apache-2.0
// Structured operations for every element type that the specification allows (the verifier
// decides), against the same program in a wide type.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/interp/types_test_util.h"
#include "tests/test_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

using testing::AllTypes;
using testing::ConvertAll;
using testing::ExpectSame;
using testing::IsAllowed;
using testing::Name;
using testing::Parse;
using testing::RunModule;
using testing::WideOf;

// Small numbers that the type and all sums and products below hold exactly.
Literal SmallNumbers(PrimitiveType type, std::vector<int64_t> dimensions, int seed) {
  static const std::map<PrimitiveType, std::vector<double>>* const sets =
      new std::map<PrimitiveType, std::vector<double>>{
          {PRED, {0, 1}},
          {S1, {0, -1}},
          {U1, {0, 1}},
          {S2, {0, 1, -1}},
          {U2, {0, 1, 2}},
          {F8E8M0FNU, {1, 2, 0.5}},
          {F4E2M1FN, {0, 1, -1, 0.5}}};
  const auto found = sets->find(type);
  const std::vector<double> usual = primitive_util::IsUnsignedIntegralType(type)
                                        ? std::vector<double>{0, 1, 2, 3}
                                        : std::vector<double>{0, 1, -1, 2, -2};
  const std::vector<double>& set = found == sets->end() ? usual : found->second;
  Literal doubles(ShapeUtil::MakeShape(F64, dimensions));
  auto state = static_cast<uint32_t>(seed * 7919 + 1);
  for (double& x : doubles.data<double>()) {
    state = state * 1664525u + 1013904223u;
    x = set[(state >> 16) % set.size()];
  }
  return doubles.Convert(type).value();
}

struct Program {
  const char* name;
  const char* text;  // $T: the element type
  std::vector<std::vector<int64_t>> parameters;
};

// Computations by name; a program has those it names.
const std::vector<std::pair<std::string, std::string>>& Regions() {
  static const auto* const regions = new std::vector<std::pair<std::string, std::string>>{
      {"sum", R"(sum { sx = $T[] parameter(0)
  sy = $T[] parameter(1)
  ROOT sr = $T[] add(sx, sy) })"},
      {"max", R"(max { mx = $T[] parameter(0)
  my = $T[] parameter(1)
  ROOT mr = $T[] maximum(mx, my) })"},
      {"min", R"(min { nx = $T[] parameter(0)
  ny = $T[] parameter(1)
  ROOT nr = $T[] minimum(nx, ny) })"},
      {"product", R"(product { px = $T[] parameter(0)
  py = $T[] parameter(1)
  ROOT pr = $T[] multiply(px, py) })"},
      {"last", R"(last { lx = $T[] parameter(0)
  ROOT ly = $T[] parameter(1) })"},
      {"both", R"(both { bx = $T[] parameter(0)
  by = $T[] parameter(1)
  bz = $T[] parameter(2)
  bw = $T[] parameter(3)
  bs = $T[] add(bx, bz)
  bm = $T[] maximum(by, bw)
  ROOT br = ($T[], $T[]) tuple(bs, bm) })"},
      {"less", R"(less { ex = $T[] parameter(0)
  ey = $T[] parameter(1)
  ROOT er = pred[] compare(ex, ey), direction=LT })"},
      {"ge", R"(ge { gx = $T[] parameter(0)
  gy = $T[] parameter(1)
  ROOT gr = pred[] compare(gx, gy), direction=GE })"},
      {"running", R"(running { rx = $T[] parameter(0)
  rc = $T[] parameter(1)
  rs = $T[] add(rx, rc)
  ROOT rr = ($T[], $T[]) tuple(rs, rs) })"},
      {"body", R"(body { wc = (s32[], $T[3]) parameter(0)
  wi = s32[] get-tuple-element(wc), index=0
  wone = s32[] constant(1)
  wn = s32[] add(wi, wone)
  wx = $T[3] get-tuple-element(wc), index=1
  wy = $T[3] maximum(wx, wx)
  ROOT wr = (s32[], $T[3]) tuple(wn, wy) })"},
      {"condition", R"(condition { cc = (s32[], $T[3]) parameter(0)
  ci = s32[] get-tuple-element(cc), index=0
  cl = s32[] constant(3)
  ROOT cr = pred[] compare(ci, cl), direction=LT })"},
      {"same", R"(same { ROOT ix = $T[3] parameter(0) })"},
  };
  return *regions;
}

std::string TextOf(const Program& program, PrimitiveType type) {
  std::string text = "HloModule m\n";
  for (const auto& [name, region] : Regions()) {
    const std::string use = "=" + name;
    for (const char* end : {",", "\n", ""}) {
      const bool is_used = *end == 0 ? absl::EndsWith(program.text, use)
                                     : absl::StrContains(program.text, use + end);
      if (!is_used) continue;
      absl::StrAppend(&text, region, "\n");
      break;
    }
  }
  absl::StrAppend(&text, "ENTRY e {\n", program.text, "\n}\n");
  return absl::StrReplaceAll(text, {{"$T", Name(type)}});
}

const std::vector<Program>& Programs() {
  static const auto* const programs = new std::vector<Program>{
      {"reduce sum",
       "x = $T[2,3] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[2] reduce(x, i), "
       "dimensions={1}, to_apply=sum",
       {{2, 3}, {}}},
      {"reduce sum over rows",
       "x = $T[3,2] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[2] reduce(x, i), "
       "dimensions={0}, to_apply=sum",
       {{3, 2}, {}}},
      {"reduce product",
       "x = $T[3] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[] reduce(x, i), "
       "dimensions={0}, to_apply=product",
       {{3}, {}}},
      {"reduce maximum",
       "x = $T[2,17] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[2] reduce(x, i), "
       "dimensions={1}, to_apply=max",
       {{2, 17}, {}}},
      {"reduce minimum of nothing",
       "x = $T[0,2] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[2] reduce(x, i), "
       "dimensions={0}, to_apply=min",
       {{0, 2}, {}}},
      {"variadic reduce",
       "x = $T[3,2] parameter(0)\n y = $T[3,2] parameter(1)\n i = $T[] parameter(2)\n ROOT r = "
       "($T[2], $T[2]) reduce(x, y, i, i), dimensions={0}, to_apply=both",
       {{3, 2}, {3, 2}, {}}},
      {"map",
       "x = $T[5] parameter(0)\n y = $T[5] parameter(1)\n ROOT r = $T[5] map(x, y), "
       "dimensions={0}, to_apply=max",
       {{5}, {5}}},
      {"scan",
       "x = $T[3] parameter(0)\n i = $T[] parameter(1)\n ROOT r = ($T[3], $T[]) scan(x, i), "
       "dimensions={0}, num_carries=1, to_apply=running",
       {{3}, {}}},
      {"reduce-window sum",
       "x = $T[5] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[3] reduce-window(x, i), "
       "window={size=2 stride=2 pad=1_0}, to_apply=sum",
       {{5}, {}}},
      {"reduce-window maximum",
       "x = $T[4,5] parameter(0)\n i = $T[] parameter(1)\n ROOT r = $T[3,4] reduce-window(x, i), "
       "window={size=2x2}, to_apply=max",
       {{4, 5}, {}}},
      {"select-and-scatter",
       "x = $T[4,4] parameter(0)\n s = $T[2,2] parameter(1)\n i = $T[] parameter(2)\n ROOT r = "
       "$T[4,4] select-and-scatter(x, s, i), window={size=2x2 stride=2x2}, select=ge, scatter=max",
       {{4, 4}, {2, 2}, {}}},
      {"dot",
       "x = $T[2,3] parameter(0)\n y = $T[3,2] parameter(1)\n ROOT r = $T[2,2] dot(x, y), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {{2, 3}, {3, 2}}},
      {"batch dot",
       "x = $T[2,1,2] parameter(0)\n y = $T[2,2,3] parameter(1)\n ROOT r = $T[2,1,3] dot(x, y), "
       "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
       {{2, 1, 2}, {2, 2, 3}}},
      {"dot over nothing",
       "x = $T[2,0] parameter(0)\n y = $T[0,2] parameter(1)\n ROOT r = $T[2,2] dot(x, y), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       {{2, 0}, {0, 2}}},
      {"convolution",
       "x = $T[1,4,1] parameter(0)\n y = $T[3,1,2] parameter(1)\n ROOT r = $T[1,4,2] "
       "convolution(x, y), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f",
       {{1, 4, 1}, {3, 1, 2}}},
      {"ragged-dot",
       "x = $T[4,2] parameter(0)\n y = $T[2,2,1] parameter(1)\n g = s32[2] constant({1, 3})\n ROOT "
       "r = $T[4,1] ragged-dot(x, y, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "lhs_ragged_dims={0}, rhs_group_dims={0}",
       {{4, 2}, {2, 2, 1}}},
      {"sort",
       "x = $T[7] parameter(0)\n ROOT r = $T[7] sort(x), dimensions={0}, to_apply=less",
       {{7}}},
      {"topk",
       "x = $T[2,6] parameter(0)\n ROOT r = ($T[2,3], s32[2,3]) topk(x), k=3, largest=true",
       {{2, 6}}},
      {"gather",
       "x = $T[4,3] parameter(0)\n i = s32[2,1] constant({{3}, {1}})\n ROOT r = $T[2,3] gather(x, "
       "i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
       "slice_sizes={1,3}",
       {{4, 3}}},
      {"scatter sum",
       "x = $T[4,3] parameter(0)\n u = $T[2,3] parameter(1)\n i = s32[2,1] constant({{3}, {1}})\n "
       "ROOT r = $T[4,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
       {{4, 3}, {2, 3}}},
      {"scatter last",
       "x = $T[4,3] parameter(0)\n u = $T[2,3] parameter(1)\n i = s32[2,1] constant({{3}, {1}})\n "
       "ROOT r = $T[4,3] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=last",
       {{4, 3}, {2, 3}}},
      {"clamp",
       "a = $T[] parameter(0)\n x = $T[9] parameter(1)\n b = $T[9] parameter(2)\n ROOT r = $T[9] "
       "clamp(a, x, b)",
       {{}, {9}, {9}}},
      {"select",
       "x = $T[5] parameter(0)\n y = $T[5] parameter(1)\n p = pred[5] constant({1,0,0,1,1})\n ROOT "
       "r = $T[5] select(p, x, y)",
       {{5}, {5}}},
      {"compare in the total order",
       "x = $T[9] parameter(0)\n y = $T[9] parameter(1)\n ROOT r = pred[9] compare(x, y), "
       "direction=LT, type=TOTALORDER",
       {{9}, {9}}},
      {"batch-norm-training",
       "x = $T[4,2] parameter(0)\n s = $T[2] parameter(1)\n o = $T[2] parameter(2)\n ROOT r = "
       "($T[4,2], $T[2], $T[2]) batch-norm-training(x, s, o), epsilon=1, feature_index=1",
       {{4, 2}, {2}, {2}}},
      {"scaled-dot",
       "x = $T[2,4] parameter(0)\n y = $T[4,2] parameter(1)\n a = $T[2,2] parameter(2)\n b = "
       "$T[2,2] parameter(3)\n ROOT r = $T[2,2] scaled-dot(x, y, a, b), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       {{2, 4}, {4, 2}, {2, 2}, {2, 2}}},
      {"dynamic sizes",
       "x = $T[4] parameter(0)\n n = s32[] constant(3)\n d = $T[<=4] set-dimension-size(x, n), "
       "dimensions={0}\n i = $T[] parameter(1)\n z = $T[] reduce(d, i), dimensions={0}, "
       "to_apply=max\n m = s32[] get-dimension-size(d), dimensions={0}\n ROOT r = ($T[], s32[]) "
       "tuple(z, m)",
       {{4}, {}}},
      {"iota", "ROOT r = $T[2,2] iota(), iota_dimension=1", {}},
      {"tuple",
       "x = $T[3] parameter(0)\n y = $T[] parameter(1)\n t = ($T[3], $T[]) tuple(x, y)\n z = $T[3] "
       "get-tuple-element(t), index=0\n ROOT r = ($T[3], $T[3]) tuple(z, x)",
       {{3}, {}}},
      {"while",
       "x = $T[3] parameter(0)\n z = s32[] constant(0)\n t = (s32[], $T[3]) tuple(z, x)\n w = "
       "(s32[], $T[3]) while(t), condition=condition, body=body\n ROOT r = $T[3] "
       "get-tuple-element(w), index=1",
       {{3}}},
      {"conditional",
       "x = $T[3] parameter(0)\n y = $T[3] parameter(1)\n p = pred[] constant(false)\n ROOT r = "
       "$T[3] conditional(p, x, y), true_computation=same, false_computation=same",
       {{3}, {3}}},
      {"call", "x = $T[3] parameter(0)\n ROOT r = $T[3] call(x), to_apply=same", {{3}}},
      {"fusion",
       "x = $T[3] parameter(0)\n ROOT r = $T[3] fusion(x), kind=kLoop, calls=same",
       {{3}}},
      {"copy, barrier, dependency",
       "x = $T[3] parameter(0)\n c = $T[3] copy(x)\n o = $T[3] opt-barrier(c)\n t = token[] "
       "after-all()\n ROOT r = $T[3] add-dependency(o, t)",
       {{3}}},
      {"asynchronous copy",
       "x = $T[3] parameter(0)\n c = ($T[3], $T[3], u32[]) copy-start(x)\n ROOT r = $T[3] "
       "copy-done(c)",
       {{3}}},
      {"asynchronous call",
       "x = $T[3] parameter(0)\n c = (($T[3]), $T[3], s32[]) call-start(x), to_apply=same\n u = "
       "(($T[3]), $T[3], s32[]) call-update(c)\n ROOT r = $T[3] call-done(u)",
       {{3}}},
      {"real and imag",
       "x = $T[3] parameter(0)\n a = $T[3] real(x)\n b = $T[3] imag(x)\n ROOT r = ($T[3], $T[3]) "
       "tuple(a, b)",
       {{3}}},
      {"batch-norm-inference",
       "x = $T[3,2] parameter(0)\n s = $T[2] parameter(1)\n o = $T[2] parameter(2)\n m = $T[2] "
       "parameter(3)\n n = s32[2] constant({1, 1})\n c = $T[2] convert(n)\n ROOT r = $T[3,2] "
       "batch-norm-inference(x, s, o, "
       "m, c), epsilon=0, feature_index=1",
       {{3, 2}, {2}, {2}, {2}}},
      {"reduce-precision",
       "x = $T[9] parameter(0)\n ROOT r = $T[9] reduce-precision(x), exponent_bits=8, "
       "mantissa_bits=7",
       {{9}}},
      {"triangular-solve",
       "n = s32[1,2,2] constant({{{1, 0}, {0, 1}}})\n a = $T[1,2,2] convert(n)\n b = $T[1,2,1] "
       "parameter(0)\n ROOT r = "
       "$T[1,2,1] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, "
       "transpose_a=NO_TRANSPOSE",
       {{1, 2, 1}}},
      {"cholesky",
       "n = s32[1,2,2] constant({{{4, 0}, {0, 1}}})\n a = $T[1,2,2] convert(n)\n ROOT r = "
       "$T[1,2,2] cholesky(a), lower=true",
       {}},
      {"fft",
       "x = $T[4] parameter(0)\n ROOT r = $T[4] fft(x), fft_type=FFT, fft_length={4}",
       {{4}}},
  };
  return *programs;
}

TEST(InterpreterTypes, StructuredProgramsAgreeWithTheWideType) {
  std::map<std::string, int> types_of;
  for (const Program& program : Programs()) {
    for (const PrimitiveType type : AllTypes()) {
      if (type == PRED) continue;  // adds as `or`: below
      const std::string where = absl::StrCat(program.name, " of ", Name(type));
      const absl::StatusOr<std::unique_ptr<HloModule>> narrow = Parse(TextOf(program, type));
      ASSERT_OK(narrow) << where;
      if (!IsAllowed(**narrow)) continue;
      if (type == F8E8M0FNU && absl::StrContains(program.text, "{{{")) continue;  // it has no zero
      ASSERT_OK_AND_ASSIGN(const auto wide, Parse(TextOf(program, WideOf(type))));
      std::vector<Literal> arguments, widened;
      for (size_t i = 0; i < program.parameters.size(); ++i) {
        arguments.push_back(SmallNumbers(type, program.parameters[i], static_cast<int>(i)));
        widened.push_back(arguments.back().Convert(WideOf(type)).value());
      }
      absl::StatusOr<Literal> actual = RunModule(**narrow, arguments);
      if (primitive_util::IsComplexType(type) &&
          (program.name == std::string("topk") || program.name == std::string("clamp"))) {
        EXPECT_STATUS(actual, absl::StatusCode::kUnimplemented, "");  // they have no order
        continue;
      }
      EXPECT_OK(actual) << where;
      if (!actual.ok()) continue;
      ASSERT_OK_AND_ASSIGN(const Literal expected, RunModule(*wide, widened));
      ExpectSame(*actual, ConvertAll(expected, WideOf(type), type), where);
      ++types_of[program.name];
    }
  }
  // What the specification leaves out: no order of complex numbers, few types of linear algebra.
  for (const Program& program : Programs()) EXPECT_GE(types_of[program.name], 2) << program.name;
  EXPECT_EQ(types_of["reduce sum"], 31);
  EXPECT_EQ(types_of["dot"], 31);
  EXPECT_EQ(types_of["gather"], 31);
  EXPECT_EQ(types_of["sort"], 29);
}

}  // namespace
}  // namespace xla
