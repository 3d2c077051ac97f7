// SPDX-License-Identifier: Apache-2.0
#include "tests/coverage/op_coverage.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "tests/coverage/op_rebuild.h"
#include "tests/coverage/op_types.h"
#include "tools/ops_data.h"
#include "tools/self_check.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/opcode_docs.h"
#include "xla/hlo/proto/hlo_proto.h"
#include "xla/hlo/shape_inference/instruction_shape.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/printer.h"
#include "xla/hlo/verifier/hlo_verifier.h"
#include "xla/interpreter/interpreter.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

absl::string_view Name(HloOpcode opcode) { return View(HloOpcodeString(opcode)); }

std::vector<const HloInstruction*> InstructionsOf(const HloModule& module, HloOpcode opcode) {
  std::vector<const HloInstruction*> found;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() == opcode) found.push_back(instruction);
    }
  }
  return found;
}

absl::StatusOr<const HloInstruction*> FirstOf(const HloModule& module, HloOpcode opcode) {
  const auto found = InstructionsOf(module, opcode);
  if (found.empty()) return absl::NotFoundError(absl::StrCat("the program has no ", Name(opcode)));
  return found[0];
}

// --- Running
// Runs the program; failed checks do not end it but are told through `held`. A program that goes on
// for long (a loop whose numbers the type cannot count) is stopped: CANCELLED.
absl::Status RunAndWatchChecks(const HloModule& module, bool* held) {
  constexpr int64_t kManyInstructions = 50'000;
  std::atomic<bool> failed{false}, stop{false};
  InterpreterOptions options;
  options.num_threads = 1;
  options.wait_timeout = absl::Seconds(20);
  options.cancel = &stop;
  options.progress = [&](int64_t executed, const HloInstruction&) {
    if (executed > kManyInstructions) stop = true;
  };
  for (auto& [target, check] : CheckCustomCalls()) {
    const CustomCallHandler& handler = check;
    options.custom_calls.emplace_back(
        target, [handler, &failed](const HloInstruction& call,
                                   absl::Span<const LiteralSlice> operands, Literal* result) {
          if (!handler(call, operands, result).ok()) failed = true;
          return absl::OkStatus();
        });
  }
  const absl::Status status = RunSelfChecking(module, options);
  *held = status.ok() && !failed;
  return status;
}

// --- Aspects
absl::Status CheckRebuilt(const HloModule& module, const HloInstruction& wanted) {
  const HloOpcode opcode = wanted.opcode();
  XLA_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> rebuilt, RebuildWithBuilder(wanted));
  rebuilt->config().set_replica_count(module.config().replica_count());
  rebuilt->config().set_num_partitions(module.config().num_partitions());
  XLA_RETURN_IF_ERROR(VerifyModule(*rebuilt));
  XLA_ASSIGN_OR_RETURN(const HloInstruction* made, FirstOf(*rebuilt, opcode));
  if (!ShapeUtil::Compatible(made->shape(), wanted.shape())) {
    return absl::InternalError(
        absl::StrCat("the builder gives ", made->ToShortString(), " for ", wanted.ToShortString()));
  }
  if (made->attributes() != wanted.attributes()) {
    return absl::InternalError(absl::StrCat(
        "the builder gives other attributes: ", made->ToString(), " for ", wanted.ToString()));
  }
  return absl::OkStatus();
}

// One of the example's instructions is enough: the builder makes others of, say, the size of a
// static dimension.
absl::Status CheckBuilder(const HloModule& module, HloOpcode opcode) {
  absl::Status status = FirstOf(module, opcode).status();
  for (const HloInstruction* wanted : InstructionsOf(module, opcode)) {
    status = CheckRebuilt(module, *wanted);
    if (status.ok()) break;
  }
  return status;
}

// HLO text, as XLA writes and reads it, does not keep the sign of a zero in a literal.
std::unique_ptr<HloModule> WithoutNegativeZeros(const HloModule& module) {
  std::unique_ptr<HloModule> clone = module.Clone();
  for (HloComputation* computation : clone->computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      const auto* a = instruction->attributes_if<ConstantAttributes>();
      if (a == nullptr || !a->literal.literal->shape().IsArray() ||
          !primitive_util::IsFloatingPointType(a->literal.literal->shape().element_type()))
        continue;
      Literal literal = a->literal.literal->Clone();
      a->literal.literal->EachCellAsString(
          [&](absl::Span<const int64_t> index, const std::string&) {
            if (literal.GetAsDouble(index) == 0.0) literal.SetFromDouble(index, 0.0).IgnoreError();
          });
      instruction->set_attributes(
          ConstantAttributes{{std::make_shared<const Literal>(std::move(literal))}});
    }
  }
  return clone;
}

absl::Status CheckText(const HloModule& original, HloOpcode opcode) {
  XLA_RETURN_IF_ERROR(FirstOf(original, opcode).status());
  const std::unique_ptr<HloModule> kept = WithoutNegativeZeros(original);
  const HloModule& module = *kept;
  HloPrintOptions whole;
  whole.print_large_constants = true;
  for (HloPrintOptions options : {whole, HloPrintOptions::ShortParsable()}) {
    options.print_large_constants = true;
    options.print_control_dependencies = true;
    XLA_ASSIGN_OR_RETURN(const auto again,
                         ParseAndReturnUnverifiedModule(ModuleToString(module, options)));
    XLA_RETURN_IF_ERROR(module.CheckEqual(*WithoutNegativeZeros(*again)));
  }
  return absl::OkStatus();
}

absl::Status CheckProto(const HloModule& module, HloOpcode opcode) {
  XLA_RETURN_IF_ERROR(FirstOf(module, opcode).status());
  XLA_ASSIGN_OR_RETURN(const HloModuleProto proto, ModuleToProto(module));
  XLA_ASSIGN_OR_RETURN(const auto again, ParseModuleFromProtoBytes(proto.SerializeAsString()));
  // The proto does not say on how many devices the program runs.
  again->config().set_replica_count(module.config().replica_count());
  again->config().set_num_partitions(module.config().num_partitions());
  again->config().set_use_spmd_partitioning(module.config().use_spmd_partitioning());
  return module.CheckEqual(*again);
}

absl::Status CheckInference(const HloModule& module, HloOpcode opcode) {
  XLA_RETURN_IF_ERROR(FirstOf(module, opcode).status());
  for (const HloInstruction* instruction : InstructionsOf(module, opcode)) {
    XLA_ASSIGN_OR_RETURN(const Shape inferred,
                         InferInstructionShape(*instruction, instruction->shape()));
    if (!ShapeUtil::Compatible(inferred, instruction->shape())) {
      return absl::InternalError(
          absl::StrCat("inferred ", inferred.ToString(), " for ", instruction->ToShortString()));
    }
  }
  return absl::OkStatus();
}

// Three ways to spoil an instruction: another result, an operand less, attributes left at their
// defaults. Null where the instruction has nothing to spoil in that way.
std::unique_ptr<HloModule> Damaged(const HloModule& module, HloOpcode opcode, int way) {
  std::unique_ptr<HloModule> damaged = module.Clone();
  HloInstruction* instruction = nullptr;
  for (HloComputation* computation : damaged->computations()) {
    for (HloInstruction* candidate : computation->instructions()) {
      if (candidate->opcode() == opcode && instruction == nullptr) instruction = candidate;
    }
  }
  if (instruction == nullptr) return nullptr;
  if (way == 0) {
    *instruction->mutable_shape() = instruction->shape().IsToken()
                                        ? ShapeUtil::MakeShape(F32, {7, 7})
                                        : ShapeUtil::MakeTokenShape();
    return damaged;
  }
  if (way == 1) {
    if (instruction->operand_count() == 0) return nullptr;
    const auto& operands = instruction->operands();
    auto shorter = instruction->CloneWithNewOperands(
        instruction->shape(), absl::MakeConstSpan(operands).subspan(0, operands.size() - 1));
    HloComputation* computation = instruction->parent();
    HloInstruction* added = computation->AddInstruction(std::move(shorter));
    if (!computation->ReplaceInstruction(instruction, added).ok()) return nullptr;
    return damaged;
  }
  Attributes blank = MakeDefaultAttributes(opcode);
  if (blank == instruction->attributes()) return nullptr;
  instruction->set_attributes(std::move(blank));
  return damaged;
}

absl::Status CheckVerifier(const HloModule& module, HloOpcode opcode) {
  XLA_RETURN_IF_ERROR(FirstOf(module, opcode).status());
  XLA_RETURN_IF_ERROR(VerifyModule(module));
  constexpr int kWays = 3;
  for (int way = 0; way < kWays; ++way) {
    // A constant without its literal cannot be made to be looked at.
    if (way == 2 && opcode == HloOpcode::kConstant) continue;
    const std::unique_ptr<HloModule> damaged = Damaged(module, opcode, way);
    if (damaged != nullptr && !VerifyModule(*damaged).ok()) return absl::OkStatus();
  }
  return absl::InternalError("the verifier accepts the instruction however it is damaged");
}

absl::Status CheckInterpreter(const HloModule& module, HloOpcode opcode) {
  XLA_RETURN_IF_ERROR(FirstOf(module, opcode).status());
  bool held = false;
  XLA_RETURN_IF_ERROR(RunAndWatchChecks(module, &held));
  return held ? absl::OkStatus() : absl::InternalError("a check of the example fails");
}

OpMark MarkOf(const absl::Status& status) {
  if (status.ok()) return {OpMark::kHolds, ""};
  return {OpMark::kHole, std::string(status.message())};
}

// --- Element types
std::set<PrimitiveType> TypesAround(const HloModule& module, HloOpcode opcode) {
  std::set<PrimitiveType> types;
  const auto collect = [&](const Shape& shape) {
    ShapeUtil::ForEachSubshape(shape, [&](const Shape& part, const ShapeIndex&) {
      if (part.IsArray()) types.insert(part.element_type());
    });
  };
  for (const HloInstruction* instruction : InstructionsOf(module, opcode)) {
    collect(instruction->shape());
    for (const HloInstruction* operand : instruction->operands()) collect(operand->shape());
  }
  return types;
}

// Which types to replace so that the operation meets `type`.
std::vector<TypeMap> MapsTo(const std::set<PrimitiveType>& around, PrimitiveType type) {
  std::vector<TypeMap> maps;
  TypeMap all;
  for (const PrimitiveType from : around) {
    maps.push_back({{from, type}});
    all[from] = type;
    // Bits that go with numbers have their width.
    const auto bits_of = [](PrimitiveType number) {
      return primitive_util::UnsignedIntegralTypeForBitWidth(
          std::min(primitive_util::BitWidth(number), 64));
    };
    if (primitive_util::IsFloatingPointType(from) && around.count(bits_of(from)) > 0 &&
        bits_of(type) != PRIMITIVE_TYPE_INVALID)
      maps.push_back({{from, type}, {bits_of(from), bits_of(type)}});
  }
  if (all.size() > 1) maps.push_back(std::move(all));
  return maps;
}

// What the verifier lets pass, as XLA's does, although the operation is not defined for it.
bool IsDefined(const HloInstruction& instruction) {
  const auto operand_type = [&](int64_t i) {
    return instruction.operand(i)->shape().element_type();
  };
  switch (instruction.opcode()) {
    case HloOpcode::kMulhi:
    case HloOpcode::kShiftLeft:
    case HloOpcode::kShiftRightArithmetic:
    case HloOpcode::kShiftRightLogical:
      return primitive_util::IsIntegralType(operand_type(0));
    case HloOpcode::kClamp:
    case HloOpcode::kRemainder:
    case HloOpcode::kTopK:
      return !primitive_util::IsComplexType(operand_type(0));
    case HloOpcode::kStochasticConvert: {
      const PrimitiveType to = instruction.shape().element_type();
      return primitive_util::IsFloatingPointType(to) || primitive_util::IsIntegralType(to);
    }
    case HloOpcode::kRngBitGenerator: {
      // The state is 64-bit words; bits fill words without a rest.
      const PrimitiveType bits = instruction.shape().tuple_shapes(1).element_type();
      return operand_type(0) == U64 && !primitive_util::IsComplexType(bits) && bits != PRED &&
             32 % std::min(primitive_util::BitWidth(bits), 32) == 0;
    }
    default:
      return true;
  }
}

bool IsDefined(const HloModule& module, HloOpcode opcode) {
  const auto instructions = InstructionsOf(module, opcode);
  return std::all_of(instructions.begin(), instructions.end(),
                     [](const HloInstruction* i) { return IsDefined(*i); });
}

// What came of the variants of a program for one type.
struct Trial {
  OpMark mark{OpMark::kNotSpecified, ""};
  std::string skipped;  // why the last variant that is allowed but proves nothing ended
};

// Runs every allowed variant of the program.
void TryVariants(const HloModule& program, HloOpcode opcode, const std::set<PrimitiveType>& around,
                 PrimitiveType type, Trial* trial) {
  for (const TypeMap& map : MapsTo(around, type)) {
    const auto variant = WithElementTypes(program, map);
    // The inferred shapes may leave the operation without the type: the result of complex is none
    // of pred, whatever was asked for.
    if (!variant.ok() || !IsDefined(**variant, opcode) ||
        TypesAround(**variant, opcode).count(type) == 0) {
      continue;
    }
    bool held = false;
    const absl::Status status = RunAndWatchChecks(**variant, &held);
    // Numbers converted to a narrow type may ask for what cannot be: an endless loop, rows that are
    // not there. Another variant then has to show that the type works.
    if (status.code() == absl::StatusCode::kCancelled ||
        status.code() == absl::StatusCode::kInvalidArgument) {
      trial->skipped = std::string(status.message());
      continue;
    }
    if (!status.ok()) {
      trial->mark = {OpMark::kHole, std::string(status.message())};
      return;
    }
    trial->mark.kind = std::max(trial->mark.kind, held ? OpMark::kHolds : OpMark::kRuns);
  }
}

OpMark CoverType(const HloModule& module, const std::vector<std::unique_ptr<HloModule>>& parts,
                 HloOpcode opcode, PrimitiveType type) {
  Trial trial;
  const std::set<PrimitiveType> around = TypesAround(module, opcode);
  TryVariants(module, opcode, around, type, &trial);
  // What the rest of the program does not allow may still be allowed to the operation alone.
  for (const auto& part : parts) {
    if (trial.mark.kind != OpMark::kNotSpecified) break;
    TryVariants(*part, opcode, around, type, &trial);
    // Such a part makes no checks.
    if (trial.mark.kind == OpMark::kHolds) trial.mark.kind = OpMark::kRuns;
  }
  if (trial.mark.kind == OpMark::kNotSpecified && !trial.skipped.empty())
    trial.mark = {OpMark::kHole, trial.skipped};
  return trial.mark;
}

char Symbol(OpMark::Kind kind) {
  switch (kind) {
    case OpMark::kNotSpecified:
      return '.';
    case OpMark::kHole:
      return '!';
    case OpMark::kRuns:
      return 'r';
    case OpMark::kHolds:
      return '+';
  }
  return '?';
}

}  // namespace

std::string_view OpAspectName(OpAspect aspect) {
  switch (aspect) {
    case OpAspect::kBuilder:
      return "builder";
    case OpAspect::kText:
      return "text";
    case OpAspect::kProto:
      return "proto";
    case OpAspect::kShapeInference:
      return "shape inference";
    case OpAspect::kVerifier:
      return "verifier";
    case OpAspect::kInterpreter:
      return "interpreter";
  }
  return "";
}

int64_t OpCoverage::holes() const {
  const auto is_hole = [](const OpMark& mark) { return mark.kind == OpMark::kHole; };
  return std::count_if(aspects.begin(), aspects.end(), is_hole) +
         std::count_if(types.begin(), types.end(), is_hole);
}

OpCoverage CoverOperation(HloOpcode opcode) {
  OpCoverage row{opcode, {}, {}};
  const OpExample* example = ExampleOf(opcode);
  if (example == nullptr) {
    row.aspects.fill(OpMark{OpMark::kHole, "there is no example"});
    return row;
  }
  const auto parsed = ParseAndReturnUnverifiedModule(example->text);
  if (!parsed.ok()) {
    row.aspects.fill(OpMark{OpMark::kHole, std::string(parsed.status().message())});
    return row;
  }
  const HloModule& module = **parsed;
  const auto mark = [&](OpAspect aspect) -> OpMark& {
    return row.aspects[static_cast<size_t>(aspect)];
  };
  mark(OpAspect::kBuilder) = MarkOf(CheckBuilder(module, opcode));
  if (GetOpcodeDoc(opcode).builders.empty()) {
    // A function that makes it after all would be missing from the documentation.
    OpMark& builder = mark(OpAspect::kBuilder);
    builder = builder.kind == OpMark::kHolds
                  ? OpMark{OpMark::kHole, "the documentation names no function of the builder"}
                  : OpMark{OpMark::kNotSpecified, ""};
  }
  mark(OpAspect::kText) = MarkOf(CheckText(module, opcode));
  mark(OpAspect::kProto) = MarkOf(CheckProto(module, opcode));
  mark(OpAspect::kShapeInference) = MarkOf(CheckInference(module, opcode));
  mark(OpAspect::kVerifier) = MarkOf(CheckVerifier(module, opcode));
  if (mark(OpAspect::kVerifier).kind != OpMark::kHolds) return row;
  mark(OpAspect::kInterpreter) = MarkOf(CheckInterpreter(module, opcode));

  std::vector<std::unique_ptr<HloModule>> parts;
  for (const HloInstruction* instruction : InstructionsOf(module, opcode)) {
    if (instruction->parent() != module.entry_computation()) continue;
    if (auto part = UpTo(module, instruction->name()); part.ok()) parts.push_back(*std::move(part));
  }
  for (const PrimitiveType type : ArrayElementTypes())
    row.types.push_back(CoverType(module, parts, opcode, type));
  return row;
}

std::string CoverageTable(const std::vector<OpCoverage>& rows) {
  const std::vector<PrimitiveType> types = ArrayElementTypes();
  std::string out;
  // Names of columns, downwards.
  std::vector<std::string> heads;
  for (int i = 0; i < kNumOpAspects; ++i)
    heads.emplace_back(OpAspectName(static_cast<OpAspect>(i)));
  for (const PrimitiveType type : types)
    heads.push_back(primitive_util::LowercasePrimitiveTypeName(type));
  size_t height = 0, width = 0;
  for (const std::string& head : heads) height = std::max(height, head.size());
  for (const OpCoverage& row : rows) width = std::max(width, Name(row.opcode).size());
  for (size_t line = 0; line < height; ++line) {
    out.append(width, ' ');
    for (size_t i = 0; i < heads.size(); ++i) {
      const size_t gap = height - heads[i].size();
      absl::StrAppend(&out, i == kNumOpAspects ? "  " : " ",
                      std::string(1, line < gap ? ' ' : heads[i][line - gap]));
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += '\n';
  }
  int64_t holes = 0, marks = 0;
  std::string reasons;
  for (const OpCoverage& row : rows) {
    absl::StrAppendFormat(&out, "%-*s", static_cast<int>(width), Name(row.opcode));
    for (size_t i = 0; i < row.aspects.size(); ++i) {
      const OpMark& mark = row.aspects[i];
      absl::StrAppend(&out, " ", std::string(1, Symbol(mark.kind)));
      marks += mark.kind == OpMark::kNotSpecified ? 0 : 1;
      if (mark.kind == OpMark::kHole) {
        absl::StrAppend(&reasons, Name(row.opcode), ", ",
                        View(OpAspectName(static_cast<OpAspect>(i))), ": ", mark.why, "\n");
      }
    }
    absl::StrAppend(&out, " ");
    for (size_t i = 0; i < row.types.size(); ++i) {
      const OpMark& mark = row.types[i];
      absl::StrAppend(&out, " ", std::string(1, Symbol(mark.kind)));
      marks += mark.kind == OpMark::kNotSpecified ? 0 : 1;
      if (mark.kind == OpMark::kHole) {
        absl::StrAppend(&reasons, Name(row.opcode), ", ",
                        primitive_util::LowercasePrimitiveTypeName(types[i]), ": ", mark.why, "\n");
      }
    }
    out += '\n';
    holes += row.holes();
  }
  absl::StrAppend(
      &out,
      "\n+ works, and the example's checks hold    r runs; the example's numbers do not "
      "fit the type\n. the specification does not have it       ! a hole\n");
  if (!reasons.empty()) absl::StrAppend(&out, "\n", reasons);
  absl::StrAppend(&out, "\n", rows.size(), " operations, ", marks, " marks, ", holes,
                  holes == 1 ? " hole\n" : " holes\n");
  return out;
}

}  // namespace xla
