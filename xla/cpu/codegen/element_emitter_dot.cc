// SPDX-License-Identifier: Apache-2.0
// Emits dots within fusions: the plain sum of products for each element of the result.
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/cpu/codegen/carried_elements.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

// Assigns the next terms of the result's index to the dimensions of an operand that are neither
// batch nor contracting dimensions.
void SetFreeDimensions(absl::Span<const int64_t> batch, absl::Span<const int64_t> contracting,
                       absl::Span<const IndexTerm> index, size_t& next, IndexVector& operand) {
  for (size_t d = 0; d < operand.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (!absl::c_linear_search(batch, dimension) && !absl::c_linear_search(contracting, dimension))
      operand[d] = index[next++];
  }
}

}  // namespace

// Products are summed in f32 or wider, by loops over the contracting dimensions.
class ElementEmitter::DotLoops {
 public:
  DotLoops(ElementEmitter& emitter, const HloInstruction* instruction, Index index)
      : e_(emitter),
        ir_(emitter.ir_),
        ops_(emitter.ops_),
        dims_(instruction->attributes<DotAttributes>()),
        lhs_(instruction->operand(0)),
        rhs_(instruction->operand(1)),
        result_type_(instruction->shape().element_type()),
        is_narrow_(primitive_util::IsFloatingPointType(result_type_) && result_type_ != F64),
        type_(is_narrow_ ? F32 : result_type_),
        lanes_(HasLanes(index) ? emitter.lanes_ : 1),
        lhs_index_(static_cast<size_t>(lhs_->shape().rank()), emitter.math_.Constant(0)),
        rhs_index_(static_cast<size_t>(rhs_->shape().rank()), emitter.math_.Constant(0)) {
    size_t next = 0;
    for (size_t i = 0; i < dims_.lhs_batch_dims.size(); ++i, ++next) {
      lhs_index_[static_cast<size_t>(dims_.lhs_batch_dims[i])] = index[next];
      rhs_index_[static_cast<size_t>(dims_.rhs_batch_dims[i])] = index[next];
    }
    SetFreeDimensions(dims_.lhs_batch_dims, dims_.lhs_contracting_dims, index, next, lhs_index_);
    SetFreeDimensions(dims_.rhs_batch_dims, dims_.rhs_contracting_dims, index, next, rhs_index_);
  }

  Element Emit() {
    const std::vector<Element> initial = {ops_.Splat(ops_.Zero(type_), lanes_)};
    const Element sum = FromCarried(EmitLevel(0, ToCarried(initial)), initial)[0];
    return is_narrow_ ? ops_.Round(result_type_, sum) : sum;
  }

 private:
  // Emits the loops from this contracting dimension on.
  Ir::Carried EmitLevel(size_t depth, const Ir::Carried& carried) {
    if (depth == dims_.lhs_contracting_dims.size()) return EmitMultiplyAdd(carried);
    const auto l = static_cast<size_t>(dims_.lhs_contracting_dims[depth]);
    const auto r = static_cast<size_t>(dims_.rhs_contracting_dims[depth]);
    const int64_t size = lhs_->shape().dimensions(static_cast<int>(l));
    constexpr int64_t kUnrolled = 16;
    if (size <= kUnrolled) {
      Ir::Carried sums = carried;
      for (int64_t i = 0; i < size; ++i) {
        lhs_index_[l] = rhs_index_[r] = e_.math_.Constant(i);
        sums = EmitLevel(depth + 1, sums);
      }
      return sums;
    }
    double steps = 1;
    for (size_t k = depth + 1; k < dims_.lhs_contracting_dims.size(); ++k)
      steps *= static_cast<double>(
          lhs_->shape().dimensions(static_cast<int>(dims_.lhs_contracting_dims[k])));
    return ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, steps), carried,
                          [&](IrValue i, const Ir::Carried& inner) {
                            Scope scope(&e_);
                            lhs_index_[l] = rhs_index_[r] = {i, 0, 1};
                            return EmitLevel(depth + 1, inner);
                          });
  }

  Ir::Carried EmitMultiplyAdd(const Ir::Carried& sum) {
    const Element a = ops_.Splat(
        ops_.Convert(lhs_->shape().element_type(), type_, e_.Emit(lhs_, lhs_index_)), lanes_);
    const Element b = ops_.Splat(
        ops_.Convert(rhs_->shape().element_type(), type_, e_.Emit(rhs_, rhs_index_)), lanes_);
    if (primitive_util::IsComplexType(type_)) {
      return ToCarried(
          {Element{ir_.FAdd(sum[0], ir_.FSub(ir_.FMul(a.re, b.re), ir_.FMul(a.im, b.im))),
                   ir_.FAdd(sum[1], ir_.FAdd(ir_.FMul(a.re, b.im), ir_.FMul(a.im, b.re)))}});
    }
    if (type_ == PRED) return {ir_.Or(sum[0], ir_.And(a.re, b.re))};
    if (ir_.IsFloat(ir_.TypeOf(sum[0]))) return {ir_.Fma(a.re, b.re, sum[0])};
    return {ops_.Round(type_, {ir_.Add(sum[0], ir_.Mul(a.re, b.re))}).re};
  }

  ElementEmitter& e_;
  Ir& ir_;
  ElementOps& ops_;
  const DotAttributes& dims_;
  const HloInstruction* const lhs_;
  const HloInstruction* const rhs_;
  const PrimitiveType result_type_;
  const bool is_narrow_;      // the result is a float no wider than the sum
  const PrimitiveType type_;  // of the sum
  const int lanes_;
  IndexVector lhs_index_, rhs_index_;
};

Element ElementEmitter::EmitDot(const HloInstruction* instruction, Index index) {
  return DotLoops(*this, instruction, index).Emit();
}

}  // namespace xla::cpu
