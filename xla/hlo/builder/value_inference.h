// SPDX-License-Identifier: Apache-2.0
// ValueInference: what is known of values while a program is being built: constants, bounds, and
// which elements depend on parameters. Sizes of dynamic dimensions are bounded by their shapes.
//
//   ValueInference inference(&builder);
//   absl::StatusOr<OptionalLiteral> size =
//       inference.AnalyzeConstant(GetDimensionSize(x, 0), ValueInferenceMode::kUpperBound);
#ifndef XLA_HLO_BUILDER_VALUE_INFERENCE_H_
#define XLA_HLO_BUILDER_VALUE_INFERENCE_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla {

// A literal some elements of which are unknown.
class OptionalLiteral {
 public:
  // `mask` has the structure and sizes of `value`, of pred: true where the element is unknown.
  explicit OptionalLiteral(Literal value, Literal mask)
      : value_(std::move(value)), mask_(std::move(mask)) {}

  template <typename NativeT>
  std::optional<NativeT> Get(absl::Span<const int64_t> element_index,
                             const ShapeIndex& shape_index = {}) const {
    if (mask_.Get<bool>(element_index, shape_index)) return std::nullopt;
    return value_.Get<NativeT>(element_index, shape_index);
  }
  // Whether every element is known.
  bool AllValid() const;
  // The whole value; nullopt if an element is unknown. Valid as long as this.
  std::optional<LiteralSlice> GetValue() const {
    if (!AllValid()) return std::nullopt;
    return LiteralSlice(value_);
  }

 private:
  Literal value_, mask_;
};

enum ValueInferenceMode {
  kValue = 0,   // the constant
  kUpperBound,  // a number that no run exceeds
  kLowerBound,  // a number that every run reaches
};

// Integer arithmetic is assumed not to overflow, as it does not where sizes are computed.
class ValueInference {
 public:
  // The builder must outlive this.
  explicit ValueInference(XlaBuilder* builder) : builder_(builder) {}

  // Pred, with the structure and sizes of the value: true where an element depends on a parameter,
  // an effect or a random number.
  absl::StatusOr<Literal> AnalyzeIsDynamic(XlaOp op);
  // The constant, or a bound, of each element where one can be inferred.
  absl::StatusOr<OptionalLiteral> AnalyzeConstant(XlaOp op, ValueInferenceMode mode);

  XlaBuilder* builder() const { return builder_; }

 private:
  XlaBuilder* builder_;
};

}  // namespace xla

#endif  // XLA_HLO_BUILDER_VALUE_INFERENCE_H_
