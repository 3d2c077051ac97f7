// SPDX-License-Identifier: Apache-2.0
// The HLO text parser: one recursive-descent class whose members are in the parser_*.cc files, by
// what they parse. Internal to this folder.
//
// Parsing members return false after adding an error to the log, innermost error first; callers add
// the context. Messages and locations are XLA's.
#ifndef XLA_HLO_TEXT_PARSER_IMPL_H_
#define XLA_HLO_TEXT_PARSER_IMPL_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/text/cat.h"
#include "xla/hlo/text/lexer.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/text/parser_errors.h"

namespace xla::text {

// The result of offering an attribute to a set of accepted ones.
enum class AttributeResult : uint8_t { kUnknown, kParsed, kFailed, kRepeated };

using NameList = std::vector<std::string_view>;

// A computation while its text is read. Its instructions are free until it is complete: names are
// made unique in the order in which computations end, as XLA does it.
struct ComputationDraft {
  struct NamedInstruction {
    HloInstruction* instruction;
    Loc loc;
  };
  struct ControlEdges {
    HloInstruction* successor;
    std::vector<HloInstruction*> predecessors;
  };

  ComputationDraft() = default;
  ComputationDraft(const ComputationDraft&) = delete;
  ComputationDraft& operator=(const ComputationDraft&) = delete;
  ~ComputationDraft();  // users before operands

  HloInstruction* Add(std::unique_ptr<HloInstruction> instruction, std::string_view name);

  std::vector<std::unique_ptr<HloInstruction>> instructions;
  std::vector<std::string_view> names;  // of `instructions`
  absl::flat_hash_map<std::string_view, NamedInstruction> by_name;
  absl::flat_hash_map<int64_t, Loc> parameters;  // by number
  std::vector<ControlEdges> control_edges;
  HloInstruction* root = nullptr;
  bool has_root = false;  // ROOT was seen, perhaps on the instruction being read
};

// One instruction while its text is read. The operation wrapped in an async-start has a draft of
// its own.
struct InstructionDraft {
  explicit InstructionDraft(HloOpcode op) : opcode(op), attributes(MakeDefaultAttributes(op)) {}

  HloOpcode opcode;
  bool has_shape = false;
  bool has_bad_operands = false;         // noted as errors, though the list itself ended well
  bool dimensions_are_optional = false;  // broadcast of a scalar
  bool wraps_operation =
      false;    // custom-call-start: an async form that names the wrapped operation
  Shape shape;  // as written, or inferred
  absl::InlinedVector<HloInstruction*, 4> operands;
  Attributes attributes;
  uint32_t seen_fields = 0;
  // Called computations by slot (see CalleeSlots) and the list of a slot that takes one.
  HloComputation* callees[2] = {nullptr, nullptr};
  std::vector<HloComputation*> callee_list;
  uint32_t seen_callees = 0;
  bool branch_index_is_pred = true;  // conditional
};

// Attributes any instruction may have.
struct CommonAttributes {
  InstructionExtras& Extras() {
    if (extras == nullptr) extras = std::make_unique<InstructionExtras>();
    return *extras;
  }
  std::unique_ptr<InstructionExtras> extras;
  std::vector<HloInstruction*> control_predecessors;
  bool accuracy_allowed = false;
  uint32_t seen = 0;
};

// A member of a record written as name=value, name=value.
template <typename T>
struct NamedValue {
  std::string_view name;
  bool required;
  bool (*parse)(class HloTextParser&, T&);
};

class HloTextParser {
 public:
  HloTextParser(std::string_view text, const HloParserOptions& options)
      : text_(text), options_(options), lexer_(text) {}

  // Into a module without computations.
  absl::StatusOr<std::unique_ptr<HloModule>> ParseModuleText(std::unique_ptr<HloModule> module);
  // After an error: gives up the module, which the caller owns.
  void ReleaseModule() { (void)module_.release(); }

  // Parses the whole text with `parse`.
  absl::Status ParseAlone(std::string_view what, absl::FunctionRef<bool()> parse);

  // --- Tokens and simple values (parser_values.cc)
  Lexer& lexer() { return lexer_; }
  TokKind kind() const { return lexer_.kind(); }
  Loc loc() const { return lexer_.loc(); }
  bool Error(Loc loc, std::string message) {
    errors_.Add(loc, std::move(message));
    return false;
  }
  bool TokenError(std::string message) { return Error(loc(), std::move(message)); }
  bool Expect(TokKind kind, std::string_view message) {
    if (lexer_.kind() != kind) return TokenError(std::string(message));
    lexer_.Next();
    return true;
  }
  bool Eat(TokKind kind) {
    if (lexer_.kind() != kind) return false;
    lexer_.Next();
    return true;
  }
  bool AtIdent(std::string_view ident) const {
    return kind() == TokKind::kIdent && lexer_.token().text == ident;
  }
  bool ParseName(std::string_view* name);
  bool ParseModuleName(std::string_view* name);
  bool ParseAttributeName(std::string_view* name);
  // A kIdent token, else the error "expects WHAT".
  bool ParseIdent(std::string_view what, std::string_view* ident);
  bool ParseStringOrDict(std::string* value);
  bool ParseInt32(int64_t* value);
  bool ParseList(TokKind start, TokKind end, TokKind delimiter,
                 absl::FunctionRef<bool()> parse_item);
  bool ParseIntegerList(TokKind start, TokKind end, TokKind delimiter, Int64s* values);
  bool ParseShapeIndex(std::vector<int64_t>* index);

  // One overload for each type of attribute field.
  bool ParseValue(bool* value);
  bool ParseValue(int64_t* value);
  bool ParseValue(double* value);
  bool ParseValue(float* value);
  bool ParseValue(std::string* value);
  bool ParseValue(Int64s* value);
  bool ParseValue(std::vector<Int64s>* value);
  bool ParseValue(std::vector<std::pair<int64_t, int64_t>>* value);
  bool ParseValue(Shape* value) { return ParseShape(value); }
  bool ParseValue(std::vector<Shape>* value);
  bool ParseValue(std::vector<OutputOperandAlias>* value);
  // (parser_enums.cc)
  bool ParseValue(ComparisonDirection* value);
  bool ParseValue(ComparisonType* value);
  bool ParseValue(Precisions* value);
  bool ParseValue(PrecisionConfig_Algorithm* value);
  bool ParseValue(ConvolutionKind* value);
  bool ParseValue(FftType* value);
  bool ParseValue(TriangularSolveOptions_Transpose* value);
  bool ParseValue(RandomDistribution* value);
  bool ParseValue(RandomAlgorithm* value);
  bool ParseValue(FusionKind* value);
  bool ParseValue(PaddingType* value);
  bool ParseValue(CustomCallSchedule* value);
  bool ParseValue(CustomCallApiVersion* value);
  bool ParseCollectiveMode();  // accepted and dropped
  // (parser_windows.cc)
  bool ParseValue(WindowDims* value) { return ParseWindow(value, /*in_braces=*/true); }
  bool ParseValue(ConvDims* value);
  bool ParseValue(Sparsity* value);
  bool ParseValue(std::vector<PadDim>* value);
  bool ParseValue(std::vector<SliceDim>* value);
  bool ParseWindow(WindowDims* window, bool in_braces);
  // (parser_sharding.cc, parser_mesh.cc)
  bool ParseValue(HloSharding* value);
  bool ParseValue(CollectiveDeviceList* value);
  bool ParseValue(DomainAttributes::Value* value);
  // (parser_literal.cc)
  bool ParseValue(LiteralRef* value);
  template <typename T>
  bool ParseValue(std::optional<T>* value) {
    return ParseValue(&value->emplace());
  }

  // --- Shapes (parser_shape.cc)
  bool CanBeShape();
  bool ParseShape(Shape* shape, bool fill_missing_layouts = true);
  bool ParseLayout(Layout* layout);

  // --- Literals (parser_literal.cc)

  // Elements at the wrong depth are errors, but parsing of the literal continues:
  // has_bad_literal_ is set.
  bool ParseLiteral(const Shape& shape, Literal* literal);
  bool ParseWholeLiteral(const Shape& shape, Literal* literal) {
    has_bad_literal_ = false;
    return ParseLiteral(shape, literal) && !has_bad_literal_;
  }
  bool ParseLiteralWithShape(Literal* literal);

  // --- What any instruction may have (parser_common.cc)
  AttributeResult ParseCommonAttribute(std::string_view name, CommonAttributes* common);
  static void AppendCommonNames(const CommonAttributes& common, NameList* allowed);
  bool ParseMetadata(InstructionMetadata* metadata);
  bool ParseMetadataOrList(std::vector<InstructionMetadata>* metadata);
  bool ParseFrontendAttributes(std::map<std::string, std::string>* attributes);
  bool ParseOriginalArray(OriginalValueNode* node);

  // --- Attribute lists (parser_attributes.cc)
  // (',' name '=' value)*. `parse` is offered each name; `names` lists accepted names (unless
  // `allowed` is null) and required ones not seen.
  bool ParseAttributes(bool allow_attributes,
                       absl::FunctionRef<AttributeResult(std::string_view)> parse,
                       absl::FunctionRef<void(NameList* allowed, NameList* missing)> names);
  // '{' (','? name '=' value)* '}'
  bool ParseSubAttributes(absl::FunctionRef<AttributeResult(std::string_view)> parse,
                          absl::FunctionRef<void(NameList* allowed, NameList* missing)> names);
  // Both for a record of fixed members.
  template <typename T, size_t n>
  bool ParseRecord(const NamedValue<T> (&members)[n], bool in_braces, T* record);
  // The attributes of one instruction; with two drafts, the first that knows a name takes it.
  bool ParseInstructionAttributes(absl::Span<InstructionDraft* const> drafts,
                                  CommonAttributes* common, bool allow_attributes);

  // --- Modules (parser_module.cc)
  bool ParseModule(bool has_header);
  bool ParseSingleInstruction();
  bool ParseBoolList(std::vector<bool>* values);
  bool ParseBools(std::vector<bool>* values);
  bool ParseInputOutputAlias(std::vector<InputOutputAlias>* aliases);
  bool ParseBufferDonors(std::vector<BufferDonor>* donors);
  bool ParseProgramLayout(ProgramShape* layout);
  bool ParseOriginRecoveryTable(std::vector<OriginRecoveryEntry>* table);

  // --- Computations (parser_computation.cc)
  bool ParseComputations();
  bool ParseComputation();
  // '{' instruction+ '}'; the complete computation of this name is in the module.
  bool ParseInstructionList(std::string_view name, HloComputation** computation);
  bool ParseCallee(HloComputation** computation);  // a name, or an instruction list
  bool ParseCalleeList(std::vector<HloComputation*>* computations);
  bool FinishComputation(ComputationDraft* draft, HloComputation* computation);

  // --- Instructions (parser_instruction.cc, parser_operands.cc, parser_async.cc, parser_checks.cc)
  bool ParseInstruction(ComputationDraft* draft);
  bool ParseInstructionRhs(ComputationDraft* draft, std::string_view name, Loc name_loc,
                           bool allow_attributes, HloInstruction** result);
  bool ParseOpcode(HloOpcode* opcode, std::optional<HloOpcode>* wrapped);
  bool ParseOperands(ComputationDraft* computation, InstructionDraft* draft);

 private:
  // Counts the nesting depth in its scope.
  class Nesting {
   public:
    explicit Nesting(HloTextParser* parser) : parser_(parser) { ++parser_->depth_; }
    ~Nesting() { --parser_->depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    bool TooDeep() const {
      if (parser_->depth_ <= parser_->options_.max_nesting_depth) return false;
      parser_->TokenError("maximum recursion depth exceeded");
      return true;
    }

   private:
    HloTextParser* parser_;
  };

  bool ParseStackFrames();
  bool CheckHeader();
  std::string_view Own(std::string name) { return owned_names_.emplace_back(std::move(name)); }

  // parser_shape.cc
  bool ParseDimensions(DimensionVector* sizes, absl::InlinedVector<bool, 8>* dynamic);
  bool ParseTiles(TileVector* tiles);
  bool ParseSplitConfigs(std::vector<SplitConfig>* configs);
  bool ParseLayoutInteger(std::string_view what, int64_t* value);
  bool ParseLayoutUnsignedType(TokKind sign, std::string_view what, PrimitiveType* type);
  bool ParseDimLevelTypes();
  bool ParsePrimitiveType(PrimitiveType* type);

  // parser_literal.cc
  struct LiteralSink;
  bool ParseTupleLiteral(const Shape& shape, Literal* literal);
  bool ParseDenseLiteral(const Shape& shape, Literal* literal);
  bool ParseElements(const Shape& shape, const LiteralSink& sink, char* data,
                     int64_t element_count);
  bool ParseComplex(double* real, double* imaginary);
  bool ChargeLiteral(const Shape& shape, int64_t element_count);

  // parser_sharding.cc, parser_mesh.cc
  bool ParseOneSharding(bool brace_is_eaten, HloSharding* sharding);
  bool ParseSubgroupTypes(std::vector<OpSharding_Type>* types);
  bool ParseNamedSharding(HloSharding* sharding);
  bool ParseMesh(Mesh* mesh);
  bool ParseMeshDevices(Mesh* mesh);
  bool ParseAxisRef(const Mesh& mesh, std::vector<AxisRef>* axes);
  bool ParseAxisRefList(const Mesh& mesh, std::vector<AxisRef>* axes);
  bool ParseIotaArray(std::vector<int64_t>* reshape_dims, std::vector<int>* transpose_perm);
  // With `devices` null only the iota form is taken.
  bool ParseTileAssignment(std::vector<int64_t>* tile_dims, std::vector<int64_t>* reshape_dims,
                           std::vector<int>* transpose_perm, std::vector<int64_t>* devices);

  // parser_common.cc
  bool ParseStatistics(Statistics* statistics);
  bool ParseResultAccuracy(AccuracySpec* accuracy);
  bool ParseTolerance(AccuracySpec* accuracy);
  bool ParseOriginalValue(OriginalValueTree* value);
  bool ParseOriginalValueNode(OriginalValueNode* node);
  bool ParseParameterReplication(std::vector<bool>* replication);
  bool ParseControlPredecessors(std::vector<HloInstruction*>* predecessors);

  // parser_attributes.cc
  bool ParseOneAttribute(absl::FunctionRef<AttributeResult(std::string_view)> parse,
                         absl::FunctionRef<void(NameList* allowed, NameList* missing)> names);
  AttributeResult ParseOwnAttribute(std::string_view name, InstructionDraft* draft);
  AttributeResult ParseCalleeAttribute(std::string_view name, InstructionDraft* draft);

  // parser_operands.cc
  bool ParseOperand(ComputationDraft* computation, InstructionDraft* draft);
  bool IsBareShape(const Lexer::State& start);
  bool ParseNamedOperand(ComputationDraft* computation, InstructionDraft* draft);
  HloInstruction* FindInstruction(ComputationDraft* computation, std::string_view name,
                                  const Shape* shape);
  HloInstruction* MakeMissingParameter(ComputationDraft* computation, std::string_view name,
                                       const Shape& shape);

  // parser_instruction.cc
  bool ParseParameter(ComputationDraft* computation, InstructionDraft* draft,
                      CommonAttributes* common, bool allow_attributes);
  bool ParseConstant(InstructionDraft* draft, CommonAttributes* common, bool allow_attributes);
  bool ParseOperation(ComputationDraft* computation, InstructionDraft* draft,
                      CommonAttributes* common, bool allow_attributes);
  bool ChargeShape(const Shape& shape);
  bool InferMissingShape(InstructionDraft* draft);
  std::unique_ptr<HloInstruction> Build(InstructionDraft* draft);
  bool CheckName(std::string_view name, Loc name_loc);
  bool ApplyCommonAttributes(CommonAttributes* common, HloInstruction* instruction);
  std::string_view NameForAnonymous(const ComputationDraft& computation, HloOpcode opcode);
  const ProgramShape& SignatureOf(HloComputation* computation);

  // parser_async.cc
  bool ParseAsync(ComputationDraft* computation, InstructionDraft* draft,
                  std::optional<HloOpcode> wrapped_opcode, CommonAttributes* common,
                  bool allow_attributes);
  void SetThreadsOfAsyncCalls();
  HloComputation* WrapOperation(std::string_view thread, InstructionDraft* wrapped);
  HloInstruction* AsyncStartOf(HloInstruction* instruction);

  // parser_checks.cc
  bool CheckOperandCount(Loc operands_loc, const InstructionDraft& draft);
  bool CheckBeforeAttributes(InstructionDraft* draft);
  bool CheckAfterAttributes(const InstructionDraft& draft);
  bool CheckCustomCall(const InstructionDraft& draft);
  static void SetImpliedAttributes(InstructionDraft* draft);
  static void SetImpliedShape(InstructionDraft* draft);

  std::string_view text_;
  HloParserOptions options_;
  Lexer lexer_;
  ErrorLog errors_;
  int depth_ = 0;
  int shape_depth_ = 0;

  std::unique_ptr<HloModule> module_;
  struct NamedComputation {
    HloComputation* computation;
    Loc loc;
  };
  absl::flat_hash_map<std::string_view, NamedComputation> computations_;
  HloComputation* last_computation_ = nullptr;
  Loc last_computation_loc_ = nullptr;
  // Computations of async-start, and one that has two of them as callers.
  absl::flat_hash_set<const HloComputation*> async_computations_;
  const HloComputation* twice_async_ = nullptr;
  bool has_async_starts_ = false;
  // The start of the chain of each async instruction.
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> async_starts_;
  // Signatures asked for by shape inference.
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<ProgramShape>> signatures_;

  ComputationDraft* current_ = nullptr;  // the innermost computation being read
  // When a single instruction is parsed, unknown operands become parameters of this computation.
  ComputationDraft* single_instruction_draft_ = nullptr;

  std::deque<std::string> owned_names_;  // names that are not in the text
  absl::flat_hash_map<std::string, int64_t> anonymous_names_;
  bool has_bad_literal_ = false;
  bool has_bad_pairs_ =
      false;  // an entry of source_target_pairs that is no pair; reported after all attributes
  int64_t elided_bytes_ = 0;         // memory of literals whose values the text does not give
  int64_t implied_shape_parts_ = 0;  // of tuples
};

template <typename T, size_t n>
bool HloTextParser::ParseRecord(const NamedValue<T> (&members)[n], bool in_braces, T* record) {
  static_assert(n <= 32);
  uint32_t seen = 0;
  const auto parse = [&](std::string_view name) {
    for (size_t i = 0; i < n; ++i) {
      if (members[i].name != name) continue;
      if (seen & (1u << i)) return AttributeResult::kRepeated;
      seen |= 1u << i;
      return members[i].parse(*this, *record) ? AttributeResult::kParsed : AttributeResult::kFailed;
    }
    return AttributeResult::kUnknown;
  };
  const auto names = [&](NameList* allowed, NameList* missing) {
    for (size_t i = 0; i < n; ++i) {
      if (allowed != nullptr) allowed->push_back(members[i].name);
      if (members[i].required && !(seen & (1u << i))) missing->push_back(members[i].name);
    }
  };
  return in_braces ? ParseSubAttributes(parse, names)
                   : ParseAttributes(/*allow_attributes=*/true, parse, names);
}

}  // namespace xla::text

#endif  // XLA_HLO_TEXT_PARSER_IMPL_H_
