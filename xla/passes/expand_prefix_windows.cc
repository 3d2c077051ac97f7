// SPDX-License-Identifier: Apache-2.0
#include "xla/passes/expand_prefix_windows.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/passes/graph_builder.h"
#include "xla/passes/prefix_scan.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using Values = std::vector<HloInstruction*>;  // one for each operand of the reduce-window

class WindowExpander {
 public:
  WindowExpander(HloInstruction* window, const PrefixWindow& scan)
      : b_(window->parent(), window), window_(*window), scan_(scan) {}

  // Returns the results, with the shapes of the reduce-window's.
  absl::StatusOr<Values> Run() {
    const size_t operands = static_cast<size_t>(window_.operand_count()) / 2;
    Values inits, arrays;
    for (size_t i = 0; i < operands; ++i) {
      arrays.push_back(ToFront(window_.mutable_operand(static_cast<int64_t>(i))));
      inits.push_back(window_.mutable_operand(static_cast<int64_t>(operands + i)));
    }
    const std::vector<int64_t> sizes = SizesOf(arrays[0]);
    const int64_t length = sizes[0];
    int64_t rows = 1;
    for (size_t d = 1; d < sizes.size(); ++d) rows *= sizes[d];
    // This many rows are worth an iteration of a loop.
    constexpr int64_t kManyRows = 256, kLong = 256;
    Values results;
    const bool in_parts = rows < kManyRows && length >= kLong;
    if (!in_parts && !scan_.reverse) {
      results = Scan(arrays, inits);
    } else {
      // The initial value precedes all elements of a result, even if these are reversed.
      results = in_parts ? ScanInParts(arrays, rows, length) : Scan(arrays);
      for (size_t i = 0; i < operands; ++i) results[i] = b_.Reshape(results[i], sizes);
      Values first;
      for (size_t i = 0; i < operands; ++i)
        first.push_back(b_.Splat(inits[i], SizesOf(results[i])));
      results = Combine(b_, first, results);
    }
    for (size_t i = 0; i < operands; ++i) results[i] = FromFront(results[i]);
    return results;
  }

 private:
  static std::vector<int64_t> SizesOf(const HloInstruction* array) {
    return {array->shape().dimensions().begin(), array->shape().dimensions().end()};
  }

  // Elements of reversed scans are reversed, so that all scans start at the first element.
  HloInstruction* ToFront(HloInstruction* array) {
    if (scan_.reverse) array = b_.Reverse(array, {scan_.dimension});
    return Move(array, scan_.dimension, 0);
  }
  HloInstruction* FromFront(HloInstruction* array) {
    array = Move(array, 0, scan_.dimension);
    return scan_.reverse ? b_.Reverse(array, {scan_.dimension}) : array;
  }
  HloInstruction* Move(HloInstruction* array, int64_t from, int64_t to) {
    if (from == to) return array;
    std::vector<int64_t> permutation;
    for (int64_t d = 0; d < array->shape().rank(); ++d) {
      if (d != from) permutation.push_back(d);
    }
    permutation.insert(permutation.begin() + to, from);
    return b_.Transpose(array, permutation);
  }

  // Applies the reducer to arrays; `earlier` precedes `later` in the order of the reduction.
  Values Combine(GraphBuilder& b, const Values& earlier, const Values& later) {
    Values arguments = earlier, results;
    arguments.insert(arguments.end(), later.begin(), later.end());
    for (size_t i = 0; i < earlier.size(); ++i) {
      const Shape& shape = earlier[i]->shape();
      std::vector<int64_t> all;
      for (int64_t d = 0; d < shape.rank(); ++d) all.push_back(d);
      HloComputation* called[] = {ReducerOf(i)};
      results.push_back(b.Make(HloOpcode::kMap, Shape(shape.element_type(), shape.dimensions()),
                               arguments, MapAttributes{.dimensions = all}, called));
    }
    return results;
  }

  // Returns a computation of the reducer's result with that number.
  HloComputation* ReducerOf(size_t result) {
    HloComputation* const reducer = window_.to_apply();
    if (!reducer->root_instruction()->shape().IsTuple()) return reducer;
    HloComputation* const computation = window_.GetModule()->AddComputation(reducer->name());
    GraphBuilder c(computation);
    Values parameters;
    for (const HloInstruction* parameter : reducer->parameter_instructions()) {
      parameters.push_back(c.Add(HloInstruction::CreateParameter(
          parameter->parameter_number(), parameter->shape(), parameter->name())));
    }
    HloComputation* called[] = {reducer};
    HloInstruction* const call = c.Make(HloOpcode::kCall, reducer->root_instruction()->shape(),
                                        parameters, CallAttributes(), called);
    computation->set_root_instruction(c.Element(call, static_cast<int64_t>(result)));
    return computation;
  }

  // Returns the function that a scan calls, on slices and then carries. Carries precede slices in
  // the reduction, unless it is reversed.
  HloComputation* SliceFunction(const Values& arrays) {
    HloComputation* const computation =
        window_.GetModule()->AddComputation(absl::StrCat(window_.to_apply()->name(), ".scan"));
    GraphBuilder c(computation);
    Values slices, carries;
    for (Values* values : {&slices, &carries}) {
      for (size_t i = 0; i < arrays.size(); ++i) {
        const Shape& shape = arrays[i]->shape();
        const size_t number = values == &slices ? i : arrays.size() + i;
        values->push_back(c.Add(HloInstruction::CreateParameter(
            static_cast<int64_t>(number),
            Shape(shape.element_type(), shape.dimensions().subspan(1)),
            values == &slices ? "slice" : "carry")));
      }
    }
    Values results = scan_.reverse ? Combine(c, slices, carries) : Combine(c, carries, slices);
    const Values once = results;
    results.insert(results.end(), once.begin(), once.end());
    computation->set_root_instruction(c.Tuple(results));
    return computation;
  }

  // Scans slices along the first dimension, from initial values, which are scalars or slices.
  Values Scan(const Values& arrays, const Values& inits) {
    HloComputation* called[] = {SliceFunction(arrays)};
    std::vector<Shape> shapes;
    Values operands = arrays;
    for (const HloInstruction* array : arrays)
      shapes.emplace_back(array->shape().element_type(), SizesOf(array));
    for (size_t i = 0; i < arrays.size(); ++i) {
      const std::vector<int64_t> sizes = SizesOf(arrays[i]);
      const absl::Span<const int64_t> slice = absl::MakeConstSpan(sizes).subspan(1);
      shapes.emplace_back(shapes[i].element_type(), slice);
      operands.push_back(inits[i]->shape().rank() == 0 ? b_.Splat(inits[i], slice)
                                                       : b_.Reshape(inits[i], slice));
    }
    ScanAttributes attributes;
    attributes.is_associative = false;
    attributes.dimensions = {0};
    attributes.num_carries = static_cast<int64_t>(arrays.size());
    HloInstruction* const scan =
        b_.Make(HloOpcode::kScan, ShapeUtil::MakeTupleShape(shapes), operands, attributes, called);
    Values results;
    for (size_t i = 0; i < arrays.size(); ++i)
      results.push_back(b_.Element(scan, static_cast<int64_t>(i)));
    return results;
  }
  // Scans from the first slices.
  Values Scan(const Values& arrays) {
    const int64_t length = arrays[0]->shape().dimensions(0);
    Values firsts, rest;
    for (HloInstruction* array : arrays) {
      firsts.push_back(b_.SliceAlong(array, 0, 0, 1));
      if (length > 1) rest.push_back(b_.SliceAlong(array, 0, 1, length));
    }
    if (length <= 1) return arrays;
    Values results = Scan(rest, firsts);
    for (size_t i = 0; i < arrays.size(); ++i) {
      HloInstruction* const parts[] = {firsts[i], results[i]};
      results[i] = b_.Make(HloOpcode::kConcatenate,
                           Shape(arrays[i]->shape().element_type(), SizesOf(arrays[i])), parts,
                           DimensionListAttributes{{0}});
    }
    return results;
  }

  // Scans parts of about sqrt(length) elements side by side, then their last results; each part is
  // combined with the result of those before it. Without initial values.
  Values ScanInParts(const Values& arrays, int64_t rows, int64_t length) {
    const auto part = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(length))));
    const int64_t parts = (length + part - 1) / part;
    Values divided;
    for (HloInstruction* array : arrays) {
      const int64_t two[] = {length, rows}, three[] = {parts, part, rows};
      HloInstruction* x = b_.Reshape(array, two);
      const int64_t high[] = {parts * part - length, 0};
      if (high[0] > 0) x = b_.PadHigh(x, b_.Scalar(x->shape().element_type(), 0), high);
      divided.push_back(b_.Transpose(b_.Reshape(x, three), {1, 0, 2}));  // [part, parts, rows]
    }
    const Values scanned = Scan(divided);
    Values totals;
    for (HloInstruction* x : scanned) {
      const int64_t two[] = {parts, rows};
      totals.push_back(b_.Reshape(b_.SliceAlong(x, 0, part - 1, part), two));
    }
    const Values before = Scan(totals);
    // The values of all parts but the first.
    Values earlier, later, results;
    for (size_t i = 0; i < arrays.size(); ++i) {
      HloInstruction* const shifted = b_.SliceAlong(before[i], 0, 0, parts - 1);
      const int64_t three[] = {part, parts - 1, rows};
      earlier.push_back(b_.Broadcast(shifted, three, {1, 2}));
      later.push_back(b_.SliceAlong(scanned[i], 1, 1, parts));
    }
    const Values combined =
        scan_.reverse ? Combine(b_, later, earlier) : Combine(b_, earlier, later);
    for (size_t i = 0; i < arrays.size(); ++i) {
      HloInstruction* const both[] = {b_.SliceAlong(scanned[i], 1, 0, 1), combined[i]};
      const int64_t three[] = {part, parts, rows}, two[] = {parts * part, rows};
      HloInstruction* x =
          b_.Make(HloOpcode::kConcatenate, Shape(combined[i]->shape().element_type(), three), both,
                  DimensionListAttributes{{1}});
      x = b_.Reshape(b_.Transpose(x, {1, 0, 2}), two);
      results.push_back(b_.SliceAlong(x, 0, 0, length));
    }
    return results;
  }

  GraphBuilder b_;
  const HloInstruction& window_;
  const PrefixWindow scan_;
};

bool IsOfScalars(const HloInstruction& window) {
  const Shape& result = window.to_apply()->root_instruction()->shape();
  const int64_t operands = window.operand_count() / 2;
  if (result.IsTuple() ? result.tuple_shapes_size() != operands : operands != 1) return false;
  for (int64_t i = 0; i < operands; ++i) {
    const Shape& part = result.IsTuple() ? result.tuple_shapes(static_cast<int>(i)) : result;
    const PrimitiveType type = part.element_type();
    const Shape& whole = window.shape().IsTuple() ? window.shape().tuple_shapes(static_cast<int>(i))
                                                  : window.shape();
    // Accumulators of a type that differs from the operands' are left alone.
    if (!part.IsArray() || whole.element_type() != type ||
        window.operand(i)->shape().element_type() != type ||
        window.operand(operands + i)->shape().element_type() != type) {
      return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> ExpandPrefixWindows(HloModule* module) {
  bool changed = false;
  for (HloComputation* computation : module->computations()) {
    for (HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      const std::optional<PrefixWindow> scan = RecognizePrefixWindow(*instruction);
      if (!scan.has_value() || scan->length < kLeastScanLength || HasScanKernel(*instruction) ||
          !IsOfScalars(*instruction)) {
        continue;
      }
      XLA_ASSIGN_OR_RETURN(const Values results, WindowExpander(instruction, *scan).Run());
      GraphBuilder b(computation, instruction);
      HloInstruction* const result = instruction->shape().IsTuple() ? b.Tuple(results) : results[0];
      *result->mutable_shape() = instruction->shape();
      XLA_RETURN_IF_ERROR(computation->ReplaceInstruction(instruction, result));
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
