// SPDX-License-Identifier: Apache-2.0
// Compiled programs, with what callers may ask of them in the form of the interface.
#ifndef XLA_PJRT_PROGRAM_H_
#define XLA_PJRT_PROGRAM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "xla/distributed/program_identity.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/proto/compile_options.pb.h"
#include "xla/service/executable.h"
#include "xla/service/run_length.h"

namespace xla::pjrt {

// A program as it was passed, or as functions of the caller have partitioned it.
struct ProgramSource {
  std::string format;  // "mlir", "hlo", "hlo_with_config"
  std::string code;
  std::string options;  // a CompileOptionsProto
  // Executable::Save() of what was compiled of it; empty if it is to be compiled.
  std::string compiled;
};

// Text in a list, in the form of the interface.
struct TextList {
  std::vector<std::string> texts;
  std::vector<const char*> pointers;
  std::vector<size_t> sizes;

  void Add(std::string text) { texts.push_back(std::move(text)); }
  void Finish();  // afterwards nothing may be added
};

// Immutable after it was made, and independent of devices.
struct Program {
  ProgramSource source;
  CompileOptionsProto options;
  std::shared_ptr<const Executable> executable;

  // --- Of one device
  std::vector<bool> may_donate;  // for each leaf of the arguments
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dims;
  std::vector<size_t> output_dim_sizes;
  std::vector<size_t> output_memories;  // positions in kMemoryKinds
  TextList output_memory_kinds, parameter_memory_kinds;
  // Serialized OpSharding; empty lists if the program has no shardings.
  TextList output_shardings, parameter_shardings;
  std::string fingerprint;
  // Runs are on the calling thread: those of programs that call functions of Python, which live as
  // long as their caller, and of programs that expect signals, on the main thread.
  bool runs_here = false;
  // Runs are estimated to be too short for another thread.
  bool is_short = false;
  // Runs have effects beyond their results.
  bool has_effects = false;
  std::shared_ptr<RunLength> length;
  distributed::ProgramIdentity identity;  // of a program of several devices
  std::string optimized;  // HloModuleProtoWithConfig, made when it is first asked for
  std::vector<PJRT_NamedValue> cost;
  std::mutex mutex;        // of what is made later
  ClientPointer compiler;  // of a program without a client

  int64_t num_replicas() const { return executable->num_replicas(); }
  int64_t num_partitions() const { return executable->num_partitions(); }
};
using ProgramPointer = std::shared_ptr<Program>;

// Reads the program and the options and compiles with the backend's compiler. InvalidArgument for
// unknown formats and for more devices than `num_devices`, Cancelled soon after `cancel` is set.
absl::StatusOr<ProgramPointer> CompileProgram(const Backend& backend, int64_t num_devices,
                                              ProgramSource source,
                                              const std::atomic<bool>& cancel);

// States the shardings of parameters and results in a proto of the program's module, for callers
// that do not know the extension for shardings.
absl::Status StateShardings(const Program& program, HloModuleProto& module);

// Returns the optimized program as callers read it, an HloModuleProtoWithConfig: the module without
// calls, its shardings, and the memories of its parameters and results in the layouts.
absl::StatusOr<std::string> DescribeOptimized(const Program& program);

// Returns a number that is equal for equal programs and options in every process of a job, whatever
// the order in which options were written, where each dumps, and its number.
std::string FingerprintOf(const ProgramSource& source, const CompileOptionsProto& options);
// Of all that compiled programs depend on: not of the devices that run them.
std::string KeyOf(const ProgramSource& source, CompileOptionsProto options);

// Returns bytes that only the same build of the library can read.
absl::StatusOr<std::string> SerializeProgram(const Program& program);
// Returns the source of a serialized program. InvalidArgument, with the reason, for other bytes.
absl::StatusOr<ProgramSource> DeserializeProgram(std::string_view bytes);

}  // namespace xla::pjrt

struct PJRT_Layouts_MemoryLayout;

struct PJRT_Executable {
  xla::pjrt::ProgramPointer program;
  // Owns the lists, not their elements.
  std::vector<PJRT_Layouts_MemoryLayout*> output_layouts = {}, parameter_layouts = {};
};

struct PJRT_LoadedExecutable {
  xla::pjrt::ClientPointer client;
  xla::pjrt::ProgramPointer program;
  // The devices of the program by their ids: device d is partition d % partitions of replica d /
  // partitions. Then those of this process, in the same order.
  std::vector<int64_t> device_ids;
  std::vector<int32_t> processes;  // of each, if they are several
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_LogicalDeviceIds> logical_ids;

  bool spans_processes() const { return !processes.empty(); }
  std::atomic<bool> is_deleted{false};
};

#endif  // XLA_PJRT_PROGRAM_H_
