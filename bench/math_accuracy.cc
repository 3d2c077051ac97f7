// SPDX-License-Identifier: Apache-2.0
// bench_math_accuracy [STEP]: prints the largest error of each mathematical function of the
// generated code, in units in the last place, over every STEPth float (1: all of them, minutes for
// each) and 10^8 / STEP numbers of f64.
#include "tests/cpu/math_accuracy.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace xla::cpu::math;  // NOLINT: a program of one file

static void Print(const char* name, const char* type, const Accuracy& accuracy) {
  std::printf("| %s | %s | %.3f | %a |%s\n", name, type, accuracy.worst, accuracy.worst_at,
              accuracy.wrong == 0 ? "" : " wrong special values");
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  const long step = argc > 1 ? std::atol(argv[1]) : 101;
  if (step <= 0) {
    std::fprintf(stderr, "usage: bench_math_accuracy [STEP]\n");
    return 2;
  }
  std::printf("| function | type | ulp | at |\n|---|---|---|---|\n");
  for (const FunctionF32& f : kFunctionsF32) {
    Print(f.name, "f32", MeasureF32(f, static_cast<uint64_t>(step)));
    // Those within one unit are taken as they are; those without a function of f64 call the C
    // library's, in double.
    for (const FunctionF64& wide : kFunctionsF64) {
      if (f.limit > 1 && std::strcmp(wide.name, f.name) == 0)
        Print(f.name, "f32, highest", MeasureHighestF32(f, wide, static_cast<uint64_t>(step)));
    }
  }
  for (const FunctionF64& f : kFunctionsF64) Print(f.name, "f64", MeasureF64(f, 100000000 / step));
  const auto pairs = PairsF64(20000000 / step);
  for (const FunctionOfPairsF64& f : kFunctionsOfPairsF64) {
    Accuracy accuracy;
    for (const auto& [x, y] : pairs)
      CompareF64(f.exact(x, y), x, f.function(Double{x}, Double{y}).v, accuracy);
    Print(f.opcode, "f64", accuracy);
  }
}
