// SPDX-License-Identifier: Apache-2.0
// xla/base/check.h without streams, which would be most of a small program: a failed check says
// where it is.
#ifndef SHIM_XLA_BASE_CHECK_H_
#define SHIM_XLA_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>
#include <iosfwd>

namespace xla::internal {

class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition) {
    std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
    std::abort();
  }
  // Messages are left out.
  template <typename T>
  CheckFailure& operator<<(const T&) {
    return *this;
  }
};

struct Voidify {
  void operator&(const CheckFailure&) const {}
};

}  // namespace xla::internal

#define XLA_CHECK(condition)         \
  __builtin_expect(!!(condition), 1) \
      ? (void)0                      \
      : ::xla::internal::Voidify() & ::xla::internal::CheckFailure(__FILE__, __LINE__, #condition)

#ifdef NDEBUG
#define XLA_DCHECK(condition) XLA_CHECK(true || (condition))
#else
#define XLA_DCHECK(condition) XLA_CHECK(condition)
#endif

#endif  // SHIM_XLA_BASE_CHECK_H_
