// SPDX-License-Identifier: Apache-2.0
// The programs whose compiled forms are compared: those of the tests and benchmarks, their
// variants, operations of many sizes, random chains.
#ifndef TESTS_FINGERPRINTS_PROGRAMS_H_
#define TESTS_FINGERPRINTS_PROGRAMS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xla::testing {

// Names are unique: "operations/add", "operations/add 5:12 f32 -> f64" for a variant of it,
// "sizes/softmax f32[7]", "chains/12".
using ProgramCallback = std::function<void(const std::string& name, const std::string& text)>;

// The programs themselves; the texts of variants may be no valid programs.
void ForEachProgram(const ProgramCallback& callback);
void ForEachVariant(const ProgramCallback& callback);

// Transposes of arrays, of what is computed and of what is reshaped. Orders have the ranks 2 to 4.
using Sizes = std::vector<int64_t>;
const std::vector<Sizes>& TransposeOrders();
const std::vector<std::string>& TransposeTypes();
const std::vector<std::string>& TransposeSources();
std::string TransposeProgram(const std::string& type, const std::string& source, const Sizes& sizes,
                             const Sizes& order);

}  // namespace xla::testing

#endif  // TESTS_FINGERPRINTS_PROGRAMS_H_
