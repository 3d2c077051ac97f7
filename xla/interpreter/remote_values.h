// SPDX-License-Identifier: Apache-2.0
// Values that devices of several processes exchange. Private to the files of collectives and
// transfers.
#ifndef XLA_INTERPRETER_REMOTE_VALUES_H_
#define XLA_INTERPRETER_REMOTE_VALUES_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/interpreter/collective.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/runtime/process_group.h"

namespace xla::interpreter {

// The parts of a message: of each array its memory and its dynamic sizes.
class SentValues {
 public:
  void Add(const Value& value);
  absl::Span<const absl::Span<const char>> parts() const { return parts_; }

 private:
  std::vector<absl::Span<const char>> parts_;
  std::deque<std::vector<int64_t>> sizes_;
};

// The same of a message that is received.
class ReceivedValues {
 public:
  explicit ReceivedValues(EvalContext& ctx) : ctx_(ctx) {}
  // Allocates the arrays of a value of this shape, which must outlive it.
  absl::Status Add(const Shape& shape);
  absl::Span<const absl::Span<char>> parts() const { return parts_; }
  // The values, in the order of Add, when the message has come. INVALID_ARGUMENT for sizes that no
  // array of the shape has.
  absl::StatusOr<Values> Take();

 private:
  absl::Status AddLeaves(const Shape& shape);
  absl::StatusOr<Value> TakeNext(const Shape& shape);

  EvalContext& ctx_;
  std::vector<const Shape*> shapes_;
  std::vector<Value> arrays_;
  std::deque<std::vector<int64_t>> sizes_;
  std::vector<absl::Span<char>> parts_;
  size_t next_ = 0;
};

// The operation as other processes know it.
runtime::ProcessGroup::Operation RemoteOperation(const HloInstruction& inst);

// Exchanges the operands of a collective with the other processes of the group: sets those of
// `inputs` that are null to values in `received`.
absl::Status ReceiveOperands(EvalContext& ctx, const HloInstruction& inst, const DeviceGroup& group,
                             std::vector<const Values*>& inputs, std::vector<Values>& received);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_REMOTE_VALUES_H_
