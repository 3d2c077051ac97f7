// SPDX-License-Identifier: Apache-2.0
// Loops that turn a function of one element into a kernel. Private to the elementwise files.
#ifndef XLA_INTERPRETER_ELEMENTWISE_LOOPS_H_
#define XLA_INTERPRETER_ELEMENTWISE_LOOPS_H_

#include <cstdint>

#include "xla/interpreter/elementwise.h"

// An output may be an input, element for element: no dependence between iterations, but the
// compiler cannot know. Clang has no way to say so that does not also demand that the loop be
// vectorized.
#if defined(__GNUC__) && !defined(__clang__)
#define XLA_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define XLA_INDEPENDENT_ITERATIONS
#endif

namespace xla::interpreter {

// F: an empty struct with operator()(T) -> R.
template <typename T, typename R, typename F>
void UnaryLoop(const KernelParameters&, int64_t n, const void* const* in, void* out) {
  const T* a = static_cast<const T*>(in[0]);
  R* r = static_cast<R*>(out);
  XLA_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) r[i] = F()(a[i]);
}

// F: operator()(T, const KernelParameters&) -> R.
template <typename T, typename R, typename F>
void UnaryParameterLoop(const KernelParameters& parameters, int64_t n, const void* const* in,
                        void* out) {
  const KernelParameters p = parameters;
  const T* a = static_cast<const T*>(in[0]);
  R* r = static_cast<R*>(out);
  XLA_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) r[i] = F()(a[i], p);
}

template <typename T, typename R, typename F>
void BinaryLoop(const KernelParameters&, int64_t n, const void* const* in, void* out) {
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  R* r = static_cast<R*>(out);
  XLA_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) r[i] = F()(a[i], b[i]);
}

template <typename T, typename R, typename F>
void BinaryParameterLoop(const KernelParameters& parameters, int64_t n, const void* const* in,
                         void* out) {
  const KernelParameters p = parameters;
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  R* r = static_cast<R*>(out);
  XLA_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) r[i] = F()(a[i], b[i], p);
}

}  // namespace xla::interpreter

#endif  // XLA_INTERPRETER_ELEMENTWISE_LOOPS_H_
