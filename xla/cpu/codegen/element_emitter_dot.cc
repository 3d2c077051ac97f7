// SPDX-License-Identifier: Apache-2.0
// Emits dots within fusions: the plain sum of products for each element of the result.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "xla/cpu/codegen/carried_elements.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

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
        vector_(std::max(ir_.target().machine.Lanes(type_ == F64 ? 8 : 4), 1)),
        is_one_number_(ShapeUtil::ElementsIn(instruction->shape()) == 1),
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
    if (depth == dims_.lhs_contracting_dims.size()) return EmitMultiplyAdd(e_, lanes_, carried);
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
    if (SumsVectors() && depth + 1 == dims_.lhs_contracting_dims.size() && size >= 2 * vector_)
      return EmitVectors(l, r, size, carried);
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

  // Whether vectors of products are summed: where the result is one number, so that no other
  // element is summed in another order.
  bool SumsVectors() const {
    return lanes_ == 1 && is_one_number_ && (type_ == F32 || type_ == F64);
  }

  // Sums the products along the last contracting dimension by several vectors, whose halves are
  // combined; then by one vector, and then the rest.
  Ir::Carried EmitVectors(size_t l, size_t r, int64_t size, const Ir::Carried& carried) {
    constexpr int kBlock = 4;
    const int block = size >= 2 * kBlock * vector_ ? kBlock * vector_ : vector_;
    IrValue sum = ops_.Splat(ops_.Zero(type_), block).re;
    int64_t done = 0;
    for (int lanes = block; lanes > 1; lanes /= 2) {
      if (lanes == block || lanes == vector_) {
        sum = EmitSteps(l, r, {done, size / lanes * lanes}, lanes, sum);
        done = size / lanes * lanes;
      }
      sum = ir_.FAdd(HalfOf(ir_, {sum}, false).re, HalfOf(ir_, {sum}, true).re);
    }
    sum = ir_.FAdd(carried[0], sum);
    return {EmitSteps(l, r, {done, size}, 1, sum)};
  }

  // Adds the products of elements [range.first, range.second), `lanes` at a time.
  IrValue EmitSteps(size_t l, size_t r, std::pair<int64_t, int64_t> range, int lanes, IrValue sum) {
    const auto [begin, end] = range;
    if (begin == end) return sum;
    ElementEmitter emitter(ops_, e_.buffers_, lanes);
    emitter.set_outer(&e_);
    const int64_t steps = (end - begin) / lanes;
    const Ir::Carried result =
        ir_.PolledLoop(ir_.Index(begin), ir_.Index(end), lanes, PollInterval(steps, 1), {sum},
                       [&](IrValue i, const Ir::Carried& inner) {
                         Scope scope(&emitter);
                         lhs_index_[l] = rhs_index_[r] = {i, lanes > 1 ? 1 : 0, lanes};
                         return EmitMultiplyAdd(emitter, lanes, inner);
                       });
    if (!emitter.status().ok() && e_.status_.ok()) e_.status_ = emitter.status();
    return result[0];
  }

  Ir::Carried EmitMultiplyAdd(ElementEmitter& emitter, int lanes, const Ir::Carried& sum) {
    const auto emit = [&](const HloInstruction* operand, const IndexVector& index) {
      const Element element = emitter.Emit(operand, index);
      return ops_.Splat(ops_.Convert(operand->shape().element_type(), type_, element), lanes);
    };
    const Element a = emit(lhs_, lhs_index_), b = emit(rhs_, rhs_index_);
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
  const int vector_;  // lanes of a vector register
  const bool is_one_number_;
  IndexVector lhs_index_, rhs_index_;
};

Element ElementEmitter::EmitDot(const HloInstruction* instruction, Index index) {
  return DotLoops(*this, instruction, index).Emit();
}

}  // namespace xla::cpu
