// SPDX-License-Identifier: Apache-2.0
// What the translations of the families of operations share: values, shapes, attributes, regions.
#ifndef XLA_STABLEHLO_TRANSLATOR_H_
#define XLA_STABLEHLO_TRANSLATOR_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/base/boxed_optional.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/mlir/source.h"
#include "xla/shape.h"
#include "xla/stablehlo/sharding.h"
#include "xla/stablehlo/translate.h"

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
void AddShardingHandlers(HandlerTable* table);
void AddParallelHandlers(HandlerTable* table);
void AddMhloHandlers(HandlerTable* table);
void AddShapeHandlers(HandlerTable* table);

// An elementwise operation that HLO has as well.
absl::Status TranslateSameOperation(Translator& translator, const mlir::Operation& operation);

// xla.sdy.GlobalToLocalShape, xla.sdy.LocalToGlobalShape, xla.sdy.FuncResultSharding.
absl::Status TranslateShardyCall(Translator& translator, const mlir::Operation& operation,
                                 std::string_view target);

// A custom call or composite `target` that stands for an operation of CHLO, as XLA writes those
// that it knows itself into portable artifacts. False: it is none of these.
absl::StatusOr<bool> TranslateRecomposed(Translator& translator, const mlir::Operation& operation,
                                         std::string_view target);

class Translator {
 public:
  Translator(mlir::Source* source, const EntryArguments& arguments, bool releases);

  absl::StatusOr<std::unique_ptr<HloModule>> Run();

  mlir::Context& context() { return source_.context; }

  // --- Errors
  absl::Status Error(const mlir::Operation& operation, std::string_view message) const;
  absl::Status Unimplemented(const mlir::Operation& operation, std::string_view message) const;
  // The value of a string, the text of another attribute. Attributes are shared, what is made of
  // them is not: counted with CountText.
  absl::StatusOr<std::string> OwnText(const mlir::Operation& operation,
                                      mlir::AttributeRef attribute);
  // An error where the bytes that were counted are too many.
  absl::Status CountText(const mlir::Operation& operation, size_t bytes);

  // --- Values
  const std::vector<HloInstruction*>& values() const { return values_; }
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

  // Translates as if the operation were the one of this name and these attributes.
  absl::Status TranslateAs(const mlir::Operation& operation, std::string_view name,
                           absl::Span<const mlir::NamedAttribute> attributes);

  // --- Instructions
  HloInstruction* Emit(HloOpcode opcode, Shape shape, absl::Span<HloInstruction* const> operands,
                       Attributes attributes = NoAttributes{},
                       absl::Span<HloComputation* const> called = {});
  HloInstruction* Element(HloInstruction* tuple, int64_t index);
  // Copies the instructions of a computation of another module, applied to the arguments.
  HloInstruction* Inline(const HloComputation& computation,
                         absl::Span<HloInstruction* const> arguments);
  // Another computation that computes the same: a copy of a small one, or a call of it.
  HloComputation* OwnComputation(HloComputation* computation);
  // The instruction alone, or a tuple of several.
  HloInstruction* TupleUnlessOne(absl::Span<HloInstruction* const> elements);
  // A scalar as wide as `shape`; others as they are.
  HloInstruction* BroadcastScalar(HloInstruction* instruction, const Shape& shape);
  // In the given shape, whose dimensions `dimensions` are those of the operand; sizes of 1 are
  // stretched.
  absl::StatusOr<HloInstruction*> BroadcastInDim(const mlir::Operation& operation,
                                                 HloInstruction* operand, const Shape& shape,
                                                 absl::Span<const int64_t> dimensions);
  // The attributes of a comparison of elements of that type.
  absl::StatusOr<CompareAttributes> Comparison(const mlir::Operation& operation,
                                               PrimitiveType element) const;
  // Emits, with the shape of the results, and sets them.
  absl::Status EmitResults(const mlir::Operation& operation, HloOpcode opcode,
                           absl::Span<HloInstruction* const> operands,
                           Attributes attributes = NoAttributes{},
                           absl::Span<HloComputation* const> called = {});
  // Small constants that are equal are one within a computation.
  absl::StatusOr<HloInstruction*> Constant(const mlir::Operation& operation,
                                           const mlir::DenseAttribute& dense);
  // Leaves out an operation that returns its operand: true if the shapes are equal.
  bool ReplaceByOperand(const mlir::Operation& operation, const Shape& shape);

  // --- Shapes
  absl::StatusOr<PrimitiveType> ElementType(const mlir::Operation& operation, mlir::TypeRef type);
  absl::StatusOr<Shape> ShapeOf(const mlir::Operation& operation, mlir::TypeRef type);
  // Of a number, or of the elements of a tensor (translate_shape.cc).
  absl::StatusOr<PrimitiveType> NumberType(const mlir::Operation& operation, mlir::TypeRef type);
  // arith.constant 1 : index
  absl::Status TranslateScalar(const mlir::Operation& operation);
  // Whether a size is open: neither known nor bounded.
  static bool IsOpen(mlir::TypeRef type);
  static bool HasOpenResult(const mlir::Operation& operation);
  // The type's element type with the given sizes, which those that it states must be.
  absl::StatusOr<Shape> ShapeWithSizes(const mlir::Operation& operation, mlir::TypeRef type,
                                       absl::Span<const int64_t> sizes);
  // Of the result, or a tuple of several.
  absl::StatusOr<Shape> ResultShape(const mlir::Operation& operation);

  // --- Attributes; errors where they are missing or of another kind
  absl::StatusOr<int64_t> Integer(const mlir::Operation& operation, std::string_view name) const;
  int64_t IntegerOr(const mlir::Operation& operation, std::string_view name, int64_t value) const;
  bool Flag(const mlir::Operation& operation, std::string_view name) const;  // absent: false
  absl::StatusOr<std::vector<int64_t>> Integers(const mlir::Operation& operation,
                                                std::string_view name) const;
  // Of an array of lists, as of layouts.
  absl::StatusOr<std::vector<std::vector<int64_t>>> IntegerLists(const mlir::Operation& operation,
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
  // output_operand_aliases
  absl::StatusOr<std::vector<OutputOperandAlias>> OutputOperandAliases(
      const mlir::Operation& operation) const;
  // Empty where it is absent.
  absl::StatusOr<std::vector<int64_t>> Parameters(const mlir::Operation& operation,
                                                  const mlir::DialectAttribute& attribute,
                                                  std::string_view name) const;
  // The values of an operand that is a constant of integers.
  absl::StatusOr<std::vector<int64_t>> ConstantOperand(const mlir::Operation& operation,
                                                       size_t i) const;

  // --- Quantized values (translate_quantized.cc)
  absl::StatusOr<HloInstruction*> Dequantize(const mlir::Operation& operation,
                                             HloInstruction* stored, mlir::TypeRef type);
  absl::StatusOr<HloInstruction*> Quantize(const mlir::Operation& operation, HloInstruction* value,
                                           mlir::TypeRef type);

  // --- Devices
  // Collectives of different operations must not share a channel, as they may in StableHLO.
  int64_t Channel(int64_t id, std::string_view operation);
  int64_t NewChannel() { return Channel(next_channel_, "new"); }
  void SetDevices(int64_t replicas, int64_t partitions);
  void SetModuleFact(const char* name, const char* value) {
    module_->config().frontend_attributes[name] = value;
  }
  int64_t num_partitions() const { return module_->config().num_partitions(); }
  absl::StatusOr<std::vector<HloInstruction*>> RunDifferent(
      const mlir::Operation& operation, absl::Span<HloComputation* const> programs,
      absl::Span<HloInstruction* const> operands, HloInstruction* process);

  // --- Shardings
  bool keeps_shardy() const { return arguments_.shardy == ShardyForm::kRoundTrip; }
  // The axes of meshes that the program handles itself where this is.
  const std::vector<std::string>& manual_axes() const { return manual_axes_; }
  void set_manual_axes(std::vector<std::string> axes) { manual_axes_ = std::move(axes); }
  bool keeps_axes() const { return arguments_.shardy == ShardyForm::kAxes; }
  absl::StatusOr<HloSharding> Sharding(const mlir::Operation& operation,
                                       const ShardySharding& sharding,
                                       absl::Span<const std::string> manual) const;
  // Of the text of an sdy.sharding, without the axes that are manual.
  absl::StatusOr<HloSharding> Sharding(const mlir::Operation& operation,
                                       std::string_view text) const;
  // Of mhlo.sharding or sdy.sharding.
  absl::StatusOr<HloSharding> Sharding(const mlir::Operation& operation,
                                       mlir::AttributeRef attribute) const;
  absl::StatusOr<ShardyMesh> FindMesh(const mlir::Operation& operation,
                                      std::string_view name) const;
  absl::Status ReadFrontendAttributes(const mlir::Operation& operation,
                                      const mlir::Attribute& attribute,
                                      std::map<std::string, std::string>* result);

  // --- Regions and functions
  // A computation with a parameter for each argument.
  absl::StatusOr<HloComputation*> Reducer(const mlir::Operation& operation, size_t region);
  // A computation of two scalars.
  absl::StatusOr<HloComputation*> ScalarComputation(HloOpcode opcode, PrimitiveType type);
  // A computation of one parameter: the values of `arguments` of the region, then `captures`.
  // The result is a tuple of what is returned, and of the captures if `returns_captures`; alone if
  // it is one.
  absl::StatusOr<HloComputation*> Body(const mlir::Operation& operation, size_t region,
                                       absl::Span<mlir::Value* const> captures,
                                       bool returns_captures);
  // Values that the regions use and do not define, without constants, which are copied.
  std::vector<mlir::Value*> Captures(const mlir::Operation& operation) const;
  // Whether a value is defined around a region rather than in it.
  bool IsOutside(const mlir::Region& region, const mlir::Value& value) const {
    const Range range = ranges_.at(&region);
    return value.id < range.first || value.id >= range.last;
  }
  absl::StatusOr<HloComputation*> Function(const mlir::Operation& operation, std::string_view name);
  // Whether a function has open sizes, and the call of such a one: its operations.
  bool HasOpenSizes(std::string_view name) const;
  absl::Status InlineFunction(const mlir::Operation& call, std::string_view name);

 private:
  struct Range {
    uint32_t first;
    uint32_t last;
  };
  struct KnownConstant {
    mlir::TypeRef type;
    HloInstruction* constant;
    HloInstruction* result;  // it, or its broadcast
  };
  struct LeftOut {
    const mlir::OperationName* name;
    size_t offset;
  };
  void Number(const mlir::Operation& operation);
  absl::Status LeftOutError(const LeftOut& left_out) const;
  HloInstruction* FindConstant(size_t hash, const mlir::DenseAttribute& dense) const;
  absl::Status TranslateBlock(const mlir::Block& block, std::vector<HloInstruction*>* returned);
  absl::StatusOr<HloComputation*> TranslateFunction(const mlir::Operation& function,
                                                    const EntryArguments& arguments = {});
  absl::StatusOr<Shape> InferResult(const mlir::Operation& operation, HloOpcode opcode,
                                    absl::Span<HloInstruction* const> operands,
                                    const Attributes& attributes,
                                    absl::Span<HloComputation* const> called);
  // Whether an operation on quantized values computes in what they express.
  bool ComputesExpressed(const mlir::Operation& operation) const;
  absl::Status TranslateExpressed(const mlir::Operation& operation, Handler handler);
  absl::Status ReadMeshes(const mlir::Operation& module);
  absl::Status ReadMeshText(const mlir::Operation& module);
  // Gives axes the sizes of EntryArguments::mesh_axes.
  absl::Status ResizeMeshes(const mlir::Operation& module);
  absl::StatusOr<HloSharding> GspmdSharding(const mlir::Operation& operation,
                                            std::string_view text) const;
  // Gives instructions what the attributes of an operation, argument or result state: the sharding
  // is that of the last one that is no element of a tuple.
  absl::Status Annotate(const mlir::Operation& operation,
                        absl::Span<const mlir::NamedAttribute> attributes,
                        absl::Span<HloInstruction* const> instructions);
  absl::Status AnnotateEmitted(const mlir::Operation& operation, size_t first);
  // States where instructions that are made for an operation come from; counts the text.
  absl::Status SetMetadata(const mlir::Operation& operation, const InstructionMetadata& metadata,
                           absl::Span<HloInstruction* const> instructions);
  absl::Status AnnotateArguments(const mlir::Operation& function,
                                 const HloComputation& computation);
  absl::Status AnnotateResults(const mlir::Operation& function,
                               std::vector<HloInstruction*>* returned,
                               BoxedOptional<HloSharding>* tuple_sharding);
  absl::Status SetParameterAttributes(const mlir::Operation& function, HloModuleConfig* config);
  absl::Status SetModuleAttributes(const mlir::Operation& module, HloModuleConfig* config);
  absl::Status SetModuleAliases(const mlir::Operation& module, HloModuleConfig* config);
  absl::Status SetModuleLayouts(const mlir::Operation& module, std::string_view name,
                                absl::Span<Shape* const> shapes);
  // Of an entry of a dictionary; empty if it is absent.
  absl::StatusOr<std::vector<int64_t>> IndexList(const mlir::Operation& operation,
                                                 absl::Span<const mlir::NamedAttribute> entries,
                                                 std::string_view name) const;
  void CopyConstants(const mlir::Operation& operation, const mlir::Region& region,
                     std::vector<std::pair<uint32_t, HloInstruction*>>* saved,
                     absl::Status* status);
  absl::Status CheckTuples(const mlir::Operation& operation) const;
  const mlir::Operation* FindFunction(std::string_view name) const;
  bool IsConstant(const mlir::Value& value) const { return is_constant_[value.id]; }

  mlir::Source& source_;
  const EntryArguments& arguments_;
  bool releases_;               // the operations of functions, once they are translated
  int64_t tuple_elements_ = 0;  // of all shapes
  size_t text_bytes_ = 0;       // of attributes and locations
  int inlining_ = 0;            // calls around the operation being translated that are inlined
  int64_t inlined_ = 0;         // operations that were translated in place of calls
  std::unique_ptr<HloModule> module_;
  HloComputation* computation_ = nullptr;  // to which instructions are added
  std::vector<HloInstruction*> emitted_;   // for the operations being translated, innermost last
  ShardyMeshes meshes_;
  std::vector<std::string> manual_axes_;
  std::vector<HloInstruction*> values_;  // by id of the value
  std::vector<bool> is_constant_;        // likewise: results of stablehlo.constant
  // By the ids of values: operations that are not translated and have no effect.
  absl::flat_hash_map<uint32_t, LeftOut> left_out_;
  absl::flat_hash_map<mlir::TypeRef, Shape> shapes_;
  absl::flat_hash_map<size_t, KnownConstant> constants_;  // by a hash, the computation's included
  uint32_t next_id_ = 1;
  absl::flat_hash_map<const mlir::Region*, Range> ranges_;
  absl::flat_hash_map<std::string_view, const mlir::Operation*> functions_;
  absl::flat_hash_map<std::string_view, HloComputation*> translated_;  // null: in progress
  absl::flat_hash_map<const mlir::OperationName*, Handler> handlers_;
  int depth_ = 0;
  bool has_quantized_ = false;
  bool computes_expressed_ = false;  // shapes are those of what quantized types express
  absl::flat_hash_map<int64_t, std::string_view> channels_;  // the operation that uses each
  int64_t next_channel_ = 1;
};

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_TRANSLATOR_H_
