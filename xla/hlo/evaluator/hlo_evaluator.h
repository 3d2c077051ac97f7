// SPDX-License-Identifier: Apache-2.0
// HloEvaluator: values of modules, computations and single instructions, by the reference
// interpreter; under XLA's include path and with its signatures.
//
//   HloEvaluator evaluator;
//   absl::StatusOr<Literal> value = evaluator.Evaluate(*module, {&argument});
#ifndef XLA_HLO_EVALUATOR_HLO_EVALUATOR_H_
#define XLA_HLO_EVALUATOR_HLO_EVALUATOR_H_

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array2d.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/literal.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla {

class DynamicDimensionInference;
class TuplePointsToAnalysis;

// Modules must be verified. Thread-compatible.
class HloEvaluator {
 public:
  // Not used here: values carry their dynamic sizes.
  struct PrecomputedAnalyses {
    TuplePointsToAnalysis* tuple_points_to;
  };
  using Substitutions = absl::flat_hash_map<const HloInstruction*, const LiteralBase*>;
  using CustomCallHandler = std::function<absl::StatusOr<Literal>(
      const HloInstruction* custom_call, absl::Span<const Literal*> operands)>;

  // Loops are not bounded here: the argument is for XLA's users.
  explicit HloEvaluator(int64_t /*max_loop_iterations*/ = -1) {}
  virtual ~HloEvaluator() = default;

  static bool IsOpcodeImplemented(HloOpcode opcode);

  absl::StatusOr<Literal> Evaluate(const HloModule& module,
                                   absl::Span<const Literal* const> arguments);
  absl::StatusOr<Literal> Evaluate(const HloComputation& computation,
                                   absl::Span<const Literal* const> arguments);
  template <typename Dummy = void>
  absl::StatusOr<Literal> Evaluate(const HloModule& module, absl::Span<const Literal> arguments) {
    return Evaluate(module, PointersTo(arguments));
  }
  template <typename Dummy = void>
  absl::StatusOr<Literal> Evaluate(const HloComputation& computation,
                                   absl::Span<const Literal> arguments) {
    return Evaluate(computation, PointersTo(arguments));
  }

  // The value of an instruction whose operands are constants, have substitutions, or with
  // `recursively_evaluate_nonconstant_operands` are made of such. FAILED_PRECONDITION if it depends
  // on anything else: a parameter, an effect.
  absl::StatusOr<Literal> Evaluate(const HloInstruction* instruction,
                                   PrecomputedAnalyses precomputed_analyses = {},
                                   bool recursively_evaluate_nonconstant_operands = false,
                                   const Substitutions& substitutions = {});
  bool TryEvaluate(const HloInstruction* instruction, Literal* result,
                   bool recursively_evaluate_nonconstant_operands = false);

  absl::StatusOr<Literal> EvaluateElementwiseUnaryOp(HloOpcode opcode, const Literal& operand);
  absl::StatusOr<Literal> EvaluateElementwiseBinaryOp(HloOpcode opcode, const Literal& lhs,
                                                      const Literal& rhs);
  absl::StatusOr<Literal> EvaluateElementwiseTernaryOp(HloOpcode opcode, const Literal& lhs,
                                                       const Literal& rhs, const Literal& ehs);
  absl::StatusOr<Literal> EvaluateElementwiseCompareOp(ComparisonDirection direction,
                                                       const Literal& lhs, const Literal& rhs);
  absl::StatusOr<Literal> EvaluateDotOp(const DotDimensionNumbers& numbers,
                                        const PrecisionConfig& precision, const Literal& lhs,
                                        const Literal& rhs);

  // Runs custom calls, with operands in default layout.
  void set_custom_call_handler(CustomCallHandler handler) {
    custom_call_handler_ = std::move(handler);
  }
  // Is told the places in memory of result, lhs and rhs of each multiplication in the dots and
  // convolutions of a computation that is evaluated.
  using TraceMACHandler =
      std::function<void(int64_t result_index, int64_t lhs_index, int64_t rhs_index)>;
  void set_trace_mac_handler(TraceMACHandler handler) { trace_mac_handler_ = std::move(handler); }
  // There is one path here.
  void set_use_fast_path(bool) {}
  void set_reduce_use_fast_path(bool) {}
  void set_dynamic_dimension_inference(DynamicDimensionInference*) {}
  void ResetVisitStates() {}

  // The product of two matrices.
  template <typename T>
  static std::unique_ptr<Array2D<T>> MatmulArray2D(const Array2D<T>& lhs, const Array2D<T>& rhs);

 private:
  static std::vector<const Literal*> PointersTo(absl::Span<const Literal> literals) {
    std::vector<const Literal*> pointers;
    for (const Literal& literal : literals) pointers.push_back(&literal);
    return pointers;
  }

  void TraceMACs(const HloComputation& computation) const;

  CustomCallHandler custom_call_handler_;
  TraceMACHandler trace_mac_handler_;
};

// A loop that counts: an element of its state starts at induction_var_init_value, and step_size is
// added in each trip until it reaches or passes loop_bound.
struct ParsedStaticWhileLoop {
  int64_t trip_count = -1;
  int64_t induction_var_index = -1;
  int64_t induction_var_init_value = -1;
  int64_t step_size = -1;
  int64_t loop_bound = -1;
};
// Dynamic: it counts, but from or to a value that is not known before the program runs.
struct ParsedWhileLoop {
  std::optional<ParsedStaticWhileLoop> static_while_loop;
  bool is_dynamic() const { return !static_while_loop.has_value(); }
};
constexpr ParsedWhileLoop kParsedDynamicWhileLoop = ParsedWhileLoop();

// Unset if the loop does not count.
std::optional<ParsedWhileLoop> PatternMatchParseWhileLoop(
    const HloInstruction* while_op, HloEvaluator::PrecomputedAnalyses precomputed_analyses = {});

namespace internal {

// Why a value cannot be found, as a payload of the error.
enum class EvalErrorDetail : uint32_t {
  kDynamicValueDependence = 0,  // depends on a parameter or infeed
};
extern const absl::string_view kEvalErrorDetailUrl;
std::optional<EvalErrorDetail> ParseEvalErrorDetail(const absl::Status& error);

}  // namespace internal

template <typename T>
std::unique_ptr<Array2D<T>> HloEvaluator::MatmulArray2D(const Array2D<T>& lhs,
                                                        const Array2D<T>& rhs) {
  XLA_CHECK(lhs.width() == rhs.height());
  // Narrow floats are summed in float.
  using Sum = std::conditional_t<
      is_complex_v<T>, T,
      std::conditional_t<std::is_same_v<T, double>, double,
                         std::conditional_t<is_specialized_floating_point_v<T>, float, T>>>;
  auto result = std::make_unique<Array2D<T>>(lhs.height(), rhs.width());
  for (int64_t m = 0; m < lhs.height(); ++m) {
    for (int64_t n = 0; n < rhs.width(); ++n) {
      Sum sum(0);
      for (int64_t k = 0; k < lhs.width(); ++k) {
        sum += static_cast<Sum>(lhs(m, k)) * static_cast<Sum>(rhs(k, n));
      }
      (*result)(m, n) = static_cast<T>(sum);
    }
  }
  return result;
}

}  // namespace xla

#endif  // XLA_HLO_EVALUATOR_HLO_EVALUATOR_H_
