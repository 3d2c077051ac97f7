// SPDX-License-Identifier: Apache-2.0
// Scoped objects that set the defaults of a builder for new operations and restore the previous
// ones. Part of xla_builder.h; include that.
//
//   XlaScopedShardingAssignment scope(&builder, sharding_builder::Replicate());
#ifndef XLA_HLO_BUILDER_SCOPED_ASSIGNMENT_H_
#define XLA_HLO_BUILDER_SCOPED_ASSIGNMENT_H_

#include <optional>
#include <utility>

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

// No value: operations get none.
class XlaScopedShardingAssignment {
 public:
  XlaScopedShardingAssignment(XlaBuilder* builder, std::optional<OpSharding> sharding)
      : builder_(builder), former_(builder->SwapSharding(std::move(sharding))) {}
  XlaScopedShardingAssignment(const XlaScopedShardingAssignment&) = delete;
  XlaScopedShardingAssignment& operator=(const XlaScopedShardingAssignment&) = delete;
  ~XlaScopedShardingAssignment() { builder_->SwapSharding(std::move(former_)); }

 private:
  XlaBuilder* const builder_;
  std::optional<OpSharding> former_;
};

class XlaScopedOriginalValueAssignment {
 public:
  XlaScopedOriginalValueAssignment(XlaBuilder* builder, std::optional<OriginalValueProto> value)
      : builder_(builder), former_(builder->original_value()) {
    Set(value);
  }
  XlaScopedOriginalValueAssignment(const XlaScopedOriginalValueAssignment&) = delete;
  XlaScopedOriginalValueAssignment& operator=(const XlaScopedOriginalValueAssignment&) = delete;
  ~XlaScopedOriginalValueAssignment() { Set(former_); }

 private:
  void Set(const std::optional<OriginalValueProto>& value) {
    if (value.has_value()) {
      builder_->SetOriginalValue(*value);
    } else {
      builder_->ClearOriginalValue();
    }
  }

  XlaBuilder* const builder_;
  std::optional<OriginalValueProto> former_;
};

class XlaScopedFrontendAttributesAssignment {
 public:
  XlaScopedFrontendAttributesAssignment(XlaBuilder* builder, FrontendAttributes attributes)
      : builder_(builder), former_(builder->SwapFrontendAttributes(attributes)) {}
  XlaScopedFrontendAttributesAssignment(const XlaScopedFrontendAttributesAssignment&) = delete;
  XlaScopedFrontendAttributesAssignment& operator=(const XlaScopedFrontendAttributesAssignment&) =
      delete;
  ~XlaScopedFrontendAttributesAssignment() { builder_->SetFrontendAttributes(former_); }

 private:
  XlaBuilder* const builder_;
  FrontendAttributes former_;
};

class XlaScopedOpMetadataAssignment {
 public:
  XlaScopedOpMetadataAssignment(XlaBuilder* builder, OpMetadata metadata)
      : builder_(builder), former_(builder->SwapOpMetadata(std::move(metadata))) {}
  XlaScopedOpMetadataAssignment(const XlaScopedOpMetadataAssignment&) = delete;
  XlaScopedOpMetadataAssignment& operator=(const XlaScopedOpMetadataAssignment&) = delete;
  ~XlaScopedOpMetadataAssignment() { builder_->SwapOpMetadata(std::move(former_)); }

 private:
  XlaBuilder* const builder_;
  OpMetadata former_;
};

}  // namespace xla

#endif  // XLA_HLO_BUILDER_SCOPED_ASSIGNMENT_H_
