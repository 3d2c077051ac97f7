// SPDX-License-Identifier: Apache-2.0
// Programs from bytes: each byte or few choose a call of the builder and its arguments, valid or
// not. For fuzzers and tests: no call may crash, and what Build() gives verifies.
#ifndef TESTS_BUILDER_RANDOM_CALLS_H_
#define TESTS_BUILDER_RANDOM_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::testing {

class RandomCalls {
 public:
  RandomCalls(const uint8_t* data, size_t size) : data_(data), end_(data + size) {}

  // The program that the bytes describe, or the error of the first bad call.
  absl::StatusOr<XlaComputation> MakeProgram() {
    XlaBuilder b("program");
    b_ = &b;
    const int parameters = 1 + Next() % 4;
    for (int i = 0; i < parameters; ++i) values_.push_back(Parameter(&b, i, AnyShape(), "p"));
    if (Next() % 8 == 0) b.SetSharding(sharding_builder::AssignDevice(Next() % 2));
    for (int calls = 0; data_ != end_ && calls < 64; ++calls) {
      const XlaOp made = Call();
      // Most programs should get somewhere: what fails is tried on a builder of its own.
      if (made.valid()) values_.push_back(made);
      if (!b.first_error().ok()) break;
    }
    return b.Build();
  }

 private:
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
    constexpr PrimitiveType kTypes[] = {F32, F32, S32, PRED, C64,   BF16,
                                        U8,  S64, F64, S4,   TUPLE, U64};
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
    return ShapeUtil::MakeShape(type, sizes, dynamic);
  }
  XlaOp Any() {
    const uint8_t byte = Next();
    if (byte == 255) return XlaOp();
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
    handle.set_handle(1 + Next() % 3);
    handle.set_type(static_cast<ChannelHandle::ChannelType>(Next() % 4));
    return handle;
  }

  XlaOp Call() {
    const XlaOp x = Any();
    const int64_t rank = Rank(x);
    switch (Next() % 64) {
      case 0:
        return Add(x, Any(), Numbers(Next() % 3));
      case 1:
        return Abs(x);
      case 2:
        return Exp(x);
      case 3:
        return Not(x);
      case 4:
        return Eq(x, Any());
      case 5:
        return Select(Any(), x, Any());
      case 6:
        return Clamp(x, Any(), Any());
      case 7:
        return Broadcast(x, Numbers(Next() % 3));
      case 8:
        return BroadcastInDim(x, Numbers(rank), Numbers(rank));
      case 9:
        return Reshape(x, Numbers(rank));
      case 10:
        return Collapse(x, Numbers(2));
      case 11:
        return Transpose(x, Numbers(rank));
      case 12:
        return Rev(x, Numbers(1));
      case 13:
        return PadInDim(x, ScalarFor(x), Number(), Number(), Number());
      case 14:
        return ConcatInDim(b_, {x, Any()}, Number());
      case 15:
        return SliceInDim(x, Number(), Number(), Number(), Number());
      case 16: {
        const XlaOp start = ConstantR0<int32_t>(b_, 1);
        return DynamicSlice(x, std::vector<XlaOp>(rank, start), Numbers(rank));
      }
      case 17: {
        const XlaOp start = ConstantR0<int32_t>(b_, 1);
        return DynamicUpdateSlice(x, Any(), std::vector<XlaOp>(rank, start));
      }
      case 18:
        return ConvertElementType(x, Type());
      case 19:
        return BitcastConvertType(x, Type());
      case 20:
        return Iota(b_, AnyShape(), Number());
      case 21:
        return Reduce(x, ScalarFor(x), Computation(TypeOf(x)), Numbers(1));
      case 22:
        return ReduceAll(x, ScalarFor(x), Computation(TypeOf(x)));
      case 23:
        return ReduceWindow(x, ScalarFor(x), Computation(TypeOf(x)), Numbers(rank), Numbers(rank),
                            Next() % 2 == 0 ? Padding::kSame : Padding::kValid);
      case 24:
        return ReduceWindowWithGeneralPadding(x, ScalarFor(x), Computation(TypeOf(x)),
                                              Numbers(rank), Numbers(rank), Numbers(rank),
                                              Numbers(rank), Pairs(rank));
      case 25:
        return SelectAndScatter(x, Computation(TypeOf(x), true), Numbers(rank), Numbers(rank),
                                Padding::kValid, Any(), ScalarFor(x), Computation(TypeOf(x)));
      case 26:
        return Sort({x}, Computation(TypeOf(x), true), Number());
      case 27:
        return TopK(x, Number(), Next() % 2 == 0);
      case 28:
        return Dot(x, Any());
      case 29: {
        DotDimensionNumbers numbers;
        for (int64_t d : Numbers(1)) numbers.add_lhs_contracting_dimensions(d);
        for (int64_t d : Numbers(1)) numbers.add_rhs_contracting_dimensions(d);
        for (int64_t d : Numbers(Next() % 2)) numbers.add_lhs_batch_dimensions(d);
        for (int64_t d : Numbers(Next() % 2)) numbers.add_rhs_batch_dimensions(d);
        return DotGeneral(x, Any(), numbers, nullptr,
                          Next() % 2 == 0 ? std::nullopt : std::optional<PrimitiveType>(Type()));
      }
      case 30:
        return Conv(x, Any(), Numbers(std::max<int64_t>(rank - 2, 0)), Padding::kSame, Number(),
                    Number());
      case 31:
        return Fft(x, static_cast<FftType>(Next() % 4), Numbers(1));
      case 32:
        return Cholesky(x, true);
      case 33:
        return TriangularSolve(x, Any(), true, false, false, TriangularSolveOptions::ADJOINT);
      case 34:
        return RngUniform(ScalarFor(x), ScalarFor(x), AnyShape());
      case 35:
        return RngBitGenerator(RandomAlgorithm::RNG_PHILOX, x, AnyShape());
      case 36:
        return Tuple(b_, {x, Any()});
      case 37:
        return GetTupleElement(x, Number());
      case 38:
        return xla::Call(b_, Doubled(x), {x});
      case 39:
        return While(Computation(PRED), Doubled(x), x);
      case 40: {
        const XlaComputation body = Doubled(x);
        return Conditional(Any(), x, body, x, body);
      }
      case 41:
        return Map(b_, {x, Any()}, Computation(TypeOf(x)), Numbers(rank));
      case 42:
        return GetDimensionSize(x, Number());
      case 43:
        return SetDimensionSize(x, ConstantR0<int32_t>(b_, 1), Number());
      case 44:
        return RemoveDynamicDimension(x, Number());
      case 45:
        return AllReduce(x, Computation(TypeOf(x)), Groups(), Channel());
      case 46:
        return AllGather(x, Number(), Number(), Groups(), Channel());
      case 47:
        return ReduceScatter(x, Computation(TypeOf(x)), Number(), Number(), Groups());
      case 48:
        return AllToAll(x, Number(), Number(), Number() % 8, Groups());
      case 49:
        return CollectivePermute(x, Pairs(Next() % 3), Channel());
      case 50:
        return AfterAll(b_, {x, CreateToken(b_)});
      case 51:
        return InfeedWithToken(x, AnyShape());
      case 52:
        return Infeed(b_, AnyShape());
      case 53:
        return OutfeedWithToken(x, CreateToken(b_), AnyShape(), "");
      case 54: {
        const std::optional<ChannelHandle> channel = Channel();
        return channel.has_value() ? SendWithToken(x, CreateToken(b_), *channel) : x;
      }
      case 55: {
        const std::optional<ChannelHandle> channel = Channel();
        return channel.has_value() ? RecvWithToken(CreateToken(b_), AnyShape(), *channel) : x;
      }
      case 56: {
        GatherDimensionNumbers numbers;
        for (int64_t d : Numbers(1)) numbers.add_offset_dims(d);
        for (int64_t d : Numbers(1)) numbers.add_collapsed_slice_dims(d);
        for (int64_t d : Numbers(1)) numbers.add_start_index_map(d);
        numbers.set_index_vector_dim(Number());
        return Gather(x, Any(), numbers, Numbers(rank));
      }
      case 57: {
        ScatterDimensionNumbers numbers;
        for (int64_t d : Numbers(1)) numbers.add_update_window_dims(d);
        for (int64_t d : Numbers(1)) numbers.add_inserted_window_dims(d);
        for (int64_t d : Numbers(1)) numbers.add_scatter_dims_to_operand_dims(d);
        numbers.set_index_vector_dim(Number());
        return Scatter(x, Any(), Any(), Computation(TypeOf(x)), numbers);
      }
      case 58:
        return BatchNormTraining(x, Any(), Any(), 0.5f, Number());
      case 59:
        return CustomCall(b_, "target", {x}, AnyShape(), "");
      case 60:
        return OptimizationBarrier(x);
      case 61:
        return ReducePrecision(x, static_cast<int>(Next() % 12), static_cast<int>(Next()));
      case 62:
        return DynamicReshape(x, {ConstantR0<int32_t>(b_, 2)}, Numbers(1), {true});
      default:
        return Scan({x}, {Any()}, Computation(TypeOf(x)), Number());
    }
  }

  const uint8_t* data_;
  const uint8_t* const end_;
  XlaBuilder* b_ = nullptr;
  std::vector<XlaOp> values_;
};

}  // namespace xla::testing

#endif  // TESTS_BUILDER_RANDOM_CALLS_H_
