// SPDX-License-Identifier: Apache-2.0
// What the translations of HLO to StableHLO share. Tuples are taken apart: the value of an
// instruction is the list of its leaves.
#ifndef XLA_STABLEHLO_HLO_READER_H_
#define XLA_STABLEHLO_HLO_READER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/mlir/source.h"

namespace xla::stablehlo {

using Leaves = std::vector<mlir::Value*>;

class HloReader {
 public:
  explicit HloReader(const HloModule& module);
  absl::StatusOr<std::unique_ptr<mlir::Source>> Run(std::string_view entry_name);

  mlir::Context& context() { return source_->context; }
  const HloModuleConfig& config() const { return module_.config(); }
  absl::Status Unimplemented(const HloInstruction& instruction, std::string_view what) const;

  // --- Types
  absl::StatusOr<mlir::TypeRef> TypeOf(const Shape& shape);  // no tuple
  // Of the leaves.
  absl::StatusOr<std::vector<mlir::TypeRef>> TypesOf(const Shape& shape);

  // --- Values
  const Leaves& Get(const HloInstruction* instruction) const { return values_.at(instruction); }
  mlir::Value* One(const HloInstruction* instruction) const {
    return values_.at(instruction).front();
  }
  // Those of all operands, one after the other.
  Leaves Operands(const HloInstruction& instruction) const;
  void Set(const HloInstruction& instruction, Leaves leaves) {
    values_[&instruction] = std::move(leaves);
  }

  // --- Operations
  // Appends an operation to the current block.
  mlir::Operation* Emit(std::string_view name, absl::Span<mlir::Value* const> operands,
                        absl::Span<const mlir::TypeRef> results,
                        absl::Span<const mlir::NamedAttribute> attributes = {},
                        size_t num_regions = 0);
  // One for the instruction, whose value its results are.
  absl::Status EmitFor(const HloInstruction& instruction, std::string_view name,
                       absl::Span<mlir::Value* const> operands,
                       absl::Span<const mlir::NamedAttribute> attributes = {});
  // The same with a region for each computation, whose parameters become the block's arguments.
  absl::Status EmitWithRegions(const HloInstruction& instruction, std::string_view name,
                               absl::Span<mlir::Value* const> operands,
                               absl::Span<const mlir::NamedAttribute> attributes,
                               absl::Span<HloComputation* const> computations);
  // A block of the region, which computes the computation and returns its result.
  absl::Status FillRegion(mlir::Region* region, const HloComputation& computation);
  // The same without arguments: parameters are the given values.
  absl::Status FillRegionWith(mlir::Region* region, const HloComputation& computation,
                              absl::Span<const Leaves> parameters);
  // Computes the computation in the current block.
  absl::StatusOr<Leaves> Inline(const HloComputation& computation,
                                absl::Span<const Leaves> parameters);
  absl::StatusOr<std::string_view> Function(const HloComputation& computation);

  // --- Attributes
  mlir::AttributeRef I64(int64_t value) {
    return context().IntegerOf(context().Integer(64), value);
  }
  mlir::AttributeRef List(absl::Span<const int64_t> values) { return context().I64Array(values); }
  mlir::AttributeRef Flag(bool value) { return context().Bool(value); }
  mlir::AttributeRef Text(std::string_view text) {
    return context().String(context().arena().Copy(text));
  }
  mlir::AttributeRef Keyword(std::string_view name, std::string_view keyword) {
    return context().DialectOf("stablehlo", name, keyword);
  }
  // A constant of i64 with rows.
  mlir::AttributeRef Rows(absl::Span<const std::vector<int64_t>> rows, int64_t width);
  mlir::AttributeRef Precision(const Precisions& precision, std::string_view dialect);
  absl::StatusOr<mlir::AttributeRef> Dense(const HloInstruction& instruction,
                                           const Literal& literal);
  // Of the instruction's shape, every element being the scalar.
  absl::StatusOr<mlir::AttributeRef> Splat(const HloInstruction& instruction,
                                           const Literal& scalar);
  // What is read stands for operations of Shardy.
  void SetShardy() { has_shardy_ = true; }

 private:
  void AddFrontendAttributes(const std::map<std::string, std::string>& facts,
                             std::vector<mlir::NamedAttribute>* attributes);
  absl::Status ReadInstruction(const HloInstruction& instruction);
  absl::StatusOr<Leaves> ReadBody(const HloComputation& computation);
  absl::StatusOr<mlir::Operation*> MakeFunction(const HloComputation& computation,
                                                std::string_view name, bool is_public);
  mlir::Operation* NewOperation(std::string_view name, absl::Span<mlir::Value* const> operands,
                                absl::Span<const mlir::TypeRef> results,
                                absl::Span<const mlir::NamedAttribute> attributes,
                                size_t num_regions);
  // Null if nothing is known.
  mlir::AttributeRef LocationOf(const InstructionMetadata& metadata);
  mlir::Block* NewBlock(mlir::Region* region, absl::Span<const mlir::TypeRef> arguments);

  const HloModule& module_;
  std::unique_ptr<mlir::Source> source_;
  mlir::Block* block_ = nullptr;  // to which operations are appended
  mlir::Block* functions_ = nullptr;
  absl::flat_hash_map<const HloInstruction*, Leaves> values_;
  absl::flat_hash_map<const HloComputation*, std::string_view> names_;
  std::string entry_name_;
  bool has_shardy_ = false;  // among the frontend attributes
  int depth_ = 0;
  // Instructions of computations that became regions. Regions share nothing, so the program may be
  // exponentially larger.
  int64_t inlined_ = 0;
  const int64_t max_inlined_;
};

// Reads an instruction; one function per family, in the files hlo_reader_*.cc. Null: of another
// family.
using HloHandler = absl::Status (*)(HloReader& reader, const HloInstruction& instruction);
HloHandler FindElementwiseReader(HloOpcode opcode);
HloHandler FindStructureReader(HloOpcode opcode);
HloHandler FindProgramReader(HloOpcode opcode);

// A broadcast that stands for a constant (kSplatAttribute).
bool IsSplatConstant(const HloInstruction& instruction);

// The element type of an array; null if StableHLO has none.
mlir::TypeRef ElementTypeOf(mlir::Context* context, PrimitiveType type);

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_HLO_READER_H_
