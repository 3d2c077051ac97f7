// SPDX-License-Identifier: Apache-2.0
// Functions that compute instructions for which there is neither generated code nor a prepared
// kernel, each in a file of its own: what programs do not name is not linked. Buffers are operands,
// then results; parameters are written by xla/aot/library_steps.cc.
#ifndef XLA_AOT_RUNTIME_LIBRARY_STEPS_H_
#define XLA_AOT_RUNTIME_LIBRARY_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/aot/runtime/run.h"

#define XYLEM_LIBRARY_STEP(name)                                                            \
  extern "C" void name(xla::aot::Run* run, char* const* buffers, const int64_t* parameters, \
                       absl::Status* status);                                               \
  extern "C" void name([[maybe_unused]] xla::aot::Run* run, char* const* buffers,           \
                       const int64_t* parameters, [[maybe_unused]] absl::Status* status)

namespace xla::aot {

// Reads lists: their lengths, then their elements.
class ParameterReader {
 public:
  explicit ParameterReader(const int64_t* parameters) : next_(parameters) {}
  int64_t Number() { return *next_++; }
  template <typename T>
  T Get() {
    return static_cast<T>(*next_++);
  }
  absl::Span<const int64_t> List() {
    const auto size = static_cast<size_t>(Number());
    const absl::Span<const int64_t> list(next_, size);
    next_ += size;
    return list;
  }
  std::vector<int64_t> Vector() {
    const absl::Span<const int64_t> list = List();
    return std::vector<int64_t>(list.begin(), list.end());
  }

 private:
  const int64_t* next_;
};

}  // namespace xla::aot

#endif  // XLA_AOT_RUNTIME_LIBRARY_STEPS_H_
