// SPDX-License-Identifier: Apache-2.0
// Kernels with many mathematical functions: further copies call a function of the module, so that
// the code, and the time to compile it, grow with the number of operations.
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/test_util.h"
#include "xla/base/machine.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/runtime/thread_pool.h"

namespace xla {
namespace {

// y = opcode(y) * 0.9 + x, `length` times.
std::string Chain(const std::string& opcode, const std::string& shape, int length) {
  std::string text =
      absl::StrCat("HloModule m\nENTRY e {\n  x = ", shape,
                   " parameter(0)\n  c = ", shape.substr(0, 3), "[] constant(0.9)\n  cs = ", shape,
                   " broadcast(c), dimensions={}\n  y0 = ", shape, " add(x, cs)\n");
  for (int i = 0; i < length; ++i) {
    absl::StrAppend(&text, "  fn", i, " = ", shape, " ", opcode, "(y", i, ")\n  g", i, " = ", shape,
                    " multiply(fn", i, ", cs)\n  y", i + 1, " = ", shape, " add(g", i, ", x)\n");
  }
  return absl::StrCat(text, "  ROOT r = ", shape, " negate(y", length, ")\n}\n");
}

absl::StatusOr<std::unique_ptr<CpuProgram>> Compile(const std::string& text) {
  XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(text));
  CpuCompileOptions options;
  options.keep_llvm = true;
  return CpuProgram::Compile(*module, options);
}

int64_t Blocks(const std::string& llvm_text) {
  int64_t count = 0;
  for (size_t at = llvm_text.find("; preds"); at != std::string::npos;
       at = llvm_text.find("; preds", at + 1)) {
    ++count;
  }
  return count;
}

TEST(SharedFunctions, CodeOfManySinesIsShort) {
  for (const char* opcode : {"sine", "cosine", "tan"}) {
    for (const char* shape : {"f32[100]", "f64[100]"}) {
      SCOPED_TRACE(absl::StrCat(opcode, " ", shape));
      ASSERT_OK_AND_ASSIGN(const auto few, Compile(Chain(opcode, shape, 8)));
      ASSERT_OK_AND_ASSIGN(const auto many, Compile(Chain(opcode, shape, 80)));
      EXPECT_FALSE(absl::StrContains(few->llvm_text(), "define internal"));
      EXPECT_TRUE(absl::StrContains(many->llvm_text(), "define internal"));
      // Blocks of the functions themselves, not of each copy.
      EXPECT_LT(Blocks(many->llvm_text()), 3 * Blocks(few->llvm_text()));
    }
  }
}

TEST(SharedFunctions, CodeOfManyPowersIsShort) {
  for (const char* opcode : {"power", "atan2", "remainder"}) {
    SCOPED_TRACE(opcode);
    // Without FMA remainders are calls, which are short as they are.
    if (std::string_view(opcode) == "remainder" && !MachineOfThread().fma) continue;
    const auto chain = [&](int length) {
      std::string text = Chain("negate", "f32[100]", length);
      for (int i = 0; i < length; ++i) {
        text = absl::StrReplaceAll(
            text, {{absl::StrCat("negate(y", i, ")"), absl::StrCat(opcode, "(y", i, ", x)")}});
      }
      return text;
    };
    ASSERT_OK_AND_ASSIGN(const auto few, Compile(chain(8)));
    ASSERT_OK_AND_ASSIGN(const auto many, Compile(chain(80)));
    EXPECT_FALSE(absl::StrContains(few->llvm_text(), "define internal"));
    EXPECT_TRUE(absl::StrContains(many->llvm_text(), "define internal"));
    EXPECT_LT(many->llvm_text().size(), 3 * few->llvm_text().size());
  }
}

TEST(SharedFunctions, GiveWhatCopiesGive) {
  for (const char* opcode : {"sine", "cosine", "tan", "exponential", "tanh", "log-plus-one"}) {
    SCOPED_TRACE(opcode);
    // Far numbers take the branches.
    Literal x = LiteralUtil::CreateR1<float>({0.5f, -3.0f, 1e5f, 3e9f, 1e30f, -0.0f, 7.25f});
    const Literal* const arguments[] = {&x};
    runtime::ThreadPool pool(1);
    runtime::ExecutionContext context;
    context.pool = &pool;
    // One step at a time holds no shared function.
    ASSERT_OK_AND_ASSIGN(const auto whole, Compile(Chain(opcode, "f32[7]", 50)));
    ASSERT_OK_AND_ASSIGN(const Literal result, whole->Run(arguments, context));
    ASSERT_OK_AND_ASSIGN(const auto step, Compile(absl::StrCat(R"(HloModule m
ENTRY e {
  x = f32[7] parameter(0)
  y = f32[7] parameter(1)
  c = f32[] constant(0.9)
  cs = f32[7] broadcast(c), dimensions={}
  f = f32[7] )",
                                                               opcode, R"((y)
  g = f32[7] multiply(f, cs)
  ROOT z = f32[7] add(g, x)
})")));
    Literal y = LiteralUtil::CreateR1<float>(std::vector<float>(7));
    for (int64_t i = 0; i < 7; ++i) y.Set<float>({i}, x.Get<float>({i}) + 0.9f);
    for (int i = 0; i < 50; ++i) {
      const Literal* const both[] = {&x, &y};
      ASSERT_OK_AND_ASSIGN(y, step->Run(both, context));
    }
    for (int64_t i = 0; i < 7; ++i) {
      const float expected = -y.Get<float>({i}), actual = result.Get<float>({i});
      EXPECT_TRUE(expected == actual || (expected != expected && actual != actual))
          << expected << " " << actual;
    }
  }
}

}  // namespace
}  // namespace xla
