// SPDX-License-Identifier: Apache-2.0
#include "xla/packed_literal_reader.h"

#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/layout_util.h"
#include "xla/util.h"

namespace xla {

absl::StatusOr<Literal> PackedLiteralReader::Read(const Shape& shape, const Layout* layout) {
  Shape literal_shape = shape;
  if (layout != nullptr) {
    XLA_RETURN_IF_ERROR(LayoutUtil::ValidateLayoutForShape(*layout, literal_shape));
    *literal_shape.mutable_layout() = *layout;
  }
  if (!shape.IsArray() || shape.element_type() != F32) {
    return Unimplemented("not yet implemented element type for packed literal reading: %s",
                         PrimitiveType_Name(shape.element_type()));
  }
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(literal_shape));
  char* const data = static_cast<char*>(literal.untyped_data());
  const auto size = static_cast<size_t>(literal.size_bytes());
  absl::string_view read;
  const absl::Status status = file_->Read(offset_, read, absl::MakeSpan(data, size));
  offset_ += read.size();
  XLA_RETURN_IF_ERROR(status);
  if (read.data() != data) std::memcpy(data, read.data(), read.size());
  return literal;
}

bool PackedLiteralReader::IsExhausted() const {
  char byte;
  absl::string_view read;
  return !file_->Read(offset_, read, absl::MakeSpan(&byte, 1)).ok();
}

}  // namespace xla
