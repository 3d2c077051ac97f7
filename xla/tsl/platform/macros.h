// SPDX-License-Identifier: Apache-2.0
// Macros of XLA's platform library.
#ifndef XLA_TSL_PLATFORM_MACROS_H_
#define XLA_TSL_PLATFORM_MACROS_H_

#define TF_ARRAYSIZE(a) (sizeof(a) / sizeof((a)[0]))
#define TF_PREDICT_FALSE(x) (__builtin_expect(!!(x), 0))
#define TF_PREDICT_TRUE(x) (__builtin_expect(!!(x), 1))
#define TF_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define TF_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define TF_ATTRIBUTE_NOINLINE __attribute__((noinline))
#define TF_ATTRIBUTE_UNUSED __attribute__((unused))
#define TF_EXPORT __attribute__((visibility("default")))
#define TF_FALLTHROUGH_INTENDED [[fallthrough]]
#define TF_DISALLOW_COPY_AND_ASSIGN(TypeName) \
  TypeName(const TypeName&) = delete;         \
  void operator=(const TypeName&) = delete

#endif  // XLA_TSL_PLATFORM_MACROS_H_
