// SPDX-License-Identifier: Apache-2.0
// Calls of the builder and of its library that break one rule each, beside calls that just keep it.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/variants/builder_outcomes.h"
#include "tests/variants/expected.h"
#include "xla/hlo/builder/lib/approx_topk.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/broadcast.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/dynamic_shaped_ops.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/pooling.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/hlo/builder/lib/qr.h"
#include "xla/hlo/builder/lib/quantize.h"
#include "xla/hlo/builder/lib/self_adjoint_eig.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/hlo/builder/lib/sorting.h"
#include "xla/hlo/builder/lib/svd.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/hlo/builder/xla_ops.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::testing {
namespace {

using Arguments = std::vector<XlaOp>;

// Computations that calls apply.
XlaComputation Scalars(const std::string& text) {
  XlaBuilder b(text);
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {}), "x");
  if (text == "negate") {
    Neg(x);
  } else {
    Add(x, Parameter(&b, 1, ShapeUtil::MakeShape(F32, {}), "y"));
  }
  return b.Build().value();
}

// Of one array of the shape.
XlaComputation Identity(const std::string& shape) {
  XlaBuilder b("identity");
  Parameter(&b, 0, ParseShape(shape).value(), "x");
  return b.Build().value();
}

ChannelHandle Channel(ChannelHandle::ChannelType type) {
  ChannelHandle handle;
  handle.set_handle(1);
  handle.set_type(type);
  return handle;
}

TEST(BuilderRules, Transfers) {
  Library library;
  const Shape with_layout = ShapeUtil::MakeShape(F32, {3});
  Shape no_layout = with_layout;
  no_layout.clear_layout();
  const Shape other = ShapeUtil::MakeShape(F32, {4});
  const Shape pair = ShapeUtil::MakeTupleShape({with_layout, with_layout});
  const auto add = [&](const std::string& name, auto call) {
    library.Add(name, {"f32[3]", "token[]", "(f32[3], f32[3])"},
                [&](XlaBuilder& b, const Arguments& p) { return call(b, p); });
  };
  for (const auto& [shape_name, one_shape] : std::vector<std::pair<std::string, Shape>>{
           {"the layout", with_layout}, {"no layout", no_layout}, {"another size", other}}) {
    const std::string& what = shape_name;
    const Shape& shape = one_shape;
    add("Infeed " + what, [&](XlaBuilder& b, const Arguments&) { return Infeed(&b, shape, "c"); });
    add("InfeedWithToken " + what,
        [&](XlaBuilder&, const Arguments& p) { return InfeedWithToken(p[1], shape, "c"); });
    add("Outfeed " + what, [&](XlaBuilder&, const Arguments& p) {
      Outfeed(p[0], shape, "c");
      return XlaOp();
    });
    add("OutfeedWithToken " + what,
        [&](XlaBuilder&, const Arguments& p) { return OutfeedWithToken(p[0], p[1], shape, "c"); });
    for (const auto type : {ChannelHandle::DEVICE_TO_DEVICE, ChannelHandle::DEVICE_TO_HOST,
                            ChannelHandle::HOST_TO_DEVICE}) {
      const std::string on = what + " on " + ChannelHandle::ChannelType_Name(type);
      add("SendToHost " + on, [&](XlaBuilder&, const Arguments& p) {
        return SendToHost(p[0], p[1], shape, Channel(type));
      });
      add("RecvFromHost " + on, [&](XlaBuilder&, const Arguments& p) {
        return RecvFromHost(p[1], shape, Channel(type));
      });
      add("Send " + on, [&](XlaBuilder&, const Arguments& p) {
        Send(p[0], Channel(type));
        return XlaOp();
      });
      add("Recv " + on,
          [&](XlaBuilder& b, const Arguments&) { return Recv(&b, shape, Channel(type)); });
    }
  }
  add("SendToHost of a tuple", [&](XlaBuilder&, const Arguments& p) {
    return SendToHost(p[2], p[1], pair, Channel(ChannelHandle::DEVICE_TO_HOST));
  });
  add("RecvFromHost of a tuple", [&](XlaBuilder&, const Arguments& p) {
    return RecvFromHost(p[1], pair, Channel(ChannelHandle::HOST_TO_DEVICE));
  });
  const OpSharding tiled = sharding_builder::Tile1D(with_layout, 2);
  for (const auto& [sharding_name, one_sharding] : std::vector<std::pair<std::string, OpSharding>>{
           {"tiled", tiled},
           {"replicated", sharding_builder::Replicate()},
           {"on device 1", sharding_builder::AssignDevice(1)},
           {"of elements", sharding_builder::Tuple({tiled, tiled})}}) {
    const std::string& what = sharding_name;
    const OpSharding& sharding = one_sharding;
    const auto sharded = [&](const std::string& name, auto call) {
      add(name + " " + what, [&](XlaBuilder& b, const Arguments& p) {
        const XlaScopedShardingAssignment scope(&b, sharding);
        return call(b, p);
      });
    };
    sharded("Infeed", [&](XlaBuilder& b, const Arguments&) { return Infeed(&b, with_layout); });
    sharded("Infeed of two", [&](XlaBuilder& b, const Arguments&) { return Infeed(&b, pair); });
    sharded("InfeedWithToken",
            [&](XlaBuilder&, const Arguments& p) { return InfeedWithToken(p[1], with_layout); });
    sharded("InfeedWithToken of two",
            [&](XlaBuilder&, const Arguments& p) { return InfeedWithToken(p[1], pair); });
    sharded("Outfeed", [&](XlaBuilder&, const Arguments& p) {
      Outfeed(p[0], with_layout, "");
      return XlaOp();
    });
  }
  add("AfterAll", [&](XlaBuilder& b, const Arguments& p) { return AfterAll(&b, {p[1], p[0]}); });
  ExpectLines("builder_transfers", library.lines());
}

TEST(BuilderRules, Operations) {
  Library library;
  const auto rule = [](const std::string& name, auto call) {
    return std::pair<std::string, std::function<XlaOp(XlaBuilder&, const Arguments&)>>(name, call);
  };
  const XlaComputation add = Scalars("add"), negate = Scalars("negate");
  const std::vector<std::string> shapes = {"f32[2,3]", "f32[?,3]", "f32[<=2,3]", "(f32[])",
                                           "s32[2]",   "f32[2]",   "s32[?]",     "f32[]"};
  ScatterDimensionNumbers scatter;
  scatter.add_inserted_window_dims(0);
  scatter.add_scatter_dims_to_operand_dims(0);
  scatter.set_index_vector_dim(1);
  scatter.add_update_window_dims(1);
  for (const auto& [name, call] : {
           rule("Broadcast -1",
                [](XlaBuilder&, const Arguments&p) { return Broadcast(p[0], {-1}); }),
           rule("Broadcast unbounded",
                [](XlaBuilder&, const Arguments&p) {
                  return Broadcast(p[0], {Shape::kUnboundedSize});
                }),
           rule("Broadcast of unbounded",
                [](XlaBuilder&, const Arguments&p) { return Broadcast(p[1], {2}); }),
           rule("Broadcast of a tuple",
                [](XlaBuilder&, const Arguments&p) { return Broadcast(p[3], {2}); }),
           rule("BroadcastInDim of a tuple",
                [](XlaBuilder&, const Arguments&p) { return BroadcastInDim(p[3], {2}, {0}); }),
           rule("BroadcastInDim unbounded",
                [](XlaBuilder&, const Arguments&p) {
                  return BroadcastInDim(p[0], {2, Shape::kUnboundedSize}, {0, 1});
                }),
           rule("BroadcastInDim of a negative size",
                [](XlaBuilder&, const Arguments&p) {
                  return BroadcastInDim(p[0], {2, -3}, {0, 1});
                }),
           rule("BroadcastInDim to fewer dimensions",
                [](XlaBuilder&, const Arguments&p) {
                  return BroadcastInDim(p[0], {2, 3}, {1});
                }),
           rule("BroadcastInDim out of bounds",
                [](XlaBuilder&, const Arguments&p) {
                  return BroadcastInDim(p[0], {2, 3}, {0, 2});
                }),
           rule("BroadcastInDim in another order",
                [](XlaBuilder&, const Arguments&p) {
                  return BroadcastInDim(p[0], {3, 2}, {1, 0});
                }),
           rule("BroadcastInDim of another size",
                [](XlaBuilder&, const Arguments&p) {
                  return BroadcastInDim(p[0], {2, 4}, {0, 1});
                }),
           rule("BroadcastInDim of dynamic sizes",
                [](XlaBuilder&, const Arguments&p) {
                  return BroadcastInDim(p[2], {2, 5, 3}, {0, 2});
                }),
           rule("Add of unbounded sizes",
                [](XlaBuilder&, const Arguments&p) { return Add(p[1], p[0]); }),
           rule("Add of an unbounded size and a vector",
                [](XlaBuilder&, const Arguments&p) { return Add(p[1], p[5], {0}); }),
           rule("Compare of a tuple",
                [](XlaBuilder&, const Arguments&p) { return Eq(p[3], p[3]); }),
           rule("Clamp of a vector",
                [](XlaBuilder&, const Arguments&p) { return Clamp(p[5], p[0], p[7]); }),
           rule("Clamp of scalars",
                [](XlaBuilder&, const Arguments&p) { return Clamp(p[7], p[0], p[7]); }),
           rule("Clamp of unbounded",
                [](XlaBuilder&, const Arguments&p) { return Clamp(p[7], p[1], p[7]); }),
           rule("Collapse of one that is missing",
                [](XlaBuilder&, const Arguments&p) {
                  return Collapse(p[0], {1, 2});
                }),
           rule("Collapse of separate ones",
                [](XlaBuilder&, const Arguments&p) {
                  return Collapse(p[0], {1, 0});
                }),
           rule("Collapse",
                [](XlaBuilder&, const Arguments&p) {
                  return Collapse(p[0], {0, 1});
                }),
           rule("Reshape to a size without bound",
                [](XlaBuilder&, const Arguments&p) {
                  return Reshape(ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize}, {true}), p[0]);
                }),
           rule("ReshapeWithInferredDimension",
                [](XlaBuilder&, const Arguments&p) {
                  return ReshapeWithInferredDimension(p[2], {6}, 0);
                }),
           rule("DynamicReshape of one size",
                [](XlaBuilder&, const Arguments&p) {
                  return DynamicReshape(p[0], {p[4]}, {2, 3}, {true, true});
                }),
           rule("DynamicReshape of a vector as size",
                [](XlaBuilder&, const Arguments&p) {
                  return DynamicReshape(p[0], {p[4], p[4]}, {2, 3}, {true, true});
                }),
           rule("MhloDynamicReshape",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicReshape(
                      p[1], p[4],
                      ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize, 2}, {true, false}));
                }),
           rule("MhloDynamicReshape to other counts",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicReshape(p[0], p[4], ShapeUtil::MakeShape(F32, {2, 4}));
                }),
           rule("MhloDynamicReshape with one number",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicReshape(p[0], p[4], ShapeUtil::MakeShape(F32, {6}));
                }),
           rule("MhloDynamicReshape with a matrix",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicReshape(p[0], p[0], ShapeUtil::MakeShape(F32, {6}));
                }),
           rule("MhloDynamicReshape to another type",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicReshape(p[0], p[4], ShapeUtil::MakeShape(S32, {3, 2}));
                }),
           rule("MhloDynamicBroadcastInDim",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicBroadcastInDim(p[5], p[4], {0},
                                                   ShapeUtil::MakeShape(F32, {2, 3}));
                }),
           rule("MhloDynamicBroadcastInDim with floats",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicBroadcastInDim(p[5], p[5], {0},
                                                   ShapeUtil::MakeShape(F32, {2, 3}));
                }),
           rule("MhloDynamicBroadcastInDim with a matrix",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicBroadcastInDim(p[5], ConvertElementType(p[0], S32), {0},
                                                   ShapeUtil::MakeShape(F32, {2, 3}));
                }),
           rule("MhloDynamicBroadcastInDim of two dimensions",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicBroadcastInDim(p[5], p[4], {0, 1},
                                                   ShapeUtil::MakeShape(F32, {2, 3}));
                }),
           rule("MhloDynamicBroadcastInDim to another size",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicBroadcastInDim(p[5], p[4], {1},
                                                   ShapeUtil::MakeShape(F32, {2, 3}));
                }),
           rule("MhloDynamicBroadcastInDim out of bounds",
                [](XlaBuilder&, const Arguments&p) {
                  return MhloDynamicBroadcastInDim(p[5], p[4], {2},
                                                   ShapeUtil::MakeShape(F32, {2, 3}));
                }),
           rule("GetDimensionSize of an unbounded size",
                [](XlaBuilder&, const Arguments&p) { return GetDimensionSize(p[1], 0); }),
           rule("GetDimensionSize out of bounds",
                [](XlaBuilder&, const Arguments&p) { return GetDimensionSize(p[0], 2); }),
           rule("RemoveDynamicDimension",
                [](XlaBuilder&, const Arguments&p) { return RemoveDynamicDimension(p[2], 0); }),
           rule("RemoveDynamicDimension of an unbounded size",
                [](XlaBuilder&, const Arguments&p) { return RemoveDynamicDimension(p[1], 0); }),
           rule("Scatter of nothing",
                [&](XlaBuilder&b, const Arguments&p) {
                  return b.ReportErrorOrReturn([&]() -> absl::StatusOr<XlaOp> {
                    return Scatter(absl::Span<const XlaOp>(), p[4], {}, add, scatter);
                  });
                }),
           rule("Scatter of two and one",
                [&](XlaBuilder&, const Arguments&p) {
                  return Scatter({p[0], p[0]}, p[4], {p[0]}, add, scatter);
                }),
           rule("Scatter",
                [&](XlaBuilder&, const Arguments&p) {
                  return Scatter(p[0], p[4], p[0], add, scatter);
                }),
           rule("Sort of nothing", [&](XlaBuilder&, const Arguments&) { return Sort({}, add, 0); }),
           rule("Reduce of one with two initial values",
                [&](XlaBuilder&b, const Arguments&p) {
                  return Reduce(&b, {p[0]}, {p[7], p[7]}, add, {0});
                }),
           rule("Map with static operands",
                [&](XlaBuilder&b, const Arguments&p) {
                  return Map(&b, {p[0]}, negate, {0, 1}, {p[7]});
                }),
           rule("Map",
                [&](XlaBuilder&b, const Arguments&p) {
                  return Map(&b, {p[0]}, negate, {0, 1});
                }),
           rule("ReduceWindow of nothing",
                [&](XlaBuilder&, const Arguments&) {
                  return ReduceWindow(absl::Span<const XlaOp>(), {}, add, {1}, {1}, Padding::kSame);
                }),
           rule("ReduceWindow of one and two initial values",
                [&](XlaBuilder&, const Arguments&p) {
                  return ReduceWindow({p[0]}, {p[7], p[7]}, add, {1, 1}, {1, 1}, Padding::kSame);
                }),
           rule("ReduceWindow of too few sizes",
                [&](XlaBuilder&, const Arguments&p) {
                  return ReduceWindow(p[0], p[7], add, {1}, {1}, Padding::kSame);
                }),
           rule("Scan of nothing",
                [&](XlaBuilder&, const Arguments&p) { return Scan({}, {p[7]}, add, 0); }),
           rule("Scan of another size",
                [&](XlaBuilder&, const Arguments&p) { return Scan({p[5]}, {p[7]}, add, 0, 3); }),
           rule("Scan of two sizes",
                [&](XlaBuilder&, const Arguments&p) {
                  return Scan({p[5], p[0]}, {p[7]}, add, 1);
                }),
           rule("RngBitGenerator of a tuple",
                [](XlaBuilder&, const Arguments&p) {
                  return RngBitGenerator(
                      RNG_PHILOX, p[4], ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(U32, {})}));
                }),
           rule("RngBitGenerator of booleans",
                [](XlaBuilder&, const Arguments&p) {
                  return RngBitGenerator(RNG_PHILOX, p[4], ShapeUtil::MakeShape(PRED, {2}));
                }),
           rule("RngBitGenerator of dynamic sizes",
                [](XlaBuilder&, const Arguments&p) {
                  return RngBitGenerator(RNG_PHILOX, p[4], ShapeUtil::MakeShape(U32, {2}, {true}));
                }),
           rule("Parameter -1",
                [](XlaBuilder&b, const Arguments&) {
                  return Parameter(&b, -1, ShapeUtil::MakeShape(F32, {}), "q");
                }),
           rule("Parameter 2 again",
                [](XlaBuilder&b, const Arguments&) {
                  return Parameter(&b, 2, ShapeUtil::MakeShape(F32, {}), "q");
                }),
           rule("Iota of dynamic sizes",
                [](XlaBuilder&b, const Arguments&) {
                  return Iota(&b, ShapeUtil::MakeShape(F32, {2}, {true}), 0);
                }),
           rule("Iota out of bounds",
                [](XlaBuilder&b, const Arguments&) {
                  return Iota(&b, ShapeUtil::MakeShape(F32, {2}), 1);
                }),
           rule("CustomCall of a reserved name",
                [](XlaBuilder&b, const Arguments&p) {
                  return CustomCall(&b, "$f", {p[0]}, ShapeUtil::MakeShape(F32, {2}));
                }),
           rule("CustomCallWithLayout of one shape too many",
                [](XlaBuilder&b, const Arguments&p) {
                  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
                  return CustomCallWithLayout(&b, "f", {p[0]}, shape, {shape, shape});
                }),
           rule("CustomCallWithLayout of no layout",
                [](XlaBuilder&b, const Arguments&p) {
                  Shape shape = ShapeUtil::MakeShape(F32, {2, 3}), bare = shape;
                  bare.clear_layout();
                  return CustomCallWithLayout(&b, "f", {p[0]}, shape, {bare});
                }),
           rule("CustomCallWithLayout of a result without layout",
                [](XlaBuilder&b, const Arguments&p) {
                  Shape shape = ShapeUtil::MakeShape(F32, {2, 3}), bare = shape;
                  bare.clear_layout();
                  return CustomCallWithLayout(&b, "f", {p[0]}, bare, {shape});
                }),
           rule("CustomCallWithLayout",
                [](XlaBuilder&b, const Arguments&p) {
                  const Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
                  return CustomCallWithLayout(&b, "f", {p[0]}, shape, {shape});
                }),
           rule("AllToAllTuple of unbounded sizes",
                [](XlaBuilder&, const Arguments&p) {
                  return AllToAllTuple({p[1], p[1]});
                }),
           rule("AllToAll of an unbounded size",
                [](XlaBuilder&, const Arguments&p) { return AllToAll(p[1], 0, 1, 2); }),
           rule("AllToAll of pieces that do not fit",
                [](XlaBuilder&, const Arguments&p) { return AllToAll(p[0], 1, 0, 2); }),
           rule("AllToAll of too many pieces",
                [](XlaBuilder&, const Arguments&p) {
                  return AllToAll(p[0], 0, 1, int64_t{1} << 62);
                }),
           rule(
               "AllGather of too many shards",
               [](XlaBuilder&, const Arguments&p) { return AllGather(p[0], 0, int64_t{1} << 62); }),
           rule("AllGather of no shard",
                [](XlaBuilder&, const Arguments&p) { return AllGather(p[0], 0, 0); }),
           rule("ReduceScatter of pieces that do not fit",
                [&](XlaBuilder&, const Arguments&p) { return ReduceScatter(p[0], add, 1, 2); }),
           rule("ReduceScatter of no shard",
                [&](XlaBuilder&, const Arguments&p) { return ReduceScatter(p[0], add, 1, 0); }),
           rule("CrossReplicaSum of an empty tuple",
                [](XlaBuilder&b, const Arguments&) { return CrossReplicaSum(Tuple(&b, {})); }),
           rule("CrossReplicaSum of a tuple of booleans and floats",
                [](XlaBuilder&b, const Arguments&p) {
                  return CrossReplicaSum(Tuple(&b, {p[0], Eq(p[0], p[0])}));
                }),
           rule("CrossReplicaSum of tuples in a tuple",
                [](XlaBuilder&b, const Arguments&p) {
                  return CrossReplicaSum(Tuple(&b, {p[3], p[0]}));
                }),
           rule("CrossReplicaSum of booleans",
                [](XlaBuilder&, const Arguments&p) { return CrossReplicaSum(Eq(p[0], p[0])); }),
           rule("CollectiveBroadcast with a dynamic root",
                [](XlaBuilder&, const Arguments&p) {
                  return CollectiveBroadcast({p[0]}, {}, std::nullopt, true);
                }),
           rule("Conditional of three branches and two operands",
                [&](XlaBuilder&, const Arguments&p) {
                  return Conditional(p[4], {&negate, &negate, &negate}, {p[7], p[7]});
                }),
           rule("Conditional of no computation",
                [&](XlaBuilder&, const Arguments&p) {
                  const XlaComputation* null = nullptr;
                  return Conditional(p[4], {null}, {p[7]});
                }),
           rule("Conditional of a vector",
                [&](XlaBuilder&, const Arguments&p) {
                  return Conditional(p[5], p[7], negate, p[7], negate);
                }),
           rule("Conditional on a float",
                [&](XlaBuilder&, const Arguments&p) {
                  return Conditional(p[7], p[7], negate, p[7], negate);
                }),
           rule("Conv of a vector",
                [](XlaBuilder&, const Arguments&p) {
                  return Conv(p[5], p[5], {1}, Padding::kSame);
                }),
           rule("Conv of different ranks",
                [](XlaBuilder&, const Arguments&p) {
                  return Conv(Reshape(p[0], {1, 1, 6}), p[0], {1}, Padding::kSame);
                }),
           rule("Conv of too many strides",
                [](XlaBuilder&, const Arguments&p) {
                  const XlaOp x = Reshape(p[0], {1, 1, 6});
                  return Conv(x, Reshape(p[5], {1, 1, 2}), {1, 1}, Padding::kSame);
                }),
           rule("Conv",
                [](XlaBuilder&, const Arguments&p) {
                  const XlaOp x = Reshape(p[0], {1, 1, 6});
                  return Conv(x, Reshape(p[5], {1, 1, 2}), {2}, Padding::kSame);
                }),
           rule("ConvGeneral with a dimension out of bounds",
                [](XlaBuilder&, const Arguments&p) {
                  ConvolutionDimensionNumbers numbers =
                      XlaBuilder::CreateDefaultConvDimensionNumbers(1);
                  numbers.set_input_spatial_dimensions(0, 3);
                  const XlaOp x = Reshape(p[0], {1, 1, 6});
                  return ConvGeneral(x, Reshape(p[5], {1, 1, 2}), {1}, {{0, 0}}, numbers);
                }),
           rule("ConvGeneral with a dimension twice",
                [](XlaBuilder&, const Arguments&p) {
                  ConvolutionDimensionNumbers numbers =
                      XlaBuilder::CreateDefaultConvDimensionNumbers(1);
                  numbers.set_kernel_output_feature_dimension(1);
                  const XlaOp x = Reshape(p[0], {1, 1, 6});
                  return ConvGeneral(x, Reshape(p[5], {1, 1, 2}), {1}, {{0, 0}}, numbers);
                }),
       }) {
    library.Add(name, shapes, call);
  }
  ExpectLines("builder_rules", library.lines());
}

TEST(BuilderRules, Library) {
  Library library;
  const auto add = [&](const std::string& name, auto call) {
    library.Add(name,
                {"f32[2,3]", "s32[2,3]", "f32[]", "f32[3,3]", "u32[2,3]", "c64[2,2]", "s32[]"},
                [&](XlaBuilder& b, const Arguments& p) { return call(b, p); });
  };
  for (const int64_t dimension : {-1, 0, 1, 2}) {
    for (const int64_t k : {1, 3, 5}) {
      add(absl::StrCat("ApproxTopK ", k, " of dimension ", dimension),
          [&](XlaBuilder& b, const Arguments& p) {
            return ApproxTopK(&b, {p[0], p[1]}, {p[2], p[6]}, k, dimension,
                              CreateScalarGtComputation({F32, S32}, &b));
          });
    }
  }
  add("ApproxTopK of nothing", [](XlaBuilder& b, const Arguments&) {
    return ApproxTopK(&b, {}, {}, 1, 0, CreateScalarGtComputation({F32}, &b));
  });
  add("ApproxTopK of two and one initial value", [](XlaBuilder& b, const Arguments& p) {
    return ApproxTopK(&b, {p[0], p[1]}, {p[2]}, 1, 0, CreateScalarGtComputation({F32, S32}, &b));
  });
  add("ApproxTopK of a scalar", [](XlaBuilder& b, const Arguments& p) {
    return ApproxTopK(&b, {p[2]}, {p[2]}, 1, 0, CreateScalarGtComputation({F32}, &b));
  });
  add("ApproxTopK of two shapes", [](XlaBuilder& b, const Arguments& p) {
    return ApproxTopK(&b, {p[0], p[3]}, {p[2], p[2]}, 1, 0,
                      CreateScalarGtComputation({F32, F32}, &b));
  });
  add("ApproxTopK of two types", [](XlaBuilder& b, const Arguments& p) {
    return ApproxTopK(&b, {p[0]}, {p[6]}, 1, 0, CreateScalarGtComputation({F32}, &b));
  });
  for (const int64_t size : {-1, 2, 3, 100}) {
    add(absl::StrCat("ApproxTopK of an input of ", size), [&](XlaBuilder& b, const Arguments& p) {
      return ApproxTopK(&b, {p[0]}, {p[2]}, 1, 1, CreateScalarGtComputation({F32}, &b), 0.9F,
                        /*aggregate_to_topk=*/false, size);
    });
  }
  for (const PrimitiveType type : {F32, S8, U16, PRED, BF16, C64, TOKEN, TUPLE, F8E4M3FN, S4}) {
    const std::string name = PrimitiveType_Name(type);
    const auto reduced = [&](const std::string& what, auto make) {
      add(what + " " + name, [&](XlaBuilder& b, const Arguments& p) {
        const XlaComputation computation = make(&b);
        const XlaOp x = ConvertElementType(p[0], type);
        return Reduce(x, ConvertElementType(p[2], type), computation, {0});
      });
    };
    reduced("Add", [&](XlaBuilder* b) { return CreateScalarAddComputation(type, b); });
    reduced("Multiply", [&](XlaBuilder* b) { return CreateScalarMultiplyComputation(type, b); });
    reduced("Max", [&](XlaBuilder* b) { return CreateScalarMaxComputation(type, b); });
    reduced("And", [&](XlaBuilder* b) { return CreateScalarAndComputation(type, b); });
    reduced("Identity",
            [&](XlaBuilder* b) { return CreateScalarIdentityWithZeroComputation(type, b); });
    add("Sort " + name, [&](XlaBuilder& b, const Arguments& p) {
      return Sort({ConvertElementType(p[0], type)}, CreateScalarLtComputation({type}, &b), 1);
    });
    for (const auto& [what, make] :
         std::vector<std::pair<std::string, XlaOp (*)(XlaBuilder*, PrimitiveType)>>{
             {"Zero", Zero},
             {"One", One},
             {"Epsilon", Epsilon},
             {"MinPositiveNormalValue", MinPositiveNormalValue},
             {"NanValue", NanValue},
             {"MinValue", MinValue},
             {"MaxValue", MaxValue},
             {"MinFiniteValue", MinFiniteValue},
             {"MaxFiniteValue", MaxFiniteValue}}) {
      add(what + " " + name,
          [f = make, type = type](XlaBuilder& b, const Arguments&) { return f(&b, type); });
    }
    add("ScalarConstant " + name,
        [&](XlaBuilder& b, const Arguments&) { return ConstantR0WithType(&b, type, 2.5); });
    add("ScalarConstant of a complex number " + name, [&](XlaBuilder& b, const Arguments&) {
      return ConstantR0WithType(&b, type, std::complex<double>(1, 2));
    });
    for (const bool is_min : {false, true}) {
      for (const int axis : {0, 1}) {
        add(absl::StrCat(is_min ? "ArgMin " : "ArgMax ", axis, " ", name),
            [&](XlaBuilder&, const Arguments& p) { return ArgMinMax(p[0], type, axis, is_min); });
      }
    }
    add("TopK " + name, [&](XlaBuilder&, const Arguments& p) { return TopK(p[0], 2, type); });
  }
  add("a comparison of nothing", [](XlaBuilder& b, const Arguments& p) {
    return Sort({p[0]}, CreateScalarComparisonComputation("c", {F32}, {std::nullopt}, &b), 1);
  });
  for (const int64_t partitions : {0, 1, 2, 3, 7}) {
    add(absl::StrCat("TopKWithPartitions ", partitions),
        [&](XlaBuilder&, const Arguments& p) { return TopKWithPartitions(p[3], 1, partitions); });
  }
  for (const std::string config : {"ij->ji", "ii->i", "ij->", "ij", "ij->ijk", "ij->ii", "i->i",
                                   "ij,jk->ik", "...->...", "IJ->JI", "i1->i", ""}) {
    add("Einsum of one " + config,
        [&](XlaBuilder&, const Arguments& p) { return Einsum(p[3], config); });
  }
  for (const auto& [x, y] :
       std::vector<std::pair<std::string, std::string>>{{"f32[2]", "f32[2]"},
                                                        {"f32[<=2]", "f32[<=3]"},
                                                        {"f32[2]", "s32[2]"},
                                                        {"(f32[2])", "f32[2]"},
                                                        {"(f32[<=2])", "(f32[<=4])"},
                                                        {"f32[2]", "f32[2,2]"},
                                                        {"f32[<=2]", "f32[2]"}}) {
    const XlaComputation on_true = Identity(x), on_false = Identity(y);
    library.Add("DynamicConditional", {"pred[]", "s32[]", x, y},
                [&](XlaBuilder& builder, const Arguments& p) {
                  return DynamicConditional(&builder, p[0], p[2], on_true, p[3], on_false);
                });
    library.Add("DynamicConditional of branches", {"pred[]", "s32[]", x, y},
                [&](XlaBuilder& builder, const Arguments& p) {
                  return DynamicConditional(&builder, p[1], {&on_true, &on_false}, {p[2], p[3]});
                });
    library.Add("DynamicConditional of a branch without operand", {"pred[]", "s32[]", x, y},
                [&](XlaBuilder& builder, const Arguments& p) {
                  return DynamicConditional(&builder, p[1], {&on_true, &on_false}, {p[2]});
                });
  }
  for (const auto& [a, taus] :
       std::vector<std::pair<std::string, std::string>>{{"f32[3,2]", "f32[2]"},
                                                        {"f32[3]", "f32[2]"},
                                                        {"f32[3,2]", "f32[3]"},
                                                        {"f32[2,3]", "f32[2]"},
                                                        {"f32[3,2]", "f32[1,2]"},
                                                        {"f32[4,3,2]", "f32[4,2]"},
                                                        {"f32[4,3,2]", "f32[3,2]"},
                                                        {"c64[2,2]", "c64[2]"}}) {
    library.Add("ProductOfElementaryHouseholderReflectors", {a, taus},
                [](XlaBuilder&, const Arguments& p) {
                  return ProductOfElementaryHouseholderReflectors(p[0], p[1]);
                });
  }
  for (const std::string shape : {"f32[2,2]", "f32[2]", "f32[2,3]", "s32[2,2]", "c64[2,2]",
                                  "f64[3,2,2]", "f32[0,0]", "f32[3,0]", "bf16[2,2]", "pred[2,2]"}) {
    library.Add("SelfAdjointEig", {shape}, [](XlaBuilder& b, const Arguments& p) {
      const SelfAdjointEigResult eig = SelfAdjointEig(p[0]);
      return eig.v.valid() ? Tuple(&b, {eig.v, eig.w}) : XlaOp();
    });
    library.Add("SVD", {shape}, [](XlaBuilder& b, const Arguments& p) {
      const SVDResult svd = SVD(p[0]);
      return svd.u.valid() ? Tuple(&b, {svd.u, svd.d, svd.v}) : XlaOp();
    });
    library.Add("Symmetrize", {shape},
                [](XlaBuilder&, const Arguments& p) { return Symmetrize(p[0]); });
    library.Add("NextAfter", {shape},
                [](XlaBuilder&, const Arguments& p) { return NextAfter(p[0], p[0]); });
  }
  const QuantizedRange range(-1, 3);
  for (const std::string mode : {"MIN_COMBINED", "SCALED", ""}) {
    for (const bool transposed : {false, true}) {
      add(absl::StrCat("Dequantize ", mode, " ", transposed), [&](XlaBuilder&, const Arguments& p) {
        return Dequantize<uint8_t>(p[4], range, mode, transposed);
      });
    }
    add("Dequantize of s32 " + mode,
        [&](XlaBuilder&, const Arguments& p) { return Dequantize<int16_t>(p[1], range, mode); });
    add("Dequantize of u16 codes " + mode,
        [&](XlaBuilder&, const Arguments& p) { return Dequantize<uint16_t>(p[4], range, mode); });
  }
  for (const int64_t dim : {-3, -1, 0, 1, 2}) {
    add(absl::StrCat("TorchGather ", dim),
        [&](XlaBuilder&, const Arguments& p) { return TorchGather(p[0], p[1], dim); });
    add(absl::StrCat("TorchGather dense ", dim),
        [&](XlaBuilder&, const Arguments& p) { return TorchGather(p[0], p[1], dim, false); });
    add(absl::StrCat("TorchIndexSelect ", dim), [&](XlaBuilder&, const Arguments& p) {
      return TorchIndexSelect(p[0], Reshape(p[1], {6}), dim);
    });
    add(absl::StrCat("TorchScatterDense ", dim), [&](XlaBuilder&, const Arguments& p) {
      return TorchScatterDense(p[0], p[1], p[0], dim, [](XlaOp a, XlaOp c) { return Sub(a, c); });
    });
  }
  for (const auto& sizes :
       std::vector<std::vector<int64_t>>{{}, {1}, {2, 3}, {2, 4}, {1, 2, 3}, {-1}}) {
    const std::string text = absl::StrJoin(sizes, "x");
    add("BroadcastTo " + text, [&](XlaBuilder&, const Arguments& p) {
      const absl::StatusOr<XlaOp> result = BroadcastTo(p[0], sizes);
      return result.ok() ? *result : p[0].builder()->ReportError(result.status());
    });
    add("SliceInMinorDims " + text, [&](XlaBuilder&, const Arguments& p) {
      return SliceInMinorDims(p[0], std::vector<int64_t>(sizes.size(), 0), sizes);
    });
    add("UpdateSliceInMinorDims " + text,
        [&](XlaBuilder&, const Arguments& p) { return UpdateSliceInMinorDims(p[0], p[0], sizes); });
    add("DynamicSliceInMinorDims " + text, [&](XlaBuilder&, const Arguments& p) {
      return DynamicSliceInMinorDims(p[0], std::vector<XlaOp>(sizes.size(), p[6]), sizes);
    });
    add("DynamicSliceInMinorDims of one start " + text, [&](XlaBuilder&, const Arguments& p) {
      return DynamicSliceInMinorDims(p[0], {p[6]}, sizes);
    });
    add("DynamicStridedSlice " + text, [&](XlaBuilder&, const Arguments& p) {
      return DynamicStridedSlice(p[0], std::vector<XlaOp>(sizes.size(), p[6]), sizes,
                                 std::vector<int64_t>(sizes.size(), 2));
    });
  }
  const TensorFormat last(0, 2, {1});
  for (const auto& gradients :
       std::vector<std::vector<int64_t>>{{2, 6, 3}, {2, 7, 3}, {2, 6}, {2, 6, 4}}) {
    for (const bool counts : {false, true}) {
      library.Add(absl::StrCat("AvgPoolGrad ", absl::StrJoin(gradients, "x"), " ", counts),
                  {"f32[2,3,3]"}, [&](XlaBuilder&, const Arguments& p) {
                    return AvgPoolGrad(p[0], gradients, {1, 2, 1}, {1, 2, 1},
                                       std::vector<std::pair<int64_t, int64_t>>{{0, 0}}, last,
                                       counts);
                  });
    }
  }
  for (const int64_t count : {0, 1, 4}) {
    add(absl::StrCat("ForEachIndex ", count), [&](XlaBuilder& b, const Arguments& p) {
      const auto values = ForEachIndex(
          count, S32,
          [](XlaOp i, absl::Span<const XlaOp> state,
             XlaBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
            return std::vector<XlaOp>{Add(state[0], ConvertElementType(i, F32))};
          },
          {p[2]}, "loop", &b);
      return values.ok() ? (*values)[0] : b.ReportError(values.status());
    });
    add(absl::StrCat("a loop that drops its state ", count), [&](XlaBuilder& b,
                                                                 const Arguments& p) {
      const auto values = ForEachIndex(
          count, S32,
          [](XlaOp, absl::Span<const XlaOp>, XlaBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
            return std::vector<XlaOp>{};
          },
          {p[2]}, "loop", &b);
      return values.ok() ? (*values)[0] : b.ReportError(values.status());
    });
  }
  ExpectKinds("builder_library", library.lines());
}

}  // namespace
}  // namespace xla::testing
