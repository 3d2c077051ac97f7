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
namespace cpu {
struct Target;  // xla/cpu/codegen/target.h
}
namespace aot {
class ProgramCompiler;  // xla/aot/compile.cc
}

struct CpuCompileOptions {
  // Compiles kernels in parallel. Null: on the calling thread.
  runtime::ThreadPool* pool = nullptr;
  // Keep the generated code: LLVM IR and assembly as texts, and ELF objects.
  bool keep_llvm = false, keep_assembly = false, keep_objects = false;
  // How passes run: verified, dumped, without some.
  PipelineOptions pipeline;
  // A pass that evaluates instructions that depend on constants only; null for none. Clients and
  // commands have that of DefaultCpuCompileOptions (xla/service/cpu_compile_options.h).
  const Pass* constant_folding = nullptr;
  // A folder, created if it is missing, that caches machine code for later compilations by any
  // process; see xla/cpu/codegen/code_cache.h. Empty: none.
  std::string cache_directory;
  // Handlers of later runs: a call of LAPACK's with a handler is not checked. May be null.
  const CustomCallRegistry* custom_calls = nullptr;
  // If it is set, by any thread, the compilation ends with CANCELLED. Checked between passes and
  // between kernels, but not while LLVM generates the code of a module. May be null.
  const std::atomic<bool>* cancel = nullptr;
  // Elementwise kernels that share arrays of at least this many bytes are merged. Smaller arrays
  // stay in the first-level cache between two kernels.
  int64_t least_shared_bytes = 2 * kUsualMachine.first_level_bytes;
  // Runs take subnormal numbers of f32 and f64 (and bf16, which is computed in f32) as zeros, and
  // return zeros for them, as XLA's CPU compiler always does: Intel's processors take 150 cycles
  // for each operation on one. Otherwise arithmetic is IEEE's. Never seen by callers or handlers of
  // custom calls (xla/base/floating_point_mode.h).
  bool flush_subnormals = false;
  // The machine to generate code for, and what its functions' names start with: for objects to be
  // kept and linked elsewhere (keep_objects). The program cannot run then. Null: this machine.
  const cpu::Target* target = nullptr;
  std::string symbol_prefix;
  // Fails with INTERNAL if fusions compute much more than the program asks for
  // (plan/recomputation.h). For tests and fuzzers.
  bool check_work = false;
};

struct CpuRunOptions {
  // Handlers on literals, which take precedence over those of a registry
  // (ExecutionContext::custom_calls).
  const CpuCustomCalls* custom_calls = nullptr;
  // A run that needs more for arguments, results and scratch memory, on all devices together, fails
  // with RESOURCE_EXHAUSTED. 0: no limit.
  int64_t memory_limit_bytes = 0;
};

// Returns UNAVAILABLE if the machine lacks what the compiler needs. Compiles nothing.
absl::Status CheckCpuCompiler();
// Returns the version, such as "LLVM 19.1.7", or UNAVAILABLE likewise.
absl::StatusOr<std::string> CpuCompilerVersion();
// Loads what the compiler needs, so that the first compilation does not pay for it. UNAVAILABLE if
// the machine lacks it.
absl::Status LoadCpuCompiler();

// What a compilation has made of a module: enough to run it, in another process too, without a
// compiler. xla/service/saved_program.h writes and reads it.
struct CpuProgramParts {
  std::unique_ptr<HloModule> module;  // after all passes
  // How its instructions are computed: LoweringTexts (plan/lowering.h).
  std::vector<std::string> lowerings;
  std::vector<std::vector<char>> objects;  // ELF
  // What the machine code depends on besides: the processor and options.
  std::string target;
  // A hash of the schedule with all places in memory.
  uint64_t schedule_hash = 0;
};

// Returns what machine code depends on besides the module: the processor, and options. UNAVAILABLE
// if the machine lacks what the compiler needs.
absl::StatusOr<std::string> CpuCodeDependencies(const CpuCompileOptions& options);

// Thread-safe: may run several times concurrently.
class CpuProgram {
 public:
  // Compiles a verified module. UNIMPLEMENTED, naming the instruction, for operations that cannot
  // be compiled. Code and kernels use no instructions beyond the bound of the module's debug
  // options (xla_cpu_max_isa) and that of the calling thread (xla/base/instruction_set.h).
  static absl::StatusOr<std::unique_ptr<CpuProgram>> Compile(const HloModule& module,
                                                             const CpuCompileOptions& options = {});
  // Takes the parts of a program that Parts() has returned, of the same module, options and build
  // of this library. FAILED_PRECONDITION if they are for another machine; INVALID_ARGUMENT if they
  // do not fit together: the module can be compiled again then.
  static absl::StatusOr<std::unique_ptr<CpuProgram>> Load(const HloModule& module,
                                                          CpuProgramParts parts,
                                                          const CpuCompileOptions& options = {});
  ~CpuProgram();

  // Returns the parts of the program, which must have been compiled with keep_objects, or loaded.
  CpuProgramParts Parts() const;

  // Runs the program on one device. Arguments are in parameter order and may have any layout;
  // INVALID_ARGUMENT for shapes that are not compatible with the parameters. The result has the
  // layout of the entry computation layout.
  absl::StatusOr<Literal> Run(absl::Span<const Literal* const> arguments,
                              const runtime::ExecutionContext& context = {},
                              runtime::RunStatistics* statistics = nullptr,
                              const CpuRunOptions& options = {}) const;
  // Runs the program on replicas x partitions devices at once, with a thread for each. Device r *
  // partitions + p is partition p of replica r; arguments[d] and result[d] are those of device d.
  // When one fails, the others stop soon, and its error, prefixed with the device, is the error of
  // the run. With context.processes, arguments and results are those of this process's devices.
  absl::StatusOr<std::vector<Literal>> RunReplicated(
      int64_t replicas, int64_t partitions, absl::Span<const std::vector<const Literal*>> arguments,
      const runtime::ExecutionContext& context = {}, runtime::RunStatistics* statistics = nullptr,
      const CpuRunOptions& options = {}) const;

  // Run the program on memory: the leaves (arrays and tokens) of all arguments and of the result;
  // see runtime/buffer_view.h. A result that input_output_alias binds to a donated argument is
  // computed in its memory. If the run fails, the results are unset.
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

  // The time of each instruction of the optimized module in one run; copies have an empty name. The
  // entries are a tree in preorder: what a loop or conditional runs follows it, one level deeper,
  // the longest first. An instruction that several loops run has an entry in each.
  struct ProfileEntry {
    std::string name, text;
    int depth = 0;
    bool has_parts = false;  // followed by its parts
    int64_t runs = 0;
    double seconds = 0;       // including its parts
    double self_seconds = 0;  // excluding its parts
    double bytes = 0;         // of operands and results
    double operations = 0;    // arithmetic operations, estimated
    // The element type that a dot or convolution multiplies; invalid if there is none.
    PrimitiveType multiplied = PRIMITIVE_TYPE_INVALID;
  };
  // The run of a thunk.
  struct ProfileEvent {
    std::string name;
    double start = 0, seconds = 0;  // since the first one started
  };
  // `events` is optional and receives the first million thunks.
  absl::StatusOr<std::vector<ProfileEntry>> Profile(
      absl::Span<const runtime::ArgumentView> arguments,
      const runtime::ExecutionContext& context = {},
      std::vector<ProfileEvent>* events = nullptr) const;

  // Returns the memory of a run besides arguments and results, with this many threads.
  int64_t ScratchBytes(int threads) const;
  // Returns the memory to which library kernels pack blocks of operands, with this many threads. It
  // belongs to the thread that runs programs, and is shared by all its programs.
  int64_t ThreadBytes(int threads) const;

  // Returns the bytes of machine code and of the constants that it reads.
  int64_t GeneratedBytes() const;

  // One entry for each kernel that was generated.
  struct KernelReport {
    std::string name;
    int64_t uses = 0, lanes = 1;
    double bytes = 0, operations = 0;
    // Its share of the time spent compiling its module, in proportion to the time spent emitting
    // its LLVM IR.
    double compile_seconds = 0;
    bool is_cached = false;  // its machine code came from the cache
  };
  const std::vector<KernelReport>& kernels() const;
  // The dots, convolutions, Fourier transforms and top-k that the kernel library computes, each
  // with the forms that were considered: the chosen one first, with estimated cycles
  // (kernels/forms.h).
  struct LibraryReport {
    std::string instruction, forms;
  };
  std::vector<LibraryReport> library_calls() const;
  // Reports how each instruction is computed, in which order, and where arrays are.
  absl::StatusOr<ProgramReport> Report() const;
  // Returns what the passes did.
  const PipelineStatistics& pass_statistics() const;
  // Returns the module after all passes, as it was compiled.
  const HloModule& optimized_module() const;
  // Return the generated code that the options asked to keep.
  const std::string& llvm_text() const;
  const std::string& assembly_text() const;
  const std::vector<std::vector<char>>& objects() const;

 private:
  struct Impl;
  friend class CpuRun;  // program_run.cc
  friend class aot::ProgramCompiler;
  explicit CpuProgram(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace xla

#endif  // XLA_CPU_PROGRAM_H_
