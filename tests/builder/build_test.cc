// SPDX-License-Identifier: Apache-2.0
// The builder as a whole: building, errors, sub-computations, constants, scopes, aliases.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/builder/builder_test_util.h"
#include "xla/hlo/builder/sharding_builder.h"
#include "xla/hlo/ir/hlo_original_value.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/literal_util.h"

namespace xla {
namespace {

using testing::Body;
using testing::BuildVerified;
using testing::RunProgram;
using testing::ScalarAdd;

const Shape kVector = ShapeUtil::MakeShape(F32, {2});

TEST(BuildTest, LastOperationIsRootUnlessOneIsGiven) {
  XlaBuilder b("axpy");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp y = Parameter(&b, 1, kVector, "y");
  const XlaOp sum = x + y;
  Neg(sum);
  ASSERT_OK_AND_ASSIGN(const ProgramShape shape, b.GetProgramShape());
  EXPECT_EQ(ShapeUtil::HumanString(shape), "(x: f32[2], y: f32[2]) -> f32[2]");
  ASSERT_OK_AND_ASSIGN(const XlaComputation built, b.Build(sum));
  EXPECT_EQ(built.name(), "axpy");
  ASSERT_OK_AND_ASSIGN(auto module, built.module());
  EXPECT_OK(VerifyModule(*module));
  EXPECT_EQ(module->entry_computation()->root_instruction()->opcode(), HloOpcode::kAdd);
}

TEST(BuildTest, ProtosAreNumberedAsBuilt) {
  XlaBuilder b("sum");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp y = Parameter(&b, 1, kVector, "y");
  Add(y, x);  // the post order begins with y
  ASSERT_OK_AND_ASSIGN(const XlaComputation built, b.Build());
  const HloComputationProto& proto = built.proto().computations(0);
  ASSERT_EQ(proto.instructions_size(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(proto.instructions(i).id(),
              HloInstruction::CalculateUniqueId(static_cast<int32_t>(proto.id()), i + 1));
  }
  EXPECT_EQ(proto.instructions(0).parameter_number(), 0);
  EXPECT_EQ(HloInstruction::CalculateLocalId(proto.root_id()), 3);
  EXPECT_EQ(HloInstruction::CalculateParentId(proto.root_id()), proto.id());
  EXPECT_OK(CreateModuleFromProto(built.proto()));
}

TEST(BuildTest, ProtosOfOperationsCanBeEdited) {
  using internal::XlaBuilderFriend;
  XlaBuilder b("edited");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4}, {true}), "x");
  const XlaOp y = Neg(x);
  HloInstructionProto* const proto = XlaBuilderFriend::GetInstruction(x);
  ASSERT_NE(proto, nullptr);
  for (int i = 0; i < 20; ++i) XlaBuilderFriend::GetInstruction(Neg(x));
  EXPECT_EQ(XlaBuilderFriend::GetInstruction(x), proto);
  EXPECT_EQ(XlaBuilderFriend::GetInstruction(XlaOp()), nullptr);
  EXPECT_EQ(XlaBuilderFriend::GetInstructionByHandle(&b, 1000), nullptr);
  proto->mutable_shape()->set_is_dynamic_dimension(0, false);
  proto->mutable_metadata()->set_op_name("source");
  proto->mutable_sharding()->set_type(OpSharding::REPLICATED);
  XlaBuilderFriend::GetInstruction(y)->mutable_shape()->set_is_dynamic_dimension(0, false);
  ASSERT_OK_AND_ASSIGN(const XlaComputation built, b.Build(y));
  ASSERT_OK_AND_ASSIGN(const auto module, built.module());
  const HloInstruction* parameter = module->entry_computation()->parameter_instruction(0);
  EXPECT_EQ(parameter->shape().ToString(), "f32[4]");
  EXPECT_EQ(parameter->metadata().op_name(), "source");
  EXPECT_TRUE(parameter->has_sharding());

  XlaBuilder c("refused");
  XlaBuilderFriend::GetInstruction(Parameter(&c, 0, kVector, "x"))->set_opcode("negate");
  EXPECT_EQ(c.Build().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(BuildTest, BuildEmptiesTheBuilder) {
  XlaBuilder b("twice");
  const XlaOp old = Parameter(&b, 0, kVector, "x");
  ASSERT_OK(b.Build());
  EXPECT_ERROR(b.Build(), "no operation to be the root");
  Neg(old);
  EXPECT_ERROR(b.Build(), "belongs to a program already built");
}

TEST(BuildTest, ParameterNumbersAreContinuousAndUnique) {
  {
    XlaBuilder b("gap");
    Parameter(&b, 1, kVector, "y");
    EXPECT_ERROR(b.Build(), "there is no parameter 0");
  }
  {
    XlaBuilder b("twice");
    Parameter(&b, 0, kVector, "x");
    Parameter(&b, 0, kVector, "y");
    EXPECT_ERROR(b.Build(), "parameter 0 already registered");
  }
  {
    XlaBuilder b("negative");
    Parameter(&b, -1, kVector, "x");
    EXPECT_ERROR(b.Build(), "negative");
  }
}

// --- Errors

TEST(BuildErrorTest, NamesTheFirstFailingCallAndItsShapes) {
  XlaBuilder b("bad");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2}), "x");
  const XlaOp y = Parameter(&b, 1, ShapeUtil::MakeShape(F32, {3}), "y");
  const XlaOp bad = Mul(x, y);
  EXPECT_FALSE(bad.valid());
  EXPECT_FALSE(bad.IsUninitialized());
  Dot(bad, y);  // not the first
  EXPECT_STATUS(b.first_error(), absl::StatusCode::kInvalidArgument, "Mul: ");
  EXPECT_ERROR(b.Build(), "f32[2] and f32[3]");
  EXPECT_ERROR(b.GetShape(x), "Mul: ");
}

TEST(BuildErrorTest, OperatorsNameTheirFunction) {
  XlaBuilder b("bad");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2}), "x");
  const XlaOp y = Parameter(&b, 1, ShapeUtil::MakeShape(S32, {2}), "y");
  x + y;
  EXPECT_ERROR(b.Build(), "Add: ");
}

TEST(BuildErrorTest, TheOuterCallIsNamed) {
  XlaBuilder b("bad");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3}), "x");
  PadInDim(x, ConstantR0<int32_t>(&b, 0), 1, 1, 1);
  EXPECT_ERROR(b.Build(), "PadInDim: ");
  EXPECT_ERROR(b.Build(), "f32[2,3]");
}

TEST(BuildErrorTest, UninitializedAndForeignOperands) {
  XlaBuilder b("here");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  {
    XlaBuilder other("there");
    const XlaOp foreign = Parameter(&other, 0, kVector, "z");
    EXPECT_ERROR(other.GetShape(x), "from builder here to builder there");
    Add(foreign, x);
    EXPECT_ERROR(other.Build(), "Do not add XlaOp from builder here to builder there");
  }
  EXPECT_TRUE(Abs(XlaOp()).IsUninitialized());
  EXPECT_TRUE((XlaOp() + XlaOp()).IsUninitialized());
  Add(XlaOp(), x);
  EXPECT_ERROR(b.Build(), "uninitialized XlaOp");
}

TEST(BuildErrorTest, ReportErrorIsKept) {
  XlaBuilder b("reported");
  Parameter(&b, 0, kVector, "x");
  const XlaOp op = b.ReportErrorOrReturn(
      []() -> absl::StatusOr<XlaOp> { return absl::NotFoundError("no such thing"); });
  EXPECT_FALSE(op.valid());
  b.ReportError(absl::InternalError("later"));
  EXPECT_STATUS(b.Build(), absl::StatusCode::kNotFound, "no such thing");
}

TEST(BuildTest, CollapsedDimensionsMayBeAsLargeAsSizesGet) {
  XlaBuilder b("collapsed");  // 7 x 1317624576693539401 = 2^63 - 1
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(PRED, {7, 1317624576693539401}), "x");
  ASSERT_OK_AND_ASSIGN(const Shape shape, b.GetShape(Collapse(x, {0, 1})));
  EXPECT_EQ(shape.dimensions(0), std::numeric_limits<int64_t>::max());
}

TEST(BuildErrorTest, OperationsOnFailedOnesGiveTheFirstError) {
  XlaBuilder b("failed");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp failed = Transpose(x, {3});
  const XlaOp sum = Add(failed, x);
  EXPECT_FALSE(sum.valid());
  EXPECT_EQ(b.GetShape(sum).status().message(), b.first_error().message());
  const absl::Status error = b.Build().status();
  EXPECT_ERROR(error, "Transpose dimensions [3]");
  EXPECT_FALSE(absl::StrContains(error.message(), "operand 0"));
}

TEST(BuildErrorDeathTest, DiesAtOnceIfAsked) {
  EXPECT_DEATH(
      {
        XlaBuilder b("dies");
        b.set_die_immediately_on_error(true);
        Parameter(&b, 0, kVector, "x");
        Parameter(&b, 0, kVector, "x");
      },
      "already registered");
}

TEST(BuildTest, OperationsArePlainFunctionsWithTheSignaturesOfXla) {
  const std::function<XlaOp(XlaOp)> unary = Abs;
  XlaOp (*binary)(XlaOp, XlaOp, absl::Span<const int64_t>) = &Add;
  XlaOp (*select)(XlaOp, XlaOp, XlaOp) = &Select;
  XlaBuilder b("functions");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  select(Lt(x, unary(x)), x, binary(x, x, {}));
  EXPECT_OK(b.Build());
}

TEST(BuildErrorTest, EveryFamilyChecksAtOnce) {
  const auto error = [](auto make) {
    XlaBuilder b("bad");
    const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3}), "x");
    make(&b, x);
    return std::string(b.Build().status().message());
  };
  const auto names = [&](const std::string& text, absl::string_view call) {
    return absl::StartsWith(text, absl::StrCat(call, ": "));
  };
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Transpose(x, {0, 0}); }), "Transpose"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Reshape(x, {7}); }), "Reshape"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Collapse(x, {1, 0}); }), "Collapse"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Collapse(x, {1, 2}); }), "Collapse"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { SliceInDim(x, 0, 1, 1, 2); }), "SliceInDim"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Slice(x, {0}, {1}, {1}); }), "Slice"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { GetTupleElement(x, 0); }), "GetTupleElement"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Cholesky(x, true); }), "Cholesky"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Dot(x, x); }), "Dot"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { TopK(x, 9, true); }), "TopK"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Sort({x}, ScalarAdd(F32)); }), "Sort"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Reduce(x, x, ScalarAdd(F32), {0}); }), "Reduce"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) {
                      BroadcastInDim(x, {2, 3}, {0});
                    }),
                    "BroadcastInDim"));
  EXPECT_TRUE(names(error([](auto* b, XlaOp) { ConcatInDim(b, {}, 0); }), "ConcatInDim"));
  EXPECT_TRUE(names(error([](auto* b, XlaOp x) { AfterAll(b, {x}); }), "AfterAll"));
  EXPECT_TRUE(names(error([](auto* b, XlaOp x) { Call(b, ScalarAdd(F32), {x}); }), "Call"));
  EXPECT_TRUE(
      names(error([](auto* b, XlaOp x) { CustomCall(b, "$x", {x}, kVector); }), "CustomCall"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { AllGather(x, 5, 2); }), "AllGather"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { AllToAll(x, 1, 0, 2); }), "AllToAll"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { SetDimensionSize(x, x, 0); }), "SetDimensionSize"));
  EXPECT_TRUE(
      names(error([](auto*, XlaOp x) { ConvertElementType(x, TUPLE); }), "ConvertElementType"));
  EXPECT_TRUE(
      names(error([](auto*, XlaOp x) { While(ScalarAdd(F32), ScalarAdd(F32), x); }), "While"));
  EXPECT_TRUE(names(
      error([](auto*, XlaOp x) { ReduceWindow(x, x, ScalarAdd(F32), {1}, {1}, Padding::kSame); }),
      "ReduceWindow"));
  EXPECT_TRUE(names(error([](auto*, XlaOp x) { Conv(x, x, {1}, Padding::kSame); }), "Conv"));
  EXPECT_TRUE(
      names(error([](auto*, XlaOp x) { ConstantR1<float>(x.builder(), -1, 2.f); }), "Broadcast"));
}

// --- Computations that are called

TEST(SubComputationTest, EachIsCopiedOnceWithUniqueNames) {
  const XlaComputation add = ScalarAdd(F32);
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 3}), "x");
  const XlaOp zero = ConstantR0<float>(&b, 0);
  const XlaOp rows = Reduce(x, zero, add, {1});
  const XlaOp columns = Reduce(x, zero, add, {0});
  Tuple(&b, {rows, columns, ReduceAll(x, zero, ScalarAdd(F32))});
  ASSERT_OK_AND_ASSIGN(auto module, BuildVerified(&b));
  std::vector<std::string> names;
  for (const HloComputation* c : module->computations()) names.push_back(c->name());
  EXPECT_EQ(names, (std::vector<std::string>{"main", "add", "add.1"}));
}

TEST(SubComputationTest, SharedCalleesAreOneEvenThroughOtherComputations) {
  // Each level calls the two before it: copies of copies would be exponential.
  std::vector<XlaComputation> levels = {ScalarAdd(F32), ScalarAdd(F32)};
  const Shape scalar = ShapeUtil::MakeShape(F32, {});
  for (int i = 0; i < 40; ++i) {
    XlaBuilder b(absl::StrCat("level", i));
    const XlaOp x = Parameter(&b, 0, scalar, "x");
    const XlaOp y = Parameter(&b, 1, scalar, "y");
    Call(&b, levels[i], {x, Call(&b, levels[i + 1], {x, y})});
    levels.push_back(b.Build().value());
  }
  ASSERT_OK_AND_ASSIGN(auto module, levels.back().module());
  EXPECT_EQ(module->computation_count(), 42);
  EXPECT_OK(VerifyModule(*module));
}

TEST(SubComputationTest, SubBuildersAndIds) {
  XlaBuilder b("main");
  const Shape scalar = ShapeUtil::MakeShape(S32, {});
  const XlaOp init = ConstantR0<int32_t>(&b, 0);
  auto condition = b.CreateSubBuilder("condition");
  Lt(Parameter(condition.get(), 0, scalar, "i"), ConstantR0<int32_t>(condition.get(), 10));
  ASSERT_OK_AND_ASSIGN(const XlaComputationId condition_id, condition->BuildSubComputation());
  auto body = b.CreateSubBuilder("body");
  Add(Parameter(body.get(), 0, scalar, "i"), ConstantR0<int32_t>(body.get(), 3));
  ASSERT_OK_AND_ASSIGN(const XlaComputationId body_id, body->BuildSubComputation());
  While(condition_id, body_id, init);
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(&b));
  EXPECT_EQ(result, LiteralUtil::CreateR0<int32_t>(12));

  XlaBuilder other("other");
  Call(&other, body_id, {ConstantR0<int32_t>(&other, 0)});
  EXPECT_ERROR(other.Build(), "no computation with id");
  EXPECT_ERROR(other.BuildSubComputation(), "not a sub-builder");
}

TEST(SubComputationTest, ErrorsOfSubBuildersReachTheParent) {
  XlaBuilder b("main");
  auto sub = b.CreateSubBuilder("sub");
  const XlaOp x = Parameter(sub.get(), 0, kVector, "x");
  Reshape(x, {3});
  EXPECT_TRUE(sub->BuildAndNoteError().IsNull());
  ConstantR0<float>(&b, 1);
  EXPECT_ERROR(b.Build(), "error from: sub");
  EXPECT_ERROR(b.Build(), "Reshape: ");
}

TEST(SubComputationTest, NullComputationIsAnError) {
  XlaBuilder b("main");
  Call(&b, XlaComputation(), {});
  EXPECT_ERROR(b.Build(), "A computation to call is null.");
}

TEST(XlaComputationTest, ProtoRoundTrip) {
  const XlaComputation add = ScalarAdd(F32);
  const XlaComputation copy{HloModuleProto(add.proto())};
  ASSERT_OK_AND_ASSIGN(const ProgramShape shape, copy.GetProgramShape());
  EXPECT_EQ(ShapeUtil::HumanString(shape), "(x: f32[], y: f32[]) -> f32[]");
  XlaBuilder b("main");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  ReduceAll(x, ConstantR0<float>(&b, 0), copy);
  const Literal argument = LiteralUtil::CreateR1<float>({1, 2});
  ASSERT_OK_AND_ASSIGN(const Literal result, RunProgram(&b, {&argument}));
  EXPECT_EQ(result, LiteralUtil::CreateR0<float>(3));

  XlaComputation changed = add;
  changed.mutable_proto()->set_name("renamed");
  EXPECT_EQ(changed.proto().name(), "renamed");
  EXPECT_EQ(add.proto().name(), "add");
  ASSERT_OK_AND_ASSIGN(auto snapshot, add.Snapshot());
  // The parameters keep their names.
  ASSERT_OK_AND_ASSIGN(const ProgramShape original, add.GetProgramShape());
  ASSERT_OK_AND_ASSIGN(const ProgramShape again,
                       XlaComputation(snapshot->hlo().hlo_module()).GetProgramShape());
  EXPECT_EQ(again.ToProto().SerializeAsString(), original.ToProto().SerializeAsString());
  EXPECT_EQ(snapshot->hlo().hlo_module().name(), "add");
  EXPECT_ERROR(XlaComputation().Snapshot(), "invalid");
  EXPECT_EQ(XlaComputation().UniqueId(), -1);
  EXPECT_EQ(XlaComputation().proto().name(), "");
  EXPECT_EQ(XlaComputation().proto().computations_size(), 0);
  EXPECT_EQ(XlaComputation().name(), "");
  EXPECT_TRUE(XlaComputation().IsNull());
  EXPECT_ERROR(XlaComputation().GetProgramShape(), "");

  XlaBuilder bad("bad");
  Call(&bad, XlaComputation(HloModuleProto()), {});
  EXPECT_FALSE(bad.Build().ok());
}

// --- Constants

TEST(ConstantTest, IsConstantLooksAtParametersAndEffects) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp c = ConstantR1<float>(&b, {1, 2});
  const XlaOp random = RngUniform(ConstantR0<float>(&b, 0), ConstantR0<float>(&b, 1), kVector);
  EXPECT_TRUE(b.IsConstant(c * c).value());
  EXPECT_FALSE(b.IsConstant(c * x).value());
  EXPECT_FALSE(b.IsConstant(c + random).value());
  EXPECT_FALSE(b.IsConstant(ReplicaId(&b)).value());
  const XlaOp dynamic = SetDimensionSize(x, ConstantR0<int32_t>(&b, 1), 0);
  EXPECT_TRUE(b.IsConstant(GetDimensionSize(dynamic, 0)).value());
}

TEST(ConstantTest, ConstantSubGraph) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp c = ConstantR1<float>(&b, {1, 2});
  const XlaOp sum = Reduce(c, ConstantR0<float>(&b, 0.5), ScalarAdd(F32), {0});
  const XlaOp element = GetTupleElement(Tuple(&b, {x, sum}), 1);
  ASSERT_OK_AND_ASSIGN(const XlaComputation graph, b.BuildConstantSubGraph(element + element));
  ASSERT_OK_AND_ASSIGN(auto module, graph.module());
  ASSERT_OK(VerifyModule(*module));
  EXPECT_EQ(module->entry_computation()->num_parameters(), 0);
  ASSERT_OK_AND_ASSIGN(const Literal result, Interpret(*module, {}));
  EXPECT_EQ(result, LiteralUtil::CreateR0<float>(7));
  EXPECT_ERROR(b.BuildConstantSubGraph(x), "not a compile-time constant");

  const XlaOp dynamic = SetDimensionSize(x, ConstantR0<int32_t>(&b, 1), 0);
  for (const bool minus_one : {false, true}) {
    ASSERT_OK_AND_ASSIGN(const XlaComputation size,
                         b.BuildConstantSubGraph(GetDimensionSize(dynamic, 0), minus_one));
    ASSERT_OK_AND_ASSIGN(auto size_module, size.module());
    ASSERT_OK_AND_ASSIGN(const Literal value, Interpret(*size_module, {}));
    EXPECT_EQ(value, LiteralUtil::CreateR0<int32_t>(minus_one ? -1 : 2));
  }
  EXPECT_OK(b.Build());  // the builder is as it was
}

TEST(ConstantTest, NativeValues) {
  const auto constant = [](auto make) {
    XlaBuilder b("test");
    make(&b);
    return Body(&b);
  };
  EXPECT_EQ(constant([](auto* b) { ConstantR0<bool>(b, true); }),
            "ROOT constant = pred[] constant(true)");
  EXPECT_EQ(constant([](auto* b) {
              ConstantR1<int64_t>(b, {1, -2});
            }),
            "ROOT constant = s64[2] constant({1, -2})");
  EXPECT_EQ(constant([](auto* b) {
              ConstantR2<float>(b, {{1, 2}, {3, 4}});
            }),
            "ROOT constant = f32[2,2] constant({ { 1, 2 }, { 3, 4 } })");
  EXPECT_EQ(
      constant([](auto* b) { ConstantR3FromArray3D<int32_t>(b, Array3D<int32_t>(1, 1, 2, 5)); }),
      "constant = s32[] constant(5)\n"
      "ROOT broadcast = s32[1,1,2] broadcast(constant), dimensions={}");
  EXPECT_EQ(
      constant([](auto* b) { ConstantR1<uint8_t>(b, 3, 7); }),
      "constant = u8[] constant(7)\nROOT broadcast = u8[3] broadcast(constant), dimensions={}");
  EXPECT_EQ(constant([](auto* b) { ConstantR1<float>(b, {}); }),
            "ROOT constant = f32[0] constant({})");
  EXPECT_EQ(constant([](auto* b) {
              ConstantFromArrayWithLayout<int32_t>(b, Array2D<int32_t>({{1, 2}, {3, 4}}),
                                                   LayoutUtil::MakeLayout({0, 1}));
            }),
            "ROOT constant = s32[2,2] constant({ { 1, 2 }, { 3, 4 } })");
}

// --- Scopes

TEST(ScopeTest, MetadataOnceAndForAll) {
  XlaBuilder b("test");
  OpMetadata all, once;
  all.set_op_name("all");
  once.set_op_name("once");
  b.SetOpMetadata(all);
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  b.SetOneShotOpMetadata(once);
  const XlaOp y = Neg(x);
  Abs(y);
  {
    XlaScopedOpMetadataAssignment scope(&b, once);
    Sign(y);
  }
  Floor(y);
  b.ClearOpMetadata();
  Ceil(y);
  ASSERT_OK_AND_ASSIGN(auto module, BuildVerified(&b));
  std::vector<std::string> names;
  for (const HloInstruction* i : module->entry_computation()->instructions()) {
    names.push_back(i->metadata().op_name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"all", "once", "all", "once", "all", ""}));
}

TEST(ScopeTest, ShardingsAreSpreadOverTuples) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  {
    XlaScopedShardingAssignment scope(&b, sharding_builder::AssignDevice(1));
    Tuple(&b, {x, Neg(x)});
  }
  EXPECT_FALSE(b.sharding().has_value());
  EXPECT_EQ(Body(&b),
            "negate = f32[2] negate(x), sharding={maximal device=1}\n"
            "ROOT tuple = (f32[2], f32[2]) tuple(x, negate), "
            "sharding={{maximal device=1}, {maximal device=1}}");
}

TEST(ScopeTest, FeedsHaveTheShardingsOfDataAndToken) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  {
    XlaScopedShardingAssignment scope(&b, sharding_builder::Replicate());
    Outfeed(x, kVector, "");
    Infeed(&b, kVector, "");
  }
  {
    XlaScopedShardingAssignment scope(&b, sharding_builder::Tuple({sharding_builder::Manual()}));
    Outfeed(x, kVector, "");
  }
  EXPECT_EQ(
      Body(&b),
      "tuple = () tuple()\n"
      "after-all.1 = token[] after-all(), sharding={maximal device=0}\n"
      "infeed = (f32[2], token[]) infeed(after-all.1), sharding={{replicated}, {replicated}}\n"
      "get-tuple-element = token[] get-tuple-element(infeed), index=1, "
      "sharding={maximal device=0}\n"
      "get-tuple-element.1 = f32[2] get-tuple-element(infeed), index=0, sharding={replicated}\n"
      "after-all = token[] after-all(), sharding={maximal device=0}\n"
      "outfeed = token[] outfeed(x, after-all), outfeed_shape=f32[2]{0}, "
      "sharding={{replicated}, {maximal device=0}}\n"
      "outfeed.1 = token[] outfeed(x, outfeed), outfeed_shape=f32[2]{0}, "
      "sharding={{manual}, {maximal device=0}}\n"
      "ROOT tuple.1 = () tuple()");
}

TEST(ScopeTest, ShardingsOfTokensAreCheckedInTuples) {
  const auto build = [](int device) {
    XlaBuilder b("test");
    XlaScopedShardingAssignment scope(
        &b, sharding_builder::Tuple(
                {sharding_builder::Replicate(), sharding_builder::AssignDevice(device)}));
    CreateToken(&b);
    return b.Build().status();
  };
  EXPECT_OK(build(0));
  EXPECT_FALSE(build(-1).ok());
}

TEST(ScopeTest, ImplicitOperationsOfLowerRankGetNoSharding) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {2, 2}), "x");
  const XlaOp y = Parameter(&b, 1, ShapeUtil::MakeShape(F32, {2, 1}), "y");
  OpSharding tiled =
      sharding_builder::Tile(ShapeUtil::MakeShape(F32, {1, 2}), Array2D<int64_t>({{0}, {1}}));
  XlaScopedShardingAssignment scope(&b, tiled);
  Add(x, y);
  EXPECT_EQ(Body(&b),
            "reshape = f32[2] reshape(y)\n"
            "broadcast = f32[2,2] broadcast(reshape), dimensions={0}, sharding={devices=[2,1]0,1}\n"
            "ROOT add = f32[2,2] add(x, broadcast), sharding={devices=[2,1]0,1}");
}

TEST(ScopeTest, ShardingsThatDoNotFitAreErrors) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  b.SetSharding(
      sharding_builder::Tuple({sharding_builder::Replicate(), sharding_builder::Manual()}));
  Neg(x);
  EXPECT_ERROR(b.Build(), "Neg: ");
}

TEST(BuildTest, CompositesHaveANameAndAVersion) {
  const auto build = [](const std::string& name, absl::string_view attributes, int64_t version) {
    XlaBuilder b("test");
    const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {}), "x");
    CompositeCall(&b, ScalarAdd(F32), {x, x}, name, attributes, version);
    return b.Build();
  };
  EXPECT_OK(build("name", "{}", 0));
  EXPECT_ERROR(build("name", "{}", -1), "composite.version whose value is a non-negative integer");
  EXPECT_ERROR(build("name", "", 0), "composite.attributes whose value is default");
  EXPECT_ERROR(build("", "{}", 0), "composite.name whose value is non-empty");
}

TEST(ScopeTest, ShardingsOfImpossibleCountsAreErrors) {
  for (const int64_t tiles : {int64_t{-1}, int64_t{0}, std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max()}) {
    XlaBuilder b("test");
    const XlaOp x = Parameter(&b, 0, kVector, "x");
    b.SetSharding(sharding_builder::Tile1D(kVector, tiles));
    Neg(x);
    EXPECT_ERROR(b.Build(), "Neg: ");
  }
}

TEST(ScopeTest, FrontendAttributes) {
  XlaBuilder b("test");
  FrontendAttributes attributes;
  (*attributes.mutable_map())["key"] = "value";
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  XlaOp y;
  {
    XlaScopedFrontendAttributesAssignment scope(&b, attributes);
    y = Neg(x);
  }
  const XlaOp z = Abs(y);
  ASSERT_OK(b.SetInstructionFrontendAttribute(z, "other", "1"));
  ASSERT_OK(b.SetInstructionSharding(z, sharding_builder::Replicate()));
  ASSERT_OK_AND_ASSIGN(const auto sharding, b.GetOpSharding(z));
  EXPECT_EQ(sharding->type(), OpSharding::REPLICATED);
  EXPECT_EQ(
      Body(&b),
      "negate = f32[2] negate(x), frontend_attributes={key=\"value\"}\n"
      "ROOT abs = f32[2] abs(negate), sharding={replicated}, frontend_attributes={other=\"1\"}");
}

TEST(ScopeTest, OriginalValues) {
  XlaBuilder b("test");
  OriginalValueProto value;
  value.add_elements()->mutable_original_array()->set_instruction_name("was");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  {
    XlaScopedOriginalValueAssignment scope(&b, value);
    Neg(x);
  }
  EXPECT_EQ(Body(&b), "ROOT negate = f32[2] negate(x), origin={{\"was\"}}");
}

TEST(ScopeTest, OriginalValuesOfTuples) {
  XlaBuilder b("test");
  OriginalValue value(kVector);
  value.mutable_tree()->begin()->second = OriginalArray{"was", {1}};
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  XlaOp negative;
  {
    XlaScopedOriginalValueAssignment scope(&b, value.ToProto());
    negative = Neg(x);
  }
  GetTupleElement(Tuple(&b, {x, negative}), 1);
  EXPECT_EQ(Body(&b),
            "negate = f32[2] negate(x), origin={{\"was\" {1}}}\n"
            "tuple = (f32[2], f32[2]) tuple(x, negate), origin={({}, {\"was\" {1}})}\n"
            "ROOT get-tuple-element = f32[2] get-tuple-element(tuple), index=1, origin={{\"was\" "
            "{1}}}");
}

TEST(OriginalValueTest, TreesProtosAndText) {
  const OriginalArray x = {"x", {}}, y = {"y", {0, 1}};
  const OriginalValue pair(OriginalValue::Tree({x, y}));
  EXPECT_EQ(pair.ToString(), "({\"x\"}, {\"y\" {0,1}})");
  EXPECT_EQ(y.ToString(), "\"y\" {0,1}");
  EXPECT_EQ(*OriginalValue::FromProto(pair.ToProto()), pair);
  EXPECT_EQ(OriginalValue(pair.ToTree()), pair);
  EXPECT_TRUE(pair.IsTuple());
  EXPECT_FALSE(pair.IsEmpty());
  EXPECT_TRUE(OriginalValue(kVector).IsEmpty());
  EXPECT_TRUE(pair.IsCompatibleWith(ShapeUtil::MakeTupleShape({kVector, kVector})));
  EXPECT_FALSE(pair.IsCompatibleWith(kVector));
  EXPECT_FALSE(pair == OriginalValue(OriginalValue::Tree({y, x})));
  const OriginalValue call = OriginalValue::SyntheticCall();
  EXPECT_EQ(call.ToString(), "[synthetic_call]");
  EXPECT_EQ(*OriginalValue::FromProto(call.ToProto()), call);
}

// --- Facts of the program

TEST(AliasTest, AliasesAndDonors) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  const XlaOp y = Parameter(&b, 1, kVector, "y");
  b.SetUpAlias({0}, 0, {}, HloInputOutputAliasConfig::AliasKind::kMustAlias);
  b.SetUpAlias({1}, 1, {});
  Tuple(&b, {Neg(x), Neg(y)});
  ASSERT_OK_AND_ASSIGN(auto module, BuildVerified(&b));
  const std::string text = ModuleToString(*module);
  EXPECT_TRUE(absl::StrContains(
      text, "input_output_alias={ {0}: (0, {}, must-alias), {1}: (1, {}, may-alias) }"))
      << text;
}

TEST(AliasTest, WhatDoesNotFitIsAnErrorOfBuild) {
  const auto build = [](auto set_up) {
    XlaBuilder b("test");
    Neg(Parameter(&b, 0, kVector, "x"));
    set_up(&b);
    return b.Build().status();
  };
  EXPECT_ERROR(build([](auto* b) { b->SetUpAlias({}, 1, {}); }), "Invalid parameter number 1");
  EXPECT_ERROR(build([](auto* b) { b->SetUpAlias({}, 0, {2}); }), "index: {2}");
  EXPECT_ERROR(build([](auto* b) { b->SetUpAlias({3}, 0, {}); }), "invalid index");
  EXPECT_ERROR(build([](auto* b) {
                 b->SetUpAlias({}, 0, {});
                 b->SetUpAlias({}, 0, {});
               }),
               "already has an alias");
  EXPECT_ERROR(build([](auto* b) {
                 b->SetUpAlias({}, 0, {});
                 b->AddBufferDonor(0, {});
               }),
               "already aliased");
  EXPECT_OK(build([](auto* b) { b->AddBufferDonor(0, {}); }));
}

TEST(DynamicBindingTest, TheTargetHasTheSizeThatTheOtherParameterTells) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4}), "x");
  Parameter(&b, 1, ShapeUtil::MakeShape(S32, {}), "size");
  ASSERT_OK(b.SetDynamicBinding(1, {}, 0, {}, 0));
  EXPECT_EQ(ShapeUtil::HumanString(b.GetShape(x).value()), "f32[<=4]");
  ReduceAll(x, ConstantR0<float>(&b, 0), ScalarAdd(F32));
  const Literal values = LiteralUtil::CreateR1<float>({1, 10, 100, 1000});
  const Literal size = LiteralUtil::CreateR0<int32_t>(2);
  ASSERT_OK_AND_ASSIGN(const Literal sum, RunProgram(&b, {&values, &size}));
  EXPECT_EQ(sum, LiteralUtil::CreateR0<float>(11));
}

TEST(DynamicBindingTest, PartsOfTuples) {
  XlaBuilder b("test");
  const Shape array = ShapeUtil::MakeShape(F32, {4, 4});
  const XlaOp x =
      Parameter(&b, 0, ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {}), array}), "x");
  ASSERT_OK(b.SetDynamicBinding(0, {0}, 0, {1}, 1));
  EXPECT_EQ(ShapeUtil::HumanString(b.GetShape(x).value()), "(s32[], f32[4,<=4])");
  EXPECT_FALSE(b.SetDynamicBinding(0, {1}, 0, {1}, 0).ok());  // no scalar
}

TEST(DynamicBindingTest, ParametersMustExistAndBeUnused) {
  const auto bind = [](int64_t size, int64_t target, int64_t dimension, bool used) {
    XlaBuilder b("test");
    const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4}), "x");
    Parameter(&b, 1, ShapeUtil::MakeShape(S32, {}), "size");
    if (used) Neg(x);
    return b.SetDynamicBinding(size, {}, target, {}, dimension);
  };
  EXPECT_OK(bind(1, 0, 0, false));
  EXPECT_ERROR(bind(1, 2, 0, false), "There is no parameter 2 to bind");
  EXPECT_ERROR(bind(2, 0, 0, false), "There is no parameter 2 to bind");
  EXPECT_FALSE(bind(1, 0, 1, false).ok());
  EXPECT_ERROR(bind(1, 0, 0, true), "it is used already, by");
}

TEST(BuildTest, RemoveDynamicDimensions) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4}, {true}), "x");
  Neg(x);
  ASSERT_OK_AND_ASSIGN(const XlaComputation built, b.Build(/*remove_dynamic_dimensions=*/true));
  ASSERT_OK_AND_ASSIGN(const ProgramShape shape, built.GetProgramShape());
  EXPECT_EQ(ShapeUtil::HumanString(shape), "(x: f32[4]) -> f32[4]");
}

TEST(BuildTest, OpToStringListsWhatTheOperationNeeds) {
  XlaBuilder b("test");
  const XlaOp x = Parameter(&b, 0, kVector, "x");
  Abs(x);
  EXPECT_EQ(b.OpToString(Neg(x)),
            "negate, shape=[2], metadata={:0}\n  parameter, shape=[2], metadata={:0}");
  EXPECT_EQ(b.OpToString(XlaOp()), "<An operand is an uninitialized XlaOp.>");
}

TEST(ConstantTest, ShapesOfBorrowedMemoryAreChecked) {
  const float elements[] = {1, 2, 3, 4};
  Shape shape = ShapeUtil::MakeShape(F32, {2, 2});
  const auto error = [&] {
    XlaBuilder b("constant");
    ConstantLiteral(&b, BorrowingLiteral(reinterpret_cast<const char*>(elements), shape));
    return b.Build().status();
  };
  EXPECT_OK(error());
  *shape.mutable_layout() = LayoutUtil::MakeLayout({0, 0});
  EXPECT_ERROR(error(), "ConstantLiteral: ");
}

}  // namespace
}  // namespace xla
