// SPDX-License-Identifier: Apache-2.0
#include "fuzz/hostile/text_mutator.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

#include "xla/hlo/ir/hlo_opcode.h"

namespace xla::fuzz {
namespace {

constexpr const char* kTypes[] = {
    "pred", "s1",  "s4",  "s8",  "s32",  "s64",    "u4",       "u32",      "u64",     "f16",
    "bf16", "f32", "f64", "c64", "c128", "f8e5m2", "f8e4m3fn", "f4e2m1fn", "token[]", "opaque[]"};
constexpr const char* kAttributes[] = {", dimensions={0}",
                                       ", dimensions={1,0}",
                                       ", dimensions={}",
                                       ", iota_dimension=0",
                                       ", channel_id=1",
                                       ", replica_groups={{0,1}}",
                                       ", replica_groups=[2,4]<=[8]T(0)",
                                       ", use_global_device_ids=true",
                                       ", to_apply=add",
                                       ", calls=f",
                                       ", body=b",
                                       ", condition=c",
                                       ", window={size=2 stride=3 pad=1_1}",
                                       ", window={size=9223372036854775807}",
                                       ", slice={[0:1:0]}",
                                       ", index=7",
                                       ", direction=TOTALORDER",
                                       ", is_stable=true",
                                       ", sharding={replicated}",
                                       ", sharding={devices=[2,2]<=[4] last_tile_dim_replicate}",
                                       ", sharding={maximal device=-1}",
                                       ", metadata={op_name=\"a\" stack_frame_id=9}",
                                       ", backend_config={\"k\":1}",
                                       ", frontend_attributes={a=\"b\"}",
                                       ", control-predecessors={x}",
                                       ", statistics={visualizing_index=0,a=1}",
                                       ", feature_group_count=0",
                                       ", fft_length={0}",
                                       ", fft_type=IRFFT",
                                       ", async_execution_thread=\"t\"",
                                       ", output_to_operand_aliasing={{}: (0, {})}",
                                       ", custom_call_target=\"TopK\"",
                                       ", source_target_pairs={{0,0},{0,1}}",
                                       ", offset_dims={1}",
                                       ", index_vector_dim=-1",
                                       ", padding=1_1_1x0_-9",
                                       ", precision_config={}",
                                       ", dim_labels=b01f_01io->b01f",
                                       ", exponent_bits=0",
                                       ", largest=false",
                                       ", k=0",
                                       ", operand_precision={high,high}"};

using Range = std::pair<size_t, size_t>;

// The lines of a text.
std::vector<Range> Lines(const std::string& text) {
  std::vector<Range> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    end = end == std::string::npos ? text.size() : end + 1;
    lines.emplace_back(begin, end);
    begin = end;
  }
  return lines;
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '%' ||
         c == '-';
}

// Words, and punctuation character by character.
std::vector<Range> Tokens(const std::string& text) {
  std::vector<Range> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (IsWordCharacter(text[at])) {
      while (end < text.size() && IsWordCharacter(text[end])) ++end;
    }
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) tokens.emplace_back(at, end);
    at = end;
  }
  return tokens;
}

std::string Cut(const std::string& text, Range range) {
  return text.substr(range.first, range.second - range.first);
}

void Replace(std::string& text, Range range, const std::string& with) {
  text.replace(range.first, range.second - range.first, with);
}

// Tokens of which `accepts` is true.
template <typename Accepts>
std::vector<Range> TokensThat(const std::string& text, Accepts accepts) {
  std::vector<Range> found;
  for (const Range& token : Tokens(text)) {
    if (accepts(token)) found.push_back(token);
  }
  return found;
}

// The computations of a text, from their names to their closing braces.
std::vector<Range> Computations(const std::string& text) {
  std::vector<Range> found;
  for (size_t at = 0; (at = text.find("{\n", at)) != std::string::npos;) {
    const size_t line = text.rfind('\n', at);
    const size_t end = text.find("\n}", at);
    if (end == std::string::npos) break;
    const size_t begin = line == std::string::npos ? 0 : line + 1;
    if (text.compare(begin, 5, "ENTRY") != 0 && text.compare(begin, 9, "HloModule") != 0)
      found.emplace_back(begin, end + 3 <= text.size() ? end + 3 : text.size());
    at = end;
  }
  return found;
}

void Mutate(std::string& text, const std::string& other, Random& random) {
  const std::vector<Range> lines = Lines(text), others = Lines(other);
  if (lines.empty()) return;
  const Range line = Pick(lines, random);
  switch (random() % 14) {
    case 0:  // an instruction of another module
      if (!others.empty()) text.insert(line.first, Cut(other, Pick(others, random)));
      return;
    case 1:
      if (!others.empty()) Replace(text, line, Cut(other, Pick(others, random)));
      return;
    case 2: {  // a computation of another module
      const std::vector<Range> computations = Computations(other);
      const size_t entry = text.find("ENTRY");
      if (!computations.empty() && entry != std::string::npos)
        text.insert(entry, Cut(other, Pick(computations, random)) + "\n");
      return;
    }
    case 3:
      Replace(text, line, "");
      return;
    case 4:
      text.insert(line.first, Cut(text, Pick(lines, random)));
      return;
    case 5:
    case 6: {  // a number
      const auto numbers = TokensThat(text, [&](Range token) {
        return std::isdigit(static_cast<unsigned char>(text[token.first])) != 0;
      });
      if (!numbers.empty()) Replace(text, Pick(numbers, random), OddNumber(random));
      return;
    }
    case 7: {  // a type
      const auto types = TokensThat(text, [&](Range token) {
        return token.second < text.size() && text[token.second] == '[' &&
               std::isalpha(static_cast<unsigned char>(text[token.first])) != 0;
      });
      if (!types.empty()) Replace(text, Pick(types, random), kTypes[random() % std::size(kTypes)]);
      return;
    }
    case 8: {  // an opcode
      const auto opcodes = TokensThat(text, [&](Range token) {
        return token.second < text.size() && text[token.second] == '(' && token.first > 0 &&
               text[token.first - 1] == ' ';
      });
      if (opcodes.empty()) return;
      const auto opcode = static_cast<HloOpcode>(random() % kNumHloOpcodes);
      Replace(text, Pick(opcodes, random), std::string(HloOpcodeString(opcode)));
      return;
    }
    case 9: {  // an attribute more
      if (line.second > line.first && text[line.second - 1] == '\n')
        text.insert(line.second - 1, kAttributes[random() % std::size(kAttributes)]);
      return;
    }
    case 10: {  // an attribute less
      const size_t comma = text.find(", ", line.first);
      if (comma == std::string::npos) return;
      size_t end = text.find(", ", comma + 1);
      end = std::min(end == std::string::npos ? text.size() : end, line.second);
      if (end > comma) text.erase(comma, end - comma);
      return;
    }
    case 11: {  // two tokens change places
      const std::vector<Range> tokens = Tokens(text);
      if (tokens.empty()) return;
      Range a = Pick(tokens, random), b = Pick(tokens, random);
      if (a.first > b.first) std::swap(a, b);
      if (a.second > b.first) return;
      const std::string first = Cut(text, a);
      const std::string second = Cut(text, b);
      Replace(text, b, first);
      Replace(text, a, second);
      return;
    }
    case 12: {  // a token doubled or dropped
      const std::vector<Range> tokens = Tokens(text);
      if (tokens.empty()) return;
      const Range token = Pick(tokens, random);
      Replace(text, token, random() % 2 == 0 ? "" : Cut(text, token) + " " + Cut(text, token));
      return;
    }
    default:
      text = MutateBytes(std::move(text), random);
  }
}

}  // namespace

std::string OddNumber(Random& random) {
  constexpr const char* kNumbers[] = {"0",
                                      "1",
                                      "-1",
                                      "2",
                                      "3",
                                      "7",
                                      "64",
                                      "127",
                                      "128",
                                      "255",
                                      "65536",
                                      "1000000",
                                      "2147483647",
                                      "2147483648",
                                      "4294967295",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "18446744073709551615",
                                      "99999999999999999999",
                                      "1e308",
                                      "-0.0",
                                      "nan"};
  return kNumbers[random() % std::size(kNumbers)];
}

std::string MutateText(std::string text, const std::string& other, Random& random) {
  constexpr size_t kMost = size_t{1} << 17;
  for (uint64_t count = 1 + random() % 4; count > 0; --count) Mutate(text, other, random);
  if (text.size() > kMost) text.resize(kMost);
  return text;
}

std::string MutateBytes(std::string bytes, Random& random) {
  for (uint64_t count = 1 + random() % 4; count > 0 && !bytes.empty(); --count) {
    const size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 2:
        bytes.erase(at, 1 + random() % 8);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, 1 + random() % 16));
        break;
      default:
        bytes.resize(at);
    }
  }
  return bytes;
}

}  // namespace xla::fuzz
