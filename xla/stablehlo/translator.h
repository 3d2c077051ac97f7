// SPDX-License-Identifier: Apache-2.0
// What the translations of the families of operations share: values, shapes, attributes, regions.
#ifndef XLA_STABLEHLO_TRANSLATOR_H_
#define XLA_STABLEHLO_TRANSLATOR_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/mlir/source.h"
#include "xla/shape.h"

namespace xla::stablehlo {

class Translator;
using Handler = absl::Status (*)(Translator& translator, const mlir::Operation& operation);
using HandlerTable = absl::flat_hash_map<std::string_view, Handler>;

// Each family adds its operations: "stablehlo.add", ...
void AddElementwiseHandlers(HandlerTable* table);
void AddReshapeHandlers(HandlerTable* table);
void AddGatherScatterHandlers(HandlerTable* table);
void AddReduceHandlers(HandlerTable* table);
void AddContractionHandlers(HandlerTable* table);
void AddControlHandlers(HandlerTable* table);
void AddCollectiveHandlers(HandlerTable* table);
void AddEffectHandlers(HandlerTable* table);
void AddFunctionHandlers(HandlerTable* table);

class Translator {
 public:
  explicit Translator(mlir::Source* source);

  absl::StatusOr<std::unique_ptr<HloModule>> Run();

  // --- Errors
  absl::Status Error(const mlir::Operation& operation, std::string_view message) const;
  absl::Status Unimplemented(const mlir::Operation& operation, std::string_view message) const;

  // --- Values
  HloInstruction* Get(const mlir::Value* value) const { return values_[value->id]; }
  HloInstruction* Operand(const mlir::Operation& operation, size_t i) const {
    return Get(operation.operands[i]);
  }
  std::vector<HloInstruction*> Operands(const mlir::Operation& operation) const;
  void Set(const mlir::Value& value, HloInstruction* instruction) {
    values_[value.id] = instruction;
  }
  // One result, or the elements of a tuple.
  void SetResults(const mlir::Operation& operation, HloInstruction* instruction);

  // --- Instructions
  HloInstruction* Emit(HloOpcode opcode, Shape shape, absl::Span<HloInstruction* const> operands,
                       Attributes attributes = NoAttributes{},
                       absl::Span<HloComputation* const> called = {});
  HloInstruction* Element(HloInstruction* tuple, int64_t index);
  // Copies the instructions of a computation of another module, applied to the arguments.
  HloInstruction* Inline(const HloComputation& computation,
                         absl::Span<HloInstruction* const> arguments);
  // The instruction alone, or a tuple of several.
  HloInstruction* TupleUnlessOne(absl::Span<HloInstruction* const> elements);
  // A scalar as wide as `shape`; others as they are.
  HloInstruction* BroadcastScalar(HloInstruction* instruction, const Shape& shape);
  // Emits, with the shape of the results, and sets them.
  absl::Status EmitResults(const mlir::Operation& operation, HloOpcode opcode,
                           absl::Span<HloInstruction* const> operands,
                           Attributes attributes = NoAttributes{},
                           absl::Span<HloComputation* const> called = {});
  absl::StatusOr<HloInstruction*> Constant(const mlir::Operation& operation,
                                           const mlir::DenseAttribute& dense);

  // --- Shapes
  absl::StatusOr<PrimitiveType> ElementType(const mlir::Operation& operation, mlir::TypeRef type);
  absl::StatusOr<Shape> ShapeOf(const mlir::Operation& operation, mlir::TypeRef type);
  // Of the result, or a tuple of several.
  absl::StatusOr<Shape> ResultShape(const mlir::Operation& operation);

  // --- Attributes; errors where they are missing or of another kind
  absl::StatusOr<int64_t> Integer(const mlir::Operation& operation, std::string_view name) const;
  int64_t IntegerOr(const mlir::Operation& operation, std::string_view name, int64_t value) const;
  bool Flag(const mlir::Operation& operation, std::string_view name) const;  // absent: false
  absl::StatusOr<std::vector<int64_t>> Integers(const mlir::Operation& operation,
                                                std::string_view name) const;
  // `count` times `value` where the attribute is absent.
  absl::StatusOr<std::vector<int64_t>> IntegersOr(const mlir::Operation& operation,
                                                  std::string_view name, size_t count,
                                                  int64_t value) const;
  absl::StatusOr<std::string_view> String(const mlir::Operation& operation,
                                          std::string_view name) const;
  // The keyword of an enumeration; empty if it is absent.
  std::string_view Keyword(const mlir::Operation& operation, std::string_view name) const;
  absl::StatusOr<const mlir::DialectAttribute*> Struct(const mlir::Operation& operation,
                                                       std::string_view name) const;
  absl::StatusOr<int64_t> Parameter(const mlir::Operation& operation,
                                    const mlir::DialectAttribute& attribute,
                                    std::string_view name) const;
  // Empty where it is absent.
  absl::StatusOr<std::vector<int64_t>> Parameters(const mlir::Operation& operation,
                                                  const mlir::DialectAttribute& attribute,
                                                  std::string_view name) const;
  // The values of an operand that is a constant of integers.
  absl::StatusOr<std::vector<int64_t>> ConstantOperand(const mlir::Operation& operation,
                                                       size_t i) const;

  // --- Regions and functions
  // A computation with a parameter for each argument.
  absl::StatusOr<HloComputation*> Reducer(const mlir::Operation& operation, size_t region);
  // A computation of one parameter: the values of `arguments` of the region, then `captures`.
  // The result is a tuple of what is returned, and of the captures if `returns_captures`; alone if
  // it is one.
  absl::StatusOr<HloComputation*> Body(const mlir::Operation& operation, size_t region,
                                       absl::Span<mlir::Value* const> captures,
                                       bool returns_captures);
  // Values that the regions use and do not define, without constants, which are copied.
  std::vector<mlir::Value*> Captures(const mlir::Operation& operation) const;
  absl::StatusOr<HloComputation*> Function(const mlir::Operation& operation, std::string_view name);

 private:
  struct Range {
    uint32_t first;
    uint32_t last;
  };
  void Number(const mlir::Operation& operation);
  absl::Status TranslateBlock(const mlir::Block& block, std::vector<HloInstruction*>* returned);
  absl::StatusOr<HloComputation*> TranslateFunction(const mlir::Operation& function);
  absl::Status SetParameterAttributes(const mlir::Operation& function, HloModuleConfig* config);
  void CopyConstants(const mlir::Operation& operation, const mlir::Region& region,
                     std::vector<std::pair<uint32_t, HloInstruction*>>* saved,
                     absl::Status* status);
  const mlir::Operation* FindFunction(std::string_view name) const;

  mlir::Source& source_;
  std::unique_ptr<HloModule> module_;
  HloComputation* computation_ = nullptr;  // to which instructions are added
  std::vector<HloInstruction*> values_;    // by id of the value
  uint32_t next_id_ = 1;
  absl::flat_hash_map<const mlir::Region*, Range> ranges_;
  absl::flat_hash_map<std::string_view, const mlir::Operation*> functions_;
  absl::flat_hash_map<std::string_view, HloComputation*> translated_;  // null: in progress
  absl::flat_hash_map<const mlir::OperationName*, Handler> handlers_;
  int depth_ = 0;
};

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_TRANSLATOR_H_
