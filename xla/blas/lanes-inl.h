// SPDX-License-Identifier: Apache-2.0
// Access to vectors in memory, for each instruction set: included by files that Highway compiles
// repeatedly.
#if defined(XLA_BLAS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef XLA_BLAS_LANES_INL_H_
#undef XLA_BLAS_LANES_INL_H_
#else
#define XLA_BLAS_LANES_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace xla::blas {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Keeps the compiler from reading the vector from memory once for each use of it.
template <class V>
HWY_INLINE V InRegister(V v) {
#if HWY_ARCH_X86 && HWY_COMPILER_GCC
  asm("" : "+v"(v.raw));
#endif
  return v;
}

// How the lanes of a vector lie in memory: all of them, or the first `count`, and zeros.
struct Whole {
  template <class D, typename P = hn::TFromD<D>>
  HWY_INLINE hn::Vec<D> Load(D d, const P* from) const {
    return hn::LoadU(d, from);
  }
  template <class D, typename P = hn::TFromD<D>>
  HWY_INLINE void Store(D d, hn::Vec<D> v, P* to) const {
    hn::StoreU(v, d, to);
  }
};
struct Rest {
  template <class D, typename P = hn::TFromD<D>>
  HWY_INLINE hn::Vec<D> Load(D d, const P* from) const {
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
    P lanes[hn::MaxLanes(d)] = {};
    std::copy_n(from, count, lanes);
    return hn::LoadU(d, lanes);
#endif
  }
  template <class D, typename P = hn::TFromD<D>>
  HWY_INLINE void Store(D d, hn::Vec<D> v, P* to) const {
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
    hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
    P lanes[hn::MaxLanes(d)];
    hn::StoreU(v, d, lanes);
    std::copy_n(lanes, count, to);
#endif
  }

  size_t count;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xla::blas
HWY_AFTER_NAMESPACE();

#endif  // XLA_BLAS_LANES_INL_H_
