// SPDX-License-Identifier: Apache-2.0
// Every function of the client API, called in the forms of XLA's headers, with an operand that does
// not fit: that this compiles shows that code written for XLA does; that each error names the
// function and the line of the call, that no path to an error is missing.
#include <string>
#include <vector>

#include "tests/builder/builder_test_util.h"
#include "xla/client/xla_builder.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/broadcast.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/constants.h"
#include "xla/hlo/builder/lib/logdet.h"
#include "xla/hlo/builder/lib/loops.h"
#include "xla/hlo/builder/lib/lu_decomposition.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/matrix.h"
#include "xla/hlo/builder/lib/pooling.h"
#include "xla/hlo/builder/lib/prng.h"
#include "xla/hlo/builder/lib/quantize.h"
#include "xla/hlo/builder/lib/slicing.h"
#include "xla/hlo/builder/lib/sorting.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

// What the calls take. `t` fits nowhere.
struct Env {
  XlaBuilder other{"other"};
  XlaOp foreign = CreateToken(&other);
  XlaBuilder builder{"forms"};
  XlaBuilder* b = &builder;
  Shape shape = ShapeUtil::MakeShape(F32, {2, 3});
  XlaOp x = Parameter(b, 0, shape, "x");
  XlaOp t = CreateToken(b);
  XlaOp s = ConstantR0<float>(b, 0);
  XlaOp n = ConstantR0<int32_t>(b, 0);
  XlaComputation add = testing::ScalarAdd(F32);
  const XlaComputation* adds[2] = {&add, &add};
  XlaComputationId id = b->AddSubComputation(add);
  std::vector<ReplicaGroup> groups{ReplicaGroup()};
  CollectiveDeviceListBase devices;
  ChannelHandle channel;
  std::optional<ChannelHandle> some_channel = ChannelHandle();
  std::optional<Layout> layout = LayoutUtil::MakeLayout({1, 0});
  std::optional<ResultAccuracy> accuracy = ResultAccuracy();
  PrecisionConfig precision;
  ConvolutionDimensionNumbers conv = XlaBuilder::CreateDefaultConvDimensionNumbers(2);
  std::vector<std::pair<int64_t, int64_t>> pairs{{0, 1}};
  internal::XlaBuilderFriend f;
};

struct Form {
  const char* name;
  int line;
  void (*call)(Env& e);
};

#define FORM(name, ...)                           \
  Form {                                          \
#name, __LINE__, [](Env & e) { __VA_ARGS__; } \
  }

// clang-format off
const Form kOperations[] = {
    // Parameters and constants
    FORM(Parameter, Parameter(e.b, 0, e.shape, "again")),
    FORM(Parameter, Parameter(e.b, -1, e.shape, "p", {true})),
    FORM(Iota, Iota(e.b, e.shape, 2)),
    FORM(Iota, Iota(e.b, F32, -1)),
    FORM(Broadcast, ConstantR1<float>(e.b, -1, 0.5f)),
    // Elementwise
    FORM(Abs, Abs(e.t)), FORM(Acos, Acos(e.t)), FORM(Acos, Acos(e.t, e.accuracy, true)),
    FORM(Acosh, Acosh(e.t)), FORM(Asin, Asin(e.t)), FORM(Asinh, Asinh(e.t)), FORM(Atanh, Atanh(e.t)),
    FORM(Cbrt, Cbrt(e.t, e.accuracy)), FORM(Ceil, Ceil(e.t)), FORM(Clz, Clz(e.t)), FORM(Conj, Conj(e.t)),
    FORM(Cos, Cos(e.t)), FORM(Cosh, Cosh(e.t)), FORM(Erf, Erf(e.t)), FORM(Exp, Exp(e.t, e.accuracy)),
    FORM(Expm1, Expm1(e.t)), FORM(Floor, Floor(e.t)), FORM(Imag, Imag(e.t)), FORM(IsFinite, IsFinite(e.t)),
    FORM(Log, Log(e.t)), FORM(Log1p, Log1p(e.t)), FORM(Logistic, Logistic(e.t)), FORM(Neg, Neg(e.t)),
    FORM(Neg, -e.t), FORM(Not, Not(e.t)), FORM(Not, ~e.t), FORM(PopulationCount, PopulationCount(e.t)),
    FORM(Real, Real(e.t)), FORM(Round, Round(e.t)), FORM(RoundNearestAfz, RoundNearestAfz(e.t)),
    FORM(RoundNearestEven, RoundNearestEven(e.t)), FORM(Rsqrt, Rsqrt(e.t)), FORM(Sign, Sign(e.t)),
    FORM(Sin, Sin(e.t)), FORM(Sinh, Sinh(e.t)), FORM(Sqrt, Sqrt(e.t)), FORM(Tan, Tan(e.t)), FORM(Tanh, Tanh(e.t)),
    FORM(ConvertElementType, ConvertElementType(e.t, F16)), FORM(BitcastConvertType, BitcastConvertType(e.t, S32)),
    FORM(StochasticConvertType, StochasticConvertType(e.t, e.x, S8)), FORM(ReducePrecision, ReducePrecision(e.t, 5, 10)),
    FORM(Add, Add(e.t, e.x)), FORM(Add, Add(e.x, e.t, {0})), FORM(Add, Add(e.x, e.t, /*broadcast_dimensions=*/{})),
    FORM(Add, e.t + e.x), FORM(Sub, Sub(e.t, e.x)), FORM(Sub, e.t - e.x), FORM(Mul, Mul(e.t, e.x)), FORM(Mul, e.t * e.x),
    FORM(Div, Div(e.t, e.x)), FORM(Div, e.t / e.x), FORM(Rem, Rem(e.t, e.x)), FORM(Rem, e.t % e.x),
    FORM(And, And(e.t, e.x)), FORM(And, e.t & e.x), FORM(Or, Or(e.t, e.x)), FORM(Or, e.t | e.x),
    FORM(Xor, Xor(e.t, e.x)), FORM(Xor, e.t ^ e.x), FORM(ShiftLeft, ShiftLeft(e.t, e.x)), FORM(ShiftLeft, e.t << e.x),
    FORM(ShiftRightArithmetic, ShiftRightArithmetic(e.t, e.x)), FORM(ShiftRightLogical, ShiftRightLogical(e.t, e.x)),
    FORM(Atan2, Atan2(e.t, e.x)), FORM(Complex, Complex(e.t, e.x)), FORM(Max, Max(e.t, e.x)), FORM(Min, Min(e.t, e.x)),
    FORM(Mulhi, Mulhi(e.t, e.x)), FORM(Pow, Pow(e.t, e.x)),
    FORM(Eq, Eq(e.t, e.x)), FORM(Ne, Ne(e.t, e.x)), FORM(Ge, Ge(e.t, e.x)), FORM(Gt, Gt(e.t, e.x)), FORM(Le, Le(e.t, e.x)),
    FORM(Lt, Lt(e.t, e.x, {})), FORM(EqTotalOrder, EqTotalOrder(e.t, e.x)), FORM(NeTotalOrder, NeTotalOrder(e.t, e.x)),
    FORM(GeTotalOrder, GeTotalOrder(e.t, e.x)), FORM(GtTotalOrder, GtTotalOrder(e.t, e.x)),
    FORM(LeTotalOrder, LeTotalOrder(e.t, e.x)), FORM(LtTotalOrder, LtTotalOrder(e.t, e.x)),
    FORM(Compare, Compare(e.t, e.x, ComparisonDirection::kEq)), FORM(Compare, Compare(e.t, e.x, {}, ComparisonDirection::kEq)),
    FORM(Compare, Compare(e.x, e.x, {}, ComparisonDirection::kEq, Comparison::Type::kSigned)),
    FORM(Clamp, Clamp(e.t, e.x, e.x)), FORM(Select, Select(e.t, e.x, e.x)),
    // Shapes
    FORM(Broadcast, Broadcast(e.t, {2})), FORM(BroadcastInDim, BroadcastInDim(e.x, {2, 3}, {0})),
    FORM(Reshape, Reshape(e.x, {7})), FORM(Reshape, Reshape(ShapeUtil::MakeShape(F32, {7}), e.x)),
    FORM(ReshapeWithInferredDimension, ReshapeWithInferredDimension(e.x, {7}, 0)),
    FORM(DynamicReshape, DynamicReshape(e.x, {e.n}, {7}, {true})), FORM(MhloDynamicReshape, MhloDynamicReshape(e.x, e.x, e.shape)),
    FORM(MhloDynamicBroadcastInDim, MhloDynamicBroadcastInDim(e.x, e.x, {0, 1}, e.shape)),
    FORM(Collapse, Collapse(e.x, {1, 0})), FORM(Transpose, Transpose(e.x, {0, 0})), FORM(Rev, Rev(e.x, {2})),
    FORM(Pad, Pad(e.x, e.n, MakeNoPaddingConfig(2))), FORM(PadInDim, PadInDim(e.x, e.n, 0, 1, 1)),
    FORM(ConcatInDim, ConcatInDim(e.b, {e.x, e.t}, 0)), FORM(Slice, Slice(e.x, {0, 0}, {3, 3}, {1, 1})),
    FORM(SliceInDim, SliceInDim(e.x, 0, 1, 1, 2)), FORM(DynamicSlice, DynamicSlice(e.x, {e.n, e.n}, {3, 3})),
    FORM(DynamicSlice, DynamicSlice(e.x, {e.n}, {1, 1})), FORM(DynamicUpdateSlice, DynamicUpdateSlice(e.x, e.t, {e.n, e.n})),
    FORM(Gather, Gather(e.x, e.t, GatherDimensionNumbers(), {1, 1})),
    FORM(Gather, Gather(e.x, e.t, GatherDimensionNumbers(), {1, 1}, /*indices_are_sorted=*/true)),
    FORM(Scatter, Scatter(e.x, e.t, e.x, e.add, ScatterDimensionNumbers())),
    FORM(Scatter, Scatter({e.x}, e.t, {e.x}, e.id, ScatterDimensionNumbers(), true, true)),
    FORM(GetDimensionSize, GetDimensionSize(e.x, 2)), FORM(SetDimensionSize, SetDimensionSize(e.x, e.x, 0)),
    FORM(RemoveDynamicDimension, RemoveDynamicDimension(e.x, 2)),
    FORM(Sort, Sort({e.x}, e.add)), FORM(Sort, Sort({e.x, e.x}, e.id, /*dimension=*/0, /*is_stable=*/true)),
    FORM(TopK, TopK(e.x, 9, /*largest=*/true)),
    // Reductions
    FORM(Reduce, Reduce(e.x, e.n, e.add, {0})), FORM(Reduce, Reduce(e.b, {e.x}, {e.n}, e.id, {0})),
    FORM(ReduceAll, ReduceAll(e.x, e.n, e.add)), FORM(Scan, Scan({e.x}, {e.n}, e.add, 0)),
    FORM(Scan, Scan({e.x}, {e.n}, e.id, 0, std::nullopt, true, TRI_STATE_TRUE)),
    FORM(Map, Map(e.b, {e.x}, e.add, {0, 1})), FORM(Map, Map(e.b, {e.x}, e.id, {0, 1}, {})),
    FORM(ReduceWindow, ReduceWindow(e.x, e.n, e.add, {1, 1}, {1, 1}, Padding::kSame)),
    FORM(ReduceWindow, ReduceWindow({e.x}, {e.n}, e.add, {1, 1}, {1, 1}, Padding::kValid)),
    FORM(ReduceWindowWithGeneralPadding, ReduceWindowWithGeneralPadding(e.x, e.n, e.add, {1, 1}, {1, 1}, {}, {}, {{0, 0}, {0, 0}})),
    FORM(ReduceWindowWithGeneralPadding, ReduceWindowWithGeneralPadding({e.x}, {e.n}, e.id, {1, 1}, {1, 1}, {}, {}, {{0, 0}, {0, 0}})),
    FORM(SelectAndScatter, SelectAndScatter(e.x, e.add, {1, 1}, {1, 1}, Padding::kValid, e.x, e.s, e.add)),
    FORM(SelectAndScatterWithGeneralPadding, SelectAndScatterWithGeneralPadding(e.x, e.id, {1, 1}, {1, 1}, {{0, 0}, {0, 0}}, e.x, e.s, e.id)),
    FORM(BatchNormTraining, BatchNormTraining(e.x, e.s, e.s, 0.1f, 0)), FORM(BatchNormInference, BatchNormInference(e.x, e.s, e.s, e.s, e.s, 0.1f, 0)),
    FORM(BatchNormGrad, BatchNormGrad(e.x, e.s, e.s, e.s, e.x, 0.1f, 0)),
    // Contractions
    FORM(Dot, Dot(e.x, e.x)), FORM(Dot, Dot(e.x, e.x, &e.precision, F32)), FORM(DotGeneral, DotGeneral(e.x, e.t, DotDimensionNumbers())),
    FORM(DotGeneral, DotGeneral(e.x, e.t, DotDimensionNumbers(), &e.precision, F32)),
    FORM(ScaledDot, ScaledDot(e.x, e.t, e.x, e.x, DotDimensionNumbers(), &e.precision, F32)),
    FORM(RaggedDot, RaggedDot(e.x, e.t, e.x, RaggedDotDimensionNumbers(), &e.precision, F32)),
    FORM(Conv, Conv(e.x, e.x, {1, 1}, Padding::kSame)),
    FORM(ConvWithGeneralPadding, ConvWithGeneralPadding(e.x, e.x, {1}, e.pairs, 1, 1, &e.precision, F32)),
    FORM(ConvWithGeneralDimensions, ConvWithGeneralDimensions(e.x, e.x, {1, 1}, Padding::kValid, e.conv)),
    FORM(ConvGeneral, ConvGeneral(e.x, e.x, {1, 1}, {{0, 0}, {0, 0}}, e.conv)),
    FORM(ConvGeneralDilated, ConvGeneralDilated(e.x, e.x, {1, 1}, {{0, 0}, {0, 0}}, {1, 1}, {1, 1}, e.conv, 1, 1, nullptr, std::nullopt, std::vector<bool>{true, false})),
    FORM(DynamicConvForward, DynamicConvForward(e.x, e.x, {1}, e.pairs, {1}, {1}, e.conv, 1, 1, nullptr, PADDING_SAME)),
    FORM(DynamicConvInputGrad, DynamicConvInputGrad(e.n, e.x, e.x, {1}, e.pairs, {1}, {1}, e.conv, 1, 1, nullptr, PADDING_SAME, F32)),
    FORM(DynamicConvKernelGrad, DynamicConvKernelGrad(e.x, e.x, {1}, e.pairs, {1}, {1}, e.conv, 1, 1, nullptr, PADDING_VALID)),
    FORM(Fft, Fft(e.x, FftType::FFT, {2})), FORM(Cholesky, Cholesky(e.x, /*lower=*/true)),
    FORM(TriangularSolve, TriangularSolve(e.x, e.x, true, true, false, TriangularSolveOptions::NO_TRANSPOSE)),
    FORM(RngNormal, RngNormal(e.t, e.s, e.shape)), FORM(RngUniform, RngUniform(e.s, e.t, e.shape)),
    FORM(RngBitGenerator, RngBitGenerator(RandomAlgorithm::RNG_THREE_FRY, e.t, e.shape)),
    // Control
    FORM(GetTupleElement, GetTupleElement(e.x, 0)), FORM(Tuple, Tuple(e.b, {e.x, XlaOp()})),
    FORM(Call, Call(e.b, e.add, {e.x})), FORM(Call, Call(e.b, e.id, {e.x})),
    FORM(CompositeCall, CompositeCall(e.b, e.add, {e.x}, "name")), FORM(CompositeCall, CompositeCall(e.b, e.id, {e.x}, "name", "{}", 1)),
    FORM(While, While(e.add, e.add, e.x)), FORM(While, While(e.id, e.id, e.x)),
    FORM(Conditional, Conditional(e.x, e.x, e.add, e.x, e.add)), FORM(Conditional, Conditional(e.x, e.x, e.id, e.x, e.id)),
    FORM(Conditional, Conditional(e.n, e.adds, {e.x, e.x})), FORM(Conditional, Conditional(e.n, {&e.add, &e.add}, {e.x, e.x})),
    FORM(Conditional, Conditional(e.n, {e.id, e.id}, {e.x, e.x})),
    FORM(CustomCall, CustomCall(e.b, "$bad", {e.x}, e.shape)),
    FORM(CustomCall, CustomCall(e.b, "$bad", {e.x}, e.shape, "opaque", true, {{{}, {0, {}}}}, nullptr, CustomCallSchedule::SCHEDULE_NONE, CustomCallApiVersion::API_VERSION_TYPED_FFI)),
    FORM(CustomCallWithComputation, CustomCallWithComputation(e.b, "$bad", {e.x}, e.add, e.shape)),
    FORM(CustomCallWithComputation, CustomCallWithComputation(e.b, "$bad", {e.x}, e.id, e.shape, "")),
    FORM(CustomCallWithComputationAndLayouts, CustomCallWithComputationAndLayouts(e.b, "$bad", {e.x}, e.id, e.shape, {e.shape})),
    FORM(CustomCallWithLayout, CustomCallWithLayout(e.b, "target", {e.x}, e.shape, {})),
    FORM(CustomCallWithConvDnums, CustomCallWithConvDnums(e.b, "$bad", {e.x}, e.shape, {}, "", false, {}, nullptr, Window(), e.conv)),
    // Effects
    FORM(AfterAll, AfterAll(e.b, {e.x})),
    FORM(InfeedWithToken, InfeedWithToken(e.x, e.shape)), FORM(Outfeed, Outfeed(e.t, e.shape, "")),
    FORM(OutfeedWithToken, OutfeedWithToken(e.x, e.x, e.shape, "")), FORM(Send, Send(e.x, e.channel)),
    FORM(SendWithToken, SendWithToken(e.x, e.t, e.channel)), FORM(Recv, Recv(e.b, e.shape, e.channel)),
    FORM(RecvWithToken, RecvWithToken(e.t, e.shape, e.channel)), FORM(SendToHost, SendToHost(e.x, e.t, e.shape, e.channel)),
    FORM(RecvFromHost, RecvFromHost(e.t, e.shape, e.channel)),
    // Across devices
    FORM(AllGather, AllGather(e.x, 2, 2)), FORM(AllGather, AllGather(e.x, 2, 2, e.groups, e.some_channel, e.layout, true)),
    FORM(AllGatherWithDeviceList, AllGatherWithDeviceList(e.x, 2, 2, e.devices)), FORM(AllGatherTuple, AllGatherTuple({e.x}, 2, 2)),
    FORM(AllGatherTupleWithDeviceList, AllGatherTupleWithDeviceList({e.x}, 2, 2, e.devices, e.some_channel, e.layout, true)),
    FORM(AllReduce, AllReduce(e.t, e.add)), FORM(AllReduce, AllReduce(e.t, e.id, e.groups, e.some_channel, e.shape, true)),
    FORM(AllReduceWithDeviceList, AllReduceWithDeviceList(e.t, e.add, e.devices)),
    FORM(AllReduceTuple, AllReduceTuple({e.x, e.t}, e.id, e.groups)), FORM(AllReduceTupleWithDeviceList, AllReduceTupleWithDeviceList({e.x, e.t}, e.add, e.devices)),
    FORM(CrossReplicaSum, CrossReplicaSum(e.t)), FORM(CrossReplicaSum, CrossReplicaSum(e.t, e.groups)),
    FORM(ReduceScatter, ReduceScatter(e.x, e.add, 2, 2)), FORM(ReduceScatter, ReduceScatter(e.x, e.id, 2, 2, e.groups, e.some_channel, e.layout, true)),
    FORM(ReduceScatterWithDeviceList, ReduceScatterWithDeviceList(e.x, e.add, 2, 2, e.devices)),
    FORM(AllToAll, AllToAll(e.x, 1, 0, 2)), FORM(AllToAll, AllToAll(e.x, 1, 0, 2, e.groups, e.layout, e.some_channel)),
    FORM(AllToAllWithDeviceList, AllToAllWithDeviceList(e.x, 1, 0, 2, e.devices)), FORM(AllToAllTuple, AllToAllTuple({e.x, e.t})),
    FORM(AllToAllTupleWithDeviceList, AllToAllTupleWithDeviceList({e.x, e.t}, e.devices)),
    FORM(AllToAllTuple, AllToAllTuple(e.x, 1, 0, 2, e.groups)), FORM(AllToAllTupleWithDeviceList, AllToAllTupleWithDeviceList(e.x, 1, 0, 2, e.devices)),
    FORM(RaggedAllToAll, RaggedAllToAll(e.x, e.t, e.x, e.x, e.x, e.x)), FORM(RaggedAllToAllWithDeviceList, RaggedAllToAllWithDeviceList(e.x, e.t, e.x, e.x, e.x, e.x, e.devices)),
    FORM(CollectiveBroadcast, CollectiveBroadcast(e.t, e.groups)), FORM(CollectiveBroadcast, CollectiveBroadcast({e.x}, e.groups, e.some_channel, /*has_dynamic_root=*/true)),
    FORM(CollectiveBroadcastWithDeviceList, CollectiveBroadcastWithDeviceList(e.t, e.devices)),
    FORM(CollectiveBroadcastWithDeviceList, CollectiveBroadcastWithDeviceList({e.x}, e.devices, e.some_channel, true)),
    FORM(CollectivePermute, CollectivePermute(e.t, e.pairs)), FORM(MultiCollectivePermute, MultiCollectivePermute({e.x, e.t}, e.pairs, e.some_channel)),
    // Inserted by compilers
    FORM(BuildAddDependency, e.f.BuildAddDependency(e.b, e.x, e.x, e.shape)), FORM(BuildBitcast, e.f.BuildBitcast(e.b, e.foreign, e.shape)),
    FORM(BuildFusion, e.f.BuildFusion(e.b, {e.x}, "kBad", e.id)),
    FORM(BuildAsyncStart, e.f.BuildAsyncStart(e.b, {e.x}, "thread", e.id, e.shape)), FORM(BuildAsyncUpdate, e.f.BuildAsyncUpdate(e.b, e.x, e.shape)),
    FORM(BuildAsyncDone, e.f.BuildAsyncDone(e.b, e.x, e.shape)), FORM(BuildCopyDone, e.f.BuildCopyDone(e.b, e.x, e.shape)),
    FORM(BuildAllGatherStart, e.f.BuildAllGatherStart(e.b, e.x, 2, 2, e.groups)), FORM(BuildAllGatherStart, e.f.BuildAllGatherStart(e.b, e.x, 2, 2, e.devices)),
    FORM(BuildAllReduceStart, e.f.BuildAllReduceStart(e.b, e.t, e.id, e.groups)), FORM(BuildAllReduceStart, e.f.BuildAllReduceStart(e.b, e.t, e.id, e.devices)),
    FORM(BuildCollectivePermuteStart, e.f.BuildCollectivePermuteStart(e.b, e.t, e.pairs)),
    FORM(BuildCollectivePermuteStart, e.f.BuildCollectivePermuteStart(e.b, {e.x, e.t}, e.pairs)),
    FORM(BuildSendDone, e.f.BuildSendDone(e.b, e.x, e.channel, false)), FORM(BuildSend, e.f.BuildSend(e.b, e.x, e.x, e.channel, true)),
    FORM(BuildRecv, e.f.BuildRecv(e.b, e.x, e.shape, e.channel, true)), FORM(BuildRecvDone, e.f.BuildRecvDone(e.b, e.x, e.shape, e.channel, false)),
};

const Form kLibrary[] = {
    // arithmetic.h
    FORM(Any, Any(e.x)), FORM(All, All(e.x)), FORM(ArgMax, ArgMax(e.x, S32, 2)), FORM(ArgMin, ArgMin(e.x, S32, /*axis=*/2)),
    FORM(ArgMax, ArgMinMax(e.x, S32, 2, /*is_min=*/false)),
    // constants.h
    FORM(ConstantR0WithType, ConstantR0WithType(e.b, TUPLE, 1)), FORM(ScalarLike, ScalarLike(e.t, 1)), FORM(FullLike, FullLikeScalar(e.t, e.s)),
    FORM(ConstantR0WithType, Zero(e.b, TUPLE)), FORM(ConstantR0WithType, Zeros(e.b, ShapeUtil::MakeTokenShape())),
    FORM(ScalarLike, ZerosLike(e.t)), FORM(ConstantR0WithType, One(e.b, TUPLE)),
    FORM(Epsilon, Epsilon(e.b, S32)), FORM(MinPositiveNormalValue, MinPositiveNormalValue(e.b, S32)), FORM(NanValue, NanValue(e.b, S32)),
    FORM(MinValue, MinValue(e.b, C64)), FORM(MaxValue, MaxValue(e.b, C64)), FORM(MinValue, MinFiniteValue(e.b, C64)), FORM(MaxValue, MaxFiniteValue(e.b, C64)),
    // math.h
    FORM(IsPosInf, IsPosInf(e.n)), FORM(IsNegInf, IsNegInf(e.n)), FORM(IsInf, IsInf(e.n)), FORM(IsNan, IsNan(e.n)), FORM(IsNegZero, IsNegZero(e.n)),
    FORM(NextAfter, NextAfter(e.n, e.n)), FORM(Erfc, Erfc(e.n)), FORM(ErfInv, ErfInv(e.n)), FORM(Lgamma, Lgamma(e.n)), FORM(Digamma, Digamma(e.n)),
    FORM(Igamma, Igamma(e.n, e.n)), FORM(Igammac, Igammac(e.n, e.n)), FORM(IgammaGradA, IgammaGradA(e.n, e.n)), FORM(RandomGammaGrad, RandomGammaGrad(e.n, e.n)),
    FORM(Polygamma, Polygamma(e.n, e.n)), FORM(Zeta, Zeta(e.n, e.n)), FORM(BesselI0e, BesselI0e(e.n)), FORM(BesselI1e, BesselI1e(e.n)),
    FORM(RegularizedIncompleteBeta, RegularizedIncompleteBeta(e.n, e.n, e.n)), FORM(MaybeConjugate, MaybeConjugate(e.t, true)),
    FORM(RoundNearestEven, RoundToEven(e.t)), FORM(Mul, Square(e.t)),
    // matrix.h
    FORM(IdentityMatrix, IdentityMatrix(e.b, F32, -1, 2)), FORM(GetMatrixDiagonal, GetMatrixDiagonal(e.s, 0)),
    FORM(GetMatrixDiagonalViaGather, GetMatrixDiagonalViaGather(e.s)), FORM(SetMatrixDiagonal, SetMatrixDiagonal(e.x, e.s)),
    FORM(TriangleMask, TriangleMask(e.s, 0)), FORM(Triangle, Triangle(e.s, true)), FORM(Triangle, UpperTriangle(e.s)), FORM(Triangle, LowerTriangle(e.s)),
    FORM(Symmetrize, Symmetrize(e.s)), FORM(TransposeInMinorDims, TransposeInMinorDims(e.s)), FORM(TransposeInMinorDims, MaybeTransposeInMinorDims(e.s, true)),
    FORM(BatchDot, BatchDot(e.x, e.x)), FORM(BatchDot, BatchDot(e.x, false, e.x, false, PrecisionConfig::HIGHEST, F32, /*grad_x=*/true, /*grad_y=*/false)),
    FORM(Einsum, Einsum(e.x, e.x, "ij,jk->ik")), FORM(Einsum, Einsum(e.x, "ij->k")),
    FORM(Einsum, Einsum(e.x, {0, 1}, e.x, {1, 2}, {0, 2}, PrecisionConfig::DEFAULT, std::nullopt)),
    // slicing.h and sorting.h
    FORM(SliceInMinorDims, SliceInMinorDims(e.x, {0, 0, 0}, {1, 1, 1})), FORM(UpdateSlice, UpdateSlice(e.x, e.x, {0})),
    FORM(UpdateSliceInMinorDims, UpdateSliceInMinorDims(e.x, e.x, {0, 0, 0})), FORM(DynamicSliceInMinorDims, DynamicSliceInMinorDims(e.x, {e.n, e.n, e.n}, {1, 1, 1})),
    FORM(DynamicUpdateSliceInMinorDims, DynamicUpdateSliceInMinorDims(e.x, e.x, {e.n, e.n, e.n})),
    FORM(TorchGather, TorchGather(e.x, e.n, 2, /*sparse=*/true)), FORM(TorchIndexSelect, TorchIndexSelect(e.x, e.n, 2)),
    FORM(TorchScatterDense, TorchScatterDense(e.x, e.n, e.x, 2, [](XlaOp x, XlaOp y) { return x + y; })),
    FORM(TopK, TopK(e.x, 2, /*index_type=*/F32)), FORM(TopKWithPartitions, TopKWithPartitions(e.x, 2, /*num_partitions=*/0)),
    // prng.h
    FORM(ThreeFryBitGenerator, ThreeFryBitGenerator(e.n, e.n, ShapeUtil::MakeShape(PRED, {2}))),
    FORM(PhiloxBitGenerator, PhiloxBitGenerator(e.n, e.n, ShapeUtil::MakeShape(PRED, {2}))),
    FORM(UniformIntDistribution, UniformIntDistribution(e.n, e.n, ThreeFryBitGenerator, e.s, e.s, e.shape)),
    FORM(UniformFloatingPointDistribution, UniformFloatingPointDistribution(e.n, e.n, PhiloxBitGenerator, e.n, e.n, e.shape)),
    FORM(NormalFloatingPointDistribution, NormalFloatingPointDistribution(e.n, e.n, ThreeFryBitGenerator, ShapeUtil::MakeShape(S32, {2}))),
    FORM(MaxPool, MaxPool(e.t, {1}, {1}, Padding::kValid, TensorFormat(0, 1, {2}))),
    FORM(AvgPool, AvgPool(e.x, {1}, {1}, e.pairs, TensorFormat(0, 1, {2}), /*counts_include_padding=*/true)),
    FORM(AvgPoolGrad, AvgPoolGrad(e.x, {1}, {1}, {1}, e.pairs, TensorFormat(0, 1, {2}), false)),
    FORM(LuDecomposition, LuDecomposition(e.s)), FORM(SLogDet, SLogDet(e.x)), FORM(LogDet, LogDet(e.n)),
    FORM(Dequantize, Dequantize<uint8_t>(e.x, QuantizedRange(0, 1), "MIN_COMBINED", true)),
    FORM(DynamicStridedSlice, DynamicStridedSlice(e.x, {e.n}, {1, 1}, {1, 1})),
    FORM(ScramblePhiloxKey, ScramblePhiloxKey(e.t)), FORM(PhiloxIncreaseCounter, PhiloxIncreaseCounter(e.t, e.n)),
};
// clang-format on

void ExpectErrors(absl::Span<const Form> forms) {
  for (const Form& form : forms) {
    Env e;
    ASSERT_OK(e.b->first_error());
    form.call(e);
    const std::string message(e.b->Build().status().message());
    EXPECT_TRUE(absl::StartsWith(message, absl::StrCat(form.name, ": ")))
        << "line " << form.line << ": " << message;
    // Whatever comes later changes nothing, and nothing crashes.
    EXPECT_EQ(std::string(e.b->first_error().message()), message);
  }
}

TEST(XlaFormsTest, EveryOperationNamesItself) { ExpectErrors(kOperations); }
TEST(XlaFormsTest, EveryFunctionOfTheLibraryNamesItself) { ExpectErrors(kLibrary); }

// Operands without a builder: nothing is made of them, and nothing crashes.
TEST(XlaFormsTest, UninitializedOperandsHaveNoBuilder) {
  for (const absl::Span<const Form> forms :
       {absl::MakeConstSpan(kOperations), absl::MakeConstSpan(kLibrary)}) {
    for (const Form& form : forms) {
      Env e;
      e.x = e.t = e.s = e.n = e.foreign = XlaOp();
      form.call(e);
      EXPECT_FALSE(e.x.valid()) << form.name;
    }
  }
}

// What has no error of its own: that it compiles, and builds.
TEST(XlaFormsTest, FormsThatSucceed) {
  Env e;
  Shape with_layout = e.shape;
  {
    XlaScopedShardingAssignment sharding(e.b, sharding_builder::AssignDevice(0));
    XlaScopedOpMetadataAssignment metadata(e.b, OpMetadata());
    XlaScopedFrontendAttributesAssignment attributes(e.b, FrontendAttributes());
    XlaScopedOriginalValueAssignment original(e.b, std::nullopt);
    Copy(e.x);
  }
  const XlaOp doubled = e.x + e.x;
  OptimizationBarrier(doubled);
  ReplicaId(e.b);
  e.f.BuildRngGetAndUpdateState(e.b, 1, ShapeUtil::MakeShape(U64, {2}));
  e.f.BuildDomain(e.b, e.x, OpSharding(), OpSharding(), e.shape);
  e.f.BuildCopyDone(e.b, e.f.BuildCopyStart(e.b, e.x, 1), e.shape);
  FullLike(e.x, 2);
  Reciprocal(e.x);
  Atan(e.x);
  ConcatScalars(e.b, {e.n, e.n});
  And(e.n, e.n, e.n);
  Or(e.n, e.n, e.n, e.n);
  XlaOp shift = e.n >> e.n;
  EXPECT_TRUE(shift.valid());
  ConstantR1<int32_t>(e.b, {1, 2});
  ConstantR2<bool>(e.b, {{true}, {false}});
  ConstantFromArray<float>(e.b, Array<float>({2, 2}));
  ConstantR2FromArray2D<float>(e.b, Array2D<float>(2, 2));
  ConstantR3FromArray3D<float>(e.b, Array3D<float>(1, 2, 2));
  ConstantR4FromArray4D<float>(e.b, Array4D<float>(1, 1, 2, 2));
  ConstantR2FromArray2DWithLayout<float>(e.b, Array2D<float>(2, 2), *e.layout);
  const std::unique_ptr<XlaBuilder> sub = e.b->CreateSubBuilder("sub");
  Neg(Parameter(sub.get(), 0, e.shape, "y"));
  absl::StatusOr<XlaComputationId> id = sub->BuildSubComputation();
  ASSERT_OK(id);
  Call(e.b, *id, {e.x});
  for (const auto create :
       {CreateScalarAddComputation, CreateScalarMultiplyComputation, CreateScalarMaxComputation,
        CreateScalarMinComputation, CreateScalarIdentityWithZeroComputation}) {
    Reduce(e.x, e.s, create(F32, e.b), {0, 1});
  }
  CreateScalarLtComputation({F32}, e.b);
  CreateScalarComparisonComputation("lt", {F32, S32}, {LtTotalOrder, std::nullopt}, e.b);
  EXPECT_OK(e.b->GetCurrentStatus());
  EXPECT_OK(e.b->GetProgramShape());
  EXPECT_OK(e.b->GetProgramShape(doubled));
  EXPECT_OK(e.b->GetShapePtr(doubled));
  EXPECT_OK(e.b->GetOpSharding(doubled));
  EXPECT_OK(e.b->IsConstant(doubled));
  EXPECT_FALSE(e.b->OpToString(doubled).empty());
  EXPECT_OK(e.b->BuildConstantSubGraph(e.s));
  EXPECT_OK(e.b->SetInstructionFrontendAttribute(doubled, "a", "b"));
  EXPECT_OK(e.b->SetInstructionSharding(doubled, std::nullopt));
  e.b->SetUpAlias({}, 0, {}, HloInputOutputAliasConfig::kMustAlias);
  EXPECT_OK(e.b->Build(doubled, /*remove_dynamic_dimensions=*/false));
}

TEST(UnboundedTest, ImplicitBroadcastsAskForTheSizes) {
  XlaBuilder b("test");
  const Shape unbounded =
      ShapeUtil::MakeShape(F32, {Shape::kUnboundedSize, 3}, std::vector<bool>{true, false});
  const XlaOp x = Parameter(&b, 0, unbounded, "a");
  x* ConstantR0<float>(&b, 2);
  EXPECT_EQ(testing::Body(&b),
            "constant = f32[] constant(2)\n"
            "get-dimension-size = s32[] get-dimension-size(a), dimensions={0}\n"
            "reshape = s32[1] reshape(get-dimension-size)\n"
            "constant.1 = s32[1] constant({3})\n"
            "concatenate = s32[2] concatenate(reshape, constant.1), dimensions={0}\n"
            "custom-call = f32[?,3] custom-call(constant, concatenate), "
            "custom_call_target=\"mhlo.dynamic_broadcast_in_dim\", "
            "backend_config={broadcast_dimensions=[]}\n"
            "ROOT multiply = f32[?,3] multiply(a, custom-call)");
  XlaBuilder c("test");
  Add(Parameter(&c, 0, unbounded, "a"), Parameter(&c, 1, ShapeUtil::MakeShape(F32, {1, 3}), "b"));
  EXPECT_TRUE(absl::StrContains(testing::Body(&c), "ROOT add = f32[?,3] add(custom-call, "));
}

TEST(DynamicPaddingTest, SamePaddingOfDynamicDimensionsIsACustomCall) {
  XlaBuilder b("test");
  const Shape shape = ShapeUtil::MakeShape(F32, {8}, std::vector<bool>{true});
  const XlaOp x = Parameter(&b, 0, shape, "a");
  ReduceWindow(x, ConstantR0<float>(&b, 0), testing::ScalarAdd(F32), {3}, {2}, Padding::kSame);
  const std::string text = testing::Body(&b);
  EXPECT_TRUE(absl::StrContains(text,
                                "ROOT custom-call = f32[<=4] custom-call(a, constant), "
                                "window={size=3 stride=2 pad=0_1}"))
      << text;
  EXPECT_TRUE(absl::StrContains(text, "custom_call_target=\"DynamicReduceWindowSamePadding\""));
}

// Of bound 5 and size 2 at run time; a window of 3 with stride 2 is padded 1_1 and 0_1.
TEST(DynamicPaddingTest, WhatTheCallsBuildRuns) {
  const auto two_of = [](XlaBuilder* b, absl::Span<const int64_t> sizes, int64_t dimension) {
    const XlaOp all = Iota(b, ShapeUtil::MakeShape(F32, sizes), dimension);
    return SetDimensionSize(all + ScalarLike(all, 1), ConstantR0<int32_t>(b, 2), dimension);
  };
  const auto expect = [](XlaBuilder* b, const std::string& values) {
    ASSERT_OK_AND_ASSIGN(const Literal result, testing::RunProgram(b));
    EXPECT_EQ(result.ToStringOneline(), values);
  };
  XlaBuilder window("test");
  ReduceWindow(two_of(&window, {5}, 0), ConstantR0<float>(&window, 0), testing::ScalarAdd(F32), {3},
               {2}, Padding::kSame);
  expect(&window, "f32[<=3](1) {3}");

  ConvolutionDimensionNumbers labels;  // b0f_0io->b0f
  labels.set_input_batch_dimension(0);
  labels.add_input_spatial_dimensions(1);
  labels.set_input_feature_dimension(2);
  labels.add_kernel_spatial_dimensions(0);
  labels.set_kernel_input_feature_dimension(1);
  labels.set_kernel_output_feature_dimension(2);
  labels.set_output_batch_dimension(0);
  labels.add_output_spatial_dimensions(1);
  labels.set_output_feature_dimension(2);
  XlaBuilder forward("test");
  const XlaOp kernel = ConstantR3FromArray3D<float>(&forward, {{{1}}, {{10}}, {{100}}});
  DynamicConvForward(two_of(&forward, {1, 5, 1}, 1), kernel, {2}, {{1, 1}}, {}, {}, labels, 1, 1,
                     nullptr, PADDING_SAME);
  expect(&forward, "f32[1,<=3,1](1,1,1) { { {21} } }");

  XlaBuilder input("test");
  const XlaOp back = ConstantR3FromArray3D<float>(&input, {{{100}}, {{10}}, {{1}}});
  DynamicConvInputGrad(ConstantR1<int32_t>(&input, {1, 3, 1}), two_of(&input, {1, 3, 1}, 1), back,
                       {1}, {{1, 1}}, {2}, {}, labels, 1, 1, nullptr, PADDING_SAME);
  expect(&input, "f32[1,<=5,1](1,3,1) { { {10}, {102}, {20} } }");

  ConvolutionDimensionNumbers turned;  // 0fb_0io->0bf: the sum is over the batch
  turned.add_input_spatial_dimensions(0);
  turned.set_input_feature_dimension(1);
  turned.set_input_batch_dimension(2);
  turned.add_kernel_spatial_dimensions(0);
  turned.set_kernel_input_feature_dimension(1);
  turned.set_kernel_output_feature_dimension(2);
  turned.add_output_spatial_dimensions(0);
  turned.set_output_batch_dimension(1);
  turned.set_output_feature_dimension(2);
  XlaBuilder gradient("test");
  DynamicConvKernelGrad(two_of(&gradient, {5, 1, 1}, 0), two_of(&gradient, {3, 1, 1}, 0), {1},
                        {{1, 1}}, {}, {2}, turned, 1, 1, nullptr, PADDING_SAME);
  expect(&gradient, "f32[3,1,1] { { {1} }, { {2} }, { {0} } }");
}

}  // namespace
}  // namespace xla
