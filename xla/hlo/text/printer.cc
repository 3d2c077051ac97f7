// SPDX-License-Identifier: Apache-2.0
// HloModule to HLO text: modules, computations, instructions. Source: the HLO text format, sections
// 2, 3 and 6.
#include "xla/hlo/text/printer.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/text/printer_internal.h"
#include "xla/literal_print.h"

namespace xla {

using text::PrintContext;

HloPrintOptions HloPrintOptions::ShortParsable() {
  HloPrintOptions o;
  o.print_large_constants = true;
  o.print_metadata = false;
  o.print_program_shape = false;
  o.print_percent = false;
  o.print_control_dependencies = false;
  o.print_operand_index_annotation_interval_comments = false;
  return o;
}

HloPrintOptions HloPrintOptions::Canonical() {
  HloPrintOptions o;
  o.print_metadata = false;
  o.print_backend_config = false;
  o.print_operand_shape = true;
  o.print_program_shape = false;
  o.print_percent = false;
  o.print_control_dependencies = false;
  o.canonicalize_instruction_names = true;
  o.print_subcomputation_in_place = true;
  return o;
}

HloPrintOptions HloPrintOptions::Fingerprint() {
  HloPrintOptions o = Canonical();
  o.print_ids = false;
  o.canonicalize_computations = true;
  o.print_only_essential_constants = true;
  return o;
}

namespace text {

namespace {

// Text printed in place can grow exponentially with the depth of calls; past these bounds printing
// is refused.
constexpr int kMaxInPlaceDepth = 200;
constexpr size_t kMaxInPlaceBytes = size_t{1} << 30;

// Operand lists of this length and more get a comment with the index before every such element.
constexpr int64_t kIndexCommentInterval = 5;
// Larger constants print as {...} unless asked for.
constexpr int64_t kMaxSmallConstant = 10;

void AppendName(const HloInstruction& instruction, PrintContext& context) {
  if (context.options.print_percent) context.out->push_back('%');
  if (context.canonical_names != nullptr) {
    auto [it, inserted] =
        context.canonical_names->try_emplace(&instruction, context.canonical_names->size());
    context.out->append("tmp_");
    AppendInt(context.out, it->second);
  } else {
    context.out->append(instruction.name());
  }
}

void AppendConstant(const HloInstruction& instruction, PrintContext& context) {
  const LiteralRef& ref = instruction.attributes<ConstantAttributes>().literal;
  const HloPrintOptions& options = context.options;
  const Shape& shape = instruction.shape();
  if (ref.literal == nullptr) {
    context.out->append("{...}");
    return;
  }
  const Literal& literal = *ref.literal;
  if (options.print_only_essential_constants) {
    if (shape.IsArray() && literal.IsAll(0)) {
      context.out->push_back('0');
    } else if (shape.IsArray() && literal.IsAll(1)) {
      context.out->push_back('1');
    } else if (shape.IsArray() && primitive_util::IsIntegralType(shape.element_type())) {
      AppendLiteral(context.out, literal, {});
    } else {
      context.out->append("{...}");
    }
    return;
  }
  const bool small =
      shape.IsToken() || (shape.IsArray() && ShapeUtil::ElementsIn(shape) <= kMaxSmallConstant);
  if (small || options.print_large_constants) {
    AppendLiteral(context.out, literal, {});
  } else {
    context.out->append("{...}");
  }
}

void AppendOperands(const HloInstruction& instruction, PrintContext& context) {
  if (instruction.opcode() == HloOpcode::kConstant) return AppendConstant(instruction, context);
  if (instruction.opcode() == HloOpcode::kParameter) {
    return AppendInt(context.out, instruction.parameter_number());
  }
  const HloPrintOptions& options = context.options;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (i != 0) context.out->append(", ");
    if (i != 0 && i % kIndexCommentInterval == 0 &&
        options.print_operand_index_annotation_interval_comments) {
      absl::StrAppend(context.out, "/*index=", i, "*/");
    }
    const HloInstruction* operand = instruction.operand(i);
    if (options.print_operand_shape) {
      operand->shape().AppendTo(context.out, options.include_layout_in_shapes);
      if (context.print_names) context.out->push_back(' ');
    }
    if (context.print_names) AppendName(*operand, context);
  }
}

std::string_view AsyncSuffix(AsyncRole role) {
  static constexpr std::string_view kSuffixes[] = {"", "-start", "-update", "-done"};
  return kSuffixes[static_cast<size_t>(role)];
}

}  // namespace

void AppendInt(std::string* out, int64_t value) {
  char buffer[24];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, end);
}

void AppendBracedInts(std::string* out, absl::Span<const int64_t> values) {
  out->push_back('{');
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out->push_back(',');
    AppendInt(out, values[i]);
  }
  out->push_back('}');
}

void AppendQuoted(std::string* out, std::string_view text) {
  out->push_back('"');
  out->append(absl::CEscape(absl::string_view(text.data(), text.size())));
  out->push_back('"');
}

bool IsSingleInstruction(const HloComputation& computation) {
  const HloInstruction* root = computation.root_instruction();
  if (computation.instruction_count() != computation.num_parameters() + 1 || root == nullptr)
    return false;
  if (root->opcode() == HloOpcode::kParameter ||
      root->operand_count() != computation.num_parameters())
    return false;
  for (int64_t i = 0; i < root->operand_count(); ++i) {
    if (root->operand(i) != computation.parameter_instruction(i)) return false;
  }
  return true;
}

bool HasAsyncOpcodes(std::string_view operation) {
  return FindHloOpcode(absl::StrCat(View(operation), "-start")).has_value() ||
         FindHloOpcode(absl::StrCat(View(operation), "-done")).has_value();
}

const HloInstruction* WrappedInstruction(const HloInstruction& async) {
  const HloInstruction* start = &async;
  // An update's operand is a start or another update; a chain of them is followed, not trusted to
  // be short.
  while (start->opcode() == HloOpcode::kAsyncUpdate || start->opcode() == HloOpcode::kAsyncDone) {
    if (start->operand_count() == 0) return nullptr;
    start = start->operand(0);
  }
  if (start->opcode() != HloOpcode::kAsyncStart || start->called_computations().empty())
    return nullptr;
  const HloComputation* body = start->called_computations()[0];
  if (!IsSingleInstruction(*body)) return nullptr;
  const HloInstruction* wrapped = body->root_instruction();
  // It would be read as the sharding of the tuple that the start gives.
  if (wrapped->has_sharding()) return nullptr;
  return HasAsyncOpcodes(HloOpcodeString(wrapped->opcode())) ? nullptr : wrapped;
}

void AppendInstruction(const HloInstruction& instruction, PrintContext& context) {
  const HloPrintOptions& options = context.options;
  if (context.print_names) {
    AppendName(instruction, context);
    context.out->append(" = ");
  }
  if (options.print_result_shape) {
    instruction.shape().AppendTo(context.out, options.include_layout_in_shapes);
    context.out->push_back(' ');
  }
  const HloInstruction* wrapped = nullptr;
  const HloOpcode opcode = instruction.opcode();
  if (options.syntax_sugar_async_ops && HloOpcodeIsAsync(opcode)) {
    wrapped = WrappedInstruction(instruction);
  }
  if (wrapped != nullptr) {
    context.out->append(HloOpcodeString(wrapped->opcode()));
    context.out->append(AsyncSuffix(instruction.info().async_role));
  } else {
    context.out->append(HloOpcodeString(opcode));
  }
  context.out->push_back('(');
  AppendOperands(instruction, context);
  context.out->push_back(')');
  if (options.print_extra_attributes) {
    // A call names its computation first, everything else its own attributes.
    if (opcode == HloOpcode::kCall) AppendCallees(instruction, context);
    if (wrapped != nullptr && opcode == HloOpcode::kAsyncStart) {
      AsyncAttributes own = instruction.attributes<AsyncAttributes>();
      own.output_to_operand_aliasing.clear();  // comes after the attributes of the operation
      AppendAsyncAttributes(instruction, own, context);
    } else {
      AppendOwnAttributes(instruction, context);
    }
    if (wrapped == nullptr) {
      if (opcode != HloOpcode::kCall) AppendCallees(instruction, context);
    } else if (opcode == HloOpcode::kAsyncStart) {
      AppendOwnAttributes(*wrapped, context);
      AppendCallees(*wrapped, context);
      // Frontend attributes are those of both when they are read, so they are written once.
      AppendExtras(*wrapped,
                   /*frontend_attributes=*/instruction.extras().frontend_attributes.empty(),
                   context);
      AsyncAttributes rest = instruction.attributes<AsyncAttributes>();
      rest.async_execution_thread.clear();
      AppendAsyncAttributes(instruction, rest, context);
    }
    AppendExtras(instruction, /*frontend_attributes=*/true, context);
  }
  AppendMetadataAndConfig(instruction, context);
}

void AppendComputation(const HloComputation& computation, PrintContext& context, bool nested) {
  const HloPrintOptions& options = context.options;
  if (nested && (context.depth > kMaxInPlaceDepth || context.out->size() > kMaxInPlaceBytes)) {
    context.overflow = true;
    return;
  }
  absl::flat_hash_map<const HloInstruction*, int64_t> names;
  auto* outer_names = context.canonical_names;
  const bool outer_print_names = std::exchange(context.print_names, true);
  if (options.canonicalize_instruction_names) context.canonical_names = &names;
  std::string* out = context.out;
  const std::string indent(2 * context.indent, ' ');

  out->append(indent);
  if (!nested) {
    if (computation.IsEntryComputation()) out->append("ENTRY ");
    if (options.print_ids) {
      if (options.print_percent) out->push_back('%');
      out->append(computation.name());
      out->push_back(' ');
    }
    if (options.print_program_shape) {
      out->push_back('(');
      for (int64_t i = 0; i < computation.num_parameters(); ++i) {
        if (i != 0) out->append(", ");
        const HloInstruction* parameter = computation.parameter_instruction(i);
        if (parameter == nullptr) continue;  // unverified modules may lack one
        out->append(parameter->name());
        out->append(": ");
        parameter->shape().AppendTo(out, /*print_layout=*/false);
      }
      out->append(") -> ");
      if (computation.root_instruction() != nullptr) {
        computation.root_instruction()->shape().AppendTo(out, /*print_layout=*/false);
      }
      out->push_back(' ');
    }
  }
  out->append("{\n");

  const HloModule* module = computation.parent();
  // A schedule does not order fused computations.
  const bool scheduled =
      module != nullptr && module->config().is_scheduled && !computation.IsFusionComputation();
  std::vector<HloInstruction*> order;
  if (!scheduled) {
    // Cyclic graphs (possible only in unverified modules) print in text order.
    auto post_order = computation.PostOrder();
    order = post_order.ok() ? *std::move(post_order) : computation.instructions();
  } else {
    order = computation.instructions();
  }
  ++context.indent;
  for (const HloInstruction* instruction : order) {
    out->append(indent);
    out->append(instruction->IsRoot() ? "  ROOT " : "  ");
    AppendInstruction(*instruction, context);
    out->push_back('\n');
    if (context.overflow) break;
  }
  --context.indent;
  out->append(indent);
  out->push_back('}');
  if (options.print_ids && !computation.execution_thread().empty()) {
    out->append(", execution_thread=");
    AppendQuoted(out, computation.execution_thread());
  }
  if (options.print_name_after_closing_brace && !nested && order.size() > 5) {
    absl::StrAppend(out, " // ", computation.name());
  }
  context.canonical_names = outer_names;
  context.print_names = outer_print_names;
}

}  // namespace text

absl::Status PrintModule(const HloModule& module, const HloPrintOptions& options,
                         std::string* out) {
  PrintContext context{options, out};
  XLA_ASSIGN_OR_RETURN(std::vector<HloComputation*> order, module.ComputationPostOrder());
  if (options.print_header) text::AppendModuleHeader(module, context);

  absl::flat_hash_set<const HloComputation*> hidden;  // printed as sugar with their async-start
  if (options.syntax_sugar_async_ops) {
    for (const HloComputation* computation : order) {
      for (const HloInstruction* instruction : computation->instructions()) {
        if (instruction->opcode() != HloOpcode::kAsyncStart) continue;
        if (const HloInstruction* wrapped = text::WrappedInstruction(*instruction)) {
          hidden.insert(wrapped->parent());
        }
      }
    }
  }
  absl::flat_hash_map<int64_t, int64_t> frame_ids;
  if (options.print_metadata && options.print_stack_frames && !module.stack_frames().empty()) {
    text::AppendStackFrames(module, &frame_ids, out);
    context.frame_ids = &frame_ids;
  }
  if (options.canonicalize_computations) {
    // An order that does not depend on names: by content, the entry last.
    std::vector<std::pair<std::string, HloComputation*>> keyed;
    for (HloComputation* computation : order) {
      std::string text;
      PrintContext inner{options, &text};
      text::AppendComputation(*computation, inner, /*nested=*/true);
      if (inner.overflow) context.overflow = true;
      keyed.emplace_back(std::move(text), computation);
    }
    std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) {
      return std::make_pair(a.second->IsEntryComputation(), std::string_view(a.first)) <
             std::make_pair(b.second->IsEntryComputation(), std::string_view(b.first));
    });
    for (size_t i = 0; i < keyed.size(); ++i) order[i] = keyed[i].second;
  }
  for (const HloComputation* computation : order) {
    if (hidden.contains(computation)) continue;
    text::AppendComputation(*computation, context, /*nested=*/false);
    out->append("\n\n");
    if (context.overflow) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "computation ", computation->name(),
          ": called computations printed in place nest too deep or grow too large; print without "
          "canonical names"));
    }
  }
  return absl::OkStatus();
}

std::string ModuleToString(const HloModule& module, const HloPrintOptions& options) {
  std::string out;
  absl::Status status = PrintModule(module, options, &out);
  if (!status.ok()) absl::StrAppend(&out, "// ", status.ToString(), "\n");
  return out;
}

void PrintComputation(const HloComputation& computation, const HloPrintOptions& options,
                      std::string* out) {
  PrintContext context{options, out};
  context.indent = options.indent_amount;
  text::AppendComputation(computation, context, /*nested=*/false);
}

void PrintInstruction(const HloInstruction& instruction, const HloPrintOptions& options,
                      std::string* out) {
  PrintContext context{options, out};
  // The canonical form of an instruction does not depend on names outside of it.
  context.print_names = !options.canonicalize_instruction_names;
  text::AppendInstruction(instruction, context);
}

void PrintAttributes(const HloInstruction& instruction, const HloPrintOptions& options,
                     std::string* out) {
  PrintContext context{options, out};
  text::AppendOwnAttributes(instruction, context);
  text::AppendCallees(instruction, context);
  text::AppendExtras(instruction, /*frontend_attributes=*/true, context);
}

std::string HloInstruction::ToString() const {
  std::string out;
  PrintInstruction(*this, HloPrintOptions::Default(), &out);
  return out;
}

std::string HloInstruction::ToString(const HloPrintOptions& options) const {
  std::string out;
  PrintInstruction(*this, options, &out);
  return out;
}

std::string HloComputation::ToString() const { return ToString(HloPrintOptions::Default()); }

std::string HloComputation::ToString(const HloPrintOptions& options) const {
  std::string out;
  PrintComputation(*this, options, &out);
  return out;
}

std::string HloModule::ToString() const { return ModuleToString(*this); }

std::string HloModule::ToString(const HloPrintOptions& options) const {
  return ModuleToString(*this, options);
}

// FNV-1a with 128 bits.
std::string HloModule::GetFingerprint128() const {
  using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  for (const char c : ToString(HloPrintOptions::Fingerprint())) {
    hash = (hash ^ static_cast<uint8_t>(c)) * kPrime;
  }
  return absl::StrFormat("%016x%016x", static_cast<uint64_t>(hash >> 64),
                         static_cast<uint64_t>(hash));
}

}  // namespace xla
