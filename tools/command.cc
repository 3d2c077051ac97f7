// SPDX-License-Identifier: Apache-2.0
#include "tools/command.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/color.h"
#include "xla/base/status_macros.h"
#include "xla/base/string_view.h"
#include "xla/base/suggestion.h"
#include "xla/debug_options_flags.h"

namespace xla {
namespace {

// CLI11's help with our usage line and without a list of positionals.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) { column_width(28); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return absl::StrCat("\nUsage: xylem ", usage_, "\n");
  }
  std::string make_positionals(const CLI::App*) const override { return ""; }

 private:
  std::string usage_;
};

CLI::Validator InRange(IntegerRange range) {
  return {[range](std::string& text) {
            int64_t value;
            const bool valid =
                absl::SimpleAtoi(text, &value) && value >= range.least && value <= range.most;
            return valid ? std::string()
                         : absl::StrCat("expected an integer from ", range.least, " to ",
                                        range.most, ", got '", text, "'");
          },
          ""};
}

CLI::Validator OneOf(const std::vector<std::string_view>& choices) {
  return {[&choices](std::string& text) {
            if (std::find(choices.begin(), choices.end(), text) != choices.end())
              return std::string();
            return absl::StrCat("expected ",
                                absl::StrJoin(choices, ", ",
                                              [](std::string* out, auto choice) {
                                                absl::StrAppend(out, View(choice));
                                              }),
                                ", got '", text, "'");
          },
          ""};
}

// CLI11 takes results through callbacks; they are read from the option after parsing.
CLI::Option* AddValues(CLI::App* app, const std::string& name, const std::string& help) {
  const CLI::callback_t keep = [](const CLI::results_t&) { return true; };
  return app->add_option(name, keep, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

}  // namespace

// Builds the CLI11 description of the commands and reads what it parsed.
class CommandLineParser {
 public:
  explicit CommandLineParser(absl::Span<const Command> commands) : commands_(commands) {
    app_.name("xylem");
    app_.formatter(std::make_shared<HelpFormatter>("COMMAND [OPTIONS] ..."));
    app_.set_help_flag("-h,--help", "print this help");
    app_.set_version_flag("--version", "xylem " XYLEM_VERSION, "print the version");
    app_.footer(
        "`xylem COMMAND --help` describes a command. A FILE may be `-` for standard input; its "
        "format (HLO text,\nHloModuleProto, HloProto, HloSnapshot, these as text protos, StableHLO "
        "as "
        "text or bytecode;\nany of them compressed by gzip) is detected from its content.\n\nExit "
        "codes: 0 success, 1 invalid program or failed check, 2 "
        "invalid command "
        "line, 130 interrupted");
    app_.require_subcommand(0, 1);
    app_.allow_extras();
    for (const Command& command : commands_) Add(command);
  }

  ParsedCommandLine Parse(absl::Span<const std::string> words) {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 takes them
    try {
      app_.parse(reversed);
    } catch (const CLI::CallForHelp&) {
      return Answer(kExitOk, app_.help());
    } catch (const CLI::CallForVersion& version) {
      return Answer(kExitOk, absl::StrCat(version.what(), "\n"));
    } catch (const CLI::ArgumentMismatch& error) {
      // "--passes: 1 required LIST missing"
      const std::string text = error.what();
      return UsageError(
          Selected(), absl::StrCat("option '", text.substr(0, text.find(':')), "' needs a value"));
    } catch (const CLI::ParseError& error) {
      return UsageError(Selected(), error.what());
    }
    const Command* command = Selected();
    const std::vector<std::string> unknown = app_.remaining();
    if (!unknown.empty() || command == nullptr) {
      if (unknown.empty()) return Answer(kExitUsage, app_.help());
      const bool is_option = unknown[0].size() > 1 && unknown[0][0] == '-';
      std::vector<std::string_view> known = {"--help", "--version"};
      if (!is_option) {
        known = {"help"};
        for (const Command& candidate : commands_) known.push_back(candidate.name);
      }
      return UsageError(nullptr, absl::StrCat("unknown ", is_option ? "option" : "command", " '",
                                              unknown[0], "'", Suggestion(unknown[0], known)));
    }
    return Read(*command);
  }

 private:
  // More operands than any command line has: an option takes operands while it has fewer.
  static constexpr int kManyOperands = 1 << 28;

  void Add(const Command& command) {
    CLI::App* app = app_.add_subcommand(std::string(command.name), std::string(command.summary));
    app->formatter(std::make_shared<HelpFormatter>(
        absl::StrCat(View(command.name), " [OPTIONS] ", View(command.operands))));
    app->set_help_flag("-h,--help", "print this help");
    app->footer(std::string(command.details));
    app->allow_extras();
    for (const OptionSpec& spec : command.options) {
      const std::string name(spec.name), help(spec.help);
      const std::string names =
          spec.short_name.empty() ? name : absl::StrCat(View(spec.short_name), ",", name);
      if (spec.value.empty()) {
        app->add_flag(names, help)->disable_flag_override();
        continue;
      }
      CLI::Option* option = AddValues(app, names, help)->expected(1);
      option->type_name(std::string(spec.value));
      if (spec.range.has_value()) option->check(InRange(*spec.range));
      if (!spec.choices.empty()) option->check(OneOf(spec.choices));
    }
    AddValues(app, kOperands, "")->expected(kManyOperands);
  }

  const Command* Selected() const {
    const std::vector<CLI::App*> selected = app_.get_subcommands();
    if (selected.empty()) return nullptr;
    const auto found = std::find_if(
        commands_.begin(), commands_.end(),
        [&](const Command& command) { return command.name == selected[0]->get_name(); });
    return &*found;
  }

  ParsedCommandLine Read(const Command& command) {
    const CLI::App* app = app_.get_subcommand(std::string(command.name));
    std::vector<std::string> unknown = app->remaining();
    std::erase(unknown, "--");  // the end of options, which CLI11 lists too
    if (!unknown.empty()) {
      const std::string name = unknown[0].substr(0, unknown[0].find('='));
      std::vector<std::string_view> known;
      for (const OptionSpec& spec : command.options) known.push_back(spec.name);
      return UsageError(&command,
                        absl::StrCat("unknown option '", name, "'", Suggestion(name, known)));
    }
    ParsedCommandLine parsed;
    parsed.command = &command;
    for (const OptionSpec& spec : command.options) {
      const CLI::Option* option = app->get_option(std::string(spec.name));
      if (option->count() > 0) parsed.arguments.values_[std::string(spec.name)] = option->results();
    }
    parsed.arguments.operands_ = app->get_option(kOperands)->results();
    const auto count = static_cast<int64_t>(parsed.arguments.operands_.size());
    if (count < command.least_operands)
      return UsageError(&command, absl::StrCat("expected ", View(command.operands)));
    if (count > command.most_operands) {
      return UsageError(
          &command, absl::StrCat("unexpected argument '", parsed.arguments.operands_.back(), "'"));
    }
    return parsed;
  }

  static ParsedCommandLine Answer(int exit_code, std::string text) {
    ParsedCommandLine parsed;
    parsed.exit_code = exit_code;
    parsed.text = std::move(text);
    return parsed;
  }

  static ParsedCommandLine UsageError(const Command* command, const std::string& message) {
    if (command == nullptr) {
      return Answer(kExitUsage,
                    absl::StrCat("xylem: ", message, "\nRun 'xylem --help' for help.\n"));
    }
    return Answer(kExitUsage,
                  absl::StrCat("xylem ", View(command->name), ": ", message, "\nUsage: xylem ",
                               View(command->name), " [OPTIONS] ", View(command->operands),
                               "\nRun 'xylem ", View(command->name), " --help' for help.\n"));
  }

  // No option has this name, which CLI11 2.4 and later would take for the same.
  static constexpr char kOperands[] = "operands-without-names";
  absl::Span<const Command> commands_;
  CLI::App app_;
};

ParsedCommandLine ParseCommandLine(absl::Span<const Command> commands,
                                   absl::Span<const std::string> words) {
  if (words.empty() || words[0] != "help") return CommandLineParser(commands).Parse(words);
  // "help run" is "run --help".
  std::vector<std::string> asked(words.begin() + 1, words.end());
  asked.push_back("--help");
  return CommandLineParser(commands).Parse(asked);
}

std::string Arguments::Get(std::string_view option, std::string_view otherwise) const {
  auto found = values_.find(option);
  return found == values_.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::All(std::string_view option) const {
  auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

int64_t Arguments::GetInt(std::string_view option, int64_t otherwise) const {
  int64_t value;
  return Has(option) && absl::SimpleAtoi(Get(option), &value) ? value : otherwise;
}

namespace {

// Of the commands that compile or run programs.
const OptionSpec& MaxIsaOption() {
  static const OptionSpec option = {
      "--max-isa",
      "SET",
      "use no instructions beyond this set, whatever the machine has",
      {"SSE4_2", "AVX", "AVX2", "AVX512", "AVX512_VNNI", "AVX512_BF16"}};
  return option;
}

Command WithMaxIsa(Command command) {
  command.options.push_back(MaxIsaOption());
  return command;
}

std::vector<Command> WithColor(std::vector<Command> commands) {
  for (Command& command : commands) command.options.push_back(ColorOption());
  return commands;
}

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = WithColor({WithMaxIsa(RunCommand()),
                                                          PrintCommand(),
                                                          OptCommand(),
                                                          ShardCommand(),
                                                          VerifyCommand(),
                                                          RefineCommand(),
                                                          WithMaxIsa(CheckCommand()),
                                                          WithMaxIsa(TestCommand()),
                                                          WithMaxIsa(CompileCommand()),
                                                          AotCommand(),
                                                          WithMaxIsa(BenchCommand()),
                                                          WithMaxIsa(ProfileCommand()),
                                                          WithMaxIsa(PlanCommand()),
                                                          WithMaxIsa(DiffCommand()),
                                                          WithMaxIsa(ReduceCommand()),
                                                          WithMaxIsa(BisectCommand()),
                                                          ViewCommand(),
                                                          OpsCommand(),
                                                          LspCommand(),
                                                          InfoCommand(),
                                                          CompletionsCommand()});
  return commands;
}

absl::StatusOr<InstructionSet> MaxInstructionSetFor(const Arguments& arguments) {
  XLA_ASSIGN_OR_RETURN(const InstructionSet asked, ParseInstructionSet(arguments.Get("--max-isa")));
  XLA_ASSIGN_OR_RETURN(const InstructionSet allowed, MaxInstructionSetFromFlags());
  return std::min(asked, allowed);
}

}  // namespace xla
