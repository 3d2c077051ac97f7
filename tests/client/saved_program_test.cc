// SPDX-License-Identifier: Apache-2.0
// Compiled programs as bytes, and in the folder of a cache. That they compute the same, the tests
// `cached_programs` check with all reference programs.
#include "xla/service/saved_program.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/test_folder.h"
#include "tests/test_util.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/service/cpu_compile_options.h"
#include "xla/service/program_cache.h"

namespace xla {
namespace {

// Kernels, a library call, a loop that is machine code, a comparator, and a program that is applied
// to elements.
constexpr char kProgram[] = R"(HloModule saved
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
greater {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  m = f32[] multiply(a, a)
  n = f32[] multiply(b, b)
  ROOT g = pred[] compare(m, n), direction=GT
}
body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  y = f32[8] cosine(x)
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[8]) tuple(j, y)
}
condition {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(20)
  ROOT l = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[8,64] parameter(0)
  w = f32[64,64] parameter(1)
  e = f32[8,64] exponential(x)
  p = f32[8,64] dot(e, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  z = f32[] constant(0)
  r = f32[8] reduce(p, z), dimensions={1}, to_apply=add
  zero = s32[] constant(0)
  s = (s32[], f32[8]) tuple(zero, r)
  l = (s32[], f32[8]) while(s), condition=condition, body=body
  y = f32[8] get-tuple-element(l), index=1
  o = f32[64,64] sort(w), dimensions={1}, to_apply=greater
  ROOT t = (f32[8], f32[64,64], f32[8,64]) tuple(y, o, p)
}
)";

absl::StatusOr<std::unique_ptr<HloModule>> ParseProgram(const std::string& text = kProgram) {
  XLA_ASSIGN_OR_RETURN(auto module, ParseAndReturnUnverifiedModule(text));
  module->SetDefaultEntryLayout();
  return module;
}

CpuCompileOptions Options() {
  CpuCompileOptions options = DefaultCpuCompileOptions();
  options.keep_objects = true;
  return options;
}

std::vector<Literal> Arguments() {
  std::vector<Literal> arguments;
  for (const int64_t rows : {8, 64}) {
    Literal literal = LiteralUtil::CreateFull({rows, 64}, 0.0f);
    for (size_t i = 0; i < literal.data<float>().size(); ++i)
      literal.data<float>()[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

absl::StatusOr<Literal> RunProgram(const CpuProgram& program) {
  const std::vector<Literal> arguments = Arguments();
  return program.Run({&arguments[0], &arguments[1]});
}

bool IsCached(const CpuProgram& program) {
  bool is_cached = !program.kernels().empty();
  for (const CpuProgram::KernelReport& kernel : program.kernels()) is_cached &= kernel.is_cached;
  return is_cached;
}

TEST(SavedProgramTest, IsTheSameProgram) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseProgram());
  ASSERT_OK_AND_ASSIGN(const auto compiled, CpuProgram::Compile(*module, Options()));
  EXPECT_FALSE(IsCached(*compiled));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, SaveProgram(*compiled, "key"));
  EXPECT_TRUE(IsSavedProgram(bytes, "key"));
  ASSERT_OK_AND_ASSIGN(const auto loaded,
                       LoadProgram(*module, bytes, "key", DefaultCpuCompileOptions()));
  EXPECT_TRUE(IsCached(*loaded));
  EXPECT_EQ(loaded->optimized_module().ToString(), compiled->optimized_module().ToString());
  EXPECT_EQ(loaded->ScratchBytes(2), compiled->ScratchBytes(2));
  ASSERT_OK_AND_ASSIGN(const Literal expected, RunProgram(*compiled));
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(*loaded));
  EXPECT_EQ(result, expected);
  // What was loaded can be saved again.
  ASSERT_OK_AND_ASSIGN(const std::string again, SaveProgram(*loaded, "key"));
  EXPECT_OK(LoadProgram(*module, again, "key", DefaultCpuCompileOptions()).status());
}

TEST(SavedProgramTest, ProgramsWithoutCode) {
  ASSERT_OK_AND_ASSIGN(const auto module,
                       ParseProgram("HloModule m\nENTRY e { ROOT x = f32[3] parameter(0) }\n"));
  ASSERT_OK_AND_ASSIGN(const auto compiled, CpuProgram::Compile(*module, Options()));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, SaveProgram(*compiled, ""));
  ASSERT_OK_AND_ASSIGN(const auto loaded, LoadProgram(*module, bytes, "", Options()));
  const Literal x = LiteralUtil::CreateR1<float>({1, 2, 3});
  ASSERT_OK_AND_ASSIGN(const Literal result, loaded->Run({&x}));
  EXPECT_EQ(result, x);
}

TEST(SavedProgramTest, OfSomethingElse) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseProgram());
  ASSERT_OK_AND_ASSIGN(const auto compiled, CpuProgram::Compile(*module, Options()));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, SaveProgram(*compiled, "key"));
  EXPECT_FALSE(IsSavedProgram(bytes, "another key"));
  EXPECT_EQ(LoadProgram(*module, bytes, "another key", Options()).status().code(),
            absl::StatusCode::kFailedPrecondition);
  CpuCompileOptions flushing = Options();
  flushing.flush_subnormals = true;
  const absl::Status status = LoadProgram(*module, bytes, "key", flushing).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_NE(status.message().find("flushing"), std::string::npos) << status;
}

TEST(SavedProgramTest, DamagedBytes) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseProgram());
  ASSERT_OK_AND_ASSIGN(const auto compiled, CpuProgram::Compile(*module, Options()));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, SaveProgram(*compiled, "key"));
  const auto expect_loss = [&](const std::string& damaged) {
    EXPECT_FALSE(IsSavedProgram(damaged, "key"));
    EXPECT_EQ(LoadProgram(*module, damaged, "key", Options()).status().code(),
              absl::StatusCode::kDataLoss);
  };
  for (size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 97) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    expect_loss(damaged);
  }
  for (const size_t length : {size_t{0}, size_t{7}, size_t{23}, bytes.size() / 2, bytes.size() - 1})
    expect_loss(bytes.substr(0, length));
  expect_loss(bytes + '\0');
}

// Parts that do not fit together are an error, not a crash.
TEST(SavedProgramTest, PartsOfDifferentPrograms) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseProgram());
  ASSERT_OK_AND_ASSIGN(const auto compiled, CpuProgram::Compile(*module, Options()));
  const auto status_of = [&](CpuProgramParts parts) {
    return CpuProgram::Load(*module, std::move(parts), Options()).status();
  };
  EXPECT_OK(status_of(compiled->Parts()));
  CpuProgramParts parts = compiled->Parts();
  parts.lowerings.pop_back();
  EXPECT_EQ(status_of(std::move(parts)).code(), absl::StatusCode::kInvalidArgument);
  parts = compiled->Parts();
  for (std::string& text : parts.lowerings) {
    if (!text.empty()) text = R"({"lowering":{"kind":"forwarded","forwards":7}})";
  }
  EXPECT_EQ(status_of(std::move(parts)).code(), absl::StatusCode::kInvalidArgument);
  parts = compiled->Parts();
  parts.schedule_hash ^= 1;
  EXPECT_EQ(status_of(std::move(parts)).code(), absl::StatusCode::kInvalidArgument);
  parts = compiled->Parts();
  parts.target += " and more";
  EXPECT_EQ(status_of(std::move(parts)).code(), absl::StatusCode::kFailedPrecondition);
  // The functions of another program.
  ASSERT_OK_AND_ASSIGN(const auto other, ParseProgram("HloModule m\nENTRY e {\n"
                                                      "  x = f32[3] parameter(0)\n"
                                                      "  ROOT y = f32[3] exponential(x)\n}\n"));
  ASSERT_OK_AND_ASSIGN(const auto other_program, CpuProgram::Compile(*other, Options()));
  parts = compiled->Parts();
  parts.objects = other_program->Parts().objects;
  EXPECT_FALSE(status_of(std::move(parts)).ok());
}

class ProgramCacheTest : public ::testing::Test {
 protected:
  // Whether the program came from the folder; it must compute the right result.
  bool IsTaken(const CpuCompileOptions& options = DefaultCpuCompileOptions()) {
    const auto module = ParseProgram();
    EXPECT_OK(module.status());
    const auto program = CompileWithCache(**module, options, folder_.path());
    EXPECT_OK(program.status());
    if (!program.ok()) return false;
    const absl::StatusOr<Literal> result = RunProgram(**program);
    EXPECT_OK(result.status());
    if (!expected_.has_value()) {
      expected_ = result->Clone();
    } else {
      EXPECT_EQ(*result, *expected_);
    }
    return IsCached(**program);
  }
  std::vector<std::string> Files() const { return folder_.Files(); }

  const TestFolder folder_;
  std::optional<Literal> expected_;
};

TEST_F(ProgramCacheTest, TakesWhatWasCompiledBefore) {
  EXPECT_FALSE(IsTaken());
  EXPECT_EQ(Files().size(), 1);
  EXPECT_TRUE(IsTaken());
  EXPECT_EQ(Files().size(), 1);
  // Other options are another program.
  CpuCompileOptions other = DefaultCpuCompileOptions();
  other.least_shared_bytes *= 2;
  EXPECT_FALSE(IsTaken(other));
  EXPECT_EQ(Files().size(), 2);
  // Who looks at the compilation has one.
  CpuCompileOptions text = DefaultCpuCompileOptions();
  text.keep_llvm = true;
  EXPECT_FALSE(IsTaken(text));
  CpuCompileOptions objects = DefaultCpuCompileOptions();
  objects.keep_objects = true;
  EXPECT_FALSE(IsTaken(objects));
}

TEST_F(ProgramCacheTest, CompilesAgainWhatIsDamaged) {
  EXPECT_FALSE(IsTaken());
  ASSERT_EQ(Files().size(), 1);
  const std::string file = Files()[0];
  for (const uintmax_t length : {0, 7, 1000}) {
    std::filesystem::resize_file(file, length);
    EXPECT_FALSE(IsTaken()) << length << " bytes";
    EXPECT_TRUE(IsTaken());
  }
}

TEST_F(ProgramCacheTest, FoldersThatCannotBeUsedDoNotMatter) {
  ASSERT_OK_AND_ASSIGN(const auto module, ParseProgram());
  EXPECT_OK(CompileWithCache(*module, DefaultCpuCompileOptions(), "/dev/null/none").status());
}

}  // namespace
}  // namespace xla
