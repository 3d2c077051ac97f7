// SPDX-License-Identifier: Apache-2.0
// Prints the message of a failed XLA_CHECK.
#include "xla/base/check.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace xla::internal {

CheckFailure::CheckFailure(const char* file, int line, const char* condition)
    : stream_(std::make_unique<std::ostringstream>()) {
  *stream_ << file << ":" << line << ": internal error: check failed: " << condition << " ";
}

CheckFailure::~CheckFailure() {
  const std::string message = static_cast<std::ostringstream&>(*stream_).str();
  std::fprintf(stderr, "%s\n", message.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace xla::internal
