// SPDX-License-Identifier: Apache-2.0
// What a compare operation compares: direction, element type, and partial or total order.
//
//   Comparison less(Comparison::Direction::kLt, F32);                          // NaN is unordered
//   Comparison total(Comparison::Direction::kLt, F32, Comparison::Order::kTotal);
//
// Total order of floats: -NaN < -Inf < -finite < -0 < +0 < +finite < +Inf < +NaN. Integers, PRED
// and complex numbers (EQ and NE only) have one order each.
#ifndef XLA_COMPARISON_UTIL_H_
#define XLA_COMPARISON_UTIL_H_

#include <bit>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "xla/base/status_fwd.h"
#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla {

class Comparison {
 public:
  enum class Order : uint8_t { kTotal, kPartial };
  enum class Direction : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
  // The `type` attribute of HLO text and proto.
  enum class Type : uint8_t { kFloat, kFloatTotalOrder, kSigned, kUnsigned };

  Comparison() = delete;
  // Uses the default order of the type: total for integers, partial for floats.
  Comparison(Direction direction, PrimitiveType type);
  Comparison(Direction direction, PrimitiveType type, Order order);
  // Uses a representative 32-bit type: F32, S32 or U32.
  Comparison(Direction direction, Type type);

  Direction GetDirection() const { return direction_; }
  PrimitiveType GetPrimitiveType() const { return primitive_type_; }
  Order GetOrder() const { return order_; }
  Type GetType() const { return type_; }

  bool IsEq() const { return direction_ == Direction::kEq; }
  bool IsNe() const { return direction_ == Direction::kNe; }
  bool IsGe() const { return direction_ == Direction::kGe; }
  bool IsGt() const { return direction_ == Direction::kGt; }
  bool IsLe() const { return direction_ == Direction::kLe; }
  bool IsLt() const { return direction_ == Direction::kLt; }
  bool IsTotalOrder() const { return order_ == Order::kTotal; }
  bool IsPartialOrder() const { return order_ == Order::kPartial; }
  bool IsF32TotalOrder() const { return primitive_type_ == F32 && IsTotalOrder(); }
  bool IsStandardF32() const { return primitive_type_ == F32 && IsPartialOrder(); }
  bool IsStandardS32() const { return primitive_type_ == S32 && IsTotalOrder(); }
  bool IsStandardU32() const { return primitive_type_ == U32 && IsTotalOrder(); }

  // Whether the comparison holds for a and b, which are of the primitive type.
  template <typename T>
  bool Compare(const T a, const T b) const {
    if constexpr (is_specialized_floating_point_v<T>) {
      if (IsTotalOrder()) return CompareNumbers(PlaceInTotalOrder(a), PlaceInTotalOrder(b));
    }
    return CompareNumbers(a, b);
  }

  // Whether (a dir a) always holds; whether it never does.
  bool IsReflexive() const;
  bool IsAntireflexive() const;
  // The comparison with operands swapped: a < b becomes b > a.
  Comparison Converse() const;
  // The negated comparison. In a partial order only EQ and NE have one, because of NaN.
  std::optional<Comparison> Inverse() const;

  // ".LT.F32.TOTALORDER"
  std::string ToString(absl::string_view prefix1 = ".", absl::string_view prefix2 = ".",
                       absl::string_view prefix3 = ".") const;

  // The type of a comparison of this element type that states none.
  static Type DefaultComparisonType(PrimitiveType type);

  bool operator==(const Comparison& other) const {
    return direction_ == other.direction_ && primitive_type_ == other.primitive_type_ &&
           order_ == other.order_;
  }
  bool operator!=(const Comparison& other) const { return !(*this == other); }

 private:
  template <typename T>
  bool CompareNumbers(const T& a, const T& b) const {
    switch (direction_) {
      case Direction::kEq:
        return a == b;
      case Direction::kNe:
        return a != b;
      case Direction::kGe:
        if constexpr (!is_complex_v<T>) return a >= b;
        break;
      case Direction::kGt:
        if constexpr (!is_complex_v<T>) return a > b;
        break;
      case Direction::kLe:
        if constexpr (!is_complex_v<T>) return a <= b;
        break;
      case Direction::kLt:
        if constexpr (!is_complex_v<T>) return a < b;
        break;
    }
    return false;
  }
  // -NaN < -inf < .. < -0 < +0 < .. < inf < NaN.
  template <typename T>
  static int64_t PlaceInTotalOrder(T value) {
    using Bits = std::conditional_t<
        sizeof(T) == 8, uint64_t,
        std::conditional_t<sizeof(T) == 4, uint32_t,
                           std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
    Bits bits = std::bit_cast<Bits>(value);
    if constexpr (is_mini_float_v<T>) {
      bits = static_cast<Bits>(bits << (sizeof(Bits) * 8 - T::kTotalBits));
    }
    if constexpr (!std::numeric_limits<T>::is_signed) return static_cast<int64_t>(bits);
    // What would be the negative zero is NaN: the lowest of all.
    if (!has_negative_zero_v<T> && value != value) return std::numeric_limits<int64_t>::min();
    using Signed = std::make_signed_t<Bits>;
    constexpr int kShift = sizeof(Bits) * 8 - 1;
    const Signed code = static_cast<Signed>(bits);
    return static_cast<Signed>(code ^ static_cast<Signed>(static_cast<Bits>(code >> kShift) >> 1));
  }

  Direction direction_;
  Order order_;
  Type type_;
  PrimitiveType primitive_type_;
};

using ComparisonDirection = Comparison::Direction;
using ComparisonOrder = Comparison::Order;
using ComparisonType = Comparison::Type;

// "EQ", "NE", "GE", "GT", "LE", "LT".
std::string ComparisonDirectionToString(Comparison::Direction direction);
// "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED".
std::string ComparisonTypeToString(Comparison::Type type);
// "TOTALORDER", "PARTIALORDER".
std::string ComparisonOrderToString(Comparison::Order order);

// The inverse functions; errors list the valid names.
absl::StatusOr<Comparison::Direction> StringToComparisonDirection(absl::string_view direction);
absl::StatusOr<Comparison::Type> StringToComparisonType(absl::string_view type);
absl::StatusOr<Comparison::Order> StringToComparisonOrder(absl::string_view order);

std::ostream& operator<<(std::ostream& out, const Comparison& comparison);

}  // namespace xla

#endif  // XLA_COMPARISON_UTIL_H_
