// SPDX-License-Identifier: Apache-2.0
// JSON objects for the --json outputs of commands, written by nlohmann/json, which only json.cc
// includes.
#ifndef XYLEM_TOOLS_JSON_H_
#define XYLEM_TOOLS_JSON_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xla {

// Members keep their order. Strings are escaped; invalid UTF-8 is replaced by U+FFFD.
class JsonObject {
 public:
  JsonObject();
  ~JsonObject();
  JsonObject(JsonObject&&) noexcept;
  JsonObject& operator=(JsonObject&&) noexcept;

  JsonObject& String(std::string_view key, std::string_view value);
  JsonObject& Integer(std::string_view key, int64_t value);
  JsonObject& Number(std::string_view key, double value);  // null for infinities and NaN
  JsonObject& Bool(std::string_view key, bool value);
  JsonObject& Null(std::string_view key);
  JsonObject& Strings(std::string_view key, const std::vector<std::string>& values);
  JsonObject& Integers(std::string_view key, const std::vector<int64_t>& values);
  JsonObject& Numbers(std::string_view key, const std::vector<double>& values);
  JsonObject& Object(std::string_view key, JsonObject value);
  JsonObject& Objects(std::string_view key, const std::vector<JsonObject>& values);

  std::string ToString() const;  // on one line, without a newline

 private:
  struct Value;
  std::unique_ptr<Value> value_;
};

// An array with one object per line.
std::string ToString(const std::vector<JsonObject>& objects);

}  // namespace xla

#endif  // XYLEM_TOOLS_JSON_H_
