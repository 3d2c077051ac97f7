// SPDX-License-Identifier: Apache-2.0
// StreamPool: a stream has no state here, so that each is made when it is borrowed.
#ifndef XLA_SERVICE_STREAM_POOL_H_
#define XLA_SERVICE_STREAM_POOL_H_

#include <memory>

#include "xla/stream_executor/stream_executor.h"

namespace xla {

class StreamPool {
 public:
  using Ptr = std::unique_ptr<se::Stream>;

  explicit StreamPool(se::StreamExecutor* executor) : executor_(executor) {}
  absl::StatusOr<Ptr> BorrowStream() { return executor_->CreateStream(); }

 private:
  se::StreamExecutor* executor_;
};

}  // namespace xla

#endif  // XLA_SERVICE_STREAM_POOL_H_
