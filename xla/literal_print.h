// SPDX-License-Identifier: Apache-2.0
// The text of literals and of single numbers, as HLO text writes them; appended to a string.
//
// Numbers. Integers are decimal; PRED is true or false alone and 1 or 0 in an array. A
// floating-point number is printf's "%.{digits10}g" if that reads back to the same number, else
// "%.{max_digits10}g" (digits of the element type): 0.1f prints 0.1, 1.0f / 3 prints 0.333333343.
// Infinity is inf; the quiet NaN without payload is nan, others are nan(0x1); both may have a minus
// sign. Complex numbers are (real, imaginary). Arrays are nested braces in row-major order;
// elements beyond the dynamic size are not printed.
#ifndef XLA_LITERAL_PRINT_H_
#define XLA_LITERAL_PRINT_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/types.h"
#include "xla/xla_data.pb.h"

namespace xla {

void AppendFloat(std::string* out, float value);
void AppendFloat(std::string* out, double value);
// Any floating-point type narrower than float.
template <int b, int e, int m, int o, MiniFloatKind k>
void AppendFloat(std::string* out, MiniFloat<b, e, m, o, k> value);
void AppendComplex(std::string* out, complex64 value);
void AppendComplex(std::string* out, complex128 value);
void AppendInteger(std::string* out, int64_t value);
void AppendInteger(std::string* out, uint64_t value);

// One element of an array of this type, read at `element` (as it stands in a literal's buffer).
void AppendElement(std::string* out, PrimitiveType type, const void* element);

struct LiteralPrintOptions {
  // Before an array's value, and before each leaf in a tuple: its shape; with layout.
  bool print_shape = false;
  bool print_layout = false;
  // Blanks and braces on one line; false puts each row, and each tuple element, on a line of its
  // own.
  bool oneline = true;
};

void AppendLiteral(std::string* out, const LiteralBase& literal,
                   const LiteralPrintOptions& options);

}  // namespace xla

#endif  // XLA_LITERAL_PRINT_H_
