// SPDX-License-Identifier: Apache-2.0
// What HLO text is not: each text below has one mistake, and the report that says where and what.
#include <gtest/gtest.h>

#include <string>

#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"

namespace xla {
namespace {

struct Case {
  const char* text;
  const char*
      report;  // part of the message; lines joined by '|' stand for one error after the other
};

// The report without the source lines and carets: "3:5: error: MESSAGE|2:1: error: MESSAGE".
std::string Summary(const absl::Status& status) {
  std::string summary;
  const std::string message(status.message());
  for (size_t at = 0; (at = message.find("was parsing ", at)) != std::string::npos;) {
    at += sizeof("was parsing ") - 1;
    if (!summary.empty()) summary += '|';
    summary += message.substr(at, message.find('\n', at) - at);
  }
  return summary;
}

TEST(ParserErrorTest, ReportsShowTheLineAndACaretInnermostFirst) {
  const auto module = ParseAndReturnUnverifiedModule(
      "HloModule m\nENTRY e {\n  a = f32[2] iota(), iota_dimension=x\n}");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(module.status().message(),
            "Syntax error when trying to parse the text as a HloModule:\n"
            "was parsing 3:37: error: expects integer\n"
            "  a = f32[2] iota(), iota_dimension=x\n"
            "                                    ^\n"
            "was parsing 3:22: error: error parsing attribute iota_dimension\n"
            "  a = f32[2] iota(), iota_dimension=x\n"
            "                     ^");
}

TEST(ParserErrorTest, ATextThatIsNoModuleIsTakenForAnInstruction) {
  EXPECT_ERROR(ParseAndReturnUnverifiedModule(""),
               "Syntax error when trying to parse the text as a single HloInstruction:\nwas "
               "parsing 1:0: error: expects "
               "name");
  EXPECT_ERROR(ParseAndReturnUnverifiedModule("f32[] add(f32[] a, f32[] b) more"),
               "Expected eof after parsing");
  EXPECT_ERROR(ParseAndReturnUnverifiedModule("f32[] add(a, f32[] b)"),
               "Operand had no shape in HLO text");
}

TEST(ParserErrorTest, EachMistakeHasItsReport) {
  const Case cases[] = {
      {"HloModule", "1:9: error: expects name"},
      {"HloModule m, replica_count=x ENTRY e { a = f32[] parameter(0) }",
       "1:27: error: expects integer|1:13: error: error parsing attribute replica_count"},
      {"HloModule m, color=1",
       "1:13: error: unexpected attribute \"color\". Allowed attributes: "
       "alias_passthrough_params"},
      {"HloModule m\nFileNames\n1 \"a\"\nENTRY e", "4:1: error: expects 'FunctionNames'"},
      {"HloModule m\nENTRY e {", "2:10: error: expects name"},
      {"HloModule m\nENTRY e {}", "2:10: error: expects name"},
      {"HloModule m\nENTRY e { a f32[] }", "2:13: error: expects '=' in instruction"},
      {"HloModule m\nENTRY e { a = f32[] parameter(0) }\nENTRY f { a = f32[] parameter(0) }",
       "3:1: error: expects only one ENTRY"},
      {"HloModule m\ne { a = f32[] parameter(0) }\ne { a = f32[] parameter(0) }",
       "3:1: error: computation already exists: e|2:1: error: computation previously defined here"},
      {"HloModule m\ne { ROOT a = f32[] parameter(0)\nROOT b = negate(a) }",
       "3:1: error: one computation should have only one ROOT"},
      {"HloModule m\ne { a = f32[] parameter(0)\na = negate(a) }",
       "3:1: error: instruction already exists: a|2:5: error: instruction previously defined here"},
      {"HloModule m\ne (a: f32[]) -> f32[3] { a = f32[] parameter(0) }",
       "2:17: error: Shape of computation e, f32[3], is not compatible with that of its root "
       "instruction a, f32[]"},
      {"HloModule m\ne { a = f32[] parameter(0)\nb = f32[] parameter(0) }",
       "3:22: error: Duplicate parameter number 0"},
      {"HloModule m\ne { a = f32[] parameter(-1) }", "2:27: error: parameter number must be >= 0"},
      {"HloModule m\ne { a = f32[] parameter(1) }",
       "2:26: error: parameter number 1 is out of range"},
      {"HloModule m\ne { a = parameter(0) }",
       "2:18: error: cannot infer shape for opcode: parameter"},
      {"HloModule m\ne { a = f32[] nothing() }",
       "2:15: error: expects opcode but sees: nothing, error: Unknown opcode"},
      {"HloModule m\ne { a = f32[] nothing-start() }",
       "2:15: error: expects async wrapped opcode but sees: nothing-start"},
      {"HloModule m\ne { a = f32[2 3] parameter(0) }",
       "2:15: error: expects a list to end with kRsquare"},
      {"HloModule m\ne { a = f32[-2] parameter(0) }",
       "2:13: error: expects a dimension size of at least 0"},
      {"HloModule m\ne { a = f32[2]{1,0} parameter(0) }",
       "2:21: error: Dimensions size is 1, but minor to major size is 2."},
      {"HloModule m\ne { a = f32[2]{0:E(x)} parameter(0) }", "2:20: error: expects integer"},
      {"HloModule m\ne { a = f32[2]{0:V(three)} parameter(0) }",
       "2:20: error: expects a padding value"},
      {"HloModule m\ne { %f32 = f32[] parameter(0) }",
       "2:5: error: illegal instruction name: f32; suggest renaming to: f32_"},
      {"HloModule m\ne { a = f32[] parameter(0)\nb = add(a) }",
       "3:8: error: expects 2 operands, but has 1 operands"},
      {"HloModule m\ne { a = f32[] parameter(0)\nb = negate(x) }",
       "3:12: error: cannot parse as an instruction name or as a nested instruction:|3:12: error: "
       "instruction does not "
       "exist: x|3:12: error: expects opcode but sees: x, error: Unknown opcode: x|3:12: error: "
       "expects ')' at the end of "
       "operands"},
      {"HloModule m\ne { a = f32[2] parameter(0)\nb = negate(f32[3] a) }",
       "The declared operand shape f32[3]{0} is not compatible with the shape of the operand "
       "instruction f32[2]{0}."},
      {"HloModule m\ne { a = f32[2] parameter(0)\nb = s32[2] parameter(1)\nc = add(a, b) }",
       "failed to infer shape for opcode: add, error: "},
      {"HloModule m\ne { a = f32[2] iota() }",
       "2:23: error: attribute iota_dimension is expected but not seen"},
      {"HloModule m\ne { a = f32[2] iota(), iota_dimension=0, iota_dimension=0 }",
       "2:42: error: attribute iota_dimension already exists"},
      {"HloModule m\ne { a = f32[2] parameter(0), color=1 }",
       "2:30: error: unexpected attribute \"color\". Allowed attributes: backend_config, "
       "control-predecessors, "
       "frontend_attributes, metadata, origin, parameter_replication, sharding, statistics"},
      {"HloModule m\ne { a = f32[2] parameter(0)\nb = copy(a), result_accuracy={mode=highest} }",
       "3:14: error: unexpected attribute \"result_accuracy\""},
      {"HloModule m\ne { a = f32[] parameter(0)\nb = call(a), to_apply=f }",
       "3:23: error: computation does not exist: f|3:14: error: error parsing attribute to_apply"},
      {"HloModule m\ne { a = f32[] parameter(0), control-predecessors={b} }",
       "error: instruction 'b' is not defined"},
      {"HloModule m\ne { a = f32[2] parameter(0)\nb = compare(a, a), direction=eq }",
       "3:30: error: expects comparison direction but sees: eq"},
      {"HloModule m\ne { a = f32[2] parameter(0)\nb = f32[1] dynamic-slice(a), "
       "dynamic_slice_sizes={1} }",
       "Wrong number of operands."},
      {"HloModule m\ne { a = f32[] parameter(0)\nb = f32[] conditional(a, a, a), "
       "true_computation=e }",
       "The first operand must be a scalar of PRED or S32"},
      {"HloModule m\ne { a = f32[2] parameter(0)\nb = f32[2] add-done(a) }",
       "AsyncUpdate and AsyncDone expect a single async op as their operand."},
      {"HloModule m\ne { a = f32[2] parameter(0), sharding={devices=[2]0,1,2} }",
       "3 devices given for 2 tiles"},
      {"HloModule m\ne { a = f32[2] parameter(0), sharding={mesh['x'=2], [{'y'}]} }",
       "axis 'y' is not an axis of the mesh"},
      {"HloModule m\ne { a = f32[2] parameter(0), sharding={mesh[\"x'\"=2], replicated} }",
       "2:45: error: an axis name cannot hold quotes, backslashes or control characters"},
      {"HloModule m\ne { a = f32[2] parameter(0), parameter_replication={true,false} }",
       "parameter has 1 leaf buffers, but parameter_replication has 2 elements."},
      {"HloModule m, input_output_alias={ {7}: (0, {}) }\ne { a = f32[2] parameter(0) }",
       "Trying to set up alias at {7} which is an invalid index for shape f32[2]"},
  };
  for (const Case& one : cases) {
    const auto module = ParseAndReturnUnverifiedModule(one.text);
    ASSERT_FALSE(module.ok()) << one.text;
    EXPECT_TRUE(absl::StrContains(Summary(module.status()), one.report))
        << one.text << "\ngave:     " << Summary(module.status()) << "\nexpected: " << one.report;
  }
}

TEST(ParserErrorTest, OneAsyncComputationHasOneCaller) {
  EXPECT_ERROR(ParseAndReturnUnverifiedModule(R"(HloModule m
f { a = f32[] parameter(0) }
ENTRY e {
  a = f32[] parameter(0)
  b = ((f32[]), f32[]) async-start(a), calls=f
  c = f32[] async-done(b)
  d = ((f32[]), f32[]) async-start(c), calls=f
  ROOT g = f32[] async-done(d)
})"),
               "Computation f is called by more than one async op.");
}

// A sharding by axes makes the parser note an error that it takes back; it may not show up in a
// later report.
TEST(ParserErrorTest, WhatWasTakenBackIsNotReported) {
  const auto module = ParseAndReturnUnverifiedModule(
      "HloModule m\ne { a = f32[2] parameter(0), sharding={mesh['x'=2], [{'x'}]}\n b = nothing(a) "
      "}");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(Summary(module.status()),
            "3:6: error: expects opcode but sees: nothing, error: Unknown opcode: nothing");
}

}  // namespace
}  // namespace xla
