// SPDX-License-Identifier: Apache-2.0
// Stand-in for the headers of the ml_dtypes library: its types are ours.
#ifndef TESTS_XLA_COMPAT_ML_DTYPES_H_
#define TESTS_XLA_COMPAT_ML_DTYPES_H_

#include "xla/types.h"

namespace ml_dtypes {
using xla::float8_e3m4;
using xla::float8_e4m3;
using xla::float8_e4m3b11fnuz;
using xla::float8_e4m3fn;
using xla::float8_e4m3fnuz;
using xla::float8_e5m2;
using xla::float8_e5m2fnuz;
using xla::float8_e8m0fnu;
}  // namespace ml_dtypes

#endif  // TESTS_XLA_COMPAT_ML_DTYPES_H_
