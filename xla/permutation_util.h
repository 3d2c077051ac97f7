// SPDX-License-Identifier: Apache-2.0
// Permutations of dimension numbers: a list p that holds each of 0..p.size()-1 once.
#ifndef XLA_PERMUTATION_UTIL_H_
#define XLA_PERMUTATION_UTIL_H_

#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/types/span.h"
#include "xla/base/check.h"

namespace xla {

// Whether `permutation` holds each of 0..permutation.size()-1 once. Safe on any input.
bool IsPermutation(absl::Span<const int64_t> permutation);

// Whether permutation[i] == i for all i.
bool IsIdentityPermutation(absl::Span<const int64_t> permutation);
template <typename Container>
bool IsIdentityPermutation(const Container& permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// Moves the element at position `from` to position `to`; those between move by one.
void MoveSingleElement(absl::Span<int64_t> permutation, int64_t from, int64_t to);

// The list with InversePermutation(p)[p[i]] == i. Precondition: IsPermutation(p).
std::vector<int64_t> InversePermutation(absl::Span<const int64_t> permutation);

// result[i] = p1[p2[i]]: applying the result to a container is applying p1, then p2.
std::vector<int64_t> ComposePermutations(absl::Span<const int64_t> p1,
                                         absl::Span<const int64_t> p2);

// result[i] = input[permutation[i]]. Precondition: IsPermutation, sizes equal.
template <typename Container>
auto Permute(const Container& input, absl::Span<const int64_t> permutation) {
  XLA_CHECK(input.size() == permutation.size() && IsPermutation(permutation));
  std::vector<typename Container::value_type> output;
  output.reserve(permutation.size());
  for (const int64_t source : permutation) output.push_back(input[source]);
  return output;
}

// result[permutation[i]] = input[i]. Precondition: IsPermutation, sizes equal.
template <typename Container>
auto PermuteInverse(const Container& input, absl::Span<const int64_t> permutation) {
  return Permute(input, InversePermutation(permutation));
}

}  // namespace xla

#endif  // XLA_PERMUTATION_UTIL_H_
