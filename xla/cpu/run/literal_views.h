// SPDX-License-Identifier: Apache-2.0
// Literals as arguments and results of runs on memory (xla/runtime/buffer_view.h).
#ifndef XLA_CPU_RUN_LITERAL_VIEWS_H_
#define XLA_CPU_RUN_LITERAL_VIEWS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/host_memory.h"

namespace xla::cpu {

// Views of the arguments and the result of one device. They refer to the literals, except for
// arrays of dynamic shapes, which are copied: a buffer holds their sizes after the elements.
class LiteralViews {
 public:
  absl::Status AddArgument(const LiteralSlice& literal);
  absl::Status AddResult(Literal& literal);
  // After the run: copies results of dynamic shapes, and their sizes, to the literal whose views
  // were added.
  absl::Status CopyDynamicResults(Literal& literal) const;

  absl::Span<const runtime::ArgumentView> arguments() const { return arguments_; }
  absl::Span<runtime::ResultView> results() { return absl::MakeSpan(results_); }
  // The bytes of the copies.
  int64_t memory_bytes() const { return memory_bytes_; }

 private:
  struct FreeMemory {
    void operator()(char* memory) const { runtime::FreeHostMemory(memory); }
  };

  absl::Status AddMemory(int64_t bytes);

  std::vector<std::unique_ptr<char, FreeMemory>> memory_;
  int64_t memory_bytes_ = 0;
  std::vector<runtime::ArgumentView> arguments_;
  std::vector<runtime::ResultView> results_;
};

}  // namespace xla::cpu

#endif  // XLA_CPU_RUN_LITERAL_VIEWS_H_
