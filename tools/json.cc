// SPDX-License-Identifier: Apache-2.0
#include "tools/json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace xla {

using OrderedJson = nlohmann::ordered_json;

namespace {

// Measured to nine digits at most: more are noise to read.
double Rounded(double value) {
  double rounded = value;
  if (std::isfinite(value)) (void)absl::SimpleAtod(absl::StrFormat("%.9g", value), &rounded);
  return rounded;
}

}  // namespace

struct JsonObject::Value {
  OrderedJson json = OrderedJson::object();
  OrderedJson& operator[](std::string_view key) { return json[std::string(key)]; }
};

JsonObject::JsonObject() : value_(std::make_unique<Value>()) {}
JsonObject::~JsonObject() = default;
JsonObject::JsonObject(JsonObject&&) noexcept = default;
JsonObject& JsonObject::operator=(JsonObject&&) noexcept = default;

JsonObject& JsonObject::String(std::string_view key, std::string_view value) {
  (*value_)[key] = value;
  return *this;
}
JsonObject& JsonObject::Integer(std::string_view key, int64_t value) {
  (*value_)[key] = value;
  return *this;
}
JsonObject& JsonObject::Number(std::string_view key, double value) {
  (*value_)[key] = Rounded(value);
  return *this;
}
JsonObject& JsonObject::Numbers(std::string_view key, const std::vector<double>& values) {
  OrderedJson& array = (*value_)[key] = OrderedJson::array();
  for (const double value : values) array.push_back(Rounded(value));
  return *this;
}
JsonObject& JsonObject::Object(std::string_view key, JsonObject value) {
  (*value_)[key] = std::move(value.value_->json);
  return *this;
}
JsonObject& JsonObject::Bool(std::string_view key, bool value) {
  (*value_)[key] = value;
  return *this;
}
JsonObject& JsonObject::Null(std::string_view key) {
  (*value_)[key] = nullptr;
  return *this;
}
JsonObject& JsonObject::Strings(std::string_view key, const std::vector<std::string>& values) {
  (*value_)[key] = values;
  return *this;
}
JsonObject& JsonObject::Integers(std::string_view key, const std::vector<int64_t>& values) {
  (*value_)[key] = values;
  return *this;
}
JsonObject& JsonObject::Objects(std::string_view key, const std::vector<JsonObject>& values) {
  OrderedJson& array = (*value_)[key] = OrderedJson::array();
  for (const JsonObject& value : values) array.push_back(value.value_->json);
  return *this;
}

std::string JsonObject::ToString() const {
  return value_->json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string ToString(const std::vector<JsonObject>& objects) {
  return absl::StrCat("[\n",
                      absl::StrJoin(objects, ",\n",
                                    [](std::string* out, const JsonObject& object) {
                                      absl::StrAppend(out, "  ", object.ToString());
                                    }),
                      "\n]\n");
}

}  // namespace xla
