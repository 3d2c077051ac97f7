// SPDX-License-Identifier: Apache-2.0
// Modules, functions, regions, types and attributes on the way from HLO to StableHLO.
#include "xla/stablehlo/translate_from_hlo.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/hlo_reader.h"
#include "xla/stablehlo/sdy_round_trip.h"
#include "xla/stablehlo/sharding.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {

using mlir::AttributeRef;
using mlir::NamedAttribute;
using mlir::Operation;
using mlir::TypeRef;

namespace {

constexpr std::pair<PrimitiveType, mlir::FloatKind> kFloatTypes[] = {
    {F4E2M1FN, mlir::FloatKind::kF4E2M1FN},
    {F8E3M4, mlir::FloatKind::kF8E3M4},
    {F8E4M3, mlir::FloatKind::kF8E4M3},
    {F8E4M3FN, mlir::FloatKind::kF8E4M3FN},
    {F8E4M3FNUZ, mlir::FloatKind::kF8E4M3FNUZ},
    {F8E4M3B11FNUZ, mlir::FloatKind::kF8E4M3B11FNUZ},
    {F8E5M2, mlir::FloatKind::kF8E5M2},
    {F8E5M2FNUZ, mlir::FloatKind::kF8E5M2FNUZ},
    {F8E8M0FNU, mlir::FloatKind::kF8E8M0FNU},
    {BF16, mlir::FloatKind::kBF16},
    {F16, mlir::FloatKind::kF16},
    {F32, mlir::FloatKind::kF32},
    {F64, mlir::FloatKind::kF64}};

}  // namespace

TypeRef ElementTypeOf(mlir::Context* context, PrimitiveType type) {
  if (type == PRED) return context->Integer(1);
  if (type == C64) return context->Complex(context->Float(mlir::FloatKind::kF32));
  if (type == C128) return context->Complex(context->Float(mlir::FloatKind::kF64));
  for (const auto& [primitive, kind] : kFloatTypes) {
    if (primitive == type) return context->Float(kind);
  }
  if (!primitive_util::IsIntegralType(type)) return nullptr;
  const auto width = static_cast<uint32_t>(primitive_util::BitWidth(type));
  if (width == 1) return nullptr;
  return context->Integer(width, primitive_util::IsUnsignedIntegralType(type)
                                     ? mlir::Signedness::kUnsigned
                                     : mlir::Signedness::kSignless);
}

HloReader::HloReader(const HloModule& module)
    : module_(module),
      source_(std::make_unique<mlir::Source>()),
      max_inlined_(module.instruction_count() + (int64_t{1} << 20)) {
  source_->name = module.name();
}

absl::Status HloReader::Unimplemented(const HloInstruction& instruction,
                                      std::string_view what) const {
  return absl::UnimplementedError(
      absl::StrCat(View(what), " has no StableHLO, in ", instruction.ToShortString()));
}

// --- Types ---

absl::StatusOr<TypeRef> HloReader::TypeOf(const Shape& shape) {
  if (shape.IsToken()) return context().Dialect("stablehlo", "token");
  const TypeRef element =
      shape.IsArray() ? ElementTypeOf(&context(), shape.element_type()) : nullptr;
  if (element == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("the shape ", ShapeUtil::HumanString(shape), " has no StableHLO"));
  }
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  std::vector<int64_t> bounds(sizes.size(), mlir::kDynamic);
  bool has_bounds = false;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!shape.is_dynamic_dimension(static_cast<int>(i))) continue;
    has_bounds = has_bounds || sizes[i] != mlir::kDynamic;
    bounds[i] = sizes[i];
    sizes[i] = mlir::kDynamic;
  }
  AttributeRef encoding = nullptr;
  if (has_bounds) {
    const NamedAttribute parameters[] = {{"bounds", List(bounds)}};
    encoding = context().DialectOf("stablehlo", "type_extensions", {}, parameters);
  }
  return context().RankedTensor(sizes, element, encoding);
}

absl::StatusOr<std::vector<TypeRef>> HloReader::TypesOf(const Shape& shape) {
  if (!shape.IsTuple()) {
    XLA_ASSIGN_OR_RETURN(const TypeRef type, TypeOf(shape));
    return std::vector<TypeRef>{type};
  }
  std::vector<TypeRef> types;
  for (const Shape& element : shape.tuple_shapes()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<TypeRef> inner, TypesOf(element));
    types.insert(types.end(), inner.begin(), inner.end());
  }
  return types;
}

// --- Operations ---

Leaves HloReader::Operands(const HloInstruction& instruction) const {
  Leaves all;
  for (const HloInstruction* operand : instruction.operands()) {
    const Leaves& leaves = Get(operand);
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

Operation* HloReader::NewOperation(std::string_view name, absl::Span<mlir::Value* const> operands,
                                   absl::Span<const TypeRef> results,
                                   absl::Span<const NamedAttribute> attributes,
                                   size_t num_regions) {
  mlir::Arena& arena = context().arena();
  Operation* operation = arena.New<Operation>();
  operation->name = source_->Name(name, AllDialects());
  operation->operands = arena.NewArray<mlir::Value*>(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) operation->operands[i] = operands[i];
  operation->results = arena.NewArray<mlir::Value>(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    operation->results[i].type = results[i];
    operation->results[i].operation = operation;
    operation->results[i].index = static_cast<uint32_t>(i);
  }
  operation->attributes = arena.Copy(attributes);
  operation->regions = arena.NewArray<mlir::Region>(num_regions);
  for (mlir::Region& region : operation->regions) region.parent = operation;
  return operation;
}

mlir::Block* HloReader::NewBlock(mlir::Region* region, absl::Span<const TypeRef> arguments) {
  mlir::Block* block = context().arena().New<mlir::Block>();
  block->arguments = context().arena().NewArray<mlir::Value>(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    block->arguments[i].type = arguments[i];
    block->arguments[i].block = block;
    block->arguments[i].index = static_cast<uint32_t>(i);
  }
  region->Append(block);
  return block;
}

Operation* HloReader::Emit(std::string_view name, absl::Span<mlir::Value* const> operands,
                           absl::Span<const TypeRef> results,
                           absl::Span<const NamedAttribute> attributes, size_t num_regions) {
  Operation* operation = NewOperation(name, operands, results, attributes, num_regions);
  block_->Append(operation);
  return operation;
}

absl::Status HloReader::EmitFor(const HloInstruction& instruction, std::string_view name,
                                absl::Span<mlir::Value* const> operands,
                                absl::Span<const NamedAttribute> attributes) {
  return EmitWithRegions(instruction, name, operands, attributes, {});
}

absl::Status HloReader::EmitWithRegions(const HloInstruction& instruction, std::string_view name,
                                        absl::Span<mlir::Value* const> operands,
                                        absl::Span<const NamedAttribute> attributes,
                                        absl::Span<HloComputation* const> computations) {
  XLA_ASSIGN_OR_RETURN(const std::vector<TypeRef> types, TypesOf(instruction.shape()));
  Operation* operation = Emit(name, operands, types, attributes, computations.size());
  for (size_t i = 0; i < computations.size(); ++i) {
    XLA_RETURN_IF_ERROR(FillRegion(&operation->regions[i], *computations[i]));
  }
  Leaves results;
  for (mlir::Value& result : operation->results) results.push_back(&result);
  Set(instruction, std::move(results));
  return absl::OkStatus();
}

absl::Status HloReader::FillRegion(mlir::Region* region, const HloComputation& computation) {
  std::vector<TypeRef> types;
  std::vector<size_t> counts;
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<TypeRef> leaves, TypesOf(parameter->shape()));
    types.insert(types.end(), leaves.begin(), leaves.end());
    counts.push_back(leaves.size());
  }
  mlir::Block* outer = std::exchange(block_, NewBlock(region, types));
  std::vector<Leaves> parameters;
  size_t next = 0;
  for (const size_t count : counts) {
    parameters.emplace_back();
    for (size_t i = 0; i < count; ++i) parameters.back().push_back(&block_->arguments[next++]);
  }
  const auto results = Inline(computation, parameters);
  if (results.ok()) Emit("stablehlo.return", *results, {});
  block_ = outer;
  return results.status();
}

absl::Status HloReader::FillRegionWith(mlir::Region* region, const HloComputation& computation,
                                       absl::Span<const Leaves> parameters) {
  mlir::Block* outer = std::exchange(block_, NewBlock(region, {}));
  const auto results = Inline(computation, parameters);
  if (results.ok()) Emit("stablehlo.return", *results, {});
  block_ = outer;
  return results.status();
}

absl::StatusOr<Leaves> HloReader::Inline(const HloComputation& computation,
                                         absl::Span<const Leaves> parameters) {
  if (depth_ >= mlir::kMaxNesting) {
    return absl::UnimplementedError("computations are nested too deep");
  }
  if (parameters.size() != computation.parameter_instructions().size()) {
    return absl::InvalidArgumentError(absl::StrCat("the computation ", computation.name(), " has ",
                                                   computation.num_parameters(), " parameters"));
  }
  inlined_ += computation.instruction_count();
  if (inlined_ > max_inlined_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the regions of the program would hold more than ", max_inlined_, " instructions"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    Set(*computation.parameter_instruction(static_cast<int64_t>(i)), parameters[i]);
  }
  ++depth_;
  auto results = ReadBody(computation);
  --depth_;
  return results;
}

namespace {

// The instructions as they were added; fewer of them if one is added before its operands.
std::vector<HloInstruction*> StatedOrder(const HloComputation& computation) {
  std::vector<HloInstruction*> order;
  absl::flat_hash_set<const HloInstruction*> seen;
  for (HloInstruction* instruction : computation.instructions()) {
    const auto is_known = [&](const HloInstruction* other) { return seen.contains(other); };
    const auto& operands = instruction->operands();
    const auto& before = instruction->control_predecessors();
    if (!std::all_of(operands.begin(), operands.end(), is_known) ||
        !std::all_of(before.begin(), before.end(), is_known)) {
      break;
    }
    seen.insert(instruction);
    order.push_back(instruction);
  }
  return order;
}

}  // namespace

absl::StatusOr<Leaves> HloReader::ReadBody(const HloComputation& computation) {
  XLA_ASSIGN_OR_RETURN(std::vector<HloInstruction*> order, computation.PostOrder());
  // Programs of Shardy keep their order, where operands precede their users in it.
  if (has_shardy_) {
    if (auto stated = StatedOrder(computation); stated.size() == order.size()) {
      order = std::move(stated);
    }
  }
  for (const HloInstruction* instruction : order) {
    XLA_RETURN_IF_ERROR(ReadInstruction(*instruction));
  }
  return Get(computation.root_instruction());
}

absl::Status HloReader::ReadInstruction(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kParameter) return absl::OkStatus();
  const Operation* last = block_->last;
  HloHandler handler = FindElementwiseReader(instruction.opcode());
  if (handler == nullptr) handler = FindStructureReader(instruction.opcode());
  if (handler == nullptr) handler = FindProgramReader(instruction.opcode());
  if (handler == nullptr) {
    return Unimplemented(instruction, HloOpcodeString(instruction.opcode()));
  }
  XLA_RETURN_IF_ERROR(handler(*this, instruction));
  // A sharding and the name of the framework's operation go with the last operation.
  if (block_->last == nullptr || block_->last == last) return absl::OkStatus();
  std::vector<NamedAttribute> attributes(block_->last->attributes.begin(),
                                         block_->last->attributes.end());
  if (instruction.has_sharding()) {
    attributes.push_back({"mhlo.sharding", Text(instruction.extras().sharding->ToString())});
  }
  const bool is_composite = instruction.opcode() == HloOpcode::kCall &&
                            instruction.attributes<CallAttributes>().is_composite;
  if (!is_composite) AddFrontendAttributes(instruction.extras().frontend_attributes, &attributes);
  if (attributes.size() != block_->last->attributes.size()) {
    block_->last->attributes = context().arena().Copy(attributes);
  }
  block_->last->location = LocationOf(instruction.metadata());
  return absl::OkStatus();
}

void HloReader::AddFrontendAttributes(const std::map<std::string, std::string>& facts,
                                      std::vector<NamedAttribute>* attributes) {
  if (facts.empty()) return;
  std::vector<NamedAttribute> entries;
  for (const auto& [name, value] : facts) {
    if (name == kSplatAttribute) continue;
    has_shardy_ = has_shardy_ || absl::StartsWith(name, "xla.sdy.");
    entries.push_back({context().InternText(name), Text(value)});
  }
  if (entries.empty()) return;
  attributes->push_back({"mhlo.frontend_attributes", context().Dictionary(entries)});
}

// "op_name"("file":line:column), as JAX writes it, or the part of it that is known.
AttributeRef HloReader::LocationOf(const InstructionMetadata& metadata) {
  using Form = mlir::LocationAttribute::Form;
  const auto make = [&](Form form, std::string_view text, int64_t line, int64_t column,
                        absl::Span<const AttributeRef> children) {
    return context().arena().New<mlir::LocationAttribute>(
        mlir::Attribute{mlir::AttributeKind::kLocation}, form, line, column,
        context().InternText(text), nullptr, context().arena().Copy(children));
  };
  mlir::LocationAttribute* file = nullptr;
  if (!metadata.source_file().empty()) {
    const int32_t line = std::max(metadata.source_line(), 0);
    const int32_t column = std::max(metadata.source_column(), 0);
    file = make(Form::kFile, metadata.source_file(), line, column, {});
    // Metadata that state no end are of one place.
    const int32_t end_line = metadata.source_end_line() > 0 ? metadata.source_end_line() : line;
    const int32_t end_column =
        metadata.source_end_column() > 0 ? metadata.source_end_column() : column;
    if (end_line != line || end_column != column) {
      file->end_line = end_line;
      file->end_column = end_column;
    }
  }
  if (metadata.op_name().empty()) return file;
  const AttributeRef child = file;
  return make(Form::kName, metadata.op_name(), 0, 0,
              absl::MakeConstSpan(&child, file != nullptr ? 1 : 0));
}

// --- Functions ---

absl::StatusOr<Operation*> HloReader::MakeFunction(const HloComputation& computation,
                                                   std::string_view name, bool is_public) {
  std::vector<TypeRef> inputs;
  std::vector<AttributeRef> argument_attributes, locations;
  bool any = false, any_location = false;
  const bool is_entry = is_public;
  const HloModuleConfig& config = module_.config();
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<TypeRef> leaves, TypesOf(parameter->shape()));
    for (const TypeRef leaf : leaves) {
      inputs.push_back(leaf);
      std::vector<NamedAttribute> entries;
      if (parameter->has_sharding() && leaves.size() == 1) {
        entries.push_back({"mhlo.sharding", Text(parameter->extras().sharding->ToString())});
      }
      if (leaves.size() == 1) {
        AddFrontendAttributes(parameter->extras().frontend_attributes, &entries);
      }
      for (size_t i = 0; is_entry && leaves.size() == 1 && i < config.buffer_donor.size(); ++i) {
        if (config.buffer_donor[i].parameter_number != parameter->parameter_number()) continue;
        entries.push_back({"jax.buffer_donor", Flag(true)});
      }
      for (size_t i = 0; is_entry && leaves.size() == 1 && i < config.input_output_alias.size();
           ++i) {
        const InputOutputAlias& alias = config.input_output_alias[i];
        if (alias.parameter_number != parameter->parameter_number() ||
            alias.output_index.size() > 1) {
          continue;
        }
        const int64_t output = alias.output_index.empty() ? 0 : alias.output_index[0];
        entries.push_back(
            {"tf.aliasing_output", context().IntegerOf(context().Integer(32), output)});
      }
      any = any || !entries.empty();
      argument_attributes.push_back(context().Dictionary(entries));
      locations.push_back(LocationOf(parameter->metadata()));
      any_location = any_location || locations.back() != nullptr;
    }
  }
  XLA_ASSIGN_OR_RETURN(const std::vector<TypeRef> results,
                       TypesOf(computation.root_instruction()->shape()));
  std::vector<NamedAttribute> attributes = {
      {"sym_name", context().String(name)},
      {"function_type", context().TypeOf(context().Function(inputs, results))},
      {"sym_visibility", context().String(is_public ? "public" : "private")}};
  if (any) attributes.push_back({"arg_attrs", context().Array(argument_attributes)});
  Operation* function = NewOperation("func.func", {}, {}, attributes, 1);
  mlir::Block* outer = std::exchange(block_, NewBlock(&function->regions[0], inputs));
  if (any_location) block_->argument_locations = context().arena().Copy(locations);
  std::vector<Leaves> parameters;
  size_t next = 0;
  for (const HloInstruction* parameter : computation.parameter_instructions()) {
    XLA_ASSIGN_OR_RETURN(const std::vector<TypeRef> leaves, TypesOf(parameter->shape()));
    parameters.emplace_back();
    for (size_t i = 0; i < leaves.size(); ++i) {
      parameters.back().push_back(&block_->arguments[next++]);
    }
  }
  XLA_ASSIGN_OR_RETURN(const Leaves returned, Inline(computation, parameters));
  Emit("func.return", returned, {});
  block_ = outer;
  return function;
}

absl::StatusOr<std::string_view> HloReader::Function(const HloComputation& computation) {
  const auto known = names_.find(&computation);
  if (known != names_.end()) return known->second;
  std::string unique = computation.name() == entry_name_ ? absl::StrCat(entry_name_, "_function")
                                                         : computation.name();
  const std::string_view name = context().InternText(unique);
  names_[&computation] = name;
  XLA_ASSIGN_OR_RETURN(Operation * function, MakeFunction(computation, name, false));
  functions_->Append(function);
  return name;
}

absl::StatusOr<std::unique_ptr<mlir::Source>> HloReader::Run(std::string_view entry_name) {
  entry_name_ = std::string(entry_name);
  const HloModuleConfig& config = module_.config();
  std::vector<NamedAttribute> attributes = {{"sym_name", Text(module_.name())}};
  const TypeRef i32 = context().Integer(32);
  attributes.push_back({"mhlo.num_partitions", context().IntegerOf(i32, config.num_partitions())});
  attributes.push_back({"mhlo.num_replicas", context().IntegerOf(i32, config.replica_count())});
  AddFrontendAttributes(config.frontend_attributes, &attributes);
  source_->module = NewOperation("builtin.module", {}, {}, attributes, 1);
  functions_ = NewBlock(&source_->module->regions[0], {});
  const HloComputation* entry = module_.entry_computation();
  if (entry == nullptr) return absl::InvalidArgumentError("the module has no entry computation");
  XLA_ASSIGN_OR_RETURN(Operation * main,
                       MakeFunction(*entry, context().InternText(entry_name), true));
  // The entry comes first.
  main->block = functions_;
  main->next = functions_->first;
  (main->next == nullptr ? functions_->last : main->next->previous) = main;
  functions_->first = main;
  if (has_shardy_) XLA_RETURN_IF_ERROR(ImportShardy(source_.get()));
  return std::move(source_);
}

// --- Attributes ---

AttributeRef HloReader::Rows(absl::Span<const std::vector<int64_t>> rows, int64_t width) {
  std::vector<int64_t> flat;
  for (const std::vector<int64_t>& row : rows) {
    flat.insert(flat.end(), row.begin(), row.end());
    flat.resize(flat.size() + static_cast<size_t>(width) - row.size(), -1);
  }
  const int64_t sizes[] = {static_cast<int64_t>(rows.size()), width};
  return context().arena().New<mlir::DenseAttribute>(
      mlir::Attribute{mlir::AttributeKind::kDense}, flat.size() == 1,
      context().RankedTensor(sizes, context().Integer(64)), context().I64Array(flat)->data);
}

AttributeRef HloReader::Precision(const Precisions& precision, std::string_view dialect) {
  std::vector<AttributeRef> values;
  for (const PrecisionConfig_Precision value : precision.values) {
    values.push_back(context().DialectOf(dialect, "precision",
                                         value == PrecisionConfig_Precision_HIGHEST ? "HIGHEST"
                                         : value == PrecisionConfig_Precision_HIGH  ? "HIGH"
                                                                                    : "DEFAULT"));
  }
  return context().Array(values);
}

bool IsSplatConstant(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kBroadcast &&
         instruction.extras().frontend_attributes.contains(kSplatAttribute) &&
         instruction.operand(0)->opcode() == HloOpcode::kConstant &&
         instruction.operand(0)->shape().IsArray() &&
         instruction.operand(0)->shape().dimensions().empty();
}

absl::StatusOr<AttributeRef> HloReader::Splat(const HloInstruction& instruction,
                                              const Literal& scalar) {
  XLA_ASSIGN_OR_RETURN(const TypeRef type, TypeOf(instruction.shape()));
  const auto* data = static_cast<const char*>(scalar.untyped_data());
  const absl::Span<const char> bytes =
      absl::MakeConstSpan(data, static_cast<size_t>(scalar.size_bytes()));
  return context().arena().New<mlir::DenseAttribute>(mlir::Attribute{mlir::AttributeKind::kDense},
                                                     /*is_splat=*/true, type,
                                                     context().arena().Copy(bytes));
}

absl::StatusOr<AttributeRef> HloReader::Dense(const HloInstruction& instruction,
                                              const Literal& literal) {
  if (!literal.shape().IsArray()) return Unimplemented(instruction, "a constant of this shape");
  XLA_ASSIGN_OR_RETURN(const TypeRef type, TypeOf(literal.shape()));
  const Literal row_major = literal.Relayout(LayoutUtil::GetDefaultLayoutForShape(literal.shape()));
  const auto* data = static_cast<const char*>(row_major.untyped_data());
  const absl::Span<const char> bytes =
      absl::MakeConstSpan(data, static_cast<size_t>(row_major.size_bytes()));
  return context().arena().New<mlir::DenseAttribute>(mlir::Attribute{mlir::AttributeKind::kDense},
                                                     mlir::NumElements(*type) == 1, type,
                                                     context().arena().Copy(bytes));
}

absl::StatusOr<std::unique_ptr<mlir::Source>> TranslateFromHlo(const HloModule& module,
                                                               std::string_view entry_name) {
  return HloReader(module).Run(entry_name);
}

}  // namespace xla::stablehlo
