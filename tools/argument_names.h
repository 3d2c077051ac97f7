// SPDX-License-Identifier: Apache-2.0
// The arguments of a program by their names.
#ifndef XYLEM_TOOLS_ARGUMENT_NAMES_H_
#define XYLEM_TOOLS_ARGUMENT_NAMES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "xla/hlo/ir/hlo_module.h"

namespace xla {

// "arg07" -> 7.
std::optional<size_t> ArgumentNumber(std::string_view name);
// Likewise of the digits alone.
std::optional<size_t> ArgumentNumberOrDigits(std::string_view name);

// The arrays that a program takes, the leaves of its parameters in order, by name: that of the
// parameter, or the one that it had where the program was written (op_name of its metadata), with
// ".0", ".1" for the leaves of a tuple. JAX's names of nested arguments are those of weight files:
// params['layers'][0]['w'] is params.layers.0.w, and layers.0.w where no other ends so.
class ArgumentNames {
 public:
  explicit ArgumentNames(const HloModule& module);

  // The number of the array, if exactly one has this name.
  std::optional<size_t> Find(std::string_view name) const;
  // Likewise of an array that is given by number: "argNN", or the digits alone.
  std::optional<size_t> FindNameOrNumber(std::string_view name) const;
  // "; did you mean 'x'?", or nothing.
  std::string SuggestionFor(std::string_view name) const;

 private:
  static constexpr size_t kAmbiguous = static_cast<size_t>(-1);
  void Add(std::string_view name, size_t leaf);

  std::map<std::string, size_t, std::less<>> leaves_;
  size_t count_ = 0;
};

}  // namespace xla

#endif  // XYLEM_TOOLS_ARGUMENT_NAMES_H_
