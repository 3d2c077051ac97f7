// SPDX-License-Identifier: Apache-2.0
// LOG, VLOG, CHECK and their relatives for code written for XLA. Where Abseil has its logging
// library they are Abseil's; else they write "E file.cc:12] message" to standard error. INFO is
// written only if the environment variable TF_CPP_MIN_LOG_LEVEL is 0, VLOG(n) if
// TF_CPP_MAX_VLOG_LEVEL is at least n.
//
// The library itself does not use these: no input makes it log or abort.
#ifndef XLA_TSL_PLATFORM_LOGGING_H_
#define XLA_TSL_PLATFORM_LOGGING_H_

#if __has_include("absl/log/absl_log.h")
#include "absl/log/check.h"       // IWYU pragma: export
#include "absl/log/log.h"         // IWYU pragma: export
#include "absl/log/vlog_is_on.h"  // IWYU pragma: export
#else

#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>

#include "absl/base/log_severity.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tsl::internal {

// Writes the message when destroyed.
class LogMessage {
 public:
  LogMessage(const char* file, int line, absl::LogSeverity severity);
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;
  ~LogMessage();
  std::ostream& stream() { return stream_; }

 protected:
  void Write();

 private:
  const char* const file_;
  const int line_;
  const absl::LogSeverity severity_;
  std::ostringstream stream_;
};

// Then aborts.
class FatalLogMessage : public LogMessage {
 public:
  FatalLogMessage(const char* file, int line) : LogMessage(file, line, absl::LogSeverity::kFatal) {}
  [[noreturn]] ~FatalLogMessage();
};

struct VoidifyLog {
  void operator&(std::ostream&) const {}
};

bool InfoLogIsOn();
int MaxVLogLevel();

// The message of a failed comparison, or null.
template <typename T>
void StreamCheckOperand(std::ostream& out, const T& value) {
  if constexpr (requires { out << value; }) {
    out << value;
  } else {
    out << "(unprintable)";
  }
}
template <typename A, typename B>
std::unique_ptr<std::string> CheckOpMessage(const char* text, const A& a, const B& b) {
  std::ostringstream out;
  out << "Check failed: " << text << " (";
  StreamCheckOperand(out, a);
  out << " vs. ";
  StreamCheckOperand(out, b);
  out << ") ";
  return std::make_unique<std::string>(out.str());
}
#define XYLEM_DEFINE_CHECK_OP(Name, op)                                         \
  template <typename A, typename B>                                             \
  std::unique_ptr<std::string> Name(const char* text, const A& a, const B& b) { \
    if (__builtin_expect(static_cast<bool>(a op b), 1)) return nullptr;         \
    return CheckOpMessage(text, a, b);                                          \
  }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
XYLEM_DEFINE_CHECK_OP(CheckEq, ==)
XYLEM_DEFINE_CHECK_OP(CheckNe, !=)
XYLEM_DEFINE_CHECK_OP(CheckLe, <=)
XYLEM_DEFINE_CHECK_OP(CheckLt, <)
XYLEM_DEFINE_CHECK_OP(CheckGe, >=)
XYLEM_DEFINE_CHECK_OP(CheckGt, >)
#pragma GCC diagnostic pop
#undef XYLEM_DEFINE_CHECK_OP

inline absl::Status StatusOf(const absl::Status& status) { return status; }
template <typename T>
absl::Status StatusOf(const absl::StatusOr<T>& value) {
  return value.status();
}

template <typename T>
T&& DieIfNull(const char* file, int line, const char* text, T&& value) {
  if (value == nullptr) {
    FatalLogMessage(file, line).stream() << "Check failed: '" << text << "' must be non-null ";
  }
  return std::forward<T>(value);
}

}  // namespace tsl::internal

#define XYLEM_LOG_INFO                  \
  !::tsl::internal::InfoLogIsOn()       \
      ? (void)0                         \
      : ::tsl::internal::VoidifyLog() & \
            ::tsl::internal::LogMessage(__FILE__, __LINE__, ::absl::LogSeverity::kInfo).stream()
#define XYLEM_LOG_WARNING         \
  ::tsl::internal::VoidifyLog() & \
      ::tsl::internal::LogMessage(__FILE__, __LINE__, ::absl::LogSeverity::kWarning).stream()
#define XYLEM_LOG_ERROR           \
  ::tsl::internal::VoidifyLog() & \
      ::tsl::internal::LogMessage(__FILE__, __LINE__, ::absl::LogSeverity::kError).stream()
#define XYLEM_LOG_FATAL ::tsl::internal::FatalLogMessage(__FILE__, __LINE__).stream()
#define XYLEM_LOG_QFATAL XYLEM_LOG_FATAL

#define LOG(severity) XYLEM_LOG_##severity
#define LOG_IF(severity, condition) \
  if (!(condition)) {               \
  } else                            \
    LOG(severity)
#define LOG_FIRST_N(severity, n) \
  for (static int xylem_log_count = 0; xylem_log_count < (n); xylem_log_count = (n)) LOG(severity)
#define LOG_EVERY_N_SEC(severity, n) LOG(severity)
#define VLOG_IS_ON(level) ((level) <= ::tsl::internal::MaxVLogLevel())
#define VLOG(level)                     \
  !VLOG_IS_ON(level)                    \
      ? (void)0                         \
      : ::tsl::internal::VoidifyLog() & \
            ::tsl::internal::LogMessage(__FILE__, __LINE__, ::absl::LogSeverity::kInfo).stream()
#ifdef NDEBUG
#define DVLOG(level) \
  while (false) VLOG(level)
#define DLOG(severity) \
  while (false) LOG(severity)
#else
#define DVLOG(level) VLOG(level)
#define DLOG(severity) LOG(severity)
#endif

#define CHECK(condition)             \
  __builtin_expect(!!(condition), 1) \
      ? (void)0                      \
      : ::tsl::internal::VoidifyLog() & XYLEM_LOG_FATAL << "Check failed: " #condition " "
#define XYLEM_CHECK_OP(Name, op, a, b)                           \
  while (::std::unique_ptr<::std::string> xylem_check_message =  \
             ::tsl::internal::Name(#a " " #op " " #b, (a), (b))) \
  XYLEM_LOG_FATAL << *xylem_check_message
#define CHECK_EQ(a, b) XYLEM_CHECK_OP(CheckEq, ==, a, b)
#define CHECK_NE(a, b) XYLEM_CHECK_OP(CheckNe, !=, a, b)
#define CHECK_LE(a, b) XYLEM_CHECK_OP(CheckLe, <=, a, b)
#define CHECK_LT(a, b) XYLEM_CHECK_OP(CheckLt, <, a, b)
#define CHECK_GE(a, b) XYLEM_CHECK_OP(CheckGe, >=, a, b)
#define CHECK_GT(a, b) XYLEM_CHECK_OP(CheckGt, >, a, b)
#define CHECK_OK(...)                                                                \
  for (::absl::Status xylem_check_status = ::tsl::internal::StatusOf((__VA_ARGS__)); \
       !xylem_check_status.ok();)                                                    \
  XYLEM_LOG_FATAL << "Check failed: " #__VA_ARGS__ " is OK (" << xylem_check_status << ") "
#define CHECK_NOTNULL(value) ::tsl::internal::DieIfNull(__FILE__, __LINE__, #value, (value))
#define ABSL_DIE_IF_NULL(value) CHECK_NOTNULL(value)
#define QCHECK(condition) CHECK(condition)
#define QCHECK_EQ(a, b) CHECK_EQ(a, b)
#define QCHECK_NE(a, b) CHECK_NE(a, b)
#define QCHECK_OK(...) CHECK_OK(__VA_ARGS__)

#ifdef NDEBUG
#define DCHECK(condition) CHECK(true || (condition))
#define DCHECK_EQ(a, b) \
  while (false) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) \
  while (false) CHECK_NE(a, b)
#define DCHECK_LE(a, b) \
  while (false) CHECK_LE(a, b)
#define DCHECK_LT(a, b) \
  while (false) CHECK_LT(a, b)
#define DCHECK_GE(a, b) \
  while (false) CHECK_GE(a, b)
#define DCHECK_GT(a, b) \
  while (false) CHECK_GT(a, b)
#define DCHECK_OK(...) \
  while (false) CHECK_OK(__VA_ARGS__)
#else
#define DCHECK(condition) CHECK(condition)
#define DCHECK_EQ(a, b) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) CHECK_NE(a, b)
#define DCHECK_LE(a, b) CHECK_LE(a, b)
#define DCHECK_LT(a, b) CHECK_LT(a, b)
#define DCHECK_GE(a, b) CHECK_GE(a, b)
#define DCHECK_GT(a, b) CHECK_GT(a, b)
#define DCHECK_OK(...) CHECK_OK(__VA_ARGS__)
#endif

#endif  // Abseil without a logging library

#ifndef TF_CHECK_OK
#define TF_CHECK_OK(...) CHECK_OK(__VA_ARGS__)
#define TF_QCHECK_OK(...) CHECK_OK(__VA_ARGS__)
#define TF_DCHECK_OK(...) DCHECK_OK(__VA_ARGS__)
#endif

#endif  // XLA_TSL_PLATFORM_LOGGING_H_
