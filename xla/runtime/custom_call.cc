// SPDX-License-Identifier: Apache-2.0
// The registry: targets by name, and which way each is called.
#include "xla/runtime/custom_call.h"

#include <cxxabi.h>

#include <atomic>
#include <exception>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/string_view.h"

namespace xla {
namespace {

const char* ConventionName(int convention) {
  switch (convention) {
    case XYLEM_CALL_ORIGINAL:
      return "API_VERSION_ORIGINAL";
    case XYLEM_CALL_STATUS_RETURNING:
      return "API_VERSION_STATUS_RETURNING";
    case XYLEM_CALL_STATUS_RETURNING_UNIFIED:
      return "API_VERSION_STATUS_RETURNING_UNIFIED";
    case XYLEM_CALL_TYPED:
      return "API_VERSION_TYPED_FFI";
    default:
      return "API_VERSION_UNSPECIFIED";
  }
}

absl::Status WrongConvention(absl::string_view is, int called) {
  return absl::InvalidArgumentError(
      absl::StrCat("the target is registered as ", is,
                   ", but the call says api_version=", ConventionName(called)));
}

absl::Status Named(const CustomCallFrame& call, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("custom call \"", View(call.target), "\": ", status.message()));
}

}  // namespace

absl::StatusOr<const CustomCallBuffer*> CustomCallFrame::Typed(
    const std::vector<CustomCallBuffer>& buffers, const char* what, int64_t i, PrimitiveType type) {
  if (i < 0 || i >= static_cast<int64_t>(buffers.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no ", what, " ", i, "; the call has ", buffers.size()));
  }
  const CustomCallBuffer& buffer = buffers[static_cast<size_t>(i)];
  if (buffer.shape->element_type() != type) {
    return absl::InvalidArgumentError(absl::StrCat(what, " ", i, " is ", buffer.shape->ToString(),
                                                   ", not of type ", PrimitiveType_Name(type)));
  }
  return &buffer;
}

absl::Status CustomCallRegistry::Add(std::string name, Target target) {
  if (name.empty()) return absl::InvalidArgumentError("a custom-call target needs a name");
  version_ = Version();
  const auto [place, added] = targets_.emplace(std::move(name), std::move(target));
  if (!added) {
    return absl::AlreadyExistsError(
        absl::StrCat("custom-call target \"", place->first, "\" is registered already"));
  }
  return absl::OkStatus();
}

absl::Status CustomCallRegistry::Register(std::string target, Handler handler) {
  if (handler == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom-call target \"", target, "\" has no function"));
  }
  Target added;
  added.handler = std::move(handler);
  return Add(std::move(target), std::move(added));
}

absl::Status CustomCallRegistry::RegisterPrepared(std::string target, Prepare prepare) {
  if (prepare == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom-call target \"", target, "\" has no function"));
  }
  Target added;
  added.prepare = std::move(prepare);
  return Add(std::move(target), std::move(added));
}

uint64_t CustomCallRegistry::Version::Next() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

absl::Status CustomCallRegistry::RegisterUntyped(std::string target, void* function) {
  if (function == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("custom-call target \"", target, "\" has no function"));
  }
  Target added;
  added.untyped = function;
  return Add(std::move(target), std::move(added));
}

absl::Status CustomCallRegistry::RegisterTable(const XylemCustomCallTable* table,
                                               std::string_view origin) {
  const auto error = [&](const auto&... what) {
    return absl::InvalidArgumentError(absl::StrCat(View(origin), ": ", what...));
  };
  if (table == nullptr) return error("the table of custom calls is null");
  // Size and version come first in every version of the table.
  if (table->struct_size < offsetof(XylemCustomCallTable, target_count) ||
      table->abi_major != XYLEM_CUSTOM_CALL_ABI_MAJOR) {
    return error("made for version ", table->abi_major, ".", table->abi_minor,
                 " of the custom-call interface; this is version ", XYLEM_CUSTOM_CALL_ABI_MAJOR,
                 ".", XYLEM_CUSTOM_CALL_ABI_MINOR);
  }
  if (table->struct_size < sizeof(XylemCustomCallTable)) {
    return error("the table of custom calls says it has ", table->struct_size, " bytes, less than ",
                 sizeof(XylemCustomCallTable));
  }
  if (table->target_count < 0 || (table->target_count > 0 && table->targets == nullptr)) {
    return error("the table of custom calls has ", table->target_count, " targets at null");
  }
  CustomCallRegistry merged = *this;
  for (int64_t i = 0; i < table->target_count; ++i) {
    const XylemTarget* target = table->targets[i];
    if (target == nullptr || target->struct_size < sizeof(XylemTarget)) {
      return error("target ", i, " is null or smaller than ", sizeof(XylemTarget), " bytes");
    }
    if (target->name == nullptr || target->name[0] == '\0') {
      return error("target ", i, " has no name");
    }
    if (target->convention < XYLEM_CALL_ORIGINAL || target->convention > XYLEM_CALL_TYPED) {
      return error("target \"", target->name, "\" has the unknown calling convention ",
                   target->convention);
    }
    if (target->function.original == nullptr) {
      return error("target \"", target->name, "\" has no function");
    }
    Target added;
    added.c_target = *target;
    if (const absl::Status status = merged.Add(target->name, std::move(added)); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat(View(origin), ": ", status.message()));
    }
  }
  *this = std::move(merged);
  return absl::OkStatus();
}

std::vector<std::string> CustomCallRegistry::Targets() const {
  std::vector<std::string> names;
  for (const auto& [name, unused] : targets_) names.push_back(name);
  return names;
}

absl::Status CustomCallRegistry::Call(CustomCallFrame& call) const {
  std::shared_ptr<void> kept;
  XLA_ASSIGN_OR_RETURN(BoundCustomCall bound, Bind(call, kept));
  return bound.Run(call);
}

absl::StatusOr<BoundCustomCall> CustomCallRegistry::Bind(CustomCallFrame& form,
                                                         std::shared_ptr<void>& kept) const {
  const auto found = targets_.find(form.target);
  if (found == targets_.end()) {
    return absl::UnimplementedError(absl::StrCat(
        form.api_version == XYLEM_CALL_TYPED ? "No FFI handler registered for" : "there is no",
        " custom call \"", View(form.target), "\"; known are: ",
        targets_.empty() ? std::string("none") : absl::StrJoin(Targets(), ", ")));
  }
  const Target& target = found->second;
  BoundCustomCall bound;
  const int version = form.api_version;
  const bool is_typed = target.handler != nullptr || target.prepare != nullptr ||
                        target.c_target.convention == XYLEM_CALL_TYPED;
  if (is_typed) {
    form.attributes_ = AttributeDictionary();
    if (version == XYLEM_CALL_TYPED) {
      absl::StatusOr<AttributeDictionary> attributes = AttributeDictionary::Parse(form.opaque);
      if (!attributes.ok()) return Named(form, attributes.status());
      form.attributes_ = *std::move(attributes);
    }
    if (target.prepare != nullptr) {
      bound.prepared_ = target.prepare(form, kept);
    } else if (target.handler != nullptr) {
      bound.function_ = std::cref(target.handler);
    } else {
      bound.function_ = [&target](CustomCallFrame& call) {
        return internal::CallTypedC(target.c_target, call.attributes(), call);
      };
    }
    return bound;
  }
  XylemTarget untyped = target.c_target;
  if (target.untyped != nullptr) {
    if (version < XYLEM_CALL_ORIGINAL || version > XYLEM_CALL_STATUS_RETURNING_UNIFIED) {
      return Named(form, WrongConvention("an untyped function", version));
    }
    untyped.convention = version;
    untyped.function.original = reinterpret_cast<void (*)(void*, const void**)>(target.untyped);
  } else if (version != untyped.convention) {
    return Named(form, WrongConvention(ConventionName(untyped.convention), version));
  }
  bound.function_ = [untyped](CustomCallFrame& call) {
    return internal::CallUntyped(untyped, call);
  };
  return bound;
}

absl::Status BoundCustomCall::Run(CustomCallFrame& call) {
  const auto run = [&]() -> absl::Status {
    try {
      return prepared_ != nullptr ? prepared_->Run(call) : function_(call);
    } catch (const std::exception& e) {
      return absl::InternalError(absl::StrCat("the handler threw: ", e.what()));
    } catch (const abi::__forced_unwind&) {
      throw;  // the thread ends: pthread_exit
    } catch (...) {
      return absl::InternalError("the handler threw");
    }
  };
  const absl::Status status = run();
  return status.ok() ? status : Named(call, status);
}

}  // namespace xla
