// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/scatter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/row_loops.h"
#include "xla/cpu/kernel/vector_loop.h"

namespace xla::cpu {
namespace {

class Scatter final : public KernelPlan {
 public:
  using KernelPlan::KernelPlan;

  void EmitUnits(KernelCode& code) const override;

  PlanDescription Describe() const override {
    std::string window = has_minor_window ? absl::StrCat(window_length) : "";
    return {"in place ", row_dim >= 0 ? "rows " : "",
            absl::StrCat(" [", window, "] lanes ", vector_lanes, " of scatter",
                         SegmentsText(segments, segment_length), " units ", units)};
  }

  int64_t lanes() const override { return vector_lanes; }

  // Whether the window has the operand's minor dimension, and how it is divided into segments.
  bool has_minor_window = false;
  int64_t window_length = 1;
  int vector_lanes = 1;
  int64_t segments = 1, segment_length = 1;
  // Where the window lacks the minor dimension: a dimension of the updates that no index is for.
  // Each of its elements is a unit, which goes through all updates: they lie side by side in
  // memory, and no unit writes what another does.
  int64_t row_dim = -1, rows = 1;
};

// How dimensions of updates, indices and operand correspond.
struct ScatterDims {
  explicit ScatterDims(const HloInstruction& scatter);

  // Returns the dimension of the updates that corresponds to one of the indices, whose vector
  // dimension the updates lack.
  size_t UpdateDim(int64_t indices_dim) const {
    return scatter_dims[static_cast<size_t>(indices_dim -
                                            (indices_dim > attributes.index_vector_dim ? 1 : 0))];
  }
  bool has_batches() const { return !attributes.input_batching_dims.empty(); }
  // Returns the batch dimension of the updates: there is a group of units for each batch.
  size_t BatchDim() const {
    return has_batches() ? UpdateDim(attributes.scatter_indices_batching_dims[0]) : 0;
  }

  const ScatterAttributes& attributes;
  std::vector<size_t> scatter_dims, window_dims;  // of the updates
  std::vector<size_t> window_to_operand;
  std::vector<int64_t> window_sizes;  // by dimension of the operand
};

ScatterDims::ScatterDims(const HloInstruction& scatter)
    : attributes(scatter.attributes<ScatterAttributes>()),
      window_sizes(static_cast<size_t>(scatter.operand(0)->shape().rank()), 1) {
  const Shape& updates = scatter.operand(scatter.operand_count() / 2 + 1)->shape();
  for (int64_t d = 0; d < updates.rank(); ++d) {
    (absl::c_linear_search(attributes.update_window_dims, d) ? window_dims : scatter_dims)
        .push_back(static_cast<size_t>(d));
  }
  for (size_t d = 0; d < window_sizes.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    if (absl::c_linear_search(attributes.inserted_window_dims, dim) ||
        absl::c_linear_search(attributes.input_batching_dims, dim)) {
      continue;
    }
    window_sizes[d] = updates.dimensions(static_cast<int>(window_dims[window_to_operand.size()]));
    window_to_operand.push_back(d);
  }
}

// Emits the units of a scatter: loops over the updates, then over their windows.
class ScatterEmitter {
 public:
  ScatterEmitter(const Scatter& plan, KernelCode& code)
      : plan_(plan),
        ir_(code.ir()),
        ops_(code.ops()),
        results_(code.results()),
        scatter_(plan.root()),
        dims_(scatter_),
        shape_(scatter_.operand(0)->shape()),
        updates_(scatter_.operand(inputs() + 1)->shape()),
        vectors_(code.MakeEmitter(plan.vector_lanes)),
        scalars_(code.MakeEmitter(1)) {
    window_.length = plan.window_length;
    window_.lanes = plan.vector_lanes;
  }

  void EmitUnit(IrValue unit) {
    if (dims_.has_batches()) {
      const IrValue units = ir_.Index(plan_.segments * plan_.rows);
      batch_ = ir_.SDiv(unit, units);
      unit = ir_.Sub(unit, ir_.Mul(batch_, units));
    }
    window_.first = ir_.Mul(unit, ir_.Index(plan_.segment_length));
    window_.last = ir_.Add(window_.first, ir_.Index(plan_.segment_length));
    if (plan_.has_minor_window)
      window_.last = ir_.Binary("llvm.smin", window_.last, ir_.Index(plan_.window_length));
    update_index_.assign(static_cast<size_t>(updates_.rank()), scalars_.math().Constant(0));
    origin_.assign(static_cast<size_t>(shape_.rank()), scalars_.math().Constant(0));
    if (plan_.row_dim >= 0) update_index_[static_cast<size_t>(plan_.row_dim)] = {unit, 0, 1};
    EmitUpdates(0);
  }

  void Check(KernelCode& code) const {
    code.Check(vectors_);
    code.Check(scalars_);
  }

 private:
  int64_t inputs() const { return static_cast<int64_t>(results_.size()); }

  int64_t UpdateSize(size_t dim) const { return updates_.dimensions(static_cast<int>(dim)); }

  // Emits loops over the scatter dimensions of the updates from `k` on.
  void EmitUpdates(size_t k) {
    if (k == dims_.scatter_dims.size()) {
      EmitUpdate();
      return;
    }
    const size_t d = dims_.scatter_dims[k];
    if (dims_.has_batches() && d == dims_.BatchDim()) {
      update_index_[d] = {batch_, 0, 1};
      EmitUpdates(k + 1);
      return;
    }
    double steps = StepsWithin(0);
    for (size_t inner = k + 1; inner < dims_.scatter_dims.size(); ++inner)
      steps *= static_cast<double>(UpdateSize(dims_.scatter_dims[inner]));
    const int64_t size = UpdateSize(d);
    ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, steps), [&](IrValue i) {
      update_index_[d] = {i, 0, 1};
      EmitUpdates(k + 1);
    });
  }

  // Emits one update: its window, unless a part of it is outside the operand.
  void EmitUpdate() {
    ElementEmitter::Scope scope(&scalars_);
    EmitOrigin();
    IrValue inside = ir_.Const(ir_.I1(), int64_t{1});
    for (size_t d = 0; d < origin_.size(); ++d) {
      const int64_t limit = shape_.dimensions(static_cast<int>(d)) - dims_.window_sizes[d];
      if (limit < 0) return;
      inside = ir_.And(inside, scalars_.math().InRange(origin_[d], 0, limit + 1));
    }
    ir_.If(inside, [&] { EmitWindow(0); });
  }

  // Emits the origin of the update's window in the operand.
  void EmitOrigin() {
    const ScatterAttributes& s = dims_.attributes;
    const HloInstruction* indices = scatter_.operand(inputs());
    const auto term_of = [&](int64_t dim) { return update_index_[dims_.UpdateDim(dim)]; };
    for (size_t i = 0; i < s.scatter_dims_to_operand_dims.size(); ++i) {
      IndexVector position;
      for (int64_t dim = 0; dim < indices->shape().rank(); ++dim) {
        position.push_back(dim == s.index_vector_dim
                               ? scalars_.math().Constant(static_cast<int64_t>(i))
                               : term_of(dim));
      }
      const Element start =
          ops_.Convert(indices->shape().element_type(), S64, scalars_.Emit(indices, position));
      origin_[static_cast<size_t>(s.scatter_dims_to_operand_dims[i])] = {start.re, 0, 1};
    }
    for (size_t i = 0; i < s.input_batching_dims.size(); ++i) {
      origin_[static_cast<size_t>(s.input_batching_dims[i])] =
          term_of(s.scatter_indices_batching_dims[i]);
    }
  }

  // Whether the unit's loop over window dimension `w` is the one that is divided into segments.
  bool IsInner(size_t w) const {
    return w + 1 == dims_.window_dims.size() && plan_.has_minor_window;
  }

  // Whether each unit has one element of window dimension `w`.
  bool IsOfUnit(size_t w) const {
    return static_cast<int64_t>(dims_.window_dims[w]) == plan_.row_dim;
  }

  // Returns the steps of the dimensions of a window from `w` on.
  double StepsWithin(size_t w) const {
    double steps = 1;
    for (; w < dims_.window_dims.size(); ++w) {
      if (IsOfUnit(w)) continue;
      steps *= static_cast<double>(IsInner(w) ? (plan_.segment_length + plan_.vector_lanes - 1) /
                                                    plan_.vector_lanes
                                              : UpdateSize(dims_.window_dims[w]));
    }
    return steps;
  }

  // Emits loops over the dimensions of the window from `w` on.
  void EmitWindow(size_t w) {
    if (w == dims_.window_dims.size()) {
      ElementEmitter::Scope scope(&scalars_);
      Combine(scalars_);
      return;
    }
    const size_t d = dims_.window_dims[w];
    if (IsOfUnit(w)) {
      EmitWindow(w + 1);
      return;
    }
    if (!IsInner(w)) {
      const int64_t size = UpdateSize(d);
      ir_.PolledLoop(ir_.Index(0), ir_.Index(size), 1, PollInterval(size, StepsWithin(w + 1)),
                     [&](IrValue i) {
                       update_index_[d] = {i, 0, 1};
                       EmitWindow(w + 1);
                     });
      return;
    }
    const auto combine = [&](ElementEmitter& emitter, const IndexTerm& term) {
      ElementEmitter::Scope scope(&emitter);
      update_index_[d] = term;
      Combine(emitter);
    };
    EmitLoopWithScalarTail(
        ir_, window_, [&](const IndexTerm& term) { combine(vectors_, term); },
        [&](const IndexTerm& term) { combine(scalars_, term); });
  }

  // Combines elements with those at the update index.
  void Combine(ElementEmitter& emitter) {
    IndexVector place = origin_;
    for (size_t w = 0; w < dims_.window_dims.size(); ++w) {
      IndexTerm& term = place[dims_.window_to_operand[w]];
      term = emitter.math().Add(term, update_index_[dims_.window_dims[w]]);
    }
    std::vector<Element> arguments;
    std::vector<ElementAddress> addresses;
    for (int64_t i = 0; i < inputs(); ++i) {
      const Shape& shape = scatter_.operand(i)->shape();
      addresses.push_back(
          emitter.AddressOf({results_[static_cast<size_t>(i)], false}, shape, place));
      arguments.push_back(ops_.Load(shape.element_type(), addresses.back(), emitter.lanes()));
    }
    for (int64_t i = 0; i < inputs(); ++i) {
      arguments.push_back(ops_.Splat(
          emitter.Emit(scatter_.operand(inputs() + 1 + i), update_index_), emitter.lanes()));
    }
    const std::vector<Element> combined = emitter.Apply(*scatter_.to_apply(), std::move(arguments));
    for (size_t i = 0; i < combined.size(); ++i) {
      ops_.Store(scatter_.operand(static_cast<int64_t>(i))->shape().element_type(),
                 ops_.Splat(combined[i], emitter.lanes()), addresses[i].pointer,
                 addresses[i].bytes);
    }
  }

  const Scatter& plan_;
  Ir& ir_;
  ElementOps& ops_;
  const std::vector<IrValue>& results_;
  const HloInstruction& scatter_;
  const ScatterDims dims_;
  const Shape &shape_, &updates_;  // of the first input
  ElementEmitter vectors_, scalars_;
  IrValue batch_ = nullptr;
  VectorRange window_;  // the unit's segment of the minor dimension
  IndexVector update_index_, origin_;
};

void Scatter::EmitUnits(KernelCode& code) const {
  ScatterEmitter emitter(*this, code);
  code.ir().Loop(code.begin(), code.end(), 1, [&](IrValue unit) { emitter.EmitUnit(unit); });
  emitter.Check(code);
}

bool HasMinorWindow(const HloInstruction& scatter, const Shape& updates) {
  const auto& s = scatter.attributes<ScatterAttributes>();
  const int64_t minor = scatter.operand(0)->shape().rank() - 1;
  return !s.update_window_dims.empty() && s.update_window_dims.back() == updates.rank() - 1 &&
         !absl::c_linear_search(s.inserted_window_dims, minor) &&
         !absl::c_linear_search(s.input_batching_dims, minor);
}

// Returns the first dimension of the updates that is one of the window for which there are no
// indices, or -1.
int64_t RowDim(const HloInstruction& scatter) {
  const ScatterDims dims(scatter);
  for (size_t w = 0; w < dims.window_dims.size(); ++w) {
    if (!absl::c_linear_search(dims.attributes.scatter_dims_to_operand_dims,
                               static_cast<int64_t>(dims.window_to_operand[w]))) {
      return static_cast<int64_t>(dims.window_dims[w]);
    }
  }
  return -1;
}

}  // namespace

bool FitsScatter(const KernelRequest& request) {
  return request.root().opcode() == HloOpcode::kScatter;
}

std::unique_ptr<const KernelPlan> PlanScatter(const KernelRequest& request) {
  const HloInstruction& scatter = request.root();
  const auto& s = scatter.attributes<ScatterAttributes>();
  const Shape& updates = scatter.operand(scatter.operand_count() / 2 + 1)->shape();
  const Machine& machine = request.target->machine;
  const int element_bytes = LargestElementBytes(request.computation());
  auto plan = std::make_unique<Scatter>(request);
  plan->units = CountOf(updates) == 0 ? 0 : 1;
  if (HasMinorWindow(scatter, updates) && plan->units > 0) {
    const int64_t length = updates.dimensions().back();
    plan->has_minor_window = true;
    plan->window_length = length;
    int lanes = machine.Lanes(element_bytes);
    while (lanes > length) lanes /= 2;
    plan->vector_lanes = lanes;
    const int64_t wanted = std::max<int64_t>(length / 8, 4 * lanes);
    plan->segment_length = (wanted + lanes - 1) / lanes * lanes;
    plan->segments = (length + plan->segment_length - 1) / plan->segment_length;
    plan->units = plan->segments;
  } else if (plan->units > 0) {
    plan->row_dim = RowDim(scatter);
    if (plan->row_dim >= 0) plan->rows = updates.dimensions(static_cast<int>(plan->row_dim));
    plan->units = plan->rows;
  }
  // Batches are independent of each other.
  if (!s.input_batching_dims.empty()) {
    plan->units *=
        scatter.operand(0)->shape().dimensions(static_cast<int>(s.input_batching_dims[0]));
  }
  constexpr double kNanosecondsPerUpdate = 2.5;
  const double nanoseconds = kNanosecondsPerUpdate * static_cast<double>(CountOf(updates));
  const bool is_for_one_thread =
      !machine.IsWorthAThread(nanoseconds) || HasOrder(*scatter.to_apply());
  plan->chunk = is_for_one_thread    ? std::max<int64_t>(plan->units, 1)
                : plan->row_dim >= 0 ? machine.UnitsOfTask(plan->units, nanoseconds)
                                     : 1;
  plan->bytes = static_cast<double>(3 * CountOf(updates) * element_bytes);
  return plan;
}

}  // namespace xla::cpu
