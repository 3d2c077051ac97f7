// SPDX-License-Identifier: Apache-2.0
// StreamExecutor and Stream: one for each device. Work is done when the calls return, so that a
// stream has nothing to wait for.
#ifndef XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_H_
#define XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_H_

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/stream_executor/platform.h"

namespace stream_executor {

class StreamExecutor;

class Stream {
 public:
  explicit Stream(StreamExecutor* parent) : parent_(parent) {}
  StreamExecutor* parent() const { return parent_; }
  absl::Status BlockHostUntilDone() { return absl::OkStatus(); }
  bool ok() const { return true; }
  // Work is done when calls return: a stream is its own substream.
  absl::StatusOr<Stream*> GetOrCreateSubStream() { return this; }
  void ReturnSubStream(Stream*) {}

 private:
  StreamExecutor* parent_;
};

class StreamExecutor {
 public:
  StreamExecutor(const Platform* platform, int device_ordinal)
      : platform_(platform), device_ordinal_(device_ordinal) {}
  const Platform* GetPlatform() const { return platform_; }
  int device_ordinal() const { return device_ordinal_; }
  absl::StatusOr<std::unique_ptr<Stream>> CreateStream() { return std::make_unique<Stream>(this); }
  bool SynchronizeAllActivity() { return true; }

 private:
  const Platform* platform_;
  int device_ordinal_;
};

}  // namespace stream_executor

#endif  // XLA_STREAM_EXECUTOR_STREAM_EXECUTOR_H_
