// SPDX-License-Identifier: Apache-2.0
// Errors and events.
#include <cstddef>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/pjrt/entry.h"
#include "xla/pjrt/functions.h"
#include "xla/pjrt/objects.h"
#include "xla/pjrt/python.h"

namespace xla::pjrt {
namespace {

const PJRT_Error_FunctionTable kErrorFunctions = {
    sizeof(PJRT_Error_FunctionTable),
    sizeof(PJRT_Error),
    nullptr,
    VoidEntry<&api::Error_Destroy, PJRT_Error_Destroy_Args>,
    VoidEntry<&api::Error_Message, PJRT_Error_Message_Args>,
    Entry<&api::Error_GetCode, PJRT_Error_GetCode_Args>,
    Entry<&api::Error_ForEachPayload, PJRT_Error_ForEachPayload_Args>};

}  // namespace

PJRT_Error* MakeError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new PJRT_Error{&kErrorFunctions, status, std::string(status.message())};
}

absl::Status Require(std::initializer_list<NamedPointer> arguments) {
  for (const NamedPointer& argument : arguments) {
    if (argument.pointer == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("the argument ", argument.name, " is null"));
    }
  }
  return absl::OkStatus();
}

absl::Status StructTooSmall(size_t struct_size, size_t oldest) {
  return absl::InvalidArgumentError(
      absl::StrCat("the argument struct has ", struct_size, " bytes; at least ", oldest,
                   " are needed: the caller was built for a PJRT C API older than 0.29"));
}

absl::Status StatusOf(PJRT_Error_Code code, const char* message, size_t size) {
  const absl::string_view text = message == nullptr ? "" : absl::string_view(message, size);
  return absl::Status(static_cast<absl::StatusCode>(code), text.empty() ? "no message" : text);
}

namespace api {

absl::Status Error_Destroy(PJRT_Error_Destroy_Args& args) {
  delete args.error;
  return absl::OkStatus();
}

absl::Status Error_Message(PJRT_Error_Message_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"error", args.error}}));
  Put(args.error->message, args.message, args.message_size);
  return absl::OkStatus();
}

absl::Status Error_GetCode(PJRT_Error_GetCode_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"error", args.error}}));
  args.code = static_cast<PJRT_Error_Code>(args.error->status.code());
  return absl::OkStatus();
}

absl::Status Error_ForEachPayload(PJRT_Error_ForEachPayload_Args& args) {
  XLA_RETURN_IF_ERROR(
      Require({{"error", args.error}, {"visitor", reinterpret_cast<const void*>(args.visitor)}}));
  args.error->status.ForEachPayload([&](absl::string_view key, const absl::Cord& value) {
    const std::string text(value);
    args.visitor(key.data(), key.size(), text.data(), text.size(), args.user_arg);
  });
  return absl::OkStatus();
}

absl::Status Event_Destroy(PJRT_Event_Destroy_Args& args) {
  delete args.event;
  return absl::OkStatus();
}

absl::Status Event_IsReady(PJRT_Event_IsReady_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"event", args.event}}));
  args.is_ready = args.event->event.IsReady();
  return absl::OkStatus();
}

absl::Status Event_Error(PJRT_Event_Error_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"event", args.event}}));
  if (!args.event->event.IsReady()) {
    return absl::FailedPreconditionError(
        "PJRT_Event_Error was called on an event that is not ready");
  }
  return args.event->event.status();
}

absl::Status Event_Await(PJRT_Event_Await_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"event", args.event}}));
  return AwaitUnlessSignaled(args.event->event);
}

absl::Status Event_OnReady(PJRT_Event_OnReady_Args& args) {
  XLA_RETURN_IF_ERROR(
      Require({{"event", args.event}, {"callback", reinterpret_cast<const void*>(args.callback)}}));
  args.event->event.OnReady(
      [callback = args.callback, user_arg = args.user_arg](const absl::Status& status) {
        callback(MakeError(status), user_arg);
      });
  return absl::OkStatus();
}

absl::Status Event_Create(PJRT_Event_Create_Args& args) {
  auto source = std::make_unique<runtime::EventSource>();
  args.event = new PJRT_Event(source->event());
  args.event->source = std::move(source);
  return absl::OkStatus();
}

absl::Status Event_Set(PJRT_Event_Set_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"event", args.event}}));
  if (args.event->source == nullptr || args.event->is_set.exchange(true)) {
    return absl::FailedPreconditionError(
        "PJRT_Event_Set was called on an event that is set already, or that PJRT_Event_Create did "
        "not create");
  }
  args.event->source->Set(StatusOf(args.error_code, args.error_message, args.error_message_size));
  return absl::OkStatus();
}

}  // namespace api
}  // namespace xla::pjrt
