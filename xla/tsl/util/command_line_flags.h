// SPDX-License-Identifier: Apache-2.0
// Command-line flags of programs written for XLA: --name=value, and --name for booleans.
//
//   int32_t steps = 10;
//   const std::vector<tsl::Flag> flags = {tsl::Flag("steps", &steps, "how often to run")};
//   const std::string usage = tsl::Flags::Usage(argv[0], flags);
//   if (!tsl::Flags::Parse(&argc, argv, flags) || argc != 1) return Fail(usage);
#ifndef XLA_TSL_UTIL_COMMAND_LINE_FLAGS_H_
#define XLA_TSL_UTIL_COMMAND_LINE_FLAGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tsl {

// A flag and what happens to its value.
class Flag {
 public:
  // The value is stored; `was_set` (may be null) becomes true when it is. What the variable holds
  // now is the default that Usage shows.
  Flag(const char* name, int32_t* value, absl::string_view usage, bool* was_set = nullptr);
  Flag(const char* name, int64_t* value, absl::string_view usage, bool* was_set = nullptr);
  Flag(const char* name, bool* value, absl::string_view usage, bool* was_set = nullptr);
  Flag(const char* name, std::string* value, absl::string_view usage, bool* was_set = nullptr);
  Flag(const char* name, float* value, absl::string_view usage, bool* was_set = nullptr);

  // A function takes the value; it returns false for values that are not allowed.
  Flag(const char* name, std::function<bool(int32_t)> hook, int32_t shown_default,
       absl::string_view usage);
  Flag(const char* name, std::function<bool(int64_t)> hook, int64_t shown_default,
       absl::string_view usage);
  Flag(const char* name, std::function<bool(float)> hook, float shown_default,
       absl::string_view usage);
  Flag(const char* name, std::function<bool(bool)> hook, bool shown_default,
       absl::string_view usage);
  Flag(const char* name, std::function<bool(std::string)> hook, std::string shown_default,
       absl::string_view usage);

 private:
  friend class Flags;

  enum class Outcome { kOther, kTaken, kRejected };
  // kOther if `argument` is not this flag.
  Outcome Parse(absl::string_view argument) const;

  std::string name_;
  std::variant<std::function<bool(int32_t)>, std::function<bool(int64_t)>,
               std::function<bool(bool)>, std::function<bool(std::string)>,
               std::function<bool(float)>>
      hook_;
  std::string default_;
  std::string usage_;
};

class Flags {
 public:
  // Hands the values of argv[1], .. to the flags and takes these arguments out; up to an argument
  // "--" at most. False if a value was not allowed (a sentence on stderr says which), or if the
  // first argument that remains is --help. Precondition: argv[*argc] can be written.
  static bool Parse(int* argc, char** argv, absl::Span<const Flag> flag_list);
  // The same for arguments without a program's name in front.
  static bool Parse(std::vector<std::string>& arguments, absl::Span<const Flag> flag_list);

  static std::string Usage(absl::string_view command, absl::Span<const Flag> flag_list);
};

}  // namespace tsl

#endif  // XLA_TSL_UTIL_COMMAND_LINE_FLAGS_H_
