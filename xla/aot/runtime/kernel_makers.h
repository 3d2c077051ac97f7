// SPDX-License-Identifier: Apache-2.0
// Makes kernels of the library from their recipes. There is one function for each family, in a file
// of its own, named by the programs that need it: what they do not name is not linked.
#ifndef XLA_AOT_RUNTIME_KERNEL_MAKERS_H_
#define XLA_AOT_RUNTIME_KERNEL_MAKERS_H_

#include "xla/aot/runtime/field_reader.h"
#include "xla/kernels/recipe.h"

// Defines the function of a family, the whole file but for its includes.
#define XYLEM_KERNEL_MAKER(name, Recipe)                                                      \
  extern "C" void name(xla::aot::FieldReader* fields, xla::kernels::StatusOrKernel* kernel);  \
  extern "C" void name(xla::aot::FieldReader* fields, xla::kernels::StatusOrKernel* kernel) { \
    *kernel = xla::aot::MakeKernel<xla::kernels::Recipe>(*fields);                            \
  }

namespace xla::aot {

using KernelMaker = void (*)(FieldReader* fields, kernels::StatusOrKernel* kernel);

template <typename Recipe>
kernels::StatusOrKernel MakeKernel(FieldReader& fields) {
  Recipe recipe = {};
  kernels::VisitFields(fields, recipe);
  return kernels::MakeKernel(recipe);
}

}  // namespace xla::aot

#endif  // XLA_AOT_RUNTIME_KERNEL_MAKERS_H_
