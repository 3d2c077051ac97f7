// SPDX-License-Identifier: Apache-2.0
#include "xla/spmd/machine_levels.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/base/suggestion.h"
#include "xla/primitive_util.h"

namespace xla::spmd {
namespace {

constexpr std::string_view kAlgorithmNames[] = {"any", "ring", "doubling", "meeting", "direct"};

struct MachineToken {
  enum class Kind : uint8_t { kEnd, kName, kNumber, kString, kPunctuation };
  Kind kind = Kind::kEnd;
  std::string_view text;  // of a string, what is between the quotes
  size_t begin = 0;       // in the file
};

class MachineReader {
 public:
  explicit MachineReader(std::string_view text) : text_(text) {}

  absl::StatusOr<MachineDescription> Read() {
    XLA_RETURN_IF_ERROR(Next());
    while (token_.kind != MachineToken::Kind::kEnd) {
      XLA_ASSIGN_OR_RETURN(const MachineToken name, Name({"name", "device", "level"}));
      if (name.text == "name") {
        XLA_RETURN_IF_ERROR(Once(name, "machine"));
        XLA_RETURN_IF_ERROR(String(machine_.name));
      } else if (name.text == "device") {
        XLA_RETURN_IF_ERROR(Once(name, "machine"));
        XLA_RETURN_IF_ERROR(Device(name));
      } else {
        XLA_RETURN_IF_ERROR(Level(name));
      }
    }
    XLA_RETURN_IF_ERROR(Finish());
    return std::move(machine_);
  }

 private:
  // A number of a block: where it goes, and its bounds.
  struct Field {
    std::string_view name;
    double* value;
    double least, most;
  };
  static constexpr double kHuge = 1e30;
  static constexpr size_t kMostLevels = 16;

  absl::Status Error(size_t at, std::string_view message) const {
    size_t line_begin = text_.rfind('\n', at == 0 ? 0 : at - 1);
    line_begin = at == 0 || line_begin == std::string_view::npos ? 0 : line_begin + 1;
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<int64_t>(at), '\n');
    std::string shown(text_.substr(line_begin, text_.find('\n', line_begin) - line_begin));
    size_t column = at - line_begin;
    constexpr size_t kMostShown = 120;
    const std::string place = absl::StrCat(line + 1, ":", column + 1, ": ");
    if (shown.size() > kMostShown) {
      const size_t from = column > kMostShown / 2 ? column - kMostShown / 2 : 0;
      shown = shown.substr(from, kMostShown);
      column -= from;
    }
    for (char& c : shown) {
      if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = ' ';
    }
    return absl::InvalidArgumentError(
        absl::StrCat(place, View(message), "\n  ", shown, "\n  ", std::string(column, ' '), "^"));
  }
  absl::Status ErrorHere(std::string_view message) const { return Error(token_.begin, message); }

  static bool IsPartOfWord(char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '+' ||
           c == '-';
  }

  absl::Status Next() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '#') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (absl::ascii_isspace(static_cast<unsigned char>(c)) || c == ',' || c == ';') {
        ++position_;
      } else {
        break;
      }
    }
    token_ = {MachineToken::Kind::kEnd, {}, position_};
    if (position_ == text_.size()) return absl::OkStatus();
    const char c = text_[position_];
    if (c == '{' || c == '}' || c == ':') {
      token_ = {MachineToken::Kind::kPunctuation, text_.substr(position_++, 1), token_.begin};
      return absl::OkStatus();
    }
    if (c == '"') {
      const size_t end = text_.find_first_of("\"\n", position_ + 1);
      if (end == std::string_view::npos || text_[end] != '"')
        return ErrorHere("the string has no closing quote on its line");
      token_ = {MachineToken::Kind::kString, text_.substr(position_ + 1, end - position_ - 1),
                token_.begin};
      position_ = end + 1;
      return absl::OkStatus();
    }
    if (!IsPartOfWord(c)) return ErrorHere("unexpected character");
    size_t end = position_;
    while (end < text_.size() && IsPartOfWord(text_[end])) ++end;
    const bool is_number = !absl::ascii_isalpha(static_cast<unsigned char>(c)) && c != '_';
    token_ = {is_number ? MachineToken::Kind::kNumber : MachineToken::Kind::kName,
              text_.substr(position_, end - position_), token_.begin};
    position_ = end;
    return absl::OkStatus();
  }

  absl::Status Punctuation(char c, std::string_view where) {
    if (token_.kind != MachineToken::Kind::kPunctuation || token_.text[0] != c)
      return ErrorHere(absl::StrCat("expected '", std::string(1, c), "' ", View(where)));
    return Next();
  }

  absl::StatusOr<MachineToken> Name(const std::vector<std::string_view>& known) {
    if (token_.kind != MachineToken::Kind::kName) return ErrorHere("expected the name of a field");
    if (std::find(known.begin(), known.end(), token_.text) == known.end()) {
      return ErrorHere(
          absl::StrCat("unknown field '", View(token_.text), "'", Suggestion(token_.text, known)));
    }
    const MachineToken name = token_;
    XLA_RETURN_IF_ERROR(Next());
    return name;
  }

  absl::Status Once(const MachineToken& name, std::string_view block) {
    if (seen_.emplace(block, name.text).second) return absl::OkStatus();
    return Error(name.begin, absl::StrCat("field '", View(name.text), "' is duplicated"));
  }

  absl::Status String(std::string& value) {
    XLA_RETURN_IF_ERROR(Punctuation(':', "before the value"));
    if (token_.kind != MachineToken::Kind::kString)
      return ErrorHere("expected a string in double quotes");
    constexpr size_t kMostCharacters = 64;
    if (token_.text.size() > kMostCharacters) return ErrorHere("names have at most 64 characters");
    for (const char c : token_.text) {
      if (!absl::ascii_isprint(static_cast<unsigned char>(c)))
        return ErrorHere("names have printable characters only");
    }
    value = std::string(token_.text);
    return Next();
  }

  absl::Status Number(const Field& field) {
    XLA_RETURN_IF_ERROR(Punctuation(':', "before the value"));
    double value = 0;
    if (token_.kind != MachineToken::Kind::kNumber ||
        !absl::SimpleAtod(View(token_.text), &value) || !std::isfinite(value)) {
      return ErrorHere(absl::StrCat("expected a number for '", View(field.name), "'"));
    }
    if (!(value >= field.least && value <= field.most)) {
      return ErrorHere(
          absl::StrFormat("%s must be from %g to %g", View(field.name), field.least, field.most));
    }
    *field.value = value;
    return Next();
  }

  // The numbers of a block up to '}', and what `other` reads: it returns whether it knows the name.
  using OtherField = std::function<absl::StatusOr<bool>(const MachineToken& name)>;
  absl::Status Block(std::string_view block, const std::vector<Field>& fields,
                     std::vector<std::string_view> others, const OtherField& other) {
    if (token_.kind == MachineToken::Kind::kPunctuation && token_.text == ":")
      XLA_RETURN_IF_ERROR(Next());
    XLA_RETURN_IF_ERROR(Punctuation('{', absl::StrCat("after '", View(block), "'")));
    for (const Field& field : fields) others.push_back(field.name);
    while (token_.kind != MachineToken::Kind::kPunctuation || token_.text != "}") {
      if (token_.kind == MachineToken::Kind::kEnd)
        return ErrorHere(absl::StrCat("the block '", View(block), "' has no closing '}'"));
      XLA_ASSIGN_OR_RETURN(const MachineToken name, Name(others));
      XLA_RETURN_IF_ERROR(Once(name, block));
      XLA_ASSIGN_OR_RETURN(const bool is_read, other(name));
      if (is_read) continue;
      const auto field = std::find_if(fields.begin(), fields.end(),
                                      [&](const Field& f) { return f.name == name.text; });
      XLA_RETURN_IF_ERROR(Number(*field));
    }
    return Next();
  }

  bool Has(std::string_view block, std::string_view name) const {
    return seen_.contains({std::string(block), std::string(name)});
  }

  absl::Status Device(const MachineToken& at) {
    XLA_RETURN_IF_ERROR(Block("device",
                              {{"memory", &machine_.memory_bytes, 1, kHuge},
                               {"memory_rate", &machine_.memory_rate, 1, kHuge},
                               {"cache", &machine_.cache_bytes, 1, kHuge},
                               {"cache_rate", &machine_.cache_rate, 1, kHuge},
                               {"vector_flops", &machine_.vector_flops, 1, kHuge},
                               {"transcendentals", &machine_.transcendentals, 1, kHuge},
                               {"step", &machine_.step, 0, 1e3},
                               {"launch", &machine_.launch, 0, 1e3}},
                              {"flops"}, [&](const MachineToken& name) -> absl::StatusOr<bool> {
                                if (name.text != "flops") return false;
                                XLA_RETURN_IF_ERROR(Flops());
                                return true;
                              }));
    if (!Has("device", "memory_rate"))
      return Error(at.begin, "the device has no memory_rate (bytes a second)");
    if (Has("device", "cache") != Has("device", "cache_rate"))
      return Error(at.begin, "cache (bytes) and cache_rate (bytes a second) need each other");
    if (machine_.product_flops.empty())
      return Error(at.begin, "the device has no flops, as in flops { f32: 1e12 }");
    return absl::OkStatus();
  }

  absl::Status Flops() {
    XLA_RETURN_IF_ERROR(Punctuation('{', "after 'flops'"));
    while (token_.kind != MachineToken::Kind::kPunctuation || token_.text != "}") {
      if (token_.kind != MachineToken::Kind::kName)
        return ErrorHere("expected an element type, as in flops { f32: 1e12 }");
      const auto type = primitive_util::StringToPrimitiveType(View(token_.text));
      if (!type.ok() || !primitive_util::IsArrayType(*type))
        return ErrorHere(absl::StrCat("'", View(token_.text), "' is not an element type"));
      const MachineToken name = token_;
      XLA_RETURN_IF_ERROR(Next());
      XLA_RETURN_IF_ERROR(Once(name, "flops"));
      double& rate = machine_.product_flops[*type];
      XLA_RETURN_IF_ERROR(Number({name.text, &rate, 1, kHuge}));
    }
    return Next();
  }

  absl::Status Level(const MachineToken& at) {
    if (machine_.levels.size() == kMostLevels)
      return Error(at.begin, absl::StrCat("more than ", kMostLevels, " levels"));
    for (auto it = seen_.begin(); it != seen_.end();)
      it = it->first == "level" ? seen_.erase(it) : std::next(it);
    MachineLevel level;
    double size = 0, rate = 0, combining = 0, cached_rate = 0;
    XLA_RETURN_IF_ERROR(Block("level",
                              {{"size", &size, 1, static_cast<double>(kMaxDevices)},
                               {"alpha", &level.alpha, 0, 1e3},
                               {"rate", &rate, 1, kHuge},
                               {"cached_rate", &cached_rate, 1, kHuge},
                               {"combining", &combining, 1, kHuge},
                               {"width", &level.width, 1e-3, 1e9},
                               {"bisection", &level.bisection, 1e-3, 1e9},
                               {"shared_compute", &level.shared_compute, 1e-3, 1e9},
                               {"shared_memory", &level.shared_memory, 1e-3, 1e9}},
                              {"name", "algorithms"},
                              [&](const MachineToken& name) -> absl::StatusOr<bool> {
                                if (name.text == "name") {
                                  XLA_RETURN_IF_ERROR(String(level.name));
                                } else if (name.text == "algorithms") {
                                  XLA_RETURN_IF_ERROR(Algorithms(level.algorithms));
                                } else {
                                  return false;
                                }
                                return true;
                              }));
    if (size != std::floor(size)) return Error(at.begin, "the size of a level is a whole number");
    level.size = static_cast<int64_t>(size);
    if (level.name.empty()) return Error(at.begin, "the level has no name");
    for (const MachineLevel& other : machine_.levels) {
      if (other.name == level.name)
        return Error(at.begin, absl::StrCat("level \"", level.name, "\" is duplicated"));
    }
    if (!machine_.levels.empty() && machine_.levels.back().size == 0) {
      return Error(at.begin, absl::StrCat("level \"", machine_.levels.back().name,
                                          "\" has no size, so no level can be above it"));
    }
    for (const std::string_view name : {"alpha", "rate"}) {
      if (!Has("level", name)) {
        return Error(at.begin,
                     absl::StrCat("level \"", level.name, "\" has no ", View(name),
                                  name == "rate" ? " (bytes a second)" : " (seconds a message)"));
      }
    }
    level.beta = 1 / rate;
    level.cached_beta = cached_rate > 0 ? 1 / cached_rate : 0;
    level.gamma = combining > 0 ? 1 / combining : 0;
    machine_.levels.push_back(std::move(level));
    return absl::OkStatus();
  }

  absl::Status Algorithms(CollectiveAlgorithms& algorithms) {
    XLA_RETURN_IF_ERROR(Punctuation(':', "before the value"));
    for (size_t i = 0; i < std::size(kAlgorithmNames); ++i) {
      if (token_.text == kAlgorithmNames[i]) {
        algorithms = static_cast<CollectiveAlgorithms>(i);
        return Next();
      }
    }
    return ErrorHere("expected any, ring, doubling, meeting or direct");
  }

  // Defaults that follow from other fields.
  absl::Status Finish() {
    if (!Has("machine", "device")) return ErrorHere("the machine has no device");
    if (machine_.levels.empty()) return ErrorHere("the machine has no level");
    // Vector units of processors do half of what products reach; functions take some ten
    // instructions.
    if (machine_.vector_flops == 0) machine_.vector_flops = machine_.ProductFlops(F32) / 2;
    if (machine_.transcendentals == 0) machine_.transcendentals = machine_.vector_flops / 12;
    int64_t devices = 1;
    for (MachineLevel& level : machine_.levels) {
      // Two are read and one is written.
      if (level.gamma == 0) level.gamma = 3 / machine_.memory_rate;
      if (level.size > 0) devices = std::min(devices * level.size, kMaxDevices);
    }
    return absl::OkStatus();
  }

  const std::string_view text_;
  size_t position_ = 0;
  MachineToken token_;
  std::set<std::pair<std::string, std::string>> seen_;  // (block, field)
  MachineDescription machine_;
};

std::string NumberText(double value) {
  std::string text = absl::StrFormat("%.6g", value);
  return text;
}

}  // namespace

std::string_view CollectiveAlgorithmsName(CollectiveAlgorithms algorithms) {
  return kAlgorithmNames[static_cast<size_t>(algorithms)];
}

double MachineDescription::ProductFlops(PrimitiveType type) const {
  auto found = product_flops.find(type);
  if (found == product_flops.end()) found = product_flops.find(F32);
  if (found != product_flops.end()) return found->second;
  double least = product_flops.begin()->second;
  for (const auto& [other, rate] : product_flops) least = std::min(least, rate);
  return least;
}

int64_t MachineDescription::DevicesInUnit(size_t level) const {
  int64_t devices = 1;
  for (size_t i = 0; i <= level; ++i) {
    if (levels[i].size == 0) return kMaxDevices;
    devices = std::min(devices * levels[i].size, kMaxDevices);
  }
  return devices;
}

absl::StatusOr<MachineDescription> ParseMachine(std::string_view text) {
  constexpr size_t kMostBytes = size_t{1} << 20;
  if (text.size() > kMostBytes)
    return absl::InvalidArgumentError("1:1: a machine description has at most a megabyte");
  return MachineReader(text).Read();
}

std::string MachineText(const MachineDescription& machine) {
  std::string out;
  if (!machine.name.empty()) absl::StrAppend(&out, "name: \"", machine.name, "\"\n");
  const auto field = [&](std::string_view name, double value) {
    if (value > 0) absl::StrAppend(&out, " ", View(name), ": ", NumberText(value));
  };
  absl::StrAppend(&out, "device {");
  field("memory", machine.memory_bytes);
  field("memory_rate", machine.memory_rate);
  field("cache", machine.cache_bytes);
  field("cache_rate", machine.cache_rate);
  absl::StrAppend(&out, "\n  flops {");
  for (const auto& [type, rate] : machine.product_flops)
    field(primitive_util::LowercasePrimitiveTypeName(type), rate);
  absl::StrAppend(&out, " }\n ");
  field("vector_flops", machine.vector_flops);
  field("transcendentals", machine.transcendentals);
  field("step", machine.step);
  field("launch", machine.launch);
  absl::StrAppend(&out, "\n}\n");
  for (const MachineLevel& level : machine.levels) {
    absl::StrAppend(&out, "level {\n  name: \"", level.name, "\"");
    if (level.size > 0) absl::StrAppend(&out, " size: ", level.size);
    absl::StrAppend(&out, " alpha: ", NumberText(level.alpha));
    field("rate", 1 / level.beta);
    if (level.cached_beta > 0) field("cached_rate", 1 / level.cached_beta);
    field("combining", 1 / level.gamma);
    field("width", level.width);
    field("bisection", level.bisection);
    field("shared_compute", level.shared_compute);
    field("shared_memory", level.shared_memory);
    if (level.algorithms != CollectiveAlgorithms::kAny) {
      absl::StrAppend(&out, " algorithms: ", View(CollectiveAlgorithmsName(level.algorithms)));
    }
    absl::StrAppend(&out, "\n}\n");
  }
  return out;
}

}  // namespace xla::spmd
