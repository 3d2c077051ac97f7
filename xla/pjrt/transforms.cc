// SPDX-License-Identifier: Apache-2.0
#include "xla/pjrt/transforms.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/pjrt/entry.h"
#include "xla/shape_util.h"

namespace xla::pjrt {
namespace {

constexpr PJRT_XlaTransform_PipelineStage kStages[] = {
    PJRT_XlaTransform_PipelineStage_kPreScheduler, PJRT_XlaTransform_PipelineStage_kPostScheduler};

struct Transform {
  Transform(std::string name, PJRT_XlaTransform_PipelineStage stage,
            PJRT_XlaTransform_Callbacks* callbacks)
      : name(std::move(name)), stage(stage), callbacks(callbacks) {}
  ~Transform() {
    if (callbacks->dtor != nullptr) callbacks->dtor(callbacks);
  }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  const std::string name;
  const PJRT_XlaTransform_PipelineStage stage;
  PJRT_XlaTransform_Callbacks* const callbacks;
};
using Transforms = std::vector<std::shared_ptr<const Transform>>;

struct Registry {
  std::mutex mutex;
  Transforms transforms;
  // Compilations may still use them. They are destroyed in a later call of their owner, who holds
  // the locks that this needs (that of the interpreter), not on a compiling thread.
  Transforms cleared;

  static Registry& Get() {
    static auto* const registry = new Registry;  // used by threads until the process ends
    return *registry;
  }
  // Removes the unused ones, to be destroyed without the mutex.
  Transforms TakeUnused() {
    const auto used = std::partition(cleared.begin(), cleared.end(), [](const auto& transform) {
      return transform.use_count() > 1;
    });
    Transforms unused(std::make_move_iterator(used), std::make_move_iterator(cleared.end()));
    cleared.erase(used, cleared.end());
    return unused;
  }
};

absl::Status CheckStage(PJRT_XlaTransform_PipelineStage stage) {
  for (const PJRT_XlaTransform_PipelineStage known : kStages) {
    if (stage == known) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown transformation stage: ", static_cast<int>(stage)));
}

bool HaveSameSignature(const HloComputation& a, const HloComputation& b) {
  if (a.num_parameters() != b.num_parameters()) return false;
  for (int64_t i = 0; i < a.num_parameters(); ++i) {
    if (!ShapeUtil::Compatible(a.parameter_instruction(i)->shape(),
                               b.parameter_instruction(i)->shape())) {
      return false;
    }
  }
  return ShapeUtil::Compatible(a.root_instruction()->shape(), b.root_instruction()->shape());
}

// Returns the module that the function returns, or the same one.
absl::StatusOr<std::unique_ptr<HloModule>> Apply(const Transform& transform,
                                                 std::unique_ptr<HloModule> module) {
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(*module));
  const std::string bytes = proto.SerializeAsString();
  PJRT_XlaTransform_Args args = {};
  args.struct_size = sizeof(args);
  args.header.api_version = PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION;
  args.hlo_module = {bytes.data(), bytes.size()};
  transform.callbacks->transform_hlo_module(transform.callbacks, &args);
  const auto text = [](const PJRT_XlaTransform_string& text) {
    return text.data == nullptr ? std::string() : std::string(text.data, text.size);
  };
  const std::string error = text(args.header.error_msg),
                    transformed = args.changed ? text(args.transformed_hlo_module) : "";
  if (args.header.cleanup_fn != nullptr) args.header.cleanup_fn(args.header.data);
  if (args.header.has_error) {
    return absl::InternalError(absl::StrCat("the transformation ", transform.name, ": ", error));
  }
  if (!args.changed) return module;
  const auto annotated = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat("the program of the transformation ",
                                                    transform.name, ": ", status.message()));
  };
  auto changed = ParseModuleFromProtoBytes(transformed);
  if (!changed.ok()) return annotated(changed.status());
  if (!HaveSameSignature(*(*changed)->entry_computation(), *module->entry_computation())) {
    return annotated(absl::InvalidArgumentError("its parameters or results have changed"));
  }
  (*changed)->config() = module->config();
  const absl::Status status = VerifyModule(**changed);
  if (!status.ok()) return annotated(status);
  return changed;
}

}  // namespace

absl::Status RegisterTransform(PJRT_Register_Xla_Transform_Args& args) {
  XLA_RETURN_IF_ERROR(Require({{"name", args.name}, {"callbacks", args.callbacks}}));
  XLA_RETURN_IF_ERROR(
      Require({{"transform_hlo_module",
                reinterpret_cast<const void*>(args.callbacks->transform_hlo_module)}}));
  XLA_RETURN_IF_ERROR(CheckStage(args.stage));
  if (args.callbacks->version != PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION) {
    return absl::InvalidArgumentError(
        absl::StrCat("version ", args.callbacks->version, " of the callbacks of a transformation"));
  }
  auto transform = std::make_shared<Transform>(std::string(args.name, args.name_size), args.stage,
                                               args.callbacks);
  Registry& registry = Registry::Get();
  Transforms unused;
  const std::lock_guard<std::mutex> lock(registry.mutex);
  unused = registry.TakeUnused();
  registry.transforms.push_back(std::move(transform));
  return absl::OkStatus();
}

absl::Status ClearTransform(PJRT_Clear_Xla_Transform_Args& args) {
  XLA_RETURN_IF_ERROR(CheckStage(args.stage));
  if (args.name == nullptr) XLA_RETURN_IF_ERROR(Require({{"callbacks", args.callbacks}}));
  const auto is_meant = [&](const Transform& transform) {
    if (transform.stage != args.stage) return false;
    return args.name == nullptr ? transform.callbacks == args.callbacks
                                : transform.name == std::string_view(args.name, args.name_size);
  };
  Registry& registry = Registry::Get();
  Transforms unused;
  const std::lock_guard<std::mutex> lock(registry.mutex);
  Transforms& all = registry.transforms;
  const auto kept = std::stable_partition(
      all.begin(), all.end(), [&](const auto& transform) { return !is_meant(*transform); });
  args.cleared = kept != all.end();
  registry.cleared.insert(registry.cleared.end(), std::make_move_iterator(kept),
                          std::make_move_iterator(all.end()));
  all.erase(kept, all.end());
  unused = registry.TakeUnused();
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<HloModule>> ApplyTransforms(std::unique_ptr<HloModule> module) {
  Transforms transforms;
  {
    Registry& registry = Registry::Get();
    const std::lock_guard<std::mutex> lock(registry.mutex);
    transforms = registry.transforms;
  }
  for (const PJRT_XlaTransform_PipelineStage stage : kStages) {
    for (const auto& transform : transforms) {
      if (transform->stage != stage) continue;
      XLA_ASSIGN_OR_RETURN(module, Apply(*transform, std::move(module)));
    }
  }
  return module;
}

}  // namespace xla::pjrt
