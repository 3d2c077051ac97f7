// SPDX-License-Identifier: Apache-2.0
// Values as messages between processes.
#include "xla/interpreter/remote_values.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"

namespace xla::interpreter {

void SentValues::Add(const Value& value) {
  if (value.IsTuple()) {
    for (const Value& element : value.elements()) Add(element);
    return;
  }
  if (!value.IsArray()) return;
  parts_.emplace_back(value.data<char>(), static_cast<size_t>(value.byte_size()));
  std::vector<int64_t>& sizes = sizes_.emplace_back();
  sizes.push_back(value.has_dynamic_sizes() ? 1 : 0);
  for (int64_t d = 0; d < value.rank(); ++d) sizes.push_back(value.dynamic_size(d));
  parts_.emplace_back(reinterpret_cast<const char*>(sizes.data()), sizes.size() * sizeof(int64_t));
}

absl::Status ReceivedValues::Add(const Shape& shape) {
  shapes_.push_back(&shape);
  return AddLeaves(shape);
}

absl::Status ReceivedValues::AddLeaves(const Shape& shape) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) XLA_RETURN_IF_ERROR(AddLeaves(element));
    return absl::OkStatus();
  }
  if (!shape.IsArray()) return absl::OkStatus();
  XLA_ASSIGN_OR_RETURN(Value value, ctx_.Allocate(shape));
  parts_.emplace_back(static_cast<char*>(value.mutable_untyped_data()),
                      static_cast<size_t>(value.byte_size()));
  std::vector<int64_t>& sizes = sizes_.emplace_back(static_cast<size_t>(1 + shape.rank()));
  parts_.emplace_back(reinterpret_cast<char*>(sizes.data()), sizes.size() * sizeof(int64_t));
  arrays_.push_back(std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<Values> ReceivedValues::Take() {
  Values values;
  for (const Shape* shape : shapes_) {
    XLA_ASSIGN_OR_RETURN(Value value, TakeNext(*shape));
    values.push_back(std::move(value));
  }
  return values;
}

absl::StatusOr<Value> ReceivedValues::TakeNext(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      XLA_ASSIGN_OR_RETURN(Value value, TakeNext(element));
      elements.push_back(std::move(value));
    }
    return Value::Tuple(shape, std::move(elements));
  }
  if (!shape.IsArray()) return Value::Token(shape);
  const std::vector<int64_t>& sizes = sizes_[next_];
  Value value = std::move(arrays_[next_++]);
  if (sizes[0] == 0) return value;
  const absl::Span<const int64_t> existing = absl::MakeConstSpan(sizes).subspan(1);
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t size = existing[static_cast<size_t>(d)];
    if (size >= 0 && size <= shape.dimensions(d)) continue;
    return absl::InvalidArgumentError(absl::StrCat("another process sent ", shape.ToString(),
                                                   " with the size ", size, " of dimension ", d));
  }
  value.SetDynamicSizes(existing);
  return value;
}

runtime::ProcessGroup::Operation RemoteOperation(const HloInstruction& inst) {
  return {inst.name(), OperationShapes(inst), OperationText(inst)};
}

absl::Status ReceiveOperands(EvalContext& ctx, const HloInstruction& inst, const DeviceGroup& group,
                             std::vector<const Values*>& inputs, std::vector<Values>& received) {
  EvalState& state = ctx.state();
  runtime::ProcessGroup& processes = *state.options().processes;
  SentValues sent;
  const Values* mine = nullptr;
  for (const Values* values : inputs) {
    if (values == nullptr) continue;
    mine = values;
    for (const Value& value : *values) sent.Add(value);
  }
  std::vector<runtime::ProcessGroup::Outgoing> outgoing;
  std::vector<runtime::ProcessGroup::Incoming> incoming;
  std::deque<ReceivedValues> messages;
  for (const int32_t process : processes.ProcessesOf(group.devices)) {
    if (process == processes.self()) continue;
    ReceivedValues& message = messages.emplace_back(ctx);
    for (const int64_t device : group.devices) {
      if (processes.ProcessOf(device) != process) continue;
      for (const Value& value : *mine) XLA_RETURN_IF_ERROR(message.Add(value.shape()));
    }
    outgoing.push_back({process, {sent.parts().begin(), sent.parts().end()}});
    incoming.push_back({process, {message.parts().begin(), message.parts().end()}});
  }
  XLA_RETURN_IF_ERROR(processes.Exchange(RemoteOperation(inst), group.devices, outgoing, incoming,
                                         state.Limits(ctx)));
  received.resize(inputs.size());
  size_t m = 0;
  for (const int32_t process : processes.ProcessesOf(group.devices)) {
    if (process == processes.self()) continue;
    XLA_ASSIGN_OR_RETURN(Values values, messages[m++].Take());
    size_t next = 0;
    for (size_t rank = 0; rank < inputs.size(); ++rank) {
      if (processes.ProcessOf(group.devices[rank]) != process) continue;
      for (size_t i = 0; i < mine->size(); ++i) received[rank].push_back(std::move(values[next++]));
      inputs[rank] = &received[rank];
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::interpreter
