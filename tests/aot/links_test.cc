// SPDX-License-Identifier: Apache-2.0
// What programs are linked with by need: whatever their types and machine, they have the code that
// they call, and compute the bits of the compiler of this process.
#include "xla/aot/links.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/substitute.h"
#include "tests/aot/aot_library.h"
#include "tests/test_util.h"

namespace xla {
namespace {

using Symbols = std::set<std::string>;

TEST(AotLinksTest, ByType) {
  const auto symbols_of = [](PrimitiveType type) {
    aot::Links links;
    links.AddType(type);
    return links.Symbols();
  };
  EXPECT_EQ(symbols_of(F32), Symbols());
  EXPECT_EQ(symbols_of(F64), Symbols({"xylem_link_F64"}));
  EXPECT_EQ(symbols_of(C64), Symbols({"xylem_link_COMPLEX"}));
  EXPECT_EQ(symbols_of(C128), Symbols({"xylem_link_COMPLEX", "xylem_link_F64"}));
  for (const PrimitiveType type : {PRED, S2, U4, S8, U16, S64})
    EXPECT_EQ(symbols_of(type), Symbols({"xylem_link_INTEGERS"}));
  for (const PrimitiveType type : {F16, BF16})
    EXPECT_EQ(symbols_of(type), Symbols({"xylem_link_HALVES"}));
  for (const PrimitiveType type : {F4E2M1FN, F6E2M3FN, F8E5M2, F8E8M0FNU})
    EXPECT_EQ(symbols_of(type), Symbols({"xylem_link_SMALLS"}));
}

TEST(AotLinksTest, ByMachine) {
  const auto symbols_of = [](InstructionSet set) {
    aot::Links links;
    links.AddMachine(MachineWith(set));
    return links.Symbols();
  };
  EXPECT_EQ(symbols_of(InstructionSet::kSse42), Symbols({"xylem_link_SSE4"}));
  EXPECT_EQ(symbols_of(InstructionSet::kAvx2), Symbols({"xylem_link_AVX2"}));
  EXPECT_EQ(symbols_of(InstructionSet::kAvx512), Symbols({"xylem_link_AVX3"}));
}

// Types of the operands and the result.
struct Types {
  const char *lhs, *rhs, *result;
};

class AotTypesTest : public ::testing::TestWithParam<Types> {};

TEST_P(AotTypesTest, ProductsAndConvolutions) {
  const std::string hlo = absl::Substitute(R"(
    HloModule m
    ENTRY e {
      a = $0[3,40] parameter(0)
      b = $1[40,30] parameter(1)
      x = $0[2,9,9,4] parameter(2)
      k = $1[3,3,4,8] parameter(3)
      d = $2[3,30] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      c = $2[2,7,7,8] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
      ROOT r = ($2[3,30], $2[2,7,7,8]) tuple(d, c)
    })",
                                           GetParam().lhs, GetParam().rhs, GetParam().result);
#if defined(__x86_64__)
  for (const char* target : {"x86-64-v2", "native"}) {
#else
  for (const char* target : {"native"}) {
#endif
    aot::AotOptions options;
    options.targets = {target};
    EXPECT_OK(testing::CheckSameBits(hlo, options)) << target;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, AotTypesTest,
                         ::testing::ValuesIn(std::vector<Types>{{"f32", "f32", "f32"},
                                                                {"f64", "f64", "f64"},
                                                                {"c64", "c64", "c64"},
                                                                {"c128", "c128", "c128"},
                                                                {"bf16", "bf16", "bf16"},
                                                                {"bf16", "bf16", "f32"},
                                                                {"f16", "f32", "f32"},
                                                                {"f32", "bf16", "f32"},
                                                                {"f32", "s8", "f32"},
                                                                {"f32", "f32", "f64"},
                                                                {"s8", "s8", "s32"},
                                                                {"u8", "s8", "s32"},
                                                                {"s32", "s32", "s32"},
                                                                {"s64", "s64", "s64"},
                                                                {"f8e4m3fn", "f8e5m2", "f32"}}),
                         [](const auto& info) {
                           return std::string(info.param.lhs) + "_" + info.param.rhs + "_" +
                                  info.param.result;
                         });

}  // namespace
}  // namespace xla
