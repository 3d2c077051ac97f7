// SPDX-License-Identifier: Apache-2.0
// Tokens; feeds and transfers between devices and with the host.
#include "xla/hlo/builder/builder_state.h"
#include "xla/hlo/builder/collective_util.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// Transfers with the host need a layout.
absl::Status CheckLayout(const char* call, const Shape& shape) {
  if (LayoutUtil::HasLayout(shape)) return absl::OkStatus();
  return InvalidArgumentStrCat("Given shape to ", call, " must have a layout; got ",
                               ShapeUtil::HumanString(shape), ".");
}

absl::Status CheckChannel(const char* call, const ChannelHandle& handle,
                          ChannelHandle::ChannelType type, const char* type_name) {
  if (handle.type() == type) return absl::OkStatus();
  return InvalidArgumentStrCat(call, " must use a ", type_name, " channel.");
}

// Tokens live on device 0, whatever the data's sharding.
std::optional<OpSharding> TokenSharding(const std::optional<OpSharding>& data) {
  if (!data.has_value()) return std::nullopt;
  return sharding_builder::AssignDevice(0);
}

// Of a tuple (data, token).
std::optional<OpSharding> ShardingWithToken(const std::optional<OpSharding>& data) {
  if (!data.has_value()) return std::nullopt;
  OpSharding both = data->type() == OpSharding::TUPLE ? *data : sharding_builder::Tuple({*data});
  *both.add_tuple_shardings() = sharding_builder::AssignDevice(0);
  return both;
}

}  // namespace

XlaOp CreateToken(XlaBuilder* builder) {
  return builder->Record("CreateToken", [&] { return builder->state().AddToken(); });
}

XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens) {
  return builder->Record("AfterAll", [&]() -> absl::StatusOr<XlaOp> {
    for (size_t i = 0; i < tokens.size(); ++i) {
      XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(tokens[i]));
      if (!shape->IsToken()) {
        return InvalidArgumentStrCat("All operands to AfterAll must be tokens; operand ", i,
                                     " has shape ", ShapeUtil::HumanString(*shape));
      }
    }
    return builder->state().Add(HloOpcode::kAfterAll, tokens);
  });
}

// --- Feeds

// The token of the former feed, or a new one.
absl::StatusOr<XlaOp> XlaBuilder::State::FeedToken(XlaOp former) {
  if (former.valid()) return former;
  XlaScopedShardingAssignment scope(self, TokenSharding(sharding));
  return AddToken();
}

XlaOp Infeed(XlaBuilder* builder, const Shape& shape, const std::string& config) {
  return builder->Record("Infeed", [&]() -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(CheckLayout("Infeed", shape));
    XLA_ASSIGN_OR_RETURN(const XlaOp token,
                         builder->state().FeedToken(builder->state().infeed_token));
    const Shape declared = ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()});
    XlaOp infeed;
    {
      const bool one_for_each_leaf =
          builder->sharding().has_value() && builder->sharding()->type() == OpSharding::TUPLE;
      XlaScopedShardingAssignment scope(builder, one_for_each_leaf
                                                     ? ShardingWithToken(builder->sharding())
                                                     : builder->sharding());
      XLA_ASSIGN_OR_RETURN(
          infeed, builder->state().Add(HloOpcode::kInfeed, {token},
                                       InfeedAttributes{.infeed_config = config}, &declared));
    }
    {
      XlaScopedShardingAssignment scope(builder, TokenSharding(builder->sharding()));
      XLA_ASSIGN_OR_RETURN(builder->state().infeed_token,
                           builder->state().Add(HloOpcode::kGetTupleElement, {infeed},
                                                TupleIndexAttributes{.index = 1}));
    }
    return builder->state().Add(HloOpcode::kGetTupleElement, {infeed},
                                TupleIndexAttributes{.index = 0});
  });
}

XlaOp InfeedWithToken(XlaOp token, const Shape& shape, const std::string& config) {
  XlaBuilder* builder = XlaBuilder::Of({token});
  if (builder == nullptr) return XlaOp();
  return builder->Record("InfeedWithToken", [&]() -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(CheckLayout("InfeedWithToken", shape));
    if (builder->sharding().has_value() && shape.IsArray() &&
        builder->sharding()->type() == OpSharding::OTHER) {
      return InvalidArgument("Tiled sharding is not yet supported for array-shaped infeeds");
    }
    if (builder->sharding().has_value() && builder->sharding()->type() == OpSharding::REPLICATED) {
      return InvalidArgument("Replicated sharding is not yet supported for infeeds");
    }
    const Shape declared = ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()});
    return builder->state().Add(HloOpcode::kInfeed, {token},
                                InfeedAttributes{.infeed_config = config}, &declared);
  });
}

absl::StatusOr<XlaOp> XlaBuilder::State::AddOutfeed(const char* call, XlaOp operand, XlaOp token,
                                                    const Shape& shape_with_layout,
                                                    const std::string& config) {
  XLA_RETURN_IF_ERROR(CheckLayout(call, shape_with_layout));
  XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(operand));
  if (!ShapeUtil::Compatible(*shape, shape_with_layout)) {
    return InvalidArgumentStrCat(
        "Outfeed shape ", ShapeUtil::HumanStringWithLayout(shape_with_layout),
        " must be compatible with operand shape ", ShapeUtil::HumanStringWithLayout(*shape));
  }
  return Add(HloOpcode::kOutfeed, {operand, token},
             OutfeedAttributes{.outfeed_shape = shape_with_layout, .outfeed_config = config});
}

void Outfeed(XlaOp operand, const Shape& shape_with_layout, const std::string& outfeed_config) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return;
  builder->Record("Outfeed", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const XlaOp token,
                         builder->state().FeedToken(builder->state().outfeed_token));
    {
      // As of a tuple of the data and the token that the outfeed returns.
      XlaScopedShardingAssignment scope(builder, ShardingWithToken(builder->sharding()));
      XLA_ASSIGN_OR_RETURN(builder->state().outfeed_token,
                           builder->state().AddOutfeed("Outfeed", operand, token, shape_with_layout,
                                                       outfeed_config));
    }
    // The form without tokens returns an empty tuple, in case the outfeed is the root.
    XlaScopedShardingAssignment no_sharding(builder, std::nullopt);
    return builder->state().Add(HloOpcode::kTuple, {});
  });
}

XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       const std::string& outfeed_config) {
  XlaBuilder* builder = XlaBuilder::Of({operand, token});
  if (builder == nullptr) return XlaOp();
  return builder->Record("OutfeedWithToken", [&] {
    return builder->state().AddOutfeed("OutfeedWithToken", operand, token, shape_with_layout,
                                       outfeed_config);
  });
}

// --- Transfers

absl::StatusOr<XlaOp> XlaBuilder::State::AddSend(XlaOp operand, XlaOp token,
                                                 const SendRecvAttributes& attributes,
                                                 const Shape* transferred) {
  std::optional<Shape> declared;
  if (transferred != nullptr) {
    declared = ShapeUtil::MakeTupleShape(
        {*transferred, ShapeUtil::MakeScalarShape(U32), ShapeUtil::MakeTokenShape()});
  }
  XLA_ASSIGN_OR_RETURN(const XlaOp send, Add(HloOpcode::kSend, {operand, token}, attributes,
                                             declared.has_value() ? &*declared : nullptr));
  return Add(HloOpcode::kSendDone, {send}, attributes);
}

absl::StatusOr<XlaOp> XlaBuilder::State::AddRecv(XlaOp token, const Shape& shape,
                                                 const SendRecvAttributes& attributes) {
  const Shape declared = ShapeUtil::MakeTupleShape(
      {shape, ShapeUtil::MakeScalarShape(U32), ShapeUtil::MakeTokenShape()});
  XLA_ASSIGN_OR_RETURN(const XlaOp recv, Add(HloOpcode::kRecv, {token}, attributes, &declared));
  return Add(HloOpcode::kRecvDone, {recv}, attributes);
}

void Send(XlaOp operand, const ChannelHandle& handle) {
  XlaBuilder* builder = XlaBuilder::Of({operand});
  if (builder == nullptr) return;
  builder->Record("Send", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const XlaOp token, builder->state().AddToken());
    return SendWithToken(operand, token, handle);
  });
}

XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle) {
  XlaBuilder* builder = XlaBuilder::Of({operand, token});
  if (builder == nullptr) return XlaOp();
  return builder->Record("SendWithToken", [&]() -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(
        CheckChannel("Send", handle, ChannelHandle::DEVICE_TO_DEVICE, "device-to-device"));
    return builder->state().AddSend(operand, token, {.channel_id = ChannelOf(handle)}, nullptr);
  });
}

XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle) {
  return builder->Record("Recv", [&]() -> absl::StatusOr<XlaOp> {
    XLA_ASSIGN_OR_RETURN(const XlaOp token, builder->state().AddToken());
    return GetTupleElement(RecvWithToken(token, shape, handle), 0);
  });
}

XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle) {
  XlaBuilder* builder = XlaBuilder::Of({token});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RecvWithToken", [&]() -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(
        CheckChannel("Recv", handle, ChannelHandle::DEVICE_TO_DEVICE, "device-to-device"));
    return builder->state().AddRecv(token, shape, {.channel_id = ChannelOf(handle)});
  });
}

XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle) {
  XlaBuilder* builder = XlaBuilder::Of({operand, token});
  if (builder == nullptr) return XlaOp();
  return builder->Record("SendToHost", [&]() -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(CheckLayout("SendToHost", shape_with_layout));
    XLA_ASSIGN_OR_RETURN(const Shape* shape, builder->state().ShapeOf(operand));
    if (!ShapeUtil::Compatible(*shape, shape_with_layout)) {
      return InvalidArgumentStrCat(
          "SendToHost shape ", ShapeUtil::HumanStringWithLayout(shape_with_layout),
          " must be compatible with operand shape ", ShapeUtil::HumanStringWithLayout(*shape));
    }
    if (!shape->IsArray()) {
      return InvalidArgumentStrCat("SendToHost only supports array shapes, shape: ",
                                   ShapeUtil::HumanString(*shape));
    }
    XLA_RETURN_IF_ERROR(
        CheckChannel("SendToHost", handle, ChannelHandle::DEVICE_TO_HOST, "device-to-host"));
    return builder->state().AddSend(operand, token,
                                    {.channel_id = ChannelOf(handle), .is_host_transfer = true},
                                    &shape_with_layout);
  });
}

XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle) {
  XlaBuilder* builder = XlaBuilder::Of({token});
  if (builder == nullptr) return XlaOp();
  return builder->Record("RecvFromHost", [&]() -> absl::StatusOr<XlaOp> {
    XLA_RETURN_IF_ERROR(CheckLayout("RecvFromHost", shape));
    if (!shape.IsArray()) {
      return InvalidArgumentStrCat("RecvFromHost only supports array shapes, shape: ",
                                   ShapeUtil::HumanString(shape));
    }
    XLA_RETURN_IF_ERROR(
        CheckChannel("RecvFromHost", handle, ChannelHandle::HOST_TO_DEVICE, "host-to-device"));
    return builder->state().AddRecv(token, shape,
                                    {.channel_id = ChannelOf(handle), .is_host_transfer = true});
  });
}

}  // namespace xla
