// SPDX-License-Identifier: Apache-2.0
// Values, shapes, attributes and regions on the way to HLO.
#include "xla/stablehlo/translator.h"

#include <algorithm>
#include <cstring>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/clone.h"
#include "xla/hlo/shape_inference/shape_inference.h"
#include "xla/literal.h"
#include "xla/mlir/bytecode_reader.h"
#include "xla/mlir/element_type.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/constant_values.h"
#include "xla/stablehlo/syntax.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;
using mlir::TypeRef;
using mlir::Value;

// The integers of an array, a dense array or a constant; false if it is something else.
bool ListIntegers(AttributeRef attribute, std::vector<int64_t>* values) {
  constexpr int64_t kMaxEntries = int64_t{1} << 24;
  if (const auto* array = attribute->As<mlir::ArrayAttribute>()) {
    for (const AttributeRef element : array->elements) {
      const auto* integer = element->As<mlir::IntegerAttribute>();
      if (integer == nullptr) return false;
      values->push_back(integer->value);
    }
    return true;
  }
  if (const auto* array = attribute->As<mlir::DenseArrayAttribute>()) {
    if (array->element->kind != mlir::TypeKind::kInteger) return false;
    for (int64_t i = 0; i < array->count; ++i) {
      values->push_back(mlir::DenseInteger(*array->element, array->data, i));
    }
    return true;
  }
  const auto* dense = attribute->As<mlir::DenseAttribute>();
  if (dense == nullptr || (dense->type->element->kind != mlir::TypeKind::kInteger &&
                           dense->type->element->kind != mlir::TypeKind::kIndex)) {
    return false;
  }
  const int64_t count = mlir::NumElements(*dense->type);
  if (count > kMaxEntries) return false;
  for (int64_t i = 0; i < count; ++i) {
    values->push_back(
        mlir::DenseInteger(*dense->type->element, dense->data, dense->is_splat ? 0 : i));
  }
  return true;
}

const HandlerTable& Handlers() {
  static const HandlerTable* const handlers = [] {
    auto* table = new HandlerTable();
    AddElementwiseHandlers(table);
    AddReshapeHandlers(table);
    AddGatherScatterHandlers(table);
    AddReduceHandlers(table);
    AddContractionHandlers(table);
    AddControlHandlers(table);
    AddCollectiveHandlers(table);
    AddEffectHandlers(table);
    AddFunctionHandlers(table);
    AddShardingHandlers(table);
    AddParallelHandlers(table);
    AddMhloHandlers(table);
    AddShapeHandlers(table);
    return table;
  }();
  return *handlers;
}

}  // namespace

Translator::Translator(mlir::Source* source, const EntryArguments& arguments, bool releases)
    : source_(*source), arguments_(arguments), releases_(releases) {
  for (const auto& [name, operation_name] : source->names) {
    const auto found = Handlers().find(name);
    if (found != Handlers().end()) handlers_.emplace(operation_name.get(), found->second);
  }
}

absl::Status Translator::TranslateAs(const Operation& operation, std::string_view name,
                                     absl::Span<const mlir::NamedAttribute> attributes) {
  const auto handler = Handlers().find(name);
  if (handler == Handlers().end()) return Unimplemented(operation, "the translation to HLO");
  Operation other = operation;
  other.name = source_.Name(name, AllDialects());
  other.attributes = attributes;
  return handler->second(*this, other);
}

// --- Errors ---

absl::Status Translator::Error(const Operation& operation, std::string_view message) const {
  const std::string text = absl::StrCat(View(operation.name->text), ": ", View(message));
  if (mlir::IsBytecode(source_.text)) {
    return absl::InvalidArgumentError(
        absl::StrCat(source_.name, ", offset ", operation.offset, ": ", text));
  }
  return mlir::ErrorAt(source_.name, source_.text, operation.offset, text);
}

absl::Status Translator::Unimplemented(const Operation& operation, std::string_view message) const {
  return absl::UnimplementedError(
      Error(operation, absl::StrCat(View(message), " is not implemented")).message());
}

// --- Values and instructions ---

std::vector<HloInstruction*> Translator::Operands(const Operation& operation) const {
  std::vector<HloInstruction*> operands;
  operands.reserve(operation.operands.size());
  for (const Value* operand : operation.operands) operands.push_back(Get(operand));
  return operands;
}

void Translator::SetResults(const Operation& operation, HloInstruction* instruction) {
  if (operation.results.size() == 1) return Set(operation.results[0], instruction);
  for (size_t i = 0; i < operation.results.size(); ++i) {
    Set(operation.results[i], Element(instruction, static_cast<int64_t>(i)));
  }
}

HloInstruction* Translator::Emit(HloOpcode opcode, Shape shape,
                                 absl::Span<HloInstruction* const> operands, Attributes attributes,
                                 absl::Span<HloComputation* const> called) {
  if (shape.IsTuple()) tuple_elements_ += ShapeUtil::SubshapeCount(shape);
  emitted_.push_back(computation_->AddInstruction(
      HloInstruction::Create(opcode, std::move(shape), operands, std::move(attributes), called)));
  return emitted_.back();
}

absl::Status Translator::CountText(const Operation& operation, size_t bytes) {
  constexpr size_t kAlways = size_t{1} << 26, kForEachValue = 1024;
  const size_t most = kAlways + kForEachValue * is_constant_.size();
  text_bytes_ += bytes;
  if (text_bytes_ <= most) return absl::OkStatus();
  return Error(operation, absl::StrCat("the attributes and locations of all operations have more "
                                       "than ",
                                       most, " bytes"));
}

absl::StatusOr<std::string> Translator::OwnText(const Operation& operation,
                                                AttributeRef attribute) {
  const auto* string = attribute->As<mlir::StringAttribute>();
  std::string text = string != nullptr ? std::string(string->value) : ToString(attribute);
  XLA_RETURN_IF_ERROR(CountText(operation, text.size()));
  return text;
}

// Types are shared, and may have very many parts; shapes are not.
absl::Status Translator::CheckTuples(const Operation& operation) const {
  constexpr int64_t kAlways = int64_t{1} << 20, kForEachValue = 32;
  const int64_t most = kAlways + kForEachValue * static_cast<int64_t>(is_constant_.size());
  if (tuple_elements_ <= most) return absl::OkStatus();
  return Error(operation,
               absl::StrCat("the shapes of all tuples have more than ", most, " elements"));
}

HloInstruction* Translator::Element(HloInstruction* tuple, int64_t index) {
  TupleIndexAttributes attributes;
  attributes.index = index;
  return Emit(HloOpcode::kGetTupleElement, tuple->shape().tuple_shapes(static_cast<int>(index)),
              {tuple}, attributes);
}

HloInstruction* Translator::Inline(const HloComputation& computation,
                                   absl::Span<HloInstruction* const> arguments) {
  CloneMap map;
  for (size_t i = 0; i < arguments.size(); ++i) {
    map.instructions[computation.parameter_instruction(static_cast<int64_t>(i))] = arguments[i];
  }
  for (const HloComputation* called : computation.parent()->MakeComputationPostOrder()) {
    if (called != &computation) CloneComputation(*called, module_.get(), &map);
  }
  return CloneInstructionsInto(computation, computation_, &map);
}

HloComputation* Translator::OwnComputation(HloComputation* computation) {
  // Copies of larger ones, or of what they call, might outgrow the program.
  constexpr int64_t kMaxCopied = 16;
  bool is_small = computation->instruction_count() <= kMaxCopied;
  for (const HloInstruction* instruction : computation->instructions()) {
    is_small = is_small && instruction->called_computations().empty();
  }
  if (is_small) {
    CloneMap map;
    return CloneComputation(*computation, module_.get(), &map);
  }
  HloComputation* result = module_->AddComputation(computation->name());
  std::vector<HloInstruction*> parameters;
  for (int64_t i = 0; i < computation->num_parameters(); ++i) {
    const HloInstruction* parameter = computation->parameter_instruction(i);
    parameters.push_back(result->AddInstruction(
        HloInstruction::CreateParameter(i, parameter->shape(), parameter->name())));
  }
  result->set_root_instruction(result->AddInstruction(
      HloInstruction::Create(HloOpcode::kCall, computation->root_instruction()->shape(), parameters,
                             CallAttributes(), {computation})));
  return result;
}

HloInstruction* Translator::TupleUnlessOne(absl::Span<HloInstruction* const> elements) {
  if (elements.size() == 1) return elements[0];
  std::vector<Shape> shapes;
  for (const HloInstruction* element : elements) shapes.push_back(element->shape());
  return Emit(HloOpcode::kTuple, ShapeUtil::MakeTupleShape(shapes), elements);
}

HloInstruction* Translator::BroadcastScalar(HloInstruction* instruction, const Shape& shape) {
  if (instruction->shape().dimensions().size() == shape.dimensions().size()) return instruction;
  Shape wide = shape;
  wide.set_element_type(instruction->shape().element_type());
  return Emit(HloOpcode::kBroadcast, wide, {instruction}, DimensionListAttributes{});
}

absl::StatusOr<HloInstruction*> Translator::BroadcastInDim(const Operation& operation,
                                                           HloInstruction* operand,
                                                           const Shape& shape,
                                                           absl::Span<const int64_t> dimensions) {
  const Shape& from = operand->shape();
  if (dimensions.size() != from.dimensions().size()) {
    return Error(operation, absl::StrCat("broadcast_dimensions has ", dimensions.size(),
                                         " entries, the operand rank ", from.dimensions().size()));
  }
  // HLO's broadcast keeps sizes: dimensions of size 1 that are stretched are taken away first.
  DimensionListAttributes attributes;
  std::vector<int64_t> kept;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] < 0 || dimensions[i] >= static_cast<int64_t>(shape.dimensions().size())) {
      return Error(operation,
                   absl::StrCat("dimension ", dimensions[i], " is not one of the result"));
    }
    const int64_t size = from.dimensions(static_cast<int>(i));
    if (size == 1 && shape.dimensions(static_cast<int>(dimensions[i])) != 1) continue;
    kept.push_back(size);
    attributes.dimensions.push_back(dimensions[i]);
  }
  if (kept.size() != dimensions.size()) {
    operand = Emit(HloOpcode::kReshape, ShapeUtil::MakeShape(from.element_type(), kept), {operand},
                   ReshapeAttributes{});
  }
  return Emit(HloOpcode::kBroadcast, shape, {operand}, attributes);
}

absl::Status Translator::EmitResults(const Operation& operation, HloOpcode opcode,
                                     absl::Span<HloInstruction* const> operands,
                                     Attributes attributes,
                                     absl::Span<HloComputation* const> called) {
  // Sizes that stay open are as the program states them.
  const bool infers =
      HasOpenResult(operation) &&
      std::none_of(operands.begin(), operands.end(), [](HloInstruction* operand) {
        return operand->shape().IsArray() && operand->shape().is_unbounded_dynamic();
      });
  absl::StatusOr<Shape> shape = infers
                                    ? InferResult(operation, opcode, operands, attributes, called)
                                    : ResultShape(operation);
  if (!shape.ok()) return shape.status();
  SetResults(operation, Emit(opcode, *std::move(shape), operands, std::move(attributes), called));
  return absl::OkStatus();
}

// The shape that follows from the operands.
absl::StatusOr<Shape> Translator::InferResult(const Operation& operation, HloOpcode opcode,
                                              absl::Span<HloInstruction* const> operands,
                                              const Attributes& attributes,
                                              absl::Span<HloComputation* const> called) {
  std::vector<const Shape*> shapes;
  for (const HloInstruction* operand : operands) shapes.push_back(&operand->shape());
  std::vector<ProgramShape> signatures;
  for (const HloComputation* computation : called) {
    signatures.push_back(computation->ComputeProgramShape());
  }
  std::vector<const ProgramShape*> callees;
  for (const ProgramShape& signature : signatures) callees.push_back(&signature);
  Shape declared;
  InferenceInput input{opcode, shapes, attributes, callees};
  if (operation.results.size() == 1 && !operands.empty()) {
    declared = operands[0]->shape();
    XLA_ASSIGN_OR_RETURN(const PrimitiveType element,
                         ElementType(operation, operation.results[0].type->element));
    if (declared.IsArray()) declared.set_element_type(element);
    const bool keeps_shape = opcode == HloOpcode::kConvert || opcode == HloOpcode::kBitcastConvert;
    if (keeps_shape) input.declared = &declared;
  }
  auto shape = InferShape(input);
  if (!shape.ok()) return Error(operation, std::string(shape.status().message()));
  if (shape->IsArray() && operation.results.size() == 1) {
    shape->set_element_type(declared.element_type());
  }
  return shape;
}

absl::StatusOr<HloInstruction*> Translator::Constant(const Operation& operation,
                                                     const mlir::DenseAttribute& dense) {
  // Larger ones are not compared: they are rarely equal.
  constexpr size_t kMaxComparedBytes = 64;
  const std::string_view bytes(dense.data.data(), dense.data.size());
  const bool is_small = bytes.size() <= kMaxComparedBytes;
  const size_t hash =
      is_small ? absl::HashOf(computation_, dense.type, dense.is_splat, bytes) : size_t{0};
  if (is_small && operation.attributes.size() == 1 && !keeps_shardy()) {
    if (HloInstruction* known = FindConstant(hash, dense)) return known;
  }
  XLA_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(operation, dense.type));
  const bool broadcasts = dense.is_splat && ShapeUtil::ElementsIn(shape) != 1;
  const Shape stored = broadcasts ? ShapeUtil::MakeShape(shape.element_type(), {}) : shape;
  Literal literal(stored);
  const absl::Span<const char> data = dense.data;
  if (static_cast<size_t>(literal.size_bytes()) != data.size()) {
    return Error(operation, absl::StrCat("a constant has ", data.size(), " bytes, its shape ",
                                         literal.size_bytes()));
  }
  if (!data.empty()) std::memcpy(literal.untyped_data(), data.data(), data.size());
  HloInstruction* constant =
      computation_->AddInstruction(HloInstruction::CreateConstant(std::move(literal)));
  emitted_.push_back(constant);
  HloInstruction* result = broadcasts ? BroadcastScalar(constant, shape) : constant;
  if (broadcasts && keeps_shardy()) {
    result->mutable_extras().frontend_attributes[kSplatAttribute] = "true";
  }
  if (is_small) constants_.try_emplace(hash, KnownConstant{dense.type, constant, result});
  return result;
}

HloInstruction* Translator::FindConstant(size_t hash, const mlir::DenseAttribute& dense) const {
  const auto found = constants_.find(hash);
  if (found == constants_.end()) return nullptr;
  const KnownConstant& known = found->second;
  const Literal& literal = known.constant->literal();
  const bool is_equal =
      known.constant->parent() == computation_ && known.type == dense.type &&
      static_cast<size_t>(literal.size_bytes()) == dense.data.size() &&
      (dense.data.empty() ||
       std::memcmp(literal.untyped_data(), dense.data.data(), dense.data.size()) == 0);
  return is_equal ? known.result : nullptr;
}

bool Translator::ReplaceByOperand(const Operation& operation, const Shape& shape) {
  HloInstruction* operand = Operand(operation, 0);
  if (operand->shape() != shape) return false;
  SetResults(operation, operand);
  return true;
}

absl::StatusOr<HloComputation*> Translator::ScalarComputation(HloOpcode opcode,
                                                              PrimitiveType type) {
  HloComputation* result = module_->AddComputation(HloOpcodeString(opcode));
  const Shape scalar = ShapeUtil::MakeShape(type, {});
  HloInstruction* lhs = result->AddInstruction(HloInstruction::CreateParameter(0, scalar, "lhs"));
  HloInstruction* rhs = result->AddInstruction(HloInstruction::CreateParameter(1, scalar, "rhs"));
  result->set_root_instruction(
      result->AddInstruction(HloInstruction::Create(opcode, scalar, {lhs, rhs})));
  return result;
}

int64_t Translator::Channel(int64_t id, std::string_view operation) {
  while (true) {
    const auto [known, is_new] = channels_.emplace(id, operation);
    next_channel_ = std::max(next_channel_, id + 1);
    if (is_new || known->second == operation) return id;
    id = next_channel_;
  }
}

void Translator::SetDevices(int64_t replicas, int64_t partitions) {
  module_->config().set_replica_count(replicas);
  module_->config().set_num_partitions(partitions);
}

// --- Shapes ---

absl::StatusOr<PrimitiveType> Translator::ElementType(const Operation& operation, TypeRef type) {
  if (type->kind == mlir::TypeKind::kQuantized) {
    if (computes_expressed_) return ElementType(operation, type->element);
    mlir::Type storage = *type->storage;
    storage.signedness = type->signedness;
    return ElementType(operation, source_.context.Intern(storage));
  }
  const PrimitiveType result = mlir::PrimitiveTypeOf(*type);
  if (result != PRIMITIVE_TYPE_INVALID) return result;
  return Unimplemented(operation, absl::StrCat("the element type ", mlir::ToString(type)));
}

absl::StatusOr<Shape> Translator::ShapeOf(const Operation& operation, TypeRef type) {
  if (type->IsDialect("stablehlo", "token")) return ShapeUtil::MakeTokenShape();
  if (type->kind == mlir::TypeKind::kTuple) {
    tuple_elements_ += static_cast<int64_t>(type->types.size());
    XLA_RETURN_IF_ERROR(CheckTuples(operation));
    std::vector<Shape> shapes;
    for (const TypeRef element : type->types) {
      XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(operation, element));
      shapes.push_back(std::move(shape));
    }
    return ShapeUtil::MakeTupleShape(shapes);
  }
  if (type->kind != mlir::TypeKind::kRankedTensor) {
    return Unimplemented(operation, absl::StrCat("the type ", mlir::ToString(type)));
  }
  const bool is_known_type = !computes_expressed_;
  if (is_known_type) {
    const auto known = shapes_.find(type);
    if (known != shapes_.end()) return known->second;
  }
  XLA_ASSIGN_OR_RETURN(const PrimitiveType element, ElementType(operation, type->element));
  std::vector<int64_t> bounds;
  const auto* extensions =
      type->encoding == nullptr ? nullptr : type->encoding->As<mlir::DialectAttribute>();
  if (extensions != nullptr && extensions->Is("stablehlo", "type_extensions")) {
    XLA_ASSIGN_OR_RETURN(bounds, Parameters(operation, *extensions, "bounds"));
  }
  std::vector<int64_t> sizes(type->sizes.begin(), type->sizes.end());
  std::vector<bool> dynamic(sizes.size(), false);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] != mlir::kDynamic) continue;
    const bool is_bounded = i < bounds.size() && bounds[i] != mlir::kDynamic;
    sizes[i] = is_bounded ? bounds[i] : Shape::kUnboundedSize;
    dynamic[i] = true;
  }
  // Checks that the number of bytes fits 64 bits.
  XLA_ASSIGN_OR_RETURN(Shape shape, ShapeUtil::MakeValidatedShape(element, sizes, dynamic));
  if (is_known_type) shapes_.emplace(type, shape);
  return shape;
}

bool Translator::IsOpen(TypeRef type) {
  if (type->kind != mlir::TypeKind::kRankedTensor) {
    return type->kind == mlir::TypeKind::kUnrankedTensor;
  }
  return type->encoding == nullptr &&
         std::find(type->sizes.begin(), type->sizes.end(), mlir::kDynamic) != type->sizes.end();
}

bool Translator::HasOpenResult(const Operation& operation) {
  for (const Value& result : operation.results) {
    if (IsOpen(result.type)) return true;
  }
  return false;
}

absl::StatusOr<Shape> Translator::ShapeWithSizes(const Operation& operation, TypeRef type,
                                                 absl::Span<const int64_t> sizes) {
  XLA_ASSIGN_OR_RETURN(const PrimitiveType element, ElementType(operation, type->element));
  bool agrees = type->kind == mlir::TypeKind::kUnrankedTensor || type->sizes.size() == sizes.size();
  for (size_t i = 0; agrees && i < type->sizes.size(); ++i) {
    agrees = type->sizes[i] == mlir::kDynamic || type->sizes[i] == sizes[i];
  }
  if (!agrees) {
    return Error(operation, absl::StrCat("the sizes [", absl::StrJoin(sizes, ", "),
                                         "] do not fit the type ", mlir::ToString(type)));
  }
  XLA_ASSIGN_OR_RETURN(Shape shape, ShapeUtil::MakeValidatedShape(element, sizes));
  return shape;
}

absl::StatusOr<Shape> Translator::ResultShape(const Operation& operation) {
  if (operation.results.size() == 1) return ShapeOf(operation, operation.results[0].type);
  std::vector<Shape> shapes;
  for (const Value& result : operation.results) {
    XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(operation, result.type));
    shapes.push_back(std::move(shape));
  }
  return ShapeUtil::MakeTupleShape(shapes);
}

// --- Attributes ---

absl::StatusOr<int64_t> Translator::Integer(const Operation& operation,
                                            std::string_view name) const {
  const AttributeRef attribute = operation.Find(name);
  const auto* integer = attribute == nullptr ? nullptr : attribute->As<mlir::IntegerAttribute>();
  if (integer != nullptr) return integer->value;
  return Error(operation, absl::StrCat("needs the integer attribute '", View(name), "'"));
}

int64_t Translator::IntegerOr(const Operation& operation, std::string_view name,
                              int64_t value) const {
  const auto integer = Integer(operation, name);
  return integer.ok() ? *integer : value;
}

bool Translator::Flag(const Operation& operation, std::string_view name) const {
  const AttributeRef attribute = operation.Find(name);
  if (attribute == nullptr) return false;
  const auto* integer = attribute->As<mlir::IntegerAttribute>();
  return attribute->kind == mlir::AttributeKind::kUnit ||
         (integer != nullptr && integer->value != 0);
}

absl::StatusOr<std::vector<int64_t>> Translator::Integers(const Operation& operation,
                                                          std::string_view name) const {
  const AttributeRef attribute = operation.Find(name);
  std::vector<int64_t> values;
  if (attribute != nullptr && ListIntegers(attribute, &values)) return values;
  return Error(operation,
               absl::StrCat("needs the attribute '", View(name), "', a list of integers"));
}

absl::StatusOr<std::vector<std::vector<int64_t>>> Translator::IntegerLists(
    const Operation& operation, std::string_view name) const {
  const AttributeRef attribute = operation.Find(name);
  const auto* array = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  std::vector<std::vector<int64_t>> lists;
  if (array != nullptr) {
    for (const AttributeRef element : array->elements) {
      if (!ListIntegers(element, &lists.emplace_back())) break;
    }
    if (lists.size() == array->elements.size()) return lists;
  }
  return Error(operation, absl::StrCat("needs the attribute '", View(name),
                                       "', an array of lists of integers"));
}

absl::StatusOr<std::vector<int64_t>> Translator::IntegersOr(const Operation& operation,
                                                            std::string_view name, size_t count,
                                                            int64_t value) const {
  if (operation.Find(name) == nullptr) return std::vector<int64_t>(count, value);
  XLA_ASSIGN_OR_RETURN(std::vector<int64_t> values, Integers(operation, name));
  if (values.size() == count) return values;
  return Error(operation, absl::StrCat("'", View(name), "' has ", values.size(),
                                       " entries, expected ", count));
}

absl::StatusOr<std::string_view> Translator::String(const Operation& operation,
                                                    std::string_view name) const {
  const AttributeRef attribute = operation.Find(name);
  if (attribute != nullptr) {
    if (const auto* string = attribute->As<mlir::StringAttribute>()) return string->value;
    if (const auto* symbol = attribute->As<mlir::SymbolRefAttribute>()) return symbol->root;
  }
  return Error(operation, absl::StrCat("needs the attribute '", View(name), "', a string"));
}

std::string_view Translator::Keyword(const Operation& operation, std::string_view name) const {
  const AttributeRef attribute = operation.Find(name);
  const auto* keyword = attribute == nullptr ? nullptr : attribute->As<mlir::DialectAttribute>();
  return keyword == nullptr ? std::string_view() : keyword->text;
}

absl::StatusOr<const mlir::DialectAttribute*> Translator::Struct(const Operation& operation,
                                                                 std::string_view name) const {
  const AttributeRef attribute = operation.Find(name);
  const auto* value = attribute == nullptr ? nullptr : attribute->As<mlir::DialectAttribute>();
  if (value != nullptr) return value;
  return Error(operation, absl::StrCat("needs the attribute '", View(name), "'"));
}

absl::StatusOr<int64_t> Translator::Parameter(const Operation& operation,
                                              const mlir::DialectAttribute& attribute,
                                              std::string_view name) const {
  const AttributeRef value = mlir::FindAttribute(attribute.parameters, name);
  // Indices that are 0 may be left away.
  if (value == nullptr) return 0;
  const auto* integer = value->As<mlir::IntegerAttribute>();
  if (integer != nullptr) return integer->value;
  return Error(operation, absl::StrCat("'", View(name), "' must be an integer"));
}

absl::StatusOr<std::vector<OutputOperandAlias>> Translator::OutputOperandAliases(
    const Operation& operation) const {
  std::vector<OutputOperandAlias> aliases;
  const AttributeRef attribute = operation.Find("output_operand_aliases");
  const auto* array = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  if (array == nullptr) return aliases;
  for (const AttributeRef element : array->elements) {
    const auto* alias = element->As<mlir::DialectAttribute>();
    if (alias == nullptr) return Error(operation, "an alias is not valid");
    OutputOperandAlias result;
    XLA_ASSIGN_OR_RETURN(result.output_index,
                         Parameters(operation, *alias, "output_tuple_indices"));
    XLA_ASSIGN_OR_RETURN(result.operand, Parameter(operation, *alias, "operand_index"));
    XLA_ASSIGN_OR_RETURN(result.operand_index,
                         Parameters(operation, *alias, "operand_tuple_indices"));
    aliases.push_back(std::move(result));
  }
  return aliases;
}

absl::StatusOr<std::vector<int64_t>> Translator::Parameters(const Operation& operation,
                                                            const mlir::DialectAttribute& attribute,
                                                            std::string_view name) const {
  const AttributeRef value = mlir::FindAttribute(attribute.parameters, name);
  std::vector<int64_t> values;
  if (value == nullptr || ListIntegers(value, &values)) return values;
  return Error(operation, absl::StrCat("'", View(name), "' must be a list of integers"));
}

absl::StatusOr<std::vector<int64_t>> Translator::IndexList(
    const Operation& operation, absl::Span<const mlir::NamedAttribute> entries,
    std::string_view name) const {
  const AttributeRef value = mlir::FindAttribute(entries, name);
  std::vector<int64_t> values;
  if (value == nullptr || ListIntegers(value, &values)) return values;
  return Error(operation, absl::StrCat("'", View(name), "' must be a list of integers"));
}

absl::StatusOr<std::vector<int64_t>> Translator::ConstantOperand(const Operation& operation,
                                                                 size_t i) const {
  if (const auto known = ConstantValues(*Get(operation.operands[i]))) return *known;
  return Unimplemented(operation, absl::StrCat("operand ", i, " that is not a constant"));
}

}  // namespace xla::stablehlo
