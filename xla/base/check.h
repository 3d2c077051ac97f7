// SPDX-License-Identifier: Apache-2.0
// XLA_CHECK: assertions for internal invariants. Input must not be able to violate one: invalid
// input results in a Status.
//
//   XLA_CHECK(rank >= 0) << "rank is " << rank;   // always on; prints and aborts
//   XLA_DCHECK(index < size);                     // only without NDEBUG
#ifndef XLA_BASE_CHECK_H_
#define XLA_BASE_CHECK_H_

#include <memory>
#include <ostream>

namespace xla::internal {

// Collects the message of a failed check; its destructor writes it to stderr and aborts.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  std::ostream& stream() { return *stream_; }

 private:
  std::unique_ptr<std::ostream> stream_;
};

// Converts the stream expression to void, so that both operands of ?: have the same type.
struct Voidify {
  void operator&(std::ostream&) const {}
};

}  // namespace xla::internal

// `&` binds looser than `<<` and tighter than `?:`.
#define XLA_CHECK(condition)         \
  __builtin_expect(!!(condition), 1) \
      ? (void)0                      \
      : ::xla::internal::Voidify() & \
            ::xla::internal::CheckFailure(__FILE__, __LINE__, #condition).stream()

// For an absl::Status (or anything with ok() and operator<<) that cannot fail here.
#define XLA_CHECK_OK(...)                                                               \
  do {                                                                                  \
    const auto& xla_check_ok_status = (__VA_ARGS__);                                    \
    XLA_CHECK(xla_check_ok_status.ok()) << #__VA_ARGS__ << ": " << xla_check_ok_status; \
  } while (false)

#ifdef NDEBUG
// The condition is compiled, so that it stays valid, but not evaluated.
#define XLA_DCHECK(condition) XLA_CHECK(true || (condition))
#else
#define XLA_DCHECK(condition) XLA_CHECK(condition)
#endif

#endif  // XLA_BASE_CHECK_H_
