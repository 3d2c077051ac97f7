// SPDX-License-Identifier: Apache-2.0
// 1, 2 and 4 bit integers: range, wrapping, arithmetic modulo 2^n.
#include "xla/types/int_n.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "xla/types.h"

namespace xla {
namespace {

// How many pairs (a, b) of values for which an operation is not the integers' modulo 2^n.
template <typename T>
int CountErrors() {
  int errors = 0;
  const int low = static_cast<int>(std::numeric_limits<T>::lowest());
  const int high = static_cast<int>((std::numeric_limits<T>::max)());
  for (int a = low; a <= high; ++a) {
    errors += static_cast<int>(T(a)) != a;
    errors += T(a + (1 << T::kTotalBits)) != T(a);
    errors += -T(a) != T(-a) || ~T(a) != T(~a);
    const T value(a);
    int8_t byte;
    std::memcpy(&byte, &value, 1);
    errors += byte != a;  // the byte is the value
    for (int b = low; b <= high; ++b) {
      errors += T(a) + T(b) != T(a + b) || T(a) - T(b) != T(a - b) || T(a) * T(b) != T(a * b);
      errors += (T(a) & T(b)) != T(a & b) || (T(a) | T(b)) != T(a | b) || (T(a) ^ T(b)) != T(a ^ b);
      errors += (T(a) < T(b)) != (a < b) || (T(a) == T(b)) != (a == b);
      errors += b != 0 && (T(a) / T(b) != T(a / b) || T(a) % T(b) != T(a % b));
    }
  }
  return errors;
}

TEST(IntN, ArithmeticIsModuloTwoToTheN) {
  EXPECT_EQ(CountErrors<s1>(), 0);
  EXPECT_EQ(CountErrors<s2>(), 0);
  EXPECT_EQ(CountErrors<s4>(), 0);
  EXPECT_EQ(CountErrors<u1>(), 0);
  EXPECT_EQ(CountErrors<u2>(), 0);
  EXPECT_EQ(CountErrors<u4>(), 0);
}

TEST(IntN, Ranges) {
  EXPECT_EQ(static_cast<int>(s1::lowest()), -1);
  EXPECT_EQ(static_cast<int>(s1::highest()), 0);
  EXPECT_EQ(static_cast<int>(s4::lowest()), -8);
  EXPECT_EQ(static_cast<int>(u4::highest()), 15);
  EXPECT_EQ(static_cast<int>(u2(7)), 3);
  s4 x(7);
  ++x;
  EXPECT_EQ(static_cast<int>(x), -8);
}

}  // namespace
}  // namespace xla
