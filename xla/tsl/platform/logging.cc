// SPDX-License-Identifier: Apache-2.0
#include "xla/tsl/platform/logging.h"

#if !__has_include("absl/log/absl_log.h")

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tsl::internal {

LogMessage::LogMessage(const char* file, int line, absl::LogSeverity severity)
    : file_(file), line_(line), severity_(severity) {}

LogMessage::~LogMessage() {
  if (severity_ != absl::LogSeverity::kFatal) Write();
}

void LogMessage::Write() {
  const char* slash = std::strrchr(file_, '/');
  std::fprintf(stderr, "%c %s:%d] %s\n", absl::LogSeverityName(severity_)[0],
               slash == nullptr ? file_ : slash + 1, line_, stream_.str().c_str());
}

FatalLogMessage::~FatalLogMessage() {
  Write();
  std::abort();
}

namespace {

int EnvironmentNumber(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

}  // namespace

bool InfoLogIsOn() {
  static const bool is_on = EnvironmentNumber("TF_CPP_MIN_LOG_LEVEL", 1) <= 0;
  return is_on;
}

int MaxVLogLevel() {
  static const int level = EnvironmentNumber("TF_CPP_MAX_VLOG_LEVEL", 0);
  return level;
}

}  // namespace tsl::internal

#endif  // Abseil without a logging library
