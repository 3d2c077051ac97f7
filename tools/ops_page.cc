// SPDX-License-Identifier: Apache-2.0
#include "tools/ops_page.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/ops_data.h"
#include "xla/base/string_view.h"
#include "xla/hlo/ir/attributes.h"
#include "xla/hlo/ir/opcode_docs.h"

namespace xla {
namespace {

// --- Attributes: how a value of each C++ type is written in HLO text.
std::string_view Form(const bool*) { return "`true` or `false`"; }
std::string_view Form(const int64_t*) { return "number"; }
std::string_view Form(const float*) { return "number"; }
std::string_view Form(const Int64s*) { return "`{1,0}`"; }
std::string_view Form(const std::string*) { return "`\"text\"`"; }
std::string_view Form(const Shape*) { return "shape"; }
std::string_view Form(const std::vector<Shape>*) { return "`{shape, ...}`"; }
std::string_view Form(const LiteralRef*) { return "literal with its shape"; }
std::string_view Form(const WindowDims*) {
  return "`{size=2x3 stride=1x1 pad=0_0x1_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x0}`, what "
         "is default left out";
}
std::string_view Form(const ConvDims*) { return "`b01f_01io->b01f`"; }
std::string_view Form(const Sparsity*) {
  return "`{rhs={sparsity=1x4 dimension=0 stride=1}}`, of `lhs` too";
}
std::string_view Form(const std::vector<PadDim>*) { return "`low_high_interior` joined by `x`"; }
std::string_view Form(const std::vector<SliceDim>*) { return "`{[start:limit:stride], ...}`"; }
std::string_view Form(const Precisions*) { return "`{default,high,highest}`, one an operand"; }
std::string_view Form(const PrecisionConfig_Algorithm*) {
  return "name, as `dot_bf16_bf16_f32_x3`";
}
std::string_view Form(const ConvolutionKind*) { return "`fprop`, `wgrad`, `dgrad`"; }
std::string_view Form(const ComparisonDirection*) { return "`EQ`, `NE`, `GE`, `GT`, `LE` or `LT`"; }
std::string_view Form(const ComparisonType*) {
  return "`FLOAT`, `TOTALORDER`, `SIGNED` or `UNSIGNED`";
}
std::string_view Form(const FftType*) { return "`FFT`, `IFFT`, `RFFT` or `IRFFT`"; }
std::string_view Form(const TriangularSolveOptions_Transpose*) {
  return "`NO_TRANSPOSE`, `TRANSPOSE` or `ADJOINT`";
}
std::string_view Form(const RandomDistribution*) { return "`rng_uniform` or `rng_normal`"; }
std::string_view Form(const RandomAlgorithm*) {
  return "`rng_default`, `rng_philox` or `rng_three_fry`";
}
std::string_view Form(const FusionKind*) { return "`kLoop`, `kInput`, `kOutput` or `kCustom`"; }
std::string_view Form(const PaddingType*) { return "`PADDING_VALID` or `PADDING_SAME`"; }
std::string_view Form(const std::vector<OutputOperandAlias>*) {
  return "`{{output index}: (operand, {operand index}), ...}`";
}
std::string_view Form(const CustomCallSchedule*) {
  return "`SCHEDULE_LATEST`, `SCHEDULE_EARLIEST`";
}
std::string_view Form(const CustomCallApiVersion*) {
  return "`API_VERSION_STATUS_RETURNING`, `API_VERSION_TYPED_FFI`, ...";
}
std::string_view Form(const DomainAttributes::Value*) {
  return "`{kind=\"sharding\", entry={..}, exit={..}}`";
}
std::string_view Form(const CollectiveDeviceList*) {
  return "`{{0,1},{2,3}}`, `[2,2]<=[4]` or a mesh with axes";
}
std::string_view Form(const std::vector<std::pair<int64_t, int64_t>>*) {
  return "`{{source,target}, ...}`";
}
std::string_view Form(const std::vector<Int64s>*) { return "`{{1}, {2}}`"; }
template <typename T>
std::string_view Form(const std::optional<T>*) {
  return Form(static_cast<const T*>(nullptr));
}

class AttributeLister {
 public:
  explicit AttributeLister(std::vector<OpAttribute>* out) : out_(out) {}
  template <typename Struct, typename Member>
  void operator()(const Field& field, Member Struct::*) {
    if (field.rule == FieldRule::kNotText || field.rule == FieldRule::kParseOnly) return;
    out_->push_back({std::string(field.name), std::string(Form(static_cast<Member*>(nullptr))),
                     field.rule == FieldRule::kRequired});
  }

 private:
  std::vector<OpAttribute>* out_;
};

void AppendOwnAttributes(HloOpcode opcode, AttributeLister lister) {
  switch (opcode) {
#define HLO_OP(stem, name, family, arity, attributes, ...) \
  case HloOpcode::k##stem:                                 \
    return attributes::Describe(lister);
#include "xla/hlo/ir/opcodes.def"
  }
}

void AppendCallees(Callees callees, std::vector<OpAttribute>* out) {
  const CalleeSchema& schema = GetCalleeSchema(callees);
  if (schema.may_repeat_start) return;
  if (callees == Callees::kBranches) {
    for (const CalleeSlot& slot : CalleeSlots(callees, /*branch_index_is_pred=*/true)) {
      out->push_back({std::string(slot.name), "computation, of a pred", false});
    }
    out->push_back({std::string(schema.slots[0].name), "`{computation, ...}`, of an s32", false});
    return;
  }
  for (size_t i = 0; i < schema.slots.size(); ++i) {
    const CalleeSlot& slot = schema.slots[schema.print_order.empty() ? i : schema.print_order[i]];
    out->push_back({std::string(slot.name), slot.is_list ? "`{computation, ...}`" : "computation",
                    slot.is_required});
  }
}

// --- Signatures
bool IsNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The functions that the builder's header declares or defines: name, and text from the result type
// to the closing parenthesis on one line.
struct Declaration {
  std::string name, text;
};

std::vector<Declaration> ParseDeclarations(std::string_view header) {
  std::vector<Declaration> declarations;
  std::string code;  // without comments
  for (absl::string_view line : absl::StrSplit(View(header), '\n')) {
    const size_t comment = line.find("//");
    absl::StrAppend(&code, line.substr(0, comment), "\n");
  }
  bool is_template = false;
  for (size_t begin = 0; begin < code.size(); begin = code.find('\n', begin) + 1) {
    absl::string_view rest = absl::string_view(code).substr(begin);
    const bool follows_template = std::exchange(is_template, absl::StartsWith(rest, "template"));
    absl::ConsumePrefix(&rest, "inline ");
    if (follows_template || (!absl::StartsWith(rest, "XlaOp ") && !absl::StartsWith(rest, "void ")))
      continue;
    const size_t open = rest.find('(');
    size_t close = open;
    for (int depth = 0; close < rest.size(); ++close) {
      if (rest[close] == '(') ++depth;
      if (rest[close] == ')' && --depth == 0) break;
    }
    if (close >= rest.size()) continue;
    size_t start = open;
    while (start > 0 && IsNameCharacter(rest[start - 1])) --start;
    const std::vector<absl::string_view> words =
        absl::StrSplit(rest.substr(0, close + 1), absl::ByAnyChar(" \n"), absl::SkipEmpty());
    declarations.push_back(
        {std::string(rest.substr(start, open - start)), absl::StrJoin(words, " ")});
  }
  return declarations;
}

const std::vector<Declaration>& Declarations() {
  static const auto* declarations =
      new std::vector<Declaration>(ParseDeclarations(BuilderHeader()));
  return *declarations;
}

// Breaks a signature after commas so that lines stay below 100 columns.
std::string Fold(const std::string& signature) {
  constexpr size_t kColumns = 100;
  if (signature.size() < kColumns) return signature;
  const std::string indent(signature.find('(') + 1, ' ');
  std::string out, line;
  int depth = 0;  // of angle brackets: commas inside belong to one type
  std::string part;
  const auto flush = [&] {
    if (!line.empty() && line.size() + part.size() >= kColumns) {
      while (!line.empty() && line.back() == ' ') line.pop_back();
      absl::StrAppend(&out, line, "\n");
      line = indent;
      part = std::string(absl::StripLeadingAsciiWhitespace(part));
    }
    line += part;
    part.clear();
  };
  for (const char c : signature) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    part += c;
    if (c == ',' && depth == 0) flush();
  }
  flush();
  return out + line;
}

std::string_view ExampleText(const OpExample& example) {
  constexpr std::string_view kLicense = "// SPDX-License-Identifier: Apache-2.0\n";
  std::string_view text = example.text;
  if (text.substr(0, kLicense.size()) == kLicense) text.remove_prefix(kLicense.size());
  return text;
}

}  // namespace

const OpExample* ExampleOf(HloOpcode opcode) {
  const std::string_view name = HloOpcodeString(GetOpcodeDoc(opcode).example);
  for (const OpExample& example : OpExamples()) {
    if (example.name == name) return &example;
  }
  return nullptr;
}

std::vector<OpAttribute> OpAttributes(HloOpcode opcode) {
  std::vector<OpAttribute> attributes;
  const OpInfo& info = GetOpInfo(opcode);
  AppendOwnAttributes(opcode, AttributeLister(&attributes));
  if (info.Has(op_traits::kHasAccuracy)) {
    attributes.push_back({"result_accuracy",
                          "`{mode=highest}`, or a tolerance `{tolerance={atol=0,rtol=0,ulps=2}}`",
                          false});
  }
  AppendCallees(info.callees, &attributes);
  return attributes;
}

std::string OpSynopsis(HloOpcode opcode) {
  const OpInfo& info = GetOpInfo(opcode);
  std::string synopsis = absl::StrCat("result = shape ", View(info.name), "(",
                                      View(GetOpcodeDoc(opcode).operands), ")");
  for (const OpAttribute& attribute : OpAttributes(opcode)) {
    if (attribute.required) absl::StrAppend(&synopsis, ", ", attribute.name, "=..");
  }
  return synopsis;
}

std::vector<std::string> BuilderSignatures(std::string_view function) {
  std::vector<std::string> signatures;
  for (const Declaration& declaration : Declarations()) {
    if (declaration.name == function) signatures.push_back(declaration.text);
  }
  return signatures;
}

std::vector<std::string> BuilderFunctions() {
  std::vector<std::string> names;
  for (const Declaration& declaration : Declarations()) {
    if (std::find(names.begin(), names.end(), declaration.name) == names.end())
      names.push_back(declaration.name);
  }
  return names;
}

std::string_view OpFamilyTitle(OpFamily family) {
  switch (family) {
    case OpFamily::kElementwise:
      return "Elementwise";
    case OpFamily::kLeaf:
      return "Leaves";
    case OpFamily::kReshape:
      return "Shapes and places";
    case OpFamily::kGatherScatter:
      return "Slices at run time";
    case OpFamily::kReduce:
      return "Reductions";
    case OpFamily::kNormalization:
      return "Normalization";
    case OpFamily::kWindow:
      return "Windows";
    case OpFamily::kSort:
      return "Orders";
    case OpFamily::kContraction:
      return "Contractions";
    case OpFamily::kLinearAlgebra:
      return "Linear algebra";
    case OpFamily::kRandom:
      return "Random numbers";
    case OpFamily::kControl:
      return "Control, calls, tuples";
    case OpFamily::kAsync:
      return "In flight";
    case OpFamily::kEffect:
      return "Tokens, feeds, transfers";
    case OpFamily::kCollective:
      return "Across replicas and partitions";
  }
  return "";
}

std::string OpAnchor(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::string OpSection(HloOpcode opcode) {
  const OpInfo& info = GetOpInfo(opcode);
  const OpcodeDoc& doc = GetOpcodeDoc(opcode);
  std::string out = absl::StrCat("### ", View(info.name), "\n",
                                 absl::StripTrailingAsciiWhitespace(View(doc.rule)), "\n\n");
  if (doc.builders.empty()) {
    absl::StrAppend(&out, "No function of the builder makes it.\n\n");
  } else {
    absl::StrAppend(&out, "```cpp\n");
    for (absl::string_view name : absl::StrSplit(View(doc.builders), ' ', absl::SkipEmpty())) {
      for (const std::string& signature : BuilderSignatures({name.data(), name.size()}))
        absl::StrAppend(&out, Fold(signature), ";\n");
    }
    absl::StrAppend(&out, "```\n\n");
  }

  absl::StrAppend(&out, "    ", OpSynopsis(opcode), "\n\n");
  std::vector<std::string> facts;
  facts.push_back(absl::StrCat("Cost: ", View(CostClassName(info.cost)), "."));
  if (info.Has(op_traits::kInferable)) facts.push_back("The shape may be left out.");
  if (info.Has(op_traits::kCommutative)) facts.push_back("Commutative.");
  if (info.Has(op_traits::kSideEffect)) facts.push_back("Has side effects.");
  if (info.Has(op_traits::kAttributeEffect)) {
    facts.push_back("Has side effects if its attributes say so.");
  }
  if (!facts.empty()) absl::StrAppend(&out, absl::StrJoin(facts, " "), "\n\n");
  const std::vector<OpAttribute> attributes = OpAttributes(opcode);
  if (!attributes.empty()) {
    absl::StrAppend(&out, "| attribute | value | |\n|---|---|---|\n");
    for (const OpAttribute& attribute : attributes) {
      absl::StrAppend(&out, "| `", attribute.name, "` | ", attribute.form, " | ",
                      attribute.required ? "required" : "optional", " |\n");
    }
    absl::StrAppend(&out, "\n");
  }
  if (doc.example != opcode) {
    const std::string_view other = HloOpcodeString(doc.example);
    absl::StrAppend(&out, "Example: see [", View(other), "](#", OpAnchor(other), ").\n\n");
  } else if (const OpExample* example = ExampleOf(opcode)) {
    absl::StrAppend(&out, "```\n", View(ExampleText(*example)), "```\n\n");
  }
  return out;
}

}  // namespace xla
