// SPDX-License-Identifier: Apache-2.0
// The DebugOptions of a process: XLA's defaults, changed by the environment variable XLA_FLAGS and
// by command lines that are parsed with AppendDebugOptionsFlags. Two options are obeyed: clients
// have xla_force_host_platform_device_count devices (see LocalClientOptions::set_device_count), and
// programs use no instructions beyond xla_cpu_max_isa (xla/base/instruction_set.h).
#ifndef XLA_DEBUG_OPTIONS_FLAGS_H_
#define XLA_DEBUG_OPTIONS_FLAGS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/base/instruction_set.h"
#include "xla/tsl/platform/logging.h"
#include "xla/tsl/util/command_line_flags.h"
#include "xla/xla.pb.h"

namespace xla {

// XLA's defaults.
DebugOptions DefaultDebugOptionsIgnoringFlags();

// A flag for each field of DebugOptions that sets it in `options`, which must outlive the flags:
//   --xla_cpu_enable_fast_math=true      scalars and strings
//   --xla_gpu_detect_nan=warning         enums: names in any case, with or without what the names
//   of
//                                        the enum have in common
//   --xla_gpu_enable_command_buffer=+cublas,-fusion   lists of enums: a new list, or changes
//   --xla_disable_hlo_passes=dce,cse     strings that are added to a list
//   --xla_backend_extra_options=a=1,b    entries of a map
// and those flags of XLA that set fields under other names.
void MakeDebugOptionsFlags(std::vector<tsl::Flag>* flag_list, DebugOptions* options);

// The same for the options of the process. These live in `options` if it is given and this is the
// first call of all that use them; the caller must keep it.
void AppendDebugOptionsFlags(std::vector<tsl::Flag>* flag_list, DebugOptions* options = nullptr);

// The options of the process. Ends the process if XLA_FLAGS has flags that do not exist, or values
// that are not allowed (ParseFlagsFromEnvAndDieIfUnknown), as do the functions below.
DebugOptions GetDebugOptionsFromFlags();
// `options`, changed by XLA_FLAGS; those of the process if it is null.
DebugOptions GetDebugOptionsFromProtoAndFlags(DebugOptions* options);

// Parses XLA_FLAGS again; with `reset_envvar` its value now, else what no earlier call has used.
void ParseDebugOptionFlagsFromEnv(bool reset_envvar);
// Replaces the options of the process that a file with DebugOptions in protobuf's text format
// mentions. False, with a sentence on stderr, if it cannot be read.
bool ParseFlagsFromDebugOptionsFile(absl::string_view filename);
// Makes the options of the process the defaults again.
void ResetFlagValues();

// How long XLA promises to keep a flag.
enum class FlagStatus { kStable, kDeprecated, kExperimental };
FlagStatus GetFlagStatus(absl::string_view flag_name);

// --xla_fuel=pass=3,..: how often a pass may change something, to find a fault by bisection. True
// while there is fuel, and always for passes that the flag does not name. For passes of the user:
// none of this library asks. *just_ran_out tells the first refusal from later ones.
bool ConsumeFuel(absl::string_view pass, bool* just_ran_out = nullptr);
template <typename Message>
bool ConsumeFuel(absl::string_view pass, const Message& ran_out_of_fuel_message) {
  bool just_ran_out = false;
  const bool has_fuel = ConsumeFuel(pass, &just_ran_out);
  if (just_ran_out)
    LOG(ERROR) << "Out of fuel for \"" << pass << "\": " << ran_out_of_fuel_message();
  return has_fuel;
}
bool PassFuelIsSet(absl::string_view pass);
// Gives this thread fuel of its own, as much as the flag says.
void ResetThreadLocalFuel();

// xla_force_host_platform_device_count of the options of the process or, if nothing used them yet,
// of XLA_FLAGS. InvalidArgument if XLA_FLAGS cannot be read or the value is no number; other flags
// are not looked at.
absl::StatusOr<int> HostPlatformDeviceCountFromFlags();

// The bound on instruction sets that xla_cpu_max_isa sets: the lower one of that in `options` and
// the calling thread's. InvalidArgument for sets that do not exist.
absl::StatusOr<InstructionSet> MaxInstructionSetOf(const DebugOptions& options);
// Adds to a list of strings what a flag of that name would: text that commas separate. False for
// other fields.
bool AddStrings(DebugOptions* options, const google::protobuf::FieldDescriptor* field,
                const std::string& text);
// The names of passes that programs are compiled without (xla_disable_hlo_passes).
std::vector<std::string> DisabledPassesOf(const DebugOptions& options);
// xla_cpu_max_isa of the options of the process, likewise as above.
absl::StatusOr<InstructionSet> MaxInstructionSetFromFlags();

}  // namespace xla

#endif  // XLA_DEBUG_OPTIONS_FLAGS_H_
