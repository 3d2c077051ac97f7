// SPDX-License-Identifier: Apache-2.0
// The operations of StableHLO's interpreter: programs that run in parallel, prints and probes.
//
// Each device runs the whole of main. Where main runs programs in parallel, a device runs the one
// of its process, with the operands of that one; then the results of each process are broadcast to
// all devices.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"
#include "xla/stablehlo/translator.h"

namespace xla::stablehlo {
namespace {

using mlir::AttributeRef;
using mlir::Operation;

constexpr int64_t kMaxProcesses = 64;

struct Grid {
  int64_t replicas = 0;
  int64_t partitions = 0;
  std::vector<std::string_view> programs;  // of each process: replica * partitions + partition

  int64_t processes() const { return replicas * partitions; }
};

absl::StatusOr<Grid> ReadGrid(Translator& translator, const Operation& operation) {
  const AttributeRef attribute = operation.Find("programs");
  const auto* rows = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  if (rows == nullptr || rows->elements.empty()) {
    return translator.Error(operation, "needs the attribute 'programs', rows of functions");
  }
  Grid grid;
  grid.replicas = static_cast<int64_t>(rows->elements.size());
  for (const AttributeRef row : rows->elements) {
    const auto* programs = row->As<mlir::ArrayAttribute>();
    if (programs == nullptr || programs->elements.empty()) {
      return translator.Error(operation, "a row of 'programs' is not a list of functions");
    }
    if (grid.partitions == 0) grid.partitions = static_cast<int64_t>(programs->elements.size());
    if (grid.partitions != static_cast<int64_t>(programs->elements.size())) {
      return translator.Error(operation, "the rows of 'programs' have different lengths");
    }
    for (const AttributeRef program : programs->elements) {
      const auto* symbol = program->As<mlir::SymbolRefAttribute>();
      if (symbol == nullptr) return translator.Error(operation, "needs names of functions");
      grid.programs.push_back(symbol->root);
    }
  }
  if (grid.processes() > kMaxProcesses) {
    return translator.Unimplemented(operation,
                                    absl::StrCat("more than ", kMaxProcesses, " processes"));
  }
  return grid;
}

HloInstruction* Number(Translator& translator, int32_t value) {
  return translator.Emit(
      HloOpcode::kConstant, ShapeUtil::MakeShape(S32, {}), {},
      ConstantAttributes{{std::make_shared<Literal>(LiteralUtil::CreateR0<int32_t>(value))}});
}

// replica * partitions + partition, as s32.
HloInstruction* ProcessId(Translator& translator, const Grid& grid) {
  const Shape u32 = ShapeUtil::MakeShape(U32, {}), s32 = ShapeUtil::MakeShape(S32, {});
  HloInstruction* replica =
      translator.Emit(HloOpcode::kConvert, s32, {translator.Emit(HloOpcode::kReplicaId, u32, {})});
  HloInstruction* partition = translator.Emit(HloOpcode::kConvert, s32,
                                              {translator.Emit(HloOpcode::kPartitionId, u32, {})});
  HloInstruction* row =
      translator.Emit(HloOpcode::kMultiply, s32,
                      {replica, Number(translator, static_cast<int32_t>(grid.partitions))});
  return translator.Emit(HloOpcode::kAdd, s32, {row, partition});
}

// The value that the process has, on all devices.
HloInstruction* FromProcess(Translator& translator, const Grid& grid, int64_t process,
                            HloInstruction* value) {
  const auto group = [](int64_t root, int64_t count) {
    std::vector<int64_t> members = {root};
    for (int64_t i = 0; i < count; ++i) {
      if (i != root) members.push_back(i);
    }
    return members;
  };
  if (grid.replicas > 1) {
    CollectiveAttributes attributes;
    attributes.replica_groups.groups = {group(process / grid.partitions, grid.replicas)};
    value = translator.Emit(HloOpcode::kCollectiveBroadcast, value->shape(), {value}, attributes);
  }
  if (grid.partitions > 1) {
    CollectiveAttributes attributes;
    attributes.channel_id = translator.NewChannel();
    attributes.replica_groups.groups = {group(process % grid.partitions, grid.partitions)};
    value = translator.Emit(HloOpcode::kCollectiveBroadcast, value->shape(), {value}, attributes);
  }
  return value;
}

HloInstruction* ZeroOf(Translator& translator, const Shape& shape) {
  const Shape scalar = ShapeUtil::MakeShape(shape.element_type(), {});
  HloInstruction* zero =
      translator.Emit(HloOpcode::kConstant, scalar, {},
                      ConstantAttributes{{std::make_shared<Literal>(Literal(scalar))}});
  return translator.BroadcastScalar(zero, shape);
}

// What the infeeds of the programs will deliver: the host sends back what it gets.
absl::Status FeedInfeeds(Translator& translator, const Operation& operation) {
  const AttributeRef attribute = operation.Find("infeed");
  const auto* queue = attribute == nullptr ? nullptr : attribute->As<mlir::ArrayAttribute>();
  if (queue == nullptr) return absl::OkStatus();
  const Shape token_shape = ShapeUtil::MakeTokenShape();
  HloInstruction* token = translator.Emit(HloOpcode::kAfterAll, token_shape, {});
  for (const AttributeRef element : queue->elements) {
    const auto* symbol = element->As<mlir::SymbolRefAttribute>();
    if (symbol == nullptr) return translator.Error(operation, "needs names of functions");
    XLA_ASSIGN_OR_RETURN(HloComputation * function, translator.Function(operation, symbol->root));
    HloInstruction* data = translator.Emit(HloOpcode::kCall, function->root_instruction()->shape(),
                                           {}, CallAttributes(), {function});
    OutfeedAttributes attributes;
    attributes.outfeed_shape = data->shape();
    token = translator.Emit(HloOpcode::kOutfeed, token_shape, {data, token}, attributes);
  }
  return absl::OkStatus();
}

// One program for all processes: each device selects its operands.
absl::StatusOr<std::vector<HloInstruction*>> RunSame(Translator& translator, const Grid& grid,
                                                     HloComputation* program,
                                                     absl::Span<HloInstruction* const> operands,
                                                     HloInstruction* process) {
  const auto arity = static_cast<size_t>(program->num_parameters());
  std::vector<HloInstruction*> arguments(operands.begin(),
                                         operands.begin() + static_cast<ptrdiff_t>(arity));
  for (int64_t p = 1; p < grid.processes(); ++p) {
    CompareAttributes equal;
    equal.direction = ComparisonDirection::kEq;
    HloInstruction* is_this =
        translator.Emit(HloOpcode::kCompare, ShapeUtil::MakeShape(PRED, {}),
                        {process, Number(translator, static_cast<int32_t>(p))}, equal);
    for (size_t i = 0; i < arity; ++i) {
      HloInstruction* operand = operands[static_cast<size_t>(p) * arity + i];
      if (!operand->shape().IsArray()) continue;
      arguments[i] = translator.Emit(
          HloOpcode::kSelect, operand->shape(),
          {translator.BroadcastScalar(is_this, operand->shape()), operand, arguments[i]});
    }
  }
  HloInstruction* call = translator.Emit(HloOpcode::kCall, program->root_instruction()->shape(),
                                         arguments, CallAttributes(), {program});
  std::vector<HloInstruction*> results;
  if (!call->shape().IsTuple()) return std::vector<HloInstruction*>{call};
  for (size_t i = 0; i < call->shape().tuple_shapes().size(); ++i) {
    results.push_back(translator.Element(call, static_cast<int64_t>(i)));
  }
  return results;
}

absl::Status TranslateRunParallel(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(const Grid grid, ReadGrid(translator, operation));
  translator.SetDevices(grid.replicas, grid.partitions);
  XLA_RETURN_IF_ERROR(FeedInfeeds(translator, operation));
  std::vector<HloComputation*> programs;
  size_t operand_count = 0;
  bool same = true;
  for (const std::string_view name : grid.programs) {
    XLA_ASSIGN_OR_RETURN(HloComputation * program, translator.Function(operation, name));
    programs.push_back(program);
    operand_count += static_cast<size_t>(program->num_parameters());
    same = same && program == programs[0];
  }
  const std::vector<HloInstruction*> operands = translator.Operands(operation);
  if (operand_count != operands.size()) {
    return translator.Error(operation, absl::StrCat("the programs take ", operand_count,
                                                    " operands, but there are ", operands.size()));
  }
  HloInstruction* process = ProcessId(translator, grid);
  std::vector<HloInstruction*> own;  // of the process, for each result
  if (same) {
    XLA_ASSIGN_OR_RETURN(const std::vector<HloInstruction*> results,
                         RunSame(translator, grid, programs[0], operands, process));
    for (int64_t p = 0; p < grid.processes(); ++p) {
      own.insert(own.end(), results.begin(), results.end());
    }
  } else {
    // What one process sends to the host another may receive.
    translator.SetModuleFact("interpreter.channels", "shared");
    XLA_ASSIGN_OR_RETURN(own, translator.RunDifferent(operation, programs, operands, process));
  }
  if (own.size() != operation.results.size()) {
    return translator.Error(
        operation, absl::StrCat("the programs return ", own.size(), " values, but there are ",
                                operation.results.size(), " results"));
  }
  size_t next = 0;
  for (size_t p = 0; p < programs.size(); ++p) {
    const Shape& shape = programs[p]->root_instruction()->shape();
    const size_t count = shape.IsTuple() ? shape.tuple_shapes().size() : 1;
    for (size_t i = 0; i < count; ++i, ++next) {
      HloInstruction* value = own[next];
      if (value->shape().IsArray()) {
        value = FromProcess(translator, grid, static_cast<int64_t>(p), value);
      }
      translator.Set(operation.results[next], value);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<HloInstruction*> EmitHostCall(Translator& translator, const Operation& operation,
                                             const Shape& shape) {
  CustomCallAttributes attributes;
  attributes.custom_call_target = std::string(operation.name->text);
  attributes.has_side_effect = true;
  HloInstruction* call = translator.Emit(HloOpcode::kCustomCall, shape,
                                         translator.Operands(operation), std::move(attributes));
  if (operation.Find("probe_id") != nullptr) {
    XLA_ASSIGN_OR_RETURN(const std::string_view id, translator.String(operation, "probe_id"));
    call->mutable_extras().frontend_attributes["probe_id"] = std::string(id);
    call->mutable_extras().frontend_attributes["iteration"] =
        absl::StrCat(translator.IntegerOr(operation, "iteration", 0));
  }
  return call;
}

absl::Status TranslatePrint(Translator& translator, const Operation& operation) {
  XLA_ASSIGN_OR_RETURN(HloInstruction * call,
                       EmitHostCall(translator, operation, ShapeUtil::MakeTupleShape({})));
  if (!operation.operands.empty()) {
    call->mutable_extras().frontend_attributes["type"] =
        mlir::ToString(operation.operands[0]->type);
  }
  return absl::OkStatus();
}

absl::Status TranslateProbe(Translator& translator, const Operation& operation) {
  if (operation.operands.size() != 1 || operation.results.size() != 1) {
    return translator.Error(operation, "needs one operand and one result");
  }
  XLA_ASSIGN_OR_RETURN(
      HloInstruction * call,
      EmitHostCall(translator, operation, translator.Operand(operation, 0)->shape()));
  translator.SetResults(operation, call);
  return absl::OkStatus();
}

absl::Status TranslateSerializedCheck(Translator& translator, const Operation& operation) {
  return EmitHostCall(translator, operation, ShapeUtil::MakeTupleShape({})).status();
}

}  // namespace

// A conditional with a branch for each process: its own results, and zeros for those of the others.
absl::StatusOr<std::vector<HloInstruction*>> Translator::RunDifferent(
    const Operation& operation, absl::Span<HloComputation* const> programs,
    absl::Span<HloInstruction* const> operands, HloInstruction* process) {
  std::vector<Shape> shapes;
  for (const mlir::Value& result : operation.results) {
    XLA_ASSIGN_OR_RETURN(Shape shape, ShapeOf(operation, result.type));
    shapes.push_back(std::move(shape));
  }
  const Shape tuple_shape = ShapeUtil::MakeTupleShape(shapes);
  HloInstruction* argument = Emit(
      HloOpcode::kTuple,
      [&] {
        std::vector<Shape> operand_shapes;
        for (const HloInstruction* operand : operands) operand_shapes.push_back(operand->shape());
        return ShapeUtil::MakeTupleShape(operand_shapes);
      }(),
      operands);
  HloComputation* outer = computation_;
  std::vector<HloComputation*> branches;
  std::vector<HloInstruction*> arguments = {process};
  size_t first_operand = 0, first_result = 0;
  for (size_t p = 0; p < programs.size(); ++p) {
    computation_ = module_->AddComputation(absl::StrCat("process_", p));
    HloInstruction* parameter = computation_->AddInstruction(
        HloInstruction::CreateParameter(0, argument->shape(), "operands"));
    const auto arity = static_cast<size_t>(programs[p]->num_parameters());
    std::vector<HloInstruction*> inputs;
    for (size_t i = 0; i < arity; ++i) {
      inputs.push_back(Element(parameter, static_cast<int64_t>(first_operand + i)));
    }
    first_operand += arity;
    const Shape& shape = programs[p]->root_instruction()->shape();
    HloInstruction* call = Emit(HloOpcode::kCall, shape, inputs, CallAttributes(), {programs[p]});
    const size_t count = shape.IsTuple() ? shape.tuple_shapes().size() : 1;
    std::vector<HloInstruction*> elements;
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (i >= first_result && i < first_result + count) {
        elements.push_back(shape.IsTuple() ? Element(call, static_cast<int64_t>(i - first_result))
                                           : call);
      } else if (shapes[i].IsArray()) {
        elements.push_back(ZeroOf(*this, shapes[i]));
      } else {
        elements.push_back(Emit(HloOpcode::kAfterAll, shapes[i], {}));
      }
    }
    first_result += count;
    computation_->set_root_instruction(Emit(HloOpcode::kTuple, tuple_shape, elements));
    branches.push_back(computation_);
    arguments.push_back(argument);
  }
  computation_ = outer;
  HloInstruction* conditional =
      Emit(HloOpcode::kConditional, tuple_shape, arguments, NoAttributes{}, branches);
  std::vector<HloInstruction*> results;
  for (size_t i = 0; i < shapes.size(); ++i) {
    results.push_back(Element(conditional, static_cast<int64_t>(i)));
  }
  return results;
}

void AddParallelHandlers(HandlerTable* table) {
  table->emplace("check.expect_serialized_eq", TranslateSerializedCheck);
  table->emplace("interpreter.print", TranslatePrint);
  table->emplace("interpreter.probe", TranslateProbe);
  table->emplace("interpreter.run_parallel", TranslateRunParallel);
}

}  // namespace xla::stablehlo
