// SPDX-License-Identifier: Apache-2.0
// A compiled program. The backend (backend.h) chooses what executes it: the interpreter or
// compiled code.
#ifndef XLA_SERVICE_EXECUTABLE_H_
#define XLA_SERVICE_EXECUTABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/passes/pipeline.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/execution_context.h"

namespace xla {

// One run of all replicas and partitions. Device d of the lists below is partition d % partitions
// of replica d / partitions. The leaves of a shape are its arrays and tokens, depth first.
struct ExecuteRequest {
  // For each device (with context.processes: of this process) the leaves of its arguments, of all
  // parameters in order; their shapes are compatible with the parameters', in any layout. Row-major
  // memory is read in place. Donated memory may be overwritten; where it became no result, it is
  // the caller's to free.
  absl::Span<const absl::Span<const runtime::ArgumentView>> arguments;
  // For each device the leaves of its result, in the layout of the module's entry computation
  // layout. Memory set before the run is written to; otherwise the run says where the result is.
  absl::Span<const absl::Span<runtime::ResultView>> results;
  runtime::ExecutionContext context;
  runtime::RunStatistics* statistics = nullptr;  // may be null
};

// Thread-safe: may run several times at once.
// How a module is made ready to run.
struct ExecutableOptions {
  // Handlers of the runs to come, which take precedence over what programs are compiled to; may be
  // null.
  const CustomCallRegistry* custom_calls = nullptr;
  // Set from any thread to stop: the compilation ends with CANCELLED, soon. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Sees the module between passes of the compiler; may be null.
  PassInstrumentation* between_passes = nullptr;
  // Of CpuCompileOptions, instead of the default.
  std::optional<bool> flush_subnormals;
  // Keeps what Executable::Save() needs.
  bool may_be_saved = false;
  // What Executable::Save() has returned: it is loaded instead of compiled if it has this key,
  // which stands for the module and its options, and fits this machine.
  std::string_view saved, key;
};

class Executable {
 public:
  // The module is verified and has an entry computation layout; its replica_count and
  // num_partitions say how many devices run it.
  explicit Executable(std::shared_ptr<const HloModule> module);
  virtual ~Executable() = default;

  const HloModule& module() const { return *module_; }
  std::shared_ptr<const HloModule> shared_module() const { return module_; }
  int64_t num_replicas() const { return module_->config().replica_count(); }
  int64_t num_partitions() const { return module_->config().num_partitions(); }
  int64_t num_devices() const { return num_replicas() * num_partitions(); }

  // The shapes of the leaves of arguments and result, with layouts.
  absl::Span<const Shape* const> argument_leaves() const { return argument_leaves_; }
  absl::Span<const Shape* const> result_leaves() const { return result_leaves_; }
  // Of input_output_alias: a leaf of the result that may or must be in the memory of an argument.
  struct Alias {
    int32_t argument, result;  // leaves
    bool is_must;
  };
  absl::Span<const Alias> aliases() const { return aliases_; }

  // The program as it runs, after all passes.
  virtual const HloModule& optimized_module() const { return module(); }

  // Bytes of machine code and constants; -1 where nothing was generated, as by the interpreter.
  virtual int64_t SizeOfGeneratedCodeInBytes() const { return -1; }

  // Memory of a run besides arguments, results and constants, if it is known before the run; 0
  // where it is not, as with the interpreter.
  virtual int64_t TemporaryBytes() const { return 0; }

  // The program with its machine code, as bytes from which ExecutableOptions::saved loads it; empty
  // where nothing was generated.
  virtual absl::StatusOr<std::string> Save(std::string_view /*key*/) const { return std::string(); }

  // Runs the program, and returns when it has ended. INVALID_ARGUMENT if an argument that must be
  // aliased is not donated, or memory is donated that is given twice; else the error of the run,
  // after which results describe nothing.
  absl::Status Execute(const ExecuteRequest& request) const;

 protected:
  // Execute, after its checks.
  virtual absl::Status Run(const ExecuteRequest& request) const = 0;

 private:
  absl::Status CheckDonations(absl::Span<const runtime::ArgumentView> arguments) const;

  std::shared_ptr<const HloModule> module_;
  std::vector<const Shape*> argument_leaves_, result_leaves_;
  std::vector<Alias> aliases_;
};

}  // namespace xla

#endif  // XLA_SERVICE_EXECUTABLE_H_
