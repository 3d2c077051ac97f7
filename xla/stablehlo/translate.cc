// SPDX-License-Identifier: Apache-2.0
// Modules, functions and regions of StableHLO as HLO.
#include "xla/stablehlo/translate.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/literal.h"
#include "xla/mlir/bytecode_reader.h"
#include "xla/mlir/dense_data.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/sdy_round_trip.h"
#include "xla/stablehlo/syntax.h"
#include "xla/stablehlo/translator.h"
#include "xla/stablehlo/verifier.h"
#include "xla/stablehlo/vhlo.h"

namespace xla::stablehlo {
namespace {

using mlir::Block;
using mlir::Operation;
using mlir::Region;
using mlir::Value;

// Operations that are translated in place of calls.
constexpr int64_t kMaxInlined = int64_t{1} << 20;

bool IsReturn(const Operation& operation) {
  return operation.Is("stablehlo.return") || operation.Is("func.return") ||
         operation.Is("sdy.return");
}

// The entry of a module, or null and why there is none.
const Operation* FindEntry(const Operation& module, std::string_view wanted, std::string* why) {
  *why = "there is no function";
  if (module.regions.empty() || module.regions[0].empty()) return nullptr;
  const Operation* main = nullptr;
  const Operation* only = nullptr;
  const Operation* only_public = nullptr;
  int count = 0, public_count = 0;
  std::string names;
  for (const Operation& operation : *module.regions[0].first) {
    if (!operation.Is("func.func")) continue;
    const auto text = [&](std::string_view attribute) {
      const mlir::AttributeRef value = operation.Find(attribute);
      const auto* string = value == nullptr ? nullptr : value->As<mlir::StringAttribute>();
      return string == nullptr ? std::string_view() : string->value;
    };
    const std::string_view name = text("sym_name");
    if (name == (wanted.empty() ? "main" : wanted)) main = &operation;
    only = &operation;
    ++count;
    if (text("sym_visibility") != "private") {
      only_public = &operation;
      ++public_count;
    }
    constexpr size_t kLongestList = 200;
    if (names.size() < kLongestList)
      absl::StrAppend(&names, names.empty() ? "" : ", ", "@", View(name));
  }
  if (main == nullptr && wanted.empty()) {
    main = count == 1 ? only : public_count == 1 ? only_public : nullptr;
  }
  if (main == nullptr && count > 0) {
    *why = absl::StrCat("there is no function @", wanted.empty() ? "main" : View(wanted),
                        "; there are: ", names);
  }
  return main;
}

// stablehlo.constant, arith.constant and the like.
bool IsConstantOperation(const Operation& operation) {
  if (!absl::EndsWith(View(operation.name->text), ".constant")) return false;
  const mlir::AttributeRef value = operation.Find("value");
  return value != nullptr && value->kind == mlir::AttributeKind::kDense;
}

// Whether an operation that is not translated may stay out as long as nothing that is translated
// uses it.
bool IsPure(const Operation& operation) {
  if (!operation.regions.empty()) return false;
  const std::string_view name = operation.name->text;
  const std::string_view dialect = name.substr(0, name.find('.'));
  return dialect == "arith" || dialect == "shape" || dialect == "tensor" ||
         name == "builtin.unrealized_conversion_cast" || name == "mhlo.minimum_broadcast_shapes";
}

// Calls `visit` with every operand within the region.
template <typename Function>
void VisitOperands(const Region& region, Function visit) {
  for (const Block* block = region.first; block != nullptr; block = block->next) {
    for (const Operation& operation : *block) {
      for (Value* operand : operation.operands) visit(operand);
      for (const Region& inner : operation.regions) VisitOperands(inner, visit);
    }
  }
}

// The constant that dense_resource<key> names. It stays where the source has no data of that key.
absl::StatusOr<mlir::AttributeRef> ResolveResource(mlir::AttributeRef value, mlir::Source* source) {
  const auto* resource = value->As<mlir::DenseResourceAttribute>();
  const auto found =
      resource == nullptr ? source->resources.end() : source->resources.find(resource->key);
  if (found == source->resources.end()) return value;
  std::string error;
  const mlir::DenseAttribute* dense =
      mlir::MakeDense(resource->type, found->second, &source->context, &error);
  if (dense != nullptr) return dense;
  return absl::InvalidArgumentError(
      absl::StrCat(source->name, ": the resource '", View(resource->key), "': ", error));
}

absl::Status ResolveResources(Operation* operation, mlir::Source* source) {
  for (Region& region : operation->regions) {
    for (Block* block = region.first; block != nullptr; block = block->next) {
      for (Operation& inner : *block) XLA_RETURN_IF_ERROR(ResolveResources(&inner, source));
    }
  }
  const auto is_resource = [](const mlir::NamedAttribute& attribute) {
    return attribute.value->kind == mlir::AttributeKind::kDenseResource;
  };
  if (std::none_of(operation->attributes.begin(), operation->attributes.end(), is_resource)) {
    return absl::OkStatus();
  }
  std::vector<mlir::NamedAttribute> attributes(operation->attributes.begin(),
                                               operation->attributes.end());
  for (mlir::NamedAttribute& attribute : attributes) {
    XLA_ASSIGN_OR_RETURN(attribute.value, ResolveResource(attribute.value, source));
  }
  operation->attributes = source->context.arena().Copy(attributes);
  return absl::OkStatus();
}

int64_t ModuleInteger(const Operation& module, std::string_view name) {
  const mlir::AttributeRef attribute = module.Find(name);
  const auto* integer = attribute == nullptr ? nullptr : attribute->As<mlir::IntegerAttribute>();
  return integer == nullptr || integer->value < 1 ? 1 : integer->value;
}

// What computed sizes that are known now.
absl::Status RemoveUnused(HloComputation* computation) {
  for (HloInstruction* instruction : computation->instructions()) {
    const bool is_removable = !instruction->IsDead() && instruction->user_count() == 0 &&
                              !instruction->IsRoot() && !instruction->HasSideEffect() &&
                              instruction->opcode() != HloOpcode::kParameter;
    if (!is_removable) continue;
    XLA_RETURN_IF_ERROR(computation->RemoveInstructionAndUnusedOperands(instruction));
  }
  return absl::OkStatus();
}

}  // namespace

// Ids of the values within a region are consecutive, so that a comparison tells where one is from.
void Translator::Number(const Operation& operation) {
  const bool is_constant = IsConstantOperation(operation);
  for (Value& result : operation.results) {
    if (is_constant) is_constant_.resize(next_id_ + 1);
    if (is_constant) is_constant_[next_id_] = true;
    result.id = next_id_++;
    const mlir::TypeRef element = result.type->element;
    has_quantized_ |= element != nullptr && element->kind == mlir::TypeKind::kQuantized;
  }
  for (const Region& region : operation.regions) {
    const uint32_t first = next_id_;
    for (const Block* block = region.first; block != nullptr; block = block->next) {
      for (Value& argument : block->arguments) {
        argument.id = next_id_++;
        const mlir::TypeRef element = argument.type->element;
        has_quantized_ |= element != nullptr && element->kind == mlir::TypeKind::kQuantized;
      }
      for (const Operation& inner : *block) Number(inner);
    }
    ranges_[&region] = {first, next_id_};
  }
}

const Operation* Translator::FindFunction(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

absl::StatusOr<std::unique_ptr<HloModule>> Translator::Run() {
  const Operation& module = *source_.module;
  Number(module);
  values_.assign(next_id_, nullptr);
  is_constant_.resize(next_id_);
  const mlir::AttributeRef name = module.Find("sym_name");
  const auto* text = name == nullptr ? nullptr : name->As<mlir::StringAttribute>();
  module_ = std::make_unique<HloModule>(text == nullptr ? "main" : std::string(text->value));
  if (module.regions.empty() || module.regions[0].empty()) {
    return Error(module, "there is no function");
  }
  for (const Operation& operation : *module.regions[0].first) {
    if (!operation.Is("func.func")) continue;
    XLA_ASSIGN_OR_RETURN(const std::string_view function, String(operation, "sym_name"));
    functions_.emplace(function, &operation);
  }
  XLA_RETURN_IF_ERROR(ReadMeshes(module));
  std::string why;
  const Operation* const main = FindEntry(module, arguments_.function, &why);
  if (main == nullptr) return Error(module, why);
  int64_t partitions = ModuleInteger(module, "mhlo.num_partitions");
  if (partitions > 1 && !arguments_.mesh_axes.empty()) {
    // The number that is stated is that of the meshes' own sizes.
    partitions = 1;
    for (const auto& [name, mesh] : meshes_) {
      int64_t devices = 1;
      for (const auto& [axis, size] : mesh.axes) devices *= size;
      partitions = std::max(partitions, devices);
    }
  }
  SetDevices(ModuleInteger(module, "mhlo.num_replicas"), partitions);
  XLA_ASSIGN_OR_RETURN(const std::string_view main_name, String(*main, "sym_name"));
  translated_[main_name] = nullptr;
  XLA_ASSIGN_OR_RETURN(HloComputation * entry, TranslateFunction(*main, arguments_));
  module_->set_entry_computation(entry);
  HloModuleConfig& config = module_->config();
  config.set_use_spmd_partitioning(config.num_partitions() > 1);
  if (const mlir::AttributeRef facts = module.Find("mhlo.frontend_attributes")) {
    XLA_RETURN_IF_ERROR(ReadFrontendAttributes(module, *facts, &config.frontend_attributes));
  }
  if (!arguments_.sizes.empty() || !arguments_.constants.empty()) {
    XLA_RETURN_IF_ERROR(RemoveUnused(entry));
  }
  module_->SetDefaultEntryLayout();
  XLA_RETURN_IF_ERROR(SetParameterAttributes(*main, &config));
  XLA_RETURN_IF_ERROR(SetModuleAttributes(module, &config));
  return std::move(module_);
}

absl::StatusOr<HloComputation*> Translator::Function(const Operation& operation,
                                                     std::string_view name) {
  const auto known = translated_.find(name);
  if (known != translated_.end()) {
    if (known->second != nullptr) return known->second;
    return Error(operation, absl::StrCat("@", View(name), " calls itself"));
  }
  const Operation* function = FindFunction(name);
  if (function == nullptr) {
    return Error(operation, absl::StrCat("there is no function @", View(name)));
  }
  translated_[name] = nullptr;
  XLA_ASSIGN_OR_RETURN(HloComputation * result, TranslateFunction(*function));
  translated_[name] = result;
  return result;
}

absl::StatusOr<HloComputation*> Translator::TranslateFunction(const Operation& function,
                                                              const EntryArguments& arguments) {
  if (depth_ >= mlir::kMaxNesting) return Error(function, "calls are nested too deep");
  if (function.regions.size() != 1 || !function.regions[0].HasOneBlock()) {
    return Error(function, "needs a body of one block");
  }
  const Block& block = *function.regions[0].first;
  XLA_ASSIGN_OR_RETURN(const std::string_view name, String(function, "sym_name"));
  HloComputation* outer = computation_;
  computation_ = module_->AddComputation(name);
  HloComputation* result = computation_;
  ++depth_;
  for (const Value& argument : block.arguments) {
    const auto sizes = arguments.sizes.find(argument.index);
    absl::StatusOr<Shape> shape = sizes != arguments.sizes.end()
                                      ? ShapeWithSizes(function, argument.type, sizes->second)
                                      : ShapeOf(function, argument.type);
    if (!shape.ok()) return shape.status();
    Set(argument, computation_->AddInstruction(HloInstruction::CreateParameter(
                      argument.index, *std::move(shape), absl::StrCat("Arg_", argument.index))));
    const auto constant = arguments.constants.find(argument.index);
    if (constant == arguments.constants.end()) continue;
    const PrimitiveType type = Get(&argument)->shape().element_type();
    if (!Get(&argument)->shape().dimensions().empty() || !primitive_util::IsIntegralType(type)) {
      return Error(function, absl::StrCat("argument ", argument.index,
                                          " is not an integer: it cannot have a value"));
    }
    Literal literal(ShapeUtil::MakeShape(type, {}));
    std::memcpy(literal.untyped_data(), &constant->second,
                static_cast<size_t>(literal.size_bytes()));
    Set(argument, computation_->AddInstruction(HloInstruction::CreateConstant(std::move(literal))));
  }
  XLA_RETURN_IF_ERROR(AnnotateArguments(function, *result));
  std::vector<HloInstruction*> returned;
  XLA_RETURN_IF_ERROR(TranslateBlock(block, &returned));
  BoxedOptional<HloSharding> sharding;
  XLA_RETURN_IF_ERROR(AnnotateResults(function, &returned, &sharding));
  HloInstruction* root = TupleUnlessOne(returned);
  if (sharding.has_value()) root->mutable_extras().sharding = std::move(sharding);
  computation_->set_root_instruction(root);
  --depth_;
  computation_ = outer;
  return result;
}

bool Translator::HasOpenSizes(std::string_view name) const {
  const Operation* function = FindFunction(name);
  const mlir::AttributeRef attribute =
      function == nullptr ? nullptr : function->Find("function_type");
  const auto* type = attribute == nullptr ? nullptr : attribute->As<mlir::TypeAttribute>();
  if (type == nullptr || type->type->kind != mlir::TypeKind::kFunction) return false;
  const auto is_open = [](mlir::TypeRef value) { return IsOpen(value); };
  return std::any_of(type->type->types.begin(), type->type->types.end(), is_open) ||
         std::any_of(type->type->results.begin(), type->type->results.end(), is_open);
}

absl::Status Translator::InlineFunction(const Operation& call, std::string_view name) {
  const Operation* function = FindFunction(name);
  if (function == nullptr || function->regions.size() != 1 || !function->regions[0].HasOneBlock()) {
    return Error(call, absl::StrCat("there is no function @", View(name), " with a body"));
  }
  const Block& block = *function->regions[0].first;
  if (block.arguments.size() != call.operands.size()) {
    return Error(call, absl::StrCat("@", View(name), " has another number of parameters"));
  }
  if (depth_ >= mlir::kMaxNesting) return Error(call, "calls are nested too deep");
  const std::vector<HloInstruction*> operands = Operands(call);
  for (size_t i = 0; i < operands.size(); ++i) Set(block.arguments[i], operands[i]);
  ++depth_;
  ++inlining_;
  // Other calls need the operations again.
  const bool releases = std::exchange(releases_, false);
  std::vector<HloInstruction*> returned;
  XLA_RETURN_IF_ERROR(TranslateBlock(block, &returned));
  releases_ = releases;
  --inlining_;
  --depth_;
  if (returned.size() != call.results.size()) {
    return Error(call, absl::StrCat("@", View(name), " returns another number of values"));
  }
  for (size_t i = 0; i < returned.size(); ++i) Set(call.results[i], returned[i]);
  return absl::OkStatus();
}

absl::Status Translator::LeftOutError(const LeftOut& left_out) const {
  Operation operation;
  operation.name = left_out.name;
  operation.offset = left_out.offset;
  return Unimplemented(operation, "the translation to HLO");
}

absl::Status Translator::TranslateBlock(const Block& block,
                                        std::vector<HloInstruction*>* returned) {
  const auto body = releases_ ? source_.bodies.find(&block) : source_.bodies.end();
  mlir::Arena* const arena = body == source_.bodies.end() ? nullptr : body->second.get();
  for (const Operation& operation : block) {
    for (const Value* operand : operation.operands) {
      if (operand != nullptr && Get(operand) != nullptr) continue;
      const auto left_out = operand == nullptr ? left_out_.end() : left_out_.find(operand->id);
      if (left_out == left_out_.end()) {
        return Error(operation, "an operand is used before its definition");
      }
      if (!IsPure(operation)) return LeftOutError(left_out->second);
    }
    // Without calls a program may be exponentially larger.
    if (inlining_ > 0 && ++inlined_ > kMaxInlined) {
      return Error(operation,
                   absl::StrCat("the functions of open sizes would be inlined as more than ",
                                kMaxInlined, " operations"));
    }
    if (IsReturn(operation)) {
      *returned = Operands(operation);
      return absl::OkStatus();
    }
    const auto handler = handlers_.find(operation.name);
    const size_t first = emitted_.size();
    const bool leaves_out =
        IsPure(operation) &&
        (handler == handlers_.end() ||
         std::any_of(operation.operands.begin(), operation.operands.end(),
                     [this](const Value* operand) { return Get(operand) == nullptr; }));
    if (leaves_out) {
      for (const Value& result : operation.results) {
        left_out_.emplace(result.id, LeftOut{operation.name, operation.offset});
      }
      continue;
    }
    if (has_quantized_ && ComputesExpressed(operation)) {
      XLA_RETURN_IF_ERROR(
          TranslateExpressed(operation, handler == handlers_.end() ? nullptr : handler->second));
    } else {
      if (handler == handlers_.end()) return Unimplemented(operation, "the translation to HLO");
      XLA_RETURN_IF_ERROR(handler->second(*this, operation));
    }
    XLA_RETURN_IF_ERROR(CheckTuples(operation));
    XLA_RETURN_IF_ERROR(AnnotateEmitted(operation, first));
    emitted_.resize(first);
    if (arena != nullptr) arena->FreeBefore(&operation);
  }
  return absl::InvalidArgumentError("a block does not end with a return");
}

std::vector<Value*> Translator::Captures(const Operation& operation) const {
  std::vector<Value*> captures;
  absl::flat_hash_set<const Value*> seen;
  for (const Region& region : operation.regions) {
    const Range range = ranges_.at(&region);
    VisitOperands(region, [&](Value* value) {
      if (value == nullptr || (value->id >= range.first && value->id < range.last)) return;
      if (!IsConstant(*value) && seen.insert(value).second) captures.push_back(value);
    });
  }
  return captures;
}

// Makes the constants of outside that the region uses in the current computation.
void Translator::CopyConstants(const Operation& operation, const Region& region,
                               std::vector<std::pair<uint32_t, HloInstruction*>>* saved,
                               absl::Status* status) {
  const Range range = ranges_.at(&region);
  absl::flat_hash_set<const Value*> seen;
  VisitOperands(region, [&](Value* value) {
    if (!status->ok() || value == nullptr) return;
    if ((value->id >= range.first && value->id < range.last) || !IsConstant(*value)) return;
    if (!seen.insert(value).second) return;
    HloInstruction* const outside = Get(value);
    if (outside == nullptr) {
      *status = Error(operation, "a constant is used before its definition");
      return;
    }
    const size_t first = emitted_.size();
    const bool is_broadcast = outside->opcode() == HloOpcode::kBroadcast;
    const HloInstruction* const constant = is_broadcast ? outside->operand(0) : outside;
    HloInstruction* copy = Emit(HloOpcode::kConstant, constant->shape(), {},
                                constant->attributes<ConstantAttributes>());
    if (is_broadcast) copy = BroadcastScalar(copy, outside->shape());
    // What is said of the operation that has the region is not said of them.
    *status =
        SetMetadata(operation, outside->metadata(), absl::MakeConstSpan(emitted_).subspan(first));
    emitted_.resize(first);
    saved->emplace_back(value->id, outside);
    values_[value->id] = copy;
  });
}

absl::StatusOr<HloComputation*> Translator::Reducer(const Operation& operation, size_t region) {
  if (region >= operation.regions.size() || !operation.regions[region].HasOneBlock()) {
    return Error(operation, "needs a region of one block");
  }
  const Block& block = *operation.regions[region].first;
  HloComputation* outer = computation_;
  computation_ = module_->AddComputation(absl::StrCat("region_", region));
  HloComputation* result = computation_;
  for (const Value& argument : block.arguments) {
    XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(operation, argument.type));
    Set(argument, computation_->AddInstruction(HloInstruction::CreateParameter(
                      argument.index, std::move(shape), absl::StrCat("Arg_", argument.index))));
  }
  const Range range = ranges_.at(&operation.regions[region]);
  absl::Status status;
  VisitOperands(operation.regions[region], [&](Value* value) {
    if (value == nullptr || (value->id >= range.first && value->id < range.last)) return;
    if (!IsConstant(*value) && status.ok()) {
      status = Error(operation, "the computation uses a value of outside that is not constant");
    }
  });
  std::vector<std::pair<uint32_t, HloInstruction*>> saved;
  CopyConstants(operation, operation.regions[region], &saved, &status);
  XLA_RETURN_IF_ERROR(status);
  std::vector<HloInstruction*> returned;
  XLA_RETURN_IF_ERROR(TranslateBlock(block, &returned));
  computation_->set_root_instruction(TupleUnlessOne(returned));
  for (const auto& [id, instruction] : saved) values_[id] = instruction;
  computation_ = outer;
  return result;
}

absl::StatusOr<HloComputation*> Translator::Body(const Operation& operation, size_t region,
                                                 absl::Span<Value* const> captures,
                                                 bool returns_captures) {
  if (region >= operation.regions.size() || !operation.regions[region].HasOneBlock()) {
    return Error(operation, "needs regions of one block");
  }
  const Block& block = *operation.regions[region].first;
  std::vector<const Value*> inputs;
  for (const Value& argument : block.arguments) inputs.push_back(&argument);
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  HloComputation* outer = computation_;
  computation_ = module_->AddComputation(absl::StrCat("region_", region));
  HloComputation* result = computation_;
  std::vector<Shape> shapes;
  for (const Value* input : inputs) {
    // An open size is that of what the value is at first.
    const Value* first = input->block == &block ? operation.operands[input->index] : input;
    if (IsOpen(input->type) && first->id < values_.size() && Get(first) != nullptr) {
      shapes.push_back(Get(first)->shape());
      continue;
    }
    XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(operation, input->type));
    shapes.push_back(std::move(shape));
  }
  HloInstruction* parameter = computation_->AddInstruction(HloInstruction::CreateParameter(
      0, shapes.size() == 1 ? shapes[0] : ShapeUtil::MakeTupleShape(shapes), "arg_tuple"));
  std::vector<std::pair<uint32_t, HloInstruction*>> saved;
  std::vector<HloInstruction*> elements;
  for (size_t i = 0; i < inputs.size(); ++i) {
    saved.emplace_back(inputs[i]->id, Get(inputs[i]));
    elements.push_back(inputs.size() == 1 ? parameter
                                          : Element(parameter, static_cast<int64_t>(i)));
    Set(*inputs[i], elements.back());
  }
  absl::Status status;
  CopyConstants(operation, operation.regions[region], &saved, &status);
  XLA_RETURN_IF_ERROR(status);
  std::vector<HloInstruction*> returned;
  XLA_RETURN_IF_ERROR(TranslateBlock(block, &returned));
  if (returns_captures) {
    returned.insert(returned.end(), elements.end() - static_cast<ptrdiff_t>(captures.size()),
                    elements.end());
  }
  computation_->set_root_instruction(TupleUnlessOne(returned));
  for (size_t i = saved.size(); i-- > 0;) values_[saved[i].first] = saved[i].second;
  computation_ = outer;
  return result;
}

absl::StatusOr<std::unique_ptr<HloModule>> TranslateToHlo(mlir::Source* source,
                                                          const EntryArguments& arguments,
                                                          bool releases) {
  if (arguments.shardy == ShardyForm::kRoundTrip) XLA_RETURN_IF_ERROR(ExportShardy(source));
  return Translator(source, arguments, releases).Run();
}

absl::StatusOr<std::unique_ptr<HloModule>> TranslateToHlo(mlir::Source* source,
                                                          const EntryArguments& arguments,
                                                          TranslatedValues* values) {
  Translator translator(source, arguments, /*releases=*/false);
  XLA_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, translator.Run());
  values->assign(translator.values().begin(), translator.values().end());
  return module;
}

bool LooksLikeMlir(std::string_view bytes) {
  if (mlir::IsBytecode(bytes)) return true;
  mlir::Arena arena;
  const mlir::TextCursor cursor(bytes, &arena);  // skips space and comments
  if (cursor.Peek('#') || cursor.Peek('!')) return true;
  const std::string_view word = cursor.PeekWord();
  return word == "module" || word == "builtin.module" || word == "func.func" ||
         word == "vhlo.func_v1" || word == "sdy.mesh" || cursor.PeekText("\"builtin.module\"");
}

bool IsComment(std::string_view text) {
  mlir::Arena arena;
  return mlir::TextCursor(text, &arena).AtEnd();
}

absl::StatusOr<std::unique_ptr<mlir::Source>> LoadStableHlo(std::string bytes, std::string name,
                                                            bool verify) {
  std::unique_ptr<mlir::Source> source;
  if (mlir::IsBytecode(bytes)) {
    // The header states the producer.
    constexpr size_t kHeader = 64;
    const bool is_portable = bytes.substr(0, kHeader).find("StableHLO_v") != std::string::npos;
    absl::StatusOr<std::unique_ptr<mlir::Source>> read =
        mlir::ReadBytecode(std::move(bytes), std::move(name), AllDialects(), BytecodeEncodings());
    if (!read.ok() && !is_portable) {
      return absl::Status(
          read.status().code(),
          absl::StrCat(read.status().message(),
                       "\nThis is no portable artifact of StableHLO; of bytecode, only these are "
                       "read (stablehlo.serialize_portable_artifact), besides text"));
    }
    XLA_ASSIGN_OR_RETURN(source, std::move(read));
  } else {
    XLA_ASSIGN_OR_RETURN(source, mlir::ReadText(std::move(bytes), std::move(name), AllDialects()));
  }
  XLA_RETURN_IF_ERROR(UpgradeVhlo(source.get()));
  if (!source->resources.empty()) {
    XLA_RETURN_IF_ERROR(ResolveResources(source->module, source.get()));
  }
  if (verify) XLA_RETURN_IF_ERROR(VerifyStableHlo(*source));
  return source;
}

absl::StatusOr<std::unique_ptr<HloModule>> ReadStableHlo(std::string bytes, std::string name,
                                                         const EntryArguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<mlir::Source> source,
                       LoadStableHlo(std::move(bytes), std::move(name)));
  return TranslateToHlo(source.get(), arguments, /*releases=*/true);
}

int64_t CountOpenArguments(const mlir::Source& source, const std::string& function) {
  std::string unused;
  const Operation* const entry = FindEntry(*source.module, function, &unused);
  if (entry == nullptr) return 0;
  const mlir::AttributeRef attribute = entry->Find("function_type");
  const auto* type = attribute == nullptr ? nullptr : attribute->As<mlir::TypeAttribute>();
  if (type == nullptr) return 0;
  for (const mlir::TypeRef argument : type->type->types) {
    if (argument->kind != mlir::TypeKind::kRankedTensor || argument->encoding != nullptr) continue;
    if (std::count(argument->sizes.begin(), argument->sizes.end(), mlir::kDynamic) > 0)
      return static_cast<int64_t>(type->type->types.size());
  }
  return 0;
}

}  // namespace xla::stablehlo
