// SPDX-License-Identifier: Apache-2.0
// Windows, transposes and convolutions of arrays with short rows, against the interpreter: in whole
// numbers, which no order of summation rounds.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/cpu/as_interpreted.h"
#include "tests/test_util.h"
#include "xla/hlo/text/parser.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"

namespace xla {
namespace {

// Arguments of small whole numbers.
void ExpectSmallNumbersAsInterpreted(const std::string& text) {
  SCOPED_TRACE(text);
  ASSERT_OK_AND_ASSIGN(const auto module, ParseAndReturnUnverifiedModule(text));
  std::vector<Literal> arguments;
  std::vector<const Literal*> pointers;
  for (const HloInstruction* parameter : module->entry_computation()->parameter_instructions()) {
    Literal numbers(ShapeUtil::ChangeElementType(parameter->shape(), F32));
    for (int64_t i = 0; i < numbers.element_count(); ++i)
      numbers.data<float>()[static_cast<size_t>(i)] = static_cast<float>(i * 7919 % 13 - 6);
    ASSERT_OK_AND_ASSIGN(Literal argument, numbers.Convert(parameter->shape().element_type()));
    arguments.push_back(std::move(argument));
  }
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  ExpectAsInterpreted(*module, pointers);
}

// The result's shape as the verifier wants it.
int64_t Windows(int64_t size, int64_t padding, int64_t taps, int64_t dilation, int64_t stride) {
  return window_util::StridedBound(size + padding, window_util::DilatedBound(taps, dilation),
                                   stride);
}

// Vectors that span rows read operands that lack some of the dimensions.
TEST(ShortRowsTest, CostlyElementsOfBroadcastOperands) {
  const struct {
    const char *shape, *leading, *second, *outer;
  } kShapes[] = {{"7,300,3,6", "7,300,3", "300", "7,3"},
                 {"5,48,3,5", "5,48,3", "48", "5,3"},
                 {"3,5,500,3", "3,5,500", "5", "3,500"},
                 {"2,3,9001,2", "2,3,9001", "3", "2,9001"},
                 {"300,2,2,3", "300,2,2", "2", "300,2"}};
  for (const auto& [shape, leading, second, outer] : kShapes) {
    std::string rounds;
    for (int i = 0; i < 8; ++i) {
      absl::StrAppendFormat(&rounds, R"(
  m%1$d = f32[%2$s] multiply(v%1$d, c)
  n%1$d = f32[%2$s] negate(m%1$d)
  v%3$d = f32[%2$s] maximum(n%1$d, b))",
                            i, shape, i + 1);
    }
    ExpectSmallNumbersAsInterpreted(absl::StrFormat(R"(HloModule m
ENTRY e {
  x = f32[%1$s] parameter(0)
  y = f32[%2$s] parameter(1)
  z = f32[%3$s] parameter(2)
  w = f32[%4$s] parameter(3)
  a = f32[%1$s] broadcast(y), dimensions={0,1,2}
  b = f32[%1$s] broadcast(z), dimensions={1}
  c = f32[%1$s] broadcast(w), dimensions={0,2}
  v0 = f32[%1$s] add(x, a)%5$s
  ROOT r = f32[%1$s] add(v8, a)
})",
                                                    shape, leading, second, outer, rounds));
  }
}

TEST(ShortRowsTest, Windows) {
  for (const char* reducer : {"maximum", "add"}) {
    for (const int64_t columns : {2, 3, 5, 9}) {
      for (const int64_t taps : {2, 3, 5}) {
        for (const int64_t stride : {1, 2}) {
          for (const int64_t dilation : {1, 2}) {
            const int64_t rows = 61, low = taps / 2, high = taps - 1;
            const int64_t r = Windows(rows, low + high, taps, dilation, stride),
                          c = Windows(columns, low + high, taps, dilation, stride);
            if (r < 1 || c < 1 || (stride == 2 && dilation == 2)) continue;
            ExpectSmallNumbersAsInterpreted(absl::StrFormat(
                R"(HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] %s(a, b) }
ENTRY e {
  x = f32[%d,%d] parameter(0)
  y = f32[%d,%d] add(x, x)
  z = f32[1,%d,%d,1] reshape(y)
  zero = f32[] constant(0)
  w = f32[1,%d,%d,1] reduce-window(z, zero), window={size=1x%dx%dx1 stride=1x%dx%dx1 pad=0_0x%d_%dx%d_%dx0_0 rhs_dilate=1x%dx%dx1}, to_apply=f
  ROOT n = f32[1,%d,%d,1] negate(w)
})",
                reducer, rows, columns, rows, columns, rows, columns, r, c, taps, taps, stride,
                stride, low, high, low, high, dilation, dilation, r, c));
          }
        }
      }
    }
  }
}

// Elements of 8 and 16 bits that are not side by side are picked from words, or gathered as words.
TEST(ShortRowsTest, ReductionsOfNarrowElements) {
  const struct {
    const char *type, *reducer;
  } kReductions[] = {{"u8", "add"},      {"s8", "maximum"}, {"pred", "or"},
                     {"pred", "and"},    {"s16", "add"},    {"u16", "minimum"},
                     {"f16", "maximum"}, {"bf16", "add"},   {"s8", "multiply"}};
  for (const auto& [type, reducer] : kReductions) {
    for (const int64_t columns : {2, 3, 4, 5, 7, 8, 13, 16, 19, 24, 31, 33, 64, 67}) {
      ExpectSmallNumbersAsInterpreted(absl::StrFormat(
          R"(HloModule m
f { a = %1$s[] parameter(0) b = %1$s[] parameter(1) ROOT r = %1$s[] %2$s(a, b) }
ENTRY e {
  x = %1$s[391,%3$d] parameter(0)
  i = %1$s[] parameter(1)
  ROOT r = %1$s[391] reduce(x, i), dimensions={1}, to_apply=f
})",
          type, reducer, columns));
    }
  }
}

TEST(ShortRowsTest, SlicesOfNarrowElements) {
  for (const char* type : {"u8", "pred", "s16", "f16", "bf16"}) {
    for (const int64_t stride : {3, 5, 6, 9, 17, 40, 70, 200}) {
      for (const bool reverses : {false, true}) {
        constexpr int64_t kElements = 203;
        const int64_t size = (kElements - 1) * stride + 1;
        ExpectSmallNumbersAsInterpreted(absl::StrFormat(
            R"(HloModule m
ENTRY e {
  x = %1$s[%2$d] parameter(0)
  y = %1$s[%2$d] parameter(1)
  s = %1$s[%3$d] slice(x), slice={[0:%2$d:%4$d]}
  t = %1$s[%3$d] slice(y), slice={[0:%2$d:%4$d]}
  m = %1$s[%3$d] maximum(s, t)
  ROOT r = %1$s[%3$d] %5$s
})",
            type, size, kElements, stride, reverses ? "reverse(m), dimensions={0}" : "copy(m)"));
      }
    }
  }
}

TEST(ShortRowsTest, TransposesOfReshapes) {
  for (const int64_t columns : {2, 3, 4}) {
    for (const bool reverses : {false, true}) {
      const int64_t rows = 1200 / columns;
      ExpectSmallNumbersAsInterpreted(
          absl::StrFormat(R"(HloModule m
ENTRY e {
  x = f32[5,240] parameter(0)
  y = f32[5,240] multiply(x, x)
  z = f32[%d,%d] reshape(y)
  n = f32[%d,%d] negate(z)
  t = f32[%d,%d] transpose(n), dimensions={1,0}
  ROOT r = f32[%d,%d] %s
})",
                          rows, columns, rows, columns, columns, rows, columns, rows,
                          reverses ? "reverse(t), dimensions={0,1}" : "copy(t)"));
    }
  }
}

TEST(ShortRowsTest, ConvolutionsOfFewPlaces) {
  for (const int64_t size : {1, 4, 7}) {
    for (const int64_t taps : {1, 2, 3}) {
      for (const int64_t base : {1, 2}) {
        for (const int64_t stride : {1, 2}) {
          for (const bool reverses : {false, true}) {
            const int64_t spread = (size - 1) * base + 1;
            const int64_t places = Windows(spread, 3, taps, 2, stride);
            if (places < 1) continue;
            // Several input features, a batch of two; kernels and results in several orders.
            ExpectSmallNumbersAsInterpreted(absl::StrFormat(
                R"(HloModule m
ENTRY e {
  x = f32[2,3,%d] parameter(0)
  k = f32[200,3,%d] parameter(1)
  l = f32[%d,200,3] parameter(2)
  a = f32[200,2,%d] convolution(x, k), window={size=%d stride=%d pad=2_1 lhs_dilate=%d rhs_dilate=2 rhs_reversal=%d}, dim_labels=bf0_oi0->fb0
  b = f32[200,%d,2] convolution(x, k), window={size=%d stride=%d pad=2_1 lhs_dilate=%d rhs_dilate=2 rhs_reversal=%d}, dim_labels=bf0_oi0->f0b
  c = f32[200,%d,2] convolution(x, l), window={size=%d stride=%d pad=2_1 lhs_dilate=%d rhs_dilate=2 rhs_reversal=%d}, dim_labels=bf0_0oi->f0b
  ROOT t = (f32[200,2,%d], f32[200,%d,2], f32[200,%d,2]) tuple(a, b, c)
})",
                size, taps, taps, places, taps, stride, base, reverses, places, taps, stride, base,
                reverses, places, taps, stride, base, reverses, places, places, places));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace xla
