// SPDX-License-Identifier: Apache-2.0
// Numbers from which passes do something else: programs just below, at and above each.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "tests/fingerprints/compiled_text.h"
#include "tests/test_util.h"
#include "tests/variants/expected.h"
#include "xla/hlo/text/parser.h"
#include "xla/hlo/verifier/hlo_verifier.h"

namespace xla::testing {
namespace {

constexpr const char* kAdd =
    "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }\n";

class Limits {
 public:
  // What each pass makes of the program of each number.
  void Add(const std::string& name, const std::vector<int64_t>& numbers,
           const std::function<std::string(int64_t)>& program) {
    for (const int64_t n : numbers) {
      SCOPED_TRACE(absl::StrCat(name, " ", n));
      const std::string text = absl::StrCat("HloModule limits\n", program(n));
      const auto module = ParseAndReturnUnverifiedModule(text);
      ASSERT_OK(module) << text;
      ASSERT_OK(VerifyModule(**module)) << text;
      lines_.push_back(absl::StrCat(name, " ", n, ":", AfterEachPass(**module)));
    }
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

// "PREFIX0, PREFIX1, .."
std::string Names(const std::string& prefix, int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) names.push_back(absl::StrCat(prefix, i));
  return absl::StrJoin(names, ", ");
}

// f(0) f(1) ..
std::string Each(int64_t count, const std::function<std::string(int64_t)>& f) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) absl::StrAppend(&text, f(i), "\n");
  return text;
}

std::string Entry(const std::string& body) { return absl::StrCat("ENTRY e {\n", body, "\n}\n"); }

TEST(PassLimits, OfExpressions) {
  Limits limits;
  limits.Add("power of two", {-101, -100, -99, 0, 1, 98, 99, 100, 101}, [](int64_t n) {
    return Entry(absl::StrCat("x = f64[3] parameter(0)\n c = f64[] constant(",
                              absl::StrFormat("%.17g", std::ldexp(1.0, static_cast<int>(n))),
                              ")\n d = f64[3] broadcast(c), dimensions={}\n",
                              "ROOT r = f64[3] divide(x, d)"));
  });
  limits.Add("readers of what is limited", {14, 15, 16}, [](int64_t n) {
    return Entry(absl::StrCat(
        "x = f32[3] parameter(0)\n c = f32[] constant(0)\n z = f32[3] broadcast(c), "
        "dimensions={}\n",
        "m = f32[3] maximum(x, z)\n p = pred[3] compare(x, z), direction=GT\n",
        Each(n, [](int64_t i) { return absl::StrCat("y", i, " = f32[3] negate(x)"); }),
        "ROOT r = (f32[3], pred[3], ",
        absl::StrJoin(std::vector<std::string>(static_cast<size_t>(n), "f32[3]"), ", "),
        ") tuple(m, p, ", Names("y", n), ")"));
  });
  limits.Add("bytes of equal constants", {65535, 65536, 65537}, [](int64_t n) {
    const std::string values = absl::StrJoin(std::vector<int>(static_cast<size_t>(n), 7), ",");
    return Entry(absl::StrCat("x = u8[", n, "] constant({", values, "})\n y = u8[", n,
                              "] constant({", values, "})\n ROOT r = (u8[", n, "], u8[", n,
                              "]) tuple(x, y)"));
  });
  for (const char* type : {"s64", "u64", "f64"}) {
    limits.Add(absl::StrCat("exact numbers of ", type), {-1, 0, 1}, [&](int64_t n) {
      return Entry(absl::StrCat("x = ", type, "[] parameter(0)\n c = ", type, "[] constant(",
                                (int64_t{1} << 53) + n, ")\n d = ", type, "[] constant(",
                                (int64_t{1} << 53) + n + 1, ")\n m = ", type,
                                "[] maximum(x, c)\n ROOT r = pred[] compare(x, d), direction=GT"));
    });
  }
  ExpectLines("limits_expressions", limits.lines());
}

TEST(PassLimits, OfConcatenations) {
  Limits limits;
  const auto parameters = [](int64_t n, const std::string& shape) {
    return Each(
        n, [&](int64_t i) { return absl::StrCat("p", i, " = ", shape, " parameter(", i, ")"); });
  };
  limits.Add("joined rows that become columns", {1, 2, 7, 8, 9}, [&](int64_t n) {
    return Entry(absl::StrCat(parameters(n, "f32[1,5]"), "c = f32[", n, ",5] concatenate(",
                              Names("p", n), "), dimensions={0}\n ROOT r = f32[5,", n,
                              "] transpose(c), dimensions={1,0}"));
  });
  limits.Add("joined rows of two", {3}, [&](int64_t n) {
    return Entry(absl::StrCat(parameters(n, "f32[2,5]"), "c = f32[", 2 * n, ",5] concatenate(",
                              Names("p", n), "), dimensions={0}\n ROOT r = f32[5,", 2 * n,
                              "] transpose(c), dimensions={1,0}"));
  });
  limits.Add("operation on what is joined", {2, 7, 8, 9}, [&](int64_t n) {
    return Entry(absl::StrCat(parameters(n, "f32[2]"), "c = f32[", 2 * n, "] concatenate(",
                              Names("p", n), "), dimensions={0}\n ROOT r = f32[", 2 * n,
                              "] tanh(c)"));
  });
  limits.Add("joined again", {125, 126, 127, 128}, [&](int64_t n) {
    return Entry(absl::StrCat(parameters(n, "f32[2]"), "c = f32[", 2 * n, "] concatenate(",
                              Names("p", n), "), dimensions={0}\n q = f32[3] parameter(", n,
                              ")\n ROOT r = f32[", 2 * n + 3,
                              "] concatenate(q, c), dimensions={0}"));
  });
  limits.Add("many", {63, 64, 65, 128, 129}, [&](int64_t n) {
    return Entry(absl::StrCat(parameters(n, "f32[2]"), "ROOT c = f32[", 2 * n, "] concatenate(",
                              Names("p", n), "), dimensions={0}"));
  });
  // Elementwise operations between the slice and the concatenation.
  limits.Add("slice of operations", {0, 1, 3, 4, 5, 6}, [&](int64_t n) {
    return Entry(absl::StrCat(
        "p0 = f32[4] parameter(0)\n p1 = f32[4] parameter(1)\n q = f32[8] parameter(2)\n",
        "v0 = f32[8] concatenate(p0, p1), dimensions={0}\n",
        Each(n,
             [](int64_t i) { return absl::StrCat("v", i + 1, " = f32[8] subtract(v", i, ", q)"); }),
        "ROOT s = f32[4] slice(v", n, "), slice={[4:8]}"));
  });
  ExpectLines("limits_concatenations", limits.lines());
}

TEST(PassLimits, OfLoops) {
  Limits limits;
  const auto loop = [](int64_t trips, int64_t instructions) {
    return absl::StrCat(
        "body {\n s = (s32[], f32[3]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n",
        " v0 = f32[3] get-tuple-element(s), index=1\n one = s32[] constant(1)\n",
        " j = s32[] add(i, one)\n",
        Each(instructions,
             [](int64_t k) { return absl::StrCat("v", k + 1, " = f32[3] tanh(v", k, ")"); }),
        " ROOT t = (s32[], f32[3]) tuple(j, v", instructions, ")\n}\n",
        "cond {\n s = (s32[], f32[3]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n",
        " n = s32[] constant(", trips, ")\n ROOT r = pred[] compare(i, n), direction=LT\n}\n",
        Entry("x = f32[3] parameter(0)\n zero = s32[] constant(0)\n"
              " s = (s32[], f32[3]) tuple(zero, x)\n"
              " ROOT w = (s32[], f32[3]) while(s), condition=cond, body=body"));
  };
  limits.Add("trips", {0, 1, 2, 31, 32, 33}, [&](int64_t n) { return loop(n, 1); });
  // Six instructions besides.
  limits.Add("instructions of four trips", {249, 250, 251}, [&](int64_t n) { return loop(4, n); });
  limits.Add("instructions of one trip", {2000}, [&](int64_t n) { return loop(1, n); });
  limits.Add("elements of invariants", {63, 64, 65}, [](int64_t n) {
    const std::string array = absl::StrCat("f32[", n, "]");
    return absl::StrCat(
        "body {\n s = (s32[], ", array, ", ", array,
        ") parameter(0)\n i = s32[] get-tuple-element(s), index=0\n a = ", array,
        " get-tuple-element(s), index=1\n b = ", array,
        " get-tuple-element(s), index=2\n one = s32[] constant(1)\n j = s32[] add(i, one)\n t = ",
        array, " tanh(a)\n c = ", array, " add(b, t)\n ROOT r = (s32[], ", array, ", ", array,
        ") tuple(j, a, c)\n}\ncond {\n s = (s32[], ", array, ", ", array,
        ") parameter(0)\n i = s32[] get-tuple-element(s), index=0\n n = s32[] constant(100)\n"
        " ROOT r = pred[] compare(i, n), direction=LT\n}\n",
        Entry(absl::StrCat("x = ", array, " parameter(0)\n zero = s32[] constant(0)\n s = (s32[], ",
                           array, ", ", array, ") tuple(zero, x, x)\n w = (s32[], ", array, ", ",
                           array, ") while(s), condition=cond, body=body\n ROOT r = ", array,
                           " get-tuple-element(w), index=2")));
  });
  ExpectLines("limits_loops", limits.lines());
}

TEST(PassLimits, OfRowsAndColumns) {
  Limits limits;
  const auto biased = [](int64_t rows, int64_t row, int64_t readers) {
    const std::string array = absl::StrCat("f32[", rows, ",", row, "]");
    std::vector<int64_t> values;
    for (int64_t i = 0; i < row; ++i) values.push_back(i);
    return Entry(absl::StrCat(
        "x = ", array, " parameter(0)\n c = f32[", row, "] constant({", absl::StrJoin(values, ","),
        "})\n b = ", array, " broadcast(c), dimensions={1}\n y = ", array, " add(x, b)\n",
        Each(readers, [&](int64_t i) { return absl::StrCat("z", i, " = ", array, " tanh(y)"); }),
        "ROOT r = (",
        absl::StrJoin(std::vector<std::string>(static_cast<size_t>(readers), array), ", "),
        ") tuple(", Names("z", readers), ")"));
  };
  limits.Add("elements of short rows", {1, 2, 3, 5, 7, 8, 13, 14, 15, 16},
             [&](int64_t n) { return biased(8192, n, 1); });
  limits.Add("short rows", {4080, 4095, 4096, 4097, 4112, 4352},
             [&](int64_t n) { return biased(n, 3, 1); });
  limits.Add("readers of short rows", {61, 62, 63, 64, 65},
             [&](int64_t n) { return biased(4096, 4, n); });

  const auto reduction = [](const std::vector<int64_t>& sizes,
                            const std::vector<int64_t>& reduced) {
    std::vector<int64_t> left;
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      if (std::find(reduced.begin(), reduced.end(), d) == reduced.end())
        left.push_back(sizes[static_cast<size_t>(d)]);
    }
    return kAdd + Entry(absl::StrCat("x = f32[", absl::StrJoin(sizes, ","),
                                     "] parameter(0)\n z = f32[] constant(0)\n ROOT r = f32[",
                                     absl::StrJoin(left, ","), "] reduce(x, z), dimensions={",
                                     absl::StrJoin(reduced, ","), "}, to_apply=add"));
  };
  limits.Add("elements that are reduced", {32767, 32768, 32769, 65536},
             [&](int64_t n) { return reduction({n}, {0}); });
  limits.Add("rows", {30, 31, 32, 33}, [&](int64_t n) { return reduction({n, 4096}, {1}); });
  limits.Add("length of a column", {496, 511, 512, 513, 528}, [&](int64_t n) {
    return reduction({n, 128}, {0});
  });
  limits.Add("columns", {1023, 1024, 1025}, [&](int64_t n) { return reduction({1024, n}, {0}); });
  limits.Add("length of many columns", {32752, 32767, 32768, 32784}, [&](int64_t n) {
    return reduction({n, 1024}, {0});
  });
  limits.Add("short rows of outer dimensions", {500, 511, 512, 513, 600}, [&](int64_t n) {
    return reduction({32, 7, n}, {0, 2});
  });
  limits.Add("outer dimensions of short rows", {6, 7, 8, 9}, [&](int64_t n) {
    return reduction({n, 70, 128}, {0, 2});
  });
  limits.Add("parts of columns", {112, 120, 127, 128, 136}, [&](int64_t n) {
    return reduction({n, 8, 64}, {0, 1});
  });
  limits.Add("primes", {32771}, [&](int64_t n) { return reduction({n}, {0}); });

  // Sums of all elements before each.
  const auto prefix = [](int64_t length, int64_t rows, const std::string& type, bool reverse) {
    const std::string array = absl::StrCat(type, "[", length, ",", rows, "]");
    return absl::StrCat(
        "latest {\n x = ", type, "[] parameter(0)\n y = ", type, "[] parameter(1)\n z = ", type,
        "[] constant(0)\n p = pred[] compare(y, z), direction=NE\n ROOT r = ", type,
        "[] select(p, y, x)\n}\n",
        Entry(absl::StrCat(
            "x = ", array, " parameter(0)\n z = ", type, "[] constant(9)\n ROOT r = ", array,
            " reduce-window(x, z), window={size=", length, "x1 pad=", reverse ? 0 : length - 1, "_",
            reverse ? length - 1 : 0, "x0_0}, to_apply=latest")));
  };
  for (const bool reverse : {false, true}) {
    for (const char* type : {"s32", "f32"}) {
      const std::string kind = absl::StrCat(type, reverse ? " from the end" : "");
      limits.Add(absl::StrCat("length of prefixes ", kind), {1, 2, 14, 15, 16, 17, 255, 256, 257},
                 [&](int64_t n) { return prefix(n, 3, type, reverse); });
      limits.Add(absl::StrCat("rows of prefixes ", kind), {255, 256, 257},
                 [&](int64_t n) { return prefix(300, n, type, reverse); });
    }
  }
  ExpectLines("limits_rows", limits.lines());
}

TEST(PassLimits, OfComparators) {
  Limits limits;
  // Twelve instructions besides.
  limits.Add("instructions", {493, 494, 495}, [](int64_t n) {
    return absl::StrCat(
        "less {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n",
        " v0 = s32[] parameter(2)\n w0 = s32[] parameter(3)\n",
        " one = s32[] constant(1)\n un = s32[] constant(1)\n",
        " p = pred[] compare(a, b), direction=EQ\n q = pred[] compare(a, b), direction=LT\n",
        Each(n,
             [](int64_t i) {
               return absl::StrCat("v", i + 1, " = s32[] subtract(v", i, ", one)\n w", i + 1,
                                   " = s32[] subtract(w", i, ", un)");
             }),
        " c = pred[] compare(v", n, ", w", n, "), direction=LT\n t = pred[] and(p, c)\n",
        " ROOT r = pred[] or(q, t)\n}\n",
        Entry("x = s32[9] parameter(0)\n y = s32[9] parameter(1)\n"
              " ROOT s = (s32[9], s32[9]) sort(x, y), dimensions={0}, to_apply=less"));
  });
  for (const std::string form : {"select", "or"}) {
    limits.Add(absl::StrCat("keys by ", form), {1, 2, 3}, [&](int64_t n) {
      std::string text = "less {\n";
      for (int64_t i = 0; i < n; ++i) {
        absl::StrAppend(&text, " a", i, " = s32[] parameter(", 2 * i, ")\n b", i,
                        " = s32[] parameter(", 2 * i + 1, ")\n q", i, " = pred[] compare(a", i,
                        ", b", i, "), direction=LT\n p", i, " = pred[] compare(a", i, ", b", i,
                        "), direction=EQ\n");
      }
      // The last key is compared alone.
      std::string rest = absl::StrCat("q", n - 1);
      for (int64_t i = n - 1; i-- > 0;) {
        const std::string name = absl::StrCat("r", i);
        if (form == "select") {
          absl::StrAppend(&text, " ", name, " = pred[] select(p", i, ", ", rest, ", q", i, ")\n");
        } else {
          absl::StrAppend(&text, " t", i, " = pred[] and(p", i, ", ", rest, ")\n ", name,
                          " = pred[] or(q", i, ", t", i, ")\n");
        }
        rest = name;
      }
      text = absl::StrReplaceAll(
          text, {{absl::StrCat(" ", rest, " ="), absl::StrCat(" ROOT ", rest, " =")}});
      return absl::StrCat(
          text, "}\n",
          Entry(absl::StrCat(
              Each(n,
                   [](int64_t i) { return absl::StrCat("x", i, " = s32[9] parameter(", i, ")"); }),
              "ROOT s = ", n == 1 ? "" : "(",
              absl::StrJoin(std::vector<std::string>(static_cast<size_t>(n), "s32[9]"), ", "),
              n == 1 ? "" : ")", " sort(", Names("x", n), "), dimensions={0}, to_apply=less")));
    });
  }
  ExpectLines("limits_comparators", limits.lines());
}

}  // namespace
}  // namespace xla::testing
