// SPDX-License-Identifier: Apache-2.0
// Permutations of dimension numbers.
#include "xla/permutation_util.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"

namespace xla {

bool IsPermutation(absl::Span<const int64_t> permutation) {
  const int64_t size = permutation.size();
  absl::InlinedVector<bool, 16> seen(size, false);
  for (const int64_t p : permutation) {
    if (p < 0 || p >= size || seen[p]) return false;
    seen[p] = true;
  }
  return true;
}

bool IsIdentityPermutation(absl::Span<const int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

std::vector<int64_t> InversePermutation(absl::Span<const int64_t> permutation) {
  XLA_CHECK(IsPermutation(permutation));
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = i;
  return inverse;
}

std::vector<int64_t> ComposePermutations(absl::Span<const int64_t> p1,
                                         absl::Span<const int64_t> p2) {
  return Permute(p1, p2);
}

void MoveSingleElement(absl::Span<int64_t> permutation, int64_t from, int64_t to) {
  const auto first = permutation.begin();
  if (from < to) {
    std::rotate(first + from, first + from + 1, first + to + 1);
  } else {
    std::rotate(first + to, first + from, first + from + 1);
  }
}

}  // namespace xla
