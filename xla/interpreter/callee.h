// SPDX-License-Identifier: Apache-2.0
// ScalarFunction: a computation on scalars (of reduce, map, sort, scatter, ...), applied to many
// elements at once.
//
// A computation of elementwise operations, constants, tuples and calls of such computations runs on
// whole blocks of elements; any other runs element by element. Both give the same bits.
#ifndef XLA_INTERPRETER_CALLEE_H_
#define XLA_INTERPRETER_CALLEE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/interpreter/evaluator.h"
#include "xla/xla_data_enums.h"

namespace xla::interpreter {

class ScalarFunction {
 public:
  // Returns null if a parameter is not a scalar array, or the result is neither a scalar array nor
  // a flat tuple of them. Usually called by EvalContext::GetScalarFunction, which caches the
  // result.
  static std::unique_ptr<ScalarFunction> Make(const HloComputation& computation);
  ~ScalarFunction();

  int64_t num_inputs() const { return static_cast<int64_t>(input_types_.size()); }
  int64_t num_outputs() const { return static_cast<int64_t>(output_types_.size()); }
  PrimitiveType input_type(int64_t i) const { return input_types_[i]; }
  PrimitiveType output_type(int64_t i) const { return output_types_[i]; }

  // out[k][i] = f(in[0][i], in[1][i], ..) for i in [0, n). Arrays of the native types, contiguous;
  // an output may be the same array as an input, but must not overlap otherwise. Safe from several
  // threads at once, each with its own context.
  absl::Status Apply(EvalContext& ctx, int64_t n, absl::Span<const void* const> in,
                     absl::Span<void* const> out) const;
  absl::Status ApplyBinary(EvalContext& ctx, int64_t n, const void* a, const void* b,
                           void* out) const {
    const void* in[2] = {a, b};
    return Apply(ctx, n, in, absl::MakeSpan(&out, 1));
  }

  // Whether it runs on blocks rather than element by element.
  bool is_elementwise() const { return program_ != nullptr; }

  // The computation is exactly one binary operation of its two parameters, op(p0, p1) or op(p1,
  // p0), without a change of type: add, multiply, maximum, minimum, and, or, xor, ... For typed
  // loops; nullopt otherwise. Copies and calls of parameters are looked through.
  struct Binary {
    HloOpcode opcode;
    bool swapped;  // op(p1, p0)
  };
  std::optional<Binary> binary() const { return binary_; }

  // The parameter that the computation returns unchanged (1 in scatters that overwrite), if it
  // does.
  std::optional<int64_t> forwarded_parameter() const { return forwarded_parameter_; }

  // The comparison if the computation is compare(p_i, p_j), as comparators of sorts are.
  struct ParameterCompare {
    int64_t lhs, rhs;
    Comparison::Direction direction;
    bool total_order;  // floating-point: -NaN < -Inf < .. < -0 < +0 < .. < NaN
  };
  std::optional<ParameterCompare> compare() const { return compare_; }

 private:
  struct Program;
  ScalarFunction();

  const HloComputation* computation_ = nullptr;
  std::vector<PrimitiveType> input_types_, output_types_;
  std::optional<Binary> binary_;
  std::optional<int64_t> forwarded_parameter_;
  std::optional<ParameterCompare> compare_;
  std::unique_ptr<Program> program_;  // null: element by element
};

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_CALLEE_H_
