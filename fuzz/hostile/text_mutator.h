// SPDX-License-Identifier: Apache-2.0
// Changes HLO text by its structure: whole instructions and computations of other modules, tokens,
// numbers, types, opcodes, attributes.
#ifndef FUZZ_HOSTILE_TEXT_MUTATOR_H_
#define FUZZ_HOSTILE_TEXT_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace xla::fuzz {

using Random = std::mt19937_64;

// An item of a non-empty list.
template <typename List>
const auto& Pick(const List& list, Random& random) {
  return list[random() % list.size()];
}

// Numbers at the edges of what code counts with.
std::string OddNumber(Random& random);

// A text with one to four changes; parts come from `other`.
std::string MutateText(std::string text, const std::string& other, Random& random);

// Bytes with a few changed, dropped or doubled.
std::string MutateBytes(std::string bytes, Random& random);

}  // namespace xla::fuzz

#endif  // FUZZ_HOSTILE_TEXT_MUTATOR_H_
