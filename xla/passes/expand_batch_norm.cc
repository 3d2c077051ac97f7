// SPDX-License-Identifier: Apache-2.0
// Batch normalization as elementwise operations and reductions (operation semantics, BatchNorm*).
#include <cstdint>
#include <utility>
#include <vector>

#include "xla/literal_util.h"
#include "xla/passes/expand.h"
#include "xla/passes/rewriter.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Result = absl::StatusOr<HloInstruction*>;

// Builds the expressions of one instruction, in `type`.
class BatchNormBuilder {
 public:
  BatchNormBuilder(HloInstruction* norm, Rewriter& rewriter)
      : norm_(norm),
        rewriter_(rewriter),
        feature_(norm->attributes<BatchNormAttributes>().feature_index) {
    const Shape& operand = norm->operand(0)->shape();
    const PrimitiveType given = operand.element_type();
    type_ = primitive_util::BitWidth(given) < 32 ? F32 : given;
    array_ = ShapeUtil::ChangeElementType(operand, type_);
    features_ = ShapeUtil::MakeShape(type_, {operand.dimensions(static_cast<int>(feature_))});
    for (int64_t d = 0; d < operand.rank(); ++d) {
      if (d == feature_) continue;
      others_.push_back(d);
      count_ *= operand.dimensions(static_cast<int>(d));
    }
  }

  HloInstruction* Operand(int64_t i) { return ConvertTo(norm_->operand(i), type_); }
  HloInstruction* ConvertTo(HloInstruction* value, PrimitiveType type) {
    if (value->shape().element_type() == type) return value;
    return rewriter_.Create(HloOpcode::kConvert, ShapeUtil::ChangeElementType(value->shape(), type),
                            {value});
  }
  HloInstruction* Binary(HloOpcode opcode, HloInstruction* a, HloInstruction* b) {
    return rewriter_.Create(opcode, a->shape(), {a, b});
  }
  HloInstruction* Add(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kAdd, a, b);
  }
  HloInstruction* Subtract(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kSubtract, a, b);
  }
  HloInstruction* Multiply(HloInstruction* a, HloInstruction* b) {
    return Binary(HloOpcode::kMultiply, a, b);
  }
  // Broadcasts a value of each feature to all elements.
  HloInstruction* Spread(HloInstruction* features) {
    return rewriter_.Create(HloOpcode::kBroadcast, array_, {features},
                            DimensionListAttributes{.dimensions = {feature_}});
  }
  HloInstruction* Number(double value) {
    HloInstruction* constant = rewriter_.Constant(LiteralUtil::CreateScalar(type_, value).value());
    return rewriter_.Create(HloOpcode::kBroadcast, features_, {constant});
  }
  // Sums over all dimensions but that of features.
  HloInstruction* Sum(HloInstruction* values) {
    HloComputation* add = norm_->GetModule()->AddComputation("batch_norm_sum");
    const Shape scalar = ShapeUtil::MakeShape(type_, {});
    HloInstruction* a = add->AddInstruction(HloInstruction::CreateParameter(0, scalar, "a"));
    HloInstruction* b = add->AddInstruction(HloInstruction::CreateParameter(1, scalar, "b"));
    add->set_root_instruction(
        add->AddInstruction(HloInstruction::Create(HloOpcode::kAdd, scalar, {a, b})));
    HloInstruction* zero = rewriter_.Constant(LiteralUtil::Zero(type_));
    return rewriter_.Create(HloOpcode::kReduce, features_, {values, zero},
                            DimensionListAttributes{.dimensions = others_}, {&add, 1});
  }
  HloInstruction* Mean(HloInstruction* values) {
    return Binary(HloOpcode::kDivide, Sum(values), Number(static_cast<double>(count_)));
  }
  // 1 / sqrt(variance + epsilon)
  HloInstruction* InverseDeviation(HloInstruction* variance) {
    const double epsilon = norm_->attributes<BatchNormAttributes>().epsilon;
    HloInstruction* sum = Add(variance, Number(epsilon));
    return rewriter_.Create(HloOpcode::kRsqrt, sum->shape(), {sum});
  }
  HloInstruction* Tuple(std::vector<HloInstruction*> results) {
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] =
          ConvertTo(results[i], norm_->shape().tuple_shapes(static_cast<int>(i)).element_type());
    }
    return rewriter_.Create(HloOpcode::kTuple, norm_->shape(), results);
  }
  int64_t count() const { return count_; }

 private:
  HloInstruction* const norm_;
  Rewriter& rewriter_;
  const int64_t feature_;
  PrimitiveType type_;
  Shape array_, features_;
  std::vector<int64_t> others_;
  int64_t count_ = 1;
};

bool CanExpandNorm(const HloInstruction& norm) {
  for (const HloInstruction* operand : norm.operands()) {
    if (!operand->shape().is_static()) return false;
  }
  return true;
}

// (x - mean) * scale / deviation + offset
HloInstruction* Normalize(BatchNormBuilder& b, HloInstruction* x, HloInstruction* scale,
                          HloInstruction* offset, HloInstruction* mean, HloInstruction* variance) {
  HloInstruction* factor = b.Multiply(b.InverseDeviation(variance), scale);
  return b.Add(b.Multiply(b.Subtract(x, b.Spread(mean)), b.Spread(factor)), b.Spread(offset));
}

Result ExpandTraining(HloInstruction* norm, Rewriter& rewriter) {
  if (!CanExpandNorm(*norm)) return nullptr;
  BatchNormBuilder b(norm, rewriter);
  HloInstruction* x = b.Operand(0);
  HloInstruction* mean = b.Mean(x);
  HloInstruction* deviation = b.Subtract(x, b.Spread(mean));
  HloInstruction* variance = b.Mean(b.Multiply(deviation, deviation));
  return b.Tuple({Normalize(b, x, b.Operand(1), b.Operand(2), mean, variance), mean, variance});
}

Result ExpandInference(HloInstruction* norm, Rewriter& rewriter) {
  if (!CanExpandNorm(*norm)) return nullptr;
  BatchNormBuilder b(norm, rewriter);
  HloInstruction* result =
      Normalize(b, b.Operand(0), b.Operand(1), b.Operand(2), b.Operand(3), b.Operand(4));
  return b.ConvertTo(result, norm->shape().element_type());
}

// With d = x - mean, r = 1 / sqrt(variance + epsilon) and n elements a feature:
//   grad offset = sum(g), grad scale = sum(g * d) * r,
//   grad x = scale * r / n * (n * g - sum(g) - d * r^2 * sum(g * d))
Result ExpandGrad(HloInstruction* norm, Rewriter& rewriter) {
  if (!CanExpandNorm(*norm)) return nullptr;
  BatchNormBuilder b(norm, rewriter);
  HloInstruction *x = b.Operand(0), *scale = b.Operand(1), *mean = b.Operand(2),
                 *variance = b.Operand(3), *g = b.Operand(4);
  HloInstruction* d = b.Subtract(x, b.Spread(mean));
  HloInstruction* r = b.InverseDeviation(variance);
  HloInstruction* sum_g = b.Sum(g);
  HloInstruction* sum_gd = b.Sum(b.Multiply(g, d));
  HloInstruction* n = b.Number(static_cast<double>(b.count()));
  HloInstruction* factor = b.Binary(HloOpcode::kDivide, b.Multiply(scale, r), n);
  HloInstruction* slope = b.Multiply(b.Multiply(r, r), sum_gd);
  HloInstruction* inner = b.Subtract(b.Subtract(b.Multiply(b.Spread(n), g), b.Spread(sum_g)),
                                     b.Multiply(d, b.Spread(slope)));
  return b.Tuple({b.Multiply(b.Spread(factor), inner), b.Multiply(sum_gd, r), sum_g});
}

constexpr RewriteRule kBatchNormRules[] = {
    {"expand-batch-norm-training", HloOpcode::kBatchNormTraining, &ExpandTraining},
    {"expand-batch-norm-inference", HloOpcode::kBatchNormInference, &ExpandInference},
    {"expand-batch-norm-grad", HloOpcode::kBatchNormGrad, &ExpandGrad},
};

}  // namespace

absl::StatusOr<bool> ExpandBatchNorms(HloModule* module) {
  return RewriteToFixedPoint(module, kBatchNormRules);
}

}  // namespace xla
