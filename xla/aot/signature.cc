// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/signature.h"

#include <cctype>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla/aot/program_types.h"
#include "xla/cpu/program_impl.h"
#include "xla/layout_strides.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::aot {
namespace {

const std::set<std::string_view>& Keywords() {
  // Of C and C++.
  static const auto* const words = new std::set<std::string_view>{
      "alignas",   "alignof",   "and",      "asm",      "auto",     "bool",     "break",
      "case",      "catch",     "char",     "class",    "compl",    "const",    "constexpr",
      "continue",  "decltype",  "default",  "delete",   "do",       "double",   "else",
      "enum",      "explicit",  "export",   "extern",   "false",    "float",    "for",
      "friend",    "goto",      "if",       "inline",   "int",      "long",     "mutable",
      "namespace", "new",       "noexcept", "not",      "nullptr",  "operator", "or",
      "private",   "protected", "public",   "register", "requires", "restrict", "return",
      "short",     "signed",    "sizeof",   "static",   "struct",   "switch",   "template",
      "this",      "throw",     "true",     "try",      "typedef",  "typeid",   "typename",
      "union",     "unsigned",  "using",    "virtual",  "void",     "volatile", "while",
      "xor",       "main",      "errno",    "concept",  "std"};
  return *words;
}

// Names of the header itself.
std::set<std::string> NamesOfHeader() { return {"program", "options", "error", "addresses"}; }

// Makes a C identifier of a name, unlike those that are taken.
std::string Identifier(std::string_view name, std::set<std::string>& taken) {
  std::string text;
  for (const char c : name)
    text.push_back(std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_');
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0)
    text.insert(text.begin(), 'x');
  if (Keywords().contains(text)) text.push_back('_');
  std::string unique = text;
  for (int i = 2; !taken.insert(unique).second || Keywords().contains(unique); ++i)
    unique = absl::StrCat(text, "_", i);
  return unique;
}

void AddNames(const Shape& shape, const std::string& name, std::set<std::string>& taken,
              std::vector<std::string>& names) {
  if (!shape.IsTuple()) {
    names.push_back(Identifier(name, taken));
    return;
  }
  for (int i = 0; i < shape.tuple_shapes_size(); ++i)
    AddNames(shape.tuple_shapes(i), absl::StrCat(name, "_", i), taken, names);
}

// The C type of an element. Those without a type in C are the integers that hold their bits.
std::string TypeName(PrimitiveType type) {
  switch (type) {
    case F32:
      return "float";
    case F64:
      return "double";
    case C64:
      return "xylem_complex64";
    case C128:
      return "xylem_complex128";
    case PRED:
      return "uint8_t";
    default:
      break;
  }
  const int bits = 8 * primitive_util::ByteWidth(type);
  const bool is_signed = primitive_util::IsSignedIntegralType(type);
  return absl::StrCat(is_signed ? "" : "u", "int", bits, "_t");
}

// "f32[2,3]", with what C callers must know of the memory.
std::string Description(const Leaf& leaf) {
  std::string text =
      Shape(leaf.shape.element_type(), leaf.shape.dimensions(), leaf.shape.dynamic_dimensions())
          .ToString();
  if (!SameOrder(leaf.shape, leaf.strides, DenseStrides(leaf.shape.dimensions()))) {
    absl::StrAppend(&text,
                    ", an element of index (i, j, ..) is at i * s0 + j * s1 + .. for (s0, s1, "
                    "..) = (",
                    absl::StrJoin(leaf.strides, ", "), ")");
  }
  switch (leaf.shape.element_type()) {
    case F16:
    case BF16:
      absl::StrAppend(&text, ", as bits");
      break;
    case PRED:
      absl::StrAppend(&text, ", 0 or 1");
      break;
    default:
      break;
  }
  return text;
}

int64_t CountOf(const Leaf& leaf) { return ShapeUtil::ElementsIn(leaf.shape); }

// Writes the header of one program.
class HeaderWriter {
 public:
  explicit HeaderWriter(const Signature& signature)
      : signature_(signature),
        name_(signature.name),
        upper_(absl::AsciiStrToUpper(signature.name)) {}

  std::string Write() {
    Add("/* Compiled ahead of time by xylem aot, for ", absl::StrJoin(signature_.targets, ", "),
        ". Link with the library of the same name and with\n"
        " * libxylem_runtime.a; see Xylem's docs/aot.md.\n */\n");
    Add("#ifndef XYLEM_AOT_", upper_, "_H_\n#define XYLEM_AOT_", upper_, "_H_\n\n");
    Add(kProgramTypes, "\n");
    Add("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    AddSizes();
    AddFunctions();
    Add("#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n");
    AddWrapper();
    Add("#endif /* XYLEM_AOT_", upper_, "_H_ */\n");
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void Add(const Args&... args) {
    absl::StrAppend(&text_, args...);
  }

  template <typename Visit>
  void ForEachLeaf(const Visit& visit) const {
    for (const Leaf& leaf : signature_.arguments) visit(leaf, true);
    for (const Leaf& leaf : signature_.results) visit(leaf, false);
  }

  void AddSizes() {
    Add("/* Working memory of a run on one thread, aligned to 64 bytes. */\n#define ", upper_,
        "_SCRATCH_BYTES ", signature_.scratch_bytes, "\n");
    Add("/* Elements of arguments and results, and their dimensions. */\n");
    ForEachLeaf([&](const Leaf& leaf, bool) {
      Add("#define ", upper_, "_", absl::AsciiStrToUpper(leaf.name), "_SIZE ", CountOf(leaf), "\n");
      for (int d = 0; d < leaf.shape.rank(); ++d) {
        Add("#define ", upper_, "_", absl::AsciiStrToUpper(leaf.name), "_DIM", d, " ",
            leaf.shape.dimensions(d), "\n");
      }
    });
    Add("\n");
  }

  void AddFunctions() {
    Add("/* The program, ready to run. */\ntypedef struct ", name_, " ", name_, ";\n\n");
    Add("/* Makes it. Constant: any number of threads may run it at the same time. `options` may "
        "be "
        "null",
        signature_.has_weights_file ? ", but for the weights" : "",
        ". Returns 0, or the code of an\n * error, with a message in `error` if that is not null. "
        "*/\n",
        "int32_t ", name_, "_create(const xylem_load_options* options, ", name_,
        "** program, xylem_error* error);\n\n");
    Add("/* Frees it, when no run needs it any more. */\nvoid ", name_, "_destroy(", name_,
        "* program);\n\n");
    Add("/* The working memory of a run on so many threads. */\nsize_t ", name_,
        "_scratch_bytes(const ", name_, "* program, int32_t threads);\n\n");
    Add("/* Runs it. Arrays do not overlap, but for those that are said to be updated; results "
        "are\n"
        " * fastest where they are aligned to 64 bytes.\n");
    ForEachLeaf([&](const Leaf& leaf, bool is_argument) {
      Add(" *   ", leaf.name, ": ", Description(leaf), "\n");
      if (!leaf.bounds().empty()) {
        Add(" *   ", leaf.name, "_sizes: ", is_argument ? "the sizes" : "receives the sizes",
            " of its dynamic dimensions; elements are where the largest array has them\n");
      }
      if (leaf.donor >= 0) {
        Add(" *     updates ", signature_.arguments[static_cast<size_t>(leaf.donor)].name,
            ": may be the same memory, which saves a copy\n");
      }
    });
    Add(" */\nint32_t ", name_, "_run(const ", name_, "* program");
    ForEachLeaf([&](const Leaf& leaf, bool is_argument) { AddParameters(leaf, is_argument); });
    Add(",\n    const xylem_run_options* options, xylem_error* error);\n\n");
    Add("/* The same with the addresses of arguments and results in a list, in this order. */\n"
        "int32_t ",
        name_, "_run_list(const ", name_,
        "* program, void* const* addresses,\n"
        "                 const xylem_run_options* options, xylem_error* error);\n\n");
  }

  void AddParameters(const Leaf& leaf, bool is_argument) {
    const char* const qualifier = is_argument ? "const " : "";
    Add(",\n    ", qualifier, TypeName(leaf.shape.element_type()), "* ", leaf.name);
    if (!leaf.bounds().empty()) Add(", ", qualifier, "int32_t* ", leaf.name, "_sizes");
  }

  // A class with spans of the right lengths.
  void AddWrapper() {
    Add("#if defined(__cplusplus) && __cplusplus >= 202002L\n"
        "#include <memory>\n#include <span>\n#include <stdexcept>\n#include <string>\n\n"
        "namespace ",
        name_,
        "_aot {\n\n"
        "// A program that frees itself. Errors are exceptions.\n"
        "class Program {\n public:\n"
        "  explicit Program(const xylem_load_options* options = nullptr) {\n"
        "    xylem_error error;\n"
        "    ",
        name_,
        "* program = nullptr;\n"
        "    Check(",
        name_,
        "_create(options, &program, &error), error);\n"
        "    program_.reset(program);\n  }\n\n"
        "  void Run(");
    std::string parameters, arguments;
    ForEachLeaf([&](const Leaf& leaf, bool is_argument) {
      const std::string type =
          absl::StrCat(is_argument ? "const " : "", TypeName(leaf.shape.element_type()));
      absl::StrAppend(&parameters, "std::span<", type, ", ", CountOf(leaf), "> ", leaf.name,
                      ",\n"
                      "           ");
      absl::StrAppend(&arguments, leaf.name, ".data(), ");
      if (const size_t dynamic = leaf.bounds().size(); dynamic > 0) {
        absl::StrAppend(&parameters, "std::span<", is_argument ? "const " : "", "int32_t, ",
                        dynamic, "> ", leaf.name, "_sizes,\n           ");
        absl::StrAppend(&arguments, leaf.name, "_sizes.data(), ");
      }
    });
    Add(parameters,
        "const xylem_run_options* options = nullptr) const {\n"
        "    xylem_error error;\n    Check(",
        name_, "_run(program_.get(), ", arguments,
        "options, &error), error);\n  }\n\n"
        "  size_t scratch_bytes(int32_t threads) const {\n    return ",
        name_,
        "_scratch_bytes(program_.get(), threads);\n  }\n"
        "  const ",
        name_,
        "* get() const { return program_.get(); }\n\n"
        " private:\n"
        "  static void Check(int32_t code, const xylem_error& error) {\n"
        "    if (code != 0) throw std::runtime_error(error.message);\n  }\n"
        "  struct Destroy {\n    void operator()(",
        name_, "* program) const { ", name_,
        "_destroy(program); }\n  };\n"
        "  std::unique_ptr<",
        name_, ", Destroy> program_;\n};\n\n}  // namespace ", name_, "_aot\n#endif\n\n");
  }

  const Signature& signature_;
  const std::string name_, upper_;
  std::string text_;
};

}  // namespace

std::vector<int64_t> Leaf::bounds() const {
  std::vector<int64_t> bounds;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) bounds.push_back(shape.dimensions(d));
  }
  return bounds;
}

int64_t Signature::pointer_count() const {
  int64_t count = 0;
  for (const auto* leaves : {&arguments, &results}) {
    for (const Leaf& leaf : *leaves) count += leaf.bounds().empty() ? 1 : 2;
  }
  return count;
}

bool IsCIdentifier(std::string_view name) {
  std::set<std::string> taken;
  return !name.empty() && Identifier(name, taken) == name;
}

std::vector<std::string> ArgumentNames(const HloModule& module) {
  std::set<std::string> taken = NamesOfHeader();
  std::vector<std::string> names;
  for (const HloInstruction* parameter : module.entry_computation()->parameter_instructions())
    AddNames(parameter->shape(), std::string(parameter->name()), taken, names);
  return names;
}

std::vector<std::string> ResultNames(const Shape& result, absl::Span<const std::string> taken) {
  std::set<std::string> all = NamesOfHeader();
  all.insert(taken.begin(), taken.end());
  std::vector<std::string> names;
  AddNames(result, "result", all, names);
  return names;
}

std::string HeaderText(const Signature& signature) { return HeaderWriter(signature).Write(); }

}  // namespace xla::aot
