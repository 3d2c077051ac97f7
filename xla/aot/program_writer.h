// SPDX-License-Identifier: Apache-2.0
// Writes the thunks of a compiled program as the tables of table.h.
#ifndef XLA_AOT_PROGRAM_WRITER_H_
#define XLA_AOT_PROGRAM_WRITER_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/aot/links.h"
#include "xla/aot/runtime/table.h"
#include "xla/cpu/codegen/native_code.h"
#include "xla/cpu/run/prepared_kernels.h"
#include "xla/cpu/run/thunk.h"

namespace xla::aot {

// The numbers of the steps and recipes of a program, and the symbols of the functions that they
// name by index.
class ProgramWriter final : public cpu::ThunkVisitor {
 public:
  // A unit as it is written.
  struct Unit {
    int64_t block = 0;
    std::vector<KernelTable> kernels;
  };

  // Functions are found in the code by their addresses.
  explicit ProgramWriter(absl::Span<const std::unique_ptr<cpu::NativeCode>> code);

  // Writes the thunks of a unit, whose constants have these addresses. UNIMPLEMENTED, with the
  // instruction, for what runs with a compiler only: other devices, feeds, handlers.
  absl::StatusOr<Unit> Write(const cpu::ThunkSequence& thunks, absl::Span<char* const> constants);

  const std::vector<int64_t>& numbers() const { return numbers_; }
  // First and last numbers of each block.
  const std::vector<std::pair<int64_t, int64_t>>& blocks() const { return blocks_; }
  const std::vector<std::string>& functions() const { return functions_; }
  // What the kernels need.
  const Links& links() const { return links_; }

  absl::Status Visit(const cpu::KernelThunk& thunk) override;
  absl::Status Visit(const cpu::CopyThunk& thunk) override;
  absl::Status Visit(const cpu::LibraryThunk& thunk) override;
  absl::Status Visit(const cpu::OverridableThunk& thunk) override;
  absl::Status Visit(const cpu::PreparedThunk& thunk) override;
  absl::Status Visit(const cpu::BitcastThunk& thunk) override;
  absl::Status Visit(const cpu::WhileThunk& thunk) override;
  absl::Status Visit(const cpu::LoopFunctionThunk& thunk) override;
  absl::Status Visit(const cpu::CompiledWhileThunk& thunk) override;
  absl::Status Visit(const cpu::ConditionalThunk& thunk) override;

 private:
  using Numbers = std::vector<int64_t>;

  absl::StatusOr<int64_t> WriteBlock(const cpu::ThunkSequence& thunks);
  void AddStep(StepKind kind, const Numbers& numbers);
  int64_t FunctionNamed(const std::string& symbol);
  absl::StatusOr<int64_t> FunctionAt(const void* address);
  absl::StatusOr<KernelTable> WriteRecipe(kernels::Recipe recipe);

  std::map<const void*, std::string> names_;  // of generated functions
  Numbers numbers_;
  Numbers* block_ = nullptr;  // that is being written
  std::vector<std::pair<int64_t, int64_t>> blocks_;
  std::vector<std::string> functions_;
  std::map<std::string, int64_t> function_numbers_;
  Links links_;
  Unit unit_;
  std::map<const void*, int64_t> constants_;  // of the unit
};

}  // namespace xla::aot

#endif  // XLA_AOT_PROGRAM_WRITER_H_
