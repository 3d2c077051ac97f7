// SPDX-License-Identifier: Apache-2.0
// Windows, convolution dimension labels, padding and slices.
#include <charconv>
#include <string_view>

#include "absl/strings/str_format.h"
#include "xla/hlo/text/parser_impl.h"

namespace xla::text {
namespace {

// "1x2x3" or "0_1_2": integers separated by a character. False if one does not fit.
bool SplitIntegers(std::string_view text, char separator, Int64s* values) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (true) {
    int64_t value;
    const auto [rest, error] = std::from_chars(p, end, value);
    if (error != std::errc()) return false;
    values->push_back(value);
    if (rest == end) return true;
    if (*rest != separator) return false;
    p = rest + 1;
  }
}

// Calls f with each part of `text` between separators, until it returns false.
template <typename F>
bool ForEachPart(std::string_view text, char separator, F f) {
  while (true) {
    const size_t end = text.find(separator);
    if (!f(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

// The labels of one of the three arrays of a convolution.
struct LabelRoles {
  std::string_view array;  // "lhs", "rhs", "output"
  char first, second;      // 'b' and 'f', or 'i' and 'o'
  int64_t *first_dim, *second_dim;
  std::vector<int64_t>*spatial, *unknown;
};

// Empty, or what is wrong.
std::string ReadLabels(std::string_view labels, const LabelRoles& roles) {
  bool seen[256] = {};
  for (char label : labels) {
    bool& is_seen = seen[static_cast<uint8_t>(label)];
    if (label != '?' && is_seen) {
      return Cat("expects unique ", roles.array, " dimension numbers, but sees ", labels);
    }
    is_seen = true;
    if (label >= '0' && label <= '9') roles.spatial->push_back(-1);
  }
  // Unknown dimensions after all known ones are left out, as protos do.
  const size_t known = labels.find_last_not_of('?') + 1;
  for (size_t i = 0; i < known; ++i) {
    const char label = labels[i];
    const int64_t dim = static_cast<int64_t>(i);
    if (label == '?') {
      roles.unknown->push_back(dim);
    } else if (label == roles.first) {
      *roles.first_dim = dim;
    } else if (label == roles.second) {
      *roles.second_dim = dim;
    } else if (static_cast<size_t>(label - '0') < roles.spatial->size()) {
      (*roles.spatial)[label - '0'] = dim;
    } else {
      return absl::StrFormat("expects [0-%d%c%c?] in %s dimension numbers", labels.size() - 1,
                             roles.first, roles.second, roles.array);
    }
  }
  return {};
}

}  // namespace

bool HloTextParser::ParseWindow(WindowDims* window, bool in_braces) {
  const Loc start = loc();
  if (in_braces && !Expect(TokKind::kLbrace, "expected '{' to start window attribute"))
    return false;

  Int64s size, stride, lhs_dilate, rhs_dilate, rhs_reversal;
  std::vector<std::pair<int64_t, int64_t>> pad;

  const auto parse_sizes = [&](std::string_view name, Int64s* values) {
    const Loc value_loc = loc();
    if (!values->empty())
      return Error(value_loc, Cat("sub-attribute '", name, "=' already exists"));
    if (kind() == TokKind::kInt) return ParseValue(&values->emplace_back());
    if (kind() != TokKind::kDxD) return TokenError("expects token type kInt or kDxD");
    if (!SplitIntegers(lexer_.token().text, 'x', values)) {
      return Error(value_loc, Cat("expects sub-attribute '", name, "=ixj...'"));
    }
    lexer_.Next();
    return true;
  };
  const auto parse_pad = [&] {
    if (!pad.empty()) return TokenError("sub-attribute 'pad=' already exists");
    if (kind() != TokKind::kPad) return TokenError("expects window pad pattern, e.g., '0_0x3_3'");
    if (!ForEachPart(lexer_.token().text, 'x', [&](std::string_view part) {
          Int64s edges;
          if (!SplitIntegers(part, '_', &edges) || edges.size() != 2) return false;
          pad.emplace_back(edges[0], edges[1]);
          return true;
        })) {
      return TokenError("expects padding_low and padding_high separated by '_'");
    }
    lexer_.Next();
    return true;
  };

  while (kind() != (in_braces ? TokKind::kRbrace : TokKind::kEof)) {
    const Loc name_loc = loc();
    std::string_view name;
    if (!ParseAttributeName(&name)) return Error(name_loc, "expects sub-attributes in window");
    const bool ok = name == "size"         ? parse_sizes(name, &size)
                    : name == "stride"     ? parse_sizes(name, &stride)
                    : name == "lhs_dilate" ? parse_sizes(name, &lhs_dilate)
                    : name == "rhs_dilate" ? parse_sizes(name, &rhs_dilate)
                    : name == "pad"        ? parse_pad()
                    : name == "rhs_reversal"
                        ? parse_sizes(name, &rhs_reversal)
                        : Error(name_loc, Cat("unexpected attribute name: ", name));
    if (!ok) return false;
  }

  const auto check = [&](std::string_view name, size_t count) {
    if (count == 0 || count == size.size()) return true;
    return Error(start, Cat("expects '", name, "=' has the same size as 'size='"));
  };
  if (!check("stride", stride.size()) || !check("lhs_dilate", lhs_dilate.size()) ||
      !check("rhs_dilate", rhs_dilate.size()) || !check("pad", pad.size()) ||
      !check("rhs_reversal", rhs_reversal.size())) {
    return false;
  }
  window->dims.resize(size.size());
  for (size_t i = 0; i < size.size(); ++i) {
    WindowDim& dim = window->dims[i];
    dim.size = size[i];
    if (!stride.empty()) dim.stride = stride[i];
    if (!lhs_dilate.empty()) dim.base_dilation = lhs_dilate[i];
    if (!rhs_dilate.empty()) dim.window_dilation = rhs_dilate[i];
    if (!pad.empty()) std::tie(dim.padding_low, dim.padding_high) = pad[i];
    if (!rhs_reversal.empty()) dim.window_reversal = rhs_reversal[i] == 1;
  }
  return !in_braces || Expect(TokKind::kRbrace, "expected '}' to end window attribute");
}

bool HloTextParser::ParseValue(ConvDims* value) {
  if (kind() != TokKind::kDimLabels)
    return TokenError("expects dim labels pattern, e.g., 'bf0_0io->0bf'");
  const std::string_view text = lexer_.token().text;
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  ConvDims& dims = *value;
  std::string problem = ReadLabels(text.substr(0, underscore),
                                   {"lhs", 'b', 'f', &dims.input_batch, &dims.input_feature,
                                    &dims.input_spatial, &dims.input_unknown});
  if (problem.empty()) {
    problem = ReadLabels(text.substr(underscore + 1, arrow - underscore - 1),
                         {"rhs", 'i', 'o', &dims.kernel_input_feature, &dims.kernel_output_feature,
                          &dims.kernel_spatial, &dims.kernel_unknown});
  }
  if (problem.empty()) {
    problem = ReadLabels(text.substr(arrow + 2),
                         {"output", 'b', 'f', &dims.output_batch, &dims.output_feature,
                          &dims.output_spatial, &dims.output_unknown});
  }
  if (problem.empty() && (dims.input_spatial.size() != dims.output_spatial.size() ||
                          dims.input_spatial.size() != dims.kernel_spatial.size())) {
    problem = absl::StrFormat(
        "input, kernel, and output must have same number of spatial dimensions, but got %d, %d, "
        "%d, respectively.",
        dims.input_spatial.size(), dims.kernel_spatial.size(), dims.output_spatial.size());
  }
  if (!problem.empty()) return TokenError(std::move(problem));
  lexer_.Next();
  return true;
}

// {lhs={sparsity=1x4 dimension=0 stride=1} rhs={..}}, no commas.
bool HloTextParser::ParseValue(Sparsity* value) {
  const auto parse_operand = [this](Sparsity::Operand* operand) {
    if (!Expect(TokKind::kLbrace, "expected '{' to start TensorSparsityConfig")) return false;
    while (kind() == TokKind::kAttributeName) {
      const std::string_view name = lexer_.token().text;
      const Loc start = loc();
      lexer_.Next();
      if (name == "sparsity") {
        Int64s numbers;
        if (kind() != TokKind::kDxD || !SplitIntegers(lexer_.token().text, 'x', &numbers) ||
            numbers.size() != 2) {
          return TokenError("expects 'num_non_zero:block_size'");
        }
        operand->num_non_zero = numbers[0];
        operand->block_size = numbers[1];
        lexer_.Next();
      } else if (name == "dimension") {
        if (!ParseValue(&operand->dimension)) return false;
      } else if (name == "stride") {
        if (!ParseValue(&operand->stride)) return false;
      } else {
        return Error(start, "unknown attribute");
      }
    }
    return Expect(TokKind::kRbrace, "expects '}' at the end of TensorSparsityConfig");
  };
  if (!Expect(TokKind::kLbrace, "expected '{' to start SparsityConfig")) return false;
  while (kind() == TokKind::kAttributeName) {
    const std::string_view name = lexer_.token().text;
    if (name != "lhs" && name != "rhs") return TokenError("unknown attribute");
    lexer_.Next();
    std::optional<Sparsity::Operand>& operand = name == "lhs" ? value->lhs : value->rhs;
    if (!operand.has_value()) operand = Sparsity::Operand{};
    if (!parse_operand(&*operand)) return false;
  }
  return Expect(TokKind::kRbrace, "expects '}' at the end of SparsityConfig");
}

bool HloTextParser::ParseValue(std::vector<PadDim>* value) {
  if (kind() != TokKind::kPad) return TokenError("expects padding config, e.g., '0_0_0x3_3_1'");
  if (!ForEachPart(lexer_.token().text, 'x', [&](std::string_view part) {
        Int64s numbers;
        if (!SplitIntegers(part, '_', &numbers) || (numbers.size() != 2 && numbers.size() != 3))
          return false;
        value->push_back({numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 0});
        return true;
      })) {
    return TokenError("expects padding config pattern like 'low_high_interior' or 'low_high'");
  }
  lexer_.Next();
  return true;
}

bool HloTextParser::ParseValue(std::vector<SliceDim>* value) {
  if (!Expect(TokKind::kLbrace, "expects '{' to start ranges")) return false;
  if (kind() != TokKind::kRbrace) {
    do {
      const Loc start = loc();
      Int64s range;
      if (!ParseIntegerList(TokKind::kLsquare, TokKind::kRsquare, TokKind::kColon, &range))
        return false;
      if (range.size() != 2 && range.size() != 3) {
        return Error(
            start,
            absl::StrFormat("expects [start:limit:step] or [start:limit], but sees %d elements.",
                            range.size()));
      }
      value->push_back({range[0], range[1], range.size() == 3 ? range[2] : 1});
    } while (Eat(TokKind::kComma));
  }
  return Expect(TokKind::kRbrace, "expects '}' to end ranges");
}

}  // namespace xla::text
