// SPDX-License-Identifier: Apache-2.0
// Queues of literals between devices and the host.
#include "xla/runtime/feeds.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"

namespace xla::runtime {
namespace {

int64_t BytesOf(const Literal& literal) {
  int64_t bytes = 0;
  for (const ShapeUtil::IndexedShape& leaf : ShapeUtil::GetLeafShapes(literal.shape())) {
    if (leaf.shape.IsArray()) bytes += literal.size_bytes(leaf.index);
  }
  return bytes;
}

// An error of a queue, with what was waited for.
absl::Status QueueError(const absl::Status& status, absl::string_view what, int64_t device,
                        const WaitLimits& limits) {
  if (absl::IsDeadlineExceeded(status)) {
    return absl::DeadlineExceededError(
        absl::StrCat(what, " device ", device, " after ", absl::FormatDuration(limits.timeout)));
  }
  return status;
}

}  // namespace

bool LiteralFits(const Shape& expected, const Shape& actual) {
  if (expected.IsTuple()) {
    if (!actual.IsTuple() || expected.tuple_shapes_size() != actual.tuple_shapes_size())
      return false;
    for (int i = 0; i < expected.tuple_shapes_size(); ++i) {
      if (!LiteralFits(expected.tuple_shapes(i), actual.tuple_shapes(i))) return false;
    }
    return true;
  }
  if (expected.element_type() != actual.element_type()) return false;
  if (!expected.IsArray()) return true;
  if (expected.rank() != actual.rank()) return false;
  for (int i = 0; i < expected.rank(); ++i) {
    const bool fits =
        expected.is_dynamic_dimension(i)
            ? actual.dimensions(i) <= expected.dimensions(i)
            : !actual.is_dynamic_dimension(i) && actual.dimensions(i) == expected.dimensions(i);
    if (!fits) return false;
  }
  return true;
}

// --- LiteralQueue

absl::Status LiteralQueue::Push(Literal literal, const WaitLimits& limits) {
  const int64_t bytes = BytesOf(literal);
  std::unique_lock<std::mutex> lock(mutex_);
  XLA_RETURN_IF_ERROR(WaitUntil(lock, changed_, limits, [&] {
    return closed_ || literals_.empty() || bytes <= capacity_bytes_ - bytes_;
  }));
  if (closed_) return absl::FailedPreconditionError("the queue is closed");
  bytes_ += bytes;
  literals_.push_back(std::move(literal));
  changed_.notify_all();
  return absl::OkStatus();
}

absl::StatusOr<Literal> LiteralQueue::Pop(absl::FunctionRef<absl::Status(const Shape&)> accept,
                                          const WaitLimits& limits) {
  std::unique_lock<std::mutex> lock(mutex_);
  XLA_RETURN_IF_ERROR(
      WaitUntil(lock, changed_, limits, [&] { return closed_ || !literals_.empty(); }));
  if (literals_.empty()) return absl::FailedPreconditionError("the queue is closed");
  XLA_RETURN_IF_ERROR(accept(literals_.front().shape()));
  Literal literal = std::move(literals_.front());
  literals_.pop_front();
  bytes_ -= BytesOf(literal);
  changed_.notify_all();
  return literal;
}

void LiteralQueue::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

int64_t LiteralQueue::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(literals_.size());
}

// --- Feeds

Feeds::Feeds(int64_t num_devices, int64_t capacity_bytes) {
  for (int64_t i = 0; i < num_devices; ++i)
    devices_.push_back(std::make_shared<Queues>(capacity_bytes));
}

Feeds::Feeds(const Feeds& all, absl::Span<const int> devices) {
  for (const int device : devices) devices_.push_back(all.devices_[static_cast<size_t>(device)]);
}

absl::StatusOr<Feeds::Queues*> Feeds::Find(int64_t device) const {
  if (device < 0 || device >= num_devices()) {
    return absl::InvalidArgumentError(absl::StrCat("there is no feed of device ", device,
                                                   ": there are ", num_devices(), " devices"));
  }
  return devices_[static_cast<size_t>(device)].get();
}

absl::Status Feeds::TransferToInfeed(const LiteralSlice& literal, int64_t device,
                                     const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(Queues* const queues, Find(device));
  return QueueError(queues->infeed.Push(literal.Clone(), limits),
                    "no program took data from the full infeed queue of", device, limits);
}

absl::StatusOr<Literal> Feeds::TransferFromOutfeed(const Shape& shape, int64_t device,
                                                   const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(Queues* const queues, Find(device));
  auto literal = queues->outfeed.Pop(
      [&](const Shape& actual) -> absl::Status {
        if (LiteralFits(shape, actual)) return absl::OkStatus();
        return absl::InvalidArgumentError(absl::StrCat("the next outfeed of device ", device,
                                                       " has shape ", actual.ToString(), ", but ",
                                                       shape.ToString(), " was asked for"));
      },
      limits);
  if (literal.ok()) return literal;
  return QueueError(literal.status(), "no outfeed data came from", device, limits);
}

absl::StatusOr<Literal> Feeds::TransferFromOutfeed(int64_t device, const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(Queues* const queues, Find(device));
  auto literal = queues->outfeed.Pop([](const Shape&) { return absl::OkStatus(); }, limits);
  if (literal.ok()) return literal;
  return QueueError(literal.status(), "no outfeed data came from", device, limits);
}

int64_t Feeds::OutfeedSize(int64_t device) const {
  const auto queues = Find(device);
  return queues.ok() ? (*queues)->outfeed.size() : 0;
}

void Feeds::CloseInfeeds() {
  for (const auto& queues : devices_) queues->infeed.Close();
}

absl::StatusOr<Literal> Feeds::ReadInfeed(const Shape& shape, int64_t device,
                                          const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(Queues* const queues, Find(device));
  auto literal = queues->infeed.Pop(
      [&](const Shape& actual) -> absl::Status {
        if (LiteralFits(shape, actual)) return absl::OkStatus();
        return absl::InvalidArgumentError(absl::StrCat(
            "the program reads ", shape.ToString(), ", but the next data in the infeed queue of ",
            "device ", device, " has shape ", actual.ToString()));
      },
      limits);
  if (literal.ok()) return literal;
  if (absl::IsFailedPrecondition(literal.status())) {
    return absl::FailedPreconditionError(absl::StrCat("the infeed queue of device ", device,
                                                      " is empty, and no more data will be given"));
  }
  return QueueError(literal.status(), "no data was given to the infeed queue of", device, limits);
}

absl::Status Feeds::WriteOutfeed(Literal literal, int64_t device, const WaitLimits& limits) {
  XLA_ASSIGN_OR_RETURN(Queues* const queues, Find(device));
  return QueueError(queues->outfeed.Push(std::move(literal), limits),
                    "the host took no data from the full outfeed queue of", device, limits);
}

}  // namespace xla::runtime
