// SPDX-License-Identifier: Apache-2.0
// What a compare operation compares: names, defaults, converse and inverse.
#include "xla/comparison_util.h"

#include <array>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/base/check.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {
namespace {

using Direction = Comparison::Direction;
using Order = Comparison::Order;
using Type = Comparison::Type;

template <typename Enum>
struct Named {
  Enum value;
  const char* name;
};
constexpr std::array<Named<Direction>, 6> kDirections = {{{Direction::kEq, "EQ"},
                                                          {Direction::kNe, "NE"},
                                                          {Direction::kGe, "GE"},
                                                          {Direction::kGt, "GT"},
                                                          {Direction::kLe, "LE"},
                                                          {Direction::kLt, "LT"}}};
constexpr std::array<Named<Type>, 4> kTypes = {{{Type::kFloat, "FLOAT"},
                                                {Type::kFloatTotalOrder, "TOTALORDER"},
                                                {Type::kSigned, "SIGNED"},
                                                {Type::kUnsigned, "UNSIGNED"}}};
constexpr std::array<Named<Order>, 2> kOrders = {
    {{Order::kTotal, "TOTALORDER"}, {Order::kPartial, "PARTIALORDER"}}};

template <typename Enum, size_t kSize>
std::string NameOf(const std::array<Named<Enum>, kSize>& names, Enum value) {
  for (const Named<Enum>& named : names) {
    if (named.value == value) return named.name;
  }
  XLA_CHECK(false) << "not a valid value: " << static_cast<int>(value);
  return "";
}

template <typename Enum, size_t kSize>
absl::StatusOr<Enum> ValueOf(const std::array<Named<Enum>, kSize>& names, absl::string_view what,
                             absl::string_view name) {
  for (const Named<Enum>& named : names) {
    if (named.name == name) return named.value;
  }
  return InvalidArgumentStrCat(
      "unknown comparison ", what, " '", name, "'; expected one of ",
      absl::StrJoin(names, ", ",
                    [](std::string* out, const Named<Enum>& named) { out->append(named.name); }));
}

bool HasPartialOrder(PrimitiveType type) {
  return primitive_util::IsFloatingPointType(type) || primitive_util::IsComplexType(type);
}

Type TypeOf(PrimitiveType type, Order order) {
  const Type usual = Comparison::DefaultComparisonType(type);
  return usual == Type::kFloat && order == Order::kTotal ? Type::kFloatTotalOrder : usual;
}

PrimitiveType RepresentativeType(Type type) {
  switch (type) {
    case Type::kSigned:
      return S32;
    case Type::kUnsigned:
      return U32;
    default:
      return F32;
  }
}

}  // namespace

Comparison::Comparison(Direction direction, PrimitiveType type)
    : Comparison(direction, type, HasPartialOrder(type) ? Order::kPartial : Order::kTotal) {}
Comparison::Comparison(Direction direction, PrimitiveType type, Order order)
    : direction_(direction), order_(order), type_(TypeOf(type, order)), primitive_type_(type) {
  XLA_CHECK(order == Order::kTotal || HasPartialOrder(type))
      << "values of type " << primitive_util::LowercasePrimitiveTypeName(type)
      << " have no partial order";
}
Comparison::Comparison(Direction direction, Type type)
    : direction_(direction),
      order_(type == Type::kFloat ? Order::kPartial : Order::kTotal),
      type_(type),
      primitive_type_(RepresentativeType(type)) {}

Comparison::Type Comparison::DefaultComparisonType(PrimitiveType type) {
  if (HasPartialOrder(type)) return Type::kFloat;
  return primitive_util::IsSignedIntegralType(type) ? Type::kSigned : Type::kUnsigned;
}

bool Comparison::IsReflexive() const {
  // a == a, a >= a and a <= a hold, except for NaN in a partial order.
  return IsTotalOrder() && (IsEq() || IsGe() || IsLe());
}
bool Comparison::IsAntireflexive() const {
  // a < a and a > a never hold; a != a holds for NaN in a partial order.
  return IsLt() || IsGt() || (IsTotalOrder() && IsNe());
}

Comparison Comparison::Converse() const {
  Comparison converse = *this;
  switch (direction_) {
    case Direction::kEq:
    case Direction::kNe:
      break;
    case Direction::kGe:
      converse.direction_ = Direction::kLe;
      break;
    case Direction::kGt:
      converse.direction_ = Direction::kLt;
      break;
    case Direction::kLe:
      converse.direction_ = Direction::kGe;
      break;
    case Direction::kLt:
      converse.direction_ = Direction::kGt;
      break;
  }
  return converse;
}

std::optional<Comparison> Comparison::Inverse() const {
  // With a NaN, neither a < b nor a >= b; but a == b and a != b are opposites even then.
  if (IsPartialOrder() && !IsEq() && !IsNe()) return std::nullopt;
  Comparison inverse = *this;
  switch (direction_) {
    case Direction::kEq:
      inverse.direction_ = Direction::kNe;
      break;
    case Direction::kNe:
      inverse.direction_ = Direction::kEq;
      break;
    case Direction::kGe:
      inverse.direction_ = Direction::kLt;
      break;
    case Direction::kGt:
      inverse.direction_ = Direction::kLe;
      break;
    case Direction::kLe:
      inverse.direction_ = Direction::kGt;
      break;
    case Direction::kLt:
      inverse.direction_ = Direction::kGe;
      break;
  }
  return inverse;
}

std::string Comparison::ToString(absl::string_view prefix1, absl::string_view prefix2,
                                 absl::string_view prefix3) const {
  return absl::StrCat(prefix1, ComparisonDirectionToString(direction_), prefix2,
                      PrimitiveType_Name(primitive_type_), prefix3,
                      ComparisonOrderToString(order_));
}

std::string ComparisonDirectionToString(Comparison::Direction direction) {
  return NameOf(kDirections, direction);
}
std::string ComparisonTypeToString(Comparison::Type type) { return NameOf(kTypes, type); }
std::string ComparisonOrderToString(Comparison::Order order) { return NameOf(kOrders, order); }

absl::StatusOr<Comparison::Direction> StringToComparisonDirection(absl::string_view direction) {
  return ValueOf(kDirections, "direction", direction);
}
absl::StatusOr<Comparison::Type> StringToComparisonType(absl::string_view type) {
  return ValueOf(kTypes, "type", type);
}
absl::StatusOr<Comparison::Order> StringToComparisonOrder(absl::string_view order) {
  return ValueOf(kOrders, "order", order);
}

std::ostream& operator<<(std::ostream& out, const Comparison& comparison) {
  return out << comparison.ToString();
}

}  // namespace xla
