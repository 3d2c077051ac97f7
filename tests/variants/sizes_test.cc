// SPDX-License-Identifier: Apache-2.0
// What the compiler decides for an operation depends on sizes, types and layouts: the steps that it
// makes of many.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/test_util.h"
#include "tests/variants/compiled_text.h"
#include "tests/variants/expected.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::testing {
namespace {

using Sizes = std::vector<int64_t>;

constexpr const char* kComputations = R"(HloModule sizes
add { add_x = f32[] parameter(0) add_y = f32[] parameter(1) ROOT add_r = f32[] add(add_x, add_y) }
max { max_x = f32[] parameter(0) max_y = f32[] parameter(1) ROOT max_r = f32[] maximum(max_x, max_y) }
less { less_x = f32[] parameter(0) less_y = f32[] parameter(1) ROOT less_r = pred[] compare(less_x, less_y), direction=LT }
ENTRY main {
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
)";

std::string Array(const Sizes& sizes, absl::string_view type = "f32") {
  return absl::StrCat(type, "[", absl::StrJoin(sizes, ","), "]");
}

// A line for what becomes of the instructions.
class Decisions {
 public:
  void Add(const std::string& title, const std::string& instructions) {
    SCOPED_TRACE(title);
    const auto module =
        ParseAndReturnUnverifiedModule(absl::StrCat(kComputations, instructions, "\n}"));
    ASSERT_OK(module) << instructions;
    ASSERT_OK(VerifyModule(**module)) << instructions;
    std::vector<std::string> steps, generated;
    AddCompiled(**module, &steps, &generated);
    lines_.push_back(absl::StrCat(title, ":", AfterEachPass(**module), " |",
                                  absl::StrJoin(steps, ";"), " | ",
                                  Fingerprint(absl::StrJoin(generated, "\n"))));
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

const std::vector<Sizes>& Shapes() {
  static const auto* const shapes = new std::vector<Sizes>{
      {1},           {7},           {64},           {1000},          {65536},         {1000000},
      {16777216},    {1, 1000},     {1000, 1},      {3, 5},          {64, 64},        {128, 1000},
      {1000, 128},   {4, 1000000},  {1000000, 4},   {1000, 1000},    {1024, 1024},    {17, 65537},
      {65537, 17},   {2, 3, 4},     {8, 128, 128},  {128, 8, 128},   {128, 128, 8},   {1, 4096, 1},
      {32, 1, 4096}, {500, 2, 500}, {2, 500, 1000}, {64, 56, 56, 3}, {2, 3, 100, 100}};
  return *shapes;
}

Sizes Without(const Sizes& sizes, uint32_t mask) {
  Sizes left;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if ((mask >> d & 1) == 0) left.push_back(sizes[d]);
  }
  return left;
}

Sizes Bits(const Sizes& sizes, uint32_t mask) {
  Sizes bits;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if ((mask >> d & 1) != 0) bits.push_back(static_cast<int64_t>(d));
  }
  return bits;
}

TEST(Sizes, Reductions) {
  if (!IsRecordedLlvm())
    GTEST_SKIP() << "the code is recorded as another version of LLVM prints it";
  Decisions decisions;
  for (const Sizes& sizes : Shapes()) {
    for (uint32_t mask = 1; mask < 1u << sizes.size(); ++mask) {
      const std::string dims = absl::StrJoin(Bits(sizes, mask), ",");
      decisions.Add(absl::StrCat("reduce ", Array(sizes), " ", dims),
                    absl::StrCat("a = ", Array(sizes),
                                 " parameter(0)\n ROOT r = ", Array(Without(sizes, mask)),
                                 " reduce(a, zero), dimensions={", dims, "}, to_apply=add"));
    }
  }
  ExpectLines("sizes_reductions", decisions.lines());
}

TEST(Sizes, Moves) {
  if (!IsRecordedLlvm())
    GTEST_SKIP() << "the code is recorded as another version of LLVM prints it";
  Decisions decisions;
  for (const Sizes& sizes : Shapes()) {
    const std::string a = absl::StrCat("a = ", Array(sizes), " parameter(0)\n");
    for (size_t shift = 1; shift < sizes.size(); ++shift) {
      Sizes order, moved;
      for (size_t d = 0; d < sizes.size(); ++d) {
        order.push_back(static_cast<int64_t>((d + shift) % sizes.size()));
        moved.push_back(sizes[static_cast<size_t>(order.back())]);
      }
      decisions.Add(absl::StrCat("transpose ", Array(sizes), " ", absl::StrJoin(order, ",")),
                    absl::StrCat(a, "ROOT r = ", Array(moved), " transpose(a), dimensions={",
                                 absl::StrJoin(order, ","), "}"));
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      Sizes joined = sizes;
      joined[d] *= 2;
      decisions.Add(absl::StrCat("concatenate ", Array(sizes), " ", d),
                    absl::StrCat(a, "b = ", Array(sizes), " negate(a)\n ROOT r = ", Array(joined),
                                 " concatenate(a, b), dimensions={", d, "}"));
      Sizes wide = sizes;
      wide.insert(wide.begin() + static_cast<int64_t>(d), 3);
      Sizes dims;
      for (size_t k = 0; k < wide.size(); ++k) {
        if (k != d) dims.push_back(static_cast<int64_t>(k));
      }
      decisions.Add(absl::StrCat("broadcast ", Array(sizes), " ", d),
                    absl::StrCat(a, "ROOT r = ", Array(wide), " broadcast(a), dimensions={",
                                 absl::StrJoin(dims, ","), "}"));
    }
  }
  ExpectLines("sizes_moves", decisions.lines());
}

TEST(Sizes, Fusions) {
  if (!IsRecordedLlvm())
    GTEST_SKIP() << "the code is recorded as another version of LLVM prints it";
  Decisions decisions;
  // "SHAPE" and "LAST", the shape of the last dimension, and "ROWS", that of the others.
  const std::pair<const char*, const char*> programs[] = {{"softmax", R"(
  a = SHAPE parameter(0)
  m = ROWS reduce(a, low), dimensions={D}, to_apply=max
  n = SHAPE broadcast(m), dimensions={O}
  b = SHAPE subtract(a, n)
  c = SHAPE exponential(b)
  s = ROWS reduce(c, zero), dimensions={D}, to_apply=add
  t = SHAPE broadcast(s), dimensions={O}
  ROOT r = SHAPE divide(c, t))"},
                                                          {"rows and columns", R"(
  a = SHAPE parameter(0)
  b = SHAPE multiply(a, a)
  s = ROWS reduce(b, zero), dimensions={D}, to_apply=add
  c = LAST reduce(b, zero), dimensions={O}, to_apply=add
  ROOT r = (ROWS, LAST, SHAPE) tuple(s, c, b))"},
                                                          {"scaled", R"(
  a = SHAPE parameter(0)
  w = LAST parameter(1)
  e = LAST sqrt(w)
  v = SHAPE broadcast(e), dimensions={D}
  b = SHAPE multiply(a, v)
  c = SHAPE tanh(b)
  ROOT r = SHAPE add(c, a))"},
                                                          {"sorted", R"(
  a = SHAPE parameter(0)
  b = SHAPE negate(a)
  c = SHAPE sort(b), dimensions={D}, to_apply=less
  ROOT r = SHAPE add(c, a))"}};
  for (const Sizes& sizes : Shapes()) {
    const uint32_t last = 1u << (sizes.size() - 1), others = last - 1;
    for (const auto& [name, text] : programs) {
      decisions.Add(
          absl::StrCat(name, " ", Array(sizes)),
          absl::StrReplaceAll(
              text, {{"SHAPE", Array(sizes)},
                     {"ROWS", Array(Without(sizes, last))},
                     {"LAST", Array({sizes.back()})},
                     {"{D}", absl::StrCat("{", sizes.size() - 1, "}")},
                     {"{O}", absl::StrCat("{", absl::StrJoin(Bits(sizes, others), ","), "}")}}));
    }
  }
  ExpectLines("sizes_fusions", decisions.lines());
}

TEST(Sizes, Products) {
  if (!IsRecordedLlvm())
    GTEST_SKIP() << "the code is recorded as another version of LLVM prints it";
  Decisions decisions;
  for (const char* type : {"f32", "f64", "bf16", "s32"}) {
    for (const int64_t m : {1, 4, 100, 1024}) {
      for (const int64_t k : {1, 16, 512}) {
        for (const int64_t n : {1, 3, 64, 1000}) {
          decisions.Add(
              absl::StrCat("dot ", type, " ", m, " ", k, " ", n),
              absl::StrCat("a = ", Array({m, k}, type), " parameter(0)\n b = ", Array({k, n}, type),
                           " parameter(1)\n c = ", Array({n}, type), " parameter(2)\n d = ",
                           Array({m, n}, type), " dot(a, b), lhs_contracting_dims={1}, ",
                           "rhs_contracting_dims={0}\n e = ", Array({m, n}, type),
                           " broadcast(c), dimensions={1}\n ROOT r = ", Array({m, n}, type),
                           " add(d, e)"));
        }
      }
    }
  }
  ExpectLines("sizes_products", decisions.lines());
}

}  // namespace
}  // namespace xla::testing
