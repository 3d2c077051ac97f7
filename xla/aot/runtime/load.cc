// SPDX-License-Identifier: Apache-2.0
// Programs: chosen for the machine, with their weights and kernels; and their runs. The functions
// are called by the code that the compiler makes for each program (xla/aot/entry_code.h).
#include "xla/aot/runtime/load.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/aot/runtime/kernel_makers.h"
#include "xla/aot/runtime/run.h"
#include "xla/aot/runtime/weights.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"

namespace xla::aot {
namespace {

int32_t Report(const absl::Status& status, xylem_error* error) {
  if (error != nullptr) {
    const absl::string_view message = status.message();
    const size_t size = std::min(message.size(), sizeof(error->message) - 1);
    std::memcpy(error->message, message.data(), size);
    error->message[size] = '\0';
  }
  return static_cast<int32_t>(status.code());
}

// Whether this machine has all instructions of a level.
bool HasInstructions(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAny) return true;
  const Machine needed = MachineWith(set);
  const Machine& machine = HostMachine();
  const auto has = [&](bool Machine::*feature) { return machine.*feature || !(needed.*feature); };
  return has(&Machine::ssse3) && has(&Machine::sse4) && has(&Machine::avx2) && has(&Machine::fma) &&
         has(&Machine::half) && has(&Machine::bmi) && has(&Machine::avx512) &&
         has(&Machine::vnni) && has(&Machine::bf16);
#else
  (void)set;
  return true;
#endif
}

absl::StatusOr<const TargetTable*> ChooseTarget(const ProgramTable& table) {
  for (int64_t i = 0; i < table.target_count; ++i) {
    if (HasInstructions(static_cast<InstructionSet>(table.targets[i].instruction_set)))
      return &table.targets[i];
  }
  return absl::FailedPreconditionError(
      absl::StrCat("program ", table.name,
                   ": this processor lacks instructions of all targets that it was compiled for"));
}

absl::Status LoadUnit(const Program& program, const UnitTable& table, const char* weights,
                      Unit& unit) {
  unit.table = &table;
  for (int64_t i = 0; i < table.constant_count; ++i) {
    const ConstantTable& constant = table.constants[i];
    unit.constants.push_back(constant.offset < 0 ? static_cast<const char*>(constant.data)
                                                 : weights + constant.offset);
  }
  const TargetTable& target = *program.target;
  for (int64_t i = 0; i < table.kernel_count; ++i) {
    const KernelTable& kernel = table.kernels[i];
    FieldReader fields(target, kernel.first, unit.constants);
    kernels::StatusOrKernel made = absl::InternalError("not made");
    reinterpret_cast<KernelMaker>(const_cast<void*>(target.functions[kernel.function]))(&fields,
                                                                                        &made);
    if (!made.ok()) return std::move(made).status();
    if (*made == nullptr) return absl::InternalError("a kernel cannot be made on this machine");
    unit.kernels.push_back(*std::move(made));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Program>> Load(const ProgramTable& table,
                                              const xylem_load_options& options) {
  if (table.version != kTableVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        "program ", table.name, " has version ", table.version,
        " of its tables; the runtime that it is linked with has version ", kTableVersion));
  }
  auto program = std::make_unique<Program>();
  program->table = &table;
  XLA_ASSIGN_OR_RETURN(program->target, ChooseTarget(table));
  const char* weights = nullptr;
  if (table.weights_bytes > 0) {
    XLA_ASSIGN_OR_RETURN(weights, FindWeights(table, options, *program));
  }
  // Kernels are made for the instructions that they are run with.
  const ScopedMaxInstructionSet bound(program->bound());
  const ScopedFloatingPointMode mode(FloatingPointMode::Ieee());
  program->units.resize(static_cast<size_t>(program->target->unit_count));
  for (size_t i = 0; i < program->units.size(); ++i) {
    XLA_RETURN_IF_ERROR(LoadUnit(*program, program->target->units[i], weights, program->units[i]));
  }
  return program;
}

bool IsAligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % kAlignment == 0; }

// The addresses of a run's arguments and results, which its memories are set to.
class Buffers {
 public:
  Buffers(const ProgramTable& table, void* const* buffers) : table_(table), next_(buffers) {}

  absl::Status Set(char** bases) {
    for (int64_t i = 0; i < table_.argument_count; ++i)
      XLA_RETURN_IF_ERROR(SetArgument(table_.arrays[i], bases + 1));
    char** const results = bases + 1 + MemoriesOf(table_.arrays, table_.argument_count);
    for (int64_t k = 0; k < table_.result_count; ++k) {
      const ArrayTable& result = table_.arrays[table_.argument_count + k];
      XLA_RETURN_IF_ERROR(SetResult(result, results));
      if (result.donor < 0) continue;
      // The program expects the argument in the memory of its result.
      const char* const argument = bases[1 + table_.arrays[result.donor].memory];
      char* const memory = results[result.memory];
      if (argument != memory && result.bytes > 0)
        std::memmove(memory, argument, static_cast<size_t>(result.bytes));
    }
    return absl::OkStatus();
  }

  void CopyResults() const {
    for (const Copy& copy : copies_)
      std::memcpy(copy.to, copy.from.get(), static_cast<size_t>(copy.bytes));
  }

 private:
  struct Copy {
    Memory from;
    void* to;
    int64_t bytes;
  };

  static int64_t MemoriesOf(const ArrayTable* arrays, int64_t count) {
    int64_t memories = 0;
    for (int64_t i = 0; i < count; ++i) memories += 1 + arrays[i].dynamic_dimensions;
    return memories;
  }

  absl::StatusOr<char*> Take(const ArrayTable& array, const char* what) {
    char* const data = static_cast<char*>(*next_++);
    if (data != nullptr || array.bytes == 0) return data;
    return absl::InvalidArgumentError(
        absl::StrCat("program ", table_.name, ": the ", what, " ", array.name, " is null"));
  }

  absl::Status SetArgument(const ArrayTable& array, char** bases) {
    XLA_ASSIGN_OR_RETURN(bases[array.memory], Take(array, "argument"));
    if (array.dynamic_dimensions == 0) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(char* const sizes, TakeSizes(array));
    for (int64_t d = 0; d < array.dynamic_dimensions; ++d) {
      int32_t size;
      std::memcpy(&size, sizes + 4 * d, sizeof(size));
      if (size < 0 || size > array.bounds[d]) {
        return absl::InvalidArgumentError(
            absl::StrCat("program ", table_.name, ": size ", d, " of the argument ", array.name,
                         " is ", size, ", not between 0 and ", array.bounds[d]));
      }
      bases[array.memory + 1 + d] = sizes + 4 * d;
    }
    return absl::OkStatus();
  }

  absl::Status SetResult(const ArrayTable& array, char** bases) {
    XLA_ASSIGN_OR_RETURN(char* data, Take(array, "result"));
    // Kernels store whole vectors.
    if (!IsAligned(data) && array.bytes > 0) {
      XLA_ASSIGN_OR_RETURN(Memory memory, AllocateAligned(array.bytes));
      void* const to = std::exchange(data, static_cast<char*>(memory.get()));
      copies_.push_back({std::move(memory), to, array.bytes});
    }
    bases[array.memory] = data;
    if (array.dynamic_dimensions == 0) return absl::OkStatus();
    XLA_ASSIGN_OR_RETURN(char* const sizes, TakeSizes(array));
    for (int64_t d = 0; d < array.dynamic_dimensions; ++d) {
      const auto bound = static_cast<int32_t>(array.bounds[d]);
      std::memcpy(sizes + 4 * d, &bound, sizeof(bound));
      bases[array.memory + 1 + d] = sizes + 4 * d;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<char*> TakeSizes(const ArrayTable& array) {
    char* const sizes = static_cast<char*>(*next_++);
    if (sizes != nullptr) return sizes;
    return absl::InvalidArgumentError(
        absl::StrCat("program ", table_.name, ": the sizes of ", array.name, " are null"));
  }

  const ProgramTable& table_;
  void* const* next_;
  std::vector<Copy> copies_;
};

// Working memory of a run, which goes back when the run ends.
class LentMemory {
 public:
  explicit LentMemory(KeptMemory& kept) : kept_(kept) {}
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;
  ~LentMemory() {
    if (memory_ != nullptr) kept_.Keep(std::move(memory_));
  }

  absl::StatusOr<char*> Take(int64_t bytes) {
    XLA_ASSIGN_OR_RETURN(memory_, kept_.Take(bytes));
    return KeptMemory::BytesOf(memory_);
  }

 private:
  KeptMemory& kept_;
  Memory memory_;
};

absl::Status RunProgram(const Program& program, void* const* addresses,
                        const xylem_run_options& options) {
  const ScopedMaxInstructionSet bound(program.bound());
  const ScopedFloatingPointMode mode(program.mode());
  RunShared shared(program, options);
  const Unit& unit = program.units[0];
  const int64_t bytes = unit.FrameBytes(shared.threads());
  char* scratch = static_cast<char*>(options.scratch);
  LentMemory lent(program.scratch);
  if (scratch == nullptr) {
    XLA_ASSIGN_OR_RETURN(scratch, lent.Take(bytes));
  } else if (!IsAligned(scratch) || options.scratch_bytes < static_cast<size_t>(bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("program ", program.table->name, " needs ", bytes,
                     " bytes of scratch memory, aligned to 64; the given memory has ",
                     options.scratch_bytes, IsAligned(scratch) ? "" : " and is not aligned"));
  }
  Run run(shared, unit, scratch, /*is_nested=*/false);
  Buffers buffers(*program.table, addresses);
  XLA_RETURN_IF_ERROR(shared.Poll());
  XLA_RETURN_IF_ERROR(buffers.Set(run.bases()));
  XLA_RETURN_IF_ERROR(run.Execute(unit.table->block));
  buffers.CopyResults();
  return absl::OkStatus();
}

}  // namespace

Program::~Program() {
  if (weights != nullptr) UnmapWeights(weights, weights_bytes);
}

}  // namespace xla::aot

int32_t xylem_runtime_create(const xla::aot::ProgramTable* table, const xylem_load_options* options,
                             xla::aot::Program** program, xylem_error* error) {
  *program = nullptr;
  return xla::aot::Report(xla::aot::Guarded([&]() -> absl::Status {
                            const xylem_load_options none = {};
                            auto loaded =
                                xla::aot::Load(*table, options == nullptr ? none : *options);
                            if (!loaded.ok()) return std::move(loaded).status();
                            *program = (*std::move(loaded)).release();
                            return absl::OkStatus();
                          }),
                          error);
}

void xylem_runtime_destroy(xla::aot::Program* program) { delete program; }

size_t xylem_runtime_scratch_bytes(const xla::aot::Program* program, int32_t threads) {
  return static_cast<size_t>(program->units[0].FrameBytes(std::max(threads, 1)));
}

int32_t xylem_runtime_run(const xla::aot::Program* program, void* const* addresses,
                          const xylem_run_options* options, xylem_error* error) {
  if (program == nullptr) {
    return xla::aot::Report(absl::InvalidArgumentError("the program is null: it was not created"),
                            error);
  }
  return xla::aot::Report(xla::aot::Guarded([&] {
                            const xylem_run_options none = {};
                            return xla::aot::RunProgram(*program, addresses,
                                                        options == nullptr ? none : *options);
                          }),
                          error);
}
