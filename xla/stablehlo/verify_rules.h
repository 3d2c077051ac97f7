// SPDX-License-Identifier: Apache-2.0
// What the rules of the families of operations share.
#ifndef XLA_STABLEHLO_VERIFY_RULES_H_
#define XLA_STABLEHLO_VERIFY_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "xla/base/string_view.h"
#include "xla/hlo/shape_inference/result_dimensions.h"
#include "xla/mlir/source.h"

namespace xla::stablehlo {

class Check;
class ShardyScope;
// False after an error that was recorded with Check::Fail.
using Rule = bool (*)(Check& check);

// Element types that an operation accepts.
enum ElementClass : uint32_t {
  kBooleans = 1,
  kSignedIntegers = 2,  // signless in MLIR
  kUnsignedIntegers = 4,
  kReals = 8,
  kComplexes = 16,
  kQuantizeds = 32,
  kPerAxis = 64,  // quantized per axis
  kOtherElements = 128,

  kIntegers = kSignedIntegers | kUnsignedIntegers,
  kAnyElements = 255,
};

// What holds for every operation of a name. Attributes are words: a name; ':' and its kind (i64,
// i32, bool, list, flags, str, sym, dense, array, enum, struct; none: any); '+' or '*' for integers
// that must be positive or not negative; '?' if it may be absent.
struct OperationRule {
  std::string_view name;
  int least_operands, most_operands;  // -1: any number
  int least_results, most_results;
  int regions;                // -1: any number
  uint32_t operand_elements;  // of all operands and results that are tensors
  std::string_view attributes;
  Rule rule;
};
using RuleTable = absl::flat_hash_map<std::string_view, const OperationRule*>;

// Each family adds its operations.
void AddElementwiseRules(RuleTable* table);
void AddReshapeRules(RuleTable* table);
void AddGatherScatterRules(RuleTable* table);
void AddReduceRules(RuleTable* table);
void AddContractionRules(RuleTable* table);
void AddConvolutionRules(RuleTable* table);
void AddControlRules(RuleTable* table);
void AddCollectiveRules(RuleTable* table);
void AddEffectRules(RuleTable* table);
void AddChloRules(RuleTable* table);
void AddMhloRules(RuleTable* table);
void AddShapeRules(RuleTable* table);
void AddShardyRules(RuleTable* table);
void AddShardyCollectiveRules(RuleTable* table);

// --- Types

inline bool IsTensor(mlir::TypeRef type) { return type->kind == mlir::TypeKind::kRankedTensor; }
inline bool IsShaped(mlir::TypeRef type) {
  return IsTensor(type) || type->kind == mlir::TypeKind::kUnrankedTensor;
}
inline bool IsToken(mlir::TypeRef type) { return type->IsDialect("stablehlo", "token"); }
inline int64_t Rank(mlir::TypeRef type) { return static_cast<int64_t>(type->sizes.size()); }
inline bool IsDynamicSize(int64_t size) { return size == mlir::kDynamic; }
// Sizes are those of shape inference, with the same number for what is not known.
static_assert(mlir::kDynamic == Shape::kUnboundedSize);
inline bool SizesAgree(int64_t a, int64_t b) { return shape_inference::SizesCompatible(a, b); }
bool SizesAgree(absl::Span<const int64_t> a, absl::Span<const int64_t> b);
uint32_t ClassOf(mlir::TypeRef element);
// The same element type; quantized ones must agree but for scales and zero points, or, if one is
// not quantized, in what they express.
bool ElementsAgree(mlir::TypeRef a, mlir::TypeRef b);
// Ranks, sizes that are known, and element types agree; of tuples, those of all elements.
bool TypesAgree(mlir::TypeRef a, mlir::TypeRef b);
// Ranks and known sizes.
bool ShapesAgree(mlir::TypeRef a, mlir::TypeRef b);
// Whether a reduction of elements of type `a` may compute in type `b`.
bool IsPromotable(mlir::TypeRef a, mlir::TypeRef b);
// The bounds of the dimensions, kDynamic where there is none; empty if the type has no bounds.
absl::Span<const int64_t> BoundsOf(mlir::TypeRef type);
// "[1, ?, 3]"
std::string ListText(absl::Span<const int64_t> values);

// One operation, and the first error in it.
class Check {
 public:
  // `shardy` knows the module around the operation (verify_sharding.h).
  Check(const mlir::Operation& operation, const mlir::Source& source,
        const ShardyScope* shardy = nullptr)
      : operation_(operation), source_(source), shardy_(shardy) {}

  const mlir::Operation& operation() const { return operation_; }
  bool Is(std::string_view name) const { return operation_.Is(name); }
  const ShardyScope& shardy() const { return *shardy_; }
  // Null if the module around the operation has none of that name.
  const mlir::Operation* FindSymbol(std::string_view name) const;

  template <typename... Parts>
  bool Fail(const Parts&... parts) {
    if (message_.empty()) message_ = absl::StrCat(parts...);
    return false;
  }
  // Types and attributes are printed only if they are needed.
  template <typename... Parts>
  bool Require(bool holds, const Parts&... parts) {
    return holds || Fail(Part(parts)...);
  }
  const std::string& message() const { return message_; }

  // --- Values
  size_t num_operands() const { return operation_.operands.size(); }
  size_t num_results() const { return operation_.results.size(); }
  mlir::TypeRef operand(size_t i) const { return operation_.operands[i]->type; }
  mlir::TypeRef result(size_t i) const { return operation_.results[i].type; }
  absl::Span<const int64_t> sizes(size_t operand) const { return this->operand(operand)->sizes; }
  int64_t rank(size_t operand) const { return Rank(this->operand(operand)); }
  // Result `i` has this type, up to dynamic sizes.
  bool ResultIs(size_t i, absl::Span<const int64_t> sizes, mlir::TypeRef element);
  bool ResultIs(size_t i, mlir::TypeRef type);

  // --- Attributes
  int64_t Integer(std::string_view name, int64_t otherwise = 0) const;
  bool Flag(std::string_view name) const;
  std::string_view Keyword(std::string_view name) const;
  // The integers of a list or constant; none if it is absent or something else.
  std::optional<std::vector<int64_t>> List(std::string_view name) const;
  std::optional<std::vector<int64_t>> List(const mlir::Attribute& attribute) const;
  // Of a parameter of a structured attribute; empty if it is absent.
  std::vector<int64_t> Parameter(std::string_view name, std::string_view parameter) const;
  int64_t IntegerParameter(std::string_view name, std::string_view parameter,
                           int64_t otherwise) const;
  // The values of an operand that is a constant of integers.
  std::optional<std::vector<int64_t>> ConstantOperand(size_t i) const;

  // --- Rules of many operations
  bool InRange(std::string_view what, int64_t value, int64_t end);
  bool AllInRange(std::string_view what, absl::Span<const int64_t> values, int64_t end);
  bool Distinct(std::string_view what, absl::Span<const int64_t> values);
  bool DistinctIn(std::string_view a, absl::Span<const int64_t> values, std::string_view b,
                  absl::Span<const int64_t> others);
  bool Sorted(std::string_view what, absl::Span<const int64_t> values);
  bool IsPermutation(std::string_view what, absl::Span<const int64_t> values, int64_t rank);
  bool AllTensors();  // operands and results are ranked tensors

  // --- Regions
  // The values that a region of one block returns; an error if it does not end with a return.
  const mlir::Operation* Terminator(size_t region);
  // The rules of reductions: a block of two parameters for each of `inputs`, which returns what the
  // first half of them are. `inits_are_results`: the results have the shapes of `inits`.
  bool Reduction(size_t region, absl::Span<const mlir::TypeRef> inputs,
                 absl::Span<const mlir::TypeRef> inits, bool inits_are_results);

  // --- Windows
  struct Window {
    std::vector<int64_t> sizes, strides, base_dilations, window_dilations, padding;
  };
  // Reads padding, strides and dilations of the given attribute names (base and window dilations)
  // and checks that all fit `window.sizes`.
  bool ReadWindow(Window* window, std::string_view base_dilations,
                  std::string_view window_dilations);
  // The size of the result of a window along dimension i.
  static int64_t WindowedSize(const Window& window, size_t i, int64_t size);

 private:
  static std::string Part(mlir::TypeRef type) { return mlir::ToString(type); }
  static std::string Part(mlir::AttributeRef attribute) { return mlir::ToString(attribute); }
  template <typename T>
  static const T& Part(const T& part) {
    return part;
  }
  const mlir::Operation& operation_;
  const mlir::Source& source_;
  const ShardyScope* shardy_;
  std::string message_;
};

}  // namespace xla::stablehlo

#endif  // XLA_STABLEHLO_VERIFY_RULES_H_
