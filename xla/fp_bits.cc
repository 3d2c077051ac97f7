// SPDX-License-Identifier: Apache-2.0
#include "xla/fp_bits.h"

#include <cstdlib>

#include "absl/strings/str_format.h"

namespace xla::fp_internal {
namespace {

std::string WithPayload(std::string text, uint64_t payload) {
  if (payload != 0) absl::StrAppendFormat(&text, "(0x%x)", payload);
  return text;
}

}  // namespace

std::string RoundTripText(double value, int few_digits, int digits, uint64_t payload) {
  std::string text = absl::StrFormat("%.*g", few_digits, value);
  if (std::strtod(text.c_str(), nullptr) != value) text = absl::StrFormat("%.*g", digits, value);
  return WithPayload(std::move(text), payload);
}

std::string RoundTripText(float value, int few_digits, int digits, uint64_t payload) {
  std::string text = absl::StrFormat("%.*g", few_digits, value);
  if (std::strtof(text.c_str(), nullptr) != value) text = absl::StrFormat("%.*g", digits, value);
  return WithPayload(std::move(text), payload);
}

}  // namespace xla::fp_internal
