// SPDX-License-Identifier: Apache-2.0
// What a product of matrices must move at least, whatever the algorithm: numbers that a device
// receives, besides those that it holds of operands and result.
//
// - Independent of memory: Al Daas, Ballard, Grigori, Kumar, Rouse, "Tight memory-independent
//   parallel matrix multiplication communication lower bounds", 2022, theorem 3.
// - With memory for M numbers: 2mnk/(P sqrt(M)) - M; Irony, Toledo, Tiskin, "Communication lower
//   bounds for distributed-memory matrix multiplication", 2004; the constant: Smith, Lowery,
//   Langou, van de Geijn, "A tight I/O lower bound for matrix multiplication", 2017.
#ifndef XLA_SPMD_PLAN_BOUNDS_H_
#define XLA_SPMD_PLAN_BOUNDS_H_

#include <string_view>

namespace xla::spmd {

struct ProductBound {
  double numbers = 0;  // a device receives
  // Which of its cases holds: "1d", "2d", "3d", or "memory".
  std::string_view regime = "1d";
};

// C[m,n] = A[m,k] * B[k,n] on P devices of which each has memory for so many numbers; 0: not known.
ProductBound BoundOfProduct(double m, double n, double k, double devices, double memory);

}  // namespace xla::spmd

#endif  // XLA_SPMD_PLAN_BOUNDS_H_
