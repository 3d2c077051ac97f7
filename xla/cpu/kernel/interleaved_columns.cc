// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/kernel/interleaved_columns.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "xla/cpu/codegen/elementwise.h"
#include "xla/cpu/codegen/kernel_shapes.h"
#include "xla/cpu/codegen/nested_computation.h"
#include "xla/cpu/kernel/kernel_code.h"
#include "xla/cpu/kernel/loop_nest.h"
#include "xla/cpu/kernel/row_loops.h"
#include "xla/cpu/kernel/row_loops_emitter.h"
#include "xla/cpu/kernel/transpose_tiles.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// Windows are few elements, which code visits one after the other.
bool IsSmallWindow(const HloInstruction& instruction) {
  constexpr int64_t kMostTaps = 64;
  int64_t taps = 1;
  for (const WindowDim& dim : instruction.attributes<WindowAttributes>().window.dims) {
    if (dim.size > kMostTaps || dim.base_dilation > 1) return false;
    taps *= dim.size;
  }
  return taps <= kMostTaps && AppliesVectors(instruction);
}

// Returns the columns of a result with short rows if each is computed by vectors of its own, which
// are stored interleaved; 0 if vectors go along the rows.
int64_t ShortColumns(const HloComputation& computation) {
  // Windows ask for each element whether it exists, which is known of a column.
  constexpr int64_t kMostColumns = 4, kMostOfWindows = 8, kLeastRows = 16;
  const HloInstruction* root = computation.root_instruction();
  if (!root->shape().IsArray() || IsLinear(computation) || PadsBetweenRows(computation)) return 0;
  const int64_t last = LastLongDimension(root->shape());
  if (last < 1) return 0;
  const bool has_windows =
      absl::c_any_of(computation.instructions(), [](const HloInstruction* instruction) {
        return instruction->opcode() == HloOpcode::kReduceWindow;
      });
  // Without windows, as the loop nest has it.
  if (!has_windows && last + 1 != root->shape().rank()) return 0;
  const int64_t columns = root->shape().dimensions(static_cast<int>(last)),
                rows = root->shape().dimensions(static_cast<int>(last) - 1);
  if (columns > (has_windows ? kMostOfWindows : kMostColumns) || rows < kLeastRows) return 0;
  for (const HloInstruction* instruction : computation.instructions()) {
    switch (instruction->opcode()) {
      case HloOpcode::kBroadcast:
      case HloOpcode::kConstant:
      case HloOpcode::kGather:
      case HloOpcode::kIota:
      case HloOpcode::kPad:
      case HloOpcode::kParameter:
      case HloOpcode::kReverse:
      case HloOpcode::kSlice:
        break;
      case HloOpcode::kReduceWindow:
        if (!IsSmallWindow(*instruction)) return 0;
        break;
      case HloOpcode::kReshape: {
        // Vectors go along its last dimension as well, or along one before it that stays whole.
        const Shape &from = instruction->operand(0)->shape(), &to = instruction->shape();
        const bool keeps_last =
            from.rank() > 0 && to.rank() > 0 && from.dimensions().back() == to.dimensions().back();
        // Otherwise only dimensions of one element may differ.
        if (!keeps_last && ShapeUtil::DropDegenerateDimensions(from).dimensions() !=
                               ShapeUtil::DropDegenerateDimensions(to).dimensions()) {
          return 0;
        }
        break;
      }
      case HloOpcode::kConcatenate:
        // Concatenated indices, each of which is read from one operand.
        if (!IsReadByPart(*instruction)) return 0;
        break;
      default:
        if (!IsElementwise(*instruction)) return 0;
    }
    if (primitive_util::IsComplexType(instruction->shape().element_type())) return 0;
  }
  return columns;
}

// Up to kFewColumns vectors of columns are interleaved; more, up to the lanes of a vector, are
// transposed.
constexpr int kFewColumns = 8, kTransposedColumns = 16;

// Whether a concatenation joins a few columns.
bool JoinsColumns(const HloInstruction& root) {
  const int64_t rank = root.shape().rank();
  if (root.opcode() != HloOpcode::kConcatenate || rank < 2) return false;
  const int64_t rows = root.shape().dimensions(static_cast<int>(rank) - 2);
  const int64_t most = rows >= kTransposedColumns ? kTransposedColumns : kFewColumns;
  return root.dimensions()[0] == rank - 1 && root.operand_count() <= most &&
         root.operand_count() == root.shape().dimensions().back() &&
         !primitive_util::IsComplexType(root.shape().element_type()) &&
         std::all_of(root.operands().begin(), root.operands().end(),
                     [](const HloInstruction* o) { return o->shape().dimensions().back() == 1; });
}

class InterleavedColumns final : public KernelPlan {
 public:
  using KernelPlan::KernelPlan;

  void EmitUnits(KernelCode& code) const override {
    EmitRowLoops(code, *this, loops,
                 {.compute = [&](ElementEmitter& emitter,
                                 IndexVector index) { return Compute(code, emitter, index); },
                  .begin_row = [](const IndexVector&, ElementEmitter&, ElementEmitter&) {},
                  .end_row = [] {},
                  .overwrites_operands = SharesMemory()},
                 code.begin(), code.end());
  }

  PlanDescription Describe() const override {
    return {absl::StrCat(tests_at_end ? "keeps matrix " : "", "interleaves "),
            columns == 0 ? "" : absl::StrCat("columns ", columns, " "), RowLoopsText(loops)};
  }

  int64_t lanes() const override { return loops.MostLanes(); }

  RowLoops loops;       // over all dimensions of the result but the last
  int64_t columns = 0;  // that are computed; 0: operands of a concatenation

 private:
  ResultElements Compute(KernelCode& code, ElementEmitter& emitter, IndexVector index) const {
    index.resize(static_cast<size_t>(root().shape().rank()), emitter.math().Constant(0));
    const IndexVector place = index;
    std::vector<Element> elements;
    const auto add = [&](const HloInstruction* column) {
      elements.push_back(code.ops().Splat(emitter.Emit(column, index), emitter.lanes()));
    };
    if (columns > 0) {
      for (int64_t column = 0; column < columns; ++column) {
        index[static_cast<size_t>(LastLongDimension(root().shape()))] =
            emitter.math().Constant(column);
        add(&root());
      }
    } else {
      for (const HloInstruction* column : root().operands()) add(column);
      if (static_cast<int>(elements.size()) > emitter.lanes() / 2 && emitter.lanes() > 8)
        return Transpose(code, emitter, elements, place);
    }
    return code.ComputeResults(emitter, root(), index, place, {code.ops().Interleave(elements)});
  }

  // Transposes vectors of columns to rows. Rows are shorter than vectors, and are stored in two
  // parts that overlap.
  ResultElements Transpose(KernelCode& code, ElementEmitter& emitter,
                           const std::vector<Element>& vectors, const IndexVector& place) const {
    Ir& ir = code.ir();
    const Shape& shape = root().shape();
    const ElementAddress address = emitter.AddressOf({code.results()[0], false}, shape, place);
    const IrValue first_row = ir.Offset(address.pointer, address.bytes);
    const auto count = static_cast<int64_t>(vectors.size());
    const int lanes = emitter.lanes(), half = lanes / 2;
    std::vector<IrValue> rows;
    for (const Element& vector : vectors) rows.push_back(vector.re);
    while (static_cast<int>(rows.size()) < lanes)
      rows.push_back(ir.Undef(ir.TypeOf(vectors[0].re)));
    TransposeRows(ir, rows);
    const int64_t bytes = primitive_util::ByteWidth(shape.element_type());
    ResultElements parts;
    for (int64_t r = 0; r < lanes; ++r) {
      for (const int64_t first : {int64_t{0}, count - half}) {
        std::vector<int> order(static_cast<size_t>(half));
        std::iota(order.begin(), order.end(), static_cast<int>(first));
        const IrValue row = rows[static_cast<size_t>(r)];
        parts.push_back({shape.element_type(),
                         {ir.Shuffle(row, row, order)},
                         first_row,
                         ir.Index((r * count + first) * bytes)});
      }
    }
    return parts;
  }
};

}  // namespace

bool IsReadByPart(const HloInstruction& concatenate) {
  const auto& users = concatenate.users();
  return !users.empty() && absl::c_all_of(users, [&](const HloInstruction* user) {
    return user->opcode() == HloOpcode::kGather && user->operand(0) != &concatenate &&
           user->attributes<GatherAttributes>().index_vector_dim == concatenate.dimensions()[0];
  });
}

bool FitsInterleavedColumns(const KernelRequest& request) {
  return JoinsColumns(request.root()) || ShortColumns(request.computation()) > 0;
}

std::unique_ptr<const KernelPlan> PlanInterleavedColumns(const KernelRequest& request) {
  const HloInstruction& root = request.root();
  const int64_t columns = JoinsColumns(root) ? 0 : ShortColumns(request.computation());
  const RowFacts facts = FactsOfRows(request);
  auto plan = std::make_unique<InterleavedColumns>(request);
  plan->columns = columns;
  RowLoops& loops = plan->loops;
  loops.source = &root;
  loops.dimensions.assign(root.shape().dimensions().begin(), root.shape().dimensions().end());
  if (columns > 0) DropUnitDimensions(request, loops.dimensions);
  loops.dimensions.pop_back();
  DropUnitDimensions(request, loops.dimensions);
  if (facts.reduces_rows) {
    // Rows are reduced in scalar code.
    loops.row_lanes = facts.row_lanes;
  } else {
    loops.lanes = root.operand_count() > kFewColumns ? kTransposedColumns
                                                     : LanesOfRows(request, facts, loops);
    while (loops.lanes > 1 && loops.lanes > loops.row_length()) loops.lanes /= 2;
  }
  DivideIntoUnits(request, facts.is_for_one_thread, /*shares_rows=*/true, loops);
  plan->units = loops.units;
  SetWork(request.target->machine, facts, *plan);
  return plan;
}

}  // namespace xla::cpu
