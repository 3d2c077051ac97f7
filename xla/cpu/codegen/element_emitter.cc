// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/codegen/element_emitter.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/math.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla::cpu {
namespace {

// Returns the shape of one of several results.
const Shape& OutputShape(const HloInstruction* instruction, int output) {
  return instruction->shape().IsTuple() ? instruction->shape().tuple_shapes(output)
                                        : instruction->shape();
}

}  // namespace

bool CanEmitElement(const HloInstruction& instruction) {
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->shape().IsArray() && operand->shape().is_dynamic()) return false;
  }
  if (instruction.shape().IsArray() && instruction.shape().is_dynamic()) return false;
  switch (instruction.opcode()) {
    case HloOpcode::kBitcast:
      return instruction.shape().element_type() == instruction.operand(0)->shape().element_type();
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kConstant:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kIota:
    case HloOpcode::kMap:
    case HloOpcode::kPad:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kScatter:  // as the root of a fusion
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
    case HloOpcode::kDot:
      return true;
    default:
      return IsElementwise(instruction);
  }
}

bool ElementEmitter::Key::operator<(const Key& o) const {
  const auto head = [](const Key& k) {
    return std::make_tuple(k.instruction->unique_id(), k.instruction, k.output, k.mask,
                           k.index.size());
  };
  if (head(*this) != head(o)) return head(*this) < head(o);
  for (size_t i = 0; i < index.size(); ++i) {
    const auto term = [](const IndexTerm& t) { return std::make_tuple(t.base, t.step, t.lanes); };
    if (term(index[i]) != term(o.index[i])) return term(index[i]) < term(o.index[i]);
  }
  return false;
}

Element ElementEmitter::Fail(const HloInstruction* instruction) {
  return Fail(instruction,
              absl::UnimplementedError(absl::StrCat("the CPU compiler does not implement ",
                                                    instruction->ToShortString())));
}

Element ElementEmitter::Fail(const HloInstruction* instruction, absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  const Shape& shape = OutputShape(instruction, 0);
  return ops_.Zero(shape.IsArray() ? shape.element_type() : PRED);
}

Element ElementEmitter::Emit(const HloInstruction* instruction, Index index, int output) {
  const Shape& shape = OutputShape(instruction, output);
  // Gathers may ask for elements of an array that has none: they are zero.
  if (!status_.ok() || ShapeUtil::IsZeroElementArray(shape)) return ops_.Zero(shape.element_type());
  Key key = {instruction, output, mask_, IndexVector(index.begin(), index.end())};
  if (const Element* made = FindMade(key); made != nullptr) return *made;
  if (outer_ != nullptr && instruction->opcode() == HloOpcode::kReduce) {
    Key outer_key = key;
    outer_key.mask = nullptr;
    if (const Element* made = outer_->FindMade(outer_key); made != nullptr) return *made;
  }
  if (buffers_.find(instruction) == buffers_.end() &&
      (instruction->opcode() == HloOpcode::kReduce ||
       instruction->opcode() == HloOpcode::kReduceWindow)) {
    const std::vector<Element> all = EmitAll(instruction, index);
    for (size_t i = 0; i < all.size(); ++i) {
      key.output = static_cast<int>(i);
      scopes_.back()[key] = all[i];
    }
    return all[static_cast<size_t>(output)];
  }
  const Element element = EmitUncached(instruction, index, output);
  scopes_.back()[std::move(key)] = element;
  return element;
}

const Element* ElementEmitter::FindMade(const Key& key) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(key);
    if (found != scope->end()) return &found->second;
  }
  return outer_ == nullptr ? nullptr : outer_->FindMade(key);
}

std::vector<Element> ElementEmitter::EmitAll(const HloInstruction* instruction, Index index) {
  return instruction->opcode() == HloOpcode::kReduce ? EmitReduce(instruction, index)
                                                     : EmitReduceWindow(instruction, index);
}

Element ElementEmitter::EmitUncached(const HloInstruction* instruction, Index index, int output) {
  if (elements_ != nullptr) {
    const auto known = elements_->find(instruction);
    if (known != elements_->end()) return known->second;
  }
  const auto buffer = buffers_.find(instruction);
  if (buffer != buffers_.end()) {
    if (const std::optional<Element> made =
            LoadOfBlock(instruction, output, buffer->second[static_cast<size_t>(output)],
                        OutputShape(instruction, output), index)) {
      return *made;
    }
    if (const std::optional<Element> found = LoadOfTable(
            buffer->second[static_cast<size_t>(output)], OutputShape(instruction, output), index)) {
      return *found;
    }
    return Load(buffer->second[static_cast<size_t>(output)], OutputShape(instruction, output),
                index);
  }
  switch (instruction->opcode()) {
    case HloOpcode::kConstant:
      return EmitConstant(instruction);
    case HloOpcode::kGetTupleElement:
      return Emit(instruction->operand(0), index, static_cast<int>(instruction->tuple_index()));
    case HloOpcode::kIota:
      return EmitIota(instruction, index);
    case HloOpcode::kBroadcast:
      return EmitBroadcast(instruction, index);
    case HloOpcode::kBitcast:
    case HloOpcode::kReshape:
      return EmitReshape(instruction, index);
    case HloOpcode::kTranspose:
      return EmitTranspose(instruction, index);
    case HloOpcode::kSlice:
      return EmitSlice(instruction, index);
    case HloOpcode::kReverse:
      return EmitReverse(instruction, index);
    case HloOpcode::kPad:
      return EmitPad(instruction, index);
    case HloOpcode::kConcatenate:
      return EmitConcatenate(instruction, index);
    case HloOpcode::kDynamicSlice:
      return EmitDynamicSlice(instruction, index);
    case HloOpcode::kDynamicUpdateSlice:
      return EmitDynamicUpdateSlice(instruction, index);
    case HloOpcode::kGather:
      return EmitGather(instruction, index);
    case HloOpcode::kMap:
      return EmitMap(instruction, index);
    case HloOpcode::kDot:
      return EmitDot(instruction, index);
    default:
      break;
  }
  if (IsElementwise(*instruction)) return EmitElementwiseAt(instruction, index);
  return Fail(instruction);
}

Element ElementEmitter::EmitReshape(const HloInstruction* instruction, Index index) {
  const HloInstruction* operand = instruction->operand(0);
  if (is_linear_) return Emit(operand, index);
  const Shape& shape = instruction->shape();
  // An array in memory has its elements in the same order. (The value of a single element may be
  // known.)
  if (const auto source = buffers_.find(operand); source != buffers_.end() && CountOf(shape) != 1)
    return Load(source->second[0], shape, index);
  return Emit(operand, math_.Reshape(index, shape.dimensions(), operand->shape().dimensions()));
}

Element ElementEmitter::EmitTranspose(const HloInstruction* instruction, Index index) {
  IndexVector operand_index(index.size());
  for (size_t d = 0; d < index.size(); ++d)
    operand_index[static_cast<size_t>(instruction->dimensions()[d])] = index[d];
  return Emit(instruction->operand(0), operand_index);
}

Element ElementEmitter::EmitSlice(const HloInstruction* instruction, Index index) {
  const auto& slice = instruction->attributes<SliceAttributes>().slice;
  IndexVector operand_index;
  for (size_t d = 0; d < index.size(); ++d) {
    operand_index.push_back(
        math_.AddConstant(math_.Multiply(index[d], slice[d].stride), slice[d].start));
  }
  return Emit(instruction->operand(0), operand_index);
}

Element ElementEmitter::EmitReverse(const HloInstruction* instruction, Index index) {
  const Shape& shape = instruction->shape();
  IndexVector operand_index(index.begin(), index.end());
  for (const int64_t d : instruction->dimensions()) {
    IndexTerm& term = operand_index[static_cast<size_t>(d)];
    term = math_.AddConstant(math_.Multiply(term, -1), shape.dimensions(static_cast<int>(d)) - 1);
  }
  return Emit(instruction->operand(0), operand_index);
}

ElementAddress ElementEmitter::AddressOf(const ArrayBuffer& buffer, const Shape& shape,
                                         Index index) {
  ElementAddress address;
  address.pointer = buffer.pointer;
  address.invariant = buffer.invariant;
  address.mask = mask_;
  address.is_mask_uniform = is_mask_uniform_;
  IndexTerm linear = math_.Constant(0);
  const int64_t element_bytes = primitive_util::ByteWidth(shape.element_type());
  if (is_linear_) {
    if (CountOf(shape) != 1) linear = math_.Multiply(index[0], element_bytes);
  } else {
    linear = math_.Multiply(math_.Linearize(index, shape.dimensions()), element_bytes);
  }
  address.bytes = linear.base;
  address.step = linear.lanes == nullptr ? linear.step : 0;
  address.lanes = linear.lanes;
  if (linear.nearby) {
    // Offsets that were 32-bit numbers make addresses of half the size: gathering takes them as
    // they are, with a sign.
    address.bytes = linear.nearby->base;
    address.lanes = ir_.SExt(linear.nearby->offsets, ir_.Vector(ir_.I64(), lanes_));
  }
  return address;
}

Element ElementEmitter::Load(const ArrayBuffer& buffer, const Shape& shape, Index index) {
  return ops_.Load(shape.element_type(), AddressOf(buffer, shape, index), lanes_);
}

std::optional<Element> ElementEmitter::LoadOfBlock(const HloInstruction* instruction, int output,
                                                   const ArrayBuffer& buffer, const Shape& shape,
                                                   Index index) {
  const PrimitiveType type = shape.element_type();
  const int64_t bytes = primitive_util::ByteWidth(type);
  if (block_.empty() || mask_ != nullptr || index.empty() || !index.back().is_uniform() ||
      shape.dimensions().back() != block_row_ || primitive_util::IsComplexType(type) || bytes < 2) {
    return std::nullopt;
  }
  const auto is_same = [](const IndexTerm& term) {
    return [&term](const IndexTerm& t) { return t == term; };
  };
  const auto found = std::find_if(block_.begin(), block_.end(), is_same(index.back()));
  if (found == block_.end()) return std::nullopt;
  IndexVector at(index.begin(), index.end());
  at.back() = block_[0];
  const ElementAddress address = AddressOf(buffer, shape, at);
  if (address.lanes != nullptr || address.step < block_row_ * bytes || address.step % bytes != 0)
    return std::nullopt;
  const std::vector<Element> columns = ops_.LoadColumns(
      type, address, address.step / bytes, static_cast<int>(block_.size()), block_room_, lanes_);
  for (size_t c = 0; c < columns.size(); ++c) {
    at.back() = block_[c];
    scopes_.back()[{instruction, output, mask_, at}] = columns[c];
  }
  return columns[static_cast<size_t>(found - block_.begin())];
}

Element ElementEmitter::EmitConstant(const HloInstruction* instruction) {
  if (CountOf(instruction->shape()) != 1) return Fail(instruction);
  return ops_.Constant(instruction->shape().element_type(), instruction->literal().untyped_data());
}

Element ElementEmitter::EmitIota(const HloInstruction* instruction, Index index) {
  const auto dimension =
      static_cast<size_t>(instruction->attributes<IotaAttributes>().iota_dimension);
  const PrimitiveType type = instruction->shape().element_type();
  const Element position = {math_.ToVector(index[dimension])};
  return ops_.Convert(S64, type, position);
}

Element ElementEmitter::EmitBroadcast(const HloInstruction* instruction, Index index) {
  const HloInstruction* operand = instruction->operand(0);
  if (is_linear_) {
    return Emit(operand, CountOf(operand->shape()) == 1 ? Index() : index);
  }
  IndexVector operand_index;
  for (int64_t i = 0; i < operand->shape().rank(); ++i) {
    const bool is_one = operand->shape().dimensions(static_cast<int>(i)) == 1;
    operand_index.push_back(
        is_one ? math_.Constant(0)
               : index[static_cast<size_t>(instruction->dimensions()[static_cast<size_t>(i)])]);
  }
  return Emit(operand, operand_index);
}

// Emits abs(complex) < constant, and the like, if nothing else needs the absolute value.
std::optional<Element> ElementEmitter::EmitMagnitudeComparison(const HloInstruction* compare,
                                                               Index index) {
  const HloInstruction *magnitude = compare->operand(0), *bound = compare->operand(1);
  if (bound->opcode() == HloOpcode::kBroadcast) bound = bound->operand(0);
  if (magnitude->opcode() != HloOpcode::kAbs || magnitude->users().size() != 1 ||
      magnitude->operand(0)->shape().element_type() != C64 ||
      bound->opcode() != HloOpcode::kConstant || CountOf(bound->shape()) != 1) {
    return std::nullopt;
  }
  LLVMRealPredicate predicate;
  switch (compare->attributes<CompareAttributes>().direction) {
    case ComparisonDirection::kGe:
      predicate = LLVMRealOGE;
      break;
    case ComparisonDirection::kGt:
      predicate = LLVMRealOGT;
      break;
    case ComparisonDirection::kLe:
      predicate = LLVMRealOLE;
      break;
    case ComparisonDirection::kLt:
      predicate = LLVMRealOLT;
      break;
    default:
      return std::nullopt;
  }
  const float limit = *static_cast<const float*>(bound->literal().untyped_data());
  const bool is_total_order =
      compare->attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder;
  if (is_total_order || !(limit >= kLeastMagnitudeBound && limit <= kGreatestMagnitudeBound))
    return std::nullopt;
  const Element element = Emit(magnitude->operand(0), index);
  if (!status_.ok()) return ops_.Zero(PRED);
  return Element{EmitMagnitudeCompare(ir_, predicate, element.re, element.im, limit)};
}

Element ElementEmitter::EmitElementwiseAt(const HloInstruction* instruction, Index index) {
  if (instruction->opcode() == HloOpcode::kCompare) {
    if (const std::optional<Element> made = EmitMagnitudeComparison(instruction, index))
      return *made;
  }
  std::vector<Element> operands;
  int lanes = 1;
  for (const HloInstruction* operand : instruction->operands()) {
    // Scalars of clamp and select apply to all elements.
    const bool is_scalar = operand->shape().rank() == 0 && instruction->shape().rank() != 0;
    operands.push_back(Emit(operand, is_scalar ? Index() : index));
    if (!status_.ok()) return ops_.Zero(instruction->shape().element_type());
    lanes = std::max(lanes, ops_.Lanes(operands.back()));
  }
  for (Element& operand : operands) operand = ops_.Splat(operand, lanes);
  absl::StatusOr<Element> result = EmitElementwise(ops_, *instruction, operands);
  if (!result.ok()) return Fail(instruction, result.status());
  return *result;
}

Element ElementEmitter::UnderMask(IrValue bits, absl::FunctionRef<Element()> emit) {
  const IrValue saved = mask_;
  const bool saved_is_uniform = is_mask_uniform_;
  if (lanes_ > 1) {
    const bool is_uniform = ir_.Lanes(bits) == 1;
    const IrValue wide = is_uniform ? ir_.Splat(bits, lanes_) : bits;
    mask_ = saved == nullptr ? wide : ir_.And(saved, wide);
    is_mask_uniform_ = is_uniform && (saved == nullptr || saved_is_uniform);
  }
  const Element element = emit();
  mask_ = saved;
  is_mask_uniform_ = saved_is_uniform;
  return element;
}

Element ElementEmitter::Choose(IrValue condition, int lanes, absl::FunctionRef<Element()> then,
                               absl::FunctionRef<Element()> otherwise) {
  const auto side = [&](absl::FunctionRef<Element()> emit) -> Ir::Carried {
    const Scope scope(this);
    const Element element = ops_.Splat(emit(), lanes);
    if (element.im == nullptr) return {element.re};
    return {element.re, element.im};
  };
  const auto whole = [](const Ir::Carried& parts) -> Element {
    return {parts[0], parts.size() > 1 ? parts[1] : nullptr};
  };
  if (ir_.Lanes(condition) > 1) {
    // Usually all lanes take the same side: loads of the other one, far from any array, would be
    // slow even where they are masked.
    const IrType bits = ir_.TypeOf(condition);
    const IrValue any = ir_.Intrinsic("llvm.vector.reduce.or", {bits}, {condition});
    const IrValue all = ir_.Intrinsic("llvm.vector.reduce.and", {bits}, {condition});
    std::vector<IrType> types;
    const auto zeros = [&] {
      Ir::Carried parts;
      for (const IrType type : types) parts.push_back(ir_.Zero(type));
      return parts;
    };
    const Ir::Carried a = ir_.If(
        any,
        [&] {
          Ir::Carried parts = side([&] { return UnderMask(condition, then); });
          for (const IrValue part : parts) types.push_back(ir_.TypeOf(part));
          return parts;
        },
        zeros);
    const Ir::Carried b = ir_.If(all, zeros, [&] { return side(otherwise); });
    return ops_.Select(condition, whole(a), whole(b));
  }
  return whole(ir_.If(
      condition, [&] { return side(then); }, [&] { return side(otherwise); }));
}

Element ElementEmitter::EmitPad(const HloInstruction* instruction, Index index) {
  const HloInstruction* operand = instruction->operand(0);
  const auto& padding = instruction->attributes<PadAttributes>().padding;
  const Element value = Emit(instruction->operand(1), {});
  IndexVector operand_index;
  IrValue inside = ir_.Const(ir_.I1(), int64_t{1});
  const auto require = [&](IrValue condition) {
    const int lanes = std::max(ir_.Lanes(inside), ir_.Lanes(condition));
    const auto widen = [&](IrValue bits) {
      return ir_.Lanes(bits) == lanes ? bits : ir_.Splat(bits, lanes);
    };
    inside = ir_.And(widen(inside), widen(condition));
  };
  for (size_t d = 0; d < index.size(); ++d) {
    const int64_t size = operand->shape().dimensions(static_cast<int>(d));
    if (size == 0) return value;
    const PadDim& dim = padding[d];
    const int64_t distance = dim.interior + 1;
    IndexTerm term = math_.AddConstant(index[d], -dim.low);
    int64_t span = (size - 1) * distance + 1;
    const int64_t last = instruction->shape().dimensions(static_cast<int>(d)) - 1 - dim.low;
    bool is_divided = distance == 1, can_leave = dim.low > 0 || dim.interior > 0 || last >= span;
    if (const auto known = is_divided ? std::nullopt : math_.KnownQuotient(term, distance)) {
      int64_t remainder = 0;
      if (math_.IsConstant(known->remainder, &remainder)) {
        // Either all lanes are between elements, or none is.
        if (remainder != 0) return value;
        is_divided = true;
        term = known->quotient;
        span = size;
        can_leave = dim.low >= distance || FloorOfRatio(last, distance) >= size;
      }
    }
    if (term.IsOutside(0, span)) return value;
    can_leave = can_leave && !term.IsWithin(0, span);
    if (can_leave) {
      require(math_.InRange(term, 0, span));
      term = math_.ClampUnlessAffine(term, 0, span);
    }
    if (!is_divided) {
      const IrValue position = math_.ToVector(term);
      const IrType type = ir_.TypeOf(position);
      const IrValue step = ir_.Const(type, distance);
      require(ir_.ICmp(LLVMIntEQ, ir_.SRem(position, step), ir_.Zero(type)));
      term = math_.FromVector(ir_.SDiv(position, step));
      term = math_.ClampUnlessAffine(term, 0, size);
    }
    operand_index.push_back(term);
  }
  const bool is_apart = std::any_of(padding.begin(), padding.end(),
                                    [](const PadDim& dim) { return dim.interior > 0; });
  if (is_apart && ir_.Lanes(inside) == 1 && buffers_.find(operand) == buffers_.end()) {
    // Whole vectors are between elements as often as not: a branch saves computing those.
    return Choose(
        inside, lanes_, [&] { return Emit(operand, operand_index); }, [&] { return value; });
  }
  const Element element = UnderMask(inside, [&] { return Emit(operand, operand_index); });
  return ops_.Select(inside, element, value);
}

// Emits a concatenation of slices of one array that differ in this dimension only: the index is
// selected rather than the element, so that loops along other dimensions do not select again.
std::optional<Element> ElementEmitter::EmitJoinedSlices(
    absl::Span<const std::pair<const HloInstruction*, int64_t>> parts, size_t dimension,
    Index index) {
  const HloInstruction* source = nullptr;
  std::vector<int64_t> place;  // of the first slice
  std::vector<int64_t> moves;  // of the index in this dimension, by part
  for (const auto& [part, first] : parts) {
    const HloInstruction* array = part;
    std::vector<int64_t> starts(index.size(), 0);
    while (array->opcode() == HloOpcode::kSlice && buffers_.find(array) == buffers_.end()) {
      const auto& slice = array->attributes<SliceAttributes>().slice;
      for (size_t d = 0; d < slice.size(); ++d) {
        if (slice[d].stride != 1) return std::nullopt;
        starts[d] += slice[d].start;
      }
      array = array->operand(0);
    }
    moves.push_back(starts[dimension] - first);
    starts[dimension] = 0;
    if (source == nullptr) {
      source = array;
      place = starts;
    }
    if (array != source || starts != place) return std::nullopt;
  }
  IndexVector source_index(index.begin(), index.end());
  for (size_t d = 0; d < place.size(); ++d) source_index[d] = math_.AddConstant(index[d], place[d]);
  const IrValue position = index[dimension].base;
  IrValue chosen = ir_.Add(position, ir_.Index(moves.back()));
  for (size_t k = parts.size() - 1; k-- > 0;) {
    chosen = ir_.Select(ir_.ICmp(LLVMIntSLT, position, ir_.Index(parts[k + 1].second)),
                        ir_.Add(position, ir_.Index(moves[k])), chosen);
  }
  source_index[dimension] = {chosen, 0, 1};
  return Emit(source, source_index);
}

Element ElementEmitter::EmitConcatenate(const HloInstruction* instruction, Index index) {
  const auto dimension = static_cast<size_t>(instruction->dimensions()[0]);
  const bool is_uniform =
      std::all_of(index.begin(), index.end(), [](const IndexTerm& t) { return t.is_uniform(); });
  const int lanes = is_uniform ? 1 : lanes_;
  std::vector<std::pair<const HloInstruction*, int64_t>> parts;  // with their starts
  int64_t start = 0;
  for (const HloInstruction* operand : instruction->operands()) {
    const int64_t size = operand->shape().dimensions(static_cast<int>(dimension));
    if (size > 0 && !index[dimension].IsOutside(start, start + size))
      parts.emplace_back(operand, start);
    start += size;
  }
  if (parts.empty()) return Fail(instruction);
  if (parts.size() > 1 && index[dimension].is_uniform()) {
    if (const std::optional<Element> made = EmitJoinedSlices(parts, dimension, index)) return *made;
  }
  const auto emit_from = [&](const auto& self, size_t part) -> Element {
    const HloInstruction* const operand = parts[part].first;
    const int64_t first = parts[part].second;
    const int64_t size = operand->shape().dimensions(static_cast<int>(dimension));
    IndexVector operand_index(index.begin(), index.end());
    IndexTerm& term = operand_index[dimension];
    term = math_.AddConstant(term, -first);
    if (part + 1 == parts.size() && part == 0) return Emit(operand, operand_index);
    const IrValue inside = math_.InRange(term, 0, size);
    term = math_.ClampUnlessAffine(term, 0, size);
    if (part + 1 == parts.size()) {
      // The part that is not tested for: the index is inside.
      if (ir_.Lanes(inside) == 1) return Emit(operand, operand_index);
      return UnderMask(inside, [&] { return Emit(operand, operand_index); });
    }
    return Choose(
        inside, lanes, [&] { return Emit(operand, operand_index); },
        [&] { return self(self, part + 1); });
  };
  return emit_from(emit_from, 0);
}

IndexTerm ElementEmitter::TermOf(const Element& element, PrimitiveType type) {
  IrValue value = ops_.Convert(type, S64, element).re;
  if (type == U64) {
    value = ir_.Binary("llvm.umin", value,
                       ir_.Const(ir_.TypeOf(value), std::numeric_limits<int64_t>::max()));
  }
  return math_.FromVector(value);
}

IndexTerm ElementEmitter::StartIndex(const HloInstruction* operand, int64_t limit) {
  const PrimitiveType type = operand->shape().element_type();
  const IndexTerm start = TermOf(Emit(operand, {}), type);
  if (limit == 0) return math_.Constant(0);
  return math_.ClampUnlessAffine(start, 0, limit + 1);
}

Element ElementEmitter::EmitDynamicSlice(const HloInstruction* instruction, Index index) {
  const HloInstruction* operand = instruction->operand(0);
  IndexVector operand_index;
  for (size_t d = 0; d < index.size(); ++d) {
    const auto i = static_cast<int>(d);
    const int64_t limit = operand->shape().dimensions(i) - instruction->shape().dimensions(i);
    const HloInstruction* start = instruction->operand(static_cast<int64_t>(d) + 1);
    operand_index.push_back(math_.Add(index[d], StartIndex(start, limit)));
  }
  return Emit(operand, operand_index);
}

Element ElementEmitter::EmitDynamicUpdateSlice(const HloInstruction* instruction, Index index) {
  const HloInstruction* update = instruction->operand(1);
  IndexVector update_index;
  IrValue inside = nullptr;
  for (size_t d = 0; d < index.size(); ++d) {
    const auto i = static_cast<int>(d);
    const int64_t size = update->shape().dimensions(i);
    if (size == 0) return Emit(instruction->operand(0), index);
    const int64_t limit = instruction->shape().dimensions(i) - size;
    const IndexTerm start = StartIndex(instruction->operand(static_cast<int64_t>(d) + 2), limit);
    IndexTerm term = math_.Add(index[d], math_.Multiply(start, -1));
    if (limit > 0) {
      const IrValue in_range = math_.InRange(term, 0, size);
      if (inside == nullptr) {
        inside = in_range;
      } else {
        const int lanes = std::max(ir_.Lanes(inside), ir_.Lanes(in_range));
        const auto widen = [&](IrValue b) {
          return ir_.Lanes(b) == lanes ? b : ir_.Splat(b, lanes);
        };
        inside = ir_.And(widen(inside), widen(in_range));
      }
      term = math_.ClampUnlessAffine(term, 0, size);
    }
    update_index.push_back(term);
  }
  if (inside == nullptr) return Emit(update, update_index);
  const Element from_update = UnderMask(inside, [&] { return Emit(update, update_index); });
  return ops_.Select(inside, from_update, Emit(instruction->operand(0), index));
}

}  // namespace xla::cpu
