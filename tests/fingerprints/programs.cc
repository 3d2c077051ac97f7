// SPDX-License-Identifier: Apache-2.0
#include "tests/fingerprints/programs.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/cpu/random_chain.h"
#include "tests/fingerprints/fingerprint.h"
#include "tests/test_util.h"
#include "tests/variants/text_variants.h"

namespace xla::testing {
namespace {

std::string Folder(const std::string& name) { return absl::StrCat(XYLEM_SOURCE_DIR, "/", name); }

std::string Array(const Sizes& sizes, absl::string_view type = "f32") {
  return absl::StrCat(type, "[", absl::StrJoin(sizes, ","), "]");
}

constexpr const char* kComputations = R"(HloModule sizes
add { add_x = f32[] parameter(0) add_y = f32[] parameter(1) ROOT add_r = f32[] add(add_x, add_y) }
max { max_x = f32[] parameter(0) max_y = f32[] parameter(1) ROOT max_r = f32[] maximum(max_x, max_y) }
less { less_x = f32[] parameter(0) less_y = f32[] parameter(1) ROOT less_r = pred[] compare(less_x, less_y), direction=LT }
ENTRY main {
  zero = f32[] constant(0)
  low = f32[] constant(-inf)
)";

// A program of the instructions.
void AddSized(const ProgramCallback& callback, const std::string& title,
              const std::string& instructions) {
  callback(absl::StrCat("sizes/", title), absl::StrCat(kComputations, instructions, "\n}"));
}

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

void Reductions(const ProgramCallback& callback) {
  for (const Sizes& sizes : Shapes()) {
    for (uint32_t mask = 1; mask < 1u << sizes.size(); ++mask) {
      const std::string dims = absl::StrJoin(Bits(sizes, mask), ",");
      AddSized(callback, absl::StrCat("reduce ", Array(sizes), " ", dims),
               absl::StrCat("a = ", Array(sizes),
                            " parameter(0)\n ROOT r = ", Array(Without(sizes, mask)),
                            " reduce(a, zero), dimensions={", dims, "}, to_apply=add"));
    }
  }
}

void Moves(const ProgramCallback& callback) {
  for (const Sizes& sizes : Shapes()) {
    const std::string a = absl::StrCat("a = ", Array(sizes), " parameter(0)\n");
    for (size_t shift = 1; shift < sizes.size(); ++shift) {
      Sizes order, moved;
      for (size_t d = 0; d < sizes.size(); ++d) {
        order.push_back(static_cast<int64_t>((d + shift) % sizes.size()));
        moved.push_back(sizes[static_cast<size_t>(order.back())]);
      }
      AddSized(callback, absl::StrCat("transpose ", Array(sizes), " ", absl::StrJoin(order, ",")),
               absl::StrCat(a, "ROOT r = ", Array(moved), " transpose(a), dimensions={",
                            absl::StrJoin(order, ","), "}"));
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      Sizes joined = sizes;
      joined[d] *= 2;
      AddSized(callback, absl::StrCat("concatenate ", Array(sizes), " ", d),
               absl::StrCat(a, "b = ", Array(sizes), " negate(a)\n ROOT r = ", Array(joined),
                            " concatenate(a, b), dimensions={", d, "}"));
      Sizes wide = sizes;
      wide.insert(wide.begin() + static_cast<int64_t>(d), 3);
      Sizes dims;
      for (size_t k = 0; k < wide.size(); ++k) {
        if (k != d) dims.push_back(static_cast<int64_t>(k));
      }
      AddSized(callback, absl::StrCat("broadcast ", Array(sizes), " ", d),
               absl::StrCat(a, "ROOT r = ", Array(wide), " broadcast(a), dimensions={",
                            absl::StrJoin(dims, ","), "}"));
    }
  }
}

void Fusions(const ProgramCallback& callback) {
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
      AddSized(
          callback, absl::StrCat(name, " ", Array(sizes)),
          absl::StrReplaceAll(
              text, {{"SHAPE", Array(sizes)},
                     {"ROWS", Array(Without(sizes, last))},
                     {"LAST", Array({sizes.back()})},
                     {"{D}", absl::StrCat("{", sizes.size() - 1, "}")},
                     {"{O}", absl::StrCat("{", absl::StrJoin(Bits(sizes, others), ","), "}")}}));
    }
  }
}

void Products(const ProgramCallback& callback) {
  for (const char* type : {"f32", "f64", "bf16", "s32"}) {
    for (const int64_t m : {1, 4, 100, 1024}) {
      for (const int64_t k : {1, 16, 512}) {
        for (const int64_t n : {1, 3, 64, 1000}) {
          AddSized(
              callback, absl::StrCat("dot ", type, " ", m, " ", k, " ", n),
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
}

// One of the folders of programs that have a folder each.
void OfFolders(const ProgramCallback& callback, const std::string& title,
               const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(Folder(folder))) {
    if (std::filesystem::exists(entry.path() / "program.hlo")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    callback(absl::StrCat(title, "/", path.stem().string()), ReadWholeFile(path / "program.hlo"));
  }
}

void OfFiles(const ProgramCallback& callback, const std::string& folder) {
  for (const auto& path : FilesOf(Folder("tests/" + folder), ".hlo")) {
    callback(absl::StrCat(folder, "/", path.stem().string()), ReadWholeFile(path));
  }
}

// What stands before the passes of tests/passes/NAME.hlo: "passes/NAME 2" is the third.
void OfPasses(const ProgramCallback& callback) {
  for (const auto& path : FilesOf(Folder("tests/passes"), ".hlo")) {
    int number = 0;
    const std::string file = ReadWholeFile(path);
    for (const absl::string_view example : absl::StrSplit(file, "// ====")) {
      const std::string text(example.substr(0, example.find("// ----")));
      const size_t start = text.find("HloModule");
      if (start == std::string::npos) continue;
      callback(absl::StrCat("passes/", path.stem().string(), " ", number++), text.substr(start));
    }
  }
}

void Transposes(const ProgramCallback& callback) {
  const Sizes shapes[] = {{16, 16}, {70, 17},    {3, 70},     {70, 3},     {130, 65},     {64, 5},
                          {7, 64},  {2, 40, 33}, {33, 2, 40}, {300, 4096}, {2, 3, 20, 17}};
  for (const std::string& type : TransposeTypes()) {
    for (const std::string& source : TransposeSources()) {
      for (const Sizes& sizes : shapes) {
        for (const Sizes& order : TransposeOrders()) {
          if (order.size() != sizes.size()) continue;
          callback(absl::StrCat("transposes/", source, " ", Array(sizes, type), " ",
                                absl::StrJoin(order, ",")),
                   TransposeProgram(type, source, sizes, order));
        }
      }
    }
  }
}

// One of `one_of` variants of the program, chosen by what changes.
void VariantsOf(const ProgramCallback& callback, const std::string& name, const std::string& text,
                uint32_t one_of) {
  constexpr size_t kMostBytes = 14'000;
  if (text.size() > kMostBytes) return;
  for (const Variant& variant : TextVariants(text).Make(
           [](absl::string_view line) { return !absl::StrContains(line, "//"); }, false)) {
    if (HashOf(variant.change) % one_of == 0)
      callback(absl::StrCat(name, " ", OneLine(variant.change)), variant.text);
  }
}

}  // namespace

const std::vector<Sizes>& TransposeOrders() {
  static const auto* const orders =
      new std::vector<Sizes>{{1, 0},    {0, 2, 1},    {2, 1, 0},    {1, 0, 2},    {1, 2, 0},
                             {2, 0, 1}, {0, 3, 1, 2}, {0, 2, 3, 1}, {0, 2, 1, 3}, {3, 1, 0, 2}};
  return *orders;
}

const std::vector<std::string>& TransposeTypes() {
  static const auto* const types =
      new std::vector<std::string>{"u8", "bf16", "f32", "f64", "c64", "c128", "pred", "s4"};
  return *types;
}

const std::vector<std::string>& TransposeSources() {
  static const auto* const sources = new std::vector<std::string>{"array", "computed", "reshaped"};
  return *sources;
}

std::string TransposeProgram(const std::string& type, const std::string& source, const Sizes& sizes,
                             const Sizes& order) {
  Sizes moved, flat = {1};
  for (const int64_t d : order) moved.push_back(sizes[static_cast<size_t>(d)]);
  for (const int64_t size : sizes) flat[0] *= size;
  const std::string array = Array(sizes, type);
  std::string text = absl::StrCat(
      "HloModule m\nENTRY e {\n  p = ", source == "reshaped" ? Array(flat, type) : array,
      " parameter(0)\n");
  const char* const opcode = type == "pred" ? "not" : "negate";
  if (source == "computed") absl::StrAppend(&text, "  x = ", array, " ", opcode, "(p)\n");
  if (source == "reshaped") {
    absl::StrAppend(&text, "  n = ", Array(flat, type), " ", opcode, "(p)\n  x = ", array,
                    " reshape(n)\n");
  }
  return absl::StrCat(text, "  ROOT r = ", Array(moved, type), " transpose(",
                      source == "array" ? "p" : "x", "), dimensions={", absl::StrJoin(order, ","),
                      "}\n}\n");
}

void ForEachProgram(const ProgramCallback& callback) {
  OfFiles(callback, "operations");
  OfFiles(callback, "hlo");
  OfFolders(callback, "programs", "tests/programs");
  OfFolders(callback, "bench", "bench/programs");
  OfPasses(callback);
  Reductions(callback);
  Moves(callback);
  Fusions(callback);
  Products(callback);
  Transposes(callback);
  constexpr uint64_t kChains = 2000;
  for (uint64_t seed = 0; seed < kChains; ++seed)
    callback(absl::StrCat("chains/", seed), RandomChain(seed).Write());
}

void ForEachVariant(const ProgramCallback& callback) {
  const auto of = [&](uint32_t one_of) {
    return [&callback, one_of](const std::string& name, const std::string& text) {
      VariantsOf(callback, name, text, one_of);
    };
  };
  OfFiles(of(1), "operations");
  OfFiles(of(5), "hlo");
  OfPasses(of(1));
  VariantsOf(callback, "variants/dynamic",
             ReadWholeFile(Folder("tests/variants/programs/dynamic.hlo")), 2);
}

}  // namespace xla::testing
