// SPDX-License-Identifier: Apache-2.0
// Locations as MLIR prints them: #loc, #loc1, .., each defined once, after the program.
#ifndef XLA_MLIR_LOCATION_NAMES_H_
#define XLA_MLIR_LOCATION_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla/mlir/attributes.h"

namespace xla::mlir {

// The size of the text grows with the number of locations, however they share their parts.
class LocationNames {
 public:
  // " loc(#loc3)"; null stands for an unknown location. Names of arguments, which are not made of
  // others, are written in place: " loc("x")".
  std::string OfOperation(AttributeRef location);
  std::string OfArgument(AttributeRef location);

  // "#loc = loc(unknown)\n#loc1 = ..", of all that were named.
  void AppendDefinitions(std::string* out) const;

 private:
  size_t NumberOf(AttributeRef location, int depth);
  size_t NumberOfText(std::string body);

  absl::flat_hash_map<AttributeRef, size_t> numbers_;
  absl::flat_hash_map<std::string, size_t> bodies_;
  std::vector<std::string> definitions_;
};

}  // namespace xla::mlir

#endif  // XLA_MLIR_LOCATION_NAMES_H_
