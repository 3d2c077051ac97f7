// SPDX-License-Identifier: Apache-2.0
// The text of literals and of single numbers, as HLO text writes them; appended to a string.
//
// Numbers. Integers are decimal; PRED is true or false alone and 1 or 0 in an array. F32 and F64
// print as printf's "%.{digits10}g" if that reads back to the same number, else as
// "%.{max_digits10}g" (6 and 9, 15 and 17 digits): 0.1f prints 0.1, 1.0f / 3 prints 0.333333343.
// Narrower types always print as "%.{max_digits10}g": the half nearest to 0.1 prints 0.099976.
// Infinity is inf; the default quiet NaN is nan, one with another payload nan(0x1); both may have a
// minus sign. Complex numbers are (real, imaginary). Arrays are nested braces in row-major order;
// elements beyond the dynamic size are not printed. An array without elements but with more than
// 65536 rows prints as {...}, which HLO text reads back.
//
// Source: checked against the printer of XLA.
#ifndef XLA_LITERAL_PRINT_H_
#define XLA_LITERAL_PRINT_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "xla/literal.h"
#include "xla/types.h"
#include "xla/xla_data_enums.h"

namespace xla {

void AppendFloat(std::string* out, float value);
void AppendFloat(std::string* out, double value);
void AppendFloat(std::string* out, half value);
void AppendFloat(std::string* out, bfloat16 value);
void AppendComplex(std::string* out, complex64 value);
void AppendComplex(std::string* out, complex128 value);
void AppendInteger(std::string* out, int64_t value);
void AppendInteger(std::string* out, uint64_t value);

// One element of any array type, in the representation of a literal's buffer; PRED as true or
// false.
void AppendElement(std::string* out, PrimitiveType type, const void* element);

struct LiteralPrintOptions {
  // Print the shape, with its layout, before an array's value and before each leaf of a tuple.
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
