// SPDX-License-Identifier: Apache-2.0
// Functions beyond the vocabulary that nothing else in the library calls: code written for XLA
// does.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/builder/builder_test_util.h"
#include "tests/test_util.h"
#include "xla/client/client_library.h"
#include "xla/client/executable_build_options.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/lib/arithmetic.h"
#include "xla/hlo/builder/lib/comparators.h"
#include "xla/hlo/builder/lib/math.h"
#include "xla/hlo/builder/lib/tridiagonal.h"
#include "xla/hlo/builder/lib/tuple.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/parser/hlo_lexer.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal_util.h"
#include "xla/service/computation_placer.h"
#include "xla/service/custom_call_target_registry.h"
#include "xla/service/layout_assignment.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using testing::RunProgram;
using tridiagonal::kThomas;
using tridiagonal::TridiagonalMatMul;
using tridiagonal::TridiagonalSolver;

TEST(XlaEntryPoints, PlacesInTexts) {
  const absl::string_view text = "HloModule m\n  ENTRY e";
  HloLexer lexer(text);
  EXPECT_EQ(lexer.Lex(), TokKind::kw_HloModule);
  EXPECT_EQ(lexer.GetLineAndColumn(lexer.GetLoc()), (std::pair<unsigned, unsigned>(1, 1)));
  EXPECT_EQ(lexer.GetLine(lexer.GetLoc()), "HloModule m");
  while (lexer.GetKind() != TokKind::kw_ENTRY) lexer.Lex();
  EXPECT_EQ(lexer.GetLineAndColumn(lexer.GetLoc()), (std::pair<unsigned, unsigned>(2, 3)));
  EXPECT_EQ(lexer.GetLine(lexer.GetLoc()), "  ENTRY e");
  EXPECT_EQ(lexer.LookAhead(), TokKind::kIdent);
}

int first_target, second_target;

TEST(XlaEntryPoints, TargetsOfCustomCalls) {
  CustomCallTargetRegistry registry;
  EXPECT_EQ(registry.Lookup("f", "Host"), nullptr);
  registry.Register("f", &first_target, "Host");
  registry.Register("f", &second_target, "CUDA");
  EXPECT_EQ(registry.Lookup("f", "Host"), &first_target);
  EXPECT_EQ(registry.Lookup("f", "CUDA"), &second_target);
  EXPECT_EQ(registry.Lookup("g", "Host"), nullptr);
  registry.Register("f", &second_target, "Host");  // the first one stays
  EXPECT_EQ(registry.Lookup("f", "Host"), &first_target);
  EXPECT_EQ(registry.registered_symbols("Host").size(), 1u);
  EXPECT_EQ(registry.registered_symbols("ROCM").size(), 0u);
}

// Where XLA's layout assignment must keep the layout of operands.
TEST(XlaEntryPoints, InstructionsThatChangeLayouts) {
  const auto module = ParseAndReturnUnverifiedModule(R"(
HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  i = s32[] constant(0)
  keeps_1 = f32[2,3] negate(x)
  keeps_2 = f32[2,3] copy(x)
  keeps_3 = f32[3,2] transpose(x), dimensions={1,0}
  keeps_4 = f32[6] reshape(x)
  keeps_5 = f32[4,3] concatenate(x, x), dimensions={0}
  keeps_6 = f32[1,3] slice(x), slice={[0:1], [0:3]}
  keeps_7 = f32[1,3] dynamic-slice(x, i, i), dynamic_slice_sizes={1,3}
  keeps_8 = f32[2,3] dynamic-update-slice(x, keeps_7, i, i)
  keeps_9 = f32[2,3,1] broadcast(x), dimensions={0,1}
  ROOT r = () tuple()
}
)");
  ASSERT_OK(module.status());
  std::map<std::string, bool> changes;
  for (const HloInstruction* instruction : (*module)->entry_computation()->instructions()) {
    changes[std::string(HloOpcodeString(instruction->opcode()))] =
        LayoutAssignment::InstructionCanChangeLayout(instruction);
  }
  // Copies and what is made of indices may; those that move whole parts may not.
  EXPECT_TRUE(changes["copy"]);
  EXPECT_TRUE(changes["transpose"]);
  EXPECT_TRUE(changes["reshape"]);
  EXPECT_TRUE(changes["broadcast"]);
  EXPECT_FALSE(changes["negate"]);
  EXPECT_FALSE(changes["concatenate"]);
  EXPECT_FALSE(changes["slice"]);
  EXPECT_FALSE(changes["dynamic-slice"]);
  EXPECT_FALSE(changes["dynamic-update-slice"]);
}

TEST(XlaEntryPoints, Tuples) {
  XlaBuilder b("tuples");
  const XlaOp x = ConstantR0<float>(&b, 1), y = ConstantR0<int32_t>(&b, 2);
  const XlaOp nested = Tuple(&b, {x, Tuple(&b, {y, x})});
  auto parts = DisassembleTuple(nested);
  ASSERT_OK(parts.status());
  // Puts it together with the inner pair exchanged.
  const XlaOp first = parts->element({1, 0}), second = parts->element({1, 1});
  EXPECT_EQ(b.GetShape(first)->element_type(), S32);
  EXPECT_EQ(b.GetShape(second)->element_type(), F32);
  EXPECT_TRUE(b.GetShape(parts->element({}))->IsTuple());
  *parts->mutable_element({0}) = Neg(parts->element({0}));
  AssembleTuple(&b, *std::move(parts));
  const auto result = RunProgram(&b, {});
  ASSERT_OK(result.status());
  EXPECT_EQ(result->Get<float>({}, {0}), -1);
  EXPECT_EQ(result->Get<int32_t>({}, {1, 0}), 2);
  EXPECT_EQ(result->Get<float>({}, {1, 1}), 1);
}

TEST(XlaEntryPoints, TridiagonalMatrices) {
  // 1 4 0     1      The first row of each diagonal is the upper, then the main, then the lower.
  // 6 2 5  x  2
  // 0 7 3     3
  XlaBuilder b("product");
  const XlaOp upper = ConstantR2<float>(&b, {{4, 5, 100}}),
              main = ConstantR2<float>(&b, {{1, 2, 3}}),
              lower = ConstantR2<float>(&b, {{100, 6, 7}});
  const XlaOp x = ConstantR2<float>(&b, {{1, 10}, {2, 20}, {3, 30}});
  ASSERT_OK(TridiagonalMatMul(upper, main, lower, x).status());
  const auto product = RunProgram(&b, {});
  ASSERT_OK(product.status());
  EXPECT_EQ(*product, LiteralUtil::CreateR2<float>({{9, 90}, {25, 250}, {23, 230}}));

  XlaBuilder solver("solver");
  const XlaOp diagonals = ConstantR2<float>(&solver, {{4, 5, 100}, {1, 2, 3}, {100, 6, 7}});
  ASSERT_OK(TridiagonalSolver(kThomas, diagonals,
                              ConstantR2<float>(&solver, {{9, 25, 23}, {90, 250, 230}}))
                .status());
  const auto solution = RunProgram(&solver, {});
  ASSERT_OK(solution.status());
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(solution->Get<float>({0, i}), static_cast<float>(i + 1), 1e-5);
    EXPECT_NEAR(solution->Get<float>({1, i}), static_cast<float>(10 * (i + 1)), 1e-4);
  }

  XlaBuilder single("single");
  ASSERT_OK(TridiagonalSolver(kThomas, ConstantR2<float>(&single, {{100}, {4}, {100}}),
                              ConstantR2<float>(&single, {{8}}))
                .status());
  const auto quotient = RunProgram(&single, {});
  ASSERT_OK(quotient.status());
  EXPECT_EQ(*quotient, LiteralUtil::CreateR2<float>({{2}}));
  EXPECT_FALSE(TridiagonalSolver(kThomas, ConstantR2<float>(&single, {{1}, {2}}),
                                 ConstantR2<float>(&single, {{8}}))
                   .ok());
  EXPECT_FALSE(
      TridiagonalSolver(kThomas, ConstantR1<float>(&single, {1}), ConstantR2<float>(&single, {{8}}))
          .ok());
}

TEST(XlaEntryPoints, Comparators) {
  XlaBuilder b("outer");
  const XlaComputation ge = CreateScalarGeComputation(F32, &b);
  XlaBuilder caller("caller");
  const XlaOp one = ConstantR0<float>(&caller, 1), two = ConstantR0<float>(&caller, 2);
  Tuple(&caller, {Call(&caller, ge, {one, two}), Call(&caller, ge, {two, two}),
                  Call(&caller, ge, {two, one})});
  const auto result = RunProgram(&caller, {});
  ASSERT_OK(result.status());
  EXPECT_FALSE(result->Get<bool>({}, {0}));
  EXPECT_TRUE(result->Get<bool>({}, {1}));
  EXPECT_TRUE(result->Get<bool>({}, {2}));

  XlaBuilder few("few");
  CreateScalarComparisonComputation("c", {F32, S32}, {XlaCompareOp(Lt)}, &few);
  EXPECT_FALSE(few.first_error().ok());
  XlaBuilder none("none");
  CreateScalarComparisonComputation("c", {}, {}, &none);
  EXPECT_FALSE(none.first_error().ok());
}

TEST(XlaEntryPoints, Devices) {
  ComputationPlacer placer;
  EXPECT_EQ(*placer.DeviceId(1, 2, 3, 4), 6);
  EXPECT_EQ(*placer.DeviceId(2, 3, 3, 4), 11);
  EXPECT_FALSE(placer.DeviceId(3, 0, 3, 4).ok());
  EXPECT_FALSE(placer.DeviceId(0, 4, 3, 4).ok());
  EXPECT_FALSE(placer.DeviceId(-1, 0, 3, 4).ok());
  EXPECT_FALSE(placer.DeviceId(0, -1, 3, 4).ok());
  auto assignment = placer.AssignDevices(2, 3);
  ASSERT_OK(assignment.status());
  EXPECT_EQ((*assignment)(1, 2), 5);
  EXPECT_EQ(*assignment->ReplicaIdForDevice(4), 1);
  EXPECT_FALSE(assignment->ReplicaIdForDevice(6).ok());
  (*assignment)(0, 0) = 5;
  EXPECT_FALSE(assignment->LogicalIdForDevice(5).ok());
  EXPECT_FALSE(placer.AssignDevices(0, 3).ok());
  EXPECT_FALSE(placer.AssignDevices(3, 0).ok());
}

TEST(XlaEntryPoints, BuildOptions) {
  ExecutableBuildOptions options;
  options.set_device_ordinal(3).set_num_replicas(2).set_num_partitions(4);
  EXPECT_EQ(options.ToString(),
            "ExecutableBuildOptions{device_ordinal=3, result_layout=nullopt, num_replicas=2, "
            "num_partitions=4}");
  options.set_result_layout(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}));
  EXPECT_NE(options.ToString().find("result_layout=f32[2,3]{0,1}"), std::string::npos);
}

}  // namespace
}  // namespace xla
