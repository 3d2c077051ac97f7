// SPDX-License-Identifier: Apache-2.0
// The arguments and results of a program as C sees them, and the header that declares it.
#ifndef XLA_AOT_SIGNATURE_H_
#define XLA_AOT_SIGNATURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/shape.h"
#include "xla/util.h"

namespace xla::aot {

// An array among the arguments or results.
struct Leaf {
  std::string name;         // a C identifier, unlike all others
  Shape shape;              // at its bounds
  DimensionVector strides;  // in memory, in elements
  int64_t bytes = 0;
  int64_t memory = 0;  // see ArrayTable
  int64_t donor = -1;
  std::vector<int64_t> bounds() const;  // of the dynamic dimensions
};

struct Signature {
  std::string name;  // of the program
  std::vector<Leaf> arguments, results;
  int64_t scratch_bytes = 0;  // of one thread
  bool has_weights_file = false;
  std::vector<std::string> targets;

  // Pointers that callers give, in order: data, and sizes where there are some.
  int64_t pointer_count() const;
};

bool IsCIdentifier(std::string_view name);

// Names for the leaves of the parameters and of the result of a module.
std::vector<std::string> ArgumentNames(const HloModule& module);
std::vector<std::string> ResultNames(const Shape& result, absl::Span<const std::string> taken);

// The text of NAME.h, for C and C++.
std::string HeaderText(const Signature& signature);

}  // namespace xla::aot

#endif  // XLA_AOT_SIGNATURE_H_
