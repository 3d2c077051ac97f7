// SPDX-License-Identifier: Apache-2.0
// Each version of LLVM that is installed here makes code that computes the same.
#include "xla/cpu/codegen/llvm_versions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/codegen/element.h"
#include "xla/cpu/codegen/ir.h"
#include "xla/cpu/codegen/llvm_api.h"
#include "xla/cpu/codegen/native_code.h"
#include "xla/cpu/program.h"

namespace xla::cpu {
namespace {

constexpr int kLanes = 16;
using Floats = std::array<float, kLanes>;

// Builds void f(in, out), with all that versions of LLVM write or call differently: loads and
// gathers with masks, intrinsics of AVX-512 and of BMI2, vectors of i1.
void BuildFunction(Ir& ir) {
  ir.StartFunction("f", {ir.Pointer(), ir.Pointer()});
  const IrValue in = ir.Parameter(0), out = ir.Parameter(1);
  const IrType floats = ir.Vector(ir.F32(), kLanes), words = ir.Vector(ir.I64(), kLanes);
  const IrValue steps = ir.Steps(words, 4);
  const IrValue mask = ir.ICmp(LLVMIntSLT, steps, ir.Const(words, int64_t{4 * 11}));
  const IrValue loaded = ir.MaskedLoad(floats, in, 4, mask);
  // The elements in the opposite order.
  const IrValue places = ir.Sub(ir.Const(words, int64_t{4 * (kLanes - 1)}), steps);
  const IrValue gathered = ir.MaskedGather(floats, ir.Offset(in, places), 4, mask);
  IrValue sum = ir.Fma(loaded, ir.Const(floats, 2.0), gathered);
  if (ir.HasAvx512Binary(floats))
    sum = ir.Avx512Binary("scalef", sum, ir.Const(floats, 1.0));
  else
    sum = ir.FMul(sum, ir.Const(floats, 2.0));
  sum = ir.Binary("llvm.maximum", sum, ir.Const(floats, 3.0));
  const IrValue any = ir.Intrinsic("llvm.vector.reduce.or", {ir.TypeOf(mask)}, {mask});
  if (ir.target().machine.avx512) {
    const IrValue deposited =
        ir.Intrinsic("llvm.x86.bmi.pdep.64", {},
                     {ir.Const(ir.I64(), int64_t{3}), ir.Const(ir.I64(), int64_t{0x11})});
    sum = ir.FAdd(
        sum, ir.Splat(ir.SIToFP(ir.Sub(deposited, ir.Const(ir.I64(), int64_t{0x11})), ir.F32()),
                      kLanes));
  }
  ir.Store(ir.Select(any, sum, loaded), out, 4);
  ir.Return();
}

absl::StatusOr<Floats> RunFunction(const LlvmApi& llvm, const Target& target, const Floats& in) {
  Ir ir(llvm, target, "versions");
  BuildFunction(ir);
  XLA_ASSIGN_OR_RETURN(const std::vector<char> object, GenerateCode(ir, CodeFormat::kObject));
  XLA_ASSIGN_OR_RETURN(const auto code, NativeCode::Load(object, {}));
  Floats out = {};
  reinterpret_cast<void (*)(const float*, float*)>(code->Find("f"))(in.data(), out.data());
  return out;
}

TEST(LlvmVersionsTest, TheTableHasEachVersionOnce) {
  std::set<int> majors;
  for (const LlvmVersion& version : kLlvmVersions) {
    EXPECT_TRUE(majors.insert(version.major).second) << version.major;
    // Alignments moved for good.
    EXPECT_EQ(version.masked_alignment_is_operand, version.major < 22) << version.major;
  }
}

TEST(LlvmVersionsTest, EachMakesTheSameCode) {
  Floats in, expected;
  for (int i = 0; i < kLanes; ++i) in[static_cast<size_t>(i)] = static_cast<float>(i * i - 20);
  for (int i = 0; i < kLanes; ++i) {
    const auto at = [&](int k) { return i < 11 ? in[static_cast<size_t>(k)] : 0.0f; };
    expected[static_cast<size_t>(i)] = std::max(2 * (2 * at(i) + at(kLanes - 1 - i)), 3.0f);
  }
  int found = 0;
  for (const LlvmVersion& version : kLlvmVersions) {
    const absl::StatusOr<LlvmApi> llvm = LlvmApi::Load(version);
    if (absl::IsNotFound(llvm.status())) continue;
    ASSERT_OK(llvm.status());
    ++found;
    EXPECT_TRUE(VersionText(*llvm).starts_with(absl::StrCat(version.major, "."))) << version.major;
    for (const InstructionSet bound :
         {InstructionSet::kSse42, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
      ASSERT_OK_AND_ASSIGN(const Target* target, HostTarget(bound));
      ASSERT_OK_AND_ASSIGN(const Floats out, RunFunction(*llvm, *target, in));
      EXPECT_EQ(out, expected) << "LLVM " << version.major << ", " << InstructionSetName(bound);
    }
  }
  if (!CheckCpuCompiler().ok()) GTEST_SKIP() << "there is no LLVM";
  EXPECT_GE(found, 1);
}

#if defined(__x86_64__)
// The oldest processors lack instructions for whole numbers; LLVM calls functions by name.
TEST(OldProcessorsTest, CodeFindsTheFunctionsThatItCalls) {
  ASSERT_OK_AND_ASSIGN(const LlvmApi* llvm, LlvmApi::Get());
  ASSERT_OK_AND_ASSIGN(const Target* host, HostTarget(InstructionSet::kSse42));
  Target target = *host;
  target.cpu = "x86-64";
  target.features = "";
  const std::vector<std::pair<const char*, double (*)(double)>> functions = {
      {"llvm.ceil", std::ceil}, {"llvm.floor", std::floor}, {"llvm.trunc", std::trunc},
      {"llvm.rint", std::rint}, {"llvm.round", std::round}, {"llvm.roundeven", std::nearbyint},
  };
  for (const bool is_double : {false, true}) {
    for (const auto& [name, function] : functions) {
      Ir ir(*llvm, target, "old");
      ir.StartFunction("f", {ir.Pointer(), ir.Pointer()});
      const IrType type = ir.Vector(is_double ? ir.F64() : ir.F32(), 4);
      ir.Store(ir.Unary(name, ir.Load(type, ir.Parameter(0), 4)), ir.Parameter(1), 4);
      ir.Return();
      ASSERT_OK_AND_ASSIGN(const std::vector<char> object, GenerateCode(ir, CodeFormat::kObject));
      ASSERT_OK_AND_ASSIGN(const auto code, NativeCode::Load(object, ExternalFunctions()));
      const auto run = [&, function = function, name = name](auto number) {
        using T = decltype(number);
        const T in[4] = {T(2.5), T(-3.5), T(0.5), T(-7.25)};
        T out[4] = {};
        reinterpret_cast<void (*)(const T*, T*)>(code->Find("f"))(in, out);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(out[i], function(in[i])) << name << " " << in[i];
      };
      if (is_double)
        run(double{});
      else
        run(float{});
    }
  }
}
#endif

}  // namespace
}  // namespace xla::cpu
