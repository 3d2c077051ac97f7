// SPDX-License-Identifier: Apache-2.0
// Programs from bytes: each byte or few choose a call of the builder or its library and its
// arguments, valid or not. For fuzzers and tests: no call may crash, and what Build() gives
// verifies.
#ifndef TESTS_BUILDER_RANDOM_CALLS_H_
#define TESTS_BUILDER_RANDOM_CALLS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/builder/random_library_calls.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape_util.h"

namespace xla::testing {

class RandomCalls : private RandomLibraryCalls {
 public:
  RandomCalls(const uint8_t* data, size_t size) : RandomLibraryCalls(data, size) {}

  // The program that the bytes describe, or an error.
  absl::StatusOr<XlaComputation> MakeProgram() {
    XlaBuilder b("program");
    b_ = &b;
    const uint8_t mode = Next();
    // Mostly a call is tried first, on a builder of its own, and made only if it fits, so that
    // programs get somewhere.
    const bool tries = mode % 8 != 0;
    const int parameters = 1 + mode / 8 % 4;
    for (int i = 0; i < parameters; ++i) values_.push_back(Parameter(&b, i, AnyShape(), "p"));
    Scopes(mode);
    for (int calls = 0; data_ != end_ && calls < 64; ++calls) {
      const uint8_t* const start = data_;
      if (tries && !Fits()) continue;
      if (tries) data_ = start;
      const XlaOp made = Call();
      if (made.valid()) values_.push_back(made);
      if (values_.size() > kMostValues) values_.erase(values_.begin() + 1);
      if (!b.first_error().ok()) break;
    }
    Facts();
    const uint8_t end = Next();
    if (end % 16 == 1) return b.Build(Any());
    if (end % 16 == 2) return b.BuildConstantSubGraph(Any(), end % 32 == 2);
    return b.Build(/*remove_dynamic_dimensions=*/end % 16 == 3);
  }

 private:
  static constexpr size_t kMostValues = 12;

  // Whether the next call succeeds on values of these shapes.
  bool Fits() {
    XlaBuilder probe("probe");
    XlaBuilder* const real = b_;
    const std::vector<XlaOp> values = values_;
    for (size_t i = 0; i < values.size(); ++i) {
      const absl::StatusOr<Shape> shape = real->GetShape(values[i]);
      values_[i] = Parameter(&probe, static_cast<int64_t>(i), shape.ok() ? *shape : Shape(), "p");
    }
    b_ = &probe;
    const XlaOp made = Call();
    const bool fits = probe.first_error().ok() && (made.valid() || probe.first_error().ok());
    b_ = real;
    values_ = values;
    return fits;
  }

  // What is put on operations.
  void Scopes(uint8_t mode) {
    if (mode < 224) return;
    switch (Next() % 6) {
      case 0:
        b_->SetSharding(sharding_builder::AssignDevice(Next() % 2));
        break;
      case 1:
        b_->SetSharding(sharding_builder::Tile1D(AnyShape(), Number()));
        break;
      case 2: {
        OpMetadata metadata;
        metadata.set_op_name("name");
        metadata.set_source_line(static_cast<int>(Number()));
        b_->SetOpMetadata(metadata);
        b_->SetOneShotOpMetadata(metadata);
        break;
      }
      case 3: {
        FrontendAttributes attributes;
        (*attributes.mutable_map())["key"] = "va\"lue";
        b_->SetFrontendAttributes(attributes);
        break;
      }
      case 4: {
        // Of any structure: calls have results of different shapes.
        OriginalValueProto value;
        value.set_is_synthetic_call(true);
        b_->SetOriginalValue(value);
        break;
      }
      default:
        b_->SetSharding(sharding_builder::Tuple({sharding_builder::Replicate()}));
    }
  }

  // Facts of the whole program, and queries.
  void Facts() {
    switch (Next() % 16) {
      case 1:
        b_->SetUpAlias({Number()}, Number(), {});
        break;
      case 2:
        b_->AddBufferDonor(Number(), {Number()});
        break;
      case 3:
        (void)b_->SetDynamicBinding(Number(), {}, Number(), {}, Number());
        break;
      case 4:
        (void)b_->SetInstructionFrontendAttribute(Any(), "a", "b");
        break;
      case 5:
        (void)b_->SetInstructionSharding(Any(), sharding_builder::AssignDevice(1));
        break;
      case 6:
        (void)b_->IsConstant(Any());
        (void)b_->GetProgramShape(Any());
        (void)b_->OpToString(Any());
        (void)b_->GetOpSharding(Any());
        break;
      default:
        break;
    }
  }

  // --- Calls by family

  using AccurateUnary = XlaOp (*)(XlaOp, const std::optional<ResultAccuracy>&);
  using ExpandedUnary = XlaOp (*)(XlaOp, const std::optional<ResultAccuracy>&, bool);
  using Binary = XlaOp (*)(XlaOp, XlaOp, absl::Span<const int64_t>);
  using Nullary = XlaOp (*)(XlaBuilder*, PrimitiveType);

  XlaOp Call() {
    const XlaOp x = Any();
    switch (Next() % 16) {
      case 0:
        return UnaryCall(x);
      case 1:
      case 2:
        return BinaryCall(x);
      case 3:
        return ConversionCall(x);
      case 4:
        return ShapeCall(x);
      case 5:
        return CuttingCall(x);
      case 6:
        return IndexedCall(x);
      case 7:
        return ReductionCall(x);
      case 8:
        return ContractionCall(x);
      case 9:
        return ControlCall(x);
      case 10:
        return EffectCall(x);
      case 11:
        return CollectiveCall(x);
      case 12:
        return InternalCall(x);
      case 13:
        return MathCall(x);
      case 14:
        return MatrixCall(x);
      default:
        return LibraryCall(x);
    }
  }

  XlaOp UnaryCall(XlaOp x) {
    constexpr Unary kPlain[] = {Abs,
                                Ceil,
                                Clz,
                                Conj,
                                Copy,
                                Floor,
                                Imag,
                                IsFinite,
                                Neg,
                                Not,
                                PopulationCount,
                                Real,
                                Round,
                                RoundNearestAfz,
                                RoundNearestEven,
                                Sign,
                                OptimizationBarrier};
    constexpr AccurateUnary kAccurate[] = {Cbrt,     Cos,   Erf, Exp,  Expm1, Log, Log1p,
                                           Logistic, Rsqrt, Sin, Sqrt, Tan,   Tanh};
    constexpr ExpandedUnary kExpanded[] = {Acos, Acosh, Asin, Asinh, Atanh, Cosh, Sinh};
    switch (Next() % 4) {
      case 0:
        return OneOf(kAccurate)(x, Accuracy());
      case 1:
        return OneOf(kExpanded)(x, Accuracy(), Next() % 2 == 0);
      default:
        return OneOf(kPlain)(x);
    }
  }

  XlaOp BinaryCall(XlaOp x) {
    constexpr Binary kFunctions[] = {Add,
                                     And,
                                     Atan2,
                                     Complex,
                                     Div,
                                     Max,
                                     Min,
                                     Mul,
                                     Mulhi,
                                     Or,
                                     Pow,
                                     Rem,
                                     ShiftLeft,
                                     ShiftRightArithmetic,
                                     ShiftRightLogical,
                                     Sub,
                                     Xor,
                                     Eq,
                                     Ne,
                                     Ge,
                                     Gt,
                                     Le,
                                     Lt,
                                     EqTotalOrder,
                                     NeTotalOrder,
                                     GeTotalOrder,
                                     GtTotalOrder,
                                     LeTotalOrder,
                                     LtTotalOrder};
    switch (Next() % 8) {
      case 0:
        return Select(Any(), x, Like(x));
      case 1:
        return Clamp(Like(x), x, Like(x));
      case 2:
        return Select(Lt(x, Like(x)), x, Like(x));
      case 3:
        return Compare(x, Like(x), Numbers(Next() % 2),
                       static_cast<ComparisonDirection>(Next() % 6),
                       static_cast<Comparison::Type>(Next() % 4));
      case 4:
        return OneOf(kFunctions)(x, Any(), Numbers(Next() % 3));
      case 5:
        return x + Like(x) * (x - Like(x)) / x % Like(x);
      case 6:
        return (x & Like(x)) ^ (~x | (x << Like(x)) >> Like(x));
      default:
        return OneOf(kFunctions)(x, Like(x), {});
    }
  }

  XlaOp ConversionCall(XlaOp x) {
    constexpr Nullary kConstants[] = {Zero,          One,      Epsilon,  MinPositiveNormalValue,
                                      NanValue,      MinValue, MaxValue, MinFiniteValue,
                                      MaxFiniteValue};
    switch (Next() % 10) {
      case 0:
        return BitcastConvertType(x, Type());
      case 1:
        return StochasticConvertType(x, Any(), Type());
      case 2:
        return ReducePrecision(x, static_cast<int>(Next() % 12), static_cast<int>(Next() % 64));
      case 3:
        return OneOf(kConstants)(b_, Type());
      case 4:
        return ConstantR0WithType(b_, Type(), Next() % 2 == 0 ? 1.5 : 3);
      case 5:
        return FullLike(x, Next());
      case 6:
        return ScalarLike(x, static_cast<double>(Number()));
      case 7:
        return ConstantR1<float>(b_, Number() % 100, 2.5f);
      default:
        return ConvertElementType(x, Type());
    }
  }

  XlaOp ShapeCall(XlaOp x) {
    const int64_t rank = Rank(x);
    switch (Next() % 16) {
      case 0:
        return Broadcast(x, Numbers(Next() % 3));
      case 1: {
        // Its own sizes behind others.
        std::vector<int64_t> sizes = Numbers(1), dimensions;
        for (const int64_t size : SizesOf(x)) {
          dimensions.push_back(static_cast<int64_t>(sizes.size()));
          sizes.push_back(size);
        }
        return BroadcastInDim(x, sizes, dimensions);
      }
      case 2:
        return BroadcastInDim(x, Numbers(rank), Numbers(rank));
      case 3:
        return Reshape(x, Numbers(rank));
      case 4: {
        std::vector<int64_t> sizes = SizesOf(x);
        std::reverse(sizes.begin(), sizes.end());
        sizes.insert(sizes.begin(), 1);
        return Reshape(x, sizes);
      }
      case 5:
        return Reshape(AnyShape(), x);
      case 6:
        return ReshapeWithInferredDimension(x, Numbers(rank), Number());
      case 7:
        return Collapse(x, {Dimension(x), Dimension(x)});
      case 8:
        return Collapse(x, {0, 1});
      case 9:
        return DynamicReshape(x, {S32Scalar()}, Numbers(1), {true});
      case 10:
        return MhloDynamicReshape(x, Any(), AnyShape());
      case 11:
        return MhloDynamicBroadcastInDim(x, Any(), Numbers(rank), AnyShape());
      case 12:
        return GetDimensionSize(x, Dimension(x));
      case 13:
        return SetDimensionSize(x, S32Scalar(), Dimension(x));
      case 14:
        return RemoveDynamicDimension(x, Dimension(x));
      default:
        return Transpose(x, Permutation(x));
    }
  }

  XlaOp CuttingCall(XlaOp x) {
    const int64_t rank = Rank(x);
    const auto starts = [&] { return std::vector<XlaOp>(static_cast<size_t>(rank), S32Scalar()); };
    switch (Next() % 12) {
      case 0:
        return Rev(x, {Dimension(x)});
      case 1:
        return PadInDim(x, ScalarFor(x), Dimension(x), Number(), Number());
      case 2: {
        // Text has no form for the padding of a scalar.
        if (rank == 0) return x;
        PaddingConfig config;
        for (int64_t i = 0; i < rank; ++i) {
          auto* dimension = config.add_dimensions();
          dimension->set_edge_padding_low(Number());
          dimension->set_edge_padding_high(Number());
          dimension->set_interior_padding(Number());
        }
        return Pad(x, ScalarFor(x), config);
      }
      case 3:
        return ConcatInDim(b_, {x, Like(x)}, Dimension(x));
      case 4:
        return SliceInDim(x, Number(), Number(), Number(), Dimension(x));
      case 5:
        return Slice(x, Numbers(rank), SizesOf(x), std::vector<int64_t>(rank, 1));
      case 6:
        return DynamicSlice(x, starts(), Numbers(rank));
      case 7:
        return DynamicSlice(x, starts(), SizesOf(x));
      case 8:
        return DynamicUpdateSlice(x, Any(), starts());
      case 9:
        return DynamicUpdateSlice(x, Like(x), starts());
      case 10:
        return Iota(b_, AnyShape(), Number());
      default:
        return Iota(b_, Type(), Number());
    }
  }

  XlaOp IndexedCall(XlaOp x) {
    switch (Next() % 6) {
      case 0: {
        GatherDimensionNumbers numbers;
        for (int64_t d : Numbers(1)) numbers.add_offset_dims(d);
        for (int64_t d : Numbers(1)) numbers.add_collapsed_slice_dims(d);
        for (int64_t d : Numbers(1)) numbers.add_start_index_map(d);
        if (Next() % 8 == 0) numbers.add_operand_batching_dims(Number());
        if (Next() % 8 == 0) numbers.add_start_indices_batching_dims(Number());
        numbers.set_index_vector_dim(Number());
        return Gather(x, Any(), numbers, Numbers(Rank(x)), Next() % 2 == 0);
      }
      case 1: {
        // Rows at a vector of indices.
        GatherDimensionNumbers numbers;
        std::vector<int64_t> sizes = SizesOf(x);
        for (int64_t i = 1; i < Rank(x); ++i) numbers.add_offset_dims(i);
        numbers.add_collapsed_slice_dims(0);
        numbers.add_start_index_map(0);
        numbers.set_index_vector_dim(1);
        if (!sizes.empty()) sizes[0] = 1;
        return Gather(x, Iota(b_, S32, 3), numbers, sizes);
      }
      case 2: {
        ScatterDimensionNumbers numbers;
        for (int64_t d : Numbers(1)) numbers.add_update_window_dims(d);
        for (int64_t d : Numbers(1)) numbers.add_inserted_window_dims(d);
        for (int64_t d : Numbers(1)) numbers.add_scatter_dims_to_operand_dims(d);
        numbers.set_index_vector_dim(Number());
        return Scatter(x, Any(), Any(), Computation(TypeOf(x)), numbers);
      }
      case 3: {
        // Two arrays at once, a whole row each.
        ScatterDimensionNumbers numbers;
        for (int64_t i = 1; i < Rank(x); ++i) numbers.add_update_window_dims(i);
        numbers.add_inserted_window_dims(0);
        numbers.add_scatter_dims_to_operand_dims(0);
        numbers.set_index_vector_dim(1);
        const std::vector<XlaOp> arrays = {x, Like(x)};
        return Scatter(arrays, Iota(b_, S32, Number()), arrays, PairComputation(TypeOf(x)), numbers,
                       true, Next() % 2 == 0);
      }
      case 4:
        return Sort({x, Like(x)}, CreateScalarLtComputation({TypeOf(x), TypeOf(x)}, b_),
                    Dimension(x), Next() % 2 == 0);
      default:
        return TopK(x, Number(), Next() % 2 == 0);
    }
  }

  XlaOp ReductionCall(XlaOp x) {
    const int64_t rank = Rank(x);
    const XlaComputation combine = Computation(TypeOf(x));
    switch (Next() % 12) {
      case 0:
        return Reduce(x, ScalarFor(x), combine, {Dimension(x)});
      case 1:
        return Reduce(b_, {x, Like(x)}, {ScalarFor(x), ScalarFor(x)}, PairComputation(TypeOf(x)),
                      Numbers(1));
      case 2:
        return ReduceAll(x, ScalarFor(x), combine);
      case 3:
        return ReduceWindow(x, ScalarFor(x), combine, Numbers(rank), Numbers(rank),
                            Next() % 2 == 0 ? Padding::kSame : Padding::kValid);
      case 4:
        return ReduceWindowWithGeneralPadding(x, ScalarFor(x), combine, Numbers(rank),
                                              Numbers(rank), Numbers(rank), Numbers(rank),
                                              Pairs(rank));
      case 5:
        return ReduceWindowWithGeneralPadding({x, Like(x)}, {ScalarFor(x), ScalarFor(x)},
                                              PairComputation(TypeOf(x)), Numbers(rank), {}, {}, {},
                                              Pairs(rank));
      case 6:
        return SelectAndScatter(x, Computation(TypeOf(x), true), Numbers(rank), Numbers(rank),
                                Next() % 2 == 0 ? Padding::kSame : Padding::kValid, Any(),
                                ScalarFor(x), combine);
      case 7:
        return Map(b_, {x, Like(x)}, combine, Permutation(x));
      case 8:
        return BatchNormTraining(x, Any(), Any(), 0.5f, Dimension(x));
      case 9:
        return BatchNormInference(x, Any(), Any(), Any(), Any(), 0.5f, Dimension(x));
      case 10:
        return BatchNormGrad(x, Any(), Any(), Any(), Like(x), 0.5f, Dimension(x));
      default:
        return Scan({x}, {Any()}, PairComputation(TypeOf(x)), Dimension(x), std::nullopt,
                    Next() % 2 == 0, static_cast<TriState>(Next() % 3));
    }
  }

  PrecisionConfig Precision() {
    PrecisionConfig config;
    for (int i = Next() % 4; i > 0; --i) {
      config.add_operand_precision(static_cast<PrecisionConfig::Precision>(Next() % 3));
    }
    if (Next() % 4 == 0) config.set_algorithm(static_cast<PrecisionConfig::Algorithm>(Next() % 12));
    return config;
  }

  XlaOp ContractionCall(XlaOp x) {
    const PrecisionConfig precision = Precision();
    const int64_t spatial = std::max<int64_t>(Rank(x) - 2, 0);
    DotDimensionNumbers dot;
    for (int64_t d : Numbers(1)) dot.add_lhs_contracting_dimensions(d);
    for (int64_t d : Numbers(1)) dot.add_rhs_contracting_dimensions(d);
    for (int64_t d : Numbers(Next() % 2)) dot.add_lhs_batch_dimensions(d);
    for (int64_t d : Numbers(Next() % 2)) dot.add_rhs_batch_dimensions(d);
    switch (Next() % 12) {
      case 0:
        return Dot(x, Any(), &precision, PreferredType());
      case 1:
        return DotGeneral(x, Any(), dot, &precision, PreferredType());
      case 2:
        return DotGeneral(x, Like(x), dot);
      case 3:
        return ScaledDot(x, Like(x), Any(), Any(), dot, &precision, PreferredType());
      case 4: {
        RaggedDotDimensionNumbers ragged;
        *ragged.mutable_dot_dimension_numbers() = dot;
        ragged.add_lhs_ragged_dimensions(Number());
        for (int64_t d : Numbers(1)) ragged.add_rhs_group_dimensions(d);
        return RaggedDot(x, Any(), Any(), ragged, &precision, PreferredType());
      }
      case 5:
        return Conv(x, Any(), Numbers(spatial), Next() % 2 == 0 ? Padding::kSame : Padding::kValid,
                    Number(), Number(), &precision, PreferredType());
      case 6:
        return ConvWithGeneralPadding(x, Any(), Numbers(spatial), Pairs(spatial));
      case 7: {
        ConvolutionDimensionNumbers numbers =
            XlaBuilder::CreateDefaultConvDimensionNumbers(static_cast<int>(Next() % 4));
        if (Next() % 4 == 0) numbers.set_input_batch_dimension(Number());
        if (Next() % 4 == 0) numbers.add_kernel_spatial_dimensions(Number());
        return ConvGeneralDilated(x, Any(), Numbers(spatial), Pairs(spatial), Numbers(spatial),
                                  Numbers(spatial), numbers, 1, 1, &precision, PreferredType(),
                                  std::vector<bool>(static_cast<size_t>(spatial), true));
      }
      case 8: {
        const ConvolutionDimensionNumbers numbers =
            XlaBuilder::CreateDefaultConvDimensionNumbers(static_cast<int>(spatial));
        if (Next() % 2 == 0) {
          return DynamicConvForward(x, Like(x), Numbers(spatial), Pairs(spatial), {}, {}, numbers,
                                    1, 1, &precision, PADDING_SAME);
        }
        return DynamicConvKernelGrad(x, Like(x), Numbers(spatial), Pairs(spatial), {}, {}, numbers,
                                     1, 1, nullptr, PADDING_VALID, PreferredType());
      }
      case 9:
        return Fft(x, static_cast<FftType>(Next() % 4), Numbers(1));
      case 10:
        return Cholesky(x, Next() % 2 == 0);
      default:
        return TriangularSolve(x, Like(x), Next() % 2 == 0, Next() % 2 == 0, Next() % 2 == 0,
                               static_cast<TriangularSolveOptions::Transpose>(Next() % 5));
    }
  }

  XlaOp ControlCall(XlaOp x) {
    switch (Next() % 14) {
      case 0:
        return Tuple(b_, {x, Any()});
      case 1:
        return GetTupleElement(x, Number());
      case 2:
        return xla::Call(b_, Doubled(x), {x});
      case 3:
        return CompositeCall(b_, Doubled(x), {x}, "name", "{a = 1}", Number());
      case 4:
        return While(Computation(PRED), Doubled(x), x);
      case 5: {
        const XlaComputation body = Doubled(x);
        return Conditional(Any(), x, body, x, body);
      }
      case 6: {
        const XlaComputation first = Doubled(x), second = Doubled(x);
        return Conditional(S32Scalar(), {&first, &second}, {x, Like(x)});
      }
      case 7: {
        // A counted loop over the value.
        const auto body = [&](XlaOp, absl::Span<const XlaOp> values,
                              XlaBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
          return std::vector<XlaOp>{Max(values[0], values[0])};
        };
        const auto values =
            ForEachIndex(Number() % 8, Next() % 4 == 0 ? Type() : S32, body, {x}, "loop", b_);
        return values.ok() ? (*values)[0] : b_->ReportError(values.status());
      }
      case 8: {
        const std::unique_ptr<XlaBuilder> sub = b_->CreateSubBuilder("sub");
        const absl::StatusOr<Shape> shape = b_->GetShape(x);
        Neg(Parameter(sub.get(), Number(), shape.ok() ? *shape : AnyShape(), "x"));
        const absl::StatusOr<XlaComputationId> id = sub->BuildSubComputation();
        return id.ok() ? xla::Call(b_, *id, {x}) : b_->ReportError(id.status());
      }
      case 9:
        return CustomCall(b_, Next() % 4 == 0 ? "$t" : "target", {x}, AnyShape(), "opaque");
      case 10:
        return CustomCallWithComputation(b_, "target", {x}, Doubled(x), AnyShape());
      case 11:
        return CustomCallWithLayout(b_, "target", {x}, AnyShape(), {AnyShape()});
      case 12: {
        const int64_t count = Number();
        return CustomCallWithConvDnums(b_, "target", {x}, AnyShape(), {}, "", Next() % 2 == 0,
                                       {{{count}, {count, {}}}}, nullptr, Window(),
                                       XlaBuilder::CreateDefaultConvDimensionNumbers(2));
      }
      default:
        return Parameter(b_, Number(), AnyShape(), "q");
    }
  }

  XlaOp EffectCall(XlaOp x) {
    const std::optional<ChannelHandle> channel = Channel();
    const ChannelHandle handle = channel.value_or(ChannelHandle());
    switch (Next() % 14) {
      case 0:
        return AfterAll(b_, {CreateToken(b_), CreateToken(b_)});
      case 1:
        return InfeedWithToken(x, AnyShape());
      case 2:
        return Infeed(b_, AnyShape());
      case 3:
        return OutfeedWithToken(x, CreateToken(b_), AnyShape(), "");
      case 4: {
        const absl::StatusOr<Shape> shape = b_->GetShape(x);
        Outfeed(x, shape.ok() ? *shape : AnyShape(), "");
        return x;
      }
      case 5:
        return SendWithToken(x, CreateToken(b_), handle);
      case 6:
        Send(x, handle);
        return x;
      case 7:
        return RecvWithToken(CreateToken(b_), AnyShape(), handle);
      case 8:
        return Recv(b_, AnyShape(), handle);
      case 9:
        return SendToHost(x, CreateToken(b_), AnyShape(), handle);
      case 10:
        return RecvFromHost(CreateToken(b_), AnyShape(), handle);
      case 11:
        return RngUniform(ScalarFor(x), ScalarFor(x), AnyShape());
      case 12:
        return RngNormal(Any(), ScalarFor(x), AnyShape());
      default:
        return RngBitGenerator(static_cast<RandomAlgorithm>(Next() % 4), x, AnyShape());
    }
  }

  XlaOp CollectiveCall(XlaOp x) {
    const XlaComputation combine = Computation(TypeOf(x));
    switch (Next() % 14) {
      case 0:
        return AllReduce(x, combine, Groups(), Channel(), std::nullopt, Next() % 2 == 0);
      case 1:
        return AllReduceTupleWithDeviceList({x, Like(x)}, combine, DeviceList(), Channel());
      case 2:
        return CrossReplicaSum(x, Groups());
      case 3:
        return AllGather(x, Dimension(x), Number(), Groups(), Channel(), AnyLayout());
      case 4:
        return AllGatherTupleWithDeviceList({x, Any()}, Dimension(x), Number(), DeviceList());
      case 5:
        return ReduceScatter(x, combine, Dimension(x), Number(), Groups(), Channel(), AnyLayout());
      case 6:
        return AllToAll(x, Dimension(x), Dimension(x), Number() % 8, Groups(), AnyLayout());
      case 7:
        return AllToAllTuple({x, Like(x)}, Groups(), AnyLayout(), Channel());
      case 8:
        return AllToAllTuple(x, Dimension(x), Dimension(x), Number() % 8, Groups());
      case 9:
        return RaggedAllToAll(x, Any(), Any(), Like(x), Any(), Any(), Groups(), Channel());
      case 10:
        return CollectiveBroadcast({x, Like(x)}, Groups(), Channel(), Next() % 8 == 0);
      case 11:
        return CollectivePermute(x, Pairs(Next() % 3), Channel());
      case 12:
        return MultiCollectivePermute({x, Any()}, Pairs(Next() % 3));
      default:
        return Next() % 2 == 0 ? ReplicaId(b_) : PartitionId(b_);
    }
  }

  XlaOp InternalCall(XlaOp x) {
    using Friend = internal::XlaBuilderFriend;
    const absl::StatusOr<Shape> its = b_->GetShape(x);
    // Declared shapes are the compiler's word: only the verifier checks them.
    const Shape shape = its.ok() ? *its : AnyShape();
    switch (Next() % 12) {
      case 0:
        return Friend::BuildAddDependency(b_, x, CreateToken(b_), shape);
      case 1:
        return Friend::BuildBitcast(b_, x, shape);
      case 2:
        return Friend::BuildDomain(b_, x, sharding_builder::Replicate(),
                                   sharding_builder::AssignDevice(1), shape);
      case 3:
        return Friend::BuildFusion(b_, {x}, Next() % 4 == 0 ? "k" : "kLoop", Wrapped(x));
      case 4:
        return Friend::BuildPartitionId(b_, shape);
      case 5:
        return Friend::BuildRngGetAndUpdateState(b_, Number(), shape);
      case 6: {
        const Shape state = ShapeUtil::MakeTupleShape({ShapeUtil::MakeTupleShape({shape}), shape});
        const XlaOp start = Friend::BuildAsyncStart(b_, {x}, "thread", Wrapped(x), state);
        return Friend::BuildAsyncDone(b_, Friend::BuildAsyncUpdate(b_, start, state), shape);
      }
      case 7:
        return Friend::BuildCopyDone(b_, Friend::BuildCopyStart(b_, x, 1), shape);
      case 8:
        return Friend::BuildAllGatherDone(
            b_, Friend::BuildAllGatherStart(b_, x, Dimension(x), Number(), DeviceList()), shape);
      case 9:
        return Friend::BuildAllReduceDone(
            b_, Friend::BuildAllReduceStart(b_, x, Computation(TypeOf(x)), Groups()), shape);
      case 10:
        return Friend::BuildCollectivePermuteDone(
            b_, Friend::BuildCollectivePermuteStart(b_, {x, Like(x)}, Pairs(1)), shape);
      default: {
        // Both halves of one kind: what contradicts itself only the verifier of modules sees.
        const ChannelHandle handle = Channel().value_or(ChannelHandle());
        const bool to_host = Next() % 2 == 0;
        if (Next() % 2 == 0) {
          const XlaOp send = Friend::BuildSend(b_, x, CreateToken(b_), handle, to_host);
          return Friend::BuildSendDone(b_, send, handle, to_host);
        }
        const XlaOp recv = Friend::BuildRecv(b_, CreateToken(b_), shape, handle, to_host);
        return Friend::BuildRecvDone(b_, recv, shape, handle, to_host);
      }
    }
  }
};

}  // namespace xla::testing

#endif  // TESTS_BUILDER_RANDOM_CALLS_H_
