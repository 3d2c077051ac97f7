// SPDX-License-Identifier: Apache-2.0
#include "xla/pjrt/client_options.h"

#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/distributed/job.h"
#include "xla/distributed/topology.h"
#include "xla/pjrt/entry.h"

namespace xla::pjrt {
namespace {

constexpr int64_t kMaxTimeout = 1'000'000'000;
constexpr int64_t kMaxProcess = std::numeric_limits<int32_t>::max() / kDeviceIdsOfProcess - 1;

struct Known {
  absl::string_view name;
  PJRT_NamedValue_Type type;
  bool may_be_text = false;  // command-line flags are passed as text
};
// In alphabetical order. JAX sets node_id, num_nodes and partition_index if several processes work
// together.
constexpr Known kKnown[] = {
    {"asynchronous", PJRT_NamedValue_kBool},
    {"collective_timeout", PJRT_NamedValue_kInt64, true},
    {"compiler", PJRT_NamedValue_kBool},
    {"coordinator_address", PJRT_NamedValue_kString},
    {"cpu_device_count", PJRT_NamedValue_kInt64},
    {"node_id", PJRT_NamedValue_kInt64},
    {"num_devices", PJRT_NamedValue_kInt64, true},
    {"num_nodes", PJRT_NamedValue_kInt64},
    {"partition_index", PJRT_NamedValue_kInt64},
    {"platform_name", PJRT_NamedValue_kString},
    {"process_address", PJRT_NamedValue_kString},
    {"process_id", PJRT_NamedValue_kInt64},
    {"transport", PJRT_NamedValue_kString},
};
// Options of XLA's clients of accelerators about memory allocation. Programs that do not know which
// plugin they run on pass them to each (go-xla always passes preallocate). They change no results,
// and have no effect here: a CPU's arrays are in the memory of the process.
constexpr Known kMemoryHints[] = {
    {"allocator", PJRT_NamedValue_kString},
    {"collective_memory_size", PJRT_NamedValue_kInt64},
    {"memory_fraction", PJRT_NamedValue_kFloat},
    {"preallocate", PJRT_NamedValue_kBool},
    {"should_stage_host_to_device_transfers", PJRT_NamedValue_kBool},
};

const Known* FindKnown(absl::string_view name) {
  for (const auto& list : {absl::MakeConstSpan(kKnown), absl::MakeConstSpan(kMemoryHints)}) {
    for (const Known& known : list) {
      if (known.name == name) return &known;
    }
  }
  return nullptr;
}

absl::StatusOr<int64_t> ParseNumber(absl::string_view text, absl::string_view where,
                                    absl::string_view what) {
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return number;
  return absl::InvalidArgumentError(
      absl::StrCat(where, " is \"", text, "\"; a number of ", what, " is needed"));
}

absl::StatusOr<int64_t> NumberOf(const PJRT_NamedValue& option, absl::string_view what) {
  if (option.type == PJRT_NamedValue_kInt64) return option.int64_value;
  return ParseNumber({option.string_value, option.value_size},
                     absl::StrCat("the option ", absl::string_view(option.name, option.name_size)),
                     what);
}

std::string TextOf(const PJRT_NamedValue& option) {
  return std::string(option.string_value, option.value_size);
}

absl::Status CheckKnown(absl::string_view name, const PJRT_NamedValue& option) {
  if (const Known* known = FindKnown(name); known != nullptr) {
    if (option.type == known->type) return absl::OkStatus();
    if (known->may_be_text && option.type == PJRT_NamedValue_kString) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("Option passed to PJRT_Client_Create with name ",
                                                   name, " has type index ", option.type,
                                                   " but expected type index is ", known->type));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("Unexpected option name passed to PJRT_Client_Create: ", name, "; known are ",
                   absl::StrJoin(kKnown, ", ", [](std::string* out, const Known& known) {
                     absl::StrAppend(out, known.name);
                   })));
}

}  // namespace

absl::StatusOr<ClientOptions> ReadClientOptions(const PJRT_NamedValue* options, size_t count) {
  if (count > 0) XLA_RETURN_IF_ERROR(Require({{"create_options", options}}));
  ClientOptions result;
  std::optional<int64_t> devices;
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& option = options[i];
    const absl::string_view name(option.name, option.name_size);
    XLA_RETURN_IF_ERROR(CheckKnown(name, option));
    if (name == "cpu_device_count" || name == "num_devices") {
      XLA_ASSIGN_OR_RETURN(devices, NumberOf(option, "devices"));
    } else if (name == "asynchronous") {
      result.asynchronous = option.bool_value;
    } else if (name == "compiler") {
      result.compiler = option.bool_value;
    } else if (name == "process_id") {
      result.process_id = option.int64_value;
    } else if (name == "node_id") {
      result.node_id = option.int64_value;
    } else if (name == "num_nodes") {
      result.num_nodes = option.int64_value;
    } else if (name == "partition_index") {
      result.partition_index = option.int64_value;
    } else if (name == "transport") {
      result.transport = TextOf(option);
    } else if (name == "process_address") {
      result.process_address = TextOf(option);
    } else if (name == "coordinator_address") {
      result.coordinator_address = TextOf(option);
    } else if (name == "collective_timeout") {
      XLA_ASSIGN_OR_RETURN(result.collective_timeout, NumberOf(option, "seconds"));
    }
  }
  if (!devices.has_value()) {
    // The one variable of the plugin, for programs that do not create the client themselves.
    const char* variable = std::getenv("XYLEM_NUM_DEVICES");
    if (variable != nullptr && *variable != '\0') {
      XLA_ASSIGN_OR_RETURN(devices, ParseNumber(variable, "XYLEM_NUM_DEVICES", "devices"));
    }
  }
  result.num_devices = devices.value_or(1);
  if (result.num_devices < 1 || result.num_devices > kMaxDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat(result.num_devices, " devices; there may be 1 to ", kMaxDevices));
  }
  if (result.process_id < 0 || result.process_id > kMaxProcess) {
    return absl::InvalidArgumentError(
        absl::StrCat("process_id ", result.process_id, "; it may be 0 to ", kMaxProcess));
  }
  if (result.num_nodes < 1 || result.num_nodes > distributed::kMaxProcesses) {
    return absl::InvalidArgumentError(absl::StrCat(
        "num_nodes ", result.num_nodes, "; it may be 1 to ", distributed::kMaxProcesses));
  }
  if (result.node_id < 0 || result.node_id >= result.num_nodes) {
    return absl::InvalidArgumentError(
        absl::StrCat("node_id ", result.node_id, " of num_nodes ", result.num_nodes));
  }
  XLA_RETURN_IF_ERROR(distributed::CheckEngine(result.transport));
  if (result.collective_timeout < 1 || result.collective_timeout > kMaxTimeout) {
    return absl::InvalidArgumentError(absl::StrCat("collective_timeout ", result.collective_timeout,
                                                   "; it may be 1 to ", kMaxTimeout, " seconds"));
  }
  if (result.partition_index.value_or(0) < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("partition_index ", *result.partition_index, "; it must be 0 or more"));
  }
  return result;
}

}  // namespace xla::pjrt
