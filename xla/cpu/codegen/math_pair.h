// SPDX-License-Identifier: Apache-2.0
// Sums of two numbers over a type of lanes (math_exp_log.h), which hold about twice the bits of
// one. They need fused multiply-add.
#ifndef XLA_CPU_CODEGEN_MATH_PAIR_H_
#define XLA_CPU_CODEGEN_MATH_PAIR_H_

namespace xla::cpu::math {

template <class F>
struct Pair {
  F high, low;
};

// a + b exactly, where |a| >= |b|, or where a is zero.
template <class F>
Pair<F> SumOf(const F& a, const F& b) {
  const F sum = a + b;
  return {sum, (a - sum) + b};
}

// a + b exactly, whichever is larger.
template <class F>
Pair<F> SumInAnyOrder(const F& a, const F& b) {
  const F sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

// a b exactly.
template <class F>
Pair<F> ProductOf(const F& a, const F& b) {
  const F product = a * b;
  return {product, Fma(a, b, -product)};
}

// factor a.
template <class F>
Pair<F> Multiple(const F& factor, const Pair<F>& a) {
  const Pair<F> product = ProductOf(factor, a.high);
  return {product.high, Fma(factor, a.low, product.low)};
}
template <class F>
Pair<F> ProductOfPairs(const Pair<F>& a, const Pair<F>& b) {
  const Pair<F> product = ProductOf(a.high, b.high);
  return {product.high, product.low + Fma(a.high, b.low, a.low * b.high)};
}
template <class F>
Pair<F> SumOfPairs(const Pair<F>& a, const Pair<F>& b) {
  const Pair<F> sum = SumInAnyOrder(a.high, b.high);
  return SumOf(sum.high, sum.low + (a.low + b.low));
}
// The root of a number that is not negative.
template <class F>
Pair<F> SqrtOfPair(const Pair<F>& a) {
  const F zero = Like(a.high, 0), root = Sqrt(a.high);
  const F rest = Fma(-root, root, a.high) + a.low;
  return {root, Select(root > zero, rest * (Like(root, 0.5) / root), zero)};
}

// a / b by one division; the low parts are less than a unit in the last place of the high ones.
template <class F>
Pair<F> QuotientOf(const Pair<F>& a, const Pair<F>& b) {
  const F inverse = Like(b.high, 1) / b.high;
  const F quotient = a.high * inverse;
  const F rest = Fma(-quotient, b.high, a.high) + Fma(-quotient, b.low, a.low);
  return {quotient, rest * inverse};
}

}  // namespace xla::cpu::math

#endif  // XLA_CPU_CODEGEN_MATH_PAIR_H_
