// SPDX-License-Identifier: Apache-2.0
// Elements that are sums of others: reduce, reduce-window, dot.
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "xla/cpu/codegen/cost_model.h"
#include "xla/cpu/codegen/element_emitter.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/hlo/ir/operation_cost.h"
#include "xla/passes/split_reductions.h"
#include "xla/primitive_util.h"

namespace xla::cpu {
namespace {

bool IsListed(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool HasLanes(absl::Span<const IndexTerm> index) {
  return std::any_of(index.begin(), index.end(),
                     [](const IndexTerm& t) { return !t.is_uniform(); });
}

Ir::Carried ToCarried(absl::Span<const Element> elements) {
  Ir::Carried carried;
  for (const Element& element : elements) {
    carried.push_back(element.re);
    if (element.im != nullptr) carried.push_back(element.im);
  }
  return carried;
}

// The reverse, for elements with parts as those of `like`.
std::vector<Element> FromCarried(const Ir::Carried& carried, absl::Span<const Element> like) {
  std::vector<Element> elements;
  size_t next = 0;
  for (const Element& element : like) {
    Element result = {carried[next++]};
    if (element.im != nullptr) result.im = carried[next++];
    elements.push_back(result);
  }
  return elements;
}

// The first or second half of the lanes.
Element HalfOf(Ir& ir, const Element& element, bool second) {
  const int half = ir.Lanes(element.re) / 2;
  const auto part = [&](IrValue value) -> IrValue {
    if (value == nullptr) return nullptr;
    if (half == 1) return ir.Extract(value, second ? 1 : 0);
    std::vector<int> lanes;
    for (int i = 0; i < half; ++i) lanes.push_back(i + (second ? half : 0));
    return ir.Shuffle(value, value, lanes);
  };
  return {part(element.re), part(element.im)};
}

// Vectors of so many lanes are combined with themselves, which takes instructions of vectors only.
constexpr int kShortVector = 4;

// Lane i + distance, where there is one, in lane i.
Element Moved(Ir& ir, const Element& element, int distance) {
  const auto moved = [&](IrValue value) -> IrValue {
    if (value == nullptr || distance == 0) return value;
    std::vector<int> lanes;
    for (int i = 0; i < ir.Lanes(value); ++i) lanes.push_back((i + distance) % ir.Lanes(value));
    return ir.Shuffle(value, value, lanes);
  };
  return {moved(element.re), moved(element.im)};
}

Element FirstLaneOf(Ir& ir, const Element& element) {
  const auto first = [&](IrValue value) -> IrValue {
    return value == nullptr || ir.Lanes(value) == 1 ? value : ir.Extract(value, 0);
  };
  return {first(element.re), first(element.im)};
}

}  // namespace

std::vector<Element> ElementEmitter::EmitReduce(const HloInstruction* instruction, Index index) {
  const size_t inputs = static_cast<size_t>(instruction->operand_count()) / 2;
  const Shape& shape = instruction->operand(0)->shape();
  const absl::Span<const int64_t> reduced = instruction->dimensions();
  const int64_t rank = shape.rank();

  const int64_t row_elements = RowLengthOf(*instruction);
  if (lanes_ == 1 && row_lanes_ > 1 && row_elements > 0 && AppliesVectors(*instruction)) {
    // Several vectors hide the latency of the reducer. Long computations of an element do so, too.
    int64_t cost = 0;
    for (size_t i = 0; i < inputs; ++i) {
      cost += OperationsOf(instruction->operand(static_cast<int64_t>(i)), /*depth=*/0);
    }
    for (const int factor : {4, 2, 1}) {
      if (factor > 1 && cost * factor > 12) continue;
      const int block = row_lanes_ * factor;
      if (row_elements >= 2 * block || (factor == 1 && row_elements >= block)) {
        return EmitRowReduce(instruction, index, row_elements, block);
      }
    }
  }

  const int lanes = HasLanes(index) ? lanes_ : 1;
  std::vector<Element> initial;
  for (size_t i = 0; i < inputs; ++i) {
    initial.push_back(
        ops_.Splat(Emit(instruction->operand(static_cast<int64_t>(inputs + i)), {}), lanes));
  }
  if (!status_.ok()) return initial;
  IndexVector operand_index(static_cast<size_t>(rank));
  size_t kept = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (!IsListed(reduced, d)) operand_index[static_cast<size_t>(d)] = index[kept++];
  }
  std::vector<int64_t> loops;  // reduced dimensions in order
  for (int64_t d = 0; d < rank; ++d) {
    if (IsListed(reduced, d)) loops.push_back(d);
  }
  const double cost_of_reducer = CostOfNested(*instruction->to_apply());
  const auto level = [&](const auto& self, size_t depth,
                         const Ir::Carried& carried) -> Ir::Carried {
    if (depth == loops.size()) {
      std::vector<Element> arguments = FromCarried(carried, initial);
      for (size_t i = 0; i < inputs; ++i) {
        arguments.push_back(
            ops_.Splat(Emit(instruction->operand(static_cast<int64_t>(i)), operand_index), lanes));
      }
      return ToCarried(Apply(*instruction->to_apply(), std::move(arguments)));
    }
    const auto d = static_cast<size_t>(loops[depth]);
    const int64_t size = shape.dimensions(static_cast<int>(d));
    double steps = 1 + cost_of_reducer;
    for (size_t k = depth + 1; k < loops.size(); ++k)
      steps *= static_cast<double>(shape.dimensions(static_cast<int>(loops[k])));
    const int64_t block = depth + 1 == loops.size() && lanes > 1 ? BlockOfColumns(*instruction) : 0;
    if (block > 0) {
      // Elements [first, first + count) of each row.
      const auto columns = [&](IrValue first, int64_t count, int64_t room,
                               Ir::Carried inner) -> Ir::Carried {
        Scope scope(this);
        const std::vector<IndexTerm> before = std::move(block_);
        const std::pair<int64_t, int64_t> sizes = {block_row_, block_room_};
        block_.clear();
        for (int64_t c = 0; c < count; ++c) block_.push_back({ir_.Add(first, ir_.Index(c)), 0, 1});
        block_row_ = size;
        block_room_ = room;
        const std::vector<IndexTerm> terms = block_;
        for (const IndexTerm& term : terms) {
          operand_index[d] = term;
          inner = self(self, depth + 1, inner);
        }
        block_ = before;
        std::tie(block_row_, block_room_) = sizes;
        return inner;
      };
      const int64_t in_blocks = size / block * block;
      Ir::Carried sums = ir_.PolledLoop(
          ir_.Index(0), ir_.Index(in_blocks), block,
          PollInterval(in_blocks / block, steps * static_cast<double>(block)), carried,
          [&](IrValue i, const Ir::Carried& inner) { return columns(i, block, block, inner); });
      return in_blocks == size
                 ? sums
                 : columns(ir_.Index(in_blocks), size - in_blocks, size - in_blocks, sums);
    }
    return ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, steps), carried,
                          [&](IrValue i, const Ir::Carried& inner) {
                            Scope scope(this);
                            operand_index[d] = {i, 0, 1};
                            return self(self, depth + 1, inner);
                          });
  };
  return FromCarried(level(level, 0, ToCarried(initial)), initial);
}

int64_t ElementEmitter::BlockOfColumns(const HloInstruction& reduce) const {
  constexpr int64_t kFewest = 3;
  const Shape& shape = reduce.operand(0)->shape();
  const int64_t size = shape.dimensions().back();
  if (!ir_.target().machine.avx512 || is_linear_ || size < kFewest ||
      !IsListed(reduce.dimensions(), shape.rank() - 1)) {
    return 0;
  }
  // Whether something in memory is read where the operand is.
  const auto reads_rows = [&](const auto& self, const HloInstruction* instruction,
                              int depth) -> bool {
    const Shape& own = instruction->shape();
    if (!own.IsArray() || own.rank() < 2 || own.dimensions().back() != size || depth == 0)
      return false;
    if (buffers_.contains(instruction)) return true;
    const bool keeps_rows =
        IsElementwise(*instruction) ||
        (instruction->opcode() == HloOpcode::kBroadcast && !instruction->dimensions().empty() &&
         instruction->dimensions().back() == own.rank() - 1);
    if (!keeps_rows) return false;
    return absl::c_any_of(instruction->operands(),
                          [&](const HloInstruction* o) { return self(self, o, depth - 1); });
  };
  // The code of an element is copied for each column: it must be short, and have no loops, of which
  // some within others would be copied again and again.
  constexpr size_t kMostCopied = 40;
  absl::flat_hash_set<const HloInstruction*> copied;
  std::vector<const HloInstruction*> pending(
      reduce.operands().begin(), reduce.operands().begin() + reduce.operand_count() / 2);
  while (!pending.empty()) {
    const HloInstruction* instruction = pending.back();
    pending.pop_back();
    if (buffers_.contains(instruction) || !copied.insert(instruction).second) continue;
    if (copied.size() > kMostCopied || AppliesComputations(*instruction) ||
        instruction->opcode() == HloOpcode::kDot) {
      return 0;
    }
    pending.insert(pending.end(), instruction->operands().begin(), instruction->operands().end());
  }
  int64_t cost = 0;
  bool reads = false;
  for (int64_t i = 0; i < reduce.operand_count() / 2; ++i) {
    cost += OperationsOf(reduce.operand(i));
    reads |= reads_rows(reads_rows, reduce.operand(i), 8);
  }
  if (!reads) return 0;
  const int64_t most = cost <= 8 ? 16 : cost < ElementWork(HloOpcode::kExp) ? 8 : 4;
  return std::min<int64_t>({most, size, lanes_});
}

int64_t ElementEmitter::OperationsOf(const HloInstruction* instruction, int depth) const {
  if (buffers_.find(instruction) != buffers_.end() || depth > 8) return 0;
  if (instruction->opcode() == HloOpcode::kReduce ||
      instruction->opcode() == HloOpcode::kBroadcast) {
    return 0;  // of few elements
  }
  int64_t cost = ElementCost(*instruction);
  if (cost == 0 && FusedCost(*instruction) > 0) cost = 1;  // to find an element
  for (const HloInstruction* operand : instruction->operands()) {
    cost += OperationsOf(operand, depth + 1);
  }
  return cost;
}

bool ReadsInOrder(const HloInstruction* instruction, int64_t minor,
                  absl::FunctionRef<bool(const HloInstruction*)> is_in_memory, int depth) {
  if (is_in_memory(instruction) || CountOf(instruction->shape()) == 1) return true;
  if (depth > 8) return false;
  const int64_t first = instruction->shape().rank() - minor;
  const auto operand_reads_in_order = [&](int64_t minor_of_operand) {
    return absl::c_all_of(instruction->operands(), [&](const HloInstruction* o) {
      return ReadsInOrder(o, minor_of_operand, is_in_memory, depth + 1);
    });
  };
  switch (instruction->opcode()) {
    case HloOpcode::kBroadcast: {
      const Shape& operand = instruction->operand(0)->shape();
      const auto dimensions = instruction->dimensions();
      const int64_t mapped = absl::c_count_if(dimensions, [&](int64_t d) { return d >= first; });
      if (CountOf(operand) == 1 || (minor > 0 && mapped == 0)) return true;
      // The last dimensions are those of the operand.
      return minor > 0 && mapped == minor && absl::c_is_sorted(dimensions) &&
             operand.dimensions().last(static_cast<size_t>(minor)) ==
                 instruction->shape().dimensions().last(static_cast<size_t>(minor)) &&
             operand_reads_in_order(minor);
    }
    case HloOpcode::kReshape:
    case HloOpcode::kBitcast: {
      const auto from = instruction->operand(0)->shape().dimensions(),
                 to = instruction->shape().dimensions();
      const auto size = static_cast<size_t>(minor);
      const bool keeps = size <= from.size() && from.last(size) == to.last(size);
      return operand_reads_in_order(keeps ? minor : 0);
    }
    default:
      return IsElementwise(*instruction) && operand_reads_in_order(minor);
  }
}

std::vector<Element> ElementEmitter::EmitReduceOfRows(const HloInstruction* instruction,
                                                      Index index,
                                                      absl::Span<const int64_t> reduced_sizes,
                                                      int block, const Literal& identity) {
  const HloInstruction* operand = instruction->operand(0);
  const HloComputation& reducer = *instruction->to_apply();
  const int64_t length = reduced_sizes.back();
  const absl::Span<const int64_t> outer_sizes = reduced_sizes.first(reduced_sizes.size() - 1);
  int64_t rows = 1;
  for (const int64_t size : outer_sizes) rows *= size;
  // Blocks, then vectors behind the last block, of which the last overlaps the one before.
  const int64_t in_blocks = length / block * block, in_vectors = length / row_lanes_ * row_lanes_;
  ElementEmitter wide(ops_, buffers_, block), narrow(ops_, buffers_, row_lanes_);
  wide.set_outer(this);
  narrow.set_outer(this);
  // Reducers with an identity are of real numbers: elements have one part.
  const auto identity_of = [&](int lanes) {
    return ops_.Splat(ops_.Constant(identity.shape().element_type(), identity.untyped_data()),
                      lanes);
  };
  const Ir::Carried carried = ir_.PolledLoop(
      ir_.Index(0), ir_.Index(rows), 1,
      PollInterval(rows, static_cast<double>(length) / row_lanes_),
      {identity_of(block).re, identity_of(row_lanes_).re},
      [&](IrValue row, const Ir::Carried& before) {
        const Scope scope(this);
        const IndexVector outer = math_.Delinearize({row, 0, 1}, outer_sizes);
        const auto combine = [&](ElementEmitter& emitter, IrValue position, int lanes,
                                 IrValue so_far, IrValue mask) {
          IndexVector operand_index;
          size_t next_outer = 0, next_kept = 0;
          for (int64_t d = 0; d < operand->shape().rank(); ++d) {
            if (!IsListed(instruction->dimensions(), d)) {
              operand_index.push_back(index[next_kept++]);
            } else if (next_outer < outer.size()) {
              operand_index.push_back(outer[next_outer++]);
            } else {
              operand_index.push_back({position, 1, mask == nullptr ? lanes : 1});
            }
          }
          Element value = ops_.Splat(emitter.Emit(operand, operand_index), lanes);
          if (mask != nullptr) value = ops_.Select(mask, value, identity_of(lanes));
          return emitter.Apply(reducer, {{so_far}, value})[0].re;
        };
        Ir::Carried partial = before;
        partial[0] =
            ir_.PolledLoop(ir_.Index(0), ir_.Index(in_blocks), block,
                           PollInterval(in_blocks / block, static_cast<double>(block) / row_lanes_),
                           {partial[0]}, [&](IrValue i, const Ir::Carried& so_far) {
                             const Scope inner(&wide);
                             return Ir::Carried{combine(wide, i, block, so_far[0], nullptr)};
                           })[0];
        partial[1] =
            ir_.Loop(ir_.Index(in_blocks), ir_.Index(in_vectors), row_lanes_, {partial[1]},
                     [&](IrValue i, const Ir::Carried& so_far) {
                       const Scope inner(&narrow);
                       return Ir::Carried{combine(narrow, i, row_lanes_, so_far[0], nullptr)};
                     })[0];
        if (in_vectors < length) {
          const Scope inner(&narrow);
          const int64_t first = length - row_lanes_;
          const IrValue lane = narrow.math().ToVector({ir_.Index(0), 1, row_lanes_});
          const IrValue is_new =
              ir_.ICmp(LLVMIntSGE, lane, ir_.Const(ir_.TypeOf(lane), in_vectors - first));
          partial[1] = combine(narrow, ir_.Index(first), row_lanes_, partial[1], is_new);
        }
        return partial;
      });
  std::vector<Element> total = {{carried[0]}};
  for (int lanes = block; lanes > 1; lanes /= 2) {
    if (lanes == row_lanes_) total = wide.Apply(reducer, {total[0], {carried[1]}});
    total = wide.Apply(reducer, {HalfOf(ir_, total[0], false), HalfOf(ir_, total[0], true)});
  }
  for (const ElementEmitter* emitter : {&wide, &narrow}) {
    if (!emitter->status().ok() && status_.ok()) status_ = emitter->status();
  }
  return Apply(reducer, {Emit(instruction->operand(1), {}), total[0]});
}

std::vector<Element> ElementEmitter::EmitRowReduce(const HloInstruction* instruction, Index index,
                                                   int64_t row_elements, int block) {
  const size_t inputs = static_cast<size_t>(instruction->operand_count()) / 2;
  const Shape& shape = instruction->operand(0)->shape();
  const absl::Span<const int64_t> reduced = instruction->dimensions();
  std::vector<int64_t> row_dims;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (IsListed(reduced, d)) row_dims.push_back(shape.dimensions(static_cast<int>(d)));
  }
  const HloComputation& reducer = *instruction->to_apply();
  const std::optional<Literal> identity = IdentityOfReducer(reducer);
  bool is_in_order = row_dims.size() > 1;
  // From the first reduced dimension on: those behind it are reduced, or of one element.
  const int64_t minor = shape.rank() - *absl::c_min_element(reduced);
  for (size_t i = 0; i < inputs; ++i) {
    is_in_order =
        is_in_order && ReadsInOrder(instruction->operand(static_cast<int64_t>(i)), minor,
                                    [&](const HloInstruction* o) { return buffers_.contains(o); });
  }
  // Several rows that follow each other in memory are one, along the last dimension that is not 1:
  // in dimensions of one element, no index is looked at.
  if (is_in_order) {
    const int64_t all =
        std::accumulate(row_dims.begin(), row_dims.end(), int64_t{1}, std::multiplies<int64_t>());
    size_t last = row_dims.size() - 1;
    while (last > 0 && row_dims[last] == 1) --last;
    std::fill(row_dims.begin(), row_dims.end(), 1);
    row_dims[last] = all;
  }
  if (const int64_t length = row_dims.back(); row_dims.size() > 1 && length >= row_lanes_ &&
                                              identity.has_value() && inputs == 1 && !is_in_order) {
    while (block > row_lanes_ && length < 2 * block) block /= 2;
    return EmitReduceOfRows(instruction, index, row_dims, block, *identity);
  }
  ElementEmitter wide(ops_, buffers_, block);
  wide.set_outer(this);
  const auto operands_at = [&](ElementEmitter& emitter, IrValue position, int lanes,
                               std::vector<Element> arguments) {
    IndexTerm linear = {position, lanes > 1 ? 1 : 0, lanes};
    IndexVector operand_index;
    const IndexVector row = emitter.math().Delinearize(linear, row_dims);
    size_t next_row = 0, next_kept = 0;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      operand_index.push_back(IsListed(reduced, d) ? row[next_row++] : index[next_kept++]);
    }
    for (size_t i = 0; i < inputs; ++i) {
      const HloInstruction* operand = instruction->operand(static_cast<int64_t>(i));
      arguments.push_back(ops_.Splat(emitter.Emit(operand, operand_index), lanes));
      const bool converts =
          operand->opcode() == HloOpcode::kConvert && operand->operand(0) == copied_;
      if (operand != copied_ && !converts) continue;
      const Shape& shape_of_copy = copied_->shape();
      const ElementAddress to = emitter.AddressOf({copy_, false}, shape_of_copy, operand_index);
      ops_.Store(shape_of_copy.element_type(),
                 ops_.Splat(emitter.Emit(copied_, operand_index), lanes), to.pointer, to.bytes);
      has_copy_ = true;
    }
    return arguments;
  };

  const auto identity_of = [&](int lanes) {
    return ops_.Splat(ops_.Constant(identity->shape().element_type(), identity->untyped_data()),
                      lanes);
  };
  const int64_t in_blocks = row_elements / block * block;
  // Partial results start from what changes nothing, or else from the first block.
  std::vector<Element> partial;
  int64_t begin = 0;
  if (identity.has_value() && inputs == 1) {
    partial = {identity_of(block)};
  } else {
    Scope scope(&wide);
    partial = operands_at(wide, ir_.Index(0), block, {});
    begin = block;
  }
  partial = FromCarried(
      ir_.PolledLoop(ir_.Index(begin), ir_.Index(in_blocks), block,
                     PollInterval(in_blocks / block, static_cast<double>(block) / row_lanes_),
                     ToCarried(partial),
                     [&](IrValue i, const Ir::Carried& carried) {
                       Scope scope(&wide);
                       return ToCarried(wide.Apply(
                           reducer, operands_at(wide, i, block, FromCarried(carried, partial))));
                     }),
      partial);
  // Halves are combined; at the length of a vector, with the vectors behind the last block, and at
  // shorter ones with what is left of the row.
  ElementEmitter tail(ops_, buffers_, row_lanes_);
  tail.set_outer(this);
  const int64_t in_vectors = row_elements / row_lanes_ * row_lanes_;
  int64_t done = in_vectors;
  for (int lanes = block; lanes > 1; lanes /= 2) {
    const int64_t left = row_elements - done;
    const bool is_short = lanes < row_lanes_ && lanes >= kShortVector;
    // The last elements are those of a vector that ends with the row, without what is combined
    // already.
    const bool is_last = is_short && lanes == kShortVector && left > 0 && left < lanes &&
                         identity.has_value() && inputs == 1;
    if (is_last || (is_short && left >= lanes)) {
      ElementEmitter part(ops_, buffers_, lanes);
      part.set_outer(this);
      const int64_t position = is_last ? row_elements - lanes : done;
      std::vector<Element> elements = operands_at(part, ir_.Index(position), lanes, {});
      if (is_last && part.status().ok()) {
        std::vector<int> chosen;
        for (int i = 0; i < lanes; ++i) chosen.push_back(i < lanes - left ? i : i + lanes);
        elements[0].re = ir_.Shuffle(identity_of(lanes).re, elements[0].re, chosen);
      }
      elements.insert(elements.begin(), partial.begin(), partial.end());
      partial = part.Apply(reducer, std::move(elements));
      if (!part.status().ok() && status_.ok()) status_ = part.status();
      done += is_last ? left : lanes;
    }
    if (lanes == row_lanes_) {
      partial = FromCarried(
          ir_.Loop(ir_.Index(in_blocks), ir_.Index(in_vectors), row_lanes_, ToCarried(partial),
                   [&](IrValue i, const Ir::Carried& carried) {
                     Scope scope(&tail);
                     return ToCarried(tail.Apply(
                         reducer, operands_at(tail, i, row_lanes_, FromCarried(carried, partial))));
                   }),
          partial);
    }
    std::vector<Element> arguments;
    for (const bool second : {false, true}) {
      for (const Element& element : partial) {
        arguments.push_back(lanes <= kShortVector ? Moved(ir_, element, second ? lanes / 2 : 0)
                                                  : HalfOf(ir_, element, second));
      }
    }
    partial = wide.Apply(reducer, std::move(arguments));
  }
  for (Element& element : partial) element = FirstLaneOf(ir_, element);
  if (!tail.status().ok() && status_.ok()) status_ = tail.status();
  partial =
      FromCarried(ir_.Loop(ir_.Index(done), ir_.Index(row_elements), 1, ToCarried(partial),
                           [&](IrValue i, const Ir::Carried& carried) {
                             Scope scope(this);
                             return ToCarried(Apply(
                                 reducer, operands_at(*this, i, 1, FromCarried(carried, partial))));
                           }),
                  partial);
  std::vector<Element> arguments;
  for (size_t i = 0; i < inputs; ++i) {
    arguments.push_back(Emit(instruction->operand(static_cast<int64_t>(inputs + i)), {}));
  }
  arguments.insert(arguments.end(), partial.begin(), partial.end());
  if (!wide.status().ok() && status_.ok()) status_ = wide.status();
  return Apply(reducer, std::move(arguments));
}

std::vector<Element> ElementEmitter::EmitReduceWindow(const HloInstruction* instruction,
                                                      Index index) {
  const size_t inputs = static_cast<size_t>(instruction->operand_count()) / 2;
  const Shape& shape = instruction->operand(0)->shape();
  const WindowDims& window = instruction->attributes<WindowAttributes>().window;
  const int lanes = HasLanes(index) ? lanes_ : 1;
  std::vector<Element> initial;
  for (size_t i = 0; i < inputs; ++i) {
    initial.push_back(
        ops_.Splat(Emit(instruction->operand(static_cast<int64_t>(inputs + i)), {}), lanes));
  }
  if (!status_.ok()) return initial;
  const auto rank = static_cast<size_t>(shape.rank());
  // Taps are visited, or elements where they are fewer: windows may be larger than any array.
  const auto by_elements = [&](size_t d) {
    return window[d].size > shape.dimensions(static_cast<int>(d));
  };
  const auto steps_of = [&](size_t d) {
    return by_elements(d) ? shape.dimensions(static_cast<int>(d)) : window[d].size;
  };
  IndexVector tap(rank, math_.Constant(0));  // or element
  // A dimension along which the windows of all lanes are known to lie within the operand.
  size_t inside_along = rank;
  // Whether they do along the padded dimension in which lanes differ; null where there is none.
  const auto lie_inside = [&](size_t d) -> IrValue {
    const WindowDim& dim = window[d];
    if (lanes == 1 || index[d].step <= 0 || index[d].lanes != nullptr || by_elements(d) ||
        dim.base_dilation > 1 || (dim.padding_low <= 0 && dim.padding_high <= 0)) {
      return nullptr;
    }
    const int64_t reach =
        (dim.size - 1) * dim.window_dilation + (lanes - 1) * index[d].step * dim.stride;
    const int64_t starts = shape.dimensions(static_cast<int>(d)) - reach;
    if (starts <= 0) return nullptr;
    const IndexTerm first =
        math_.AddConstant(math_.Multiply(index[d], dim.stride), -dim.padding_low);
    return ir_.ICmp(LLVMIntULT, first.base, ir_.Index(starts));
  };

  const auto visit = [&](const Ir::Carried& carried) -> Ir::Carried {
    IndexVector operand_index;
    IrValue inside = nullptr;
    const auto require = [&](IrValue bits) {
      if (inside == nullptr) {
        inside = bits;
        return;
      }
      const int wide = std::max(ir_.Lanes(inside), ir_.Lanes(bits));
      const auto widen = [&](IrValue b) { return ir_.Lanes(b) == wide ? b : ir_.Splat(b, wide); };
      inside = ir_.And(widen(inside), widen(bits));
    };
    for (size_t d = 0; d < rank; ++d) {
      const WindowDim& dim = window[d];
      const int64_t size = shape.dimensions(static_cast<int>(d));
      if (by_elements(d)) {
        // From the start of the window to the element.
        IndexTerm reach = math_.Add(math_.Multiply(tap[d], dim.base_dilation),
                                    math_.Multiply(index[d], -dim.stride));
        reach = math_.AddConstant(reach, dim.padding_low);
        require(math_.InRange(reach, 0, (dim.size - 1) * dim.window_dilation + 1));
        if (dim.window_dilation > 1) {
          const IrValue distance = math_.ToVector(reach);
          const IrType type = ir_.TypeOf(distance);
          const IrValue step = ir_.Const(type, dim.window_dilation);
          require(ir_.ICmp(LLVMIntEQ, ir_.SRem(distance, step), ir_.Zero(type)));
        }
        operand_index.push_back(tap[d]);
        continue;
      }
      IndexTerm term = math_.Add(math_.Multiply(index[d], dim.stride),
                                 math_.Multiply(tap[d], dim.window_dilation));
      term = math_.AddConstant(term, -dim.padding_low);
      const int64_t span = (size - 1) * dim.base_dilation + 1;
      const bool is_padded = dim.padding_low > 0 || dim.padding_high > 0 || dim.base_dilation > 1;
      if (is_padded && d != inside_along) {
        require(math_.InRange(term, 0, span));
        term = math_.ClampUnlessAffine(term, 0, span);
      }
      if (dim.base_dilation > 1) {
        const IrValue position = math_.ToVector(term);
        const IrType type = ir_.TypeOf(position);
        const IrValue step = ir_.Const(type, dim.base_dilation);
        require(ir_.ICmp(LLVMIntEQ, ir_.SRem(position, step), ir_.Zero(type)));
        term = math_.ClampUnlessAffine(math_.FromVector(ir_.SDiv(position, step)), 0, size);
      }
      operand_index.push_back(term);
    }
    const auto combine = [&] {
      std::vector<Element> arguments = FromCarried(carried, initial);
      for (size_t i = 0; i < inputs; ++i) {
        arguments.push_back(
            ops_.Splat(Emit(instruction->operand(static_cast<int64_t>(i)), operand_index), lanes));
      }
      return Apply(*instruction->to_apply(), std::move(arguments));
    };
    if (inside == nullptr) return ToCarried(combine());
    if (ir_.Lanes(inside) == 1) {
      // The same for all lanes: taps outside cost a branch.
      return ir_.If(
          inside,
          [&] {
            const Scope scope(this);
            return ToCarried(combine());
          },
          [&] { return carried; });
    }
    const std::vector<Element> before = FromCarried(carried, initial);
    std::vector<Element> after;
    UnderMask(inside, [&] {
      after = combine();
      return after[0];
    });
    for (size_t i = 0; i < inputs; ++i) after[i] = ops_.Select(inside, after[i], before[i]);
    return ToCarried(after);
  };

  double steps = 1;
  for (size_t d = 0; d < rank; ++d) steps *= static_cast<double>(steps_of(d));
  const bool unroll = steps <= 16 && AppliesVectors(*instruction);
  const double cost_of_reducer = CostOfNested(*instruction->to_apply());
  const auto level = [&](const auto& self, size_t d, Ir::Carried carried) -> Ir::Carried {
    if (d == rank) return visit(carried);
    const int64_t count = steps_of(d);
    if (count == 1) {
      tap[d] = math_.Constant(0);
      return self(self, d + 1, std::move(carried));
    }
    if (unroll) {
      for (int64_t t = 0; t < count; ++t) {
        tap[d] = math_.Constant(t);
        carried = self(self, d + 1, std::move(carried));
      }
      return carried;
    }
    double inner_steps = 1 + cost_of_reducer;
    for (size_t k = d + 1; k < rank; ++k) inner_steps *= static_cast<double>(steps_of(k));
    return ir_.PolledLoop(ir_.Index(0), ir_.Index(count), 1, PollInterval(count, inner_steps),
                          std::move(carried), [&](IrValue t, const Ir::Carried& inner) {
                            Scope scope(this);
                            tap[d] = {t, 0, 1};
                            return self(self, d + 1, inner);
                          });
  };
  const bool visited_rows = ops_.visits_rows();
  ops_.set_visits_rows(true);
  const auto windows = [&](size_t known) {
    const Scope scope(this);
    inside_along = known;
    return level(level, 0, ToCarried(initial));
  };
  size_t along = 0;
  IrValue whole = nullptr;
  while (along < rank && (whole = lie_inside(along)) == nullptr) ++along;
  // Most windows need no mask.
  const Ir::Carried last =
      whole == nullptr ? windows(rank)
                       : ir_.If(
                             whole, [&] { return windows(along); }, [&] { return windows(rank); });
  ops_.set_visits_rows(visited_rows);
  return FromCarried(last, initial);
}

// The plain sum of products, in f32 or wider: for small products inside of fusions.
Element ElementEmitter::EmitDot(const HloInstruction* instruction, Index index) {
  const auto& dims = instruction->attributes<DotAttributes>();
  const HloInstruction* lhs = instruction->operand(0);
  const HloInstruction* rhs = instruction->operand(1);
  const PrimitiveType result_type = instruction->shape().element_type();
  const bool is_narrow = primitive_util::IsFloatingPointType(result_type) && result_type != F64;
  const PrimitiveType type = is_narrow ? F32 : result_type;
  IndexVector lhs_index(static_cast<size_t>(lhs->shape().rank()), math_.Constant(0));
  IndexVector rhs_index(static_cast<size_t>(rhs->shape().rank()), math_.Constant(0));
  size_t next = 0;
  for (size_t i = 0; i < dims.lhs_batch_dims.size(); ++i, ++next) {
    lhs_index[static_cast<size_t>(dims.lhs_batch_dims[i])] = index[next];
    rhs_index[static_cast<size_t>(dims.rhs_batch_dims[i])] = index[next];
  }
  for (int64_t d = 0; d < lhs->shape().rank(); ++d) {
    if (!IsListed(dims.lhs_batch_dims, d) && !IsListed(dims.lhs_contracting_dims, d))
      lhs_index[static_cast<size_t>(d)] = index[next++];
  }
  for (int64_t d = 0; d < rhs->shape().rank(); ++d) {
    if (!IsListed(dims.rhs_batch_dims, d) && !IsListed(dims.rhs_contracting_dims, d))
      rhs_index[static_cast<size_t>(d)] = index[next++];
  }
  const int lanes = HasLanes(index) ? lanes_ : 1;
  const std::vector<Element> initial = {ops_.Splat(ops_.Zero(type), lanes)};
  const auto multiply_add = [&](const Element& sum) -> Element {
    const Element a =
        ops_.Splat(ops_.Convert(lhs->shape().element_type(), type, Emit(lhs, lhs_index)), lanes);
    const Element b =
        ops_.Splat(ops_.Convert(rhs->shape().element_type(), type, Emit(rhs, rhs_index)), lanes);
    if (primitive_util::IsComplexType(type)) {
      return {ir_.FAdd(sum.re, ir_.FSub(ir_.FMul(a.re, b.re), ir_.FMul(a.im, b.im))),
              ir_.FAdd(sum.im, ir_.FAdd(ir_.FMul(a.re, b.im), ir_.FMul(a.im, b.re)))};
    }
    if (type == PRED) return {ir_.Or(sum.re, ir_.And(a.re, b.re))};
    if (ir_.IsFloat(ir_.TypeOf(sum.re))) return {ir_.Fma(a.re, b.re, sum.re)};
    return ops_.Round(type, {ir_.Add(sum.re, ir_.Mul(a.re, b.re))});
  };
  const auto level = [&](const auto& self, size_t depth,
                         const Ir::Carried& carried) -> Ir::Carried {
    if (depth == dims.lhs_contracting_dims.size()) {
      return ToCarried(std::vector<Element>{multiply_add(FromCarried(carried, initial)[0])});
    }
    const auto l = static_cast<size_t>(dims.lhs_contracting_dims[depth]);
    const auto r = static_cast<size_t>(dims.rhs_contracting_dims[depth]);
    const int64_t size = lhs->shape().dimensions(static_cast<int>(l));
    constexpr int64_t kUnrolled = 16;
    if (size <= kUnrolled) {
      Ir::Carried sums = carried;
      for (int64_t i = 0; i < size; ++i) {
        lhs_index[l] = rhs_index[r] = math_.Constant(i);
        sums = self(self, depth + 1, sums);
      }
      return sums;
    }
    double steps = 1;
    for (size_t k = depth + 1; k < dims.lhs_contracting_dims.size(); ++k)
      steps *= static_cast<double>(
          lhs->shape().dimensions(static_cast<int>(dims.lhs_contracting_dims[k])));
    return ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, steps), carried,
                          [&](IrValue i, const Ir::Carried& inner) {
                            Scope scope(this);
                            lhs_index[l] = rhs_index[r] = {i, 0, 1};
                            return self(self, depth + 1, inner);
                          });
  };
  const Element sum = FromCarried(level(level, 0, ToCarried(initial)), initial)[0];
  return is_narrow ? ops_.Round(result_type, sum) : sum;
}

}  // namespace xla::cpu
