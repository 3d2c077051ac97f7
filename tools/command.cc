// SPDX-License-Identifier: Apache-2.0
#include "tools/command.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "xla/base/string_view.h"

namespace xla {
namespace {

// Levenshtein distance, for "did you mean".
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string Arguments::Get(std::string_view option, std::string_view otherwise) const {
  auto found = values_.find(option);
  return found == values_.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::All(std::string_view option) const {
  auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

absl::StatusOr<int64_t> Arguments::GetInt(std::string_view option, int64_t otherwise, int64_t least,
                                          int64_t most) const {
  if (!Has(option)) return otherwise;
  int64_t value;
  if (!absl::SimpleAtoi(Get(option), &value) || value < least || value > most) {
    return absl::InvalidArgumentError(absl::StrCat(View(option), " takes a number from ", least,
                                                   " to ", most, ", not '", Get(option), "'"));
  }
  return value;
}

absl::StatusOr<Arguments> ParseArguments(absl::Span<const OptionSpec> options,
                                         absl::Span<const std::string> words) {
  Arguments result;
  bool options_ended = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (options_ended || word.size() < 2 || word[0] != '-') {
      result.positional_.emplace_back(word);
      continue;
    }
    if (word == "--") {
      options_ended = true;
      continue;
    }
    const size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto spec = std::find_if(options.begin(), options.end(),
                                   [&](const OptionSpec& o) { return o.name == name; });
    if (spec == options.end()) {
      const auto nearest =
          std::min_element(options.begin(), options.end(), [&](const auto& a, const auto& b) {
            return Distance(a.name, name) < Distance(b.name, name);
          });
      std::string hint;
      if (nearest != options.end() && Distance(nearest->name, name) <= 3) {
        hint = absl::StrCat("; did you mean ", View(nearest->name), "?");
      }
      return absl::InvalidArgumentError(absl::StrCat("unknown option ", View(name), hint));
    }
    std::string value;
    if (spec->value.empty()) {
      if (equals != std::string_view::npos) {
        return absl::InvalidArgumentError(absl::StrCat(View(name), " takes no value"));
      }
    } else if (equals != std::string_view::npos) {
      value = std::string(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat(View(name), " needs a value: ", View(spec->value)));
    }
    result.values_[std::string(name)].push_back(std::move(value));
  }
  return result;
}

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      RunCommand(),  PrintCommand(), OptCommand(), VerifyCommand(), CheckCommand(),
      TestCommand(), OpsCommand(),   InfoCommand(),   CompletionsCommand()};
  return commands;
}

std::string Help() {
  std::string out =
      "xylem: runs, prints and checks XLA programs (HLO text and protos)\n\nusage: xylem COMMAND "
      "[options] ...\n\n";
  for (const Command& command : Commands()) {
    absl::StrAppendFormat(&out, "  %-12s %s\n", View(command.name), View(command.summary));
  }
  absl::StrAppend(
      &out,
      "\n`xylem COMMAND --help` tells more. A FILE may be `-` for standard input; its kind (text, "
      "HloModuleProto,\nHloProto, HloSnapshot) is found by content.\n\nexit codes: 0 good, 1 the "
      "program "
      "or a check failed, 2 wrong command line, 130 interrupted\n");
  return out;
}

std::string Help(const Command& command) {
  std::string out =
      absl::StrCat("xylem ", View(command.name), ": ", View(command.summary), "\n\nusage: xylem ",
                   View(command.name), " [options] ", View(command.operands), "\n");
  if (!command.details.empty()) absl::StrAppend(&out, "\n", View(command.details), "\n");
  absl::StrAppend(&out, "\noptions:\n");
  for (const OptionSpec& option : command.options) {
    const std::string left = option.value.empty()
                                 ? std::string(option.name)
                                 : absl::StrCat(View(option.name), " ", View(option.value));
    absl::StrAppendFormat(&out, "  %-24s %s\n", left, View(option.help));
  }
  absl::StrAppendFormat(&out, "  %-24s %s\n", "--help", "this text");
  return out;
}

std::string BashCompletions() {
  std::string out =
      "# bash completion for xylem; made by `xylem completions bash`\n_xylem() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} "
      "command=${COMP_WORDS[1]}\n"
      "  COMPREPLY=()\n  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W \"";
  std::vector<std::string_view> names;
  for (const Command& command : Commands()) names.push_back(command.name);
  for (std::string_view name : names) absl::StrAppend(&out, View(name), " ");
  absl::StrAppend(
      &out,
      "--help --version\" -- \"$current\"))\n    return\n  fi\n  case \"$command $previous\" in\n");
  for (const Command& command : Commands()) {
    for (const OptionSpec& option : command.options) {
      if (option.choices.empty()) continue;
      absl::StrAppend(&out, "    \"", View(command.name), " ", View(option.name),
                      "\") COMPREPLY=($(compgen -W \"", View(option.choices),
                      "\" -- \"$current\")); return ;;\n");
    }
  }
  absl::StrAppend(&out, "  esac\n  if [[ $current == -* ]]; then\n    case $command in\n");
  for (const Command& command : Commands()) {
    absl::StrAppend(&out, "      ", View(command.name), ") COMPREPLY=($(compgen -W \"");
    for (const OptionSpec& option : command.options) absl::StrAppend(&out, View(option.name), " ");
    absl::StrAppend(&out, "--help\" -- \"$current\")) ;;\n");
  }
  absl::StrAppend(&out, "    esac\n    return\n  fi\n");
  absl::StrAppend(
      &out,
      "  if [ \"$command\" = completions ]; then\n    COMPREPLY=($(compgen -W bash -- "
      "\"$current\"))\n"
      "    return\n  fi\n  compopt -o default 2>/dev/null\n}\ncomplete -F _xylem xylem\n");
  return out;
}

}  // namespace xla
