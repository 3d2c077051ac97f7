// SPDX-License-Identifier: Apache-2.0
#include "xla/cpu/run/prepared_kernels.h"

#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla/base/machine.h"
#include "xla/base/status_macros.h"
#include "xla/cpu/plan/lowering.h"
#include "xla/cpu/plan/sort_order.h"
#include "xla/kernels/forms.h"
#include "xla/lapack/lapack.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/passes/custom_call_forms.h"
#include "xla/passes/dynamic_shapes.h"
#include "xla/passes/prefix_scan.h"
#include "xla/primitive_util.h"
#include "xla/runtime/host_memory.h"

namespace xla::cpu {
namespace {

DimensionVector ToVector(const std::vector<int64_t>& dimensions) {
  return DimensionVector(dimensions.begin(), dimensions.end());
}

// Returns the spec of a dense row-major array, as all arrays of a compiled program are.
kernels::ArraySpec RowMajor(const Shape& shape) {
  return kernels::ArraySpec::FromShape(Shape(shape.element_type(), shape.dimensions()));
}

// Returns the factor by which a kernel multiplies an operand as it reads it.
double OperandScale(const HloInstruction& operand) { return LoweringOf(operand).folding.scale; }

// Returns the spec of a dot's operand: that of a folded transpose has the transpose's strides.
kernels::ArraySpec OperandSpec(const HloInstruction& operand) {
  if (LoweringOf(operand).folding.kind != FoldedOperand::Kind::kTransposed)
    return RowMajor(operand.shape());
  const kernels::ArraySpec source = RowMajor(operand.operand(0)->shape());
  kernels::ArraySpec spec = RowMajor(operand.shape());
  for (size_t d = 0; d < spec.strides.size(); ++d) {
    spec.strides[d] = source.strides[static_cast<size_t>(operand.dimensions()[d])];
  }
  return spec;
}

// Returns the contents of a constant operand, to be packed once; null for other operands, and for
// those too large to be kept twice.
const void* ConstantData(const HloInstruction& operand) {
  constexpr int64_t kMostBytes = int64_t{64} << 20;
  if (operand.opcode() != HloOpcode::kConstant || !operand.shape().IsArray()) return nullptr;
  const Literal& literal = operand.literal();
  const bool is_dense = literal.shape().is_static() &&
                        (!literal.shape().has_layout() ||
                         LayoutUtil::IsMonotonicWithDim0Major(literal.shape().layout()));
  return is_dense && literal.size_bytes() <= kMostBytes ? literal.untyped_data() : nullptr;
}

kernels::DotSpec SpecOfDot(const HloInstruction& dot, const kernels::KernelEpilogue& epilogue) {
  const auto& attributes = dot.attributes<DotAttributes>();
  kernels::DotSpec spec;
  spec.lhs = OperandSpec(*dot.operand(0));
  spec.rhs = OperandSpec(*dot.operand(1));
  spec.result = RowMajor(dot.shape());
  spec.lhs_batch = ToVector(attributes.lhs_batch_dims);
  spec.lhs_contracting = ToVector(attributes.lhs_contracting_dims);
  spec.rhs_batch = ToVector(attributes.rhs_batch_dims);
  spec.rhs_contracting = ToVector(attributes.rhs_contracting_dims);
  spec.lhs_scale = OperandScale(*dot.operand(0));
  spec.rhs_scale = OperandScale(*dot.operand(1));
  spec.rhs_constant = ConstantData(*dot.operand(1));
  spec.epilogue = epilogue;
  return spec;
}

kernels::ConvolutionSpec SpecOfConvolution(const HloInstruction& convolution,
                                           const kernels::KernelEpilogue& epilogue) {
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const ConvDims& labels = attributes.dim_labels;
  kernels::ConvolutionSpec spec;
  spec.input = RowMajor(convolution.operand(0)->shape());
  spec.kernel = RowMajor(convolution.operand(1)->shape());
  spec.result = RowMajor(convolution.shape());
  spec.input_batch = labels.input_batch;
  spec.input_feature = labels.input_feature;
  spec.kernel_input_feature = labels.kernel_input_feature;
  spec.kernel_output_feature = labels.kernel_output_feature;
  spec.result_batch = labels.output_batch;
  spec.result_feature = labels.output_feature;
  for (size_t d = 0; d < labels.input_spatial.size(); ++d) {
    const WindowDim& window = attributes.window[d];
    kernels::ConvolutionSpec::Spatial spatial;
    spatial.input_dimension = labels.input_spatial[d];
    spatial.kernel_dimension = labels.kernel_spatial[d];
    spatial.result_dimension = labels.output_spatial[d];
    spatial.stride = window.stride;
    spatial.padding_low = window.padding_low;
    spatial.window_dilation = window.window_dilation;
    spatial.base_dilation = window.base_dilation;
    spatial.reversal = window.window_reversal;
    spec.spatial.push_back(spatial);
  }
  spec.feature_group_count = attributes.feature_group_count;
  spec.batch_group_count = attributes.batch_group_count;
  spec.kernel_scale = OperandScale(*convolution.operand(1));
  spec.epilogue = epilogue;
  return spec;
}

// Returns nullopt for results that are truncated or padded, which the general transform computes.
std::optional<kernels::FftSpec> SpecOfFft(const HloInstruction& fft) {
  const auto& attributes = fft.attributes<FftAttributes>();
  const Shape& operand = fft.operand(0)->shape();
  kernels::FftSpec spec;
  spec.from_type = operand.element_type();
  spec.to_type = fft.shape().element_type();
  spec.inverse = attributes.fft_type == FftType::IFFT || attributes.fft_type == FftType::IRFFT;
  spec.dimensions.assign(operand.dimensions().begin(), operand.dimensions().end());
  spec.lengths.assign(attributes.fft_length.begin(), attributes.fft_length.end());
  const size_t first = spec.dimensions.size() - spec.lengths.size();
  for (size_t i = 0; i < spec.lengths.size(); ++i) {
    const bool is_half = attributes.fft_type == FftType::RFFT && i + 1 == spec.lengths.size();
    const int64_t expected = is_half ? spec.lengths[i] / 2 + 1 : spec.lengths[i];
    if (fft.shape().dimensions(static_cast<int>(first + i)) != expected) return std::nullopt;
  }
  return spec;
}

// Returns nullopt for windows that the kernel library has no scan for.
std::optional<kernels::Recipe> SpecOfScan(const HloInstruction& window) {
  if (!HasScanKernel(window)) return std::nullopt;
  const PrefixScan scan = *RecognizePrefixScan(window);
  kernels::ScanSpec spec;
  spec.type = window.shape().element_type();
  switch (scan.operation) {
    case HloOpcode::kAdd:
      spec.operation = kernels::ScanOperation::kAdd;
      break;
    case HloOpcode::kMultiply:
      spec.operation = kernels::ScanOperation::kMultiply;
      break;
    case HloOpcode::kMaximum:
      spec.operation = kernels::ScanOperation::kMaximum;
      break;
    default:
      spec.operation = kernels::ScanOperation::kMinimum;
  }
  spec.reverse = scan.reverse;
  spec.outer = spec.inner = 1;
  for (int d = 0; d < window.shape().rank(); ++d) {
    const int64_t size = window.shape().dimensions(d);
    (d < scan.dimension    ? spec.outer
     : d == scan.dimension ? spec.length
                           : spec.inner) =
        d == scan.dimension ? size : size * (d < scan.dimension ? spec.outer : spec.inner);
  }
  return spec;
}

kernels::SortSpec SpecOfSort(const HloInstruction& sort, SortComparator comparator) {
  kernels::SortSpec spec;
  const kernels::ArraySpec first = RowMajor(sort.operand(0)->shape());
  spec.dimensions = first.dimensions;
  spec.strides = first.strides;
  spec.dimension = sort.dimensions()[0];
  for (const HloInstruction* operand : sort.operands()) {
    spec.types.push_back(operand->shape().element_type());
  }
  const std::optional<RecognizedOrder> order = RecognizeOrder(*sort.to_apply());
  if (order.has_value()) {
    spec.order = order->order;
    spec.key = order->key;
    spec.descending = order->descending;
    for (int64_t i = 0; i < sort.operand_count(); ++i) {
      const Lowering& lowering = LoweringOf(sort);
      spec.is_index.push_back(lowering.OperandAt(i).kind == FoldedOperand::Kind::kIndex);
      spec.is_unused.push_back(lowering.IsUnused(i));
    }
  } else {
    spec.order = kernels::SortOrder::kComparator;
    spec.less = comparator;
  }
  return spec;
}

// Returns nullopt for complex operands and unsupported types of indices.
std::optional<kernels::TopKSpec> SpecOfTopK(const HloInstruction& topk) {
  const Shape& operand = topk.operand(0)->shape();
  const Shape& values = topk.shape().tuple_shapes(0);
  if (primitive_util::IsComplexType(operand.element_type()) ||
      topk.shape().tuple_shapes(1).element_type() != S32) {
    return std::nullopt;
  }
  int64_t rows = 1;
  for (int d = 0; d + 1 < operand.rank(); ++d) rows *= operand.dimensions(d);
  return kernels::TopKSpec{.type = operand.element_type(),
                           .largest = topk.attributes<TopKAttributes>().largest,
                           .rows = rows,
                           .length = operand.dimensions().back(),
                           .k = values.dimensions().back(),
                           .form = ""};
}

kernels::MatrixBatch BatchOf(const Shape& shape) {
  const int64_t rank = shape.rank();
  kernels::MatrixBatch batch = {};
  batch.type = shape.element_type();
  batch.count = 1;
  batch.rows = shape.dimensions(static_cast<int>(rank - 2));
  batch.columns = shape.dimensions(static_cast<int>(rank - 1));
  batch.row_stride = batch.columns;
  batch.matrix_stride = batch.rows * batch.columns;
  for (int d = 0; d < rank - 2; ++d) batch.count *= shape.dimensions(d);
  return batch;
}

kernels::TriangularSolveRecipe RecipeOfTriangularSolve(const HloInstruction& solve) {
  const auto& attributes = solve.attributes<TriangularSolveAttributes>();
  kernels::TriangularSolveSpec options = {};
  options.left_side = attributes.left_side;
  options.lower = attributes.lower;
  options.unit_diagonal = attributes.unit_diagonal;
  options.conjugate = attributes.transpose_a == TriangularSolveOptions_Transpose_ADJOINT;
  options.transpose =
      options.conjugate || attributes.transpose_a == TriangularSolveOptions_Transpose_TRANSPOSE;
  return {options, BatchOf(solve.operand(0)->shape()), BatchOf(solve.operand(1)->shape())};
}

lapack::LapackCall LapackCallOf(const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes<CustomCallAttributes>();
  lapack::LapackCall call;
  call.target = attributes.custom_call_target;
  call.instruction = instruction.name();
  call.attributes = instruction.extras().backend_config;
  call.is_typed = attributes.api_version == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  call.result = OriginalShape(instruction);
  if (attributes.operand_layout_constraints.has_value()) {
    call.operands = *attributes.operand_layout_constraints;
    return call;
  }
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    call.operands.push_back(OriginalOperandShape(instruction, i));
    LayoutUtil::SetToDefaultLayout(&call.operands.back());
  }
  return call;
}

// Returns the recipes of XLA's own custom calls; nullopt for others. Their signatures were checked
// when they were expanded.
absl::StatusOr<std::optional<kernels::Recipe>> RecipeOfCustomCall(const HloInstruction& call) {
  const absl::string_view target = call.custom_call_target();
  if (target == "Qr" && ErrorOfQr(call).empty())
    return kernels::QrRecipe{BatchOf(call.operand(0)->shape())};
  if (target == "ProductOfElementaryHouseholderReflectors" &&
      ErrorOfHouseholderProduct(call).empty()) {
    return kernels::HouseholderProductRecipe{BatchOf(call.operand(0)->shape()),
                                             call.operand(1)->shape().dimensions().back()};
  }
  if (target == "Eigh") {
    XLA_ASSIGN_OR_RETURN(const EighConfig config, EighConfigOf(call));
    return kernels::EighRecipe{{config.lower, config.sorts, config.most_sweeps, config.tolerance},
                               BatchOf(call.operand(0)->shape())};
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<kernels::Recipe>> RecipeOfRandomBits(const HloInstruction& rng) {
  const Shape& state = rng.operand(0)->shape();
  const Shape& shape = rng.shape().tuple_shapes(1);
  const bool is_threefry =
      rng.attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::RNG_THREE_FRY;
  int64_t bytes = primitive_util::ByteWidth(state.element_type());
  for (const int64_t size : state.dimensions()) bytes *= size;
  const bool is_integer = state.element_type() == U64 || state.element_type() == U32;
  const int64_t words = bytes / 8;
  if (!is_integer || (is_threefry ? words != 2 : words != 2 && words != 3)) {
    return absl::InvalidArgumentError(absl::StrCat(
        rng.name(), is_threefry ? ": the state of rng_three_fry is u64[2]"
                                : ": the state of rng_philox and rng_default is u64[2] or u64[3]"));
  }
  kernels::RandomBitsSpec spec;
  spec.threefry = is_threefry;
  spec.state_words = words;
  spec.type = shape.element_type();
  spec.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  return spec;
}

}  // namespace

absl::Status PreparedThunk::Run(RunState& state) const {
  absl::InlinedVector<void*, 8> buffers;
  for (const Slot& slot : buffers_) buffers.push_back(slot.In(state));
  buffers.push_back(&state);  // for comparators and epilogues
  kernels::KernelHost host = {};
  host.caller = &state;
  host.workers = state.workers();
  host.parallel_for = [](void* caller, int64_t count, void (*body)(void*, int64_t),
                         void* argument) {
    // A poll that fails ends the loop early; the kernel polls for the reason itself.
    (void)static_cast<RunState*>(caller)->ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(argument, i);
      return absl::OkStatus();
    });
  };
  host.poll = [](void* caller) {
    return static_cast<int32_t>(static_cast<RunState*>(caller)->Poll().code());
  };
  char* scratch = scratch_.In(state);
  // The thread's memory may be in use if a program is applied to elements.
  if (const int64_t bytes = kernel_->ScratchBytes(host.workers);
      UsesThreadMemory(bytes, host.workers) && !state.is_nested()) {
    scratch = runtime::ThreadMemory(bytes);
    if (scratch == nullptr) return absl::ResourceExhaustedError("no memory for a kernel's blocks");
  }
  const absl::Status status = kernel_->Run({&host, buffers.data(), scratch});
  return status.ok() ? state.failure() : state.Poll();
}

bool IsLapackCall(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kCustomCall &&
         lapack::IsLapackTarget(instruction.custom_call_target());
}

bool HasForms(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
      return true;
    case HloOpcode::kFft:
      return SpecOfFft(instruction).has_value();
    case HloOpcode::kTopK:
      return SpecOfTopK(instruction).has_value();
    default:
      return false;
  }
}

std::string FormsText(const HloInstruction& instruction, const kernels::KernelEpilogue& epilogue) {
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
      return kernels::ToString(kernels::DotForms(SpecOfDot(instruction, epilogue)));
    case HloOpcode::kConvolution:
      return kernels::ToString(kernels::ConvolutionForms(SpecOfConvolution(instruction, epilogue)));
    case HloOpcode::kFft:
      return kernels::ToString(kernels::FftForms(*SpecOfFft(instruction)));
    default:
      return kernels::ToString(kernels::TopKForms(*SpecOfTopK(instruction)));
  }
}

absl::StatusOr<std::optional<kernels::Recipe>> RecipeOf(const HloInstruction& instruction,
                                                        SortComparator comparator,
                                                        const kernels::KernelEpilogue& epilogue) {
  switch (instruction.opcode()) {
    case HloOpcode::kDot:
      return SpecOfDot(instruction, epilogue);
    case HloOpcode::kConvolution:
      return SpecOfConvolution(instruction, epilogue);
    case HloOpcode::kFft:
      return SpecOfFft(instruction);
    case HloOpcode::kReduceWindow:
      return SpecOfScan(instruction);
    case HloOpcode::kSort:
      return SpecOfSort(instruction, comparator);
    case HloOpcode::kTopK:
      return SpecOfTopK(instruction);
    case HloOpcode::kCholesky:
      return kernels::CholeskyRecipe{instruction.attributes<CholeskyAttributes>().lower,
                                     BatchOf(instruction.shape())};
    case HloOpcode::kTriangularSolve:
      return RecipeOfTriangularSolve(instruction);
    case HloOpcode::kRngBitGenerator:
      return RecipeOfRandomBits(instruction);
    case HloOpcode::kCustomCall:
      return RecipeOfCustomCall(instruction);
    default:
      return std::nullopt;
  }
}

absl::StatusOr<std::unique_ptr<const kernels::Kernel>> MakePreparedKernel(
    const HloInstruction& instruction, const std::optional<kernels::Recipe>& recipe) {
  if (recipe.has_value())
    return std::visit([](const auto& spec) { return kernels::MakeKernel(spec); }, *recipe);
  if (IsLapackCall(instruction)) return lapack::MakeLapackKernel(LapackCallOf(instruction));
  return nullptr;
}

bool UsesThreadMemory(int64_t bytes, int threads) {
  return bytes > 0 && bytes <= kUsualMachine.second_level_bytes * threads;
}

}  // namespace xla::cpu
