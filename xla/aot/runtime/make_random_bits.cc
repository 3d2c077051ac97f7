// SPDX-License-Identifier: Apache-2.0
#include "xla/aot/runtime/kernel_makers.h"

extern "C" void xylem_make_random_bits(xla::aot::FieldReader* fields,
                                       xla::kernels::StatusOrKernel* kernel);

extern "C" void xylem_make_random_bits(xla::aot::FieldReader* fields,
                                       xla::kernels::StatusOrKernel* kernel) {
  *kernel = xla::aot::MakeKernel<xla::kernels::RandomBitsSpec>(*fields);
}
