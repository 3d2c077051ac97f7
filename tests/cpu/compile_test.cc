// SPDX-License-Identifier: Apache-2.0
// Compilation: machine code on disk, objects, the time that large programs take.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/test_folder.h"
#include "tests/test_util.h"
#include "tests/timing.h"
#include "xla/base/instruction_set.h"
#include "xla/cpu/program.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/passes/pass.h"

namespace xla {
namespace {

constexpr char kProgram[] = R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[8,64] parameter(0)
  e = f32[8,64] exponential(x)
  zero = f32[] constant(0)
  s = f32[8] reduce(e, zero), dimensions={1}, to_apply=add
  ROOT r = f32[64,8] transpose(e), dimensions={1,0}
})";

class CodeCacheTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<CpuProgram>> Compile() const {
    XLA_ASSIGN_OR_RETURN(const auto module, ParseAndReturnUnverifiedModule(kProgram));
    CpuCompileOptions options;
    options.cache_directory = folder_.path();
    return CpuProgram::Compile(*module, options);
  }
  // Whether the kernels came from the folder; the program must compute the right result.
  bool IsCached() const {
    const auto program = Compile();
    EXPECT_OK(program.status());
    if (!program.ok()) return false;
    Literal x = LiteralUtil::CreateFull({8, 64}, 0.0f);
    x.data<float>()[64] = 1;
    const auto result = (*program)->Run({&x});
    EXPECT_OK(result.status());
    if (result.ok()) {
      EXPECT_EQ(result->data<float>()[0], 1);
      EXPECT_NEAR(result->data<float>()[1], 2.7182817, 1e-6);
    }
    bool is_cached = !(*program)->kernels().empty();
    for (const CpuProgram::KernelReport& kernel : (*program)->kernels())
      is_cached &= kernel.is_cached;
    return is_cached;
  }
  std::vector<std::string> Files() const { return folder_.Files(); }

  const TestFolder folder_;
};

TEST_F(CodeCacheTest, TakesCodeOfAnEarlierCompilation) {
  EXPECT_FALSE(IsCached());
  EXPECT_EQ(Files().size(), 1);
  EXPECT_TRUE(IsCached());
  EXPECT_EQ(Files().size(), 1);
}

TEST_F(CodeCacheTest, CompilesAgainWhatIsDamaged) {
  EXPECT_FALSE(IsCached());
  ASSERT_EQ(Files().size(), 1);
  const std::string file = Files()[0];
  const auto size = static_cast<int64_t>(std::filesystem::file_size(file));
  for (int64_t at = 0; at < size; at += 1 + size / 97) {
    {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekg(at);
      const char byte = static_cast<char>(stream.get() ^ 0x20);
      stream.seekp(at);
      stream.put(byte);
    }
    EXPECT_FALSE(IsCached()) << "byte " << at << " of " << size;
  }
  for (const int64_t length : {int64_t{0}, int64_t{7}, int64_t{32}, size / 2, size - 1}) {
    std::filesystem::resize_file(file, static_cast<uintmax_t>(length));
    EXPECT_FALSE(IsCached()) << length << " bytes";
    EXPECT_TRUE(IsCached());
  }
}

TEST_F(CodeCacheTest, SeveralWriters) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, bound = MaxInstructionSet()] {
      const ScopedMaxInstructionSet scope(bound);
      for (int k = 0; k < 5; ++k) IsCached();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Files().size(), 1);
  EXPECT_TRUE(IsCached());
}

TEST_F(CodeCacheTest, FoldersThatCannotBeUsedDoNotMatter) {
  const auto module = ParseAndReturnUnverifiedModule(kProgram);
  ASSERT_OK(module.status());
  CpuCompileOptions options;
  options.cache_directory = "/dev/null/none";
  EXPECT_OK(CpuProgram::Compile(**module, options).status());
}

TEST(CompileTest, ObjectsAreElfFiles) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kProgram));
  CpuCompileOptions options;
  options.keep_objects = true;
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module, options));
  ASSERT_EQ(program->objects().size(), 1);
  EXPECT_EQ(std::string(program->objects()[0].data(), 4), "\177ELF");
}

TEST(CompileTest, ScalesThatAreReadElsewhereTooAreNotInMemory) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY main {
  x = f32[24,40] parameter(0)
  w = f32[40,32] parameter(1)
  half = f32[] constant(0.5)
  scale = f32[40,32] broadcast(half), dimensions={}
  scaled = f32[40,32] multiply(w, scale)
  y = f32[24,32] dot(x, scaled), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  shifted = f32[40,32] subtract(w, scale)
  ROOT both = (f32[24,32], f32[40,32]) tuple(y, shifted)
})"));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module, CpuCompileOptions()));
  int kernels = 0;
  const HloModule& optimized = program->optimized_module();
  for (const HloInstruction* instruction : optimized.entry_computation()->instructions())
    kernels += instruction->opcode() == HloOpcode::kFusion ? 1 : 0;
  EXPECT_EQ(kernels, 1) << optimized.ToString();
}

TEST(CompileTest, DotsReadScaledParametersThroughTheirScales) {
  for (const char* operand :
       {"w = f32[40,32] parameter(1)", "p = f32[1280] parameter(1)\n  w = f32[40,32] reshape(p)",
        "p = (f32[2], f32[1280]) parameter(1)\n"
        "  g = f32[1280] get-tuple-element(p), index=1\n"
        "  w = f32[40,32] reshape(g)"}) {
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(absl::StrCat(R"(
HloModule m
ENTRY main {
  x = f32[24,40] parameter(0)
  )",
                                                                                        operand, R"(
  third = f32[] constant(0.375)
  scale = f32[40,32] broadcast(third), dimensions={}
  scaled = f32[40,32] multiply(w, scale)
  ROOT y = f32[24,32] dot(x, scaled), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})")));
    ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(*module, CpuCompileOptions()));
    const HloModule& optimized = program->optimized_module();
    for (const HloInstruction* instruction : optimized.entry_computation()->instructions())
      EXPECT_NE(instruction->opcode(), HloOpcode::kFusion) << optimized.ToString();
  }
}

// Set by a pass, so that it is known how far the compilation came.
std::atomic<bool> cancelled{false};

TEST(CompileTest, OperationsWithoutMeaningForComplexNumbersAreRefused) {
  for (const char* name : {"remainder", "mulhi", "shift-left", "shift-right-logical"}) {
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e { x = c64[3] parameter(0) ROOT y = c64[3] ", name, "(x, x) }");
    ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
    EXPECT_STATUS(CpuProgram::Compile(*module), absl::StatusCode::kUnimplemented, name);
  }
}

TEST(CompileTest, ArraysWithoutSizesAreRefused) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(R"(
HloModule open
f { x = f32[?,3] parameter(0) ROOT n = f32[?,3] negate(x) }
ENTRY e {
  c = f32[1,3] constant({{1, 2, 3}})
  ROOT n = f32[1,3] call(c), to_apply=f
})"));
  EXPECT_ERROR(CpuProgram::Compile(*module),
               "an array of shape f32[?,3] has no size: it has a dimension without a bound");
}

TEST(CompileTest, EndsSoonAfterItIsCancelled) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(kProgram));
  CpuCompileOptions options;
  options.cancel = &cancelled;
  ASSERT_OK(CpuProgram::Compile(*module, options).status());
  cancelled = true;
  EXPECT_STATUS(CpuProgram::Compile(*module, options), absl::StatusCode::kCancelled, "cancelled");
  cancelled = false;
  const Pass cancels = {"cancels", "", [](HloModule*) -> absl::StatusOr<bool> {
                          cancelled = true;
                          return false;
                        }};
  options.constant_folding = &cancels;
  EXPECT_STATUS(CpuProgram::Compile(*module, options), absl::StatusCode::kCancelled, "cancelled");
  options.cancel = nullptr;
  EXPECT_OK(CpuProgram::Compile(*module, options).status());
}

// Checks that the time to compile grows in proportion to the size of the program.
void ExpectLinearTime(std::string (*program)(int64_t), int64_t small, int64_t large) {
  ASSERT_OK(LoadCpuCompiler());
  testing::ExpectLinearTime(
      [&](int64_t length) {
        const auto module = ParseAndReturnUnverifiedModule(program(length));
        EXPECT_OK(module.status());
        return testing::SecondsOf([&] { EXPECT_OK(CpuProgram::Compile(**module).status()); });
      },
      small, large);
}

TEST(CompileTest, ChainsTakeLinearTime) {
  ExpectLinearTime(
      [](int64_t size) {
        constexpr const char* kOperations[] = {"add", "multiply", "subtract"};
        std::string text =
            "HloModule m\nENTRY e {\n  v0 = f32[4] parameter(0)\n  x = f32[4] parameter(1)\n";
        for (int64_t i = 1; i < size; ++i) {
          absl::StrAppend(&text, "  v", i, " = f32[4] ", kOperations[i % 3], "(v", i - 1, ", x)\n");
        }
        return absl::StrCat(text, "  ROOT r = f32[4] negate(v", size - 1, ")\n}\n");
      },
      200, 10'000);
}

TEST(CompileTest, FansTakeLinearTime) {
  ExpectLinearTime(
      [](int64_t size) {
        std::string text = "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n", names, types;
        for (int64_t i = 0; i < size; ++i) {
          absl::StrAppend(&text, "  n", i, " = f32[] constant(", i, ")\n  b", i,
                          " = f32[4] broadcast(n", i, "), dimensions={}\n  v", i,
                          " = f32[4] maximum(x, b", i, ")\n");
          absl::StrAppend(&names, i > 0 ? ", " : "", "v", i);
          absl::StrAppend(&types, i > 0 ? ", " : "", "f32[4]");
        }
        return absl::StrCat(text, "  ROOT r = (", types, ") tuple(", names, ")\n}\n");
      },
      20, 1'000);
}

TEST(CompileTest, NestedLoopsTakeLinearTime) {
  ExpectLinearTime(
      [](int64_t depth) {
        std::string text =
            "HloModule m\nbody0 { p = (s32[], f32[100]) parameter(0)\n"
            "  i = s32[] get-tuple-element(p), index=0\n"
            "  x = f32[100] get-tuple-element(p), index=1  y = f32[100] add(x, x)\n"
            "  one = s32[] constant(1)  j = s32[] add(i, one)\n"
            "  ROOT t = (s32[], f32[100]) tuple(j, y) }\n";
        for (int64_t d = 0; d <= depth; ++d) {
          absl::StrAppend(&text, "cond", d, " { p = (s32[], f32[100]) parameter(0)\n",
                          "  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(", 5 + d,
                          ")\n  ROOT r = pred[] compare(i, n), direction=LT }\n");
          if (d == depth) break;
          absl::StrAppend(
              &text, "body", d + 1, " { p = (s32[], f32[100]) parameter(0)\n",
              "  i = s32[] get-tuple-element(p), index=0\n",
              "  x = f32[100] get-tuple-element(p), index=1  zero = s32[] constant(0)\n",
              "  s = (s32[], f32[100]) tuple(zero, x)\n",
              "  w = (s32[], f32[100]) while(s), condition=cond", d, ", body=body", d,
              "\n  y = f32[100] get-tuple-element(w), index=1\n",
              "  one = s32[] constant(1)  j = s32[] add(i, one)\n",
              "  ROOT t = (s32[], f32[100]) tuple(j, y) }\n");
        }
        return absl::StrCat(text, "ENTRY e { x = f32[100] parameter(0)  zero = s32[] constant(0)\n",
                            "  s = (s32[], f32[100]) tuple(zero, x)\n",
                            "  ROOT w = (s32[], f32[100]) while(s), condition=cond", depth,
                            ", body=body", depth, " }\n");
      },
      4, 200);
}

}  // namespace
}  // namespace xla
