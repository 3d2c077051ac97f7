// SPDX-License-Identifier: Apache-2.0
// One object for each element type of BLAS: what an instruction set offers is exported as a whole.
#ifndef XLA_BLAS_ELEMENT_TYPES_H_
#define XLA_BLAS_ELEMENT_TYPES_H_

#include <complex>
#include <tuple>

namespace xla::blas {

// std::get<Kernels<T>>(kernels) is the one for T.
template <template <typename> class Kernels>
using ForElementTypes = std::tuple<Kernels<float>, Kernels<double>, Kernels<std::complex<float>>,
                                   Kernels<std::complex<double>>>;

}  // namespace xla::blas

#endif  // XLA_BLAS_ELEMENT_TYPES_H_
