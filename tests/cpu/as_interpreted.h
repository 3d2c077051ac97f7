// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_CPU_AS_INTERPRETED_H_
#define TESTS_CPU_AS_INTERPRETED_H_

#include <string>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/program.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/literal.h"
#include "xla/literal_comparison.h"
#include "xla/runtime/thread_pool.h"

namespace xla {

// Compiles a module; its results have the bits of the interpreter's, on one thread and on three.
inline void ExpectAsInterpreted(const HloModule& module,
                                absl::Span<const Literal* const> arguments) {
  ASSERT_OK(VerifyModule(module));
  ASSERT_OK_AND_ASSIGN(const Literal expected, Interpret(module, arguments));
  ASSERT_OK_AND_ASSIGN(const auto program, CpuProgram::Compile(module));
  for (const int threads : {1, 3}) {
    runtime::ThreadPool pool(threads);
    runtime::ExecutionContext context;
    context.pool = &pool;
    ASSERT_OK_AND_ASSIGN(const Literal result, program->Run(arguments, context));
    EXPECT_OK(literal_comparison::Equal(expected, result));
  }
}

// The same for the text of a program of one argument.
inline void ExpectAsInterpreted(const std::string& text, const Literal& argument) {
  SCOPED_TRACE(text);
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  ExpectAsInterpreted(*module, {&argument});
}

}  // namespace xla

#endif  // TESTS_CPU_AS_INTERPRETED_H_
