// SPDX-License-Identifier: Apache-2.0
// send, send-done, recv, recv-done.
//
// Between devices, the frontend attribute _xla_send_recv_source_target_pairs={{0,1},{1,2}} says who
// sends to whom (ids of replicas, or of partitions if there is a channel_id above 0). A device that
// is not a source sends nothing; one that is not a target receives zeros. Without the attribute, a
// channel has at most one sender and one receiver.
#include "xla/interpreter/transfer.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/eval_state.h"
#include "xla/interpreter/literal_io.h"
#include "xla/interpreter/remote_values.h"
#include "xla/passes/communication.h"
#include "xla/runtime/channels.h"
#include "xla/shape_util.h"

namespace xla::interpreter {
namespace {

const SendRecvAttributes& AttributesOf(const HloInstruction& inst) {
  return inst.attributes<SendRecvAttributes>();
}

runtime::Rendezvous::Place PlaceOf(const HloInstruction& inst) {
  return {/*is_channel=*/true, AttributesOf(inst).channel_id.value_or(0)};
}

absl::StatusOr<runtime::HostChannels*> HostOf(EvalContext& ctx) {
  runtime::HostChannels* const channels = ctx.state().options().host_channels;
  if (channels != nullptr) return channels;
  return absl::FailedPreconditionError(
      "it is a transfer with the host, but the run has no channels to the host");
}

// A send and its recv are one operation to other processes: a message of a channel.
runtime::ProcessGroup::Operation TransferOperation(const HloInstruction& inst, const Shape& data) {
  return {"message", data.ToString(), OperationText(inst)};
}

// INVALID_ARGUMENT for a message without source and target, whose other side may be anywhere.
absl::Status ExpectOneProcess(const EvalState& state) {
  if (state.options().processes == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "it has no source-target pairs, without which messages stay in one process");
}

// (data, context, token)
absl::StatusOr<Value> TransferValue(EvalContext& ctx, const Shape& shape, Value data,
                                    uint32_t context) {
  XLA_ASSIGN_OR_RETURN(Value number, ctx.Allocate(shape.tuple_shapes(1)));
  *number.mutable_data<uint32_t>() = context;
  std::vector<Value> elements;
  elements.push_back(std::move(data).WithShape(shape.tuple_shapes(0)));
  elements.push_back(std::move(number));
  elements.push_back(Value::Token(shape.tuple_shapes(2)));
  return Value::Tuple(shape, std::move(elements));
}

// The next message of a source.
absl::StatusOr<Value> Await(EvalContext& ctx, const PendingReceives::Source& source,
                            const HloInstruction& recv) {
  const Shape& shape = recv.shape().tuple_shapes(0);
  EvalState& state = ctx.state();
  const int64_t device = ctx.device().device;
  if (source.is_host) {
    XLA_ASSIGN_OR_RETURN(runtime::HostChannels* const host, HostOf(ctx));
    XLA_ASSIGN_OR_RETURN(const Literal literal,
                         host->Receive(shape, device, source.channel.place.id, state.Limits(ctx)));
    return OwnedValueFromLiteral(ctx, shape, literal);
  }
  runtime::ProcessGroup* const processes = state.options().processes;
  if (processes != nullptr && source.channel.source >= 0 &&
      !processes->IsLocal(source.channel.source)) {
    ReceivedValues message(ctx);
    XLA_RETURN_IF_ERROR(message.Add(shape));
    XLA_RETURN_IF_ERROR(processes->Receive(TransferOperation(recv, shape), source.channel,
                                           processes->ProcessOf(source.channel.source),
                                           message.parts(), state.Limits(ctx)));
    XLA_ASSIGN_OR_RETURN(Values values, message.Take());
    return std::move(values[0]);
  }
  XLA_ASSIGN_OR_RETURN(
      const runtime::Rendezvous::Payload payload,
      state.rendezvous().Receive(source.channel, device, recv.name(), state.Limits(ctx)));
  Value value = std::move(*static_cast<Value*>(payload.get()));
  if (!ShapeUtil::Compatible(shape, value.shape())) {
    return absl::InvalidArgumentError(
        absl::StrCat(recv.name(), " receives ", shape.ToString(), " on channel ",
                     source.channel.place.id, ", but ", value.shape().ToString(), " was sent"));
  }
  return std::move(value).WithShape(shape);
}

// The data of a request, once.
absl::StatusOr<Value> Complete(EvalContext& ctx, const Value& transfer) {
  PendingReceives& receives = ctx.device().receives;
  const auto is_context = [](const Value& value) {
    return value.IsArray() && value.element_type() == U32 && value.element_count() > 0;
  };
  std::optional<uint32_t> number;
  if (transfer.IsTuple() && transfer.elements().size() > 1 && is_context(transfer.element(1)))
    number = transfer.element(1).scalar<uint32_t>();
  XLA_ASSIGN_OR_RETURN(const PendingReceives::Request request, receives.Take(number));
  const Shape& expected = request.recv->shape().tuple_shapes(0);
  if (!request.source.has_value()) return ctx.AllocateZeros(expected);
  XLA_ASSIGN_OR_RETURN(Value value,
                       receives.Receive(request, [&](const auto& source, const auto& recv) {
                         return Await(ctx, source, recv);
                       }));
  if (ShapeUtil::Compatible(value.shape(), expected)) return value;
  return absl::InvalidArgumentError(absl::StrCat(request.recv->name(), " receives ",
                                                 expected.ToString(), ", but ",
                                                 value.shape().ToString(), " was sent"));
}

}  // namespace

absl::StatusOr<Value> CompleteReceives(EvalContext& ctx, const HloInstruction& root, Value value) {
  switch (root.opcode()) {
    case HloOpcode::kRecv: {
      XLA_ASSIGN_OR_RETURN(Value data, Complete(ctx, value));
      return TransferValue(ctx, root.shape(), std::move(data), 0);
    }
    case HloOpcode::kTuple: {
      std::vector<Value> elements = std::move(value).TakeElements();
      for (size_t i = 0; i < elements.size(); ++i) {
        XLA_ASSIGN_OR_RETURN(
            elements[i],
            CompleteReceives(ctx, *root.operand(static_cast<int64_t>(i)), std::move(elements[i])));
      }
      return Value::Tuple(root.shape(), std::move(elements));
    }
    default:
      return value;
  }
}

absl::StatusOr<Value> EvalSend(EvalContext& ctx, const HloInstruction& inst,
                               absl::Span<Value> operands) {
  EvalState& state = ctx.state();
  const int64_t device = ctx.device().device;
  if (AttributesOf(inst).is_host_transfer) {
    XLA_ASSIGN_OR_RETURN(runtime::HostChannels* const host, HostOf(ctx));
    XLA_RETURN_IF_ERROR(state.KeepOutput(operands[0]));
    XLA_ASSIGN_OR_RETURN(Literal literal,
                         LiteralFromValue(ctx, inst.operand(0)->shape(), operands[0]));
    XLA_RETURN_IF_ERROR(
        host->Send(std::move(literal), device, PlaceOf(inst).id, state.Limits(ctx)));
    return TransferValue(ctx, inst.shape(), operands[0], 0);
  }
  XLA_ASSIGN_OR_RETURN(const std::optional<DevicePairList> pairs,
                       TransferPairs(inst, ctx.state().PositionOf(ctx.device())));
  if (!pairs.has_value()) {
    XLA_RETURN_IF_ERROR(ExpectOneProcess(state));
    XLA_RETURN_IF_ERROR(state.rendezvous().Send({PlaceOf(inst), -1, -1}, device,
                                                std::make_shared<Value>(operands[0])));
  } else {
    for (const auto& [source, target] : *pairs) {
      if (source != device) continue;
      runtime::ProcessGroup* const processes = state.options().processes;
      if (processes != nullptr && !processes->IsLocal(target)) {
        SentValues message;
        message.Add(operands[0]);
        XLA_RETURN_IF_ERROR(processes->Send(TransferOperation(inst, inst.operand(0)->shape()),
                                            {PlaceOf(inst), source, target},
                                            processes->ProcessOf(target), message.parts()));
        continue;
      }
      XLA_RETURN_IF_ERROR(state.rendezvous().Send({PlaceOf(inst), source, target}, device,
                                                  std::make_shared<Value>(operands[0])));
    }
  }
  return TransferValue(ctx, inst.shape(), operands[0], 0);
}

absl::StatusOr<Value> EvalSendDone(EvalContext&, const HloInstruction& inst, absl::Span<Value>) {
  return Value::Token(inst.shape());
}

absl::StatusOr<Value> EvalRecv(EvalContext& ctx, const HloInstruction& inst, absl::Span<Value>) {
  std::optional<PendingReceives::Source> source;
  if (AttributesOf(inst).is_host_transfer) {
    XLA_RETURN_IF_ERROR(HostOf(ctx).status());
    source = PendingReceives::Source{/*is_host=*/true, {PlaceOf(inst)}};
  } else {
    XLA_ASSIGN_OR_RETURN(const auto pair, ReceivePair(inst, ctx.state().PositionOf(ctx.device())));
    if (pair.has_value() && pair->first < 0) XLA_RETURN_IF_ERROR(ExpectOneProcess(ctx.state()));
    if (pair.has_value())
      source =
          PendingReceives::Source{/*is_host=*/false, {PlaceOf(inst), pair->first, pair->second}};
  }
  XLA_ASSIGN_OR_RETURN(const uint32_t number, ctx.device().receives.Add(&inst, source));
  XLA_ASSIGN_OR_RETURN(Value zeros, ctx.AllocateZeros(inst.shape().tuple_shapes(0)));
  return TransferValue(ctx, inst.shape(), std::move(zeros), number);
}

absl::StatusOr<Value> EvalRecvDone(EvalContext& ctx, const HloInstruction& inst,
                                   absl::Span<Value> operands) {
  XLA_ASSIGN_OR_RETURN(Value data, Complete(ctx, operands[0]));
  if (!ShapeUtil::Compatible(data.shape(), inst.shape().tuple_shapes(0))) {
    return absl::InvalidArgumentError(absl::StrCat("its recv receives ", data.shape().ToString()));
  }
  std::vector<Value> elements;
  elements.push_back(std::move(data).WithShape(inst.shape().tuple_shapes(0)));
  elements.push_back(Value::Token(inst.shape().tuple_shapes(1)));
  return Value::Tuple(inst.shape(), std::move(elements));
}

}  // namespace xla::interpreter
