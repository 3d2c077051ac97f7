// SPDX-License-Identifier: Apache-2.0
// batch-norm-training, batch-norm-inference and batch-norm-grad; computed in double precision and
// rounded once at the end.
//
// For each index of the feature dimension, over all elements with that index: mean and (biased)
// variance, the normalized operand (x - mean) / sqrt(variance + epsilon) * scale + offset, and the
// gradients of that.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/interpreter/dynamic_sizes.h"
#include "xla/interpreter/evaluator.h"
#include "xla/interpreter/value.h"
#include "xla/kernels/wide.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla::interpreter {
namespace {

// An array [outer, features, inner], read and written in runs of one feature.
class FeatureArray {
 public:
  FeatureArray(const Value& value, int64_t feature_dimension)
      : type_(value.element_type()), bytes_(primitive_util::ByteWidth(type_)) {
    features_ = value.dimensions()[feature_dimension];
    for (int64_t d = 0; d < value.rank(); ++d) {
      if (d < feature_dimension) outer_ *= value.dimensions()[d];
      if (d > feature_dimension) inner_ *= value.dimensions()[d];
    }
    if (!value.has_dynamic_sizes()) return;
    const std::vector<bool> elements = ExistingElements(value);
    for (int64_t i = 0; i < outer_ * inner_; ++i)
      exists_.push_back(elements[i / inner_ * features_ * inner_ + i % inner_]);
  }

  int64_t features() const { return features_; }
  int64_t count() const { return outer_ * inner_; }  // elements of a feature
  // Only those that exist count in sums.
  bool Exists(size_t i) const { return exists_.empty() || exists_[i]; }
  double existing_count() const {
    return exists_.empty() ? static_cast<double>(count())
                           : static_cast<double>(std::count(exists_.begin(), exists_.end(), true));
  }

  // All elements of a feature, in order.
  void Load(const Value& value, int64_t feature, std::vector<double>& elements) const {
    elements.resize(count());
    const kernels::WideLoad<double> load = kernels::GetWideLoad<double>(type_);
    const char* data = static_cast<const char*>(value.untyped_data()) + feature * inner_ * bytes_;
    if (inner_ == 1) return load(data, features_, outer_, elements.data());
    for (int64_t o = 0; o < outer_; ++o) {
      load(data + o * features_ * inner_ * bytes_, 1, inner_, elements.data() + o * inner_);
    }
  }
  void Store(const std::vector<double>& elements, int64_t feature, Value& value) const {
    const kernels::WideStore<double> store = kernels::GetWideStore<double>(type_);
    char* data = static_cast<char*>(value.mutable_untyped_data()) + feature * inner_ * bytes_;
    if (inner_ == 1) return store(elements.data(), outer_, data, features_);
    for (int64_t o = 0; o < outer_; ++o) {
      store(elements.data() + o * inner_, inner_, data + o * features_ * inner_ * bytes_, 1);
    }
  }

 private:
  const PrimitiveType type_;
  const int64_t bytes_;
  int64_t outer_ = 1, features_ = 1, inner_ = 1;
  std::vector<bool> exists_;  // of the elements of the first feature; empty: all
};

double At(const Value& value, int64_t i) {
  double element;
  kernels::GetWideLoad<double>(value.element_type())(
      static_cast<const char*>(value.untyped_data()) +
          i * primitive_util::ByteWidth(value.element_type()),
      1, 1, &element);
  return element;
}

void Set(Value& value, int64_t i, double element) {
  kernels::GetWideStore<double>(value.element_type())(
      &element, 1,
      static_cast<char*>(value.mutable_untyped_data()) +
          i * primitive_util::ByteWidth(value.element_type()),
      1);
}

absl::Status CheckTypes(const HloInstruction& inst, absl::Span<const Value> operands) {
  for (const Value& operand : operands) {
    if (!primitive_util::IsFloatingPointType(operand.element_type())) {
      return InstructionError(inst, absl::StatusCode::kUnimplemented,
                              "only real floating-point operands are normalized");
    }
  }
  return absl::OkStatus();
}

// Allocates the elements of a tuple of arrays.
absl::StatusOr<std::vector<Value>> AllocateResults(EvalContext& ctx, const Shape& shape) {
  std::vector<Value> results;
  for (const Shape& element : shape.tuple_shapes()) {
    XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(element));
    results.push_back(std::move(result));
  }
  return results;
}

absl::Status ForEachFeature(EvalContext& ctx, const FeatureArray& array,
                            absl::FunctionRef<void(int64_t feature)> body) {
  const double cost = 100 + 10.0 * static_cast<double>(array.count());
  return ctx.ParallelFor(array.features(), EvalContext::ChunkFor(array.features(), cost),
                         [&](int64_t begin, int64_t end) {
                           for (int64_t feature = begin; feature < end; ++feature) body(feature);
                         });
}

// Existing sizes of results: the first is like the operand, the others are of its features.
void SetSizes(const Value& operand, int64_t feature_dimension, absl::Span<Value> results) {
  if (!operand.has_dynamic_sizes()) return;
  SetExistingSizes(operand.existing_dimensions(), results[0]);
  for (Value& result : results.subspan(1))
    SetExistingSizes({operand.dynamic_size(feature_dimension)}, result);
}

}  // namespace

absl::StatusOr<Value> EvalBatchNormTraining(EvalContext& ctx, const HloInstruction& inst,
                                            absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<BatchNormAttributes>();
  XLA_RETURN_IF_ERROR(CheckTypes(inst, operands));
  XLA_ASSIGN_OR_RETURN(std::vector<Value> results, AllocateResults(ctx, inst.shape()));
  const FeatureArray array(operands[0], attributes.feature_index);
  XLA_RETURN_IF_ERROR(ForEachFeature(ctx, array, [&](int64_t feature) {
    std::vector<double> x;
    array.Load(operands[0], feature, x);
    const double count = array.existing_count();
    double sum = 0, squares = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (array.Exists(i)) sum += x[i];
    }
    const double mean = sum / count;
    for (size_t i = 0; i < x.size(); ++i) {
      if (array.Exists(i)) squares += (x[i] - mean) * (x[i] - mean);
    }
    const double variance = squares / count;
    const double factor = At(operands[1], feature) / std::sqrt(variance + attributes.epsilon);
    const double offset = At(operands[2], feature);
    for (double& element : x) element = (element - mean) * factor + offset;
    array.Store(x, feature, results[0]);
    Set(results[1], feature, mean);
    Set(results[2], feature, variance);
  }));
  SetSizes(operands[0], attributes.feature_index, absl::MakeSpan(results));
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

absl::StatusOr<Value> EvalBatchNormInference(EvalContext& ctx, const HloInstruction& inst,
                                             absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<BatchNormAttributes>();
  XLA_RETURN_IF_ERROR(CheckTypes(inst, operands));
  XLA_ASSIGN_OR_RETURN(Value result, ctx.Allocate(inst.shape()));
  const FeatureArray array(operands[0], attributes.feature_index);
  XLA_RETURN_IF_ERROR(ForEachFeature(ctx, array, [&](int64_t feature) {
    std::vector<double> x;
    array.Load(operands[0], feature, x);
    const double factor =
        At(operands[1], feature) / std::sqrt(At(operands[4], feature) + attributes.epsilon);
    const double offset = At(operands[2], feature), mean = At(operands[3], feature);
    for (double& element : x) element = (element - mean) * factor + offset;
    array.Store(x, feature, result);
  }));
  SetSizes(operands[0], attributes.feature_index, absl::MakeSpan(&result, 1));
  return result;
}

// Operands: operand, scale, mean, variance, gradient of the output. Results: gradients of operand,
// scale and offset.
absl::StatusOr<Value> EvalBatchNormGrad(EvalContext& ctx, const HloInstruction& inst,
                                        absl::Span<Value> operands) {
  const auto& attributes = inst.attributes<BatchNormAttributes>();
  XLA_RETURN_IF_ERROR(CheckTypes(inst, operands));
  XLA_ASSIGN_OR_RETURN(std::vector<Value> results, AllocateResults(ctx, inst.shape()));
  const FeatureArray array(operands[0], attributes.feature_index);
  XLA_RETURN_IF_ERROR(ForEachFeature(ctx, array, [&](int64_t feature) {
    std::vector<double> x, grad;
    array.Load(operands[0], feature, x);
    array.Load(operands[4], feature, grad);
    const double count = array.existing_count();
    const double mean = At(operands[2], feature);
    const double inverse = 1 / std::sqrt(At(operands[3], feature) + attributes.epsilon);
    double grad_sum = 0, grad_dot = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (!array.Exists(i)) continue;
      grad_sum += grad[i];
      grad_dot += grad[i] * (x[i] - mean);
    }
    const double factor = At(operands[1], feature) * inverse;
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = factor *
             (grad[i] - grad_sum / count - (x[i] - mean) * inverse * inverse * grad_dot / count);
    }
    array.Store(x, feature, results[0]);
    Set(results[1], feature, grad_dot * inverse);
    Set(results[2], feature, grad_sum);
  }));
  SetSizes(operands[0], attributes.feature_index, absl::MakeSpan(results));
  return ctx.MakeTuple(inst.shape(), std::move(results));
}

}  // namespace xla::interpreter
