// SPDX-License-Identifier: Apache-2.0
// A module compiled to machine code.
//
//   XLA_ASSIGN_OR_RETURN(auto program, CpuProgram::Compile(module));
//   XLA_ASSIGN_OR_RETURN(Literal result, program->Run({&x, &y}));
#ifndef XLA_CPU_PROGRAM_H_
#define XLA_CPU_PROGRAM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/machine.h"
#include "xla/cpu/custom_calls.h"
#include "xla/cpu/program_report.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/passes/pass.h"
#include "xla/passes/pipeline.h"
#include "xla/runtime/buffer_view.h"
#include "xla/runtime/execution_context.h"

namespace xla {

class CustomCallRegistry;  // xla/runtime/custom_call.h

struct CpuCompileOptions {
  // Compiles kernels in parallel. Null: on the calling thread.
  runtime::ThreadPool* pool = nullptr;
  // Keep the generated code: LLVM IR and assembly as texts, and ELF objects.
  bool keep_llvm = false, keep_assembly = false, keep_objects = false;
  // How passes run: verified, dumped, without some.
  PipelineOptions pipeline;
  // A pass that evaluates what depends on constants alone. Null: none. Clients and commands have
  // that of DefaultCpuCompileOptions (xla/service/cpu_compile_options.h).
  const Pass* constant_folding = nullptr;
  // A folder, made if need be, for machine code that later compilations, in any process, take from
  // it; see xla/cpu/codegen/code_cache.h. Empty: none.
  std::string cache_directory;
  // Handlers of the runs to come: a call of LAPACK's that has one is not checked. Null: none.
  const CustomCallRegistry* custom_calls = nullptr;
  // Set from any thread to stop: the compilation ends with CANCELLED. Looked at between passes and
  // between kernels; code of one LLVM module is generated to its end. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Elementwise kernels that share arrays of at least so many bytes become one. Smaller arrays stay
  // in the first caches between two kernels.
  int64_t least_shared_bytes = 2 * kUsualMachine.first_level_bytes;
  // Runs take subnormal numbers of f32 and f64 (and bf16, which is computed in f32) as zeros, and
  // return zeros for them, as XLA's CPU compiler always does: Intel's processors take 150 cycles
  // for each operation on one. Otherwise arithmetic is IEEE's. Never seen by callers or handlers of
  // custom calls (xla/base/floating_point_mode.h).
  bool flush_subnormals = false;
  // Fail with INTERNAL if fusions compute much more than the program asks for (bounded_work.h). For
  // tests and fuzzers.
  bool check_work = false;
};

struct CpuRunOptions {
  // Handlers on literals, which come before those of a registry (ExecutionContext::custom_calls).
  const CpuCustomCalls* custom_calls = nullptr;
  // 0: no limit. A run that needs more for arguments, results and scratch memory, all devices
  // together, is RESOURCE_EXHAUSTED.
  int64_t memory_limit_bytes = 0;
};

// UNAVAILABLE if the machine lacks what the compiler needs. Compiles nothing.
absl::Status CheckCpuCompiler();
// "LLVM 19.1.7". UNAVAILABLE likewise.
absl::StatusOr<std::string> CpuCompilerVersion();
// Loads what the compiler needs, so that the first compilation does not pay for it. UNAVAILABLE if
// the machine lacks it.
absl::Status LoadCpuCompiler();

// Thread-safe: may run several times at once.
class CpuProgram {
 public:
  // The module is verified. UNIMPLEMENTED, naming the instruction, for what cannot be compiled.
  // Code and kernels use no instructions beyond the bound of the module's debug options
  // (xla_cpu_max_isa) and that of the calling thread (xla/base/instruction_set.h).
  static absl::StatusOr<std::unique_ptr<CpuProgram>> Compile(const HloModule& module,
                                                             const CpuCompileOptions& options = {});
  ~CpuProgram();

  // Arguments in parameter order, any layout; INVALID_ARGUMENT for shapes that are not compatible
  // with the parameters. The result has the layout of the entry computation layout.
  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                              const runtime::ExecutionContext& context = {},
                              runtime::RunStatistics* statistics = nullptr,
                              const CpuRunOptions& options = {}) const;
  // The same on replicas x partitions devices at once, a thread each. Device r * partitions + p is
  // partition p of replica r; arguments[d] and result[d] are those of device d. When one fails, the
  // others stop soon, and its error, with the device in front, is the error of the run.
  absl::StatusOr<std::vector<Literal>> RunReplicated(
      int64_t replicas, int64_t partitions, absl::Span<const std::vector<const Literal*>> arguments,
      const runtime::ExecutionContext& context = {}, runtime::RunStatistics* statistics = nullptr,
      const CpuRunOptions& options = {}) const;

  // The same on memory: the leaves (arrays and tokens) of all arguments and of the result; see
  // runtime/buffer_view.h. A result that input_output_alias binds to a donated argument is computed
  // in its memory. If the run fails, results describe nothing.
  absl::Status RunOnBuffers(absl::Span<const runtime::ArgumentView> arguments,
                            absl::Span<runtime::ResultView> results,
                            const runtime::ExecutionContext& context = {},
                            runtime::RunStatistics* statistics = nullptr,
                            const CpuRunOptions& options = {}) const;
  absl::Status RunOnDevices(int64_t replicas, int64_t partitions,
                            absl::Span<const absl::Span<const runtime::ArgumentView>> arguments,
                            absl::Span<const absl::Span<runtime::ResultView>> results,
                            const runtime::ExecutionContext& context = {},
                            runtime::RunStatistics* statistics = nullptr,
                            const CpuRunOptions& options = {}) const;

  // The time of each instruction of the optimized module in one run; an empty name stands for
  // copies. What a loop or conditional runs follows it, one deeper: a tree in preorder, in which
  // those that take longer come first. An instruction that several loops run has an entry in each.
  struct ProfileEntry {
    std::string name, text;
    int depth = 0;
    bool has_parts = false;  // entries of its own follow
    int64_t runs = 0;
    double seconds = 0;       // with what it runs
    double self_seconds = 0;  // without
    double bytes = 0;         // of operands and results
    double operations = 0;    // of arithmetic, estimated
    // Of the elements that a dot or convolution multiplies; invalid if there is none.
    PrimitiveType multiplied = PRIMITIVE_TYPE_INVALID;
  };
  // One step of the run.
  struct ProfileEvent {
    std::string name;
    double start = 0, seconds = 0;  // from the first one on
  };
  // `events`: optional, receives the first million steps.
  absl::StatusOr<std::vector<ProfileEntry>> Profile(
      absl::Span<const runtime::ArgumentView> arguments,
      const runtime::ExecutionContext& context = {},
      std::vector<ProfileEvent>* events = nullptr) const;

  // Memory of a run besides arguments and results, with this many threads.
  int64_t ScratchBytes(int threads) const;
  // Memory that library kernels pack blocks of operands to, with this many threads. It belongs to
  // the thread that runs programs, and is used by all of them.
  int64_t ThreadBytes(int threads) const;

  // Bytes of machine code and of the constants that it reads.
  int64_t GeneratedBytes() const;

  // One entry for each kernel that was generated.
  struct KernelReport {
    std::string name;
    int64_t uses = 0, lanes = 1;
    double bytes = 0, operations = 0;
    // Its share of the time that it took to compile the kernels of its module, in proportion to the
    // time that it took to write their LLVM IR.
    double compile_seconds = 0;
    bool is_cached = false;  // its machine code came from the cache
  };
  const std::vector<KernelReport>& kernels() const;
  // The dots, convolutions, Fourier transforms and top-k that the kernel library computes, each
  // with the forms that it chose from: the chosen one first, and the estimated cycles of each
  // (kernels/forms.h).
  struct LibraryReport {
    std::string instruction, forms;
  };
  std::vector<LibraryReport> library_calls() const;
  // How each instruction is computed, in which order, and where arrays are.
  absl::StatusOr<ProgramReport> Report() const;
  // What the passes did.
  const PipelineStatistics& pass_statistics() const;
  // The module as it was compiled, after all passes.
  const HloModule& optimized_module() const;
  // As far as the options asked for them.
  const std::string& llvm_text() const;
  const std::string& assembly_text() const;
  const std::vector<std::vector<char>>& objects() const;

 private:
  struct Impl;
  friend class CpuRun;  // program_run.cc
  explicit CpuProgram(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace xla

#endif  // XLA_CPU_PROGRAM_H_
