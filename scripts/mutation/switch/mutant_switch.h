// SPDX-License-Identifier: Apache-2.0
// Chooses between the original and mutants of it when the process starts. Only in the copies of the
// sources that scripts/mutate.py builds.
#ifndef XLA_BASE_MUTANT_SWITCH_H_
#define XLA_BASE_MUTANT_SWITCH_H_

#include <algorithm>
#include <type_traits>
#include <utility>

#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wextra-semi"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace mutant {

// The active mutant; 0: none; negative: see mutant_switch.cc.
inline int active = -2;
bool OnSlow(int id);
// The mutation makes no sense for the types at hand.
void Inapplicable(int id);

template <int id>
constexpr bool On() {
  if (std::is_constant_evaluated()) return false;
  const int current = active;
  return current == id || (current < 0 && OnSlow(id));
}

// a < b becomes a < Tag<id, Lt>() < b: the same precedence, and the first operator keeps a.
template <int id, class Op>
struct Tag {};
template <class L, int id, class Op>
struct Left {
  L&& value;
};

#define MUTANT_INFIX(name, op, other)                                                              \
  struct name {};                                                                                  \
  template <class L, int id>                                                                       \
  constexpr Left<L, id, name> operator op(L&& left, Tag<id, name>) {                               \
    return {std::forward<L>(left)};                                                                \
  }                                                                                                \
  template <class L, int id, class R>                                                              \
  constexpr auto operator op(Left<L, id, name> left, R&& right) {                                  \
    using Result = std::decay_t<decltype(std::forward<L>(left.value) op std::forward<R>(right))>;  \
    if constexpr (requires {                                                                       \
                    static_cast<Result>(std::forward<L>(left.value) other std::forward<R>(right)); \
                  }) {                                                                             \
      if (On<id>()) {                                                                              \
        return static_cast<Result>(std::forward<L>(left.value) other std::forward<R>(right));      \
      }                                                                                            \
    } else {                                                                                       \
      if (On<id>()) Inapplicable(id);                                                              \
    }                                                                                              \
    return static_cast<Result>(std::forward<L>(left.value) op std::forward<R>(right));             \
  }

MUTANT_INFIX(Lt, <, <=)
MUTANT_INFIX(Le, <=, <)
MUTANT_INFIX(Gt, >, >=)
MUTANT_INFIX(Ge, >=, >)
MUTANT_INFIX(Eq, ==, !=)
MUTANT_INFIX(Ne, !=, ==)
MUTANT_INFIX(Add, +, -)
MUTANT_INFIX(Sub, -, +)
MUTANT_INFIX(Mul, *, +)
MUTANT_INFIX(Div, /, *)
MUTANT_INFIX(Mod, %, /)
#undef MUTANT_INFIX

template <int id, class T>
constexpr T Min(const T& a, const T& b) {
  return On<id>() ? std::max(a, b) : std::min(a, b);
}
template <int id, class T>
constexpr T Max(const T& a, const T& b) {
  return On<id>() ? std::min(a, b) : std::max(a, b);
}
template <int id, class T>
constexpr T Min(std::initializer_list<T> list) {
  return On<id>() ? std::max(list) : std::min(list);
}
template <int id, class T>
constexpr T Max(std::initializer_list<T> list) {
  return On<id>() ? std::min(list) : std::max(list);
}

}  // namespace mutant

#endif  // XLA_BASE_MUTANT_SWITCH_H_
