// SPDX-License-Identifier: Apache-2.0
// Functions of complex numbers, accurate to about one unit in the last place of each part: computed
// in the next wider type. Infinities, NaNs, signed zeros and branch cuts are those of C99 (Annex
// G), but for multiplication, which is the plain formula, as XLA's.
#ifndef XLA_INTERPRETER_COMPLEX_MATH_H_
#define XLA_INTERPRETER_COMPLEX_MATH_H_

#include "xla/types.h"

namespace xla::interpreter {

complex64 ComplexMultiply(complex64 a, complex64 b);
complex128 ComplexMultiply(complex128 a, complex128 b);
complex64 ComplexDivide(complex64 a, complex64 b);
complex128 ComplexDivide(complex128 a, complex128 b);
complex64 ComplexPower(complex64 a, complex64 b);
complex128 ComplexPower(complex128 a, complex128 b);
complex64 ComplexAtan2(complex64 y, complex64 x);
complex128 ComplexAtan2(complex128 y, complex128 x);

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_COMPLEX_MATH_H_
