// SPDX-License-Identifier: Apache-2.0
// Arguments of programs: random values that fit what the program does with them.
#include "xla/tests/test_utils.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "absl/functional/function_ref.h"
#include "xla/base/status_macros.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"

namespace xla {
namespace {

// What the values of one array must be.
struct Constraint {
  std::optional<int64_t> max_index;  // start indices: from 0 to this
  uint64_t zero_bits = 0;            // of start indices
  bool is_sort_key = false;          // all different
  bool is_positive = false;
};

// Collects the constraints that the uses of a value put on it.
class Uses {
 public:
  Uses(bool follows_arithmetic, const GetIndexKnownZeroesFn& known_zeroes)
      : follows_arithmetic_(follows_arithmetic), known_zeroes_(known_zeroes) {}

  void Visit(const HloInstruction* value, Constraint* constraint) const {
    for (const HloInstruction* user : value->users()) {
      for (int64_t i = 0; i < user->operand_count(); ++i) {
        if (user->operand(i) == value) VisitUse(user, i, constraint);
      }
    }
  }
  // A parameter that is a tuple: its elements one by one.
  void VisitElement(const HloInstruction* tuple, int64_t index, Constraint* constraint) const {
    for (const HloInstruction* user : tuple->users()) {
      if (user->opcode() == HloOpcode::kGetTupleElement && user->tuple_index() == index) {
        Visit(user, constraint);
      }
    }
  }

 private:
  void Bound(const HloInstruction* use, int64_t dim, int64_t size, Constraint* constraint) const {
    const int64_t max = std::max<int64_t>(use->operand(0)->shape().dimensions(dim) - size, 0);
    constraint->max_index = std::min(constraint->max_index.value_or(max), max);
    if (known_zeroes_ != nullptr) constraint->zero_bits |= known_zeroes_(use, dim).value_or(0);
  }

  void VisitUse(const HloInstruction* use, int64_t operand, Constraint* constraint) const {
    const auto start_index = [&](int64_t first, const Shape& slice) {
      const int64_t rank = slice.dimensions_size();
      const bool is_vector = use->operand(first)->shape().dimensions_size() == 1;
      for (int64_t d = is_vector ? 0 : operand - first;
           d < (is_vector ? rank : operand - first + 1); ++d) {
        Bound(use, d, slice.dimensions(d), constraint);
      }
    };
    switch (use->opcode()) {
      case HloOpcode::kDynamicSlice:
        if (operand > 0) start_index(1, use->shape());
        break;
      case HloOpcode::kDynamicUpdateSlice:
        if (operand > 1) start_index(2, use->operand(1)->shape());
        break;
      case HloOpcode::kGather: {
        const auto& gather = use->attributes<GatherAttributes>();
        if (operand != 1) break;
        for (const int64_t dim : gather.start_index_map) {
          Bound(use, dim, gather.slice_sizes[static_cast<size_t>(dim)], constraint);
        }
        break;
      }
      case HloOpcode::kScatter: {
        if (operand != use->operand_count() / 2) break;
        for (const int64_t dim :
             use->attributes<ScatterAttributes>().scatter_dims_to_operand_dims) {
          Bound(use, dim, 1, constraint);
        }
        break;
      }
      case HloOpcode::kSort:
        constraint->is_sort_key |= operand == 0;
        break;
      case HloOpcode::kFusion:
      case HloOpcode::kCall:
        Visit(use->called_computations()[0]->parameter_instruction(operand), constraint);
        break;
      case HloOpcode::kBitcast:
      case HloOpcode::kConcatenate:
      case HloOpcode::kConvert:
      case HloOpcode::kCopy:
      case HloOpcode::kReshape:
      case HloOpcode::kSlice:
      case HloOpcode::kTranspose:
        Visit(use, constraint);
        break;
      case HloOpcode::kLog:
      case HloOpcode::kRsqrt:
      case HloOpcode::kSqrt:
        if (follows_arithmetic_) constraint->is_positive = true;
        break;
      default:
        if (follows_arithmetic_ && use->IsElementwise()) Visit(use, constraint);
        break;
    }
  }

  const bool follows_arithmetic_;
  const GetIndexKnownZeroesFn& known_zeroes_;
};

struct Options {
  std::minstd_rand0* engine;
  bool use_large_range;
  std::optional<int64_t> max_bits;
};

absl::StatusOr<Literal> RandomArray(const Shape& shape, const Constraint& constraint,
                                    const Options& options) {
  Shape untiled = shape;
  if (untiled.has_layout()) untiled.mutable_layout()->clear_tiles();
  XLA_ASSIGN_OR_RETURN(Literal literal, Literal::Make(untiled));
  std::uniform_real_distribution<double> real(options.use_large_range ? -1e3 : -0.1,
                                              options.use_large_range ? 1e3 : 0.2);
  std::uniform_int_distribution<int64_t> whole(constraint.max_index.has_value() ? 0 : -100,
                                               constraint.max_index.value_or(100));
  primitive_util::ArrayTypeSwitch<void>(
      [&](auto type) {
        using T = primitive_util::NativeTypeOf<type>;
        const absl::Span<T> elements = literal.data<T>();
        for (T& element : elements) {
          if constexpr (is_complex_v<T>) {
            element = T(static_cast<float>(real(*options.engine)),
                        static_cast<float>(real(*options.engine)));
          } else if constexpr (is_real_float_v<T>) {
            float value = static_cast<float>(real(*options.engine));
            if (options.max_bits.has_value()) {
              const int bits = static_cast<int>(*options.max_bits);
              value = std::ldexp(std::round(std::ldexp(value, bits)), -bits);
            }
            if (constraint.is_positive) value = std::max(std::abs(value), 1e-3f);
            element = static_cast<T>(value);
          } else if constexpr (std::is_same_v<T, bool>) {
            element = (whole(*options.engine) & 1) != 0;
          } else {
            int64_t value = whole(*options.engine);
            if (constraint.max_index.has_value()) {
              value &= ~static_cast<int64_t>(constraint.zero_bits);
            }
            element = static_cast<T>(primitive_util::IsUnsignedIntegralType(type) ? std::abs(value)
                                                                                  : value);
          }
        }
        // Keys that do not repeat, as far as the type has numbers.
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          if (!constraint.is_sort_key) return;
          std::iota(elements.begin(), elements.end(), T{0});
          std::shuffle(elements.begin(), elements.end(), *options.engine);
        }
      },
      shape.element_type());
  return literal;
}

// Of an array (-1) or an element of a tuple.
using ConstraintOf = absl::FunctionRef<Constraint(int64_t element)>;

absl::StatusOr<Literal> RandomLiteral(const Shape& shape, ConstraintOf constraint_of,
                                      const Options& options) {
  if (!shape.IsTuple()) {
    if (!shape.IsArray()) return LiteralUtil::CreateToken();
    return RandomArray(shape, constraint_of(-1), options);
  }
  std::vector<Literal> elements;
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    XLA_ASSIGN_OR_RETURN(Literal literal, RandomLiteral(
                                              shape.tuple_shapes(i),
                                              [&](int64_t) { return constraint_of(i); }, options));
    elements.push_back(std::move(literal));
  }
  return LiteralUtil::MakeTupleOwned(std::move(elements));
}

absl::StatusOr<std::vector<Literal>> RandomArguments(const HloModule& module, const Uses& uses,
                                                     Options options) {
  std::minstd_rand0 own;
  if (options.engine == nullptr) options.engine = &own;
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    const auto constraint_of = [&](int64_t element) {
      Constraint constraint;
      if (element < 0) {
        uses.Visit(parameter, &constraint);
      } else {
        uses.VisitElement(parameter, element, &constraint);
      }
      return constraint;
    };
    XLA_ASSIGN_OR_RETURN(Literal literal,
                         RandomLiteral(parameter->shape(), constraint_of, options));
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

}  // namespace

absl::StatusOr<std::vector<Literal>> MakeFakeArguments(const HloModule* module, bool,
                                                       bool use_large_range, bool,
                                                       std::optional<int64_t> max_bits_of_precision,
                                                       std::minstd_rand0* engine, bool,
                                                       GetIndexKnownZeroesFn known_zeroes) {
  return RandomArguments(*module, Uses(/*follows_arithmetic=*/false, known_zeroes),
                         {engine, use_large_range, max_bits_of_precision});
}

absl::StatusOr<std::vector<Literal>> MakeFakeArguments(
    const HloModule* module, std::minstd_rand0* engine, bool use_large_range, bool,
    std::optional<int64_t> max_bits_of_precision) {
  return MakeFakeArguments(module, true, use_large_range, false, max_bits_of_precision, engine);
}

absl::StatusOr<std::vector<Literal>> MakeDataflowConstrainedArguments(
    const HloModule* module, std::minstd_rand0* engine, bool use_large_range,
    std::optional<int64_t> max_bits_of_precision, bool, GetIndexKnownZeroesFn known_zeroes) {
  return RandomArguments(*module, Uses(/*follows_arithmetic=*/true, known_zeroes),
                         {engine, use_large_range, max_bits_of_precision});
}

absl::StatusOr<Literal> MakeFakeLiteral(const Shape& shape, bool, bool use_large_range,
                                        std::optional<int64_t> max_bits_of_precision) {
  std::minstd_rand0 engine;
  return RandomLiteral(shape, [](int64_t) { return Constraint(); },
                       {&engine, use_large_range, max_bits_of_precision});
}

}  // namespace xla
