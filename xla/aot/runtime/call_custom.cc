// SPDX-License-Identifier: Apache-2.0
// Custom calls: functions of the user's in XLA's untyped conventions.
#include <string>

#include "xla/aot/runtime/library_steps.h"
#include "xla/base/floating_point_mode.h"

// As in xla/runtime/custom_call_c.h.
struct XlaCustomCallStatus_ {
  size_t struct_size;
  void (*set)(XlaCustomCallStatus_* status, int32_t failed, const char* message, size_t size);
};

namespace {

struct Status : XlaCustomCallStatus_ {
  bool has_failed = false;
  std::string message;
};

void SetStatus(XlaCustomCallStatus_* status, int32_t failed, const char* message, size_t size) {
  Status& own = *static_cast<Status*>(status);
  own.has_failed = failed != 0;
  own.message.assign(message, size);
}

}  // namespace

XYLEM_LIBRARY_STEP(xylem_call_custom) {
  xla::aot::ParameterReader reader(parameters);
  const void* const function = run->FunctionAt<const void*>(reader.Number());
  const int64_t version = reader.Number();
  const bool is_tuple = reader.Number() != 0;
  const int64_t operands = reader.Number();
  const auto in = static_cast<const void**>(static_cast<void*>(const_cast<char**>(buffers)));
  void* out =
      is_tuple ? const_cast<char**>(buffers) + operands : static_cast<void*>(buffers[operands]);
  // The code of others is none of the program's.
  const xla::ScopedFloatingPointMode mode(xla::FloatingPointMode::Ieee());
  if (version <= 1) {
    reinterpret_cast<void (*)(void*, const void**)>(const_cast<void*>(function))(out, in);
    return;
  }
  Status result;
  result.struct_size = sizeof(XlaCustomCallStatus_);
  result.set = SetStatus;
  reinterpret_cast<void (*)(void*, const void**, XlaCustomCallStatus_*)>(
      const_cast<void*>(function))(out, in, &result);
  if (result.has_failed) *status = absl::InternalError(result.message);
}
