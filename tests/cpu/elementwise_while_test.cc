// SPDX-License-Identifier: Apache-2.0
// Loops of elementwise operations, which run element by element: arrays of any length, whose rest
// is no whole vector.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cpu/as_interpreted.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

// State of several types, and an input that does not change.
constexpr char kLoop[] = R"(HloModule m
condition {
  s = (s32[], f32[N], bf16[N], c64[N], pred[N], u8[N], f64[N], f32[N]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(40)
  ROOT l = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], f32[N], bf16[N], c64[N], pred[N], u8[N], f64[N], f32[N]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[N] get-tuple-element(s), index=1
  b = bf16[N] get-tuple-element(s), index=2
  c = c64[N] get-tuple-element(s), index=3
  p = pred[N] get-tuple-element(s), index=4
  u = u8[N] get-tuple-element(s), index=5
  d = f64[N] get-tuple-element(s), index=6
  k = f32[N] get-tuple-element(s), index=7
  twice = f32[N] add(k, k)
  xv = f32[N] subtract(twice, x)
  bv = bf16[N] add(b, b)
  cv = c64[N] add(c, c)
  above = pred[N] compare(xv, k), direction=GT
  pv = pred[N] xor(p, above)
  pu = u8[N] convert(pv)
  uv = u8[N] add(u, pu)
  xd = f64[N] convert(xv)
  dv = f64[N] maximum(d, xd)
  ROOT t = (s32[], f32[N], bf16[N], c64[N], pred[N], u8[N], f64[N], f32[N]) tuple(next, xv, bv, cv, pv, uv, dv, k)
}
ENTRY e {
  k = f32[N] parameter(0)
  zero = s32[] constant(0)
  b = bf16[N] convert(k)
  c = c64[N] complex(k, k)
  i = s32[N] convert(k)
  two = s32[] constant(2)
  twos = s32[N] broadcast(two), dimensions={}
  odd = s32[N] remainder(i, twos)
  p = pred[N] convert(odd)
  u = u8[N] convert(i)
  d = f64[N] convert(k)
  x = f32[N] negate(k)
  t = (s32[], f32[N], bf16[N], c64[N], pred[N], u8[N], f64[N], f32[N]) tuple(zero, x, b, c, p, u, d, k)
  ROOT w = (s32[], f32[N], bf16[N], c64[N], pred[N], u8[N], f64[N], f32[N]) while(t), condition=condition, body=body
}
)";

TEST(ElementwiseWhileTest, AnyLength) {
  std::vector<int64_t> lengths = {127, 128, 129, 1000, 100003};
  for (int64_t length = 2; length < 70; length += length < 34 ? 1 : 5) lengths.push_back(length);
  for (const int64_t length : lengths) {
    const std::string text = absl::StrReplaceAll(kLoop, {{"[N]", absl::StrCat("[", length, "]")}});
    Literal argument(ShapeUtil::MakeShape(F32, {length}));
    for (int64_t i = 0; i < length; ++i)
      argument.data<float>()[static_cast<size_t>(i)] = static_cast<float>(i * 7 % 9);
    ExpectAsInterpreted(text, argument);
  }
}

}  // namespace
}  // namespace xla
