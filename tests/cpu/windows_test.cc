// SPDX-License-Identifier: Apache-2.0
// Windows along vectors of any length: shorter and longer than what the windows of a vector's lanes
// reach, with padding on either side.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/cpu/as_interpreted.h"
#include "xla/literal.h"
#include "xla/shape_util.h"
#include "xla/window_util.h"

namespace xla {
namespace {

struct Window {
  int64_t size, stride, dilation, low, high;
};

// Sums of windows over three rows; the elements are small integers, so that sums are exact.
void ExpectSumsAsInterpreted(const Window& window, int64_t width) {
  const int64_t reach = window_util::DilatedBound(window.size, window.dilation);
  const int64_t places =
      window_util::StridedBound(window.low + width + window.high, reach, window.stride);
  const std::string text = absl::StrCat(
      "HloModule m\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(a, b)\n}\nENTRY e {\n  x = f32[3,",
      width, "] parameter(0)\n  one = f32[] constant(1)\n  ROOT r = f32[3,", places,
      "] reduce-window(x, one), window={size=1x", window.size, " stride=1x", window.stride,
      " pad=0_0x", window.low, "_", window.high, " rhs_dilate=1x", window.dilation,
      "}, to_apply=add\n}\n");
  Literal argument(ShapeUtil::MakeShape(F32, {3, width}));
  for (int64_t i = 0; i < 3 * width; ++i)
    argument.data<float>()[static_cast<size_t>(i)] = static_cast<float>(i * 7 % 23 + 1);
  ExpectAsInterpreted(text, argument);
}

TEST(WindowsTest, RowsNearTheReachOfAVector) {
  constexpr Window kWindows[] = {{.size = 5, .stride = 1, .dilation = 4, .low = 8, .high = 8},
                                 {.size = 3, .stride = 1, .dilation = 5, .low = 10, .high = 0},
                                 {.size = 7, .stride = 1, .dilation = 1, .low = 3, .high = 3},
                                 {.size = 3, .stride = 2, .dilation = 3, .low = 3, .high = 3}};
  for (const Window& window : kWindows) {
    for (const int64_t width : {8, 9, 11, 16, 17, 20, 23, 24, 25, 31, 32, 33, 40})
      ExpectSumsAsInterpreted(window, width);
  }
}

}  // namespace
}  // namespace xla
