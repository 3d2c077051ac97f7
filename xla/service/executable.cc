// SPDX-License-Identifier: Apache-2.0
// What all executables share: leaves, aliases, checks of donations.
#include "xla/service/executable.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

void CollectShapeLeaves(const Shape& shape, std::vector<const Shape*>& leaves) {
  if (!shape.IsTuple()) {
    leaves.push_back(&shape);
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) CollectShapeLeaves(element, leaves);
}

}  // namespace

Executable::Executable(std::shared_ptr<const HloModule> module) : module_(std::move(module)) {
  const ProgramShape& layout = module_->entry_computation_layout();
  for (const Shape& parameter : layout.parameters())
    CollectShapeLeaves(parameter, argument_leaves_);
  CollectShapeLeaves(layout.result(), result_leaves_);

  const auto position = [](const std::vector<const Shape*>& leaves, const Shape& leaf) {
    int32_t i = 0;
    while (leaves[static_cast<size_t>(i)] != &leaf) ++i;
    return i;
  };
  for (const InputOutputAlias& alias : module_->config().input_output_alias) {
    const Shape& parameter = layout.parameters(static_cast<int>(alias.parameter_number));
    aliases_.push_back(
        {position(argument_leaves_, ShapeUtil::GetSubshape(parameter, alias.parameter_index)),
         position(result_leaves_, ShapeUtil::GetSubshape(layout.result(), alias.output_index)),
         alias.kind == InputOutputAlias::Kind::kMust});
  }
}

absl::Status Executable::CheckDonations(absl::Span<const runtime::ArgumentView> arguments) const {
  if (arguments.size() != argument_leaves_.size()) return absl::OkStatus();  // Run reports it.
  for (const Alias& alias : aliases_) {
    if (!alias.is_must || arguments[static_cast<size_t>(alias.argument)].is_donated) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "An input was configured to be must-alias at compile time but not donated at runtime: "
        "argument buffer ",
        alias.argument, " of program ", module_->name()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_donated || arguments[i].data == nullptr) continue;
    for (size_t k = 0; k < arguments.size(); ++k) {
      if (k == i || arguments[k].data != arguments[i].data) continue;
      return absl::InvalidArgumentError(absl::StrCat("argument buffers ", i, " and ", k,
                                                     " of program ", module_->name(),
                                                     " are the same memory, which is donated"));
    }
  }
  return absl::OkStatus();
}

absl::Status Executable::Execute(const ExecuteRequest& request) const {
  for (const absl::Span<const runtime::ArgumentView> arguments : request.arguments) {
    XLA_RETURN_IF_ERROR(CheckDonations(arguments));
  }
  return Run(request);
}

}  // namespace xla
