// SPDX-License-Identifier: Apache-2.0
// Arguments of the client API from bytes: numbers, shapes, computations, values made before. Part
// of random_calls.h.
#ifndef TESTS_BUILDER_RANDOM_ARGUMENTS_H_
#define TESTS_BUILDER_RANDOM_ARGUMENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

namespace xla::testing {

class RandomArguments {
 protected:
  RandomArguments(const uint8_t* data, size_t size) : data_(data), end_(data + size) {}

  uint8_t Next() { return data_ == end_ ? 0 : *data_++; }
  // Mostly small and sensible, now and then an extreme.
  int64_t Number() {
    const uint8_t byte = Next();
    switch (byte) {
      case 255:
        return INT64_MAX;
      case 254:
        return INT64_MIN;
      case 253:
        return int64_t{1} << 32;
      case 252:
        return -1;
      default:
        return byte % 5;
    }
  }
  std::vector<int64_t> Numbers(int64_t count) {
    if (Next() % 16 == 0) count = Next() % 4;
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(Number());
    return numbers;
  }
  std::vector<std::pair<int64_t, int64_t>> Pairs(int64_t count) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t first = Number();
      pairs.emplace_back(first, Number());
    }
    return pairs;
  }
  PrimitiveType Type() {
    constexpr PrimitiveType kTypes[] = {F32, F32, S32, PRED,     C64,    BF16, U8,  S64,
                                        F64, S4,  U64, TUPLE,    C128,   F16,  S8,  U32,
                                        U2,  S1,  U16, F8E4M3FN, F8E5M2, S16,  F32, S32,
                                        F32, F32, F64, F4E2M1FN, S32,    PRED, F32, F32};
    return kTypes[Next() % std::size(kTypes)];
  }
  Shape AnyShape() {
    const uint8_t kind = Next();
    if (kind % 32 == 0) return ShapeUtil::MakeTokenShape();
    if (kind % 32 == 1) {
      return ShapeUtil::MakeTupleShape(
          {ShapeUtil::MakeShape(F32, {2}), ShapeUtil::MakeShape(S32, {})});
    }
    PrimitiveType type = Type();
    if (type == TUPLE) type = F16;
    std::vector<int64_t> sizes;
    std::vector<bool> dynamic;
    const int rank = kind % 4;
    for (int i = 0; i < rank; ++i) {
      const uint8_t size = Next();
      sizes.push_back(size % 4);
      dynamic.push_back(size >= 240);
    }
    if (kind >= 248 && rank > 0) {
      sizes[0] = Shape::kUnboundedSize;
      dynamic[0] = true;
    }
    return ShapeUtil::MakeShape(type, sizes, dynamic);
  }
  XlaOp Any() {
    const uint8_t byte = Next();
    if (byte == 255) return XlaOp();
    if (byte >= 250) return ScalarFor(values_[byte % values_.size()]);
    return values_[byte % values_.size()];
  }
  int64_t Rank(XlaOp op) {
    const absl::StatusOr<const Shape*> shape = b_->GetShapePtr(op);
    return shape.ok() && (*shape)->IsArray() ? (*shape)->rank() : 1;
  }
  PrimitiveType TypeOf(XlaOp op) {
    const absl::StatusOr<const Shape*> shape = b_->GetShapePtr(op);
    return shape.ok() && (*shape)->IsArray() ? (*shape)->element_type() : F32;
  }
  // A scalar of the operand's element type.
  XlaOp ScalarFor(XlaOp op) { return ConstantLiteral(b_, LiteralUtil::Zero(TypeOf(op))); }
  // A computation of two scalars, mostly of the type.
  XlaComputation Computation(PrimitiveType type, bool comparator = false) {
    XlaBuilder c("computation");
    const Shape scalar = ShapeUtil::MakeShape(Next() % 16 == 0 ? S32 : type, {});
    const XlaOp x = Parameter(&c, 0, scalar, "x");
    const XlaOp y = Parameter(&c, 1, scalar, "y");
    if (comparator) {
      Compare(x, y, ComparisonDirection::kEq);
    } else {
      Max(x, y);
    }
    absl::StatusOr<XlaComputation> built = c.Build();
    return built.ok() ? *std::move(built) : XlaComputation();
  }
  // x -> x + x
  XlaComputation Doubled(XlaOp op) {
    XlaBuilder c("doubled");
    const absl::StatusOr<Shape> shape = b_->GetShape(op);
    const XlaOp x = Parameter(&c, 0, shape.ok() ? *shape : AnyShape(), "x");
    if (Next() % 2 == 0) Max(x, x);
    absl::StatusOr<XlaComputation> built = c.Build(x);
    return built.ok() ? *std::move(built) : XlaComputation();
  }
  // x -> -x, nothing else: for asynchronous calls.
  XlaComputation Wrapped(XlaOp op) {
    XlaBuilder c("wrapped");
    const absl::StatusOr<Shape> shape = b_->GetShape(op);
    Neg(Parameter(&c, 0, shape.ok() ? *shape : AnyShape(), "x"));
    absl::StatusOr<XlaComputation> built = c.Build();
    return built.ok() ? *std::move(built) : XlaComputation();
  }
  std::vector<ReplicaGroup> Groups() {
    std::vector<ReplicaGroup> groups(Next() % 3);
    for (ReplicaGroup& group : groups) {
      for (int i = Next() % 3; i >= 0; --i) group.add_replica_ids(Number());
    }
    return groups;
  }
  std::optional<ChannelHandle> Channel() {
    if (Next() % 2 == 0) return std::nullopt;
    ChannelHandle handle;
    // Each its own: how channels pair only the verifier of whole modules sees.
    handle.set_handle(++channels_);
    handle.set_type(static_cast<ChannelHandle::ChannelType>(Next() % 4));
    return handle;
  }

  // The sizes of the operand's dimensions.
  std::vector<int64_t> SizesOf(XlaOp op) {
    const absl::StatusOr<const Shape*> shape = b_->GetShapePtr(op);
    if (!shape.ok() || !(*shape)->IsArray()) return {};
    return {(*shape)->dimensions().begin(), (*shape)->dimensions().end()};
  }
  // One of the operand's dimensions, mostly.
  int64_t Dimension(XlaOp op) {
    const uint8_t byte = Next();
    if (byte >= 240) return Number();
    return byte % std::max<int64_t>(1, Rank(op));
  }
  // Another value of the same shape, mostly.
  XlaOp Like(XlaOp op) {
    const uint8_t byte = Next();
    if (byte >= 192) return Any();
    const absl::StatusOr<Shape> shape = b_->GetShape(op);
    for (size_t i = 0; shape.ok() && i < values_.size(); ++i) {
      const XlaOp other = values_[(byte + i) % values_.size()];
      const absl::StatusOr<const Shape*> its = b_->GetShapePtr(other);
      if (its.ok() && ShapeUtil::Compatible(**its, *shape)) return other;
    }
    return op;
  }
  XlaOp S32Scalar() { return ConstantR0<int32_t>(b_, static_cast<int32_t>(Number())); }
  std::vector<int64_t> Permutation(XlaOp op) {
    const uint8_t byte = Next();
    if (byte >= 240) return Numbers(Rank(op));
    std::vector<int64_t> permutation;
    for (int64_t i = 0; i < Rank(op); ++i) permutation.push_back((i + byte) % Rank(op));
    return permutation;
  }
  std::optional<ResultAccuracy> Accuracy() {
    const uint8_t byte = Next();
    if (byte < 192) return std::nullopt;
    ResultAccuracy accuracy;
    if (byte % 2 == 0) {
      accuracy.set_mode(static_cast<ResultAccuracy::Mode>(byte % 3));
    } else {
      accuracy.mutable_tolerance()->set_ulps(Number());
    }
    return accuracy;
  }
  std::optional<PrimitiveType> PreferredType() {
    if (Next() % 4 != 0) return std::nullopt;
    return Type();
  }
  std::optional<Layout> AnyLayout() {
    if (Next() % 4 != 0) return std::nullopt;
    return LayoutUtil::MakeLayout(Numbers(2));
  }
  CollectiveDeviceList DeviceList() {
    CollectiveDeviceList list;
    if (Next() % 2 == 0) {
      // A list made by hand is taken at its word: one group, all devices in order.
      list.form = CollectiveDeviceList::Form::kIota;
      list.num_groups = 1;
      list.group_size = 2;
      list.reshape_dims = {2};
      return list;
    }
    list.groups.resize(Next() % 3);
    for (auto& group : list.groups) group = Numbers(2);
    return list;
  }

  // (x1, x2, y1, y2) -> (max(x1, y1), max(x2, y2))
  XlaComputation PairComputation(PrimitiveType type) {
    XlaBuilder c("pairs");
    const Shape scalar = ShapeUtil::MakeShape(type, {});
    std::vector<XlaOp> p;
    for (int i = 0; i < 4; ++i) p.push_back(Parameter(&c, i, scalar, "p"));
    Tuple(&c, {Max(p[0], p[2]), Max(p[1], p[3])});
    absl::StatusOr<XlaComputation> built = c.Build();
    return built.ok() ? *std::move(built) : XlaComputation();
  }

  const uint8_t* data_;
  const uint8_t* const end_;
  XlaBuilder* b_ = nullptr;
  std::vector<XlaOp> values_;
  int64_t channels_ = 0;
};

}  // namespace xla::testing

#endif  // TESTS_BUILDER_RANDOM_ARGUMENTS_H_
