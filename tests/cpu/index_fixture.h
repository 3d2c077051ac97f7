// SPDX-License-Identifier: Apache-2.0
#ifndef TESTS_CPU_INDEX_FIXTURE_H_
#define TESTS_CPU_INDEX_FIXTURE_H_

#include <memory>

#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "xla/cpu/codegen/code_generator.h"
#include "xla/cpu/codegen/index.h"
#include "xla/cpu/codegen/llvm_api.h"

namespace xla::cpu {

// Indices in a function of one 64-bit number.
class IndexFixture : public ::testing::Test {
 protected:
  void StartFunction(int lanes) {
    ASSERT_OK_AND_ASSIGN(const LlvmApi* llvm, LlvmApi::Get());
    ASSERT_OK_AND_ASSIGN(const Target* target, HostTarget());
    ir_ = std::make_unique<Ir>(*llvm, *target, "index");
    const IrType parameters[] = {ir_->I64()};
    ir_->StartFunction("f", parameters);
    math_ = std::make_unique<IndexMath>(*ir_, lanes);
  }

  std::unique_ptr<Ir> ir_;
  std::unique_ptr<IndexMath> math_;
};

}  // namespace xla::cpu

#endif  // TESTS_CPU_INDEX_FIXTURE_H_
