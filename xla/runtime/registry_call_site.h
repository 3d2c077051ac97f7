// SPDX-License-Identifier: Apache-2.0
// A custom call of compiled code, made ready once and run many times: handlers work on the memory
// of operands and results, or on small copies where they want another layout, and no call takes
// memory.
#ifndef XLA_RUNTIME_REGISTRY_CALL_SITE_H_
#define XLA_RUNTIME_REGISTRY_CALL_SITE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/runtime/custom_call.h"
#include "xla/shape.h"

namespace xla::runtime {

// What does not change from call to call. Shapes have layouts.
struct RegistryCallForm {
  std::string target, instruction, opaque;
  int api_version = 1;
  Shape result_shape;
  std::vector<Shape> operand_shapes;  // one an operand, tuples whole
  // Pairs of leaves, those of results and of arguments: results that start with the contents of
  // arguments.
  std::vector<std::pair<size_t, size_t>> aliases;
};

// Thread-safe.
class RegistryCallSite {
 public:
  // Null if arrays have dynamic sizes or padding, or are large and in other layouts than row-major
  // ones: RunRegistryCall has to copy them.
  static std::unique_ptr<const RegistryCallSite> Make(RegistryCallForm form);
  ~RegistryCallSite();
  RegistryCallSite(const RegistryCallSite&) = delete;
  RegistryCallSite& operator=(const RegistryCallSite&) = delete;

  // Whether a handler can be given this memory, of leaves: it is aligned, and no result lies where
  // an argument does.
  bool Takes(absl::Span<char* const> arguments, absl::Span<char* const> results) const;

  struct Position {
    int64_t replica_id = 0, partition_id = 0;
    int device_ordinal = 0;
    int64_t run_id = 0;
  };
  // As RunRegistryCall, but that a handler that writes beyond its memory is not noticed.
  absl::Status Run(const CustomCallRegistry& registry, const Position& position,
                   absl::Span<char* const> arguments, absl::Span<char* const> results) const;

 private:
  struct Ready;
  struct Leaf {
    const Shape* shape;
    int64_t bytes;
    // For each element in the order of the layout its number in row-major order; empty if that is
    // the same.
    std::vector<uint32_t> order;
    int64_t copy = 0;  // where its copy starts in the memory of Ready, if there is an order
  };

  explicit RegistryCallSite(RegistryCallForm form);
  bool AddLeaves(const Shape& shape, std::vector<Leaf>& leaves);
  absl::StatusOr<std::unique_ptr<Ready>> MakeReady(const CustomCallRegistry& registry) const;

  const RegistryCallForm form_;
  std::vector<Leaf> arguments_, results_;
  int64_t copied_bytes_ = 0;
  // The frame of a call that has ended, for the next one.
  mutable std::atomic<Ready*> spare_{nullptr};
  mutable std::mutex mutex_;
  mutable std::shared_ptr<void> kept_;
};

}  // namespace xla::runtime

#endif  // XLA_RUNTIME_REGISTRY_CALL_SITE_H_
