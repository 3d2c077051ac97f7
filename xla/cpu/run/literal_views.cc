// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/run/literal_views.h"

#include <cstring>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {

absl::Status LiteralViews::AddMemory(int64_t bytes) {
  memory_.emplace_back(static_cast<char*>(runtime::AllocateHostMemory(static_cast<size_t>(bytes))));
  if (memory_.back() == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the system has no memory for ", bytes, " bytes"));
  }
  memory_bytes_ += bytes;
  return absl::OkStatus();
}

absl::Status LiteralViews::AddArgument(const LiteralSlice& literal) {
  absl::Status status;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple() || !status.ok()) return;
    runtime::ArgumentView view;
    view.shape = &ShapeUtil::GetSubshape(literal.shape(), index);
    if (part.IsArray()) {
      const absl::StatusOr<int64_t> bytes = runtime::ArrayBytes(*view.shape);
      status = bytes.status();
      if (!status.ok()) return;
      view.data = const_cast<void*>(literal.untyped_data(index));
      view.size_bytes = *bytes;
      if (part.is_dynamic()) {
        const int64_t elements = literal.size_bytes(index);
        status = AddMemory(*bytes);
        if (!status.ok()) return;
        if (elements > 0)
          std::memcpy(memory_.back().get(), view.data, static_cast<size_t>(elements));
        view.data = memory_.back().get();
        DimensionVector sizes;
        for (int d = 0; d < part.rank(); ++d) sizes.push_back(literal.GetDynamicSize(d, index));
        runtime::WriteDynamicSizes(*view.shape, view.data, sizes);
      }
    }
    arguments_.push_back(view);
  });
  return status;
}

absl::Status LiteralViews::AddResult(Literal& literal) {
  absl::Status status;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple() || !status.ok()) return;
    runtime::ResultView view;
    if (part.IsArray()) {
      const absl::StatusOr<int64_t> bytes = runtime::ArrayBytes(part);
      status = bytes.status();
      if (!status.ok()) return;
      view.data = literal.untyped_data(index);
      view.size_bytes = *bytes;
      if (part.is_dynamic()) {
        status = AddMemory(*bytes);
        if (!status.ok()) return;
        view.data = memory_.back().get();
      }
    }
    results_.push_back(view);
  });
  return status;
}

absl::Status LiteralViews::CopyDynamicResults(Literal& literal) const {
  absl::Status status;
  size_t next = 0;
  ShapeUtil::ForEachSubshape(literal.shape(), [&](const Shape& part, const ShapeIndex& index) {
    if (part.IsTuple()) return;
    const runtime::ResultView& view = results_[next++];
    if (!part.IsArray() || !part.is_dynamic() || !status.ok()) return;
    DimensionVector sizes(static_cast<size_t>(part.rank()));
    status = runtime::ReadDynamicSizes(part, view.data, absl::MakeSpan(sizes));
    if (!status.ok()) return;
    for (int d = 0; d < part.rank(); ++d) {
      if (part.is_dynamic_dimension(d))
        literal.SetDynamicSize(d, index, static_cast<int32_t>(sizes[static_cast<size_t>(d)]));
    }
    const int64_t elements = literal.size_bytes(index);
    if (elements > 0)
      std::memcpy(literal.untyped_data(index), view.data, static_cast<size_t>(elements));
  });
  return status;
}

}  // namespace xla::cpu
