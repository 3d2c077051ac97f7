// SPDX-License-Identifier: Apache-2.0
// Programs whose operations apply computations that hold any other operation: each user (reduce,
// sort, scatter, ...) with each body. The bodies give what they get, by way of an operation that no
// pass sees through, so that the results do not depend on an order.
#ifndef TESTS_CPU_NESTED_PROGRAMS_H_
#define TESTS_CPU_NESTED_PROGRAMS_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace xla::testing {

struct AppliedBody {
  std::string name;
  // Computations that the body calls; $T stands for the element type.
  std::string computations;
  // Instructions from %v, a scalar of the type in [0, 16), to %r, which equals it.
  std::string instructions;
};

struct AppliedUser {
  std::string name;
  // Uses the functions @max(a, b), @max2(a, c, b, d), @same(a), @less(a, b), @less2(a, b, c, d) and
  // @at_least(a, b), of which the program has those that its text names.
  std::string entry;
  std::string computations = "";  // that call these functions as well
};

// Arrays in the bodies are of s32.
inline constexpr char kHelpers[] = R"(
plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
plus_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
greatest { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] maximum(a, b) }
descending { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GT }
replace { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] copy(b) }
)";

inline constexpr char kTable[] =
    "table = s32[16] constant({0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15})\n";

// The same from and to s32, for bodies that are written for s32.
inline std::string InIntegers(const std::string& instructions) {
  return absl::StrCat("i = s32[] convert(%v)\n", kTable, "zero = s32[] constant(0)\n", instructions,
                      "\n%r = $T[] convert(j)\n");
}

inline constexpr char kCountDown[] = R"(
some_left { s = (s32[], s32[]) parameter(0) n = s32[] get-tuple-element(s), index=0 z = s32[] constant(0) ROOT r = pred[] compare(n, z), direction=GT }
one_less { s = (s32[], s32[]) parameter(0) n = s32[] get-tuple-element(s), index=0 m = s32[] get-tuple-element(s), index=1 one = s32[] constant(1)
  k = s32[] subtract(n, one) l = s32[] add(m, one) ROOT t = (s32[], s32[]) tuple(k, l) }
)";
inline constexpr char kFill[] = R"(
in_range { s = (s32[], s32[5], s32[]) parameter(0) n = s32[] get-tuple-element(s), index=0 five = s32[] constant(5) ROOT r = pred[] compare(n, five), direction=LT }
write { s = (s32[], s32[5], s32[]) parameter(0) n = s32[] get-tuple-element(s), index=0 x = s32[5] get-tuple-element(s), index=1
  v = s32[] get-tuple-element(s), index=2 one = s32[] constant(1) k = s32[] add(n, one) w = s32[] add(v, n) w1 = s32[1] reshape(w)
  y = s32[5] dynamic-update-slice(x, w1, n) ROOT t = (s32[], s32[5], s32[]) tuple(k, y, v) }
)";

inline std::vector<AppliedBody> MakeBodies() {
  return {
      {"conditional",
       "keep { a = $T[] parameter(0) ROOT r = $T[] copy(a) }\n"
       "twice_and_back { a = $T[] parameter(0) i = s32[] convert(a) two = s32[] constant(2)\n"
       "  b = s32[] multiply(i, two) c = s32[] divide(b, two) ROOT r = $T[] convert(c) }\n",
       "i = s32[] convert(%v) seven = s32[] constant(7) p = pred[] compare(i, seven), "
       "direction=LT\n"
       "%r = $T[] conditional(p, %v, %v), true_computation=keep, "
       "false_computation=twice_and_back\n"},
      {"conditional_of_four",
       "b0 { a = s32[] parameter(0) ROOT r = s32[] copy(a) }\n"
       "b1 { a = s32[] parameter(0) c = s32[3] broadcast(a), dimensions={} d = s32[1] slice(c), "
       "slice={[1:2]} ROOT r = s32[] reshape(d) }\n"
       "b2 { a = s32[] parameter(0) n = s32[] negate(a) ROOT r = s32[] abs(n) }\n"
       "b3 { a = s32[] parameter(0) t = s32[16] iota(), iota_dimension=0 d = s32[1] "
       "dynamic-slice(t, a), dynamic_slice_sizes={1} ROOT r = s32[] reshape(d) }\n",
       InIntegers("three = s32[] constant(5) k = s32[] remainder(i, three)\n"
                  "j = s32[] conditional(k, i, i, i, i), branch_computations={b0, b1, b2, b3}")},
      {"while", kCountDown,
       InIntegers("s = (s32[], s32[]) tuple(i, zero)\n"
                  "w = (s32[], s32[]) while(s), condition=some_left, body=one_less\n"
                  "j = s32[] get-tuple-element(w), index=1")},
      {"while_of_arrays", kFill,
       InIntegers("empty = s32[5] broadcast(zero), dimensions={}\n"
                  "s = (s32[], s32[5], s32[]) tuple(zero, empty, i)\n"
                  "w = (s32[], s32[5], s32[]) while(s), condition=in_range, body=write\n"
                  "a = s32[5] get-tuple-element(w), index=1 b = s32[1] slice(a), slice={[4:5]}\n"
                  "c = s32[] reshape(b) four = s32[] constant(4) j = s32[] subtract(c, four)")},
      {"conditional_in_while",
       "odd { a = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] subtract(a, one) }\n"
       "even { a = s32[] parameter(0) two = s32[] constant(2) ROOT r = s32[] subtract(a, two) }\n"
       "positive { s = (s32[], s32[]) parameter(0) n = s32[] get-tuple-element(s), index=0 z = "
       "s32[] "
       "constant(0) ROOT r = pred[] compare(n, z), direction=GT }\n"
       "down { s = (s32[], s32[]) parameter(0) n = s32[] get-tuple-element(s), index=0 m = s32[] "
       "get-tuple-element(s), index=1 one = s32[] constant(1) l = s32[] and(n, one) o = pred[] "
       "compare(l, one), direction=EQ k = s32[] conditional(o, n, n), true_computation=odd, "
       "false_computation=even d = s32[] subtract(n, k) t = s32[] add(m, d) ROOT q = (s32[], "
       "s32[]) "
       "tuple(k, t) }\n",
       InIntegers("s = (s32[], s32[]) tuple(i, zero)\n"
                  "w = (s32[], s32[]) while(s), condition=positive, body=down\n"
                  "j = s32[] get-tuple-element(w), index=1")},
      {"call", "callee { a = s32[] parameter(0) n = s32[] negate(a) ROOT r = s32[] abs(n) }\n",
       InIntegers("j = s32[] call(i), to_apply=callee")},
      {"map", "mapped { a = s32[] parameter(0) n = s32[] negate(a) ROOT r = s32[] abs(n) }\n",
       InIntegers("is = s32[3] broadcast(i), dimensions={} m = s32[3] map(is), dimensions={0}, "
                  "to_apply=mapped\n"
                  "k = s32[1] slice(m), slice={[2:3]} j = s32[] reshape(k)")},
      {"broadcast", "",
       InIntegers(
           "is = s32[2,3] broadcast(i), dimensions={} o = s32[2,3] iota(), iota_dimension=1\n"
           "p = s32[2,3] multiply(is, o) k = s32[1,1] slice(p), slice={[1:2], [1:2]}\n"
           "j = s32[] reshape(k)")},
      {"table_by_dynamic_slice", "",
       InIntegers("k = s32[1] dynamic-slice(table, i), dynamic_slice_sizes={1} j = s32[] "
                  "reshape(k)")},
      {"table_by_gather", "",
       InIntegers("k = s32[1] reshape(i)\n"
                  "j = s32[] gather(table, k), offset_dims={}, collapsed_slice_dims={0}, "
                  "start_index_map={0}, index_vector_dim=0, slice_sizes={1}")},
      {"scatter", "",
       InIntegers("k = s32[1] reshape(i)\n"
                  "t = s32[16] scatter(table, k, i), update_window_dims={}, "
                  "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
                  "to_apply=greatest\n"
                  "d = s32[1] dynamic-slice(t, i), dynamic_slice_sizes={1} j = s32[] reshape(d)")},
      {"iota", "",
       InIntegers("n = s32[16] iota(), iota_dimension=0 k = s32[1] dynamic-slice(n, i), "
                  "dynamic_slice_sizes={1} j = s32[] reshape(k)")},
      {"concatenate_and_reduce", "",
       InIntegers("a = s32[1] reshape(i) c = s32[3] concatenate(a, a, a), dimensions={0}\n"
                  "s = s32[] reduce(c, zero), dimensions={0}, to_apply=plus three = s32[] "
                  "constant(3) j = s32[] divide(s, three)")},
      {"sort", "",
       InIntegers(
           "a = s32[1] reshape(i) n = s32[2] constant({-3, -1}) c = s32[3] concatenate(n, a), "
           "dimensions={0}\n"
           "s = s32[3] sort(c), dimensions={0}, to_apply=descending\n"
           "k = s32[1] slice(s), slice={[0:1]} j = s32[] reshape(k)")},
      {"sort_by_a_loop",
       absl::StrCat(
           kCountDown,
           "counted { a = s32[] parameter(0) b = s32[] parameter(1) z = s32[] constant(0)\n"
           "  s = (s32[], s32[]) tuple(a, z) w = (s32[], s32[]) while(s), "
           "condition=some_left, body=one_less c = s32[] get-tuple-element(w), index=1\n"
           "  ROOT r = pred[] compare(c, b), direction=GT }\n"),
       InIntegers("a = s32[1] reshape(i) n = s32[2] constant({0, 0}) c = s32[3] concatenate(n, a), "
                  "dimensions={0}\n"
                  "s = s32[3] sort(c), dimensions={0}, to_apply=counted\n"
                  "k = s32[1] slice(s), slice={[0:1]} j = s32[] reshape(k)")},
      {"dynamic_update_slice", "",
       InIntegers("a = s32[1] reshape(i) t = s32[16] dynamic-update-slice(table, a, zero)\n"
                  "k = s32[1] slice(t), slice={[0:1]} j = s32[] reshape(k)")},
      {"dot", "",
       InIntegers("f = f32[] convert(i) a = f32[3,4] broadcast(f), dimensions={} ones = f32[] "
                  "constant(1) b = f32[4,2] broadcast(ones), dimensions={}\n"
                  "d = f32[3,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                  "k = f32[1,1] slice(d), slice={[2:3], [1:2]} l = f32[] reshape(k) four = f32[] "
                  "constant(4) q = f32[] divide(l, four) j = s32[] convert(q)")},
      {"convolution", "",
       InIntegers("f = f32[] convert(i) a = f32[1,5,1] broadcast(f), dimensions={} h = f32[] "
                  "constant(0.5) b = f32[2,1,1] broadcast(h), dimensions={}\n"
                  "c = f32[1,4,1] convolution(a, b), window={size=2}, dim_labels=b0f_0io->b0f\n"
                  "k = f32[1,1,1] slice(c), slice={[0:1], [3:4], [0:1]} l = f32[] reshape(k) j = "
                  "s32[] convert(l)")},
      {"reduce_window", "",
       InIntegers("a = s32[5] broadcast(i), dimensions={} w = s32[4] reduce-window(a, zero), "
                  "window={size=2}, to_apply=greatest\n"
                  "k = s32[1] slice(w), slice={[1:2]} j = s32[] reshape(k)")},
      {"select_and_scatter",
       "ge { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), "
       "direction=GE }\n",
       InIntegers("a = s32[4] iota(), iota_dimension=0 s = s32[2] broadcast(i), dimensions={}\n"
                  "w = s32[4] select-and-scatter(a, s, zero), window={size=2 stride=2}, select=ge, "
                  "scatter=plus\n"
                  "k = s32[1] slice(w), slice={[3:4]} j = s32[] reshape(k)")},
      {"pad_reverse_transpose", "",
       InIntegers("a = s32[2,1] broadcast(i), dimensions={} p = s32[2,3] pad(a, zero), "
                  "padding=0_0x0_2\n"
                  "v = s32[2,3] reverse(p), dimensions={1} t = s32[3,2] transpose(v), "
                  "dimensions={1,0}\n"
                  "k = s32[1,1] slice(t), slice={[2:3], [0:1]} j = s32[] reshape(k)")},
      {"random_bits", "",
       InIntegers("u = u64[] convert(i) s = u64[2] broadcast(u), dimensions={}\n"
                  "g = (u64[2], u32[4]) rng-bit-generator(s), algorithm=rng_three_fry\n"
                  "b = u32[4] get-tuple-element(g), index=1 h = u32[1] slice(b), slice={[3:4]} x = "
                  "u32[] reshape(h) never = u32[] constant(123456789)\n"
                  "p = pred[] compare(x, never), direction=EQ j = s32[] select(p, zero, i)")},
      {"bitcast_convert", "",
       InIntegers("b = s8[4] bitcast-convert(i) k = s32[] bitcast-convert(b) j = s32[] copy(k)")},
      {"fourier", "",
       InIntegers(
           "f = f32[] convert(i) a = f32[8] broadcast(f), dimensions={} c = c64[5] fft(a), "
           "fft_type=RFFT, fft_length={8}\n"
           "k = c64[1] slice(c), slice={[0:1]} l = c64[] reshape(k) q = f32[] real(l) eight = "
           "f32[] constant(8) d = f32[] divide(q, eight) j = s32[] convert(d)")},
      {"cholesky_and_solve", "",
       InIntegers("one = s32[] constant(1) n = s32[] add(i, one) f = f32[] convert(n) s = f32[] "
                  "multiply(f, f) a = f32[1,1] reshape(s)\n"
                  "l = f32[1,1] cholesky(a), lower=true x = f32[1,1] triangular-solve(l, a), "
                  "left_side=true, lower=true, transpose_a=NO_TRANSPOSE\n"
                  "y = f32[] reshape(x) r = f32[] round-nearest-even(y) m = s32[] convert(r) j = "
                  "s32[] subtract(m, one)")},
      {"custom_call", "",
       InIntegers("a = s32[2] broadcast(i), dimensions={} c = s32[2] custom-call(a), "
                  "custom_call_target=\"test.reverse\"\n"
                  "k = s32[1] slice(c), slice={[1:2]} j = s32[] reshape(k)")},
      {"top_k", "",
       InIntegers(
           "a = s32[1] reshape(i) n = s32[3] constant({-3, -1, -2}) c = s32[4] concatenate(n, "
           "a), dimensions={0}\n"
           "t = (s32[2], s32[2]) topk(c), k=2, largest=true v = s32[2] get-tuple-element(t), "
           "index=0\n"
           "k = s32[1] slice(v), slice={[0:1]} j = s32[] reshape(k)")},
      {"sizes", "",
       InIntegers(
           "a = s32[16] broadcast(i), dimensions={} one = s32[] constant(1) n = s32[] add(i, "
           "one)\n"
           "d = s32[<=16] set-dimension-size(a, n), dimensions={0}\n"
           "s = s32[] reduce(d, zero), dimensions={0}, to_apply=plus j = s32[] divide(s, n)")},
  };
}

inline std::vector<AppliedUser> MakeUsers() {
  // x[i] = (7 i + i / 5) mod 16, so that neighbors differ and values repeat.
  const auto x = [](const std::string& dimensions, const std::string& count) {
    return absl::StrCat(
        "n = s32[", count, "] iota(), iota_dimension=0 seven = s32[] constant(7) sevens = s32[",
        count, "] broadcast(seven), dimensions={}\nfive = s32[] constant(5) fives = s32[", count,
        "] broadcast(five), dimensions={} q = s32[", count, "] divide(n, fives) m = s32[", count,
        "] multiply(n, sevens)\ns = s32[", count, "] add(q, m) f = s32[] constant(15) fs = s32[",
        count, "] broadcast(f), dimensions={} a = s32[", count, "] and(s, fs)\nt = $T[", count,
        "] convert(a) x = $T[", dimensions,
        "] reshape(t) zi = s32[] constant(0) zero = $T[] "
        "convert(zi)\n");
  };
  return {
      {"reduce", x("100", "100") + "ROOT r = $T[] reduce(x, zero), dimensions={0}, to_apply=@max"},
      {"reduce_rows",
       x("6,70", "420") + "ROOT r = $T[6] reduce(x, zero), dimensions={1}, to_apply=@max"},
      {"reduce_columns",
       x("40,21", "840") + "ROOT r = $T[21] reduce(x, zero), dimensions={0}, to_apply=@max"},
      {"variadic_reduce",
       x("9,50", "450") +
           "y = $T[9,50] reverse(x), dimensions={1}\n"
           "ROOT r = ($T[9], $T[9]) reduce(x, y, zero, zero), dimensions={1}, to_apply=@max2"},
      {"map", x("5,9", "45") + "ROOT r = $T[5,9] map(x), dimensions={0,1}, to_apply=@same"},
      {"map_in_concatenation", x("45", "45") +
                                   "y = $T[45] map(x), dimensions={0}, to_apply=@same\n"
                                   "p = $T[60] pad(y, zero), padding=3_12\n"
                                   "ROOT r = $T[105] concatenate(p, y), dimensions={0}"},
      {"map_in_a_loop",
       x("7,9", "63") + "start = (s32[], $T[7,9]) tuple(zi, x) w = (s32[], $T[7,9]) while(start), "
                        "condition=thrice, body=mapped_again\n"
                        "ROOT r = $T[7,9] get-tuple-element(w), index=1",
       "thrice { s = (s32[], $T[7,9]) parameter(0) n = s32[] get-tuple-element(s), index=0 t = "
       "s32[] "
       "constant(3) ROOT r = pred[] compare(n, t), direction=LT }\n"
       "mapped_again { s = (s32[], $T[7,9]) parameter(0) n = s32[] get-tuple-element(s), index=0 v "
       "= "
       "$T[7,9] get-tuple-element(s), index=1 one = s32[] constant(1) k = s32[] add(n, one)\n"
       "  y = $T[7,9] map(v), dimensions={0,1}, to_apply=@same w = $T[7,9] reverse(y), "
       "dimensions={1} ROOT t = (s32[], $T[7,9]) tuple(k, w) }\n"},
      {"map_after_a_product",
       x("20,16", "320") +
           "i0 = s32[16,16] iota(), iota_dimension=0 i1 = s32[16,16] iota(), iota_dimension=1\n"
           "d = pred[16,16] compare(i0, i1), direction=EQ e = f32[16,16] convert(d) g = f32[20,16] "
           "convert(x)\n"
           "p = f32[20,16] dot(g, e), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
           "y = $T[20,16] convert(p) ROOT r = $T[20,16] map(y), dimensions={0,1}, to_apply=@same"},
      {"reduce_window",
       x("4,33", "132") +
           "ROOT r = $T[4,33] reduce-window(x, zero), window={size=1x5 pad=0_0x2_2}, "
           "to_apply=@max"},
      {"dilated_reduce_window",
       x("40", "40") + "ROOT r = $T[14] reduce-window(x, zero), window={size=30 stride=2 "
                       "pad=-2_9 lhs_dilate=2 rhs_dilate=2}, to_apply=@max"},
      {"scatter",
       x("40", "40") +
           "o = $T[8] slice(x), slice={[0:8]} i = s32[40] divide(n, fives)\n"
           "ROOT r = $T[8] scatter(o, i, x), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=@max"},
      {"scatter_rows",
       x("12,20", "240") +
           "o = $T[4,20] slice(x), slice={[0:4], [0:20]} i = s32[12] "
           "constant({0,1,2,3,0,1,2,3,9,1,1,-1})\n"
           "ROOT r = $T[4,20] scatter(o, i, x), update_window_dims={1}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=@max"},
      {"select_and_scatter",
       x("12,19", "228") +
           "s0 = $T[6,19] slice(x), slice={[3:9], [0:19]}\n"
           "ROOT r = $T[12,19] select-and-scatter(x, s0, zero), window={size=3x1 stride=2x1 "
           "pad=0_1x0_0}, select=@at_least, scatter=@max"},
      {"select_and_scatter_along_rows",
       x("3,21", "63") +
           "s0 = $T[3,7] slice(x), slice={[0:3], [4:11]}\n"
           "ROOT r = $T[3,21] select-and-scatter(x, s0, zero), window={size=1x3 stride=1x3}, "
           "select=@at_least, scatter=@max"},
      {"sort", x("3,50", "150") + "ROOT r = $T[3,50] sort(x), dimensions={1}, to_apply=@less"},
      {"sort_of_two",
       x("60,3", "180") +
           "i = s32[60,3] iota(), iota_dimension=0\n"
           "ROOT r = ($T[60,3], s32[60,3]) sort(x, i), dimensions={0}, is_stable=true, "
           "to_apply=@less2"},
  };
}

inline const std::vector<AppliedBody>& AppliedBodies() {
  static const auto* const bodies = new std::vector<AppliedBody>(MakeBodies());
  return *bodies;
}

inline const std::vector<AppliedUser>& AppliedUsers() {
  static const auto* const users = new std::vector<AppliedUser>(MakeUsers());
  return *users;
}

// The module, of elements of the type.
inline std::string NestedProgramText(const AppliedBody& body, const AppliedUser& user,
                                     const std::string& type) {
  // The body on one value; its instructions are in a computation of their own.
  std::string text = absl::StrCat("HloModule applied\n", kHelpers, body.computations);
  absl::StrAppend(&text, "same { value = $T[] parameter(0)\n",
                  absl::StrReplaceAll(body.instructions, {{"%v", "value"}, {"%r", "ROOT result"}}),
                  "}\n");
  const auto function = [&](const std::string& name, const std::string& parameters,
                            const std::string& rest) {
    if (user.entry.find(absl::StrCat("@", name)) == std::string::npos &&
        user.computations.find(absl::StrCat("@", name)) == std::string::npos) {
      return;
    }
    absl::StrAppend(&text, name, " {\n");
    for (size_t i = 0; i < parameters.size(); ++i) {
      const bool is_index = name == "less2" && i >= 2;
      absl::StrAppend(&text, parameters.substr(i, 1), " = ", is_index ? "s32" : "$T",
                      "[] parameter(", i, ")\n");
    }
    absl::StrAppend(&text, rest, "\n}\n");
  };
  function("max", "ab", "m = $T[] maximum(a, b)\nROOT r = $T[] call(m), to_apply=same");
  function("max2", "acbd",
           "m = $T[] maximum(a, b)\nr = $T[] call(m), to_apply=same\nn = $T[] maximum(c, d)\n"
           "ROOT t = ($T[], $T[]) tuple(r, n)");
  function("less", "ab",
           "c = $T[] call(a), to_apply=same\nd = $T[] call(b), to_apply=same\n"
           "ROOT r = pred[] compare(c, d), direction=LT");
  function("less2", "abcd",
           "e = $T[] call(a), to_apply=same\nf = $T[] call(b), to_apply=same\n"
           "ROOT r = pred[] compare(e, f), direction=GT");
  function("at_least", "ab",
           "c = $T[] call(a), to_apply=same\nROOT r = pred[] compare(c, b), direction=GE");
  absl::StrAppend(&text, user.computations, "ENTRY main {\n", user.entry, "\n}\n");
  return absl::StrReplaceAll(text, {{"$T", type}, {"@", ""}});
}

}  // namespace xla::testing

#endif  // TESTS_CPU_NESTED_PROGRAMS_H_
