// SPDX-License-Identifier: Apache-2.0
// What code written for XLA asks of a module: accessors of instructions, schedules, aliases of
// parameters and results, layouts of the entry computation.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/test_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_input_output_alias_config.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/hlo/text/parser.h"
#include "xla/layout_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Aliases = std::vector<std::pair<ShapeIndex, std::pair<int64_t, ShapeIndex>>>;

std::unique_ptr<HloModule> Parse(const std::string& text) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseAndReturnUnverifiedModule(text);
  EXPECT_OK(module.status());
  return module.ok() ? *std::move(module) : nullptr;
}

HloInstruction* Named(const HloModule& module, const std::string& name) {
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      if (instruction->name() == name) return instruction;
    }
  }
  ADD_FAILURE() << name;
  return nullptr;
}

constexpr char kCalls[] = R"(
HloModule m
fused { a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  ROOT sum = f32[4] add(a, b) }
halves { c = f32[4] parameter(0)
  ROOT half = f32[4] negate(c) }
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1), frontend_attributes={kind="input",other="1"}
  f = f32[4] fusion(x, y), kind=kInput, calls=fused, output_to_operand_aliasing={{}: (1, {})}
  g = f32[4] call(f), to_apply=halves
  h = f32[4] custom-call(g, x), custom_call_target="t", backend_config="words", custom_call_has_side_effect=true
  i = f32[4] custom-call(h), custom_call_target="t"
  s = ((f32[4]), f32[4], u32[]) async-start(i), calls=halves, async_execution_thread="side"
  u = ((f32[4]), f32[4], u32[]) async-update(s)
  d = f32[4] async-done(u)
  order = token[] after-all()
  out = token[] outfeed(d, order), outfeed_config="where", outfeed_shape=f32[4]
  ROOT r = (f32[4], f32[4]) tuple(d, x)
}
)";

TEST(GraphAccess, Fusions) {
  const std::unique_ptr<HloModule> module = Parse(kCalls);
  const HloInstruction* fusion = Named(*module, "f");
  EXPECT_EQ(fusion->fusion_kind(), FusionKind::kInput);
  EXPECT_EQ(fusion->fused_instructions_computation(), fusion->called_computations()[0]);
  EXPECT_EQ(fusion->fused_instruction_count(), 3);
  EXPECT_EQ(fusion->fused_expression_root()->name(), "sum");
}

TEST(GraphAccess, AliasesOfOperandsAndResults) {
  const std::unique_ptr<HloModule> module = Parse(kCalls);
  EXPECT_EQ(Named(*module, "f")->output_to_operand_aliasing(),
            (Aliases{{ShapeIndex{}, {1, ShapeIndex{}}}}));
  for (const char* name : {"f", "g", "h"}) {
    HloInstruction* call = Named(*module, name);
    const Aliases aliases = {{ShapeIndex{1}, {0, ShapeIndex{2, 3}}}, {ShapeIndex{}, {4, {}}}};
    call->set_output_to_operand_aliasing(aliases);
    EXPECT_EQ(call->output_to_operand_aliasing(), aliases) << name;
    call->set_output_to_operand_aliasing({});
    EXPECT_TRUE(call->output_to_operand_aliasing().empty()) << name;
  }
}

TEST(GraphAccess, CustomCallsAndAttributes) {
  const std::unique_ptr<HloModule> module = Parse(kCalls);
  EXPECT_EQ(Named(*module, "h")->opaque(), "words");
  EXPECT_TRUE(Named(*module, "h")->custom_call_has_side_effect());
  EXPECT_FALSE(Named(*module, "i")->custom_call_has_side_effect());
  EXPECT_EQ(Named(*module, "out")->outfeed_config(), "where");
  HloInstruction* y = Named(*module, "y");
  EXPECT_EQ(y->get_frontend_attribute("kind"), "input");
  EXPECT_EQ(y->get_frontend_attribute("Kind"), std::nullopt);
  y->set_frontend_attribute("kind", "second");
  EXPECT_EQ(y->get_frontend_attribute("kind"), "second");
  EXPECT_FALSE(y->add_frontend_attribute("other", "2"));
  EXPECT_EQ(y->get_frontend_attribute("other"), "1");
  EXPECT_TRUE(y->add_frontend_attribute("new", "3"));
  EXPECT_EQ(y->get_frontend_attribute("new"), "3");
}

TEST(GraphAccess, AsyncChains) {
  const std::unique_ptr<HloModule> module = Parse(kCalls);
  HloInstruction *start = Named(*module, "s"), *done = Named(*module, "d");
  for (const char* name : {"s", "u", "d"}) {
    const HloInstruction* step = Named(*module, name);
    EXPECT_EQ(step->async_chain_start(), start) << name;
    EXPECT_EQ(step->async_chain_done(), done) << name;
    EXPECT_EQ(step->async_wrapped_computation(), start->called_computations()[0]) << name;
    EXPECT_EQ(step->async_wrapped_instruction(),
              start->called_computations()[0]->root_instruction())
        << name;
    EXPECT_EQ(step->async_wrapped_opcode(),
              start->called_computations()[0]->root_instruction()->opcode())
        << name;
    EXPECT_EQ(step->async_execution_thread(), "side") << name;
  }
}

TEST(GraphAccess, AliasesOfTheEntryComputation) {
  const std::unique_ptr<HloModule> module = Parse(R"(
HloModule m, input_output_alias={ {0}: (1, {0}, must-alias), {1}: (0, {}, may-alias) }, buffer_donor={ (1, {1}) }
ENTRY e {
  p = f32[2] parameter(0)
  q = (f32[2], f32[2]) parameter(1)
  a = f32[2] get-tuple-element(q), index=0
  ROOT r = (f32[2], f32[2], f32[2]) tuple(a, p, p)
})");
  const HloInputOutputAliasConfig config = module->input_output_alias_config();
  EXPECT_TRUE(config.ParameterHasAlias(1, {0}));
  EXPECT_FALSE(config.ParameterHasAlias(1, {1}));
  EXPECT_FALSE(config.ParameterHasAlias(1, {}));
  EXPECT_TRUE(config.ParameterHasAlias(0, {}));
  EXPECT_FALSE(config.ParameterHasAlias(0, {0}));
  EXPECT_TRUE(config.ParameterMustAlias(1, {0}));
  EXPECT_FALSE(config.ParameterMustAlias(0, {}));
  EXPECT_FALSE(config.ParameterMustAlias(2, {}));
  EXPECT_TRUE(config.OutputHasAlias({0}));
  EXPECT_TRUE(config.OutputHasAlias({1}));
  EXPECT_FALSE(config.OutputHasAlias({2}));
  EXPECT_FALSE(config.OutputHasAlias({}));
  EXPECT_EQ(config.GetAliasedOutput(1, {0}), ShapeIndex({0}));
  EXPECT_EQ(config.GetAliasedOutput(0, {}), ShapeIndex({1}));
  EXPECT_EQ(config.GetAliasedOutput(1, {1}), std::nullopt);
  const auto must = config.GetAliasedParameter({0}), may = config.GetAliasedParameter({1});
  ASSERT_TRUE(must.has_value() && may.has_value());
  EXPECT_EQ(must->parameter_number, 1);
  EXPECT_EQ(must->parameter_index, ShapeIndex({0}));
  EXPECT_EQ(must->kind, HloInputOutputAliasConfig::kMustAlias);
  EXPECT_TRUE(must->must_alias());
  EXPECT_EQ(may->parameter_number, 0);
  EXPECT_EQ(may->parameter_index, ShapeIndex({}));
  EXPECT_EQ(may->kind, HloInputOutputAliasConfig::kMayAlias);
  EXPECT_FALSE(may->must_alias());
  EXPECT_FALSE(config.GetAliasedParameter({2}).has_value());
  const HloBufferDonorConfig donors = module->buffer_donor_config();
  EXPECT_TRUE(donors.ParameterIsBufferDonor(1, {1}));
  EXPECT_FALSE(donors.ParameterIsBufferDonor(1, {0}));
  EXPECT_FALSE(donors.ParameterIsBufferDonor(0, {1}));
  EXPECT_FALSE(HloBufferDonorConfig().ParameterIsBufferDonor(1, {1}));
}

constexpr char kChain[] = R"(
HloModule m
fused { a = f32[] parameter(0)
  ROOT n = f32[] negate(a) }
twice { b = f32[] parameter(0)
  ROOT t = f32[] add(b, b) }
ENTRY e {
  x = f32[] parameter(0)
  y = f32[] fusion(x), kind=kLoop, calls=fused
  z = f32[] call(y), to_apply=twice
  w = f32[] sine(x)
  ROOT r = f32[] add(z, w), control-predecessors={w}
}
)";

TEST(GraphAccess, Schedules) {
  const std::unique_ptr<HloModule> module = Parse(kChain);
  const HloComputation* entry = module->entry_computation();
  const HloComputation* twice = Named(*module, "t")->parent();
  const HloComputation* fused = Named(*module, "n")->parent();
  HloSchedule schedule = module->schedule();
  EXPECT_EQ(schedule.module(), module.get());
  EXPECT_OK(schedule.Verify());
  EXPECT_EQ(schedule.sequences().size(), 2);
  EXPECT_TRUE(schedule.is_computation_scheduled(entry));
  EXPECT_TRUE(schedule.is_computation_scheduled(twice));
  EXPECT_FALSE(schedule.is_computation_scheduled(fused));
  EXPECT_EQ(schedule.sequence(twice).size(), 2);

  const auto of = [&](const std::vector<std::string>& names) {
    HloInstructionSequence sequence;
    for (const std::string& name : names) sequence.push_back(Named(*module, name));
    return sequence;
  };
  const auto verify = [&](const std::vector<std::string>& names) {
    HloSchedule other = schedule;
    other.set_sequence(entry, of(names));
    return other.Verify();
  };
  EXPECT_OK(verify({"x", "w", "y", "z", "r"}));
  EXPECT_ERROR(verify({"x", "w", "y", "z"}), "has 4 instructions, the computation 5");
  EXPECT_ERROR(verify({"x", "w", "y", "y", "r"}), "Instruction y is duplicated");
  EXPECT_ERROR(verify({"x", "w", "y", "b", "r"}), "an instruction of another computation");
  EXPECT_ERROR(verify({"y", "x", "w", "z", "r"}), "y is not scheduled after x, which it needs");
  EXPECT_ERROR(verify({"x", "y", "z", "r", "w"}), "r is not scheduled after w, which it needs");
  HloSchedule partial(module.get());
  partial.set_sequence(entry, of({"x", "w", "y", "z", "r"}));
  EXPECT_ERROR(partial.Verify(), "Computation twice has no schedule");
  EXPECT_ERROR(module->set_schedule(partial), "Computation twice has no schedule");
  EXPECT_FALSE(module->config().is_scheduled);

  schedule.set_sequence(entry, of({"x", "w", "y", "z", "r"}));
  EXPECT_OK(module->set_schedule(schedule));
  EXPECT_TRUE(module->config().is_scheduled);
  std::vector<std::string> names;
  for (const HloInstruction* instruction : entry->instructions())
    names.emplace_back(instruction->name());
  EXPECT_EQ(names, (std::vector<std::string>{"x", "w", "y", "z", "r"}));
}

TEST(GraphAccess, CopiesHaveTheirSuffix) {
  const std::unique_ptr<HloModule> module = Parse(kChain);
  EXPECT_EQ(module->Clone("copy")->name(), "m-copy");
  EXPECT_EQ(module->Clone("")->name(), "m");
}

TEST(GraphAccess, LayoutsOfTheEntryComputation) {
  Shape major = ShapeUtil::MakeShape(F32, {2, 3}), minor = major, none = major;
  *minor.mutable_layout() = LayoutUtil::MakeLayout({0, 1});
  none.clear_layout();
  ProgramShape shape;
  shape.AddParameter(minor, "a");
  shape.AddParameter(major, "b");
  *shape.mutable_result() = minor;

  const ComputationLayout kept(shape), plain(shape, /*ignore_layouts=*/true);
  EXPECT_EQ(kept.parameter_count(), 2);
  EXPECT_EQ(kept.parameter_layout(0).layout(), minor.layout());
  EXPECT_EQ(kept.parameter_layout(1).layout(), major.layout());
  EXPECT_EQ(kept.result_layout().layout(), minor.layout());
  EXPECT_EQ(kept.parameter_shape(0), minor);
  EXPECT_EQ(kept.result_shape(), minor);
  EXPECT_EQ(kept.ComputeProgramShape().parameters(0), minor);
  EXPECT_EQ(plain.parameter_shape(0), major);
  EXPECT_EQ(plain.result_shape(), major);
  EXPECT_TRUE(kept.LayoutIsSet() && kept.AnyLayoutSet());
  ProgramShape some = shape;
  *some.mutable_parameters(1) = none;
  EXPECT_FALSE(ComputationLayout(some).LayoutIsSet());
  EXPECT_TRUE(ComputationLayout(some).AnyLayoutSet());
  *some.mutable_parameters(1) = major;
  *some.mutable_result() = none;
  EXPECT_FALSE(ComputationLayout(some).LayoutIsSet());
  EXPECT_TRUE(ComputationLayout(some).AnyLayoutSet());
  *some.mutable_parameters(0) = none;
  *some.mutable_parameters(1) = none;
  EXPECT_FALSE(ComputationLayout(some).AnyLayoutSet());
  *some.mutable_result() = major;
  EXPECT_TRUE(ComputationLayout(some).AnyLayoutSet());

  EXPECT_TRUE(ShapeLayout(minor).MatchesLayoutInShape(minor));
  EXPECT_FALSE(ShapeLayout(minor).MatchesLayoutInShape(major));
  EXPECT_TRUE(ShapeLayout(minor) == ShapeLayout(minor));
  EXPECT_FALSE(ShapeLayout(minor) == ShapeLayout(major));
  EXPECT_TRUE(ShapeLayout(minor).LayoutIsSet() && ShapeLayout(minor).AnyLayoutIsSet());
  EXPECT_FALSE(ShapeLayout(none).LayoutIsSet() || ShapeLayout(none).AnyLayoutIsSet());
  const ShapeLayout half(ShapeUtil::MakeTupleShape({major, none}));
  EXPECT_TRUE(half.AnyLayoutIsSet() && !half.LayoutIsSet());

  HloModuleConfig config(shape);
  EXPECT_EQ(config.entry_computation_layout().result_shape(), major);
  config.SetComputationLayoutIfExists(shape);
  EXPECT_EQ(config.entry_computation_layout().result_shape(), minor);
  config.SetDefaultComputationLayout(shape);
  EXPECT_EQ(config.entry_computation_layout().result_shape(), major);
  EXPECT_EQ(HloModuleConfig(shape, /*ignore_layouts=*/false).entry_computation_layout().result(),
            minor);
  EXPECT_EQ(HloModule("named", config).config().entry_computation_layout().result_shape(), major);
}

// Each setter changes its own option and no other.
TEST(GraphAccess, PrintOptions) {
  struct Setter {
    HloPrintOptions& (HloPrintOptions::*set)(bool);
    bool HloPrintOptions::*option;
  };
  using P = HloPrintOptions;
  const Setter setters[] = {
      {&P::set_print_large_constants, &P::print_large_constants},
      {&P::set_print_metadata, &P::print_metadata},
      {&P::set_print_metadata_only_op_name, &P::print_metadata_only_op_name},
      {&P::set_print_backend_config, &P::print_backend_config},
      {&P::set_print_operand_shape, &P::print_operand_shape},
      {&P::set_print_operand_index_annotation_interval_comments,
       &P::print_operand_index_annotation_interval_comments},
      {&P::set_print_program_shape, &P::print_program_shape},
      {&P::set_print_percent, &P::print_percent},
      {&P::set_print_control_dependencies, &P::print_control_dependencies},
      {&P::set_print_result_shape, &P::print_result_shape},
      {&P::set_print_ids, &P::print_ids},
      {&P::set_print_extra_attributes, &P::print_extra_attributes},
      {&P::set_print_name_after_closing_brace, &P::print_name_after_closing_brace},
      {&P::set_canonicalize_instruction_names, &P::canonicalize_instruction_names},
      {&P::set_canonicalize_computations, &P::canonicalize_computations},
      {&P::set_syntax_sugar_async_ops, &P::syntax_sugar_async_ops},
      {&P::set_print_only_essential_constants, &P::print_only_essential_constants},
      {&P::set_include_layout_in_shapes, &P::include_layout_in_shapes},
      {&P::set_print_subcomputation_in_place, &P::print_subcomputation_in_place},
      {&P::set_print_stack_frames, &P::print_stack_frames},
      {&P::set_print_header, &P::print_header},
  };
  for (const Setter& setter : setters) {
    for (const bool value : {false, true}) {
      HloPrintOptions options;
      EXPECT_EQ(&(options.*setter.set)(value), &options);
      for (const Setter& other : setters) {
        EXPECT_EQ(options.*other.option,
                  &other == &setter ? value : HloPrintOptions::Default().*other.option);
      }
    }
  }
  HloPrintOptions options;
  EXPECT_EQ(options.set_indent_amount(3).indent_amount, 3);
  options.set_print_operand_index_annotation_interval(0);
  EXPECT_FALSE(options.print_operand_index_annotation_interval_comments);
  options.set_print_operand_index_annotation_interval(5);
  EXPECT_TRUE(options.print_operand_index_annotation_interval_comments);
}

}  // namespace
}  // namespace xla
