// SPDX-License-Identifier: Apache-2.0
// Functions that generated code calls by name.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "xla/cpu/codegen/element.h"
#include "xla/cpu/run/math_functions.h"
#include "xla/cpu/run/nested_program.h"
#include "xla/cpu/run/run_state.h"
#include "xla/cpu/run/thunk.h"

namespace xla::cpu {
namespace {

extern "C" {

// Not 0 if the run is to stop.
int32_t XlaCpuPoll(void* state) { return static_cast<RunState*>(state)->Poll().ok() ? 0 : 1; }

// Not 0 if the run is to stop.
int32_t XlaCpuRunThunks(const void* thunks, void* state) {
  return RunThunksOfFunction(*static_cast<const ThunkSequence*>(thunks),
                             *static_cast<RunState*>(state))
             ? 0
             : 1;
}

// Runs the program with the number, on arguments and results in memory.
void XlaCpuApply(void* state, int64_t number, char* cells) {
  RunState& run = *static_cast<RunState*>(state);
  run.nested()[static_cast<size_t>(number)]->Run(run, cells);
}

}  // extern "C"

// C has these functions since C23.
double RoundEven(double x) { return std::nearbyint(x); }
float RoundEvenF32(float x) { return std::nearbyint(x); }

template <typename Result, typename... Args>
void* Address(Result (*function)(Args...)) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

absl::Span<const ExternalFunction> ExternalFunctions() {
  static const ExternalFunction functions[] = {
      {"XlaCpuApply", Address(XlaCpuApply)},
      {"XlaCpuFunction", Address(XlaCpuFunction)},
      {"XlaCpuPoll", Address(XlaCpuPoll)},
      {"XlaCpuRunThunks", Address(XlaCpuRunThunks)},
      {"memcpy", Address(std::memcpy)},
      {"memset", Address(std::memset)},
      {"memmove", Address(std::memmove)},
      {"fmod", Address(static_cast<double (*)(double, double)>(std::fmod))},
      {"fmodf", Address(static_cast<float (*)(float, float)>(std::fmod))},
      {"fma", Address(static_cast<double (*)(double, double, double)>(std::fma))},
      {"fmaf", Address(static_cast<float (*)(float, float, float)>(std::fma))},
      // Processors without SSE4.1 have no instructions for these.
      {"ceil", Address(static_cast<double (*)(double)>(std::ceil))},
      {"ceilf", Address(static_cast<float (*)(float)>(std::ceil))},
      {"floor", Address(static_cast<double (*)(double)>(std::floor))},
      {"floorf", Address(static_cast<float (*)(float)>(std::floor))},
      {"trunc", Address(static_cast<double (*)(double)>(std::trunc))},
      {"truncf", Address(static_cast<float (*)(float)>(std::trunc))},
      {"rint", Address(static_cast<double (*)(double)>(std::rint))},
      {"rintf", Address(static_cast<float (*)(float)>(std::rint))},
      {"round", Address(static_cast<double (*)(double)>(std::round))},
      {"roundf", Address(static_cast<float (*)(float)>(std::round))},
      {"roundeven", Address(RoundEven)},
      {"roundevenf", Address(RoundEvenF32)},
  };
  return functions;
}

}  // namespace xla::cpu
