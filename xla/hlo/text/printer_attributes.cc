// SPDX-License-Identifier: Apache-2.0
// Attributes of instructions as HLO text: one Append for each type a field can have, called by the
// walk over the description of the attribute struct. Source: the HLO text format, sections 6 and 7.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/text/printer_internal.h"
#include "xla/literal_print.h"

namespace xla::text {

bool IsDictionaryToken(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return false;
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) return i + 1 == text.size();
        break;
      case '"':  // skip the string, escaped quotes in it too
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      default:
        break;
    }
  }
  return false;
}

namespace {

void Append(std::string* out, int64_t value) { AppendInt(out, value); }
void Append(std::string* out, float value) { absl::StrAppend(out, value); }
void Append(std::string* out, bool value) { out->append(value ? "true" : "false"); }
void Append(std::string* out, const std::string& value) { AppendQuoted(out, value); }
void Append(std::string* out, const Int64s& value) { AppendBracedInts(out, value); }

void Append(std::string* out, const std::vector<SliceDim>& slice) {
  // Strides print for all dimensions or for none.
  const bool strides =
      std::any_of(slice.begin(), slice.end(), [](const SliceDim& d) { return d.stride != 1; });
  out->push_back('{');
  for (size_t i = 0; i < slice.size(); ++i) {
    out->append(i == 0 ? "[" : ", [");
    AppendInt(out, slice[i].start);
    out->push_back(':');
    AppendInt(out, slice[i].limit);
    if (strides) {
      out->push_back(':');
      AppendInt(out, slice[i].stride);
    }
    out->push_back(']');
  }
  out->push_back('}');
}

void Append(std::string* out, const std::vector<PadDim>& padding) {
  const bool interior =
      std::any_of(padding.begin(), padding.end(), [](const PadDim& d) { return d.interior != 0; });
  for (size_t i = 0; i < padding.size(); ++i) {
    if (i != 0) out->push_back('x');
    AppendInt(out, padding[i].low);
    out->push_back('_');
    AppendInt(out, padding[i].high);
    if (interior) {
      out->push_back('_');
      AppendInt(out, padding[i].interior);
    }
  }
}

void Append(std::string* out, ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      out->append("EQ");
      break;
    case ComparisonDirection::kNe:
      out->append("NE");
      break;
    case ComparisonDirection::kGe:
      out->append("GE");
      break;
    case ComparisonDirection::kGt:
      out->append("GT");
      break;
    case ComparisonDirection::kLe:
      out->append("LE");
      break;
    case ComparisonDirection::kLt:
      out->append("LT");
      break;
  }
}

void Append(std::string* out, ComparisonType type) {
  switch (type) {
    case ComparisonType::kFloat:
      out->append("FLOAT");
      break;
    case ComparisonType::kFloatTotalOrder:
      out->append("TOTALORDER");
      break;
    case ComparisonType::kSigned:
      out->append("SIGNED");
      break;
    case ComparisonType::kUnsigned:
      out->append("UNSIGNED");
      break;
  }
}

void Append(std::string* out, const Precisions& precisions) {
  out->push_back('{');
  for (size_t i = 0; i < precisions.values.size(); ++i) {
    if (i != 0) out->push_back(',');
    out->append(absl::AsciiStrToLower(PrecisionConfig_Precision_Name(precisions.values[i])));
  }
  out->push_back('}');
}

// ALG_DOT_F32_F32_F32 prints as dot_f32_f32_f32.
void Append(std::string* out, PrecisionConfig_Algorithm algorithm) {
  const std::string name = absl::AsciiStrToLower(PrecisionConfig_Algorithm_Name(algorithm));
  out->append(name, std::min<size_t>(4, name.size()), std::string::npos);
}

void Append(std::string* out, const WindowDims& window) {
  auto list = [&](std::string_view name, auto&& is_default, auto&& print) {
    if (std::all_of(window.dims.begin(), window.dims.end(), is_default)) return;
    if (out->back() != '{') out->push_back(' ');
    out->append(name);
    for (size_t i = 0; i < window.size(); ++i) {
      if (i != 0) out->push_back('x');
      print(window[i]);
    }
  };
  out->push_back('{');
  list(
      "size=", [](const WindowDim&) { return false; },
      [&](const WindowDim& d) { AppendInt(out, d.size); });
  list(
      "stride=", [](const WindowDim& d) { return d.stride == 1; },
      [&](const WindowDim& d) { AppendInt(out, d.stride); });
  list(
      "pad=", [](const WindowDim& d) { return d.padding_low == 0 && d.padding_high == 0; },
      [&](const WindowDim& d) {
        AppendInt(out, d.padding_low);
        out->push_back('_');
        AppendInt(out, d.padding_high);
      });
  list(
      "lhs_dilate=", [](const WindowDim& d) { return d.base_dilation == 1; },
      [&](const WindowDim& d) { AppendInt(out, d.base_dilation); });
  list(
      "rhs_dilate=", [](const WindowDim& d) { return d.window_dilation == 1; },
      [&](const WindowDim& d) { AppendInt(out, d.window_dilation); });
  list(
      "rhs_reversal=", [](const WindowDim& d) { return !d.window_reversal; },
      [&](const WindowDim& d) { out->push_back(d.window_reversal ? '1' : '0'); });
  out->push_back('}');
}

void Append(std::string* out, const ConvDims& dims) {
  auto labels = [out](int64_t first, char first_label, int64_t second, char second_label,
                      const Int64s& spatial, const Int64s& unknown) {
    const size_t rank = 2 + spatial.size() + unknown.size();
    std::vector<std::string> names(rank, "?");
    auto put = [&](int64_t dim, std::string name) {
      if (dim >= 0 && dim < static_cast<int64_t>(rank)) names[dim] = std::move(name);
    };
    put(first, std::string(1, first_label));
    put(second, std::string(1, second_label));
    for (size_t i = 0; i < spatial.size(); ++i) put(spatial[i], absl::StrCat(i));
    for (const std::string& name : names) out->append(name);
  };
  labels(dims.input_batch, 'b', dims.input_feature, 'f', dims.input_spatial, dims.input_unknown);
  out->push_back('_');
  labels(dims.kernel_input_feature, 'i', dims.kernel_output_feature, 'o', dims.kernel_spatial,
         dims.kernel_unknown);
  out->append("->");
  labels(dims.output_batch, 'b', dims.output_feature, 'f', dims.output_spatial,
         dims.output_unknown);
}

void Append(std::string* out, const Sparsity& sparsity) {
  const auto append = [out](const char* name, const Sparsity::Operand& operand) {
    absl::StrAppend(out, name, "={sparsity=", operand.num_non_zero, "x", operand.block_size,
                    " dimension=", operand.dimension, " stride=", operand.stride, "}");
  };
  out->push_back('{');
  if (sparsity.lhs.has_value()) append("lhs", *sparsity.lhs);
  if (sparsity.lhs.has_value() && sparsity.rhs.has_value()) out->push_back(' ');
  if (sparsity.rhs.has_value()) append("rhs", *sparsity.rhs);
  out->push_back('}');
}

void Append(std::string* out, ConvolutionKind kind) { out->append(ConvolutionKindName(kind)); }
void Append(std::string* out, FusionKind kind) { out->append(FusionKindName(kind)); }
void Append(std::string* out, FftType type) { out->append(FftType_Name(type)); }
void Append(std::string* out, TriangularSolveOptions_Transpose transpose) {
  out->append(TriangularSolveOptions_Transpose_Name(transpose));
}
void Append(std::string* out, RandomDistribution distribution) {
  out->append(absl::AsciiStrToLower(RandomDistribution_Name(distribution)));
}
void Append(std::string* out, RandomAlgorithm algorithm) {
  out->append(absl::AsciiStrToLower(RandomAlgorithm_Name(algorithm)));
}
void Append(std::string* out, PaddingType type) { out->append(PaddingType_Name(type)); }
void Append(std::string* out, CustomCallSchedule schedule) {
  out->append(CustomCallSchedule_Name(schedule));
}
void Append(std::string* out, CustomCallApiVersion version) {
  out->append(CustomCallApiVersion_Name(version));
}

void Append(std::string* out, const std::vector<OutputOperandAlias>& aliases) {
  out->push_back('{');
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (i != 0) out->append(", ");
    AppendBracedInts(out, aliases[i].output_index);
    absl::StrAppend(out, ": (", aliases[i].operand, ", ");
    AppendBracedInts(out, aliases[i].operand_index);
    out->push_back(')');
  }
  out->push_back('}');
}

void Append(std::string* out, const std::vector<Shape>& shapes) {
  out->push_back('{');
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i != 0) out->append(", ");
    shapes[i].AppendTo(out, /*print_layout=*/true);
  }
  out->push_back('}');
}

void Append(std::string* out, const Shape& shape) { shape.AppendTo(out, /*print_layout=*/true); }
void Append(std::string* out, const LiteralRef& literal) {
  if (literal.literal != nullptr) {
    AppendLiteral(out, *literal.literal, {.print_shape = true, .print_layout = true});
  }
}
void Append(std::string* out, const DomainAttributes::Value& domain) {
  out->append("{kind=");
  AppendQuoted(out, domain.kind);
  if (domain.entry.has_value()) absl::StrAppend(out, ", entry=", domain.entry->ToString());
  if (domain.exit.has_value()) absl::StrAppend(out, ", exit=", domain.exit->ToString());
  out->push_back('}');
}
void Append(std::string* out, const CollectiveDeviceList& groups) {
  out->append(groups.ToString());
}

void Append(std::string* out, const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  out->push_back('{');
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (i != 0) out->push_back(',');
    AppendBracedInts(out, {pairs[i].first, pairs[i].second});
  }
  out->push_back('}');
}

void Append(std::string* out, const std::vector<Int64s>& lists) {
  out->push_back('{');
  for (size_t i = 0; i < lists.size(); ++i) {
    if (i != 0) out->push_back(',');
    AppendBracedInts(out, lists[i]);
  }
  out->push_back('}');
}

template <class T>
void Append(std::string* out, const std::optional<T>& value) {
  if (value.has_value()) Append(out, *value);
}

// Walks the description of one attribute struct.
template <class Struct>
class FieldPrinter {
 public:
  FieldPrinter(const HloInstruction& instruction, const Struct& attributes, std::string* out)
      : instruction_(instruction), attributes_(attributes), out_(out) {}

  template <class T>
  void operator()(const Field& field, T Struct::*member) {
    const T& value = attributes_.*member;
    switch (field.rule) {
      case FieldRule::kRequired:
      case FieldRule::kAlwaysPrinted:
        return Print(field, value);
      case FieldRule::kOptional:
        if (value != defaults_.*member && !IsTypeDefault(value)) Print(field, value);
        return;
      case FieldRule::kParseOnly:
      case FieldRule::kNotText:
        return;
    }
  }

 private:
  template <class T>
  void Print(const Field& field, const T& value) {
    out_->append(", ");
    out_->append(field.name);
    out_->push_back('=');
    Append(out_, value);
  }

  // The one default that depends on the operand: the type of a comparison.
  template <class T>
  bool IsTypeDefault(const T& value) const {
    if constexpr (std::is_same_v<T, std::optional<ComparisonType>>) {
      return instruction_.operand_count() > 0 &&
             *value ==
                 Comparison::DefaultComparisonType(instruction_.operand(0)->shape().element_type());
    }
    return false;
  }

  const HloInstruction& instruction_;
  const Struct& attributes_;
  std::string* out_;
  const Struct defaults_ = {};
};

void AppendCallee(const HloComputation& computation, PrintContext& context) {
  if (!context.options.print_subcomputation_in_place) {
    if (context.options.print_percent) context.out->push_back('%');
    context.out->append(computation.name());
    return;
  }
  context.out->push_back('\n');
  ++context.depth;
  AppendComputation(computation, context, /*nested=*/true);
  --context.depth;
}

void AppendNamedCallee(std::string_view name, const HloComputation& computation,
                       PrintContext& context) {
  context.out->append(", ");
  context.out->append(name);
  context.out->push_back('=');
  AppendCallee(computation, context);
}

void AppendCalleeList(std::string_view name, const HloInstruction& instruction,
                      PrintContext& context) {
  const bool in_place = context.options.print_subcomputation_in_place;
  context.out->append(", ");
  context.out->append(name);
  context.out->append("={");
  for (size_t i = 0; i < instruction.called_computations().size(); ++i) {
    if (i != 0) context.out->append(in_place ? "," : ", ");
    AppendCallee(*instruction.called_computations()[i], context);
  }
  context.out->append(in_place ? "\n}" : "}");
}

}  // namespace

void AppendOwnAttributes(const HloInstruction& instruction, PrintContext& context) {
  const auto* outfeed = instruction.attributes_if<OutfeedAttributes>();
  if (outfeed != nullptr && !outfeed->outfeed_shape.has_value() &&
      instruction.operand_count() > 0) {
    // Always printed, even if it equals the shape of the operand.
    OutfeedAttributes complete = *outfeed;
    complete.outfeed_shape = instruction.operand(0)->shape();
    FieldPrinter<OutfeedAttributes> printer(instruction, complete, context.out);
    return OutfeedAttributes::Describe(printer);
  }
  instruction.attributes().visit([&](const auto& attributes) {
    using Struct = std::decay_t<decltype(attributes)>;
    FieldPrinter<Struct> printer(instruction, attributes, context.out);
    Struct::Describe(printer);
  });
}

void AppendAsyncAttributes(const HloInstruction& instruction, const AsyncAttributes& attributes,
                           PrintContext& context) {
  FieldPrinter<AsyncAttributes> printer(instruction, attributes, context.out);
  AsyncAttributes::Describe(printer);
}

void AppendCallees(const HloInstruction& instruction, PrintContext& context) {
  const HloInstruction::ComputationVector& called = instruction.called_computations();
  if (called.empty()) return;
  const CalleeSchema& schema = instruction.info().callee_schema();
  const bool on_pred = instruction.operand_count() > 0 &&
                       instruction.operand(0)->shape().element_type() == PRED && called.size() == 2;
  const absl::Span<const CalleeSlot> slots = CalleeSlots(instruction.info().callees, on_pred);
  if (slots.empty()) return;
  // If there is a list slot, all computations are printed in it.
  if (slots.back().is_list) return AppendCalleeList(slots.back().name, instruction, context);
  for (size_t i = 0; i < slots.size(); ++i) {
    const size_t slot = schema.print_order.empty() ? i : schema.print_order[i];
    if (slot >= called.size()) continue;
    // XLA names the computation of a reduce-scatter `calls` when it prints it in place.
    const bool quirk = instruction.opcode() == HloOpcode::kReduceScatter &&
                       context.options.print_subcomputation_in_place;
    AppendNamedCallee(quirk ? "calls" : slots[slot].name, *called[slot], context);
  }
}

void AppendFrontendAttributes(const std::map<std::string, std::string>& attributes,
                              std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const auto& [key, value] : attributes) {
    if (!first) out->push_back(',');
    first = false;
    out->append(key);
    out->push_back('=');
    if (IsDictionaryToken(value)) {
      out->append(value);
    } else {
      AppendQuoted(out, value);
    }
  }
  out->push_back('}');
}

void AppendExtras(const HloInstruction& instruction, bool frontend_attributes,
                  PrintContext& context) {
  if (!instruction.has_extras()) return;
  const InstructionExtras& extras = instruction.extras();
  std::string* out = context.out;
  if (extras.parameter_replication.has_value()) {
    out->append(", parameter_replication={");
    for (size_t i = 0; i < extras.parameter_replication->size(); ++i) {
      if (i != 0) out->push_back(',');
      out->append((*extras.parameter_replication)[i] ? "true" : "false");
    }
    out->push_back('}');
  }
  if (extras.sharding.has_value()) {
    out->append(", sharding=");
    out->append(extras.sharding->ToString(context.options.print_metadata));
  }
  if (frontend_attributes && !extras.frontend_attributes.empty()) {
    out->append(", frontend_attributes=");
    AppendFrontendAttributes(extras.frontend_attributes, out);
  }
  if (context.options.print_control_dependencies && !extras.control_predecessors.empty()) {
    out->append(", control-predecessors={");
    for (size_t i = 0; i < extras.control_predecessors.size(); ++i) {
      if (i != 0) out->append(", ");
      if (context.options.print_percent) out->push_back('%');
      out->append(extras.control_predecessors[i]->name());
    }
    out->push_back('}');
  }
  if (extras.statistics.has_value()) {
    absl::StrAppend(out, ", statistics={visualizing_index=", extras.statistics->visualizing_index);
    for (const auto& [name, value] : extras.statistics->values)
      absl::StrAppend(out, ",", name, "=", value);
    out->push_back('}');
  }
  const AccuracySpec& accuracy = extras.result_accuracy;
  if (accuracy.mode == AccuracySpec::Mode::kHighest) {
    out->append(", result_accuracy={mode=highest}");
  } else if (accuracy.mode == AccuracySpec::Mode::kTolerance) {
    absl::StrAppend(out, ", result_accuracy={tolerance={atol=", accuracy.atol,
                    ",rtol=", accuracy.rtol, ",ulps=", accuracy.ulps);
    out->append("}}");
  }
}

void AppendMetadata(const InstructionMetadata& metadata, const PrintContext& context) {
  std::string* out = context.out;
  auto text = [out](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    if (out->back() != '{') out->push_back(' ');
    out->append(name);
    AppendQuoted(out, value);
  };
  auto number = [out](std::string_view name, int64_t value) {
    if (value == 0) return;
    if (out->back() != '{') out->push_back(' ');
    out->append(name);
    AppendInt(out, value);
  };
  out->push_back('{');
  if (context.options.print_metadata_only_op_name) {
    text("op_name=", metadata.op_name());
    out->push_back('}');
    return;
  }
  text("op_type=", metadata.op_type());
  text("op_name=", metadata.op_name());
  text("source_file=", metadata.source_file());
  number("source_line=", metadata.source_line());
  number("source_end_line=", metadata.source_end_line());
  number("source_column=", metadata.source_column());
  number("source_end_column=", metadata.source_end_column());
  int64_t frame = metadata.stack_frame_id();
  if (context.frame_ids != nullptr) {
    auto found = context.frame_ids->find(frame);
    frame = found == context.frame_ids->end() ? 0 : found->second;
  }
  number("stack_frame_id=", frame);
  if (metadata.rare) {
    const InstructionMetadata::Rare& rare = *metadata.rare;
    if (!rare.profile_type.empty()) {
      if (out->back() != '{') out->push_back(' ');
      out->append("profile_type={");
      for (size_t i = 0; i < rare.profile_type.size(); ++i) {
        if (i != 0) out->push_back(',');
        AppendInt(out, rare.profile_type[i]);
      }
      out->push_back('}');
    }
    text("deduplicated_name=", rare.deduplicated_name);
    text("scheduling_name=", rare.scheduling_name);
    if (rare.payload.has_value()) text("metadata_payload=", *rare.payload);
  }
  out->push_back('}');
}

void AppendOriginalValueNode(const OriginalValueNode& node, std::string* out) {
  if (node.is_tuple) {
    out->push_back('(');
    for (size_t i = 0; i < node.elements.size(); ++i) {
      if (i != 0) out->append(", ");
      AppendOriginalValueNode(node.elements[i], out);
    }
    out->push_back(')');
    return;
  }
  out->push_back('{');
  if (node.instruction_name.has_value()) {
    AppendQuoted(out, *node.instruction_name);
    if (!node.shape_index.empty()) {
      out->push_back(' ');
      AppendBracedInts(out, node.shape_index);
    }
  }
  out->push_back('}');
}

void AppendOriginalValue(const OriginalValueTree& value, std::string* out) {
  absl::StrAppend(out, "{", value.ToString(), "}");
}

// That of the instruction, or, for an element of a tuple that is put together, that of the operand
// which the element is.
static const OriginalValueTree* FindOriginalValue(const HloInstruction* instruction) {
  constexpr int kMaxSteps = 100;  // unverified modules may have cycles
  for (int step = 0; step < kMaxSteps; ++step) {
    if (instruction->has_extras() && instruction->extras().original_value.has_value())
      return &*instruction->extras().original_value;
    if (instruction->opcode() != HloOpcode::kGetTupleElement || instruction->operand_count() == 0)
      return nullptr;
    const HloInstruction* const tuple = instruction->operand(0);
    const int64_t index = instruction->tuple_index();
    if (tuple->opcode() != HloOpcode::kTuple || index < 0 || index >= tuple->operand_count())
      return nullptr;
    instruction = tuple->operand(index);
  }
  return nullptr;
}

static void AppendOrigin(const HloInstruction& instruction, PrintContext& context) {
  if (!context.options.print_extra_attributes) return;
  const OriginalValueTree* const value = FindOriginalValue(&instruction);
  if (value == nullptr) return;
  context.out->append(", origin=");
  AppendOriginalValue(*value, context.out);
}

void AppendMetadataAndConfig(const HloInstruction& instruction, PrintContext& context) {
  if (!instruction.has_extras()) return AppendOrigin(instruction, context);
  const InstructionExtras& extras = instruction.extras();
  if (context.options.print_metadata && extras.metadata.has_value()) {
    const size_t before = context.out->size();
    context.out->append(", metadata=");
    AppendMetadata(*extras.metadata, context);
    if (context.out->compare(before, std::string::npos, ", metadata={}") == 0)
      context.out->resize(before);
  }
  AppendOrigin(instruction, context);
  if (!context.options.print_backend_config) return;
  const std::string config = extras.backend_config.empty() && extras.backend_decision != nullptr
                                 ? extras.backend_decision->ToString()
                                 : extras.backend_config;
  if (config.empty()) return;
  context.out->append(", backend_config=");
  if (IsDictionaryToken(config)) {
    context.out->append(config);
  } else {
    AppendQuoted(context.out, config);
  }
}

}  // namespace xla::text

namespace xla {

std::string OriginalValueTree::ToString() const {
  if (is_synthetic_call) return "[synthetic_call]";
  std::string out;
  text::AppendOriginalValueNode(root, &out);
  return out;
}

std::string ConvDimsToString(const ConvDims& dims) {
  std::string out;
  text::Append(&out, dims);
  return out;
}

std::string PadDimsToString(const std::vector<PadDim>& dims) {
  std::string out;
  text::Append(&out, dims);
  return out;
}

std::string FrontendAttributesToString(const std::map<std::string, std::string>& attributes) {
  std::string out;
  text::AppendFrontendAttributes(attributes, &out);
  return out;
}

}  // namespace xla
