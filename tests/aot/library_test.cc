// SPDX-License-Identifier: Apache-2.0
// What a library is to its callers: typed functions, memory, threads, errors, symbols, weights.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/aot/aot_library.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/tests/test_utils.h"

namespace xla {
namespace {

using testing::BuiltLibrary;
using testing::CheckSameBits;
using testing::CommandOutput;
using testing::RunShell;

constexpr char kAxpy[] = R"(
  HloModule axpy
  ENTRY e {
    a = f32[] parameter(0)
    x = f32[4] parameter(1)
    y = f32[4] parameter(2)
    s = f32[4] broadcast(a), dimensions={}
    p = f32[4] multiply(s, x)
    ROOT r = f32[4] add(p, y)
  })";

// A product, large enough to be divided among threads.
constexpr char kProducts[] = R"(
  HloModule products
  ENTRY e {
    x = f32[300,200] parameter(0)
    i = f32[200,200] iota(), iota_dimension=1
    c = f32[] constant(0.01)
    s = f32[200,200] broadcast(c), dimensions={}
    w = f32[200,200] multiply(i, s)
    t = f32[200,200] sine(w)
    d = f32[300,200] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT r = f32[300,200] tanh(d)
  })";

// A program with 16 kB of weights.
std::string WithWeights() {
  std::string numbers;
  for (int i = 0; i < 4096; ++i) absl::StrAppend(&numbers, i > 0 ? ", " : "", (i * 37) % 101);
  return absl::StrCat("HloModule m\nENTRY e {\n  x = f32[4096] parameter(0)\n",
                      "  w = f32[4096] constant({", numbers, "})\n",
                      "  ROOT r = f32[4096] multiply(x, w)\n}\n");
}

aot::AotOptions Named(const std::string& name) {
  aot::AotOptions options;
  options.name = name;
  return options;
}

std::string WriteSource(const BuiltLibrary& library, const std::string& name,
                        const std::string& text) {
  std::string path = absl::StrCat(library.folder(), "/", name);
  std::ofstream(path) << text;
  return path;
}

TEST(AotLibraryTest, TypedFunction) {
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(kAxpy, Named("axpy")));
  const std::string source = WriteSource(library, "main.c", R"(
    #include <stdio.h>
    #include "axpy.h"
    int main(void) {
      const float a = 2, x[AXPY_X_SIZE] = {1, 2, 3, 4}, y[AXPY_Y_DIM0] = {10, 20, 30, 40};
      float result[AXPY_RESULT_SIZE];
      static char memory[AXPY_SCRATCH_BYTES + 64];
      axpy* program;
      xylem_error error;
      if (axpy_create(NULL, &program, &error) != 0) return 1;
      xylem_run_options options = {0};
      options.scratch = (void*)(((size_t)memory + 63) / 64 * 64);
      options.scratch_bytes = AXPY_SCRATCH_BYTES;
      if (axpy_run(program, &a, x, y, result, &options, &error) != 0) return 2;
      printf("%g %g %g %g\n", result[0], result[1], result[2], result[3]);
      options.scratch_bytes = AXPY_SCRATCH_BYTES - 1;
      printf("%d ", axpy_run(program, &a, x, y, result, &options, &error));
      puts(error.message);
      printf("%d ", axpy_run(program, &a, x, NULL, result, NULL, &error));
      puts(error.message);
      axpy_destroy(program);
      return 0;
    })");
  ASSERT_OK(library.Link(source));
  const CommandOutput run = RunShell(library.folder() + "/main");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(absl::StrContains(run.output, "12 24 36 48\n3 program axpy needs ")) << run.output;
  EXPECT_TRUE(absl::StrContains(run.output, "3 program axpy: the argument y is null\n"))
      << run.output;
}

TEST(AotLibraryTest, RunsReuseTheMemoryOfTheProgram) {
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(kProducts));
  const std::string source = WriteSource(library, "main.c", R"(
    #include <stdio.h>
    #include <stdlib.h>
    #include "program.h"
    static int count;
    void* __real_aligned_alloc(size_t alignment, size_t bytes);
    void* __wrap_aligned_alloc(size_t alignment, size_t bytes);
    void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
      ++count;
      return __real_aligned_alloc(alignment, bytes);
    }
    int main(void) {
      float* x = __real_aligned_alloc(64, 4 * 300 * 200);
      float* result = __real_aligned_alloc(64, 4 * 300 * 200);
      for (int i = 0; i < 300 * 200; ++i) x[i] = 1;
      program* loaded;
      xylem_error error;
      if (program_create(NULL, &loaded, &error) != 0) return 1;
      for (int i = 0; i < 3; ++i) {
        count = 0;
        if (program_run(loaded, x, result, NULL, &error) != 0) return 2;
        printf("%d ", count);
      }
      program_destroy(loaded);
      return 0;
    })");
  ASSERT_OK(library.Link(source, "-Wl,--wrap=aligned_alloc"));
  EXPECT_EQ(RunShell(library.folder() + "/main").output, "1 0 0 ");
}

TEST(AotLibraryTest, SpansOfCxx) {
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(kAxpy, Named("axpy")));
  const std::string source = WriteSource(library, "main.cc", R"(
    #include <cstdio>
    #include <vector>
    #include "axpy.h"
    int main() {
      const axpy_aot::Program program;
      const float a = 3;
      const std::vector<float> x = {1, 2, 3, 4}, y = {1, 1, 1, 1};
      std::vector<float> result(4);
      program.Run(std::span<const float, 1>(&a, 1), std::span<const float, 4>(x),
                  std::span<const float, 4>(y), std::span<float, 4>(result));
      std::printf("%g %g\n", result[0], result[3]);
    })");
  ASSERT_OK(library.Link(source, "-std=c++20"));
  EXPECT_EQ(RunShell(library.folder() + "/main").output, "4 13\n");
}

TEST(AotLibraryTest, SanitizersFindNothing) {
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(kProducts));
  ASSERT_OK(library.Link(XYLEM_SOURCE_DIR "/tests/aot/run_list.c",
                         "-g -fsanitize=address,undefined -fno-sanitize-recover=all"));
  std::vector<Literal> arguments;
  arguments.push_back(Literal(ShapeUtil::MakeShape(F32, {300, 200})));
  ASSERT_OK_AND_ASSIGN(const std::string result, library.RunList(arguments));
  EXPECT_EQ(result.size(), 4u * 300 * 200);
}

// Eight threads run one program at the same time, each of them on four threads of its own.
TEST(AotLibraryTest, ManyThreads) {
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(kProducts, Named("products")));
  const std::string source = WriteSource(library, "main.cc", R"(
    #include <atomic>
    #include <cstdio>
    #include <cstring>
    #include <thread>
    #include <vector>
    #include "products.h"
    void ParallelFor(void*, int64_t n, void (*body)(void*, int64_t), void* argument) {
      std::atomic<int64_t> next{0};
      const auto work = [&] { for (int64_t i; (i = next++) < n;) body(argument, i); };
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t) threads.emplace_back(work);
      work();
      for (std::thread& thread : threads) thread.join();
    }
    int main() {
      products* program = nullptr;
      xylem_error error;
      if (products_create(nullptr, &program, &error) != 0) return 1;
      std::vector<float> x(PRODUCTS_X_SIZE), expected(PRODUCTS_RESULT_SIZE);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 97) / 97;
      if (products_run(program, x.data(), expected.data(), nullptr, &error) != 0) return 2;
      std::atomic<int> different{0};
      std::vector<std::thread> threads;
      for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] {
          const xylem_threads own = {nullptr, 4, ParallelFor};
          xylem_run_options options = {};
          options.threads = &own;
          for (int run = 0; run < 5; ++run) {
            std::vector<float> result(PRODUCTS_RESULT_SIZE);
            xylem_error message;
            if (products_run(program, x.data(), result.data(), &options, &message) != 0 ||
                std::memcmp(result.data(), expected.data(), 4 * result.size()) != 0)
              ++different;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      products_destroy(program);
      std::printf("%d differ\n", different.load());
    })");
  ASSERT_OK(library.Link(source, "-std=c++20"));
  EXPECT_EQ(RunShell(library.folder() + "/main").output, "0 differ\n");
}

TEST(AotLibraryTest, TwoProgramsInOneProcess) {
  ASSERT_OK_AND_ASSIGN(const auto one, BuiltLibrary::Build(kAxpy, Named("axpy")));
  ASSERT_OK_AND_ASSIGN(const auto two, BuiltLibrary::Build(kProducts, Named("products")));
  const std::string source = WriteSource(one, "main.c", R"(
    #include <stdio.h>
    #include "axpy.h"
    #include "products.h"
    int main(void) {
      static float x[PRODUCTS_X_SIZE], y[PRODUCTS_RESULT_SIZE];
      const float a = 1, b[4] = {1, 2, 3, 4};
      float c[4];
      axpy* first;
      products* second;
      if (axpy_create(NULL, &first, NULL) != 0 || products_create(NULL, &second, NULL) != 0 ||
          axpy_run(first, &a, b, b, c, NULL, NULL) != 0 ||
          products_run(second, x, y, NULL, NULL) != 0)
        return 1;
      printf("%g %g\n", c[3], y[5]);
      return 0;
    })");
  ASSERT_OK(one.Link(source, absl::StrCat("-I", two.folder(), " ", two.folder(), "/products.a")));
  EXPECT_EQ(RunShell(one.folder() + "/main").output, "8 0\n");
}

// All other symbols are hidden or belong to the runtime.
TEST(AotLibraryTest, ExportsTheProgramOnly) {
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(kProducts, Named("products")));
  const CommandOutput symbols =
      RunShell(absl::StrCat("readelf -sW ", library.folder(),
                            "/products.a | awk '$5 == \"GLOBAL\" && $6 == \"DEFAULT\" && $7 != "
                            "\"UND\" {print $8}' | sort"));
  EXPECT_EQ(symbols.output,
            "products_create\nproducts_destroy\nproducts_run\nproducts_run_list\n"
            "products_scratch_bytes\n");
}

TEST(AotLibraryTest, SeveralTargets) {
  aot::AotOptions options;
  options.targets = {"x86-64-v2", "x86-64-v3"};
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(kProducts, options));
  EXPECT_TRUE(absl::StrContains(library.library().header, "for x86-64-v3, x86-64-v2"));
  for (const char* target : {"x86-64-v2", "x86-64-v3"}) {
    options.targets = {target};
    EXPECT_OK(CheckSameBits(kProducts, options)) << target;
  }
}

TEST(AotLibraryTest, WeightsInAFile) {
  aot::AotOptions options;
  options.weights_in_file = true;
  EXPECT_OK(CheckSameBits(WithWeights(), options));
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(WithWeights(), options));
  ASSERT_EQ(library.library().weights.size(), 64u + 4 * 4096);
  ASSERT_OK(library.Link(XYLEM_SOURCE_DIR "/tests/aot/run_list.c"));
  const std::string call = library.folder() + "/none";
  std::ofstream(call) << std::string(8, '\0');
  const auto run = [&](const std::string& weights) {
    return RunShell(absl::StrCat(library.folder(), "/main ", call, " /dev/null ", weights)).output;
  };
  EXPECT_TRUE(absl::StrContains(run(""), "keeps its weights in a file"));
  EXPECT_TRUE(absl::StrContains(run("/nowhere"), "cannot read the weights in /nowhere"));
  std::string damaged = library.library().weights;
  damaged[24] = static_cast<char>(damaged[24] + 1);  // of the digest
  std::ofstream(library.folder() + "/damaged") << damaged;
  EXPECT_TRUE(absl::StrContains(run(library.folder() + "/damaged"), "are another program's"));
  std::ofstream(library.folder() + "/short") << damaged.substr(0, 40);
  EXPECT_TRUE(absl::StrContains(run(library.folder() + "/short"), "have 40 bytes only"));
}

TEST(AotLibraryTest, CustomCallsBySymbol) {
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(R"(
    HloModule m
    ENTRY e {
      x = f32[3] parameter(0)
      y = f32[3] parameter(1)
      ROOT r = f32[3] custom-call(x, y), custom_call_target="fused_difference"
    })",
                                                               Named("calls")));
  const std::string source = WriteSource(library, "main.c", R"(
    #include <stdio.h>
    #include "calls.h"
    void fused_difference(void* out, const void** in);
    void fused_difference(void* out, const void** in) {
      for (int i = 0; i < 3; ++i)
        ((float*)out)[i] = ((const float*)in[0])[i] - ((const float*)in[1])[i];
    }
    int main(void) {
      const float x[3] = {5, 6, 7}, y[3] = {1, 2, 4};
      float result[3];
      calls* program;
      if (calls_create(NULL, &program, NULL) != 0 ||
          calls_run(program, x, y, result, NULL, NULL) != 0)
        return 1;
      printf("%g %g %g\n", result[0], result[1], result[2]);
      return 0;
    })");
  ASSERT_OK(library.Link(source));
  EXPECT_EQ(RunShell(library.folder() + "/main").output, "4 4 3\n");
}

TEST(AotLibraryTest, DynamicSizes) {
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(R"(
    HloModule m
    add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
    ENTRY e {
      x = f32[<=8] parameter(0)
      z = f32[] constant(0)
      s = f32[] reduce(x, z), dimensions={0}, to_apply=add
      y = f32[<=8] add(x, x)
      ROOT r = (f32[], f32[<=8]) tuple(s, y)
    })",
                                                               Named("dynamic")));
  const std::string source = WriteSource(library, "main.c", R"(
    #include <stdio.h>
    #include "dynamic.h"
    int main(void) {
      const float x[8] = {1, 2, 3, 100, 100, 100, 100, 100};
      float sum, y[8];
      int32_t size = 3, y_size = -1;
      dynamic* program;
      xylem_error error;
      if (dynamic_create(NULL, &program, &error) != 0) return 1;
      if (dynamic_run(program, x, &size, &sum, y, &y_size, NULL, &error) != 0) return 2;
      printf("%g %d %g\n", sum, y_size, y[2]);
      size = 9;
      printf("%d ", dynamic_run(program, x, &size, &sum, y, &y_size, NULL, &error));
      puts(error.message);
      return 0;
    })");
  ASSERT_OK(library.Link(source));
  EXPECT_EQ(RunShell(library.folder() + "/main").output,
            "6 3 6\n3 program dynamic: size 0 of the argument x is 9, not between 0 and 8\n");
}

TEST(AotLibraryTest, RefusesWhatNeedsMore) {
  EXPECT_ERROR(BuiltLibrary::Build(R"(
    HloModule m, replica_count=2
    ENTRY e { ROOT x = f32[3] parameter(0) })"),
               "2 devices; programs of several devices are not compiled ahead of time");
  EXPECT_ERROR(BuiltLibrary::Build(R"(
    HloModule m
    ENTRY e {
      t = token[] after-all()
      f = (f32[3], token[]) infeed(t)
      ROOT r = f32[3] get-tuple-element(f), index=0
    })"),
               "infeed and outfeed need a client");
  EXPECT_ERROR(BuiltLibrary::Build(R"(
    HloModule m
    ENTRY e {
      x = f32[3] parameter(0)
      ROOT r = f32[3] custom-call(x), custom_call_target="f", api_version=API_VERSION_TYPED_FFI
    })"),
               "the call to 'f' of API_VERSION_TYPED_FFI needs a client");
  EXPECT_ERROR(BuiltLibrary::Build(R"(
    HloModule m
    ENTRY e {
      x = f32[4,4] parameter(0)
      ROOT r = (f32[4,4], s32[]) custom-call(x), custom_call_target="lapack_spotrf_ffi",
        api_version=API_VERSION_TYPED_FFI, backend_config="{uplo = 76 : ui8}"
    })"),
               "do not call 'lapack_spotrf_ffi', as their runtime has no LAPACK");
  EXPECT_ERROR(BuiltLibrary::Build(kAxpy, Named("int")), "'int' is not an identifier");
  aot::AotOptions options;
  options.targets = {"x86-64-v3", "aarch64"};
  EXPECT_ERROR(BuiltLibrary::Build(kAxpy, options), "a library is of one architecture");
  options.targets = {"pentium"};
  EXPECT_ERROR(BuiltLibrary::Build(kAxpy, options), "unknown target 'pentium'; known: native");
}

#if defined(__x86_64__)
// A convolutional network, on every machine of the last ten years: one file, that needs no library.
TEST(AotLibraryTest, StaticProgramIsSmall) {
  if (absl::StrContains(XYLEM_TEST_CC, "-fsanitize"))
    GTEST_SKIP() << "skipped: static programs have no sanitizers";
  const std::string hlo = testing::ReadWholeFile(XYLEM_SOURCE_DIR "/models/digits/predict.hlo");
  aot::AotOptions options;
  options.targets = {"x86-64-v3"};
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(hlo, options));
  ASSERT_OK(library.Link(XYLEM_SOURCE_DIR "/tests/aot/run_list.c", "-O2 -static -s"));
  const std::string program = library.folder() + "/main";
  EXPECT_EQ(RunShell("readelf -dW " + program).output,
            "\nThere is no dynamic section in this file.\n");
  EXPECT_LT(std::filesystem::file_size(program), 1'500'000u);
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(hlo));
  ASSERT_OK_AND_ASSIGN(const std::vector<Literal> arguments, MakeFakeArguments(module.get()));
  ASSERT_OK_AND_ASSIGN(const std::string expected, library.RunHere(arguments));
  ASSERT_OK_AND_ASSIGN(const std::string actual, library.RunList(arguments));
  EXPECT_TRUE(actual == expected);
}
#endif

// Equal programs give equal bytes.
TEST(AotLibraryTest, IsReproducible) {
  ASSERT_OK_AND_ASSIGN(const auto a, BuiltLibrary::Build(kProducts));
  ASSERT_OK_AND_ASSIGN(const auto b, BuiltLibrary::Build(kProducts));
  EXPECT_EQ(aot::WriteArchive(a.library().members), aot::WriteArchive(b.library().members));
  EXPECT_EQ(a.library().header, b.library().header);
}

// Code for another architecture is generated on any machine, though not run here.
TEST(AotLibraryTest, GeneratesCodeForArm) {
  aot::AotOptions options;
  options.targets = {"aarch64"};
  ASSERT_OK_AND_ASSIGN(const auto library, BuiltLibrary::Build(kProducts, options));
  const CommandOutput machines = RunShell(absl::StrCat(
      "readelf -hW ", library.folder(), "/program.a | grep Machine: | sort -u | tr -s ' '"));
  EXPECT_EQ(machines.output, " Machine: AArch64\n");
  // Results that go past the caches end in a fence on one architecture alone.
  ASSERT_OK(BuiltLibrary::Build("HloModule streams\nENTRY e {\n"
                                "  x = f32[4096,4096] parameter(0)\n"
                                "  ROOT y = f32[4096,4096] tanh(x)\n}\n",
                                options)
                .status());
}

}  // namespace
}  // namespace xla
