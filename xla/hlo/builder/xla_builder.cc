// SPDX-License-Identifier: Apache-2.0
// The builder itself: scopes, queries, errors.
#include "xla/hlo/builder/xla_builder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/hlo/builder/builder_state.h"

namespace xla {

XlaBuilder::State::State(XlaBuilder* builder, std::string program_name)
    : self(builder),
      name(std::move(program_name)),
      shared_computations(std::make_shared<std::vector<XlaComputation>>()) {
  Reset();
}

XlaBuilder::XlaBuilder(const std::string& computation_name)
    : state_(std::make_unique<State>(this, computation_name)) {}

XlaBuilder::~XlaBuilder() = default;

const std::string& XlaBuilder::name() const { return state_->name; }

// --- What is put on operations

void XlaBuilder::SetOpMetadata(OpMetadata metadata) { state_->metadata = std::move(metadata); }

OpMetadata XlaBuilder::SwapOpMetadata(OpMetadata metadata) {
  return std::exchange(state_->metadata, std::move(metadata));
}

void XlaBuilder::ClearOpMetadata() { state_->metadata.Clear(); }

void XlaBuilder::SetOneShotOpMetadata(OpMetadata metadata) {
  state_->one_shot_metadata = std::move(metadata);
}

void XlaBuilder::SetSharding(const OpSharding& sharding) { state_->sharding = sharding; }

std::optional<OpSharding> XlaBuilder::SwapSharding(std::optional<OpSharding> sharding) {
  return std::exchange(state_->sharding, std::move(sharding));
}

void XlaBuilder::ClearSharding() { state_->sharding.reset(); }

const std::optional<OpSharding>& XlaBuilder::sharding() const { return state_->sharding; }

void XlaBuilder::SetFrontendAttributes(const FrontendAttributes& attributes) {
  state_->frontend_attributes = attributes;
}

FrontendAttributes XlaBuilder::SwapFrontendAttributes(const FrontendAttributes& attributes) {
  return std::exchange(state_->frontend_attributes, attributes);
}

const FrontendAttributes& XlaBuilder::frontend_attributes() const {
  return state_->frontend_attributes;
}

void XlaBuilder::ClearFrontendAttributes() { state_->frontend_attributes.Clear(); }

void XlaBuilder::SetOriginalValue(const OriginalValueProto& original_value) {
  state_->original_value = original_value;
}

void XlaBuilder::ClearOriginalValue() { state_->original_value.reset(); }

const std::optional<OriginalValueProto>& XlaBuilder::original_value() const {
  return state_->original_value;
}

absl::Status XlaBuilder::SetInstructionFrontendAttribute(XlaOp op, std::string attribute,
                                                         std::string value) {
  XLA_ASSIGN_OR_RETURN(HloInstruction * instruction, state_->Find(op));
  instruction->mutable_extras().frontend_attributes[std::move(attribute)] = std::move(value);
  return absl::OkStatus();
}

absl::Status XlaBuilder::SetInstructionSharding(XlaOp op,
                                                const std::optional<OpSharding>& sharding) {
  XLA_ASSIGN_OR_RETURN(HloInstruction * instruction, state_->Find(op));
  if (!sharding.has_value()) {
    instruction->mutable_extras().sharding.reset();
    return absl::OkStatus();
  }
  XLA_ASSIGN_OR_RETURN(HloSharding parsed, HloSharding::FromProto(*sharding));
  parsed = parsed.NormalizeTupleSharding(instruction->shape());
  XLA_RETURN_IF_ERROR(parsed.Validate(instruction->shape()));
  instruction->mutable_extras().sharding = std::move(parsed);
  return absl::OkStatus();
}

// --- Facts of the program

void XlaBuilder::SetUpAlias(const ShapeIndex& output_index, int64_t param_number,
                            const ShapeIndex& param_index,
                            HloInputOutputAliasConfig::AliasKind kind) {
  using Kind = HloInputOutputAliasConfig::AliasKind;
  state_->aliases.push_back({.output_index = ToInt64s(output_index),
                             .parameter_number = param_number,
                             .parameter_index = ToInt64s(param_index),
                             .kind = kind == Kind::kMustAlias ? InputOutputAlias::Kind::kMust
                                                              : InputOutputAlias::Kind::kMay});
}

void XlaBuilder::AddBufferDonor(int64_t param_number, const ShapeIndex& param_index) {
  BufferDonor donor{.parameter_number = param_number, .parameter_index = ToInt64s(param_index)};
  std::vector<BufferDonor>& donors = state_->donors;
  if (std::find(donors.begin(), donors.end(), donor) == donors.end()) {
    donors.push_back(std::move(donor));
  }
}

// --- Queries

absl::StatusOr<Shape> XlaBuilder::GetShape(XlaOp op) const {
  XLA_ASSIGN_OR_RETURN(const Shape* shape, state_->ShapeOf(op));
  return *shape;
}

absl::StatusOr<const Shape*> XlaBuilder::GetShapePtr(XlaOp op) const { return state_->ShapeOf(op); }

absl::StatusOr<std::vector<Shape>> XlaBuilder::GetOperandShapes(
    absl::Span<const XlaOp> operands) const {
  XLA_ASSIGN_OR_RETURN(std::vector<const Shape*> shapes, state_->ShapesOf(operands));
  std::vector<Shape> result;
  for (const Shape* shape : shapes) result.push_back(*shape);
  return result;
}

absl::StatusOr<std::optional<OpSharding>> XlaBuilder::GetOpSharding(XlaOp op) const {
  XLA_ASSIGN_OR_RETURN(const HloInstruction* instruction, state_->Find(op));
  std::optional<OpSharding> result;
  if (instruction->has_sharding()) result = instruction->extras().sharding->ToProto();
  return result;
}

// The sizes of arrays, as in "[2, 3]".
static std::string Sizes(const Shape& shape) {
  if (!shape.IsTuple()) {
    return shape.IsArray() ? absl::StrCat("[", absl::StrJoin(shape.dimensions(), ", "), "]") : "[]";
  }
  std::vector<std::string> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(Sizes(element));
  return absl::StrCat("(", absl::StrJoin(elements, ", "), ")");
}

std::string XlaBuilder::OpToString(XlaOp op) const {
  absl::StatusOr<HloInstruction*> root = state_->Find(op);
  if (!root.ok()) return absl::StrCat("<", root.status().message(), ">");
  // What several operations use is repeated, which may grow exponentially: long texts are cut.
  constexpr size_t kMaxLength = 1 << 20;
  struct Line {
    const HloInstruction* instruction;
    int indent;
  };
  std::string text;
  std::vector<Line> pending = {{*root, 0}};
  while (!pending.empty() && text.size() < kMaxLength) {
    const auto [instruction, indent] = pending.back();
    pending.pop_back();
    absl::StrAppend(&text, text.empty() ? "" : "\n", std::string(static_cast<size_t>(indent), ' '),
                    std::string(HloOpcodeString(instruction->opcode())),
                    ", shape=", Sizes(instruction->shape()), ", metadata={",
                    instruction->metadata().source_file(), ":",
                    instruction->metadata().source_line(), "}");
    const auto& operands = instruction->operands();
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
      pending.push_back({*it, indent + 2});
    }
  }
  return text;
}

absl::StatusOr<HloInstruction*> XlaBuilder::State::Find(XlaOp op) const {
  XLA_RETURN_IF_ERROR(first_error);
  if (op.IsUninitialized()) {
    return InvalidArgument("An operand is an uninitialized XlaOp.");
  }
  if (op.builder_ != self) {
    return InvalidArgumentStrCat("Do not add XlaOp from builder ", op.builder_->name(),
                                 " to builder ", name, ": the XlaOp with handle ", op.handle_,
                                 " is built by builder '", op.builder_->name(),
                                 "', but is trying to use it in builder '", name, "'");
  }
  const int64_t index = op.handle_ - first_handle;
  if (index < 0 || index >= static_cast<int64_t>(instructions.size())) {
    return InvalidArgumentStrCat("Builder ", name, " has no XlaOp with handle ", op.handle_,
                                 op.valid() ? ": it belongs to a program already built." : ".");
  }
  return instructions[index];
}

absl::StatusOr<const Shape*> XlaBuilder::State::ShapeOf(XlaOp op) const {
  XLA_ASSIGN_OR_RETURN(const HloInstruction* instruction, Find(op));
  return &instruction->shape();
}

absl::StatusOr<std::vector<const Shape*>> XlaBuilder::State::ShapesOf(
    absl::Span<const XlaOp> ops) const {
  std::vector<const Shape*> shapes;
  shapes.reserve(ops.size());
  for (const XlaOp op : ops) {
    XLA_ASSIGN_OR_RETURN(const Shape* shape, ShapeOf(op));
    shapes.push_back(shape);
  }
  return shapes;
}

// --- Errors

absl::Status XlaBuilder::first_error() const { return state_->first_error; }

XlaOp XlaBuilder::ReportError(const absl::Status& error) {
  const OpMetadata& metadata = state_->one_shot_metadata.value_or(state_->metadata);
  if (metadata.source_file().empty()) return state_->Fail(error, nullptr);
  return state_->Fail(
      AddContext(error, absl::StrCat("Python Code Location:\n  File: ", metadata.source_file(), ":",
                                     metadata.source_line())),
      nullptr);
}

XlaOp XlaBuilder::ReportErrorOrReturn(const absl::StatusOr<XlaOp>& op) {
  return op.ok() ? *op : ReportError(op.status());
}

XlaOp XlaBuilder::ReportErrorOrReturn(absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator) {
  return ReportErrorOrReturn(op_creator());
}

XlaOp XlaBuilder::Record(const char* call, absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator) {
  return state_->Record(call, op_creator);
}

void XlaBuilder::set_die_immediately_on_error(bool enabled) {
  state_->die_immediately_on_error = enabled;
}

XlaBuilder* XlaBuilder::Of(absl::Span<const XlaOp> operands) {
  for (const XlaOp operand : operands) {
    if (operand.builder_ != nullptr) return operand.builder_;
  }
  return nullptr;
}

XlaOp XlaBuilder::State::Fail(const absl::Status& error, const char* call) {
  if (current_call != nullptr) call = current_call;
  if (first_error.ok() && !error.ok()) {
    const std::string prefix = call == nullptr ? "" : absl::StrCat(call, ": ");
    first_error = absl::Status(error.code(), absl::StrCat(prefix, error.message()));
    XLA_CHECK(!die_immediately_on_error) << first_error;
  }
  return XlaOp(self, -1);
}

XlaOp XlaBuilder::State::Record(const char* call,
                                absl::FunctionRef<absl::StatusOr<XlaOp>()> op_creator) {
  if (!first_error.ok()) return XlaOp(self, -1);
  const bool outermost = current_call == nullptr;
  if (outermost) current_call = call;
  const absl::StatusOr<XlaOp> op = op_creator();
  const XlaOp result = op.ok() ? *op : Fail(op.status(), call);
  if (outermost) current_call = nullptr;
  return result;
}

}  // namespace xla
