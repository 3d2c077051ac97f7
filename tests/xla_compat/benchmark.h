// SPDX-License-Identifier: Apache-2.0
// Stand-in for the benchmark library: benchmarks of XLA's tests compile, and are not run.
#ifndef TESTS_XLA_COMPAT_BENCHMARK_H_
#define TESTS_XLA_COMPAT_BENCHMARK_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/xla_compat/test_macros.h"

namespace benchmark {

class State {
 public:
  struct Value {
    ~Value() {}
  };
  struct Iterator {
    bool operator!=(const Iterator&) const { return false; }
    void operator++() {}
    Value operator*() const { return {}; }
  };
  Iterator begin() { return {}; }
  Iterator end() { return {}; }
  bool KeepRunning() { return false; }
  bool KeepRunningBatch(int64_t) { return false; }
  int64_t range(int = 0) const { return 1; }
  int64_t iterations() const { return 1; }
  int64_t max_iterations = 1;
  void SetBytesProcessed(int64_t) {}
  void SetItemsProcessed(int64_t) {}
  void SetLabel(const std::string&) {}
  void SkipWithError(const std::string&) {}
  void PauseTiming() {}
  void ResumeTiming() {}
};

// Takes what a registration is given.
class Registration {
 public:
  template <typename... Args>
  Registration(Args&&...) {}
  Registration* operator->() { return this; }
  template <typename... Args>
  Registration* Arg(Args&&...) {
    return this;
  }
  Registration* Args(const std::vector<int64_t>&) { return this; }
  Registration* ArgPair(int64_t, int64_t) { return this; }
  Registration* Range(int64_t, int64_t) { return this; }
  Registration* RangePair(int64_t, int64_t, int64_t, int64_t) { return this; }
  Registration* DenseRange(int64_t, int64_t, int64_t = 1) { return this; }
  Registration* ArgNames(const std::vector<std::string>&) { return this; }
  Registration* ArgName(const std::string&) { return this; }
  Registration* RangeMultiplier(int) { return this; }
  Registration* UseRealTime() { return this; }
  Registration* MeasureProcessCPUTime() { return this; }
  Registration* Iterations(int64_t) { return this; }
  Registration* Unit(int) { return this; }
  template <typename F>
  Registration* Apply(F&&) {
    return this;
  }
};

inline constexpr int kMillisecond = 0, kMicrosecond = 1, kNanosecond = 2;
template <typename T>
void DoNotOptimize(T&&) {}
inline void RunSpecifiedBenchmarks() {}
inline void ClobberMemory() {}

}  // namespace benchmark

namespace testing::benchmark {
using ::benchmark::State;
}  // namespace testing::benchmark

namespace tsl::testing {
template <typename T>
void DoNotOptimize(T&&) {}
inline void RunBenchmarks() {}
}  // namespace tsl::testing

#define COMPAT_BENCHMARK_NAME_INNER(line) compat_benchmark_##line
#define COMPAT_BENCHMARK_NAME(line) COMPAT_BENCHMARK_NAME_INNER(line)
#define BENCHMARK(...)                                               \
  [[maybe_unused]] static auto* COMPAT_BENCHMARK_NAME(__COUNTER__) = \
      (new ::benchmark::Registration(&__VA_ARGS__))
#define BENCHMARK_CAPTURE(function, ...) BENCHMARK(function)
#define BENCHMARK_TEMPLATE(function, ...) BENCHMARK(function<__VA_ARGS__>)
#define BENCHMARK_MAIN()

#endif  // TESTS_XLA_COMPAT_BENCHMARK_H_
