// SPDX-License-Identifier: Apache-2.0
// Attributes of operations: plain structs, one per kind of operation, held by the class
// `Attributes` at the end of this file.
//
// Each struct describes its fields once, in the order HLO text prints them:
//   template <class V> static void Describe(V& v) { v(Field{"name", rule}, &Struct::member); ... }
// Text parser and printer, equality, hash, cloning and the documentation walk that description.
// Source of names and orders: the HLO text format, section 7. Equality is member-wise.
#ifndef XLA_HLO_IR_ATTRIBUTES_H_
#define XLA_HLO_IR_ATTRIBUTES_H_

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "xla/base/check.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/collective_device_list.h"
#include "xla/hlo/ir/hlo_sharding.h"
#include "xla/service/hlo_enums.h"
#include "xla/shape.h"
#include "xla/xla_data_enums.h"

namespace xla {

class Literal;

// How a field behaves in HLO text.
enum class FieldRule : uint8_t {
  kRequired,       // must be given, always printed
  kAlwaysPrinted,  // may be left out (keeps its default), always printed
  kOptional,       // may be left out, printed when it differs from the default
  kParseOnly,      // accepted, never printed
  kNotText,        // lives elsewhere in the text (operand position, result shape): not a name=value
                   // attribute
};

// Equality of numbers in attributes: NaN equals NaN, so that every attribute equals itself.
inline bool SameNumber(double a, double b) { return a == b || (a != a && b != b); }

// One field of an attribute struct.
struct Field {
  std::string_view name;  // in text
  FieldRule rule = FieldRule::kOptional;
  // Where HloInstructionProto has it, if under another name: a path such as "a.b".
  std::string_view proto = {};
  // A list that has exactly one entry.
  bool is_single = false;

  std::string_view proto_path() const { return proto.empty() ? name : proto; }
};

// --- Structured field values -------------------------------------------------------------------

// One dimension of a window (text: window={size=.. stride=.. pad=.. lhs_dilate=.. rhs_dilate=..
// rhs_reversal=..}).
struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t window_dilation = 1;  // rhs_dilate
  int64_t base_dilation = 1;    // lhs_dilate
  bool window_reversal = false;
  bool operator==(const WindowDim&) const = default;
};
struct WindowDims {
  std::vector<WindowDim> dims;
  bool operator==(const WindowDims&) const = default;
  bool empty() const { return dims.empty(); }
  size_t size() const { return dims.size(); }
  const WindowDim& operator[](size_t i) const { return dims[i]; }
  WindowDim& operator[](size_t i) { return dims[i]; }
};

// padding=lo_hi_interiorx...; edges may be negative, interior not.
struct PadDim {
  int64_t low = 0, high = 0, interior = 0;
  bool operator==(const PadDim&) const = default;
};

// slice={[start:limit:stride], ...}
struct SliceDim {
  int64_t start = 0, limit = 0, stride = 1;
  bool operator==(const SliceDim&) const = default;
};

// dim_labels=b01f_01io->b01f. `unknown` dimensions ('?') only in custom calls.
struct ConvDims {
  int64_t input_batch = -1, input_feature = -1;
  std::vector<int64_t> input_spatial;
  int64_t kernel_input_feature = -1, kernel_output_feature = -1;
  std::vector<int64_t> kernel_spatial;
  int64_t output_batch = -1, output_feature = -1;
  std::vector<int64_t> output_spatial;
  std::vector<int64_t> input_unknown, kernel_unknown, output_unknown;
  bool operator==(const ConvDims&) const = default;
};

// sparsity_config={lhs={sparsity=1x4 dimension=0 stride=1} rhs={..}}: operands that hold only
// `num_non_zero` of each `block_size` elements of a dimension, as (values, positions in the block).
struct Sparsity {
  struct Operand {
    int64_t num_non_zero = 0, block_size = 0, dimension = 0, stride = 0;
    bool operator==(const Operand&) const = default;
  };
  std::optional<Operand> lhs, rhs;
  bool operator==(const Sparsity&) const = default;
};

// {{out index}: (operand, {operand index}), ...}
struct OutputOperandAlias {
  std::vector<int64_t> output_index;
  int64_t operand = 0;
  std::vector<int64_t> operand_index;
  bool operator==(const OutputOperandAlias&) const = default;
};

// operand_precision={..}, one entry an operand; empty = all default.
struct Precisions {
  std::vector<PrecisionConfig_Precision> values;
  // Empty and all-default lists mean the same.
  bool operator==(const Precisions& o) const { return Canonical() == o.Canonical(); }
  bool IsDefault() const { return Canonical().empty(); }

 private:
  std::vector<PrecisionConfig_Precision> Canonical() const {
    for (auto p : values) {
      if (p != PrecisionConfig_Precision_DEFAULT) return values;
    }
    return {};
  }
};

// A literal inside an attribute; shared, never changed.
struct LiteralRef {
  std::shared_ptr<const Literal> literal;
  bool operator==(const LiteralRef& o) const;  // deep
};

enum class FusionKind : uint8_t { kLoop, kInput, kOutput, kCustom };

// Names in text; parse returns nullopt for an unknown name.
std::string_view FusionKindName(FusionKind kind);  // "kLoop"
std::optional<FusionKind> FusionKindFromName(std::string_view name);
std::string_view ConvolutionKindName(ConvolutionKind kind);  // "fprop"; the enum is hlo.proto's
std::optional<ConvolutionKind> ConvolutionKindFromName(std::string_view name);

using Int64s = std::vector<int64_t>;

// --- One struct per kind of operation ------------------------------------------------------------

struct NoAttributes {
  bool operator==(const NoAttributes&) const = default;
  template <class V>
  static void Describe(V&) {}
};

struct ParameterAttributes {
  int64_t parameter_number = 0;
  bool operator==(const ParameterAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"parameter_number", FieldRule::kNotText}, &ParameterAttributes::parameter_number);
  }
};

struct ConstantAttributes {
  LiteralRef literal;  // never null in a verified module; its layout equals the instruction's shape
  bool operator==(const ConstantAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"literal", FieldRule::kNotText}, &ConstantAttributes::literal);
  }
};

struct IotaAttributes {
  int64_t iota_dimension = 0;
  bool operator==(const IotaAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"iota_dimension", FieldRule::kRequired, "dimensions"}, &IotaAttributes::iota_dimension);
  }
};

// broadcast (operand dim i -> result dim dimensions[i]), transpose (permutation), reverse,
// concatenate (one), reduce.
struct DimensionListAttributes {
  Int64s dimensions;
  bool operator==(const DimensionListAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    // Optional on input only for a broadcast of a scalar; the parser knows that exception.
    v(Field{"dimensions", FieldRule::kRequired}, &DimensionListAttributes::dimensions);
  }
};

struct MapAttributes {
  Int64s dimensions;
  bool operator==(const MapAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"dimensions", FieldRule::kAlwaysPrinted}, &MapAttributes::dimensions);
  }
};

// get-dimension-size, set-dimension-size: written dimensions={d}.
struct OneDimensionAttributes {
  Int64s dimensions;  // exactly one
  int64_t dimension() const { return dimensions.empty() ? -1 : dimensions[0]; }
  bool operator==(const OneDimensionAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{.name = "dimensions", .rule = FieldRule::kRequired, .is_single = true},
      &OneDimensionAttributes::dimensions);
  }
};

struct ReshapeAttributes {
  int64_t inferred_dimension = -1;
  bool operator==(const ReshapeAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"inferred_dimension", FieldRule::kOptional, "dimensions"},
      &ReshapeAttributes::inferred_dimension);
  }
};

struct SliceAttributes {
  std::vector<SliceDim> slice;
  bool operator==(const SliceAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"slice", FieldRule::kRequired, "slice_dimensions"}, &SliceAttributes::slice);
  }
};

struct PadAttributes {
  std::vector<PadDim> padding;
  bool operator==(const PadAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"padding", FieldRule::kRequired, "padding_config.dimensions"}, &PadAttributes::padding);
  }
};

struct ReducePrecisionAttributes {
  int64_t exponent_bits = 0, mantissa_bits = 0;
  bool operator==(const ReducePrecisionAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"exponent_bits", FieldRule::kRequired}, &ReducePrecisionAttributes::exponent_bits);
    v(Field{"mantissa_bits", FieldRule::kRequired}, &ReducePrecisionAttributes::mantissa_bits);
  }
};

struct TupleIndexAttributes {
  int64_t index = 0;
  bool operator==(const TupleIndexAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"index", FieldRule::kRequired, "tuple_index"}, &TupleIndexAttributes::index);
  }
};

struct CompareAttributes {
  ComparisonDirection direction = ComparisonDirection::kEq;
  // Unset: the operand type's default (Comparison::DefaultComparisonType). The printer omits the
  // default.
  std::optional<ComparisonType> type;
  bool operator==(const CompareAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"direction", FieldRule::kRequired, "comparison_direction"},
      &CompareAttributes::direction);
    v(Field{"type", FieldRule::kOptional, "comparison_type"}, &CompareAttributes::type);
  }
};

// dot, scaled-dot.
struct DotAttributes {
  Int64s lhs_batch_dims, lhs_contracting_dims, rhs_batch_dims, rhs_contracting_dims;
  Precisions precision;
  PrecisionConfig_Algorithm algorithm = PrecisionConfig_Algorithm_ALG_UNSET;
  bool operator==(const DotAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"lhs_batch_dims", FieldRule::kOptional, "dot_dimension_numbers.lhs_batch_dimensions"},
      &DotAttributes::lhs_batch_dims);
    v(Field{"lhs_contracting_dims", FieldRule::kAlwaysPrinted,
            "dot_dimension_numbers.lhs_contracting_dimensions"},
      &DotAttributes::lhs_contracting_dims);
    v(Field{"rhs_batch_dims", FieldRule::kOptional, "dot_dimension_numbers.rhs_batch_dimensions"},
      &DotAttributes::rhs_batch_dims);
    v(Field{"rhs_contracting_dims", FieldRule::kAlwaysPrinted,
            "dot_dimension_numbers.rhs_contracting_dimensions"},
      &DotAttributes::rhs_contracting_dims);
    v(Field{"operand_precision", FieldRule::kOptional, "precision_config"},
      &DotAttributes::precision);
    v(Field{"algorithm", FieldRule::kOptional, "precision_config.algorithm"},
      &DotAttributes::algorithm);
  }
};

struct RaggedDotAttributes {
  Int64s lhs_batch_dims, lhs_contracting_dims, rhs_batch_dims, rhs_contracting_dims;
  Int64s lhs_ragged_dims, rhs_group_dims;
  Precisions precision;
  PrecisionConfig_Algorithm algorithm = PrecisionConfig_Algorithm_ALG_UNSET;
  bool operator==(const RaggedDotAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"lhs_batch_dims", FieldRule::kOptional,
            "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_batch_dimensions"},
      &RaggedDotAttributes::lhs_batch_dims);
    v(Field{"lhs_contracting_dims", FieldRule::kAlwaysPrinted,
            "ragged_dot_dimension_numbers.dot_dimension_numbers.lhs_contracting_dimensions"},
      &RaggedDotAttributes::lhs_contracting_dims);
    v(Field{"rhs_batch_dims", FieldRule::kOptional,
            "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_batch_dimensions"},
      &RaggedDotAttributes::rhs_batch_dims);
    v(Field{"rhs_contracting_dims", FieldRule::kAlwaysPrinted,
            "ragged_dot_dimension_numbers.dot_dimension_numbers.rhs_contracting_dimensions"},
      &RaggedDotAttributes::rhs_contracting_dims);
    v(Field{"lhs_ragged_dims", FieldRule::kOptional,
            "ragged_dot_dimension_numbers.lhs_ragged_dimensions"},
      &RaggedDotAttributes::lhs_ragged_dims);
    v(Field{"rhs_group_dims", FieldRule::kOptional,
            "ragged_dot_dimension_numbers.rhs_group_dimensions"},
      &RaggedDotAttributes::rhs_group_dims);
    v(Field{"operand_precision", FieldRule::kOptional, "precision_config"},
      &RaggedDotAttributes::precision);
    v(Field{"algorithm", FieldRule::kOptional, "precision_config.algorithm"},
      &RaggedDotAttributes::algorithm);
  }
};

struct ConvolutionAttributes {
  WindowDims window;
  ConvDims dim_labels;
  int64_t feature_group_count = 1, batch_group_count = 1;
  Precisions precision;
  ConvolutionKind kind = ConvolutionKind::CONVOLUTION_KIND_UNSET;
  Sparsity sparsity;
  bool operator==(const ConvolutionAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"window"}, &ConvolutionAttributes::window);
    v(Field{"dim_labels", FieldRule::kRequired, "convolution_dimension_numbers"},
      &ConvolutionAttributes::dim_labels);
    v(Field{"feature_group_count"}, &ConvolutionAttributes::feature_group_count);
    v(Field{"batch_group_count"}, &ConvolutionAttributes::batch_group_count);
    v(Field{"convolution_kind", FieldRule::kOptional, "conv_kind"}, &ConvolutionAttributes::kind);
    v(Field{"operand_precision", FieldRule::kOptional, "precision_config"},
      &ConvolutionAttributes::precision);
    v(Field{"sparsity_config"}, &ConvolutionAttributes::sparsity);
  }
};

// reduce-window, select-and-scatter: window has one entry an operand dimension.
struct WindowAttributes {
  WindowDims window;
  bool operator==(const WindowAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"window"}, &WindowAttributes::window);
  }
};

struct ScanAttributes {
  Int64s dimensions;  // exactly one
  int64_t num_carries = 0;
  bool is_reverse = false;
  std::optional<bool> is_associative;
  bool operator==(const ScanAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{.name = "dimensions", .rule = FieldRule::kRequired, .is_single = true},
      &ScanAttributes::dimensions);
    v(Field{"num_carries", FieldRule::kRequired}, &ScanAttributes::num_carries);
    v(Field{"is_reverse"}, &ScanAttributes::is_reverse);
    v(Field{"is_associative"}, &ScanAttributes::is_associative);
  }
};

struct SortAttributes {
  Int64s dimensions;  // exactly one
  bool is_stable = false;
  bool operator==(const SortAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{.name = "dimensions", .rule = FieldRule::kRequired, .is_single = true},
      &SortAttributes::dimensions);
    v(Field{"is_stable"}, &SortAttributes::is_stable);
  }
};

struct TopKAttributes {
  int64_t k = 0;
  bool largest = true;
  bool operator==(const TopKAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"k", FieldRule::kRequired}, &TopKAttributes::k);
    v(Field{"largest", FieldRule::kAlwaysPrinted}, &TopKAttributes::largest);
  }
};

struct GatherAttributes {
  Int64s offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims,
      start_indices_batching_dims;
  int64_t index_vector_dim = 0;
  Int64s slice_sizes;
  bool indices_are_sorted = false;
  bool operator==(const GatherAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"offset_dims", FieldRule::kRequired, "gather_dimension_numbers.offset_dims"},
      &GatherAttributes::offset_dims);
    v(Field{"collapsed_slice_dims", FieldRule::kRequired,
            "gather_dimension_numbers.collapsed_slice_dims"},
      &GatherAttributes::collapsed_slice_dims);
    v(Field{"start_index_map", FieldRule::kRequired, "gather_dimension_numbers.start_index_map"},
      &GatherAttributes::start_index_map);
    v(Field{"operand_batching_dims", FieldRule::kOptional,
            "gather_dimension_numbers.operand_batching_dims"},
      &GatherAttributes::operand_batching_dims);
    v(Field{"start_indices_batching_dims", FieldRule::kOptional,
            "gather_dimension_numbers.start_indices_batching_dims"},
      &GatherAttributes::start_indices_batching_dims);
    v(Field{"index_vector_dim", FieldRule::kRequired, "gather_dimension_numbers.index_vector_dim"},
      &GatherAttributes::index_vector_dim);
    v(Field{"slice_sizes", FieldRule::kRequired, "gather_slice_sizes"},
      &GatherAttributes::slice_sizes);
    v(Field{"indices_are_sorted"}, &GatherAttributes::indices_are_sorted);
  }
};

struct ScatterAttributes {
  Int64s update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims,
      input_batching_dims, scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false;
  bool operator==(const ScatterAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"update_window_dims", FieldRule::kRequired,
            "scatter_dimension_numbers.update_window_dims"},
      &ScatterAttributes::update_window_dims);
    v(Field{"inserted_window_dims", FieldRule::kRequired,
            "scatter_dimension_numbers.inserted_window_dims"},
      &ScatterAttributes::inserted_window_dims);
    v(Field{"scatter_dims_to_operand_dims", FieldRule::kRequired,
            "scatter_dimension_numbers.scatter_dims_to_operand_dims"},
      &ScatterAttributes::scatter_dims_to_operand_dims);
    v(Field{"input_batching_dims", FieldRule::kOptional,
            "scatter_dimension_numbers.input_batching_dims"},
      &ScatterAttributes::input_batching_dims);
    v(Field{"scatter_indices_batching_dims", FieldRule::kOptional,
            "scatter_dimension_numbers.scatter_indices_batching_dims"},
      &ScatterAttributes::scatter_indices_batching_dims);
    v(Field{"index_vector_dim", FieldRule::kRequired, "scatter_dimension_numbers.index_vector_dim"},
      &ScatterAttributes::index_vector_dim);
    v(Field{"indices_are_sorted"}, &ScatterAttributes::indices_are_sorted);
    v(Field{"unique_indices"}, &ScatterAttributes::unique_indices);
  }
};

struct DynamicSliceAttributes {
  Int64s dynamic_slice_sizes;
  bool operator==(const DynamicSliceAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"dynamic_slice_sizes", FieldRule::kRequired},
      &DynamicSliceAttributes::dynamic_slice_sizes);
  }
};

struct BatchNormAttributes {
  float epsilon = 0;
  int64_t feature_index = 0;
  bool operator==(const BatchNormAttributes& o) const {
    return SameNumber(epsilon, o.epsilon) && feature_index == o.feature_index;
  }
  template <class V>
  static void Describe(V& v) {
    v(Field{"epsilon", FieldRule::kRequired}, &BatchNormAttributes::epsilon);
    v(Field{"feature_index", FieldRule::kRequired}, &BatchNormAttributes::feature_index);
  }
};

struct FftAttributes {
  FftType fft_type = FftType::FFT;
  Int64s fft_length;
  bool operator==(const FftAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"fft_type", FieldRule::kRequired}, &FftAttributes::fft_type);
    v(Field{"fft_length", FieldRule::kRequired}, &FftAttributes::fft_length);
  }
};

struct CholeskyAttributes {
  bool lower = false;
  bool operator==(const CholeskyAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"lower", FieldRule::kOptional, "cholesky_options.lower"}, &CholeskyAttributes::lower);
  }
};

struct TriangularSolveAttributes {
  bool left_side = false, lower = false, unit_diagonal = false;
  TriangularSolveOptions_Transpose transpose_a = TriangularSolveOptions_Transpose_TRANSPOSE_INVALID;
  bool operator==(const TriangularSolveAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"left_side", FieldRule::kOptional, "triangular_solve_options.left_side"},
      &TriangularSolveAttributes::left_side);
    v(Field{"lower", FieldRule::kOptional, "triangular_solve_options.lower"},
      &TriangularSolveAttributes::lower);
    v(Field{"unit_diagonal", FieldRule::kOptional, "triangular_solve_options.unit_diagonal"},
      &TriangularSolveAttributes::unit_diagonal);
    v(Field{"transpose_a", FieldRule::kOptional, "triangular_solve_options.transpose_a"},
      &TriangularSolveAttributes::transpose_a);
  }
};

struct RngAttributes {
  RandomDistribution distribution = RandomDistribution::RNG_INVALID;
  bool operator==(const RngAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"distribution", FieldRule::kRequired}, &RngAttributes::distribution);
  }
};

struct RngBitGeneratorAttributes {
  RandomAlgorithm algorithm = RandomAlgorithm::RNG_DEFAULT;
  bool operator==(const RngBitGeneratorAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"algorithm", FieldRule::kRequired, "rng_algorithm"},
      &RngBitGeneratorAttributes::algorithm);
  }
};

struct RngDeltaAttributes {
  int64_t delta = 0;
  bool operator==(const RngDeltaAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"delta", FieldRule::kRequired}, &RngDeltaAttributes::delta);
  }
};

struct CallAttributes {
  bool is_composite = false;
  // Protos and programs may have it; the verifier rejects it.
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  bool operator==(const CallAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"is_composite"}, &CallAttributes::is_composite);
    v(Field{"output_to_operand_aliasing", FieldRule::kNotText, "output_operand_aliasing"},
      &CallAttributes::output_to_operand_aliasing);
  }
};

struct FusionAttributes {
  FusionKind kind = FusionKind::kLoop;
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  bool operator==(const FusionAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"kind", FieldRule::kRequired, "fusion_kind"}, &FusionAttributes::kind);
    v(Field{"output_to_operand_aliasing", FieldRule::kOptional, "output_operand_aliasing"},
      &FusionAttributes::output_to_operand_aliasing);
  }
};

struct CustomCallAttributes {
  std::optional<WindowDims> window;
  std::optional<ConvDims> dim_labels;
  int64_t feature_group_count = 1, batch_group_count = 1;
  PaddingType padding_type = PaddingType::PADDING_INVALID;
  Precisions precision;
  std::string custom_call_target;
  std::optional<std::vector<Shape>> operand_layout_constraints;
  bool has_side_effect = false;
  LiteralRef literal;  // may be null
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  CustomCallSchedule schedule = CustomCallSchedule::SCHEDULE_NONE;
  CustomCallApiVersion api_version = CustomCallApiVersion::API_VERSION_ORIGINAL;
  bool operator==(const CustomCallAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"window"}, &CustomCallAttributes::window);
    v(Field{"dim_labels", FieldRule::kOptional, "convolution_dimension_numbers"},
      &CustomCallAttributes::dim_labels);
    v(Field{"feature_group_count"}, &CustomCallAttributes::feature_group_count);
    v(Field{"batch_group_count"}, &CustomCallAttributes::batch_group_count);
    v(Field{"padding_type"}, &CustomCallAttributes::padding_type);
    v(Field{"operand_precision", FieldRule::kOptional, "precision_config"},
      &CustomCallAttributes::precision);
    v(Field{"custom_call_target", FieldRule::kRequired}, &CustomCallAttributes::custom_call_target);
    v(Field{"operand_layout_constraints", FieldRule::kOptional, "operand_shapes_with_layout"},
      &CustomCallAttributes::operand_layout_constraints);
    v(Field{"custom_call_has_side_effect"}, &CustomCallAttributes::has_side_effect);
    v(Field{"literal"}, &CustomCallAttributes::literal);
    v(Field{"output_to_operand_aliasing", FieldRule::kOptional, "output_operand_aliasing"},
      &CustomCallAttributes::output_to_operand_aliasing);
    v(Field{"schedule", FieldRule::kOptional, "custom_call_schedule"},
      &CustomCallAttributes::schedule);
    v(Field{"api_version", FieldRule::kOptional, "custom_call_api_version"},
      &CustomCallAttributes::api_version);
  }
};

struct DomainAttributes {
  // domain={kind="sharding", entry={..}, exit={..}}
  struct Value {
    std::string kind;
    std::optional<HloSharding> entry, exit;
    bool operator==(const Value&) const = default;
  } domain;
  bool operator==(const DomainAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"domain", FieldRule::kRequired, "domain_entry_sharding"}, &DomainAttributes::domain);
  }
};

struct CopyStartAttributes {
  std::optional<int64_t> cross_program_prefetch_index;
  bool operator==(const CopyStartAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"cross_program_prefetch_index"}, &CopyStartAttributes::cross_program_prefetch_index);
  }
};

struct AsyncAttributes {
  std::string async_execution_thread;  // empty = the main thread
  std::vector<OutputOperandAlias> output_to_operand_aliasing;
  bool operator==(const AsyncAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"async_execution_thread"}, &AsyncAttributes::async_execution_thread);
    v(Field{"output_to_operand_aliasing", FieldRule::kOptional, "output_operand_aliasing"},
      &AsyncAttributes::output_to_operand_aliasing);
  }
};

struct InfeedAttributes {
  std::string infeed_config;
  bool operator==(const InfeedAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"infeed_config"}, &InfeedAttributes::infeed_config);
  }
};

struct OutfeedAttributes {
  std::optional<Shape> outfeed_shape;  // unset: the first operand's shape
  std::string outfeed_config;
  bool operator==(const OutfeedAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"outfeed_shape"}, &OutfeedAttributes::outfeed_shape);
    v(Field{"outfeed_config"}, &OutfeedAttributes::outfeed_config);
  }
};

struct SendRecvAttributes {
  std::optional<int64_t> channel_id;
  bool is_host_transfer = false;
  bool operator==(const SendRecvAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"channel_id"}, &SendRecvAttributes::channel_id);
    v(Field{"is_host_transfer"}, &SendRecvAttributes::is_host_transfer);
  }
};

// What all collectives with replica groups share. channel_id <= 0 means none.
struct CollectiveBase {
  std::optional<int64_t> channel_id;
  CollectiveDeviceList replica_groups;
  bool constrain_layout = false;
  bool operator==(const CollectiveBase&) const = default;
};

// Fields of the base are described with pointers to members of the derived struct, so that visitors
// see one type.
#define XLA_DESCRIBE_COLLECTIVE(S)                                                  \
  v(Field{"channel_id"}, static_cast<std::optional<int64_t> S::*>(&S::channel_id)); \
  v(Field{"replica_groups", FieldRule::kAlwaysPrinted},                             \
    static_cast<CollectiveDeviceList S::*>(&S::replica_groups));                    \
  v(Field{"constrain_layout"}, static_cast<bool S::*>(&S::constrain_layout))

// ragged-all-to-all, collective-broadcast
struct CollectiveAttributes : CollectiveBase {
  bool operator==(const CollectiveAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    XLA_DESCRIBE_COLLECTIVE(CollectiveAttributes);
  }
};

struct AllGatherAttributes : CollectiveBase {
  Int64s dimensions;  // exactly one
  bool use_global_device_ids = false;
  bool operator==(const AllGatherAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    XLA_DESCRIBE_COLLECTIVE(AllGatherAttributes);
    v(Field{.name = "dimensions", .rule = FieldRule::kRequired, .is_single = true},
      &AllGatherAttributes::dimensions);
    v(Field{"use_global_device_ids"}, &AllGatherAttributes::use_global_device_ids);
  }
};

struct AllReduceAttributes : CollectiveBase {
  bool use_global_device_ids = false;
  std::string mode;  // accepted and dropped: not part of equality
  bool operator==(const AllReduceAttributes& o) const {
    return CollectiveBase::operator==(o) && use_global_device_ids == o.use_global_device_ids;
  }
  template <class V>
  static void Describe(V& v) {
    XLA_DESCRIBE_COLLECTIVE(AllReduceAttributes);
    v(Field{"use_global_device_ids"}, &AllReduceAttributes::use_global_device_ids);
    v(Field{"mode", FieldRule::kParseOnly}, &AllReduceAttributes::mode);
  }
};

struct ReduceScatterAttributes : CollectiveBase {
  bool use_global_device_ids = false;
  Int64s dimensions;  // exactly one
  bool operator==(const ReduceScatterAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    XLA_DESCRIBE_COLLECTIVE(ReduceScatterAttributes);
    v(Field{"use_global_device_ids"}, &ReduceScatterAttributes::use_global_device_ids);
    v(Field{.name = "dimensions", .rule = FieldRule::kRequired, .is_single = true},
      &ReduceScatterAttributes::dimensions);
  }
};

struct AllToAllAttributes : CollectiveBase {
  std::optional<Int64s> dimensions;  // one; unset = the tuple form
  bool operator==(const AllToAllAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    XLA_DESCRIBE_COLLECTIVE(AllToAllAttributes);
    v(Field{.name = "dimensions", .rule = FieldRule::kOptional, .is_single = true},
      &AllToAllAttributes::dimensions);
  }
};
#undef XLA_DESCRIBE_COLLECTIVE

struct CollectivePermuteAttributes {
  std::optional<int64_t> channel_id;
  std::vector<std::pair<int64_t, int64_t>> source_target_pairs;
  std::vector<Int64s> slice_sizes;  // only with 4 operands
  bool operator==(const CollectivePermuteAttributes&) const = default;
  template <class V>
  static void Describe(V& v) {
    v(Field{"channel_id"}, &CollectivePermuteAttributes::channel_id);
    v(Field{"source_target_pairs", FieldRule::kRequired},
      &CollectivePermuteAttributes::source_target_pairs);
    v(Field{"slice_sizes", FieldRule::kOptional, "dynamic_slice_sizes"},
      &CollectivePermuteAttributes::slice_sizes);
  }
};

// --- The attributes of an instruction ------------------------------------------------------------

// The attribute structs, in a fixed order: a position in this list is Attributes::index().
template <class... Structs>
struct AttributeList {};
using AttributeStructs = AttributeList<
    NoAttributes, ParameterAttributes, ConstantAttributes, IotaAttributes, DimensionListAttributes,
    MapAttributes, OneDimensionAttributes, ReshapeAttributes, SliceAttributes, PadAttributes,
    ReducePrecisionAttributes, TupleIndexAttributes, CompareAttributes, DotAttributes,
    RaggedDotAttributes, ConvolutionAttributes, WindowAttributes, ScanAttributes, SortAttributes,
    TopKAttributes, GatherAttributes, ScatterAttributes, DynamicSliceAttributes,
    BatchNormAttributes, FftAttributes, CholeskyAttributes, TriangularSolveAttributes,
    RngAttributes, RngBitGeneratorAttributes, RngDeltaAttributes, CallAttributes, FusionAttributes,
    CustomCallAttributes, DomainAttributes, CopyStartAttributes, AsyncAttributes, InfeedAttributes,
    OutfeedAttributes, SendRecvAttributes, CollectiveAttributes, AllGatherAttributes,
    AllReduceAttributes, ReduceScatterAttributes, AllToAllAttributes, CollectivePermuteAttributes>;

namespace ir_internal {

template <class T, class... Structs>
consteval size_t PositionIn(AttributeList<Structs...>) {
  size_t position = 0;
  const bool found = (... || (std::is_same_v<T, Structs> || (++position, false)));
  return found ? position : sizeof...(Structs);
}
template <class... Structs>
consteval size_t LengthOf(AttributeList<Structs...>) {
  return sizeof...(Structs);
}

}  // namespace ir_internal

template <class T>
inline constexpr size_t kAttributesIndex = ir_internal::PositionIn<T>(AttributeStructs());
inline constexpr size_t kNumAttributeStructs = ir_internal::LengthOf(AttributeStructs());
template <class T>
concept AttributeStruct = kAttributesIndex<std::remove_cvref_t<T>> < kNumAttributeStructs;

// Holds one attribute struct, as a std::variant would, in no more memory than that struct needs: a
// small trivial one in place, any other on the heap. Sixteen bytes. A value type; equality is that
// of the structs. After a move the source holds NoAttributes.
class Attributes {
 public:
  Attributes() = default;
  template <AttributeStruct T>
  Attributes(T&& value)  // as std::variant: implicit
      : index_(kAttributesIndex<std::remove_cvref_t<T>>) {
    using S = std::remove_cvref_t<T>;
    if constexpr (kIsInPlace<S>) {
      new (storage_) S(std::forward<T>(value));
    } else {
      SetHeapObject(new S(std::forward<T>(value)));
    }
  }
  Attributes(const Attributes& other);
  Attributes(Attributes&& other) noexcept { Swap(other); }
  Attributes& operator=(Attributes other) noexcept {
    Swap(other);
    return *this;
  }
  ~Attributes() { Destroy(); }

  // The default-constructed struct at this position of AttributeStructs.
  static Attributes MakeDefault(size_t index);

  size_t index() const { return index_; }
  template <AttributeStruct T>
  bool holds() const {
    return index_ == kAttributesIndex<T>;
  }
  // Another struct than the one held is a programming error (checked).
  template <AttributeStruct T>
  const T& get() const {
    XLA_CHECK(holds<T>()) << "these are attributes of another operation";
    return *Pointer<T>(this);
  }
  template <AttributeStruct T>
  T& get() {
    XLA_CHECK(holds<T>()) << "these are attributes of another operation";
    return *Pointer<T>(this);
  }
  // Null unless T is held.
  template <AttributeStruct T>
  const T* get_if() const {
    return holds<T>() ? Pointer<T>(this) : nullptr;
  }
  template <AttributeStruct T>
  T* get_if() {
    return holds<T>() ? Pointer<T>(this) : nullptr;
  }
  // Calls the function with the struct held; it returns the same type for each.
  template <class F>
  decltype(auto) visit(F&& function) const {
    return VisitAs(*this, function, AttributeStructs());
  }
  template <class F>
  decltype(auto) visit(F&& function) {
    return VisitAs(*this, function, AttributeStructs());
  }

  friend bool operator==(const Attributes& a, const Attributes& b);
  // Bytes of the heap that this holds directly (not those of vectors inside the struct).
  size_t heap_bytes() const;

 private:
  template <class T>
  static constexpr bool kIsInPlace =
      sizeof(T) <= sizeof(void*) && alignof(T) <= alignof(void*) && std::is_trivially_copyable_v<T>;

  template <class T, class Self>
  static auto* Pointer(Self* self) {
    using Result = std::conditional_t<std::is_const_v<Self>, const T, T>;
    if constexpr (kIsInPlace<T>) {
      return std::launder(reinterpret_cast<Result*>(self->storage_));
    } else {
      return static_cast<Result*>(self->heap_object());
    }
  }
  void* heap_object() const {
    void* object;
    std::memcpy(&object, storage_, sizeof(object));
    return object;
  }
  void SetHeapObject(void* object) { std::memcpy(storage_, &object, sizeof(object)); }
  void Swap(Attributes& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(index_, other.index_);
  }
  void Destroy();

  template <class Self, class F, class First, class... Rest>
  static decltype(auto) VisitAs(Self& self, F& function, AttributeList<First, Rest...>) {
    using Result = decltype(function(*Pointer<First>(&self)));
    using Case = Result (*)(Self&, F&);
    static constexpr Case kCases[] = {
        [](Self& s, F& f) -> Result { return f(*Pointer<First>(&s)); },
        [](Self& s, F& f) -> Result { return f(*Pointer<Rest>(&s)); }...};
    return kCases[self.index_](self, function);
  }

  friend struct AttributeTables;  // attributes.cc

  alignas(void*) unsigned char storage_[sizeof(void*)] = {};
  uint8_t index_ = 0;
};
static_assert(kNumAttributeStructs < 256);

// A default-constructed attribute struct of the opcode's own type.
enum class HloOpcode : uint8_t;
Attributes MakeDefaultAttributes(HloOpcode opcode);

// Deterministic hash of all fields (member-wise, as equality).
size_t HashAttributes(const Attributes& attributes);

}  // namespace xla

#endif  // XLA_HLO_IR_ATTRIBUTES_H_
